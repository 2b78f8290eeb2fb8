/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A folder that a test made, and the files that it wrote there. */

#pragma once

#include <glib/gstdio.h>

static inline void
remove_folder (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) listing = g_dir_open (folder, 0, &error);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (listing)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}
