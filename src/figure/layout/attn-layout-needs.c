/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"

/* Sizes of texts in a figure, relative to the token labels. */
#define TITLE_RATIO       1.1
#define CAPTION_RATIO     1.4
#define VALUE_LABEL_RATIO 1.1

#define MAX_MARGIN 8.0 /* points */

/* Tells whether the rows, or the columns, of two panels have the same tokens. @a, @b: (nullable):
 * labels */
static gboolean
are_shared (const char * const *a,
            gsize               n_a,
            const char * const *b,
            gsize               n_b)
{
  gboolean is_same = n_a == n_b && (a == NULL) == (b == NULL);

  for (gsize i = 0; is_same && a != b && i < n_a; i++)
    is_same = g_str_equal (a[i], b[i]);
  return is_same;
}

/* Returns the width of a panel divided by its height. */
static double
get_aspect (const AttnGrid *grid,
            AttnPanel      *panel)
{
  double aspect = (double) attn_panel_get_n_columns (panel) / attn_panel_get_n_rows (panel);

  return grid->aspect > 0 ? grid->aspect : CLAMP (aspect, 0.25, 4);
}

/* Returns the rectangle of a panel: as large as its aspect ratio allows, in the middle of its
 * slot. */
AttnRectangle
attn_layout_fill_slot (const AttnGrid      *grid,
                       AttnPanel           *panel,
                       const AttnRectangle *slot)
{
  double aspect = get_aspect (grid, panel);
  double width = MIN (slot->width, slot->height * aspect);
  double height = MIN (slot->height, slot->width / aspect);

  return (AttnRectangle) {
    .x = slot->x + (slot->width - width) / 2,
    .y = slot->y + (slot->height - height) / 2,
    .width = width,
    .height = height,
  };
}

/* Returns the rectangle, on the page, of the panel in a cell of the grid. */
AttnRectangle
attn_layout_get_panel_rectangle (const AttnLayoutPlaces *at,
                                 gsize                   row,
                                 gsize                   column)
{
  const AttnGrid *grid = at->in->grid;
  const AttnRectangle slot = { at->slot_x[column], at->slot_y[row], at->fit->slot_width,
                               at->fit->slot_height };

  return attn_layout_fill_slot (grid, grid->cells[row * grid->n_columns + column].panel, &slot);
}

/* Finds for every panel the labels that are drawn, their widths, and the numbers of rows and
 * columns. */
static void
measure_panels (AttnLayoutNeeds *needs)
{
  const AttnGrid *grid = needs->in->grid;
  const AttnLayoutLabels *like_rows = NULL;
  const AttnLayoutLabels *like_columns = NULL;
  double log_aspect = 0;
  gsize n_panels = 0;

  for (gsize index = 0; index < grid->n_rows * grid->n_columns; index++)
    {
      AttnPanel *panel = grid->cells[index].panel;

      needs->has_titles |= grid->cells[index].title != NULL;
      if (panel == NULL)
        continue;

      AttnPanel *left = index % grid->n_columns > 0 ? grid->cells[index - 1].panel : NULL;
      AttnPanel *below = index / grid->n_columns + 1 < grid->n_rows
                             ? grid->cells[index + grid->n_columns].panel
                             : NULL;
      gsize n_rows = attn_panel_get_n_rows (panel);
      gsize n_columns = attn_panel_get_n_columns (panel);
      const char * const *rows = attn_panel_get_row_labels (panel);
      const char * const *columns = attn_panel_get_column_labels (panel);

      /* A panel does not repeat the query labels of its left neighbour, nor the key labels of the
       * panel below. If each panel shows a part of its own, it has labels of its own. */
      if (needs->in->has_views || left == NULL ||
          !are_shared (attn_panel_get_row_labels (left), attn_panel_get_n_rows (left), rows,
                       n_rows))
        {
          needs->row_labels[index] =
              attn_layout_labels_new_of (needs->in, panel, FALSE, like_rows);
          like_rows = &needs->row_labels[index];
        }
      if (needs->in->has_views || below == NULL ||
          !are_shared (attn_panel_get_column_labels (below), attn_panel_get_n_columns (below),
                       columns, n_columns))
        {
          AttnLayoutLabels *labels = &needs->column_labels[index];

          *labels = attn_layout_labels_new_of (needs->in, panel, TRUE, like_columns);
          like_columns = labels;
          needs->widest_column_pitch =
              MAX (needs->widest_column_pitch, labels->widest * n_columns);
        }
      needs->max_rows = MAX (needs->max_rows, n_rows);
      needs->max_columns = MAX (needs->max_columns, n_columns);
      log_aspect += log (get_aspect (grid, panel));
      n_panels++;
    }
  needs->aspect = n_panels > 0 ? exp (log_aspect / n_panels) : 1;
}

