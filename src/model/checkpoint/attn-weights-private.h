/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The structure behind attn-weights.h, and functions that find a model's tensors in its file, check
 * that no tensor is left over, and read them. */

#pragma once

#include "attn-adapter.h"
#include "attn-weights.h"

G_BEGIN_DECLS

/**
 * AttnWeights:
 *
 * The tensors of a model, immutable after attn_weights_new(), so that any thread may read them.
 */
struct _AttnWeights
{
  AttnArrayFile *file;
  AttnAdapter *adapter; /* (nullable): the adapter (LoRA) that changes weights */
  AttnConfig config;
  GHashTable *found; /* set of the file's arrays that have a role; only while the model is opened */
  GHashTable *counts; /* number of parameters by array, for arrays of the file whose elements are
                       * not parameters; only while the model is opened */
  const AttnArray *(*arrays)[ATTN_N_SLOTS]; /* the tensors by role and layer, indexed by
                                             * attn_weights_get_index() */
  const AttnArray *embedding; /* (nullable): the token embedding as it is in the file, without the
                               * adapter's change */
  gboolean has_logits;
  gsize n_scratch;    /* largest number of floats that attn_weights_read_layer() converts in a
                       * layer */
  gboolean has_tiles; /* whether a matrix is not float32 and must be converted, in tiles of rows */

  /* Tensors of single experts, [layer][role][slot][expert]; @parts owns them where they are cut
   * from other arrays or joined with scales. */
  const AttnArray ***experts;
  const AttnArray ***heads; /* matrices of single heads, [layer][role][head], for models of latent
                             * keys; owned by @parts */
  GPtrArray *parts;

  gsize changed_width; /* largest number of floats that a token needs for an adapter's change: its
                        * rank, and with magnitudes the matrix's outputs */
  gsize n_bytes;       /* size of the tensors of all layers */
  gsize n_parameters;  /* number of parameters that the file's tensors hold */
  gint *are_read; /* atomic; [layer][2 + part]: whether the part of the layer was read from the disk
                   * before */
};

/* The largest number of tensors of an expert: a weight and a bias for each of its roles. */
#define ATTN_N_EXPERT_TENSORS \
  ((ATTN_ROLE_EXPERT_GATE_UP + 1 - ATTN_ROLE_EXPERT_GATE) * ATTN_N_SLOTS)

/* Returns the index of a role's tensor in @arrays: first come roles that exist once, then those of
 * layer 0, layer 1, …. */
static inline gsize
attn_weights_get_index (AttnRole role,
                        gsize    layer)
{
  return role < ATTN_FIRST_LAYER_ROLE ? role : role + layer * ATTN_N_LAYER_ROLES;
}

/* Tells whether the rows of a role's matrix are in the order of llama.cpp, which puts row i and row
 * i + d / 2 of a head beside each other. */
static inline gboolean
attn_weights_is_paired (const AttnConfig *config,
                        AttnRole          role)
{
  return config->has_paired_rows && role >= ATTN_ROLE_QUERY && role <= ATTN_ROLE_KEY;
}

static inline gsize
attn_weights_get_expert_index (const AttnConfig *config,
                               AttnRole          role,
                               AttnSlot          slot,
                               gsize             expert)
{
  return ((role - ATTN_ROLE_EXPERT_GATE) * ATTN_N_SLOTS + slot) * config->n_experts + expert;
}

static inline gsize
attn_weights_get_head_index (const AttnConfig *config,
                             AttnRole          role,
                             gsize             head)
{
  return (role == ATTN_ROLE_V_B ? config->n_heads : 0) + head;
}

char            *attn_weights_dup_name   (const AttnConfig   *config,
                                          AttnRole            role,
                                          AttnSlot            slot,
                                          gsize               layer);
const AttnArray *attn_weights_lookup     (const AttnWeights  *weights,
                                          const char         *name);
guint            attn_weights_get_shape  (const AttnConfig   *config,
                                          AttnRole            role,
                                          AttnSlot            slot,
                                          gsize               layer,
                                          gsize               shape[2]);
gboolean         attn_weights_has_slot   (const AttnConfig   *config,
                                          AttnRole            role,
                                          AttnSlot            slot,
                                          gsize               layer);
gboolean         attn_weights_find_scaled (AttnWeights       *weights,
                                          const char         *name,
                                          const AttnArray   **found,
                                          GError            **error);
gboolean         attn_weights_check_array (const AttnWeights *weights,
                                          const AttnArray    *array,
                                          const char         *name,
                                          guint               n_dims,
                                          const gsize        *shape,
                                          GError            **error);
const AttnArray *attn_weights_take_rows  (AttnWeights        *weights,
                                          const AttnArray    *array,
                                          gsize               first,
                                          gsize               n,
                                          GError            **error);
const AttnArray *attn_weights_take_part  (AttnWeights        *weights,
                                          const AttnArray    *array,
                                          gsize               expert,
                                          GError            **error);
gboolean         attn_weights_find_heads (AttnWeights        *weights,
                                          AttnRole            role,
                                          gsize               layer,
                                          GError            **error);
gboolean         attn_weights_find_experts (AttnWeights      *weights,
                                          AttnRole            role,
                                          AttnSlot            slot,
                                          gsize               layer,
                                          GError            **error);
gboolean         attn_weights_find_head_norms (AttnWeights   *weights,
                                          AttnRole            role,
                                          AttnSlot            slot,
                                          gsize               layer,
                                          const char         *name,
                                          GError            **error);
gboolean         attn_weights_replace    (AttnWeights        *weights,
                                          const char         *name,
                                          AttnRole            role,
                                          const AttnArray   **array,
                                          GError            **error);
gboolean         attn_weights_adapt      (AttnWeights        *weights,
                                          const char         *name,
                                          AttnRole            role,
                                          gsize               first_row,
                                          gsize               n_rows,
                                          const AttnArray   **array,
                                          GError            **error);
gboolean         attn_weights_check_adapted (const AttnWeights *weights,
                                          GError            **error);
gboolean         attn_weights_find       (AttnWeights        *weights,
                                          GError            **error);
gboolean         attn_weights_check_rest (const AttnWeights  *weights,
                                          GError            **error);
gboolean         attn_weights_is_idle    (const AttnWeights  *weights,
                                          const AttnArray    *array);
void             attn_weights_count_parameters (AttnWeights *weights);

G_END_DECLS
