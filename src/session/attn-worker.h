/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A worker is a thread that runs tasks one after the other. They share its workspace, which keeps
 * open models and intermediate results. */

#pragma once

#include "attn-task.h"

G_BEGIN_DECLS

typedef struct _AttnWorker AttnWorker;

AttnWorker *attn_worker_new              (void);
void        attn_worker_free             (AttnWorker *worker);
void        attn_worker_push             (AttnWorker *worker,
                                          AttnTask   *task,
                                          guint       rank);
void        attn_worker_wait_for_threads (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnWorker, attn_worker_free)

G_END_DECLS
