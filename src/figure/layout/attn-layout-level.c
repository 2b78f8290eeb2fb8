/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour bars below the panels. On a page as narrow as a journal's column, bars at the right would
 * make the panels too small; below they only take height. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"

/* Sizes in points. */
#define GAP       6.0 /* gap above the colour bar and above a line of its key, points */
#define THICKNESS 6.0
#define TICK_GAP  1.5
#define LABEL_GAP 2.5
#define ENTRY_GAP 8.0 /* gap between two entries of the colour bar's key, points */
#define AIR       6.0 /* gap between the last number of a colour bar and the first number of the
                       * next, points */

/* The smallest gap between two numbers of a colour bar, relative to their size. */
#define TICK_AIR 0.3

/* Tells whether the key of the colour bars has the colour of NaN or of masked cells, which is on no
 * bar. */
static gboolean
has_key (const AttnLayoutScales *scales,
         gboolean                is_masked)
{
  for (guint kind = 0; kind < 2; kind++)
    for (gsize i = 0; i < scales->n_ranges && scales->is_used[kind]; i++)
      if (attn_layout_scales_has_key (scales, &scales->ranges[kind][i], is_masked))
        return TRUE;
  return FALSE;
}

/* Tells whether each colour bar has a label of its own: each panel has a bar, and there are both
 * weights and differences. */
static gboolean
has_own_labels (const AttnLayoutScales *scales)
{
  return scales->in->style.range_scope == ATTN_RANGE_SCOPE_PANEL && scales->is_used[FALSE] &&
         scales->is_used[TRUE];
}

/* Returns the height of the colour bars below a row of panels, with their numbers, label and
 * key. */
double
attn_layout_get_level_room (const AttnLayoutFit *fit,
                            gsize                row)
{
  const AttnLayoutInput *in = fit->in;
  const AttnLayoutScales *scales = &fit->needs->scales;
  double line = in->style.font_size * ATTN_LETTERING_HEIGHT;
  gboolean is_last = row + 1 == in->grid->n_rows;
  double room = 0;

  if (!fit->shown.colorbar || !fit->shown.level_bars)
    return 0;
  if (in->grid->is_binary)
    return is_last ? GAP + MAX (line, ATTN_LAYOUT_COLORBAR_WIDTH) : 0;
  if (is_last || in->style.range_scope != ATTN_RANGE_SCOPE_GRID)
    room = GAP + THICKNESS + ATTN_LAYOUT_TICK_LENGTH + TICK_GAP + line;
  if ((is_last || has_own_labels (scales)) && attn_layout_has_value_label (fit))
    room += LABEL_GAP + fit->needs->value_label_size * ATTN_LETTERING_HEIGHT;
  if (is_last && (has_key (scales, FALSE) || has_key (scales, TRUE)))
    room += GAP + line;
  return room;
}

/* Returns the x of the middle of a tick's number. Numbers at the ends of the bar reach only a
 * little beyond it, so that they do not overlap those of the next bar. @half: half of the number's
 * width */
static double
place_tick (const AttnLayoutNeeds *needs,
            const AttnRectangle   *bar,
            const AttnTick        *tick,
            double                 half)
{
  double room = needs->in->grid->n_columns > 1 ? needs->gap_x : needs->margin;
  double slack = MAX ((room - AIR) / 2, 0);
  double left = bar->x - slack + half;

  return CLAMP (bar->x + tick->position * bar->width, left,
                MAX (bar->x + bar->width + slack - half, left));
}

/* Adds the numbers of ticks below the colour bar, without those that would overlap the number
 * before. @scene: (nullable): %NULL to find out only whether any would overlap. Returns %TRUE if
 * all have room. */
static gboolean
add_numbers (const AttnLayoutNeeds *needs,
             AttnScene             *scene,
             const AttnRectangle   *bar,
             GArray                *ticks)
{
  const AttnStyle *style = &needs->in->style;
  double size = style->font_size;
  double y = bar->y + bar->height;
  double end = -INFINITY;
  gboolean has_room = TRUE;

  for (guint i = 0; i < ticks->len; i++)
    {
      const AttnTick *tick = &g_array_index (ticks, AttnTick, i);
      double half = attn_lettering_measure (style->font_family, tick->label, size) / 2;
      double middle = place_tick (needs, bar, tick, half);

      if (middle - half < end + TICK_AIR * size)
        {
          has_room = FALSE;
          continue;
        }
      end = middle + half;
      if (scene == NULL)
        continue;
      attn_scene_add_line (scene, -1, "tick", bar->x + tick->position * bar->width, y, 0,
                           ATTN_LAYOUT_TICK_LENGTH);
      attn_scene_add_text (scene, -1, "tick", g_strdup (tick->label), middle,
                           y + ATTN_LAYOUT_TICK_LENGTH + TICK_GAP + size * ATTN_LETTERING_ASCENT,
                           size, ATTN_ANCHOR_MIDDLE, 0);
    }
  return has_room;
}

