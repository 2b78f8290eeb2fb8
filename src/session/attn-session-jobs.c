/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-session-private.h"

static void
job_free (gpointer data)
{
  AttnSessionJob *job = data;

  g_clear_pointer (&job->outcome, job->work->free);
  g_clear_pointer (&job->tokens, g_ptr_array_unref);
  g_clear_pointer (&job->model, attn_model_unref);
  g_clear_pointer (&job->study, attn_study_unref);
  g_clear_pointer (&job->shown, attn_result_unref);
  g_clear_pointer (&job->replying, attn_replying_free);
  g_clear_error (&job->error);
  attn_model_reference_clear (&job->asked);
  g_free (job);
}

static void
run (gpointer  data,
     AttnTask *task,
     gpointer  workspace)
{
  AttnSessionJob *job = data;

  job->outcome = job->work->run (job, workspace, task);
}

static void
deliver (gpointer owner,
         gpointer data)
{
  g_autoptr (AttnSession) self = g_object_ref (owner);
  AttnSessionJob *job = data;

  job->work->take (self, job);
  job_free (job);
}

static void
report (gpointer    owner,
        const char *stage,
        double      fraction)
{
  g_autoptr (AttnSession) self = g_object_ref (owner);

  attn_session_emit_progress (self, stage, fraction);
}

static void
show (gpointer owner,
      gpointer unfinished)
{
  g_autoptr (AttnSession) self = g_object_ref (owner);

  attn_session_show_unfinished (self, unfinished);
}

static const AttnTaskKind task_kind = {
  .run = run,
  .deliver = deliver,
  .free = job_free,
  .report = report,
  .show = show,
  .free_shown = (GDestroyNotify) attn_result_unref,
};

/**
 * attn_session_job_new:
 * @work: what to do; it must be static
 *
 * Returns: (transfer full): a job whose members the caller sets before attn_session_ask()
 */
AttnSessionJob *
attn_session_job_new (const AttnSessionWork *work)
{
  AttnSessionJob *job = g_new0 (AttnSessionJob, 1);

  job->work = work;
  return job;
}

/**
 * attn_session_ask:
 * @job: (transfer full)
 *
 * Gives the job to the worker. An earlier job of the same kind is canceled, and its outcome
 * ignored.
 */
void
attn_session_ask (AttnSession    *self,
                  AttnSessionJob *job)
{
  AttnSessionJobKind kind = job->work->kind;

  attn_worker_push (self->worker, attn_task_new (&task_kind, self, job, &self->jobs[kind]),
                    1 + kind);
}

/**
 * attn_session_put_off:
 * @kind: kind of a job that takes long and has a study: sweep or map of heads
 *
 * Cancels a running job of that kind and starts it again behind the jobs that wait now, so that
 * these are done first.
 */
void
attn_session_put_off (AttnSession        *self,
                      AttnSessionJobKind  kind)
{
  if (self->jobs[kind] == NULL)
    return;

  const AttnSessionJob *old = attn_task_get_data (self->jobs[kind]);
  AttnSessionJob *job = attn_session_job_new (old->work);
  job->study = attn_study_ref (old->study);
  job->range = old->range;
  attn_session_ask (self, job);
}

/* Cancels the running job of this kind, if any, and ignores its outcome. */
void
attn_session_give_up (AttnSession        *self,
                      AttnSessionJobKind  kind)
{
  attn_task_give_up (&self->jobs[kind]);
}

/* Cancels all jobs for the study and its result, but not the jobs that open a model or generate an
 * addition. */
void
attn_session_give_up_computing (AttnSession *self)
{
  for (AttnSessionJobKind kind = ATTN_JOB_COMPUTE; kind < ATTN_N_JOBS; kind++)
    if (kind != ATTN_JOB_ADDITION)
      attn_session_give_up (self, kind);
}
