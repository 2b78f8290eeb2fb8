/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads plain lists of tokens: the vocab.txt of BERT or ESM, the vocab.json and merges.txt of
 * GPT-2. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-text.h"
#include "attn-tokenizer-config.h"
#include "attn-tokenizer-readers.h"
#include "attn-vocabulary.h"

/* Names of the special tokens in vocabularies of BERT, ESM and GPT-2. */
static const char * const bert_specials[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", NULL };
static const char * const gpt2_specials[] = { "<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>",
                                              "<mask>", NULL };
static const char * const esm_specials[] = { "<cls>", "<pad>", "<eos>", "<unk>", "<mask>", NULL };

static void
set_types (AttnTokenizerParts *parts,
           const char * const *specials)
{
  g_byte_array_set_size (parts->types, parts->pieces->len);
  memset (parts->types->data, ATTN_PIECE_NORMAL, parts->types->len);
  for (gsize i = 0; specials[i] != NULL; i++)
    {
      guint32 id = attn_tokenizer_parts_find (parts, specials[i]);

      if (id != ATTN_TOKENIZER_NO_ID)
        parts->types->data[id] = ATTN_PIECE_CONTROL;
    }
}

/* Reads the lines of a text file into @lines, without their line breaks. Fails if the file is not
 * valid UTF-8. */
static gboolean
read_lines (AttnTokenizerParts  *parts,
            const char          *path,
            GPtrArray           *lines,
            GError             **error)
{
  g_autoptr (GBytes) bytes = attn_file_read_text (path, error);
  g_autofree char *where = g_filename_display_name (path);
  const char *text, *end;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &length);
  if (length > 0 && !attn_text_check_utf8 (where, text, length, error))
    return FALSE;
  end = text + length;
  while (text < end)
    {
      const char *newline = memchr (text, '\n', end - text);
      const char *line_end = newline != NULL ? newline : end;
      gsize n_bytes = line_end - text;

      if (n_bytes > 0 && text[n_bytes - 1] == '\r')
        n_bytes--;
      g_ptr_array_add (lines, g_string_chunk_insert_len (parts->strings, text, n_bytes));
      text = newline != NULL ? newline + 1 : end;
    }
  return TRUE;
}

static gboolean
require_piece (const AttnTokenizerParts  *parts,
               const char                *piece,
               guint32                   *id,
               GError                   **error)
{
  *id = attn_tokenizer_parts_find (parts, piece);
  if (*id != ATTN_TOKENIZER_NO_ID)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: vocabulary without “%s” found, expected that token"), parts->where,
                    piece);
}

/* Tells whether the vocabulary consists of amino-acid residues (ESM): by the tokenizer's class, or
 * if none is named, by its special tokens. */
static gboolean
is_of_residues (const AttnTokenizerParts *parts,
                AttnTokenizerConfig      *config)
{
  const char *class_name = attn_json_read_string (&config->values, "tokenizer_class", "");

  if (*class_name != '\0')
    return g_str_has_prefix (class_name, "Esm");
  return attn_tokenizer_parts_find (parts, "[UNK]") == ATTN_TOKENIZER_NO_ID &&
         attn_tokenizer_parts_find (parts, "<cls>") != ATTN_TOKENIZER_NO_ID;
}

/* Sets up the tokenizer of ESM: every token of the vocabulary is found wherever it occurs in a
 * text. Each stretch of other text without spaces becomes one unknown token. */
static gboolean
set_residues (AttnTokenizerParts  *parts,
              GError             **error)
{
  parts->model = ATTN_TOKENIZER_WORDLEVEL;
  set_types (parts, esm_specials);
  for (guint i = 0; i < parts->types->len; i++)
    if (parts->types->data[i] == ATTN_PIECE_NORMAL)
      parts->types->data[i] = ATTN_PIECE_USER_DEFINED;
  return require_piece (parts, "<unk>", &parts->unknown_id, error) &&
         require_piece (parts, "<cls>", &parts->begin_id, error) &&
         require_piece (parts, "<eos>", &parts->end_id, error);
}

/* Reads the options of BERT's tokenizer. "strip_accents" may be true, false, or null to follow
 * "do_lower_case". */
static gboolean
read_bert_options (AttnTokenizerParts   *parts,
                   AttnTokenizerConfig  *config,
                   GError              **error)
{
  AttnJsonReader *values = &config->values;

  parts->lowercases = attn_json_read_boolean (values, "do_lower_case", TRUE);
  parts->strips_accents = attn_json_read_boolean (values, "strip_accents", FALSE);
  parts->keeps_accents = !attn_json_read_boolean (values, "strip_accents", TRUE);
  parts->joins_chinese = !attn_json_read_boolean (values, "tokenize_chinese_chars", TRUE);
  return attn_json_finish (values, error);
}

/**
 * attn_tokenizer_read_vocab_txt:
 * @parts: (inout): initialized with the path of a vocab.txt: one token a line, its id is the number
 *   of the line, from 0
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the file reports
 *
 * Reads the tokenizer of BERT or of ESM, and its options from a tokenizer_config.json.
 */
