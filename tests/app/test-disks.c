/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Disks that do not answer. The functions that touch files are those of this program: they note
 * what the main thread asks of a folder that stands for a disk of another computer. Nothing may be
 * asked there, for the window stands still as long as no answer comes. */

#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../save-arrays.h"
#include "app-fixture.h"
#include "attn-errands.h"

static char *disk; /* the folder */
static gboolean is_watched;
static GThread *main_thread;
static GString *touches; /* what the main thread has asked, a line each */

static int n_kept; /* how often a study was kept for the next start */

/* ThreadSanitizer looks files up itself while it reports, and must not come back to itself here. */
#define UNSANITIZED __attribute__ ((no_sanitize_thread))

UNSANITIZED static void
note (const char *function,
      const char *path)
{
  if (g_str_equal (function, "renameat") && g_str_has_suffix (path, ".autosave"))
    g_atomic_int_inc (&n_kept);
  if (is_watched && g_thread_self () == main_thread && path != NULL &&
      g_str_has_prefix (path, disk))
    g_string_append_printf (touches, "%s %s\n", function, path);
}

/* Takes the place of a function of the system, by the name that other libraries call. Versions of
 * clang-format differ about it. */
/* clang-format off */
#define WATCH(result, function, parameters, arguments)                        \
  result watch_##function parameters __asm__(#function);                      \
  UNSANITIZED result watch_##function parameters                              \
  {                                                                           \
    static result (*next) parameters;                                         \
                                                                              \
    if (next == NULL)                                                         \
      next = (result (*) parameters) (gpointer) dlsym (RTLD_NEXT, #function); \
    note (#function, path);                                                   \
    return next arguments;                                                    \
  }
/* clang-format on */

WATCH (int, open64, (const char *path, int flags, mode_t mode), (path, flags, mode))
WATCH (int, openat64, (int fd, const char *path, int flags, mode_t mode), (fd, path, flags, mode))
WATCH (gpointer, fopen64, (const char *path, const char *mode), (path, mode))
WATCH (gpointer, opendir, (const char *path), (path))
WATCH (int, stat64, (const char *path, gpointer to), (path, to))
WATCH (int, lstat64, (const char *path, gpointer to), (path, to))
WATCH (int, statfs64, (const char *path, gpointer to), (path, to))
WATCH (int, statx, (int at, const char *path, int f, guint m, gpointer to), (at, path, f, m, to))
WATCH (int, renameat, (int from, const char *old, int to, const char *path), (from, old, to, path))
WATCH (int, access, (const char *path, int mode), (path, mode))
WATCH (int, mkdir, (const char *path, mode_t mode), (path, mode))
WATCH (int, unlink, (const char *path), (path))
WATCH (int, rename, (const char *path, const char *other), (path, other))
WATCH (ssize_t, readlink, (const char *path, char *buffer, size_t size), (path, buffer, size))

static void
wait_until_kept (void)
{
  g_atomic_int_set (&n_kept, 0);
  WAIT_UNTIL (g_atomic_int_get (&n_kept) > 0);
}

static GtkApplication *application;

static char *
make_path (const char *name)
{
  return g_build_filename (disk, name, NULL);
}

static void
set_up (gpointer      *fixture,
        gconstpointer  data)
{
  g_string_truncate (touches, 0);
}

/* Watches the main thread from now on. */
static void
watch (void)
{
  is_watched = TRUE;
}

/* Ends watching, after which the test itself may touch files. */
static void
look_away (void)
{
  is_watched = FALSE;
  g_assert_cmpstr (touches->str, ==, "");
}

static void
tear_down (gpointer      *fixture,
           gconstpointer  data)
{
  watch ();
  while (gtk_application_get_windows (application) != NULL)
    close_window (gtk_application_get_windows (application)->data);
  iterate ();
  look_away ();
  attn_errands_wait ();
}

static void
open_path (AttnWindow *window,
           const char *path)
{
  attn_window_open_path (window, path);
  WAIT_UNTIL (window->opening == NULL);
}

static void
change (AttnWindow *window)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));

  study->style.n_digits++;
  attn_session_edit (window->session, study, NULL);
}

/* What it would find is found. */
static void
test_touch_is_noticed (gpointer      *fixture,
                       gconstpointer  data)
{
  g_autofree char *path = make_path ("nothing");

  watch ();
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  is_watched = FALSE;
  g_assert_nonnull (strstr (touches->str, path));
  g_string_truncate (touches, 0);
}

/* A study is opened, edited, kept for the next start, saved, and opened elsewhere. */
static void
test_study (gpointer      *fixture,
            gconstpointer  data)
{
  g_autofree char *path = make_path ("study.json");
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", NULL);

  g_assert_true (attn_study_save (study, path, NULL));
  watch ();
  AttnWindow *window = attn_window_new (application);
  attn_window_offer_leftovers (window);
  open_path (window, path);
  gtk_window_present (GTK_WINDOW (window));
  wait_for_figure (window);
  WAIT_UNTIL (window->finding == NULL);
  change (window);
  wait_until_kept ();
  g_action_group_activate_action (G_ACTION_GROUP (window), "save", NULL);
  WAIT_UNTIL (window->saving == NULL && !attn_session_is_changed (window->session));
  change (window);
  open_path (window, path);
  wait_for_figure (window);
  look_away ();
}

