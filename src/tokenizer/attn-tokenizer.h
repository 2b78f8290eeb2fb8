/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Converts text to token ids and back, with the vocabulary of a checkpoint. */

#pragma once

#include <glib.h>

#include "attn-framed.h"

G_BEGIN_DECLS

/**
 * AttnToken:
 * @id: index into the vocabulary
 * @begin: first byte of the text that the token stands for
 * @end: one past the last byte; equal to @begin for a token that the tokenizer added
 * @is_special: whether it is a special token such as <s>, typed or added
 *
 * A token of a text and the bytes of the text that it stands for.
 */
typedef struct
{
  guint32 id;
  gsize begin;
  gsize end;
  gboolean is_special;
} AttnToken;

/* The value in place of an id for text that no token represents. It only occurs in lists of tokens
 * inside the tokenizer, never in #AttnTokens. */
#define ATTN_TOKEN_DROPPED G_MAXUINT32

/**
 * AttnTokens:
 * @n_tokens: number of @tokens and of @labels
 * @tokens: (array length=n_tokens): the tokens in order
 * @labels: (array zero-terminated=1): each token as one reads it: valid UTF-8, a space as "␣", a
 *   newline as "↵", a tab as "⇥", other control characters and bytes that are not text as "\xE2";
 *   never empty
 * @n_cut: how many more tokens the text has, which attn_tokens_truncate() has left out
 * @n_dropped: number of characters, or of bytes of a character, that no token stands for, and that
 *   the published tokenizers leave out, too
 * @first_dropped: byte of the text at which the first of them begins
 *
 * Immutable and reference-counted; any thread may use it.
 */
typedef struct
{
  gsize n_tokens;
  AttnToken *tokens;
  char **labels;
  gsize n_cut;
  gsize n_dropped;
  gsize first_dropped;

  /*< private >*/
  gatomicrefcount ref_count;
} AttnTokens;

AttnTokens *attn_tokens_new_take     (GArray         *tokens,
                                      char          **labels);
AttnTokens *attn_tokens_new_from_ids (const guint32  *ids,
                                      gsize           n_ids,
                                      char          **labels);
guint32    *attn_tokens_dup_ids      (const AttnTokens *tokens);
AttnTokens *attn_tokens_truncate     (AttnTokens     *tokens,
                                      gsize           n_tokens);
AttnTokens *attn_tokens_ref          (AttnTokens     *tokens);
void        attn_tokens_unref        (AttnTokens     *tokens);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTokens, attn_tokens_unref)

typedef struct _AttnTokenizer AttnTokenizer;

/**
 * AttnFraming:
 * @ATTN_FRAMING_NONE: nothing
 * @ATTN_FRAMING_SPECIAL: the tokens that the tokenizer adds by itself, such as a first <s>
 * @ATTN_FRAMING_CHAT: what the chat template writes around a message of the user, and the beginning
 *   of an answer
 *
 * Selects what is put around a text before it is cut into tokens.
 */
typedef enum
{
  ATTN_FRAMING_NONE,
  ATTN_FRAMING_SPECIAL,
  ATTN_FRAMING_CHAT,
} AttnFraming;

/**
 * AttnTokenizerOutline:
 * @kind: such as "WordPiece", see [func@attn_tokenizer_get_kind]
 * @size: one more than the largest token id, see [func@attn_tokenizer_get_size]
 *
 * Says of a tokenizer what can be told without loading it.
 */
typedef struct
{
  const char *kind;
  gsize size;
} AttnTokenizerOutline;

/* An #AttnTokenizerOutline that is being made in a thread of its own. */
typedef struct _AttnTokenizerOutlining AttnTokenizerOutlining;

gboolean       attn_tokenizer_exists         (const char           *path);
AttnTokenizer *attn_tokenizer_load           (const char           *path,
                                              GError              **error);
gboolean       attn_tokenizer_outline        (const char           *path,
                                              AttnTokenizerOutline *outline,
                                              GError              **error);
AttnTokenizerOutlining *attn_tokenizer_outlining_new (const char *path);
gboolean       attn_tokenizer_outlining_finish (AttnTokenizerOutlining *self,
                                              const char             *path,
                                              AttnTokenizerOutline   *outline,
                                              GError                **error);
void           attn_tokenizer_outlining_free (AttnTokenizerOutlining *self);
void           attn_tokenizer_free           (AttnTokenizer        *tokenizer);
const char    *attn_tokenizer_get_kind       (const AttnTokenizer  *tokenizer);
gboolean       attn_tokenizer_marks_ends     (const AttnTokenizer  *tokenizer);
gsize          attn_tokenizer_get_size       (const AttnTokenizer  *tokenizer);
AttnTokens    *attn_tokenizer_encode         (const AttnTokenizer  *tokenizer,
                                              const char           *text,
                                              gssize                length,
                                              AttnFraming           framing,
                                              GError              **error);
AttnTokens    *attn_tokenizer_encode_seen    (const AttnTokenizer   *tokenizer,
                                              const char            *text,
                                              gssize                 length,
                                              AttnFraming            framing,
                                              const AttnPictureMark *mark,
                                              GError               **error);
AttnTokens    *attn_tokenizer_label_ids      (const AttnTokenizer  *tokenizer,
                                              const guint32        *ids,
                                              gsize                 n_ids,
                                              GError              **error);
GBytes        *attn_tokenizer_decode         (const AttnTokenizer  *tokenizer,
                                              const guint32        *ids,
                                              gsize                 n_ids,
                                              GError              **error);
const char    *attn_tokenizer_get_piece      (const AttnTokenizer  *tokenizer,
                                              guint32               id);
gboolean       attn_tokenizer_has_chat       (const AttnTokenizer  *tokenizer);
char          *attn_tokenizer_dup_chat       (const AttnTokenizer  *tokenizer,
                                              GError              **error);
char          *attn_tokenizer_find_chat      (const char           *path,
                                              GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTokenizerOutlining, attn_tokenizer_outlining_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTokenizer, attn_tokenizer_free)

G_END_DECLS
