/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loads and saves studies as files. */

#include "config.h"

#include "attn-study.h"

#include <string.h>

#include "attn-file.h"
#include "attn-save.h"

/**
 * attn_study_load:
 * @path: a file that [func@attn_study_save] wrote, or that was written by hand; or an SVG or a
 *   web page that the program exported, which carries its study
 * @error: return location: #GFileError, %ATTN_ERROR_LIMIT for a study of more than
 *   %ATTN_STUDY_MAX_BYTES, and errors of [func@attn_study_from_json]
 *
 * Returns: (transfer full) (nullable): the study of the file
 */
AttnStudy *
attn_study_load (const char  *path,
                 GError     **error)
{
  gsize length;
  g_autoptr (GBytes) bytes = attn_file_read_start (path, ATTN_STUDY_MAX_SVG, &length, error);

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, NULL);
  g_autofree char *where = g_filename_display_name (path);
  if (attn_study_is_page (text, g_bytes_get_size (bytes)))
    return attn_study_from_page (where, text, g_bytes_get_size (bytes), error);
  if (text[0] == '<')
    return attn_study_from_svg (where, text, g_bytes_get_size (bytes), error);
  if (!attn_file_check_size (path, length, ATTN_STUDY_MAX_BYTES, error))
    return NULL;
  return attn_study_from_json (where, text, length, error);
}

/**
 * attn_study_save:
 * @error: return location: errors of [func@attn_save_bytes], %ATTN_ERROR_LIMIT for a study whose
 *   file would be too large to be loaded again
 *
 * Writes the study as JSON. The file at @path is replaced only once the new one is complete.
 */
gboolean
attn_study_save (const AttnStudy  *study,
                 const char       *path,
                 GError          **error)
{
  char *json = attn_study_to_json (study);
  gsize length = strlen (json);
  g_autoptr (GBytes) bytes = g_bytes_new_take (json, length);

  return attn_file_check_size (path, length, ATTN_STUDY_MAX_BYTES, error) &&
         attn_save_bytes (path, bytes, error);
}
