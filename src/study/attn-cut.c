/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cut.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

/* Which rows or columns are left. */
typedef struct
{
  gsize *indices;
  gsize n;
} Kept;

static void
clear_kept (Kept *kept)
{
  g_free (kept->indices);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Kept, clear_kept)

/**
 * attn_cut_is_needed:
 *
 * Returns: whether @study hides a key or leaves out a query
 */
gboolean
attn_cut_is_needed (const AttnStudy *study)
{
  return study->hides_keys || study->queries != NULL || study->n_last_queries > 0;
}

static gboolean
keep_keys (const AttnStudy  *study,
           gsize             n_keys,
           Kept             *keys,
           GError          **error)
{
  keys->indices = g_new (gsize, n_keys);
  if (study->hides_keys &&
      !attn_index_set_check (study->hidden_keys, n_keys, _("hidden keys"), error))
    return FALSE;
  for (gsize key = 0; key < n_keys; key++)
    if (!study->hides_keys || !attn_index_set_contains (study->hidden_keys, key))
      keys->indices[keys->n++] = key;
  if (keys->n > 0)
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
               _("hidden keys: all %zu keys found, expected that one is left to show"), n_keys);
  return FALSE;
}

/* Of the rows asked for, the last ones. */
static gboolean
keep_queries (const AttnStudy  *study,
              gsize             n_queries,
              Kept             *queries,
              GError          **error)
{
  gsize n_last = study->n_last_queries > 0 ? study->n_last_queries : n_queries;

  queries->indices = g_new (gsize, n_queries);
  if (!attn_index_set_check (study->queries, n_queries, _("queries"), error))
    return FALSE;
  for (gsize query = 0; query < n_queries; query++)
    if (attn_index_set_contains (study->queries, query))
      queries->indices[queries->n++] = query;
  if (queries->n > n_last)
    {
      for (gsize i = 0; i < n_last; i++)
        queries->indices[i] = queries->indices[queries->n - n_last + i];
      queries->n = n_last;
    }
  return TRUE;
}

/* Rows and columns without a label are known by their number, which must not change. */
static GStrv
keep_labels (const char * const *labels,
             const Kept         *kept)
{
  GStrv result = g_new0 (char *, kept->n + 1);

  for (gsize i = 0; i < kept->n; i++)
    result[i] = labels != NULL ? g_strdup (labels[kept->indices[i]])
                               : g_strdup_printf ("%zu", kept->indices[i]);
  return result;
}

/* The kept columns of @row, and which of them it sees. */
static AttnSpan
fill_row (AttnPanel  *panel,
          gsize       row,
          const Kept *keys,
          gboolean    renormalises,
          float      *out)
{
  AttnSpan visible = attn_panel_get_visible (panel, row);
  AttnSpan span = { keys->n, 0 };
  double sum = 0;

  for (gsize i = 0; i < keys->n; i++)
    {
      gsize key = keys->indices[i];

      out[i] = attn_panel_get_value (panel, row, key);
      if (key < visible.first || key >= visible.end)
        continue;
      sum += out[i];
      span.first = MIN (span.first, i);
      span.end = i + 1;
    }
  if (renormalises && sum != 0)
    for (gsize i = span.first; i < span.end; i++)
      out[i] = (float) (out[i] / sum);
  return span.first < span.end ? span : (AttnSpan) { 0, 0 };
}

/**
 * attn_cut_panel:
 * @study: which of its keys are hidden, whether the rest is renormalised, and which queries it
 *   shows; positions are those of @panel
 * @error: return location for %ATTN_ERROR_ARGUMENT, where @panel does not have what is asked for
 *   or nothing is left; %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): what is left. Where rows are renormalised each has the sum
 *   1, but for those that have nothing left.
 */
AttnPanel *
attn_cut_panel (const AttnStudy  *study,
                AttnPanel        *panel,
                GError          **error)
{
  g_auto (Kept) keys = { NULL, 0 };
  g_auto (Kept) queries = { NULL, 0 };

  if (!keep_keys (study, attn_panel_get_n_columns (panel), &keys, error) ||
      !keep_queries (study, attn_panel_get_n_rows (panel), &queries, error))
    return NULL;

  const gsize shape[] = { queries.n, keys.n };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, error);
  g_autofree AttnSpan *spans = g_new (AttnSpan, queries.n);
  if (values == NULL)
    return NULL;
  for (gsize i = 0; i < queries.n; i++)
    spans[i] = fill_row (panel, queries.indices[i], &keys, study->hides_keys && study->renormalises,
                         values->data + i * keys.n);

  g_auto (GStrv) rows = keep_labels (attn_panel_get_row_labels (panel), &queries);
  g_auto (GStrv) columns = keep_labels (attn_panel_get_column_labels (panel), &keys);
  AttnPanel *left = attn_panel_new_with_visibility (values, spans, (const char * const *) rows,
                                                    (const char * const *) columns);
  attn_panel_set_positions (left, queries.indices, keys.indices);
  return left;
}
