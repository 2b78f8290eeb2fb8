/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-worker.h"

#include "attn-job.h"

/**
 * Link:
 *
 * What the worker and its thread share. The thread outlives a worker that is disposed of while
 * computing by as long as the job takes to notice that it is cancelled.
 */
typedef struct
{
  gatomicrefcount ref_count;
  GMainContext *context; /* where the worker's signals are emitted */

  GMutex mutex; /* guards all below */
  GCond cond;   /* a request came, or the thread is to end */

  gboolean wants_model;           /* a model is to be opened, before all else */
  char *model_path;               /* (nullable): of that model; %NULL for the one that is shipped */
  guint64 n_openings;             /* models asked for or given up since the worker began */
  const AttnStudy *request;       /* (nullable): not yet begun */
  GCancellable *cancellable;      /* of the request last made */
  const AttnStudy *sweep_request; /* (nullable): not yet begun; waits until there is no other */
  AttnSweepRange sweep_range;
  GCancellable *sweep_cancellable; /* (nullable): of the sweep under way */
  guint64 generation;              /* of the request last made */
  gboolean is_closed;

  /* From the thread to the worker */
  AttnWorker *worker; /* unowned; cleared when it is disposed of, in the worker's own thread */
  gboolean is_notified;
  AttnResult *result;
  AttnSweep *sweep;
  GError *error;
  GPtrArray *tokens; /* (nullable) (element-type AttnTokens): what is known of the inputs then */
  AttnModel *model;  /* (nullable): of the request that has failed, if that could be opened */
  AttnModel *opened;
  GError *open_error;
  char *stage;
  double fraction;
} Link;

struct _AttnWorker
{
  GObject parent_instance;

  Link *link;
  gboolean is_opening;
  gboolean is_busy;
  GPtrArray *tokens; /* (nullable) (element-type AttnTokens): of the request that has failed */
  AttnModel *model;  /* (nullable): of the request that has failed */
};

enum
{
  SIGNAL_OPENED,
  SIGNAL_RESULT,
  SIGNAL_FAILED,
  SIGNAL_PROGRESS,
  SIGNAL_SWEEP,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* Threads of workers that have gone, so that the program does not leave main() under them. */
static GMutex threads_mutex;
static GCond threads_cond;
static guint n_ending;

G_DEFINE_FINAL_TYPE (AttnWorker, attn_worker, G_TYPE_OBJECT)

static Link *
link_ref (Link *link)
{
  g_atomic_ref_count_inc (&link->ref_count);
  return link;
}

static void
link_unref (Link *link)
{
  if (!g_atomic_ref_count_dec (&link->ref_count))
    return;
  g_free (link->model_path);
  g_clear_pointer (&link->opened, attn_model_unref);
  g_clear_error (&link->open_error);
  g_clear_pointer (&link->model, attn_model_unref);
  g_clear_pointer (&link->request, attn_study_unref);
  g_clear_object (&link->cancellable);
  g_clear_pointer (&link->sweep_request, attn_study_unref);
  g_clear_object (&link->sweep_cancellable);
  g_clear_pointer (&link->result, attn_result_unref);
  g_clear_pointer (&link->sweep, attn_sweep_unref);
  g_clear_error (&link->error);
  g_clear_pointer (&link->tokens, g_ptr_array_unref);
  g_free (link->stage);
  g_main_context_unref (link->context);
  g_mutex_clear (&link->mutex);
  g_cond_clear (&link->cond);
  g_free (link);
}

/* Not taken before what else came is handled, for that may give it up. */
static void
deliver_opened (Link       *link,
                AttnWorker *worker)
{
  g_mutex_lock (&link->mutex);
  g_autoptr (AttnModel) model = g_steal_pointer (&link->opened);
  g_autoptr (GError) error = g_steal_pointer (&link->open_error);
  g_mutex_unlock (&link->mutex);

  if (model == NULL && error == NULL)
    return;
  worker->is_opening = FALSE;
  g_signal_emit (worker, signals[SIGNAL_OPENED], 0, model, error);
}

/* In the worker's own thread: everything that came since the last time, in one go. */
static gboolean
deliver_cb (gpointer user_data)
{
  Link *link = user_data;

  g_mutex_lock (&link->mutex);
  g_autoptr (AttnWorker) worker = link->worker != NULL ? g_object_ref (link->worker) : NULL;
  g_autoptr (AttnResult) result = g_steal_pointer (&link->result);
  g_autoptr (AttnSweep) sweep = g_steal_pointer (&link->sweep);
  g_autoptr (GError) error = g_steal_pointer (&link->error);
  g_autoptr (GPtrArray) tokens = g_steal_pointer (&link->tokens);
  g_autoptr (AttnModel) model = g_steal_pointer (&link->model);
  g_autofree char *stage = g_steal_pointer (&link->stage);
  double fraction = link->fraction;
  link->is_notified = FALSE;
  g_mutex_unlock (&link->mutex);

  if (worker == NULL)
    return G_SOURCE_REMOVE;
  if (result != NULL || error != NULL)
    worker->is_busy = FALSE;
  if (result != NULL)
    g_signal_emit (worker, signals[SIGNAL_RESULT], 0, result);
  else if (error != NULL)
    {
      worker->tokens = g_steal_pointer (&tokens);
      worker->model = g_steal_pointer (&model);
      g_signal_emit (worker, signals[SIGNAL_FAILED], 0, error);
    }
  else if (stage != NULL && worker->is_busy)
    g_signal_emit (worker, signals[SIGNAL_PROGRESS], 0, stage, fraction);
  if (sweep != NULL)
    g_signal_emit (worker, signals[SIGNAL_SWEEP], 0, sweep);
  deliver_opened (link, worker);
  return G_SOURCE_REMOVE;
}

/* With the lock held. */
static void
notify_worker (Link *link)
{
  if (link->is_notified || link->worker == NULL)
    return;
  link->is_notified = TRUE;

  g_autoptr (GSource) source = g_idle_source_new ();
  /* Before the next frame is drawn, so that it shows the result. */
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, deliver_cb, link_ref (link), (GDestroyNotify) link_unref);
  g_source_set_static_name (source, "attn-worker");
  g_source_attach (source, link->context);
}

