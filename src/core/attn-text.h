/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Converts numbers to and from text with a decimal point, whatever the user's locale is, and paths
 * and messages to UTF-8 that is safe to show. Compares suffixes of file names, and finds the values
 * of enumerations by name. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_text_parse_number  (const char *text,
                                  double     *value);
char    *attn_text_format_weight (double      weight,
                                  guint       n_digits);
guint    attn_text_find_digits   (double      before,
                                  double      after,
                                  guint       n_digits);
char    *attn_text_format_factor (double      factor);
char    *attn_text_format_epsilon (double     factor);
void     attn_text_trim_exponent (char       *text);
char    *attn_text_capitalise    (const char *message);
char    *attn_text_escape_path   (const char *path);
char    *attn_text_unescape_path (const char *text);
gboolean attn_text_check_utf8    (const char *where,
                                  const char *text,
                                  gsize       length,
                                  GError    **error);
char    *attn_text_show_controls (const char *text,
                                 const char   *kept);
gsize    attn_text_get_mark      (const char *text,
                                  gsize       length);
gboolean attn_text_has_suffix    (const char *text,
                                  const char *suffix);
gboolean attn_text_parse_name    (const char * const  *names,
                                  const char          *text,
                                  gpointer             value,
                                  GError             **error);

G_END_DECLS
