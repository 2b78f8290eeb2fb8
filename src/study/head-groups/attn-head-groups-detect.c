/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computes the numbers of the head-groups figure: attention within given groups of tokens, or
 * groups of tokens detected from attention. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-head-groups-private.h"
#include "attn-memory.h"
#include "attn-ops.h"

/* Tolerance for shares of sums of float32 weights: a share that misses its threshold by less than
 * this counts as reached. */
#define ROUNDING 1e-6

/**
 * attn_groups_attend:
 * @scores: [T, T], attention scores S of one head; masked cells are -INFINITY
 * @n_tokens: T
 * @members: [T], which tokens are in the head's group
 * @is_causal: whether a query sees only keys up to itself; cells that are masked in @scores always
 *   are
 * @weights: (out): [T, T], attention within the group
 *
 * Applies the group as a mask inside the attention:
 *
 *     A[i, j] = exp S[i, j] / sum over the keys k of the group that i sees of exp S[i, k]
 *
 * for tokens i and j of the group, exactly 0 elsewhere. A token that sees no key of the group has a
 * row of zeros.
 */
void
attn_groups_attend (const float    *scores,
                    gsize           n_tokens,
                    const gboolean *members,
                    gboolean        is_causal,
                    float          *weights)
{
  g_autofree gsize *keys = g_new (gsize, n_tokens);
  g_autofree float *seen = g_new (float, n_tokens);
  g_autofree float *row = g_new (float, n_tokens);

  memset (weights, 0, n_tokens * n_tokens * sizeof *weights);
  for (gsize i = 0; i < n_tokens; i++)
    {
      gsize end = is_causal ? i + 1 : n_tokens;
      gsize n_keys = 0;

      for (gsize j = 0; members[i] && j < end; j++)
        if (members[j] && scores[i * n_tokens + j] != -INFINITY)
          {
            keys[n_keys] = j;
            seen[n_keys++] = scores[i * n_tokens + j];
          }
      if (n_keys == 0)
        continue;
      attn_ops_softmax (seen, n_keys, 1.0f, NULL, row);
      for (gsize k = 0; k < n_keys; k++)
        weights[i * n_tokens + keys[k]] = row[k];
    }
}

/**
 * attn_connections_init:
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Makes connections of @n_tokens tokens, of which none is connected yet. They take T * T bytes.
 */
gboolean
attn_connections_init (AttnConnections  *connections,
                       gsize             n_tokens,
                       GError          **error)
{
  gsize n_cells;

  if (!g_size_checked_mul (&n_cells, n_tokens, n_tokens))
    n_cells = G_MAXSIZE;
  connections->cells = attn_memory_try_alloc (n_cells, _("groups"), error);
  if (connections->cells == NULL)
    return FALSE;
  memset (connections->cells, 0, n_cells);
  connections->n_tokens = n_tokens;
  connections->parents = g_new (gsize, n_tokens);
  for (gsize i = 0; i < n_tokens; i++)
    connections->parents[i] = i;
  return TRUE;
}

void
attn_connections_clear (AttnConnections *connections)
{
  g_clear_pointer (&connections->parents, g_free);
  g_clear_pointer (&connections->cells, g_free);
}

static gsize
find_root (AttnConnections *connections,
           gsize            token)
{
  gsize *parents = connections->parents;

  while (parents[token] != token)
    {
      parents[token] = parents[parents[token]];
      token = parents[token];
    }
  return token;
}

static void
connect (AttnConnections *connections,
         gsize            query,
         gsize            key)
{
  gsize a = find_root (connections, query);
  gsize b = find_root (connections, key);

  connections->cells[query * connections->n_tokens + key] = TRUE;
  connections->parents[MAX (a, b)] = MIN (a, b);
}

