/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The SVG parsed back, and rendered by somebody else. */

#include "config.h"

#include <cairo.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attn-export.h"
#include "attn-svg.h"
#include "figure-fixture.h"

/* A cell of the file: where it is, in points, and its colour. */
typedef struct
{
  int group;
  double x;
  double y;
  double width;
  double height;
  AttnRgb color;
} Cell;

typedef struct
{
  GArray *cells; /* element-type Cell */
  GString *text; /* of all <text>, each with a line break behind it */
  GString *metadata;
  GPtrArray *titles;
  GPtrArray *groups;
  gboolean is_cells;
  double translate[2];
  double scale[2];
  guint n_italic;
  guint n_clips;
} Parsed;

static AttnRgb
parse_color (const char *text)
{
  guint red, green, blue;

  g_assert_cmpint (sscanf (text, "#%2x%2x%2x", &red, &green, &blue), ==, 3);
  return (AttnRgb) { red, green, blue };
}

/* "Mx yhNv1Hx", again and again. */
static void
parse_path (Parsed     *parsed,
            const char *path,
            AttnRgb     color)
{
  while (*path != '\0')
    {
      unsigned long x, y, n, back;
      int length = 0;

      g_assert_cmpint (sscanf (path, "M%lu %luh%luv1H%lu%n", &x, &y, &n, &back, &length), ==, 4);
      g_assert_cmpuint (x, ==, back);
      for (unsigned long i = 0; i < n; i++)
        {
          Cell cell = {
            parsed->groups->len - 1,
            parsed->translate[0] + (x + i) * parsed->scale[0],
            parsed->translate[1] + y * parsed->scale[1],
            parsed->scale[0],
            parsed->scale[1],
            color,
          };
          g_array_append_val (parsed->cells, cell);
        }
      path += length;
    }
}

static void
start_element_cb (GMarkupParseContext  *context,
                  const char           *element_name,
                  const char          **names,
                  const char          **values,
                  gpointer              user_data,
                  GError              **error)
{
  Parsed *parsed = user_data;
  GHashTable *attributes = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; names[i] != NULL; i++)
    g_hash_table_insert (attributes, (gpointer) names[i], (gpointer) values[i]);
  const char *class_name = g_hash_table_lookup (attributes, "class");
  const char *id = g_hash_table_lookup (attributes, "id");

  if (g_str_equal (element_name, "g"))
    {
      parsed->is_cells = g_strcmp0 (class_name, "cells") == 0;
      if (parsed->is_cells)
        {
          g_assert_cmpstr (g_hash_table_lookup (attributes, "shape-rendering"), ==, "crispEdges");
          g_assert_cmpint (sscanf (g_hash_table_lookup (attributes, "transform"),
                                   "translate(%lf %lf) scale(%lf %lf)", &parsed->translate[0],
                                   &parsed->translate[1], &parsed->scale[0], &parsed->scale[1]),
                           ==, 4);
        }
      else if (id != NULL)
        g_ptr_array_add (parsed->groups, g_strdup (id));
    }
  if (g_str_equal (element_name, "path") && parsed->is_cells)
    parse_path (parsed, g_hash_table_lookup (attributes, "d"),
                parse_color (g_hash_table_lookup (attributes, "fill")));
  if (g_str_equal (element_name, "clipPath"))
    parsed->n_clips++;
  if (g_str_equal (element_name, "tspan"))
    {
      g_assert_cmpstr (g_hash_table_lookup (attributes, "font-style"), ==, "italic");
      parsed->n_italic++;
    }
  g_hash_table_unref (attributes);
}

static void
end_element_cb (GMarkupParseContext  *context,
                const char           *element_name,
                gpointer              user_data,
                GError              **error)
{
  Parsed *parsed = user_data;

  if (g_str_equal (element_name, "text"))
    g_string_append_c (parsed->text, '\n');
}

static void
text_cb (GMarkupParseContext  *context,
         const char           *text,
         gsize                 length,
         gpointer              user_data,
         GError              **error)
{
  Parsed *parsed = user_data;
  const char *element = g_markup_parse_context_get_element (context);

  if (g_str_equal (element, "text") || g_str_equal (element, "tspan"))
    g_string_append_len (parsed->text, text, length);
  if (g_str_equal (element, "metadata"))
    g_string_append_len (parsed->metadata, text, length);
  if (g_str_equal (element, "title"))
    g_ptr_array_add (parsed->titles, g_strndup (text, length));
}

