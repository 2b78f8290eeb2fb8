/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-recent.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-file.h"
#include "attn-save.h"

/* Largest size of the list file, far above what is written. */
#define MAX_BYTES ((gsize) 1 << 20)

static char *
dup_file (void)
{
  return g_build_filename (g_get_user_state_dir (), GETTEXT_PACKAGE, "recent", NULL);
}

/* Reads the list: one path in each line, in the encoding of the file system. */
static GStrv
read_paths (void)
{
  g_autofree char *file = dup_file ();
  g_autoptr (GBytes) bytes = attn_file_read (file, MAX_BYTES, NULL);
  gsize length = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : "";
  g_autofree char *text = g_strndup (data, length);

  return g_strsplit (text, "\n", -1);
}

/**
 * attn_recent_get:
 *
 * Returns: (transfer full) (array zero-terminated=1): at most %ATTN_RECENT_MAX paths that are still
 *   there, the last opened first
 */
GStrv
attn_recent_get (void)
{
  g_auto (GStrv) paths = read_paths ();
  g_autoptr (GStrvBuilder) present = g_strv_builder_new ();
  guint n = 0;

  for (guint i = 0; paths[i] != NULL && n < ATTN_RECENT_MAX; i++)
    if (g_path_is_absolute (paths[i]) && g_file_test (paths[i], G_FILE_TEST_EXISTS))
      {
        g_strv_builder_add (present, paths[i]);
        n++;
      }
  return g_strv_builder_end (present);
}

/**
 * attn_recent_add:
 * @path: what was opened or saved
 *
 * It becomes the first one. Where the list cannot be written, there is none.
 */
void
attn_recent_add (const char *path)
{
  g_auto (GStrv) paths = read_paths ();
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *file = dup_file ();
  g_autofree char *directory = g_path_get_dirname (file);
  g_autoptr (GString) text = g_string_new (absolute);
  g_autoptr (GError) error = NULL;
  guint n = 1;

  if (strchr (absolute, '\n') != NULL)
    return;
  g_string_append_c (text, '\n');
  for (guint i = 0; paths[i] != NULL && n < ATTN_RECENT_MAX; i++)
    if (paths[i][0] != '\0' && !g_str_equal (paths[i], absolute))
      {
        g_string_append_printf (text, "%s\n", paths[i]);
        n++;
      }

  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  g_mkdir_with_parents (directory, 0700);
  if (!attn_save_bytes (file, bytes, &error))
    g_debug ("%s", error->message);
}

void
attn_recent_clear (void)
{
  g_autofree char *file = dup_file ();

  g_unlink (file);
}

/* A task for the thread of the list: add a path, run a task, or clear the list. */
typedef struct
{
  char *path;     /* (nullable): is added */
  AttnTask *task; /* (nullable): is run */
} Errand;

static GThreadPool *pool; /* (nullable): of one thread, which keeps the order of errands */

static void
run_errand (gpointer data,
            gpointer user_data)
{
  Errand *errand = data;

  if (errand->path != NULL)
    attn_recent_add (errand->path);
  else if (errand->task != NULL)
    attn_task_run (errand->task, NULL);
  else
    attn_recent_clear ();
  g_free (errand->path);
  g_clear_pointer (&errand->task, attn_task_unref);
  g_free (errand);
}

static void
push (char     *path,
      AttnTask *task)
{
  Errand *errand = g_new0 (Errand, 1);

  errand->path = path;
  errand->task = task;
  if (pool == NULL)
    pool = g_thread_pool_new (run_errand, NULL, 1, FALSE, NULL);
  g_thread_pool_push (pool, errand, NULL);
}

/**
 * attn_recent_add_later:
 *
 * [func@attn_recent_add] in a thread: its file is written to the disk, which may be busy or on
 * another computer. Like what follows for the main thread alone.
 */
void
attn_recent_add_later (const char *path)
{
  push (g_strdup (path), NULL);
}

/**
 * attn_recent_clear_later:
 *
 * [func@attn_recent_clear] behind what was asked for before.
 */
void
attn_recent_clear_later (void)
{
  push (NULL, NULL);
}

/**
 * attn_recent_run_later:
 * @task: which calls [func@attn_recent_get]
 *
 * Runs it behind what was asked for before.
 */
void
attn_recent_run_later (AttnTask *task)
{
  push (NULL, attn_task_ref (task));
}

/**
 * attn_recent_wait:
 *
 * Waits for all that was asked for, before the program ends.
 */
void
attn_recent_wait (void)
{
  if (pool != NULL)
    g_thread_pool_free (g_steal_pointer (&pool), FALSE, TRUE);
}
