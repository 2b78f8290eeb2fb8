/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-edge-section.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-bar-row.h"
#include "attn-closeup-view.h"
#include "attn-readout.h"
#include "attn-tooltip.h"

/* The number of features (dimensions of the head's queries and keys) that are listed; one more row
 * has the sum over all others. */
#define N_LISTED 10

struct _AttnEdgeSection
{
  GtkBox parent_instance;

  AttnCloseupView *view;
  GtkLabel *score;
  AttnBarRow *rows[N_LISTED + 1];
  GtkLabel *rest;
};

G_DEFINE_FINAL_TYPE (AttnEdgeSection, attn_edge_section, GTK_TYPE_BOX)

static void
attn_edge_section_class_init (AttnEdgeSectionClass *klass)
{
}

static void
attn_edge_section_init (AttnEdgeSection *self)
{
  self->view = attn_closeup_view_new (_("Why This Edge"));
  gtk_widget_set_hexpand (GTK_WIDGET (self->view), TRUE);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->view));

  GtkBox *box = attn_closeup_view_get_box (self->view);
  self->score = attn_closeup_view_add_line (self->view);
  attn_tooltip_set (GTK_WIDGET (self->score),
                    _("The score is a sum over the features of the head: query times "
                      "key, divided by √d. The weight follows from it only together "
                      "with the scores of the other keys"));
  GtkWidget *list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);
  for (gsize i = 0; i <= N_LISTED; i++)
    {
      GtkWidget *row = attn_bar_row_new ();

      self->rows[i] = ATTN_BAR_ROW (row);
      gtk_box_append (GTK_BOX (list), row);
    }
  gtk_box_append (box, list);
  self->rest = attn_closeup_view_add_line (self->view);
}

/* Names a feature: "Feature 12", and the rotary pair that it belongs to if there is one. */
static char *
name_feature (const AttnEdge *edge,
              gsize           feature)
{
  gsize pair = attn_edge_get_pair (edge, feature);

  /* Translators: numbers of a feature and of the pair in which it is rotated */
  return pair < edge->rotary_width ? g_strdup_printf (_("Feature %zu, pair %zu"), feature, pair)
                                   : g_strdup_printf (_("Feature %zu"), feature);
}

/* Appends a line to a text. @line: (transfer full) */
static void
append_line (GString *text,
             char    *line)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", line);
  g_free (line);
}

static void
show_rest (AttnEdgeSection *self,
           const AttnEdge  *edge)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *turned = attn_readout_format_short (edge->rotary_part);
  g_autofree char *other = attn_readout_format_short (edge->sum - edge->rotary_part);
  g_autofree char *slope = attn_readout_format_short (edge->slope);
  g_autofree char *sum = attn_readout_format_short (edge->sum);

  if (edge->rotary_width > 0)
    append_line (text, g_strdup_printf (_("%zu rotary pairs: %s, other features: %s"),
                                        edge->rotary_width / 2, turned, other));
  if (edge->slope != 0)
    append_line (text, g_strdup_printf (_("The query–key distance adds %s"), slope));
  if (isfinite (edge->score) && fabs (edge->sum + edge->slope - edge->score) > 1e-9)
    append_line (text, g_strdup_printf (_("The sum of %s is capped"), sum));
  gtk_label_set_label (self->rest, text->str);
  gtk_widget_set_visible (GTK_WIDGET (self->rest), text->len > 0);
}

static void
show_edge (AttnEdgeSection *self,
           const AttnEdge  *edge)
{
  gsize n_listed = MIN (edge->n_features, N_LISTED);
  g_autofree char *number = attn_readout_format_short (edge->score);
  g_autofree char *score = isfinite (edge->score)
                               ? g_strdup_printf (_("Score %s"), number)
                               : g_strdup (_("The query does not see the key"));
  double largest = fabs (edge->parts[edge->order[0]]);
  double others = edge->sum;

  gtk_label_set_label (self->score, score);
  for (gsize i = 0; i < N_LISTED; i++)
    {
      gtk_widget_set_visible (GTK_WIDGET (self->rows[i]), i < n_listed);
      if (i >= n_listed)
        continue;
      double part = edge->parts[edge->order[i]];
      g_autofree char *name = name_feature (edge, edge->order[i]);
      g_autofree char *text = attn_readout_format_short (part);

      others -= part;
      attn_bar_row_set (self->rows[i], name, text, largest > 0 ? part / largest : 0);
    }
  /* Translators: how many features are not listed */
  g_autofree char *name = g_strdup_printf (_("Others (%zu)"), edge->n_features - n_listed);
  g_autofree char *text = attn_readout_format_short (others);
  gtk_widget_set_visible (GTK_WIDGET (self->rows[N_LISTED]), n_listed < edge->n_features);
  attn_bar_row_set (self->rows[N_LISTED], name, text, largest > 0 ? others / largest : 0);
  show_rest (self, edge);
}

/**
 * attn_edge_section_read:
 * @figure: the figure; the score is that of the query and key of the cell under its cursor. Nothing
 *   is computed while the section is folded
 */
void
attn_edge_section_read (AttnEdgeSection *section,
                        AttnSession     *session,
                        AttnReading     *figure)
{
  AttnExplanation *explanation = attn_session_get_explanation (session);
  AttnCloseupCell cell;

  if (!attn_closeup_view_begin (section->view, session, figure, ATTN_CLOSEUP_EXPLANATION, &cell))
    return;
  gboolean has = attn_explanation_has (explanation, attn_session_get_result (session), cell.index,
                                       cell.query, cell.key);
  attn_closeup_view_end (section->view, has);
  if (has)
    show_edge (section, explanation->edge);
}
