/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the units of an attribution. Each unit is a chunk of texts with one changed head. */

#pragma once

#include <gio/gio.h>

#include "attn-intervention.h"
#include "attn-survey-data.h"
#include "attn-survey.h"

G_BEGIN_DECLS

typedef struct _AttnAttributionWork AttnAttributionWork;

AttnIntervention *attn_attribution_bind (const AttnIntervention *operation,
                                         gsize                   layer,
                                         gsize                   head);

AttnAttributionWork *attn_attribution_work_new (const AttnSurvey       *survey,
                                                const AttnIntervention *operation);
void    attn_attribution_work_free     (AttnAttributionWork       *work);
void    attn_attribution_work_begin    (AttnAttributionWork       *work,
                                        guint64                    first_unit,
                                        gsize                      step,
                                        const gsize               *chosen);
guint64 attn_attribution_work_get_first (const AttnAttributionWork *work);
guint64 attn_attribution_work_get_chunk (const AttnAttributionWork *work,
                                        guint64                    unit);
gsize   attn_attribution_work_estimate (const AttnAttributionWork *work);
GBytes *attn_attribution_work_compute  (AttnAttributionWork       *work,
                                        guint64                    unit,
                                        GPtrArray                 *samples,
                                        GCancellable              *cancellable,
                                        GError                   **error);

G_END_DECLS
