/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Plain lists of tokens: the vocab.txt of BERT, the vocab.json and merges.txt of GPT-2. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-tokenizer-config.h"
#include "attn-tokenizer-parts.h"
#include "attn-tokenizer-private.h"

/* What the checkpoints of the two layouts call their special tokens. */
static const char * const bert_specials[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", NULL };
static const char * const gpt2_specials[] = { "<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>",
                                              "<mask>", NULL };

/* Pieces by id, with a NULL behind the last. */
typedef struct
{
  GStringChunk *strings;
  GPtrArray *pieces;
  guint8 *types;
} Pieces;

static void
pieces_clear (Pieces *pieces)
{
  g_clear_pointer (&pieces->strings, g_string_chunk_free);
  g_clear_pointer (&pieces->pieces, g_ptr_array_unref);
  g_clear_pointer (&pieces->types, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pieces, pieces_clear)

static void
pieces_init (Pieces *pieces)
{
  pieces->strings = g_string_chunk_new (1 << 16);
  pieces->pieces = g_ptr_array_new ();
  pieces->types = NULL;
}

static guint32
find_piece (const Pieces *pieces,
            const char   *piece)
{
  for (guint32 id = 0; id < pieces->pieces->len; id++)
    if (g_strcmp0 (pieces->pieces->pdata[id], piece) == 0)
      return id;
  return ATTN_TOKENIZER_NO_ID;
}

static void
set_types (Pieces             *pieces,
           const char * const *specials)
{
  pieces->types = g_malloc (pieces->pieces->len + 1);
  memset (pieces->types, ATTN_PIECE_NORMAL, pieces->pieces->len + 1);
  for (gsize i = 0; specials[i] != NULL; i++)
    {
      guint32 id = find_piece (pieces, specials[i]);

      if (id != ATTN_TOKENIZER_NO_ID)
        pieces->types[id] = ATTN_PIECE_CONTROL;
    }
}

/* The lines of a text file, without what ends them; the bytes are validated. */
static gboolean
read_lines (const char  *path,
            Pieces      *lines,
            GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (path, G_MAXSIZE, error);
  g_autofree char *where = g_filename_display_name (path);
  const char *text, *end, *invalid;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &length);
  if (length > 0 && !g_utf8_validate_len (text, length, &invalid))
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: byte 0x%02X at %zu found, expected text in UTF-8"), where,
                   (guint8) *invalid, (gsize) (invalid - text));
      return FALSE;
    }
  end = text + length;
  while (text < end)
    {
      const char *newline = memchr (text, '\n', end - text);
      const char *line_end = newline != NULL ? newline : end;
      gsize n_bytes = line_end - text;

      if (n_bytes > 0 && text[n_bytes - 1] == '\r')
        n_bytes--;
      g_ptr_array_add (lines->pieces, g_string_chunk_insert_len (lines->strings, text, n_bytes));
      text = newline != NULL ? newline + 1 : end;
    }
  return TRUE;
}

static gboolean
require_piece (const Pieces  *pieces,
               const char    *piece,
               const char    *where,
               guint32       *id,
               GError       **error)
{
  *id = find_piece (pieces, piece);
  if (*id != ATTN_TOKENIZER_NO_ID)
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
               _("%s: vocabulary without “%s” found, expected that token"), where, piece);
  return FALSE;
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
 * @path: a vocab.txt: a token a line, the id is the number of the line
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the file reports
 */
AttnTokenizer *
attn_tokenizer_read_vocab_txt (const char  *path,
                               GError     **error)
{
  g_autofree char *where = g_filename_display_name (path);
  AttnTokenizerParts parts = { .model = ATTN_TOKENIZER_WORDPIECE };
  g_auto (AttnTokenizerConfig) config = { 0 };
  g_auto (Pieces) pieces = { 0 };
  guint32 first, last;

  pieces_init (&pieces);
  if (!attn_tokenizer_config_load (&config, path, error) ||
      !read_bert_options (&config, &parts, error) || !read_lines (path, &pieces, error) ||
      !require_piece (&pieces, "[UNK]", where, &parts.unknown_id, error) ||
      !require_piece (&pieces, "[CLS]", where, &first, error) ||
      !require_piece (&pieces, "[SEP]", where, &last, error))
    return NULL;

  /* An empty line is an id without a token. */
  for (guint i = 0; i < pieces.pieces->len; i++)
    if (*(const char *) pieces.pieces->pdata[i] == '\0')
      pieces.pieces->pdata[i] = NULL;
  set_types (&pieces, bert_specials);
  parts.n_pieces = pieces.pieces->len;
  parts.pieces = (const char * const *) pieces.pieces->pdata;
  parts.types = pieces.types;
  parts.prefix = &first;
  parts.n_prefix = 1;
  parts.suffix = &last;
  parts.n_suffix = 1;
  return attn_tokenizer_new_from_parts (&parts, where, error);
}

