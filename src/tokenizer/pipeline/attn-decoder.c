/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-decoder.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-byte-level.h"
#include "attn-byte-pieces.h"
#include "attn-tokenizer-component.h"
#include "attn-error.h"
#include "attn-spaces.h"

enum
{
  TYPE_BYTE_FALLBACK,
  TYPE_BYTE_LEVEL,
  TYPE_METASPACE,
  TYPE_REPLACE,
  TYPE_STRIP,
  TYPE_WORDPIECE,
};

typedef struct
{
  int type;
  char *pattern;          /* text that a step of the decoder replaces or strips; for WordPiece: its
                           * prefix */
  char *content;          /* what is put in its place */
  gsize n_stripped;       /* number of times that a Strip step removes @pattern at the beginning */
  gboolean is_first_only; /* whether a Metaspace or Strip step applies to the first token only */
  gboolean cleans_up;     /* whether a WordPiece step removes spaces before punctuation */
} Step;

/**
 * AttnDecoder:
 *
 * Steps that the format defines on the list of all pieces are done here piece by piece, so that
 * each token has bytes of its own. Immutable; any thread may use it.
 */
struct _AttnDecoder
{
  GArray *steps;
  char *word_end;    /* suffix of pieces that end a word; NULL for none */
  gboolean is_fused; /* whether a Fuse step has come, while steps are read */
};

static void
clear_step (gpointer data)
{
  Step *step = data;

  g_free (step->pattern);
  g_free (step->content);
}

static Step *
append_step (AttnDecoder *decoder,
             int          type,
             const char  *pattern,
             const char  *content)
{
  Step step = { .type = type, .pattern = g_strdup (pattern), .content = g_strdup (content) };

  g_array_append_val (decoder->steps, step);
  return &g_array_index (decoder->steps, Step, decoder->steps->len - 1);
}

static void
read_metaspace (AttnTokenizerComponent *component)
{
  const char *scheme = attn_json_read_string (&component->json, "prepend_scheme", "always");
  const char *space = attn_json_read_string (&component->json, "replacement", ATTN_SPACE);
  Step *step = append_step (component->stage, TYPE_METASPACE, space, " ");

  step->is_first_only = attn_json_read_boolean (&component->json, "add_prefix_space", TRUE) &&
                        !g_str_equal (scheme, "never");
}

static void
read_replace (AttnTokenizerComponent *component)
{
  const char *content = attn_json_read_string (&component->json, "content", "");
  const char *string = attn_json_read_inner_string (&component->json, "pattern", "String");

  if (string == NULL || *string == '\0')
    attn_json_fail (&component->json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: decoder Replace without a string found, expected { \"String\": \"▁\" "
                      "}"),
                    component->json.where);
  append_step (component->stage, TYPE_REPLACE, string, content);
}

static void
read_strip (AttnTokenizerComponent *component)
{
  AttnDecoder *decoder = component->stage;
  const char *content = attn_json_read_string (&component->json, "content", " ");
  Step *step = append_step (decoder, TYPE_STRIP, content, NULL);
  gsize n_end = attn_json_read_size (&component->json, "stop", 0, G_MAXINT32, 0);

  step->n_stripped = attn_json_read_size (&component->json, "start", 0, G_MAXINT32, 0);
  step->is_first_only = decoder->is_fused;
  if ((n_end > 0 || *content == '\0'))
    attn_json_fail (&component->json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: decoder Strip with stop %zu and content “%s” found, expected one "
                      "that strips a character at the start"),
                    component->json.where, n_end, content);
}

static void
read_wordpiece (AttnTokenizerComponent *component)
{
  Step *step = append_step (component->stage, TYPE_WORDPIECE,
                            attn_json_read_string (&component->json, "prefix", "##"), NULL);

  step->cleans_up = attn_json_read_boolean (&component->json, "cleanup", TRUE);
}

static void
read_fuse (AttnTokenizerComponent *component)
{
  ((AttnDecoder *) component->stage)->is_fused = TRUE;
}

