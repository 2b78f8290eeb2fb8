#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-translatable.sh SOURCE-DIRECTORY: every file with a string to translate is listed in
# po/POTFILES.in, every file listed there exists, and every language in po/LINGUAS has its catalogue.
set -euo pipefail

cd "$1"
status=0

complain ()
{
  printf '%s\n' "$*" >&2
  status=1
}

entries ()
{
  grep -v -e '^#' -e '^$' "$1" || true
}

with_strings=$(
  {
    grep -rlE '\<(_|N_|C_|NC_|g_dngettext|ngettext) ?\("' --include='*.c' src || true
    grep -rlE 'translatable="(yes|true)"' --include='*.ui' ui || true
    ls data/*.desktop.in data/*.metainfo.xml.in data/*.gschema.xml
  } | LC_ALL=C sort)
listed=$(entries po/POTFILES.in | LC_ALL=C sort)

missing=$(LC_ALL=C comm -23 <(echo "$with_strings") <(echo "$listed"))
[[ -z $missing ]] || complain "not in po/POTFILES.in: ${missing//$'\n'/, }"

while IFS= read -r file; do
  [[ -f $file ]] || complain "po/POTFILES.in: $file does not exist"
done <<<"$listed"

for language in $(entries po/LINGUAS); do
  [[ -f po/$language.po ]] || complain "po/LINGUAS: po/$language.po does not exist"
done

exit "$status"
