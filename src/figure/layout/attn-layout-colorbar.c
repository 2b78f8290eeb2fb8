/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour bars of a figure: the parts that all of them have, and the bars at the right of the
 * panels. */

#include "config.h"

#include <math.h>

#include "attn-layout-private.h"
#include "attn-lettering.h"
#include "attn-markup.h"

/* The largest share of the page's width for a key of the two colours of an on/off figure at the
 * right of the panels. */
#define LARGEST_KEY_SHARE 0.15

/* The largest share of the page's width for colour bars at the right of the panels; the width of
 * the diagram is not counted. */
#define LARGEST_SHARE 0.33
/* The largest share of a page of given width for colour bars, if the figure has many columns of
 * panels, which are small. */
#define MANY_COLUMNS         3
#define LARGEST_COLUMN_SHARE 0.2

/* The distance between entries of the key below a colour bar, in sizes of text. */
#define KEY_PITCH 1.25

/* The smallest share of its height that a colour bar keeps beside a key; if less would remain,
 * there is no key. */
#define SMALLEST_BAR_SHARE 0.5

/* The length of the triangle at the end of a colour bar, relative to the bar's thickness. */
#define TRIANGLE_SHARE 0.7

/* Adds a triangle at one end of the colour bar, in the colour of values beyond that end. */
static void
add_triangle (AttnScene           *scene,
              const AttnRectangle *bar,
              const AttnStyle     *style,
              gboolean             is_over,
              gboolean             is_level)
{
  const AttnRgb *table = attn_style_get_table (style);
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TRIANGLE, -1, "overflow");
  double length = (is_level ? bar->height : bar->width) * TRIANGLE_SHARE;

  if (is_level)
    mark->rectangle = (AttnRectangle) { is_over ? bar->x + bar->width : bar->x - length, bar->y,
                                        length, bar->height };
  else
    mark->rectangle = (AttnRectangle) { bar->x, is_over ? bar->y - length : bar->y + bar->height,
                                        bar->width, length };
  mark->angle = is_level ? (is_over ? 270 : 90) : (is_over ? 0 : 180);
  mark->color = table[is_over ? ATTN_COLORMAP_SIZE - 1 : 0];
  mark->line_width = ATTN_LAYOUT_FRAME_WIDTH;
}

/* Adds the colours of a colour bar with their frame, and triangles if values lie beyond them. @bar:
 * (inout): the room for all of these; on return the rectangle of the colours */
void
attn_layout_add_bar (const AttnLayoutNeeds *needs,
                     AttnScene             *scene,
                     AttnRectangle         *bar,
                     const AttnRange       *range,
                     gboolean               is_difference,
                     gboolean               is_level)
{
  const AttnStyle *style = needs->scales.styles[is_difference];
  double *length = is_level ? &bar->width : &bar->height;
  double triangle = (is_level ? bar->height : bar->width) * TRIANGLE_SHARE;
  gboolean has_over = needs->in->style.marks_overflow && range->has_over;
  gboolean has_under = needs->in->style.marks_overflow && range->has_under;

  if (*length > 4 * triangle)
    {
      if (is_level)
        bar->x += has_under ? triangle : 0;
      else
        bar->y += has_over ? triangle : 0;
      *length -= (has_over + has_under) * triangle;
      if (has_over)
        add_triangle (scene, bar, style, TRUE, is_level);
      if (has_under)
        add_triangle (scene, bar, style, FALSE, is_level);
    }

  AttnMark *mark = attn_scene_add_values (scene, ATTN_MARK_COLORBAR, -1, "colorbar", &range->scale,
                                          is_difference);
  mark->rectangle = *bar;
  mark->angle = is_level ? 90 : 0;
  attn_layout_add_frame (scene, -1, bar);
}

/* Adds an entry of the key beside a colour bar: a colour that is not on a bar, and its name at the
 * right. */
