/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-text-folder.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "attn-error.h"
#include "attn-text.h"

static gboolean
is_wanted (const char *name,
           gboolean    has_sounds)
{
  static const char * const suffixes[] = { ".png", ".jpg", ".jpeg", ".webp", ".gif",
                                           ".bmp", ".tif", ".tiff", ".wav" };
  gsize n_pictures = G_N_ELEMENTS (suffixes) - 1;

  for (gsize i = has_sounds ? n_pictures : 0; i < n_pictures + (has_sounds ? 1 : 0); i++)
    if (attn_text_has_suffix (name, suffixes[i]))
      return strchr (name, '\n') == NULL;
  return FALSE;
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(char * const *) a, *(char * const *) b);
}

/* Lists the file names of the pictures or sounds in the folder, sorted by byte order. */
static GPtrArray *
list_folder (const char  *folder,
             gboolean     has_sounds,
             GError     **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  const char *name;

  if (dir == NULL)
    return NULL;
  while ((name = g_dir_read_name (dir)) != NULL)
    if (is_wanted (name, has_sounds))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  if (names->len > 0)
    return g_steal_pointer (&names);
  g_autofree char *where = g_filename_display_name (folder);
  return attn_fail_null (error, ATTN_ERROR_FORMAT,
                         has_sounds ? _("%s: no sound found in the folder, expected files .wav")
                                    : _("%s: no picture found in the folder, expected files such "
                                        "as .jpg or .png"),
                         where);
}

/**
 * attn_text_folder_find_first:
 * @has_sounds: to look for sounds rather than pictures
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for a folder without any
 *
 * Returns: (transfer full) (nullable): the path of the first picture or sound
 */
char *
attn_text_folder_find_first (const char  *folder,
                             gboolean     has_sounds,
                             GError     **error)
{
  g_autoptr (GPtrArray) names = list_folder (folder, has_sounds, error);

  return names != NULL ? g_build_filename (folder, names->pdata[0], NULL) : NULL;
}

/**
 * attn_text_folder_list:
 * @has_sounds: to look for sounds rather than pictures
 * @checksum: (out) (transfer full): SHA-256 of the files' names and sizes, in hexadecimal digits
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for a folder without any
 *
 * Returns: (transfer full) (nullable): the names of the files as text, one a line, sorted by byte
 *   order
 */
GBytes *
attn_text_folder_list (const char  *folder,
                       gboolean     has_sounds,
                       char       **checksum,
                       GError     **error)
{
  g_autoptr (GPtrArray) names = list_folder (folder, has_sounds, error);
  g_autoptr (GString) list = g_string_new (NULL);
  g_autoptr (GString) sizes = g_string_new (NULL);

  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      GStatBuf status;
      gboolean is_there = g_stat (path, &status) == 0;

      g_string_append_printf (list, "%s\n", (const char *) names->pdata[i]);
      g_string_append_printf (sizes, "%s %" G_GINT64_FORMAT "\n", (const char *) names->pdata[i],
                              is_there ? (gint64) status.st_size : 0);
    }
  if (names == NULL)
    return NULL;
  *checksum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sizes->str, -1);
  return g_string_free_to_bytes (g_steal_pointer (&list));
}
