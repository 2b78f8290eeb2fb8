/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Data that is cached from one job to the next. */

#pragma once

#include "attn-result.h"

G_BEGIN_DECLS

/**
 * AttnWorkspace:
 *
 * What is kept from one job to the next: the open model and the baseline trace of each input. Used
 * by one thread at a time. A result is the same with a fresh workspace and with an old one.
 */
typedef struct _AttnWorkspace AttnWorkspace;

/**
 * AttnUnfinishedFunc:
 * @unfinished: (transfer full): a result of the study that is computed, in which what is not known
 *   yet is masked
 *
 * Called in the thread that computes.
 */
typedef void (*AttnUnfinishedFunc) (AttnResult *unfinished,
                                    gpointer    user_data);

AttnWorkspace *attn_workspace_new   (void);
void           attn_workspace_free  (AttnWorkspace      *workspace);
void           attn_workspace_watch (AttnWorkspace      *workspace,
                                     AttnUnfinishedFunc  watcher,
                                     gpointer            user_data);
AttnModel  *attn_workspace_open_model (AttnWorkspace     *workspace,
                                     const AttnModelReference *reference,
                                     const char          *attention,
                                     GError             **error);
AttnModel  *attn_workspace_ref_model (AttnWorkspace      *workspace,
                                     const AttnModelReference *reference,
                                     const char          *attention);
GPtrArray  *attn_workspace_list_tokens (AttnWorkspace    *workspace,
                                     const AttnStudy     *study);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnWorkspace, attn_workspace_free)

G_END_DECLS
