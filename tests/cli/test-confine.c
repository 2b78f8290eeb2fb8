/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the command line cannot do any more when it reads a file. */

#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attn-confine.h"
#include "cli-fixture.h"

static const char *program;

/* An emulated processor has no filters, and ours are for these two. */
static gboolean
has_filters (void)
{
#if defined(__x86_64__) || defined(__aarch64__)
  return prctl (PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
#else
  return FALSE;
#endif
}

/* Of the process that it is called in; 0 if all is well. */
static int
find_what_is_left (void)
{
  char *argv[] = { (char *) "/bin/true", NULL };

  if (!attn_confine ())
    return 1;
  if (execve (argv[0], argv, NULL) != -1 || errno != EPERM)
    return 2;
  if (socket (AF_INET, SOCK_STREAM, 0) != -1 || errno != EPERM)
    return 3;
  return socket (AF_UNIX, SOCK_STREAM, 0) != -1 || errno != EPERM ? 4 : 0;
}

static void
test_confined_process_starts_nothing (void)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    _exit (find_what_is_left ());
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

/* While it waits for lines of its standard input */
static void
test_program_is_confined (Fixture       *fixture,
                          gconstpointer  data)
{
  g_autofree char *output = fixture_get_path (fixture, "s.npz");
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) survey =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE, &error, program, "survey", "--texts", "-",
                        "-o", output, NULL);
  g_assert_no_error (error);
  g_autofree char *path =
      g_build_filename ("/proc", g_subprocess_get_identifier (survey), "status", NULL);

  for (gboolean is_confined = FALSE; !is_confined;)
    {
      g_autofree char *status = fixture_read_text (path);

      g_assert_null (strstr (status, "State:\tZ"));
      is_confined = strstr (status, "Seccomp:\t2") != NULL;
    }
  g_subprocess_force_exit (survey);
  g_subprocess_wait (survey, NULL, &error);
  g_assert_no_error (error);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  program = argv[1];
  if (has_filters ())
    {
      g_test_add_func ("/cli/confine/confined-process-starts-nothing",
                       test_confined_process_starts_nothing);
      fixture_add ("/cli/confine/program-is-confined", test_program_is_confined);
    }
  return g_test_run ();
}
