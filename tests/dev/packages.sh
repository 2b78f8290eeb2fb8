#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# packages KIND...: prints the Debian packages that are needed to build, to test, ...
source tests/dev/parts/common.sh

main ()
{
  local kind

  for kind; do
    packages_of "$kind"
  done
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
