/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads a checkpoint's chat template and applies it to a message of the user. */

#pragma once

#include "attn-framed.h"
#include "attn-gguf.h"
#include "attn-jinja.h"

G_BEGIN_DECLS

/* The number of special tokens that are passed to a template as variables: "bos_token" and the
 * like. */
#define ATTN_CHAT_N_TOKENS 7

/* Two rare space characters, put around a mark that stands for a text of the user: a template that
 * strips space leaves them out of its output. */
#define ATTN_CHAT_SPACE_START "\u2003"
#define ATTN_CHAT_SPACE_END   "\u2002"

/**
 * AttnChat:
 * @where: names the template's file in error messages
 * @source: the template; %NULL where none was read
 * @tokens: (nullable): the texts, such as "<s>", of the special tokens that
 *   attn_chat_get_token_name() names
 * @has_parts: whether the template takes a message only as a list of texts and pictures
 * @is_of_processor: whether the checkpoint has an image processor: then the special tokens that the
 *   tokenizer adds by itself are added, unless the template writes the first of them
 * @now: the time that the template gets if it asks for the present: when the template was read
 * @before: what the template writes in front of a message, special tokens by their text
 * @after: what the template writes behind the message, up to where the answer begins
 *
 * A chat template, and what it writes around a message of the user.
 */
typedef struct
{
  char *where;
  char *source;
  char *tokens[ATTN_CHAT_N_TOKENS];
  gboolean has_parts;
  gboolean is_of_processor;
  GDateTime *now;
  char *before;
  char *after;
} AttnChat;

const char *attn_chat_get_token_name (gsize index);

gboolean attn_chat_read  (const char          *where,
                          const char          *source,
                          const char * const  *tokens,
                          AttnChat            *chat,
                          GError             **error);
gboolean attn_chat_read_gguf (const AttnGgufMetadata  *metadata,
                              const char              *where,
                              AttnChat                *chat,
                              GError                 **error);
gboolean attn_chat_load  (const char  *file,
                          AttnChat    *chat,
                          GError     **error);
void     attn_chat_clear (AttnChat    *chat);

char    *attn_chat_describe (const AttnChat *chat);
char    *attn_chat_render (const AttnChat          *chat,
                           const AttnJinjaMessage  *message,
                           GError                 **error);
gboolean attn_chat_begins (const AttnChat *chat,
                           const char     *framed);
char    *attn_chat_frame (const AttnChat  *chat,
                          const char      *text,
                          gsize            length,
                          gsize           *begin,
                          gsize           *end,
                          GError         **error);

gboolean attn_chat_frame_pictures (const AttnChat         *chat,
                                   const char             *text,
                                   gsize                   length,
                                   const GArray           *parts,
                                   const AttnPictureMark  *mark,
                                   AttnFramed             *framed,
                                   GError                **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnChat, attn_chat_clear)

G_END_DECLS
