/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The diagram beside the panels, and matrices of two colours. */

#include "config.h"

#include <string.h>

#include "attn-contrast.h"
#include "attn-svg.h"
#include "figure-fixture.h"

/* A tenth of a point is not seen. */
#define TOLERANCE 0.1

/* Each head has a token in three, and the weights fall with the distance. */
static AttnGrid *
make_grid (gsize               n_heads,
           gsize               n_tokens,
           const char * const *labels,
           gsize               n_labels)
{
  AttnGrid *grid = attn_grid_new (1, 1);
  g_autofree gsize *numbers = g_new (gsize, n_heads);
  g_auto (GStrv) tokens = g_new0 (char *, n_tokens + 1);

  grid->cells[0].panel =
      figure_fixture_panel (n_tokens, n_tokens, ATTN_MASK_NONE, labels, n_labels);
  for (gsize i = 0; i < n_heads; i++)
    numbers[i] = 2 * i;
  for (gsize i = 0; i < n_tokens; i++)
    tokens[i] = g_utf8_make_valid (labels[i % n_labels], -1);
  grid->diagram = attn_diagram_new (numbers, n_heads, (const char * const *) tokens);
  for (gsize head = 0; head < n_heads; head++)
    for (gsize token = head % 3; token < n_tokens; token += 3)
      attn_diagram_add_link (grid->diagram, head, token, 1.0 / (2 + token));
  grid->has_top_labels = TRUE;
  grid->is_binary = TRUE;
  grid->caption = g_strdup ("Each Head Attends within Its Group");
  grid->value_label = g_strdup ("Attention Weight");
  return grid;
}

static AttnScene *
lay_out (AttnGrid *grid,
         double    width,
         double    height)
{
  AttnStyle style = attn_style_default ();
  AttnViewport viewport = ATTN_VIEWPORT_FIT;

  return attn_layout_figure (grid, &style, &viewport, width, height);
}

static void
assert_inside (const AttnScene     *scene,
               const AttnRectangle *r)
{
  g_assert_cmpfloat (MIN (r->x, r->x + r->width), >=, -TOLERANCE);
  g_assert_cmpfloat (MIN (r->y, r->y + r->height), >=, -TOLERANCE);
  g_assert_cmpfloat (r->x + r->width, <=, scene->width + TOLERANCE);
  g_assert_cmpfloat (r->y + r->height, <=, scene->height + TOLERANCE);
}

/* One below the other, none over the next. */
static void
check_column (const AttnScene *scene,
              const char      *role,
              gsize            n)
{
  const AttnMark *panel = find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0);

  g_assert_cmpuint (count_role (scene, ATTN_MARK_RECTANGLE, role), ==, n);
  for (gsize i = 0; i < n; i++)
    {
      const AttnMark *mark = find_mark (scene, ATTN_MARK_RECTANGLE, role, i);
      const AttnMark *next = find_mark (scene, ATTN_MARK_RECTANGLE, role, i + 1);

      g_assert_cmpint (g_str_equal (role, "head") ? mark->head : mark->token, ==, (int) i);
      assert_inside (scene, &mark->rectangle);
      g_assert_cmpfloat (mark->rectangle.x + mark->rectangle.width, <, panel->rectangle.x);
      if (next != NULL)
        {
          double gap = next->rectangle.y - mark->rectangle.y - mark->rectangle.height;
          gboolean is_close = mark->is_filled && next->rectangle.y - mark->rectangle.y < 2;

          /* Slivers less than 2 points apart may meet, up to rounding; nothing else does. */
          g_assert_cmpfloat (gap, >, is_close ? -1e-9 : 0.1);
        }
    }
}

static void
check_layout (gsize               n_heads,
              gsize               n_tokens,
              const char * const *labels,
              gsize               n_labels,
              double              width,
              double              height)
{
  g_autoptr (AttnGrid) grid = make_grid (n_heads, n_tokens, labels, n_labels);
  g_autoptr (AttnScene) scene = lay_out (grid, width, height);
  const AttnMark *head = find_mark (scene, ATTN_MARK_RECTANGLE, "head", 0);
  const AttnMark *token = find_mark (scene, ATTN_MARK_RECTANGLE, "token", 0);

  check_column (scene, "head", n_heads);
  check_column (scene, "token", n_tokens);
  g_assert_cmpfloat (head->rectangle.x + head->rectangle.width + 5, <, token->rectangle.x);
  for (gsize i = 0; i < count_role (scene, ATTN_MARK_LINE, "link"); i++)
    {
      const AttnMark *line = find_mark (scene, ATTN_MARK_LINE, "link", i);

      /* From its head to its token, beneath both. */
      assert_inside (scene, &line->rectangle);
      g_assert_cmpfloat_with_epsilon (line->rectangle.x, head->rectangle.x + head->rectangle.width,
                                      TOLERANCE);
      g_assert_cmpfloat_with_epsilon (line->rectangle.x + line->rectangle.width,
                                      token->rectangle.x, TOLERANCE);
      g_assert_true (attn_rgb_equal (line->color,
                                     attn_style_get_distinct (&scene->style, line->head)));
    }
}

