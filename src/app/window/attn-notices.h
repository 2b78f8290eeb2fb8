/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Notices: messages in the window about an error or a state. Each has a bar that stays until the
 * user closes it or its cause is gone, and blocks nothing else. */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ATTN_NOTICE_MAX_ACTIONS 2

/**
 * AttnNoticeAction:
 * @label: (nullable): label of the button, whose mnemonic is not shown; %NULL for no button
 * @action: detailed name of the action that it activates, such as "win.open"
 */
typedef struct
{
  const char *label;
  const char *action;
} AttnNoticeAction;

/**
 * AttnNotice:
 * @id: what it is about: a notice takes the place of an earlier one of the same id
 * @title: what happened, in a few words
 * @text: (nullable): the same in one sentence, with what was found and what was expected
 * @actions: what can be done about it
 * @close_action: (nullable): action that is activated when the user closes the notice without one
 *   of @actions
 */
typedef struct
{
  const char *id;
  GtkMessageType type;
  const char *title;
  const char *text;
  AttnNoticeAction actions[ATTN_NOTICE_MAX_ACTIONS];
  const char *close_action;
} AttnNotice;

#define ATTN_TYPE_NOTICES (attn_notices_get_type ())
G_DECLARE_FINAL_TYPE (AttnNotices, attn_notices, ATTN, NOTICES, GtkBox)

void attn_notices_show (AttnNotices      *notices,
                        const AttnNotice *notice);
void attn_notices_show_error (AttnNotices            *notices,
                              const char             *id,
                              const char             *title,
                              const GError           *error,
                              const AttnNoticeAction *actions,
                              gsize                   n_actions);
void attn_notices_hide (AttnNotices      *notices,
                        const char       *id);

G_END_DECLS
