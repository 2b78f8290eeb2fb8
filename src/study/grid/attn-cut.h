/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cuts panels to the keys and queries that the study shows. Private to src/study. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

gboolean   attn_cut_is_needed (const AttnStudy  *study);
AttnPanel *attn_cut_panel     (const AttnStudy  *study,
                               AttnPanel        *panel,
                               gsize             n_queries,
                               gsize             n_keys,
                               gboolean          has_sink,
                               GError          **error);

G_END_DECLS
