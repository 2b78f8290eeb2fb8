/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The head-groups figure in parts: attn-head-groups-match.c finds the tokens of a group in an
 * input, attn-head-groups-detect.c computes the numbers, attn-head-groups.c makes the figure of
 * them, and attn-head-groups-edit.c changes the groups in it. */

#pragma once

#include "attn-study.h"

G_BEGIN_DECLS

/* Group index of a token or head that is in no group. */
#define ATTN_NO_GROUP G_MAXSIZE

char   **attn_groups_get_plain_labels (char             **labels);
gboolean attn_groups_match            (const AttnTokens  *tokens,
                                       const char        *text,
                                       const AttnGroup   *group,
                                       gboolean          *members,
                                       GError           **error);

void attn_groups_attend (const float    *scores,
                         gsize           n_tokens,
                         const gboolean *members,
                         gboolean        is_causal,
                         float          *weights);

/**
 * AttnConnections:
 * @parents: (array length=n_tokens): union-find: for each token another token of its group, or
 *   itself
 * @cells: [n_tokens, n_tokens]: whether some head's weight connects the query and the key
 *
 * Connections between tokens by the weights of the heads that were added so far.
 */
typedef struct
{
  gsize n_tokens;
  gsize *parents;
  guint8 *cells;
} AttnConnections;

gboolean attn_connections_init       (AttnConnections  *connections,
                                      gsize             n_tokens,
                                      GError          **error);
void     attn_connections_clear      (AttnConnections  *connections);
void     attn_connections_add        (AttnConnections  *connections,
                                      const float      *weights,
                                      AttnGroupRule     rule,
                                      double            level);
gsize    attn_connections_get_groups (AttnConnections  *connections,
                                      gsize            *groups);
gsize    attn_groups_find_home       (const float      *weights,
                                      gsize             n_tokens,
                                      const gsize      *groups,
                                      gsize             n_groups);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnConnections, attn_connections_clear)

G_END_DECLS
