#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# kernels: the tests that compute numbers, with each of OpenBLAS's kernels that this processor runs: tolerances
# have to hold for all of them.
source tests/dev/parts/common.sh

main ()
{
  local kernels clone failed=''

  install_packages build test
  build build -Dwerror=true >&2
  while read -r kernels clone; do
    say "OPENBLAS_CORETYPE=$kernels ATTENTION_GRID_CLONE=$clone"
    OPENBLAS_CORETYPE=$kernels ATTENTION_GRID_CLONE=$clone \
      meson test -C build --no-rebuild --print-errorlogs --logbase "kernels-$kernels" \
      --suite core --suite format --suite model --suite study </dev/null || failed+=" $kernels"
  done < <(tests/model/kernels.sh)
  [[ -z $failed ]] || die "tests failed with$failed"
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
