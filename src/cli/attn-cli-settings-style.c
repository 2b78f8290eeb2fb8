/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How the figure looks and what page it fills. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-settings.h"
#include "attn-text.h"

/* The name of a map, or the file of one. */
static gboolean
apply_colormap (AttnStudy   *study,
                const char  *value,
                GError     **error)
{
  if (g_str_has_suffix (value, ".csv") || strchr (value, G_DIR_SEPARATOR) != NULL)
    return attn_colormap_load_csv (value, &study->style.colormap, error);
  return attn_colormap_parse (value, &study->style.colormap, error);
}

static gboolean
apply_reversed (AttnStudy   *study,
                const char  *value,
                GError     **error)
{
  study->style.is_reversed = TRUE;
  return TRUE;
}

static gboolean
apply_color_scale (AttnStudy   *study,
                   const char  *value,
                   GError     **error)
{
  if (!attn_names_parse (attn_scale_kind_names, value, &study->style.scale, error))
    return FALSE;
  /* The ends that a preset fixes are those of its own scale. */
  if (study->style.scale != ATTN_SCALE_LINEAR)
    study->style.range = ATTN_RANGE_DATA;
  return TRUE;
}

/* A step that gives about five ticks: 1, 2 or 5 times a power of ten. */
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

/* "data", "clipped", "visible" or LOW:HIGH. */
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
      if (!attn_names_parse (attn_range_kind_names, value, &style->range, NULL) || style->range == ATTN_RANGE_FIXED)
        return attn_cli_settings_fail (value, _("LOW:HIGH, data, clipped or visible"), error);
      return TRUE;
    }
  g_autofree char *first = g_strndup (value, colon - value);
  if (!attn_text_parse_number (first, &low) || !attn_text_parse_number (colon + 1, &high) ||
      !(low < high) || !(low >= -1e38) || !(high <= 1e38))
    return attn_cli_settings_fail (value, _("two numbers, the lower one first, such as 0.5:1"),
                                   error);
  style->range = ATTN_RANGE_FIXED;
  style->low = low;
  style->high = high;
  style->tick = get_tick (high - low);
  return TRUE;
}

static gboolean
apply_range_scope (AttnStudy   *study,
                   const char  *value,
                   GError     **error)
{
  return attn_names_parse (attn_range_scope_names, value, &study->style.range_scope, error);
}

static gboolean
apply_clip (AttnStudy   *study,
            const char  *value,
            GError     **error)
{
  double percent;

  if (!attn_text_parse_number (value, &percent) || !(percent >= 0 && percent <= 49))
    return attn_cli_settings_fail (value, _("a percentage from 0 to 49"), error);
  study->style.clip = percent;
  return TRUE;
}

static gboolean
apply_digits (AttnStudy   *study,
              const char  *value,
              GError     **error)
{
  guint64 n_digits;

  if (!g_ascii_string_to_unsigned (value, 10, 1, 9, &n_digits, NULL))
    return attn_cli_settings_fail (value, _("a number of digits from 1 to 9"), error);
  study->style.n_digits = n_digits;
  return TRUE;
}

static gboolean
apply_font (AttnStudy   *study,
            const char  *value,
            GError     **error)
{
  if (*value == '\0' || !g_utf8_validate (value, -1, NULL))
    return attn_cli_settings_fail (value, _("the name of a font family"), error);
  study->style.font_family = g_intern_string (value);
  return TRUE;
}

static gboolean
apply_font_size (AttnStudy   *study,
                 const char  *value,
                 GError     **error)
{
  double size;

  if (!attn_text_parse_number (value, &size) || !(size >= 1 && size <= 200))
    return attn_cli_settings_fail (value, _("a size from 1 to 200 points"), error);
  study->style.font_size = size;
  return TRUE;
}

static gboolean
apply_no_title (AttnStudy   *study,
                const char  *value,
                GError     **error)
{
  study->style.shows_titles = FALSE;
  return TRUE;
}

static gboolean
apply_no_caption (AttnStudy   *study,
                  const char  *value,
                  GError     **error)
{
  study->style.shows_caption = FALSE;
  return TRUE;
}

static gboolean
apply_no_colorbar (AttnStudy   *study,
                   const char  *value,
                   GError     **error)
{
  study->style.shows_colorbar = FALSE;
  return TRUE;
}

static gboolean
apply_no_tokens (AttnStudy   *study,
                 const char  *value,
                 GError     **error)
{
  study->style.shows_tokens = FALSE;
  return TRUE;
}

static gboolean
apply_values (AttnStudy   *study,
              const char  *value,
              GError     **error)
{
  study->style.shows_values = TRUE;
  return TRUE;
}

static gboolean
apply_no_values (AttnStudy   *study,
                 const char  *value,
                 GError     **error)
{
  study->style.shows_values = FALSE;
  return TRUE;
}

static gboolean
apply_marks_overflow (AttnStudy   *study,
                      const char  *value,
                      GError     **error)
{
  study->style.marks_overflow = TRUE;
  return TRUE;
}

