/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Keeps regions and other settings of single panels with their panels when the rows or columns of
 * the grid change. */

#pragma once

#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

gboolean attn_study_follow_panels (AttnStudy            *study,
                                   const AttnStudy      *before,
                                   const AttnModelInfo  *info);

G_END_DECLS
