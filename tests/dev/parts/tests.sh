# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs of the tests, and their sum.

n_passed=0
failed=()
skipped=()
suites=() # options that choose among the tests

# What a run of CI may skip: another clang-format than those of Debian 12 and 13 lays lines out otherwise;
# a Slurm needs a machine that lets it be configured in /etc and its services run, and its ranks a Slurm
# that was built with PMIx. To meson 1.0 a test is "PROJECT:SUITE / NAME", to 1.12 "SUITE - PROJECT:NAME".
may_skip='(/ |:)(format|slurm)(: |$)'

# count_tests DIRECTORY: adds up what the last run there left in its logs. The JUnit log has every
# subtest; the JSON log has the verdict on each program, which may have died after its last subtest.
count_tests ()
{
  local junit=$1/meson-logs/testlog.junit.xml json=$1/meson-logs/testlog.json line n_failed
  local -a lines

  [[ -s $junit && -s $json ]] || return 0
  # "<" stands at the start of an element and nowhere else, whatever a test has printed. A program with
  # subtests is a suite of its own, the others are cases of the suite of the project.
  mapfile -t lines < <(
    awk '
      function attribute(name) {
        if (!match($0, " " name "=\"[^\"]*\""))
          return ""
        return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
      }
      FNR == 1 { file++ }
      file == 1 && /^testsuite / { suite = attribute("name"); sub(/^[^.]*\.?/, "", suite); is_own[suite] }
      file == 1 && /^testcase / {
        name = attribute("name")
        test = suite != "" ? suite : name
        n_all++
      }
      file == 1 && /^(failure|error)/ { n_bad[test]++; bad[n_all_bad++] = suite != "" ? suite ": " name : name }
      file == 1 && /^skipped/ { skipped[n_all_skipped++] = suite != "" ? suite ": " name : name }
      file == 2 && /"result": "(FAIL|ERROR|TIMEOUT|INTERRUPT|UNEXPECTEDPASS)"/ {
        test = $0
        sub(/^\{"name": "/, "", test); sub(/".*/, "", test)
        if (n_bad[test] == 0) {
          bad[n_all_bad++] = test
          # A program fails beside its subtests; one without any was taken for passed.
          if (test in is_own) n_all++
        }
      }
      END {
        print n_all - n_all_bad - n_all_skipped
        print n_all_bad + 0
        for (i = 0; i < n_all_bad; i++) print bad[i]
        for (i = 0; i < n_all_skipped; i++) print skipped[i]
      }
    ' RS='<' "$junit" RS='\n' "$json")
  n_passed=$((n_passed + lines[0]))
  n_failed=${lines[1]}
  for line in "${lines[@]:2:n_failed}"; do
    failed+=("$1: failed: $line")
  done
  for line in "${lines[@]:2 + n_failed}"; do
    skipped+=("$line")
    if [[ ${CI:-} == true && ! $line =~ $may_skip ]]; then
      failed+=("$1: skipped, which CI does not allow: $line")
    else
      say "$1: skipped: $line"
    fi
  done
}

# name_frames DIRECTORY: the traces of sanitizers in the log of the last run there, with functions and lines.
name_frames ()
{
  local line

  while IFS= read -r line; do
    if [[ $line =~ \((/.*)\+(0x[0-9a-f]+)\)$ ]]; then
      line="${line%% 0x*} $(addr2line -fpe "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")"
    fi
    printf '%s\n' "$line"
  done < <(sed -n '/Sanitizer: /,/^SUMMARY/p' "$1/meson-logs/testlog.txt")
}

# What else tests are compiled with, after a space.
test_flags=

# test_build DIRECTORY TIMEOUT-MULTIPLIER [OPTION...]
test_build ()
{
  local directory=$1 multiplier=$2 before=${#failed[@]} status=0
  shift 2

  # 200 programs with the libraries in them: gold, in binutils up to Debian 12, links one in a third of the time.
  if has ld.gold; then
    export CC_LD=gold
  fi
  # Otherwise ccache keeps nothing that was compiled with a precompiled header.
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  # Traces have their lines; what a debugger knows of types and variables is half of what would be written.
  if ! build "$directory" "-Dc_args=-g1$test_flags" "$@"; then
    failed+=("$directory: the build failed")
    return
  fi
  rm -f "$directory"/meson-logs/testlog*
  # Two more than there are processors, for many of them wait for a window.
  meson test -C "$directory" --no-rebuild --print-errorlogs --num-processes $((jobs + 2)) \
    --timeout-multiplier "$multiplier" "${suites[@]}" </dev/null || status=$?
  [[ $status -eq 0 || ! -s $directory/meson-logs/testlog.txt ]] || name_frames "$directory"
  count_tests "$directory"
  if [[ $status -ne 0 && ${#failed[@]} -eq $before ]]; then
    failed+=("$directory: meson test ended with status $status and no failed test")
  fi
}

# The sum of all runs, and whether it is good. What failed is named at the end, which is read also where only the
# end of a long log is kept.
report_tests ()
{
  local line

  for line in "${failed[@]}"; do
    say "$line"
  done
  printf '%d passed, %d failed, %d skipped\n' "$n_passed" "${#failed[@]}" "${#skipped[@]}"
  [[ ${#failed[@]} -eq 0 && $n_passed -gt 0 ]]
}
