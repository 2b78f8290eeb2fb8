/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jobs that a session gives to its worker thread, such as computing a study. A new job replaces the
 * last job of its kind. */

#pragma once

#include "attn-reply.h"
#include "attn-session.h"
#include "attn-task.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

/**
 * AttnSessionJobKind:
 *
 * Kinds of jobs, the most urgent first: a sweep waits until no other job is left, and a map of the
 * heads waits for the sweep, too.
 */
typedef enum
{
  ATTN_JOB_OPEN,    /* opens a model */
  ATTN_JOB_COMPUTE, /* computes a study */
  ATTN_JOB_EFFECTS, /* job that adds changes of the prediction to a result */
  ATTN_JOB_EXPLANATION,
  ATTN_JOB_PREDICTION,
  ATTN_JOB_ADDITION, /* job that generates an addition (an answer of the model); continues during
                      * edits */
  ATTN_JOB_REPLY,    /* job that generates answers with and without the interventions of a panel */
  ATTN_JOB_SWEEP,
  ATTN_JOB_MAP,
  ATTN_N_JOBS
} AttnSessionJobKind;

typedef struct _AttnSessionJob AttnSessionJob;

/**
 * AttnSessionWork:
 * @kind: kind of the jobs that do this work
 * @run: does the work in the worker's thread and returns the outcome; if it returns %NULL, it sets
 *   the error of the job
 * @free: frees the outcome
 * @take: hands the finished job to the session, in the session's thread
 */
typedef struct
{
  AttnSessionJobKind kind;
  gpointer (*run) (AttnSessionJob       *job,
                   AttnWorkspace *workspace,
                   AttnTask      *task);
  GDestroyNotify free;
  void (*take) (AttnSession *self,
                AttnSessionJob     *job);
} AttnSessionWork;

/**
 * AttnSessionJob:
 * @asked: the model to open
 * @study: (nullable): the study to compute or to sweep
 * @shown: (nullable): the result to complete, or that the user looks at
 * @index: index of a panel in @shown, or of an input in @study
 * @query: position of a query in that panel; for answers the number of tokens of the prompt
 * @key: position of a key; for predictions the number of queries; for answers the number of tokens
 * @replying: (nullable): an answer whose generation is continued
 * @outcome: (nullable): what run() has returned; its type depends on @work
 * @tokens: (nullable) (element-type AttnTokens): tokens of the inputs, if the study has failed
 * @model: (nullable): model of the study, if the study has failed
 *
 * A request to the worker, and its outcome.
 */
struct _AttnSessionJob
{
  const AttnSessionWork *work;
  AttnModelReference asked;
  const AttnStudy *study;
  AttnResult *shown;
  gsize index;
  gsize query;
  gsize key;
  AttnSweepRange range;
  AttnReplying *replying;

  gpointer outcome;
  GPtrArray *tokens;
  AttnModel *model;
  GError *error;
};

AttnSessionJob *attn_session_job_new           (const AttnSessionWork *work);
void            attn_session_ask               (AttnSession           *self,
                                                AttnSessionJob        *job);
void            attn_session_put_off           (AttnSession           *self,
                                                AttnSessionJobKind     kind);
void            attn_session_give_up           (AttnSession           *self,
                                                AttnSessionJobKind     kind);
void            attn_session_give_up_computing (AttnSession           *self);

G_END_DECLS
