#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check-dev.sh SOURCE-DIRECTORY: holds ./dev to its answers to packages that cannot be installed, to a lock that
# another program holds, to tests that are skipped and to an edit while it runs. Nothing on its PATH is
# the machine's but the shell's usual company: apt, meson and ninja are stand-ins that write down how they
# were called.
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source=$1
bin=$scratch/bin
mkdir "$bin"
for tool in bash env dirname mktemp rm mkdir cat sort comm sed tr tee nproc awk grep chmod; do
  ln -s "$(command -v "$tool")" "$bin/$tool"
done

# stand_in NAME: its script comes from standard input.
stand_in ()
{
  { printf '#!/bin/bash\nprintf "%%s %%s\\n" "%s" "$*" >>"$SCRATCH/calls"\n' "$1"; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

for tool in cc pkg-config msgfmt glib-compile-resources sleep; do
  stand_in "$tool" </dev/null
done
stand_in id <<<'echo "$USER_ID"'
stand_in dpkg-query </dev/null # no package is installed
# Fails as often as it has been told to, with the message that it has been given.
stand_in apt-get <<'END'
left=$(cat "$SCRATCH/failures")
[[ $left -gt 0 ]] || exit 0
echo "$((left - 1))" >"$SCRATCH/failures"
echo "E: $APT_SAYS" >&2
exit 100
END
stand_in ninja <<'END'
mkdir -p build/src
printf '#!/bin/bash\n' >build/src/attention-grid
chmod +x build/src/attention-grid
END
# A test of one subtest that passes, and one that is skipped or fails if it has been given a name.
stand_in meson <<'END'
case $1 in
  setup)
    mkdir -p "$2/meson-logs"
    touch "$2/build.ninja"
    ;;
  test)
    tee -a <<<"$APPENDED" "$SCRATCH/dev" "$SCRATCH/tests/dev/test.sh" >/dev/null
    {
      echo '<testsuites><testsuite name="p.p:core / text"><testcase name="1 /text" /></testsuite>'
      [[ -z $SKIPPED ]] ||
        echo "<testsuite name=\"p\"><testcase name=\"$SKIPPED\"><skipped /></testcase></testsuite>"
      [[ -z $FAILED ]] ||
        echo "<testsuite name=\"p.$FAILED\"><testcase name=\"1 /some\"><failure /></testcase></testsuite>"
      echo '</testsuites>'
    } >"$3/meson-logs/testlog.junit.xml"
    echo '{"name": "p:core / text", "result": "OK"}' >"$3/meson-logs/testlog.json"
    ;;
esac
END
ln -s "$(command -v touch)" "$bin/touch"

n=0
# expect NAME STATUS TEXT [VARIABLE=VALUE...] "TASK [OPTION]": ./dev ends with that status and says the text.
expect ()
{
  local name=$1 wanted=$2 text=$3 status=0
  shift 3

  rm -rf "$scratch/build" "$scratch/build-asan" "$scratch/calls" "$scratch/tests"
  mkdir "$scratch/tests"
  cp "$source/dev" "$scratch/dev"
  cp -r "$source/tests/dev" "$scratch/tests/dev"
  n=$((n + 1))
  # shellcheck disable=SC2068
  env -i PATH="$bin" SCRATCH="$scratch" USER_ID=0 SKIPPED='' FAILED='' APPENDED='' APT_SAYS='Unable to locate package' \
    "${@:1:$#-1}" bash "$scratch/dev" ${@: -1} >"$scratch/output" 2>&1 </dev/null || status=$?
  if [[ $status -eq $wanted ]] && grep -qe "$text" "$scratch/output" "$scratch/calls"; then
    echo "ok $n $name"
  else
    sed 's/^/# /' "$scratch/output" "$scratch/calls"
    echo "# status $status, expected $wanted and “$text”"
    echo "not ok $n $name"
  fi
}

never=99
lock='Could not get lock /var/lib/apt/lists/lock. It is held by process 7'
format='p:data / format'
format_anew='data - p:format' # as meson 1.12 writes it
ranks='survey - p:slurm: 2 - ranks of MPI'
window='p:app / popover'

echo 0 >"$scratch/failures"
expect 'packages are installed' 0 'apt-get .* install .*meson' test
expect 'every test runs once' 0 '^1 passed, 0 failed, 0 skipped' test
expect 'sanitizers are asked for' 0 'meson setup build-asan' 'test --sanitize'
expect 'with them every test runs once' 0 '^1 passed, 0 failed, 0 skipped' 'test --sanitize'
expect 'CI runs both' 0 '^2 passed, 0 failed, 0 skipped' CI=true test
expect 'an unknown option is refused' 2 'Usage: ./dev TASK' 'test --quick'
expect 'an unknown task is refused' 2 'Usage: ./dev TASK' parts/common
echo 2 >"$scratch/failures"
expect 'a lock is waited for' 0 'sleep' APT_SAYS="$lock" CI=true test
echo "$never" >"$scratch/failures"
expect 'without packages, tests run' 0 'as root: apt-get install' test
echo "$never" >"$scratch/failures"
expect 'CI does not go on without packages' 1 'as root: apt-get install' CI=true test
echo 0 >"$scratch/failures"
expect 'what is skipped is named' 0 "skipped: $window" SKIPPED="$window" test
expect 'CI does not skip windows' 1 '^2 passed, 2 failed, 2 skipped' SKIPPED="$window" CI=true test
for name in "$format" "$format_anew" "$ranks"; do
  expect "CI may skip “$name”" 0 '^2 passed, 0 failed, 2 skipped' SKIPPED="$name" CI=true test
done
expect 'what failed is named' 1 'build: failed: p:app / strip: 1 /some' FAILED='p:app / strip' test
expect 'and once' 1 '^1 passed, 1 failed, 0 skipped' FAILED='p:app / strip' test
expect 'it may be edited while it runs' 0 '^1 passed, 0 failed' APPENDED=';;' test
expect 'run builds the program alone' 0 'ninja -C build -j .* program' run
rm "$bin/meson"
expect 'without root, run says what is missing' 1 'dev: meson is missing' USER_ID=1000 run
expect 'and which packages' 1 'as root: apt-get install .*meson' USER_ID=1000 run
echo "1..$n"