static void
add_bar (const AttnLayoutNeeds *needs,
         AttnScene             *scene,
         gsize                  index,
         gboolean               is_difference,
         double                 left,
         double                 right,
         double                 y)
{
  const AttnLayoutScales *scales = &needs->scales;
  const AttnRange *range = &scales->ranges[is_difference][index];
  AttnRectangle bar = { left, y, right - left, THICKNESS };
  double pitch = scales->tick_width + TICK_AIR * needs->in->style.font_size;
  g_autoptr (GArray) ticks = NULL;

  attn_layout_add_bar (needs, scene, &bar, range, is_difference, TRUE);
  /* Fewer numbers at a colour bar are better than a series of numbers with gaps. */
  do
    {
      g_clear_pointer (&ticks, g_array_unref);
      ticks = attn_layout_scales_get_ticks (scales->styles[is_difference], range, bar.width, pitch);
      pitch *= 1.25;
    }
  while (!add_numbers (needs, NULL, &bar, ticks) && pitch < bar.width);
  add_numbers (needs, scene, &bar, ticks);
}

/* Adds the label that names the values below the numbers of the bar whose top is at @y. @scene:
 * (nullable): %NULL to find out only whether the label has room. Returns the share of its text size
 * that has room, 0 if the label is left out, 1 if there is none. */
static double
add_label (const AttnLayoutPlaces *at,
           AttnScene              *scene,
           gboolean                is_difference,
           double                  left,
           double                  right,
           double                  y)
{
  const AttnLayoutScales *scales = &at->needs->scales;
  double middle = (left + right) / 2;
  double rest = MIN (middle, at->width - middle) - at->needs->margin;
  double width = scales->n_bars > 1 || has_own_labels (scales)
                     ? right - left + at->needs->gap_x - AIR
                     : 2 * rest;
  double size;

  if (!attn_layout_has_value_label (at->fit))
    return 1;

  g_autofree char *label =
      attn_layout_fit_value_label (at->needs, is_difference, MIN (width, 2 * rest), &size);
  if (label == NULL)
    return 0;
  if (scene == NULL)
    return size / at->needs->value_label_size;
  y += THICKNESS + ATTN_LAYOUT_TICK_LENGTH + TICK_GAP +
       at->in->style.font_size * ATTN_LETTERING_HEIGHT + LABEL_GAP;
  attn_scene_add_text (scene, -1, "axis-label", g_steal_pointer (&label), middle,
                       y + size * ATTN_LETTERING_ASCENT, size, ATTN_ANCHOR_MIDDLE, 0);
  return size / at->needs->value_label_size;
}

/* Finds the column of the grid where panels of differences begin, with no such panel before and no
 * other panel behind it. Returns 0 if there is no such column. */
static gsize
find_first_difference (const AttnGrid *grid)
{
  gsize first = 0;

  for (gsize column = 0; column < grid->n_columns; column++)
    for (gsize row = 0; row < grid->n_rows; row++)
      {
        const AttnGridCell *cell = &grid->cells[row * grid->n_columns + column];

        if (cell->panel == NULL)
          continue;
        if (cell->is_difference && first == 0)
          first = column;
        if (cell->is_difference != (first > 0 && column >= first))
          return 0;
      }
  return first;
}

/* Finds the ends of the colour bar of weights, or of differences: if a figure has both, they lie
 * one beside the other. */
static void
get_span (const AttnLayoutPlaces *at,
          gboolean                is_difference,
          double                 *left,
          double                 *right)
{
  const AttnLayoutNeeds *needs = at->needs;
  gsize first = find_first_difference (at->in->grid);
  double width = at->fit->slot_width;

  *left = at->slot_x[0];
  *right = at->slot_x[at->in->grid->n_columns - 1] + width;
  if (!needs->scales.is_used[FALSE] || !needs->scales.is_used[TRUE])
    return;

  double middle = (*left + *right) / 2;
  if (is_difference)
    *left = first > 0 ? at->slot_x[first] : middle + needs->gap_x / 2;
  else
    *right = first > 0 ? at->slot_x[first - 1] + width : middle - needs->gap_x / 2;
}

/* Adds one colour bar for the grid or for each row. */
static void
add_shared (const AttnLayoutPlaces *at,
            AttnScene              *scene)
{
  const AttnLayoutScales *scales = &at->needs->scales;
  gsize last = at->in->grid->n_rows - 1;

  for (guint is_difference = 0; is_difference <= 1; is_difference++)
    {
      double left, right;

      if (!scales->is_used[is_difference])
        continue;
      get_span (at, is_difference, &left, &right);
      for (gsize i = 0; i < scales->n_ranges; i++)
        add_bar (at->needs, scene, i, is_difference, left, right,
                 at->bar_y[scales->n_ranges > 1 ? i : last] + GAP);
      add_label (at, scene, is_difference, left, right, at->bar_y[last] + GAP);
    }
}

/* Adds one label below neighbouring bars of the same kind. Returns the smallest of the shares that
 * add_label() returns. */
