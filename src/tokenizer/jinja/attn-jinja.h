/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jinja, the template language in which checkpoints define how a conversation is formatted. A
 * template is run as transformers runs it, within limits of time and memory. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnJinjaMessage:
 * @role: "system", "user", "assistant"
 * @content: UTF-8
 */
typedef struct
{
  const char *role;
  const char *content;
} AttnJinjaMessage;

/**
 * AttnJinjaVariable:
 * @name: such as "bos_token"
 * @text: UTF-8
 */
typedef struct
{
  const char *name;
  const char *text;
} AttnJinjaVariable;

/**
 * AttnJinjaInput:
 * @messages: (array length=n_messages): the conversation
 * @variables: (array length=n_variables): what the template may name
 * @begins_answer: whether the beginning of an answer is put at the end
 * @now: the time that the template may ask for
 */
typedef struct
{
  const AttnJinjaMessage *messages;
  gsize n_messages;
  const AttnJinjaVariable *variables;
  gsize n_variables;
  gboolean begins_answer;
  GDateTime *now;
} AttnJinjaInput;

char *attn_jinja_render (const char            *where,
                         const char            *source,
                         const AttnJinjaInput  *input,
                         GError               **error);

gboolean attn_jinja_is_space (gunichar character);

G_END_DECLS
