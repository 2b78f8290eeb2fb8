/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Turns the frames of a sound into the vectors that enter an encoder's first layer. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-linear.h"
#include "attn-memory.h"
#include "attn-ops.h"
#include "attn-pass.h"

/* In this file, C is the number of input channels of a convolution, D the width of the model. */

/**
 * Signal:
 * @data: the number of a frame and a channel is at the index frame * @frame_stride + channel *
 *   @channel_stride
 */
typedef struct
{
  const float *data;
  gsize n_frames;
  gsize n_channels;
  gsize frame_stride;
  gsize channel_stride;
} Signal;

/* Writes the input of each step of a convolution as a row, [steps, C taps], in the order of its
 * weights. Beyond the ends of the signal there are zeros. */
static void
unfold (const Signal *signal,
        gsize         stride,
        float        *out)
{
  for (gsize frame = 0; frame < signal->n_frames; frame += stride)
    for (gsize channel = 0; channel < signal->n_channels; channel++)
      for (gsize tap = 0; tap < ATTN_CONVOLUTION_TAPS; tap++)
        {
          gsize from = frame + tap; /* frame + 1, lest it be negative */

          *out++ = from > 0 && from <= signal->n_frames
                       ? signal->data[(from - 1) * signal->frame_stride +
                                      channel * signal->channel_stride]
                       : 0.0f;
        }
}

/* Runs a convolution, padded with a zero on both sides, as a matrix product, and applies the exact
 * GELU. Returns: (transfer full) (nullable): [steps, D] */
static AttnTensor *
convolve (const AttnPass  *pass,
          AttnRole         role,
          const Signal    *signal,
          gsize            stride,
          GError         **error)
{
  const AttnActivation gelu = ATTN_ACTIVATION_GELU;
  const gsize n_steps = (signal->n_frames + stride - 1) / stride;
  const gsize shape[] = { n_steps, pass->config->width };
  const gsize unfolded_shape[] = { n_steps, signal->n_channels * ATTN_CONVOLUTION_TAPS };
  g_autoptr (AttnTensor) unfolded = attn_tensor_new_unset (2, unfolded_shape, error);
  g_autoptr (AttnTensor) out = NULL;
  g_autoptr (AttnTensor) weight = NULL;
  g_autoptr (AttnTensor) bias = NULL;

  if (unfolded == NULL || (out = attn_tensor_new_unset (2, shape, error)) == NULL ||
      !attn_weights_load (pass->weights, role, ATTN_SLOT_WEIGHT, &weight, error) ||
      !attn_weights_load (pass->weights, role, ATTN_SLOT_BIAS, &bias, error))
    return NULL;
  unfold (signal, stride, unfolded->data);

  AttnLinear linear = {
    .x = unfolded->data,
    .n_rows = n_steps,
    .n_in = unfolded_shape[1],
    .n_out = shape[1],
    .is_alone = pass->is_alone,
    .weight = weight->data,
    .bias = bias->data,
    .activation = &gelu,
    .out = out->data,
    .out_stride = shape[1],
  };
  attn_linear_run (&linear, pass->n_workers);
  return g_steal_pointer (&out);
}

/* Computes the vectors of all tokens of a sound. Returns: (transfer full) (nullable): [tokens,
 * D] */
static AttnTensor *
embed (const AttnPass    *pass,
       const AttnTensor  *features,
       GError           **error)
{
  const AttnSounds *sounds = &pass->config->sounds;
  gsize width = pass->config->width;
  gsize n_bytes =
      sounds->n_frames * sizeof (float) * (3 * width + ATTN_CONVOLUTION_TAPS * sounds->n_bins);
  const Signal heard = { features->data, sounds->n_frames, sounds->n_bins, 1, sounds->n_frames };

  if (!attn_memory_check (n_bytes, _("the frames of a sound"), error))
    return NULL;
  g_autoptr (AttnTensor) first = convolve (pass, ATTN_ROLE_CONVOLUTION, &heard, 1, error);
  if (first == NULL)
    return NULL;
  const Signal between = { first->data, sounds->n_frames, width, width, 1 };
  g_autoptr (AttnTensor) rows = convolve (pass, ATTN_ROLE_SECOND_CONVOLUTION, &between,
                                          ATTN_MODEL_FRAMES_A_TOKEN, error);
  g_autoptr (AttnTensor) positions = NULL;
  if (rows == NULL || !attn_weights_load (pass->weights, ATTN_ROLE_POSITION_EMBEDDING,
                                          ATTN_SLOT_WEIGHT, &positions, error))
    return NULL;
  attn_ops_add (rows->data, positions->data, attn_tensor_get_n_elements (rows));
  return g_steal_pointer (&rows);
}

/**
 * attn_pass_embed_frames:
 * @to: [T, D]
 * @error: return location: errors of [func@attn_model_check_source], %ATTN_ERROR_MEMORY
 *
 * Fills in the vectors of the computed tokens, from the sound of the model, by two convolutions, of
 * which the second moves on by two frames a step, and embeddings of positions (Radford et al. 2022,
 * arXiv 2212.04356, section 2.2). The vectors of a sound are computed at the first call and kept.
 * Any thread may call.
 */
gboolean
attn_pass_embed_frames (const AttnPass  *pass,
                        AttnBuffer       to,
                        GError         **error)
{
  const AttnForward *forward = pass->forward;
  AttnHeard *heard = ((AttnTransformer *) forward->model)->heard;
  gsize width = pass->config->width;

  if (!attn_model_check_source (forward->model, error))
    return FALSE;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&heard->lock);
  if (heard->rows == NULL)
    heard->rows = embed (pass, heard->features, error);
  for (gsize i = 0; heard->rows != NULL && i < pass->n_tokens; i++)
    memcpy (pass->buffers[to] + i * width,
            heard->rows->data + forward->ids[forward->first_token + i] * width,
            width * sizeof (float));
  return heard->rows != NULL;
}
