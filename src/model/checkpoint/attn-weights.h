/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A checkpoint's tensors by their role in the model (#AttnRole), checked against the configuration.
 * The numbers stay in the mapped file until a pass reads them. */

#pragma once

#include <glib.h>

#include "attn-adapter.h"
#include "attn-array.h"
#include "attn-config.h"

G_BEGIN_DECLS

typedef struct _AttnWeights AttnWeights;

/**
 * AttnParameters:
 * @weight: (nullable): %NULL also for a matrix that is not stored as float32, which is converted in
 *   pieces when it is used
 * @bias: (nullable): converted to float32 if it is stored otherwise
 *
 * Weight and bias of a role as float32 numbers; %NULL for a tensor that the model does not have.
 */
typedef struct
{
  const float *weight;
  const float *bias;
} AttnParameters;

/* Parts of a layer's weights that a pass reads one after the other; parts 0, 1, … are the layer's
 * experts. */
#define ATTN_WEIGHTS_OF_MAPS     (-2) /* part with the tensors on which the attention weights
                                       * depend */
#define ATTN_WEIGHTS_BEHIND_MAPS (-1)

AttnWeights     *attn_weights_new            (AttnArrayFile      *file,
                                              const AttnConfig   *config,
                                              AttnAdapter        *adapter,
                                              GError            **error);
void             attn_weights_free           (AttnWeights        *weights);
gsize            attn_weights_get_n_parameters (const AttnWeights *weights);
const AttnArray *attn_weights_get            (const AttnWeights  *weights,
                                              AttnRole            role,
                                              gsize               layer);
const AttnArray *attn_weights_get_slot       (const AttnWeights  *weights,
                                              AttnRole            role,
                                              AttnSlot            slot,
                                              gsize               layer);
const AttnArray *attn_weights_get_expert     (const AttnWeights  *weights,
                                              AttnRole            role,
                                              AttnSlot            slot,
                                              gsize               layer,
                                              gsize               expert);
const AttnArray *attn_weights_get_head       (const AttnWeights  *weights,
                                              AttnRole            role,
                                              gsize               layer,
                                              gsize               head);
gsize            attn_weights_get_n_bytes    (const AttnWeights  *weights);
gboolean         attn_weights_is_read        (const AttnWeights  *weights,
                                              gsize               layer,
                                              gssize              part);
void             attn_weights_set_read       (const AttnWeights  *weights,
                                              gsize               layer,
                                              gssize              part);
gboolean         attn_weights_has_logits     (const AttnWeights  *weights);
AttnTensor      *attn_weights_load_named     (const AttnWeights  *weights,
                                              const char         *name,
                                              guint               n_dims,
                                              const gsize        *shape,
                                              GError            **error);
gboolean         attn_weights_load           (const AttnWeights  *weights,
                                              AttnRole            role,
                                              AttnSlot            slot,
                                              AttnTensor        **tensor,
                                              GError            **error);
gsize            attn_weights_get_scratch    (const AttnWeights  *weights);
gsize            attn_weights_get_changed_width (const AttnWeights *weights);
gboolean         attn_weights_has_tiles      (const AttnWeights  *weights);
gsize            attn_weights_get_paired_width (const AttnWeights *weights,
                                              AttnRole            role);
gboolean         attn_weights_read_layer     (const AttnWeights  *weights,
                                              gsize               layer,
                                              float              *scratch,
                                              AttnParameters     *parameters,
                                              GError            **error);
gboolean      attn_weights_check_finite      (const AttnWeights  *weights,
                                              gsize               last_layer,
                                              gboolean            with_logits,
                                              GError            **error);

/* Returns the row of a GGUF file that holds row @row of a matrix whose rows llama.cpp has paired:
 * row 2 i + j of a head in the file is row i + j d / 2 of the head, for j in { 0, 1 }. */
static inline gsize
attn_weights_find_row (gsize row,
                       gsize head_width)
{
  gsize in_head = row % head_width;
  gsize half = in_head / (head_width / 2);

  return row - in_head + 2 * (in_head % (head_width / 2)) + half;
}

/* Returns the row of the matrix that is stored at row @place of the file: the inverse of
 * attn_weights_find_row(). */
static inline gsize
attn_weights_find_place (gsize place,
                         gsize head_width)
{
  gsize in_head = place % head_width;

  return place - in_head + in_head / 2 + in_head % 2 * (head_width / 2);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnWeights, attn_weights_free)

G_END_DECLS
