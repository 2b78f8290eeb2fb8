/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-autosave.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-errands.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-save.h"
#include "attn-signal.h"
#include "attn-task.h"
#include "attn-text.h"

/* The delay in milliseconds before a change is saved automatically, with all changes made in the
 * meantime. */
#define DELAY_MS 1000

#define FILE_SUFFIX    ".autosave"
#define LOCK_SUFFIX    ".lock"
#define DAMAGED_SUFFIX ".damaged"
#define GROUP          "Study"

/* Largest size of an autosave file in bytes: a study as JSON with its quotes escaped, and some
 * paths. */
#define MAX_FILE_BYTES (2 * ATTN_STUDY_MAX_BYTES + ((gsize) 1 << 20))

/**
 * Store:
 *
 * The autosave file of a window, shared with the threads that write it. Its lock file tells whether
 * the window still exists: the system releases the lock however a process ends.
 */
typedef struct
{
  char *directory;
  char *file;
  char *lock_file;

  GMutex mutex; /* lock of the members from here to @superseded; never held during disk access */
  gboolean is_asked;
  GBytes *pending;       /* (nullable): contents to write to the file; %NULL to remove the file */
  GPtrArray *superseded; /* (element-type AttnLeftover): leftover files, to be removed after
                          * writing */

  GMutex file_mutex; /* lock of the files and the members below */
  gboolean is_open;  /* whether the directory and the lock file were created */
  int lock;
  gboolean is_written;
  GError *failure; /* (nullable): error of the last write of the file */
} Store;

struct _AttnAutosave
{
  GObject parent_instance;

  AttnSession *session;
  char *directory; /* (nullable): directory of the file; %NULL after the autosave has ended */
  Store *store;    /* (nullable): file of the autosave; %NULL until there is a study to save */
  guint timeout;
  AttnTask *writing;   /* (nullable): task that writes the file; canceled silently when the autosave
                        * ends */
  gboolean has_failed; /* the last write failed */
};

enum
{
  SIGNAL_FAILED,
  SIGNAL_MENDED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnAutosave, attn_autosave, G_TYPE_OBJECT)

/* Opens and locks a lock file. Returns -1 if another process holds the lock. If the former holder
 * of the lock deletes the file before this process has locked it, a new file is created. */
static int
take_lock (const char *file)
{
  for (;;)
    {
      int lock = g_open (file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      struct stat status;

      if (lock < 0)
        return -1;
      gboolean is_locked = flock (lock, LOCK_EX | LOCK_NB) == 0;
      int saved_errno = errno;
      if (is_locked && (fstat (lock, &status) != 0 || status.st_nlink > 0))
        return lock;
      close (lock);
      errno = saved_errno;
      if (!is_locked)
        return -1;
    }
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
  Store *store = g_atomic_rc_box_new0 (Store);

  g_mutex_init (&store->mutex);
  g_mutex_init (&store->file_mutex);
  store->directory = g_strdup (directory);
  store->file = g_build_filename (directory, name, NULL);
  store->lock_file = dup_lock_file (store->file);
  store->superseded = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_leftover_free);
  store->lock = -1;
  return store;
}

static void
store_clear (gpointer data)
{
  Store *store = data;

  if (store->lock >= 0)
    close (store->lock);
  g_mutex_clear (&store->mutex);
  g_mutex_clear (&store->file_mutex);
  g_clear_pointer (&store->pending, g_bytes_unref);
  g_ptr_array_unref (store->superseded);
  g_clear_error (&store->failure);
  g_free (store->directory);
  g_free (store->file);
  g_free (store->lock_file);
}

static void
store_unref (gpointer store)
{
  g_atomic_rc_box_release_full (store, store_clear);
}

/* Sets the task of the next store_write(): to write @bytes, or to remove the file if they are
 * %NULL. Takes ownership of @bytes. */
static void
store_put (Store  *store,
           GBytes *bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&store->mutex);

  g_clear_pointer (&store->pending, g_bytes_unref);
  store->pending = bytes;
  store->is_asked = TRUE;
}

