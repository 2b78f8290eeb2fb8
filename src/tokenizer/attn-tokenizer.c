/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-label.h"
#include "attn-memory.h"
#include "attn-tokenizer-private.h"

/* Bytes of memory per token of a list. The text of its label is left out, since tokens of the same
 * id share it. */
#define BYTES_PER_TOKEN (sizeof (AttnToken) + sizeof (char *))

/* State of the encoding of one text. */
typedef struct
{
  const AttnTokenizer *tokenizer;
  const char *text;     /* the whole text to be encoded, with the framing around it */
  AttnMappedText *part; /* part of the text that is being encoded, normalized */
  gboolean is_first;    /* whether @part begins the text */
  GArray *tokens;       /* AttnToken, with offsets in @text */
} Encoder;

/* Returns a tokenizer with an empty vocabulary, whose other stages (normalizer, subword model and
 * so on) are still to be set. */
AttnTokenizer *
attn_tokenizer_new_empty (void)
{
  AttnTokenizer *tokenizer = g_new0 (AttnTokenizer, 1);

  tokenizer->vocabulary = attn_vocabulary_new ();
  return tokenizer;
}

/* Completes a tokenizer once all of its stages are set: normalizes the added tokens that are to be
 * found in normalized text. */
gboolean
attn_tokenizer_finish (AttnTokenizer  *tokenizer,
                       GError        **error)
{
  for (guint i = 0; i < attn_added_tokens_get_n (tokenizer->added_tokens); i++)
    {
      const AttnAddedToken *token = attn_added_tokens_get_nth (tokenizer->added_tokens, i);
      g_auto (AttnMappedText) pattern = { 0 };

      if (!token->is_normalized)
        continue;
      attn_mapped_text_init (&pattern, token->content, strlen (token->content), 0);
      if (!attn_normalizer_apply (tokenizer->normalizer, &pattern, error))
        return FALSE;
      attn_added_tokens_set_pattern (tokenizer->added_tokens, i, pattern.text, pattern.length);
    }
  attn_added_tokens_finish (tokenizer->added_tokens);
  return TRUE;
}

void
attn_tokenizer_free (AttnTokenizer *tokenizer)
{
  if (tokenizer->subword != NULL)
    tokenizer->subword->free (tokenizer->subword);
  g_clear_pointer (&tokenizer->post_processor, attn_post_processor_free);
  g_clear_pointer (&tokenizer->pre_tokenizer, attn_pre_tokenizer_free);
  g_clear_pointer (&tokenizer->normalizer, attn_normalizer_free);
  g_clear_pointer (&tokenizer->added_tokens, attn_added_tokens_free);
  g_clear_pointer (&tokenizer->decoder, attn_decoder_free);
  attn_vocabulary_free (tokenizer->vocabulary);
  attn_chat_clear (&tokenizer->chat);
  g_clear_error (&tokenizer->chat_error);
  g_free (tokenizer->file);
  g_free (tokenizer);
}

/**
 * attn_tokenizer_get_kind:
 *
 * Returns: the kind of its subword model, in words for people, one of "byte-level BPE", "BPE with
 *   byte fallback", "BPE", "Unigram", "WordPiece", "WordLevel"
 */
const char *
attn_tokenizer_get_kind (const AttnTokenizer *tokenizer)
{
  return tokenizer->subword->kind;
}

/**
 * attn_tokenizer_marks_ends:
 *
 * Returns: whether the pieces of its vocabulary mark where a word ends, as in "er</w>"; those of
 *   other tokenizers mark where a word begins, as in "▁the"
 */
gboolean
attn_tokenizer_marks_ends (const AttnTokenizer *tokenizer)
{
  return tokenizer->subword->word_end != NULL;
}

/**
 * attn_tokenizer_get_size:
 *
 * Returns: one more than the largest id of a token; tokens that were added to the vocabulary count
 */
