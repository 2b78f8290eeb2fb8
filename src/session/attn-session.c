/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-session-private.h"

#include "attn-effects.h"
#include "attn-follow.h"
#include "attn-signal.h"

/* Edits of the same thing that follow each other this closely are one step of the history. */
#define STEP_PAUSE (2 * G_TIME_SPAN_SECOND)

/* A job younger than this is let finish while the hand still moves a slider, so that the figure
 * follows; an older one is cancelled. */
#define LIVE_PATIENCE (150 * G_TIME_SPAN_MILLISECOND)

/* A frame waits so long from a request on for what it is to show: what is not there by then would
 * be late even so, for a frame takes 5 ms to be drawn and there are 16.7 ms for it. */
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

/* Takes @study. */
void
attn_session_set_study (AttnSession     *self,
                        const AttnStudy *study)
{
  const AttnStudy *old = self->document->study;

  self->document->study = study;
  attn_session_emit (self, ATTN_SESSION_STUDY_CHANGED);
  attn_study_unref (old);
}

/* Takes @document. */
void
attn_session_set_document (AttnSession  *self,
                           AttnDocument *document)
{
  g_autoptr (AttnDocument) old = self->document;

  self->document = document;
  self->step = NULL;
  attn_session_emit (self, ATTN_SESSION_STUDY_CHANGED);
  attn_session_emit (self, ATTN_SESSION_DOCUMENT_CHANGED);
}

static void
attn_session_dispose (GObject *object)
{
  AttnSession *self = ATTN_SESSION (object);

  attn_session_give_up_all (self);
  g_clear_pointer (&self->worker, attn_worker_free);
  g_clear_handle_id (&self->growing, g_source_remove);
  attn_session_forget_awaited (self);
  g_clear_pointer (&self->document, attn_document_free);
  g_clear_pointer (&self->fallback, attn_document_free);
  g_clear_pointer (&self->missing, attn_document_free);
  g_clear_pointer (&self->left, g_hash_table_unref);
  g_clear_pointer (&self->sweep, attn_sweep_unref);
  g_clear_pointer (&self->head_map, attn_head_map_unref);
  g_clear_pointer (&self->forecast, attn_forecast_unref);
  g_clear_pointer (&self->explanation, attn_explanation_unref);
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
  /* There is more of the result under way, see attn_session_get_unfinished(). */
  signals[ATTN_SESSION_UNFINISHED] = attn_signal_new (klass, "unfinished", 0);
  signals[ATTN_SESSION_BUSY_CHANGED] = attn_signal_new (klass, "busy-changed", 0);
  /* Its path, whether it is saved, or what is to be asked about its model. */
  signals[ATTN_SESSION_DOCUMENT_CHANGED] = attn_signal_new (klass, "document-changed", 0);
  /* The result is the first of a document. */
  signals[ATTN_SESSION_OPENED] = attn_signal_new (klass, "opened", 0);
  signals[ATTN_SESSION_SWEEP_CHANGED] = attn_signal_new (klass, "sweep-changed", 0);
  signals[ATTN_SESSION_HEAD_MAP_CHANGED] = attn_signal_new (klass, "head-map-changed", 0);
  /* The closeup that attn_session_look() asked for is there, or cannot be had. */
  signals[ATTN_SESSION_CLOSEUP_CHANGED] = attn_signal_new (klass, "closeup-changed", 0);
  /* (GError *error): in one sentence what went wrong. */
  signals[ATTN_SESSION_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);
  /* (const char *stage, double fraction). */
  signals[ATTN_SESSION_PROGRESS] = attn_signal_new (klass, "progress", 2, G_TYPE_STRING, G_TYPE_DOUBLE);
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
 * attn_session_draft:
 * @draft: forgets what it had
 * @session: has a result
 * @study: (transfer full): of that result in another look
 *
 * Gives @draft the result of @session, so that how it is drawn can be edited there while @session
 * stays as it is. Where the result is not that of @study, @draft is not current.
 */
void
attn_session_draft (AttnSession *draft,
                    AttnSession *session,
                    AttnStudy   *study)
{
  AttnResult *result = attn_result_restyle (session->result, study);

  attn_session_take_result (draft, result != NULL ? result : attn_result_ref (session->result));
  attn_session_set_document (draft, attn_document_new (study, NULL, NULL));
  attn_session_emit_result_changed (draft, FALSE);
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
  const char *path = session->document->study->model.path;

  if (session->result != NULL && g_strcmp0 (session->result->study->model.path, path) == 0)
    return session->result->model;
  if (session->failed != NULL && g_strcmp0 (session->failed->model.path, path) == 0)
    return session->failed_model;
  return NULL;
}

/**
 * attn_session_get_model_path:
 *
 * Returns: (transfer none) (nullable): the path of the model that is being opened, else that of the
 *   study; %NULL for the model that is shipped
 */
const char *
attn_session_get_model_path (AttnSession *session)
{
  return session->is_awaiting ? session->awaited_path : session->document->study->model.path;
}

static gboolean
has_the_tokens_of (const AttnStudy *a,
                   const AttnStudy *b)
{
  return attn_study_get_framing (a) == attn_study_get_framing (b) &&
         g_strcmp0 (a->model.path, b->model.path) == 0;
}

/* Where @input stands among the inputs of @study; @n if it does not. */
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
  guint place;

  if (index >= session->document->study->inputs->len)
    return NULL;

  const AttnInput *input = g_ptr_array_index (session->document->study->inputs, index);
  if (result != NULL && has_the_tokens_of (result->study, session->document->study))
    {
      place = find_input (result->study, result->n_inputs, input);
      if (place < result->n_inputs && result->inputs[place] != NULL)
        return result->inputs[place];
    }
  if (session->failed == NULL || !has_the_tokens_of (session->failed, session->document->study))
    return NULL;
  place = find_input (session->failed, session->failed_tokens->len, input);
  return place < session->failed_tokens->len ? g_ptr_array_index (session->failed_tokens, place)
                                             : NULL;
}