/* With the lock held: forgets the sweep. */
static void
drop_sweep (Link *link)
{
  g_cancellable_cancel (link->sweep_cancellable);
  g_clear_object (&link->sweep_cancellable);
  g_clear_pointer (&link->sweep_request, attn_study_unref);
  g_clear_pointer (&link->sweep, attn_sweep_unref);
}

/* With the lock held: forgets what is under way and what is not yet delivered. */
static void
drop_outcome (Link *link)
{
  drop_sweep (link);
  g_cancellable_cancel (link->cancellable);
  g_clear_pointer (&link->request, attn_study_unref);
  g_clear_pointer (&link->result, attn_result_unref);
  g_clear_error (&link->error);
  g_clear_pointer (&link->tokens, g_ptr_array_unref);
  g_clear_pointer (&link->model, attn_model_unref);
  g_clear_pointer (&link->stage, g_free);
}

/* With the lock held: forgets the model that is to be opened or was opened and not yet delivered. */
static void
drop_opening (Link *link)
{
  link->n_openings++;
  link->wants_model = FALSE;
  g_clear_pointer (&link->model_path, g_free);
  g_clear_pointer (&link->opened, attn_model_unref);
  g_clear_error (&link->open_error);
}

typedef struct
{
  Link *link;
  guint64 generation;
} Run;

static void
progress_cb (const char *stage,
             double      fraction,
             gpointer    user_data)
{
  Run *run = user_data;
  Link *link = run->link;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&link->mutex);

  if (run->generation != link->generation)
    return;
  if (g_strcmp0 (stage, link->stage) != 0)
    {
      g_free (link->stage);
      link->stage = g_strdup (stage);
    }
  link->fraction = fraction;
  notify_worker (link);
}

static void
run_job (Link            *link,
         AttnWorkspace   *workspace,
         const AttnStudy *study,
         GCancellable    *cancellable,
         guint64          generation)
{
  Run run = { link, generation };
  AttnProgress progress = { progress_cb, &run };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnResult) result =
      attn_job_run (study, workspace, &progress, cancellable, &error);
  g_autoptr (GPtrArray) tokens =
      result == NULL ? attn_workspace_list_tokens (workspace, study) : NULL;
  g_autoptr (AttnModel) model =
      result == NULL ? attn_workspace_ref_model (workspace, study->model_path) : NULL;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&link->mutex);

  if (generation != link->generation || g_cancellable_is_cancelled (cancellable))
    return;
  link->result = g_steal_pointer (&result);
  link->error = g_steal_pointer (&error);
  link->tokens = g_steal_pointer (&tokens);
  link->model = g_steal_pointer (&model);
  notify_worker (link);
}

