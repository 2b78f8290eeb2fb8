/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sizes, outlines, images and titles: what export can be asked for. */

#include "config.h"

#include <cairo.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attn-error.h"
#include "attn-export.h"
#include "attn-layout.h"
#include "figure-fixture.h"

static const AttnViewport fit = ATTN_VIEWPORT_FIT;

static GBytes *
export_figure (AttnGrid                 *grid,
               const AttnStyle          *style,
               const AttnViewport       *viewport,
               const AttnExportOptions  *options,
               GError                  **error)
{
  double width, height;

  if (!attn_export_get_size (options, &width, &height, error))
    return NULL;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, style, viewport, width, height);
  return attn_export_scene (scene, options, error);
}

static void
check_well_formed (const char *text)
{
  GError *error = NULL;
  GMarkupParser nothing = { NULL };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&nothing, 0, NULL, NULL);

  g_markup_parse_context_parse (context, text, -1, &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
}

static char *
export_text (AttnGrid                *grid,
             const AttnStyle         *style,
             const AttnViewport      *viewport,
             const AttnExportOptions *options)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = export_figure (grid, style, viewport, options, &error);

  g_assert_no_error (error);
  char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  if (options->svg.frame == NULL)
    check_well_formed (text);
  return text;
}

/* Options at their defaults change no byte of what a scene has always become. */
static void
test_defaults (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (2, 2, 15);
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);

  for (guint format = ATTN_EXPORT_SVG; format < ATTN_N_EXPORT_FORMATS; format++)
    {
      AttnExportOptions options = attn_export_options_default (format);

      options.title = "T";
      options.metadata = "M";
      g_autoptr (GBytes) with = export_figure (grid, &style, &fit, &options, NULL);
      g_autoptr (GBytes) without =
          export_to_bytes (scene, format, ATTN_EXPORT_RESOLUTION, "T", "M", NULL);
      g_assert_true (g_bytes_equal (with, without));
    }
  /* One panel of 512 tokens stays paths. */
  g_assert_cmpuint (attn_export_options_default (ATTN_EXPORT_SVG).svg.max_path_cells, >=,
                    512 * 512);
}

static void
test_sizes (void)
{
  const struct
  {
    double width;
    double height;
    AttnUnit unit;
    const char *svg;
    guint32 png_width; /* at 200 dots per inch */
  } cases[] = {
    { 180, 0, ATTN_UNIT_MILLIMETRES, "width=\"180mm\"", 1418 },
    { 3.5, 3, ATTN_UNIT_INCHES, "width=\"3.5in\" height=\"3in\" viewBox=\"0 0 252 216\"", 700 },
    { 1600, 1200, ATTN_UNIT_PIXELS, "width=\"1600px\" height=\"1200px\" viewBox=\"0 0 576 432\"",
      1600 },
    { 300, 200, ATTN_UNIT_POINTS, "width=\"300pt\" height=\"200pt\" viewBox=\"0 0 300 200\"", 834 },
  };
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 2, 8);
  AttnStyle style = attn_style_default ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AttnExportOptions options = attn_export_options_default (ATTN_EXPORT_SVG);

      options.width = cases[i].width;
      options.height = cases[i].height;
      options.unit = cases[i].unit;
      options.resolution = 200;
      g_autofree char *svg = export_text (grid, &style, &fit, &options);
      g_assert_nonnull (strstr (svg, cases[i].svg));
      options.format = ATTN_EXPORT_PNG;
      g_autoptr (GBytes) png = export_figure (grid, &style, &fit, &options, NULL);
      guint32 width;
      memcpy (&width, (const char *) g_bytes_get_data (png, NULL) + 16, sizeof width);
      g_assert_cmpuint (GUINT32_FROM_BE (width), ==, cases[i].png_width);
    }

  const double bad[] = { -1, 0.001, 1e9, NAN, INFINITY };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    for (guint unit = 0; unit < ATTN_N_UNITS; unit++)
      {
        AttnExportOptions options = attn_export_options_default (ATTN_EXPORT_SVG);
        g_autoptr (GError) error = NULL;

        options.unit = unit;
        options.height = bad[i];
        g_assert_null (export_figure (grid, &style, &fit, &options, &error));
        g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
        g_assert_nonnull (strstr (error->message, attn_unit_names[unit]));
      }
}

