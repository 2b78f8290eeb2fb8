/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-session-private.h"

#include "attn-effects.h"
#include "attn-follow.h"
#include "attn-signal.h"

/* Edits of the same setting within this time are one undo step. */
#define STEP_PAUSE (2 * G_TIME_SPAN_SECOND)

/* Time after a request that a frame waits for the result. Later results would miss the frame: it
 * lasts 16.7 ms, of which drawing takes 5 ms. */
#define FRAME_PATIENCE (11 * G_TIME_SPAN_MILLISECOND)

static guint signals[ATTN_SESSION_N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnSession, attn_session, G_TYPE_OBJECT)

/* @signal: one without arguments */
void
attn_session_emit (AttnSession       *self,
                   AttnSessionSignal  signal)
{
  g_signal_emit (self, signals[signal], 0);
}

void
attn_session_emit_failed (AttnSession  *self,
                          const GError *error)
{
  g_signal_emit (self, signals[ATTN_SESSION_FAILED], 0, error);
}

void
attn_session_emit_progress (AttnSession *self,
                            const char  *stage,
                            double       fraction)
{
  g_signal_emit (self, signals[ATTN_SESSION_PROGRESS], 0, stage, fraction);
}

static gboolean
has_the_tokens_of (const AttnStudy *a,
                   const AttnStudy *b)
{
  return attn_study_get_framing (a) == attn_study_get_framing (b) &&
         attn_model_reference_equal (&a->model, &b->model) &&
         g_strcmp0 (a->attention, b->attention) == 0;
}

/**
 * attn_session_get_shown:
 *
 * Returns: (transfer none): the study that is computed: that of the document, with what the model
 *   says behind an input; valid until either changes
 */
const AttnStudy *
attn_session_get_shown (AttnSession *session)
{
  return session->spoken != NULL ? session->spoken : session->document->study;
}

/* Includes the answer generated so far in the study that is computed. */
void
attn_session_show_addition (AttnSession *self)
{
  g_clear_pointer (&self->spoken, attn_study_unref);
  if (self->addition != NULL && self->addition->answer != NULL)
    self->spoken = attn_addition_add (self->addition, self->document->study);
}

void
attn_session_forget_addition (AttnSession *self)
{
  attn_task_give_up (&self->jobs[ATTN_JOB_ADDITION]);
  g_clear_pointer (&self->addition, attn_addition_free);
  g_clear_pointer (&self->spoken, attn_study_unref);
}

/* Continues the addition in an edited study if its input is unchanged, or else ends it. Returns:
 * whether it was ended */
static gboolean
fit_addition (AttnSession     *self,
              const AttnStudy *before)
{
  const AttnStudy *study = self->document->study;
  const AttnAddition *addition = self->addition;

  if (addition == NULL)
    return FALSE;
  if (addition->input < study->inputs->len && has_the_tokens_of (study, before) &&
      attn_input_equal (study->inputs->pdata[addition->input], addition->before))
    {
      attn_session_show_addition (self);
      return FALSE;
    }
  attn_session_forget_addition (self);
  return TRUE;
}

/* Takes @study. */
void
attn_session_set_study (AttnSession     *self,
                        const AttnStudy *study)
{
  const AttnStudy *old = self->document->study;

  self->document->study = study;
  gboolean has_ended = fit_addition (self, old);
  attn_session_emit (self, ATTN_SESSION_STUDY_CHANGED);
  if (has_ended)
    attn_session_emit (self, ATTN_SESSION_ADDITION_CHANGED);
  attn_study_unref (old);
}

/* Takes ownership of @document. */
void
attn_session_set_document (AttnSession  *self,
                           AttnDocument *document)
{
  g_autoptr (AttnDocument) old = self->document;

  gboolean had_addition = self->addition != NULL;

  self->document = document;
  self->n_documents++;
  self->step = NULL;
  attn_session_forget_addition (self);
  attn_session_emit (self, ATTN_SESSION_STUDY_CHANGED);
  if (had_addition)
    attn_session_emit (self, ATTN_SESSION_ADDITION_CHANGED);
  attn_session_emit (self, ATTN_SESSION_DOCUMENT_CHANGED);
}

void
attn_session_drop_failed (AttnSession *self)
{
  g_clear_pointer (&self->failed, attn_study_unref);
  g_clear_pointer (&self->failed_tokens, g_ptr_array_unref);
  g_clear_pointer (&self->failed_model, attn_model_unref);
}

/* Forgets the errors of closeups, which may succeed for another result, and that predictions were
 * requested in advance. */
void
attn_session_forget_closeups (AttnSession *self)
{
  self->looks_ahead = FALSE;
  for (gsize i = 0; i < ATTN_N_CLOSEUPS; i++)
    g_clear_pointer (&self->closeup_errors[i], g_free);
}

void
attn_session_forget_awaited (AttnSession *self)
{
  self->is_awaiting = FALSE;
  attn_model_reference_clear (&self->awaited);
}

