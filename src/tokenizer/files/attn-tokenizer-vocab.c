/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Plain lists of tokens: the vocab.txt of BERT, the vocab.json and merges.txt of GPT-2. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-tokenizer-config.h"
#include "attn-tokenizer-readers.h"
#include "attn-vocabulary.h"

/* What the checkpoints of the two layouts call their special tokens. */
static const char * const bert_specials[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", NULL };
static const char * const gpt2_specials[] = { "<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>",
                                              "<mask>", NULL };

static void
set_types (AttnTokenizerSource *source,
           const char * const  *specials)
{
  g_byte_array_set_size (source->types, source->pieces->len);
  memset (source->types->data, ATTN_PIECE_NORMAL, source->types->len);
  for (gsize i = 0; specials[i] != NULL; i++)
    {
      guint32 id = attn_tokenizer_source_find (source, specials[i]);

      if (id != ATTN_TOKENIZER_NO_ID)
        source->types->data[id] = ATTN_PIECE_CONTROL;
    }
}

/* The lines of a text file, without what ends them, into @lines; the bytes are validated. */
static gboolean
read_lines (AttnTokenizerSource  *source,
            const char           *path,
            GPtrArray            *lines,
            GError              **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (path, G_MAXSIZE, error);
  g_autofree char *where = g_filename_display_name (path);
  const char *text, *end, *invalid;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &length);
  if (length > 0 && !g_utf8_validate_len (text, length, &invalid))
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: byte 0x%02X at %zu found, expected text in UTF-8"), where,
                      (guint8) *invalid, (gsize) (invalid - text));
  end = text + length;
  while (text < end)
    {
      const char *newline = memchr (text, '\n', end - text);
      const char *line_end = newline != NULL ? newline : end;
      gsize n_bytes = line_end - text;

      if (n_bytes > 0 && text[n_bytes - 1] == '\r')
        n_bytes--;
      g_ptr_array_add (lines, g_string_chunk_insert_len (source->strings, text, n_bytes));
      text = newline != NULL ? newline + 1 : end;
    }
  return TRUE;
}

static gboolean
require_piece (const AttnTokenizerSource  *source,
               const char                 *piece,
               guint32                    *id,
               GError                    **error)
{
  *id = attn_tokenizer_source_find (source, piece);
  if (*id != ATTN_TOKENIZER_NO_ID)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: vocabulary without “%s” found, expected that token"), source->where,
                    piece);
}

/* "strip_accents" may be true, false, or null for as "do_lower_case" says. */
static gboolean
read_bert_options (const AttnTokenizerConfig  *config,
                   AttnTokenizerParts         *parts,
                   GError                    **error)
{
  gboolean keeps_accents, spaces_chinese;

  if (!attn_tokenizer_config_get_boolean (config, "do_lower_case", TRUE, &parts->lowercases,
                                          error) ||
      !attn_tokenizer_config_get_boolean (config, "strip_accents", FALSE, &parts->strips_accents,
                                          error) ||
      !attn_tokenizer_config_get_boolean (config, "strip_accents", TRUE, &keeps_accents, error) ||
      !attn_tokenizer_config_get_boolean (config, "tokenize_chinese_chars", TRUE, &spaces_chinese,
                                          error))
    return FALSE;
  parts->keeps_accents = !keeps_accents;
  parts->joins_chinese = !spaces_chinese;
  return TRUE;
}

/**
 * attn_tokenizer_read_vocab_txt:
 * @source: a vocab.txt: a token a line, the id is the number of the line
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the file reports
 */
