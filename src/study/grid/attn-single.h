/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes a study that shows a single panel of a grid. */

#pragma once

#include "attn-result.h"

G_BEGIN_DECLS

AttnStudy *attn_study_new_single (const AttnResult *result,
                                  gsize             index);

G_END_DECLS