void
attn_layout_add_key_entry (const AttnLayoutNeeds *needs,
                           AttnScene             *scene,
                           const AttnRectangle   *swatch,
                           AttnRgb                color,
                           const char            *name)
{
  double size = needs->in->style.font_size;
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, -1, "key");

  mark->rectangle = *swatch;
  mark->color = color;
  mark->is_filled = TRUE;
  attn_layout_add_frame (scene, -1, swatch);
  attn_scene_add_text (scene, -1, "key", g_strdup (name),
                       swatch->x + swatch->width + ATTN_LAYOUT_TICK_LENGTH + 2,
                       swatch->y + swatch->height / 2 + size * ATTN_LETTERING_DIGIT_MIDDLE, size,
                       ATTN_ANCHOR_START, 0);
}

/* Tells whether colour bars have a label that names their values. */
gboolean
attn_layout_has_value_label (const AttnLayoutFit *fit)
{
  return fit->in->grid->value_label != NULL && fit->shown.value_label && !fit->in->grid->is_binary;
}

/* Builds the label of the colour bar. Text in a figure is for a paper and is not translated. */
static char *
build_value_label (const AttnLayoutInput  *in,
                   const AttnLayoutScales *scales,
                   gboolean                is_difference)
{
  gboolean follows_data = FALSE;

  if (is_difference)
    return g_strdup ("Difference");
  for (gsize i = 0; i < scales->n_ranges && in->style.range == ATTN_RANGE_AUTOMATIC; i++)
    follows_data |= !scales->ranges[FALSE][i].is_fixed;

  g_autofree char *label = attn_markup_from_text (in->grid->value_label);

  switch (in->style.scale)
    {
    case ATTN_SCALE_RATIO:
      return g_strdup_printf ("%s / Uniform", label);
    case ATTN_SCALE_PERCENTILE:
      return g_strdup_printf ("%s (by Rank)", label);
    case ATTN_SCALE_LINEAR:
    case ATTN_SCALE_LOG:
    case ATTN_SCALE_SYMMETRIC:
    default:
      return follows_data ? g_strdup_printf ("%s (Range of the Data)", label)
                          : g_steal_pointer (&label);
    }
}

/* Fits the label of the colour bar into @width. Returns %NULL if it would have to be cut, as half a
 * name is worse than none. @size: (out): the text size that fits, in points */
char *
attn_layout_fit_value_label (const AttnLayoutNeeds *needs,
                             gboolean               is_difference,
                             double                 width,
                             double                *size)
{
  g_autofree char *markup = build_value_label (needs->in, &needs->scales, is_difference);

  *size = needs->value_label_size;
  g_autofree char *label =
      attn_layout_fit_text (needs->in->style.font_family, markup, width, size);
  return g_str_has_suffix (label, "…") && !g_str_has_suffix (markup, "…")
             ? NULL
             : g_steal_pointer (&label);
}

/* Returns the width that each colour bar at the right of the panels takes. */
double
attn_layout_get_colorbar_room (const AttnLayoutFit *fit)
{
  double room = ATTN_LAYOUT_COLORBAR_GAP + ATTN_LAYOUT_COLORBAR_WIDTH + ATTN_LAYOUT_TICK_LENGTH +
                2 + fit->needs->scales.tick_width;

  if (attn_layout_has_value_label (fit))
    room += 4 + fit->needs->value_label_size * ATTN_LETTERING_HEIGHT;
  return room;
}

/* Returns the width that the colour bar of a panel takes between this panel and the next. */
double
attn_layout_get_inner_room (const AttnLayoutFit *fit)
{
  if (!fit->shown.colorbar || fit->shown.level_bars ||
      fit->in->style.range_scope != ATTN_RANGE_SCOPE_PANEL)
    return 0;
  return ATTN_LAYOUT_COLORBAR_GAP / 2 + ATTN_LAYOUT_COLORBAR_WIDTH + ATTN_LAYOUT_TICK_LENGTH + 2 +
         fit->needs->scales.tick_width;
}

