/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A checkpoint's config.json, with the family's defaults filled in. */

#pragma once

#include <glib.h>

#include "attn-family.h"

G_BEGIN_DECLS

/**
 * AttnConfig:
 * @n_layers: L
 * @n_heads: H
 * @n_key_heads: Hk
 * @head_width: d
 * @width: D
 * @inner_width: width of the feed-forward layer
 * @has_score_scale: whether scores are divided by sqrt (d)
 * @has_layer_scale: whether those of layer l are also divided by l + 1
 * @has_own_logits: whether the checkpoint must bring the matrix of the logits, for it is not the
 *   embedding
 *
 * Every size fits an int with room to spare, as do three times the width and H d.
 */
typedef struct
{
  const AttnFamily *family;
  gsize n_layers;
  gsize n_heads;
  gsize n_key_heads;
  gsize head_width;
  gsize width;
  gsize inner_width;
  gsize n_positions;
  gsize vocabulary_size;
  AttnActivation activation;
  double norm_epsilon;
  gboolean has_score_scale;
  gboolean has_layer_scale;
  gboolean has_own_logits;
} AttnConfig;

gboolean attn_config_load (const char  *path,
                           AttnConfig  *config,
                           GError     **error);

G_END_DECLS
