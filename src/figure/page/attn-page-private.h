/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The numbers that a web page of a figure carries for its script, as JSON. Private to
 * src/figure. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

void     attn_page_append_string  (GString          *json,
                                   const char       *text);
void     attn_page_append_number  (GString          *json,
                                   double            value);
guint16  attn_page_round_to_half  (float             value);
float    attn_page_get_half       (guint16           half);
gboolean attn_page_check_size     (double            n_bytes,
                                   GError          **error);
gboolean attn_page_append_numbers (GString          *json,
                                   const AttnScene  *scene,
                                   GError          **error);

G_END_DECLS
