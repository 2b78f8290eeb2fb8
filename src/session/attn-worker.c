/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-worker.h"

#include "attn-closeup.h"
#include "attn-effects.h"
#include "attn-signal.h"

/* Jobs that are asked of the thread, the most urgent first. */
typedef enum
{
  JOB_QUIT,
  JOB_OPEN,    /* a model */
  JOB_COMPUTE, /* a study */
  JOB_EFFECTS, /* what its result lacks */
  JOB_EXPLANATION,
  JOB_FORECAST,
  JOB_SWEEP, /* waits until there is nothing else */
  JOB_MAP,   /* of the heads: waits for that, too */
  N_JOB_KINDS
} JobKind;

/**
 * Job:
 *
 * What goes to the thread and comes back. A job that is given up is cancelled and has no worker any
 * more; it may outlive the worker by as long as the thread takes to notice.
 */
typedef struct
{
  JobKind kind;
  char *path;             /* (nullable): of a model to open; %NULL for the one that is shipped */
  const AttnStudy *study; /* (nullable): to compute or to sweep */
  AttnResult *shown;      /* (nullable): that lacks something, or is looked at */
  gsize index;            /* of one of its panels */
  gsize query;
  gsize key; /* or how many queries */
  AttnSweepRange range;
  GCancellable *cancellable;

  /* Members of the worker's own thread */
  GMainContext *context; /* where the worker's signals are emitted */
  AttnWorker *worker;    /* (nullable): unowned */

  GMutex mutex; /* guards what follows */
  GCond cond;   /* it is done */
  gboolean is_notified;
  char *stage;
  double fraction;
  AttnResult *unfinished; /* (nullable): what there is of the result */
  gboolean is_done;       /* what follows does not change any more */
  AttnResult *result;
  AttnSweep *sweep;
  AttnHeadMap *map;
  AttnExplanation *explanation;
  AttnForecast *forecast;
  AttnModel *model;  /* (nullable): that was opened; of a study that has failed, its own */
  GPtrArray *tokens; /* (nullable) (element-type AttnTokens): of a study that has failed */
  GError *error;
} Job;

struct _AttnWorker
{
  GObject parent_instance;

  GAsyncQueue *queue;     /* element-type Job */
  Job *jobs[N_JOB_KINDS]; /* (nullable): those that are still to be heard of */
};

