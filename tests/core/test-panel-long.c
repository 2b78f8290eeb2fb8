/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A long panel shows what a panel that keeps its values shows, and asks for the rows it needs
 * only. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-panel.h"

#define N_ROWS    ((gsize) 391)
#define N_COLUMNS ((gsize) 517)

/* Rows of a panel that keeps them, counted. */
typedef struct
{
  AttnPanel *panel;
  gint n_read; /* atomic */
  gint most;   /* atomic: at a time */
} Source;

static gboolean
read_rows (gpointer   data,
           gsize      first_row,
           gsize      n_rows,
           float     *rows,
           GError   **error)
{
  Source *source = data;

  g_assert_cmpuint (first_row % ATTN_PANEL_BAND_ROWS, ==, 0);
  g_assert_true (n_rows % ATTN_PANEL_BAND_ROWS == 0 || first_row + n_rows == N_ROWS);
  g_atomic_int_add (&source->n_read, (gint) n_rows);
  if ((gint) n_rows > g_atomic_int_get (&source->most))
    g_atomic_int_set (&source->most, (gint) n_rows);
  return attn_panel_read_rows (source->panel, first_row, n_rows, rows, error);
}

/* Values of either sign with some NaN, and peaks at the corners; 0 where a causal mask is. */
static AttnPanel *
new_kept (AttnMask mask)
{
  const gsize shape[] = { N_ROWS, N_COLUMNS };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);

  for (gsize i = 0; i < N_ROWS * N_COLUMNS; i++)
    if (mask == ATTN_MASK_NONE || i % N_COLUMNS <= i / N_COLUMNS)
      values->data[i] = i % 1009 == 0 ? NAN : (float) ((i * 7919) % 10007) / 10007 - 0.3f;
  values->data[0] = 3;
  values->data[N_ROWS * N_COLUMNS - 1] = mask == ATTN_MASK_NONE ? 2 : 0;
  return attn_panel_new (values, mask, NULL, NULL);
}

static AttnPanel *
new_long (Source *source)
{
  const AttnRowSource rows = { read_rows, source, NULL };

  return attn_panel_new_long (N_ROWS, N_COLUMNS, &rows, attn_panel_get_mask (source->panel), NULL,
                              NULL, NULL);
}

static void
assert_same (const float *a,
             const float *b,
             gsize        n)
{
  for (gsize i = 0; i < n; i++)
    if (isnan (a[i]) ? !isnan (b[i]) : a[i] != b[i])
      g_error ("element %zu: %g found, expected %g", i, b[i], a[i]);
}

static void
assert_same_panels (AttnPanel *kept,
                    AttnPanel *panel)
{
  AttnExtent expected, extent;

  g_assert_true (attn_panel_is_long (panel));
  g_assert_null (attn_panel_get_values (panel));
  for (gsize row = 0; row < N_ROWS; row += 13)
    for (gsize column = row % 29; column < N_COLUMNS; column += 29)
      {
        float a = attn_panel_get_value (kept, row, column);
        float b = attn_panel_get_value (panel, row, column);

        assert_same (&a, &b, 1);
        g_assert_cmpuint (attn_panel_get_rank (kept, row, column), ==,
                          attn_panel_get_rank (panel, row, column));
      }
  for (guint level = 0; level < 12; level++)
    {
      const AttnTensor *values = attn_panel_get_level (panel, level);
      guint actual = 0;

      while (((N_ROWS - 1) >> actual) + 1 > values->shape[0] ||
             ((N_COLUMNS - 1) >> actual) + 1 > values->shape[1])
        actual++;
      g_assert_cmpuint (actual, >=, MIN (level, 9));
      const AttnTensor *same = attn_panel_get_level (kept, actual);
      g_assert_cmpuint (same->shape[0], ==, values->shape[0]);
      g_assert_cmpuint (same->shape[1], ==, values->shape[1]);
      assert_same (same->data, values->data, values->shape[0] * values->shape[1]);
    }
  attn_panel_get_extent (kept, &expected);
  attn_panel_get_extent (panel, &extent);
  g_assert_cmpfloat (extent.lowest, ==, expected.lowest);
  g_assert_cmpfloat (extent.highest, ==, expected.highest);
  g_assert_cmpfloat (extent.lowest_positive, ==, expected.lowest_positive);
  g_assert_true (extent.has_nan == expected.has_nan && extent.has_masked == expected.has_masked);
}

static void
test_same (void)
{
  for (AttnMask mask = ATTN_MASK_NONE; mask <= ATTN_MASK_CAUSAL; mask++)
    {
      g_autoptr (AttnPanel) kept = new_kept (mask);
      Source source = { kept };
      g_autoptr (AttnPanel) panel = new_long (&source);

      assert_same_panels (kept, panel);
    }
}

