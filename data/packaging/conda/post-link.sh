#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# After the package is installed: the caches that name what all packages have.
{
  "$PREFIX/bin/glib-compile-schemas" "$PREFIX/share/glib-2.0/schemas"
  if [ -x "$PREFIX/bin/update-mime-database" ]; then
    "$PREFIX/bin/update-mime-database" "$PREFIX/share/mime"
  fi
} >>"$PREFIX/.messages.txt" 2>&1
