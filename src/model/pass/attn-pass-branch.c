/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Adds the outputs of attention and MLP to the residual stream, after norm and factors if the model
 * has them, and computes the MLP. */

#include "config.h"

#include <string.h>

#include "attn-ops.h"
#include "attn-pass.h"

/* Returns the factors for the output of attention or MLP, [D], or %NULL if the model has none. */
static const float *
get_branch_scale (const AttnPass *pass,
                  AttnRole        norm)
{
  return pass->parameters[norm == ATTN_ROLE_OUTPUT_NORM ? ATTN_ROLE_OUTPUT_SCALE
                                                        : ATTN_ROLE_DOWN_SCALE]
      .weight;
}

/* The quantities that attention and MLP add to the residual stream, indexed by AttnHalf (attention
 * or MLP). */
static const AttnQuantity branch_quantities[] = {
  [ATTN_HALF_ATTENTION] = ATTN_QUANTITY_ATTENTION,
  [ATTN_HALF_MLP] = ATTN_QUANTITY_MLP,
};

/* Tells whether the output of attention or MLP is to be kept for a trace or passed to the pass's
 * callback. */
static gboolean
is_branch_wanted (const AttnPass *pass,
                  AttnHalf        half)
{
  return half != ATTN_HALF_NONE && (pass->added[half] != NULL ||
                                    attn_pass_is_seen (pass, branch_quantities[half], pass->layer));
}

/* Keeps the output of attention or MLP for a trace and passes it to the pass's callback, if either
 * is requested. */
static void
hand_out_branch (const AttnPass *pass,
                 AttnHalf        half)
{
  attn_pass_keep_branch (pass, half);
  if (half != ATTN_HALF_NONE)
    attn_pass_show_stream (pass, branch_quantities[half], ATTN_BUFFER_BRANCH, pass->layer);
}

/* Tells whether the output of attention or MLP is added without norm or factors. */
static gboolean
is_plain_branch (const AttnPass *pass,
                 AttnRole        norm)
{
  return pass->parameters[norm].weight == NULL && pass->config->residual_multiplier == 1.0 &&
         get_branch_scale (pass, norm) == NULL;
}

/* Adds the output of attention or MLP to the residual stream, after a norm if the model has one. */
static void
finish_branch (const AttnPass *pass,
               AttnRole        norm,
               AttnHalf        half)
{
  const float *scale = get_branch_scale (pass, norm);
  gsize width = pass->config->width;

  for (gsize i = 0; scale != NULL && i < pass->n_tokens; i++)
    attn_ops_multiply (pass->buffers[ATTN_BUFFER_BRANCH] + i * width, scale, width);
  if (pass->parameters[norm].weight != NULL)
    attn_pass_normalize (pass, ATTN_BUFFER_BRANCH, pass->config->width, pass->config->norm_epsilon,
                         &pass->parameters[norm], ATTN_BUFFER_BRANCH);
  if (pass->config->residual_multiplier != 1.0)
    attn_ops_scale (pass->buffers[ATTN_BUFFER_BRANCH], (float) pass->config->residual_multiplier,
                    pass->n_tokens * pass->config->width);
  hand_out_branch (pass, half);
  attn_ops_add (pass->buffers[ATTN_BUFFER_RESIDUAL], pass->buffers[ATTN_BUFFER_BRANCH],
                pass->n_tokens * pass->config->width);
}

/* Adds a linear layer's product to the residual stream, after the norm @norm if the model has it.
 * Where the product itself is wanted, too, it is computed a second time, so that the sum has the
 * same bits as without. */
void
attn_pass_add_branch (const AttnPass *pass,
                      AttnBuffer      from,
                      gsize           n_in,
                      AttnRole        weight,
                      AttnRole        norm,
                      AttnHalf        half)
{
  gsize width = pass->config->width;

  if (is_plain_branch (pass, norm))
    {
      if (is_branch_wanted (pass, half))
        attn_pass_run_linear (pass, from, n_in, weight, NULL, ATTN_BUFFER_BRANCH, width);
      hand_out_branch (pass, half);
      attn_pass_run_linear (pass, from, n_in, weight, NULL, ATTN_BUFFER_RESIDUAL, width);
      return;
    }
  attn_pass_run_linear (pass, from, n_in, weight, NULL, ATTN_BUFFER_BRANCH, width);
  finish_branch (pass, norm, half);
}

