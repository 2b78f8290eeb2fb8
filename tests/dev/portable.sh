#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# portable [SUITE...]: one archive that runs where it is unpacked, on any Linux with an x86-64 processor, in
# build/portable; then tries it in chroots of these Debians that have nothing but their base, and "musl" in one whose C
# library is musl.
source tests/dev/parts/common.sh

app_id=io.github.attentiongrid.AttentionGrid
name=attention-grid
installed=/usr

# copy_library FILE...: into the archive, by the names that they are looked for.
copy_library ()
{
  local file

  for file; do
    cp -L "$file" "$place/lib/${file##*/}"
  done
}

# Libraries that a file needs, one a line, all that they need in turn; without the loader.
list_libraries ()
{
  ldd "$@" | sed -nE 's/^.* => (\/[^ ]+) .*$/\1/p' | sort -u
}

copy_program ()
{
  local libraries=$1 directory loaders=()

  cp "$scratch/root$installed/bin/attention-grid" "$place/lib/attention-grid"
  strip "$place/lib/attention-grid"
  cp -L /lib64/ld-linux-x86-64.so.2 "$place/lib/ld.so"

  # Readers of pictures; their names without a folder are looked for where libraries are.
  directory=$(pkg-config --variable=gdk_pixbuf_moduledir gdk-pixbuf-2.0)
  loaders=("$directory"/*.so)
  copy_library "${loaders[@]}"
  sed -E 's|^"/.*/([^/]+\.so)"|"\1"|; /^#/d' "$(pkg-config --variable=gdk_pixbuf_cache_file gdk-pixbuf-2.0)" \
    >"$place/lib/loaders.cache"

  list_libraries "$place/lib/attention-grid" "${loaders[@]}" >"$libraries"
  while read -r file; do
    copy_library "$file"
  done <"$libraries"
  printf '%s\n' "${loaders[@]}" >>"$libraries"
}

copy_data ()
{
  local language share=$place/share schemas=$place/share/glib-2.0/schemas gl='GDK_DEBUG=gl-disable'

  mkdir -p "$share/icons/Adwaita" "$share/fonts" "$schemas" "$share/mime/packages" "$share/X11/locale" \
    "$place/etc/fonts" "$place/lib/locale" "$place/lib/gconv" "$place/lib/gio"
  cp -r "$scratch/root$installed/share/." "$share"
  cp -r /usr/lib/locale/C.utf8 "$place/lib/locale"

  # The file chooser ends the program where its own settings are not known.
  cp /usr/share/glib-2.0/schemas/org.gtk.gtk4.Settings.*.gschema.xml "$schemas"
  glib-compile-schemas "$schemas"
  cp /usr/share/mime/packages/freedesktop.org.xml "$share/mime/packages"
  update-mime-database "$share/mime" 2>/dev/null
  find "$share/mime" -mindepth 1 ! -name mime.cache -delete

  # In some versions of the theme the symbolic icons have a folder of their own.
  find /usr/share/icons/Adwaita -maxdepth 1 \( -name 'scalable*' -o -name 'symbolic*' -o -name index.theme \) \
    -exec cp -rL {} "$share/icons/Adwaita" \;
  cp /usr/share/icons/hicolor/index.theme "$share/icons/hicolor"
  cp /usr/share/fonts/truetype/dejavu/*.ttf "$share/fonts"
  cp -rL /etc/fonts/conf.d "$place/etc/fonts/conf.d"
  sed 's|<dir>/usr/share/fonts</dir>|<dir prefix="relative">../../share/fonts</dir>\n\t&|' /etc/fonts/fonts.conf \
    >"$place/etc/fonts/fonts.conf"
  cp -r /usr/share/X11/locale/{locale.alias,locale.dir,compose.dir,C,en_US.UTF-8} "$share/X11/locale"

  # GTK's own words, in the languages that the program has.
  while read -r language; do
    mkdir -p "$share/attention-grid/gtk-locale/$language/LC_MESSAGES"
    cp "/usr/share/locale/$language/LC_MESSAGES/gtk40.mo" "$share/attention-grid/gtk-locale/$language/LC_MESSAGES"
  done <po/LINGUAS

  # A driver of the system needs the system's C library.
  ! pkg-config --atleast-version=4.16 gtk4 || gl='GDK_DISABLE=gl,vulkan'
  sed "s/@GL@/$gl/; s/@GL_NAME@/${gl%%=*}/" data/packaging/portable/attention-grid \
    >"$place/bin/attention-grid"
  chmod +x "$place/bin/attention-grid"
  ln -s bin/attention-grid "$place/attention-grid"
}

# What the libraries' licences ask for: their texts, a folder a package.
copy_licences ()
{
  local package
  mkdir -p "$place/share/doc"

  cp LICENSE README.md NEWS "$place"
  while read -r package; do
    mkdir "$place/share/doc/$package"
    cp -L "/usr/share/doc/$package/copyright" "$place/share/doc/$package"
  done < <(
    {
      # A library may be known by its name before or after /usr was merged.
      while read -r file; do
        file=$(readlink -f "$file")
        dpkg-query -S "$file" "${file#/usr}" 2>/dev/null || true
      done <"$1"
      dpkg-query -S /usr/share/icons/Adwaita/index.theme /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
    } | sed -E 's/[:,].*//' | sort -u)
}

# pack VERSION: prints the archive's path.
pack ()
{
  local archive=$root/build/portable/$name-$1-x86_64.tar.xz

  mkdir -p "${archive%/*}"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(date +%s)}" \
    -C "$scratch" -c "$name" | xz -T "$jobs" -6 >"$archive"
  printf '%s\n' "$archive"
}

main ()
{
  local suite archive

  [[ $(uname -m) == x86_64 ]] || die "a processor $(uname -m) found, expected x86_64"
  install_packages build portable
  scratch=$(mktemp -d)
  place=$scratch/$name
  mkdir -p "$place/bin" "$place/lib"
  configure build-portable -Dmpi=disabled -Dprefix="$installed" >&2 &&
    ninja -C build-portable -j "$jobs" program attention-grid-gmo "data/$app_id.desktop" \
      "data/$app_id.metainfo.xml" >&2 || die 'the build failed'
  DESTDIR=$scratch/root meson install -C build-portable --no-rebuild --quiet >&2
  copy_program "$scratch/libraries"
  copy_data
  copy_licences "$scratch/libraries"
  archive=$(pack "$("$place/attention-grid" --version | sed -n 's/^attention-grid //p')")
  printf '%s\n' "$archive"
  du -sh "$archive" "$place" >&2
  for suite; do
    bash tests/dev/parts/try-portable.sh "$suite" "$archive" >&2
  done
}

# Bash reads on while commands run: without an "exit" on this line, an edit meanwhile would be run, too.
main "$@"; exit
