/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Keeps quantities of a layer that a trace requests from a forward pass. */

#include "config.h"

#include "attn-pass.h"

#include <string.h>

/* Allocates the tensor of a layer's quantity if the quantity is to be kept. *tensor is left alone
 * if it exists already, and %NULL if nothing is kept. */
gboolean
attn_pass_keep (const AttnPass  *pass,
                gsize            layer,
                AttnQuantity     quantity,
                guint            n_dims,
                const gsize     *shape,
                AttnTensor     **tensor,
                GError         **error)
{
  const AttnForward *forward = pass->forward;

  *tensor = NULL;
  if (pass->is_aside || !(forward->keep & quantity) ||
      !attn_index_set_contains (forward->layers, layer) ||
      attn_kept_get (&pass->forward->kept[layer], quantity) != NULL)
    return TRUE;
  *tensor = quantity == ATTN_QUANTITY_WEIGHTS
                ? attn_attention_new_weights (attn_model_get_rules (forward->model, layer), shape,
                                              error)
                : attn_tensor_new_unset (n_dims, shape, error);
  *attn_kept_place (&pass->forward->kept[layer], quantity) = *tensor;
  return *tensor != NULL;
}

/* Returns the tensor of a quantity that an earlier pass, over a text with the same first tokens,
 * has kept. */
static const AttnTensor *
get_prefix (const AttnPass *pass,
            gsize           layer,
            AttnQuantity    quantity)
{
  return attn_kept_get (&pass->forward->prefix[layer], quantity);
}

gboolean
attn_pass_keep_residual (const AttnPass  *pass,
                         gsize            layer,
                         GError         **error)
{
  const gsize shape[] = { pass->forward->n_ids, pass->config->width };
  gsize n_before = pass->forward->first_token * shape[1];
  AttnTensor *tensor;

  if (!attn_pass_keep (pass, layer, ATTN_QUANTITY_RESIDUAL, 2, shape, &tensor, error))
    return FALSE;
  if (tensor != NULL && n_before > 0)
    memcpy (tensor->data, get_prefix (pass, layer, ATTN_QUANTITY_RESIDUAL)->data,
            n_before * sizeof (float));
  if (tensor != NULL)
    memcpy (tensor->data + n_before, pass->buffers[ATTN_BUFFER_RESIDUAL],
            pass->n_tokens * shape[1] * sizeof (float));
  return TRUE;
}

gboolean
attn_pass_keep_vectors (const AttnPass     *pass,
                        gsize               layer,
                        AttnQuantity        quantity,
                        const AttnVectors  *vectors,
                        GError            **error)
{
  gsize first = pass->forward->first_token;
  const gsize shape[] = { vectors->n_heads, first + vectors->n_tokens, vectors->width };
  AttnTensor *tensor;

  if (!attn_pass_keep (pass, layer, quantity, 3, shape, &tensor, error))
    return FALSE;
  for (gsize head = 0; tensor != NULL && head < vectors->n_heads; head++)
    {
      float *out = tensor->data + head * shape[1] * shape[2];

      if (first > 0)
        {
          const AttnTensor *before = get_prefix (pass, layer, quantity);

          memcpy (out, before->data + head * before->shape[1] * shape[2],
                  first * shape[2] * sizeof (float));
        }
      attn_vectors_copy_head (vectors, head, out + first * shape[2]);
    }
  return TRUE;
}

/* Copies the output of attention or MLP from its buffer to the trace, if it is to be kept. */
void
attn_pass_keep_branch (const AttnPass *pass,
                       AttnHalf        half)
{
  if (half != ATTN_HALF_NONE && pass->added[half] != NULL)
    memcpy (pass->added[half], pass->buffers[ATTN_BUFFER_BRANCH],
            pass->n_tokens * pass->config->width * sizeof (float));
}

/* Allocates the tensors for the outputs of heads, attention and MLP in the current layer, if they
 * are to be kept. */
