/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "figure-fixture.h"

#include <math.h>
#include <string.h>

#include "attn-lettering.h"

const char * const figure_fixture_plain_labels[] = { "<s>", "␣A", "␣rose", "␣is",
                                                     "␣a", ",", "␣said", "." };
const char * const figure_fixture_nasty_labels[] = {
  "antidisestablishmentarianism",
  "東京都庁",
  "🙂👩‍👩‍👧",
  "<b>&amp;\"'",
  "مرحبا",
  "\x01\x02",
  "",
  "a\nb\tc",
  "\xff\xfe",
  "e\xcc\x81",
  "]]>",
  "ÅÇ",
};
const gsize figure_fixture_n_plain_labels = G_N_ELEMENTS (figure_fixture_plain_labels);
const gsize figure_fixture_n_nasty_labels = G_N_ELEMENTS (figure_fixture_nasty_labels);

static char **
repeat_labels (const char * const *labels,
               gsize               n_labels,
               gsize               n)
{
  char **repeated = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    repeated[i] = g_strdup (labels[i % n_labels]);
  return repeated;
}

/* Values spread over 0 to 1 so that neighbours differ; masked cells are 0. */
AttnPanel *
figure_fixture_panel (gsize               n_rows,
                      gsize               n_columns,
                      AttnMask            mask,
                      const char * const *labels,
                      gsize               n_labels)
{
  gsize shape[2] = { n_rows, n_columns };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
  g_auto (GStrv) row_labels = NULL;
  g_auto (GStrv) column_labels = NULL;

  for (gsize row = 0; row < n_rows; row++)
    for (gsize column = 0; column < n_columns; column++)
      if (mask == ATTN_MASK_NONE || column <= row)
        values->data[row * n_columns + column] = (float) ((row * 37 + column * 101) % 256) / 255;
  if (labels != NULL)
    {
      row_labels = repeat_labels (labels, n_labels, n_rows);
      column_labels = repeat_labels (labels, n_labels, n_columns);
    }
  return attn_panel_new (values, mask, (const char * const *) row_labels,
                         (const char * const *) column_labels);
}

/* Causal panels of @n_tokens with titles, caption and value label as in the figures for a paper. */
AttnGrid *
figure_fixture_grid (gsize n_rows,
                     gsize n_columns,
                     gsize n_tokens)
{
  static const char *components[] = { "Query", "Key", "Value" };
  AttnGrid *grid = attn_grid_new (n_rows, n_columns);

  for (gsize row = 0; row < n_rows; row++)
    for (gsize column = 0; column < n_columns; column++)
      {
        AttnGridCell *cell = attn_grid_get_cell (grid, row, column);

        cell->panel =
            figure_fixture_panel (n_tokens, n_tokens, ATTN_MASK_CAUSAL, figure_fixture_plain_labels,
                                  figure_fixture_n_plain_labels);
        cell->title = g_strdup_printf ("Taking the Mean of <i>%s</i> (Input %d)",
                                       components[column % 3], (int) row + 1);
        cell->name = g_strdup_printf ("%s & input %d", components[column % 3], (int) row + 1);
      }
  grid->caption = g_strdup ("The Mean Operation For <i>Query</i>, <i>Key</i> and <i>Value</i>");
  grid->value_label = g_strdup ("Attention Weight");
  return grid;
}

/* One panel without labels, 0 but for one cell. */
AttnGrid *
figure_fixture_lone_cell (gsize n,
                          gsize row,
                          gsize column,
                          float value)
{
  gsize shape[2] = { n, n };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);
  AttnGrid *grid = attn_grid_new (1, 1);

  values->data[row * n + column] = value;
  grid->cells[0].panel = attn_panel_new (values, ATTN_MASK_NONE, NULL, NULL);
  return grid;
}

/* Runs a tool; FALSE if it is not there. It is an error if it fails. */
gboolean
figure_fixture_run (char **argv)
{
  g_autofree char *program = g_find_program_in_path (argv[0]);
  g_autoptr (GError) error = NULL;
  int status;

  if (program == NULL)
    return FALSE;
  g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_spawn_check_wait_status (status, &error);
  g_assert_no_error (error);
  return TRUE;
}

const AttnMark *
find_mark (const AttnScene *scene,
           AttnMarkKind     kind,
           const char      *role,
           gsize            index)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == kind && g_str_equal (mark->role, role) && index-- == 0)
        return mark;
    }
  return NULL;
}

gsize
count_role (const AttnScene *scene,
            AttnMarkKind     kind,
            const char      *role)
{
  gsize n = 0;

  while (find_mark (scene, kind, role, n) != NULL)
    n++;
  return n;
}

gboolean
has_text (const AttnScene *scene,
          const char      *text)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    if (g_strcmp0 (attn_scene_get_mark (scene, i)->markup, text) == 0)
      return TRUE;
  return FALSE;
}