static void
test_lengths (void)
{
  const struct
  {
    const char *text;
    double length;
    AttnUnit unit;
  } good[] = {
    { "180mm", 180, ATTN_UNIT_MILLIMETRES },
    { " 3.5 IN ", 3.5, ATTN_UNIT_INCHES },
    { "1600px", 1600, ATTN_UNIT_PIXELS },
    { "72", 72, ATTN_UNIT_POINTS },
    { "7.2e1pt", 72, ATTN_UNIT_POINTS },
  };
  const char *bad[] = { "", "mm", "0mm", "-3in", "nan", "12cm", "1,5in", "inf px", "3 4pt" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      double length;
      AttnUnit unit;

      g_assert_true (attn_export_parse_length (good[i].text, &length, &unit, NULL));
      g_assert_cmpfloat (length, ==, good[i].length);
      g_assert_cmpuint (unit, ==, good[i].unit);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      double length;
      AttnUnit unit;

      g_assert_false (attn_export_parse_length (bad[i], &length, &unit, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
    }
}

/* librsvg's picture of an SVG, or NULL without librsvg. */
static cairo_surface_t *
render (const char *svg,
        int         dots_per_inch)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-figure-XXXXXX", NULL);
  g_autofree char *svg_path = g_build_filename (directory, "a.svg", NULL);
  g_autofree char *png_path = g_build_filename (directory, "a.png", NULL);
  g_autofree char *dpi_x = g_strdup_printf ("--dpi-x=%d", dots_per_inch);
  g_autofree char *dpi_y = g_strdup_printf ("--dpi-y=%d", dots_per_inch);
  char *tool[] = { "rsvg-convert", dpi_x, dpi_y, "-o", png_path, svg_path, NULL };
  cairo_surface_t *surface = NULL;

  g_assert_true (g_file_set_contents (svg_path, svg, -1, NULL));
  if (figure_fixture_run (tool))
    surface = cairo_image_surface_create_from_png (png_path);
  g_remove (svg_path);
  g_remove (png_path);
  g_rmdir (directory);
  return surface;
}

static AttnRgb
get_pixel (cairo_surface_t *surface,
           double           x,
           double           y)
{
  const guint8 *line =
      cairo_image_surface_get_data (surface) + (int) y * cairo_image_surface_get_stride (surface);
  guint32 pixel = ((const guint32 *) line)[(int) x];

  return (AttnRgb) { pixel >> 16 & 0xff, pixel >> 8 & 0xff, pixel & 0xff };
}

/* Letters as outlines stand where the letters of <text> do, and look alike. */
static void
test_outlines (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (2, 2, 8);
  AttnStyle style = attn_style_default ();
  AttnExportOptions options = attn_export_options_default (ATTN_EXPORT_SVG);

  style.has_background = TRUE;
  options.width = 400;
  g_autofree char *with_text = export_text (grid, &style, &fit, &options);
  options.svg.outlines_text = TRUE;
  g_autofree char *with_outlines = export_text (grid, &style, &fit, &options);
  g_autofree char *again = export_text (grid, &style, &fit, &options);

  g_assert_cmpstr (with_outlines, ==, again);
  g_assert_null (strstr (with_outlines, "<text"));
  g_assert_nonnull (strstr (with_outlines, "aria-label=\"Taking the Mean of Query (Input 2)\""));
  g_assert_cmpuint (count_text (with_outlines, "<use "), ==, count_text (with_text, "<text "));
  /* The tokens of four panels repeat; their outlines do not. */
  g_assert_cmpuint (count_text (with_outlines, "<defs>"), <,
                    count_text (with_outlines, "<use ") / 2);

  cairo_surface_t *text_picture = render (with_text, 144);
  cairo_surface_t *outline_picture = render (with_outlines, 144);
  if (text_picture == NULL || outline_picture == NULL)
    {
      g_test_skip ("rsvg-convert is not installed");
      return;
    }
  gsize n_dark[2] = { 0 }, n_different = 0;
  for (int y = 0; y < cairo_image_surface_get_height (text_picture); y++)
    for (int x = 0; x < cairo_image_surface_get_width (text_picture); x++)
      {
        AttnRgb a = get_pixel (text_picture, x, y);
        AttnRgb b = get_pixel (outline_picture, x, y);

        n_dark[0] += a.red < 128 && a.blue < 128;
        n_dark[1] += b.red < 128 && b.blue < 128;
        n_different += ABS (a.green - b.green) > 128;
      }
  /* librsvg hints and rounds the letters of <text> a little differently. */
  g_assert_cmpfloat_with_epsilon ((double) n_dark[1] / n_dark[0], 1, 0.1);
  g_assert_cmpuint (n_different, <, n_dark[0] / 2);
  cairo_surface_destroy (text_picture);
  cairo_surface_destroy (outline_picture);
}

/* Beyond the budget each panel is an image, and a viewer that smooths it still has the colour of
 * every cell at its middle. */
static void
check_image (gsize               n_tokens,
             const AttnViewport *viewport)
{
  const int dots_per_inch = 288;
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 2, n_tokens);
  AttnStyle style = attn_style_default ();
  AttnExportOptions options = attn_export_options_default (ATTN_EXPORT_SVG);

  style.shows_values = FALSE;
  style.has_masked_color = TRUE;
  options.width = 500;
  options.svg.max_path_cells = 50;
  g_autofree char *svg = export_text (grid, &style, viewport, &options);
  g_assert_cmpuint (count_text (svg, "<image class=\"cells\""), ==, 2);
  g_assert_cmpuint (count_text (svg, "xlink:href=\"data:image/png;base64,"), ==, 2);
  g_assert_cmpuint (count_text (svg, "<g class=\"cells\""), ==, 0);
  g_assert_cmpuint (count_text (svg, "<clipPath"), ==, attn_viewport_is_fit (viewport) ? 0 : 2);

  cairo_surface_t *picture = render (svg, dots_per_inch);
  if (picture == NULL)
    {
      g_test_skip ("rsvg-convert is not installed");
      return;
    }
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, viewport, 500, 0);
  gsize n_checked = 0;
  for (int group = 0; group < 2; group++)
    for (gsize i = 0; i < n_tokens * n_tokens; i++)
      {
        AttnRectangle cell;
        double scale = dots_per_inch / 72.0;

        if (!attn_scene_get_cell (scene, group, i / n_tokens, i % n_tokens, &cell) ||
            cell.width * scale < 6 || cell.height * scale < 6)
          continue;
        AttnRgb expected = get_cell_color (scene, group, i / n_tokens, i % n_tokens);
        AttnRgb color = get_pixel (picture, (cell.x + cell.width / 2) * scale,
                                   (cell.y + cell.height / 2) * scale);
        /* 2 of 255: librsvg's rounding. */
        g_assert_cmpint (ABS (color.red - expected.red), <=, 2);
        g_assert_cmpint (ABS (color.green - expected.green), <=, 2);
        g_assert_cmpint (ABS (color.blue - expected.blue), <=, 2);
        n_checked++;
      }
  g_assert_cmpuint (n_checked, >, 50);
  cairo_surface_destroy (picture);
}

