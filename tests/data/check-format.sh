#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-format.sh SOURCE-DIRECTORY: every source file is as "./dev format" leaves it. Another clang-format
# than Debian 12's breaks lines elsewhere: with it the test is skipped.
set -euo pipefail

if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  echo "clang-format 14 is not installed"
  exit 77
fi
exec "$1/dev" format --check
