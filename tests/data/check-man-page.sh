#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-man-page.sh PAGE PROGRAM: groff formats the page without a warning; its name section is one that
# whatis can read; every option of the program stands in it.
set -euo pipefail

page=$1
program=$2

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

text=$(sed 's/\\-/-/g' "$page")
status=0
for subcommand in render compute generate info tokenize survey probe presets; do
  for option in $("$program" "$subcommand" --help | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    grep -qE -- "$option([^a-z-]|\$)" <<<"$text" || {
      printf '%s %s is not in the page\n' "$subcommand" "$option" >&2
      status=1
    }
  done
done
exit "$status"
