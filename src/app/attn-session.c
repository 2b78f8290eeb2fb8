/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-session.h"

#include "attn-follow.h"
#include "attn-matrix.h"
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

  /* Where it lives */
  char *path;          /* (nullable): of its file */
  AttnStudy *saved;    /* (nullable): what that file holds, or what the session began with; %NULL for
                       * a study that is in no file as it is */
  gboolean is_opened;  /* a document was opened and is not yet computed: with it a history begins */
  AttnStudy *missing;  /* (nullable): a study that waits to be told where its model is */
  char *missing_model; /* (nullable): where it says that it is */
  char *missing_path;  /* (nullable): of its file */

  /* What to return to if what was just opened cannot be computed */
  AttnStudy *fallback; /* (nullable) */
  AttnStudy *fallback_saved;
  char *fallback_path;

  AttnResult *result; /* (nullable): the last one */
  AttnSweep *sweep;   /* (nullable): the last one */
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
  SIGNAL_SWEEP_CHANGED,
  SIGNAL_DOCUMENT_CHANGED,
  SIGNAL_OPENED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnSession, attn_session, G_TYPE_OBJECT)

static void
set_study (AttnSession *self,
           AttnStudy   *study)
{
  g_autoptr (AttnStudy) old = self->study;

  self->study = study;
  g_signal_emit (self, signals[SIGNAL_STUDY_CHANGED], 0);
}

static void
drop_fallback (AttnSession *self)
{
  g_clear_pointer (&self->fallback, attn_study_free);
  g_clear_pointer (&self->fallback_saved, attn_study_free);
  g_clear_pointer (&self->fallback_path, g_free);
}

static void
emit_document_changed (AttnSession *self)
{
  g_signal_emit (self, signals[SIGNAL_DOCUMENT_CHANGED], 0);
}

/* Returns: whether it is the first of a document. */
static gboolean
take_result (AttnSession *self,
             AttnResult  *result)
{
  gboolean is_opened = self->is_opened;

  drop_fallback (self);
  if (is_opened)
    {
      self->is_opened = FALSE;
      self->step = NULL;
      g_ptr_array_set_size (self->undo, 0);
      g_ptr_array_set_size (self->redo, 0);
    }
  g_clear_pointer (&self->result, attn_result_unref);
  self->result = result;
  return is_opened;
}

static void
emit_result_changed (AttnSession *self,
                     gboolean     is_opened)
{
  g_signal_emit (self, signals[SIGNAL_RESULT_CHANGED], 0);
  if (is_opened)
    g_signal_emit (self, signals[SIGNAL_OPENED], 0);
  g_signal_emit (self, signals[SIGNAL_BUSY_CHANGED], 0);
}

/* What only looks different needs no computing. */
static gboolean
restyle (AttnSession *self)
{
  AttnResult *result =
      self->result != NULL ? attn_result_restyle (self->result, self->study) : NULL;

  if (result == NULL)
    return FALSE;
  self->is_deferred = FALSE;
  attn_worker_cancel (self->worker);
  emit_result_changed (self, take_result (self, result));
  return TRUE;
}

static void
request (AttnSession *self)
{
  if (restyle (self))
    return;
  self->is_deferred = FALSE;
  self->request_time = g_get_monotonic_time ();
  attn_worker_request (self->worker, self->study);
  g_signal_emit (self, signals[SIGNAL_BUSY_CHANGED], 0);
}

