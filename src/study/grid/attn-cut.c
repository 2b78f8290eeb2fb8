/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cut.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"

/**
 * attn_cut_is_needed:
 *
 * Returns: whether @study hides keys or shows only some queries, so that its panels have to be cut
 */
gboolean
attn_cut_is_needed (const AttnStudy *study)
{
  return study->hides_keys || study->queries != NULL || study->n_last_queries > 0;
}

typedef gsize (*GetPositionFunc) (const AttnPanel *panel,
                                  gsize index);

/* Tells whether @set, NULL for all, contains a token of the row or column at @index. A word
 * consists of all tokens up to the next word. */
static gboolean
is_named (const AttnIndexSet *set,
          const AttnPanel    *panel,
          GetPositionFunc     get_position,
          gsize               index,
          gsize               n,
          gsize               n_tokens,
          gboolean            is_whole)
{
  gsize end = index + 1 < n ? get_position (panel, index + 1) : n_tokens;

  return is_whole ? attn_index_set_contains_all (set, get_position (panel, index), end)
                  : attn_index_set_contains_any (set, get_position (panel, index), end);
}

static gboolean
keep_keys (const AttnStudy  *study,
           const AttnPanel  *panel,
           gsize             n_tokens,
           GArray           *keys,
           GError          **error)
{
  gsize n_keys = attn_panel_get_n_columns (panel);

  if (study->hides_keys &&
      !attn_index_set_check (study->hidden_keys, n_tokens, _("hidden keys"), error))
    return FALSE;
  for (gsize key = 0; key < n_keys; key++)
    if (!study->hides_keys || !is_named (study->hidden_keys, panel, attn_panel_get_column_position,
                                         key, n_keys, n_tokens, TRUE))
      g_array_append_val (keys, key);
  if (keys->len > 0)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("hidden keys: all %zu keys found, expected at least one that is shown"),
                    n_keys);
}

/* Finds the rows of @panel that are shown: the queries that the study selects, or only the last of
 * them. */
static gboolean
keep_queries (const AttnStudy  *study,
              const AttnPanel  *panel,
              gsize             n_tokens,
              GArray           *queries,
              GError          **error)
{
  gsize n_queries = attn_panel_get_n_rows (panel);
  gsize n_last = study->n_last_queries > 0 ? study->n_last_queries : n_queries;

  if (!attn_index_set_check (study->queries, n_tokens, _("queries"), error))
    return FALSE;
  for (gsize query = 0; query < n_queries; query++)
    if (is_named (study->queries, panel, attn_panel_get_row_position, query, n_queries, n_tokens,
                  FALSE))
      g_array_append_val (queries, query);
  if (queries->len > n_last)
    g_array_remove_range (queries, 0, queries->len - n_last);
  return TRUE;
}

/* Returns the labels of the kept rows or columns of a panel. A row or column without a label gets
 * its original number. */
static GStrv
keep_labels (const char * const *labels,
             const GArray       *kept)
{
  GStrv result = g_new0 (char *, kept->len + 1);

  for (gsize i = 0; i < kept->len; i++)
    {
      gsize index = g_array_index (kept, gsize, i);

      result[i] = labels != NULL ? g_strdup (labels[index]) : g_strdup_printf ("%zu", index);
    }
  return result;
}

/* Inserts the label and the position of a first column, for the attention that rows give to no key
 * (the sink). */
static void
put_sink_first (GStrv  *labels,
                gsize **positions,
                gsize   n)
{
  *labels = g_renew (char *, *labels, n + 2);
  memmove (*labels + 1, *labels, (n + 1) * sizeof **labels);
  (*labels)[0] = g_strdup ("sink");
  *positions = g_renew (gsize, *positions, n + 1);
  memmove (*positions + 1, *positions, n * sizeof **positions);
  (*positions)[0] = ATTN_PANEL_NO_POSITION;
}

/* Returns the span of kept columns that the mask of @row does not hide. */
static AttnSpan
find_span (const AttnPanel *panel,
           gsize            row,
           const GArray    *keys)
{
  AttnSpan visible = attn_panel_get_visible (panel, row);
  AttnSpan span = { keys->len, 0 };

  for (gsize i = 0; i < keys->len; i++)
    if (g_array_index (keys, gsize, i) >= visible.first &&
        g_array_index (keys, gsize, i) < visible.end)
      {
        span.first = MIN (span.first, i);
        span.end = i + 1;
      }
  return span.first < span.end ? span : (AttnSpan) { 0, 0 };
}

/* A panel, with the rows and columns that remain after its cut. */
typedef struct
{
  AttnPanel *panel;
  GArray *queries; /* element-type gsize: original indices of the kept rows */
  GArray *keys;    /* element-type gsize: original indices of the kept columns */
  gboolean renormalises;
  gboolean has_sink;
} Cut;