/* Nobody waits for a sweep: one that fails is not heard of. */
static void
run_sweep (Link            *link,
           AttnWorkspace   *workspace,
           const AttnStudy *study,
           AttnSweepRange  *range,
           GCancellable    *cancellable)
{
  g_autoptr (AttnSweep) sweep = attn_sweep_run (study, range, workspace, NULL, cancellable, NULL);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&link->mutex);

  if (sweep == NULL || link->sweep_cancellable != cancellable)
    return;
  g_clear_pointer (&link->sweep, attn_sweep_unref);
  link->sweep = g_steal_pointer (&sweep);
  notify_worker (link);
}

/* With the lock held, which it gives up meanwhile. */
static void
begin_sweep (Link          *link,
             AttnWorkspace *workspace)
{
  const AttnStudy *study = g_steal_pointer (&link->sweep_request);
  g_autoptr (GCancellable) cancellable = g_object_ref (link->sweep_cancellable);
  AttnSweepRange range = link->sweep_range;

  g_mutex_unlock (&link->mutex);
  run_sweep (link, workspace, study, &range, cancellable);
  attn_study_unref (study);
  g_mutex_lock (&link->mutex);
}

/* The same for a model. What is opened stays open in the workspace for the next job. */
static void
begin_opening (Link          *link,
               AttnWorkspace *workspace)
{
  g_autofree char *path = g_steal_pointer (&link->model_path);
  guint64 number = link->n_openings;
  g_autoptr (GError) error = NULL;

  link->wants_model = FALSE;
  g_mutex_unlock (&link->mutex);
  AttnModel *model = attn_workspace_open_model (workspace, path, &error);
  g_mutex_lock (&link->mutex);
  if (number != link->n_openings)
    return;
  link->opened = model != NULL ? attn_model_ref (model) : NULL;
  link->open_error = g_steal_pointer (&error);
  notify_worker (link);
}

static gpointer
thread_func (gpointer user_data)
{
  Link *link = user_data;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  g_mutex_lock (&link->mutex);
  while (!link->is_closed)
    {
      if (link->wants_model)
        {
          begin_opening (link, workspace);
          continue;
        }
      if (link->request == NULL && link->sweep_request != NULL)
        {
          begin_sweep (link, workspace);
          continue;
        }
      if (link->request == NULL)
        {
          g_cond_wait (&link->cond, &link->mutex);
          continue;
        }

      const AttnStudy *study = g_steal_pointer (&link->request);
      g_autoptr (GCancellable) cancellable = g_object_ref (link->cancellable);
      guint64 generation = link->generation;

      g_mutex_unlock (&link->mutex);
      run_job (link, workspace, study, cancellable, generation);
      attn_study_unref (study);
      g_mutex_lock (&link->mutex);
    }
  g_mutex_unlock (&link->mutex);

  g_clear_pointer (&workspace, attn_workspace_free);
  link_unref (link);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&threads_mutex);
  n_ending--;
  g_cond_broadcast (&threads_cond);
  return NULL;
}

static void
attn_worker_dispose (GObject *object)
{
  AttnWorker *self = ATTN_WORKER (object);

  if (self->link != NULL)
    {
      g_mutex_lock (&threads_mutex);
      n_ending++;
      g_mutex_unlock (&threads_mutex);
      g_mutex_lock (&self->link->mutex);
      drop_outcome (self->link);
      drop_opening (self->link);
      self->link->generation++;
      self->link->is_closed = TRUE;
      self->link->worker = NULL;
      g_cond_signal (&self->link->cond);
      g_mutex_unlock (&self->link->mutex);
      g_clear_pointer (&self->link, link_unref);
    }
  g_clear_pointer (&self->tokens, g_ptr_array_unref);
  g_clear_pointer (&self->model, attn_model_unref);

  G_OBJECT_CLASS (attn_worker_parent_class)->dispose (object);
}

