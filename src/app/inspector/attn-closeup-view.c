/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-closeup-view.h"

#include <glib/gi18n.h>

#include "attn-readout.h"

struct _AttnCloseupView
{
  GtkBox parent_instance;

  GtkExpander *expander;
  GtkLabel *place;
  GtkBox *box;
  const char *error; /* (nullable): error for which the section is empty; owned by the session */
};

G_DEFINE_FINAL_TYPE (AttnCloseupView, attn_closeup_view, GTK_TYPE_BOX)

static void
attn_closeup_view_class_init (AttnCloseupViewClass *klass)
{
}

/* Asks the inspector to read the cell when the section is unfolded: it does not while the section
 * is folded. */
static void
expanded_cb (AttnCloseupView *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "inspector.read", NULL);
}

static void
attn_closeup_view_init (AttnCloseupView *self)
{
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->expander = GTK_EXPANDER (gtk_expander_new (NULL));
  self->place = GTK_LABEL (gtk_label_new (NULL));
  self->box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_label_set_xalign (self->place, 0);
  gtk_label_set_wrap (self->place, TRUE);
  gtk_widget_set_margin_top (content, 6);
  gtk_box_append (GTK_BOX (content), GTK_WIDGET (self->place));
  gtk_box_append (GTK_BOX (content), GTK_WIDGET (self->box));
  gtk_expander_set_child (self->expander, content);
  gtk_widget_set_hexpand (GTK_WIDGET (self->expander), TRUE);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->expander));
  g_signal_connect_swapped (self->expander, "notify::expanded", G_CALLBACK (expanded_cb), self);
}

AttnCloseupView *
attn_closeup_view_new (const char *title)
{
  AttnCloseupView *view = g_object_new (ATTN_TYPE_CLOSEUP_VIEW, NULL);
  GtkWidget *label = gtk_label_new (title);

  gtk_widget_add_css_class (label, "heading");
  gtk_expander_set_label_widget (view->expander, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view->expander), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  return view;
}

/**
 * attn_closeup_view_get_box:
 *
 * Returns: (transfer none): the box for the contents of the section; it is visible while there are
 *   any
 */
GtkBox *
attn_closeup_view_get_box (AttnCloseupView *view)
{
  return view->box;
}

/**
 * attn_closeup_view_add_line:
 *
 * Returns: (transfer none): a new label for a sentence, below the contents added before
 */
GtkLabel *
attn_closeup_view_add_line (AttnCloseupView *view)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_box_append (attn_closeup_view_get_box (view), label);
  return GTK_LABEL (label);
}

/**
 * attn_closeup_view_begin:
 * @closeup: which closer look (explanation, prediction, …) is computed for the cell under the
 *   cursor
 * @cell: (out): the cell under the cursor, set if %TRUE is returned
 *
 * Returns: whether the section is unfolded and there is a cell under the cursor;
 *   attn_closeup_view_end() must then be called
 */
gboolean
attn_closeup_view_begin (AttnCloseupView *view,
                         AttnSession     *session,
                         AttnReading     *figure,
                         AttnCloseup      closeup,
                         AttnCloseupCell *cell)
{
  AttnReadingState state = attn_reading_get (figure);
  AttnResult *result = attn_session_get_result (session);
  AttnPanel *panel = state.hit != NULL && result != NULL && state.grid != NULL &&
                             (gsize) state.hit->group <
                                 result->grid->n_rows * result->grid->n_columns
                         ? result->grid->cells[state.hit->group].panel
                         : NULL;
  /* A heatmap over a picture has patches as rows and columns, not a query and a key. */
  gboolean is_grid = result != NULL && attn_study_get_traits (result->study)->has_grid &&
                     result->grid->cells[0].image == NULL;

  gtk_widget_set_visible (GTK_WIDGET (view), is_grid);
  if (!is_grid || !gtk_expander_get_expanded (view->expander))
    return FALSE;
  if (panel == NULL || state.hit->row >= attn_panel_get_n_rows (panel) ||
      state.hit->column >= attn_panel_get_n_columns (panel))
    {
      gtk_label_set_label (view->place, _("Point at a cell"));
      gtk_widget_set_visible (GTK_WIDGET (view->box), FALSE);
      return FALSE;
    }
  cell->index = (gsize) state.hit->group;
  cell->query = attn_panel_get_row_position (panel, state.hit->row);
  cell->key = attn_panel_get_column_position (panel, state.hit->column);
  g_autofree char *query =
      attn_readout_describe_token (state.grid, _("Query %zu “%s”"), panel, TRUE, state.hit->row);
  g_autofree char *key = attn_readout_describe_token (state.grid, _("Key %zu “%s”"), panel, FALSE,
                                                      state.hit->column);
  g_autofree char *both = g_strdup_printf ("%s → %s", query, key);
  if (closeup == ATTN_CLOSEUP_EXPLANATION && cell->key == ATTN_PANEL_NO_POSITION)
    {
      gtk_label_set_label (view->place, both);
      gtk_widget_set_visible (GTK_WIDGET (view->box), FALSE);
      return FALSE;
    }
  attn_session_look (session, closeup, cell->index, cell->query, cell->key);
  view->error = attn_session_get_closeup_error (session, closeup);
  /* In a model with a decoder the predictions are made by the decoder, at a position of the target,
   * even in a figure of the encoder. */
  const char *of =
      result != NULL && attn_model_has_decoder (result->model) ? _("Target") : query;
  gtk_label_set_label (view->place, view->error != NULL                  ? view->error
                                    : closeup == ATTN_CLOSEUP_PREDICTION ? of
                                                                         : both);
  return TRUE;
}

/**
 * attn_closeup_view_is_open:
 *
 * Returns: whether the section is unfolded
 */
gboolean
attn_closeup_view_is_open (AttnCloseupView *view)
{
  return gtk_expander_get_expanded (view->expander);
}

/**
 * attn_closeup_view_tell:
 * @place: name of what the contents are about, such as a panel; for sections that do not call
 *   attn_closeup_view_begin()
 * @error: (nullable): why there are no contents, shown in place of @place; owned by the session
 */
void
attn_closeup_view_tell (AttnCloseupView *view,
                        const char      *place,
                        const char      *error)
{
  view->error = error;
  gtk_label_set_label (view->place, error != NULL ? error : place);
}

/**
 * attn_closeup_view_end:
 * @has_content: whether the contents for the cell have been computed; until they are, the earlier
 *   contents stay, faded
 */
void
attn_closeup_view_end (AttnCloseupView *view,
                       gboolean         has_content)
{
  gtk_widget_set_opacity (GTK_WIDGET (view->box), has_content ? 1 : 0.5);
  if (has_content || view->error != NULL)
    gtk_widget_set_visible (GTK_WIDGET (view->box), has_content);
}
