/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-layout-private.h"

#include "attn-lettering.h"
#include "attn-markup.h"

/* The largest number of labels whose width is measured; more would take too long. */
#define MAX_MEASURED_LABELS 256

/* The largest number of rows of a panel at which each row has a label, if there is room. */
#define FEW_ROWS 6

/* Returns the label of a row or column as markup: its text, or its number if there are no texts. */
char *
attn_layout_get_label (const AttnLayoutLabels *labels,
                       gsize                   index)
{
  gsize position = labels->panel == NULL ? index
                   : labels->is_column   ? attn_panel_get_column_position (labels->panel, index)
                                         : attn_panel_get_row_position (labels->panel, index);

  if (labels->texts == NULL)
    return g_strdup_printf ("%" G_GSIZE_FORMAT, position);
  if (labels->panel == NULL || position == ATTN_PANEL_NO_POSITION)
    return attn_markup_from_text (labels->texts[index]);
  g_autofree char *text =
      g_strdup_printf ("%" G_GSIZE_FORMAT " %s", position, labels->texts[index]);
  return attn_markup_from_text (text);
}

/* Measures the widest of every @step-th label, or of a sample of these labels. */
static double
measure (const AttnLayoutLabels *labels,
         gsize                   step)
{
  double widest = 0;

  step *= ((labels->n - 1) / step + MAX_MEASURED_LABELS) / MAX_MEASURED_LABELS;
  for (gsize i = 0; i < labels->n; i += step)
    {
      g_autofree char *markup = attn_layout_get_label (labels, i);
      widest = MAX (widest, attn_lettering_measure (labels->family, markup, 1));
    }
  return widest;
}

/* Makes a list of @n labels of rows or columns, and measures the widest. @texts: (transfer none) */
AttnLayoutLabels
attn_layout_labels_new (const char         *family,
                        const char * const *texts,
                        gsize               n)
{
  AttnLayoutLabels labels = { .family = family, .texts = texts, .n = n };

  labels.widest = measure (&labels, 1);
  return labels;
}

static gboolean
have_same_texts (const AttnLayoutLabels *a,
                 const AttnLayoutLabels *b)
{
  gboolean is_same = a->n == b->n && a->panel == NULL && b->panel == NULL &&
                     (a->texts == NULL) == (b->texts == NULL);

  for (gsize i = 0; is_same && a->texts != b->texts && i < a->n; i++)
    is_same = g_str_equal (a->texts[i], b->texts[i]);
  return is_same;
}

/* Lists the labels of a panel's rows or columns, with their positions if these are asked for and
 * the labels are tokens. @like: (nullable): the labels of a neighbouring panel; the same labels are
 * not measured again */
AttnLayoutLabels
attn_layout_labels_new_of (const AttnLayoutInput  *in,
                           AttnPanel              *panel,
                           gboolean                is_column,
                           const AttnLayoutLabels *like)
{
  const char *title = is_column ? in->grid->column_title : in->grid->row_title;
  AttnLayoutLabels labels = {
    .family = in->style.font_family,
    .texts = is_column ? attn_panel_get_column_labels (panel) : attn_panel_get_row_labels (panel),
    .panel = in->style.shows_positions && title == NULL ? panel : NULL,
    .is_column = is_column,
    .n = is_column ? attn_panel_get_n_columns (panel) : attn_panel_get_n_rows (panel),
  };

  labels.widest = like != NULL && have_same_texts (&labels, like) ? like->widest
                                                                  : measure (&labels, 1);
  return labels;
}

/* Returns the width at text size 1 of the widest label at multiples of @step. The result is cached
 * for the step asked for last. */
double
attn_layout_labels_get_widest (AttnLayoutLabels *labels,
                               gsize             step)
{
  if (step == 1)
    return labels->widest;
  if (labels->step != step)
    {
      labels->widest_shown = measure (labels, step);
      labels->step = step;
    }
  return labels->widest_shown;
}

/* Finds the smallest step of 1, 2, 5, 10, 20, ... at which labels have room if cells are @pitch
 * apart. @needed: the least distance between two labels, in points */
gsize
attn_layout_get_label_step (double pitch,
                            double needed)
{
  static const gsize factors[] = { 2, 5, 10 };
  gsize decade = 1;

  if (pitch >= needed - 1e-6)
    return 1;
  while (decade < G_MAXSIZE / 100)
    {
      for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
        if (decade * factors[i] * pitch >= needed - 1e-6)
          return decade * factors[i];
      decade *= 10;
    }
  return decade;
}

/* Returns the step between cells that have a label if its text has @size and cells are @pitch
 * apart, a multiple of @unit. */
gsize
attn_layout_get_token_step (double pitch,
                            double size,
                            gsize  unit)
{
  return unit * attn_layout_get_label_step (unit * pitch, size / ATTN_LAYOUT_LABEL_PITCH);
}

/* Returns the step between rows that have a label, as the grid asks for it. Few rows have a label
 * each, since otherwise the second of three rows would have no name. */
gsize
attn_layout_get_row_unit (const AttnGrid *grid,
                          gsize           n_rows)
{
  return n_rows > FEW_ROWS ? MAX (grid->row_step, 1) : 1;
}