gsize
attn_tokenizer_get_size (const AttnTokenizer *tokenizer)
{
  return attn_vocabulary_get_size (tokenizer->vocabulary);
}

/**
 * attn_tokenizer_get_piece:
 *
 * Returns: (nullable) (transfer none): the token as the vocabulary spells it, such as "Ġis"; %NULL
 *   for an id that it does not have
 */
const char *
attn_tokenizer_get_piece (const AttnTokenizer *tokenizer,
                          guint32              id)
{
  return attn_vocabulary_get_piece (tokenizer->vocabulary, id);
}

/* Appends the bytes that token @id decodes to. Returns FALSE if the vocabulary has no such
 * token. */
static gboolean
append_bytes (const AttnTokenizer *tokenizer,
              guint32              id,
              gboolean             is_first,
              GString             *bytes)
{
  const char *piece = attn_vocabulary_get_piece (tokenizer->vocabulary, id);
  gboolean is_added = attn_added_tokens_lookup (tokenizer->added_tokens, id) != NULL;

  if (piece == NULL)
    return FALSE;
  attn_decoder_append (tokenizer->decoder, piece, is_added, is_first, bytes);
  return TRUE;
}

/* Returns the label of a token: its decoded bytes in readable form, or its number, "#50300", if
 * they are empty. @scratch: a buffer that is overwritten */
static char *
new_label (const AttnTokenizer *tokenizer,
           guint32              id,
           GString             *scratch)
{
  const char *piece = attn_vocabulary_get_piece (tokenizer->vocabulary, id);
  g_autofree char *label = NULL;

  g_string_truncate (scratch, 0);
  if (piece != NULL && attn_added_tokens_lookup (tokenizer->added_tokens, id) != NULL)
    g_string_append (scratch, piece);
  else if (piece != NULL)
    attn_decoder_append_alone (tokenizer->decoder, piece, scratch);
  label = scratch->len > 0 ? attn_label_new (scratch->str, scratch->len)
                           : attn_label_new_number (id);
  return g_ref_string_new (label);
}

/* Removes the ATTN_TOKEN_DROPPED entries from the list and returns how many there were. *first:
 * text offset of the first removed entry, G_MAXSIZE for none */
static gsize
take_dropped (GArray *tokens,
              gsize  *first)
{
  guint n_kept = 0;

  *first = G_MAXSIZE;
  for (guint i = 0; i < tokens->len; i++)
    {
      const AttnToken *token = &g_array_index (tokens, AttnToken, i);

      if (token->id == ATTN_TOKEN_DROPPED)
        *first = MIN (*first, token->begin);
      else
        g_array_index (tokens, AttnToken, n_kept++) = *token;
    }
  gsize n_dropped = tokens->len - n_kept;
  g_array_set_size (tokens, n_kept);
  return n_dropped;
}

/* Makes the list of the tokens with their labels, without the entries ATTN_TOKEN_DROPPED. Takes
 * ownership of @tokens. */
static AttnTokens *
new_tokens (const AttnTokenizer *tokenizer,
            GArray              *tokens)
{
  gsize first_dropped;
  gsize n_dropped = take_dropped (tokens, &first_dropped);
  g_autoptr (GString) scratch = g_string_new (NULL);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL); /* from id to label */
  char **labels = g_new0 (char *, (gsize) tokens->len + 1);

  for (guint i = 0; i < tokens->len; i++)
    {
      AttnToken *token = &g_array_index (tokens, AttnToken, i);
      const AttnAddedToken *added = attn_added_tokens_lookup (tokenizer->added_tokens, token->id);

      token->is_special = added != NULL && added->is_special;
      labels[i] = g_hash_table_lookup (known, GUINT_TO_POINTER (token->id));
      if (labels[i] != NULL)
        {
          g_ref_string_acquire (labels[i]);
          continue;
        }
      labels[i] = new_label (tokenizer, token->id, scratch);
      g_hash_table_insert (known, GUINT_TO_POINTER (token->id), labels[i]);
    }
  AttnTokens *list = attn_tokens_new_take (tokens, labels);
  list->n_dropped = n_dropped;
  list->first_dropped = first_dropped;
  return list;
}

