/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour bars with their ticks, their marks for what lies beyond them, and their keys. */

#include "config.h"

#include <math.h>

#include "attn-layout-private.h"
#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

#define MAX_MORE_TICKS 4

/* A colour bar that would be left with less than this share of its height keeps it, and has no
 * key. */
#define SMALLEST_BAR_SHARE 0.5

/* Decimals that the colour bar's ticks need: 0.2 needs one, 0.25 two. -1 if a fixed point does not
 * do. */
static int
count_decimals (const AttnStyle *style)
{
  double power = 10;

  for (int n_decimals = 1; n_decimals <= 6; n_decimals++, power *= 10)
    {
      double tick = style->tick * power;
      double low = style->low * power;

      if (fabs (tick - round (tick)) < 1e-6 * MAX (fabs (tick), 1) &&
          fabs (low - round (low)) < 1e-6 * MAX (fabs (low), 1) && fabs (round (tick)) >= 1)
        return fabs (style->high) < 1e6 && fabs (style->low) < 1e6 ? n_decimals : -1;
    }
  return -1;
}

/* Ticks at multiples of the style's step, counted from its low value. */
gboolean
attn_layout_has_own_ticks (const AttnStyle *style)
{
  return style->scale == ATTN_SCALE_LINEAR && style->range == ATTN_RANGE_FIXED;
}

/* Whether the colour of NaN, or of masked cells, is explained below the colour bar. */
gboolean
attn_layout_has_key (const AttnLayout *layout,
                     const AttnRange  *range,
                     gboolean          is_masked)
{
  if (!layout->style.shows_key)
    return FALSE;
  return is_masked ? range->has_masked && layout->style.has_masked_color : range->has_nan;
}

/* A value at the colour bar: "0.0", "0.2"; always with a point. */
char *
attn_layout_format_tick (const AttnStyle *style,
                         double           value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  char format[16];
  int n_decimals = count_decimals (style);

  if (fabs (value) < fabs (style->high - style->low) * 1e-9)
    value = 0;
  if (n_decimals < 0)
    g_strlcpy (format, "%.3g", sizeof format);
  else
    g_snprintf (format, sizeof format, "%%.%df", n_decimals);
  g_ascii_formatd (buffer, sizeof buffer, format, value);
  attn_text_trim_exponent (buffer);
  return g_strdup (buffer);
}

static void
add_tick (const AttnLayout    *layout,
          AttnScene           *scene,
          int                  group,
          const AttnRectangle *bar,
          double               position,
          char                *label)
{
  double size = layout->style.font_size;
  double y = bar->y + bar->height * (1 - position);
  double x = bar->x + bar->width;

  attn_layout_add_line (scene, group, "tick", x, y, ATTN_LAYOUT_TICK_LENGTH, 0);
  attn_layout_add_text (scene, group, "tick", label, x + ATTN_LAYOUT_TICK_LENGTH + 2,
                        y + size * ATTN_LETTERING_DIGIT_MIDDLE, size, ATTN_ANCHOR_START, 0);
}

/* Multiples of the style's step, as many as there is room for @needed apart. */
static GArray *
get_own_ticks (const AttnStyle *style,
               double           length,
               double           needed)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (AttnTick));
  double span = style->high - style->low;

  if (!(style->tick > 0) || !(span > 0) || !isfinite (span) || span / style->tick > 1e6)
    return ticks;

  gsize step = attn_layout_get_label_step (style->tick / span * length, needed);
  gsize n_ticks = (gsize) floor (span / style->tick + 1e-6) + 1;
  /* Rather fewer, so that both ends have one. */
  for (gsize coarser = step; coarser < n_ticks && coarser <= 3 * step; coarser++)
    if ((n_ticks - 1) % coarser == 0)
      {
        step = coarser;
        break;
      }
  for (gsize i = 0; i < n_ticks; i += step)
    {
      AttnTick tick = { .value = style->low + i * style->tick };
      g_autofree char *label = attn_layout_format_tick (style, tick.value);

      tick.position = attn_style_get_position (style, tick.value);
      g_strlcpy (tick.label, label, sizeof tick.label);
      g_array_append_val (ticks, tick);
    }
  return ticks;
}

