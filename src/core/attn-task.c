/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-task.h"

/**
 * AttnTask:
 *
 * Work that a thread does for an owner. A task that is given up is canceled and has no owner any
 * more; it then lives on until its thread notices.
 */
struct _AttnTask
{
  const AttnTaskKind *kind;
  gpointer data; /* (nullable): data of the task, used by the working thread until the work is done,
                  * then by the owner */
  GCancellable *cancellable;
  GMainContext *context; /* main context of the owner's thread, in which results are delivered */

  /* Members that only the owner's thread uses */
  gpointer owner;  /* (nullable): no reference is held */
  AttnTask **slot; /* (nullable): the owner's pointer to its task, until the task is done */

  GMutex mutex; /* guards the members below */
  GCond cond;   /* the work is done */
  gboolean is_notified;
  char *stage;
  double fraction;
  gpointer shown; /* (nullable): intermediate results not yet shown to the owner */
  gboolean is_done;
  gboolean is_left; /* no owner waits for it any more */
};

static void
task_clear (gpointer data)
{
  AttnTask *task = data;

  g_clear_pointer (&task->data, task->kind->free);
  g_clear_pointer (&task->shown, task->kind->free_shown);
  g_object_unref (task->cancellable);
  g_main_context_unref (task->context);
  g_mutex_clear (&task->mutex);
  g_cond_clear (&task->cond);
  g_free (task->stage);
}

AttnTask *
attn_task_ref (AttnTask *task)
{
  return g_atomic_rc_box_acquire (task);
}

void
attn_task_unref (AttnTask *task)
{
  g_atomic_rc_box_release_full (task, task_clear);
}

/* Ends the connection to the owner: nothing more is reported, and the owner's reference to the
 * task, in its slot, is released. */
static void
leave (AttnTask *task)
{
  AttnTask **slot = g_steal_pointer (&task->slot);

  task->owner = NULL;
  g_mutex_lock (&task->mutex);
  task->is_left = TRUE;
  g_mutex_unlock (&task->mutex);
  if (slot != NULL)
    g_clear_pointer (slot, attn_task_unref);
}

/* Gives the owner of a task its progress, intermediate results or result. Runs in the owner's
 * thread. */
static gboolean
deliver_cb (gpointer user_data)
{
  AttnTask *task = user_data;

  g_mutex_lock (&task->mutex);
  g_autofree char *stage = g_steal_pointer (&task->stage);
  double fraction = task->fraction;
  gpointer shown = g_steal_pointer (&task->shown);
  gboolean is_done = task->is_done;
  task->is_notified = FALSE;
  g_mutex_unlock (&task->mutex);

  gpointer owner = task->owner;
  if (owner != NULL && is_done)
    {
      leave (task);
      task->kind->deliver (owner, g_steal_pointer (&task->data));
    }
  else if (owner != NULL)
    {
      if (stage != NULL && task->kind->report != NULL)
        task->kind->report (owner, stage, fraction);
      /* The owner may have given up the task in its function report(), which was just called. */
      if (shown != NULL && task->owner != NULL)
        task->kind->show (owner, shown);
    }
  g_clear_pointer (&shown, task->kind->free_shown);
  return G_SOURCE_REMOVE;
}

/* Schedules deliver_cb() in the owner's thread. The task's lock must be held. An idle source is
 * attached, since g_main_context_invoke() would call deliver_cb() in this thread if the owner's
 * main loop is not running. */
static void
notify_owner (AttnTask *task)
{
  if (task->is_notified || task->is_left)
    return;
  task->is_notified = TRUE;

  g_autoptr (GSource) source = g_idle_source_new ();
  /* The source's priority is above that of drawing, so that the next frame shows the result. */
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, deliver_cb, attn_task_ref (task),
                         (GDestroyNotify) attn_task_unref);
  g_source_set_static_name (source, "attn-task");
  g_source_attach (source, task->context);
}

/**
 * attn_task_new:
 * @kind: the functions that do the work and deliver its result; static
 * @owner: the object that the result is delivered to. If it is freed earlier, it must call
 *   [func@attn_task_give_up].
 * @data: (transfer full): the input of the work, in which it puts its result
 * @slot: (inout): a member of @owner for the task that it waits for. A task in it is given up and
 *   replaced by this one; it is %NULL again when the result is delivered.
 *
 * The work does not begin by itself: a thread has to call attn_task_run(). Reports and the result
 * go to the owner in the thread-default main context of the caller of this function.
 *
 * Returns: (transfer full): a reference for the thread that is to do the work
 */
