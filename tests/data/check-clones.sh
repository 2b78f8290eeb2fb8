#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-clones.sh SOURCE-DIRECTORY: with every compiler that is installed, a function of several
# copies (ATTN_CLONES) can be called from another file, and each copy that this processor runs does the
# same.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
header=$(find "$1/src" -name attn-clones.h)
read -ra flags < <(pkg-config --cflags glib-2.0)
flags+=(-O2 -I "$(dirname "$header")")

cat > "$directory/kernel.c" <<'END'
#include "attn-clones.h"
void halve (float *x, int n);
ATTN_CLONES (extern, void, halve, (float *x, int n), (x, n))
{
  for (int i = 0; i < n; i++)
    x[i] *= 0.5f;
}
END
cat > "$directory/main.c" <<'END'
#include <stdlib.h>
#include "attn-clones.h"
void halve (float *x, int n);
static AttnClone clone;
AttnClone
attn_clones_get (void)
{
  return clone;
}
int
main (int argc, char **argv)
{
  float x[] = { 2, 4 };

  clone = atoi (argv[1]);
  halve (x, 2);
  return x[0] != 1 || x[1] != 2;
}
END

copies=(0)
! grep -qw avx2 /proc/cpuinfo || ! grep -qw fma /proc/cpuinfo || copies+=(1)
! grep -qw avx512f /proc/cpuinfo || copies+=(2)
for compiler in gcc clang; do
  if ! command -v $compiler >/dev/null; then
    echo "$compiler is not installed"
    continue
  fi
  for name in kernel main; do
    $compiler "${flags[@]}" -c "$directory/$name.c" -o "$directory/$name.o"
  done
  $compiler "$directory/kernel.o" "$directory/main.o" -o "$directory/program"
  for copy in "${copies[@]}"; do
    "$directory/program" "$copy"
  done
done
