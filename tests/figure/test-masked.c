/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Masked cells hold whatever they hold: no range, no colour and no pointer asks them. */

#include "config.h"

#include <math.h>

#include "attn-painter.h"
#include "attn-range.h"
#include "figure-fixture.h"

#define N 150

/* Under a causal mask values of @low to @high; above it @masked. */
static AttnGrid *
make_grid (float    low,
           float    high,
           float    masked,
           gboolean is_difference)
{
  const gsize shape[] = { N, N };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnTensor) zeros = attn_tensor_new (2, shape, NULL);
  AttnGrid *grid = attn_grid_new (1, 1);

  for (gsize row = 0; row < N; row++)
    for (gsize column = 0; column < N; column++)
      {
        float share = (float) ((row * 37 + column * 101) % 256) / 255;

        values->data[row * N + column] = column > row ? masked : low + (high - low) * share;
      }
  g_autoptr (AttnPanel) panel = attn_panel_new (values, ATTN_MASK_CAUSAL, NULL, NULL);
  g_autoptr (AttnPanel) none = attn_panel_new (zeros, ATTN_MASK_CAUSAL, NULL, NULL);
  grid->cells[0].panel = is_difference ? attn_panel_new_difference (panel, none, NULL)
                                       : attn_panel_ref (panel);
  grid->cells[0].is_difference = is_difference;
  return grid;
}

/* The ends of every kind of range on every kind of scale are those that they are above zeros. */
static void
test_ranges (void)
{
  const float masked[] = { 9, -9, 1e-20f, NAN, INFINITY, -INFINITY };
  const AttnViewport parts[] = { ATTN_VIEWPORT_FIT, { 0.4, 0.4, 0.2, 0.2 } };

  for (guint m = 0; m < G_N_ELEMENTS (masked); m++)
    for (guint kind = 0; kind < ATTN_N_SCALES; kind++)
      for (AttnRangeKind range = ATTN_RANGE_FIXED; range <= ATTN_RANGE_VISIBLE; range++)
        for (guint part = 0; part < G_N_ELEMENTS (parts); part++)
          {
            g_autoptr (AttnGrid) grid = make_grid (0.1f, 0.8f, masked[m], FALSE);
            g_autoptr (AttnGrid) clean = make_grid (0.1f, 0.8f, 0, FALSE);
            AttnStyle style = attn_style_default ();
            AttnRange found, expected;

            style.scale = kind;
            style.range = range;
            style.clip = 5;
            attn_range_resolve (grid, 0, 1, FALSE, &style, &parts[part], &found);
            attn_range_resolve (clean, 0, 1, FALSE, &style, &parts[part], &expected);
            g_assert_cmpfloat (found.scale.low, ==, expected.scale.low);
            g_assert_cmpfloat (found.scale.high, ==, expected.scale.high);
            g_assert_true (found.has_under == expected.has_under &&
                           found.has_over == expected.has_over && !found.has_nan);
            for (float value = 0; value < 1; value += 0.03f)
              g_assert_cmpuint (attn_scale_get_index (&found.scale, value), ==,
                                attn_scale_get_index (&expected.scale, value));
            attn_range_clear (&found);
            attn_range_clear (&expected);
          }
}

/* 0.9 in the upper half of the rows, 0.1 in the lower, 9 where the mask is. */
static gboolean
read_rows (gpointer   data,
           gsize      first_row,
           gsize      n_rows,
           float     *rows,
           GError   **error)
{
  gsize n = *(const gsize *) data;

  for (gsize row = first_row; row < first_row + n_rows; row++)
    for (gsize column = 0; column < n; column++)
      rows[(row - first_row) * n + column] = column > row ? 9 : row < n / 2 ? 0.9f
                                                                            : 0.1f;
  return TRUE;
}

/* A long panel answers from its overview: this has nothing of the mask in it either. */
static void
test_range_of_a_long_panel (void)
{
  gsize n = 1024;
  const AttnRowSource source = { read_rows, &n, NULL };
  const AttnViewport lower = { 0.7, 0.7, 0.2, 0.2 };
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnStyle style = attn_style_default ();
  AttnRange range;

  attn_panel_set_max_cells (256 * 256);
  style.range = ATTN_RANGE_VISIBLE;
  grid->cells[0].panel =
      attn_panel_new_long (n, n, &source, ATTN_MASK_CAUSAL, NULL, NULL, NULL);
  g_assert_true (attn_panel_load (grid->cells[0].panel, NULL, NULL, NULL));
  attn_range_resolve (grid, 0, 1, FALSE, &style, &lower, &range);
  g_assert_cmpfloat (range.scale.high, ==, 0.1f);
  attn_range_clear (&range);
  attn_panel_set_max_cells (0);
}

