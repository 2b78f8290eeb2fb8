/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tokens that are found in a text as a whole, before it is cut into words. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-vocabulary.h"

G_BEGIN_DECLS

/**
 * AttnByteRange:
 * @begin: first byte of a part of a text
 * @end: one past the last byte
 */
typedef struct
{
  gsize begin;
  gsize end;
} AttnByteRange;

/**
 * AttnAddedToken:
 * @id: its id
 * @content: its text
 * @is_special: a special token such as <s>
 * @is_normalized: found in the normalized text instead of the text as given
 * @is_single_word: found only where no letter or digit touches it
 * @strips_left: includes the spaces before it in the text
 * @strips_right: includes the spaces behind it
 *
 * A token that is found in a text as a whole, and where it is found.
 */
typedef struct
{
  guint32 id;
  char *content;
  gboolean is_special;
  gboolean is_normalized;
  gboolean is_single_word;
  gboolean strips_left;
  gboolean strips_right;
} AttnAddedToken;

typedef struct _AttnAddedTokens AttnAddedTokens;

/**
 * AttnAddedTokenFunc:
 * @begin: first byte of a part of the text
 * @end: one past the last, greater than @begin
 * @token: (nullable): the token that the part is, or %NULL for text between tokens
 *
 * Gets one part after the other of a text that is split at its added tokens.
 *
 * Returns: %FALSE, with @error set, to stop
 */
typedef gboolean (*AttnAddedTokenFunc) (gsize                  begin,
                                        gsize                  end,
                                        const AttnAddedToken  *token,
                                        gpointer               user_data,
                                        GError               **error);

AttnAddedTokens      *attn_added_tokens_new     (JsonArray              *array,
                                                 const char             *where,
                                                 AttnVocabulary         *vocabulary,
                                                 GError                **error);
gboolean              attn_added_tokens_append  (AttnAddedTokens        *tokens,
                                                 const AttnAddedToken   *token,
                                                 const char             *where,
                                                 AttnVocabulary         *vocabulary,
                                                 GError                **error);
void                  attn_added_tokens_free    (AttnAddedTokens        *tokens);
guint                 attn_added_tokens_get_n   (const AttnAddedTokens  *tokens);
const AttnAddedToken *attn_added_tokens_get_nth (const AttnAddedTokens  *tokens,
                                                 guint                   index);
const AttnAddedToken *attn_added_tokens_lookup  (const AttnAddedTokens  *tokens,
                                                 guint32                 id);
void                  attn_added_tokens_set_pattern (AttnAddedTokens    *tokens,
                                                 guint                   index,
                                                 const char             *pattern,
                                                 gsize                   length);
void                  attn_added_tokens_finish  (AttnAddedTokens        *tokens);
gboolean              attn_added_tokens_split   (const AttnAddedTokens  *tokens,
                                                 gboolean                is_normalized,
                                                 const char             *text,
                                                 gsize                   length,
                                                 const AttnByteRange    *plain,
                                                 gsize                   n_plain,
                                                 AttnAddedTokenFunc      func,
                                                 gpointer                user_data,
                                                 GError                **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnAddedTokens, attn_added_tokens_free)

G_END_DECLS
