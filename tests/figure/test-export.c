/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files as the user gets them, and what is refused. */

#include "config.h"

#include <cairo.h>
#include <glib/gstdio.h>
#include <string.h>

#include "attn-error.h"
#include "attn-export.h"
#include "attn-memory.h"
#include "figure-fixture.h"

static AttnScene *
make_scene (gsize  n_tokens,
            double width,
            double height)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, n_tokens);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  style.has_background = TRUE;
  return attn_layout_figure (grid, &style, &fit, width, height);
}

static void
test_formats (void)
{
  AttnExportFormat format;

  g_assert_true (attn_export_parse_format ("a.svg", &format, NULL));
  g_assert_cmpint (format, ==, ATTN_EXPORT_SVG);
  g_assert_true (attn_export_parse_format ("/x.y/a.b.PDF", &format, NULL));
  g_assert_cmpint (format, ==, ATTN_EXPORT_PDF);
  g_assert_true (attn_export_parse_format ("a.Png", &format, NULL));
  g_assert_cmpint (format, ==, ATTN_EXPORT_PNG);

  const char *bad[] = { "a.jpg", "a", "dir.svg/a", "", ".svgz", "svg", "a.svg." };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (attn_export_parse_format (bad[i], &format, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_assert_nonnull (strstr (error->message, ".svg, .pdf, .png"));
    }
}

static void
test_every_format_twice (void)
{
  const char *starts[] = { "<?xml", "%PDF-", "\x89PNG", "<!DOCTYPE html>" };
  g_autoptr (AttnScene) a = make_scene (15, 0, 0);
  g_autoptr (AttnScene) b = make_scene (15, 0, 0);

  for (guint format = ATTN_EXPORT_SVG; format < ATTN_N_EXPORT_FORMATS; format++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) first =
          export_to_bytes (a, format, 100, "The title, ε", "{\"x\": 1}", &error);
      g_assert_no_error (error);
      g_autoptr (GBytes) second =
          export_to_bytes (b, format, 100, "The title, ε", "{\"x\": 1}", &error);
      g_assert_no_error (error);

      g_assert_cmpmem (g_bytes_get_data (first, NULL), strlen (starts[format]), starts[format],
                       strlen (starts[format]));
      g_assert_true (g_bytes_equal (first, second));
      g_autoptr (GBytes) bare = export_to_bytes (a, format, 100, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (g_bytes_get_size (bare), <, g_bytes_get_size (first));
    }
}

typedef struct
{
  const guint8 *data;
  gsize n_left;
} Reader;

static cairo_status_t
read_cb (void          *closure,
         unsigned char *data,
         unsigned int   length)
{
  Reader *reader = closure;

  if (length > reader->n_left)
    return CAIRO_STATUS_READ_ERROR;
  memcpy (data, reader->data, length);
  reader->data += length;
  reader->n_left -= length;
  return CAIRO_STATUS_SUCCESS;
}

static void
test_png (void)
{
  g_autoptr (AttnScene) scene = make_scene (15, 400, 300.1);
  g_autoptr (GBytes) png = export_to_bytes (scene, ATTN_EXPORT_PNG, 144, "T", "M", NULL);
  gsize size;
  const guint8 *data = g_bytes_get_data (png, &size);
  Reader reader = { data, size };
  cairo_surface_t *surface = cairo_image_surface_create_from_png_stream (read_cb, &reader);

  /* libpng checks every chunk's sum on the way. A tenth of a point needs a pixel. */
  g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 800);
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 601);
  guint32 corner = *(const guint32 *) cairo_image_surface_get_data (surface);
  g_assert_cmphex (corner & 0xffffff, ==, 0xffffff);
  cairo_surface_destroy (surface);
  /* 144 dpi are 5669 pixels a metre: pHYs follows the header. */
  const guint8 expected[] = { 'p', 'H', 'Y', 's', 0, 0, 0x16, 0x25, 0, 0, 0x16, 0x25, 1 };
  g_assert_cmpmem (data + 8 + 25 + 4, sizeof expected, expected, sizeof expected);
}

static void
test_refusals (void)
{
  g_autoptr (AttnScene) scene = make_scene (2, 400, 300);
  const double resolutions[] = { 0, -1, 5898.1, 1e300 };
  const int codes[] = { ATTN_ERROR_ARGUMENT, ATTN_ERROR_ARGUMENT, ATTN_ERROR_LIMIT,
                        ATTN_ERROR_LIMIT };

  for (guint i = 0; i < G_N_ELEMENTS (resolutions); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) png =
          export_to_bytes (scene, ATTN_EXPORT_PNG, resolutions[i], NULL, NULL, &error);
      g_assert_null (png);
      g_assert_error (error, ATTN_ERROR, codes[i]);
      if (codes[i] == ATTN_ERROR_LIMIT)
        g_assert_nonnull (strstr (error->message, "32767"));
    }

  g_autoptr (GError) error = NULL;
  attn_memory_set_limit (1000 * 1000);
  g_autoptr (GBytes) png = export_to_bytes (scene, ATTN_EXPORT_PNG, 300, NULL, NULL, &error);
  attn_memory_set_limit (0);
  g_assert_null (png);
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "8.3"));
  g_assert_nonnull (strstr (error->message, "1.0"));
}

