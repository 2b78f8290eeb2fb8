#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# headless: the command line built without GTK (-Dgui=disabled), and its tests.
source tests/dev/parts/common.sh
source tests/dev/parts/tests.sh

main ()
{
  window_library=''
  install_packages build-headless test-headless
  install_packages browser # not on every architecture; the others are installed without it
  # Services: only on a machine that is thrown away.
  [[ ${CI:-} != true ]] || install_packages cluster
  test_build build-headless 2 -Dwerror=true -Dgui=disabled
  report_tests
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