AttnTask *
attn_task_new (const AttnTaskKind  *kind,
               gpointer             owner,
               gpointer             data,
               AttnTask           **slot)
{
  AttnTask *task = g_atomic_rc_box_new0 (AttnTask);

  task->kind = kind;
  task->data = data;
  task->cancellable = g_cancellable_new ();
  task->context = g_main_context_ref_thread_default ();
  task->owner = owner;
  task->slot = slot;
  g_mutex_init (&task->mutex);
  g_cond_init (&task->cond);

  attn_task_give_up (slot);
  *slot = attn_task_ref (task);
  return task;
}

/**
 * attn_task_run:
 * @place: (nullable): memory or the like that this thread has for all its tasks
 *
 * Does the work in this thread, and schedules the delivery of the result in the owner's.
 */
void
attn_task_run (AttnTask *task,
               gpointer  place)
{
  task->kind->run (task->data, task, place);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&task->mutex);
  task->is_done = TRUE;
  notify_owner (task);
  g_cond_signal (&task->cond);
}

static void
pool_func (GTask        *runner,
           gpointer      source,
           gpointer      task,
           GCancellable *cancellable)
{
  attn_task_run (task, NULL);
  g_task_return_boolean (runner, TRUE);
}

/**
 * attn_task_start:
 * @takes_long: whether to do the work in another thread, of GLib's pool; otherwise it is done and
 *   delivered before this function returns
 *
 * Makes a task as attn_task_new() does, and has the work done.
 */
void
attn_task_start (const AttnTaskKind  *kind,
                 gpointer             owner,
                 gpointer             data,
                 gboolean             takes_long,
                 AttnTask           **slot)
{
  g_autoptr (AttnTask) task = attn_task_new (kind, owner, data, slot);

  if (!takes_long)
    {
      kind->run (data, task, NULL);
      leave (task);
      kind->deliver (owner, g_steal_pointer (&task->data));
      return;
    }
  /* GTask is used only for its thread pool. Its callback is not, since a GTask keeps its source
   * object, the owner, alive. */
  g_autoptr (GTask) runner = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (runner, attn_task_ref (task), (GDestroyNotify) attn_task_unref);
  g_task_run_in_thread (runner, pool_func);
}

/**
 * attn_task_cancel:
 *
 * Asks the work to end early. Its unfinished result is delivered all the same.
 */
void
attn_task_cancel (AttnTask *task)
{
  g_cancellable_cancel (task->cancellable);
}

/**
 * attn_task_give_up:
 * @slot: (inout): the owner's pointer to the task that it no longer waits for, which becomes %NULL;
 *   it can be %NULL already
 *
 * Cancels the task. Its result will not be delivered.
 */
void
attn_task_give_up (AttnTask **slot)
{
  if (*slot == NULL)
    return;
  attn_task_cancel (*slot);
  leave (*slot);
}

/**
 * attn_task_wait:
 * @end: a time of g_get_monotonic_time(), in microseconds
 *
 * Waits until @end at the latest for the result, which is delivered before this function returns.
 * For the owner's thread.
 *
 * Returns: whether the result was delivered
 */
gboolean
attn_task_wait (AttnTask *task,
                gint64    end)
{
  g_autoptr (AttnTask) held = attn_task_ref (task);

  g_mutex_lock (&held->mutex);
  while (!held->is_done && g_cond_wait_until (&held->cond, &held->mutex, end))
    ;
  gboolean is_done = held->is_done;
  g_mutex_unlock (&held->mutex);
  if (is_done)
    deliver_cb (held);
  return is_done;
}

/**
 * attn_task_get_data:
 *
 * Returns: (transfer none): the data that the task was made with. The result in it must not be read
 *   before it is delivered.
 */
gpointer
attn_task_get_data (AttnTask *task)
{
  return task->data;
}

GCancellable *
attn_task_get_cancellable (AttnTask *task)
{
  return task->cancellable;
}

static void
progress_cb (const char *stage,
             double      fraction,
             gpointer    user_data)
{
  AttnTask *task = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&task->mutex);

  g_free (task->stage);
  task->stage = g_strdup (stage);
  task->fraction = fraction;
  notify_owner (task);
}

/**
 * attn_task_get_progress:
 *
 * Returns: a progress by which the working thread tells the owner how far the work is
 */
AttnProgress
attn_task_get_progress (AttnTask *task)
{
  return (AttnProgress) { progress_cb, task };
}

/**
 * attn_task_show:
 * @shown: (transfer full): the result as far as it is known. It replaces an earlier one that the
 *   owner has not been shown.
 *
 * Has the owner show an intermediate result.
 */
void
attn_task_show (AttnTask *task,
                gpointer  shown)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&task->mutex);

  g_clear_pointer (&task->shown, task->kind->free_shown);
  task->shown = shown;
  notify_owner (task);
}