enum
{
  SIGNAL_OPENED,
  SIGNAL_RESULT,
  SIGNAL_FAILED,
  SIGNAL_PROGRESS,
  SIGNAL_UNFINISHED,
  SIGNAL_SWEEP,
  SIGNAL_MAP,
  SIGNAL_EXPLANATION,
  SIGNAL_FORECAST,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* Threads of workers that have gone, so that the program does not leave main() under them. */
static GMutex threads_mutex;
static GCond threads_cond;
static guint n_ending;

G_DEFINE_FINAL_TYPE (AttnWorker, attn_worker, G_TYPE_OBJECT)

static void
job_clear (gpointer data)
{
  Job *job = data;

  g_free (job->path);
  attn_study_unref (job->study);
  g_clear_object (&job->cancellable);
  g_main_context_unref (job->context);
  g_mutex_clear (&job->mutex);
  g_cond_clear (&job->cond);
  g_free (job->stage);
  g_clear_pointer (&job->shown, attn_result_unref);
  g_clear_pointer (&job->unfinished, attn_result_unref);
  g_clear_pointer (&job->result, attn_result_unref);
  g_clear_pointer (&job->sweep, attn_sweep_unref);
  g_clear_pointer (&job->map, attn_head_map_unref);
  g_clear_pointer (&job->explanation, attn_explanation_unref);
  g_clear_pointer (&job->forecast, attn_forecast_unref);
  g_clear_pointer (&job->model, attn_model_unref);
  g_clear_pointer (&job->tokens, g_ptr_array_unref);
  g_clear_error (&job->error);
}

static void
job_unref (gpointer job)
{
  g_atomic_rc_box_release_full (job, job_clear);
}

static void
emit_outcome (AttnWorker *worker,
              const Job  *job)
{
  if (job->kind == JOB_OPEN)
    g_signal_emit (worker, signals[SIGNAL_OPENED], 0, job->model, job->error);
  else if (job->result != NULL)
    g_signal_emit (worker, signals[SIGNAL_RESULT], 0, job->result);
  else if (job->sweep != NULL)
    g_signal_emit (worker, signals[SIGNAL_SWEEP], 0, job->sweep);
  else if (job->map != NULL)
    g_signal_emit (worker, signals[SIGNAL_MAP], 0, job->map);
  else if (job->kind == JOB_EXPLANATION)
    g_signal_emit (worker, signals[SIGNAL_EXPLANATION], 0, job->explanation, job->error);
  else if (job->kind == JOB_FORECAST)
    g_signal_emit (worker, signals[SIGNAL_FORECAST], 0, job->forecast, job->error);
  else if (job->kind == JOB_COMPUTE || job->kind == JOB_EFFECTS)
    g_signal_emit (worker, signals[SIGNAL_FAILED], 0, job->error, job->tokens, job->model);
}

/* In the worker's own thread: how far the job is, or what has come of it. */
static gboolean
deliver_cb (gpointer user_data)
{
  Job *job = user_data;
  g_autoptr (AttnWorker) worker = job->worker != NULL ? g_object_ref (job->worker) : NULL;

  g_mutex_lock (&job->mutex);
  g_autofree char *stage = g_steal_pointer (&job->stage);
  double fraction = job->fraction;
  g_autoptr (AttnResult) unfinished = g_steal_pointer (&job->unfinished);
  gboolean is_done = job->is_done;
  job->is_notified = FALSE;
  g_mutex_unlock (&job->mutex);

  if (worker == NULL)
    return G_SOURCE_REMOVE;
  if (!is_done)
    {
      if (stage != NULL)
        g_signal_emit (worker, signals[SIGNAL_PROGRESS], 0, stage, fraction);
      if (unfinished != NULL && job->worker != NULL)
        g_signal_emit (worker, signals[SIGNAL_UNFINISHED], 0, unfinished);
      return G_SOURCE_REMOVE;
    }
  job->worker = NULL;
  g_clear_pointer (&worker->jobs[job->kind], job_unref);
  emit_outcome (worker, job);
  return G_SOURCE_REMOVE;
}

/* With the lock held. */
static void
notify_worker (Job *job)
{
  if (job->is_notified || g_cancellable_is_cancelled (job->cancellable))
    return;
  job->is_notified = TRUE;

  g_autoptr (GSource) source = g_idle_source_new ();
  /* Before the next frame is drawn, so that it shows the result. */
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, deliver_cb, g_atomic_rc_box_acquire (job), job_unref);
  g_source_set_static_name (source, "attn-worker");
  g_source_attach (source, job->context);
}

/* --- The thread ------------------------------------------------------------------------------- */

static void
progress_cb (const char *stage,
             double      fraction,
             gpointer    user_data)
{
  Job *job = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&job->mutex);

  g_free (job->stage);
  job->stage = g_strdup (stage);
  job->fraction = fraction;
  notify_worker (job);
}

static void
unfinished_cb (AttnResult *unfinished,
               gpointer    user_data)
{
  Job *job = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&job->mutex);

  g_clear_pointer (&job->unfinished, attn_result_unref);
  job->unfinished = unfinished;
  notify_worker (job);
}

/* Models that are opened stay open in the workspace for the next job. */
static void
open_model (Job           *job,
            AttnWorkspace *workspace)
{
  AttnModel *model = attn_workspace_open_model (workspace, job->path, &job->error);

  job->model = model != NULL ? attn_model_ref (model) : NULL;
}

/* Here, for it reads files: the window asks at once. */
static void
read_chat (const AttnModel *model)
{
  const AttnTokenizer *tokenizer = model != NULL ? attn_model_get_tokenizer (model, NULL) : NULL;

  if (tokenizer != NULL)
    attn_tokenizer_has_chat (tokenizer);
}

