# SPDX-License-Identifier: GPL-3.0-or-later
#
# The tasks of ./dev share this: names and places, the packages that are needed, the build. Each is run in the
# project's folder.
set -euo pipefail

root=$PWD
program=build/src/attention-grid
jobs=$(nproc)
window_library=gtk4 # empty where no window is built

# --- What is needed ---------------------------------------------------------------------------------

# packages_of KIND: Debian packages, by what they are for. Nothing else names them.
packages_of ()
{
  case $1 in
    build-headless)
      echo gcc libc6-dev meson ninja-build pkgconf gettext \
           libglib2.0-dev libglib2.0-bin libjson-glib-dev libarchive-dev nettle-dev \
           libopenblas-pthread-dev libcairo2-dev libgdk-pixbuf-2.0-dev libjpeg-dev libpango1.0-dev fonts-dejavu-core fonts-dejavu-extra
      ;;
    build)
      packages_of build-headless
      echo desktop-file-utils libgtk-4-dev libgtk-4-bin libepoxy-dev adwaita-icon-theme librsvg2-common
      ;;
    test-headless)
      echo groff-base libxml2-utils librsvg2-bin poppler-utils locales python3 clang-format \
           libopenmpi-dev openmpi-bin procps python3-numpy python3-nbconvert python3-ipykernel
      ;;
    test)
      packages_of test-headless
      echo appstream xvfb weston mesa-vulkan-drivers x11-utils xdotool openbox dbus dbus-daemon \
           at-spi2-core python3-gi gir1.2-atspi-2.0
      ;;
    cluster)
      echo slurmctld slurmd slurm-client munge
      ;;
    browser)
      echo chromium
      ;;
    format)
      echo clang-format
      ;;
    screenshot)
      echo xvfb xdotool x11-utils imagemagick
      ;;
    bench)
      echo python3 xvfb xdotool x11-utils
      ;;
    chroot)
      echo mmdebstrap
      ;;
    cross-arm64)
      echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross
      ;;
    cross-s390x)
      echo gcc-s390x-linux-gnu libc6-dev-s390x-cross
      ;;
    emulate)
      echo mmdebstrap arch-test qemu-user-static binfmt-support
      ;;
    compilers)
      echo clang lld libopenmpi-dev
      ;;
    fuzz)
      echo clang lld libclang-rt-dev
      ;;
    package)
      echo build-essential debhelper dh-python lintian libopenmpi-dev locales python3 python3-numpy
      ;;
    portable)
      echo binutils xz-utils shared-mime-info adwaita-icon-theme hicolor-icon-theme librsvg2-common libx11-data \
           fontconfig-config libc-bin
      ;;
    try-portable)
      echo mmdebstrap musl busybox-static xvfb xdotool x11-utils imagemagick python3-numpy
      ;;
    races)
      echo dpkg-dev libffi-dev libpcre2-dev zlib1g-dev xz-utils
      ;;
    peers)
      echo python3-torch python3-numpy python3-matplotlib
      ;;
  esac
}

print_packages_elsewhere ()
{
  cat <<'END'
This system has no apt. The packages that the build needs are called
  Fedora: sudo dnf install gcc meson ninja-build pkgconf-pkg-config gettext desktop-file-utils gtk4-devel \
          json-glib-devel libarchive-devel nettle-devel openblas-devel gdk-pixbuf2-devel libjpeg-turbo-devel
  Arch:   sudo pacman -S --needed base-devel meson gettext desktop-file-utils gtk4 json-glib libarchive nettle \
          blas-openblas gdk-pixbuf2 libjpeg-turbo
and those that the tests need
  Fedora: sudo dnf install libasan libubsan appstream libxml2 librsvg2-tools poppler-utils \
          xorg-x11-server-Xvfb weston xdotool xwininfo xprop openbox dbus-daemon at-spi2-core \
          python3-gobject python3-numpy python3-nbconvert python3-ipykernel
  Arch:   sudo pacman -S --needed appstream libxml2 librsvg poppler xorg-server-xvfb weston xdotool \
          xorg-xwininfo xorg-xprop openbox dbus at-spi2-core python-gobject \
          python-numpy jupyter-nbconvert python-ipykernel
END
}