/* Through a vocabulary, which checks ids and tokens. */
static gboolean
read_json_pieces (const char  *path,
                  Pieces      *pieces,
                  GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (path, G_MAXSIZE, error);
  g_autofree char *where = g_filename_display_name (path);
  g_autoptr (AttnVocabulary) vocabulary = attn_vocabulary_new ();
  AttnJsonWalk walk;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  const char *text = g_bytes_get_data (bytes, &length);
  if (!attn_json_walk_init (&walk, where, text, length, error) ||
      !attn_vocabulary_add_object (vocabulary, &walk, error))
    return FALSE;
  for (gsize id = 0; id < attn_vocabulary_get_size (vocabulary); id++)
    {
      const char *piece = attn_vocabulary_get_piece (vocabulary, id);

      g_ptr_array_add (pieces->pieces, piece != NULL ? g_string_chunk_insert (pieces->strings, piece) : NULL);
    }
  return TRUE;
}

/* What the tokenizer class of the checkpoint puts around a text. */
static gboolean
find_ends (const AttnTokenizerConfig  *config,
           const Pieces               *pieces,
           const char                 *where,
           guint32                    *first,
           guint32                    *last,
           GError                    **error)
{
  const char *class_name, *begin;
  gboolean adds_begin;

  *first = *last = ATTN_TOKENIZER_NO_ID;
  if (!attn_tokenizer_config_get_string (config, "tokenizer_class", "", &class_name, error) ||
      !attn_tokenizer_config_get_string (config, "bos_token", "<|endoftext|>", &begin, error) ||
      !attn_tokenizer_config_get_boolean (config, "add_bos_token", FALSE, &adds_begin, error))
    return FALSE;
  /* RoBERTa's vocabulary begins "<s>", "<pad>", "</s>" and ends in "<mask>". */
  if (g_str_has_prefix (class_name, "Roberta") ||
      (*class_name == '\0' && find_piece (pieces, "<s>") == 0 &&
       find_piece (pieces, "<mask>") != ATTN_TOKENIZER_NO_ID))
    return require_piece (pieces, "<s>", where, first, error) &&
           require_piece (pieces, "</s>", where, last, error);
  return !adds_begin || require_piece (pieces, begin, where, first, error);
}

/**
 * attn_tokenizer_read_vocab_json:
 * @path: a vocab.json; merges.txt lies beside it
 * @error: return location for %ATTN_ERROR_FORMAT, and what reading the files reports
 */
AttnTokenizer *
attn_tokenizer_read_vocab_json (const char  *path,
                                GError     **error)
{
  g_autofree char *where = g_filename_display_name (path);
  AttnTokenizerParts parts = { .model = ATTN_TOKENIZER_BYTE_LEVEL_BPE };
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *merges_path = g_build_filename (directory, "merges.txt", NULL);
  g_auto (AttnTokenizerConfig) config = { 0 };
  g_auto (Pieces) pieces = { 0 };
  g_auto (Pieces) merges = { 0 };
  guint32 first, last;

  pieces_init (&pieces);
  pieces_init (&merges);
  if (!attn_tokenizer_config_load (&config, path, error) ||
      !attn_tokenizer_config_get_boolean (&config, "add_prefix_space", FALSE,
                                          &parts.adds_prefix_space, error) ||
      !read_json_pieces (path, &pieces, error) || !read_lines (merges_path, &merges, error) ||
      !find_ends (&config, &pieces, where, &first, &last, error))
    return NULL;

  /* The first line names the version; the file ends with a newline. */
  if (merges.pieces->len > 0 && g_str_has_prefix (merges.pieces->pdata[0], "#version"))
    g_ptr_array_remove_index (merges.pieces, 0);
  set_types (&pieces, gpt2_specials);
  parts.n_pieces = pieces.pieces->len;
  parts.pieces = (const char * const *) pieces.pieces->pdata;
  parts.types = pieces.types;
  parts.n_merges = merges.pieces->len;
  parts.merges = (const char * const *) merges.pieces->pdata;
  parts.unknown_id = ATTN_TOKENIZER_NO_ID;
  parts.prefix = &first;
  parts.n_prefix = first != ATTN_TOKENIZER_NO_ID;
  parts.suffix = &last;
  parts.n_suffix = last != ATTN_TOKENIZER_NO_ID;
  return attn_tokenizer_new_from_parts (&parts, where, error);
}
