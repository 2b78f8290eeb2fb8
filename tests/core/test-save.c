/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Saving: never half a file, never a link or device replaced. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attn-save.h"

typedef struct
{
  char *directory;
  char *path;
} Fixture;

/* What saving asks of the system, here as on other file systems, or killed in the middle. */
static gboolean knows_no_unnamed_files;
static gboolean dies_in_fsync;

int
openat (int         folder,
        const char *path,
        int         flags,
                    ...)
{
  va_list args;

  if (knows_no_unnamed_files && (flags & O_TMPFILE) == O_TMPFILE)
    {
      errno = EOPNOTSUPP;
      return -1;
    }
  va_start (args, flags);
  gboolean has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  mode_t mode = has_mode ? va_arg (args, mode_t) : 0;
  va_end (args);
  return syscall (SYS_openat, folder, path, flags, mode);
}

int
fsync (int fd)
{
  if (dies_in_fsync)
    kill (getpid (), SIGKILL);
  return syscall (SYS_fsync, fd);
}

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  fixture->directory = g_dir_make_tmp ("attn-save-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->path = g_build_filename (fixture->directory, "file", NULL);
}

/* Also checks that nothing was left beside the target: the directory could not be removed. */
static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
  g_free (fixture->directory);
  g_free (fixture->path);
}

static gboolean
save (const char  *path,
      const char  *text,
      GError     **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return attn_save_bytes (path, bytes, error);
}

static void
assert_content (const char *path,
                const char *expected)
{
  g_autofree char *content = NULL;

  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, expected);
}

static void
test_replace (Fixture       *fixture,
              gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (save (fixture->path, "a longer first text", &error));
  g_assert_no_error (error);
  assert_content (fixture->path, "a longer first text");
  g_assert_true (save (fixture->path, "second", &error));
  assert_content (fixture->path, "second");
  g_assert_true (save (fixture->path, "", &error));
  g_assert_no_error (error);
  assert_content (fixture->path, "");
}

/* Files that may be 4 bytes long only: as on a full disk, for root as well. */
static void
test_failure_leaves_old_file (Fixture       *fixture,
                              gconstpointer  data)
{
  g_autofree char *message = g_strdup_printf ("%s: %s", fixture->path, g_strerror (EFBIG));
  g_autoptr (GError) error = NULL;
  struct rlimit before;

  g_assert_true (save (fixture->path, "old", NULL));
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  const struct rlimit small = { 4, before.rlim_max };
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  gboolean is_saved = save (fixture->path, "a new text", &error);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_false (is_saved);
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED);
  g_assert_cmpstr (error->message, ==, message);
  assert_content (fixture->path, "old");
}

static void
test_long_names (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  for (gsize length = 245; length <= 256; length++)
    {
      g_autofree char *name = g_strnfill (length, 'a');
      g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

      if (length == 256)
        {
          g_assert_false (save (path, "x", &error));
          g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NAMETOOLONG);
          break;
        }
      g_assert_true (save (path, "old", &error));
      g_assert_no_error (error);
      g_assert_true (save (path, "new", &error));
      g_assert_no_error (error);
      assert_content (path, "new");
      g_assert_cmpint (g_unlink (path), ==, 0);
    }
}

static guint
count_files (Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->directory, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Drafts that nobody but their maker may remove */
static void
remove_drafts (Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->directory, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, ".attention-grid-"))
      {
        g_autofree char *path = g_build_filename (fixture->directory, name, NULL);
        g_assert_cmpint (g_unlink (path), ==, 0);
      }
}

/* Nothing is left over where files can be without a name; where not, a draft. */
static void
test_killed_while_saving (Fixture       *fixture,
                          gconstpointer  data)
{
  g_assert_true (save (fixture->path, "old", NULL));
  for (guint i = 0; i < 2; i++)
    {
      knows_no_unnamed_files = i == 1;
      pid_t child = fork ();
      if (child == 0)
        {
          dies_in_fsync = TRUE;
          save (fixture->path, "half", NULL);
          _exit (0);
        }
      int status;
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
      assert_content (fixture->path, "old");
      g_assert_cmpuint (count_files (fixture), ==, 1 + i);
    }
  knows_no_unnamed_files = FALSE;
  g_assert_true (save (fixture->path, "new", NULL));
  assert_content (fixture->path, "new");
  g_assert_cmpuint (count_files (fixture), ==, 2);
  remove_drafts (fixture);
}

static void
test_without_unnamed_files (Fixture       *fixture,
                            gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  knows_no_unnamed_files = TRUE;
  test_replace (fixture, data);
  test_failure_leaves_old_file (fixture, data);
  knows_no_unnamed_files = FALSE;
  g_assert_cmpuint (count_files (fixture), ==, 1);
}

