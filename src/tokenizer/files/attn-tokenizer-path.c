/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-path.h"

#include <string.h>

#include "attn-gguf.h"

/* The file that says most comes first. */
static const char * const names[] = { "tokenizer.json", "tokenizer.model", "spiece.model",
                                      "sentencepiece.bpe.model", "vocab.json", "vocab.txt" };

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

/* The GGUF file of a directory that holds no more than one. */
static char *
find_gguf (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  g_autofree char *path = NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".gguf"))
      {
        if (path != NULL)
          return NULL;
        path = g_build_filename (directory, name, NULL);
      }
  return g_steal_pointer (&path);
}

static char *
find_in_directory (const char *directory)
{
  char *gguf;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (is_file (directory, names[i]) &&
        (!g_str_equal (names[i], "vocab.json") || is_file (directory, "merges.txt")))
      return g_build_filename (directory, names[i], NULL);
  gguf = find_gguf (directory);
  if (gguf != NULL)
    return gguf;
  /* Its reader says that merges.txt is missing. */
  return g_build_filename (directory, is_file (directory, "vocab.json") ? "vocab.json" : names[0],
                           NULL);
}

/**
 * attn_tokenizer_path_find:
 * @path: the directory of a checkpoint, any file in it, or a tokenizer's file: one that ends in
 *   ".json" or ".model" under whatever name, vocab.txt, or a GGUF file
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
      g_str_has_suffix (name, ".model") || g_str_equal (name, "vocab.txt") ||
      attn_gguf_is_file (path))
    return g_strdup (path);

  g_autofree char *directory = g_path_get_dirname (path);
  return find_in_directory (directory);
}