static void
append_added (Encoder              *encoder,
              const AttnAddedToken *added,
              gsize                 begin,
              gsize                 end)
{
  AttnToken token = { added->id, begin, end, FALSE };

  g_array_append_val (encoder->tokens, token);
}

/* Encodes a stretch of text that contains no added tokens: cuts it into words, and the words into
 * pieces of the vocabulary. */
static gboolean
encode_stretch (Encoder         *encoder,
                AttnMappedText  *stretch,
                gboolean         is_first,
                GError         **error)
{
  const AttnTokenizer *tokenizer = encoder->tokenizer;
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (AttnWord));
  guint n_before = encoder->tokens->len;

  if (!attn_pre_tokenizer_split (tokenizer->pre_tokenizer, stretch, is_first, words, error))
    return FALSE;
  if (tokenizer->subword->cuts_at_spaces)
    attn_spaces_cut (stretch->text, words);
  if (!tokenizer->subword->encode (tokenizer->subword, stretch->text,
                                   (const AttnWord *) words->data, words->len, encoder->tokens,
                                   error))
    return FALSE;
  for (guint i = n_before; i < encoder->tokens->len; i++)
    {
      AttnToken *token = &g_array_index (encoder->tokens, AttnToken, i);

      attn_mapped_text_get_origin (stretch, token->begin, token->end, &token->begin, &token->end);
    }
  return TRUE;
}

/* Callback for normalized text split at its added tokens: encodes the stretch between two added
 * tokens, or appends the added token itself. */
static gboolean
encode_normalized (gsize                  begin,
                   gsize                  end,
                   const AttnAddedToken  *added,
                   gpointer               user_data,
                   GError               **error)
{
  Encoder *encoder = user_data;
  g_auto (AttnMappedText) stretch = { 0 };
  gsize origin_begin, origin_end;

  if (added != NULL)
    {
      attn_mapped_text_get_origin (encoder->part, begin, end, &origin_begin, &origin_end);
      append_added (encoder, added, origin_begin, origin_end);
      return TRUE;
    }
  attn_mapped_text_init_slice (&stretch, encoder->part, begin, end);
  return encode_stretch (encoder, &stretch, encoder->is_first && begin == 0, error);
}

/* Callback for the original text split at its added tokens: normalizes and encodes the stretch
 * between two added tokens, or appends the added token itself. */
static gboolean
encode_raw (gsize                  begin,
            gsize                  end,
            const AttnAddedToken  *added,
            gpointer               user_data,
            GError               **error)
{
  Encoder *encoder = user_data;
  const AttnTokenizer *tokenizer = encoder->tokenizer;
  g_auto (AttnMappedText) part = { 0 };

  if (added != NULL)
    {
      append_added (encoder, added, begin, end);
      return TRUE;
    }
  attn_mapped_text_init (&part, encoder->text + begin, end - begin, begin);
  if (!attn_normalizer_apply (tokenizer->normalizer, &part, error))
    return FALSE;
  encoder->part = &part;
  encoder->is_first = begin == 0;
  return attn_added_tokens_split (tokenizer->added_tokens, TRUE, part.text, part.length, NULL, 0,
                                  encode_normalized, encoder, error);
}

/* Checks that a text is UTF-8 and not too long. A NUL is allowed within it. */
static gboolean
check_text (const char  *text,
            gsize        length,
            GError     **error)
{
  const char *end = text + length;
  const char *valid = text;

  if (length > ATTN_MAPPED_TEXT_MAX_LENGTH)
    return attn_fail (error, ATTN_ERROR_LIMIT, _("text: %zu bytes found, expected at most %zu"),
                      length, ATTN_MAPPED_TEXT_MAX_LENGTH);
  while (!g_utf8_validate_len (valid, end - valid, &valid) && *valid == '\0')
    valid++;
  if (valid == end)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT, _("text: byte 0x%02X at %zu found, expected UTF-8"),
                    (guint8) *valid, (gsize) (valid - text));
}