static void
measure_diagram (AttnLayoutNeeds *needs)
{
  const AttnDiagram *diagram = needs->in->grid->diagram;
  const char *family = needs->in->style.font_family;
  const char **names = attn_layout_allocate (needs->in, diagram->n_heads, sizeof *names);

  for (gsize i = 0; i < diagram->n_heads; i++)
    names[i] = diagram->heads[i].name;
  *needs->heads = attn_layout_labels_new (family, names, diagram->n_heads);
  *needs->tokens = attn_layout_labels_new (family, (const char * const *) diagram->tokens,
                                           diagram->n_tokens);
  needs->has_line =
      attn_diagram_choose_links (diagram, &needs->smallest_share, &needs->n_left_out);
  g_ptr_array_add (needs->in->arrays, needs->has_line);
}

/* Sets the gaps between panels and the margin around the figure. Panels without labels are close
 * together. */
static void
set_gaps (AttnLayoutNeeds *needs)
{
  const AttnLayoutInput *in = needs->in;
  double width = in->page_width;
  double height = in->page_height;
  double size = in->style.font_size;
  /* In a column of a journal each column of panels takes width from the others, and so does a
   * column of baselines. */
  gsize n = width > 0 && height <= 0 ? MAX (in->grid->n_rows, in->grid->n_columns)
                                     : needs->n_side;
  double shorter = width > 0 && height > 0   ? MIN (width, height)
                   : width > 0 || height > 0 ? MAX (width, height)
                                             : G_MAXDOUBLE;

  needs->gap_x = n > 3 ? MAX (0.7 * size * 3 / n, 2) : 1.4 * size;
  needs->gap_y = n > 3 ? 0.6 * size : 1.2 * size;
  needs->margin = MIN (MAX_MARGIN, shorter * 0.03);
  /* If a side of the page is not bounded, the margin has room for the labels at the ends of a
   * colour bar. */
  if (!(width > 0 && height > 0))
    needs->margin = MAX (needs->margin, 0.5 * size);
}

/* Computes the room that all panels need. The caller clears the scales in the result with
 * attn_layout_scales_clear(). */
AttnLayoutNeeds
attn_layout_find_needs (const AttnLayoutInput *in)
{
  const AttnGrid *grid = in->grid;
  gsize n_cells = grid->n_rows * grid->n_columns;
  double size = in->style.font_size;
  AttnLayoutLabels *labels = attn_layout_allocate (in, 2 * n_cells + 3, sizeof *labels);
  AttnLayoutNeeds needs = {
    .in = in,
    .scales = attn_layout_scales_new (in),
    .row_labels = labels,
    .column_labels = labels + n_cells,
    .row_headings = labels + 2 * n_cells,
    .heads = labels + 2 * n_cells + 1,
    .tokens = labels + 2 * n_cells + 2,
    .n_side = MAX (grid->n_rows, grid->n_columns - (grid->has_baseline_column ? 1 : 0)),
    .title_size = size * TITLE_RATIO,
    .caption_size = size * CAPTION_RATIO,
    .value_label_size = size * VALUE_LABEL_RATIO,
    .key = attn_layout_key_new (in),
  };

  if (grid->row_headings != NULL)
    *needs.row_headings = attn_layout_labels_new (
        in->style.font_family, (const char * const *) grid->row_headings, grid->n_rows);
  if (grid->column_headings != NULL)
    needs.widest_column_heading =
        attn_layout_labels_new (in->style.font_family,
                                (const char * const *) grid->column_headings, grid->n_columns)
            .widest;
  if (grid->diagram != NULL)
    measure_diagram (&needs);
  measure_panels (&needs);
  set_gaps (&needs);
  return needs;
}
