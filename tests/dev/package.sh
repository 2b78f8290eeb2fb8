#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# package: Debian packages of the tree as it is, in build/packages.
source tests/dev/parts/common.sh

main ()
{
  local place=$root/build/packages

  install_packages build package
  scratch=$(mktemp -d)
  mkdir -p "$place" "$scratch/attention-grid"
  tar --exclude='./build*' --exclude=./.git -c . | tar -x --no-same-owner -C "$scratch/attention-grid"
  cp -r data/packaging/debian "$scratch/attention-grid/debian"
  (cd "$scratch/attention-grid" &&
    DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-nocheck} parallel=$jobs" dpkg-buildpackage -us -uc -b >&2) ||
    die 'the packages could not be built'
  # By the rules of Debian on Ubuntu, too, whose own know other distributions.
  lintian --profile debian --fail-on error,warning --info "$scratch"/*.changes >&2
  rm -f "$place"/*
  mv "$scratch"/*.deb "$place"
  printf '%s\n' "$place"/*.deb
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