/* Creates the directory of the autosave and locks its lock file, unless that was done before. After
 * a failure the next write tries again. */
static gboolean
store_open (Store   *store,
            GError **error)
{
  if (store->is_open)
    return TRUE;
  if (g_mkdir_with_parents (store->directory, 0700) != 0)
    return attn_fail_from_errno (error, store->directory, errno);
  store->lock = take_lock (store->lock_file);
  int saved_errno = errno;
  /* If the file exists but cannot be locked, the file system has no locks. The autosave then goes
   * on without one. */
  if (store->lock < 0 && !g_file_test (store->lock_file, G_FILE_TEST_EXISTS))
    return attn_fail_from_errno (error, store->directory, saved_errno);
  store->is_open = TRUE;
  return TRUE;
}

static void
store_remove (Store *store)
{
  if (store->is_written)
    g_unlink (store->file);
  store->is_written = FALSE;
}

static gboolean
store_put_down (Store   *store,
                GBytes  *bytes,
                GError **error)
{
  if (bytes == NULL)
    {
      store_remove (store);
      return TRUE;
    }
  if (!store_open (store, error))
    return FALSE;
  store->is_written = TRUE;
  return attn_save_bytes (store->file, bytes, error);
}

/* Writes or removes the file as store_put() has set. If another thread has already done so, its
 * outcome is returned. */
static gboolean
store_write (Store   *store,
             GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&store->file_mutex);
  g_autoptr (GPtrArray) superseded =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_leftover_free);

  g_mutex_lock (&store->mutex);
  gboolean is_asked = store->is_asked;
  g_autoptr (GBytes) bytes = g_steal_pointer (&store->pending);
  store->is_asked = FALSE;
  while (is_asked && store->superseded->len > 0)
    g_ptr_array_add (superseded, g_ptr_array_steal_index (store->superseded, 0));
  g_mutex_unlock (&store->mutex);

  if (is_asked)
    {
      g_clear_error (&store->failure);
      store_put_down (store, bytes, &store->failure);
    }
  if (store->failure != NULL)
    {
      g_propagate_error (error, g_error_copy (store->failure));
      return FALSE;
    }
  for (guint i = 0; i < superseded->len; i++)
    attn_leftover_discard (superseded->pdata[i]);
  return TRUE;
}

/* Removes the file of the autosave and its lock file. A thread that was about to write then does
 * nothing. */
static void
store_discard (gpointer data,
               gpointer user_data)
{
  Store *store = data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&store->file_mutex);

  g_mutex_lock (&store->mutex);
  g_clear_pointer (&store->pending, g_bytes_unref);
  store->is_asked = FALSE;
  g_mutex_unlock (&store->mutex);
  store_remove (store);
  if (store->is_open)
    g_unlink (store->lock_file);
}

/* The file of an autosave that a thread writes, and the error if writing fails. */
typedef struct
{
  Store *store;
  GError *error;
} Writing;

static void
writing_run (gpointer  data,
             AttnTask *task,
             gpointer  place)
{
  Writing *writing = data;

  store_write (writing->store, &writing->error);
}

static void
writing_free (gpointer data)
{
  Writing *writing = data;

  store_unref (writing->store);
  g_clear_error (&writing->error);
  g_free (writing);
}

/* Emits a signal when automatic saving fails for the first time, and when it works again. */
static void
take_outcome (AttnAutosave *self,
              const GError *error)
{
  if (error != NULL && !self->has_failed)
    {
      self->has_failed = TRUE;
      g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
    }
  else if (error == NULL && self->has_failed)
    {
      self->has_failed = FALSE;
      g_signal_emit (self, signals[SIGNAL_MENDED], 0);
    }
}

static void
writing_deliver (gpointer owner,
                 gpointer data)
{
  const Writing *writing = data;

  take_outcome (owner, writing->error);
  writing_free (data);
}

static const AttnTaskKind writing_kind = {
  .run = writing_run,
  .deliver = writing_deliver,
  .free = writing_free,
};

