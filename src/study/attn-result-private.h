/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the job asks of a result. Private to src/study. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

AttnResult *attn_result_new (const AttnStudy *study,
                             AttnModel       *model,
                             AttnGrid        *grid,
                             gsize            layer,
                             int              head);

G_END_DECLS
