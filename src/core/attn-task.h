/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs work in another thread and delivers its result to the owner, an object such as a window, in
 * the owner's thread. */

#pragma once

#include <gio/gio.h>

#include "attn-progress.h"

G_BEGIN_DECLS

typedef struct _AttnTask AttnTask;

/**
 * AttnTaskKind:
 * @run: does the work, in any thread, and puts the result in @data; @place: what that thread has
 *   for all its tasks, such as a workspace, or %NULL in a thread of GLib's pool. After cancellation
 *   it may leave the rest of the work undone
 * @deliver: gives @owner the data with the result (transfer full), in the owner's thread
 * @free: frees the data of a task that was given up; any thread may call it
 * @report: (nullable): tells @owner how far the work is, 0 to 1, in the owner's thread
 * @show: (nullable): gives @owner the result as far as it is known (transfer none), in the owner's
 *   thread
 * @free_shown: frees an intermediate result; any thread may call it; %NULL without @show
 */
typedef struct
{
  void (*run) (gpointer  data,
               AttnTask *task,
               gpointer  place);
  void (*deliver) (gpointer owner,
                   gpointer data);
  GDestroyNotify free;
  void (*report) (gpointer    owner,
                  const char *stage,
                  double      fraction);
  void (*show) (gpointer owner,
                gpointer shown);
  GDestroyNotify free_shown;
} AttnTaskKind;

AttnTask     *attn_task_new             (const AttnTaskKind *kind,
                                         gpointer            owner,
                                         gpointer            data,
                                         AttnTask          **slot);
AttnTask     *attn_task_ref             (AttnTask           *task);
void          attn_task_unref           (AttnTask           *task);
void          attn_task_run             (AttnTask           *task,
                                         gpointer            place);
void          attn_task_start           (const AttnTaskKind *kind,
                                         gpointer            owner,
                                         gpointer            data,
                                         gboolean            takes_long,
                                         AttnTask          **slot);
void          attn_task_cancel          (AttnTask           *task);
void          attn_task_give_up         (AttnTask          **slot);
gboolean      attn_task_wait            (AttnTask           *task,
                                         gint64              end);
gpointer      attn_task_get_data        (AttnTask           *task);

/* Functions that the working thread of a task calls. */
GCancellable *attn_task_get_cancellable (AttnTask           *task);
AttnProgress  attn_task_get_progress    (AttnTask           *task);
void          attn_task_show            (AttnTask           *task,
                                         gpointer            shown);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTask, attn_task_unref)

G_END_DECLS
