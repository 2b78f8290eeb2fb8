/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Saving: never half a file, never a link or device replaced. */

#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-save.h"

typedef struct
{
  char *directory;
  char *path;
} Fixture;

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

/* A name so long that the file beside it, whose name is longer, cannot be made, even by root. */
static void
test_failure_leaves_old_file (Fixture       *fixture,
                              gconstpointer  data)
{
  g_autofree char *name = g_strnfill (252, 'a');
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents_full (path, "old", -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_assert_false (save (path, "new", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NAMETOOLONG);
  g_autofree char *message = g_strdup_printf ("%s: %s", path, g_strerror (ENAMETOOLONG));
  g_assert_cmpstr (error->message, ==, message);
  assert_content (path, "old");
  g_assert_cmpint (g_unlink (path), ==, 0);
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
  ADD ("/core/save/no-such-directory", test_no_directory);
  ADD ("/core/save/link-stays-a-link", test_link_stays);
  ADD ("/core/save/dangling-link-stays-a-link", test_dangling_link_stays);
  ADD ("/core/save/links-in-a-circle", test_links_in_a_circle);
  ADD ("/core/save/device-stays-a-device", test_device_stays);
  ADD ("/core/save/full-device-is-an-error", test_full_device);
  ADD ("/core/save/mode-follows-the-umask", test_mode);
  ADD ("/core/save/protected-file-stays", test_protected_file_stays);
  ADD ("/core/save/private-file-stays-private", test_private_file_stays_private);
  ADD ("/core/save/moves-a-file", test_move);
#undef ADD
  return g_test_run ();
}
