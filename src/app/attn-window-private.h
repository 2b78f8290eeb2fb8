/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The window by concern: attn-window.c shows, attn-window-actions.c edits, attn-window-files.c
 * opens and exports. */

#pragma once

#include "attn-figure-view.h"
#include "attn-session.h"
#include "attn-sidebar.h"
#include "attn-window.h"

G_BEGIN_DECLS

struct _AttnWindow
{
  GtkApplicationWindow parent_instance;

  AttnSession *session;
  GSettings *settings; /* (nullable): %NULL where the schema is not installed */
  GtkFileChooserNative *chooser; /* (nullable): while it is open */
  guint progress_timeout; /* until the job is worth a progress bar */
  gboolean is_syncing;

  /* Template widgets */
  AttnSidebar *sidebar;
  AttnFigureView *view;
  GtkDropDown *presets;
  GtkInfoBar *info_bar;
  GtkLabel *info_text;
  GtkStack *stack;
  GtkRevealer *progress_revealer;
  GtkProgressBar *progress;
  GtkLabel *readout_cell;
  GtkLabel *readout_value;
  GtkLabel *readout_panel;
};

void attn_window_show_error   (AttnWindow      *self,
                               const GError    *error);
void attn_window_show_note    (AttnWindow      *self,
                               const char      *note);
void attn_window_load_preset  (AttnWindow      *self,
                               const char      *name);
void attn_window_add_actions  (AttnWindow      *self);
void attn_window_sync_actions (AttnWindow      *self);
void attn_window_choose_model (AttnWindow      *self);
void attn_window_choose_file  (AttnWindow      *self);
void attn_window_choose_export (AttnWindow     *self);
void attn_window_add_drop     (AttnWindow      *self);

G_END_DECLS