static void
free_cut (gpointer data)
{
  Cut *cut = data;

  attn_panel_unref (cut->panel);
  g_array_unref (cut->queries);
  g_array_unref (cut->keys);
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
  const gsize *keys = (const gsize *) (void *) cut->keys->data;
  gsize n_keys = cut->keys->len;
  gsize n_columns = n_keys + (cut->has_sink ? 1 : 0);
  g_auto (AttnPanelReader) reader = { .panel = cut->panel };

  for (gsize i = first_row; i < first_row + n_rows; i++)
    {
      gsize row = g_array_index (cut->queries, gsize, i);
      AttnSpan visible = attn_panel_get_visible (cut->panel, row);
      const float *values = attn_panel_reader_get_row (&reader, row);
      float *out = rows + (i - first_row) * n_columns;
      double sum = 0;

      if (cut->has_sink)
        {
          double given = 0;

          for (gsize key = visible.first; key < visible.end; key++)
            given += values[key];
          sum = *out++ = (float) MAX (1.0 - given, 0.0);
        }
      for (gsize k = 0; k < n_keys; k++)
        {
          out[k] = values[keys[k]];
          if (keys[k] >= visible.first && keys[k] < visible.end)
            sum += out[k];
        }
      /* Masked weights stay 0. A row without any remaining weight becomes NaN. */
      out = rows + (i - first_row) * n_columns;
      for (gsize k = 0; cut->renormalises && k < n_columns; k++)
        out[k] = sum != 0 ? (float) (out[k] / sum) : NAN;
    }
  return TRUE;
}

/* Returns the positions in the input of the kept rows or columns, one for each. (transfer full) */
static gsize *
list_positions (const AttnPanel *panel,
                GetPositionFunc  get_position,
                const GArray    *kept)
{
  gsize *positions = g_new (gsize, kept->len);

  for (gsize i = 0; i < kept->len; i++)
    positions[i] = get_position (panel, g_array_index (kept, gsize, i));
  return positions;
}

/**
 * attn_cut_panel:
 * @study: says which keys are hidden, whether the rest is renormalised, and which queries are
 *   shown, by positions of tokens. A word is shown if one of its tokens is; as a key it lacks those
 *   that [func@attn_words_join] left out.
 * @panel: the panel that is cut, of tokens or of words
 * @n_queries: number of tokens in its rows
 * @n_keys: number of tokens in its columns
 * @has_sink: whether a column is added before the others for what a row gives to no key, 1 minus
 *   its sum. It is visible in every row, also where a window masks the first keys.
 * @error: return location for %ATTN_ERROR_ARGUMENT, where @panel does not have the keys or queries
 *   of @study, or none is left; %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): the panel of the rows and columns that are left.
 *   Renormalised rows have the sum 1, except those without any weight left, which are NaN.
 */
AttnPanel *
attn_cut_panel (const AttnStudy  *study,
                AttnPanel        *panel,
                gsize             n_queries,
                gsize             n_keys,
                gboolean          has_sink,
                GError          **error)
{
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autoptr (GArray) queries = g_array_new (FALSE, FALSE, sizeof (gsize));

  if (!keep_keys (study, panel, n_keys, keys, error) ||
      !keep_queries (study, panel, n_queries, queries, error))
    return NULL;

  const gsize shape[] = { queries->len, keys->len + (has_sink ? 1 : 0) };
  g_autofree AttnSpan *spans = g_new (AttnSpan, queries->len);
  g_autofree AttnSpan *holes = g_new0 (AttnSpan, queries->len);
  g_autofree gsize *rows_at = list_positions (panel, attn_panel_get_row_position, queries);
  g_autofree gsize *columns_at = list_positions (panel, attn_panel_get_column_position, keys);
  g_auto (GStrv) row_labels = keep_labels (attn_panel_get_row_labels (panel), queries);
  g_auto (GStrv) column_labels = keep_labels (attn_panel_get_column_labels (panel), keys);
  const char * const *rows = (const char * const *) row_labels;
  Cut cut = { panel, queries, keys, study->hides_keys && study->renormalises, has_sink };
  AttnPanel *left;
  gboolean has_holes = FALSE;

  for (gsize i = 0; i < shape[0]; i++)
    {
      spans[i] = find_span (panel, g_array_index (queries, gsize, i), keys);
      if (has_sink)
        {
          holes[i] = (AttnSpan) { 1, spans[i].first + 1 };
          spans[i] = (AttnSpan) { 0, spans[i].end + 1 };
        }
      has_holes = has_holes || holes[i].first < holes[i].end;
    }
  if (has_sink)
    put_sink_first (&column_labels, &columns_at, keys->len);
  const char * const *columns = (const char * const *) column_labels;
  if (attn_panel_is_too_long (shape[0], shape[1]))
    {
      const AttnRowSource source = { read_cut, g_memdup2 (&cut, sizeof cut), free_cut };

      attn_panel_ref (panel);
      g_array_ref (queries);
      g_array_ref (keys);
      left = attn_panel_new_long (shape[0], shape[1], &source, ATTN_MASK_NONE, spans, rows,
                                  columns);
    }
  else
    {
      g_autoptr (AttnTensor) values = attn_tensor_new_unset (2, shape, error);

      if (values == NULL || !read_cut (&cut, 0, shape[0], values->data, error))
        return NULL;
      left = attn_panel_new_with_visibility (values, spans, rows, columns);
    }
  attn_panel_set_positions (left, rows_at, columns_at);
  if (has_holes)
    attn_panel_set_holes (left, holes);
  return left;
}
