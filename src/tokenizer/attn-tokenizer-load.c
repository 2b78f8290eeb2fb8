/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loads the tokenizer of a checkpoint from any of the supported file formats. */

#include "config.h"

#include "attn-tokenizer.h"

#include <string.h>

#include "attn-gguf.h"
#include "attn-tokenizer-config.h"
#include "attn-tokenizer-private.h"
#include "attn-tokenizer-readers.h"

/* File names in the order in which they are tried: the most complete format comes first. */
static const char * const names[] = { "tokenizer.json", "tokenizer.model", "spiece.model",
                                      "sentencepiece.bpe.model", "vocab.json", "vocab.txt" };

/* Tells whether a JSON file of a checkpoint is something other than a tokenizer, such as a
 * configuration or an index of weights. */
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

/* Returns the path of the only GGUF file in a directory, or NULL if there are none or several. */
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
  /* If merges.txt is missing, vocab.json is returned all the same: its reader reports the missing
   * file. */
  return g_build_filename (directory, is_file (directory, "vocab.json") ? "vocab.json" : names[0],
                           NULL);
}

/* Returns the path of the tokenizer's file, which need not exist. @path: the directory of a
 * checkpoint, any file in it, or a tokenizer's file: any name that ends in ".json" or ".model",
 * vocab.txt, or a GGUF file */
static char *
find_file (const char *path)
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

typedef gboolean (*ReadFunc) (AttnTokenizerParts *parts,
                              GError **error);

/* Returns the function that reads a file's format, or NULL for a tokenizer.json, which is read
 * without AttnTokenizerParts. */
static ReadFunc
find_reader (const char *file)
{
  g_autofree char *name = g_path_get_basename (file);

  if (attn_gguf_is_file (file))
    return attn_tokenizer_read_gguf;
  if (g_str_has_suffix (name, ".model"))
    return attn_tokenizer_read_sentencepiece;
  if (g_str_equal (name, "vocab.txt"))
    return attn_tokenizer_read_vocab_txt;
  return g_str_equal (name, "vocab.json") ? attn_tokenizer_read_vocab_json : NULL;
}

/* Reads the tokenizer's file and the added tokens from the files next to it. A GGUF file contains
 * its added tokens itself. */
static gboolean
read_parts (AttnTokenizerParts  *parts,
            ReadFunc             read,
            GError             **error)
{
  if (!read (parts, error))
    return FALSE;
  if (read != attn_tokenizer_read_gguf)
    parts->added = attn_tokenizer_config_load_added (parts->path, error);
  return read == attn_tokenizer_read_gguf || parts->added != NULL;
}

/**
 * attn_tokenizer_exists:
 * @path: the directory of a checkpoint, any file in it, or a tokenizer's file
 *
 * Returns: whether there is a file that [func@attn_tokenizer_load] would read
 */
gboolean
attn_tokenizer_exists (const char *path)
{
  g_autofree char *file = find_file (path);

  return g_file_test (file, G_FILE_TEST_IS_REGULAR);
}

/**
 * attn_tokenizer_load:
 * @path: the directory of a checkpoint, any file in it, or a tokenizer's file
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a component that is
 *   not known (it is named), and what reading the file reports
 *
 * Reads the tokenizer.json of Hugging Face; where there is none, a tokenizer.model, spiece.model or
 * sentencepiece.bpe.model of SentencePiece, the vocab.json and merges.txt of GPT-2, the vocab.txt
 * of BERT or of ESM, or the metadata of a GGUF file.
 *
 * Returns: (transfer full) (nullable): the tokenizer
 */
AttnTokenizer *
attn_tokenizer_load (const char  *path,
                     GError     **error)
{
  g_autofree char *file = find_file (path);
  ReadFunc read = find_reader (file);
  g_auto (AttnTokenizerParts) parts;

  attn_tokenizer_parts_init (&parts, file);
  AttnTokenizer *tokenizer = NULL;
  if (read == NULL)
    tokenizer = attn_tokenizer_read_json (file, error);
  else if (read_parts (&parts, read, error))
    tokenizer = attn_tokenizer_new_from_parts (&parts, error);
  if (tokenizer == NULL)
    return NULL;
  tokenizer->file = g_steal_pointer (&file);
  if (parts.has_chat)
    {
      tokenizer->chat = parts.chat;
      parts.chat = (AttnChat) { 0 };
      tokenizer->chat_error = g_steal_pointer (&parts.chat_error);
      tokenizer->has_chat = TRUE;
    }
  return tokenizer;
}

