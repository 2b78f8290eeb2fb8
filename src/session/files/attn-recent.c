/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-recent.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-errands.h"
#include "attn-file.h"
#include "attn-save.h"

/* Largest size of the file of the list in bytes, far above what the program writes. */
#define MAX_BYTES ((gsize) 1 << 20)

static char *
dup_file (void)
{
  return g_build_filename (g_get_user_state_dir (), GETTEXT_PACKAGE, "recent", NULL);
}

/* Reads the list of recent files: one path in each line, in the encoding of the file system. */
static GStrv
read_paths (void)
{
  g_autofree char *file = dup_file ();
  g_autoptr (GBytes) bytes = attn_file_read (file, MAX_BYTES, NULL);
  gsize length = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : "";
  g_autofree char *text = g_strndup (data, length);

  return g_strsplit (text, "\n", -1);
}

/**
 * attn_recent_get:
 *
 * Returns: (transfer full) (array zero-terminated=1): at most %ATTN_RECENT_MAX paths of files that
 *   still exist, the last opened first
 */
GStrv
attn_recent_get (void)
{
  g_auto (GStrv) paths = read_paths ();
  g_autoptr (GStrvBuilder) present = g_strv_builder_new ();
  guint n = 0;

  for (guint i = 0; paths[i] != NULL && n < ATTN_RECENT_MAX; i++)
    if (g_path_is_absolute (paths[i]) && g_file_test (paths[i], G_FILE_TEST_EXISTS))
      {
        g_strv_builder_add (present, paths[i]);
        n++;
      }
  return g_strv_builder_end (present);
}

/**
 * attn_recent_add:
 * @path: path of a model or a study that was opened or saved
 *
 * Puts the path at the beginning of the list. An error of writing is ignored.
 */
void
attn_recent_add (const char *path)
{
  g_auto (GStrv) paths = read_paths ();
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *file = dup_file ();
  g_autofree char *directory = g_path_get_dirname (file);
  g_autoptr (GString) text = g_string_new (absolute);
  g_autoptr (GError) error = NULL;
  guint n = 1;

  if (strchr (absolute, '\n') != NULL)
    return;
  g_string_append_c (text, '\n');
  for (guint i = 0; paths[i] != NULL && n < ATTN_RECENT_MAX; i++)
    if (paths[i][0] != '\0' && !g_str_equal (paths[i], absolute))
      {
        g_string_append_printf (text, "%s\n", paths[i]);
        n++;
      }

  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  g_mkdir_with_parents (directory, 0700);
  if (!attn_save_bytes (file, bytes, &error))
    g_debug ("%s", error->message);
}

void
attn_recent_clear (void)
{
  g_autofree char *file = dup_file ();

  g_unlink (file);
}

static void
add (gpointer path,
     gpointer user_data)
{
  attn_recent_add (path);
}

static void
clear (gpointer data,
       gpointer user_data)
{
  attn_recent_clear ();
}

/**
 * attn_recent_add_later:
 *
 * Calls [func@attn_recent_add] as an errand.
 */
void
attn_recent_add_later (const char *path)
{
  attn_errands_push (add, g_strdup (path), g_free);
}

/**
 * attn_recent_clear_later:
 *
 * Calls [func@attn_recent_clear] as an errand.
 */
void
attn_recent_clear_later (void)
{
  attn_errands_push (clear, NULL, NULL);
}