/* Sorts keys by descending weight; keys of equal weight by ascending position. */
static int
compare_keys (gconstpointer a,
              gconstpointer b,
              gpointer      data)
{
  const float *row = data;
  gsize i = *(const gsize *) a;
  gsize j = *(const gsize *) b;

  return row[i] != row[j] ? (row[i] < row[j]) - (row[i] > row[j]) : (i > j) - (i < j);
}

static void
connect_share (AttnConnections *connections,
               const float     *row,
               gsize            query,
               double           share,
               gsize           *keys)
{
  gsize n_keys = 0;
  double whole = 0;
  double sum = 0;

  for (gsize key = 0; key < connections->n_tokens; key++)
    if (row[key] > 0)
      {
        keys[n_keys++] = key;
        whole += row[key];
      }
  g_qsort_with_data (keys, (int) n_keys, sizeof *keys, compare_keys, (gpointer) row);
  for (gsize k = 0; k < n_keys && sum < (share - ROUNDING) * whole; k++)
    {
      connect (connections, query, keys[k]);
      sum += row[keys[k]];
    }
}

/**
 * attn_connections_add:
 * @weights: [T, T] of one head
 * @rule: %ATTN_GROUP_RULE_THRESHOLD: weights of at least @level connect their query and key.
 *   %ATTN_GROUP_RULE_SHARE: the fewest keys that hold @level of a row's weight connect to its query
 * @level: threshold or share, 0 to 1; a weight of 0 never connects
 *
 * Adds the connections between tokens that the weights of one head make.
 */
void
attn_connections_add (AttnConnections *connections,
                      const float     *weights,
                      AttnGroupRule    rule,
                      double           level)
{
  gsize n = connections->n_tokens;
  g_autofree gsize *keys = g_new (gsize, n);

  for (gsize query = 0; query < n; query++)
    {
      const float *row = weights + query * n;

      if (rule == ATTN_GROUP_RULE_SHARE)
        {
          connect_share (connections, row, query, level, keys);
          continue;
        }
      for (gsize key = 0; key < n; key++)
        if (row[key] > 0 && row[key] >= (float) level)
          connect (connections, query, key);
    }
}

/**
 * attn_connections_get_groups:
 * @groups: (out) (array): [T], number of the group of each token, or %ATTN_NO_GROUP for a token
 *   that is connected to no other
 *
 * Returns: how many groups there are, numbered by their first tokens
 */
gsize
attn_connections_get_groups (AttnConnections *connections,
                             gsize           *groups)
{
  gsize n = connections->n_tokens;
  g_autofree gsize *sizes = g_new0 (gsize, n);
  gsize n_groups = 0;

  for (gsize i = 0; i < n; i++)
    sizes[find_root (connections, i)]++;
  /* The root of a connected component is its first token. */
  for (gsize i = 0; i < n; i++)
    {
      gsize root = find_root (connections, i);

      if (sizes[root] < 2)
        groups[i] = ATTN_NO_GROUP;
      else
        groups[i] = root == i ? n_groups++ : groups[root];
    }
  return n_groups;
}

/**
 * attn_groups_find_home:
 * @weights: [T, T] of one head
 * @groups: [T], as [func@attn_connections_get_groups] gives them
 *
 * Returns: the group whose tokens attend most to each other by the head's weights, the first of
 *   equals; %ATTN_NO_GROUP if there is no weight within any group
 */
gsize
attn_groups_find_home (const float *weights,
                       gsize        n_tokens,
                       const gsize *groups,
                       gsize        n_groups)
{
  g_autofree double *sums = g_new0 (double, MAX (n_groups, 1));
  gsize home = ATTN_NO_GROUP;

  for (gsize i = 0; i < n_tokens; i++)
    for (gsize j = 0; groups[i] != ATTN_NO_GROUP && j < n_tokens; j++)
      if (groups[j] == groups[i])
        sums[groups[i]] += weights[i * n_tokens + j];
  for (gsize group = 0; group < n_groups; group++)
    if (sums[group] > 0 && (home == ATTN_NO_GROUP || sums[group] > sums[home]))
      home = group;
  return home;
}
