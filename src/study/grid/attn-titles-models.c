/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names the models of a study so that no two have the same name. */

#include "config.h"

#include "attn-titles.h"

/* Returns the folders of @path that remain after the common beginning and the common end of all
 * @paths are taken off. The paths must not all be equal. */
static char *
dup_own_part (const GPtrArray *paths,
              const char      *path)
{
  g_auto (GStrv) own = g_strsplit (path, G_DIR_SEPARATOR_S, -1);
  gsize n_own = g_strv_length (own);
  gsize n_before = n_own;
  gsize n_behind = n_own;

  for (guint i = 0; i < paths->len; i++)
    {
      g_auto (GStrv) parts = g_strsplit (paths->pdata[i], G_DIR_SEPARATOR_S, -1);
      gsize n_parts = g_strv_length (parts);
      gsize n_shared = MIN (n_own, n_parts);
      gsize n = 0;

      if (g_str_equal (paths->pdata[i], path))
        continue;
      while (n < n_shared && g_str_equal (own[n], parts[n]))
        n++;
      n_before = MIN (n_before, n);
      for (n = 0; n < n_shared && g_str_equal (own[n_own - 1 - n], parts[n_parts - 1 - n]);)
        n++;
      n_behind = MIN (n_behind, n);
    }
  if (n_before + n_behind >= n_own)
    return g_strdup (path);
  g_clear_pointer (&own[n_own - n_behind], g_free);
  char *part = g_strjoinv (G_DIR_SEPARATOR_S, own + n_before);
  for (gsize i = n_own - n_behind + 1; i < n_own; i++)
    g_free (own[i]);
  return part;
}

/**
 * attn_titles_name_models:
 * @models: (array length=n_models): the models of a study
 *
 * Returns: (transfer full) (array zero-terminated=1): a different name for each model: models of
 *   the same name are told apart by the folders in which their paths differ, "rose (before)" and
 *   "rose (after)", and a model that stands there twice by a number
 */
char **
attn_titles_name_models (AttnModel * const *models,
                         gsize              n_models)
{
  char **names = g_new0 (char *, n_models + 1);

  for (gsize i = 0; i < n_models; i++)
    {
      const char *name = attn_model_get_name (models[i]);
      const char *path = attn_model_get_path (models[i]);
      g_autoptr (GPtrArray) paths = g_ptr_array_new ();
      gsize n_same = 0, number = 0;

      for (gsize k = 0; k < n_models; k++)
        {
          gboolean is_same = g_str_equal (attn_model_get_path (models[k]), path);

          if (!g_str_equal (attn_model_get_name (models[k]), name))
            continue;
          g_ptr_array_add (paths, (gpointer) attn_model_get_path (models[k]));
          n_same += is_same;
          number += is_same && k <= i;
        }
      g_autofree char *part = n_same < paths->len ? dup_own_part (paths, path) : NULL;
      g_autofree char *own = part != NULL ? g_filename_display_name (part) : NULL;
      GString *text = g_string_new (name);
      if (own != NULL)
        g_string_append_printf (text, " (%s)", own);
      if (n_same > 1)
        g_string_append_printf (text, " (%zu)", number);
      names[i] = g_string_free (text, FALSE);
    }
  return names;
}
