/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One panel of a figure as a study of its own. */

#pragma once

#include "attn-result.h"

G_BEGIN_DECLS

AttnStudy *attn_study_new_single (const AttnResult *result,
                                  gsize             index);

G_END_DECLS
