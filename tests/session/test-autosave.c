/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a window leaves behind, and what the next start finds of it; and what was opened last. */

#include "config.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attn-autosave.h"
#include "attn-errands.h"
#include "attn-recent.h"
#include "attn-worker.h"

#define PATIENCE_SECONDS 30
#define LEAVE_BEHIND     "--leave-behind"

static const char *program;

typedef struct
{
  char *directory;
  AttnSession *session;
} Fixture;

/* Between opening a lock file and locking it another process takes both files away. */
static const char *file_to_sweep;
static gboolean sweeps_lock;

int
flock (int fd,
       int operation)
{
  if (sweeps_lock)
    {
      g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
      g_autofree char *path = g_file_read_link (link, NULL);

      sweeps_lock = FALSE;
      g_assert_cmpint (g_unlink (path), ==, 0);
      if (file_to_sweep != NULL)
        g_assert_cmpint (g_unlink (file_to_sweep), ==, 0);
    }
  return syscall (SYS_flock, fd, operation);
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->directory = g_dir_make_tmp ("attention-grid-autosave-XXXXXX", NULL);
  fixture->session = attn_session_new ();
  attn_session_open (fixture->session, attn_presets_load ("epsilon", NULL));
}

static guint
count_files (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static GPtrArray *
find_leftovers (Fixture *fixture)
{
  g_autoptr (GPtrArray) damaged = g_ptr_array_new_with_free_func (g_free);
  guint n_others;
  GPtrArray *leftovers = attn_leftovers_find (fixture->directory, G_MAXUINT, damaged, &n_others);

  g_assert_cmpuint (damaged->len, ==, 0);
  g_assert_cmpuint (n_others, ==, 0);
  return leftovers;
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_assert_finalize_object (fixture->session);
  attn_errands_wait ();
  attn_worker_wait_for_threads ();
  /* Nothing is left behind by what was closed or discarded. */
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
  g_free (fixture->directory);
}

static void
set_epsilon (AttnSession *session,
             double       epsilon)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (session));

  g_array_index (study->epsilons, double, 0) = epsilon;
  attn_session_edit (session, study, NULL);
}

static gboolean
out_of_patience_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
test_written_by_itself (Fixture       *fixture,
                        gconstpointer  data)
{
  AttnAutosave *autosave = attn_autosave_new (fixture->session, fixture->directory);
  gboolean is_out_of_patience = FALSE;
  guint source = g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, &is_out_of_patience);

  set_epsilon (fixture->session, 0.25);
  /* The lock, and beside it the study. */
  while (count_files (fixture->directory) < 2 && !is_out_of_patience)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (is_out_of_patience);
  g_source_remove (source);
  g_assert_finalize_object (autosave);
  attn_errands_wait ();
  g_assert_cmpuint (count_files (fixture->directory), ==, 0);
}

static void
count_cb (guint *count)
{
  (*count)++;
}

/* One complaint, however often the study changes; and all is well as soon as there is a place. */
static void
test_failure_is_told_once (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autofree char *place = g_build_filename (fixture->directory, "place", NULL);
  guint n_failed = 0;
  guint n_mended = 0;

  g_assert_true (g_file_set_contents (place, "in the way", -1, NULL));
  AttnAutosave *autosave = attn_autosave_new (fixture->session, place);
  g_signal_connect_swapped (autosave, "failed", G_CALLBACK (count_cb), &n_failed);
  g_signal_connect_swapped (autosave, "mended", G_CALLBACK (count_cb), &n_mended);
  g_assert_true (attn_autosave_flush (autosave));
  g_assert_cmpuint (n_failed, ==, 0);
  for (guint i = 1; i <= 3; i++)
    {
      set_epsilon (fixture->session, 0.5 / (1 + i));
      g_assert_false (attn_autosave_flush (autosave));
      g_assert_cmpuint (n_failed, ==, 1);
    }
  g_assert_cmpuint (n_mended, ==, 0);
  g_assert_cmpint (g_unlink (place), ==, 0);
  g_assert_true (attn_autosave_flush (autosave));
  g_assert_cmpuint (n_mended, ==, 1);
  g_assert_cmpuint (count_files (place), ==, 2);
  g_assert_finalize_object (autosave);
  attn_errands_wait ();
  g_assert_cmpint (g_rmdir (place), ==, 0);
}

