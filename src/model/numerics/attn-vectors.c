/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-vectors.h"

#include <string.h>

#include "attn-ops.h"
#include "attn-source.h"

/* Means are summed in double precision, since float32 would lose digits that the figures show over
 * thousands of tokens. */

/**
 * attn_vectors_wrap:
 * @tensor: [H or Hk, T, d], as a trace keeps them; has to outlive the view
 * @n_heads: H, a multiple of Hk
 *
 * Returns: a view of the tensor's numbers, which are not copied
 */
AttnVectors
attn_vectors_wrap (const AttnTensor *tensor,
                   gsize             n_heads)
{
  g_return_val_if_fail (tensor->n_dims == 3 && n_heads >= tensor->shape[0] &&
                            n_heads % tensor->shape[0] == 0,
                        (AttnVectors) { 0 });

  return (AttnVectors) {
    .data = tensor->data,
    .n_heads = tensor->shape[0],
    .n_tokens = tensor->shape[1],
    .width = tensor->shape[2],
    .head_stride = tensor->shape[1] * tensor->shape[2],
    .token_stride = tensor->shape[2],
    .n_shared = n_heads / tensor->shape[0],
  };
}

/**
 * attn_vectors_copy_head:
 * @out: (out caller-allocates): [T, d], row-major
 *
 * Copies the vectors of one head.
 */
void
attn_vectors_copy_head (const AttnVectors *vectors,
                        gsize              head,
                        float             *out)
{
  g_return_if_fail (head < vectors->n_heads);

  for (gsize token = 0; token < vectors->n_tokens; token++, out += vectors->width)
    memcpy (out, attn_vectors_get (vectors, head, token), vectors->width * sizeof (float));
}

static gboolean
is_head_in_scope (const AttnVectors      *vectors,
                  const AttnIntervention *intervention,
                  gsize                   head)
{
  for (gsize i = 0; i < vectors->n_shared; i++)
    if (attn_index_set_contains (intervention->heads, head * vectors->n_shared + i))
      return TRUE;
  return FALSE;
}

static gboolean
is_token_in_scope (const AttnVectors      *vectors,
                   const AttnIntervention *intervention,
                   gsize                   token)
{
  return attn_index_set_contains (intervention->tokens, vectors->first_token + token);
}

static void
add_to_sums (double      *sums,
             const float *vector,
             gsize        width)
{
  for (gsize i = 0; i < width; i++)
    sums[i] += vector[i];
}

static void
put_means (float        *vector,
           const double *sums,
           gsize         width,
           gsize         n_summed)
{
  for (gsize i = 0; i < width; i++)
    vector[i] = (float) (sums[i] / (double) n_summed);
}

static void
put_own_mean (float *vector,
              gsize  width)
{
  double sum = 0.0;

  for (gsize i = 0; i < width; i++)
    sum += vector[i];
  for (gsize i = 0; i < width; i++)
    vector[i] = (float) (sum / (double) width);
}

/* Applies scale, zero or feature mean, which change each vector independently. */
static void
change_each (const AttnVectors      *vectors,
             const AttnIntervention *intervention)
{
  for (gsize head = 0; head < vectors->n_heads; head++)
    {
      if (!is_head_in_scope (vectors, intervention, head))
        continue;
      for (gsize token = 0; token < vectors->n_tokens; token++)
        {
          float *vector = attn_vectors_get (vectors, head, token);

          if (!is_token_in_scope (vectors, intervention, token))
            continue;
          if (intervention->operation == ATTN_OPERATION_ZERO)
            memset (vector, 0, vectors->width * sizeof (float));
          else if (intervention->operation == ATTN_OPERATION_SCALE)
            attn_ops_scale (vector, (float) intervention->factor, vectors->width);
          else
            put_own_mean (vector, vectors->width);
        }
    }
}

static void
mean_over_tokens (const AttnVectors      *vectors,
                  const AttnIntervention *intervention)
{
  g_autofree double *sums = g_new (double, vectors->width);

  for (gsize head = 0; head < vectors->n_heads; head++)
    {
      if (!is_head_in_scope (vectors, intervention, head))
        continue;
      memset (sums, 0, vectors->width * sizeof *sums);
      for (gsize token = 0; token < vectors->n_tokens; token++)
        add_to_sums (sums, attn_vectors_get (vectors, head, token), vectors->width);
      for (gsize token = 0; token < vectors->n_tokens; token++)
        if (is_token_in_scope (vectors, intervention, token))
          put_means (attn_vectors_get (vectors, head, token), sums, vectors->width,
                     vectors->n_tokens);
    }
}

/* Replaces each vector by the mean over the tokens up to its own, for a text that will get more
 * tokens. The first tokens, which are given together, share one mean. */
