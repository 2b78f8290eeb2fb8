/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "reading-fixture.h"

#include <math.h>

/* Weight of row i, column j: falls along the row, different in each panel. */
static float
get_weight (gsize group,
            gsize row,
            gsize column)
{
  return column > row ? 0 : (float) ((column + 1.0) / 100 + group / 10.0);
}

/* The tokens are t0, t1, ...; the first cell of the fourth panel is not a number. */
AttnPanel *
reading_fixture_panel (gsize group)
{
  gsize shape[2] = { N_TOKENS, N_TOKENS };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);
  g_auto (GStrv) labels = g_new0 (char *, N_TOKENS + 1);

  for (gsize row = 0; row < N_TOKENS; row++)
    {
      labels[row] = g_strdup_printf ("t%" G_GSIZE_FORMAT, row);
      for (gsize column = 0; column < N_TOKENS; column++)
        tensor->data[row * N_TOKENS + column] = get_weight (group, row, column);
    }
  if (group == 3)
    tensor->data[0] = NAN;
  return attn_panel_new (tensor, ATTN_MASK_CAUSAL, (const char **) labels, (const char **) labels);
}

/* Each panel with the first as its baseline. */
AttnGrid *
reading_fixture_grid (void)
{
  AttnGrid *grid = attn_grid_new (2, 2);

  for (gsize i = 0; i < 4; i++)
    {
      grid->cells[i].panel = reading_fixture_panel (i);
      grid->cells[i].baseline = reading_fixture_panel (0);
      grid->cells[i].name = g_strdup_printf ("Panel %" G_GSIZE_FORMAT, i);
    }
  return grid;
}
