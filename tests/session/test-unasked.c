/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files that a window reads without being asked: where something else is in their place, a pipe
 * that nobody writes to, a device, ten gigabytes, brackets without end, it is passed over. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-autosave.h"
#include "attn-found-models.h"
#include "attn-recent.h"
#include "session-fixture.h"

#define HUGE ((off_t) 10 << 30)

static void
make_pipe (const char *path)
{
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
}

static void
make_device (const char *path)
{
  g_assert_cmpint (symlink ("/dev/zero", path), ==, 0);
}

static void
make_huge (const char *path)
{
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  g_assert_cmpint (truncate (path, HUGE), ==, 0);
}

static void
make_deep (const char *path)
{
  g_autofree char *text = g_strnfill (5000, '[');

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
make_folder (const char *path)
{
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
}

/* A file for its owner to write may be anything. */
static const struct
{
  const char *name;
  void (*make) (const char *path);
} forms[] = {
  { "pipe", make_pipe },
  { "device", make_device },
  { "huge", make_huge },
  { "deep", make_deep },
  { "folder", make_folder },
};

/* Puts one of the forms there, and makes the folders above. */
static void
put (const char *root,
     const char *path,
     gsize       form)
{
  g_autofree char *full = g_build_filename (root, path, NULL);
  g_autofree char *directory = g_path_get_dirname (full);

  g_assert_cmpint (g_mkdir_with_parents (directory, 0700), ==, 0);
  if (g_remove (full) != 0)
    g_rmdir (full);
  forms[form].make (full);
}

static void
test_found_models (void)
{
  static const char * const paths[] = {
    "hub/models--a--M/refs/main",
    "hub/models--b--M/snapshots",
    "ollama/manifests/registry.ollama.ai/library/m/latest",
    "ollama/manifests/registry.ollama.ai/library/n",
  };
  const char *root = g_get_user_state_dir ();
  g_autofree char *hub = g_build_filename (root, "hub", NULL);
  g_autofree char *ollama = g_build_filename (root, "ollama", NULL);

  g_setenv ("HF_HUB_CACHE", hub, TRUE);
  g_setenv ("OLLAMA_MODELS", ollama, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (paths); j++)
      {
        put (root, paths[j], i);
        g_autoptr (GPtrArray) models = attn_found_models_list ();
        g_assert_cmpuint (models->len, ==, 0);
      }
}

static void
test_recent (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      put (g_get_user_state_dir (), GETTEXT_PACKAGE "/recent", i);
      g_auto (GStrv) recent = attn_recent_get ();
      g_assert_cmpuint (g_strv_length (recent), ==, 0);
    }
}

static void
test_leftovers (void)
{
  g_autofree char *directory = attn_autosave_dup_directory ();

  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *name = g_strconcat (forms[i].name, ".autosave", NULL);

      put (directory, name, i);
    }
  g_autoptr (GPtrArray) damaged = g_ptr_array_new_with_free_func (g_free);
  guint n_others = 0;
  g_autoptr (GPtrArray) found = attn_leftovers_find (directory, 10, damaged, &n_others);
  g_assert_cmpuint (found->len, ==, 0);
}

int
main (int   argc,
      char *argv[])
{
  /* G_TEST_OPTION_ISOLATE_DIRS does the same, but GLib 2.74 does not give it back. */
  g_autofree char *state = g_dir_make_tmp ("attention-grid-state-XXXXXX", NULL);

  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/unasked/found-models", test_found_models);
  g_test_add_func ("/session/unasked/recent", test_recent);
  g_test_add_func ("/session/unasked/leftovers", test_leftovers);
  int status = g_test_run ();
  session_fixture_remove_all (state);
  return status;
}