/* The same where it is written in a thread. */
static void
test_failure_of_the_thread_is_told (Fixture       *fixture,
                                    gconstpointer  data)
{
  g_autofree char *place = g_build_filename (fixture->directory, "place", NULL);
  AttnAutosave *autosave = attn_autosave_new (fixture->session, place);
  gboolean is_out_of_patience = FALSE;
  guint source = g_timeout_add_seconds (PATIENCE_SECONDS, out_of_patience_cb, &is_out_of_patience);
  guint n_failed = 0;

  g_assert_true (g_file_set_contents (place, "in the way", -1, NULL));
  g_signal_connect_swapped (autosave, "failed", G_CALLBACK (count_cb), &n_failed);
  set_epsilon (fixture->session, 0.25);
  while (n_failed == 0 && !is_out_of_patience)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (is_out_of_patience);
  g_source_remove (source);
  g_assert_finalize_object (autosave);
  g_assert_cmpint (g_unlink (place), ==, 0);
}

static void
test_nothing_is_kept_of_what_is_not_changed (Fixture       *fixture,
                                             gconstpointer  data)
{
  AttnAutosave *autosave = attn_autosave_new (fixture->session, fixture->directory);

  attn_autosave_flush (autosave);
  g_assert_cmpuint (count_files (fixture->directory), ==, 0);
  g_assert_finalize_object (autosave);
}

static void
test_living_window_is_not_offered (Fixture       *fixture,
                                   gconstpointer  data)
{
  AttnAutosave *autosave = attn_autosave_new (fixture->session, fixture->directory);

  set_epsilon (fixture->session, 0.25);
  attn_autosave_flush (autosave);
  g_autoptr (GPtrArray) leftovers = find_leftovers (fixture);
  g_assert_cmpuint (leftovers->len, ==, 0);
  g_assert_finalize_object (autosave);
}

/* It holds a lock on what has a name, so that no other window takes its file for left over. */
static void
test_lock_is_swept_before_it_is_locked (Fixture       *fixture,
                                        gconstpointer  data)
{
  sweeps_lock = TRUE;
  AttnAutosave *autosave = attn_autosave_new (fixture->session, fixture->directory);
  set_epsilon (fixture->session, 0.25);
  attn_autosave_flush (autosave);
  g_assert_false (sweeps_lock);
  g_assert_cmpuint (count_files (fixture->directory), ==, 2);
  g_autoptr (GPtrArray) leftovers = find_leftovers (fixture);
  g_assert_cmpuint (leftovers->len, ==, 0);
  g_assert_finalize_object (autosave);
}

/* Leaves a file behind as a window does that is killed: in a process of its own, begun anew, for a
 * fork of this one would inherit locks that its threads hold. The session of @fixture has the same
 * study then. */
static void
leave_behind (Fixture    *fixture,
              double      epsilon,
              const char *path)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  const char *argv[] = {
    program, LEAVE_BEHIND, fixture->directory, g_ascii_dtostr (digits, sizeof digits, epsilon),
    path, NULL
  };
  g_autoptr (GError) error = NULL;
  int status;

  set_epsilon (fixture->session, epsilon);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status,
                &error);
  g_assert_no_error (error);
  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (WTERMSIG (status), ==, SIGKILL);
}

