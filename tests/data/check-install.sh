#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-install.sh BUILD PREFIX BINDIR DATADIR MANDIR VERSION window|no-window: installs into a directory of its own and
# uses the program from there, which is not where it was configured to be.
set -euo pipefail

build=$1 prefix=$2 bindir=$3 datadir=$4 mandir=$5 version=$6 kind=$7
app_id=io.github.attentiongrid.AttentionGrid
debian=$(dirname "$0")/../../data/packaging/debian
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The build tree's data must not help.
unset ATTENTION_GRID_DATADIR GSETTINGS_SCHEMA_DIR

if ! DESTDIR=$scratch/root meson install -C "$build" --no-rebuild --quiet >"$scratch/log" 2>&1; then
  sed 's/^/# /' "$scratch/log"
  echo 'Bail out! meson install failed'
  exit 1
fi

# Elsewhere, so that a path of the installation that is written into the program leads nowhere.
mv "$scratch/root$prefix" "$scratch/elsewhere"
program=$scratch/elsewhere${bindir#"$prefix"}/attention-grid
share=$scratch/elsewhere${datadir#"$prefix"}
man=$scratch/elsewhere${mandir#"$prefix"}

n=0
check ()
{
  local name=$1
  shift
  n=$((n + 1))
  if "$@" >"$scratch/log" 2>&1; then
    echo "ok $n $name"
  else
    sed 's/^/# /' "$scratch/log"
    echo "not ok $n $name"
  fi
}

has_text ()
{
  "$program" "$1" | tee "$scratch/text"
  grep -q -- "$2" "$scratch/text"
}

renders ()
{
  "$program" render epsilon -o "$scratch/figure.svg" && grep -q '</svg>' "$scratch/figure.svg"
}

only_expected_files ()
{
  local surplus
  surplus=$(find "$scratch/elsewhere" -type f -printf '%P\n' |
    grep -vE '(attention-grid|AttentionGrid|/LC_MESSAGES/)' || true)
  printf '%s\n' "$surplus"
  [[ -z $surplus ]]
}

# dh_missing ends the build of the packages for a file that is in none of them.
only_packaged_files ()
{
  local file pattern
  local -a patterns surplus=()

  mapfile -t patterns < <(sed -n 's/ .*//; s/^usr\///p' "$debian"/*.install "$debian/not-installed")
  while read -r file; do
    for pattern in "${patterns[@]}"; do
      # shellcheck disable=SC2053 # each is a pattern
      [[ $file != $pattern && $file != $pattern/* ]] || continue 2
    done
    surplus+=("$file")
  done < <(find "$scratch/elsewhere" -type f -printf '%P\n')
  printf '%s\n' "${surplus[@]}"
  [[ ${#surplus[@]} -eq 0 ]]
}

has_no_window ()
{
  ! "$program" 2>"$scratch/text" && grep -q 'built without a window' "$scratch/text" &&
    ! ldd "$program" | grep -q gtk
}

desktop=(
  "$share/applications/$app_id.desktop"
  "$share/metainfo/$app_id.metainfo.xml"
  "$share/icons/hicolor/scalable/apps/$app_id.svg"
  "$share/icons/hicolor/symbolic/apps/$app_id-symbolic.svg"
  "$share/glib-2.0/schemas/$app_id.gschema.xml"
  "$share/mime/packages/$app_id.xml"
)
[[ $kind == window ]] || desktop=()
for file in \
  "$program" \
  "${desktop[@]}" \
  "$share"/attention-grid/models/rose/{config.json,inputs.json,model.safetensors,tokenizer.json,README.md} \
  "$share"/attention-grid/pictures/garden.png \
  "$share"/attention-grid/sounds/bells.wav \
  "$man/man1/attention-grid.1"
do
  check "/install/${file#"$scratch/elsewhere/"}" test -s "$file"
done
check '/install/no-scripts-of-the-model' test ! -e "$share/attention-grid/models/rose/train.py"
check '/install/nothing-else' only_expected_files
check '/install/each-is-in-a-package-of-debian' only_packaged_files
check '/install/prints-its-version' has_text --version "$version"
check '/install/lists-the-presets' has_text presets mean-operation
check '/install/finds-its-model-where-it-was-moved' renders
[[ $kind == window ]] || check '/install/says-that-it-has-no-window' has_no_window
echo "1..$n"
