/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names the layer and head that a figure shows, and makes a study that shows another layer or
 * head. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

/* The value for a layer or head that remains as in the study or, in parsed text, was not named. */
#define ATTN_HEAD_PLACE_SAME (-9)

gboolean   attn_head_place_has_layer (const AttnStudy     *study);
gboolean   attn_head_place_has_head  (const AttnStudy     *study);
gboolean   attn_head_place_has_same_grid (const AttnStudy *a,
                                      const AttnStudy     *b);
gboolean   attn_head_place_equal     (const AttnStudy     *a,
                                      const AttnStudy     *b);
AttnStudy *attn_head_place_go        (const AttnStudy     *study,
                                      const AttnResult    *result,
                                      int                  layer,
                                      int                  head);
AttnStudy *attn_head_place_step      (const AttnStudy     *study,
                                      const AttnResult    *result,
                                      int                  layers,
                                      int                  heads);
AttnStudy *attn_head_place_return    (const AttnStudy     *study,
                                      const AttnStudy     *place);
gboolean   attn_head_place_parse     (const char          *text,
                                      const AttnModelInfo *info,
                                      int                 *layer,
                                      int                 *head,
                                      GError             **error);
char      *attn_head_place_name      (const AttnStudy     *place,
                                      const AttnStudy     *study);
const char *attn_head_place_name_attention (const char *attention);
gboolean   attn_head_place_is_strongest (const AttnStudy  *study,
                                      const AttnResult    *result);
const char *attn_head_place_explain_strongest (void);
char      *attn_head_place_describe  (const AttnStudy     *study,
                                      const AttnResult    *result,
                                      gboolean             says_choice);
char      *attn_head_place_describe_choice (const AttnStudy *before,
                                      const char          *place,
                                      const AttnResult    *result);

G_END_DECLS