/* A model is known, and a text has its tokens, even where there is no figure. */
static void
compute (Job           *job,
         AttnWorkspace *workspace)
{
  AttnProgress progress = { progress_cb, job };

  attn_workspace_watch (workspace, unfinished_cb, job);
  job->result = attn_job_run (job->study, workspace, &progress, job->cancellable, &job->error);
  attn_workspace_watch (workspace, NULL, NULL);
  if (job->result != NULL)
    {
      read_chat (job->result->model);
      return;
    }
  job->tokens = attn_workspace_list_tokens (workspace, job->study);
  job->model = attn_workspace_ref_model (workspace, job->study->model.path);
  read_chat (job->model);
}

static void
run_job (Job           *job,
         AttnWorkspace *workspace)
{
  if (g_cancellable_is_cancelled (job->cancellable))
    return;
  if (job->kind == JOB_OPEN)
    open_model (job, workspace);
  else if (job->kind == JOB_COMPUTE)
    compute (job, workspace);
  else if (job->kind == JOB_EFFECTS)
    job->result =
        attn_effects_add (job->shown, workspace, NULL, job->cancellable, &job->error);
  else if (job->kind == JOB_EXPLANATION)
    job->explanation = attn_explanation_run (job->shown, job->index, job->query, job->key,
                                             workspace, job->cancellable, &job->error);
  else if (job->kind == JOB_FORECAST)
    job->forecast = attn_forecast_run (job->shown, job->index, job->query, job->key, workspace,
                                       job->cancellable, &job->error);
  else if (job->kind == JOB_MAP)
    job->map = attn_head_map_run (job->study, workspace, job->cancellable, NULL);
  else
    job->sweep =
        attn_sweep_run (job->study, &job->range, workspace, NULL, job->cancellable, NULL);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&job->mutex);
  job->is_done = TRUE;
  notify_worker (job);
  g_cond_signal (&job->cond);
}

static gpointer
thread_func (gpointer user_data)
{
  GAsyncQueue *queue = user_data;
  AttnWorkspace *workspace = attn_workspace_new ();
  Job *job;

  while ((job = g_async_queue_pop (queue))->kind != JOB_QUIT)
    {
      run_job (job, workspace);
      job_unref (job);
    }
  job_unref (job);
  attn_workspace_free (workspace);
  g_async_queue_unref (queue);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&threads_mutex);
  n_ending--;
  g_cond_broadcast (&threads_cond);
  return NULL;
}

/* --- The object ------------------------------------------------------------------------------- */

/* Nothing more is heard of the job of that kind. */
static void
give_up (AttnWorker *self,
         JobKind     kind)
{
  Job *job = self->jobs[kind];

  if (job == NULL)
    return;
  g_cancellable_cancel (job->cancellable);
  job->worker = NULL;
  g_clear_pointer (&self->jobs[kind], job_unref);
}

static int
compare_kinds (gconstpointer a,
               gconstpointer b,
               gpointer      user_data)
{
  return (int) ((const Job *) a)->kind - (int) ((const Job *) b)->kind;
}

static Job *
job_new (JobKind          kind,
         const AttnStudy *study)
{
  Job *job = g_atomic_rc_box_new0 (Job);

  job->kind = kind;
  job->study = study != NULL ? attn_study_ref (study) : NULL;
  return job;
}

/* Takes the place of the job of that kind that was asked for before. @job: (transfer full) */
static void
ask (AttnWorker *self,
     Job        *job)
{
  JobKind kind = job->kind;

  job->cancellable = g_cancellable_new ();
  job->context = g_main_context_ref_thread_default ();
  job->worker = self;
  g_mutex_init (&job->mutex);
  g_cond_init (&job->cond);

  give_up (self, kind);
  self->jobs[kind] = g_atomic_rc_box_acquire (job);
  g_async_queue_push_sorted (self->queue, job, compare_kinds, NULL);
}

