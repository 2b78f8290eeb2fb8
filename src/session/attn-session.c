/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-session-private.h"

#include "attn-effects.h"
#include "attn-follow.h"
#include "attn-signal.h"

/* The longest pause between two edits of the same setting that form one undo step. */
#define STEP_PAUSE (2 * G_TIME_SPAN_SECOND)

/* Longest time from the request of a result that drawing a frame waits for the result. Later
 * results would miss the frame: it lasts 16.7 ms, of which drawing takes 5 ms. */
#define FRAME_PATIENCE (11 * G_TIME_SPAN_MILLISECOND)

static guint signals[ATTN_SESSION_N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnSession, attn_session, G_TYPE_OBJECT)

/* Emits a signal of the session that has no arguments. */
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
 * Returns: (transfer none): the study that is computed and shown: that of the document, with the
 *   answer that the model is generating after an input; valid until one of both changes
 */
const AttnStudy *
attn_session_get_shown (AttnSession *session)
{
  return session->spoken != NULL ? session->spoken : session->document->study;
}

/* Includes the answer that was generated so far (the addition) in the study that is computed and
 * shown. */
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

static void
forget_past (AttnSession *self)
{
  g_clear_pointer (&self->past, attn_addition_free);
  g_clear_pointer (&self->past_study, attn_study_unref);
  self->is_past_undone = FALSE;
}

/* Ends the addition, but keeps its tokens so that undo or redo can bring them back. @study: the
 * study that has it. @is_undone: whether undo has taken it away, so that redo brings it back */
void
attn_session_put_addition_away (AttnSession     *self,
                                const AttnStudy *study,
                                gboolean         is_undone)
{
  g_autoptr (AttnAddition) addition = g_steal_pointer (&self->addition);

  attn_session_forget_addition (self);
  forget_past (self);
  if (addition->answer == NULL)
    return;
  if (addition->is_running)
    addition->end = ATTN_ANSWER_END_STOPPED;
  addition->is_running = FALSE;
  g_clear_pointer (&addition->replying, attn_replying_free);
  self->past = g_steal_pointer (&addition);
  self->past_study = attn_study_ref (study);
  self->is_past_undone = is_undone;
}

/* Brings back the addition that was put away, if the present study is the one that had it.
 * @is_undone: whether it is one that undo has taken away. Returns: whether it is back */
gboolean
attn_session_take_addition_back (AttnSession *self,
                                 gboolean     is_undone)
{
  if (self->addition != NULL || self->past == NULL || self->is_past_undone != is_undone ||
      self->past_study != self->document->study)
    return FALSE;
  self->addition = g_steal_pointer (&self->past);
  forget_past (self);
  attn_session_show_addition (self);
  return TRUE;
}

/* Keeps the addition (an answer that is being generated) after an edit if its input is unchanged,
 * or else ends it; brings back the one that has been ended by the edit that is now undone. Returns:
 * whether it was ended or brought back */
static gboolean
fit_addition (AttnSession     *self,
              const AttnStudy *before)
{
  const AttnStudy *study = self->document->study;
  const AttnAddition *addition = self->addition;

  if (!attn_model_reference_equal (&study->model, &before->model))
    forget_past (self); /* it would keep the model open */
  if (addition == NULL)
    return attn_session_take_addition_back (self, FALSE);
  if (addition->input < study->inputs->len && has_the_tokens_of (study, before) &&
      attn_input_equal (study->inputs->pdata[addition->input], addition->before))
    {
      attn_session_show_addition (self);
      return FALSE;
    }
  if (has_the_tokens_of (study, before))
    attn_session_put_addition_away (self, before, FALSE);
  else
    attn_session_forget_addition (self);
  return TRUE;
}

/* Makes @study the study of the document, and takes ownership of it. */
void
attn_session_set_study (AttnSession     *self,
                        const AttnStudy *study)
{
  const AttnStudy *old = self->document->study;

  self->document->study = study;
  gboolean has_changed = fit_addition (self, old);
  attn_session_emit (self, ATTN_SESSION_STUDY_CHANGED);
  if (has_changed)
    attn_session_emit (self, ATTN_SESSION_ADDITION_CHANGED);
  attn_study_unref (old);
}

/* Makes @document the document of the session, and takes ownership of it. */
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
  forget_past (self);
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

/* Forgets the errors of closeups, since they can succeed for another result. Also forgets that
 * predictions were requested in advance. */
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