/* Keeps the incomplete result and emits a signal to show it. */
void
attn_session_show_unfinished (AttnSession *self,
                              AttnResult  *unfinished)
{
  g_clear_pointer (&self->unfinished, attn_result_unref);
  self->unfinished = attn_result_ref (unfinished);
  attn_session_emit (self, ATTN_SESSION_UNFINISHED);
}

static void
attn_session_dispose (GObject *object)
{
  AttnSession *self = ATTN_SESSION (object);

  for (AttnSessionJobKind kind = 0; kind < ATTN_N_JOBS; kind++)
    attn_task_give_up (&self->jobs[kind]);
  g_clear_pointer (&self->worker, attn_worker_free);
  g_clear_handle_id (&self->growing, g_source_remove);
  attn_session_forget_addition (self);
  attn_session_forget_awaited (self);
  g_clear_pointer (&self->document, attn_document_free);
  g_clear_pointer (&self->fallback, attn_document_free);
  g_clear_pointer (&self->missing, attn_document_free);
  g_clear_pointer (&self->missing_models, g_array_unref);
  g_clear_pointer (&self->left, g_hash_table_unref);
  g_clear_pointer (&self->sweep, attn_sweep_unref);
  g_clear_pointer (&self->head_map, attn_head_map_unref);
  g_clear_pointer (&self->prediction, attn_prediction_unref);
  g_clear_pointer (&self->explanation, attn_explanation_unref);
  g_clear_pointer (&self->reply, attn_reply_unref);
  g_clear_pointer (&self->kept, attn_input_free);
  attn_session_forget_closeups (self);
  g_clear_pointer (&self->result, attn_result_unref);
  g_clear_pointer (&self->unfinished, attn_result_unref);
  attn_session_drop_failed (self);

  G_OBJECT_CLASS (attn_session_parent_class)->dispose (object);
}

static void
attn_session_class_init (AttnSessionClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_session_dispose;

  signals[ATTN_SESSION_STUDY_CHANGED] = attn_signal_new (klass, "study-changed", 0);
  signals[ATTN_SESSION_RESULT_CHANGED] = attn_signal_new (klass, "result-changed", 0);
  /* The incomplete result has changed, see attn_session_get_unfinished(). */
  signals[ATTN_SESSION_UNFINISHED] = attn_signal_new (klass, "unfinished", 0);
  signals[ATTN_SESSION_BUSY_CHANGED] = attn_signal_new (klass, "busy-changed", 0);
  /* The addition has more tokens or has ended, see attn_session_get_addition(). */
  signals[ATTN_SESSION_ADDITION_CHANGED] = attn_signal_new (klass, "addition-changed", 0);
  /* The path of the document, its saved state, or the question about its model has changed. */
  signals[ATTN_SESSION_DOCUMENT_CHANGED] = attn_signal_new (klass, "document-changed", 0);
  /* The result is the first one of an opened document. */
  signals[ATTN_SESSION_OPENED] = attn_signal_new (klass, "opened", 0);
  signals[ATTN_SESSION_SWEEP_CHANGED] = attn_signal_new (klass, "sweep-changed", 0);
  signals[ATTN_SESSION_HEAD_MAP_CHANGED] = attn_signal_new (klass, "head-map-changed", 0);
  /* The closeup that attn_session_look() requested is available or has failed. */
  signals[ATTN_SESSION_CLOSEUP_CHANGED] = attn_signal_new (klass, "closeup-changed", 0);
  /* (GError *error): an operation failed; the message is one sentence. */
  signals[ATTN_SESSION_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);
  /* (const char *stage, double fraction). */
  signals[ATTN_SESSION_PROGRESS] =
      attn_signal_new (klass, "progress", 2, G_TYPE_STRING, G_TYPE_DOUBLE);
}

static void
attn_session_init (AttnSession *self)
{
  self->document = attn_document_new (attn_study_new (), NULL, NULL);
  self->left = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->worker = attn_worker_new ();
}

AttnSession *
attn_session_new (void)
{
  return g_object_new (ATTN_TYPE_SESSION, NULL);
}

/**
 * attn_session_get_study:
 *
 * Returns: (transfer none): the study as it is now; valid until the next edit. Copy it to change
 *   it.
 */
const AttnStudy *
attn_session_get_study (AttnSession *session)
{
  return session->document->study;
}

/**
 * attn_session_get_result:
 *
 * Returns: (transfer none) (nullable): the last result, which may be of an earlier study while a
 *   job is under way or after one has failed
 */
AttnResult *
attn_session_get_result (AttnSession *session)
{
  return session->result;
}

/**
 * attn_session_get_unfinished:
 *
 * Returns: (transfer none) (nullable): what there is of the result of the present study, while it
 *   is under way: a map in which what is not known yet is masked
 */
AttnResult *
attn_session_get_unfinished (AttnSession *session)
{
  return session->unfinished;
}

/**
 * attn_session_get_model:
 *
 * Returns: (transfer none) (nullable): the model of the present study, as far as it is known from
 *   the last result or from the last study that could not be computed
 */
