/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-path.h"

#include <string.h>

#define FILE_NAME "tokenizer.json"

/* JSON files that lie beside a tokenizer.json and are none. */
static gboolean
is_other_json (const char *name)
{
  static const char *const others[] = { "vocab.json", "added_tokens.json",
                                        "special_tokens_map.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_equal (name, others[i]))
      return TRUE;
  return strstr (name, "config") != NULL || g_str_has_suffix (name, ".index.json");
}

/**
 * attn_tokenizer_path_find:
 * @path: the directory of a checkpoint, any file in it, or a tokenizer's file under whatever name
 *
 * Returns: (transfer full): the path of the tokenizer's file, whether or not there is one
 */
char *
attn_tokenizer_path_find (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_build_filename (path, FILE_NAME, NULL);

  g_autofree char *name = g_path_get_basename (path);
  if (g_str_has_suffix (name, ".json") && !is_other_json (name))
    return g_strdup (path);

  g_autofree char *directory = g_path_get_dirname (path);
  return g_build_filename (directory, FILE_NAME, NULL);
}