static void
append_ids (GArray       *tokens,
            const GArray *ids,
            gsize         position)
{
  for (guint i = 0; i < ids->len; i++)
    {
      AttnToken token = { g_array_index (ids, guint32, i), position, position, FALSE };

      g_array_append_val (tokens, token);
    }
}

/* Returns the chat template, or %NULL with @error set if the checkpoint has none that can be
 * run. */
static const AttnChat *
get_chat (const AttnTokenizer  *tokenizer,
          GError              **error)
{
  AttnTokenizer *self = (AttnTokenizer *) tokenizer;

  if (g_once_init_enter (&self->has_chat))
    {
      attn_chat_load (self->file, &self->chat, &self->chat_error);
      g_once_init_leave (&self->has_chat, 1);
    }
  if (self->chat_error == NULL)
    return &self->chat;
  g_propagate_error (error, g_error_copy (self->chat_error));
  return NULL;
}

/**
 * attn_tokenizer_has_chat:
 *
 * Reads the chat template when it is first asked for. Any thread may call.
 *
 * Returns: whether there is a chat template that can be run
 */
gboolean
attn_tokenizer_has_chat (const AttnTokenizer *tokenizer)
{
  return get_chat (tokenizer, NULL) != NULL;
}

/**
 * attn_tokenizer_dup_chat:
 * @error: return location for errors of [func@attn_chat_load]
 *
 * Reads the chat template when it is first asked for. Any thread may call.
 *
 * Returns: (transfer full) (nullable): what the template writes around a message, as one line: "…"
 *   stands for the message, "↵" for a newline
 */
char *
attn_tokenizer_dup_chat (const AttnTokenizer  *tokenizer,
                         GError              **error)
{
  const AttnChat *chat = get_chat (tokenizer, error);

  return chat != NULL ? attn_chat_describe (chat) : NULL;
}

/* Appends a message of the user to @framed, with the text that the chat template writes around
 * it. */
static gboolean
frame_chat (const AttnChat         *chat,
            const char             *text,
            gsize                   length,
            const GArray           *parts,
            const AttnPictureMark  *mark,
            AttnFramed             *framed,
            GError                **error)
{
  gboolean has_picture = FALSE;
  gsize begin, end;

  for (guint i = 0; i < parts->len; i++)
    has_picture = has_picture || g_array_index (parts, AttnMessagePart, i).is_picture;
  if (has_picture)
    return attn_chat_frame_pictures (chat, text, length, parts, mark, framed, error);
  g_autofree char *whole = attn_chat_frame (chat, text, length, &begin, &end, error);
  if (whole == NULL)
    return FALSE;
  g_string_append (framed->text, chat->before);
  attn_framed_add (framed, text, begin, end, NULL);
  g_string_append (framed->text, chat->after);
  return TRUE;
}

/* Appends a text to @framed with what @framing puts around it, its pictures written as the
 * published image processor writes them. @adds_tokens: (inout): whether the tokenizer is to add its
 * own special tokens */
