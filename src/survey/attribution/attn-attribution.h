/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An attribution changes one head after the other and measures how each of them affects the
 * prediction for each text of a data set, and the angle by which it turns the final states of all
 * texts (arXiv 2410.13708). A cell is one head: its layer's index times the heads of a layer, plus
 * its index. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Number of heads that count as the first ones for a text: those with its largest KL
 * divergences. */
#define ATTN_ATTRIBUTION_FIRST 10

#define ATTN_ATTRIBUTION_MOST_STEPS 1024
#define ATTN_ATTRIBUTION_MOST_RANK  1024

/* Special values for the position at which a KL divergence is measured: the mean over all
 * positions, and the last one. */
#define ATTN_AT_ALL  (-1)
#define ATTN_AT_LAST (-2)

/* Stands for no head. */
#define ATTN_ATTRIBUTION_NONE G_MAXSIZE

/**
 * AttnAttributionText:
 * @number: number of the text in the survey
 * @kl: [steps, cells]: KL divergence of the prediction with each head changed from that of the
 *   unchanged model; NaN where it is not known
 * @states: (nullable): [1 + cells, D], final states of the last token: first of the unchanged
 *   model, then with each head changed; rows of zeros for states that are not known
 */
typedef struct
{
  guint64 number;
  double *kl;
  float *states;
} AttnAttributionText;

/**
 * AttnAttribution:
 * @operation: the intervention on a head, as text of [func@attn_intervention_to_string]
 * @is_in_bits: whether KL divergences are in bits; else in nats
 * @at: position at which the KL divergence is measured, or %ATTN_AT_ALL or %ATTN_AT_LAST; a text
 *   without that position has no KL divergence
 * @n_steps: number of steps; the head with a step's largest angle stays changed in later steps
 * @rank: r, number of singular vectors that span the compared spaces
 * @width: D, width of a final state
 * @n_cells: number of surveyed heads of all layers
 * @texts: (element-type AttnAttributionText): sorted by their numbers
 * @n_chosen: number of steps that are complete, so that their angles are known
 * @chosen: [steps], the cell that each complete step chose
 * @angles: [steps, cells], in degrees; NaN where they are not known, and for a head that stays
 *   changed
 */
typedef struct
{
  char *operation;
  gboolean is_in_bits;
  int at;
  gsize n_steps;
  gsize rank;
  gsize width;
  gsize n_cells;
  GPtrArray *texts;
  gsize n_chosen;
  gsize *chosen;
  double *angles;
} AttnAttribution;

AttnAttribution *attn_attribution_new         (const char            *operation,
                                               gboolean               is_in_bits,
                                               int                    at,
                                               gsize                  n_steps,
                                               gsize                  rank,
                                               gsize                  width,
                                               gsize                  n_cells);
void             attn_attribution_free        (AttnAttribution       *attribution);
void             attn_attribution_prepare     (AttnAttribution       *attribution);
AttnAttributionText *attn_attribution_take    (AttnAttribution       *attribution,
                                               guint64                number);
gsize            attn_attribution_measure_text (const AttnAttribution *attribution);
void             attn_attribution_merge       (AttnAttribution       *attribution,
                                               const AttnAttribution *other);
void             attn_attribution_finish_step (AttnAttribution       *attribution);
gboolean         attn_attribution_is_chosen   (const AttnAttribution *attribution,
                                               gsize                  step,
                                               gsize                  cell);
guint64         *attn_attribution_count_first (const AttnAttribution *attribution,
                                               gsize                  step);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnAttribution, attn_attribution_free)

G_END_DECLS
