/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-texts-section.h"

#include <glib/gi18n.h>

#include "attn-survey-texts.h"
#include "attn-text.h"

struct _AttnTextsSection
{
  GtkBox parent_instance;

  AttnSession *session;   /* (nullable) */
  AttnSurveyTexts *shown; /* (nullable): the survey whose texts are listed */

  GtkLabel *message;
  GtkListBox *list;
};

G_DEFINE_FINAL_TYPE (AttnTextsSection, attn_texts_section, GTK_TYPE_BOX)

static void
clear_session (AttnTextsSection *self)
{
  g_clear_object (&self->session);
  g_clear_pointer (&self->shown, attn_survey_texts_unref);
}

static void
attn_texts_section_dispose (GObject *object)
{
  clear_session (ATTN_TEXTS_SECTION (object));

  G_OBJECT_CLASS (attn_texts_section_parent_class)->dispose (object);
}

static void
attn_texts_section_class_init (AttnTextsSectionClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_texts_section_dispose;
}

/* Opens the text of a row as the input of a figure, which shows the text's weights in the head on
 * display. */
static void
activated_cb (AttnTextsSection *self,
              GtkListBoxRow    *row)
{
  AttnResult *result = attn_session_get_result (self->session);
  gsize index = GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (row), "index"));

  if (result == NULL || result->texts != self->shown || self->shown == NULL ||
      self->shown->texts[index].n_ids == 0 || !attn_session_is_current (self->session))
    return;
  attn_session_edit (self->session, attn_survey_texts_open (result, index), NULL);
}

static void
attn_texts_section_init (AttnTextsSection *self)
{
  GtkWidget *title = gtk_label_new (_("Texts of the Head"));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 6);
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "heading");
  gtk_box_append (GTK_BOX (self), title);
  self->message = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->message, 0);
  gtk_label_set_wrap (self->message, TRUE);
  gtk_label_set_wrap_mode (self->message, PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (GTK_WIDGET (self->message), "dim-label");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->message));
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Texts of the Head"), -1);
  g_signal_connect_swapped (self->list, "row-activated", G_CALLBACK (activated_cb), self);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->list));
}

/* Returns a text about why a text of the survey is listed: "Top · 0.93 · text 4", or in which tenth
 * of the histogram's range its value lies, "0.300–0.400 · text 7". */
static char *
describe (const AttnSurveyText *text)
{
  const AttnTallyText *found = &text->found;
  g_autofree char *value = attn_text_format_weight (found->value, 3);
  g_autofree char *low = attn_text_format_weight (found->low, 3);
  g_autofree char *high = attn_text_format_weight (found->high, 3);

  if (found->place == ATTN_TALLY_TENTH)
    /* Translators: the smallest and the largest value of a range; the number of a text */
    return g_strdup_printf (_("%s–%s · text %zu"), low, high, (gsize) found->number);
  return found->place == ATTN_TALLY_TOP
             /* Translators: a value; the number of a text */
             ? g_strdup_printf (_("Top · %s · text %zu"), value, (gsize) found->number)
             : g_strdup_printf (_("Bottom · %s · text %zu"), value, (gsize) found->number);
}

static void
add_row (AttnTextsSection     *self,
         const AttnSurveyText *text,
         gsize                 index)
{
  g_autofree char *reason = describe (text);
  g_autofree char *name =
      g_strdup_printf ("%s: %s", reason, text->label != NULL ? text->label : "…");
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);
  GtkWidget *heading = gtk_label_new (reason);
  GtkWidget *label = gtk_label_new (text->label != NULL ? text->label : "…");

  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_widget_add_css_class (heading, "dim-label");
  gtk_widget_add_css_class (heading, "caption");
  gtk_widget_add_css_class (heading, "numeric");
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (label, text->label);
  gtk_box_append (GTK_BOX (box), heading);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), text->n_ids > 0);
  g_object_set_data (G_OBJECT (row), "index", GSIZE_TO_POINTER (index));
  gtk_list_box_append (self->list, row);
}

/**
 * attn_texts_section_read:
 *
 * Lists the texts of the session's result. The section is hidden if the result is not a survey.
 */
void
attn_texts_section_read (AttnTextsSection *section,
                         AttnSession      *session)
{
  AttnResult *result = attn_session_get_result (session);
  AttnSurveyTexts *texts = result != NULL ? result->texts : NULL;
  gboolean is_survey = result != NULL && result->survey != NULL;
  GtkListBoxRow *row;

  g_set_object (&section->session, session);
  gtk_widget_set_visible (GTK_WIDGET (section), is_survey);
  if (texts == section->shown && (texts != NULL || !is_survey))
    return;
  while ((row = gtk_list_box_get_row_at_index (section->list, 0)) != NULL)
    gtk_list_box_remove (section->list, GTK_WIDGET (row));
  g_clear_pointer (&section->shown, attn_survey_texts_unref);
  gtk_label_set_label (section->message,
                       texts == NULL            ? _("Reading the texts…")
                       : texts->message != NULL ? texts->message
                                                : _("Click a text to open it with this head"));
  if (texts == NULL)
    return;
  section->shown = attn_survey_texts_ref (texts);
  for (gsize i = 0; i < texts->n_texts; i++)
    add_row (section, &texts->texts[i], i);
}