static gboolean
frame (const AttnTokenizer    *tokenizer,
       const char             *text,
       gsize                   length,
       AttnFraming             framing,
       const AttnPictureMark  *mark,
       AttnFramed             *framed,
       gboolean               *adds_tokens,
       GError                **error)
{
  g_autoptr (GArray) parts =
      attn_message_split (text, length, mark, framing == ATTN_FRAMING_CHAT);

  if (framing == ATTN_FRAMING_CHAT)
    {
      const AttnChat *chat = get_chat (tokenizer, error);

      if (chat == NULL || !frame_chat (chat, text, length, parts, mark, framed, error))
        return FALSE;
      *adds_tokens = chat->is_of_processor && !attn_chat_begins (chat, framed->text->str);
      return TRUE;
    }
  for (guint i = 0; i < parts->len; i++)
    {
      const AttnMessagePart *part = &g_array_index (parts, AttnMessagePart, i);

      attn_framed_add (framed, text, part->begin, part->end,
                       part->is_picture ? mark->written : NULL);
    }
  *adds_tokens = framing == ATTN_FRAMING_SPECIAL;
  return TRUE;
}

/* Lists the parts of a framed message in which no special token is looked for: the texts that the
 * user wrote. Returns: (transfer full) (element-type AttnByteRange) */
static GArray *
list_plain (const AttnFramed *framed)
{
  GArray *plain = g_array_new (FALSE, FALSE, sizeof (AttnByteRange));

  for (guint i = 0; i < framed->spans->len; i++)
    {
      const AttnFramedSpan *span = &g_array_index (framed->spans, AttnFramedSpan, i);
      const AttnByteRange own = { span->begin, span->end };

      if (!span->is_picture)
        g_array_append_val (plain, own);
    }
  return plain;
}

/**
 * attn_tokenizer_encode_seen:
 * @text: (array length=length): text in UTF-8
 * @length: bytes of @text, or -1 where it is NUL-terminated
 * @framing: what to put around the text
 * @mark: (nullable): how a picture is written in the text; %NULL for a text without pictures
 * @error: return location for errors of [func@attn_tokenizer_encode] and
 *   [func@attn_chat_frame_pictures]
 *
 * Encodes a text with pictures as the model's published image processor does before it repeats the
 * token of each picture. In a chat the template gets each picture, and each text between pictures,
 * as a part of the message.
 *
 * Returns: (transfer full) (nullable): the tokens
 */
AttnTokens *
attn_tokenizer_encode_seen (const AttnTokenizer    *tokenizer,
                            const char             *text,
                            gssize                  length,
                            AttnFraming             framing,
                            const AttnPictureMark  *mark,
                            GError                **error)
{
  gsize n_bytes = length < 0 ? strlen (text) : (gsize) length, n_plain = 0;
  gboolean is_framed = framing == ATTN_FRAMING_CHAT || (mark != NULL && mark->written != NULL);
  gboolean adds_tokens = framing == ATTN_FRAMING_SPECIAL;
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (AttnToken));
  g_autoptr (GArray) plain = NULL;
  g_auto (AttnFramed) framed = { NULL };
  Encoder encoder = { .tokenizer = tokenizer, .text = text, .tokens = tokens };

  if (!check_text (text, n_bytes, error))
    return NULL;
  attn_framed_init (&framed);
  if (is_framed)
    {
      if (!frame (tokenizer, text, n_bytes, framing, mark, &framed, &adds_tokens, error))
        return NULL;
      n_bytes = framed.text->len;
      encoder.text = framed.text->str;
    }
  if (framing == ATTN_FRAMING_CHAT)
    {
      plain = list_plain (&framed);
      n_plain = plain->len;
    }
  if (!attn_memory_check (n_bytes * BYTES_PER_TOKEN, _("the tokens of the text"), error))
    return NULL;

  if (adds_tokens)
    append_ids (tokens, tokenizer->post_processor->prefix, 0);
  if (!attn_added_tokens_split (tokenizer->added_tokens, FALSE, encoder.text, n_bytes,
                                n_plain > 0 ? (const AttnByteRange *) plain->data : NULL, n_plain,
                                encode_raw, &encoder, error))
    return NULL;
  if (adds_tokens)
    append_ids (tokens, tokenizer->post_processor->suffix, n_bytes);
  for (guint i = 0; is_framed && i < tokens->len; i++)
    {
      AttnToken *token = &g_array_index (tokens, AttnToken, i);

      token->begin = attn_framed_find_origin (&framed, token->begin);
      token->end = attn_framed_find_origin (&framed, token->end);
    }
  return new_tokens (tokenizer, g_steal_pointer (&tokens));
}