static void
attn_worker_dispose (GObject *object)
{
  AttnWorker *self = ATTN_WORKER (object);

  if (self->queue != NULL)
    {
      g_mutex_lock (&threads_mutex);
      n_ending++;
      g_mutex_unlock (&threads_mutex);
      ask (self, job_new (JOB_QUIT, NULL));
      for (JobKind kind = 0; kind < N_JOB_KINDS; kind++)
        give_up (self, kind);
      g_clear_pointer (&self->queue, g_async_queue_unref);
    }

  G_OBJECT_CLASS (attn_worker_parent_class)->dispose (object);
}

static void
attn_worker_class_init (AttnWorkerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_worker_dispose;

  /* (AttnModel *model, GError *error): the model that was to be opened, or why it was not. */
  signals[SIGNAL_OPENED] = attn_signal_new (klass, "opened", 2, G_TYPE_POINTER, G_TYPE_POINTER);
  /* (AttnResult *result): of the request last made. */
  signals[SIGNAL_RESULT] = attn_signal_new (klass, "result", 1, G_TYPE_POINTER);
  /* (GError *error, GPtrArray *tokens, AttnModel *model): why the request last made has no result;
   * the tokens of its inputs and its model, or NULL, as far as it came. */
  signals[SIGNAL_FAILED] =
      attn_signal_new (klass, "failed", 3, G_TYPE_POINTER, G_TYPE_POINTER, G_TYPE_POINTER);
  /* (const char *stage, double fraction): how far the request last made is, 0 to 1. */
  signals[SIGNAL_PROGRESS] = attn_signal_new (klass, "progress", 2, G_TYPE_STRING, G_TYPE_DOUBLE);
  /* (AttnResult *unfinished): what there is of the request last made. */
  signals[SIGNAL_UNFINISHED] = attn_signal_new (klass, "unfinished", 1, G_TYPE_POINTER);
  /* (AttnSweep *sweep): that was asked for last. */
  signals[SIGNAL_SWEEP] = attn_signal_new (klass, "sweep", 1, G_TYPE_POINTER);
  /* (AttnExplanation *explanation, GError *error): that was asked for last, or why it is not. */
  signals[SIGNAL_EXPLANATION] =
      attn_signal_new (klass, "explanation", 2, G_TYPE_POINTER, G_TYPE_POINTER);
  /* (AttnForecast *forecast, GError *error): the same. */
  signals[SIGNAL_FORECAST] =
      attn_signal_new (klass, "forecast", 2, G_TYPE_POINTER, G_TYPE_POINTER);
  /* (AttnHeadMap *map): that was asked for last. */
  signals[SIGNAL_MAP] = attn_signal_new (klass, "map", 1, G_TYPE_POINTER);
}

static void
attn_worker_init (AttnWorker *self)
{
  self->queue = g_async_queue_new_full (job_unref);
  g_thread_unref (
      g_thread_new ("attn-worker", thread_func, g_async_queue_ref (self->queue)));
}

/**
 * attn_worker_new:
 *
 * Its signals are emitted in the thread-default main context of who asks it for something, which is
 * always the same thread.
 */
AttnWorker *
attn_worker_new (void)
{
  return g_object_new (ATTN_TYPE_WORKER, NULL);
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
  Job *job = job_new (JOB_OPEN, NULL);

  attn_worker_cancel (worker);
  job->path = g_strdup (path);
  ask (worker, job);
}

/**
 * attn_worker_drop_opening:
 *
 * Nothing more is heard of the model that was to be opened.
 */
void
attn_worker_drop_opening (AttnWorker *worker)
{
  give_up (worker, JOB_OPEN);
}

/**
 * attn_worker_request:
 * @study: what to compute
 *
 * Cancels the request before, of which nothing is heard any more.
 */
void
attn_worker_request (AttnWorker      *worker,
                     const AttnStudy *study)
{
  attn_worker_cancel (worker);
  ask (worker, job_new (JOB_COMPUTE, study));
}

/**
 * attn_worker_request_effects:
 * @result: for which [func@attn_effects_are_missing]
 *
 * Asks for the next of what it lacks, which comes as #AttnWorker::result or #AttnWorker::failed,
 * without progress. The next request of any kind cancels it.
 */