static void
test_difference (void)
{
  g_autoptr (AttnPanel) a = new_kept (ATTN_MASK_NONE);
  g_autoptr (AttnPanel) b = new_kept (ATTN_MASK_CAUSAL);
  g_autoptr (AttnPanel) kept = attn_panel_new_difference (a, b, NULL);
  Source source = { a };
  g_autoptr (AttnPanel) minuend = new_long (&source);
  g_autoptr (AttnPanel) panel = attn_panel_new_difference (minuend, b, NULL);

  g_assert_true (attn_panel_is_signed (panel));
  assert_same_panels (kept, panel);
}

/* Any rectangle at any level has the cells of that level, and is made of its own rows only. */
static void
test_tiles (void)
{
  g_autoptr (AttnPanel) kept = new_kept (ATTN_MASK_NONE);
  Source source = { kept };
  g_autoptr (AttnPanel) panel = new_long (&source);
  const struct
  {
    guint level;
    AttnSpan rows;
    AttnSpan columns;
    gint n_read;
  } cases[] = {
    { 0, { 0, 1 }, { 0, 1 }, 128 },
    { 0, { 120, 140 }, { 33, 517 }, 256 },
    { 1, { 385, 391 }, { 101, 104 }, 391 - 384 },
    { 2, { 1, 390 }, { 7, 515 }, 391 },
  };

  g_assert_true (attn_panel_load (panel, NULL, NULL, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AttnSpan rows = cases[i].rows;
      AttnSpan columns = cases[i].columns;
      g_auto (AttnPanelTile) coarse = { 0 };
      g_auto (AttnPanelTile) tile = { 0 };

      /* Before, there is something coarser. */
      g_assert_false (attn_panel_get_tile (panel, cases[i].level, rows, columns, &coarse));
      g_assert_nonnull (coarse.values);
      source.n_read = 0;
      g_assert_true (attn_panel_load_tile (panel, cases[i].level, rows, columns, NULL, NULL, NULL,
                                           NULL));
      g_assert_cmpint (source.n_read, ==, cases[i].n_read);
      g_assert_true (attn_panel_get_tile (panel, cases[i].level, rows, columns, &tile));
      g_assert_cmpint (source.n_read, ==, cases[i].n_read);
      g_assert_cmpuint (tile.level, ==, cases[i].level);

      const AttnTensor *level = attn_panel_get_level (kept, tile.level);
      for (gsize row = rows.first >> tile.level; row <= (rows.end - 1) >> tile.level; row++)
        for (gsize column = columns.first >> tile.level;
             column <= (columns.end - 1) >> tile.level; column++)
          assert_same (level->data + row * level->shape[1] + column,
                       tile.values->data + (row - tile.first_row) * tile.values->shape[1] + column -
                           tile.first_column,
                       1);
    }
}

/* Those who read row by row ask for each band once, and nobody asks for all at a time. */
static void
test_few_rows_at_a_time (void)
{
  g_autoptr (AttnPanel) kept = new_kept (ATTN_MASK_NONE);
  Source source = { kept };
  g_autoptr (AttnPanel) panel = new_long (&source);
  g_auto (AttnPanelReader) reader = { .panel = panel };

  for (gsize row = 0; row < N_ROWS; row++)
    assert_same (attn_panel_get_values (kept)->data + row * N_COLUMNS,
                 attn_panel_reader_get_row (&reader, row), N_COLUMNS);
  g_assert_cmpint (source.n_read, ==, N_ROWS);
  g_assert_cmpint (source.most, ==, (gint) ATTN_PANEL_BAND_ROWS);
  /* The last ones are remembered. */
  attn_panel_get_value (panel, N_ROWS - 1, 0);
  attn_panel_get_value (panel, N_ROWS - 200, 0);
  g_assert_cmpint (source.n_read, ==, N_ROWS);

  g_autofree float *rows = g_new (float, 300 * N_COLUMNS);
  source.n_read = 0;
  g_assert_true (attn_panel_read_rows (panel, 91, 300, rows, NULL));
  assert_same (attn_panel_get_values (kept)->data + 91 * N_COLUMNS, rows, 300 * N_COLUMNS);
  g_assert_cmpint (source.n_read, <=, N_ROWS);
}

static gboolean
stop_cb (gsize        first_row,
         gsize        n_rows,
         const float *rows,
         gpointer     user_data)
{
  return FALSE;
}

/* What is given up leaves nothing behind. */
static void
test_stopped (void)
{
  g_autoptr (AttnPanel) kept = new_kept (ATTN_MASK_NONE);
  Source source = { kept };
  g_autoptr (AttnPanel) panel = new_long (&source);
  g_auto (AttnPanelTile) tile = { 0 };
  AttnSpan all = { 0, 300 };

  g_assert_false (attn_panel_load (panel, stop_cb, NULL, NULL));
  g_assert_false (attn_panel_has_overview (panel));
  g_assert_false (attn_panel_load_tile (panel, 0, all, all, stop_cb, NULL, NULL, NULL));
  g_assert_false (attn_panel_get_tile (panel, 0, all, all, &tile));
  g_assert_true (attn_panel_has_overview (panel));
}

static gpointer
read_cb (gpointer data)
{
  AttnPanel *panel = data;
  double sum = 0;

  for (gsize i = 0; i < 300; i++)
    {
      AttnSpan span = { i % 250, i % 250 + 100 };
      g_auto (AttnPanelTile) tile = { 0 };

      attn_panel_load_tile (panel, i % 2, span, span, NULL, NULL, NULL, NULL);
      attn_panel_get_tile (panel, i % 2, span, span, &tile);
      sum += tile.values->data[0];
      sum += attn_panel_get_value (panel, i % N_ROWS, (i * 31) % N_COLUMNS);
    }
  return sum > 0 ? data : NULL;
}

/* A tile and bands may be replaced while others read them. */
static void
test_threads (void)
{
  g_autoptr (AttnPanel) kept = new_kept (ATTN_MASK_NONE);
  Source source = { kept };
  g_autoptr (AttnPanel) panel = new_long (&source);
  GThread *threads[3];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_cb, panel);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  assert_same_panels (kept, panel);
}

