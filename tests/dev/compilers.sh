#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# compilers: the program by gcc and clang as this Debian has them, not optimised, optimised most, and at link
# time. Any warning is an error.
source tests/dev/parts/common.sh

main ()
{
  local compiler option directory

  install_packages build compilers
  for compiler in gcc clang; do
    for option in optimization=0 optimization=3 b_lto=true; do
      directory=build-compilers/$compiler-${option//=/-}
      say "$compiler $("$compiler" -dumpfullversion -dumpversion), $option"
      # The plugin that GNU's linker needs for clang's intermediate code is not with clang.
      CC=$compiler CC_LD=$([[ $compiler != clang ]] || echo lld) \
        configure "$directory" -Dwerror=true "-D$option" >&2
      ninja -C "$directory" -j "$jobs" program >&2 || die "$compiler, $option: the build failed"
      "$directory/src/attention-grid" render single -o "$directory/single.svg" ||
        die "$compiler, $option: the figure could not be drawn"
    done
  done
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
