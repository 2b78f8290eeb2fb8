/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures how much a head behaves like known kinds of heads: previous-token, duplicate-token and
 * induction heads. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnHeadScores:
 * @previous_token: mean weight on the token before
 * @duplicate_token: mean weight on the earlier occurrences of the token itself
 * @induction: mean weight on the tokens that follow those occurrences
 * @previous_sum: sum of the weights on the token before, over all queries; the two members that
 *   follow are the same for @duplicate_token and @induction
 *
 * The means are from 0 to 1, averaged over the queries that have such a key; NaN where none has.
 */
typedef struct
{
  double previous_token;
  double duplicate_token;
  double induction;
  double previous_sum;
  double duplicate_sum;
  double induction_sum;
} AttnHeadScores;

/**
 * AttnHeadSums:
 *
 * Sums over some rows of a map, of which its scores are means; all 0 for no row.
 */
typedef struct
{
  double previous;
  double duplicates;
  double induction;
  gsize n_previous;
  gsize n_duplicated;
} AttnHeadSums;

/* Knows where the tokens of a text occur. Immutable: threads that add rows of any map of the text
 * share one. */
typedef struct _AttnHeadScorer AttnHeadScorer;

AttnHeadScorer *attn_head_scorer_new    (const guint32        *ids,
                                         gsize                 n);
void            attn_head_scorer_add    (const AttnHeadScorer *scorer,
                                         gsize                 row,
                                         const float          *weights,
                                         AttnHeadSums         *sums);
void            attn_head_scorer_free   (AttnHeadScorer       *scorer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnHeadScorer, attn_head_scorer_free)

void           attn_head_sums_merge     (AttnHeadSums       *sums,
                                         const AttnHeadSums *other);
AttnHeadScores attn_head_sums_finish    (const AttnHeadSums *sums);
G_END_DECLS
