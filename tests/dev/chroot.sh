#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# chroot SUITE TASK [ARGUMENT...]: a task of ./dev in a Debian of that name, such as trixie. It is made once;
# packages and build directories stay in it, the sources are copied anew.
source tests/dev/parts/common.sh

main ()
{
  local place=${XDG_CACHE_HOME:-$HOME/.cache}/attention-grid/chroots/${1:-}
  local home=$place/root/attention-grid

  [[ $# -ge 2 ]] || wrong_usage
  shift
  if [[ ! -d $place ]]; then
    install_packages chroot
    mkdir -p "${place%/*}"
    "${as_root[@]}" mmdebstrap --mode=root --variant=minbase "${place##*/}" "$place.new"
    "${as_root[@]}" mv "$place.new" "$place"
  fi
  "${as_root[@]}" mkdir -p "$home"
  "${as_root[@]}" find "$home" -mindepth 1 -maxdepth 1 ! -name 'build*' -exec rm -rf {} +
  tar --exclude='./build*' --exclude=./.git -c . | "${as_root[@]}" tar -x --no-same-owner -C "$home"
  # What is mounted, and whatever still runs, is gone with the namespaces.
  "${as_root[@]}" unshare --mount --pid --fork --kill-child bash -ec '
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts"
    mount -t tmpfs tmpfs "$1/dev/shm"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    exec chroot "$@"
  ' mount "$place" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    TERM="${TERM:-dumb}" CI="${CI:-}" /root/attention-grid/dev "$@"
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
