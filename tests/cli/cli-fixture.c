/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cli-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program;
static gsize address_space;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  fixture->directory = g_dir_make_tmp ("attn-cli-XXXXXX", &error);
  g_assert_no_error (error);
}

/* A file that a failed run left behind keeps the directory from going. */
static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
  g_free (fixture->directory);
}

/* The program to run is the argument that is left when GLib has taken its own. */
void
fixture_init (int    *argc,
              char ***argv)
{
  g_test_init (argc, argv, NULL);
  g_assert_cmpint (*argc, ==, 2);
  program = (*argv)[1];
}

/* What the program may have from now on, 0 for any. */
void
fixture_set_address_space (gsize kibibytes)
{
  address_space = kibibytes;
}

void
fixture_add (const char  *path,
             FixtureTest  test)
{
  g_test_add (path, Fixture, NULL, set_up, test, tear_down);
}

char *
fixture_get_path (Fixture    *fixture,
                  const char *name)
{
  return g_build_filename (fixture->directory, name, NULL);
}

const char *
fixture_get_program (void)
{
  return program;
}

void
fixture_remove (Fixture    *fixture,
                const char *name)
{
  g_autofree char *path = fixture_get_path (fixture, name);

  g_assert_cmpint (g_unlink (path), ==, 0);
}

void
fixture_write_text (Fixture    *fixture,
                    const char *name,
                    const char *text)
{
  g_autofree char *path = fixture_get_path (fixture, name);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

char *
fixture_read_text (const char *path)
{
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

static char *
dup_text (GBytes *bytes)
{
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  g_assert_true (length == 0 || g_utf8_validate_len (text, length, NULL));
  return g_strndup (length > 0 ? text : "", length);
}

static int
run (const char  *first,
     va_list      args,
     GBytes     **output,
     char       **errors)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autofree char *limit = g_strdup_printf ("%zu", address_space);
  const char *limited[] = { "/bin/sh", "-c", "ulimit -v \"$0\" && exec \"$@\"", limit };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; address_space > 0 && i < G_N_ELEMENTS (limited); i++)
    g_ptr_array_add (argv, (char *) limited[i]);
  g_ptr_array_add (argv, (char *) program);
  for (const char *word = first; word != NULL; word = va_arg (args, const char *))
    g_ptr_array_add (argv, (char *) word);
  g_ptr_array_add (argv, NULL);

  g_autoptr (GSubprocess) process =
      g_subprocess_newv ((const char * const *) argv->pdata,
                         G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) told = NULL;
  g_assert_true (g_subprocess_communicate (process, NULL, NULL, output, &told, &error));
  g_assert_no_error (error);
  *errors = dup_text (told);
  g_assert_true (g_subprocess_get_if_exited (process));
  return g_subprocess_get_exit_status (process);
}

static GBytes *
run_well (const char *first,
          va_list     args)
{
  g_autofree char *errors = NULL;
  GBytes *output = NULL;
  int status = run (first, args, &output, &errors);

  g_assert_cmpstr (errors, ==, "");
  g_assert_cmpint (status, ==, 0);
  return output;
}

/* Runs the program, which must succeed, with a terminal for standard error.
 *
 * Returns: (transfer full): what it wrote there */
char *
fixture_run_on_terminal (const char *first,
                                     ...)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GError) error = NULL;
  GString *told = g_string_new (NULL);
  int terminal = posix_openpt (O_RDWR | O_NOCTTY);
  char buffer[512];
  gssize n;
  va_list args;

  va_start (args, first);
  g_ptr_array_add (argv, (char *) program);
  for (const char *word = first; word != NULL; word = va_arg (args, const char *))
    g_ptr_array_add (argv, (char *) word);
  g_ptr_array_add (argv, NULL);
  va_end (args);
  g_assert_cmpint (terminal, >=, 0);
  g_assert_cmpint (grantpt (terminal), ==, 0);
  g_assert_cmpint (unlockpt (terminal), ==, 0);
  g_subprocess_launcher_take_stderr_fd (launcher, open (ptsname (terminal), O_RDWR | O_NOCTTY));
  g_autoptr (GSubprocess) process =
      g_subprocess_launcher_spawnv (launcher, (const char * const *) argv->pdata, &error);
  g_assert_no_error (error);
  g_subprocess_launcher_close (launcher);
  /* An error, once the program has ended. */
  while ((n = read (terminal, buffer, sizeof buffer)) > 0)
    g_string_append_len (told, buffer, n);
  close (terminal);
  g_assert_true (g_subprocess_wait_check (process, NULL, &error));
  g_assert_no_error (error);
  return g_string_free (told, FALSE);
}

