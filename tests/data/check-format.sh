#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-format.sh SOURCE-DIRECTORY: no line of C has more than 100 columns, and every source file is as
# "./dev format" leaves it. The clang-formats of Debian 12 and 13 agree on that; with any other, which
# may break lines elsewhere (21 does, in tables of numbers), the second is skipped.
set -euo pipefail

if LC_ALL=C.UTF-8 grep -rnE --include='*.[ch]' '.{101}' "$1/src" "$1/tests"; then
  echo "lines of more than 100 columns found, expected at most 100"
  exit 1
fi

if ! clang-format --version 2>/dev/null | grep -qE 'version (14|19)\.'; then
  echo "neither clang-format 14 nor 19 is installed"
  exit 77
fi
exec "$1/dev" format --check
