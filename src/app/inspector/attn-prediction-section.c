/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-prediction-section.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-bar-row.h"
#include "attn-closeup-view.h"
#include "attn-number-table.h"
#include "attn-readout.h"
#include "attn-text.h"
#include "attn-tooltip.h"

/* The column of the change from the baseline to the modified model, after those of the two
 * sides. */
#define CHANGE ATTN_N_SIDES

/* Indices of the rows of the table of predictions; row 0 has the headings. */
#define LOSS       1
#define RANK       2
#define DIFFERENCE 3

struct _AttnPredictionSection
{
  GtkBox parent_instance;

  AttnCloseupView *view;
  GtkGrid *grid;
  AttnBarRow *rows[ATTN_N_SIDES][ATTN_CLOSEUP_TOP];
  GtkLabel *changes[ATTN_CLOSEUP_TOP]; /* labels with the changes of the modified side's probable
                                        * tokens */
  GtkLabel *divergence;
  GtkLabel *follows;
  AttnNumberTable *numbers;
};

G_DEFINE_FINAL_TYPE (AttnPredictionSection, attn_prediction_section, GTK_TYPE_BOX)

static void
attn_prediction_section_class_init (AttnPredictionSectionClass *klass)
{
}

static void
add_heading (GtkGrid    *grid,
             int         column,
             const char *text,
             const char *tooltip)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), column == CHANGE ? 1 : 0);
  attn_tooltip_set (label, tooltip);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "caption");
  gtk_grid_attach (grid, label, column, 0, 1, 1);
}

static void
attn_prediction_section_init (AttnPredictionSection *self)
{
  self->view = attn_closeup_view_new (_("Prediction"));
  gtk_widget_set_hexpand (GTK_WIDGET (self->view), TRUE);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->view));

  GtkBox *box = attn_closeup_view_get_box (self->view);
  self->grid = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_column_spacing (self->grid, 4);
  gtk_grid_set_row_spacing (self->grid, 1);
  add_heading (self->grid, ATTN_SIDE_BASELINE, C_ ("column of numbers", "Baseline"),
               _("The most probable tokens without the intervention"));
  add_heading (self->grid, ATTN_SIDE_MODIFIED, C_ ("column of numbers", "Modified"),
               _("The most probable tokens with it"));
  add_heading (self->grid, CHANGE, _("Bits"),
               _("How much more probable the token is than without the "
                 "intervention: log2 of the ratio"));
  for (int i = 0; i < ATTN_CLOSEUP_TOP; i++)
    {
      for (int side = 0; side < ATTN_N_SIDES; side++)
        {
          GtkWidget *row = attn_bar_row_new ();

          gtk_widget_set_hexpand (row, TRUE);
          gtk_grid_attach (self->grid, row, side, i + 1, 1, 1);
          self->rows[side][i] = ATTN_BAR_ROW (row);
        }
      self->changes[i] = GTK_LABEL (gtk_label_new (NULL));
      gtk_label_set_xalign (self->changes[i], 1);
      gtk_label_set_width_chars (self->changes[i], 5);
      gtk_widget_add_css_class (GTK_WIDGET (self->changes[i]), "numeric");
      gtk_grid_attach (self->grid, GTK_WIDGET (self->changes[i]), CHANGE, i + 1, 1, 1);
    }
  gtk_box_append (box, GTK_WIDGET (self->grid));
  self->divergence = attn_closeup_view_add_line (self->view);
  attn_tooltip_set (GTK_WIDGET (self->divergence),
                    _("Kullback–Leibler divergence of the modified from the unchanged "
                      "prediction. It is 0 where the change does not reach: at "
                      "positions that see nothing of it"));
  self->follows = attn_closeup_view_add_line (self->view);
  self->numbers = g_object_new (ATTN_TYPE_NUMBER_TABLE, NULL);
  attn_number_table_add (self->numbers, _("Loss"),
                         _("−log2 of the probability of the token that really follows"));
  attn_number_table_add (self->numbers, _("Rank of token"),
                         _("The place of that token among all; 1 is the most probable"));
  attn_number_table_add (self->numbers, _("Logit diff."),
                         _("Between the two tokens chosen in the section Figure"));
  gtk_box_append (box, GTK_WIDGET (self->numbers));
}

static char *
format_change (double bits)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (fabs (bits) < 0.05)
    return g_strdup ("0");
  g_ascii_formatd (buffer, sizeof buffer, "%.1f", fabs (bits));
  return g_strconcat (bits < 0 ? "−" : "+", buffer, NULL);
}

