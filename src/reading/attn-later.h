/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Work that is done at once where it is short, in a thread where it takes longer than a frame. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AttnLater:
 * @work: does the work; any thread may call it; what it has not done when it is cancelled does not
 *   count
 * @done: gives @owner the data, in the thread that attn_later_run() was called in
 * @free: frees the data of a call that was given up; any thread may call it
 */
typedef struct
{
  void (*work) (gpointer      data,
                GCancellable *cancellable);
  void (*done) (gpointer owner,
                gpointer data);
  void (*free) (gpointer data);
} AttnLater;

void attn_later_run  (const AttnLater  *later,
                      gpointer          owner,
                      gpointer          data,
                      gboolean          takes_long,
                      GCancellable    **under_way);
void attn_later_stop (GCancellable    **under_way);

G_END_DECLS