/* @argv: the directory, ε, and the file of the study where it is saved */
static int
leave_behind_and_die (char **argv)
{
  g_autoptr (AttnSession) session = attn_session_new ();

  attn_session_open (session, attn_presets_load ("epsilon", NULL));
  set_epsilon (session, g_ascii_strtod (argv[1], NULL));
  if (argv[2] != NULL && !attn_session_save (session, argv[2], NULL))
    return EXIT_FAILURE;
  g_autoptr (AttnAutosave) autosave = attn_autosave_new (session, argv[0]);
  if (!attn_autosave_flush (autosave))
    return EXIT_FAILURE;
  raise (SIGKILL);
  return EXIT_FAILURE;
}

static void
test_killed_window_is_offered_until_discarded (Fixture       *fixture,
                                               gconstpointer  data)
{
  leave_behind (fixture, 0.25, NULL);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) leftovers = find_leftovers (fixture);
      g_autoptr (GPtrArray) others = find_leftovers (fixture);

      g_assert_cmpuint (leftovers->len, ==, 1);
      /* Nobody else is offered it meanwhile. */
      g_assert_cmpuint (others->len, ==, 0);

      AttnLeftover *leftover = g_ptr_array_index (leftovers, 0);
      g_assert_true (attn_study_equal (leftover->study, attn_session_get_study (fixture->session)));
      g_assert_null (leftover->path);
      g_assert_true (leftover->is_changed);
      if (i > 0)
        attn_leftover_discard (leftover);
    }
  g_autoptr (GPtrArray) none = find_leftovers (fixture);
  g_assert_cmpuint (none->len, ==, 0);
}

/* Another start has restored and discarded it meanwhile: it is neither offered nor damaged. */
static void
test_leftover_is_taken_by_another_start (Fixture       *fixture,
                                         gconstpointer  data)
{
  leave_behind (fixture, 0.25, NULL);
  g_autoptr (GPtrArray) leftovers = find_leftovers (fixture);
  g_autofree char *file = g_strdup (((AttnLeftover *) leftovers->pdata[0])->file);

  g_ptr_array_set_size (leftovers, 0);
  file_to_sweep = file;
  sweeps_lock = TRUE;
  g_autoptr (GPtrArray) none = find_leftovers (fixture);
  g_assert_false (sweeps_lock);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpuint (count_files (fixture->directory), ==, 0);
  file_to_sweep = NULL;
}

static gboolean
is_overtaken (AttnSession *session)
{
  const AttnDocument *document = attn_session_get_document (session);

  return attn_document_file_is_overtaken (document->path, document->etag);
}

/* What another program has written to the file before the study is restored is noticed: a second
 * later, as nobody writes within the clock tick by which a file's time goes. */
static void
check_file_is_known (Fixture      *fixture,
                     AttnLeftover *leftover)
{
  const struct timespec later[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = time (NULL) + 1 } };

  attn_session_restore (fixture->session, attn_study_ref (leftover->study), leftover->path,
                        leftover->etag, leftover->is_changed, leftover->missing);
  g_assert_false (is_overtaken (fixture->session));
  g_assert_true (g_file_set_contents (leftover->path, "{}", -1, NULL));
  g_assert_cmpint (utimensat (AT_FDCWD, leftover->path, later, 0), ==, 0);
  g_assert_true (is_overtaken (fixture->session));
}

static void
test_two_windows_and_a_saved_one (Fixture       *fixture,
                                  gconstpointer  data)
{
  /* Whatever bytes its name has. */
  g_autofree char *path = g_strconcat (fixture->directory, "-caf\xe9.json", NULL);

  leave_behind (fixture, 0.25, NULL);
  leave_behind (fixture, 0.125, path);
  g_autoptr (GPtrArray) leftovers = find_leftovers (fixture);
  guint n_saved = 0;

  g_assert_cmpuint (leftovers->len, ==, 2);
  for (guint i = 0; i < leftovers->len; i++)
    {
      AttnLeftover *leftover = g_ptr_array_index (leftovers, i);

      if (leftover->path != NULL)
        {
          g_assert_cmpstr (leftover->path, ==, path);
          g_assert_false (leftover->is_changed);
          check_file_is_known (fixture, leftover);
          n_saved++;
        }
      attn_leftover_discard (leftover);
    }
  g_assert_cmpuint (n_saved, ==, 1);
  g_unlink (path);
}

