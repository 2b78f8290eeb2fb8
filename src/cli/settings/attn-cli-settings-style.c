/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options for the colors of a figure and the size of its page. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-settings.h"
#include "attn-text.h"

static gboolean
apply_color_scale (AttnStudy   *study,
                   const char  *value,
                   GError     **error)
{
  if (!attn_text_parse_name (attn_scale_kind_names, value, &study->style.scale, error))
    return FALSE;
  /* The fixed range of a preset is meant for its linear scale, so that any other scale takes its
   * range from the data. */
  if (study->style.scale != ATTN_SCALE_LINEAR)
    study->style.range = ATTN_RANGE_DATA;
  return TRUE;
}

/* Returns a step between ticks of the color bar: 1, 2 or 5 times a power of ten, for about five
 * ticks in @extent. */
static double
get_tick (double extent)
{
  static const double steps[] = { 1, 2, 5, 10 };
  double power = 1;

  while (power > extent / 5)
    power /= 10;
  while (power * 10 <= extent / 5)
    power *= 10;
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    if (steps[i] * power >= extent / 5.01)
      return steps[i] * power;
  return extent;
}

/* Parses the value of --range: "automatic", "data", "clipped", "visible" or LOW:HIGH. */
static gboolean
apply_range (AttnStudy   *study,
             const char  *value,
             GError     **error)
{
  AttnStyle *style = &study->style;
  const char *colon = strchr (value, ':');
  double low, high;

  if (colon == NULL)
    {
      if (!attn_text_parse_name (attn_range_kind_names, value, &style->range, NULL) ||
          style->range == ATTN_RANGE_FIXED)
        return attn_field_fail (value, _("LOW:HIGH, automatic, data, clipped or visible"), error);
      return TRUE;
    }
  g_autofree char *first = g_strndup (value, colon - value);
  if (!attn_text_parse_number (first, &low) || !attn_text_parse_number (colon + 1, &high) ||
      !(low < high) || !(low >= -1e38) || !(high <= 1e38))
    return attn_field_fail (value, _("two numbers, the lower one first, such as 0.5:1"),
                            error);
  style->range = ATTN_RANGE_FIXED;
  style->low = low;
  style->high = high;
  style->tick = get_tick (high - low);
  return TRUE;
}

/* Parses the value of --size: a width such as "180mm", or width and height such as "180x120mm". */
static gboolean
apply_size (AttnStudy   *study,
            const char  *value,
            GError     **error)
{
  AttnExportOptions *page = &study->page;
  const char *cross = strchr (value, 'x');

  if (cross == NULL || (cross > value && cross[-1] == 'p')) /* 800px: the x is of the unit */
    {
      page->height = 0;
      return attn_export_parse_length (value, &page->width, &page->unit, error);
    }
  g_autofree char *width = g_strndup (value, cross - value);
  if (!attn_text_parse_number (width, &page->width) || !(page->width > 0) ||
      !attn_export_parse_length (cross + 1, &page->height, &page->unit, NULL))
    return attn_field_fail (
        value, _("a width such as 180mm, or width and height such as 180x120mm"), error);
  return TRUE;
}

const AttnCliSetting attn_cli_style_settings[] = {
  { "color-scale", "linear|log|ratio|symmetric|percentile",
    N_("How values become colours; ratio: weight times visible keys"), apply_color_scale },
  { "range", "LOW:HIGH|automatic|data|clipped|visible",
    N_("The values at the ends of the colour bar"), apply_range },
  { "size", "WIDTH[xHEIGHT]UNIT", N_("Size of the page in mm, in, px or pt, such as 180x120mm"),
    apply_size },
  { NULL },
};
