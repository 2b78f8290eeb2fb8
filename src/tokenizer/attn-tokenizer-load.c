/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tokenizer from whatever file a checkpoint has for it. */

#include "config.h"

#include "attn-tokenizer.h"

#include <string.h>

#include "attn-gguf.h"
#include "attn-tokenizer-path.h"
#include "attn-tokenizer-readers.h"

typedef gboolean (*ReadFunc) (AttnTokenizerSource *source,
                              GError **error);

/* NULL for a tokenizer.json, which is not made of parts. */
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

/**
 * attn_tokenizer_exists:
 * @path: the directory of a checkpoint, any file in it, or a tokenizer's file
 *
 * Returns: whether there is a file that [func@attn_tokenizer_load] would read
 */
gboolean
attn_tokenizer_exists (const char *path)
{
  g_autofree char *file = attn_tokenizer_path_find (path);

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
 * of BERT, or the metadata of a GGUF file.
 *
 * Returns: (transfer full) (nullable): the tokenizer
 */
AttnTokenizer *
attn_tokenizer_load (const char  *path,
                     GError     **error)
{
  g_autofree char *file = attn_tokenizer_path_find (path);
  ReadFunc read = find_reader (file);
  g_auto (AttnTokenizerSource) source;

  attn_tokenizer_source_init (&source, file);
  if (read == NULL)
    return attn_tokenizer_read_json (file, error);
  if (!read (&source, error))
    return NULL;
  return attn_tokenizer_new_from_parts (attn_tokenizer_source_get_parts (&source), source.where,
                                        error);
}

/**
 * attn_tokenizer_outline:
 * @path: as for [func@attn_tokenizer_load]
 * @outline: (out caller-allocates): what that would load
 * @error: return location: as there, but long lists may be looked through less closely
 *
 * Takes a fraction of the time of loading where the file is large.
 */
gboolean
attn_tokenizer_outline (const char            *path,
                        AttnTokenizerOutline  *outline,
                        GError               **error)
{
  g_autofree char *file = attn_tokenizer_path_find (path);
  ReadFunc read = find_reader (file);
  g_auto (AttnTokenizerSource) source;

  attn_tokenizer_source_init (&source, file);
  if (read == NULL)
    return attn_tokenizer_outline_json (file, outline, error);
  if (!read (&source, error))
    return FALSE;
  attn_tokenizer_outline_parts (attn_tokenizer_source_get_parts (&source), outline);
  return TRUE;
}