static void
free_parsed (Parsed *parsed)
{
  g_array_unref (parsed->cells);
  g_string_free (parsed->text, TRUE);
  g_string_free (parsed->metadata, TRUE);
  g_ptr_array_unref (parsed->titles);
  g_ptr_array_unref (parsed->groups);
  g_free (parsed);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Parsed, free_parsed)

static Parsed *
parse (GBytes *svg)
{
  const GMarkupParser callbacks = { start_element_cb, end_element_cb, text_cb, NULL, NULL };
  Parsed *parsed = g_new0 (Parsed, 1);
  g_autoptr (GMarkupParseContext) context =
      g_markup_parse_context_new (&callbacks, 0, parsed, NULL);
  g_autoptr (GError) error = NULL;

  parsed->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  parsed->text = g_string_new (NULL);
  parsed->metadata = g_string_new (NULL);
  parsed->titles = g_ptr_array_new_with_free_func (g_free);
  parsed->groups = g_ptr_array_new_with_free_func (g_free);
  g_markup_parse_context_parse (context, g_bytes_get_data (svg, NULL), g_bytes_get_size (svg),
                                &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  return parsed;
}

static GBytes *
write_svg (const AttnScene *scene)
{
  g_autoptr (GError) error = NULL;
  GBytes *svg = attn_svg_write (scene, NULL, "A title & more", "{\"a\": \"<b> & ]]>\"}", &error);

  g_assert_no_error (error);
  return svg;
}

/* Each cell in the file is where the scene has it, in its colour; each visible cell is there once.
 */
static void
check_cells (const AttnScene *scene,
             AttnGrid        *grid,
             const Parsed    *parsed)
{
  gsize n_visible = 0;

  for (int group = 0; group < (int) (grid->n_rows * grid->n_columns); group++)
    for (gsize row = 0; row < attn_panel_get_n_rows (grid->cells[group].panel); row++)
      for (gsize column = 0; column < attn_panel_get_n_columns (grid->cells[group].panel); column++)
        {
          AttnRectangle cell;

          n_visible += attn_scene_get_cell (scene, group, row, column, &cell) &&
                       cell.width > 1e-6 && cell.height > 1e-6;
        }
  g_assert_cmpuint (parsed->cells->len, ==, n_visible);
  for (guint i = 0; i < parsed->cells->len; i++)
    {
      const Cell *cell = &g_array_index (parsed->cells, Cell, i);
      AttnRectangle panel;
      AttnHit hit;

      /* Part of an outer cell lies behind the clip: ask for a point of it that shows. */
      panel = attn_scene_get_heatmap (scene, cell->group)->rectangle;
      double left = MAX (cell->x, panel.x);
      double right = MIN (cell->x + cell->width, panel.x + panel.width);
      double top = MAX (cell->y, panel.y);
      double bottom = MIN (cell->y + cell->height, panel.y + panel.height);
      /* Positions are rounded to a thousandth of a point. */
      if (right - left < 0.01 || bottom - top < 0.01)
        continue;
      g_assert_true (attn_scene_hit (scene, (left + right) / 2, (top + bottom) / 2, 10000, &hit));
      g_assert_cmpint (hit.group, ==, cell->group);
      float value = attn_panel_get_value (grid->cells[hit.group].panel, hit.row, hit.column);
      AttnRgb expected = get_style_color (&scene->style, value);
      g_assert_true (attn_rgb_equal (cell->color, expected));
    }
}

static void
test_cells (void)
{
  const AttnViewport viewports[] = { { 0, 0, 1, 1 },
                                     { 0.1, 0.2, 0.5, 0.5 },
                                     { 0.713, 0.05, 0.1234, 0.2 } };
  g_autoptr (AttnGrid) grid = figure_fixture_grid (2, 2, 15);
  AttnStyle style = attn_style_default ();

  g_clear_pointer (&grid->cells[3].panel, attn_panel_unref);
  grid->cells[3].panel = figure_fixture_panel (7, 23, ATTN_MASK_NONE, NULL, 0);
  for (guint v = 0; v < G_N_ELEMENTS (viewports); v++)
    {
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewports[v], 640, 480);
      g_autoptr (GBytes) svg = write_svg (scene);
      g_autoptr (Parsed) parsed = parse (svg);

      check_cells (scene, grid, parsed);
      /* Zoomed in, what is outside of the panel is cut off, and not written. */
      g_assert_cmpuint (parsed->n_clips, ==, v == 0 ? 0 : 4);
    }
}