/* The ticks of a colour bar of @length, in ascending order, about @needed apart. */
GArray *
attn_layout_get_ticks (const AttnStyle *style,
                       const AttnScale *scale,
                       double           length,
                       double           needed)
{
  guint n = (guint) CLAMP (length / needed, 2, ATTN_LAYOUT_MAX_TICKS);
  GArray *ticks = attn_layout_has_own_ticks (style) ? get_own_ticks (style, length, needed)
                                                    : attn_scale_get_ticks (scale, n);

  /* One alone tells nothing: rather more, of which those that collide are left out. */
  for (guint more = 1;
       ticks->len < 2 && more <= MAX_MORE_TICKS && !attn_layout_has_own_ticks (style); more++)
    {
      g_array_unref (ticks);
      ticks = attn_scale_get_ticks (scale, n + more);
    }
  return ticks;
}

static void
add_colorbar_ticks (const AttnLayout    *layout,
                    AttnScene           *scene,
                    int                  group,
                    const AttnRectangle *bar,
                    const AttnStyle     *style,
                    const AttnScale     *scale)
{
  double size = layout->style.font_size;
  g_autoptr (GArray) ticks = attn_layout_get_ticks (style, scale, bar->height, size * 1.3);
  double last_y = INFINITY;

  for (guint i = 0; i < ticks->len; i++)
    {
      const AttnTick *tick = &g_array_index (ticks, AttnTick, i);
      double y = (1 - tick->position) * bar->height;

      /* Steps of 1, 2 and 5 are not equally far apart. */
      if (last_y - y < size * 1.1)
        continue;
      add_tick (layout, scene, group, bar, tick->position, g_strdup (tick->label));
      last_y = y;
    }
}

/* Beyond the end of the bar, in the colour that these values have. */
void
attn_layout_add_triangle (AttnScene           *scene,
                          int                  group,
                          const AttnRectangle *bar,
                          const AttnStyle     *style,
                          gboolean             is_over,
                          gboolean             is_level)
{
  const AttnRgb *table = attn_style_get_table (style);
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TRIANGLE, group, "overflow");
  double length = (is_level ? bar->height : bar->width) * ATTN_LAYOUT_TRIANGLE_SHARE;

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

/* The colours themselves, and their frame. */
void
attn_layout_add_bar (AttnScene           *scene,
                     int                  group,
                     const AttnRectangle *bar,
                     const AttnScale     *scale,
                     gboolean             is_difference,
                     gboolean             is_level)
{
  AttnMark *mark =
      is_difference ? attn_scene_add_difference (scene, ATTN_MARK_COLORBAR, group, "colorbar")
                    : attn_scene_add (scene, ATTN_MARK_COLORBAR, group, "colorbar");

  mark->rectangle = *bar;
  mark->scale = *scale;
  mark->angle = is_level ? 90 : 0;
  if (mark->scale.quantiles != NULL)
    attn_quantiles_ref (mark->scale.quantiles);
  mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, group, "frame");
  mark->rectangle = *bar;
  mark->line_width = ATTN_LAYOUT_FRAME_WIDTH;
}

void
attn_layout_add_key_entry (const AttnLayout    *layout,
                           AttnScene           *scene,
                           int                  group,
                           const AttnRectangle *swatch,
                           AttnRgb              color,
                           const char          *name)
{
  double size = layout->style.font_size;
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, group, "key");

  mark->rectangle = *swatch;
  mark->color = color;
  mark->is_filled = TRUE;
  mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, group, "frame");
  mark->rectangle = *swatch;
  mark->line_width = ATTN_LAYOUT_FRAME_WIDTH;
  attn_layout_add_text (scene, group, "key", g_strdup (name),
                        swatch->x + swatch->width + ATTN_LAYOUT_TICK_LENGTH + 2,
                        swatch->y + swatch->height / 2 + size * ATTN_LETTERING_DIGIT_MIDDLE, size,
                        ATTN_ANCHOR_START, 0);
}

