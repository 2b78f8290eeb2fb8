/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-session.h"

#include "attn-worker.h"

/* Edits of the same thing that follow each other this closely are one step of the history. */
#define STEP_PAUSE (2 * G_TIME_SPAN_SECOND)

/* A job younger than this is let finish while the hand still moves a slider, so that the figure
 * follows; an older one is cancelled. */
#define LIVE_PATIENCE (150 * G_TIME_SPAN_MILLISECOND)

struct _AttnSession
{
  GObject parent_instance;

  AttnWorker *worker;

  /* The document: immutable values, so that the history is a list of them */
  AttnStudy *study;
  GPtrArray *undo;  /* (element-type AttnStudy) */
  GPtrArray *redo;  /* (element-type AttnStudy) */
  const char *step; /* (nullable): interned: what the last edit changed */
  gint64 step_time;

  /* What to return to if what was just opened cannot be computed */
  AttnStudy *fallback; /* (nullable) */

  AttnResult *result; /* (nullable): the last one */
  gint64 request_time;
  gboolean is_deferred; /* the study changed while a young job was let finish */
};

enum
{
  SIGNAL_STUDY_CHANGED,
  SIGNAL_RESULT_CHANGED,
  SIGNAL_BUSY_CHANGED,
  SIGNAL_FAILED,
  SIGNAL_PROGRESS,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnSession, attn_session, G_TYPE_OBJECT)

static void
request (AttnSession *self)
{
  self->is_deferred = FALSE;
  self->request_time = g_get_monotonic_time ();
  attn_worker_request (self->worker, self->study);
  g_signal_emit (self, signals[SIGNAL_BUSY_CHANGED], 0);
}

static void
set_study (AttnSession *self,
           AttnStudy   *study)
{
  g_autoptr (AttnStudy) old = self->study;

  self->study = study;
  g_signal_emit (self, signals[SIGNAL_STUDY_CHANGED], 0);
}

static void
result_cb (AttnSession *self,
           AttnResult  *result)
{
  g_clear_pointer (&self->fallback, attn_study_free);
  g_clear_pointer (&self->result, attn_result_unref);
  self->result = attn_result_ref (result);
  if (self->is_deferred)
    request (self);
  g_signal_emit (self, signals[SIGNAL_RESULT_CHANGED], 0);
  g_signal_emit (self, signals[SIGNAL_BUSY_CHANGED], 0);
}

static void
return_to_fallback (AttnSession *self)
{
  g_autoptr (AttnStudy) fallback = g_steal_pointer (&self->fallback);

  /* Opening was a step of the history; it did not happen. */
  if (self->undo->len > 0 && attn_study_equal (g_ptr_array_index (self->undo, self->undo->len - 1),
                                               fallback))
    g_ptr_array_set_size (self->undo, self->undo->len - 1);
  self->step = NULL;
  set_study (self, g_steal_pointer (&fallback));
  if (!attn_session_is_current (self))
    request (self);
}

static void
failed_cb (AttnSession  *self,
           const GError *error)
{
  if (self->is_deferred)
    {
      request (self);
      return;
    }
  g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
  if (self->fallback != NULL)
    return_to_fallback (self);
  g_signal_emit (self, signals[SIGNAL_BUSY_CHANGED], 0);
}

static void
progress_cb (AttnSession *self,
             const char  *stage,
             double       fraction)
{
  g_signal_emit (self, signals[SIGNAL_PROGRESS], 0, stage, fraction);
}

static void
attn_session_dispose (GObject *object)
{
  AttnSession *self = ATTN_SESSION (object);

  g_clear_object (&self->worker);
  g_clear_pointer (&self->study, attn_study_free);
  g_clear_pointer (&self->fallback, attn_study_free);
  g_clear_pointer (&self->undo, g_ptr_array_unref);
  g_clear_pointer (&self->redo, g_ptr_array_unref);
  g_clear_pointer (&self->result, attn_result_unref);

  G_OBJECT_CLASS (attn_session_parent_class)->dispose (object);
}

static guint
add_signal (AttnSessionClass *klass,
            const char       *name)
{
  return g_signal_new (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
}

static void
attn_session_class_init (AttnSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = attn_session_dispose;

  signals[SIGNAL_STUDY_CHANGED] = add_signal (klass, "study-changed");
  signals[SIGNAL_RESULT_CHANGED] = add_signal (klass, "result-changed");
  signals[SIGNAL_BUSY_CHANGED] = add_signal (klass, "busy-changed");
  /* (GError *error): in one sentence what went wrong. */
  signals[SIGNAL_FAILED] =
      g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_ERROR);
  /* (const char *stage, double fraction). */
  signals[SIGNAL_PROGRESS] =
      g_signal_new ("progress", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_DOUBLE);
}

