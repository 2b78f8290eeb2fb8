/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An attribution measures how each head that is changed alone affects each text of a data set, and
 * the angle by which it turns the final states of all texts (arXiv 2410.13708). */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Number of heads with the largest KL divergence of a text that count as its first heads. */
#define ATTN_ATTRIBUTION_FIRST 10

#define ATTN_ATTRIBUTION_MOST_STEPS 1024
#define ATTN_ATTRIBUTION_MOST_RANK  1024

/* Special values for the position at which a KL divergence is measured: the mean over all
 * positions, and the last one. */
#define ATTN_AT_ALL  (-1)
#define ATTN_AT_LAST (-2)

/* No head. */
#define ATTN_ATTRIBUTION_NONE G_MAXSIZE

/**
 * AttnAttributionText:
 * @number: of the text
 * @kl: [steps, cells]: NaN where it is not known
 * @states: (nullable): [1 + cells, D], the final state of its last token, of the model as it is and
 *   with each head changed; rows of zeros where it is not known
 */
typedef struct
{
  guint64 number;
  double *kl;
  float *states;
} AttnAttributionText;

/**
 * AttnAttribution:
 * @operation: what is done to a head, as [func@attn_intervention_to_string] has it
 * @is_in_bits: the KL, which is in nats otherwise
 * @at: at which position the KL is taken, or %ATTN_AT_ALL, %ATTN_AT_LAST; a text that has no such
 *   position has no KL
 * @n_steps: in each the head with the largest angle stays changed
 * @rank: r, how many singular vectors count
 * @width: D
 * @n_cells: heads, of all layers that are surveyed
 * @texts: (element-type AttnAttributionText): by their numbers
 * @n_chosen: steps whose angles are known
 * @chosen: [steps], the cell of the head that stays changed after each of @n_chosen
 * @angles: [steps, cells], in degrees; NaN where they are not known, and of a head that stays
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