gboolean
attn_tokenizer_read_vocab_txt (AttnTokenizerSource  *source,
                               GError              **error)
{
  AttnTokenizerParts *parts = &source->parts;
  g_auto (AttnTokenizerConfig) config = { 0 };

  parts->model = ATTN_TOKENIZER_WORDPIECE;
  if (!attn_tokenizer_config_load (&config, source->path, error) ||
      !read_bert_options (&config, parts, error) ||
      !read_lines (source, source->path, source->pieces, error) ||
      !require_piece (source, "[UNK]", &parts->unknown_id, error) ||
      !require_piece (source, "[CLS]", &parts->begin_id, error) ||
      !require_piece (source, "[SEP]", &parts->end_id, error))
    return FALSE;

  /* An empty line is an id without a token. */
  for (guint i = 0; i < source->pieces->len; i++)
    if (*(const char *) source->pieces->pdata[i] == '\0')
      source->pieces->pdata[i] = NULL;
  set_types (source, bert_specials);
  return TRUE;
}

/* Through a vocabulary, which checks ids and tokens. */
static gboolean
read_json_pieces (AttnTokenizerSource  *source,
                  GError              **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (source->path, G_MAXSIZE, error);
  g_autoptr (AttnVocabulary) vocabulary = attn_vocabulary_new ();
  AttnJsonWalk walk;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  const char *text = g_bytes_get_data (bytes, &length);
  if (!attn_json_walk_init (&walk, source->where, text, length, error) ||
      !attn_vocabulary_add_object (vocabulary, &walk, error))
    return FALSE;
  for (gsize id = 0; id < attn_vocabulary_get_size (vocabulary); id++)
    {
      const char *piece = attn_vocabulary_get_piece (vocabulary, id);

      g_ptr_array_add (source->pieces,
                       piece != NULL ? g_string_chunk_insert (source->strings, piece) : NULL);
    }
  return TRUE;
}

/* What the tokenizer class of the checkpoint puts around a text. */
static gboolean
find_ends (AttnTokenizerSource        *source,
           const AttnTokenizerConfig  *config,
           GError                    **error)
{
  AttnTokenizerParts *parts = &source->parts;
  const char *class_name, *begin;
  gboolean adds_begin;

  if (!attn_tokenizer_config_get_string (config, "tokenizer_class", "", &class_name, error) ||
      !attn_tokenizer_config_get_string (config, "bos_token", "<|endoftext|>", &begin, error) ||
      !attn_tokenizer_config_get_boolean (config, "add_bos_token", FALSE, &adds_begin, error))
    return FALSE;
  /* RoBERTa's vocabulary begins "<s>", "<pad>", "</s>" and ends in "<mask>". */
  if (g_str_has_prefix (class_name, "Roberta") ||
      (*class_name == '\0' && attn_tokenizer_source_find (source, "<s>") == 0 &&
       attn_tokenizer_source_find (source, "<mask>") != ATTN_TOKENIZER_NO_ID))
    return require_piece (source, "<s>", &parts->begin_id, error) &&
           require_piece (source, "</s>", &parts->end_id, error);
  return !adds_begin || require_piece (source, begin, &parts->begin_id, error);
}

/**
 * attn_tokenizer_read_vocab_json:
 * @source: a vocab.json beside a merges.txt
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the files reports
 */
gboolean
attn_tokenizer_read_vocab_json (AttnTokenizerSource  *source,
                                GError              **error)
{
  g_autofree char *directory = g_path_get_dirname (source->path);
  g_autofree char *merges_path = g_build_filename (directory, "merges.txt", NULL);
  g_auto (AttnTokenizerConfig) config = { 0 };
  GPtrArray *merges = source->merges;

  source->parts.model = ATTN_TOKENIZER_BYTE_LEVEL_BPE;
  if (!attn_tokenizer_config_load (&config, source->path, error) ||
      !attn_tokenizer_config_get_boolean (&config, "add_prefix_space", FALSE,
                                          &source->parts.adds_prefix_space, error) ||
      !read_json_pieces (source, error) || !read_lines (source, merges_path, merges, error) ||
      !find_ends (source, &config, error))
    return FALSE;

  /* The first line names the version; the file ends with a newline. */
  if (merges->len > 0 && g_str_has_prefix (merges->pdata[0], "#version"))
    g_ptr_array_remove_index (merges, 0);
  set_types (source, gpt2_specials);
  return TRUE;
}
