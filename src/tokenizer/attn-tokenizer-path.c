/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-path.h"

#include <string.h>

/* The file that says most comes first. */
static const char * const names[] = { "tokenizer.json", "tokenizer.model", "spiece.model",
                                      "vocab.json", "vocab.txt" };

/* JSON files that lie beside a tokenizer.json and are none. */
static gboolean
is_other_json (const char *name)
{
  static const char * const others[] = { "vocab.json", "added_tokens.json",
                                         "special_tokens_map.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_equal (name, others[i]))
      return TRUE;
  return strstr (name, "config") != NULL || g_str_has_suffix (name, ".index.json");
}

static gboolean
is_file (const char *directory,
         const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static char *
find_in_directory (const char *directory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (is_file (directory, names[i]) &&
        (!g_str_equal (names[i], "vocab.json") || is_file (directory, "merges.txt")))
      return g_build_filename (directory, names[i], NULL);
  return g_build_filename (directory, names[0], NULL);
}

/**
 * attn_tokenizer_path_find:
 * @path: the directory of a checkpoint, any file in it, or a tokenizer's file: one that ends in
 *   ".json" or ".model" under whatever name, or vocab.txt
 *
 * Returns: (transfer full): the path of the tokenizer's file, whether or not there is one
 */
char *
attn_tokenizer_path_find (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return find_in_directory (path);

  g_autofree char *name = g_path_get_basename (path);
  if ((g_str_has_suffix (name, ".json") && !is_other_json (name)) ||
      g_str_has_suffix (name, ".model") || g_str_equal (name, "vocab.txt"))
    return g_strdup (path);

  g_autofree char *directory = g_path_get_dirname (path);
  return find_in_directory (directory);
}