# What is left to end and to remove when the script ends, however it ends.
scratch=''
xvfb=''

clean_up ()
{
  if [[ -n $xvfb ]]; then
    kill "$xvfb" 2>/dev/null || true
    wait "$xvfb" 2>/dev/null || true
  fi
  [[ -z $scratch ]] || rm -rf "$scratch"
}
trap clean_up EXIT

say ()
{
  printf 'dev: %s\n' "$*" >&2
}

die ()
{
  say "$@"
  exit 1
}

has ()
{
  command -v "$1" >/dev/null
}

# Ends where the build cannot be configured, however its parts came here, with the first that is missing.
need_build_tools ()
{
  local part

  for part in cc meson ninja pkg-config msgfmt glib-compile-resources; do
    has "$part" || die "$part is missing; nothing can be built without it"
  done
  for part in json-glib-1.0 libarchive nettle openblas gdk-pixbuf-2.0 libjpeg $window_library; do
    pkg-config --exists "$part" || die "the library $part is missing; nothing can be built without it"
  done
}

# What makes a command run as root. A password is asked for on a terminal alone.
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! has sudo; then
    as_root=(false)
  elif [[ -t 0 ]]; then
    as_root=(sudo)
  else
    as_root=(sudo -n)
  fi
fi

# apt-get, waiting while another program holds a lock. It waits by itself for that of dpkg and gives up at
# those of its lists and of its archive.
apt_get ()
{
  local output deadline=$((SECONDS + 600))

  until output=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
                   apt-get -o DPkg::Lock::Timeout=600 --yes --no-install-recommends "$@" \
                   </dev/null 2>&1 | tee >(cat >&2)); do
    [[ $output == *'Could not get lock'* && $SECONDS -lt $deadline ]] || return 1
    say 'waiting until the lock of apt is free'
    sleep 2
  done
}

# Installs the packages of the given groups that are not there; leaves apt alone when all are. Where it
# cannot, a run of CI (CI=true) ends, and any other goes on with what there is.
install_packages ()
{
  local group missing
  local -a wanted=()

  for group; do
    read -ra missing <<<"$(packages_of "$group" | tr '\n' ' ')"
    wanted+=("${missing[@]}")
  done
  if ! has dpkg-query || ! has apt-get; then
    (need_build_tools) || { print_packages_elsewhere >&2; exit 1; }
    return
  fi

  mapfile -t missing < <(
    comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
             <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
                 sed -n 's/^installed //p' | sort -u))
  [[ ${#missing[@]} -eq 0 ]] && return

  say "installing ${missing[*]}"
  # The lists of a fresh machine are empty or old: fetched once, when they turn out to be needed.
  if ! apt_get install "${missing[@]}"; then
    apt_get update || true
    if ! apt_get install "${missing[@]}"; then
      say "could not install them; as root: apt-get install ${missing[*]}"
      [[ ${CI:-} != true ]] || exit 1
    fi
  fi
}

wrong_usage ()
{
  bash tests/dev/help.sh >&2
  exit 2
}

# --- Build ------------------------------------------------------------------------------------------

# configure DIRECTORY [OPTION...]: options given are set in a directory that is configured without them.
configure ()
{
  local directory=$1 option
  local -a changed=()
  shift

  need_build_tools
  if [[ ! -f $directory/build.ninja ]]; then
    meson setup "$directory" "$@"
    return
  fi
  for option; do
    # -Dname=value stands in the list of options given as "name = value".
    option=${option#-D}
    grep -qxF "${option%%=*} = ${option#*=}" "$directory/meson-private/cmd_line.txt" ||
      changed+=("-D$option")
  done
  [[ ${#changed[@]} -eq 0 ]] || meson configure "$directory" "${changed[@]}"
}

build ()
{
  configure "$@" && ninja -C "$1" -j "$jobs"
}

# The program and its translations, without the tests.
build_program ()
{
  configure build >&2 && ninja -C build -j "$jobs" program attention-grid-gmo >&2 ||
    die 'the build failed'
}
