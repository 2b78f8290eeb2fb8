/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The head-groups figure shows which heads attend within which groups of tokens, which are assigned
 * by hand or detected. */

#pragma once

#include "attn-result.h"

G_BEGIN_DECLS

gboolean    attn_groups_are_words_of (const GPtrArray     *groups,
                                      const char          *text);
void        attn_groups_toggle_shown (AttnStudy           *study,
                                      const AttnResult    *result,
                                      gsize                head,
                                      gsize                token);
void        attn_groups_toggle_unit  (AttnStudy           *study,
                                      const AttnResult    *result,
                                      gsize                head,
                                      gsize                unit);
char      **attn_groups_list_units   (const AttnStudy     *study,
                                      const AttnResult    *result,
                                      gsize                head,
                                      gboolean           **members);

G_END_DECLS
