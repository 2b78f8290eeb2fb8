#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-clones.sh SOURCE-DIRECTORY: with every compiler that is installed, a function of several
# copies (ATTN_CLONES) can be called from another file, and by what GCC makes of it the copy is
# chosen at run time.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
header=$(find "$1/src" -name attn-clones.h)
read -ra flags < <(pkg-config --cflags glib-2.0)
flags+=(-O2 -I "$(dirname "$header")")

cat > "$directory/kernel.c" <<'END'
#include "attn-clones.h"
void halve (float *x, int n);
ATTN_CLONES void
halve (float *x, int n)
{
  for (int i = 0; i < n; i++)
    x[i] *= 0.5f;
}
END
cat > "$directory/main.c" <<'END'
void halve (float *x, int n);
int
main (void)
{
  float x[] = { 2, 4 };

  halve (x, 2);
  return x[0] != 1 || x[1] != 2;
}
END

for compiler in gcc clang; do
  if ! command -v $compiler >/dev/null; then
    echo "$compiler is not installed"
    continue
  fi
  for name in kernel main; do
    $compiler "${flags[@]}" -c "$directory/$name.c" -o "$directory/$name.o"
  done
  $compiler "$directory/kernel.o" "$directory/main.o" -o "$directory/program"
  "$directory/program"
  if [ $compiler = gcc ] && [ "$(gcc -dumpmachine)" = x86_64-linux-gnu ]; then
    nm "$directory/kernel.o" | grep -q ' i halve$'
  fi
done