/* Keeps the incomplete result of a running job and emits a signal, so that the window shows it. */
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
  forget_past (self);
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
  /* (): emitted when the incomplete result of the running job has changed, see
   * attn_session_get_unfinished(). */
  signals[ATTN_SESSION_UNFINISHED] = attn_signal_new (klass, "unfinished", 0);
  signals[ATTN_SESSION_BUSY_CHANGED] = attn_signal_new (klass, "busy-changed", 0);
  /* (): emitted when tokens were added to the addition (an answer that is being generated), or it
   * has ended, see attn_session_get_addition(). */
  signals[ATTN_SESSION_ADDITION_CHANGED] = attn_signal_new (klass, "addition-changed", 0);
  /* (): emitted when the path of the document, its saved state, or the question about its model has
   * changed. */
  signals[ATTN_SESSION_DOCUMENT_CHANGED] = attn_signal_new (klass, "document-changed", 0);
  /* (): emitted when the result is the first one of an opened document. */
  signals[ATTN_SESSION_OPENED] = attn_signal_new (klass, "opened", 0);
  signals[ATTN_SESSION_SWEEP_CHANGED] = attn_signal_new (klass, "sweep-changed", 0);
  signals[ATTN_SESSION_HEAD_MAP_CHANGED] = attn_signal_new (klass, "head-map-changed", 0);
  /* (): emitted when the closeup (such as a prediction) that attn_session_look() requested is
   * available or has failed. */
  signals[ATTN_SESSION_CLOSEUP_CHANGED] = attn_signal_new (klass, "closeup-changed", 0);
  /* (GError *error): emitted when opening or computing has failed; the message is one sentence for
   * the user. */
  signals[ATTN_SESSION_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);
  /* (const char *stage, double fraction): what the running job does, and how much of it is done, 0
   * to 1. */
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
 * Returns: (transfer none): the current study without an answer that is being generated; valid
 *   until the next edit. To change it, edit a copy and pass that to attn_session_edit()
 */
const AttnStudy *
attn_session_get_study (AttnSession *session)
{
  return session->document->study;
}

/**
 * attn_session_get_result:
 *
 * Returns: (transfer none) (nullable): the last result. It is of an earlier study while the current
 *   one is being computed or if that has failed
 */
AttnResult *
attn_session_get_result (AttnSession *session)
{
  return session->result;
}

/**
 * attn_session_get_unfinished:
 *
 * Returns: (transfer none) (nullable): the incomplete result of the current study while it is being
 *   computed: a map in which cells that are not known yet are masked
 */
AttnResult *
attn_session_get_unfinished (AttnSession *session)
{
  return session->unfinished;
}

/**
 * attn_session_get_model:
 *
 * Returns: (transfer none) (nullable): the model of the current study; %NULL if it is neither the
 *   model of the last result nor of the last study that could not be computed
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
 * attn_session_is_recorded:
 *
 * Returns: whether the model of the study is a recording; until it is open, whether the model of
 *   the last result is
 */
gboolean
attn_session_is_recorded (AttnSession *session)
{
  const AttnModel *model = attn_session_get_model (session);

  if (model == NULL && session->result != NULL)
    model = session->result->model;
  return model != NULL && attn_model_get_info (model)->is_recording;
}

/**
 * attn_session_takes_inputs:
 *
 * Returns: whether inputs can be added to the study: not if it asks a question, and not if the
 *   model is a recording, which has one input of its own
 */
gboolean
attn_session_takes_inputs (AttnSession *session)
{
  const AttnStudy *study = session->document->study;

  return study->inputs->len > 0 && !attn_study_asks_question (study) &&
         !attn_session_is_recorded (session);
}

/**
 * attn_session_get_asked_model:
 *
 * Returns: (transfer none): the model that is being opened, or if there is none, the model of the
 *   study
 */
const AttnModelReference *
attn_session_get_asked_model (AttnSession *session)
{
  return session->is_awaiting ? &session->awaited : &session->document->study->model;
}

/* Returns the index of @input among the first @n inputs of @study, or @n if it is not one of
 * them. */
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
 * @index: index of an input of the study
 *
 * Returns: (transfer none) (nullable): tokens of the input; %NULL if neither the last result nor
 *   the last study that could not be computed has an equal input, at any index
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
 * @index: index of an input of the study
 *
 * Returns: (transfer none) (nullable): the tokens that the encoder reads, if
 *   attn_session_get_tokens() returns those of its decoder; %NULL for other models, or if the last
 *   result does not have them
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
 * Returns: whether the last result is of the current study, including the answer that is being
 *   generated
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
 * Returns: whether the last result is of the current study and also has the changes of the
 *   prediction, which are computed after the attention weights
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
 * Waits a few milliseconds for the result of a study that has just changed, so that it is not shown
 * a frame later. To be called before a frame is drawn.
 */
void
attn_session_begin_frame (AttnSession *session)
{
  if (session->jobs[ATTN_JOB_COMPUTE] != NULL)
    attn_task_wait (session->jobs[ATTN_JOB_COMPUTE], session->request_time + FRAME_PATIENCE);
}

/**
 * attn_session_is_step:
 * @what: name of an edit, such as "play"
 *
 * Returns: whether the last edit had that name, see attn_session_edit()
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
 * Returns: whether a model or a study was opened that is not computed yet; if that fails, the
 *   session returns to its former study
 */
gboolean
attn_session_is_opening (AttnSession *session)
{
  return session->is_awaiting || session->fallback != NULL;
}

/* Adds an undo step, unless the edit follows the last one quickly and has the same name. Returns:
 * whether the edit continues the last step. */
gboolean
attn_session_remember (AttnSession *self,
                       const char  *step)
{
  gint64 now = g_get_monotonic_time ();
  gboolean continues = step != NULL && step == self->step && now - self->step_time < STEP_PAUSE;

  self->step = step;
  self->step_time = now;
  g_ptr_array_set_size (self->document->redo, 0);
  if (self->is_past_undone)
    forget_past (self);
  if (!continues)
    g_ptr_array_add (self->document->undo, (gpointer) attn_study_ref (self->document->study));
  return continues;
}
