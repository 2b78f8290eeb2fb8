/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Errands to the state directory: a thread does them one behind the other, without a window that
 * waits for the disk, which may be busy or on another computer. For the main thread alone. */

#pragma once

#include "attn-task.h"

G_BEGIN_DECLS

void attn_errands_push (GFunc func,
                        gpointer data,
                        GDestroyNotify free);
void attn_errands_run (AttnTask *task);
void attn_errands_wait (void);

G_END_DECLS