static void
test_layout (void)
{
  const gsize heads[] = { 1, 3, 12, 40 };
  const gsize tokens[] = { 1, 5, 40, 300 };
  const double sizes[][2] = { { 0, 0 }, { 500, 360 }, { 1600, 900 } };

  for (gsize h = 0; h < G_N_ELEMENTS (heads); h++)
    for (gsize t = 0; t < G_N_ELEMENTS (tokens); t++)
      for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
        check_layout (heads[h], tokens[t], figure_fixture_nasty_labels,
                      figure_fixture_n_nasty_labels, sizes[s][0], sizes[s][1]);
}

/* Texts of the diagram are neither over one another nor over the panel's labels. */
static void
test_columns_do_not_touch (void)
{
  g_autoptr (AttnGrid) grid =
      make_grid (12, 40, figure_fixture_nasty_labels, figure_fixture_n_nasty_labels);
  g_autoptr (AttnScene) scene = lay_out (grid, 0, 0);
  double right = 0;
  double left = G_MAXDOUBLE;

  for (gsize i = 0; i < count_role (scene, ATTN_MARK_RECTANGLE, "token"); i++)
    {
      const AttnRectangle *r = &find_mark (scene, ATTN_MARK_RECTANGLE, "token", i)->rectangle;

      right = MAX (right, r->x + r->width);
    }
  for (gsize i = 0; i < count_role (scene, ATTN_MARK_TEXT, "axis-label"); i++)
    left = MIN (left, find_mark (scene, ATTN_MARK_TEXT, "axis-label", i)->rectangle.x);
  g_assert_cmpfloat (right, <, left);
  for (gsize i = 0; i + 1 < count_role (scene, ATTN_MARK_TEXT, "token-label"); i++)
    g_assert_cmpfloat (find_mark (scene, ATTN_MARK_TEXT, "token-label", i + 1)->rectangle.y -
                           find_mark (scene, ATTN_MARK_TEXT, "token-label", i)->rectangle.y,
                       >, find_mark (scene, ATTN_MARK_TEXT, "token-label", i)->font_size);
}

/* In a figure that has no room for it there is none, and a panel remains. */
static void
test_small (void)
{
  g_autoptr (AttnGrid) grid = make_grid (3, 5, figure_fixture_plain_labels, 8);

  for (double side = 1; side < 400; side *= 1.5)
    {
      g_autoptr (AttnScene) scene = lay_out (grid, side, side);
      const AttnMark *panel = find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0);

      g_assert_nonnull (panel);
      g_assert_cmpfloat (panel->rectangle.width, >, 0);
      if (count_role (scene, ATTN_MARK_RECTANGLE, "head") > 0)
        g_assert_cmpfloat (panel->rectangle.width, >=, CLAMP (0.35 * side, 28, 64));
    }
}

static void
test_thinned (void)
{
  g_autoptr (AttnGrid) few = make_grid (3, 5, figure_fixture_plain_labels, 8);
  g_autoptr (AttnGrid) many = make_grid (12, 60, figure_fixture_plain_labels, 8);
  g_autoptr (AttnScene) all = lay_out (few, 0, 0);
  g_autoptr (AttnScene) thinned = lay_out (many, 0, 0);
  gsize n_lines = count_role (thinned, ATTN_MARK_LINE, "link");
  double share;
  gsize n_left_out;
  g_autofree gboolean *is_shown =
      attn_diagram_choose_links (many->diagram, &share, &n_left_out);
  g_autofree char *said = g_strdup_printf ("%zu of %zu lines left out", n_left_out,
                                           many->diagram->n_links);
  gboolean has_line[12] = { FALSE };

  g_assert_cmpuint (count_role (all, ATTN_MARK_LINE, "link"), ==, few->diagram->n_links);
  g_assert_cmpuint (count_role (all, ATTN_MARK_TEXT, "note"), ==, 0);
  g_assert_cmpuint (n_lines + n_left_out, ==, many->diagram->n_links);
  g_assert_cmpuint (n_lines, <=, 72);
  g_assert_nonnull (strstr (find_mark (thinned, ATTN_MARK_TEXT, "note", 0)->markup, said));
  for (gsize i = 0; i < many->diagram->n_links; i++)
    {
      const AttnDiagramLink *link = &many->diagram->links[i];

      has_line[link->head] |= is_shown[i];
      if (!is_shown[i])
        g_assert_cmpfloat (link->weight, <, share);
    }
  for (gsize i = 0; i < 12; i++)
    g_assert_true (has_line[i]);
}