static gboolean
apply_no_marks_overflow (AttnStudy   *study,
                         const char  *value,
                         GError     **error)
{
  study->style.marks_overflow = FALSE;
  return TRUE;
}

static gboolean
apply_key (AttnStudy   *study,
           const char  *value,
           GError     **error)
{
  study->style.shows_key = TRUE;
  return TRUE;
}

static gboolean
apply_no_key (AttnStudy   *study,
              const char  *value,
              GError     **error)
{
  study->style.shows_key = FALSE;
  return TRUE;
}

/* "180mm" or "180x120mm" */
static gboolean
apply_size (AttnStudy   *study,
            const char  *value,
            GError     **error)
{
  AttnExportOptions *page = &study->page;
  const char *cross = strchr (value, 'x');

  if (cross == NULL || (cross > value && cross[-1] == 'p')) /* 800px */
    {
      page->height = 0;
      return attn_export_parse_length (value, &page->width, &page->unit, error);
    }
  g_autofree char *width = g_strndup (value, cross - value);
  if (!attn_text_parse_number (width, &page->width) || !(page->width > 0) ||
      !attn_export_parse_length (cross + 1, &page->height, &page->unit, NULL))
    return attn_cli_settings_fail (
        value, _("a width such as 180mm, or width and height such as 180x120mm"), error);
  return TRUE;
}

static gboolean
apply_resolution (AttnStudy   *study,
                  const char  *value,
                  GError     **error)
{
  if (!attn_text_parse_number (value, &study->page.resolution) ||
      !(study->page.resolution >= 1 && study->page.resolution <= 1e4))
    return attn_cli_settings_fail (value, _("dots per inch from 1 to 10000"), error);
  return TRUE;
}

static gboolean
apply_outlines (AttnStudy   *study,
                const char  *value,
                GError     **error)
{
  study->page.outlines_text = TRUE;
  return TRUE;
}

static gboolean
apply_cell_titles (AttnStudy   *study,
                   const char  *value,
                   GError     **error)
{
  study->page.has_cell_titles = TRUE;
  return TRUE;
}

static gboolean
apply_path_cells (AttnStudy   *study,
                  const char  *value,
                  GError     **error)
{
  guint64 n_cells;

  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT32, &n_cells, NULL))
    return attn_cli_settings_fail (value, _("a number of cells, 0 for any"), error);
  study->page.max_path_cells = n_cells;
  return TRUE;
}

const AttnCliSetting attn_cli_style_settings[] = {
  { "colormap", "NAME|FILE.csv", N_("The colours: a map by its name, or a CSV of red, green, blue"),
    apply_colormap },
  { "reversed", NULL, N_("The colours from the upper to the lower end"), apply_reversed },
  { "color-scale", "linear|log|ratio|symmetric|percentile",
    N_("How values become colours; ratio: weight times visible keys"), apply_color_scale },
  { "range", "LOW:HIGH|data|clipped|visible", N_("The values at the ends of the colour bar"),
    apply_range },
  { "range-scope", "grid|row|panel", N_("Which panels share a range; default grid"),
    apply_range_scope },
  { "clip", "PERCENT", N_("Percent of the values that are left out at each end"), apply_clip },
  { "digits", "N", N_("Significant digits of the numbers in cells"), apply_digits },
  { "font", "FAMILY", N_("The font of all text"), apply_font },
  { "font-size", "POINTS", N_("Size of labels; titles are larger by fixed ratios"),
    apply_font_size },
  { "no-titles", NULL, N_("No titles above the panels"), apply_no_title },
  { "no-caption", NULL, N_("No caption below the grid"), apply_no_caption },
  { "no-colorbar", NULL, N_("No colour bar"), apply_no_colorbar },
  { "no-tokens", NULL, N_("No token labels along the axes"), apply_no_tokens },
  { "values", NULL, N_("Numbers in the cells, where there is room"), apply_values },
  { "no-values", NULL, N_("No numbers in the cells"), apply_no_values },
  { "marks-overflow", NULL,
    N_("Triangles at the ends of the colour bar where values lie beyond them"),
    apply_marks_overflow },
  { "no-marks-overflow", NULL, N_("No triangles at the ends of the colour bar"), apply_no_marks_overflow },
  { "key", NULL, N_("Below the colour bar, the colours of masked cells and of what is not a number"),
    apply_key },
  { "no-key", NULL, N_("No key of other colours"), apply_no_key },
  { "size", "WIDTH[xHEIGHT]UNIT", N_("Size of the page in mm, in, px or pt, such as 180x120mm"),
    apply_size },
  { "resolution", "DPI", N_("Dots per inch of a PNG; default 300"), apply_resolution },
  { "outlines", NULL, N_("SVG: letters as outlines instead of text"), apply_outlines },
  { "cell-titles", NULL, N_("SVG: a browser shows token pair and weight under the pointer"),
    apply_cell_titles },
  { "path-cells", "N", N_("SVG: from how many cells on a panel is an image; default 300000"),
    apply_path_cells },
  { NULL },
};
