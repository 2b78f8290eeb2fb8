/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pictures in the texts of a study. */

#pragma once

#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

/* The text of a study whose pictures or sounds a model of texts cannot take. */
#define ATTN_EDITS_FALLBACK_TEXT "A rose is a rose, and a red rose is a rose."

void attn_edits_fit_seeing      (AttnInput           *input,
                                 const AttnModelInfo *info);
void attn_edits_insert_picture  (AttnStudy           *study,
                                 const AttnModelInfo *info,
                                 const char          *path);

G_END_DECLS