/* Whatever is masked: the same pixels, and a pointer that finds the cell which a pixel shows, or a
 * masked one where there is no other. Negative weights, which zeros would outshine; reduced and
 * magnified. */
static void
check_pixels (gboolean is_difference,
              gboolean has_masked_color,
              double   size)
{
  const float masked[] = { 0, 9, NAN, -INFINITY };
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();
  g_autofree guint32 *first = NULL;
  int n_pixels = (int) (size * size);

  style.low = -2;
  style.high = -1;
  style.range = ATTN_RANGE_FIXED;
  style.shows_values = style.shows_colorbar = style.shows_tokens = FALSE;
  style.has_background = TRUE;
  style.has_masked_color = has_masked_color;
  for (guint m = 0; m < G_N_ELEMENTS (masked); m++)
    {
      g_autoptr (AttnGrid) grid = make_grid (-2, -1, masked[m], is_difference);
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, size, size);
      g_autoptr (AttnPainter) painter = attn_painter_new ();
      cairo_surface_t *surface =
          cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) size, (int) size);
      cairo_t *cr = cairo_create (surface);

      attn_painter_draw (painter, scene, cr, 1);
      cairo_destroy (cr);
      cairo_surface_flush (surface);
      const guint32 *pixels = (const guint32 *) cairo_image_surface_get_data (surface);
      g_assert_cmpint (cairo_image_surface_get_stride (surface), ==, 4 * (int) size);
      if (first == NULL)
        first = g_memdup2 (pixels, n_pixels * sizeof *pixels);
      g_assert_cmpmem (pixels, n_pixels * sizeof *pixels, first, n_pixels * sizeof *pixels);
      for (int i = 0; i < n_pixels; i++)
        {
          AttnHit hit;

          if (!attn_scene_hit (scene, i % (int) size + 0.5, i / (int) size + 0.5, 1, &hit))
            continue;
          AttnRgb color = get_cell_color (scene, hit.group, hit.row, hit.column);
          g_assert_cmphex (pixels[i] & 0xffffff, ==,
                           (guint) color.red << 16 | color.green << 8 | color.blue);
          /* Below the diagonal, the pixel of a block at its edge shows a cell that counts. */
          if (hit.first_row + hit.n_rows > hit.column)
            g_assert_true (attn_panel_is_visible (grid->cells[0].panel, hit.row, hit.column));
        }
      cairo_surface_destroy (surface);
    }
}

static void
test_pixels (void)
{
  for (guint i = 0; i < 8; i++)
    check_pixels ((i & 1) != 0, (i & 2) != 0, (i & 4) != 0 ? 500 : 60);
}

/* The same of the files that draw cells, single or in blocks. */
static void
test_files (void)
{
  const AttnExportFormat formats[] = { ATTN_EXPORT_SVG, ATTN_EXPORT_PDF, ATTN_EXPORT_PNG };
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();

  style.range = ATTN_RANGE_DATA;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (AttnGrid) grid = make_grid (-2, -1, -9, FALSE);
      g_autoptr (AttnGrid) clean = make_grid (-2, -1, 0, FALSE);
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 200, 0);
      g_autoptr (AttnScene) other = attn_layout_figure (clean, &style, &fit, 200, 0);
      g_autoptr (GBytes) found = export_to_bytes (scene, formats[i], 72, NULL, NULL, NULL);
      g_autoptr (GBytes) expected = export_to_bytes (other, formats[i], 72, NULL, NULL, NULL);

      g_assert_true (g_bytes_equal (found, expected));
    }
}

/* Of no coloured map is the tone of masked cells mistaken for the ends or for the middle. */
static void
test_tone (void)
{
  const AttnRgb tone = attn_style_default ().masked_color;

  for (AttnColormap map = 0; map < ATTN_N_COLORMAPS; map++)
    {
      const AttnRgb *table = attn_colormap_get_table (map, FALSE);
      const guint at[] = { 0, ATTN_COLORMAP_SIZE / 2, ATTN_COLORMAP_SIZE - 1 };

      for (guint i = 0; i < G_N_ELEMENTS (at); i++)
        {
          AttnRgb color = table[at[i]];
          int distance = MAX (ABS (color.red - tone.red),
                              MAX (ABS (color.green - tone.green), ABS (color.blue - tone.blue)));

          g_test_message ("%s: %u", attn_colormap_get_name (map), at[i]);
          g_assert_cmpint (distance, >=, 25);
        }
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/masked/ranges", test_ranges);
  g_test_add_func ("/figure/masked/range-of-a-long-panel", test_range_of_a_long_panel);
  g_test_add_func ("/figure/masked/pixels", test_pixels);
  g_test_add_func ("/figure/masked/files", test_files);
  g_test_add_func ("/figure/masked/tone", test_tone);
  return g_test_run ();
}