static void
result_cb (AttnSession *self,
           AttnResult  *result)
{
  gboolean is_opened = take_result (self, attn_result_ref (result));

  if (self->is_deferred)
    request (self);
  emit_result_changed (self, is_opened);
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
  self->is_opened = FALSE;
  g_clear_pointer (&self->saved, attn_study_free);
  self->saved = g_steal_pointer (&self->fallback_saved);
  g_free (self->path);
  self->path = g_steal_pointer (&self->fallback_path);
  set_study (self, g_steal_pointer (&fallback));
  emit_document_changed (self);
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
sweep_cb (AttnSession *self,
          AttnSweep   *sweep)
{
  g_clear_pointer (&self->sweep, attn_sweep_unref);
  self->sweep = attn_sweep_ref (sweep);
  g_signal_emit (self, signals[SIGNAL_SWEEP_CHANGED], 0);
}

static void
attn_session_dispose (GObject *object)
{
  AttnSession *self = ATTN_SESSION (object);

  g_clear_object (&self->worker);
  g_clear_pointer (&self->study, attn_study_free);
  drop_fallback (self);
  g_clear_pointer (&self->saved, attn_study_free);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->missing, attn_study_free);
  g_clear_pointer (&self->missing_model, g_free);
  g_clear_pointer (&self->missing_path, g_free);
  g_clear_pointer (&self->undo, g_ptr_array_unref);
  g_clear_pointer (&self->redo, g_ptr_array_unref);
  g_clear_pointer (&self->sweep, attn_sweep_unref);
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
  /* Its path, whether it is saved, or what is to be asked about its model. */
  signals[SIGNAL_DOCUMENT_CHANGED] = add_signal (klass, "document-changed");
  /* The result is the first of a document. */
  signals[SIGNAL_OPENED] = add_signal (klass, "opened");
  signals[SIGNAL_SWEEP_CHANGED] = add_signal (klass, "sweep-changed");
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
  g_signal_connect_object (self->worker, "sweep", G_CALLBACK (sweep_cb), self, G_CONNECT_SWAPPED);
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
 * attn_session_get_sweep:
 *
 * Returns: (transfer none) (nullable): the last sweep, which may be of an earlier study
 */
AttnSweep *
attn_session_get_sweep (AttnSession *session)
{
  return session->sweep;
}

/**
 * attn_session_request_sweep:
 *
 * Asks for the sweep of the present study along @range; #AttnSession::sweep-changed tells when it
 * is there. The next edit cancels it.
 */
void
attn_session_request_sweep (AttnSession          *session,
                            const AttnSweepRange *range)
{
  attn_worker_request_sweep (session->worker, session->study, range);
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

/**
 * attn_session_is_opening:
 *
 * Returns: whether something was opened that is not yet computed; should it fail, what was there
 *   before comes back
 */
gboolean
attn_session_is_opening (AttnSession *session)
{
  return session->fallback != NULL;
}

/* Returns: whether the edit goes on with the step that was remembered last. */
static gboolean
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
  return continues;
}

/* A run of edits that has come back to where it began is no step. */
static void
forget_empty_step (AttnSession *self)
{
  guint n = self->undo->len;

  if (n == 0 || !attn_study_equal (g_ptr_array_index (self->undo, n - 1), self->study))
    return;
  g_ptr_array_set_size (self->undo, n - 1);
  self->step = NULL;
}

/**
 * attn_session_edit:
 * @study: (transfer full): the study to have from now on
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

  if (attn_study_equal (study, session->study))
    {
      attn_study_free (study);
      return;
    }
  /* What lies on a panel stays with it. */
  if (session->result != NULL && g_strcmp0 (study->model_path, session->study->model_path) == 0)
    attn_study_follow_panels (study, session->study, attn_model_get_info (session->result->model));
  gboolean continues = remember (session, what != NULL ? g_intern_string (what) : NULL);
  g_autoptr (AttnStudy) old = session->study;
  session->study = study;
  if (continues)
    forget_empty_step (session);
  g_signal_emit (session, signals[SIGNAL_STUDY_CHANGED], 0);
  if (what != NULL && is_young)
    session->is_deferred = TRUE;
  else
    request (session);
}

/* Where to return to, unless it was just made. */
static void
keep_fallback (AttnSession *self)
{
  if (self->fallback != NULL || self->study->inputs->len == 0)
    return;
  self->fallback = attn_study_copy (self->study);
  self->fallback_saved = self->saved != NULL ? attn_study_copy (self->saved) : NULL;
  self->fallback_path = g_strdup (self->path);
}

/**
 * attn_session_open:
 * @study: (transfer full): the study to have from now on, perhaps with another model
 *
 * If it cannot be computed the session returns to what it was before. What a session is given first
 * counts as saved.
 */
void
attn_session_open (AttnSession *session,
                   AttnStudy   *study)
{
  keep_fallback (session);
  if (session->study->inputs->len == 0)
    session->saved = attn_study_copy (study);
  if (session->result != NULL)
    remember (session, NULL);
  set_study (session, study);
  request (session);
}

