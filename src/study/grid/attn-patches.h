/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Panels that are drawn over a picture: each cell is a patch of it, with the weight that queries
 * give to this patch. */

#pragma once

#include "attn-grid.h"
#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

gboolean   attn_patches_are_shown  (const AttnStudy   *study,
                                    const AttnModel   *model);
gsize      attn_patches_choose_picture (const AttnStudy *study,
                                    const AttnModel   *model,
                                    gsize              n_queries,
                                    GError           **error);
void       attn_patches_set_picture (const AttnStudy  *study,
                                    const AttnModel   *model,
                                    gsize              n_tokens,
                                    AttnGridCell      *cell);
gsize      attn_patches_find_token (const AttnModel   *model,
                                    const AttnTokens  *tokens,
                                    const AttnGridCell *cell,
                                    gsize              row,
                                    gsize              column);
gboolean   attn_patches_is_chosen  (const AttnStudy   *study,
                                    const AttnModel   *model,
                                    gsize              query,
                                    gsize              n);
AttnPanel *attn_patches_make_panel (const AttnStudy   *study,
                                    const AttnModel   *model,
                                    AttnPanel         *panel,
                                    GError           **error);
void       attn_patches_name_axes  (const AttnStudy   *study,
                                    const AttnModel   *model,
                                    AttnGrid          *grid,
                                    const AttnTokens  *tokens);

G_END_DECLS
