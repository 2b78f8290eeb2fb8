/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Mixture-of-experts layers, in which each token passes through a few experts (Shazeer et al. 2017,
 * arXiv 1701.06538; Fedus et al. 2021, arXiv 2101.03961). */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-linear.h"
#include "attn-ops.h"
#include "attn-pass.h"

/* Multiplies the @n_rows rows of @x by a matrix of the current layer, and adds the bias if the
 * model has one. @expert: a number, or -1 for a matrix that the layer has once */
static void
run (const AttnPass       *pass,
     const float          *x,
     gsize                 n_rows,
     gsize                 n_in,
     AttnRole              role,
     gssize                expert,
     const AttnActivation *activation,
     float                *out,
     gsize                 n_out)
{
  const AttnConfig *config = pass->config;
  const AttnArray *array =
      expert >= 0 ? attn_weights_get_expert (pass->weights, role, ATTN_SLOT_WEIGHT, pass->layer,
                                             (gsize) expert)
                  : attn_weights_get (pass->weights, role, pass->layer);
  const AttnArray *bias =
      expert >= 0 ? attn_weights_get_expert (pass->weights, role, ATTN_SLOT_BIAS, pass->layer,
                                             (gsize) expert)
                  : NULL;
  float *bias_data = pass->buffers[ATTN_BUFFER_EXPERT_BIAS];

  if (bias != NULL)
    attn_array_read (bias, 0, n_out, bias_data, NULL);

  AttnLinear linear = {
    .x = x,
    .n_rows = n_rows,
    .n_in = n_in,
    .n_out = n_out,
    .weight = expert >= 0 ? attn_array_peek_float32 (array) : pass->parameters[role].weight,
    .array = array,
    .scratch = pass->buffers[ATTN_BUFFER_TILES],
    .n_scratch = attn_pass_get_tile (config),
    .is_alone = pass->is_alone,
    .is_input_major = config->is_input_major ||
                      (expert >= 0 && config->has_input_major_experts && array->scales == NULL),
    .bias = expert < 0 ? pass->parameters[role].bias : bias != NULL ? bias_data
                                                                    : NULL,
    .activation = activation,
    .out = out,
    .out_stride = n_out,
  };

  if (attn_pass_need (pass, array))
    attn_linear_run (&linear, pass->n_workers);
}

/* Computes (up + 1) gate σ (alpha gate) of an expert, with up and gate clamped. Their numbers are
 * @stride floats apart. */
static void
multiply_clamped (const AttnConfig *config,
                  const float      *gate,
                  const float      *up,
                  gsize             stride,
                  gsize             n,
                  float            *out)
{
  float alpha = (float) config->swiglu_alpha;
  float limit = (float) config->swiglu_limit;

  for (gsize i = 0; i < n; i++)
    {
      float g = MIN (gate[i * stride], limit);

      out[i] = (CLAMP (up[i * stride], -limit, limit) + 1.0f) * g / (1.0f + expf (-alpha * g));
    }
}

/* Computes out = W2 (activation (Wg x) W1 x) of an expert. @roles: roles of gate, up and down.
 * @expert: a number, or -1 for the shared expert. */
static void
run_expert (const AttnPass *pass,
            const float    *x,
            gsize           n_rows,
            const AttnRole  roles[3],
            gssize          expert,
            gsize           width,
            float          *out)
{
  const AttnConfig *config = pass->config;
  gsize n = config->width;
  gboolean is_clamped = expert >= 0 && config->swiglu_alpha > 0.0;
  float *gate = pass->buffers[ATTN_BUFFER_GATE];
  float *hidden = pass->buffers[ATTN_BUFFER_MLP];

  if (expert >= 0 && attn_config_has_role (config, ATTN_ROLE_EXPERT_GATE_UP))
    {
      run (pass, x, n_rows, n, ATTN_ROLE_EXPERT_GATE_UP, expert, NULL, gate, 2 * width);
      multiply_clamped (config, gate, gate + 1, 2, n_rows * width, hidden);
    }
  else
    {
      run (pass, x, n_rows, n, roles[0], expert, is_clamped ? NULL : &config->activation, gate,
           width);
      run (pass, x, n_rows, n, roles[1], expert, NULL, hidden, width);
      if (is_clamped)
        multiply_clamped (config, gate, hidden, 1, n_rows * width, hidden);
      else
        attn_ops_multiply (hidden, gate, n_rows * width);
    }
  run (pass, hidden, n_rows, width, roles[2], expert, NULL, out, n);
}

/* Rates a group of experts by its best score, or by the sum of its two best scores if they are
 * sigmoids. */
