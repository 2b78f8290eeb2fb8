#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# emulate arm64|s390x: compiled here for another processor, on the libraries of a Debian of that one, and the
# tests that need no window run by QEMU. What the kernel starts it by is registered by binfmt-support.
source tests/dev/parts/common.sh
source tests/dev/parts/tests.sh

main ()
{
  local processor=${1:-} place triplet libraries family endian suite

  case $processor in
    arm64) triplet=aarch64-linux-gnu family=aarch64 endian=little ;;
    s390x) triplet=s390x-linux-gnu family=s390x endian=big ;;
    *) wrong_usage ;;
  esac
  place=${XDG_CACHE_HOME:-$HOME/.cache}/attention-grid/chroots/$processor
  install_packages build emulate
  install_packages "cross-$processor"
  if [[ ! -d $place ]]; then
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p "${place%/*}"
    # Unpacked and not configured, which would have to be emulated as well. Links lead within the folder.
    "${as_root[@]}" mmdebstrap --mode=root --variant=extract --architectures="$processor" \
      --include="$(packages_of build | tr ' ' '\n' | grep -E '^lib.*-dev$' | paste -sd,),libgomp1,libc-bin" \
      "$suite" "$place.new"
    "${as_root[@]}" find "$place.new" -type l -lname '/*' -execdir \
      sh -c 'for link; do ln -snfr "$0$(readlink "$link")" "$link"; done' "$place.new" {} +
    # What QEMU finds there it takes instead of what this machine has under that name.
    "${as_root[@]}" find "$place.new" -mindepth 1 -maxdepth 1 ! -name usr ! -name 'lib*' -exec rm -rf {} +
    "${as_root[@]}" mv "$place.new" "$place"
  fi

  libraries=$place/usr/lib/$triplet
  cat >"$place.ini" <<END
[binaries]
c = '$triplet-gcc'
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'
[built-in options]
c_args = ['--sysroot=$place']
c_link_args = ['--sysroot=$place', '-L$libraries/openblas-pthread']
[properties]
sys_root = '$place'
pkg_config_libdir = ['$libraries/pkgconfig', '$libraries/openblas-pthread/pkgconfig', '$place/usr/share/pkgconfig']
needs_exe_wrapper = false
[host_machine]
system = 'linux'
cpu_family = '$family'
cpu = '$processor'
endian = '$endian'
END
  export QEMU_LD_PREFIX=$place QEMU_SET_ENV=LD_LIBRARY_PATH="/usr/lib/$triplet/openblas-pthread"
  # Where no service has done it, such as in a container
  "${as_root[@]}" update-binfmts --enable "qemu-$family"
  suites=(--no-suite app --no-suite data)
  rm -rf "build-$processor"
  test_build "build-$processor" 30 --cross-file "$place.ini" -Dwerror=true -Dmpi=disabled
  report_tests
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