/* Tells whether colour bars at the right of the panels would take too much of the page's width, so
 * that they are put below the panels. */
gboolean
attn_layout_wants_level_bars (const AttnLayoutFit *fit)
{
  const AttnLayoutInput *in = fit->in;
  gsize n_inner = in->style.range_scope == ATTN_RANGE_SCOPE_PANEL ? in->grid->n_columns - 1 : 0;
  double room = fit->needs->scales.n_bars * attn_layout_get_colorbar_room (fit) +
                n_inner * attn_layout_get_inner_room (fit);

  if (in->page_width <= 0 || !fit->shown.colorbar)
    return FALSE;
  if (in->grid->is_binary)
    return room > LARGEST_KEY_SHARE * in->page_width;
  /* If only the width of the page is given, bars below the panels make the page higher and no panel
   * smaller. */
  gboolean is_column =
      in->page_height <= 0 && n_inner == 0 && in->grid->n_columns >= MANY_COLUMNS;
  double share = is_column ? LARGEST_COLUMN_SHARE : LARGEST_SHARE;
  return room > share * (in->page_width - attn_layout_get_diagram_room (fit));
}

static void
add_ticks (const AttnLayoutNeeds *needs,
           AttnScene             *scene,
           const AttnRectangle   *bar,
           const AttnStyle       *style,
           const AttnRange       *range)
{
  double size = needs->in->style.font_size;
  double x = bar->x + bar->width;
  g_autoptr (GArray) ticks = attn_layout_scales_get_ticks (style, range, bar->height, size * 1.3);
  double last_y = INFINITY;
  /* Numbers at the ends of a colour bar must stay on the page, and reach at most half the gap to
   * the bar of the next row. */
  double reach = needs->scales.n_ranges > 1 ? MIN (needs->margin, needs->gap_y / 2) : needs->margin;
  double inside = MAX (size * ATTN_LETTERING_DIGIT_MIDDLE - reach, 0);

  for (guint i = 0; i < ticks->len; i++)
    {
      const AttnTick *tick = &g_array_index (ticks, AttnTick, i);
      double below_top = (1 - tick->position) * bar->height;
      double middle = CLAMP (below_top, inside, MAX (bar->height - inside, inside));
      double y = bar->y + bar->height * (1 - tick->position);

      /* Steps of 1, 2 and 5 are unequal on a logarithmic scale: a number of the colour bar that
       * would overlap the one below it is left out. */
      if (last_y - middle < size * 1.1)
        continue;
      attn_scene_add_line (scene, -1, "tick", x, y, ATTN_LAYOUT_TICK_LENGTH, 0);
      attn_scene_add_text (scene, -1, "tick", g_strdup (tick->label),
                           x + ATTN_LAYOUT_TICK_LENGTH + 2,
                           bar->y + middle + size * ATTN_LETTERING_DIGIT_MIDDLE, size,
                           ATTN_ANCHOR_START, 0);
      last_y = middle;
    }
}

/* Adds the key, the colours of masked cells and of NaN, which are not on the bar, at the bottom of
 * @room, and leaves the rest to the bar. */
static void
add_key (const AttnLayoutNeeds *needs,
         AttnScene             *scene,
         const AttnRange       *range,
         AttnRectangle         *room)
{
  double size = needs->in->style.font_size;
  double pitch = size * KEY_PITCH;
  gboolean has_nan = attn_layout_scales_has_key (&needs->scales, range, FALSE);
  gboolean has_masked = attn_layout_scales_has_key (&needs->scales, range, TRUE);
  double height = (has_nan + has_masked) * pitch + 0.5 * pitch;
  AttnRectangle swatch = { room->x, 0, room->width, size * 0.8 };

  if (!(has_nan || has_masked) || room->height - height < SMALLEST_BAR_SHARE * room->height)
    return;
  room->height -= height;
  swatch.y = room->y + room->height + 0.5 * pitch + (pitch - swatch.height);
  if (has_masked)
    {
      attn_layout_add_key_entry (needs, scene, &swatch, needs->in->style.masked_color,
                                 ATTN_LAYOUT_KEY_MASKED);
      swatch.y += pitch;
    }
  if (has_nan)
    attn_layout_add_key_entry (needs, scene, &swatch, ATTN_COLOR_NAN,
                               attn_layout_scales_get_nan_name (&needs->scales));
}