static float
rate_group (const AttnConfig *config,
            const float      *scores,
            gsize             n)
{
  float first = -INFINITY, second = -INFINITY;

  for (gsize i = 0; i < n; i++)
    if (scores[i] > first)
      {
        second = first;
        first = scores[i];
      }
    else
      second = MAX (second, scores[i]);
  return config->family->experts.is_sigmoid && n > 1 ? first + second : first;
}

/* Sets the scores of all experts outside the best groups to 0. */
static void
choose_groups (const AttnConfig *config,
               float            *scores)
{
  gsize n = config->n_experts / config->n_expert_groups;
  g_autofree float *rates = g_new (float, config->n_expert_groups);
  g_autofree gboolean *is_used = g_new0 (gboolean, config->n_expert_groups);

  for (gsize group = 0; group < config->n_expert_groups; group++)
    rates[group] = rate_group (config, scores + group * n, n);
  for (gsize i = 0; i < config->n_used_groups; i++)
    {
      gsize best = config->n_expert_groups;

      for (gsize group = 0; group < config->n_expert_groups; group++)
        if (!is_used[group] && (best == config->n_expert_groups || rates[group] > rates[best]))
          best = group;
      is_used[best] = TRUE;
    }
  for (gsize i = 0; i < config->n_experts; i++)
    if (!is_used[i / n])
      scores[i] = 0.0f;
}

/* Chooses the experts of each token and their shares: the softmax of the router's scores, or the
 * sigmoid of each, for the few that it goes through, 0 for the others. @routed: (inout): [E],
 * scores. @correction: (nullable): [E], added for the choice alone. Of experts with equal scores
 * the first is chosen. */
static void
choose_experts (const AttnConfig *config,
                const float      *correction,
                float            *routed)
{
  gsize n = config->n_experts;
  g_autofree gboolean *is_used = g_new0 (gboolean, n);
  g_autofree float *rates = g_new (float, n);
  double sum = 0.0;

  if (!config->family->experts.is_sigmoid)
    attn_ops_softmax (routed, n, 1.0f, NULL, routed);
  for (gsize expert = 0; expert < n; expert++)
    {
      if (config->family->experts.is_sigmoid)
        routed[expert] = 1.0f / (1.0f + expf (-routed[expert]));
      rates[expert] = routed[expert] + (correction != NULL ? correction[expert] : 0.0f);
    }
  if (config->n_expert_groups > 1)
    choose_groups (config, rates);
  for (gsize i = 0; i < config->n_used_experts; i++)
    {
      gsize best = n;

      for (gsize expert = 0; expert < n; expert++)
        if (!is_used[expert] && (best == n || rates[expert] > rates[best]))
          best = expert;
      is_used[best] = TRUE;
      sum += routed[best];
    }
  for (gsize expert = 0; expert < n; expert++)
    if (!is_used[expert])
      routed[expert] = 0.0f;
    else
      routed[expert] = (float) (config->routed_scaling_factor * routed[expert] /
                                (config->normalizes_experts ? sum : 1.0));
}

/* Runs the shared expert, which every token passes through, and multiplies its output by the
 * sigmoid of the token's gate, if the model has one. */
static void
run_shared (const AttnPass *pass,
            const float    *x,
            float          *out)
{
  static const AttnRole roles[] = { ATTN_ROLE_GATE, ATTN_ROLE_UP, ATTN_ROLE_DOWN };
  gsize width = pass->config->width;
  float *weights = pass->buffers[ATTN_BUFFER_ROUTED];

  run_expert (pass, x, pass->n_tokens, roles, -1, pass->config->layers[pass->layer].mlp_width,
              out);
  if (!attn_config_has_role (pass->config, ATTN_ROLE_SHARED_GATE))
    return;
  run (pass, x, pass->n_tokens, width, ATTN_ROLE_SHARED_GATE, -1, NULL, weights, 1);
  for (gsize i = 0; i < pass->n_tokens; i++)
    attn_ops_scale (out + i * width, 1.0f / (1.0f + expf (-weights[i])), width);
}

/* Tells whether any token passes through the expert. */
static gboolean
is_chosen (const AttnPass *pass,
           gsize           expert)
{
  const float *routed = pass->buffers[ATTN_BUFFER_ROUTED] + expert;

  for (gsize i = 0; i < pass->n_tokens; i++)
    if (routed[i * pass->config->n_experts] != 0.0f)
      return TRUE;
  return FALSE;
}