static GBytes *
serialise (AttnSession *session,
           gboolean     is_ended)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *json = attn_study_to_json (attn_session_get_study (session));
  const char *path = attn_session_get_document (session)->path;
  const char *etag = attn_session_get_document (session)->etag;
  gsize length;

  if (path != NULL)
    {
      g_autofree char *escaped = attn_text_escape_path (path);

      g_key_file_set_string (file, GROUP, "path", escaped);
    }
  if (etag != NULL)
    g_key_file_set_string (file, GROUP, "etag", etag);
  g_key_file_set_boolean (file, GROUP, "is-changed", attn_session_is_changed (session));
  g_key_file_set_boolean (file, GROUP, "is-ended", is_ended);
  g_key_file_set_string (file, GROUP, "json", json);

  char *text = g_key_file_to_data (file, &length, NULL);
  return g_bytes_new_take (text, length);
}

/* Tells whether the study is worth saving: it has changes or belongs to a file. Any other study is
 * the one that the next start shows anyway. */
static gboolean
is_worth_keeping (AttnAutosave *self)
{
  return attn_session_is_changed (self->session) ||
         attn_session_get_document (self->session)->path != NULL;
}

/* Lets a thread write @bytes to the file, or remove the file if @bytes are %NULL. Takes ownership
 * of @bytes. */
static void
write_later (AttnAutosave *self,
             GBytes       *bytes)
{
  Writing *writing = g_new0 (Writing, 1);

  if (self->store == NULL)
    self->store = store_new (self->directory);
  writing->store = g_atomic_rc_box_acquire (self->store);
  store_put (self->store, bytes);
  g_autoptr (AttnTask) task = attn_task_new (&writing_kind, self, writing, &self->writing);
  attn_errands_run (task);
}

static gboolean
timeout_cb (gpointer user_data)
{
  AttnAutosave *self = user_data;

  self->timeout = 0;
  if (is_worth_keeping (self))
    write_later (self, serialise (self->session, FALSE));
  else if (self->store != NULL)
    write_later (self, NULL);
  return G_SOURCE_REMOVE;
}

static void
changed_cb (AttnAutosave *self)
{
  if (self->directory != NULL && self->timeout == 0)
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

  /* (GError *error): emitted when the study cannot be saved automatically; the error says why in
   * one sentence. */
  signals[SIGNAL_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);
  /* (): emitted when automatic saving works again after it has failed. */
  signals[SIGNAL_MENDED] = attn_signal_new (klass, "mended", 0);
}

static void
attn_autosave_init (AttnAutosave *self)
{
}

/**
 * attn_autosave_new:
 * @session: session whose study is saved
 * @directory: directory of the autosave file, which is created if it does not exist
 *
 * Saves the study of @session in a thread one second after each change. If the file cannot be
 * written, #AttnAutosave::failed is emitted once, and the next change tries again.
 */