/* The colours that are not on the bar, from the bottom of @room; what is left is the bar's. */
static void
add_key (const AttnLayout *layout,
         AttnScene        *scene,
         int               group,
         const AttnRange  *range,
         AttnRectangle    *room)
{
  double pitch = layout->style.font_size * ATTN_LAYOUT_KEY_PITCH;
  gboolean has_nan = attn_layout_has_key (layout, range, FALSE);
  gboolean has_masked = attn_layout_has_key (layout, range, TRUE);
  double height = (has_nan + has_masked) * pitch + 0.5 * pitch;
  AttnRectangle swatch = { room->x, 0, room->width, layout->style.font_size * 0.8 };

  if (!(has_nan || has_masked) || room->height - height < SMALLEST_BAR_SHARE * room->height)
    return;
  room->height -= height;
  swatch.y = room->y + room->height + 0.5 * pitch + (pitch - swatch.height);
  if (has_masked)
    {
      attn_layout_add_key_entry (layout, scene, group, &swatch, layout->style.masked_color,
                                 ATTN_LAYOUT_KEY_MASKED);
      swatch.y += pitch;
    }
  if (has_nan)
    attn_layout_add_key_entry (layout, scene, group, &swatch, ATTN_COLOR_NAN, ATTN_LAYOUT_KEY_NAN);
}

/* What the numbers at the bar are. The words of a figure belong to the paper: not translated. */
char *
attn_layout_get_value_label (const AttnLayout *layout,
                             gboolean          is_difference)
{
  if (is_difference)
    return g_strdup ("Difference");

  g_autofree char *label = attn_markup_from_text (layout->grid->value_label);

  switch (layout->style.scale)
    {
    case ATTN_SCALE_RATIO:
      return g_strdup_printf ("%s / Uniform", label);
    case ATTN_SCALE_PERCENTILE:
      return g_strdup_printf ("%s (by Rank)", label);
    case ATTN_SCALE_LINEAR:
    case ATTN_SCALE_LOG:
    case ATTN_SCALE_SYMMETRIC:
    default:
      return g_steal_pointer (&label);
    }
}

/* A bar with all that belongs to it but its label, in the height of @room. */
static void
add_colorbar (const AttnLayout    *layout,
              AttnScene           *scene,
              int                  group,
              gsize                index,
              gboolean             is_difference,
              const AttnRectangle *room)
{
  const AttnStyle *style = is_difference ? &layout->difference_style : &layout->style;
  const AttnRange *range =
      is_difference ? &layout->difference_ranges[index] : &layout->ranges[index];
  AttnRectangle bar = *room;
  double triangle = bar.width * ATTN_LAYOUT_TRIANGLE_SHARE;
  gboolean has_over = layout->style.marks_overflow && range->has_over;
  gboolean has_under = layout->style.marks_overflow && range->has_under;

  add_key (layout, scene, group, range, &bar);
  if (bar.height > 4 * triangle)
    {
      bar.y += has_over ? triangle : 0;
      bar.height -= (has_over + has_under) * triangle;
      if (has_over)
        attn_layout_add_triangle (scene, group, &bar, style, TRUE, FALSE);
      if (has_under)
        attn_layout_add_triangle (scene, group, &bar, style, FALSE, FALSE);
    }
  attn_layout_add_bar (scene, group, &bar, &range->scale, is_difference, FALSE);
  add_colorbar_ticks (layout, scene, group, &bar, style, &range->scale);
}

/* What the bars at @x are: one label for all of them above each other. Where @is_alone, it has the
 * height of the page down to the caption to itself. */
static void
add_value_label (const AttnLayout *layout,
                 AttnScene        *scene,
                 double            x,
                 double            y,
                 double            height,
                 gboolean          is_difference,
                 gboolean          is_alone)
{
  double size = layout->value_label_size;
  double middle = y + height / 2;

  if (layout->grid->value_label == NULL || !layout->shows_value_label)
    return;
  if (is_alone)
    {
      double bottom = layout->shows_caption
                          ? layout->caption_y - layout->caption_size * ATTN_LETTERING_ASCENT
                          : layout->height - layout->margin;

      height = MAX (height, 2 * MIN (middle - layout->margin, bottom - middle));
    }

  g_autofree char *markup = attn_layout_get_value_label (layout, is_difference);
  g_autofree char *label = attn_layout_fit_text (layout, markup, height, &size);
  /* Half a name is worse than none. */
  if (g_str_has_suffix (label, "…") && !g_str_has_suffix (markup, "…"))
    return;
  x += ATTN_LAYOUT_COLORBAR_WIDTH + ATTN_LAYOUT_TICK_LENGTH + 2 + layout->tick_label_width + 4;
  attn_layout_add_text (scene, -1, "axis-label", g_steal_pointer (&label),
                        x + size * ATTN_LETTERING_ASCENT, middle, size, ATTN_ANCHOR_MIDDLE, 90);
}