/* Adds the weighted output of an expert to the tokens that pass through it. */
static void
add_expert (const AttnPass *pass,
            const float    *x,
            gsize           expert,
            float          *out)
{
  static const AttnRole roles[] = { ATTN_ROLE_EXPERT_GATE, ATTN_ROLE_EXPERT_UP,
                                    ATTN_ROLE_EXPERT_DOWN };
  const AttnConfig *config = pass->config;
  gsize width = config->width;
  const float *routed = pass->buffers[ATTN_BUFFER_ROUTED] + expert;
  float *in = pass->buffers[ATTN_BUFFER_EXPERT];
  const float *from = pass->buffers[ATTN_BUFFER_EXPERT_OUT];
  gsize n = 0;

  for (gsize i = 0; i < pass->n_tokens; i++)
    if (routed[i * config->n_experts] != 0.0f)
      memcpy (in + n++ * width, x + i * width, width * sizeof *in);
  run_expert (pass, in, n, roles, (gssize) expert, config->expert_width,
              pass->buffers[ATTN_BUFFER_EXPERT_OUT]);
  for (gsize i = 0; i < pass->n_tokens; i++)
    {
      float weight = routed[i * config->n_experts];

      if (weight == 0.0f)
        continue;
      for (gsize j = 0; j < width; j++)
        out[i * width + j] += weight * from[j];
      from += width;
    }
}

static void
normalize (const AttnPass *pass,
           AttnBuffer      from,
           AttnRole        norm,
           AttnBuffer      to)
{
  attn_pass_normalize (pass, from, pass->config->width, pass->config->norm_epsilon,
                       &pass->parameters[norm], to);
}

/**
 * attn_pass_run_experts:
 * @from: [T, D]; overwritten where an MLP stands beside the experts
 * @error: return location for %G_IO_ERROR_CANCELLED
 *
 * Leaves the output of the current layer's experts in %ATTN_BUFFER_BRANCH. Where the family has an
 * MLP beside them, the MLP takes @from, the router and the experts take the residual stream, each
 * after a norm of its own, and the outputs are added. Only the weights of experts that a token
 * passes through are read.
 */
gboolean
attn_pass_run_experts (const AttnPass  *pass,
                       AttnBuffer       from,
                       GError         **error)
{
  const AttnConfig *config = pass->config;
  const float *x = pass->buffers[from];
  float *routed = pass->buffers[ATTN_BUFFER_ROUTED];
  float *branch = pass->buffers[ATTN_BUFFER_BRANCH];
  float *out = branch;
  gboolean is_beside = config->family->experts.is_beside;
  const float *factors = pass->parameters[ATTN_ROLE_EXPERT_FACTORS].weight;
  gsize n = pass->n_tokens * config->width;

  if (config->layers[pass->layer].mlp_width > 0)
    run_shared (pass, x, out);
  if (is_beside)
    {
      normalize (pass, ATTN_BUFFER_BRANCH, ATTN_ROLE_SHARED_OUTPUT_NORM, ATTN_BUFFER_BRANCH);
      normalize (pass, ATTN_BUFFER_RESIDUAL, ATTN_ROLE_ROUTER_NORM, from);
      out = pass->buffers[ATTN_BUFFER_EXPERT_SUM];
    }
  if (is_beside || config->layers[pass->layer].mlp_width == 0)
    memset (out, 0, n * sizeof *out);
  run (pass, x, pass->n_tokens, config->width, ATTN_ROLE_ROUTER, -1, NULL, routed,
       config->n_experts);
  if (is_beside)
    {
      attn_ops_scale (routed, 1.0f / sqrtf ((float) config->width),
                      pass->n_tokens * config->n_experts);
      normalize (pass, ATTN_BUFFER_RESIDUAL, ATTN_ROLE_EXPERT_NORM, from);
    }
  for (gsize i = 0; i < pass->n_tokens; i++)
    {
      choose_experts (config, pass->parameters[ATTN_ROLE_ROUTER_CORRECTION].weight,
                      routed + i * config->n_experts);
      if (factors != NULL)
        attn_ops_multiply (routed + i * config->n_experts, factors, config->n_experts);
    }
  for (gsize expert = 0; expert < config->n_experts; expert++)
    if (is_chosen (pass, expert))
      attn_pass_read_expert (pass, expert);
  for (gsize expert = 0; expert < config->n_experts; expert++)
    {
      if (g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error))
        return FALSE;
      if (!is_chosen (pass, expert))
        continue;
      add_expert (pass, x, expert, out);
      attn_pass_end_reading (pass, (gssize) expert);
    }
  if (is_beside)
    {
      normalize (pass, ATTN_BUFFER_EXPERT_SUM, ATTN_ROLE_EXPERT_OUTPUT_NORM,
                 ATTN_BUFFER_EXPERT_SUM);
      attn_ops_add (branch, out, n);
    }
  return TRUE;
}