AttnAutosave *
attn_autosave_new (AttnSession *session,
                   const char  *directory)
{
  AttnAutosave *self = g_object_new (ATTN_TYPE_AUTOSAVE, NULL);

  self->session = g_object_ref (session);
  self->directory = g_strdup (directory);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "document-changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

static gboolean
flush (AttnAutosave *autosave,
       gboolean      is_ended)
{
  g_autoptr (GError) error = NULL;

  g_clear_handle_id (&autosave->timeout, g_source_remove);
  if (autosave->directory == NULL)
    return FALSE;
  if (!is_worth_keeping (autosave))
    return TRUE;

  if (autosave->store == NULL)
    autosave->store = store_new (autosave->directory);
  store_put (autosave->store, serialise (autosave->session, is_ended));
  gboolean is_kept = store_write (autosave->store, &error);
  take_outcome (autosave, error);
  return is_kept;
}

/**
 * attn_autosave_flush:
 *
 * Writes the study in the calling thread without the delay, and waits for the disk, for the end of
 * the program.
 *
 * Returns: whether the study is saved, or not worth saving
 */
gboolean
attn_autosave_flush (AttnAutosave *autosave)
{
  return flush (autosave, FALSE);
}

/**
 * attn_autosave_take_over:
 * @leftover: (transfer full): the leftover that the session was restored from
 *
 * Lets a thread write the study without the delay, and then remove the file of @leftover, so that
 * the study is always in one of both files.
 */
void
attn_autosave_take_over (AttnAutosave *autosave,
                         AttnLeftover *leftover)
{
  if (autosave->directory == NULL)
    {
      attn_leftover_free (leftover);
      return;
    }
  if (autosave->store == NULL)
    autosave->store = store_new (autosave->directory);
  g_mutex_lock (&autosave->store->mutex);
  g_ptr_array_add (autosave->store->superseded, leftover);
  g_mutex_unlock (&autosave->store->mutex);
  g_clear_handle_id (&autosave->timeout, g_source_remove);
  timeout_cb (autosave);
}

/**
 * attn_autosave_end:
 *
 * Ends the autosave of a program that was told to end and cannot ask the user. A study with unsaved
 * changes stays in the file for the next start; any other is removed as by
 * [func@attn_autosave_discard].
 */
void
attn_autosave_end (AttnAutosave *autosave)
{
  if (!attn_session_is_changed (autosave->session) || !flush (autosave, TRUE))
    {
      attn_autosave_discard (autosave);
      return;
    }
  g_clear_handle_id (&autosave->timeout, g_source_remove);
  attn_task_give_up (&autosave->writing);
  g_clear_pointer (&autosave->directory, g_free);
  g_clear_pointer (&autosave->store, store_unref);
}

/**
 * attn_autosave_discard:
 *
 * Ends the autosave of a window that was closed: lets a thread remove its file.
 */
void
attn_autosave_discard (AttnAutosave *autosave)
{
  g_clear_handle_id (&autosave->timeout, g_source_remove);
  attn_task_give_up (&autosave->writing);
  g_clear_pointer (&autosave->directory, g_free);
  if (autosave->store == NULL)
    return;
  attn_errands_push (store_discard, g_steal_pointer (&autosave->store), store_unref);
}

/**
 * attn_autosave_dup_directory:
 *
 * Returns: (transfer full): directory of the autosave files of all windows, in the user's state
 *   directory
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
  g_autoptr (GBytes) bytes = attn_file_read (leftover->file, MAX_FILE_BYTES, &error);

  if (bytes == NULL || !g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, &error))
    return FALSE;

  g_autofree char *json = g_key_file_get_string (file, GROUP, "json", NULL);
  if (json == NULL)
    return FALSE;
  g_autofree char *path = g_key_file_get_string (file, GROUP, "path", NULL);
  leftover->path = path != NULL ? attn_text_unescape_path (path) : NULL;
  leftover->etag = g_key_file_get_string (file, GROUP, "etag", NULL);
  leftover->is_changed = g_key_file_get_boolean (file, GROUP, "is-changed", NULL) ||
                         (leftover->path != NULL &&
                          !g_file_test (leftover->path, G_FILE_TEST_EXISTS));
  leftover->is_ended = g_key_file_get_boolean (file, GROUP, "is-ended", NULL);
  leftover->study = attn_study_from_json (leftover->file, json, -1, &error);
  if (leftover->study == NULL)
    {
      g_debug ("%s", error->message);
      return FALSE;
    }
  leftover->missing = attn_study_find_missing (leftover->study);
  return TRUE;
}

/* Compares the times of two leftovers, for sorting the newest first. */
static int
compare_ages (gconstpointer a,
              gconstpointer b)
{
  const AttnLeftover *first = *(AttnLeftover * const *) a;
  const AttnLeftover *second = *(AttnLeftover * const *) b;

  return (second->time > first->time) - (second->time < first->time);
}

/* Deletes the lock file of a window that ended without a study to save. */
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
  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    g_unlink (lock_file);
  close (lock);
}