void
attn_worker_request_effects (AttnWorker *worker,
                             AttnResult *result)
{
  Job *job = job_new (JOB_EFFECTS, NULL);

  job->shown = attn_result_ref (result);
  ask (worker, job);
}

/* A job that takes long begins again behind the one that is asked for now. */
static void
put_off (AttnWorker *worker,
         JobKind     kind)
{
  const Job *old = worker->jobs[kind];
  Job *job = old != NULL ? job_new (kind, old->study) : NULL;

  if (job == NULL)
    return;
  job->range = old->range;
  ask (worker, job);
}

static void
ask_closeup (AttnWorker *worker,
             JobKind     kind,
             AttnResult *result,
             gsize       index,
             gsize       query,
             gsize       key)
{
  Job *job = job_new (kind, NULL);

  job->shown = attn_result_ref (result);
  job->index = index;
  job->query = query;
  job->key = key;
  ask (worker, job);
  put_off (worker, JOB_SWEEP);
  put_off (worker, JOB_MAP);
}

/**
 * attn_worker_request_explanation:
 *
 * Asks for [func@attn_explanation_run], which comes as #AttnWorker::explanation. The next request
 * of it, or of a study, cancels it.
 */
void
attn_worker_request_explanation (AttnWorker *worker,
                                 AttnResult *result,
                                 gsize       index,
                                 gsize       query,
                                 gsize       key)
{
  ask_closeup (worker, JOB_EXPLANATION, result, index, query, key);
}

/**
 * attn_worker_request_forecast:
 *
 * Asks for [func@attn_forecast_run] in the same way.
 */
void
attn_worker_request_forecast (AttnWorker *worker,
                              AttnResult *result,
                              gsize       index,
                              gsize       first_row,
                              gsize       n_rows)
{
  ask_closeup (worker, JOB_FORECAST, result, index, first_row, n_rows);
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
  Job *job = job_new (JOB_SWEEP, study);

  job->range = *range;
  ask (worker, job);
}

/**
 * attn_worker_request_map:
 * @study: by attn_head_map_build_study()
 *
 * Asks for a map of the heads in the same way.
 */
void
attn_worker_request_map (AttnWorker      *worker,
                         const AttnStudy *study)
{
  ask (worker, job_new (JOB_MAP, study));
}

/**
 * attn_worker_cancel:
 *
 * Nothing more is heard of the request last made, nor of a sweep or a map.
 */
void
attn_worker_cancel (AttnWorker *worker)
{
  give_up (worker, JOB_COMPUTE);
  give_up (worker, JOB_EFFECTS);
  give_up (worker, JOB_EXPLANATION);
  give_up (worker, JOB_FORECAST);
  give_up (worker, JOB_SWEEP);
  give_up (worker, JOB_MAP);
}

/**
 * attn_worker_is_busy:
 *
 * Returns: whether a model, or the result of a request, or why there is none, is still to come
 */
gboolean
attn_worker_is_busy (AttnWorker *worker)
{
  return worker->jobs[JOB_OPEN] != NULL || worker->jobs[JOB_COMPUTE] != NULL;
}

/**
 * attn_worker_wait:
 * @end: by the monotonic clock
 *
 * Waits until @end at the latest for the result of the request last made, or for its failure, which
 * is told before this function returns.
 */
void
attn_worker_wait (AttnWorker *worker,
                  gint64      end)
{
  Job *job = worker->jobs[JOB_COMPUTE];

  if (job == NULL)
    return;
  g_atomic_rc_box_acquire (job);
  g_mutex_lock (&job->mutex);
  while (!job->is_done && g_cond_wait_until (&job->cond, &job->mutex, end))
    ;
  gboolean is_done = job->is_done;
  g_mutex_unlock (&job->mutex);
  if (is_done)
    deliver_cb (job);
  job_unref (job);
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
  /* A message that another thread has handed over may be all that keeps a worker. */
  while (g_main_context_iteration (NULL, FALSE))
    ;

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&threads_mutex);
  while (n_ending > 0)
    g_cond_wait (&threads_cond, &threads_mutex);
}
