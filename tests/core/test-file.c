/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading: what is no file, files that change meanwhile, and files that must not be written to. */

#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../bus-error.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-memory.h"
#include "attn-save.h"

#define N_BYTES ((gsize) 1 << 20)

typedef struct
{
  char *directory;
  char *path; /* of N_BYTES times 'a' */
  char *link;
} Fixture;

static void
write_file (Fixture *fixture)
{
  g_autofree char *text = g_strnfill (N_BYTES, 'a');

  g_assert_true (g_file_set_contents_full (fixture->path, text, N_BYTES, G_FILE_SET_CONTENTS_NONE,
                                           0600, NULL));
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  fixture->directory = g_dir_make_tmp ("attn-file-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->directory, "file", NULL);
  fixture->link = g_build_filename (fixture->directory, "link", NULL);
  write_file (fixture);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_unlink (fixture->link);
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
  g_free (fixture->directory);
  g_free (fixture->path);
  g_free (fixture->link);
}

static GBytes *
map (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = attn_file_map (fixture->path, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, N_BYTES);
  return bytes;
}

static gsize
count (GBytes *bytes,
       char    c)
{
  const char *text = g_bytes_get_data (bytes, NULL);
  gsize n = 0;

  for (gsize i = 0; i < N_BYTES; i++)
    n += text[i] == c;
  return n;
}

static void
assert_changed (Fixture *fixture,
                GBytes  *bytes)
{
  g_autofree char *message =
      g_strdup_printf ("%s: the file was changed while it was read", fixture->path);
  g_autoptr (GError) error = NULL;

  g_assert_false (attn_file_check (bytes, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
  g_assert_cmpstr (error->message, ==, message);
}

/* The clock that times of files are taken from moves every few milliseconds. */
static void
change_in_place (Fixture               *fixture,
                 const struct timespec  times[2])
{
  struct stat before;
  struct stat now;
  int fd = g_open (fixture->path, O_WRONLY, 0);

  g_assert_cmpint (fstat (fd, &before), ==, 0);
  do
    {
      g_assert_cmpint (pwrite (fd, "b", 1, N_BYTES / 2), ==, 1);
      g_assert_cmpint (futimens (fd, times), ==, 0);
      g_assert_cmpint (fstat (fd, &now), ==, 0);
    }
  while (memcmp (&before.st_ctim, &now.st_ctim, sizeof now.st_ctim) == 0);
  close (fd);
}

static void
test_shrinks (Fixture       *fixture,
              gconstpointer  data)
{
  if (skip_without_bus_error_addresses ())
    return;
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) bytes = map (fixture);

      g_assert_true (attn_file_check (bytes, NULL));
      g_assert_cmpint (truncate (fixture->path, 10), ==, 0);
      g_assert_cmpuint (count (bytes, 'b'), ==, 0);
      assert_changed (fixture, bytes);
      /* That it is as long as it was does not bring back what was read. */
      write_file (fixture);
      assert_changed (fixture, bytes);
      g_autoptr (GBytes) again = map (fixture);
      g_assert_cmpuint (count (again, 'a'), ==, N_BYTES);
      g_assert_true (attn_file_check (again, NULL));
    }
}

static gpointer
count_in_thread (gpointer bytes)
{
  return GSIZE_TO_POINTER (count (bytes, 'a'));
}

static void
test_shrinks_under_threads (Fixture       *fixture,
                            gconstpointer  data)
{
  if (skip_without_bus_error_addresses ())
    return;
  g_autoptr (GBytes) bytes = map (fixture);
  GThread *threads[4];

  g_assert_cmpint (truncate (fixture->path, N_BYTES / 2), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", count_in_thread, bytes);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpuint (GPOINTER_TO_SIZE (g_thread_join (threads[i])), <=, N_BYTES / 2);
  assert_changed (fixture, bytes);
}

static void
test_rewritten (Fixture       *fixture,
                gconstpointer  data)
{
  const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
  g_autoptr (GBytes) bytes = map (fixture);

  change_in_place (fixture, now);
  g_assert_cmpuint (count (bytes, 'b'), ==, 1);
  assert_changed (fixture, bytes);
}

static void
test_rewritten_and_dated_back (Fixture       *fixture,
                               gconstpointer  data)
{
  g_autoptr (GBytes) bytes = map (fixture);
  struct stat status;

  g_assert_cmpint (stat (fixture->path, &status), ==, 0);
  const struct timespec times[2] = { status.st_atim, status.st_mtim };
  change_in_place (fixture, times);
  assert_changed (fixture, bytes);
}

/* What is mapped stays what it is. */
static void
test_replaced (Fixture       *fixture,
               gconstpointer  data)
{
  g_autoptr (GBytes) bytes = map (fixture);
  g_autoptr (GBytes) other = g_bytes_new_static ("other", 5);

  g_assert_cmpint (link (fixture->path, fixture->link), ==, 0);
  g_assert_cmpint (g_chmod (fixture->path, 0640), ==, 0);
  g_assert_true (attn_file_check (bytes, NULL));
  g_assert_true (attn_save_bytes (fixture->path, other, NULL));
  g_assert_cmpint (g_unlink (fixture->link), ==, 0);
  g_assert_true (attn_file_check (bytes, NULL));
  g_assert_cmpuint (count (bytes, 'a'), ==, N_BYTES);
}

static void
exit_well (int        number,
           siginfo_t *info,
           void      *context)
{
  _exit (0);
}

/* Outside of what is mapped here the signal does what it did: ends the program, or calls the
 * handler that was there before. */
static void
test_other_bus_errors (Fixture       *fixture,
                       gconstpointer  data)
{
  if (skip_without_bus_error_addresses ())
    return;
  gboolean is_handled = data != NULL;
  g_autofree char *name = g_strdup_printf ("/core/file/other-bus-error-%s",
                                           is_handled ? "is-handled" : "is-fatal");

  if (g_test_subprocess ())
    {
      struct sigaction action = { .sa_flags = SA_SIGINFO };
      g_autoptr (GBytes) bytes = NULL;
      int fd = g_open (fixture->path, O_RDWR, 0);
      volatile const char *other = mmap (NULL, N_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);

      action.sa_sigaction = exit_well;
      if (is_handled)
        sigaction (SIGBUS, &action, NULL);
      bytes = map (fixture);
      /* What follows does not come back to tidy up. */
      g_unlink (fixture->path);
      g_rmdir (fixture->directory);
      g_assert_cmpint (ftruncate (fd, 10), ==, 0);
      g_assert_cmpuint (count (bytes, 'a'), <=, 10);
      exit (other[N_BYTES - 1] == '\0' ? 0 : 1);
    }
  g_test_trap_subprocess (name, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_assert_cmpint (g_test_trap_has_passed (), ==, is_handled);
}

static void
test_read (Fixture       *fixture,
           gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = attn_file_read (fixture->path, N_BYTES, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, N_BYTES);
  g_assert_cmpuint (count (bytes, 'a'), ==, N_BYTES);
  /* Refused for what it has, before memory is asked for it. */
  gsize limit = attn_memory_get_limit ();
  attn_memory_set_limit (1);
  g_assert_null (attn_file_read (fixture->path, N_BYTES - 1, &error));
  attn_memory_set_limit (limit);
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_assert_true (g_str_has_prefix (error->message, fixture->path));
}

static void
check_refused (const char *path,
               GQuark      domain,
               int         code)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (i == 0 ? attn_file_map (path, &error)
                            : attn_file_read (path, G_MAXSIZE, &error));
      g_assert_error (error, domain, code);
      g_assert_true (g_str_has_prefix (error->message, path));
    }
}

/* Neither waits for a pipe that nobody writes to. */
static void
test_no_file (Fixture       *fixture,
              gconstpointer  data)
{
  check_refused (fixture->directory, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
  check_refused (fixture->link, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  check_refused ("/dev/zero", G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_assert_cmpint (mkfifo (fixture->link, 0600), ==, 0);
  check_refused (fixture->link, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_assert_cmpint (truncate (fixture->path, 0), ==, 0);
  check_refused (fixture->path, ATTN_ERROR, ATTN_ERROR_FORMAT);
}

static gboolean
is_refused (const char *path)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("x", 1);
  g_autoptr (GError) error = NULL;

  if (attn_save_check (path, &error))
    return FALSE;
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_assert_false (attn_save_bytes (path, bytes, NULL));
  g_assert_false (attn_save_move ("/nowhere", path, NULL));
  return TRUE;
}

/* Under whatever name, and as long as there is a list that has it. */
static void
test_list_protects (Fixture       *fixture,
                    gconstpointer  data)
{
  AttnFileList *outer = attn_file_list_new ();
  AttnFileList *inner = attn_file_list_new ();

  attn_file_list_begin (outer);
  attn_file_list_begin (inner);
  g_bytes_unref (attn_file_read (fixture->path, G_MAXSIZE, NULL));
  attn_file_list_end (inner);
  attn_file_list_end (outer);
  g_assert_true (is_refused (fixture->path));
  g_assert_cmpint (link (fixture->path, fixture->link), ==, 0);
  g_assert_true (is_refused (fixture->link));
  g_assert_cmpint (g_unlink (fixture->link), ==, 0);
  g_assert_cmpint (symlink ("file", fixture->link), ==, 0);
  g_assert_true (is_refused (fixture->link));

  attn_file_list_free (inner);
  g_assert_true (is_refused (fixture->path));
  attn_file_list_free (outer);
  g_assert_false (is_refused (fixture->path));
  g_assert_false (is_refused (fixture->link));
}

static gpointer
map_in_thread (gpointer fixture)
{
  return map (fixture);
}

static void
test_list_is_of_one_thread (Fixture       *fixture,
                            gconstpointer  data)
{
  g_autoptr (AttnFileList) list = attn_file_list_new ();

  attn_file_list_begin (list);
  g_autoptr (GBytes) bytes = g_thread_join (g_thread_new ("other", map_in_thread, fixture));
  attn_file_list_end (list);
  g_autoptr (GBytes) later = map (fixture);
  g_assert_false (is_refused (fixture->path));
}

/* What is not mapped any more is not read any more. */
static void
test_list_checks_what_is_mapped (Fixture       *fixture,
                                 gconstpointer  data)
{
  g_autoptr (AttnFileList) list = attn_file_list_new ();
  g_autoptr (GError) error = NULL;

  attn_file_list_begin (list);
  GBytes *bytes = map (fixture);
  attn_file_list_end (list);
  g_assert_true (attn_file_list_check (list, &error));
  g_assert_cmpint (truncate (fixture->path, 10), ==, 0);
  g_assert_false (attn_file_list_check (list, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
  g_bytes_unref (bytes);
  g_assert_true (attn_file_list_check (list, NULL));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, data, test) g_test_add (path, Fixture, data, set_up, test, tear_down)
  ADD ("/core/file/shrinks-while-mapped", NULL, test_shrinks);
  ADD ("/core/file/shrinks-under-threads", NULL, test_shrinks_under_threads);
  ADD ("/core/file/rewritten-while-mapped", NULL, test_rewritten);
  ADD ("/core/file/rewritten-and-dated-back", NULL, test_rewritten_and_dated_back);
  ADD ("/core/file/replaced-while-mapped", NULL, test_replaced);
  ADD ("/core/file/other-bus-error-is-fatal", NULL, test_other_bus_errors);
  ADD ("/core/file/other-bus-error-is-handled", "", test_other_bus_errors);
  ADD ("/core/file/reads-up-to-a-limit", NULL, test_read);
  ADD ("/core/file/what-is-no-file", NULL, test_no_file);
  ADD ("/core/file/list-protects-what-was-read", NULL, test_list_protects);
  ADD ("/core/file/list-is-of-one-thread", NULL, test_list_is_of_one_thread);
  ADD ("/core/file/list-checks-what-is-mapped", NULL, test_list_checks_what_is_mapped);
#undef ADD
  return g_test_run ();
}
