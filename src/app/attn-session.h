/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a window is about: the study with its history, its last result, and the worker between. */

#pragma once

#include <gio/gio.h>

#include "attn-job.h"

G_BEGIN_DECLS

#define ATTN_TYPE_SESSION (attn_session_get_type ())
G_DECLARE_FINAL_TYPE (AttnSession, attn_session, ATTN, SESSION, GObject)

AttnSession     *attn_session_new        (void);
const AttnStudy *attn_session_get_study  (AttnSession   *session);
AttnResult      *attn_session_get_result (AttnSession   *session);
gboolean         attn_session_is_current (AttnSession   *session);
gboolean         attn_session_is_busy    (AttnSession   *session);
void             attn_session_edit       (AttnSession   *session,
                                          AttnStudy     *study,
                                          const char    *what);
void             attn_session_open       (AttnSession   *session,
                                          AttnStudy     *study);
gboolean         attn_session_open_path  (AttnSession   *session,
                                          const char    *path,
                                          GError       **error);
void             attn_session_cancel     (AttnSession   *session);
void             attn_session_undo       (AttnSession   *session);
void             attn_session_redo       (AttnSession   *session);
gboolean         attn_session_can_undo   (AttnSession   *session);
gboolean         attn_session_can_redo   (AttnSession   *session);

G_END_DECLS
