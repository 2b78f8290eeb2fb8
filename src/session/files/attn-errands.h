/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Errands are small pieces of work with files in the state directory. A thread does them one after
 * the other, so that no window waits for the disk. Only the main thread may call these
 * functions. */

#pragma once

#include "attn-task.h"

G_BEGIN_DECLS

void attn_errands_push (GFunc func,
                        gpointer data,
                        GDestroyNotify free);
void attn_errands_run (AttnTask *task);
void attn_errands_wait (void);

G_END_DECLS