/* Whatever is called like a draft is somebody's; a folder goes with what was written there, but not
 * through a link that has its name. */
static void
test_folder_of_drafts (Fixture       *fixture,
                       gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  char *folder = attn_save_make_folder (fixture->path, &error);
  g_assert_no_error (error);
  g_autofree char *draft = g_build_filename (folder, "draft", NULL);
  g_autofree char *models = g_build_filename (fixture->directory, ".attention-grid-models", NULL);
  g_autofree char *inside = g_build_filename (models, "weights", NULL);
  g_autofree char *link = g_build_filename (fixture->directory, "link", NULL);

  g_assert_cmpint (g_mkdir (models, 0700), ==, 0);
  g_assert_true (save (inside, "x", NULL));
  g_assert_true (save (draft, "x", NULL));
  g_assert_true (save (fixture->path, "x", NULL));
  attn_save_remove_folder (folder);
  assert_content (inside, "x");
  g_assert_cmpuint (count_files (fixture), ==, 2);

  g_assert_cmpint (symlink (models, link), ==, 0);
  attn_save_remove_folder (g_strdup (link));
  assert_content (inside, "x");
  g_assert_cmpint (g_unlink (link), ==, 0);
  g_assert_cmpint (g_unlink (inside), ==, 0);
  g_assert_cmpint (g_rmdir (models), ==, 0);

  g_assert_null (attn_save_make_folder ("/nowhere/file", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true (g_str_has_prefix (error->message, "/nowhere/file: "));
}

static void
test_no_directory (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autofree char *inside = g_build_filename (fixture->path, "inside", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (save (inside, "x", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true (g_str_has_prefix (error->message, inside));
  g_clear_error (&error);
  g_assert_false (save (fixture->directory, "x", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
}

static void
test_link_stays (Fixture       *fixture,
                 gconstpointer  data)
{
  g_autofree char *link_path = g_build_filename (fixture->directory, "link", NULL);
  struct stat status;

  g_assert_true (save (fixture->path, "old", NULL));
  g_assert_cmpint (symlink ("file", link_path), ==, 0);
  g_assert_true (save (link_path, "new", NULL));
  g_assert_cmpint (lstat (link_path, &status), ==, 0);
  g_assert_true (S_ISLNK (status.st_mode));
  assert_content (fixture->path, "new");
  g_assert_cmpint (g_unlink (link_path), ==, 0);
}

/* The file that it names comes into being; the link is not replaced by it. */
static void
test_dangling_link_stays (Fixture       *fixture,
                          gconstpointer  data)
{
  g_autofree char *link_path = g_build_filename (fixture->directory, "link", NULL);
  struct stat status;

  g_assert_cmpint (symlink ("file", link_path), ==, 0);
  g_assert_true (save (link_path, "new", NULL));
  g_assert_cmpint (lstat (link_path, &status), ==, 0);
  g_assert_true (S_ISLNK (status.st_mode));
  assert_content (fixture->path, "new");
  g_assert_cmpint (g_unlink (link_path), ==, 0);
}

static void
test_links_in_a_circle (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (symlink ("file", fixture->path), ==, 0);
  g_assert_false (save (fixture->path, "new", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_LOOP);
}

/* A link that the kernel does not follow, here since there are 41 on the way, is not followed by
 * hand; so are those of others in folders that all can write to. */
static void
test_link_that_may_not_be_followed (Fixture       *fixture,
                                    gconstpointer  data)
{
  g_autofree char *link_path = g_build_filename (fixture->directory, "link", NULL);
  g_autofree char *folder = g_build_filename (fixture->directory, "d0", NULL);
  g_autoptr (GPtrArray) links = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  for (guint i = 1; i <= 40; i++)
    {
      g_autofree char *target = g_strdup_printf ("d%u", i - 1);
      g_autofree char *name = g_strdup_printf ("%s/d%u", fixture->directory, i);

      g_assert_cmpint (symlink (target, name), ==, 0);
      g_ptr_array_add (links, g_steal_pointer (&name));
    }
  g_assert_cmpint (symlink ("d40/file", link_path), ==, 0);
  g_assert_false (save (link_path, "new", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_LOOP);

  g_assert_cmpint (g_unlink (link_path), ==, 0);
  for (guint i = 0; i < links->len; i++)
    g_assert_cmpint (g_unlink (links->pdata[i]), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0); /* empty */
}

static void
test_device_stays (Fixture       *fixture,
                   gconstpointer  data)
{
  struct stat status;
  g_autoptr (GError) error = NULL;

  g_assert_true (save ("/dev/null", "x", &error));
  g_assert_no_error (error);
  g_assert_cmpint (stat ("/dev/null", &status), ==, 0);
  g_assert_true (S_ISCHR (status.st_mode));
}

static void
test_full_device (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autoptr (GError) error = NULL;

  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("no /dev/full");
      return;
    }
  g_assert_false (save ("/dev/full", "x", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
}

static void
test_mode (Fixture       *fixture,
           gconstpointer  data)
{
  struct stat status;
  mode_t mask = umask (027);

  g_assert_true (save (fixture->path, "x", NULL));
  umask (mask);
  g_assert_cmpint (stat (fixture->path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0640);
}

/* Nobody is asked for permission who is root. */
static void
test_protected_file_stays (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  gboolean is_root = geteuid () == 0;

  g_assert_true (save (fixture->path, "old", NULL));
  if (is_root)
    {
      g_assert_cmpint (chown (fixture->directory, 65534, 65534), ==, 0);
      g_assert_cmpint (chown (fixture->path, 65534, 65534), ==, 0);
      g_assert_cmpint (seteuid (65534), ==, 0);
    }
  g_assert_cmpint (g_chmod (fixture->path, 0444), ==, 0);
  gboolean is_checked = attn_save_check (fixture->path, NULL);
  gboolean is_saved = save (fixture->path, "new", &error);
  if (is_root)
    g_assert_cmpint (seteuid (0), ==, 0);
  g_assert_false (is_checked);
  g_assert_false (is_saved);
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ACCES);
  g_assert_true (g_str_has_prefix (error->message, fixture->path));
  assert_content (fixture->path, "old");
}

static void
test_private_file_stays_private (Fixture       *fixture,
                                 gconstpointer  data)
{
  struct stat status;

  g_assert_true (save (fixture->path, "old", NULL));
  g_assert_cmpint (g_chmod (fixture->path, 0600), ==, 0);
  g_assert_true (save (fixture->path, "new", NULL));
  g_assert_cmpint (stat (fixture->path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
}

static void
test_move (Fixture       *fixture,
           gconstpointer  data)
{
  g_autofree char *source = g_build_filename (fixture->directory, "source", NULL);
  g_autofree char *link_path = g_build_filename (fixture->directory, "link", NULL);
  g_autoptr (GError) error = NULL;
  struct stat status;

  g_assert_true (save (fixture->path, "old", NULL));
  g_assert_true (save (source, "new", NULL));
  g_assert_cmpint (symlink ("file", link_path), ==, 0);
  g_assert_true (attn_save_move (source, link_path, &error));
  g_assert_no_error (error);
  g_assert_cmpint (lstat (link_path, &status), ==, 0);
  g_assert_true (S_ISLNK (status.st_mode));
  assert_content (fixture->path, "new");
  g_assert_false (g_file_test (source, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_unlink (link_path), ==, 0);

  /* A device is written to, not replaced. */
  g_assert_true (attn_save_move (fixture->path, "/dev/null", &error));
  g_assert_no_error (error);
  g_assert_cmpint (stat ("/dev/null", &status), ==, 0);
  g_assert_true (S_ISCHR (status.st_mode));
  g_assert_false (attn_save_move (fixture->path, fixture->directory, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, test) g_test_add (path, Fixture, NULL, set_up, test, tear_down)
  ADD ("/core/save/replaces-what-was-there", test_replace);
  ADD ("/core/save/failure-leaves-the-old-file", test_failure_leaves_old_file);
  ADD ("/core/save/long-names", test_long_names);
  ADD ("/core/save/killed-while-saving", test_killed_while_saving);
  ADD ("/core/save/without-unnamed-files", test_without_unnamed_files);
  ADD ("/core/save/folder-of-drafts", test_folder_of_drafts);
  ADD ("/core/save/no-such-directory", test_no_directory);
  ADD ("/core/save/link-stays-a-link", test_link_stays);
  ADD ("/core/save/dangling-link-stays-a-link", test_dangling_link_stays);
  ADD ("/core/save/links-in-a-circle", test_links_in_a_circle);
  ADD ("/core/save/link-that-may-not-be-followed", test_link_that_may_not_be_followed);
  ADD ("/core/save/device-stays-a-device", test_device_stays);
  ADD ("/core/save/full-device-is-an-error", test_full_device);
  ADD ("/core/save/mode-follows-the-umask", test_mode);
  ADD ("/core/save/protected-file-stays", test_protected_file_stays);
  ADD ("/core/save/private-file-stays-private", test_private_file_stays_private);
  ADD ("/core/save/moves-a-file", test_move);
#undef ADD
  return g_test_run ();
}
