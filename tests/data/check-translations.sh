#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-translations.sh SOURCE-DIRECTORY: each language in po/LINGUAS has a translation of every message
# that the sources have now, none of them fuzzy, with the same format directives. Speaks TAP.
set -euo pipefail

cd "$1"
for tool in xgettext msgmerge msgfmt; do
  if ! command -v "$tool" >/dev/null; then
    echo "1..0 # SKIP $tool is not installed"
    exit 0
  fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mapfile -t languages < <(grep -v -e '^#' -e '^$' po/LINGUAS)
echo "1..${#languages[@]}"

# As meson's preset "glib" does.
xgettext --from-code=UTF-8 --add-comments --keyword=_ --keyword=N_ --keyword=C_:1c,2 --keyword=NC_:1c,2 \
  --keyword=g_dcgettext:2 --keyword=g_dngettext:2,3 --keyword=g_dpgettext2:2c,3 --keyword=ngettext:1,2 \
  --flag=N_:1:pass-c-format --flag=C_:2:pass-c-format --flag=NC_:2:pass-c-format \
  --flag=g_dngettext:2:pass-c-format --flag=g_strdup_printf:1:c-format --flag=g_set_error:4:c-format \
  --flag=attn_fail:3:c-format --flag=attn_fail_null:3:c-format \
  --files-from=po/POTFILES.in --output="$scratch/all.pot" 2>"$scratch/warnings" ||
  { cat "$scratch/warnings" >&2; exit 1; }

n=0
for language in "${languages[@]}"; do
  n=$((n + 1))
  verdict=ok
  msgmerge --quiet --no-fuzzy-matching --output-file="$scratch/$language.po" "po/$language.po" \
    "$scratch/all.pot"
  msgfmt --check --output-file=/dev/null "po/$language.po" 2>"$scratch/check" || verdict='not ok'
  counts=$(LC_ALL=C msgfmt --statistics --output-file=/dev/null "$scratch/$language.po" 2>&1)
  [[ $counts != *untranslated* && $counts != *fuzzy* ]] || verdict='not ok'
  grep -q '^#, .*fuzzy' "po/$language.po" && verdict='not ok'
  echo "$verdict $n /data/translations/$language"
  if [[ $verdict != ok ]]; then
    sed 's/^/# /' "$scratch/check"
    echo "# $counts"
    msgattrib --untranslated --no-obsolete "$scratch/$language.po" | grep '^msgid' | head -20 |
      sed 's/^/# /' || true
  fi
done
