/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-deferred.h"

#include "attn-threads.h"

/* Scaled: a head of the weights, which is the softmax of a head's scores times a factor. */
typedef struct
{
  gsize head; /* number of a head of the scores */
  float factor;
} Scaled;

struct _AttnDeferred
{
  AttnTensor *scores;
  const AttnScoreRules *rules;
  AttnTensor *weights;
  GArray *heads; /* (element-type Scaled): scores and factor for each head of @weights */
};

/**
 * attn_deferred_new:
 * @scores: [H, T, S], of all heads of a layer
 * @rules: rules of that layer, which have to outlive the returned object
 * @weights: [heads, T, S], the memory to fill
 *
 * Returns: (transfer full): an object that fills @weights on request; no head is added to it yet
 */
AttnDeferred *
attn_deferred_new (AttnTensor           *scores,
                   const AttnScoreRules *rules,
                   AttnTensor           *weights)
{
  AttnDeferred *deferred = g_new (AttnDeferred, 1);

  *deferred = (AttnDeferred) { attn_tensor_ref (scores), rules, attn_tensor_ref (weights),
                               g_array_new (FALSE, FALSE, sizeof (Scaled)) };
  return deferred;
}

/**
 * attn_deferred_add:
 * @head: number of a head of the scores S; the next head of the weights becomes softmax (@factor
 *   S) of these scores
 */
void
attn_deferred_add (AttnDeferred *deferred,
                   gsize         head,
                   float         factor)
{
  const Scaled scaled = { head, factor };

  g_return_if_fail (deferred->heads->len < deferred->weights->shape[0]);

  g_array_append_val (deferred->heads, scaled);
}

void
attn_deferred_free (AttnDeferred *deferred)
{
  if (deferred == NULL)
    return;
  attn_tensor_unref (deferred->scores);
  attn_tensor_unref (deferred->weights);
  g_array_unref (deferred->heads);
  g_free (deferred);
}

/**
 * attn_deferred_fill:
 * @index: number of a head of the weights
 * @entropy: (inout): the sum of the rows' entropies, in bits, is added to it
 *
 * Computes @n_rows rows of that head. Any thread may call.
 */
void
attn_deferred_fill (const AttnDeferred *deferred,
                    gsize               index,
                    gsize               first_row,
                    gsize               n_rows,
                    double             *entropy)
{
  g_return_if_fail (index < deferred->heads->len);

  const Scaled *scaled = &g_array_index (deferred->heads, Scaled, index);
  attn_attention_rescale_rows (deferred->scores, scaled->head, scaled->factor, deferred->rules,
                               first_row, n_rows, deferred->weights, index, entropy);
}

/**
 * attn_deferred_finish:
 * @error: return location for %G_IO_ERROR_CANCELLED
 *
 * Computes all rows of all heads, in as many threads as attn_threads_get() says.
 */
gboolean
attn_deferred_finish (const AttnDeferred  *deferred,
                      GCancellable        *cancellable,
                      GError             **error)
{
  for (guint i = 0; i < deferred->heads->len; i++)
    {
      const Scaled *scaled = &g_array_index (deferred->heads, Scaled, i);

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      attn_attention_rescale (deferred->scores, scaled->head, scaled->factor, deferred->rules,
                              attn_threads_get (), deferred->weights, i);
    }
  return TRUE;
}
