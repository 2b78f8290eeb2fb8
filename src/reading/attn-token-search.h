/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Search for rows and columns of a figure whose token contains a text. */

#pragma once

#include "attn-cell-cursor.h"

G_BEGIN_DECLS

typedef struct _AttnTokenSearch AttnTokenSearch;

AttnTokenSearch *attn_token_search_new          (AttnGrid              *grid,
                                                 const char            *text);
void             attn_token_search_free         (AttnTokenSearch       *search);
gboolean         attn_token_search_has          (const AttnTokenSearch *search,
                                                 int                    group,
                                                 gboolean               is_row,
                                                 gsize                  index);
gsize            attn_token_search_count        (const AttnTokenSearch *search,
                                                 int                    group);
gsize            attn_token_search_count_panels (const AttnTokenSearch *search);
AttnCellCursor   attn_token_search_step         (const AttnTokenSearch *search,
                                                 AttnCellCursor         cursor,
                                                 int                    first,
                                                 int                    direction,
                                                 gsize                 *place);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTokenSearch, attn_token_search_free)

G_END_DECLS
