/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sorts all values of panels that share a scale, for scales by rank and for ranges with clipped
 * ends. */

#include "config.h"

#include "attn-range-private.h"

#include <math.h>
#include <string.h>

/* Maps a float to an integer, so that integers have the order of their floats. */
static guint32
to_key (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

static float
from_key (guint32 key)
{
  guint32 bits = key & 0x80000000 ? key & 0x7fffffff : ~key;
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Sorts keys by radix sort with 11 bits at a time; fast for millions of weights. */
static void
sort_keys (guint32 *keys,
           guint32 *scratch,
           gsize    n)
{
  const guint n_bits = 11;
  const guint32 mask = (1 << n_bits) - 1;
  g_autofree gsize *starts = g_new (gsize, mask + 1);
  guint32 *from = keys;
  guint32 *to = scratch;

  for (guint shift = 0; shift < 33; shift += n_bits)
    {
      gsize start = 0;

      memset (starts, 0, (mask + 1) * sizeof *starts);
      for (gsize i = 0; i < n; i++)
        starts[from[i] >> shift & mask]++;
      for (guint32 digit = 0; digit <= mask; digit++)
        {
          gsize count = starts[digit];

          starts[digit] = start;
          start += count;
        }
      for (gsize i = 0; i < n; i++)
        to[starts[from[i] >> shift & mask]++] = from[i];
      guint32 *swap = from;
      from = to;
      to = swap;
    }
  memcpy (keys, from, n * sizeof *keys);
}

/* Returns the step between the values of a long panel that are sampled: about as many values are
 * sampled as the largest panel that is not long has. */
static gsize
get_step (AttnPanel *panel)
{
  gsize n_rows = attn_panel_get_n_rows (panel);
  gsize n_columns = attn_panel_get_n_columns (panel);

  return attn_panel_is_long (panel) ? n_rows / (attn_panel_get_max_cells () / n_columns + 1) + 1
                                    : 1;
}

static gsize
get_n_ranked (AttnPanel *panel)
{
  return attn_panel_get_n_columns (panel) / get_step (panel) + 1;
}

/**
 * attn_range_sort_values:
 * @panels: (element-type AttnPanel): whose values are ranked together
 * @n_values: (out): how many values are returned
 *
 * Takes 8 bytes a value while it works, and time linear in the number of values. Of a long panel,
 * whose rows are computed when they are read, a sample stands for the rest.
 *
 * Returns: (transfer full) (nullable): the finite values that are not masked, ascending; %NULL if
 *   there are none, or not enough memory
 */
float *
attn_range_sort_values (const GPtrArray *panels,
                        gsize           *n_values)
{
  gsize capacity = 0;
  gsize n = 0;

  for (guint i = 0; i < panels->len; i++)
    {
      AttnPanel *panel = g_ptr_array_index (panels, i);

      capacity += attn_panel_get_n_rows (panel) * get_n_ranked (panel);
    }

  g_autofree guint32 *keys = g_try_new (guint32, capacity);
  g_autofree guint32 *scratch = g_try_new (guint32, capacity);
  if (keys == NULL || scratch == NULL)
    return NULL;
  for (guint i = 0; i < panels->len; i++)
    {
      AttnPanel *panel = g_ptr_array_index (panels, i);

      g_auto (AttnPanelReader) reader = { .panel = panel, .passes = TRUE };
      gsize step = get_step (panel);

      for (gsize row = 0; row < attn_panel_get_n_rows (panel); row++)
        {
          AttnSpan span = attn_panel_get_visible (panel, row);
          const float *values = attn_panel_reader_get_row (&reader, row);

          /* Each row of a long panel is sampled beginning with another column, so that no column is
           * preferred. */
          for (gsize column = span.first + row % step; column < span.end; column += step)
            {
              float value = values[column];

              if (isfinite (value))
                keys[n++] = to_key (value + 0.0f); /* -0 becomes 0 */
            }
        }
    }
  *n_values = n;
  if (n == 0)
    return NULL;
  sort_keys (keys, scratch, n);

  float *sorted = (float *) scratch;
  for (gsize i = 0; i < n; i++)
    sorted[i] = from_key (keys[i]);
  return (float *) (gpointer) g_steal_pointer (&scratch);
}