/* The width of a line follows the weight where that is asked for. */
static void
test_line_width (void)
{
  g_autoptr (AttnGrid) grid = make_grid (3, 5, figure_fixture_plain_labels, 8);
  g_autoptr (AttnScene) equal = lay_out (grid, 0, 0);

  for (gsize i = 1; i < count_role (equal, ATTN_MARK_LINE, "link"); i++)
    g_assert_cmpfloat (find_mark (equal, ATTN_MARK_LINE, "link", i)->line_width, ==,
                       find_mark (equal, ATTN_MARK_LINE, "link", 0)->line_width);
  grid->diagram->has_graded_lines = TRUE;
  g_autoptr (AttnScene) graded = lay_out (grid, 0, 0);
  for (gsize i = 0; i < grid->diagram->n_links; i++)
    for (gsize j = 0; j < grid->diagram->n_links; j++)
      if (grid->diagram->links[i].weight > grid->diagram->links[j].weight)
        g_assert_cmpfloat (find_mark (graded, ATTN_MARK_LINE, "link", i)->line_width, >,
                           find_mark (graded, ATTN_MARK_LINE, "link", j)->line_width);
}

/* On dark, all have the contrast of 3 : 1 that WCAG 2 (1.4.11) asks of graphics, to the
 * ground of GTK's dark windows. */
static void
test_colors (void)
{
  double ground = get_luminance ((AttnRgb) { 0x35, 0x35, 0x35 });

  for (gsize i = 0; i < 18; i++)
    for (gsize j = 0; j < i; j++)
      for (int is_on_dark = 0; is_on_dark < 2; is_on_dark++)
        g_assert_false (attn_rgb_equal (attn_contrast_get_distinct (i, is_on_dark),
                                        attn_contrast_get_distinct (j, is_on_dark)));
  for (gsize i = 0; i < 18; i++)
    g_assert_cmpfloat (get_luminance (attn_contrast_get_distinct (i, TRUE)) + 0.05, >=,
                       3 * (ground + 0.05));
}

static void
test_hit (void)
{
  g_autoptr (AttnGrid) grid = make_grid (3, 5, figure_fixture_plain_labels, 8);
  g_autoptr (AttnScene) scene = lay_out (grid, 0, 0);
  int head, token;

  for (gsize i = 0; i < 3; i++)
    {
      const AttnRectangle *r = &find_mark (scene, ATTN_MARK_RECTANGLE, "head", i)->rectangle;

      g_assert_true (attn_scene_hit_diagram (scene, r->x + r->width / 2, r->y + r->height / 2, 3,
                                             &head, &token));
      g_assert_cmpint (head, ==, (int) i);
      g_assert_cmpint (token, ==, -1);
    }
  for (gsize i = 0; i < 5; i++)
    {
      const AttnRectangle *r = &find_mark (scene, ATTN_MARK_RECTANGLE, "token", i)->rectangle;

      g_assert_true (attn_scene_hit_diagram (scene, r->x + 1, r->y + r->height / 2, 3, &head,
                                             &token));
      g_assert_cmpint (head, ==, -1);
      g_assert_cmpint (token, ==, (int) i);
    }
  for (gsize i = 0; i < grid->diagram->n_links; i++)
    {
      const AttnMark *line = find_mark (scene, ATTN_MARK_LINE, "link", i);
      const AttnRectangle *r = &line->rectangle;

      /* Lines cross: on the line itself it is the nearest. */
      g_assert_true (attn_scene_hit_diagram (scene, r->x + 0.03 * r->width,
                                             r->y + 0.03 * r->height, 3, &head, &token));
      g_assert_cmpint (head, ==, line->head);
      g_assert_cmpint (token, ==, line->token);
    }
  const AttnRectangle *panel = &find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0)->rectangle;
  g_assert_false (attn_scene_hit_diagram (scene, panel->x + 20, panel->y + 20, 3, &head, &token));
  g_assert_cmpint (head, ==, -1);
  g_assert_cmpint (token, ==, -1);
}

