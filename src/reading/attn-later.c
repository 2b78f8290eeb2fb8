/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-later.h"

static void
thread_func (GTask        *task,
             gpointer      source,
             gpointer      data,
             GCancellable *cancellable)
{
  const AttnLater *later = g_task_get_source_tag (task);

  later->work (data, cancellable);
  g_task_return_pointer (task, data, later->free);
}

static void
done_cb (GObject      *source,
         GAsyncResult *result,
         gpointer      user_data)
{
  g_autoptr (GObject) owner = user_data;
  const AttnLater *later = g_task_get_source_tag (G_TASK (result));
  gpointer data = g_task_propagate_pointer (G_TASK (result), NULL);

  /* If it was cancelled, it is no longer asked for. */
  if (data != NULL)
    later->done (owner, data);
}

/**
 * attn_later_run:
 * @later: what is done; static
 * @owner: (type GObject): for whom
 * @data: (transfer full): of the work
 * @takes_long: whether it is done in a thread, otherwise at once
 * @under_way: (inout) (nullable): of @owner: what is under way, which this takes the place of
 */
void
attn_later_run (const AttnLater  *later,
                gpointer          owner,
                gpointer          data,
                gboolean          takes_long,
                GCancellable    **under_way)
{
  attn_later_stop (under_way);
  if (!takes_long)
    {
      later->work (data, NULL);
      later->done (owner, data);
      return;
    }
  *under_way = g_cancellable_new ();

  /* Not as the task's source: the thread may be the last to let the task go, and a widget that went
   * with it would be disposed of there. */
  g_autoptr (GTask) task = g_task_new (NULL, *under_way, done_cb, g_object_ref (owner));
  g_task_set_source_tag (task, (gpointer) later);
  g_task_set_task_data (task, data, NULL);
  g_task_run_in_thread (task, thread_func);
}

/**
 * attn_later_stop:
 * @under_way: (inout) (nullable): what is no longer asked for
 */
void
attn_later_stop (GCancellable **under_way)
{
  g_cancellable_cancel (*under_way);
  g_clear_object (under_way);
}
