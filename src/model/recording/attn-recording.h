/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A recording: a file of arrays with the attention weights, or queries, keys and values, of another
 * program's forward pass. It is opened as a model whose values are read instead of computed.
 * Private to src/model. */

#pragma once

#include "attn-model-private.h"

G_BEGIN_DECLS

/**
 * AttnRecording:
 * @stacked: (nullable): owner of @weights if these were joined from an array for each layer
 * @weights: (nullable): [L, H, T, S] for layers, heads, queries and keys; the first dimensions may
 *   be missing, and a batch of size 1 may follow L
 * @query: (nullable): [L, H, T, d]; set if @key is set
 * @key: (nullable): [L, Hk, S, d]
 * @value: (nullable): [L, Hk, S, e]
 * @n_keys: S; may differ from T in cross-attention, where keys are of another sequence
 *
 * L, H, Hk and d are in the model's #AttnModelInfo; T is its `n_positions`, and e the width of a
 * value.
 */
typedef struct
{
  AttnModel model;
  AttnArrayFile *file;
  AttnArray *stacked;
  const AttnArray *weights;
  const AttnArray *query;
  const AttnArray *key;
  const AttnArray *value;
  gsize n_keys;
} AttnRecording;

gboolean attn_recording_is_file (const char *path);
AttnModel *attn_recording_open (const AttnModelReference *reference,
                                GError **error);

G_END_DECLS