static void
attn_worker_class_init (AttnWorkerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = attn_worker_dispose;

  /* (AttnModel *model, GError *error): the model that was to be opened, or why it could not be. */
  signals[SIGNAL_OPENED] =
      g_signal_new ("opened", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_ERROR);
  /* (AttnResult *result): of the request last made. */
  signals[SIGNAL_RESULT] =
      g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_POINTER);
  /* (GError *error): why the request last made has no result. */
  signals[SIGNAL_FAILED] =
      g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_ERROR);
  /* (const char *stage, double fraction): how far the request last made is, 0 to 1. */
  signals[SIGNAL_PROGRESS] =
      g_signal_new ("progress", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_DOUBLE);
  /* (AttnSweep *sweep): that was asked for last. */
  signals[SIGNAL_SWEEP] =
      g_signal_new ("sweep", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void
attn_worker_init (AttnWorker *self)
{
  Link *link = g_new0 (Link, 1);

  g_atomic_ref_count_init (&link->ref_count);
  link->context = g_main_context_ref_thread_default ();
  g_mutex_init (&link->mutex);
  g_cond_init (&link->cond);
  link->worker = self;
  self->link = link;

  g_thread_unref (g_thread_new ("attn-worker", thread_func, link_ref (link)));
}

/**
 * attn_worker_new:
 *
 * Its signals are emitted in the thread-default main context of the caller.
 */
AttnWorker *
attn_worker_new (void)
{
  return g_object_new (ATTN_TYPE_WORKER, NULL);
}

/* Nothing more is heard of the request last made. */
static void
give_up_request (AttnWorker *worker)
{
  drop_outcome (worker->link);
  worker->link->generation++;
  worker->is_busy = FALSE;
  g_clear_pointer (&worker->tokens, g_ptr_array_unref);
  g_clear_pointer (&worker->model, attn_model_unref);
}

/**
 * attn_worker_open:
 * @path: (nullable): of a model; %NULL for the one that is shipped
 *
 * Opens a model in place of the request under way, which is cancelled; one that is made meanwhile
 * waits. #AttnWorker::opened tells the outcome.
 */
void
attn_worker_open (AttnWorker *worker,
                  const char *path)
{
  Link *link = worker->link;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&link->mutex);

  give_up_request (worker);
  drop_opening (link);
  link->wants_model = TRUE;
  link->model_path = g_strdup (path);
  worker->is_opening = TRUE;
  g_cond_signal (&link->cond);
}

/**
 * attn_worker_drop_opening:
 *
 * Nothing more is heard of the model that was to be opened.
 */
void
attn_worker_drop_opening (AttnWorker *worker)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&worker->link->mutex);

  drop_opening (worker->link);
  worker->is_opening = FALSE;
}

/**
 * attn_worker_request:
 * @study: what to compute
 *
 * Cancels the request before, of which nothing is heard any more.
 *
 * Returns: the number of the request, counted up from 1
 */
guint64
attn_worker_request (AttnWorker      *worker,
                     const AttnStudy *study)
{
  Link *link = worker->link;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&link->mutex);

  give_up_request (worker);
  g_clear_object (&link->cancellable);
  link->cancellable = g_cancellable_new ();
  link->request = attn_study_ref (study);
  worker->is_busy = TRUE;
  g_cond_signal (&link->cond);
  return link->generation;
}

/**
 * attn_worker_request_sweep:
 * @study: what to sweep
 *
 * Asks for a sweep when there is nothing else to do. The next request of any kind cancels it; one
 * that fails is not heard of.
 */
void
attn_worker_request_sweep (AttnWorker           *worker,
                           const AttnStudy      *study,
                           const AttnSweepRange *range)
{
  Link *link = worker->link;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&link->mutex);

  drop_sweep (link);
  link->sweep_request = attn_study_ref (study);
  link->sweep_range = *range;
  link->sweep_cancellable = g_cancellable_new ();
  g_cond_signal (&link->cond);
}

/**
 * attn_worker_cancel:
 *
 * Nothing more is heard of the request last made.
 */
void
attn_worker_cancel (AttnWorker *worker)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&worker->link->mutex);

  give_up_request (worker);
}

/**
 * attn_worker_is_busy:
 *
 * Returns: whether a model, or the result of a request, or why there is none, is still to come
 */
gboolean
attn_worker_is_busy (AttnWorker *worker)
{
  return worker->is_opening || worker->is_busy;
}

/**
 * attn_worker_get_tokens:
 *
 * Returns: (transfer none) (nullable) (element-type AttnTokens): those of the inputs of the request
 *   last made, where it has failed and came as far
 */
GPtrArray *
attn_worker_get_tokens (AttnWorker *worker)
{
  return worker->tokens;
}

/**
 * attn_worker_get_model:
 *
 * Returns: (transfer none) (nullable): that of the request last made, where it has failed though
 *   its model could be opened
 */
AttnModel *
attn_worker_get_model (AttnWorker *worker)
{
  return worker->model;
}

/**
 * attn_worker_wait_for_threads:
 *
 * Waits until the thread of every worker that was disposed of has ended. To be called once before
 * the program ends.
 */
void
attn_worker_wait_for_threads (void)
{
  /* What another thread has handed over may be all that keeps a worker. */
  while (g_main_context_iteration (NULL, FALSE))
    ;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&threads_mutex);
  while (n_ending > 0)
    g_cond_wait (&threads_cond, &threads_mutex);
}