/* The first model of the study that is not where the study says; %NULL if all are. */
static char **
find_missing_model (AttnStudy *study)
{
  if (study->model_path != NULL && !g_file_test (study->model_path, G_FILE_TEST_EXISTS))
    return &study->model_path;
  for (guint i = 0; i < study->other_models->len; i++)
    {
      AttnModelReference *other = g_ptr_array_index (study->other_models, i);

      if (other->path != NULL && !g_file_test (other->path, G_FILE_TEST_EXISTS))
        return &other->path;
    }
  return NULL;
}

static void
ask_for_model (AttnSession *self,
               AttnStudy   *study,
               const char  *path)
{
  g_clear_pointer (&self->missing, attn_study_free);
  g_free (self->missing_model);
  self->missing_model = g_strdup (*find_missing_model (study));
  g_free (self->missing_path);
  self->missing = study;
  self->missing_path = g_strdup (path);
  emit_document_changed (self);
}

/**
 * attn_session_open_document:
 * @study: (transfer full): the study to have from now on
 * @path: (nullable): the file it lives in
 * @is_changed: whether it is more than that file holds
 *
 * Begins a new history. If the study cannot be computed the session returns to what it was before.
 * If a model of the study is missing, the session stays as it is and asks, see
 * [func@attn_session_get_question].
 */
void
attn_session_open_document (AttnSession *session,
                            AttnStudy   *study,
                            const char  *path,
                            gboolean     is_changed)
{
  if (find_missing_model (study) != NULL)
    {
      ask_for_model (session, study, path);
      return;
    }
  g_clear_pointer (&session->missing, attn_study_free);
  keep_fallback (session);
  g_clear_pointer (&session->saved, attn_study_free);
  session->saved = is_changed ? NULL : attn_study_copy (study);
  g_free (session->path);
  session->path = g_strdup (path);
  session->is_opened = TRUE;
  set_study (session, study);
  emit_document_changed (session);
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

/* The study that shows @path. Recorded arrays are shown as they are and in their own range, since
 * most studies do something to a model; a table of layers and tokens has a figure that suits it. */
static AttnStudy *
build_study_of (const AttnStudy *study,
                const char      *path)
{
  gboolean is_array = path != NULL && attn_model_is_array_file (path);
  gboolean suits = study->figure == ATTN_FIGURE_LAYER_TOKEN && attn_matrix_is_one (path);
  g_autoptr (AttnStudy) single = is_array && !suits ? attn_presets_load ("single", NULL) : NULL;

  if (single != NULL)
    single->style.range = ATTN_RANGE_DATA;
  return copy_with_model (single != NULL ? single : study, path);
}

/**
 * attn_session_is_document:
 * @path: of a file
 *
 * Returns: whether [func@attn_session_open_path] takes it for a study: *.json and *.svg
 */
gboolean
attn_session_is_document (const char *path)
{
  g_autofree char *name = g_ascii_strdown (path, -1);

  return (g_str_has_suffix (name, ".json") || g_str_has_suffix (name, ".svg")) &&
         !g_file_test (path, G_FILE_TEST_IS_DIR);
}

/**
 * attn_session_open_path:
 * @path: (nullable): a checkpoint directory or file, recorded arrays, a study (*.json) or a figure
 *   that carries one (*.svg); %NULL for the model that ships with the program
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
  if (path == NULL || !attn_session_is_document (path))
    {
      attn_session_open (session, build_study_of (session->study, path));
      return TRUE;
    }

  g_autofree char *name = g_ascii_strdown (path, -1);
  AttnStudy *study = attn_study_load (path, error);
  if (study == NULL)
    return FALSE;
  /* A figure is not the file that its study is saved to. */
  attn_session_open_document (session, study, g_str_has_suffix (name, ".svg") ? NULL : path, FALSE);
  return TRUE;
}

/**
 * attn_session_get_path:
 *
 * Returns: (transfer none) (nullable): the file that the study lives in
 */
const char *
attn_session_get_path (AttnSession *session)
{
  return session->path;
}

/**
 * attn_session_is_changed:
 *
 * Returns: whether the study is another than the one that was saved, opened or begun with
 */
gboolean
attn_session_is_changed (AttnSession *session)
{
  return session->saved == NULL || !attn_study_equal (session->saved, session->study);
}

/**
 * attn_session_save:
 * @path: the file to write, in which the study lives from now on
 * @error: return location for a #GFileError
 *
 * With the study goes the fingerprint of the model that it was computed with.
 */