AttnModel *
attn_session_get_model (AttnSession *session)
{
  const AttnModelReference *model = &session->document->study->model;

  if (session->result != NULL &&
      attn_model_reference_equal (&session->result->study->model, model))
    return session->result->model;
  if (session->failed != NULL && attn_model_reference_equal (&session->failed->model, model))
    return session->failed_model;
  return NULL;
}

/**
 * attn_session_get_asked_model:
 *
 * Returns: (transfer none): the model that is being opened, else that of the study
 */
const AttnModelReference *
attn_session_get_asked_model (AttnSession *session)
{
  return session->is_awaiting ? &session->awaited : &session->document->study->model;
}

/* Returns the index of @input in the inputs of @study, or their number if it is not one of them. */
static guint
find_input (const AttnStudy *study,
            guint            n,
            const AttnInput *input)
{
  for (guint i = 0; i < MIN (n, study->inputs->len); i++)
    if (attn_input_equal (g_ptr_array_index (study->inputs, i), input))
      return i;
  return n;
}

/**
 * attn_session_get_tokens:
 * @index: of an input of the study
 *
 * Returns: (transfer none) (nullable): its tokens, as far as they are known from the last result or
 *   from the last study that could not be computed, wherever it stood among the inputs of that
 */
AttnTokens *
attn_session_get_tokens (AttnSession *session,
                         guint        index)
{
  const AttnResult *result = session->result;
  const AttnStudy *study = attn_session_get_shown (session);
  guint place;

  if (index >= study->inputs->len)
    return NULL;

  const AttnInput *input = g_ptr_array_index (study->inputs, index);
  if (result != NULL && has_the_tokens_of (result->study, study))
    {
      place = find_input (result->study, result->n_inputs, input);
      if (place < result->n_inputs && result->inputs[place] != NULL)
        return result->inputs[place];
    }
  if (session->failed == NULL || !has_the_tokens_of (session->failed, study))
    return NULL;
  place = find_input (session->failed, session->failed_tokens->len, input);
  return place < session->failed_tokens->len ? g_ptr_array_index (session->failed_tokens, place)
                                             : NULL;
}

/**
 * attn_session_get_source:
 * @index: of an input of the study
 *
 * Returns: (transfer none) (nullable): the tokens that the encoder of a decoder reads, where those
 *   of attn_session_get_tokens() are the decoder's own, as far as they are known from the last
 *   result
 */
AttnTokens *
attn_session_get_source (AttnSession *session,
                         guint        index)
{
  const AttnResult *result = session->result;
  const AttnStudy *study = attn_session_get_shown (session);

  if (index >= study->inputs->len || result == NULL || result->sources == NULL ||
      !has_the_tokens_of (result->study, study))
    return NULL;
  guint place = find_input (result->study, result->n_inputs, study->inputs->pdata[index]);
  return place < result->n_inputs ? result->sources[place] : NULL;
}

/**
 * attn_session_is_current:
 *
 * Returns: whether the result is that of the present study, with what the model says
 */
gboolean
attn_session_is_current (AttnSession *session)
{
  return session->result != NULL &&
         attn_study_equal (session->result->study, attn_session_get_shown (session));
}

/**
 * attn_session_is_complete:
 *
 * Returns: whether the result is that of the present study, with all that it shows of the
 *   prediction
 */
gboolean
attn_session_is_complete (AttnSession *session)
{
  return attn_session_is_current (session) && !attn_effects_are_missing (session->result);
}

gboolean
attn_session_is_busy (AttnSession *session)
{
  return session->jobs[ATTN_JOB_OPEN] != NULL || session->jobs[ATTN_JOB_COMPUTE] != NULL;
}

/**
 * attn_session_begin_frame:
 *
 * To be called before a frame is drawn: a result that is expected any moment is waited for, rather
 * than shown a frame later.
 */
void
attn_session_begin_frame (AttnSession *session)
{
  if (session->jobs[ATTN_JOB_COMPUTE] != NULL)
    attn_task_wait (session->jobs[ATTN_JOB_COMPUTE], session->request_time + FRAME_PATIENCE);
}

/**
 * attn_session_is_step:
 * @what: such as "play"
 *
 * Returns: whether the last edit was one of a quick run of that, see attn_session_edit()
 */
gboolean
attn_session_is_step (AttnSession *session,
                      const char  *what)
{
  return g_strcmp0 (session->step, what) == 0;
}

/**
 * attn_session_is_opening:
 *
 * Returns: whether something was opened that is not yet computed; should it fail, what was there
 *   before comes back
 */
gboolean
attn_session_is_opening (AttnSession *session)
{
  return session->is_awaiting || session->fallback != NULL;
}

/* Adds an undo step, unless the edit continues the last one. Returns: whether it does. */
gboolean
attn_session_remember (AttnSession *self,
                       const char  *step)
{
  gint64 now = g_get_monotonic_time ();
  gboolean continues = step != NULL && step == self->step && now - self->step_time < STEP_PAUSE;

  self->step = step;
  self->step_time = now;
  g_ptr_array_set_size (self->document->redo, 0);
  if (!continues)
    g_ptr_array_add (self->document->undo, (gpointer) attn_study_ref (self->document->study));
  return continues;
}
