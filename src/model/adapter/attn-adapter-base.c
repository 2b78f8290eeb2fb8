/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the base model that an adapter was trained on: at the path that its configuration names, or
 * in the cache of Hugging Face. */

#include "config.h"

#include <limits.h>
#include <string.h>

#include "attn-adapter.h"
#include "attn-file.h"

/* Returns the folder in which the Hugging Face cache has its models: the one that the environment
 * variable HF_HUB_CACHE or HF_HOME names, else that in the user's cache folder. */
static char *
dup_hub (void)
{
  const char *hub = g_getenv ("HF_HUB_CACHE");
  const char *home = g_getenv ("HF_HOME");

  if (hub != NULL && *hub != '\0')
    return g_strdup (hub);
  if (home != NULL && *home != '\0')
    return g_build_filename (home, "hub", NULL);
  return g_build_filename (g_get_user_cache_dir (), "huggingface", "hub", NULL);
}

/* Returns the commit that the branch or tag @revision points to, or @revision itself if it is the
 * name of neither. */
static char *
dup_commit (const char *folder,
            const char *revision)
{
  g_autofree char *reference = g_build_filename (folder, "refs", revision, NULL);
  g_autoptr (GBytes) bytes = attn_file_read (reference, PATH_MAX, NULL);
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  return text != NULL ? g_strstrip (g_strndup (text, length)) : g_strdup (revision);
}

/* Finds the model “OWNER/NAME” in the cache, whose folders are called models--OWNER--NAME and have
 * a folder in “snapshots” for each commit. Returns NULL if it is not there. */
static char *
find_in_cache (const char *name,
               const char *revision)
{
  g_autofree char *hub = dup_hub ();
  g_autoptr (GString) own = g_string_new ("models--");

  if (*name == '\0' || g_path_is_absolute (name) || strstr (name, "..") != NULL)
    return NULL;
  g_string_append (own, name);
  g_string_replace (own, "/", "--", 0);
  g_autofree char *folder = g_build_filename (hub, own->str, NULL);
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    return NULL;
  if (revision == NULL || *revision == '\0' || g_str_equal (revision, "main"))
    return g_steal_pointer (&folder);
  if (strchr (revision, G_DIR_SEPARATOR) != NULL || strstr (revision, "..") != NULL)
    return NULL;
  g_autofree char *commit = dup_commit (folder, revision);
  char *snapshot = g_build_filename (folder, "snapshots", commit, NULL);
  if (strchr (commit, G_DIR_SEPARATOR) == NULL && g_file_test (snapshot, G_FILE_TEST_IS_DIR))
    return snapshot;
  g_free (snapshot);
  return NULL;
}

/**
 * attn_adapter_find_base:
 * @folder: folder of the adapter
 * @name: the model as the adapter's configuration names it: a path, relative to @folder or
 *   absolute, or “OWNER/NAME” of a model in the Hugging Face cache
 * @revision: (nullable): branch, tag or commit of a model in the cache
 *
 * Returns: (transfer full) (nullable): the path of the model, %NULL if it is at neither place
 */
char *
attn_adapter_find_base (const char *folder,
                        const char *name,
                        const char *revision)
{
  g_autofree char *path = g_path_is_absolute (name) ? g_strdup (name)
                                                    : g_build_filename (folder, name, NULL);

  if (*name != '\0' && g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  return find_in_cache (name, revision);
}
