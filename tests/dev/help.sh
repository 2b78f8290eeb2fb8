#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# help: the tasks of ./dev.

cat <<'END'
Usage: ./dev TASK

  run [FILE...]     install what is missing, build, open the window on the model that ships with the
                    program; without a display draw both figures to build/*.svg and build/*.png
  test [--sanitize] every test; with --sanitize built with AddressSanitizer and UBSan (CI runs both)
  format [--check]  put src and tests into the project's format, or show what would change
  bench [--full] [--peers] [--record] [NAME...]
                    measure what is to be quick, beside its limits; --peers installs PyTorch and matplotlib
                    to measure the same with them, --record writes what was measured to
                    tests/bench/RESULTS.md on a machine that is idle
  chroot SUITE TASK
                    run one of these in a chroot of that Debian: ./dev chroot trixie test
  gallery           draw the figures from papers into data/gallery, for README
  headless          the command line built without GTK, and its tests: ./dev chroot bookworm headless
  emulate arm64|s390x
                    the tests that need no window, on another processor that QEMU emulates
  compilers         the program by gcc and clang, with more and with less optimisation, without a warning
  fuzz NAME [SECONDS]
                    look for a file that a reader does not survive; without a name: which there are
  mutations [NAME...]
                    10,000 mutations of the files of each reader, with sanitizers; with names of these targets alone
  kernels           the tests that compute numbers, with each of OpenBLAS's kernels for this processor
  package           make Debian packages of the tree, in build/packages
  packages KIND...  print the Debian packages that are needed to build, to test, ...
  portable [SUITE...]
                    make an archive that runs where it is unpacked, on any x86-64 Linux, in build/portable; try it in
                    chroots that have the base of these Debians alone, or "musl" for a C library
  races [TEST...]   the tests with ThreadSanitizer, and with a GLib that is built for it
  screenshot        save pictures of the window to build/screenshots and data/screenshots
  help              print this
END
