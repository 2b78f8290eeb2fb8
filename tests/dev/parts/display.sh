# SPDX-License-Identifier: GPL-3.0-or-later
#
# An X server for tasks that look at the window.

# Starts an X server that shows nothing, on the first free number, and points DISPLAY at it until the
# script ends.
start_display ()
{
  local number=''

  has Xvfb || die 'Xvfb is needed'
  : >"$scratch/display"
  Xvfb -displayfd 1 -screen 0 1280x1024x24 -nolisten tcp -noreset >"$scratch/display" 2>/dev/null </dev/null &
  xvfb=$!
  while [[ -z $number ]]; do
    kill -0 "$xvfb" 2>/dev/null || die 'Xvfb did not start'
    sleep 0.1
    number=$(<"$scratch/display")
  done
  export DISPLAY=:$number
  unset WAYLAND_DISPLAY
}