/* Runs the program, which must succeed in silence on standard error.
 *
 * Returns: (transfer full): its standard output */
char *
fixture_run (const char *first,
                         ...)
{
  g_autoptr (GBytes) output = NULL;
  va_list args;

  va_start (args, first);
  output = run_well (first, args);
  va_end (args);
  return dup_text (output);
}

/* The same where it need not be text. */
GBytes *
fixture_run_bytes (const char *first,
                               ...)
{
  va_list args;

  va_start (args, first);
  GBytes *output = run_well (first, args);
  va_end (args);
  return output;
}

/* Runs the program, which must end with @status and one line that names @named. */
static char *
run_for_line (int          status,
              const char  *named,
              const char  *first,
              va_list      args,
              GBytes     **output)
{
  char *errors = NULL;
  int found = run (first, args, output, &errors);

  g_test_message ("%s", errors);
  g_assert_cmpint (found, ==, status);
  g_assert_true (g_str_has_prefix (errors, "attention-grid: "));
  g_assert_nonnull (strstr (errors, named));
  g_assert_true (strchr (errors, '\n') == errors + strlen (errors) - 1);
  return errors;
}

/* Runs the program, which must fail with @status and one line that names @named and what was
 * expected. */
void
fixture_fail (int         status,
              const char *named,
              const char *first,
                          ...)
{
  g_autoptr (GBytes) output = NULL;
  va_list args;

  va_start (args, first);
  g_autofree char *errors = run_for_line (status, named, first, args, &output);
  va_end (args);
  g_assert_cmpuint (g_bytes_get_size (output), ==, 0);
  g_assert_nonnull (strstr (errors, "expected"));
}

/* Runs the program, which must succeed with one line that names @named. */
void
fixture_note (const char *named,
              const char *first,
                          ...)
{
  g_autoptr (GBytes) output = NULL;
  va_list args;

  va_start (args, first);
  g_free (run_for_line (0, named, first, args, &output));
  va_end (args);
}

AttnArrayFile *
fixture_load (Fixture    *fixture,
              const char *name)
{
  g_autofree char *path = fixture_get_path (fixture, name);
  g_autoptr (GError) error = NULL;
  AttnArrayFile *file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return file;
}

/* @name is "" for the one array of a .npy file. */
AttnTensor *
fixture_get_tensor (const AttnArrayFile *file,
                    const char          *name)
{
  g_autoptr (GError) error = NULL;
  const AttnArray *array = attn_array_file_lookup (file, name);

  g_assert_nonnull (array);
  AttnTensor *tensor = attn_array_to_tensor (array, &error);
  g_assert_no_error (error);
  return tensor;
}

/* What `compute @line` writes of a model; @name says by its ending in which format, and is removed
 * again. Words of @line stand between spaces. */
AttnArrayFile *
fixture_compute (Fixture    *fixture,
                 const char *model,
                 const char *name,
                 const char *line)
{
  g_autofree char *path = fixture_get_path (fixture, name);
  g_auto (GStrv) words = g_strsplit (line, " ", 0);
  const char *w[12] = { NULL };

  g_assert_cmpuint (g_strv_length (words), <=, G_N_ELEMENTS (w));
  memcpy (w, words, g_strv_length (words) * sizeof *w);
  g_autofree char *output =
      fixture_run ("compute", "--model", model, "-o", path, w[0], w[1], w[2], w[3], w[4], w[5],
                   w[6], w[7], w[8], w[9], w[10], w[11], NULL);
  g_assert_cmpstr (output, ==, "");
  AttnArrayFile *file = fixture_load (fixture, name);
  fixture_remove (fixture, name);
  return file;
}

/* Each of the @n labels is the prefix and its number, from @first on. */
void
fixture_assert_labels (const AttnArrayFile *file,
                       const char          *name,
                       const char          *prefix,
                       gsize                first,
                       gsize                n)
{
  g_auto (GStrv) labels = attn_array_file_dup_labels (file, name);

  g_assert_nonnull (labels);
  g_assert_cmpuint (g_strv_length (labels), ==, n);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *expected = g_strdup_printf ("%s%zu", prefix, first + i);

      g_assert_cmpstr (labels[i], ==, expected);
    }
}
