/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The choice of which attention of a model is shown: that of the encoder, of the decoder, or
 * cross-attention. */

#include "config.h"

#include "attn-attention-choice.h"

#include <glib/gi18n-lib.h>

#include "attn-edits.h"
#include "attn-head-place.h"

/* The key under which the drop-down keeps the names of the attentions that it lists. */
#define NAMES "attentions"

static guint
find (const char * const *names,
      const char         *name)
{
  for (guint i = 0; name != NULL && names[i] != NULL; i++)
    if (g_str_equal (names[i], name))
      return i;
  return 0;
}

static void
selected_cb (GtkDropDown *drop_down,
             GParamSpec  *pspec,
             AttnSession *session)
{
  const char * const *names = g_object_get_data (G_OBJECT (drop_down), NAMES);
  const AttnStudy *before = attn_session_get_study (session);
  guint selected = gtk_drop_down_get_selected (drop_down);

  if (names == NULL || selected == GTK_INVALID_LIST_POSITION ||
      selected == find (names, before->attention))
    return;
  AttnModel *model = attn_session_get_model (session);
  if (model == NULL)
    return;
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  attn_edits_choose_attention (study, attn_model_get_info (model), names[selected]);
  if (attn_edits_settle (study, before, -1, NULL))
    attn_session_edit (session, g_steal_pointer (&study), NULL);
}

static void
set_up_cb (GtkListItemFactory *factory,
           GtkListItem        *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_list_item_set_child (item, label);
}

static const char *
get_name (GtkListItem *item)
{
  return gtk_string_object_get_string (gtk_list_item_get_item (item));
}

static void
bind_row_cb (GtkListItemFactory *factory,
             GtkListItem        *item)
{
  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), get_name (item));
}

/* Shows the name of the chosen attention on the button, in its short form, so that layer and head
 * have room beside it in a small window. */
static void
bind_button_cb (GtkListItemFactory *factory,
                GtkListItem        *item)
{
  const char *name = get_name (item);
  gboolean is_cross = g_str_equal (name, attn_head_place_name_attention ("cross"));

  /* Translators: cross-attention, on a button beside the numbers of a layer and a head */
  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)),
                       is_cross ? C_ ("attention", "Cross") : name);
}

/**
 * attn_attention_choice_begin:
 * @session: the session whose study the choice edits
 *
 * Connects the drop-down with the study. To be called once.
 */
void
attn_attention_choice_begin (GtkDropDown *drop_down,
                             AttnSession *session)
{
  g_autoptr (GtkListItemFactory) button = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkListItemFactory) rows = gtk_signal_list_item_factory_new ();

  g_signal_connect (button, "setup", G_CALLBACK (set_up_cb), NULL);
  g_signal_connect (button, "bind", G_CALLBACK (bind_button_cb), NULL);
  g_signal_connect (rows, "setup", G_CALLBACK (set_up_cb), NULL);
  g_signal_connect (rows, "bind", G_CALLBACK (bind_row_cb), NULL);
  gtk_drop_down_set_factory (drop_down, button);
  gtk_drop_down_set_list_factory (drop_down, rows);
  g_signal_connect_object (drop_down, "notify::selected", G_CALLBACK (selected_cb), session, 0);
}

/**
 * attn_attention_choice_sync:
 * @row: the widget around the drop-down, shown only if the model has several attentions
 *
 * Lists the attentions of the model and selects the one that the study shows.
 */
void
attn_attention_choice_sync (GtkDropDown *drop_down,
                            GtkWidget   *row,
                            AttnSession *session)
{
  AttnModel *model = attn_session_get_model (session);
  const char * const *names = model != NULL ? attn_model_get_info (model)->attentions : NULL;

  gtk_widget_set_visible (row, names != NULL && names[1] != NULL);
  if (names == NULL || names[1] == NULL)
    return;
  if (names != g_object_get_data (G_OBJECT (drop_down), NAMES))
    {
      g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

      for (guint i = 0; names[i] != NULL; i++)
        gtk_string_list_append (list, attn_head_place_name_attention (names[i]));
      /* Without names the handler of "selected" does nothing: while the list is replaced, a change
       * of the selection is not made by the user. */
      g_object_set_data (G_OBJECT (drop_down), NAMES, NULL);
      gtk_drop_down_set_model (drop_down, G_LIST_MODEL (list));
      gtk_drop_down_set_selected (drop_down,
                                  find (names, attn_session_get_study (session)->attention));
      g_object_set_data (G_OBJECT (drop_down), NAMES, (gpointer) names);
    }
  gtk_drop_down_set_selected (drop_down,
                              find (names, attn_session_get_study (session)->attention));
}