/* It is not lost, and not offered again. */
static void
test_damaged_file_is_set_aside (Fixture       *fixture,
                                gconstpointer  data)
{
  static const char * const texts[] = { "", "[Study]\njson={}\n", "\x80", "[Study]\n" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *file = g_build_filename (fixture->directory, "a.autosave", NULL);
      g_autoptr (GPtrArray) damaged = g_ptr_array_new_with_free_func (g_free);
      g_autofree char *text = NULL;

      g_assert_true (g_file_set_contents (file, texts[i], -1, NULL));
      for (guint k = 0; k < 2; k++)
        {
          guint n_others;
          g_autoptr (GPtrArray) leftovers =
              attn_leftovers_find (fixture->directory, G_MAXUINT, damaged, &n_others);

          g_assert_cmpuint (leftovers->len, ==, 0);
          g_assert_cmpuint (damaged->len, ==, 1);
          g_assert_cmpuint (count_files (fixture->directory), ==, 1);
        }
      g_assert_true (g_file_get_contents (g_ptr_array_index (damaged, 0), &text, NULL, NULL));
      g_assert_cmpstr (text, ==, texts[i]);
      g_unlink (g_ptr_array_index (damaged, 0));
    }
}

/* The first window waits for them: a few are read, the newest, and nothing that is no file. */
static void
test_few_of_many_are_read (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (GPtrArray) damaged = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *pipe = g_build_filename (fixture->directory, "pipe.autosave", NULL);
  g_autofree char *device = g_build_filename (fixture->directory, "zero.autosave", NULL);
  guint n_others;

  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *file = g_strdup_printf ("%s/%u.autosave", fixture->directory, i);
      g_autoptr (GKeyFile) content = g_key_file_new ();
      const struct timespec times[2] = { { .tv_sec = 1000 + i }, { .tv_sec = 1000 + i } };

      g_key_file_set_string (content, "Study", "json", json);
      g_assert_true (g_key_file_save_to_file (content, file, NULL));
      g_assert_cmpint (utimensat (AT_FDCWD, file, times, 0), ==, 0);
    }
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_cmpint (symlink ("/dev/zero", device), ==, 0);

  g_autoptr (GPtrArray) leftovers =
      attn_leftovers_find (fixture->directory, 3, damaged, &n_others);
  g_assert_cmpuint (leftovers->len, ==, 3);
  g_assert_cmpuint (damaged->len, ==, 0);
  g_assert_cmpuint (n_others, ==, 17);
  for (guint i = 0; i < leftovers->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("/%u.autosave", 19 - i);

      g_assert_true (g_str_has_suffix (((AttnLeftover *) leftovers->pdata[i])->file, name));
    }

  g_unlink (pipe);
  g_unlink (device);
  g_autoptr (GPtrArray) all =
      attn_leftovers_find (fixture->directory, G_MAXUINT, damaged, &n_others);
  for (guint i = 0; i < all->len; i++)
    attn_leftover_discard (all->pdata[i]);
  for (guint i = 0; i < leftovers->len; i++)
    attn_leftover_discard (leftovers->pdata[i]);
}

/* What cannot be read from the file any more is not taken for saved. */
static void
test_study_whose_file_is_gone_is_changed (Fixture       *fixture,
                                          gconstpointer  data)
{
  g_autofree char *path = g_strconcat (fixture->directory, ".json", NULL);

  leave_behind (fixture, 0.125, path);
  g_unlink (path);
  g_autoptr (GPtrArray) leftovers = find_leftovers (fixture);
  g_assert_cmpuint (leftovers->len, ==, 1);
  AttnLeftover *leftover = g_ptr_array_index (leftovers, 0);
  g_assert_cmpstr (leftover->path, ==, path);
  g_assert_true (leftover->is_changed);
  attn_leftover_discard (leftover);
}

