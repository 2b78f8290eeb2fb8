#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# kernels.sh: prints the kernels of OpenBLAS that this processor runs, each with the widest copy of our
# own loops that goes with it: "Haswell avx2".
# kernels.sh [--clones] PROGRAM...: runs tests with three of them, as TAP. Products round differently by each, and
# a tolerance that holds here alone is found so. With --clones each copy of our own loops is run once.
set -u

# Whether the processor has all of them. Linux's names.
has ()
{
  local flag flags

  flags=" $(sed -n '/^flags/ { s/.*: //; p; q }' /proc/cpuinfo) "
  for flag; do
    [[ $flags == *" $flag "* ]] || return 1
  done
}

list ()
{
  case $(uname -m) in
    x86_64)
      has pni && echo 'Prescott plain'
      has sse4_2 && echo 'Nehalem plain'
      has avx && echo 'Sandybridge plain'
      has avx2 fma && echo 'Haswell avx2'
      has avx2 fma && echo 'Zen avx2'
      has avx512f avx512bw avx512dq avx512vl && echo 'SkylakeX avx512'
      ;;
    aarch64)
      echo 'ARMV8 plain'
      ;;
  esac
}

if [[ $# -eq 0 ]]; then
  list
  exit
fi

clones=
if [[ $1 == --clones ]]; then
  clones=yes
  shift
fi

n=0
failed=0
run=' '
while read -r kernels clone; do
  case $kernels in
    Nehalem | Zen | SkylakeX) continue ;;
  esac
  [[ -z $clones || $run != *" $clone "* ]] || continue
  run+="$clone "
  for program; do
    n=$((n + 1))
    if output=$(OPENBLAS_CORETYPE=$kernels ATTENTION_GRID_CLONE=$clone "$program" 2>&1); then
      echo "ok $n - ${program##*/} with $kernels, $clone"
    else
      failed=1
      sed 's/^/# /' <<<"$output"
      echo "not ok $n - ${program##*/} with $kernels, $clone"
    fi
  done
done < <(list)
echo "1..$n$([[ $n -gt 0 ]] || echo ' # SKIP one kernel alone is known for this processor')"
exit "$failed"