static void
test_text (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (3, 3, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
  g_autoptr (GBytes) svg = write_svg (scene);
  g_autoptr (Parsed) parsed = parse (svg);

  g_assert_nonnull (strstr (parsed->text->str, "Taking the Mean of Query (Input 1)\n"));
  g_assert_nonnull (strstr (parsed->text->str, "Taking the Mean of Value (Input 3)\n"));
  g_assert_nonnull (strstr (parsed->text->str, "The Mean Operation For Query, Key and Value\n"));
  g_assert_nonnull (strstr (parsed->text->str, "Attention Weight\n"));
  g_assert_nonnull (strstr (parsed->text->str, "␣rose\n"));
  g_assert_nonnull (strstr (parsed->text->str, "<s>\n"));
  g_assert_cmpuint (parsed->n_italic, ==, 9 + 3);
  g_assert_cmpstr (parsed->metadata->str, ==, "{\"a\": \"<b> & ]]>\"}");
  g_assert_cmpstr (g_ptr_array_index (parsed->titles, 0), ==, "A title & more");
  g_assert_cmpstr (g_ptr_array_index (parsed->titles, 1), ==, "Query & input 1");
  g_assert_cmpuint (parsed->titles->len, ==, 10);
  g_assert_cmpstr (g_ptr_array_index (parsed->groups, 5), ==, "panel-1-2");
  g_assert_cmpuint (g_bytes_get_size (svg), <, 120 * 1000);
}

static void
test_same_bytes (void)
{
  g_autoptr (AttnGrid) a = figure_fixture_grid (3, 3, 15);
  g_autoptr (AttnGrid) b = figure_fixture_grid (3, 3, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnScene) scene_a = attn_layout_figure (a, &style, &fit, 0, 0);
  g_autoptr (AttnScene) scene_b = attn_layout_figure (b, &style, &fit, 0, 0);
  g_autoptr (GBytes) svg_a = write_svg (scene_a);
  g_autoptr (GBytes) svg_b = write_svg (scene_b);

  g_assert_true (g_bytes_equal (svg_a, svg_b));
}

static gboolean
is_allowed_in_xml (gunichar c)
{
  return c == 0x9 || c == 0xa || c == 0xd || (c >= 0x20 && c <= 0xd7ff) ||
         (c >= 0xe000 && c <= 0xfffd) || c >= 0x10000;
}

/* GMarkup is lenient: characters and references that XML 1.0 forbids are looked for by hand. */
static void
test_nasty_text (void)
{
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (GError) error = NULL;

  grid->cells[0].panel = figure_fixture_panel (12, 12, ATTN_MASK_NONE, figure_fixture_nasty_labels,
                                               figure_fixture_n_nasty_labels);
  grid->cells[0].title = g_strdup ("<b>bold</b> &#1; \"<i>it</i>\"");
  grid->cells[0].name = g_strdup ("\x02 ]]> <&> \"'");
  grid->value_label = g_strdup ("\x1b[1m");
  style.font_family = g_intern_string ("Bad \"'<&> Font");
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
  g_autoptr (GBytes) svg = attn_svg_write (scene, NULL, "\x03<", "\x04]]>\xff", &error);
  g_assert_no_error (error);
  g_autoptr (Parsed) parsed = parse (svg);
  g_autofree char *text = g_strndup (g_bytes_get_data (svg, NULL), g_bytes_get_size (svg));

  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    g_assert_true (is_allowed_in_xml (g_utf8_get_char (p)));
  for (const char *p = strstr (text, "&#"); p != NULL; p = strstr (p + 2, "&#"))
    {
      gunichar c = p[2] == 'x' ? strtoul (p + 3, NULL, 16) : strtoul (p + 2, NULL, 10);
      g_assert_true (is_allowed_in_xml (c));
    }
  g_assert_nonnull (strstr (parsed->text->str, "<b>&amp;\"'\n"));
  g_assert_cmpstr (parsed->metadata->str, ==, "\xef\xbf\xbd]]>\xef\xbf\xbd");
  char *tool[] = { "xmllint", "--noout", "--nonet", NULL, NULL };
  g_autofree char *directory = g_dir_make_tmp ("attn-figure-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "nasty.svg", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  tool[3] = path;
  if (!figure_fixture_run (tool))
    g_test_message ("xmllint is not installed");
  g_remove (path);
  g_rmdir (directory);
}

static void
test_sizes (void)
{
  g_autoptr (AttnGrid) grid = figure_fixture_grid (1, 1, 512);
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnViewport close = { 0.5, 0.5, 0.02, 0.02 };
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
  g_autoptr (GBytes) svg = write_svg (scene);

  g_assert_cmpuint (g_bytes_get_size (svg), <, 4500 * 1000);
  g_autoptr (AttnGrid) nine = figure_fixture_grid (3, 3, 15);
  g_autoptr (AttnScene) nine_scene = attn_layout_figure (nine, &style, &fit, 0, 0);
  g_autoptr (GBytes) nine_svg = write_svg (nine_scene);
  g_assert_cmpuint (g_bytes_get_size (nine_svg), <, 120 * 1000);
  g_autoptr (AttnScene) zoomed = attn_layout_figure (grid, &style, &close, 0, 0);
  g_autoptr (GBytes) small = write_svg (zoomed);
  g_assert_cmpuint (g_bytes_get_size (small), <, 60 * 1000);

  /* Beyond a million cells the file says that it shows the largest of several, and shows the lone
   * one. */
  g_autoptr (AttnGrid) lone = figure_fixture_lone_cell (4096, 1234, 777, 0.9f);
  g_autoptr (AttnScene) large = attn_layout_figure (lone, &style, &fit, 0, 0);
  g_autoptr (GBytes) reduced = write_svg (large);
  g_autofree char *text = g_strndup (g_bytes_get_data (reduced, NULL), g_bytes_get_size (reduced));
  AttnRgb color = get_style_color (&style, 0.9f);
  g_autofree char *fill = g_strdup_printf ("<path fill=\"#%02x%02x%02x\" d=\"M194 308h1v1H194\"/>",
                                           color.red, color.green, color.blue);
  g_assert_nonnull (strstr (text, "Each cell is the largest of 4 x 4."));
  g_assert_nonnull (strstr (text, fill));
}

static AttnRgb
get_pixel (cairo_surface_t *surface,
           double           x,
           double           y)
{
  const guint8 *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);
  guint32 pixel = ((const guint32 *) (data + (int) y * stride))[(int) x];

  return (AttnRgb) { pixel >> 16 & 0xff, pixel >> 8 & 0xff, pixel & 0xff };
}

#define RESOLUTION 144.0

/* 2 of 255: each rounds colours in its own way. */
#define COLOR_TOLERANCE 2

static void
assert_close (AttnRgb a,
              AttnRgb b)
{
  g_assert_cmpint (ABS (a.red - b.red), <=, COLOR_TOLERANCE);
  g_assert_cmpint (ABS (a.green - b.green), <=, COLOR_TOLERANCE);
  g_assert_cmpint (ABS (a.blue - b.blue), <=, COLOR_TOLERANCE);
}

static gboolean
is_between (guint8 value,
            guint8 a,
            guint8 b)
{
  return value + COLOR_TOLERANCE >= MIN (a, b) && value <= MAX (a, b) + COLOR_TOLERANCE;
}

/* From the middle of a cell to the middle of the next, every pixel has a colour between theirs:
 * nothing shines through. */
static void
assert_no_seam (cairo_surface_t     *picture,
                const AttnRectangle *cell,
                const AttnRectangle *next)
{
  double y = (cell->y + cell->height / 2) * RESOLUTION / 72;
  double begin = (cell->x + cell->width / 2) * RESOLUTION / 72;
  double end = (next->x + next->width / 2) * RESOLUTION / 72;
  AttnRgb a = get_pixel (picture, begin, y);
  AttnRgb b = get_pixel (picture, end, y);

  for (double x = begin; x < end; x++)
    {
      AttnRgb c = get_pixel (picture, x, y);

      g_assert_true (is_between (c.red, a.red, b.red) && is_between (c.green, a.green, b.green) &&
                     is_between (c.blue, a.blue, b.blue));
    }
}

static void
compare_pictures (const AttnScene *scene,
                  AttnGrid        *grid,
                  const AttnStyle *style,
                  cairo_surface_t *theirs,
                  cairo_surface_t *ours)
{
  for (int group = 0; group < 4; group++)
    for (gsize i = 0; i < 15 * 15; i++)
      {
        float value = attn_panel_get_value (grid->cells[group].panel, i / 15, i % 15);
        AttnRectangle cell;
        AttnRectangle next;

        if (!attn_scene_get_cell (scene, group, i / 15, i % 15, &cell) || cell.width < 2 ||
            cell.height < 2)
          continue;
        double x = (cell.x + cell.width / 2) * RESOLUTION / 72;
        double y = (cell.y + cell.height / 2) * RESOLUTION / 72;
        AttnRgb color = get_pixel (ours, x, y);

        assert_close (get_pixel (theirs, x, y), color);
        g_assert_true (attn_rgb_equal (color, get_style_color (style, value)));
        if (i % 15 < 14 && attn_scene_get_cell (scene, group, i / 15, i % 15 + 1, &next) &&
            next.width >= 2)
          {
            assert_no_seam (theirs, &cell, &next);
            assert_no_seam (ours, &cell, &next);
          }
      }
}

/* Somebody else's picture of an SVG, at RESOLUTION dots per inch: its command, where "SVG" and
 * "PNG" stand for the paths. */
typedef struct
{
  const char *program;
  const char *argv[14];
  gboolean has_size;   /* the picture is as large as the page */
  gboolean may_refuse; /* to run at all, as a browser does where its surroundings are too poor */
} Renderer;

static const Renderer librsvg = {
  "rsvg-convert",
  { "rsvg-convert", "--dpi-x=144", "--dpi-y=144", "-o", "PNG", "SVG" },
  TRUE,
  FALSE,
};

/* 96 dots per inch times 1.5; a window that has room for the page. */
static const Renderer chromium = {
  "chromium",
  { "timeout", "20", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1.5",
    "--window-size=700,700", "--screenshot=PNG", "file://SVG" },
  FALSE,
  TRUE,
};

/* FALSE where there is no such program. */
static gboolean
run_renderer (const Renderer *renderer,
              const char     *svg_path,
              const char     *png_path)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *program = g_find_program_in_path (renderer->program);
  g_autoptr (GError) error = NULL;
  int status;

  if (program == NULL)
    return FALSE;
  for (gsize i = 0; renderer->argv[i] != NULL; i++)
    {
      g_autoptr (GString) word = g_string_new (renderer->argv[i]);

      g_string_replace (word, "SVG", svg_path, 1);
      g_string_replace (word, "PNG", png_path, 1);
      g_strv_builder_add (builder, word->str);
    }
  g_auto (GStrv) argv = g_strv_builder_end (builder);
  g_spawn_sync (NULL, argv, NULL,
                G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, &error) && renderer->may_refuse)
    {
      g_test_message ("%s: %s", renderer->program, error->message);
      return FALSE;
    }
  g_assert_no_error (error);
  return TRUE;
}

