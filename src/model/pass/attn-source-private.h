/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a source that the file which fills it shares. Private to src/model. */

#pragma once

#include "attn-model-private.h"
#include "attn-source.h"

G_BEGIN_DECLS

/* The number of kinds of values to keep: queries, keys and values at each site, then output,
 * residual and MLP. */
#define ATTN_N_SOURCE_PLACES (ATTN_N_COMPONENTS * ATTN_N_SITES + 3)

/**
 * AttnSource:
 * @tensors: [places, L], %NULL for what nothing was patched from yet: [H or Hk, T, d], of residual
 *   and MLP [1, T, D]
 *
 * Filled under its lock; what is there stays.
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