/**
 * attn_tokenizer_find_chat:
 * @path: as for [func@attn_tokenizer_load]
 * @error: return location for errors of [func@attn_chat_load]
 *
 * Returns: (transfer full) (nullable): the line that [func@attn_tokenizer_dup_chat] returns,
 *   without loading the tokenizer
 */
char *
attn_tokenizer_find_chat (const char  *path,
                          GError     **error)
{
  g_autofree char *file = find_file (path);
  g_auto (AttnChat) chat = { 0 };

  return attn_chat_load (file, &chat, error) ? attn_chat_describe (&chat) : NULL;
}

/**
 * attn_tokenizer_outline:
 * @path: as for [func@attn_tokenizer_load]
 * @outline: (out caller-allocates): kind and size of the tokenizer that would be loaded
 * @error: return location for errors of [func@attn_tokenizer_load]; some errors within long lists,
 *   such as that of the pieces, are not noticed
 *
 * Takes a fraction of the time of loading where the file is large.
 */
gboolean
attn_tokenizer_outline (const char            *path,
                        AttnTokenizerOutline  *outline,
                        GError               **error)
{
  g_autofree char *file = find_file (path);
  ReadFunc read = find_reader (file);
  g_auto (AttnTokenizerParts) parts;

  attn_tokenizer_parts_init (&parts, file);
  if (read == NULL)
    return attn_tokenizer_outline_json (file, outline, error);
  if (!read_parts (&parts, read, error))
    return FALSE;
  attn_tokenizer_outline_parts (&parts, outline);
  return TRUE;
}

struct _AttnTokenizerOutlining
{
  char *path;
  GThread *thread; /* (nullable): thread that reads the tokenizer; NULL once it was waited for */

  /* Members that belong to the thread until it ends. */
  gboolean is_done;
  AttnTokenizerOutline outline;
  GError *error;
};

static gpointer
run_outlining (gpointer data)
{
  AttnTokenizerOutlining *self = data;

  self->is_done = attn_tokenizer_outline (self->path, &self->outline, &self->error);
  return NULL;
}

/**
 * attn_tokenizer_outlining_new:
 * @path: as for [func@attn_tokenizer_load]; the file need not exist
 *
 * Returns: (transfer full): an outline of the tokenizer, which a thread makes while the caller goes
 *   on
 */
AttnTokenizerOutlining *
attn_tokenizer_outlining_new (const char *path)
{
  AttnTokenizerOutlining *self = g_new0 (AttnTokenizerOutlining, 1);

  self->path = g_strdup (path);
  self->thread = g_thread_new ("outline", run_outlining, self);
  return self;
}

static void
join_outlining (AttnTokenizerOutlining *self)
{
  if (self->thread != NULL)
    g_thread_join (g_steal_pointer (&self->thread));
}

/**
 * attn_tokenizer_outlining_finish:
 * @self: (nullable)
 * @path: of the tokenizer whose outline is asked for
 *
 * Does the same as [func@attn_tokenizer_outline]. If @self was made for @path, it only waits for
 * the thread of @self and takes over its outcome.
 */
gboolean
attn_tokenizer_outlining_finish (AttnTokenizerOutlining  *self,
                                 const char              *path,
                                 AttnTokenizerOutline    *outline,
                                 GError                 **error)
{
  if (self == NULL || !g_str_equal (self->path, path))
    return attn_tokenizer_outline (path, outline, error);
  join_outlining (self);
  if (!self->is_done && error != NULL)
    *error = g_error_copy (self->error);
  *outline = self->outline;
  return self->is_done;
}

void
attn_tokenizer_outlining_free (AttnTokenizerOutlining *self)
{
  join_outlining (self);
  g_clear_error (&self->error);
  g_free (self->path);
  g_free (self);
}
