#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# try-portable.sh SUITE ARCHIVE: unpacks the archive of ./dev portable in a chroot of that Debian made of its base alone,
# or for "musl" in one that has no other C library than musl, and uses it there: both figures in each format, a GGUF
# file, a picture, a sound, a study, the window. Its picture is left beside the archive.
source tests/dev/parts/common.sh
source tests/dev/parts/display.sh

# make_root SUITE PLACE: once.
make_root ()
{
  [[ ! -d $2 ]] || return 0
  if [[ $1 != musl ]]; then
    mkdir -p "${2%/*}"
    "${as_root[@]}" mmdebstrap --mode=root --variant=minbase "$1" "$2.new" >&2
    "${as_root[@]}" mv "$2.new" "$2"
    return
  fi
  # Its own programs, a shell among them, are those of busybox.
  mkdir -p "$2"/{bin,lib,proc,sys,dev,tmp,root,etc}
  cp /lib/ld-musl-x86_64.so.1 "$2/lib"
  cp "$(command -v busybox)" "$2/bin/busybox"
  "${as_root[@]}" chroot "$2" /bin/busybox --install -s /bin
}

# enter LANGUAGE: the words before those of the program, which runs in the chroot of $base with the X server's socket
# and without any bus. It ends with the first of them, at SIGKILL.
enter ()
{
  # shellcheck disable=SC2016
  inside=("${as_root[@]}" unshare --mount --pid --fork --kill-child bash -ec '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mkdir -p "$1/tmp/.X11-unix"
    mount --bind /tmp/.X11-unix "$1/tmp/.X11-unix"
    exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DISPLAY="$2" LANG="$3" GTK_A11Y=none \
      DBUS_SESSION_BUS_ADDRESS=disabled: chroot "$1" /opt/attention-grid/attention-grid "${@:4}"
  ' mount "$base" "$DISPLAY" "$1")
}

run ()
{
  enter C
  "${inside[@]}" "$@"
}

check ()
{
  local what=$1
  shift
  if "$@" >"$scratch/said" 2>&1 && [[ ! -s $scratch/said ]]; then
    say "$suite: $what"
  else
    cat "$scratch/said" >&2
    die "$suite: $what: failed"
  fi
}

same_figure ()
{
  build-portable/src/attention-grid render "$1" -o "$scratch/here.svg" && run render "$1" -o /root/there.svg &&
    cmp "$scratch/here.svg" "$base/root/there.svg"
}

# What reads pictures and sounds has come along.
same_picture ()
{
  build-portable/src/attention-grid render single --model tests/model/dinov2 --image "$base/root/$1" \
    -o "$scratch/here.svg" &&
    run render single --model /root/dinov2 --image "/root/$1" -o /root/picture.svg &&
    cmp "$scratch/here.svg" "$base/root/picture.svg"
}

same_sound ()
{
  local words=(render single --attention cross)

  build-portable/src/attention-grid "${words[@]}" --model tests/model/whisper --audio data/sounds/bells.wav \
    -o "$scratch/here.svg" && run "${words[@]}" --model /root/whisper --audio /root/bells.wav -o /root/sound.svg &&
    cmp "$scratch/here.svg" "$base/root/sound.svg"
}

# The middle of nine starts, in milliseconds.
measure_start ()
{
  local begin times=()

  for _ in {1..9}; do
    begin=$(date +%s%N)
    "$base/opt/attention-grid/attention-grid" --version >/dev/null
    times+=($((($(date +%s%N) - begin) / 1000000)))
  done
  printf '%s\n' "${times[@]}" | sort -n | sed -n 5p
}

# With the Python of this machine
uses_module ()
{
  PYTHONPATH=$base/opt/attention-grid/share/attention-grid/python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
import attention_grid, os
assert attention_grid.program() == os.path.realpath(os.environ["PYTHONPATH"] + "/../../../bin/attention-grid")
assert attention_grid.compute(text="A rose is a rose.").shape == (3, 4, 7, 7)'
}

# Cells that are coloured, not an empty window.
shows_figure ()
{
  local red=0 window picture=${archive%/*}/$suite-$1.png

  enter "$2"
  "${inside[@]}" "${@:3}" &
  window=$(timeout 60 xdotool search --sync --onlyvisible --class attention-grid | tail -1)
  for _ in {1..60}; do
    [[ -n $window ]] || break
    sleep 0.5
    timeout 20 import -window "$window" "$picture"
    # A weight of 1 has the darkest red, of which the rest of the window has a few pixels.
    red=$(convert "$picture" -fuzz 1% -fill black +opaque '#b40426' -fill white -opaque '#b40426' \
      -format '%[fx:int(mean*w*h)]' info:)
    [[ $red -lt 500 ]] || break
  done
  "${as_root[@]}" kill -KILL $!
  { wait $!; } 2>/dev/null || true
  # The server knows it a moment later.
  while xdotool search --onlyvisible --class attention-grid >/dev/null 2>&1; do
    sleep 0.1
  done
  [[ $red -ge 500 ]]
}

main ()
{
  local preset ending
  suite=$1 archive=$(readlink -f "$2")

  install_packages try-portable
  scratch=$(mktemp -d)
  base=${XDG_CACHE_HOME:-$HOME/.cache}/attention-grid/chroots/minbase-$suite
  make_root "$suite" "$base"
  rm -rf "${base:?}"/{opt,root}
  mkdir -p "$base"/{opt,root}
  tar -xf "$archive" -C "$base/opt"
  cp tests/fuzz/corpus/gguf/llama "$base/root/llama.gguf"
  cp -r tests/model/dinov2 tests/model/whisper data/pictures/garden.png data/sounds/bells.wav "$base/root"
  for ending in jpg gif; do
    convert data/pictures/garden.png "$base/root/garden.$ending"
  done
  start_display
  check 'the module of Python' uses_module

  for preset in mean-operation epsilon; do
    check "$preset is drawn as here, byte for byte" same_figure "$preset"
    for ending in png pdf; do
      check "$preset as $ending" run render "$preset" -o "/root/$preset.$ending"
    done
  done
  for ending in png jpg gif; do
    check "a picture as $ending, drawn as here" same_picture "garden.$ending"
  done
  check 'a sound, drawn as here' same_sound
  check 'a GGUF file' run render single --model /root/llama.gguf --ids 1,2,3 -o /root/gguf.svg
  check 'a study' run render /root/there.svg -o /root/again.pdf
  check 'the window' shows_figure window C /root/there.svg
  check 'the window in German' shows_figure german de_DE.UTF-8 /root/there.svg
  check 'the window on a GGUF file' shows_figure gguf C /root/gguf.svg
  say "$suite: the program starts in $(measure_start) ms"
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
