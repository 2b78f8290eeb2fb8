#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fuzz NAME [SECONDS]: looks for a file that a reader does not survive, from those that it knows.
source tests/dev/parts/common.sh

main ()
{
  local name=${1:-} seconds=${2:-60} corpus

  [[ -d tests/fuzz/corpus/$name && -n $name ]] ||
    die "unknown target; known are: $(cd tests/fuzz/corpus && echo *)"
  install_packages build fuzz
  CC=clang configure build-fuzz -Db_sanitize=address,undefined -Db_lundef=false \
    -Dc_args=-fsanitize=fuzzer-no-link >&2
  ninja -C build-fuzz -j "$jobs" "tests/fuzz/fuzz-$name" >&2
  # What is new is kept apart from the corpus that is committed.
  corpus=build-fuzz/corpus/$name
  mkdir -p "$corpus"
  bash tests/fuzz/words.sh "$name" > "build-fuzz/$name.dict"
  ASAN_OPTIONS=detect_odr_violation=0 ATTENTION_GRID_DATADIR=data G_TEST_SRCDIR=tests "build-fuzz/tests/fuzz/fuzz-$name" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -dict="build-fuzz/$name.dict" -artifact_prefix="build-fuzz/$name-" \
    "$corpus" "tests/fuzz/corpus/$name"
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