static void
test_images (void)
{
  const AttnViewport close = { 0.113, 0.377, 0.3, 0.3 };

  check_image (20, &fit);
  check_image (100, &close);

  /* The budget counts what is visible, of all panels together. */
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 2, 20);
  AttnStyle style = attn_style_default ();
  AttnExportOptions options = attn_export_options_default (ATTN_EXPORT_SVG);
  options.svg.max_path_cells = 800;
  g_autofree char *paths = export_text (grid, &style, &fit, &options);
  g_assert_null (strstr (paths, "<image"));
  options.svg.max_path_cells = 799;
  g_autofree char *images = export_text (grid, &style, &fit, &options);
  g_assert_nonnull (strstr (images, "<image"));

  /* 2048 tokens as an image are smaller than as paths, and so is the promise of 512 as paths. */
  g_autoptr (AttnGrid) large = figure_fixture_grid (1, 1, 512);
  options.svg.max_path_cells = ATTN_EXPORT_MAX_PATH_CELLS;
  g_autofree char *large_paths = export_text (large, &style, &fit, &options);
  g_assert_null (strstr (large_paths, "<image"));
  g_assert_cmpuint (strlen (large_paths), <, 4500 * 1000);
}

/* Frames, one after the other, are one document, in which all that a frame refers to is its own. */
static void
test_frames (void)
{
  const AttnViewport close = { 0.113, 0.377, 0.3, 0.3 };
  static const char * const places[] = { " id=\"", "url(#", "href=\"#" };
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 2, 9);
  AttnStyle style = attn_style_default ();
  AttnExportOptions options = attn_export_options_default (ATTN_EXPORT_SVG);
  g_autoptr (GString) document = g_string_new (NULL);
  gsize n_names[G_N_ELEMENTS (places)] = { 0 };

  attn_grid_add_region (grid, 0, 1, &(AttnRegion) { "A", 4, 5, 2, 3 });
  options.svg.outlines_text = TRUE;
  options.title = "step-0 id=\"title\"";
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *id = g_strdup_printf ("f%u", i);
      g_autofree char *own = g_strdup_printf ("f%u-", i);
      const AttnSvgFrame frame = { id, " opacity=\"0.5\"", "<desc/>", i == 0, i == 2 };

      options.svg.frame = &frame;
      g_autofree char *text = export_text (grid, &style, &close, &options);
      g_autofree char *tag = g_strdup_printf ("<g id=\"%s\" opacity=\"0.5\"><desc/>\n", id);
      g_assert_cmpuint (count_text (text, tag), ==, 1);
      for (guint k = 0; k < G_N_ELEMENTS (places); k++)
        for (const char *p = strstr (text, tag) + strlen (tag); (p = strstr (p, places[k])) != NULL;
             n_names[k]++)
          {
            p += strlen (places[k]);
            g_assert_true (g_str_has_prefix (p, own));
          }
      g_string_append (document, text);
    }
  for (guint k = 0; k < G_N_ELEMENTS (places); k++)
    g_assert_cmpuint (n_names[k], >, 0);
  check_well_formed (document->str);
  g_assert_cmpuint (count_text (document->str, "<svg"), ==, 1);
  g_assert_cmpuint (count_text (document->str, "</svg>"), ==, 1);
  g_assert_cmpuint (count_text (document->str, "step-0 id="), ==, 1);
}

