/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads JSON text from front to back, one element at a time. Used by attn-json.c to build a tree,
 * and for long values of which a tree would take too much memory. */

#pragma once

#include <glib.h>

#include "attn-error.h"

G_BEGIN_DECLS

/**
 * AttnJsonWalk:
 * @where: what messages begin with
 * @text: the beginning of the text
 * @end: one past the end of what is read
 * @p: what comes next; %NULL for a value that is not there
 * @problem: what breaks the rules at @p, so that nothing more can be read; %NULL where nothing does
 *
 * Each function consumes what it was asked for or returns %FALSE. After a %FALSE for something that
 * was expected nothing more can be read, and [func@attn_json_walk_finish] says why. A plain value:
 * a copy goes on from where the original is.
 */
typedef struct
{
  const char *where;
  const char *text;
  const char *end;
  const char *p;
  const char *problem;

  /*< private >*/
  AttnError code; /* of the problem */
  guint depth;
  gboolean needs_comma; /* before another element */
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
