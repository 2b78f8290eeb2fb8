/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jinja, the template language in which checkpoints define how a conversation is formatted. A
 * template is run as transformers runs it, within limits of time and memory. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnJinjaPart:
 * @text: (nullable): UTF-8; %NULL for a picture
 *
 * A part of a message whose content is a list.
 */
typedef struct
{
  const char *text;
} AttnJinjaPart;

/**
 * AttnJinjaMessage:
 * @role: "system", "user", "assistant"
 * @content: (nullable): UTF-8; %NULL where the content is a list
 * @parts: (array length=n_parts): that list, whose items are {"type": "text", "text": …} and
 *   {"type": "image"}
 */
typedef struct
{
  const char *role;
  const char *content;
  const AttnJinjaPart *parts;
  gsize n_parts;
} AttnJinjaMessage;

/**
 * AttnJinjaVariable:
 * @name: name of the variable, such as "bos_token"
 * @text: its value, UTF-8
 *
 * A variable that a template may use: a name and a text.
 */
typedef struct
{
  const char *name;
  const char *text;
} AttnJinjaVariable;

/**
 * AttnJinjaInput:
 * @messages: (array length=n_messages): the conversation
 * @variables: (array length=n_variables): variables that the template may use
 * @begins_answer: whether the template is to write the beginning of an answer at the end
 * @now: the time that the template may ask for
 *
 * The input of the run of a template: a conversation and variables.
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
