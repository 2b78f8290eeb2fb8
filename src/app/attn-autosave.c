/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-autosave.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "attn-save.h"

/* So long after a change; further changes meanwhile are written with it. */
#define DELAY_MS 1000

#define FILE_SUFFIX ".autosave"
#define LOCK_SUFFIX ".lock"
#define GROUP       "Study"

/**
 * Store:
 *
 * The file, shared with the threads that write it. Who holds the lock file is alive: the system lets
 * go of it whatever way a process ends.
 */
typedef struct
{
  gatomicrefcount ref_count;
  char *file;
  char *lock_file;
  int lock;

  GMutex mutex;       /* guards what follows, and the file */
  guint64 generation; /* of the last change; an older one is not written any more */
  gboolean is_written;
} Store;

struct _AttnAutosave
{
  GObject parent_instance;

  AttnSession *session;
  Store *store; /* (nullable): none where the directory cannot be written to */
  guint timeout;
};

G_DEFINE_FINAL_TYPE (AttnAutosave, attn_autosave, G_TYPE_OBJECT)

/* Opens and locks; -1 where another process has it locked. */
static int
take_lock (const char *file)
{
  int lock = g_open (file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

  if (lock >= 0 && flock (lock, LOCK_EX | LOCK_NB) != 0)
    {
      close (lock);
      return -1;
    }
  return lock;
}

static char *
dup_lock_file (const char *file)
{
  g_autofree char *stem = g_strndup (file, strlen (file) - strlen (FILE_SUFFIX));

  return g_strconcat (stem, LOCK_SUFFIX, NULL);
}

static Store *
store_new (const char *directory)
{
  g_autofree char *uuid = g_uuid_string_random ();
  g_autofree char *name = g_strconcat (uuid, FILE_SUFFIX, NULL);

  if (g_mkdir_with_parents (directory, 0700) != 0)
    {
      g_debug ("%s: %s", directory, g_strerror (errno));
      return NULL;
    }

  Store *store = g_new0 (Store, 1);
  g_atomic_ref_count_init (&store->ref_count);
  g_mutex_init (&store->mutex);
  store->file = g_build_filename (directory, name, NULL);
  store->lock_file = dup_lock_file (store->file);
  store->lock = take_lock (store->lock_file);
  return store;
}

static void
store_unref (Store *store)
{
  if (!g_atomic_ref_count_dec (&store->ref_count))
    return;
  g_unlink (store->lock_file);
  if (store->lock >= 0)
    close (store->lock);
  g_mutex_clear (&store->mutex);
  g_free (store->file);
  g_free (store->lock_file);
  g_free (store);
}

static void
store_remove (Store *store)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&store->mutex);

  store->generation++;
  if (store->is_written)
    g_unlink (store->file);
  store->is_written = FALSE;
}

typedef struct
{
  Store *store;
  GBytes *bytes;
  guint64 generation;
} Job;

static void
job_free (Job *job)
{
  store_unref (job->store);
  g_bytes_unref (job->bytes);
  g_free (job);
}

static void
write_job (Job *job)
{
  Store *store = job->store;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&store->mutex);
  g_autoptr (GError) error = NULL;

  if (job->generation != store->generation)
    return;
  store->is_written = TRUE;
  if (!attn_save_bytes (store->file, job->bytes, &error))
    g_debug ("%s", error->message);
}

static void
write_thread_func (GTask        *task,
                   gpointer      source_object,
                   gpointer      task_data,
                   GCancellable *cancellable)
{
  write_job (task_data);
  g_task_return_boolean (task, TRUE);
}

static GBytes *
serialise (AttnSession *session)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *json = attn_study_to_json (attn_session_get_study (session));
  const char *path = attn_session_get_path (session);
  gsize length;

  if (path != NULL)
    g_key_file_set_string (file, GROUP, "path", path);
  g_key_file_set_boolean (file, GROUP, "is-changed", attn_session_is_changed (session));
  g_key_file_set_string (file, GROUP, "json", json);

  char *text = g_key_file_to_data (file, &length, NULL);
  return g_bytes_new_take (text, length);
}

static Job *
job_new (AttnAutosave *self)
{
  Job *job = g_new0 (Job, 1);

  job->store = self->store;
  g_atomic_ref_count_inc (&job->store->ref_count);
  job->bytes = serialise (self->session);
  g_mutex_lock (&job->store->mutex);
  job->generation = ++job->store->generation;
  g_mutex_unlock (&job->store->mutex);
  return job;
}

/* A study that is neither changed nor in a file is what the next start shows anyhow. */
static gboolean
is_worth_keeping (AttnAutosave *self)
{
  return attn_session_is_changed (self->session) || attn_session_get_path (self->session) != NULL;
}

static gboolean
timeout_cb (gpointer user_data)
{
  AttnAutosave *self = user_data;

  self->timeout = 0;
  if (!is_worth_keeping (self))
    {
      store_remove (self->store);
      return G_SOURCE_REMOVE;
    }

  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (task, job_new (self), (GDestroyNotify) job_free);
  g_task_run_in_thread (task, write_thread_func);
  return G_SOURCE_REMOVE;
}

static void
changed_cb (AttnAutosave *self)
{
  if (self->store != NULL && self->timeout == 0)
    self->timeout = g_timeout_add (DELAY_MS, timeout_cb, self);
}

static void
attn_autosave_dispose (GObject *object)
{
  AttnAutosave *self = ATTN_AUTOSAVE (object);

  attn_autosave_discard (self);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (attn_autosave_parent_class)->dispose (object);
}

