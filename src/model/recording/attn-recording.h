/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A recording: attention weights, or queries, keys and values, that somebody else's forward pass
 * left in an array file. It stands where a model's weights stand. Private to src/model. */

#pragma once

#include "attn-array.h"
#include "attn-forward.h"

G_BEGIN_DECLS

typedef struct _AttnRecording AttnRecording;

/**
 * AttnRecording:
 * @weights: (nullable): [L, H, T, S], or fewer dimensions or one of size 1 behind L
 * @query: (nullable): [L, H, T, d], with the key only
 * @key: (nullable): [L, Hk, T, d]
 * @value: (nullable): [L, Hk, T, d]
 * @n_queries: T
 * @n_keys: S
 * @head_width: d, 0 where there are only weights
 * @is_causal: whether a query sees only keys up to itself
 * @query_labels: (array length=n_queries): one for each row
 * @key_labels: (array length=n_keys): one for each column
 */
struct _AttnRecording
{
  AttnArrayFile *file;
  const AttnArray *weights;
  const AttnArray *query;
  const AttnArray *key;
  const AttnArray *value;
  gsize n_layers;
  gsize n_heads;
  gsize n_key_heads;
  gsize n_queries;
  gsize n_keys;
  gsize head_width;
  gboolean is_causal;
  char **query_labels;
  char **key_labels;
};

gboolean       attn_recording_is_file (const char           *path);
AttnRecording *attn_recording_load    (const char           *path,
                                       GError              **error);
void           attn_recording_free    (AttnRecording        *recording);
gboolean       attn_recording_run     (const AttnRecording  *recording,
                                       const AttnForward    *forward,
                                       AttnKept             *kept,
                                       float                *sink_scores,
                                       GCancellable         *cancellable,
                                       GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnRecording, attn_recording_free)

G_END_DECLS