static void
attn_session_init (AttnSession *self)
{
  self->study = attn_study_new ();
  self->undo = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_study_free);
  self->redo = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_study_free);
  self->worker = attn_worker_new ();
  g_signal_connect_object (self->worker, "result", G_CALLBACK (result_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->worker, "failed", G_CALLBACK (failed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->worker, "progress", G_CALLBACK (progress_cb), self,
                           G_CONNECT_SWAPPED);
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
  return session->study;
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
 * attn_session_is_current:
 *
 * Returns: whether the result is that of the present study
 */
gboolean
attn_session_is_current (AttnSession *session)
{
  return session->result != NULL && attn_study_equal (session->result->study, session->study);
}

gboolean
attn_session_is_busy (AttnSession *session)
{
  return attn_worker_is_busy (session->worker);
}

static void
remember (AttnSession *self,
          const char  *step)
{
  gint64 now = g_get_monotonic_time ();
  gboolean continues = step != NULL && step == self->step && now - self->step_time < STEP_PAUSE;

  self->step = step;
  self->step_time = now;
  g_ptr_array_set_size (self->redo, 0);
  if (!continues)
    g_ptr_array_add (self->undo, attn_study_copy (self->study));
}

/**
 * attn_session_edit:
 * @study: (transfer full): the study to have from now on
 * @what: (nullable): what changed, such as "epsilon-1", if the edit comes from something that moves
 *   or is typed: a quick run of edits of the same thing is one step of the history, and the figure
 *   follows it
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

  if (attn_study_equal (study, session->study))
    {
      attn_study_free (study);
      return;
    }
  remember (session, what != NULL ? g_intern_string (what) : NULL);
  set_study (session, study);
  if (what != NULL && is_young)
    session->is_deferred = TRUE;
  else
    request (session);
}

/**
 * attn_session_open:
 * @study: (transfer full): the study to have from now on, perhaps with another model
 *
 * If it cannot be computed the session returns to what it was before.
 */
void
attn_session_open (AttnSession *session,
                   AttnStudy   *study)
{
  /* A session that was just made has nothing to return to. */
  if (session->fallback == NULL && session->study->inputs->len > 0)
    session->fallback = attn_study_copy (session->study);
  if (session->result != NULL)
    remember (session, NULL);
  set_study (session, study);
  request (session);
}

static AttnStudy *
copy_with_model (const AttnStudy *study,
                 const char      *path)
{
  AttnStudy *copy = attn_study_copy (study);

  g_free (copy->model_path);
  copy->model_path = g_strdup (path);
  g_clear_pointer (&copy->model_fingerprint, g_free);
  return copy;
}

/**
 * attn_session_open_path:
 * @path: (nullable): a checkpoint directory or file, or a study (*.json); %NULL for the model that
 *   ships with the program
 * @error: return location for the reason why a study cannot be read
 *
 * A model is opened by the worker: that it cannot be is told by #AttnSession::failed.
 *
 * Returns: whether the study could be read
 */
gboolean
attn_session_open_path (AttnSession  *session,
                        const char   *path,
                        GError      **error)
{
  g_autofree char *name = path != NULL ? g_ascii_strdown (path, -1) : NULL;
  AttnStudy *study;

  if (name != NULL && g_str_has_suffix (name, ".json") && !g_file_test (path, G_FILE_TEST_IS_DIR))
    study = attn_study_load (path, error);
  else
    study = copy_with_model (session->study, path);
  if (study == NULL)
    return FALSE;
  attn_session_open (session, study);
  return TRUE;
}

/**
 * attn_session_cancel:
 *
 * Stops the job under way. The study returns to that of the last result.
 */
void
attn_session_cancel (AttnSession *session)
{
  if (!attn_session_is_busy (session))
    return;
  attn_worker_cancel (session->worker);
  session->is_deferred = FALSE;
  g_clear_pointer (&session->fallback, attn_study_free);
  if (session->result != NULL && !attn_session_is_current (session))
    {
      remember (session, NULL);
      set_study (session, attn_study_copy (session->result->study));
    }
  g_signal_emit (session, signals[SIGNAL_BUSY_CHANGED], 0);
}

static void
travel (AttnSession *self,
        GPtrArray   *from,
        GPtrArray   *to)
{
  if (from->len == 0)
    return;
  g_ptr_array_add (to, attn_study_copy (self->study));
  self->step = NULL;
  g_clear_pointer (&self->fallback, attn_study_free);
  set_study (self, g_ptr_array_steal_index (from, from->len - 1));
  request (self);
}

void
attn_session_undo (AttnSession *session)
{
  travel (session, session->undo, session->redo);
}

void
attn_session_redo (AttnSession *session)
{
  travel (session, session->redo, session->undo);
}

gboolean
attn_session_can_undo (AttnSession *session)
{
  return session->undo->len > 0;
}

gboolean
attn_session_can_redo (AttnSession *session)
{
  return session->redo->len > 0;
}
