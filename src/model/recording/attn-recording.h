/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model that is read: attention weights, or queries, keys and values, that another program's
 * forward pass left in an array file. Private to src/model. */

#pragma once

#include "attn-model-private.h"

G_BEGIN_DECLS

/**
 * AttnRecording:
 * @stacked: (nullable): the array that is made of those of the layers
 * @weights: (nullable): [L, H, T, S], or fewer dimensions or one of size 1 behind L
 * @query: (nullable): [L, H, T, d], with the key only
 * @key: (nullable): [L, Hk, S, d]
 * @value: (nullable): [L, Hk, S, e]
 * @n_keys: S, another number than T where queries look at another sequence
 *
 * The other sizes are those of the info; T is its `n_positions`.
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