static void
show_top (AttnPredictionSection *self,
          const AttnPrediction  *prediction,
          gsize                  row)
{
  const AttnPredictionRequest *request = &prediction->request;
  AttnModel *model =
      g_ptr_array_index (prediction->result->models,
                         prediction->result->cells[prediction->index].model);

  for (gsize i = 0; i < ATTN_CLOSEUP_TOP; i++)
    for (gsize side = 0; side < ATTN_N_SIDES; side++)
      {
        gsize place = (side * request->n_rows + row) * request->n_top + i;

        gtk_widget_set_visible (GTK_WIDGET (self->rows[side][i]), i < request->n_top);
        if (i >= request->n_top)
          continue;
        double share = prediction->top.probabilities[place];
        attn_bar_row_set_token (self->rows[side][i], model, prediction->top.ids[place], share);
        if (side == ATTN_SIDE_BASELINE)
          continue;
        g_autofree char *change =
            format_change (log2 (share / MAX (prediction->top.others[place], 1e-38)));
        gtk_label_set_label (self->changes[i], change);
      }
}

/* Returns a text about the token that follows @position in the input, which the model has to
 * predict. */
static char *
describe_next (const AttnPrediction *prediction,
               gsize                 position)
{
  const AttnTokens *tokens = prediction->tokens;
  gboolean is_of_decoder = prediction->shown != G_MAXSIZE;
  gboolean predicts_next =
      is_of_decoder || attn_model_get_info (prediction->result->model)->predicts_next;
  gsize next = position + (predicts_next ? 1 : 0);

  if (attn_model_get_info (prediction->result->model)->needs_picture && !is_of_decoder)
    return g_strdup (_("What the classifier says of the whole picture"));
  if (is_of_decoder && next >= tokens->n_tokens)
    return g_strdup (_("Changed most of the target: what follows it"));
  if (is_of_decoder)
    /* Translators: a token */
    return g_strdup_printf (_("Changed most of the target: “%s”"), tokens->labels[next]);
  if (next >= tokens->n_tokens)
    return g_strdup (_("Nothing follows in the input"));
  /* Translators: a token */
  return predicts_next
             ? g_strdup_printf (_("“%s” follows in the input"), tokens->labels[next])
             : g_strdup_printf (_("“%s” stands there in the input"), tokens->labels[next]);
}

/* Shows the prediction of the next token at a position, on the sides that have been computed. */
static void
show_position (AttnPredictionSection *self,
               const AttnPrediction  *prediction,
               gsize                  position)
{
  gsize row = position - prediction->request.first_row;
  const AttnPredictionEffect *effect = &prediction->effects[row];
  g_autofree char *kl = attn_text_format_weight (effect->kl, 3);
  /* Translators: Kullback–Leibler divergence */
  g_autofree char *divergence = g_strdup_printf (_("KL %s bits"), kl);
  g_autofree char *follows = describe_next (prediction, position);

  show_top (self, prediction, row);
  gtk_label_set_label (self->divergence, divergence);
  gtk_label_set_label (self->follows, follows);
  for (int side = 0; side < ATTN_N_SIDES; side++)
    {
      int column = ATTN_NUMBER_COLUMN (side);
      g_autofree char *rank =
          effect->rank[side] > 0 ? g_strdup_printf ("%zu", effect->rank[side]) : NULL;

      attn_number_table_set (self->numbers, LOSS, column, effect->loss[side]);
      attn_number_table_set_text (self->numbers, RANK, column, rank);
      attn_number_table_set (self->numbers, DIFFERENCE, column, effect->logit_difference[side]);
    }
}

/**
 * attn_prediction_section_read:
 * @figure: the figure; the prediction is that at the query of the cell under its cursor. Nothing is
 *   computed while the section is folded
 */
void
attn_prediction_section_read (AttnPredictionSection *section,
                              AttnSession           *session,
                              AttnReading           *figure)
{
  AttnResult *result = attn_session_get_result (session);
  AttnPrediction *prediction = attn_session_get_prediction (session);
  AttnCloseupCell cell;

  if (!attn_closeup_view_begin (section->view, session, figure, ATTN_CLOSEUP_PREDICTION, &cell))
    return;
  gboolean has = attn_prediction_has (prediction, result, cell.index, cell.query);
  attn_closeup_view_end (section->view, has);
  if (has)
    show_position (section, prediction,
                   prediction->shown != G_MAXSIZE ? prediction->shown : cell.query);
}
