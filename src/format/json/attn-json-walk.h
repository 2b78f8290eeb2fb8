/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads JSON text from front to back, one element at a time. attn-json.c uses this to build a tree,
 * and others for long values, such as a vocabulary, whose tree would take too much memory. */

#pragma once

#include <glib.h>

#include "attn-error.h"

G_BEGIN_DECLS

/**
 * AttnJsonWalk:
 * @where: the beginning of messages
 * @text: the beginning of the text
 * @end: the end of the text that is read, one character behind the last
 * @p: the next character to be read; %NULL for a value that does not exist
 * @problem: (nullable): the message about what is wrong at @p, after which nothing more can be read
 *
 * A position in a JSON text. Each function reads the element that it is named after, or returns
 * %FALSE if the text has another there. Then nothing more can be read, and
 * [func@attn_json_walk_finish] says why. A copy of the structure goes on from the same position,
 * independently.
 */
typedef struct
{
  const char *where;
  const char *text;
  const char *end;
  const char *p;
  const char *problem;

  /*< private >*/
  AttnError code; /* kind of @problem */
  guint depth;
  gboolean needs_comma; /* whether a comma must precede another element */
} AttnJsonWalk;

gboolean attn_json_walk_init         (AttnJsonWalk  *walk,
                                      const char    *where,
                                      const char    *text,
                                      gsize          length,
                                      GError       **error);
gboolean attn_json_walk_is_at        (AttnJsonWalk  *walk,
                                      char           first);
gboolean attn_json_walk_enter        (AttnJsonWalk  *walk,
                                      char           bracket);
gboolean attn_json_walk_next         (AttnJsonWalk  *walk,
                                      char           bracket);
gboolean attn_json_walk_read_name    (AttnJsonWalk  *walk,
                                      GString       *name);
gboolean attn_json_walk_read_string  (AttnJsonWalk  *walk,
                                      GString       *string);
gboolean attn_json_walk_read_word    (AttnJsonWalk  *walk,
                                      const char    *word);
gboolean attn_json_walk_read_digits  (AttnJsonWalk  *walk,
                                      const char   **start);
gboolean attn_json_walk_read_integer (AttnJsonWalk  *walk,
                                      gint64        *value);
gboolean attn_json_walk_read_number  (AttnJsonWalk  *walk,
                                      double        *value);
gboolean attn_json_walk_skip         (AttnJsonWalk  *walk);
gboolean attn_json_walk_finish       (AttnJsonWalk  *walk,
                                      GError       **error);

G_END_DECLS
