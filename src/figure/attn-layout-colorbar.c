/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colour bars with their ticks, their marks for what lies beyond them, and their keys. */

#include "config.h"

#include <math.h>

#include "attn-layout-private.h"
#include "attn-lettering.h"
#include "attn-markup.h"

/* The triangle at the end of a colour bar, of the bar's width. */
#define TRIANGLE_SHARE 0.7

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

static void
add_own_ticks (const AttnLayout    *layout,
               AttnScene           *scene,
               int                  group,
               const AttnRectangle *bar)
{
  const AttnStyle *style = &layout->style;
  double span = style->high - style->low;

  if (!(style->tick > 0) || !(span > 0) || !isfinite (span) || span / style->tick > 1e6)
    return;

  gsize step =
      attn_layout_get_label_step (style->tick / span * bar->height, style->font_size * 1.3);
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
      double value = style->low + i * style->tick;

      add_tick (layout, scene, group, bar, attn_style_get_position (style, value),
                attn_layout_format_tick (style, value));
    }
}

static void
add_colorbar_ticks (const AttnLayout    *layout,
                    AttnScene           *scene,
                    int                  group,
                    const AttnRectangle *bar,
                    const AttnStyle     *style,
                    const AttnScale     *scale)
{
  if (attn_layout_has_own_ticks (style))
    {
      add_own_ticks (layout, scene, group, bar);
      return;
    }

  double room = bar->height / (layout->style.font_size * 1.3);
  guint n = (guint) CLAMP (room, 2, ATTN_LAYOUT_MAX_TICKS);
  g_autoptr (GArray) ticks = attn_scale_get_ticks (scale, n);
  double last_y = INFINITY;
  for (guint i = 0; i < ticks->len; i++)
    {
      const AttnTick *tick = &g_array_index (ticks, AttnTick, i);
      double y = (1 - tick->position) * bar->height;

      /* Steps of 1, 2 and 5 are not equally far apart. */
      if (last_y - y < layout->style.font_size * 1.1)
        continue;
      add_tick (layout, scene, group, bar, tick->position, g_strdup (tick->label));
      last_y = y;
    }
}

/* Beyond the end of the bar, in the colour that these values have. */
static void
add_triangle (const AttnLayout    *layout,
              AttnScene           *scene,
              int                  group,
              const AttnRectangle *bar,
              const AttnStyle     *style,
              gboolean             is_over)
{
  const AttnRgb *table = attn_style_get_table (style);
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TRIANGLE, group, "overflow");
  double height = bar->width * TRIANGLE_SHARE;

  mark->rectangle = (AttnRectangle) {
    bar->x,
    is_over ? bar->y - height : bar->y + bar->height,
    bar->width,
    height,
  };
  mark->angle = is_over ? 0 : 180;
  mark->color = table[is_over ? ATTN_COLORMAP_SIZE - 1 : 0];
  mark->line_width = ATTN_LAYOUT_FRAME_WIDTH;
}

static void
add_key_entry (const AttnLayout    *layout,
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
      add_key_entry (layout, scene, group, &swatch, layout->style.masked_color,
                     ATTN_LAYOUT_KEY_MASKED);
      swatch.y += pitch;
    }
  if (has_nan)
    add_key_entry (layout, scene, group, &swatch, ATTN_COLOR_NAN, ATTN_LAYOUT_KEY_NAN);
}

