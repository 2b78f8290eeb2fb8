/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The markup of text in a figure, in which only <i> has a meaning. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *text; /* text of the run: plain, valid UTF-8, without control characters */
  gboolean is_italic;
} AttnRun;

GPtrArray *attn_markup_parse     (const char      *markup);
char      *attn_markup_to_text   (const char      *markup);
char      *attn_markup_slice     (const GPtrArray *runs,
                                  gsize            first,
                                  gsize            n_characters);
char      *attn_markup_normalize (const char      *markup);
char      *attn_markup_from_text (const char      *text);
char      *attn_markup_clean     (const char      *text,
                                  gssize           length);

G_END_DECLS
