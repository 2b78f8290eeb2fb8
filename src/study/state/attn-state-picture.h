/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Panels that show the states of a picture's patches over the picture, one panel for each layer. */

#pragma once

#include "attn-grid.h"
#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

AttnGrid *attn_state_new_picture_grid (gsize             n_layers,
                                       gboolean          is_pair);
gboolean  attn_state_fill_picture     (AttnGridCell     *cell,
                                       const AttnStudy  *study,
                                       const AttnModel  *model,
                                       gsize             layer,
                                       const float      *values,
                                       const guint32    *channels,
                                       gsize             n_tokens,
                                       GError          **error);

G_END_DECLS
