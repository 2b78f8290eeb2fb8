/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a chat template puts around a user's message. */

#pragma once

#include "attn-gguf.h"

G_BEGIN_DECLS

/**
 * AttnChat:
 * @name: (nullable): of the format, such as "chatml"; %NULL where no template was read
 * @before: what stands in front of the message, special tokens by their text
 * @after: what stands behind it, up to where the answer begins
 * @trims: whether space at the ends of the message is left out
 */
typedef struct
{
  const char *name;
  char *before;
  char *after;
  gboolean trims;
} AttnChat;

gboolean attn_chat_read  (const char  *where,
                          const char  *text,
                          const char  *bos,
                          const char  *eos,
                          AttnChat    *chat,
                          GError     **error);
gboolean attn_chat_read_gguf (const AttnGgufMetadata  *metadata,
                              const char              *where,
                              AttnChat                *chat,
                              GError                 **error);
gboolean attn_chat_load  (const char  *file,
                          AttnChat    *chat,
                          GError     **error);
void     attn_chat_clear (AttnChat    *chat);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnChat, attn_chat_clear)

G_END_DECLS