/* So are a model that is not there, a file of several arrays, and something that is not a study. */
static void
test_models (gpointer      *fixture,
             gconstpointer  data)
{
  static const float values[] = { 1, 0, 0.5, 0.5 };
  const gsize shape[] = { 2, 2 };
  g_autofree char *several = make_path ("several.npz");
  g_autofree char *bad = make_path ("bad.json");
  g_autofree char *lacking = make_path ("lacking.json");
  g_autofree char *nowhere = make_path ("model");
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static (values, sizeof values);

  attn_array_file_add (file, attn_array_new ("first", ATTN_DTYPE_F32, 2, shape, bytes, NULL), NULL);
  attn_array_file_add (file, attn_array_new ("second", ATTN_DTYPE_F32, 2, shape, bytes, NULL),
                       NULL);
  g_assert_true (save_arrays (file, several, NULL));
  g_assert_true (g_file_set_contents (bad, "{", -1, NULL));
  study->model.path = g_strdup (nowhere);
  g_assert_true (attn_study_save (study, lacking, NULL));

  AttnWindow *window = open_window (application);
  guint n_windows = g_list_length (gtk_application_get_windows (application));
  watch ();
  open_path (window, lacking);
  g_assert_cmpint (attn_session_get_question (window->session).kind, ==,
                   ATTN_MODEL_QUESTION_MISSING);
  attn_session_drop_question (window->session);
  open_path (window, bad);
  open_path (window, nowhere);
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  open_path (window, several);
  WAIT_UNTIL (g_list_length (gtk_application_get_windows (application)) > n_windows ||
              g_list_model_get_n_items (gtk_window_get_toplevels ()) > n_windows);
  look_away ();
}

/* Texts, pictures and sounds are inputs. */
static void
test_inputs (gpointer      *fixture,
             gconstpointer  data)
{
  g_autofree char *text = make_path ("words.txt");
  g_autofree char *sound = make_path ("sound.wav");
  g_autoptr (GFile) text_file = g_file_new_for_path (text);
  g_autoptr (GFile) sound_file = g_file_new_for_path (sound);
  g_autofree char *from = g_test_build_filename (G_TEST_DIST, "sound", "byte-8000.wav", NULL);
  AttnWindow *window = open_window (application);
  guint n = attn_session_get_study (window->session)->inputs->len;

  g_assert_true (g_file_set_contents (text, "The sea is the sea.\n", -1, NULL));
  g_assert_cmpint (symlink (from, sound), ==, 0);
  watch ();
  attn_window_open (window, text_file);
  WAIT_UNTIL (attn_session_get_study (window->session)->inputs->len == n + 1);
  wait_for_figure (window);
  attn_window_open (window, sound_file);
  WAIT_UNTIL (find_label (window->sidebar, "0.3 s") != NULL);
  WAIT_UNTIL (!attn_session_is_busy (window->session));
  look_away ();
}

/* A recording is shown, pointed at, exported and copied. */
static void
test_recording (gpointer      *fixture,
                gconstpointer  data)
{
  static const float values[] = { 1, 0, 0.5, 0.5 };
  const gsize shape[] = { 2, 2 };
  const AttnCellCursor cursor = { 0, 1, 0 };
  g_autofree char *path = make_path ("attention.npz");
  g_autofree char *figure = make_path ("figure.svg");
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static (values, sizeof values);

  attn_array_file_add (file, attn_array_new ("attention", ATTN_DTYPE_F32, 2, shape, bytes, NULL),
                       NULL);
  g_assert_true (save_arrays (file, path, NULL));
  AttnWindow *window = open_window (application);
  watch ();
  open_path (window, path);
  WAIT_UNTIL (g_strcmp0 (attn_session_get_study (window->session)->model.path, path) == 0);
  wait_for_figure (window);
  attn_reading_set_cursor (window->reading, &cursor);
  WAIT_UNTIL (attn_session_is_complete (window->session));
  attn_window_export (window, attn_session_get_result (window->session), figure, ATTN_EXPORT_SVG,
                      -1);
  WAIT_UNTIL (window->exporting == NULL);
  g_action_group_activate_action (G_ACTION_GROUP (window), "copy-figure", NULL);
  WAIT_UNTIL (window->copying == NULL);
  look_away ();
  g_assert_true (g_file_test (figure, G_FILE_TEST_EXISTS));
}

#define ADD(name, function) \
  g_test_add ("/app/disks/" name, gpointer, NULL, set_up, function, tear_down)

static void
remove_disk (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        remove_disk (path);
      else
        g_unlink (path);
    }
  g_rmdir (directory);
}

int
main (int    argc,
      char **argv)
{
  disk = g_dir_make_tmp ("attn-disk-XXXXXX", NULL);
  /* What windows keep lies there, too. */
  g_setenv ("XDG_STATE_HOME", disk, TRUE);
  main_thread = g_thread_self ();
  touches = g_string_new (NULL);
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  ADD ("touch-is-noticed", test_touch_is_noticed);
  ADD ("study", test_study);
  ADD ("models", test_models);
  ADD ("inputs", test_inputs);
  ADD ("recording", test_recording);
  int status = fixture_run (application);
  attn_errands_wait ();
  remove_disk (disk);
  g_free (disk);
  g_string_free (touches, TRUE);
  return status;
}