static void
test_titles (void)
{
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnStyle style = attn_style_default ();
  AttnExportOptions options = attn_export_options_default (ATTN_EXPORT_SVG);
  const AttnViewport corner = { 0, 0, 0.25, 0.25 };

  grid->cells[0].panel =
      figure_fixture_panel (12, 12, ATTN_MASK_CAUSAL, figure_fixture_nasty_labels,
                            figure_fixture_n_nasty_labels);
  g_autofree char *without = export_text (grid, &style, &fit, &options);
  g_assert_cmpuint (count_text (without, "<title>"), ==, 0);
  options.svg.has_cell_titles = TRUE;
  g_autofree char *with = export_text (grid, &style, &fit, &options);
  /* Of cells that are not masked. */
  g_assert_cmpuint (count_text (with, "<title>"), ==, 12 * 13 / 2);
  g_assert_nonnull (strstr (with,
                            "<path d=\"M1 3h1v1h-1z\"><title>&lt;b&gt;&amp;amp;&quot;&apos; → "
                            "東京都庁: 0.8314</title></path>"));
  /* They change nothing that is seen. */
  const char *hover = strstr (with, "<g class=\"hover\" fill=\"none\" pointer-events=\"all\"");
  g_assert_nonnull (hover);
  g_assert_cmpmem (with, (hover - with), without, (hover - with));
  g_autofree char *zoomed = export_text (grid, &style, &corner, &options);
  g_assert_cmpuint (count_text (zoomed, "<title>"), ==, 6);
}

/* A pointer cannot tell the cells of 2,000 tokens apart on a page of this size. */
static void
test_titles_of_many (void)
{
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnStyle style = attn_style_default ();
  AttnExportOptions options = attn_export_options_default (ATTN_EXPORT_SVG);
  const AttnViewport corner = { 0, 0, 0.01, 0.01 };

  grid->cells[0].panel = figure_fixture_panel (2000, 2000, ATTN_MASK_CAUSAL, NULL, 0);
  options.svg.has_cell_titles = TRUE;
  options.width = options.height = 200;
  g_autofree char *text = export_text (grid, &style, &fit, &options);
  g_assert_cmpuint (count_text (text, "<title>"), ==, 0);
  g_autofree char *zoomed = export_text (grid, &style, &corner, &options);
  g_assert_cmpuint (count_text (zoomed, "<title>"), ==, 20 * 21 / 2);

  AttnScene *scene = attn_layout_figure (grid, &style, &fit, 200, 200);
  g_assert_true (attn_svg_lacks_titles (scene, &options.svg));
  options.svg.has_cell_titles = FALSE;
  g_assert_false (attn_svg_lacks_titles (scene, &options.svg));
  attn_scene_free (scene);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/svg-options/defaults-change-nothing", test_defaults);
  g_test_add_func ("/figure/svg-options/sizes-in-every-unit", test_sizes);
  g_test_add_func ("/figure/svg-options/lengths-as-users-write-them", test_lengths);
  g_test_add_func ("/figure/svg-options/outlines-look-like-text", test_outlines);
  g_test_add_func ("/figure/svg-options/images-beyond-the-budget", test_images);
  g_test_add_func ("/figure/svg-options/frames-of-one-document", test_frames);
  g_test_add_func ("/figure/svg-options/titles-of-cells", test_titles);
  g_test_add_func ("/figure/svg-options/titles-of-cells-of-many", test_titles_of_many);
  return g_test_run ();
}