/* Their picture and ours agree at the middle of every cell, and our own colour is exact there. */
static void
test_rendered (gconstpointer data)
{
  const Renderer *renderer = data;
  g_autoptr (AttnGrid) grid = figure_fixture_grid (2, 2, 15);
  AttnStyle style = attn_style_default ();
  AttnViewport viewport = { 0.1, 0.2, 0.7, 0.7 };
  g_autofree char *directory = g_dir_make_tmp ("attn-figure-XXXXXX", NULL);
  g_autofree char *svg_path = g_build_filename (directory, "a.svg", NULL);
  g_autofree char *theirs_path = g_build_filename (directory, "theirs.png", NULL);
  g_autofree char *ours_path = g_build_filename (directory, "ours.png", NULL);

  style.has_background = TRUE;
  style.shows_values = FALSE;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &viewport, 500, 480);
  g_autoptr (GBytes) svg = write_svg (scene);
  g_autoptr (GBytes) png =
      export_to_bytes (scene, ATTN_EXPORT_PNG, RESOLUTION, NULL, NULL, NULL);
  g_assert_true (g_file_set_contents (svg_path, g_bytes_get_data (svg, NULL),
                                      g_bytes_get_size (svg), NULL));
  g_assert_true (g_file_set_contents (ours_path, g_bytes_get_data (png, NULL),
                                      g_bytes_get_size (png), NULL));
  gboolean has_tool = run_renderer (renderer, svg_path, theirs_path);
  if (has_tool)
    {
      cairo_surface_t *theirs = cairo_image_surface_create_from_png (theirs_path);
      cairo_surface_t *ours = cairo_image_surface_create_from_png (ours_path);
      int width = cairo_image_surface_get_width (ours);
      int height = cairo_image_surface_get_height (ours);

      g_assert_cmpint (cairo_image_surface_get_width (theirs), >=, width);
      g_assert_cmpint (cairo_image_surface_get_height (theirs), >=, height);
      if (renderer->has_size)
        {
          g_assert_cmpint (cairo_image_surface_get_width (theirs), ==, width);
          g_assert_cmpint (cairo_image_surface_get_height (theirs), ==, height);
        }
      compare_pictures (scene, grid, &style, theirs, ours);
      cairo_surface_destroy (theirs);
      cairo_surface_destroy (ours);
    }
  g_remove (svg_path);
  g_remove (ours_path);
  g_remove (theirs_path);
  g_rmdir (directory);
  if (!has_tool)
    g_test_skip (renderer->program);
}