/* Column labels above the panel, and its title above them; the key of two colours. */
static void
test_binary (void)
{
  g_autoptr (AttnGrid) grid = make_grid (3, 5, figure_fixture_plain_labels, 8);
  grid->cells[0].title = g_strdup ("Title");
  g_autoptr (AttnScene) scene = lay_out (grid, 0, 0);
  const AttnRectangle *panel = &find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0)->rectangle;

  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), ==, 5);
  for (gsize i = 0; i < 5; i++)
    {
      g_assert_cmpfloat (find_mark (scene, ATTN_MARK_TEXT, "column-label", i)->rectangle.y, <,
                         panel->y);
      g_assert_cmpfloat (find_mark (scene, ATTN_MARK_TEXT, "title", 0)->rectangle.y, <,
                         find_mark (scene, ATTN_MARK_TEXT, "column-label", i)->rectangle.y);
      g_assert_cmpfloat (find_mark (scene, ATTN_MARK_TEXT, "row-label", i)->rectangle.x, <,
                         panel->x);
    }
  g_assert_cmpuint (count_role (scene, ATTN_MARK_COLORBAR, "colorbar"), ==, 0);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "value"), ==, 0);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_LINE, "cell-line"), ==, 8);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_RECTANGLE, "key"), ==, 2);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "key"), ==, 2);
  g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "key", 0)->markup, ==, "On");
  g_assert_cmpstr (find_mark (scene, ATTN_MARK_TEXT, "key", 1)->markup, ==, "Off");
  for (gsize row = 0; row < 5; row++)
    for (gsize column = 0; column < 5; column++)
      {
        gboolean is_on = attn_panel_get_value (grid->cells[0].panel, row, column) >= 0.5f;

        AttnRgb color = get_cell_color (scene, 0, row, column);
        g_assert_true (attn_rgb_equal (
            color, find_mark (scene, ATTN_MARK_RECTANGLE, "key", is_on ? 0 : 1)->color));
      }
}

static void
start_element_cb (GMarkupParseContext  *context,
                  const char           *element,
                  const char          **names,
                  const char          **values,
                  gpointer              user_data,
                  GError              **error)
{
  GHashTable *ids = user_data;

  for (gsize i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], "id"))
      {
        /* No two objects of one name. */
        g_assert_false (g_hash_table_contains (ids, values[i]));
        g_hash_table_add (ids, g_strdup (values[i]));
      }
}

/* Each box, line and label of the diagram is an object with a name, in the group of the diagram. */
static void
test_svg (void)
{
  const GMarkupParser parser = { .start_element = start_element_cb };

  for (guint outlines = 0; outlines < 2; outlines++)
    {
      g_autoptr (AttnGrid) grid =
          make_grid (3, 12, figure_fixture_nasty_labels, figure_fixture_n_nasty_labels);
      g_autoptr (AttnScene) scene = lay_out (grid, 0, 0);
      const AttnSvgOptions options = { .outlines_text = outlines };
      g_autoptr (GBytes) bytes = attn_svg_write (scene, &options, NULL, NULL, NULL);
      g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, ids, NULL);
      g_autoptr (GError) error = NULL;
      gsize length;
      const char *svg = g_bytes_get_data (bytes, &length);

      g_markup_parse_context_parse (context, svg, length, &error);
      g_assert_no_error (error);
      g_assert_true (g_markup_parse_context_end_parse (context, NULL));
      g_assert_true (g_hash_table_contains (ids, "diagram"));
      g_assert_true (g_hash_table_contains (ids, "head-0"));
      g_assert_true (g_hash_table_contains (ids, "head-4"));
      g_assert_true (g_hash_table_contains (ids, "head-4-label"));
      g_assert_true (g_hash_table_contains (ids, "token-11"));
      g_assert_true (g_hash_table_contains (ids, "token-0-label"));
      g_assert_true (g_hash_table_contains (ids, "head-2-token-1"));
      g_assert_true (g_hash_table_contains (ids, "panel-0-0"));
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/diagram/layout", test_layout);
  g_test_add_func ("/diagram/columns-do-not-touch", test_columns_do_not_touch);
  g_test_add_func ("/diagram/small", test_small);
  g_test_add_func ("/diagram/thinned", test_thinned);
  g_test_add_func ("/diagram/line-width", test_line_width);
  g_test_add_func ("/diagram/colors", test_colors);
  g_test_add_func ("/diagram/hit", test_hit);
  g_test_add_func ("/diagram/binary", test_binary);
  g_test_add_func ("/diagram/svg", test_svg);
  return g_test_run ();
}