static void
multiply_by_gate (const AttnPass *pass,
                  gsize           first_row,
                  gsize           n_rows,
                  gpointer        user_data)
{
  gsize width = pass->config->layers[pass->layer].mlp_width;

  attn_ops_multiply (pass->buffers[ATTN_BUFFER_MLP] + first_row * width,
                     pass->buffers[ATTN_BUFFER_GATE] + first_row * width, n_rows * width);
}

/* Applies interventions to the output of the MLP before it is added to the residual stream. Adding
 * it separately rounds differently from the matrix product that adds in place, so tokens that no
 * intervention has changed take the result of the latter. */
static void
change_mlp (const AttnPass *pass,
            gsize           mlp_width)
{
  gsize width = pass->config->width;
  float *before = pass->buffers[ATTN_BUFFER_NORMED];
  float *branch = pass->buffers[ATTN_BUFFER_BRANCH];
  float *residual = pass->buffers[ATTN_BUFFER_RESIDUAL];
  gsize n_bytes = width * sizeof (float);
  g_autofree gboolean *is_changed = g_new (gboolean, pass->n_tokens);

  attn_pass_run_linear (pass, ATTN_BUFFER_MLP, mlp_width, ATTN_ROLE_DOWN, NULL,
                        ATTN_BUFFER_BRANCH, width);
  memcpy (before, branch, pass->n_tokens * n_bytes);
  attn_pass_intervene_in (pass, ATTN_COMPONENT_MLP, ATTN_BUFFER_BRANCH, 1, width);
  if (!is_plain_branch (pass, ATTN_ROLE_DOWN_NORM))
    {
      finish_branch (pass, ATTN_ROLE_DOWN_NORM, ATTN_HALF_MLP);
      return;
    }
  hand_out_branch (pass, ATTN_HALF_MLP);
  for (gsize token = 0; token < pass->n_tokens; token++)
    {
      is_changed[token] = memcmp (before + token * width, branch + token * width, n_bytes) != 0;
      if (is_changed[token])
        attn_ops_add (branch + token * width, residual + token * width, width);
    }
  attn_pass_run_linear (pass, ATTN_BUFFER_MLP, mlp_width, ATTN_ROLE_DOWN, NULL,
                        ATTN_BUFFER_RESIDUAL, width);
  for (gsize token = 0; token < pass->n_tokens; token++)
    if (is_changed[token])
      memcpy (residual + token * width, branch + token * width, n_bytes);
}

/* Runs the MLP: residual stream += W2 (activation (W1 x)), or with a gate W2 (activation (Wg x) W1
 * x). */
gboolean
attn_pass_run_mlp (const AttnPass  *pass,
                   AttnBuffer       from,
                   GError         **error)
{
  const AttnConfig *config = pass->config;
  gsize width = config->width;
  gsize mlp_width = config->layers[pass->layer].mlp_width;
  gboolean has_gate = attn_config_has_role (config, ATTN_ROLE_GATE);

  if (config->layers[pass->layer].has_experts)
    {
      if (!attn_pass_run_experts (pass, from, error))
        return FALSE;
      attn_pass_intervene_in (pass, ATTN_COMPONENT_MLP, ATTN_BUFFER_BRANCH, 1, width);
      finish_branch (pass, ATTN_ROLE_DOWN_NORM, ATTN_HALF_MLP);
      return TRUE;
    }

  attn_pass_run_linear (pass, from, width, ATTN_ROLE_UP, has_gate ? NULL : &config->activation,
                        ATTN_BUFFER_MLP, mlp_width);
  if (has_gate)
    {
      attn_pass_run_linear (pass, from, width, ATTN_ROLE_GATE, &config->activation,
                            ATTN_BUFFER_GATE, mlp_width);
      attn_pass_run_rows (pass, mlp_width, multiply_by_gate, NULL);
    }
  if (g_cancellable_set_error_if_cancelled (pass->forward->cancellable, error))
    return FALSE;
  if (attn_interventions_act_on (pass->forward->interventions, ATTN_COMPONENT_MLP, pass->layer))
    {
      change_mlp (pass, mlp_width);
      return TRUE;
    }
  attn_pass_add_branch (pass, ATTN_BUFFER_MLP, mlp_width, ATTN_ROLE_DOWN, ATTN_ROLE_DOWN_NORM,
                        ATTN_HALF_MLP);
  return TRUE;
}