/* Adds a colour bar with its ticks and key, but without the label that names its values, in the
 * height of @room. */
static void
add_colorbar (const AttnLayoutNeeds *needs,
              AttnScene             *scene,
              gsize                  index,
              gboolean               is_difference,
              AttnRectangle          room)
{
  const AttnRange *range = &needs->scales.ranges[is_difference][index];

  add_key (needs, scene, range, &room);
  attn_layout_add_bar (needs, scene, &room, range, is_difference, FALSE);
  add_ticks (needs, scene, &room, needs->scales.styles[is_difference], range);
}

/* Returns the y up to which the label of a colour bar at @x may reach. The label must not overlap
 * the title of the last panel of the first row, if that title reaches beyond @x. */
static double
get_top_at (const AttnLayoutPlaces *at,
            double                  x)
{
  const AttnLayoutInput *in = at->in;
  gsize last = in->grid->n_columns - 1;
  const AttnGridCell *cell = &in->grid->cells[last];

  if (!at->fit->shown.titles || cell->title == NULL || cell->panel == NULL)
    return at->needs->margin;
  g_autofree char *normal = attn_markup_normalize (cell->title);
  double needed = attn_lettering_measure (in->style.font_family, normal,
                                          attn_layout_get_title_size (at));
  double width = MIN (needed, attn_layout_get_title_width (at, last));
  double right = at->slot_x[last] + (at->fit->slot_width + width) / 2;

  return right > x ? at->slot_y[0] - attn_layout_get_title_gap (&in->style) : at->needs->margin;
}

/* Returns the y down to which the label of a colour bar may reach: the top of the charts, of the
 * caption or of the margin. */
static double
get_bottom (const AttnLayoutPlaces *at)
{
  if (at->fit->shown.chart)
    return at->chart.y;
  return at->fit->shown.caption ? at->caption_y - at->needs->caption_size * ATTN_LETTERING_ASCENT
                                : at->height - at->needs->margin;
}

/* Adds the label that names the values of the bars at the left of @room: one for all bars above
 * each other. If @is_alone, the label may be longer than @room: from the top of the page down to
 * what is below the panels. @scene: (nullable): %NULL to find out only whether the label has room.
 * Returns the share of its text size that has room, 0 if the label is left out, 1 if there is
 * none. */
static double
add_value_label (const AttnLayoutPlaces *at,
                 AttnScene              *scene,
                 const AttnRectangle    *room,
                 gboolean                is_difference,
                 gboolean                is_alone)
{
  double height = room->height;
  double middle = room->y + height / 2;
  double x = room->x + (ATTN_LAYOUT_COLORBAR_WIDTH + ATTN_LAYOUT_TICK_LENGTH + 2 +
                        at->needs->scales.tick_width + 4);
  double size;

  if (!attn_layout_has_value_label (at->fit))
    return 1;
  if (is_alone)
    height = MAX (height, 2 * MIN (middle - get_top_at (at, x), get_bottom (at) - middle));

  g_autofree char *label = attn_layout_fit_value_label (at->needs, is_difference, height, &size);
  if (label != NULL && scene != NULL)
    attn_scene_add_text (scene, -1, "axis-label", g_steal_pointer (&label),
                         x + size * ATTN_LETTERING_ASCENT, middle, size, ATTN_ANCHOR_MIDDLE, 90);
  return label != NULL || scene != NULL ? size / at->needs->value_label_size : 0;
}

/* Returns the smallest share of their text size that labels of colour bars at the right have room
 * for: 0 if a label is left out, 1 if no bar has a label. */
