/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes the panels of a result as numbers: as arrays, JSON or a text table. */

#pragma once

#include "attn-array.h"
#include "attn-result.h"

G_BEGIN_DECLS

#define ATTN_ALL_PANELS (-1)

AttnArrayFile *attn_result_to_arrays (const AttnResult  *result,
                                      gssize             panel,
                                      GError           **error);
char          *attn_result_to_json   (const AttnResult  *result);
char          *attn_panel_to_text    (AttnPanel         *panel);

G_END_DECLS
