/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model that is computed: the configuration and the mapped weights of a checkpoint. Private to
 * src/model. */

#pragma once

#include "attn-config.h"
#include "attn-model-private.h"
#include "attn-weights.h"

G_BEGIN_DECLS

typedef struct
{
  AttnModel model;
  AttnConfig config;
  AttnWeights *weights;
  float *sinks;     /* (nullable): [L, H] */
  float *distances; /* (nullable): see #AttnScoreRules, of all layers */
} AttnTransformer;

AttnModel *attn_transformer_open (const char  *path,
                                  GError     **error);

G_END_DECLS
