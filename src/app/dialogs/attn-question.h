/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Asks a question in a dialog above a window. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_ANSWER_SUGGESTED   "suggested-action"
#define ATTN_ANSWER_DESTRUCTIVE "destructive-action"

/**
 * AttnQuestionAnswer:
 * @label: label of the answer's button, with a mnemonic
 * @response: the #GtkResponseType that the button gives
 * @look: (nullable): %ATTN_ANSWER_SUGGESTED or %ATTN_ANSWER_DESTRUCTIVE
 */
typedef struct
{
  const char *label;
  int response;
  const char *look;
} AttnQuestionAnswer;

/* Called with the #GtkWindow that asked, after the dialog has closed. The response is
 * %GTK_RESPONSE_DELETE_EVENT if no button was chosen. */
typedef void (*AttnAnsweredFunc) (gpointer window,
                                  int      response,
                                  gpointer data);

void attn_question_ask (GtkWindow        *window,
                        const char       *title,
                        const char       *text,
                        const AttnQuestionAnswer *answers,
                        AttnAnsweredFunc  answered,
                        gpointer          data,
                        GDestroyNotify    free_data);

void attn_question_ask_with (GtkWindow        *window,
                             const char       *title,
                             const char       *text,
                             GtkWidget        *child,
                             const AttnQuestionAnswer *answers,
                             AttnAnsweredFunc  answered,
                             gpointer          data,
                             GDestroyNotify    free_data);

G_END_DECLS