double
attn_layout_get_value_label_share (const AttnLayoutPlaces *at)
{
  const AttnLayoutScales *scales = &at->needs->scales;
  double share = 1;

  for (guint is_difference = 0; is_difference <= 1; is_difference++)
    if (scales->is_used[is_difference])
      share = MIN (share, add_value_label (at, NULL, &at->colorbar, is_difference != 0, TRUE));
  return share;
}

/* Adds the colour bars of weights and of differences, if the grid has such panels, one beside the
 * other: one for the grid, or one for each row. */
static void
add_shared_colorbars (const AttnLayoutPlaces *at,
                      AttnScene              *scene)
{
  const AttnLayoutScales *scales = &at->needs->scales;
  AttnRectangle next = at->colorbar;

  for (guint is_difference = 0; is_difference <= 1; is_difference++)
    {
      if (!scales->is_used[is_difference])
        continue;
      for (gsize i = 0; i < scales->n_ranges; i++)
        {
          AttnRectangle room = next;

          if (at->in->style.range_scope == ATTN_RANGE_SCOPE_ROW)
            {
              room.y = at->slot_y[i];
              room.height = at->fit->slot_height;
            }
          add_colorbar (at->needs, scene, i, is_difference, room);
        }
      add_value_label (at, scene, &next, is_difference, TRUE);
      next.x += attn_layout_get_colorbar_room (at->fit);
    }
}

/* Adds one colour bar beside each panel. */
static void
add_own_colorbars (const AttnLayoutPlaces *at,
                   AttnScene              *scene)
{
  const AttnGrid *grid = at->in->grid;
  const AttnLayoutScales *scales = &at->needs->scales;
  gboolean is_mixed = scales->is_used[FALSE] && scales->is_used[TRUE];

  for (gsize i = 0; i < scales->n_ranges; i++)
    {
      const AttnGridCell *cell = &grid->cells[i];
      gsize column = i % grid->n_columns;
      gboolean is_last = column + 1 == grid->n_columns;

      if (cell->panel == NULL)
        continue;
      AttnRectangle room = attn_layout_get_panel_rectangle (at, i / grid->n_columns, column);
      room.x += room.width + attn_layout_get_strip_room (at->fit) +
                ATTN_LAYOUT_COLORBAR_GAP / (is_last ? 1 : 2);
      room.width = ATTN_LAYOUT_COLORBAR_WIDTH;
      add_colorbar (at->needs, scene, i, cell->is_difference, room);
      if (is_last && is_mixed)
        add_value_label (at, scene, &room, cell->is_difference, grid->n_rows == 1);
    }
  if (!is_mixed)
    add_value_label (at, scene, &at->colorbar, scales->is_used[TRUE], TRUE);
}

/* Adds a key of the two colours of an on/off figure instead of a bar. */
static void
add_binary_key (const AttnLayoutPlaces *at,
                AttnScene              *scene)
{
  const AttnRgb *table = attn_style_get_table (&at->in->style);
  AttnRectangle swatch = { at->colorbar.x, at->colorbar.y, at->colorbar.width,
                           at->colorbar.width };

  attn_layout_add_key_entry (at->needs, scene, &swatch, table[ATTN_COLORMAP_SIZE - 1],
                             ATTN_LAYOUT_KEY_ON);
  swatch.y += MAX (swatch.height, at->in->style.font_size) * 1.5;
  attn_layout_add_key_entry (at->needs, scene, &swatch, table[0], ATTN_LAYOUT_KEY_OFF);
}

/* Adds the colour bars: one for all panels at the right, one for each row there, or one beside each
 * panel. */
void
attn_layout_add_colorbars (const AttnLayoutPlaces *at,
                           AttnScene              *scene)
{
  if (at->in->grid->is_binary)
    add_binary_key (at, scene);
  else if (at->in->style.range_scope == ATTN_RANGE_SCOPE_PANEL)
    add_own_colorbars (at, scene);
  else
    add_shared_colorbars (at, scene);
}
