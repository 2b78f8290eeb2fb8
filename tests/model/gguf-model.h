/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checkpoints of this folder turned into GGUF files, as convert_hf_to_gguf.py of llama.cpp does. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * GgufRecipe:
 * @type: of matrices whose rows are whole blocks; the others are float32
 * @architecture: (nullable): instead of the model's own
 * @extra: (nullable): appends metadata to @pairs and says how many
 * @fuses_qkv: one matrix for queries, keys and values that are apart in the checkpoint
 * @splits_latents: keys and values that each head makes of latent vectors as a tensor each
 * @fuses_experts: gates of all experts above what they gate, in one tensor: merge_tensors of the
 *   converter's --fuse-gate-up-exps
 * @scales_weights: a number beside each matrix of a layer, or one for each of its experts, which
 *   multiplies it, as _repack_nvfp4() of the converter writes; and one that its inputs are to be
 *   divided by, which changes nothing
 * @writes_scale: whether to write the scale of the scores, which the converter leaves
 *   to be guessed
 * @split_count: of how many files this is one, 0 for no word of it
 * @split_number: which of them, counted from 0: the first has the metadata and tensors whose names
 *   do not begin "blk.1", the second those
 */
typedef struct
{
  guint32 type;
  const char *architecture;
  guint (*extra) (GByteArray *pairs);
  gboolean fuses_qkv;
  gboolean splits_latents;
  gboolean fuses_experts;
  gboolean scales_weights;
  gboolean writes_scale;
  guint16 split_count;
  guint16 split_number;
} GgufRecipe;

GByteArray *gguf_convert (const char       *directory,
                          const GgufRecipe *recipe);
void        gguf_snap    (const char       *directory);

G_END_DECLS
