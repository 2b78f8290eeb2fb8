/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-target.h"

#include <glib/gi18n-lib.h>

#include "attn-end-tokens.h"
#include "attn-error.h"

/* Removes the last token of @ids if it is a token that ends a text. */
static gboolean
drop_end (const AttnModel  *model,
          GArray           *ids,
          GError          **error)
{
  g_autoptr (GArray) ends = NULL;

  if (!attn_model_list_end_tokens (model, &ends, error))
    return FALSE;
  for (guint i = 0; i < ends->len && ids->len > 1; i++)
    if (g_array_index (ends, guint32, i) == g_array_index (ids, guint32, ids->len - 1))
      {
        g_array_set_size (ids, ids->len - 1);
        break;
      }
  return TRUE;
}

static gboolean
begins_with (const AttnTokens *tokens,
             gssize            id)
{
  return tokens != NULL && tokens->n_tokens > 0 && tokens->tokens[0].id == id;
}

/* Encodes a target text. The tokenizer of a speech model puts a start token first; @n_starts,
 * (out), is set to 1 for the caller to skip it, as the published training code does. A text that
 * begins with the start token itself, followed by language and task, is encoded as it is. */
static AttnTokens *
encode (const AttnModel      *model,
        const AttnTokenizer  *tokenizer,
        const char           *text,
        AttnFraming           framing,
        gsize                *n_starts,
        GError              **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  AttnFraming own = framing == ATTN_FRAMING_NONE ? framing : ATTN_FRAMING_SPECIAL;
  AttnTokens *tokens = NULL;

  *n_starts = 0;
  if (info->needs_sound)
    {
      tokens = attn_tokenizer_encode (tokenizer, text, -1, ATTN_FRAMING_NONE, error);
      if (tokens == NULL)
        return NULL;
      if (!begins_with (tokens, info->start_token))
        g_clear_pointer (&tokens, attn_tokens_unref);
    }
  if (tokens == NULL)
    tokens = attn_tokenizer_encode (tokenizer, text, -1, own, error);
  if (info->needs_sound && begins_with (tokens, info->start_token))
    *n_starts = 1;
  return tokens;
}

/**
 * attn_target_encode:
 * @model: the decoder of a model with an encoder
 * @text: (nullable): %NULL to get the start token alone
 * @framing: whether special tokens were added around the source text; the same holds for the target
 * @error: return location: %ATTN_ERROR_ARGUMENT for a checkpoint without a start token, errors of
 *   the tokenizer and of [func@attn_model_list_end_tokens]
 *
 * Encodes a target text as a decoder reads it. The token that ends the text is left out: in
 * training, the decoder's input is the text behind the start token, and its end is only predicted.
 *
 * Returns: (transfer full) (nullable) (element-type guint32): the start token and those of the text
 */
GArray *
attn_target_encode (const AttnModel  *model,
                    const char       *text,
                    AttnFraming       framing,
                    GError          **error)
{
  gssize first = attn_model_get_info (model)->start_token;
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 start = (guint32) first;

  if (first < 0)
    return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                           _("%s: no “decoder_start_token_id” found, expected the target as ids"),
                           attn_model_get_path (model));
  g_array_append_val (ids, start);
  if (text == NULL)
    return g_steal_pointer (&ids);

  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, error);
  gsize n_starts = 0;
  g_autoptr (AttnTokens) tokens =
      tokenizer != NULL ? encode (model, tokenizer, text, framing, &n_starts, error) : NULL;
  if (tokens == NULL)
    return NULL;
  for (gsize i = n_starts; i < tokens->n_tokens; i++)
    g_array_append_val (ids, tokens->tokens[i].id);
  return drop_end (model, ids, error) ? g_steal_pointer (&ids) : NULL;
}
