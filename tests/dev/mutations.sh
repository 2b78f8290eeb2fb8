#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# mutations [NAME...]: 10,000 mutations of the files of each reader, in a build with sanitizers; with names these
# targets of tests/fuzz alone.
source tests/dev/parts/common.sh

# The programs that mutate files, by their names as tests.
programs=(fuzz/test-fuzz-mutations format/test-format-mutation model/test-model-packed model/test-model-gguf
          model/test-model-families tokenizer/test-tokenizer-jinja tokenizer/test-tokenizer-hostile
          tokenizer/test-tokenizer-load)
tests=(mutations mutation packed gguf families tokenizer-jinja tokenizer-hostile tokenizer-load)

main ()
{
  local arguments='-m thorough' name

  [[ $# -eq 0 ]] || programs=("${programs[0]}") tests=("${tests[0]}")
  for name; do
    [[ -d tests/fuzz/corpus/$name ]] || die "unknown target; known are: $(cd tests/fuzz/corpus && echo *)"
    arguments+=" -p /fuzz/mutations/$name"
  done
  install_packages build
  configure build-asan -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false >&2
  ninja -C build-asan -j "$jobs" "${programs[@]/#/tests/}" data/models/rose/{config.json,model.safetensors,tokenizer.json} >&2
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    meson test -C build-asan --no-rebuild --print-errorlogs --timeout-multiplier 0 --logbase mutations \
    --suite fuzz --suite format --suite model --suite tokenizer --test-args "$arguments" "${tests[@]}" </dev/null
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
