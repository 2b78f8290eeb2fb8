/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jobs that a session gives to its worker. A new job replaces the last one of its kind. */

#pragma once

#include "attn-reply.h"
#include "attn-session.h"
#include "attn-task.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

/**
 * AttnSessionJobKind:
 *
 * The most urgent first: a sweep waits until there is nothing else, a map of the heads for that,
 * too.
 */
typedef enum
{
  ATTN_JOB_OPEN,    /* a model */
  ATTN_JOB_COMPUTE, /* a study */
  ATTN_JOB_EFFECTS, /* what its result lacks */
  ATTN_JOB_EXPLANATION,
  ATTN_JOB_PREDICTION,
  ATTN_JOB_ADDITION, /* generates an addition; continues during edits */
  ATTN_JOB_REPLY,    /* answers with and without the interventions of a panel */
  ATTN_JOB_SWEEP,
  ATTN_JOB_MAP,
  ATTN_N_JOBS
} AttnSessionJobKind;

typedef struct _AttnSessionJob AttnSessionJob;

/**
 * AttnSessionWork:
 * @kind: which of the session's jobs it is
 * @run: does it in the worker's thread; an error is set where there is no outcome
 * @free: frees the outcome
 * @take: gives the session the job that is done, in its own thread
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
 * @asked: a model to open
 * @study: (nullable): to compute or to sweep
 * @shown: (nullable): a result that lacks something, or is looked at
 * @index: of one of its panels
 * @query: a position of it
 * @key: another, or how many queries, or how many tokens
 * @replying: (nullable): an answer that is gone on with
 * @outcome: (nullable): what has come of it
 * @tokens: (nullable) (element-type AttnTokens): of a study that has failed
 * @model: (nullable): of a study that has failed
 *
 * What is asked, and what has come of it.
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