gboolean
attn_tokenizer_read_vocab_txt (AttnTokenizerParts  *parts,
                               GError             **error)
{
  g_auto (AttnTokenizerConfig) config = { 0 };

  if (!attn_tokenizer_config_load (&config, parts->path, error) ||
      !read_lines (parts, parts->path, parts->pieces, error))
    return FALSE;
  /* An empty line of the vocabulary means that its id has no token. */
  for (guint i = 0; i < parts->pieces->len; i++)
    if (*(const char *) parts->pieces->pdata[i] == '\0')
      parts->pieces->pdata[i] = NULL;
  if (is_of_residues (parts, &config))
    return attn_json_finish (&config.values, error) && set_residues (parts, error);
  parts->model = ATTN_TOKENIZER_WORDPIECE;
  if (!read_bert_options (parts, &config, error) ||
      !require_piece (parts, "[UNK]", &parts->unknown_id, error) ||
      !require_piece (parts, "[CLS]", &parts->begin_id, error) ||
      !require_piece (parts, "[SEP]", &parts->end_id, error))
    return FALSE;
  set_types (parts, bert_specials);
  return TRUE;
}

/* Reads the pieces of a vocab.json by way of an AttnVocabulary, which validates ids and tokens. */
static gboolean
read_json_pieces (AttnTokenizerParts  *parts,
                  GError             **error)
{
  g_autoptr (GBytes) bytes = attn_file_read_text (parts->path, error);
  g_autoptr (AttnVocabulary) vocabulary = attn_vocabulary_new ();
  AttnJsonWalk walk;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  const char *text = g_bytes_get_data (bytes, &length);
  if (!attn_json_walk_init (&walk, parts->where, text, length, error) ||
      !attn_vocabulary_add_object (vocabulary, &walk, error))
    return FALSE;
  for (gsize id = 0; id < attn_vocabulary_get_size (vocabulary); id++)
    {
      const char *piece = attn_vocabulary_get_piece (vocabulary, id);

      g_ptr_array_add (parts->pieces,
                       piece != NULL ? g_string_chunk_insert (parts->strings, piece) : NULL);
    }
  return TRUE;
}

/* Sets how texts are normalized and cut into words, by the tokenizer class of the checkpoint. Fails
 * if the class is not supported. */
static gboolean
set_class (AttnTokenizerParts  *parts,
           const char          *class_name,
           GError             **error)
{
  static const char * const qwen2_patterns[] = { ATTN_QWEN2_PATTERN, NULL };
  static const char * const as_gpt2[] = { "GPT2", "CodeGen", "Roberta", "GPTNeoX", "Bart",
                                          "Longformer", "PreTrainedTokenizer" };

  /* A piece "a</w>" identifies CLIP. CLIP is refused below, since only a tokenizer.json tells how
   * it cuts texts. */
  if (*class_name == '\0' && attn_tokenizer_parts_find (parts, "a</w>") != ATTN_TOKENIZER_NO_ID)
    class_name = "CLIPTokenizer";
  if (g_str_has_prefix (class_name, "Qwen2"))
    {
      parts->patterns = qwen2_patterns;
      parts->composes = TRUE;
      return TRUE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (as_gpt2); i++)
    if (*class_name == '\0' || g_str_has_prefix (class_name, as_gpt2[i]))
      return TRUE;
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: tokenizer of class %s found, expected a GPT2Tokenizer, "
                      "CodeGenTokenizer, RobertaTokenizer or Qwen2Tokenizer"),
                    parts->where, class_name);
}

/* Reads the tokenizer's class and the special tokens that it puts around a text. */
static gboolean
read_config (AttnTokenizerParts  *parts,
             GError             **error)
{
  g_auto (AttnTokenizerConfig) config = { 0 };
  const char *class_name, *begin;
  gboolean adds_begin;

  if (!attn_tokenizer_config_load (&config, parts->path, error))
    return FALSE;
  parts->adds_prefix_space = attn_json_read_boolean (&config.values, "add_prefix_space", FALSE);
  class_name = attn_json_read_string (&config.values, "tokenizer_class", "");
  if (!set_class (parts, class_name, error))
    return FALSE;
  begin = attn_tokenizer_config_get_token (&config, "bos_token", "<|endoftext|>");
  adds_begin = attn_json_read_boolean (&config.values, "add_bos_token", FALSE);
  if (!attn_json_finish (&config.values, error))
    return FALSE;
  /* Without a class, RoBERTa is recognized by its vocabulary, which begins with "<s>" and contains
   * "<mask>". */
  if (g_str_has_prefix (class_name, "Roberta") ||
      (*class_name == '\0' && attn_tokenizer_parts_find (parts, "<s>") == 0 &&
       attn_tokenizer_parts_find (parts, "<mask>") != ATTN_TOKENIZER_NO_ID))
    return require_piece (parts, "<s>", &parts->begin_id, error) &&
           require_piece (parts, "</s>", &parts->end_id, error);
  return !adds_begin || require_piece (parts, begin, &parts->begin_id, error);
}

/**
 * attn_tokenizer_read_vocab_json:
 * @parts: (inout): initialized with the path of a vocab.json beside a merges.txt
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the files reports
 *
 * Reads the tokenizer of GPT-2, or of another model with byte-level BPE, such as Qwen2 or RoBERTa.
 */
gboolean
attn_tokenizer_read_vocab_json (AttnTokenizerParts  *parts,
                                GError             **error)
{
  g_autofree char *directory = g_path_get_dirname (parts->path);
  g_autofree char *merges_path = g_build_filename (directory, "merges.txt", NULL);
  GPtrArray *merges = parts->merges;

  parts->model = ATTN_TOKENIZER_BYTE_LEVEL_BPE;
  if (!read_json_pieces (parts, error) || !read_lines (parts, merges_path, merges, error) ||
      !read_config (parts, error))
    return FALSE;

  /* A first line with the version of the format, "#version: 0.2", is not a merge. */
  if (merges->len > 0 && g_str_has_prefix (merges->pdata[0], "#version"))
    g_ptr_array_remove_index (merges, 0);
  set_types (parts, gpt2_specials);
  return TRUE;
}
