#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# bench [--full] [--peers] [--record] [NAME...]: measures what is to be quick, beside its limits. --record writes what
# was measured to tests/bench/RESULTS.md; where the processor has AVX-512 it measures what is computed with AVX2 alone,
# too.
source tests/dev/parts/common.sh

# What is computed, not read, drawn or opened
computed=(forward two answer linear epsilon effects maps pictures survey attribution)

# measure LOG [NAME...]: meson's log has the figures; what it prints itself is of use only when something fails.
measure ()
{
  local log=$1
  shift

  meson test -C build --benchmark --print-errorlogs --num-processes 1 --logbase "$log" "$@" >&2 ||
    die 'a benchmark failed'
}

main ()
{
  local option name
  local -a names=() narrow=() groups=(build bench) report=()

  for option; do
    case $option in
      --full) export ATTENTION_GRID_BENCH_FULL=1 ;;
      --peers) groups+=(peers) ;;
      --record) report=(--record tests/bench/RESULTS.md) ;;
      -*) wrong_usage ;;
      *) names+=("$option") ;;
    esac
  done
  if [[ ${#report[@]} -gt 0 ]] && awk '{ exit !($1 > 0.5) }' /proc/loadavg; then
    die "--record: a load of $(cut -d ' ' -f 1 /proc/loadavg) found, expected at most 0.5, an idle machine"
  fi
  install_packages "${groups[@]}"
  build_program
  unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
  measure bench "${names[@]}"
  for name in "${computed[@]}"; do
    if [[ ${#names[@]} -eq 0 || " ${names[*]} " == *" $name "* ]]; then
      narrow+=("$name")
    fi
  done
  if [[ ${#report[@]} -gt 0 && ${#narrow[@]} -gt 0 && $(bash tests/model/kernels.sh) == *avx512* ]]; then
    OPENBLAS_CORETYPE=Haswell ATTENTION_GRID_CLONE=avx2 measure bench-avx2 "${narrow[@]}"
    report+=(--narrow build/meson-logs/bench-avx2.json)
  fi
  /usr/bin/python3 tests/bench/report.py build/meson-logs/bench.json "${report[@]}"
  if [[ ${#report[@]} -gt 0 && (${#names[@]} -eq 0 || " ${names[*]} " == *" growth "*) ]]; then
    cp build/tests/bench/growth.{csv,svg} tests/bench
  fi
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
