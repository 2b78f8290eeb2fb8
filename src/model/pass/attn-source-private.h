/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of #AttnSource, which attn-source-fill.c fills. Private to src/model. */

#pragma once

#include "attn-model-private.h"
#include "attn-source.h"

G_BEGIN_DECLS

/* The number of kinds of values to keep: queries, keys and values at each site, then output,
 * residual and MLP. */
#define ATTN_N_SOURCE_PLACES (ATTN_N_COMPONENTS * ATTN_N_SITES + 3)

/**
 * AttnSource:
 * @tensors: [%ATTN_N_SOURCE_PLACES, L], each [H or Hk, T, d], of residual and MLP [1, T, D]; %NULL
 *   for values that no patch has needed yet
 *
 * @tensors is filled under @lock; a tensor that was filled is not replaced.
 */
struct _AttnSource
{
  gatomicrefcount ref_count;
  AttnModel *model;
  guint32 *ids;
  gsize n_ids;
  GMutex lock;
  AttnTensor **tensors;
};

AttnTensor **attn_source_place (const AttnSource *source,
                                AttnComponent     component,
                                AttnSite          site,
                                gsize             layer);

G_END_DECLS