static void
mean_over_tokens_so_far (const AttnVectors      *vectors,
                         const AttnIntervention *intervention,
                         const AttnRunningMean  *running)
{
  gsize width = vectors->width;
  gsize n_before = vectors->first_token;

  for (gsize head = 0; head < vectors->n_heads; head++)
    {
      double *sums = running->sums + head * width;
      gsize begin = 0;

      if (!is_head_in_scope (vectors, intervention, head))
        continue;
      for (gsize token = 0; token < vectors->n_tokens; token++)
        {
          gsize n_summed = n_before + token + 1;

          add_to_sums (sums, attn_vectors_get (vectors, head, token), width);
          if (n_summed < running->n_together)
            continue;
          for (gsize i = begin; i <= token; i++)
            if (is_token_in_scope (vectors, intervention, i))
              put_means (attn_vectors_get (vectors, head, i), sums, width, n_summed);
          begin = token + 1;
        }
    }
}

static void
mean_over_heads (const AttnVectors      *vectors,
                 const AttnIntervention *intervention)
{
  g_autofree double *sums = g_new (double, vectors->width);

  for (gsize token = 0; token < vectors->n_tokens; token++)
    {
      if (!is_token_in_scope (vectors, intervention, token))
        continue;
      memset (sums, 0, vectors->width * sizeof *sums);
      for (gsize head = 0; head < vectors->n_heads; head++)
        add_to_sums (sums, attn_vectors_get (vectors, head, token), vectors->width);
      for (gsize head = 0; head < vectors->n_heads; head++)
        if (is_head_in_scope (vectors, intervention, head))
          put_means (attn_vectors_get (vectors, head, token), sums, vectors->width,
                     vectors->n_heads);
    }
}

static void
patch_token (const AttnVectors      *vectors,
             const AttnIntervention *patch,
             const AttnTensor       *source,
             gsize                   from,
             gsize                   to)
{
  for (gsize head = 0; head < vectors->n_heads; head++)
    if (is_head_in_scope (vectors, patch, head))
      memcpy (attn_vectors_get (vectors, head, to),
              source->data + (head * source->shape[1] + from) * source->shape[2],
              vectors->width * sizeof (float));
}

static void
patch (const AttnVectors      *vectors,
       const AttnIntervention *patch,
       const AttnTensor       *source)
{
  gsize first = vectors->first_token;
  gsize end = first + vectors->n_tokens;
  gsize n = patch->pairs != NULL ? patch->pairs->len : MIN (end, source->shape[1]);

  g_return_if_fail (source->shape[0] == vectors->n_heads && source->shape[2] == vectors->width);

  for (gsize i = patch->pairs != NULL ? 0 : first; i < n; i++)
    {
      const AttnPair pair =
          patch->pairs != NULL ? g_array_index (patch->pairs, AttnPair, i) : (AttnPair) { i, i };

      if (pair.to >= first && pair.to < end &&
          attn_index_set_contains (patch->tokens, pair.to))
        patch_token (vectors, patch, source, pair.from, pair.to - first);
    }
}

/**
 * attn_vectors_intervene:
 * @vectors: (inout): the component that @intervention names
 * @intervention: what to do; the caller has checked that its layers and site are those of @vectors
 * @layer: the layer of @vectors, of which a patch takes the values in its source
 * @running: (nullable): sums for a mean over the tokens, if @vectors are only some of the tokens of
 *   a text and others are to come
 *
 * X <- where (in scope, operation (X), X). A mean is taken over all vectors along its axis; the
 * scope determines only which vectors it replaces.
 */
void
attn_vectors_intervene (const AttnVectors      *vectors,
                        const AttnIntervention *intervention,
                        gsize                   layer,
                        const AttnRunningMean  *running)
{
  if (intervention->operation == ATTN_OPERATION_PATCH)
    patch (vectors, intervention, attn_source_get (intervention->source, intervention, layer));
  else if (intervention->operation == ATTN_OPERATION_READ)
    {
      const AttnTensor *to = attn_source_get (intervention->source, intervention, layer);

      for (gsize head = 0; head < vectors->n_heads; head++)
        attn_vectors_copy_head (vectors, head, to->data + head * to->shape[1] * to->shape[2]);
    }
  else if (intervention->operation != ATTN_OPERATION_MEAN ||
           intervention->axis == ATTN_AXIS_FEATURE)
    change_each (vectors, intervention);
  else if (intervention->axis == ATTN_AXIS_TOKEN && running != NULL)
    mean_over_tokens_so_far (vectors, intervention, running);
  else if (intervention->axis == ATTN_AXIS_TOKEN)
    mean_over_tokens (vectors, intervention);
  else
    mean_over_heads (vectors, intervention);
}
