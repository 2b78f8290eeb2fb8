/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models that other programs have put on this computer, found by the names of their folders. */

#include "config.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "attn-found-models.h"
#include "session-fixture.h"

static void
put (const char *root,
     const char *name,
     const char *contents)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  g_autofree char *directory = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (directory, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, contents, -1, NULL));
}

/* One line a model: program, name, and its path without the root. */
static char *
describe (const char *root)
{
  g_autoptr (GPtrArray) models = attn_found_models_list ();
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < models->len; i++)
    {
      const AttnFoundModel *model = models->pdata[i];

      g_assert_true (g_str_has_prefix (model->path, root));
      g_string_append_printf (text, "%s: %s: %s\n", model->program, model->name,
                              model->path + strlen (root) + 1);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

#define MANIFEST                                                                         \
  "{\"layers\": [{\"mediaType\": \"application/vnd.ollama.image.license\", \"digest\": " \
  "\"sha256:00\"}, {\"mediaType\": \"application/vnd.ollama.image.model\", \"digest\": " \
  "\"sha256:1f\"}]}"

static void
test_found (void)
{
  g_autofree char *root = g_dir_make_tmp ("attn-found-XXXXXX", NULL);
  g_autofree char *hub = g_build_filename (root, "hf", NULL);
  g_autofree char *cache = g_build_filename (root, "llama", NULL);
  g_autofree char *ollama = g_build_filename (root, "ollama", NULL);
  g_autofree char *link =
      g_build_filename (hub, "hub", "models--b--G-GGUF", "snapshots", "44", "g-Q4_K.gguf", NULL);
  g_autofree char *blob = g_build_filename (hub, "hub", "models--b--G-GGUF", "blobs", "9a", NULL);

  g_setenv ("HF_HOME", hub, TRUE);
  g_setenv ("LLAMA_CACHE", cache, TRUE);
  g_setenv ("OLLAMA_MODELS", ollama, TRUE);
  g_autofree char *none = describe (root);
  g_assert_cmpstr (none, ==, "");

  put (root, "hf/hub/models--a--M-1/refs/main", "cafe\n");
  put (root, "hf/hub/models--a--M-1/snapshots/cafe/config.json", "{}");
  put (root, "hf/hub/models--a--M-1/snapshots/beef/config.json", "{}");
  put (root, "hf/hub/models--b--G-GGUF/blobs/9a", "GGUF");
  put (root, "hf/hub/models--b--G-GGUF/snapshots/44/README.md", "");
  g_assert_cmpint (symlink (blob, link), ==, 0);
  put (root, "hf/hub/models--c--Evil/refs/main", "../../..");
  put (root, "hf/hub/datasets--a--D/snapshots/1/config.json", "{}");
  put (root, "llama/ggml-org_x-00001-of-00002.gguf", "");
  put (root, "llama/ggml-org_x-00002-of-00002.gguf", "");
  put (root, "llama/ggml-org_x-mmproj.gguf", "");
  put (root, "llama/a.gguf.json", "");
  put (root, "ollama/manifests/registry.ollama.ai/library/qwen/0.6b", MANIFEST);
  put (root, "ollama/manifests/registry.ollama.ai/library/gone/latest", "{\"layers\": [3, {}]}");
  put (root, "ollama/manifests/registry.ollama.ai/library/bad/latest", "[");
  put (root, "ollama/manifests/registry.ollama.ai/library/odd/latest",
       "{\"layers\": [{\"mediaType\": \"application/vnd.ollama.image.model\", \"digest\": {}}]}");
  g_autofree char *nested = g_strnfill (100000, '[');
  put (root, "ollama/manifests/registry.ollama.ai/library/deep/latest", nested);
  g_autofree char *pipe =
      g_build_filename (ollama, "manifests/registry.ollama.ai/library/deep/pipe", NULL);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  put (root, "ollama/blobs/sha256-1f", "GGUF");
  g_autofree char *found = describe (root);
  g_assert_cmpstr (
      found, ==,
      "Hugging Face: a/M-1: hf/hub/models--a--M-1/snapshots/cafe\n"
      "Hugging Face: g-Q4_K: hf/hub/models--b--G-GGUF/snapshots/44/g-Q4_K.gguf\n"
      "llama.cpp: ggml-org_x-00001-of-00002: llama/ggml-org_x-00001-of-00002.gguf\n"
      "Ollama: qwen:0.6b: ollama/blobs/sha256-1f\n");

  g_autoptr (GPtrArray) first = attn_found_models_list ();
  g_autoptr (GPtrArray) second = attn_found_models_list ();
  g_assert_true (attn_found_models_equal (first, second));
  g_ptr_array_remove_index (second, 0);
  g_assert_false (attn_found_models_equal (first, second));
  g_ptr_array_set_size (second, 0);
  g_assert_true (attn_found_models_equal (NULL, second));

  g_auto (GStrv) folders = attn_found_models_list_folders ();
  g_assert_cmpuint (g_strv_length (folders), ==, 3);
  g_assert_cmpstr (folders[1], ==, cache);
  session_fixture_remove_all (root);
}

static void
test_many (void)
{
  g_autofree char *root = g_dir_make_tmp ("attn-found-XXXXXX", NULL);

  g_setenv ("LLAMA_CACHE", root, TRUE);
  for (guint i = 0; i < ATTN_FOUND_MODELS_MAX + 10; i++)
    {
      g_autofree char *name = g_strdup_printf ("%03u.gguf", i);

      put (root, name, "");
    }
  g_autoptr (GPtrArray) models = attn_found_models_list ();
  g_assert_cmpuint (models->len, ==, ATTN_FOUND_MODELS_MAX);
  g_assert_cmpstr (((AttnFoundModel *) models->pdata[0])->name, ==, "000");
  session_fixture_remove_all (root);
}

int
main (int   argc,
      char *argv[])
{
  g_autofree char *home = g_dir_make_tmp ("attn-home-XXXXXX", NULL);

  g_setenv ("HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/found-models/found", test_found);
  g_test_add_func ("/session/found-models/many", test_many);
  int status = g_test_run ();
  session_fixture_remove_all (home);
  return status;
}