static void
attn_autosave_class_init (AttnAutosaveClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_autosave_dispose;
}

static void
attn_autosave_init (AttnAutosave *self)
{
}

/**
 * attn_autosave_new:
 * @session: to keep
 * @directory: for the file, made where it is missing
 *
 * Keeps the study of @session in a file from a second after it changes. Where that cannot be
 * written, nothing is kept: it is a net, not the rope.
 */
AttnAutosave *
attn_autosave_new (AttnSession *session,
                   const char  *directory)
{
  AttnAutosave *self = g_object_new (ATTN_TYPE_AUTOSAVE, NULL);

  self->session = g_object_ref (session);
  self->store = store_new (directory);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "document-changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

/**
 * attn_autosave_flush:
 *
 * Writes at once, and waits for it, what would be written in a second.
 */
void
attn_autosave_flush (AttnAutosave *autosave)
{
  g_clear_handle_id (&autosave->timeout, g_source_remove);
  if (autosave->store == NULL || !is_worth_keeping (autosave))
    return;

  Job *job = job_new (autosave);
  write_job (job);
  job_free (job);
}

/**
 * attn_autosave_discard:
 *
 * Takes the file away for good: the window is closed.
 */
void
attn_autosave_discard (AttnAutosave *autosave)
{
  g_clear_handle_id (&autosave->timeout, g_source_remove);
  if (autosave->store == NULL)
    return;
  store_remove (autosave->store);
  g_clear_pointer (&autosave->store, store_unref);
}

/**
 * attn_autosave_dup_directory:
 *
 * Returns: (transfer full): where the windows of the program keep their files
 */
char *
attn_autosave_dup_directory (void)
{
  return g_build_filename (g_get_user_state_dir (), GETTEXT_PACKAGE, NULL);
}

static gboolean
read_leftover (AttnLeftover *leftover)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;

  if (!g_key_file_load_from_file (file, leftover->file, G_KEY_FILE_NONE, &error))
    return FALSE;

  g_autofree char *json = g_key_file_get_string (file, GROUP, "json", NULL);
  if (json == NULL)
    return FALSE;
  leftover->path = g_key_file_get_string (file, GROUP, "path", NULL);
  leftover->is_changed = g_key_file_get_boolean (file, GROUP, "is-changed", NULL);
  leftover->study = attn_study_from_json (leftover->file, json, -1, &error);
  if (leftover->study == NULL)
    g_debug ("%s", error->message);
  return leftover->study != NULL;
}

/* Newest first. */
static int
compare_ages (gconstpointer a,
              gconstpointer b)
{
  const AttnLeftover *first = *(AttnLeftover * const *) a;
  const AttnLeftover *second = *(AttnLeftover * const *) b;
  GStatBuf first_status = { 0 };
  GStatBuf second_status = { 0 };

  g_stat (first->file, &first_status);
  g_stat (second->file, &second_status);
  return (second_status.st_mtime > first_status.st_mtime) -
         (second_status.st_mtime < first_status.st_mtime);
}

/* Of a window that ended with nothing to keep. */
static void
drop_bare_lock (const char *directory,
                const char *name)
{
  g_autofree char *lock_file = g_build_filename (directory, name, NULL);
  g_autofree char *stem = g_strndup (lock_file, strlen (lock_file) - strlen (LOCK_SUFFIX));
  g_autofree char *file = g_strconcat (stem, FILE_SUFFIX, NULL);
  int lock = g_file_test (file, G_FILE_TEST_EXISTS) ? -1 : take_lock (lock_file);

  if (lock < 0)
    return;
  g_unlink (lock_file);
  close (lock);
}

static void
free_leftover (gpointer leftover)
{
  attn_leftover_free (leftover);
}

/**
 * attn_leftovers_find:
 * @directory: where windows keep their files
 *
 * Returns: (transfer full) (element-type AttnLeftover): what windows that are no more have left
 *   there, the newest first. A file that cannot be read is taken away.
 */
GPtrArray *
attn_leftovers_find (const char *directory)
{
  GPtrArray *leftovers = g_ptr_array_new_with_free_func (free_leftover);
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      if (g_str_has_suffix (name, LOCK_SUFFIX))
        drop_bare_lock (directory, name);
      if (!g_str_has_suffix (name, FILE_SUFFIX))
        continue;

      g_autoptr (AttnLeftover) leftover = g_new0 (AttnLeftover, 1);
      leftover->file = g_build_filename (directory, name, NULL);
      g_autofree char *lock_file = dup_lock_file (leftover->file);
      leftover->lock = take_lock (lock_file);
      if (leftover->lock < 0)
        continue;
      if (read_leftover (leftover))
        g_ptr_array_add (leftovers, g_steal_pointer (&leftover));
      else
        attn_leftover_discard (leftover);
    }
  g_ptr_array_sort (leftovers, compare_ages);
  return leftovers;
}

/**
 * attn_leftover_discard:
 *
 * Takes its file away.
 */
void
attn_leftover_discard (AttnLeftover *leftover)
{
  g_autofree char *lock_file = dup_lock_file (leftover->file);

  g_unlink (leftover->file);
  g_unlink (lock_file);
}

/**
 * attn_leftover_free:
 *
 * Its file stays, for the next start, unless it was discarded.
 */
void
attn_leftover_free (AttnLeftover *leftover)
{
  if (leftover == NULL)
    return;
  attn_study_free (leftover->study);
  g_free (leftover->path);
  g_free (leftover->file);
  if (leftover->lock >= 0)
    close (leftover->lock);
  g_free (leftover);
}
