#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# test [--sanitize]: every test, once; with --sanitize built with AddressSanitizer and UBSan; in CI (CI=true) both.
source tests/dev/parts/common.sh
source tests/dev/parts/tests.sh

main ()
{
  local plain=true sanitized=false

  case $*,${CI:-} in
    --sanitize,*) plain=false sanitized=true ;;
    ,true) sanitized=true ;;
    ,*) ;;
    *) wrong_usage ;;
  esac
  install_packages build test
  install_packages browser # not on every architecture; the others are installed without it
  # Services: only on a machine that is thrown away.
  [[ ${CI:-} != true ]] || install_packages cluster
  # A test that needs a display or a bus starts its own; those of the machine are kept from all.
  unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS

  if $plain; then
    # The headers of GTK are read once instead of in each file; the sanitizers' build sees that each file has its own.
    test_build build 2 -Dwerror=true -Db_pch=true
  fi
  if $sanitized; then
    # The instruction at which undefined behaviour ends a program has a trace, too.
    export ASAN_OPTIONS=handle_sigill=1
    # The data have no instructions to watch.
    suites=(--no-suite data)
    # Compiled in half the time, and as quick. At the first undefined behaviour a program ends by an instruction that
    # does not exist, so that it is known by its line. Nine megabytes that describe each check to UBSan's library, and
    # that library, need neither be linked nor searched for leaks by each of the thousands of programs that start.
    local trap=-fsanitize-undefined-trap-on-error
    test_flags=" $trap"
    test_build build-asan 5 -Dwerror=true -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false \
      -Db_pie=false "-Dc_link_args=-no-pie $trap"
  fi
  report_tests
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