static double
add_own_labels (const AttnLayoutPlaces *at,
                AttnScene              *scene)
{
  const AttnGrid *grid = at->in->grid;
  gsize n = grid->n_columns;
  double share = 1;

  for (gsize row = 0; row < grid->n_rows; row++)
    for (gsize first = 0, end; first < n; first = end)
      {
        const AttnGridCell *cells = grid->cells + row * n;

        for (end = first + 1;
             end < n && cells[end].panel != NULL && cells[first].panel != NULL &&
             cells[end].is_difference == cells[first].is_difference;
             end++)
          ;
        if (cells[first].panel == NULL)
          continue;
        double own = add_label (at, scene, cells[first].is_difference, at->slot_x[first],
                                at->slot_x[end - 1] + at->fit->slot_width, at->bar_y[row] + GAP);
        share = MIN (share, own);
      }
  return share;
}

/* Adds one label below all colour bars, each of which belongs to a panel. Returns the share that
 * add_label() returns. */
static double
add_one_label (const AttnLayoutPlaces *at,
               AttnScene              *scene)
{
  const AttnGrid *grid = at->in->grid;

  return add_label (at, scene, at->needs->scales.is_used[TRUE], at->slot_x[0],
                    at->slot_x[grid->n_columns - 1] + at->fit->slot_width,
                    at->bar_y[grid->n_rows - 1] + GAP);
}

/* Returns the smallest share of their text size that labels of colour bars below the panels have
 * room for, 0 if a label is left out. */
double
attn_layout_get_level_label_share (const AttnLayoutPlaces *at)
{
  const AttnLayoutScales *scales = &at->needs->scales;
  double share = 1;

  if (has_own_labels (scales))
    return add_own_labels (at, NULL);
  if (at->in->style.range_scope == ATTN_RANGE_SCOPE_PANEL)
    return add_one_label (at, NULL);
  for (guint is_difference = 0; is_difference <= 1; is_difference++)
    {
      double left, right;

      if (!scales->is_used[is_difference])
        continue;
      get_span (at, is_difference, &left, &right);
      share = MIN (share, add_label (at, NULL, is_difference, left, right, 0));
    }
  return share;
}

/* Adds one bar for each panel. */
static void
add_own (const AttnLayoutPlaces *at,
         AttnScene              *scene)
{
  const AttnGrid *grid = at->in->grid;
  const AttnLayoutScales *scales = &at->needs->scales;
  gsize n = grid->n_columns;

  for (gsize i = 0; i < scales->n_ranges; i++)
    {
      if (grid->cells[i].panel == NULL)
        continue;
      AttnRectangle panel = attn_layout_get_panel_rectangle (at, i / n, i % n);
      add_bar (at->needs, scene, i, grid->cells[i].is_difference, panel.x, panel.x + panel.width,
               at->bar_y[i / n] + GAP);
    }
  if (has_own_labels (scales))
    add_own_labels (at, scene);
  else
    add_one_label (at, scene);
}

/* Adds an entry of the colour bars' key at (@x, @y): a colour and its name. Returns the x of the
 * next entry. */
static double
add_entry (const AttnLayoutNeeds *needs,
           AttnScene             *scene,
           double                 x,
           double                 y,
           AttnRgb                color,
           const char            *name)
{
  const AttnStyle *style = &needs->in->style;
  AttnRectangle swatch = { x, y, ATTN_LAYOUT_COLORBAR_WIDTH, style->font_size * 0.8 };

  attn_layout_add_key_entry (needs, scene, &swatch, color, name);
  return x + swatch.width + ATTN_LAYOUT_TICK_LENGTH + 2 +
         attn_lettering_measure (style->font_family, name, style->font_size) + ENTRY_GAP;
}

/* Adds the key, the colours of masked cells and of NaN, which are on no bar, once for all bars. */
static void
add_key (const AttnLayoutPlaces *at,
         AttnScene              *scene)
{
  const AttnStyle *style = &at->in->style;
  gsize last = at->in->grid->n_rows - 1;
  double y = at->bar_y[last] + attn_layout_get_level_room (at->fit, last) -
             style->font_size * ATTN_LETTERING_HEIGHT;
  double x = at->slot_x[0];

  if (has_key (&at->needs->scales, TRUE))
    x = add_entry (at->needs, scene, x, y, style->masked_color, ATTN_LAYOUT_KEY_MASKED);
  if (has_key (&at->needs->scales, FALSE))
    add_entry (at->needs, scene, x, y, ATTN_COLOR_NAN,
               attn_layout_scales_get_nan_name (&at->needs->scales));
}

void
attn_layout_add_level_bars (const AttnLayoutPlaces *at,
                            AttnScene              *scene)
{
  const AttnRgb *table = attn_style_get_table (&at->in->style);
  double y = at->bar_y[at->in->grid->n_rows - 1] + GAP;

  if (at->in->grid->is_binary)
    {
      double x = add_entry (at->needs, scene, at->slot_x[0], y, table[ATTN_COLORMAP_SIZE - 1],
                            ATTN_LAYOUT_KEY_ON);

      add_entry (at->needs, scene, x, y, table[0], ATTN_LAYOUT_KEY_OFF);
      return;
    }
  if (at->in->style.range_scope == ATTN_RANGE_SCOPE_PANEL)
    add_own (at, scene);
  else
    add_shared (at, scene);
  add_key (at, scene);
}