static void
test_lines (void)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnScene) scene = attn_scene_new (40, 30, &style, NULL);
  AttnMark *line = attn_scene_add_line (scene, -1, "tick", 0, 4.5, 40, 0);
  AttnMark *curve = attn_scene_add (scene, ATTN_MARK_CURVE, -1, "curve");
  AttnMark *tip = attn_scene_add (scene, ATTN_MARK_TRIANGLE, -1, "tick");
  AttnMark *text = attn_scene_add_text (scene, -1, "tick", g_strdup ("1"), 5, 6, 9,
                                        ATTN_ANCHOR_START, 0);

  line->opacity = 0.4;
  curve->line_width = 2;
  curve->dashes[0] = 5;
  curve->dashes[1] = 4;
  curve->n_points = 4;
  curve->points = g_new (AttnPoint, curve->n_points);
  for (gsize i = 0; i < curve->n_points; i++)
    curve->points[i] = (AttnPoint) { 8.0 * i, i == 1 ? NAN : 25.5 };
  tip->rectangle = (AttnRectangle) { 10, 10, 8, 7 };
  text->opacity = 0.75;
  g_autoptr (GBytes) svg = write_svg (scene);
  g_autoptr (Parsed) parsed = parse (svg);
  const char *bytes = g_bytes_get_data (svg, NULL);

  g_assert_nonnull (strstr (bytes, "<line class=\"tick\" x1=\"0\" y1=\"4.5\" x2=\"40\" y2=\"4.5\" "
                                   "stroke=\"#000000\" stroke-width=\"0.5\" opacity=\"0.4\"/>"));
  g_assert_nonnull (strstr (bytes, "d=\"M0 25.5M16 25.5L24 25.5\" fill=\"none\" "
                                   "stroke-linejoin=\"round\" stroke=\"#000000\" "
                                   "stroke-width=\"2\" stroke-dasharray=\"5 4\"/>"));
  g_assert_nonnull (strstr (bytes, "z\" fill=\"#000000\" stroke-linejoin=\"round\"/>"));
  g_assert_nonnull (strstr (bytes, " fill=\"#000000\" opacity=\"0.75\">1</text>"));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/svg/every-cell-at-its-place", test_cells);
  g_test_add_func ("/figure/svg/text-is-text", test_text);
  g_test_add_func ("/figure/svg/same-bytes", test_same_bytes);
  g_test_add_func ("/figure/svg/nasty-text-is-well-formed", test_nasty_text);
  g_test_add_func ("/figure/svg/sizes", test_sizes);
  g_test_add_func ("/figure/svg/lines-dashes-and-pale-ink", test_lines);
  g_test_add_data_func ("/figure/svg/librsvg-draws-it-as-we-do", &librsvg, test_rendered);
  g_test_add_data_func ("/figure/svg/chromium-draws-it-as-we-do", &chromium, test_rendered);
  return g_test_run ();
}
