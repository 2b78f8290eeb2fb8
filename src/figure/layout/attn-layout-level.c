/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour bars that lie below the panels. On a page as narrow as the column of a paper they would
 * take from the panels what these need; below them they take only height. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"

/* Points. */
#define GAP       6.0 /* above the bar, and above a line of keys */
#define THICKNESS 6.0
#define TICK_GAP  1.5
#define LABEL_GAP 2.5
#define ENTRY_GAP 8.0 /* between two entries of the key */
#define AIR       6.0 /* between the ends of two bars' numbers */

/* Between two numbers, of their size. */
#define TICK_AIR 0.3

/* The key of two colours stands at the right only where it takes less of the page than this,
 * whatever else has to share the rest of it. */
#define LARGEST_KEY_SHARE 0.15

/* Bars at the right take at most this share of the page, of which the diagram has its own part. */
#define LARGEST_SHARE 0.33

static gboolean
has_key (const AttnLayout *layout)
{
  for (gsize i = 0; i < layout->n_ranges; i++)
    for (gboolean is_masked = FALSE; is_masked <= TRUE; is_masked++)
      if ((layout->has_weights && attn_layout_has_key (layout, &layout->ranges[i], is_masked)) ||
          (layout->has_differences &&
           attn_layout_has_key (layout, &layout->difference_ranges[i], is_masked)))
        return TRUE;
  return FALSE;
}

/* Panels of both kinds that each have a bar of their own say below each what it is. */
static gboolean
has_own_labels (const AttnLayout *layout)
{
  return layout->style.range_scope == ATTN_RANGE_SCOPE_PANEL && layout->has_weights &&
         layout->has_differences;
}

static double
get_label_room (const AttnLayout *layout)
{
  return layout->grid->value_label != NULL && layout->shows_value_label && !layout->grid->is_binary
             ? LABEL_GAP + layout->value_label_size * ATTN_LETTERING_HEIGHT
             : 0;
}

/* Whether the colour bars would take too much of the page's width beside the panels. */
gboolean
attn_layout_wants_level_bars (const AttnLayout *layout)
{
  gsize n_inner =
      layout->style.range_scope == ATTN_RANGE_SCOPE_PANEL ? layout->grid->n_columns - 1 : 0;
  double room = layout->n_bars * attn_layout_get_colorbar_room (layout) +
                n_inner * attn_layout_get_inner_room (layout);

  if (layout->grid->is_binary)
    return room > LARGEST_KEY_SHARE * layout->page_width && layout->page_width > 0;
  return layout->page_width > 0 &&
         room > LARGEST_SHARE * (layout->page_width - attn_layout_get_diagram_room (layout));
}

/* What lies below a row of panels. */
double
attn_layout_get_level_room (const AttnLayout *layout,
                            gsize             row)
{
  double size = layout->style.font_size;
  gboolean is_last = row + 1 == layout->grid->n_rows;
  double room = 0;

  if (!layout->shows_colorbar || !layout->has_level_bars)
    return 0;
  if (layout->grid->is_binary)
    return is_last ? GAP + MAX (size * ATTN_LETTERING_HEIGHT, ATTN_LAYOUT_COLORBAR_WIDTH) : 0;
  if (is_last || layout->style.range_scope != ATTN_RANGE_SCOPE_GRID)
    room = GAP + THICKNESS + ATTN_LAYOUT_TICK_LENGTH + TICK_GAP + size * ATTN_LETTERING_HEIGHT;
  if (is_last || has_own_labels (layout))
    room += get_label_room (layout);
  if (is_last && has_key (layout))
    room += GAP + size * ATTN_LETTERING_HEIGHT;
  return room;
}

/* Where the number of a tick has its middle: those at the ends of the bar stay within it but for a
 * little, so that they do not run into those of the next. */
static double
place_tick (const AttnLayout    *layout,
            const AttnRectangle *bar,
            const AttnTick      *tick,
            double               half)
{
  double room = layout->grid->n_columns > 1 ? layout->gap_x : layout->margin;
  double slack = MAX ((room - AIR) / 2, 0);
  double left = bar->x - slack + half;

  return CLAMP (bar->x + tick->position * bar->width, left,
                MAX (bar->x + bar->width + slack - half, left));
}

/* How many numbers would stand in the one before them. */
static gsize
count_collisions (const AttnLayout    *layout,
                  const AttnRectangle *bar,
                  GArray              *ticks)
{
  double size = layout->style.font_size;
  double end = -INFINITY;
  gsize n = 0;

  for (guint i = 0; i < ticks->len; i++)
    {
      const AttnTick *tick = &g_array_index (ticks, AttnTick, i);
      double half = attn_lettering_measure (layout->style.font_family, tick->label, size) / 2;
      double middle = place_tick (layout, bar, tick, half);

      n += middle - half < end + TICK_AIR * size;
      end = middle + half;
    }
  return n;
}