static void
read_plain (AttnTokenizerComponent *component)
{
  append_step (component->stage, component->kind, NULL, NULL);
}

static const AttnTokenizerComponentType components[] = {
  { "ByteFallback", TYPE_BYTE_FALLBACK, read_plain },
  { "ByteLevel", TYPE_BYTE_LEVEL, read_plain },
  { "Fuse", 0, read_fuse },
  { "Metaspace", 0, read_metaspace },
  { "Replace", 0, read_replace },
  { "Sequence", .sequence = "decoders" },
  { "Strip", 0, read_strip },
  { "WordPiece", 0, read_wordpiece },
  { NULL },
};

static void
append_default (AttnDecoder        *decoder,
                AttnDecoderDefault  fallback)
{
  switch (fallback)
    {
    case ATTN_DECODER_PLAIN:
      return;
    case ATTN_DECODER_BYTE_LEVEL:
      append_step (decoder, TYPE_BYTE_LEVEL, NULL, NULL);
      return;
    case ATTN_DECODER_SPACES:
    case ATTN_DECODER_ALL_SPACES:
      append_step (decoder, TYPE_BYTE_FALLBACK, NULL, NULL);
      append_step (decoder, TYPE_METASPACE, ATTN_SPACE, " ")->is_first_only =
          fallback == ATTN_DECODER_SPACES;
      return;
    case ATTN_DECODER_WORDPIECE:
      append_step (decoder, TYPE_WORDPIECE, "##", NULL)->cleans_up = TRUE;
      return;
    }
}

/**
 * attn_decoder_new:
 * @node: (nullable): the decoder of a tokenizer.json
 * @fallback: how pieces are decoded if @node is %NULL, or null in the file
 * @where: name of the file in error messages
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a type or an
 *   option that is not known
 *
 * Reads the steps by which pieces are turned into text.
 */
AttnDecoder *
attn_decoder_new (JsonNode            *node,
                  AttnDecoderDefault   fallback,
                  const char          *where,
                  GError             **error)
{
  g_autoptr (AttnDecoder) decoder = g_new0 (AttnDecoder, 1);

  decoder->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (decoder->steps, clear_step);
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    append_default (decoder, fallback);
  else if (!attn_tokenizer_component_read (node, components, decoder, where, _("decoder"), error))
    return NULL;
  return g_steal_pointer (&decoder);
}

void
attn_decoder_free (AttnDecoder *decoder)
{
  g_array_unref (decoder->steps);
  g_free (decoder->word_end);
  g_free (decoder);
}

/**
 * attn_decoder_set_word_end:
 * @word_end: (nullable): what a piece ends with that ends a word, such as "</w>": it is decoded to
 *   a space, as by the published CLIP
 *
 * To be called before any other thread knows the decoder.
 */
void
attn_decoder_set_word_end (AttnDecoder *decoder,
                           const char  *word_end)
{
  g_free (decoder->word_end);
  decoder->word_end = g_strdup (word_end);
}

static void
strip (const Step *step,
       GString    *text)
{
  gsize length = strlen (step->pattern);

  for (gsize i = 0; i < step->n_stripped; i++)
    {
      if (!g_str_has_prefix (text->str, step->pattern))
        return;
      g_string_erase (text, 0, length);
    }
}

/* Removes spaces before punctuation, as cleanup() in decoders/wordpiece.rs of the tokenizers
 * library does. */