/* Those of weights and those of differences beside each other, as far as the cells have them: one
 * for the grid, or one for each row. */
static void
add_shared_colorbars (const AttnLayout *layout,
                      AttnScene        *scene)
{
  const AttnRectangle *all = &layout->colorbar;
  AttnRectangle next = *all;

  for (guint is_difference = 0; is_difference <= 1; is_difference++)
    {
      if (is_difference ? !layout->has_differences : !layout->has_weights)
        continue;
      for (gsize i = 0; i < layout->n_ranges; i++)
        {
          if (layout->style.range_scope == ATTN_RANGE_SCOPE_ROW)
            {
              next.y = layout->slot_y[i];
              next.height = layout->slot_height;
            }
          add_colorbar (layout, scene, -1, i, is_difference, &next);
        }
      add_value_label (layout, scene, next.x, all->y, all->height, is_difference, TRUE);
      next.x += attn_layout_get_colorbar_room (layout);
    }
}

/* One beside each panel. */
static void
add_own_colorbars (const AttnLayout *layout,
                   AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;
  gboolean is_mixed = layout->has_weights && layout->has_differences;
  AttnRectangle room = layout->colorbar;

  for (gsize i = 0; i < layout->n_ranges; i++)
    {
      gsize column = i % grid->n_columns;
      gboolean is_last = column + 1 == grid->n_columns;

      if (grid->cells[i].panel == NULL)
        continue;
      room = attn_layout_get_panel_rectangle (layout, grid->cells[i].panel, i / grid->n_columns,
                                              column);
      room.x += room.width + ATTN_LAYOUT_COLORBAR_GAP / (is_last ? 1 : 2);
      room.width = ATTN_LAYOUT_COLORBAR_WIDTH;
      add_colorbar (layout, scene, -1, i, grid->cells[i].is_difference, &room);
      if (is_last && is_mixed)
        add_value_label (layout, scene, room.x, room.y, room.height, grid->cells[i].is_difference,
                         grid->n_rows == 1);
    }
  if (!is_mixed)
    add_value_label (layout, scene, layout->colorbar.x, layout->colorbar.y,
                     layout->colorbar.height, layout->has_differences, TRUE);
}

/* The two colours in place of a bar. */
static void
add_binary_key (const AttnLayout *layout,
                AttnScene        *scene)
{
  const AttnRgb *table = attn_style_get_table (&layout->style);
  double size = layout->style.font_size;
  AttnRectangle swatch = { layout->colorbar.x, layout->colorbar.y, layout->colorbar.width,
                           layout->colorbar.width };

  attn_layout_add_key_entry (layout, scene, -1, &swatch, table[ATTN_COLORMAP_SIZE - 1],
                             ATTN_LAYOUT_KEY_ON);
  swatch.y += MAX (swatch.height, size) * 1.5;
  attn_layout_add_key_entry (layout, scene, -1, &swatch, table[0], ATTN_LAYOUT_KEY_OFF);
}

/* One for all at the right, one for each row there, or one beside each panel; on a narrow page,
 * below them. */
void
attn_layout_add_colorbars (const AttnLayout *layout,
                           AttnScene        *scene)
{
  if (layout->has_level_bars)
    attn_layout_add_level_bars (layout, scene);
  else if (layout->grid->is_binary)
    add_binary_key (layout, scene);
  else if (layout->style.range_scope == ATTN_RANGE_SCOPE_PANEL)
    add_own_colorbars (layout, scene);
  else
    add_shared_colorbars (layout, scene);
}
