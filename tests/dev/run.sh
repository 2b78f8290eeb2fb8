#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run [FILE...]: builds the program and opens its window; without a display the figures are drawn to files.
source tests/dev/parts/common.sh

render_figures ()
{
  local preset ending

  for preset in mean-operation epsilon; do
    for ending in svg png; do
      "$program" render "$preset" -o "build/$preset.$ending"
      printf '%s\n' "$root/build/$preset.$ending"
    done
  done
}

main ()
{
  local errors status=0

  install_packages build
  build_program

  if [[ -z ${DISPLAY:-} && -z ${WAYLAND_DISPLAY:-} ]]; then
    say 'there is no display: the figures are drawn to files instead of a window'
    render_figures
    return
  fi

  scratch=$(mktemp -d)
  errors=$scratch/errors
  GSETTINGS_SCHEMA_DIR=build/data "$program" "$@" 2> >(tee "$errors" >&2) || status=$?
  if [[ $status -ne 0 ]] && grep -qiE '(cannot|failed to) open display' "$errors"; then
    say 'the display cannot be opened: the figures are drawn to files instead of a window'
    status=0
    render_figures || status=$?
  fi
  return "$status"
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