/* Renames a file that cannot be read, instead of deleting it: a newer version of the program or a
 * text editor may read it. */
static void
set_aside (AttnLeftover *leftover,
           GPtrArray    *damaged)
{
  g_autofree char *lock_file = dup_lock_file (leftover->file);
  char *aside = g_strconcat (leftover->file, DAMAGED_SUFFIX, NULL);

  /* The next start finds the file again if renaming fails. */
  if (g_rename (leftover->file, aside) == 0)
    g_unlink (lock_file);
  g_ptr_array_add (damaged, aside);
}

/* Lists the autosave files in the directory (element-type AttnLeftover), newest first, without
 * reading or locking them. Anything that is not a regular file is ignored. */
static GPtrArray *
list_leftovers (const char *directory)
{
  GPtrArray *leftovers = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_leftover_free);
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      GStatBuf status;

      if (g_str_has_suffix (name, LOCK_SUFFIX))
        drop_bare_lock (directory, name);
      if (!g_str_has_suffix (name, FILE_SUFFIX))
        continue;

      g_autofree char *file = g_build_filename (directory, name, NULL);
      if (g_lstat (file, &status) != 0 || !S_ISREG (status.st_mode))
        continue;
      AttnLeftover *leftover = g_new0 (AttnLeftover, 1);
      leftover->file = g_steal_pointer (&file);
      leftover->time = status.st_mtime;
      leftover->lock = -1;
      g_ptr_array_add (leftovers, leftover);
    }
  g_ptr_array_sort (leftovers, compare_ages);
  return leftovers;
}

/* Tells whether the file was left by a window that no longer exists, and can be read. The lock of
 * such a file is then held. */
static gboolean
take_leftover (AttnLeftover *leftover,
               GPtrArray    *damaged)
{
  g_autofree char *lock_file = dup_lock_file (leftover->file);

  leftover->lock = take_lock (lock_file);
  if (leftover->lock < 0)
    return FALSE;
  /* If the file is gone, another process has handled it before this one got the lock. */
  if (!g_file_test (leftover->file, G_FILE_TEST_EXISTS))
    g_unlink (lock_file);
  else if (read_leftover (leftover))
    return TRUE;
  else
    set_aside (leftover, damaged);
  return FALSE;
}

/**
 * attn_leftovers_find:
 * @directory: directory of the autosave files
 * @most: largest number of files that are read
 * @damaged: (element-type filename): array to which the paths of unreadable files are added, after
 *   renaming them so that they are not found again
 * @n_others: (out): number of further files, which stay for the next start
 *
 * Any thread may call it.
 *
 * Returns: (transfer full) (element-type AttnLeftover): leftovers of windows that no longer exist,
 *   the newest first
 */
GPtrArray *
attn_leftovers_find (const char *directory,
                     guint       most,
                     GPtrArray  *damaged,
                     guint      *n_others)
{
  g_autoptr (GPtrArray) found = list_leftovers (directory);
  GPtrArray *leftovers = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_leftover_free);

  while (found->len > 0 && leftovers->len < most && damaged->len < most)
    {
      AttnLeftover *leftover = g_ptr_array_steal_index (found, 0);

      if (take_leftover (leftover, damaged))
        g_ptr_array_add (leftovers, leftover);
      else
        attn_leftover_free (leftover);
    }
  *n_others = found->len;
  return leftovers;
}

/**
 * attn_leftover_discard:
 *
 * Removes the file of the leftover. Any thread may call it.
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
 * Frees the leftover and releases its lock. Its file stays for the next start, unless it was
 * discarded.
 */
void
attn_leftover_free (AttnLeftover *leftover)
{
  if (leftover == NULL)
    return;
  attn_study_unref (leftover->study);
  g_free (leftover->path);
  g_free (leftover->etag);
  g_clear_pointer (&leftover->missing, g_array_unref);
  g_free (leftover->file);
  if (leftover->lock >= 0)
    close (leftover->lock);
  g_free (leftover);
}