/* Numbers below the bar, rather fewer than with gaps. */
static void
add_ticks (const AttnLayout    *layout,
           AttnScene           *scene,
           const AttnRectangle *bar,
           const AttnStyle     *style,
           const AttnScale     *scale)
{
  const char *family = layout->style.font_family;
  double size = layout->style.font_size;
  double y = bar->y + bar->height;
  double needed = layout->tick_label_width + TICK_AIR * size;
  g_autoptr (GArray) ticks = attn_layout_get_ticks (style, scale, bar->width, needed);
  double end = -INFINITY;

  for (needed *= 1.25; needed < bar->width && count_collisions (layout, bar, ticks) > 0;
       needed *= 1.25)
    {
      GArray *fewer = attn_layout_get_ticks (style, scale, bar->width, needed);

      g_array_unref (ticks);
      ticks = fewer;
    }

  for (guint i = 0; i < ticks->len; i++)
    {
      const AttnTick *tick = &g_array_index (ticks, AttnTick, i);
      double x = bar->x + tick->position * bar->width;
      double half = attn_lettering_measure (family, tick->label, size) / 2;
      double middle = place_tick (layout, bar, tick, half);

      if (middle - half < end + TICK_AIR * size)
        continue;
      attn_layout_add_line (scene, -1, "tick", x, y, 0, ATTN_LAYOUT_TICK_LENGTH);
      attn_layout_add_text (scene, -1, "tick", g_strdup (tick->label), middle,
                            y + ATTN_LAYOUT_TICK_LENGTH + TICK_GAP + size * ATTN_LETTERING_ASCENT,
                            size, ATTN_ANCHOR_MIDDLE, 0);
      end = middle + half;
    }
}

static void
add_bar (const AttnLayout *layout,
         AttnScene        *scene,
         gsize             index,
         gboolean          is_difference,
         double            left,
         double            right,
         double            y)
{
  const AttnStyle *style = is_difference ? &layout->difference_style : &layout->style;
  const AttnRange *range =
      is_difference ? &layout->difference_ranges[index] : &layout->ranges[index];
  AttnRectangle bar = { left, y, right - left, THICKNESS };
  double triangle = THICKNESS * ATTN_LAYOUT_TRIANGLE_SHARE;
  gboolean has_over = layout->style.marks_overflow && range->has_over;
  gboolean has_under = layout->style.marks_overflow && range->has_under;

  if (bar.width > 4 * triangle)
    {
      bar.x += has_under ? triangle : 0;
      bar.width -= (has_over + has_under) * triangle;
      if (has_over)
        attn_layout_add_triangle (scene, -1, &bar, style, TRUE, TRUE);
      if (has_under)
        attn_layout_add_triangle (scene, -1, &bar, style, FALSE, TRUE);
    }
  attn_layout_add_bar (scene, -1, &bar, &range->scale, is_difference, TRUE);
  add_ticks (layout, scene, &bar, style, &range->scale);
}

/* What the numbers are, below those of the bar at @y. */
static void
add_label (const AttnLayout *layout,
           AttnScene        *scene,
           gboolean          is_difference,
           double            left,
           double            right,
           double            y)
{
  double size = layout->value_label_size;
  double middle = (left + right) / 2;
  double rest = MIN (middle, layout->width - middle) - layout->margin;
  double width = layout->n_bars > 1 || has_own_labels (layout) ? right - left + layout->gap_x - AIR
                                                               : 2 * rest;

  if (get_label_room (layout) <= 0)
    return;

  g_autofree char *markup = attn_layout_get_value_label (layout, is_difference);
  g_autofree char *label = attn_layout_fit_text (layout, markup, MIN (width, 2 * rest), &size);
  /* Half a name is worse than none. */
  if (g_str_has_suffix (label, "…") && !g_str_has_suffix (markup, "…"))
    return;
  y += THICKNESS + ATTN_LAYOUT_TICK_LENGTH + TICK_GAP +
       layout->style.font_size * ATTN_LETTERING_HEIGHT + LABEL_GAP;
  attn_layout_add_text (scene, -1, "axis-label", g_steal_pointer (&label), middle,
                        y + size * ATTN_LETTERING_ASCENT, size, ATTN_ANCHOR_MIDDLE, 0);
}

/* The column from which on all panels are differences and before which none is; where there is
 * none, 0. */
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

/* Where the bars of weights and of differences are, one beside the other. */
static void
get_span (const AttnLayout *layout,
          gboolean          is_difference,
          double           *left,
          double           *right)
{
  const AttnGrid *grid = layout->grid;
  double width = layout->slot_width;

  *left = layout->slot_x[0];
  *right = layout->slot_x[grid->n_columns - 1] + width;
  if (!layout->has_weights || !layout->has_differences)
    return;

  gsize first = find_first_difference (grid);
  double middle = (*left + *right) / 2;
  if (is_difference)
    *left = first > 0 ? layout->slot_x[first] : middle + layout->gap_x / 2;
  else
    *right = first > 0 ? layout->slot_x[first - 1] + width : middle - layout->gap_x / 2;
}