/* A directory that cannot be made: the session goes on without. */
static void
test_no_place_to_write (Fixture       *fixture,
                        gconstpointer  data)
{
  AttnAutosave *autosave = attn_autosave_new (fixture->session, "/dev/null/nowhere");

  set_epsilon (fixture->session, 0.25);
  attn_autosave_flush (autosave);
  attn_autosave_discard (autosave);
  g_assert_finalize_object (autosave);
}

static void
test_recent (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-recent-XXXXXX", NULL);
  char *files[ATTN_RECENT_MAX + 2];

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strdup_printf ("study %zu.json", i);

      files[i] = g_build_filename (directory, name, NULL);
      g_assert_true (g_file_set_contents (files[i], "", 0, NULL));
      attn_recent_add (files[i]);
    }
  attn_recent_add (files[5]);

  /* The last one first, each once, and no more than fit. */
  g_auto (GStrv) paths = attn_recent_get ();
  g_assert_cmpuint (g_strv_length (paths), ==, ATTN_RECENT_MAX);
  g_assert_cmpstr (paths[0], ==, files[5]);
  g_assert_cmpstr (paths[1], ==, files[G_N_ELEMENTS (files) - 1]);

  /* What is gone is not offered. */
  g_unlink (files[5]);
  g_auto (GStrv) rest = attn_recent_get ();
  g_assert_cmpuint (g_strv_length (rest), ==, ATTN_RECENT_MAX - 1);
  g_assert_false (g_strv_contains ((const char * const *) rest, files[5]));

  attn_recent_clear ();
  g_auto (GStrv) none = attn_recent_get ();
  g_assert_cmpuint (g_strv_length (none), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_unlink (files[i]);
      g_free (files[i]);
    }
  g_rmdir (directory);
}

#define ADD(name, function) \
  g_test_add ("/app/autosave/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int    argc,
      char **argv)
{
  program = argv[0];
  if (argc > 1 && g_str_equal (argv[1], LEAVE_BEHIND))
    return leave_behind_and_die (argv + 2);

  /* G_TEST_OPTION_ISOLATE_DIRS does the same, but GLib 2.74 does not give it back. */
  g_autofree char *state = g_dir_make_tmp ("attention-grid-state-XXXXXX", NULL);
  g_autofree char *kept = g_build_filename (state, GETTEXT_PACKAGE, NULL);

  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_test_init (&argc, &argv, NULL);
  ADD ("written-by-itself", test_written_by_itself);
  ADD ("failure-is-told-once", test_failure_is_told_once);
  ADD ("failure-of-the-thread-is-told", test_failure_of_the_thread_is_told);
  ADD ("nothing-is-kept-of-what-is-not-changed", test_nothing_is_kept_of_what_is_not_changed);
  ADD ("living-window-is-not-offered", test_living_window_is_not_offered);
  ADD ("lock-is-swept-before-it-is-locked", test_lock_is_swept_before_it_is_locked);
  ADD ("leftover-is-taken-by-another-start", test_leftover_is_taken_by_another_start);
  ADD ("killed-window-is-offered-until-discarded", test_killed_window_is_offered_until_discarded);
  ADD ("two-windows-and-a-saved-one", test_two_windows_and_a_saved_one);
  ADD ("damaged-file-is-set-aside", test_damaged_file_is_set_aside);
  ADD ("few-of-many-are-read", test_few_of_many_are_read);
  ADD ("study-whose-file-is-gone-is-changed", test_study_whose_file_is_gone_is_changed);
  ADD ("no-place-to-write", test_no_place_to_write);
  g_test_add_func ("/app/recent/list", test_recent);
  int status = g_test_run ();
  g_rmdir (kept);
  g_rmdir (state);
  return status;
}
