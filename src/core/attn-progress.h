/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How long work says how far it is. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnProgressFunc:
 * @stage: what is being done, translated, such as "Computing input 2 of 3"
 * @fraction: 0 to 1 of the whole work
 *
 * Called in the thread that does the work, at most once a layer.
 */
typedef void (*AttnProgressFunc) (const char *stage,
                                  double      fraction,
                                  gpointer    user_data);

/**
 * AttnProgress:
 * @func: (nullable): whom to tell
 *
 * Passed by pointer; %NULL where nobody listens.
 */
typedef struct
{
  AttnProgressFunc func;
  gpointer user_data;
} AttnProgress;

static inline void
attn_progress_report (const AttnProgress *progress,
                      const char         *stage,
                      double              fraction)
{
  if (progress != NULL && progress->func != NULL)
    progress->func (stage, fraction, progress->user_data);
}

G_END_DECLS
