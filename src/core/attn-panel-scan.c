/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the levels of a panel, each half as wide and high as the one before, and its extent,
 * such as the largest value, with several threads. They read the values once, in stripes of 64
 * rows. */

#include "config.h"

#include "attn-panel-private.h"

/* The number of levels, each halved once more, that are computed from one stripe of 64 rows alone.
 * The last of them has a single row for each stripe. */
#define N_STRIPE_LEVELS 6
G_STATIC_ASSERT (ATTN_PANEL_STRIPE_ROWS == (gsize) 1 << N_STRIPE_LEVELS);

struct _AttnPanelScan
{
  AttnPanel *panel;
  AttnTensor *levels[N_STRIPE_LEVELS]; /* reduced values of each level from 1 on, as many levels as
                                        * memory allows */
  AttnExtent *extents;                 /* one for each stripe */
};

/**
 * attn_panel_scan_new:
 *
 * Returns: (transfer full) (nullable): a scan that computes the levels and the extent of @panel
 *   stripe by stripe; %NULL if they have been computed, and for a long panel, which is read by
 *   [func@attn_panel_load]
 */
AttnPanelScan *
attn_panel_scan_new (AttnPanel *panel)
{
  g_mutex_lock (&panel->mutex);
  gboolean is_known = panel->has_extent && panel->levels[0] != NULL;
  g_mutex_unlock (&panel->mutex);
  if (is_known || panel->values == NULL)
    return NULL;

  AttnPanelScan *scan = g_new0 (AttnPanelScan, 1);
  const AttnTensor *finer = panel->values;

  scan->panel = attn_panel_ref (panel);
  scan->extents = g_new (AttnExtent, attn_panel_scan_count_stripes (scan));
  for (guint i = 0; i < N_STRIPE_LEVELS && (finer->shape[0] > 1 || finer->shape[1] > 1); i++)
    {
      const gsize shape[] = { attn_panel_shift (finer->shape[0], 1),
                              attn_panel_shift (finer->shape[1], 1) };

      scan->levels[i] = attn_tensor_new_unset (2, shape, NULL);
      if (scan->levels[i] == NULL)
        break;
      finer = scan->levels[i];
    }
  return scan;
}

/**
 * attn_panel_scan_count_stripes:
 *
 * Returns: the number of stripes of %ATTN_PANEL_STRIPE_ROWS rows that the panel is divided into;
 *   the last can have fewer rows
 */
gsize
attn_panel_scan_count_stripes (const AttnPanelScan *scan)
{
  return attn_panel_shift (scan->panel->n_rows, N_STRIPE_LEVELS);
}

/**
 * attn_panel_scan_stripe:
 * @stripe: below the number of stripes; each is to be scanned exactly once
 *
 * Computes the levels and the extent of these rows. Any thread may call, and several at a time.
 */
void
attn_panel_scan_stripe (AttnPanelScan *scan,
                        gsize          stripe)
{
  const AttnPanel *panel = scan->panel;
  gsize first_row = stripe * ATTN_PANEL_STRIPE_ROWS;
  gsize n_rows = MIN (ATTN_PANEL_STRIPE_ROWS, panel->n_rows - first_row);
  gsize n_columns = panel->n_columns;
  const float *from = panel->values->data + first_row * n_columns;
  AttnExtent extent = ATTN_EXTENT_EMPTY;

  attn_panel_scan_rows (panel, first_row, n_rows, (AttnSpan) { 0, n_columns }, from, &extent);
  scan->extents[stripe] = extent;
  for (guint i = 0; i < N_STRIPE_LEVELS && scan->levels[i] != NULL; i++)
    {
      const AttnTensor *level = scan->levels[i];
      float *to = level->data + (first_row >> (i + 1)) * level->shape[1];

      attn_panel_halve (panel, i, first_row >> i, 0, from, n_rows, n_columns, n_columns,
                        extent.has_nan, to);
      from = to;
      n_rows = attn_panel_shift (n_rows, 1);
      n_columns = level->shape[1];
    }
}

/**
 * attn_panel_scan_finish:
 * @scan: (transfer full): a scan whose stripes have all been scanned
 *
 * Gives the levels and the extent that were computed to the panel, which need not compute them
 * again.
 */
void
attn_panel_scan_finish (AttnPanelScan *scan)
{
  AttnPanel *panel = scan->panel;
  gsize n_stripes = attn_panel_scan_count_stripes (scan);
  AttnExtent extent = ATTN_EXTENT_EMPTY;

  extent.has_masked = attn_panel_has_masked (panel);
  for (gsize i = 0; i < n_stripes; i++)
    attn_extent_merge (&extent, &scan->extents[i]);

  g_mutex_lock (&panel->mutex);
  panel->extent = extent;
  panel->has_extent = TRUE;
  for (guint i = 0; i < N_STRIPE_LEVELS; i++)
    if (panel->levels[i] == NULL)
      panel->levels[i] = g_steal_pointer (&scan->levels[i]);
  g_mutex_unlock (&panel->mutex);
  attn_panel_get_level (panel, ATTN_PANEL_MAX_LEVELS);
  attn_panel_scan_free (scan);
}

/**
 * attn_panel_scan_free:
 *
 * Frees a scan, also if not all its stripes have been scanned. What it has computed is lost.
 */
void
attn_panel_scan_free (AttnPanelScan *scan)
{
  for (guint i = 0; i < N_STRIPE_LEVELS; i++)
    g_clear_pointer (&scan->levels[i], attn_tensor_unref);
  attn_panel_unref (scan->panel);
  g_free (scan->extents);
  g_free (scan);
}