/* What the numbers at the bar are. The words of a figure belong to the paper: not translated. */
static char *
get_value_label (const AttnLayout *layout,
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

/* A bar with all that belongs to it, in the height of @room. */
static void
add_colorbar (const AttnLayout    *layout,
              AttnScene           *scene,
              int                  group,
              gsize                index,
              gboolean             is_difference,
              const AttnRectangle *room,
              gboolean             has_label)
{
  const AttnStyle *style = is_difference ? &layout->difference_style : &layout->style;
  const AttnRange *range =
      is_difference ? &layout->difference_ranges[index] : &layout->ranges[index];
  AttnRectangle rectangle = *room;
  AttnRectangle *bar = &rectangle;
  double triangle = bar->width * TRIANGLE_SHARE;
  gboolean has_over = layout->style.marks_overflow && range->has_over;
  gboolean has_under = layout->style.marks_overflow && range->has_under;

  add_key (layout, scene, group, range, bar);
  if (bar->height > 4 * triangle)
    {
      bar->y += has_over ? triangle : 0;
      bar->height -= (has_over + has_under) * triangle;
      if (has_over)
        add_triangle (layout, scene, group, bar, style, TRUE);
      if (has_under)
        add_triangle (layout, scene, group, bar, style, FALSE);
    }

  AttnMark *mark =
      is_difference ? attn_scene_add_difference (scene, ATTN_MARK_COLORBAR, group, "colorbar")
                    : attn_scene_add (scene, ATTN_MARK_COLORBAR, group, "colorbar");
  mark->rectangle = *bar;
  mark->scale = range->scale;
  if (mark->scale.quantiles != NULL)
    attn_quantiles_ref (mark->scale.quantiles);
  mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, group, "frame");
  mark->rectangle = *bar;
  mark->line_width = ATTN_LAYOUT_FRAME_WIDTH;
  add_colorbar_ticks (layout, scene, group, bar, style, &range->scale);
  if (layout->grid->value_label == NULL || !has_label || !layout->shows_value_label)
    return;

  double size = layout->value_label_size;
  g_autofree char *markup = get_value_label (layout, is_difference);
  double middle = room->y + room->height / 2;
  /* One bar for all has the height of the page to itself. */
  double height = layout->style.range_scope == ATTN_RANGE_SCOPE_GRID
                      ? 2 * MIN (middle, layout->height - middle) - layout->margin
                      : room->height;
  char *label = attn_layout_fit_text (layout, markup, MAX (height, room->height), &size);
  /* Half a name is worse than none. */
  if (g_str_has_suffix (label, "…") && !g_str_has_suffix (markup, "…"))
    {
      g_free (label);
      return;
    }
  double x = bar->x + bar->width + ATTN_LAYOUT_TICK_LENGTH + 2 + layout->tick_label_width + 4;
  attn_layout_add_text (scene, group, "axis-label", label, x + size * ATTN_LETTERING_ASCENT,
                        middle, size, ATTN_ANCHOR_MIDDLE, 90);
}

/* That of weights and that of differences beside each other, as far as the cells have them. */
static void
add_pair (const AttnLayout    *layout,
          AttnScene           *scene,
          gsize                index,
          const AttnRectangle *room)
{
  AttnRectangle next = *room;

  if (layout->has_weights)
    {
      add_colorbar (layout, scene, -1, index, FALSE, &next, TRUE);
      next.x += attn_layout_get_colorbar_room (layout);
    }
  if (layout->has_differences)
    add_colorbar (layout, scene, -1, index, TRUE, &next, TRUE);
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

  add_key_entry (layout, scene, -1, &swatch, table[ATTN_COLORMAP_SIZE - 1], ATTN_LAYOUT_KEY_ON);
  swatch.y += MAX (swatch.height, size) * 1.5;
  add_key_entry (layout, scene, -1, &swatch, table[0], ATTN_LAYOUT_KEY_OFF);
}

/* One for all at the right, one for each row there, or one beside each panel. */
void
attn_layout_add_colorbars (const AttnLayout *layout,
                           AttnScene        *scene)
{
  const AttnGrid *grid = layout->grid;

  if (grid->is_binary)
    {
      add_binary_key (layout, scene);
      return;
    }
  switch (layout->style.range_scope)
    {
    case ATTN_RANGE_SCOPE_ROW:
      for (gsize row = 0; row < grid->n_rows; row++)
        {
          AttnRectangle room = layout->colorbar;

          room.y = layout->slot_y[row];
          room.height = layout->slot_height;
          add_pair (layout, scene, row, &room);
        }
      break;
    case ATTN_RANGE_SCOPE_PANEL:
      for (gsize i = 0; i < layout->n_ranges; i++)
        {
          gsize column = i % grid->n_columns;
          gboolean is_last = column + 1 == grid->n_columns;

          if (grid->cells[i].panel == NULL)
            continue;
          AttnRectangle room = attn_layout_get_panel_rectangle (layout, grid->cells[i].panel,
                                                                i / grid->n_columns, column);
          room.x += room.width + ATTN_LAYOUT_COLORBAR_GAP / (is_last ? 1 : 2);
          room.width = ATTN_LAYOUT_COLORBAR_WIDTH;
          add_colorbar (layout, scene, -1, i, grid->cells[i].is_difference, &room, is_last);
        }
      break;
    case ATTN_RANGE_SCOPE_GRID:
    default:
      add_pair (layout, scene, 0, &layout->colorbar);
      break;
    }
}