static void
test_pdf_text (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-figure-XXXXXX", NULL);
  g_autofree char *pdf_path = g_build_filename (directory, "a.pdf", NULL);
  g_autofree char *text_path = g_build_filename (directory, "a.txt", NULL);
  char *tool[] = { "pdftotext", "-enc", "UTF-8", pdf_path, text_path, NULL };
  const gsize n_tokens[] = { 15, 200 }; /* as rectangles, as an image */
  gboolean has_tool = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (n_tokens); i++)
    {
      g_autoptr (AttnScene) scene = make_scene (n_tokens[i], 0, 0);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) pdf = export_to_bytes (scene, ATTN_EXPORT_PDF, 0, "T", "M", &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      g_assert_true (g_file_set_contents (pdf_path, g_bytes_get_data (pdf, NULL),
                                          g_bytes_get_size (pdf), NULL));
      has_tool = figure_fixture_run (tool);
      if (!has_tool)
        break;
      g_assert_true (g_file_get_contents (text_path, &text, NULL, NULL));
      g_assert_nonnull (strstr (text, "Taking the Mean of Query (Input 1)"));
      g_assert_nonnull (strstr (text, "The Mean Operation For Query, Key and Value"));
    }
  g_remove (pdf_path);
  g_remove (text_path);
  g_rmdir (directory);
  if (!has_tool)
    g_test_skip ("pdftotext is not installed");
}

/* poppler's picture has the colour of every cell at its middle, as rectangles and as an image. */
static void
check_pdf_cells (const char   *directory,
                 AttnGrid     *grid,
                 AttnViewport  viewport,
                 gboolean     *has_tool)
{
  const double resolution = 216;
  g_autofree char *pdf_path = g_build_filename (directory, "a.pdf", NULL);
  g_autofree char *stem = g_build_filename (directory, "a", NULL);
  g_autofree char *png_path = g_build_filename (directory, "a.png", NULL);
  char *tool[] = { "pdftoppm", "-r", "216", "-png", "-singlefile", pdf_path, stem, NULL };
  AttnStyle style = attn_style_default ();
  g_autoptr (GError) error = NULL;

  style.shows_values = FALSE;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewport, 400, 380);
  g_autoptr (GBytes) pdf = export_to_bytes (scene, ATTN_EXPORT_PDF, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (pdf_path, g_bytes_get_data (pdf, NULL),
                                      g_bytes_get_size (pdf), NULL));
  *has_tool = figure_fixture_run (tool);
  if (*has_tool)
    {
      cairo_surface_t *surface = cairo_image_surface_create_from_png (png_path);
      AttnPanel *panel = grid->cells[0].panel;
      gsize n = attn_panel_get_n_rows (panel);
      gsize n_checked = 0;

      for (gsize i = 0; i < n * n; i++)
        {
          AttnRectangle cell;

          if (!attn_scene_get_cell (scene, 0, i / n, i % n, &cell) ||
              cell.width * resolution / 72 < 3 || cell.height * resolution / 72 < 3)
            continue;
          int x = (int) ((cell.x + cell.width / 2) * resolution / 72);
          int y = (int) ((cell.y + cell.height / 2) * resolution / 72);
          const guint8 *row =
              cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface);
          guint32 pixel = ((const guint32 *) row)[x];
          AttnRgb color = get_style_color (&style, attn_panel_get_value (panel, i / n, i % n));

          /* 1 of 255: PDF has colours as decimal fractions. */
          g_assert_cmpint (ABS ((int) (pixel >> 16 & 0xff) - color.red), <=, 1);
          g_assert_cmpint (ABS ((int) (pixel >> 8 & 0xff) - color.green), <=, 1);
          g_assert_cmpint (ABS ((int) (pixel & 0xff) - color.blue), <=, 1);
          n_checked++;
        }
      g_assert_cmpuint (n_checked, >, 100);
      cairo_surface_destroy (surface);
    }
  g_remove (pdf_path);
  g_remove (png_path);
}

static void
test_pdf_cells (void)
{
  const AttnViewport close = { 0.113, 0.077, 0.3, 0.3 };
  g_autofree char *directory = g_dir_make_tmp ("attn-figure-XXXXXX", NULL);
  g_autoptr (AttnGrid) small = figure_fixture_grid (1, 1, 40);
  g_autoptr (AttnGrid) large = figure_fixture_grid (1, 1, 512);
  g_autoptr (AttnGrid) medium = figure_fixture_grid (1, 1, 160);
  gboolean has_tool;

  check_pdf_cells (directory, small, ATTN_VIEWPORT_FIT, &has_tool);
  check_pdf_cells (directory, small, close, &has_tool);
  check_pdf_cells (directory, medium, ATTN_VIEWPORT_FIT, &has_tool);
  check_pdf_cells (directory, large, close, &has_tool);
  g_rmdir (directory);
  if (!has_tool)
    g_test_skip ("pdftoppm is not installed");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/export/formats-by-suffix", test_formats);
  g_test_add_func ("/figure/export/same-bytes-twice", test_every_format_twice);
  g_test_add_func ("/figure/export/png-size-and-resolution", test_png);
  g_test_add_func ("/figure/export/refusals-name-both-numbers", test_refusals);
  g_test_add_func ("/figure/export/pdf-text-is-text", test_pdf_text);
  g_test_add_func ("/figure/export/pdf-cells-have-their-colours", test_pdf_cells);
  return g_test_run ();
}
