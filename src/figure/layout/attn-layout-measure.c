/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the layout has to know about the panels before it can place them: which labels are drawn and
 * how wide they are, the scales, and the ticks of these. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>
#include <string.h>

#include "attn-lettering.h"

/* As wide as ticks of most ranges. */
#define LONG_TICK "0.005"

/* Of a label at text size 1. Where a page is a window one can zoom in: labels that are shown only
 * then have room for this much, and are cut beyond it. */
#define ORDINARY_WIDTH 5.0

/* Measuring more labels than this for the room they need is not worth its time. */
#define MAX_MEASURED_LABELS 256

static gboolean
labels_equal (const char * const *a,
              const char * const *b,
              gsize               n)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!g_str_equal (a[i], b[i]))
      return FALSE;
  return TRUE;
}

/* A panel whose neighbour on the left has the same query tokens does not repeat them. */
static gboolean
shares_rows (AttnPanel *panel,
             AttnPanel *left)
{
  return left != NULL && attn_panel_get_n_rows (left) == attn_panel_get_n_rows (panel) &&
         labels_equal (attn_panel_get_row_labels (left), attn_panel_get_row_labels (panel),
                       attn_panel_get_n_rows (panel));
}

static gboolean
shares_columns (AttnPanel *panel,
                AttnPanel *below)
{
  return below != NULL && attn_panel_get_n_columns (below) == attn_panel_get_n_columns (panel) &&
         labels_equal (attn_panel_get_column_labels (below), attn_panel_get_column_labels (panel),
                       attn_panel_get_n_columns (panel));
}

/* Width of the widest of every @step labels at size 1. */
double
attn_layout_measure_labels (const char         *family,
                            const char * const *labels,
                            gsize               n,
                            gsize               step)
{
  double widest = 0;

  step *= ((n - 1) / step + MAX_MEASURED_LABELS) / MAX_MEASURED_LABELS;
  for (gsize i = 0; i < n; i += step)
    {
      g_autofree char *markup = attn_layout_get_label (labels, i);
      widest = MAX (widest, attn_lettering_measure (family, markup, 1));
    }
  return widest;
}

/* Width of a panel relative to its height. */
double
attn_layout_get_aspect (const AttnLayout *layout,
                        AttnPanel        *panel)
{
  double aspect = (double) attn_panel_get_n_columns (panel) / attn_panel_get_n_rows (panel);

  return layout->grid->aspect > 0 ? layout->grid->aspect : CLAMP (aspect, 0.25, 4);
}

/* Looks at every panel once: which labels are drawn, how wide they are, how many tokens there are.
 */
void
attn_layout_measure_grid (AttnLayout *layout)
{
  AttnGrid *grid = layout->grid;
  const char *family = layout->style.font_family;
  double log_aspect = 0;
  gsize n_panels = 0;

  layout->widest_column_pitch = 0;
  for (gsize row = 0; row < grid->n_rows; row++)
    for (gsize column = 0; column < grid->n_columns; column++)
      {
        gsize index = row * grid->n_columns + column;
        AttnPanel *panel = grid->cells[index].panel;

        if (panel == NULL)
          continue;

        AttnPanel *left = column > 0 ? grid->cells[index - 1].panel : NULL;
        AttnPanel *below =
            row + 1 < grid->n_rows ? grid->cells[index + grid->n_columns].panel : NULL;
        gsize n_rows = attn_panel_get_n_rows (panel);
        gsize n_columns = attn_panel_get_n_columns (panel);

        /* Panels that show different parts have different labels. */
        AttnLayoutLabels *rows = &layout->row_labels[index];
        AttnLayoutLabels *columns = &layout->column_labels[index];

        rows->is_drawn = layout->viewports != NULL || !shares_rows (panel, left);
        columns->is_drawn = layout->viewports != NULL || !shares_columns (panel, below);
        if (rows->is_drawn)
          rows->widest =
              attn_layout_measure_labels (family, attn_panel_get_row_labels (panel), n_rows, 1);
        if (columns->is_drawn)
          {
            columns->widest = attn_layout_measure_labels (
                family, attn_panel_get_column_labels (panel), n_columns, 1);
            layout->widest_column_pitch =
                MAX (layout->widest_column_pitch, columns->widest * n_columns);
          }
        layout->max_rows = MAX (layout->max_rows, n_rows);
        layout->max_columns = MAX (layout->max_columns, n_columns);
        log_aspect += log (attn_layout_get_aspect (layout, panel));
        n_panels++;
      }
  layout->aspect = n_panels > 0 ? exp (log_aspect / n_panels) : 1;
  if (grid->row_headings != NULL)
    layout->row_headings.widest = attn_layout_measure_labels (
        family, (const char * const *) grid->row_headings, grid->n_rows, 1);
}

/* What labels need room for, of which every @step is shown. */
static double
measure_shown (const AttnLayout   *layout,
               AttnLayoutLabels   *measured,
               const char * const *labels,
               gsize               n,
               gsize               step)
{
  gboolean can_zoom = layout->page_width > 0 && layout->page_height > 0;

  if (step == 1)
    return measured->widest;
  if (measured->step != step)
    {
      measured->widest_shown =
          attn_layout_measure_labels (layout->style.font_family, labels, n, step);
      measured->step = step;
    }
  return can_zoom ? MAX (measured->widest_shown, MIN (measured->widest, ORDINARY_WIDTH))
                  : measured->widest_shown;
}

/* Finds the widest of the labels that are shown at the present sizes of panels and labels; where
 * @keeps, of those that were shown before as well. Nothing moves while one zooms: what counts is
 *   what is shown of whole panels. */
