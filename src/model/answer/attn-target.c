/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-target.h"

#include <glib/gi18n-lib.h>

#include "attn-end-tokens.h"
#include "attn-error.h"

/* Takes the token that ends a text from the end of @ids. */
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

/**
 * attn_target_encode:
 * @model: a decoder
 * @text: (nullable): %NULL for its start token alone
 * @framing: of the source
 * @error: return location: %ATTN_ERROR_ARGUMENT for a checkpoint without a start token, errors of
 *   the tokenizer and of [func@attn_model_list_end_tokens]
 *
 * The token that ends the text is left out: the published code shifts what it trains a decoder to
 * say behind the start token.
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
  g_autoptr (AttnTokens) tokens =
      tokenizer != NULL
          ? attn_tokenizer_encode (tokenizer, text, -1,
                                   framing == ATTN_FRAMING_NONE ? framing : ATTN_FRAMING_SPECIAL,
                                   error)
          : NULL;
  if (tokens == NULL)
    return NULL;
  for (gsize i = 0; i < tokens->n_tokens; i++)
    g_array_append_val (ids, tokens->tokens[i].id);
  return drop_end (model, ids, error) ? g_steal_pointer (&ids) : NULL;
}