static void
clean_up (GString *text)
{
  static const char * const pairs[][2] = {
    { " .", "." },
    { " ?", "?" },
    { " !", "!" },
    { " ,", "," },
    { " ' ", "'" },
    { " n't", "n't" },
    { " 'm", "'m" },
    { " do not", " don't" },
    { " 's", "'s" },
    { " 've", "'ve" },
    { " 're", "'re" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    g_string_replace (text, pairs[i][0], pairs[i][1], 0);
}

static void
join_word (const Step *step,
           gboolean    is_first,
           GString    *text)
{
  if (!is_first && g_str_has_prefix (text->str, step->pattern))
    g_string_erase (text, 0, strlen (step->pattern));
  else if (!is_first)
    g_string_prepend_c (text, ' ');
  if (step->cleans_up)
    clean_up (text);
}

static void
apply_step (const Step *step,
            gboolean    is_first,
            GString    *text)
{
  gboolean drops_space = is_first && step->is_first_only;

  switch (step->type)
    {
    case TYPE_METASPACE:
      if (drops_space && g_str_has_prefix (text->str, step->pattern))
        g_string_erase (text, 0, strlen (step->pattern));
      g_string_replace (text, step->pattern, step->content, 0);
      return;
    case TYPE_REPLACE:
      g_string_replace (text, step->pattern, step->content, 0);
      return;
    case TYPE_STRIP:
      if (drops_space || !step->is_first_only)
        strip (step, text);
      return;
    case TYPE_WORDPIECE:
      join_word (step, is_first, text);
      return;
    default:
      return;
    }
}

/* Appends the bytes of a piece that represents bytes; other steps of the decoder do not apply to
 * it. Returns FALSE if the piece does not represent bytes. */
static gboolean
append_as_bytes (const AttnDecoder *decoder,
                 const char        *piece,
                 GString           *bytes)
{
  gboolean ends = decoder->word_end != NULL && g_str_has_suffix (piece, decoder->word_end);
  g_autofree char *stem =
      ends ? g_strndup (piece, strlen (piece) - strlen (decoder->word_end)) : NULL;

  for (guint i = 0; i < decoder->steps->len; i++)
    {
      int type = g_array_index (decoder->steps, Step, i).type;
      int byte = type == TYPE_BYTE_FALLBACK ? attn_byte_pieces_parse (piece) : -1;

      if (type == TYPE_BYTE_LEVEL && attn_byte_level_decode (ends ? stem : piece, bytes))
        {
          g_string_append (bytes, ends ? " " : "");
          return TRUE;
        }
      if (byte < 0)
        continue;
      g_string_append_c (bytes, (char) byte);
      return TRUE;
    }
  return FALSE;
}

/**
 * attn_decoder_append:
 * @piece: a token as the vocabulary spells it
 * @is_added: whether it is an added token: those are spelled as they are, in WordPiece with a space
 *   in front
 * @is_first: whether no token stands before it
 * @bytes: a buffer to which the bytes that the token stands for are appended
 *
 * Decodes a token within a list of tokens.
 */
void
attn_decoder_append (const AttnDecoder *decoder,
                     const char        *piece,
                     gboolean           is_added,
                     gboolean           is_first,
                     GString           *bytes)
{
  if (!is_added && append_as_bytes (decoder, piece, bytes))
    return;

  g_autoptr (GString) text = g_string_new (piece);
  for (guint i = 0; i < decoder->steps->len; i++)
    {
      const Step *step = &g_array_index (decoder->steps, Step, i);

      if (!is_added || step->type == TYPE_WORDPIECE)
        apply_step (step, is_first, text);
    }
  g_string_append_len (bytes, text->str, text->len);
}

/**
 * attn_decoder_append_alone:
 * @piece: a token as the vocabulary spells it
 * @bytes: a buffer to which the bytes of the token's label are appended
 *
 * Keeps what says how a token joins the one before it: the space of "▁the", the "##" of "##ing".
 */
void
attn_decoder_append_alone (const AttnDecoder *decoder,
                           const char        *piece,
                           GString           *bytes)
{
  if (append_as_bytes (decoder, piece, bytes))
    return;

  g_autoptr (GString) text = g_string_new (piece);
  for (guint i = 0; i < decoder->steps->len; i++)
    {
      const Step *step = &g_array_index (decoder->steps, Step, i);

      if (step->type == TYPE_METASPACE || step->type == TYPE_REPLACE)
        g_string_replace (text, step->pattern, step->content, 0);
    }
  g_string_append_len (bytes, text->str, text->len);
}
