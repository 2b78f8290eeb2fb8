#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-vectors.sh LIBRARY...: GCC has made vectors of each function that has a copy for wide registers
# (ATTN_CLONES) and multiplies in loops. What is left of scalar multiplications is for the ends of rows:
# at most four for one of vectors, where a loop that was given up has none or a few of vectors.
set -euo pipefail

objdump -d --no-show-raw-insn "$@" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3) }
  name !~ /_avx(2|512)$/ { next }
  { seen[name] }
  /\tv(mul|fn?m(add|sub)[0-9]*)ps/ { vectors[name]++ }
  /\tv(mul|fn?m(add|sub)[0-9]*)ss/ { scalars[name]++ }
  END {
    for (name in seen) {
      n++
      if (scalars[name] > 4 * vectors[name] && scalars[name] > 8) {
        printf "%s: %d scalar multiplications found beside %d of vectors, expected at most four to one\n",
          name, scalars[name], vectors[name]
        bad = 1
      }
    }
    printf "%d copies for wide registers\n", n
    exit bad || n < 20
  }'