gboolean
attn_session_save (AttnSession  *session,
                   const char   *path,
                   GError      **error)
{
  g_autoptr (AttnStudy) study = attn_study_copy (session->study);

  if (study->model_fingerprint == NULL && attn_session_is_current (session))
    study->model_fingerprint = g_strdup (attn_model_get_fingerprint (session->result->model));
  if (!attn_study_save (study, path, error))
    return FALSE;
  if (path != session->path)
    {
      g_free (session->path);
      session->path = g_strdup (path);
    }
  g_clear_pointer (&session->saved, attn_study_free);
  session->saved = attn_study_copy (study);
  /* What is changed from here on is another step. */
  session->step = NULL;
  if (!attn_study_equal (study, session->study))
    {
      set_study (session, g_steal_pointer (&study));
      request (session);
    }
  emit_document_changed (session);
  return TRUE;
}

/**
 * attn_session_get_question:
 * @path: (out) (transfer none) (nullable): the model in question
 * @document: (out) (transfer none) (nullable): the file of the study that asks
 *
 * Returns: what the user has to say about the study's model
 */
AttnModelQuestion
attn_session_get_question (AttnSession  *session,
                           const char  **path,
                           const char  **document)
{
  const char *expected = session->study->model_fingerprint;

  *path = NULL;
  *document = session->path;
  if (session->missing != NULL)
    {
      *path = session->missing_model;
      *document = session->missing_path;
      return ATTN_MODEL_QUESTION_MISSING;
    }
  if (expected == NULL || !attn_session_is_current (session))
    return ATTN_MODEL_QUESTION_NONE;
  *path = attn_model_get_path (session->result->model);
  return g_str_equal (expected, attn_model_get_fingerprint (session->result->model))
             ? ATTN_MODEL_QUESTION_NONE
             : ATTN_MODEL_QUESTION_CHANGED;
}

/**
 * attn_session_locate_model:
 * @path: where the model in question is
 *
 * The study goes on with that one; should it have another fingerprint, that is asked next.
 */
void
attn_session_locate_model (AttnSession *session,
                           const char  *path)
{
  if (session->missing != NULL)
    {
      g_autofree char *document = g_strdup (session->missing_path);
      AttnStudy *study = g_steal_pointer (&session->missing);
      char **place = find_missing_model (study);

      /* It may have come back meanwhile. */
      if (place != NULL)
        {
          g_free (*place);
          *place = g_strdup (path);
        }
      attn_session_open_document (session, study, document, FALSE);
      /* It is no longer what its file holds. */
      g_clear_pointer (&session->saved, attn_study_free);
      return;
    }

  AttnStudy *study = attn_study_copy (session->study);
  g_free (study->model_path);
  study->model_path = g_strdup (path);
  attn_session_open (session, study);
}

/**
 * attn_session_accept_model:
 *
 * Goes on with a model that is not the one that the study was made with: the one that has changed,
 * or the open one for one that is missing.
 */
void
attn_session_accept_model (AttnSession *session)
{
  if (session->missing == NULL)
    {
      AttnStudy *study = attn_study_copy (session->study);

      g_clear_pointer (&study->model_fingerprint, g_free);
      attn_session_edit (session, study, NULL);
      return;
    }

  g_autofree char *document = g_strdup (session->missing_path);
  AttnStudy *study = g_steal_pointer (&session->missing);
  for (char **place; (place = find_missing_model (study)) != NULL;)
    {
      g_free (*place);
      *place = g_strdup (session->study->model_path);
    }
  g_clear_pointer (&study->model_fingerprint, g_free);
  attn_session_open_document (session, study, document, FALSE);
  g_clear_pointer (&session->saved, attn_study_free);
}

/**
 * attn_session_drop_question:
 *
 * The study whose model is missing is not opened after all.
 */
void
attn_session_drop_question (AttnSession *session)
{
  g_clear_pointer (&session->missing, attn_study_free);
  emit_document_changed (session);
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
  if (session->is_opened && session->fallback != NULL)
    {
      return_to_fallback (session);
      g_signal_emit (session, signals[SIGNAL_BUSY_CHANGED], 0);
      return;
    }
  drop_fallback (session);
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
  drop_fallback (self);
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
