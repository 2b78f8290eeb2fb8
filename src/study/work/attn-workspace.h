/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Data that is cached from one job (the computation of one figure) to the next. */

#pragma once

#include "attn-result.h"

G_BEGIN_DECLS

/**
 * AttnWorkspace:
 *
 * Cache of what jobs compute: the open models and the baseline traces of each input. One thread at
 * a time can use it. A result is the same with a new workspace and with one that was used before.
 */
typedef struct _AttnWorkspace AttnWorkspace;

/**
 * AttnUnfinishedFunc:
 * @unfinished: (transfer full): a result of the study being computed, in which cells that are not
 *   known yet are masked
 *
 * Function that gets an unfinished result. It is called in the thread that computes the figure.
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
