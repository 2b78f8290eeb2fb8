/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The places of a forward pass where a callback is shown vectors and where interventions change
 * them. */

#include "config.h"

#include "attn-pass.h"

/* Returns the part of @all that belongs to one text. In cross-attention, the tokens of the encoder
 * are not divided into texts. */
static AttnVectors
cut_text (const AttnPass    *pass,
          const AttnVectors *all,
          gsize              text)
{
  gsize begin = attn_pass_get_begin (pass, text);

  return pass->n_texts == 1
             ? *all
             : attn_pass_cut_rows (all, begin, attn_pass_get_end (pass, text) - begin);
}

/* Tells whether a quantity of the layer is to be passed to the pass's callback. */
gboolean
attn_pass_is_seen (const AttnPass *pass,
                   AttnQuantity    quantity,
                   gsize           layer)
{
  const AttnForward *forward = pass->forward;

  return !pass->is_aside && (forward->seen & quantity) != 0 &&
         (layer == pass->config->n_layers || attn_index_set_contains (forward->layers, layer));
}

/* Passes vectors to the pass's callback, text by text. @all: the vectors of all texts */
void
attn_pass_show_states (const AttnPass    *pass,
                       AttnQuantity       quantity,
                       gsize              layer,
                       const AttnVectors *all)
{
  const AttnForward *forward = pass->forward;

  if (!attn_pass_is_seen (pass, quantity, layer))
    return;
  for (gsize text = 0; text < pass->n_texts; text++)
    {
      const AttnStates states = {
        .text = text,
        .layer = layer,
        .quantity = quantity,
        .vectors = cut_text (pass, all, text),
      };

      forward->see (&states, forward->see_data);
    }
}

/* Passes a buffer of the residual stream's width to the pass's callback. */
void
attn_pass_show_stream (const AttnPass *pass,
                       AttnQuantity    quantity,
                       AttnBuffer      buffer,
                       gsize           layer)
{
  gsize width = pass->config->width;
  const AttnVectors all = {
    .data = pass->buffers[buffer],
    .n_heads = 1,
    .n_tokens = pass->n_tokens,
    .width = width,
    .head_stride = width,
    .token_stride = width,
    .n_shared = 1,
  };

  attn_pass_show_states (pass, quantity, layer, &all);
}

/* Tells whether a component of the current attention is made of the encoder's tokens, as the keys
 * and values of cross-attention are. */
gboolean
attn_pass_is_of_source (const AttnPass *pass,
                        AttnComponent   component)
{
  return pass->is_cross != pass->is_aside &&
         (component == ATTN_COMPONENT_KEY || component == ATTN_COMPONENT_VALUE);
}

/* Applies an intervention to each text separately. With a cache there is one text, and a mean over
 * its tokens includes those of earlier passes. */
static void
intervene_on (const AttnPass    *pass,
              guint              index,
              const AttnVectors *all)
{
  const AttnIntervention *intervention = pass->forward->interventions->pdata[index];
  AttnPast *past = pass->forward->past;

  if (!attn_index_set_contains (intervention->layers, pass->layer))
    return;
  if (past != NULL && !attn_pass_is_of_source (pass, intervention->component))
    {
      AttnVectors vectors = *all;
      AttnRunningMean running = { 0 };

      vectors.first_token = pass->forward->first_token;
      if (intervention->operation == ATTN_OPERATION_MEAN && intervention->axis == ATTN_AXIS_TOKEN)
        running = attn_past_get_mean (past, index, pass->layer, all->n_heads * all->width);
      attn_vectors_intervene (&vectors, intervention, pass->layer, &running);
      return;
    }
  for (gsize text = 0; text < pass->n_texts; text++)
    {
      AttnVectors vectors = cut_text (pass, all, text);

      attn_vectors_intervene (&vectors, intervention, pass->layer, NULL);
    }
}

/* Applies the interventions at a site, which is a step between projection and scores of the current
 * layer, in the order of their list. */
void
attn_pass_intervene (const AttnPass    *pass,
                     AttnSite           site,
                     const AttnVectors  components[ATTN_N_COMPONENTS])
{
  const GPtrArray *interventions = pass->forward->interventions;

  for (guint i = 0; interventions != NULL && !pass->is_aside && i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->component < ATTN_N_COMPONENTS && intervention->site == site &&
          !(attn_pass_is_of_source (pass, intervention->component) &&
            attn_pass_knows_source (pass)) &&
          attn_intervention_has_site (intervention, pass->forward->model, pass->layer))
        intervene_on (pass, i, &components[intervention->component]);
    }
}

/* Applies the interventions on the output of heads, the residual stream or the MLP to @buffer,
 * [n_tokens, n_heads, width]. */
void
attn_pass_intervene_in (const AttnPass *pass,
                        AttnComponent   component,
                        AttnBuffer      buffer,
                        gsize           n_heads,
                        gsize           width)
{
  const GPtrArray *interventions = pass->forward->interventions;
  const AttnVectors vectors = {
    .data = pass->buffers[buffer],
    .n_heads = n_heads,
    .n_tokens = pass->n_tokens,
    .width = width,
    .head_stride = width,
    .token_stride = n_heads * width,
    .n_shared = 1,
  };

  for (guint i = 0; interventions != NULL && !pass->is_aside && i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->component == component)
        intervene_on (pass, i, &vectors);
    }
}
