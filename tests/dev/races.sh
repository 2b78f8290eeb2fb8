#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# races [TEST...]: the tests under ThreadSanitizer.
source tests/dev/parts/common.sh

# glib_for_races: prints the folder of a GLib that ThreadSanitizer understands: built with it, and with
# the locks of pthread in the place of GLib's own, which it cannot see. Made once for each version.
glib_for_races ()
{
  local version place
  local -a apt
  version=$(dpkg-query -W -f '${source:Version}' libglib2.0-dev)
  place=${XDG_CACHE_HOME:-$HOME/.cache}/attention-grid/glib-$version

  if [[ ! -d $place ]]; then
    mkdir -p "$scratch/glib/lists/partial" "$scratch/glib/cache/archives/partial"
    (
      cd "$scratch/glib"
      # The machine's own list of sources stays as it is.
      # shellcheck disable=SC1091
      . /etc/os-release
      cat >list <<END
deb-src http://deb.debian.org/debian $VERSION_CODENAME main
deb-src http://deb.debian.org/debian $VERSION_CODENAME-updates main
deb-src http://deb.debian.org/debian-security $VERSION_CODENAME-security main
END
      apt=(-o Dir::Etc::SourceList="$PWD/list" -o Dir::Etc::SourceParts=/dev/null
           -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache")
      apt-get "${apt[@]}" update
      apt-get "${apt[@]}" source --download-only "glib2.0=$version"
      mkdir source
      tar -xf glib2.0_*.orig.tar.xz --strip-components=1 -C source
      sed -i "s/glib_conf.set('HAVE_FUTEX\(_TIME64\)\?', 1)/message('locks of pthread')/" \
        source/meson.build
      meson setup build source --buildtype=debugoptimized --prefix="$place" --libdir=lib \
        -Db_sanitize=thread -Db_lundef=false -Dtests=false -Dselinux=disabled -Dlibmount=disabled
      ninja -C build -j "$jobs"
      meson install -C build --no-rebuild --tags runtime,devel --quiet
    ) >&2 || die 'GLib could not be built'
  fi
  printf '%s\n' "$place"
}

main ()
{
  local glib

  install_packages build test races
  scratch=$(mktemp -d)
  glib=$(glib_for_races)
  # In the programs alone: what they start takes the GLib of the system.
  build build-races -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false \
    -Dc_link_args=-Wl,-rpath,"$glib/lib" >&2
  unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
  # The slice allocator of GLib 2.74 counts without a lock, on purpose.
  G_SLICE=always-malloc \
    TSAN_OPTIONS="second_deadlock_stack=1:suppressions=\"$root/tests/tsan.supp\"" \
    meson test -C build-races --no-rebuild --print-errorlogs --num-processes 2 \
    --timeout-multiplier 20 "$@" </dev/null
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