static void
test_extent (void)
{
  const float values[] = { NAN, 0.5f, -INFINITY, -2, 0, 7, INFINITY, 0.25f };
  AttnExtent extent = ATTN_EXTENT_EMPTY;

  attn_extent_add (&extent, values, 1);
  g_assert_true (extent.has_nan && extent.lowest > extent.highest);
  attn_extent_add (&extent, values, G_N_ELEMENTS (values));
  g_assert_cmpfloat (extent.lowest, ==, -2);
  g_assert_cmpfloat (extent.highest, ==, 7);
  g_assert_cmpfloat (extent.lowest_positive, ==, 0.25f);
  g_assert_true (extent.has_infinity && extent.has_minus_infinity);
}

/* Rows that were loaded are there, wherever somebody else passes; and of too many the first. */
static void
test_rows_that_are_kept (void)
{
  g_autoptr (AttnPanel) kept = new_kept (ATTN_MASK_NONE);
  Source source = { kept };
  g_autoptr (AttnPanel) panel = new_long (&source);
  const AttnSpan rows = { 100, 140 };
  const AttnSpan others = { 300, 301 };

  g_assert_true (attn_panel_has_rows (kept, rows));
  g_assert_false (attn_panel_has_rows (panel, rows));
  attn_panel_load_rows (panel, rows);
  g_assert_true (attn_panel_has_rows (panel, rows));
  g_assert_false (attn_panel_has_rows (panel, others));
  g_assert_cmpint (source.n_read, ==, 2 * ATTN_PANEL_BAND_ROWS);

  g_auto (AttnPanelReader) reader = { .panel = panel, .passes = TRUE };
  for (gsize row = 0; row < N_ROWS; row++)
    assert_same (attn_panel_get_values (kept)->data + row * N_COLUMNS,
                 attn_panel_reader_get_row (&reader, row), N_COLUMNS);
  g_assert_cmpint (source.n_read, ==, N_ROWS);
  g_assert_false (attn_panel_has_rows (panel, others));
  g_assert_true (attn_panel_has_rows (panel, rows));
}

/* A tile knows how far the cells reach that it was made of, the smallest included. */
static void
test_extent_of_a_tile (void)
{
  g_autoptr (AttnPanel) kept = new_kept (ATTN_MASK_CAUSAL);
  Source source = { kept };
  g_autoptr (AttnPanel) panel = new_long (&source);
  const AttnSpan rows = { 128, 256 };
  const AttnSpan columns = { 64, 160 };
  g_auto (AttnPanelTile) tile = { 0 };
  AttnExtent expected = ATTN_EXTENT_EMPTY;

  for (gsize row = rows.first; row < rows.end; row++)
    attn_extent_add (&expected,
                     attn_panel_get_values (kept)->data + row * N_COLUMNS + columns.first,
                     MIN (columns.end, row + 1) - columns.first);
  g_assert_true (attn_panel_load_tile (panel, 2, rows, columns, NULL, NULL, &tile, NULL));
  g_assert_cmpuint (tile.level, ==, 2);
  g_assert_cmpfloat (tile.extent.lowest, ==, expected.lowest);
  g_assert_cmpfloat (tile.extent.highest, ==, expected.highest);
  g_assert_true (tile.extent.has_masked && tile.extent.has_nan == expected.has_nan);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  attn_panel_set_max_cells (2000);
  g_test_add_func ("/panel-long/same", test_same);
  g_test_add_func ("/panel-long/difference", test_difference);
  g_test_add_func ("/panel-long/tiles", test_tiles);
  g_test_add_func ("/panel-long/few-rows-at-a-time", test_few_rows_at_a_time);
  g_test_add_func ("/panel-long/stopped", test_stopped);
  g_test_add_func ("/panel-long/threads", test_threads);
  g_test_add_func ("/panel-long/extent", test_extent);
  g_test_add_func ("/panel-long/rows-that-are-kept", test_rows_that_are_kept);
  g_test_add_func ("/panel-long/extent-of-a-tile", test_extent_of_a_tile);
  return g_test_run ();
}
