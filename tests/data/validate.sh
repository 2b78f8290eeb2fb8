#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# validate.sh TOOL [OPTION...] -- FILE...: runs a validator; fails if it is not content or prints a
# warning, and skips (exit status 77) where it is not installed.
set -euo pipefail

tool=()
while [[ $1 != -- ]]; do
  tool+=("$1")
  shift
done
shift

if ! command -v "${tool[0]}" >/dev/null; then
  echo "${tool[0]} is not installed"
  exit 77
fi

"${tool[@]}" "$@" >&2
