#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-format.sh SOURCE-DIRECTORY: no line of C has more than 100 columns, and every source file is as
# "./dev format" leaves it. Another clang-format than Debian 12's breaks lines elsewhere: with it the
# second is skipped.
set -euo pipefail

if LC_ALL=C.UTF-8 grep -rnE --include='*.[ch]' '.{101}' "$1/src" "$1/tests"; then
  echo "lines of more than 100 columns found, expected at most 100"
  exit 1
fi

if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  echo "clang-format 14 is not installed"
  exit 77
fi
exec "$1/dev" format --check
