#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-hardening.sh PROGRAM SOURCE-DIRECTORY: what the compiler was asked for is in the program, and nothing
# of where it was built.
set -euo pipefail

program=$1 source=$2
failed=0

# has WHAT PATTERN OPTION...: what readelf says of the program with these options matches.
has ()
{
  local what=$1 pattern=$2
  shift 2
  readelf --wide "$@" "$program" | grep -E "$pattern" >/dev/null || { echo "no $what"; failed=1; }
}

has 'position-independent code' 'Type: +DYN' --file-header
has 'read-only relocations' 'GNU_RELRO' --program-headers
has 'relocation before it starts' 'BIND_NOW|FLAGS.*NOW' --dynamic
has 'canary on the stack' '__stack_chk_fail' --dyn-syms
has 'checked copies' '__(memcpy|snprintf|printf|fprintf)_chk' --dyn-syms
if grep -aqF "$source/src" "$program"; then
  echo "the folder of its sources is in the program: $source"
  failed=1
fi
exit $failed
