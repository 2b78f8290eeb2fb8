#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# bench [--full] [--peers] [--record] [NAME...]: measures what is to be quick, beside its limits.
source tests/dev/parts/common.sh

main ()
{
  local option
  local -a names=() groups=(build bench) report=()

  for option; do
    case $option in
      --full) export ATTENTION_GRID_BENCH_FULL=1 ;;
      --peers) groups+=(peers) ;;
      --record) report=(--record tests/bench/RESULTS.md) ;;
      -*) wrong_usage ;;
      *) names+=("$option") ;;
    esac
  done
  if [[ ${#report[@]} -gt 0 && ${#names[@]} -gt 0 ]]; then
    die '--record is for all benchmarks together'
  fi
  if [[ ${#report[@]} -gt 0 ]] && awk '{ exit !($1 > 0.5) }' /proc/loadavg; then
    die "--record: a load of $(cut -d ' ' -f 1 /proc/loadavg) found, expected at most 0.5, an idle machine"
  fi
  install_packages "${groups[@]}"
  build_program
  unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
  rm -f build/meson-logs/testlog*
  # The figures are in its log; what it prints itself is of use only when something fails.
  meson test -C build --benchmark --print-errorlogs --num-processes 1 "${names[@]}" >&2 ||
    die 'a benchmark failed'
  /usr/bin/python3 tests/bench/report.py build/meson-logs/testlog.json "${report[@]}"
  if [[ ${#report[@]} -gt 0 ]]; then
    cp build/tests/bench/growth.{csv,svg} tests/bench
  fi
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
