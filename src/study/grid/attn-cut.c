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

typedef gsize (*GetPositionFunc) (const AttnPanel *panel,
                                  gsize index);

/* Whether one of the tokens of a row or column is in @set: a word has several, those up to the
 * next. */
static gboolean
is_named (const AttnIndexSet *set,
          const AttnPanel    *panel,
          GetPositionFunc     get_position,
          gsize               index,
          gsize               n,
          gsize               n_tokens)
{
  gsize end = index + 1 < n ? get_position (panel, index + 1) : n_tokens;

  return attn_index_set_contains_any (set, get_position (panel, index), end);
}

static gboolean
keep_keys (const AttnStudy  *study,
           const AttnPanel  *panel,
           gsize             n_tokens,
           Kept             *keys,
           GError          **error)
{
  gsize n_keys = attn_panel_get_n_columns (panel);

  keys->indices = g_new (gsize, n_keys);
  if (study->hides_keys &&
      !attn_index_set_check (study->hidden_keys, n_tokens, _("hidden keys"), error))
    return FALSE;
  for (gsize key = 0; key < n_keys; key++)
    if (!study->hides_keys || !is_named (study->hidden_keys, panel, attn_panel_get_column_position,
                                         key, n_keys, n_tokens))
      keys->indices[keys->n++] = key;
  if (keys->n > 0)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("hidden keys: all %zu keys found, expected that one is left to show"),
                    n_keys);
}

/* Of the rows asked for, the last ones. */
static gboolean
keep_queries (const AttnStudy  *study,
              const AttnPanel  *panel,
              gsize             n_tokens,
              Kept             *queries,
              GError          **error)
{
  gsize n_queries = attn_panel_get_n_rows (panel);
  gsize n_last = study->n_last_queries > 0 ? study->n_last_queries : n_queries;

  queries->indices = g_new (gsize, n_queries);
  if (!attn_index_set_check (study->queries, n_tokens, _("queries"), error))
    return FALSE;
  for (gsize query = 0; query < n_queries; query++)
    if (is_named (study->queries, panel, attn_panel_get_row_position, query, n_queries, n_tokens))
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

/* Which of the kept columns a row sees. */
static AttnSpan
find_span (const AttnPanel *panel,
           gsize            row,
           const Kept      *keys)
{
  AttnSpan visible = attn_panel_get_visible (panel, row);
  AttnSpan span = { keys->n, 0 };

  for (gsize i = 0; i < keys->n; i++)
    if (keys->indices[i] >= visible.first && keys->indices[i] < visible.end)
      {
        span.first = MIN (span.first, i);
        span.end = i + 1;
      }
  return span.first < span.end ? span : (AttnSpan) { 0, 0 };
}

/* A panel, and what is left of it. */
typedef struct
{
  AttnPanel *panel;
  Kept queries;
  Kept keys;
  gboolean renormalises;
} Cut;

static void
free_cut (gpointer data)
{
  Cut *cut = data;

  attn_panel_unref (cut->panel);
  clear_kept (&cut->queries);
  clear_kept (&cut->keys);
  g_free (cut);
}

static gboolean
read_cut (gpointer   data,
          gsize      first_row,
          gsize      n_rows,
          float     *rows,
          GError   **error)
{
  const Cut *cut = data;
  const Kept *keys = &cut->keys;
  g_auto (AttnPanelReader) reader = { .panel = cut->panel };

  for (gsize i = first_row; i < first_row + n_rows; i++)
    {
      gsize row = cut->queries.indices[i];
      AttnSpan visible = attn_panel_get_visible (cut->panel, row);
      const float *values = attn_panel_reader_get_row (&reader, row);
      float *out = rows + (i - first_row) * keys->n;
      double sum = 0;

      for (gsize k = 0; k < keys->n; k++)
        {
          gsize key = keys->indices[k];

          out[k] = values[key];
          if (key >= visible.first && key < visible.end)
            sum += out[k];
        }
      /* What is masked is 0 and stays so. */
      if (cut->renormalises && sum != 0)
        for (gsize k = 0; k < keys->n; k++)
          out[k] = (float) (out[k] / sum);
    }
  return TRUE;
}

static void
find_positions (const AttnPanel *panel,
                GetPositionFunc  get_position,
                const Kept      *kept,
                gsize           *positions)
{
  for (gsize i = 0; i < kept->n; i++)
    positions[i] = get_position (panel, kept->indices[i]);
}

/**
 * attn_cut_panel:
 * @study: which of its keys are hidden, whether the rest is renormalised, and which queries it
 *   shows; these are positions of tokens, and a word is meant where one of its tokens is
 * @panel: what is cut, of tokens or of words
 * @n_queries: tokens that its rows are made of
 * @n_keys: tokens that its columns are made of
 * @error: return location for %ATTN_ERROR_ARGUMENT, where @panel does not have what is asked for
 *   or nothing is left; %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): what is left. Where rows are renormalised each has the sum
 *   1, but for those that have nothing left.
 */
AttnPanel *
attn_cut_panel (const AttnStudy  *study,
                AttnPanel        *panel,
                gsize             n_queries,
                gsize             n_keys,
                GError          **error)
{
  g_auto (Kept) keys = { NULL, 0 };
  g_auto (Kept) queries = { NULL, 0 };

  if (!keep_keys (study, panel, n_keys, &keys, error) ||
      !keep_queries (study, panel, n_queries, &queries, error))
    return NULL;

  const gsize shape[] = { queries.n, keys.n };
  g_autofree AttnSpan *spans = g_new (AttnSpan, queries.n);
  g_autofree gsize *rows_at = g_new (gsize, queries.n);
  g_autofree gsize *columns_at = g_new (gsize, keys.n);
  g_auto (GStrv) row_labels = keep_labels (attn_panel_get_row_labels (panel), &queries);
  g_auto (GStrv) column_labels = keep_labels (attn_panel_get_column_labels (panel), &keys);
  const char * const *rows = (const char * const *) row_labels;
  const char * const *columns = (const char * const *) column_labels;
  Cut cut = { panel, queries, keys, study->hides_keys && study->renormalises };
  AttnPanel *left;

  for (gsize i = 0; i < queries.n; i++)
    spans[i] = find_span (panel, queries.indices[i], &keys);
  if (attn_panel_is_too_long (queries.n, keys.n))
    {
      const AttnRowSource source = { read_cut, g_memdup2 (&cut, sizeof cut), free_cut };
      Cut *own = source.data;

      attn_panel_ref (panel);
      own->queries.indices = g_memdup2 (queries.indices, queries.n * sizeof *queries.indices);
      own->keys.indices = g_memdup2 (keys.indices, keys.n * sizeof *keys.indices);
      left = attn_panel_new_long (queries.n, keys.n, &source, ATTN_MASK_NONE, spans, rows, columns);
    }
  else
    {
      g_autoptr (AttnTensor) values = attn_tensor_new_unset (2, shape, error);

      if (values == NULL || !read_cut (&cut, 0, queries.n, values->data, error))
        return NULL;
      left = attn_panel_new_with_visibility (values, spans, rows, columns);
    }
  find_positions (panel, attn_panel_get_row_position, &queries, rows_at);
  find_positions (panel, attn_panel_get_column_position, &keys, columns_at);
  attn_panel_set_positions (left, rows_at, columns_at);
  return left;
}