/* One for the grid or for each row. */
static void
add_shared (const AttnLayout *layout,
            AttnScene        *scene)
{
  gsize n_rows = layout->grid->n_rows;

  for (guint is_difference = 0; is_difference <= 1; is_difference++)
    {
      double left, right;

      if (is_difference ? !layout->has_differences : !layout->has_weights)
        continue;
      get_span (layout, is_difference, &left, &right);
      for (gsize i = 0; i < layout->n_ranges; i++)
        add_bar (layout, scene, i, is_difference, left, right,
                 layout->bar_y[layout->n_ranges > 1 ? i : n_rows - 1] + GAP);
      add_label (layout, scene, is_difference, left, right, layout->bar_y[n_rows - 1] + GAP);
    }
}

/* One below neighbours of the same kind. */
static void
add_own_labels (const AttnLayout *layout,
                AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  gsize n = grid->n_columns;

  for (gsize row = 0; row < grid->n_rows; row++)
    for (gsize first = 0, end; first < n; first = end)
      {
        const AttnGridCell *cells = grid->cells + row * n;

        for (end = first + 1;
             end < n && cells[end].panel != NULL && cells[first].panel != NULL &&
             cells[end].is_difference == cells[first].is_difference;
             end++)
          ;
        if (cells[first].panel != NULL)
          add_label (layout, scene, cells[first].is_difference, layout->slot_x[first],
                     layout->slot_x[end - 1] + layout->slot_width, layout->bar_y[row] + GAP);
      }
}

/* One for each panel. */
static void
add_own (const AttnLayout *layout,
         AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  gsize n = grid->n_columns;

  for (gsize i = 0; i < layout->n_ranges; i++)
    {
      const AttnGridCell *cell = &grid->cells[i];
      double y = layout->bar_y[i / n] + GAP;

      if (cell->panel == NULL)
        continue;
      AttnRectangle panel = attn_layout_get_panel_rectangle (layout, cell->panel, i / n, i % n);
      add_bar (layout, scene, i, cell->is_difference, panel.x, panel.x + panel.width, y);
    }
  if (has_own_labels (layout))
    add_own_labels (layout, scene);
  else
    add_label (layout, scene, layout->has_differences, layout->slot_x[0],
               layout->slot_x[n - 1] + layout->slot_width, layout->bar_y[grid->n_rows - 1] + GAP);
}

/* An entry of a key in a line. Returns where the next one is. */
static double
add_entry (const AttnLayout *layout,
           AttnScene        *scene,
           double            x,
           double            y,
           AttnRgb           color,
           const char       *name)
{
  double size = layout->style.font_size;
  AttnRectangle swatch = { x, y, ATTN_LAYOUT_COLORBAR_WIDTH, size * 0.8 };

  attn_layout_add_key_entry (layout, scene, -1, &swatch, color, name);
  return x + swatch.width + ATTN_LAYOUT_TICK_LENGTH + 2 +
         attn_lettering_measure (layout->style.font_family, name, size) + ENTRY_GAP;
}

/* The colours that are on no bar, once for all of them. */
static void
add_key (const AttnLayout *layout,
         AttnScene        *scene)
{
  gsize last = layout->grid->n_rows - 1;
  double size = layout->style.font_size;
  double y = layout->bar_y[last] + attn_layout_get_level_room (layout, last) -
             size * ATTN_LETTERING_HEIGHT;
  double x = layout->slot_x[0];
  gboolean is_shown[2] = { FALSE, FALSE };

  for (gsize i = 0; i < layout->n_ranges; i++)
    for (guint is_masked = 0; is_masked <= 1; is_masked++)
      is_shown[is_masked] =
          is_shown[is_masked] ||
          (layout->has_weights && attn_layout_has_key (layout, &layout->ranges[i], is_masked)) ||
          (layout->has_differences &&
           attn_layout_has_key (layout, &layout->difference_ranges[i], is_masked));
  if (is_shown[1])
    x = add_entry (layout, scene, x, y, layout->style.masked_color, ATTN_LAYOUT_KEY_MASKED);
  if (is_shown[0])
    add_entry (layout, scene, x, y, ATTN_COLOR_NAN, ATTN_LAYOUT_KEY_NAN);
}

void
attn_layout_add_level_bars (const AttnLayout *layout,
                            AttnScene        *scene)
{
  const AttnRgb *table = attn_style_get_table (&layout->style);
  double y = layout->bar_y[layout->grid->n_rows - 1] + GAP;

  if (layout->grid->is_binary)
    {
      double x = add_entry (layout, scene, layout->slot_x[0], y, table[ATTN_COLORMAP_SIZE - 1],
                            ATTN_LAYOUT_KEY_ON);

      add_entry (layout, scene, x, y, table[0], ATTN_LAYOUT_KEY_OFF);
      return;
    }
  if (layout->style.range_scope == ATTN_RANGE_SCOPE_PANEL)
    add_own (layout, scene);
  else
    add_shared (layout, scene);
  add_key (layout, scene);
}