gsize
count_text (const char *text,
            const char *what)
{
  gsize n = 0;

  for (const char *p = strstr (text, what); p != NULL; p = strstr (p + 1, what))
    n++;
  return n;
}

AttnRgb
get_style_color (const AttnStyle *style,
                 double           value)
{
  AttnScale scale = attn_style_get_scale (style);
  AttnRgb palette[ATTN_PALETTE_SIZE];

  attn_style_get_palette (style, palette);
  return palette[attn_scale_get_index (&scale, value)];
}

AttnRgb
get_cell_color (const AttnScene *scene,
                int              group,
                gsize            row,
                gsize            column)
{
  const AttnMark *mark;
  AttnRgb palette[ATTN_PALETTE_SIZE];

  for (gsize i = 0; (mark = find_mark (scene, ATTN_MARK_HEATMAP, "cells", i))->group != group; i++)
    ;
  attn_style_get_palette (mark->style, palette);
  return palette[attn_mark_get_index (mark, row, column)];
}

double
get_luminance (AttnRgb color)
{
  const guint8 channels[] = { color.red, color.green, color.blue };
  const double shares[] = { 0.2126, 0.7152, 0.0722 };
  double luminance = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (channels); i++)
    {
      double c = channels[i] / 255.0;

      luminance += shares[i] * (c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4));
    }
  return luminance;
}

GBytes *
export_to_bytes (const AttnScene   *scene,
                 AttnExportFormat   format,
                 double             resolution,
                 const char        *title,
                 const char        *metadata,
                 GError           **error)
{
  const AttnExportOptions options = {
    .format = format,
    .resolution = resolution,
    .title = title,
    .metadata = metadata,
  };

  return attn_export_scene (scene, &options, error);
}

typedef struct
{
  double left;
  double top;
  double right;
  double bottom;
} Box;

static Box
get_text_box (const AttnScene *scene,
              const AttnMark  *mark)
{
  double width = attn_lettering_measure (scene->style.font_family, mark->markup,
                                         mark->font_size);
  double ascent = ATTN_LETTERING_ASCENT * mark->font_size;
  double descent = ATTN_LETTERING_DESCENT * mark->font_size;
  double start = mark->anchor == ATTN_ANCHOR_START ? 0
                 : mark->anchor == ATTN_ANCHOR_END ? -width
                                                   : -width / 2;
  double x = mark->rectangle.x;
  double y = mark->rectangle.y;

  if (mark->angle == 0)
    return (Box) { x + start, y - ascent, x + start + width, y + descent };
  g_assert_cmpfloat (mark->angle, ==, 90);
  return (Box) { x - ascent, y - start - width, x + descent, y - start };
}

static void
assert_inside (const AttnScene *scene,
               Box              box)
{
  g_assert_cmpfloat (box.left, >=, -LAYOUT_TOLERANCE);
  g_assert_cmpfloat (box.top, >=, -LAYOUT_TOLERANCE);
  g_assert_cmpfloat (box.right, <=, scene->width + LAYOUT_TOLERANCE);
  g_assert_cmpfloat (box.bottom, <=, scene->height + LAYOUT_TOLERANCE);
}

static gboolean
boxes_overlap (Box a,
               Box b)
{
  return a.left < b.right - LAYOUT_TOLERANCE && b.left < a.right - LAYOUT_TOLERANCE &&
         a.top < b.bottom - LAYOUT_TOLERANCE && b.top < a.bottom - LAYOUT_TOLERANCE;
}

void
check_scene (const AttnScene *scene)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (Box));
  g_autoptr (GArray) panels = g_array_new (FALSE, FALSE, sizeof (Box));

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);
      const AttnRectangle *r = &mark->rectangle;

      if (mark->kind == ATTN_MARK_TEXT)
        {
          Box box = get_text_box (scene, mark);

          assert_inside (scene, box);
          if (!g_str_equal (mark->role, "value"))
            g_array_append_val (boxes, box);
        }
      else
        {
          Box box = { r->x, r->y, r->x + r->width, r->y + r->height };

          assert_inside (scene, box);
          for (gsize k = 0; k < mark->n_points; k++)
            if (!isnan (mark->points[k].y))
              assert_inside (scene, (Box) { mark->points[k].x, mark->points[k].y,
                                            mark->points[k].x, mark->points[k].y });
          if (mark->kind == ATTN_MARK_HEATMAP || mark->kind == ATTN_MARK_COLORBAR)
            {
              g_assert_cmpfloat (r->width, >, 0);
              g_assert_cmpfloat (r->height, >, 0);
              g_array_append_val (panels, box);
            }
        }
    }
  for (guint i = 0; i < boxes->len; i++)
    {
      for (guint j = i + 1; j < boxes->len; j++)
        g_assert_false (boxes_overlap (g_array_index (boxes, Box, i),
                                       g_array_index (boxes, Box, j)));
      for (guint j = 0; j < panels->len; j++)
        g_assert_false (boxes_overlap (g_array_index (boxes, Box, i),
                                       g_array_index (panels, Box, j)));
    }
}
