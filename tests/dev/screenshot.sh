#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# screenshot: pictures of the main states of the window, light and dark.
source tests/dev/parts/common.sh
source tests/dev/parts/display.sh

# shoot FILE: saves the window once two looks at it, half a second apart, are the same.
shoot ()
{
  local window file=$1 pid=$2 before='' now i

  window=$(timeout 20 xdotool search --sync --onlyvisible --pid "$pid" --class attention-grid | tail -1)
  for ((i = 0; i < 40; i++)); do
    sleep 0.5
    import -window "$window" "$file"
    now=$(convert "$file" rgb:- | cksum)
    [[ $now == "$before" ]] && return
    before=$now
  done
  die "$file: the window did not come to rest within 20 s"
}

main ()
{
  local state scheme pid
  local -a operand

  install_packages build screenshot
  build_program
  mkdir -p build/screenshots data/screenshots
  scratch=$(mktemp -d)
  # A fixed size, whatever was last used on this machine.
  mkdir -p "$scratch/glib-2.0/settings"
  printf '[%s]\nwindow-width=1280\nwindow-height=900\n' "io/github/attentiongrid/AttentionGrid" \
    >"$scratch/glib-2.0/settings/keyfile"
  start_display

  # The main states: how the window begins, every other preset, and a file that cannot be opened.
  for state in window epsilon single compare head-atlas head-groups layer-token unreadable; do
    case $state in
      window) operand=() ;;
      unreadable) operand=(README.md) ;;
      *) operand=("data/presets/$state.json") ;;
    esac
    for scheme in light dark; do
      env GDK_BACKEND=x11 GSK_RENDERER=cairo LC_ALL=C.UTF-8 GTK_A11Y=none \
        DBUS_SESSION_BUS_ADDRESS=disabled: \
        HOME="$scratch" XDG_CONFIG_HOME="$scratch" XDG_CACHE_HOME="$scratch" \
        XDG_STATE_HOME="$scratch/$state-$scheme" \
        GSETTINGS_BACKEND=keyfile GSETTINGS_SCHEMA_DIR=build/data \
        GTK_THEME="$([[ $scheme == dark ]] && echo Adwaita:dark || echo Adwaita)" \
        "$program" "${operand[@]}" &
      pid=$!
      shoot "build/screenshots/$state-$scheme.png" "$pid"
      kill "$pid"
      wait "$pid" 2>/dev/null || true
      printf '%s\n' "build/screenshots/$state-$scheme.png"
    done
  done
  cp build/screenshots/window-light.png data/screenshots/window.png
  printf '%s\n' data/screenshots/window.png
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
