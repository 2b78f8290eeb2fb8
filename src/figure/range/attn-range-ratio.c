/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What stands on the scale of ratios: weights relative to uniform attention. */

#include "config.h"

#include "attn-range-private.h"

/* Each weight times the number of keys that its query sees. */
static gboolean
read_ratios (gpointer   data,
             gsize      first_row,
             gsize      n_rows,
             float     *rows,
             GError   **error)
{
  AttnPanel *panel = data;
  gsize n_columns = attn_panel_get_n_columns (panel);

  if (!attn_panel_read_rows (panel, first_row, n_rows, rows, error))
    return FALSE;
  for (gsize row = 0; row < n_rows; row++)
    {
      AttnSpan span = attn_panel_get_visible (panel, first_row + row);
      float n = (float) (span.end - span.first);

      for (gsize column = 0; column < n_columns; column++)
        rows[row * n_columns + column] *= n;
    }
  return TRUE;
}

/**
 * attn_range_make_ratio:
 * @panel: of weights
 *
 * Returns: (transfer full) (nullable): a panel of its weights times the number of keys that each
 *   query sees: 1 where attention is uniform. A long panel's is long. %NULL where there is not the
 *   memory.
 */
AttnPanel *
attn_range_make_ratio (AttnPanel *panel)
{
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);
  const gsize shape[] = { n_rows, n_columns };
  g_autofree AttnSpan *spans = g_new (AttnSpan, n_rows);

  for (gsize row = 0; row < n_rows; row++)
    spans[row] = attn_panel_get_visible (panel, row);
  if (attn_panel_is_long (panel))
    {
      const AttnRowSource source = { read_ratios, attn_panel_ref (panel),
                                     (GDestroyNotify) attn_panel_unref };

      return attn_panel_new_long (n_rows, n_columns, &source, ATTN_MASK_NONE, spans,
                                  attn_panel_get_row_labels (panel),
                                  attn_panel_get_column_labels (panel));
    }

  g_autoptr (AttnTensor) ratios = attn_tensor_new_unset (2, shape, NULL);
  if (ratios == NULL || !read_ratios (panel, 0, n_rows, ratios->data, NULL))
    return NULL;
  return attn_panel_new_with_visibility (ratios, spans, attn_panel_get_row_labels (panel),
                                         attn_panel_get_column_labels (panel));
}