/**
 * attn_tokenizer_encode:
 * @text: (array length=length): text in UTF-8
 * @length: bytes of @text, or -1 where it is NUL-terminated
 * @framing: what to put around the text
 * @error: return location for %ATTN_ERROR_FORMAT, where @text is not UTF-8 or has a byte that no
 *   token stands for; %ATTN_ERROR_LIMIT for 2 GiB or more; %ATTN_ERROR_MEMORY; for a chat the
 *   errors of [func@attn_chat_load] and [func@attn_chat_frame]
 *
 * A special token that is typed in the text, such as "<s>", becomes that token; in a chat it is
 * plain text. Time grows as n log n with the longest word, linearly with the rest of the text.
 *
 * Returns: (transfer full) (nullable): the tokens, none for an empty text that gets none around it
 */
AttnTokens *
attn_tokenizer_encode (const AttnTokenizer  *tokenizer,
                       const char           *text,
                       gssize                length,
                       AttnFraming           framing,
                       GError              **error)
{
  return attn_tokenizer_encode_seen (tokenizer, text, length, framing, NULL, error);
}

/**
 * attn_tokenizer_label_ids:
 * @ids: (array length=n_ids): token ids
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Makes tokens of ids that come from no text. They begin and end where their bytes are in what
 * [func@attn_tokenizer_decode] returns. An id that the vocabulary does not have, as in models whose
 * embedding was padded, is labelled with its number, "#50300".
 *
 * Returns: (transfer full) (nullable): the ids as tokens
 */
AttnTokens *
attn_tokenizer_label_ids (const AttnTokenizer  *tokenizer,
                          const guint32        *ids,
                          gsize                 n_ids,
                          GError              **error)
{
  g_autoptr (GArray) tokens = NULL;
  g_autoptr (GString) bytes = g_string_new (NULL);
  gsize position = 0;

  if (!attn_memory_check (n_ids > G_MAXUINT32 ? G_MAXSIZE : n_ids * BYTES_PER_TOKEN,
                          _("the tokens"), error))
    return NULL;
  tokens = g_array_sized_new (FALSE, FALSE, sizeof (AttnToken), n_ids);
  for (gsize i = 0; i < n_ids; i++)
    {
      g_string_truncate (bytes, 0);
      append_bytes (tokenizer, ids[i], i == 0, bytes);

      AttnToken token = { ids[i], position, position + bytes->len, FALSE };
      g_array_append_val (tokens, token);
      position = token.end;
    }
  return new_tokens (tokenizer, g_steal_pointer (&tokens));
}

/**
 * attn_tokenizer_decode:
 * @ids: (array length=n_ids): token ids
 * @error: return location for %ATTN_ERROR_ARGUMENT, for an id that the vocabulary does not have
 *
 * Returns: (transfer full) (nullable): the bytes that the ids stand for, special tokens by their
 *   text; the bytes need not be UTF-8. The decoding of a text that was encoded is the same text,
 *   but for what the tokenizer changes in it: a normalizer, a space put in front, spaces that an
 *   added token takes.
 */
GBytes *
attn_tokenizer_decode (const AttnTokenizer  *tokenizer,
                       const guint32        *ids,
                       gsize                 n_ids,
                       GError              **error)
{
  g_autoptr (GString) bytes = g_string_new (NULL);

  for (gsize i = 0; i < n_ids; i++)
    if (!append_bytes (tokenizer, ids[i], i == 0, bytes))
      return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                             _("token id %u found, expected one of the vocabulary’s %zu"), ids[i],
                             attn_tokenizer_get_size (tokenizer));
  return g_string_free_to_bytes (g_steal_pointer (&bytes));
}
