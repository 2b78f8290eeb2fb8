/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A long JSON value read from front to back, an element at a time, where a tree of it would cost
 * more than what is made of it. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnJsonWalk:
 * @where: what messages begin with
 * @text: the beginning of the value; %NULL where there is none
 * @end: one past its end
 *
 * Each function consumes what it was asked for or returns %FALSE. After a %FALSE for something that
 * was expected nothing more can be read, and [func@attn_json_walk_finish] says why.
 */
typedef struct
{
  const char *where;
  const char *text;
  const char *end;

  /*< private >*/
  const char *p;
  gboolean needs_comma; /* before another element */
  gboolean is_broken;
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
gboolean attn_json_walk_read_integer (AttnJsonWalk  *walk,
                                      gint64        *value);
gboolean attn_json_walk_read_number  (AttnJsonWalk  *walk,
                                      double        *value);
gboolean attn_json_walk_finish       (AttnJsonWalk  *walk,
                                      GError       **error);

G_END_DECLS