gboolean
attn_pass_prepare_kept (AttnPass  *pass,
                        GError   **error)
{
  const AttnConfig *config = pass->config;
  const AttnLayer *layer = &config->layers[pass->layer];
  const gsize output[] = { config->n_heads, pass->n_tokens, layer->value_width };
  const gsize added[] = { pass->n_tokens, config->width };
  AttnTensor *tensors[3] = { NULL };

  if ((!layer->is_delta &&
       !attn_pass_keep (pass, pass->layer, ATTN_QUANTITY_OUTPUT, 3, output, &tensors[0], error)) ||
      !attn_pass_keep (pass, pass->layer, ATTN_QUANTITY_ATTENTION, 2, added, &tensors[1], error) ||
      !attn_pass_keep (pass, pass->layer, ATTN_QUANTITY_MLP, 2, added, &tensors[2], error))
    return FALSE;
  pass->output = tensors[0] != NULL ? tensors[0]->data : NULL;
  for (gsize i = 0; i < 2; i++)
    pass->added[i] = tensors[i + 1] != NULL ? tensors[i + 1]->data : NULL;
  return TRUE;
}

/* Copies the output of the heads from its buffer, [T, H, e], to the kept tensor, [H, T, e]. */
void
attn_pass_keep_output (const AttnPass *pass)
{
  gsize n_heads = pass->config->n_heads;
  gsize width = pass->config->layers[pass->layer].value_width;

  if (pass->output == NULL || pass->is_aside)
    return;
  for (gsize head = 0; head < n_heads; head++)
    for (gsize token = 0; token < pass->n_tokens; token++)
      memcpy (pass->output + (head * pass->n_tokens + token) * width,
              pass->buffers[ATTN_BUFFER_CONTEXT] + (token * n_heads + head) * width,
              width * sizeof (float));
}

/* Moves the last row of each text to the front of a buffer with rows of @width. */
static void
move_ends (const AttnPass *pass,
           AttnBuffer      buffer,
           gsize           width)
{
  float *rows = pass->buffers[buffer];

  for (gsize text = 0; text < pass->n_texts; text++)
    memmove (rows + text * width, rows + (attn_pass_get_end (pass, text) - 1) * width,
             width * sizeof *rows);
}

/**
 * attn_pass_leave_ends:
 *
 * Drops all tokens but the last of each text after the attention of the last layer, if the caller
 * wants @last_rows of AttnForward. Does nothing if a later step needs all tokens: cross-attention,
 * vectors that a layer has of each token, or an intervention on the MLP.
 */
void
attn_pass_leave_ends (AttnPass *pass)
{
  const AttnConfig *config = pass->config;
  const AttnLayer *layer = &config->layers[pass->layer];

  if (pass->forward->last_rows == NULL || pass->layer + 1 < config->n_layers ||
      pass->encoded != NULL || config->layer_width > 0 ||
      attn_interventions_act_on (pass->forward->interventions, ATTN_COMPONENT_MLP, pass->layer))
    return;
  move_ends (pass, ATTN_BUFFER_RESIDUAL, config->width);
  move_ends (pass, ATTN_BUFFER_NORMED, config->width);
  move_ends (pass, ATTN_BUFFER_CONTEXT,
             layer->is_delta ? config->delta.n_value_heads * config->delta.value_width
                             : config->n_heads * layer->value_width);
  pass->n_tokens = pass->n_texts;
  pass->is_at_ends = TRUE;
}

/**
 * attn_pass_keep_last_rows:
 *
 * Copies the residual stream that has left the last layer at the last token of each text to the
 * caller's @last_rows, if there are any.
 */
void
attn_pass_keep_last_rows (const AttnPass *pass)
{
  gsize width = pass->config->width;
  const float *rows = pass->buffers[ATTN_BUFFER_RESIDUAL];

  for (gsize text = 0; pass->forward->last_rows != NULL && text < pass->n_texts; text++)
    memcpy (pass->forward->last_rows->data + text * width,
            rows + (pass->is_at_ends ? text : attn_pass_get_end (pass, text) - 1) * width,
            width * sizeof *rows);
}