void
attn_layout_measure_shown_labels (AttnLayout *layout,
                                  gboolean    keeps)
{
  const AttnGrid *grid = layout->grid;

  if (!keeps)
    {
      memset (layout->row_label_width, 0, grid->n_columns * sizeof (double));
      memset (layout->column_label_width, 0, grid->n_rows * sizeof (double));
    }
  for (gsize i = 0; i < grid->n_rows * grid->n_columns; i++)
    {
      AttnPanel *panel = grid->cells[i].panel;
      gsize row = i / grid->n_columns;
      gsize column = i % grid->n_columns;

      if (panel == NULL)
        continue;

      gsize n_rows = attn_panel_get_n_rows (panel);
      gsize n_columns = attn_panel_get_n_columns (panel);
      AttnRectangle room = attn_layout_get_panel_rectangle (layout, panel, row, column);

      if (layout->row_labels[i].is_drawn)
        {
          double width = measure_shown (layout, &layout->row_labels[i],
                                        attn_panel_get_row_labels (panel), n_rows,
                                        attn_layout_get_row_step (layout, room.height / n_rows));

          layout->row_label_width[column] = MAX (layout->row_label_width[column], width);
        }
      if (layout->column_labels[i].is_drawn)
        {
          double width =
              measure_shown (layout, &layout->column_labels[i],
                             attn_panel_get_column_labels (panel), n_columns,
                             attn_layout_get_column_step (layout, room.width / n_columns));

          layout->column_label_width[row] = MAX (layout->column_label_width[row], width);
        }
    }
}

static double
measure_tick (const AttnLayout *layout,
              const char       *label)
{
  return attn_lettering_measure (layout->style.font_family, label, layout->style.font_size);
}

static double
get_tick_label_width_of (const AttnLayout *layout,
                         const AttnStyle  *style,
                         const AttnRange  *ranges)
{
  double widest = 0;

  const double values[] = { style->low, style->high, style->low + style->tick };

  for (guint i = 0; i < G_N_ELEMENTS (values) && attn_layout_has_own_ticks (style); i++)
    {
      g_autofree char *label = attn_layout_format_tick (style, values[i]);

      widest = MAX (widest, measure_tick (layout, label));
    }
  for (gsize i = 0; i < layout->n_ranges; i++)
    {
      const AttnRange *range = &ranges[i];

      if (!attn_layout_has_own_ticks (style))
        {
          g_autoptr (GArray) ticks = attn_scale_get_ticks (&range->scale, ATTN_LAYOUT_MAX_TICKS);

          for (guint t = 0; t < ticks->len; t++)
            widest = MAX (widest, measure_tick (layout, g_array_index (ticks, AttnTick, t).label));
        }
      if (attn_layout_has_key (layout, range, FALSE))
        widest = MAX (widest, measure_tick (layout, ATTN_LAYOUT_KEY_NAN));
      if (attn_layout_has_key (layout, range, TRUE))
        widest = MAX (widest, measure_tick (layout, ATTN_LAYOUT_KEY_MASKED));
    }
  return widest;
}

/* Widest label at the colour bars. */
double
attn_layout_get_tick_label_width (const AttnLayout *layout)
{
  if (layout->grid->is_binary)
    return MAX (measure_tick (layout, ATTN_LAYOUT_KEY_ON),
                measure_tick (layout, ATTN_LAYOUT_KEY_OFF));

  double weights = get_tick_label_width_of (layout, &layout->style, layout->ranges);
  double differences =
      get_tick_label_width_of (layout, &layout->difference_style, layout->difference_ranges);

  /* Nothing moves while the ends follow the viewport. */
  if (layout->style.range == ATTN_RANGE_VISIBLE)
    weights = MAX (weights, measure_tick (layout, LONG_TICK));

  return !layout->has_differences ? weights
         : !layout->has_weights   ? differences
                                  : MAX (weights, differences);
}

/* Each scale comes from the panels that share it. */
void
attn_layout_resolve_ranges (AttnLayout *layout)
{
  /* Where what is shown decides, a panel alone is all there is. */
  gboolean is_whole = layout->whole != NULL && layout->style.range != ATTN_RANGE_VISIBLE;
  AttnGrid *grid = is_whole ? layout->whole : layout->grid;
  AttnRangeScope scope = layout->style.range_scope;
  gsize n_cells = grid->n_rows * grid->n_columns;
  g_autofree AttnViewport *viewports = g_new (AttnViewport, n_cells);
  gsize n_ranges = attn_range_count (grid, &layout->style);
  gsize n_shared = n_cells / n_ranges;
  gsize first = is_whole ? layout->group / n_shared : 0;

  for (gsize i = 0; i < n_cells; i++)
    viewports[i] = is_whole ? ATTN_VIEWPORT_FIT : attn_layout_get_viewport (layout, i);
  layout->n_ranges = is_whole ? 1 : n_ranges;
  layout->ranges = g_new0 (AttnRange, layout->n_ranges);
  layout->difference_ranges = g_new0 (AttnRange, layout->n_ranges);
  for (gsize i = 0; i < layout->n_ranges; i++)
    {
      attn_range_resolve (grid, (first + i) * n_shared, n_shared, &layout->style,
                          viewports, &layout->ranges[i]);
      attn_range_resolve_differences (grid, (first + i) * n_shared, n_shared,
                                      &layout->difference_style, viewports,
                                      &layout->difference_ranges[i]);
    }
  for (gsize i = 0; i < layout->grid->n_rows * layout->grid->n_columns; i++)
    {
      const AttnGridCell *cell = &layout->grid->cells[i];

      layout->has_weights |= cell->panel != NULL && !cell->is_difference;
      layout->has_differences |= cell->panel != NULL && cell->is_difference;
    }
  layout->n_bars = layout->has_weights && layout->has_differences &&
                           scope != ATTN_RANGE_SCOPE_PANEL
                       ? 2
                       : 1;
}
