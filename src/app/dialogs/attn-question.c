/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-question.h"

static void
response_cb (GtkWindow *window,
             int        response,
             GtkWindow *dialog)
{
  AttnAnsweredFunc answered = (AttnAnsweredFunc) g_object_get_data (G_OBJECT (dialog), "answered");

  /* The dialog is closed before the function is called, which may ask another question. */
  gtk_window_destroy (dialog);
  answered (window, response, g_object_get_data (G_OBJECT (dialog), "data"));
}

/**
 * attn_question_ask:
 * @window: the window that the dialog stands above and blocks
 * @answers: (array zero-terminated): the buttons from left to right; the last has no label and ends
 *   the array. Return activates the last button that is not %ATTN_ANSWER_DESTRUCTIVE.
 * @answered: called with the answer, if @window still exists
 * @free_data: (nullable): frees @data when the dialog is destroyed
 */
void
attn_question_ask (GtkWindow                *window,
                   const char               *title,
                   const char               *text,
                   const AttnQuestionAnswer *answers,
                   AttnAnsweredFunc          answered,
                   gpointer                  data,
                   GDestroyNotify            free_data)
{
  attn_question_ask_with (window, title, text, NULL, answers, answered, data, free_data);
}

/**
 * attn_question_ask_with:
 * @child: (nullable): a widget below the text, such as a list in which the user selects what the
 *   answer is about
 *
 * Asks a question as [func@attn_question_ask] does, with a widget in the dialog.
 */
void
attn_question_ask_with (GtkWindow                *window,
                        const char               *title,
                        const char               *text,
                        GtkWidget                *child,
                        const AttnQuestionAnswer *answers,
                        AttnAnsweredFunc          answered,
                        gpointer                  data,
                        GDestroyNotify            free_data)
{
  GtkWidget *dialog =
      gtk_message_dialog_new (window, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                              GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s", title);

  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s", text);
  if (child != NULL)
    {
      GtkWidget *area = gtk_message_dialog_get_message_area (GTK_MESSAGE_DIALOG (dialog));

      gtk_box_append (GTK_BOX (area), child);
    }
  for (const AttnQuestionAnswer *answer = answers; answer->label != NULL; answer++)
    {
      GtkWidget *button =
          gtk_dialog_add_button (GTK_DIALOG (dialog), answer->label, answer->response);

      if (answer->look != NULL)
        gtk_widget_add_css_class (button, answer->look);
      if (g_strcmp0 (answer->look, ATTN_ANSWER_DESTRUCTIVE) != 0)
        gtk_dialog_set_default_response (GTK_DIALOG (dialog), answer->response);
    }
  g_object_set_data (G_OBJECT (dialog), "answered", (gpointer) answered);
  g_object_set_data_full (G_OBJECT (dialog), "data", data, free_data);
  g_signal_connect_object (dialog, "response", G_CALLBACK (response_cb), window, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}
