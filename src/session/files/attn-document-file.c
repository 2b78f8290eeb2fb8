/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-document-file.h"

#include <glib/gstdio.h>

#include "attn-text.h"

/* Tells by its name whether the file is a figure that contains a study. */
static gboolean
is_figure (const char *path)
{
  return attn_text_has_suffix (path, ".svg") || attn_text_has_suffix (path, ".html");
}

/**
 * attn_document_file_is_study:
 * @path: path of a file
 *
 * Returns: whether the file is opened as a study: *.json, *.svg and *.html, except files that
 *   describe a model, such as config.json. Accesses the disk
 */
gboolean
attn_document_file_is_study (const char *path)
{
  return (attn_text_has_suffix (path, ".json") || is_figure (path)) &&
         !g_file_test (path, G_FILE_TEST_IS_DIR) && !attn_model_is_described_by (path);
}

/**
 * attn_document_file_dup_etag:
 *
 * Returns: (transfer full) (nullable): the etag of a file, a text that differs after each change of
 *   the file. Accesses the disk
 */
char *
attn_document_file_dup_etag (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInfo) info =
      g_file_query_info (file, G_FILE_ATTRIBUTE_ETAG_VALUE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  return info != NULL ? g_strdup (g_file_info_get_etag (info)) : NULL;
}

/**
 * attn_document_file_is_overtaken:
 * @path: (nullable): path of a file
 * @etag: (nullable): etag that it had when it was last read or written
 *
 * Returns: whether the file has another etag now, so that another program has changed it; %FALSE if
 *   one of both is %NULL or the file does not exist. Accesses the disk
 */
gboolean
attn_document_file_is_overtaken (const char *path,
                                 const char *etag)
{
  g_autofree char *found =
      path != NULL && etag != NULL ? attn_document_file_dup_etag (path) : NULL;

  return found != NULL && !g_str_equal (found, etag);
}

/**
 * attn_document_file_find_same:
 * @path: path of a file
 * @others: (array zero-terminated): paths of files
 *
 * Compares files and not only paths, since a file can have several paths. Accesses the disk.
 *
 * Returns: (transfer none) (nullable): the path in @others that is the same file as @path
 */
const char *
attn_document_file_find_same (const char         *path,
                              const char * const *others)
{
  GStatBuf wanted, status;

  if (others[0] == NULL || g_stat (path, &wanted) != 0)
    return NULL;
  for (gsize i = 0; others[i] != NULL; i++)
    if (g_stat (others[i], &status) == 0 && status.st_dev == wanted.st_dev &&
        status.st_ino == wanted.st_ino)
      return others[i];
  return NULL;
}

/**
 * attn_study_find_missing:
 *
 * Looks for the files of the study's models. Accesses the disk.
 *
 * Returns: (transfer full) (nullable) (element-type guint): ascending numbers of the study's models
 *   whose files do not exist (0 is its own model, from 1 on those that it is compared with); %NULL
 *   if all exist
 */
GArray *
attn_study_find_missing (const AttnStudy *study)
{
  g_autoptr (GArray) missing = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < 1 + study->other_models->len; i++)
    {
      const char *path = attn_study_get_model (study, i)->path;

      if (path != NULL && !g_file_test (path, G_FILE_TEST_EXISTS))
        g_array_append_val (missing, i);
    }
  return missing->len > 0 ? g_steal_pointer (&missing) : NULL;
}

/**
 * attn_document_file_read:
 * @path: a checkpoint directory or file, recorded arrays, a study (*.json) or a figure that carries
 *   one (*.svg, *.html)
 * @beside: the current model, which is used with the adapter if @path is an adapter
 *
 * Finds out what @path is, and reads it if it is a study or a figure. Any thread may call it.
 *
 * Returns: (transfer full): a study, a model or an error
 */
AttnDocumentFile *
attn_document_file_read (const char               *path,
                         const AttnModelReference *beside)
{
  AttnDocumentFile *file = g_new0 (AttnDocumentFile, 1);

  file->path = g_strdup (path);
  file->is_document = attn_document_file_is_study (path);
  if (!file->is_document)
    {
      file->model = attn_model_reference_new (NULL, NULL);
      attn_model_reference_parse (file->model, path);
      attn_model_reference_settle (file->model, beside);
      return file;
    }
  /* A study from a figure is not saved to the figure's file, so that such a study has no file. */
  if (!is_figure (path))
    {
      file->file = g_strdup (path);
      file->etag = attn_document_file_dup_etag (path);
    }
  file->study = attn_study_load (path, &file->error);
  file->missing = file->study != NULL ? attn_study_find_missing (file->study) : NULL;
  return file;
}

void
attn_document_file_free (AttnDocumentFile *file)
{
  g_free (file->path);
  attn_study_unref (file->study);
  g_free (file->file);
  g_free (file->etag);
  g_clear_pointer (&file->missing, g_array_unref);
  g_clear_pointer (&file->model, attn_model_reference_free);
  g_clear_error (&file->error);
  g_free (file);
}