/**
 * attn_session_is_current:
 *
 * Returns: whether the result is that of the present study
 */
gboolean
attn_session_is_current (AttnSession *session)
{
  return session->result != NULL &&
         attn_study_equal (session->result->study, session->document->study);
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
  return attn_session_is_asked (session, ATTN_JOB_OPEN) ||
         attn_session_is_asked (session, ATTN_JOB_COMPUTE);
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

/* Returns: whether the edit goes on with the step that was remembered last. */
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

/* A run of edits that has come back to where it began is no step. Returns: whether it was one */
static gboolean
forget_empty_step (GPtrArray       *undo,
                   const AttnStudy *study)
{
  if (undo->len == 0 || !attn_study_equal (g_ptr_array_index (undo, undo->len - 1), study))
    return FALSE;
  g_ptr_array_set_size (undo, undo->len - 1);
  return TRUE;
}

/**
 * attn_session_edit:
 * @study: (transfer full): the study to have from now on, a copy of the present one with the edit
 * @what: (nullable): what changed, such as "epsilon-1", if the edit comes from something that moves
 *   or is typed: a quick run of edits of the same thing is one step of the history, or none if it
 *   ends where it began, and the figure follows it
 *
 * Nothing happens if @study equals the present one.
 */
void
attn_session_edit (AttnSession *session,
                   AttnStudy   *study,
                   const char  *what)
{
  gboolean is_young = attn_session_is_busy (session) &&
                      g_get_monotonic_time () - session->request_time < LIVE_PATIENCE;

  if (attn_study_equal (study, session->document->study))
    {
      attn_study_unref (study);
      return;
    }
  /* Regions that lie on a panel stay with it. */
  AttnModel *model = attn_session_get_model (session);
  if (model != NULL && g_strcmp0 (study->model.path, session->document->study->model.path) == 0)
    attn_study_follow_panels (study, session->document->study, attn_model_get_info (model));
  /* Who edits what is not computed yet has taken it for open. */
  g_clear_pointer (&session->fallback, attn_document_free);
  gboolean continues = attn_session_remember (session, what != NULL ? g_intern_string (what) : NULL);
  if (continues && forget_empty_step (session->document->undo, study))
    session->step = NULL;
  attn_session_set_study (session, study);
  if (what != NULL && is_young)
    session->is_deferred = TRUE;
  else
    attn_session_request (session);
}

/* Where to return to, unless it was just made. */
void
attn_session_keep_fallback (AttnSession *self)
{
  self->step = NULL;
  if (self->fallback == NULL && self->document->study->inputs->len > 0)
    self->fallback = attn_document_copy (self->document);
}

/**
 * attn_session_open:
 * @study: (transfer full): the study to have from now on, perhaps with another model
 *
 * If it cannot be computed, and was not edited meanwhile, the session returns to what it was
 * before. What a session is given first counts as saved.
 */
void
attn_session_open (AttnSession     *session,
                   const AttnStudy *study)
{
  attn_session_drop_awaited (session);
  attn_session_keep_fallback (session);
  if (session->document->study->inputs->len == 0)
    session->document->saved = attn_study_ref (study);
  if (session->result != NULL)
    attn_session_remember (session, NULL);
  attn_session_set_study (session, study);
  attn_session_request (session);
}

static void
travel (AttnSession *self,
        GPtrArray   *from,
        GPtrArray   *to)
{
  if (from->len == 0)
    return;
  g_ptr_array_add (to, (gpointer) attn_study_ref (self->document->study));
  self->step = NULL;
  g_clear_pointer (&self->fallback, attn_document_free);
  attn_session_set_study (self, g_ptr_array_steal_index (from, from->len - 1));
  attn_session_request (self);
}

void
attn_session_undo (AttnSession *session)
{
  travel (session, session->document->undo, session->document->redo);
}

void
attn_session_redo (AttnSession *session)
{
  travel (session, session->document->redo, session->document->undo);
}
