#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-man-page.sh PAGE: groff formats the page without a warning; its name section is one that
# whatis can read.
set -euo pipefail

page=$1

if ! command -v groff >/dev/null; then
  echo 'groff is not installed'
  exit 77
fi

warnings=$(groff -man -ww -K utf8 -T utf8 "$page" 2>&1 >/dev/null)
if [[ -n $warnings ]]; then
  printf '%s\n' "$warnings" >&2
  exit 1
fi

grep -q -A1 '^\.SH NAME$' "$page"
grep -q '^attention\\-grid \\- [a-z]' "$page"
