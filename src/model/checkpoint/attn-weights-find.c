/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the tensor of each role, such as the query matrix of layer 3, in a checkpoint's file. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"
#include "attn-weights-private.h"

static gboolean
is_of_experts (AttnRole role)
{
  return role >= ATTN_ROLE_EXPERT_GATE && role <= ATTN_ROLE_EXPERT_GATE_UP;
}

/* Tells whether the role belongs to the head: the matrices and norm between the last layer and the
 * logits, which some checkpoints lack. */
static gboolean
is_of_head (AttnRole role)
{
  return role >= ATTN_ROLE_HEAD && role <= ATTN_ROLE_LOGITS;
}

/* Tells whether a checkpoint may lack the head: if it is of the bare model, without a prefix before
 * its names, or of a family that is often saved with the head of another task. */
static gboolean
may_lack_head (const AttnWeights *weights)
{
  g_autofree char *name =
      attn_weights_dup_name (&weights->config, ATTN_ROLE_TOKEN_EMBEDDING, ATTN_SLOT_WEIGHT, 0);

  return weights->config.pictures.patch_size > 0 ||
         attn_config_has_role (&weights->config, ATTN_ROLE_HEAD) ||
         attn_array_file_lookup (weights->file, name) != NULL ||
         attn_array_file_lookup (weights->file, "shared.weight") != NULL;
}

/* Finds the other role of a tensor whose upper rows are one role's matrix and whose lower rows are
 * another's, as gate and up in some families. Returns ATTN_N_ROLES if @role has a tensor of its
 * own. */
static AttnRole
find_partner (const AttnConfig *config,
              AttnRole          role,
              AttnSlot          slot,
              gsize             layer,
              const char       *name)
{
  static const AttnRole pairs[][2] = { { ATTN_ROLE_GATE, ATTN_ROLE_UP },
                                       { ATTN_ROLE_KV_A, ATTN_ROLE_K_ROPE } };

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (pairs); i++)
    {
      AttnRole other = pairs[i / 2][1 - i % 2];

      if (role != pairs[i / 2][i % 2] || !attn_config_has_slot (config, other, slot))
        continue;
      g_autofree char *other_name = attn_weights_dup_name (config, other, slot, layer);
      if (g_strcmp0 (name, other_name) == 0)
        return other;
    }
  return ATTN_N_ROLES;
}

/* Reshapes a tensor that embeds a picture's tokens to the vector or matrix of @shape. Files have it
 * with leading dimensions of 1, or as the kernel of a convolution, [D, channels, height, width], in
 * some models with a dimension of frames behind the channels. */
static const AttnArray *
flatten (AttnWeights      *weights,
         const AttnArray  *array,
         AttnRole          role,
         guint             n_dims,
         const gsize      *shape,
         GError          **error)
{
  const AttnPictures *pictures = &weights->config.pictures;
  const gsize kernel[] = { shape[0], pictures->n_channels, pictures->patch_size,
                           pictures->patch_size };
  const gsize film[] = { shape[0], pictures->n_channels, pictures->n_frames, pictures->patch_size,
                         pictures->patch_size };
  guint n_ones = 0;

  while (n_ones < array->n_dims && array->shape[n_ones] == 1)
    n_ones++;
  guint n_more = array->n_dims - MIN (array->n_dims, n_dims);
  gboolean fits = role == ATTN_ROLE_PATCHES
                      ? (array->n_dims == 5 && memcmp (array->shape, film, sizeof film) == 0) ||
                            (pictures->n_frames == 1 && array->n_dims == 4 &&
                             memcmp (array->shape, kernel, sizeof kernel) == 0)
                      : n_more > 0 && n_ones >= n_more &&
                            memcmp (array->shape + n_more, shape, n_dims * sizeof *shape) == 0;
  if (!fits)
    return array;

  g_autoptr (AttnArray) flat =
      attn_array_new (array->name, array->dtype, n_dims, shape, array->bytes, error);
  if (flat == NULL)
    return NULL;
  flat->is_swapped = array->is_swapped;
  g_ptr_array_add (weights->parts, flat);
  return g_steal_pointer (&flat);
}

/* Tells whether the role is one with which a model of pictures embeds its tokens, before the first
 * layer. */
static gboolean
is_of_picture (const AttnConfig *config,
               AttnRole          role)
{
  return config->pictures.patch_size > 0 &&
         (role == ATTN_ROLE_POSITION_EMBEDDING ||
          (role >= ATTN_ROLE_PATCHES && role <= ATTN_ROLE_REGISTERS));
}

/* Returns the name that the tensor has in the layout of Hugging Face, by which an adapter refers to
 * it also if the model is a GGUF file; %NULL if there is no adapter. */
static char *
dup_plain_name (const AttnWeights *weights,
                AttnRole           role,
                AttnSlot           slot,
                gsize              layer)
{
  AttnConfig plain = weights->config;

  plain.is_gguf = FALSE;
  return weights->adapter != NULL ? attn_weights_dup_name (&plain, role, slot, layer) : NULL;
}

static gboolean
find_array (AttnWeights  *weights,
            AttnRole      role,
            AttnSlot      slot,
            gsize         layer,
            GError      **error)
{
  const AttnConfig *config = &weights->config;

  if (!attn_weights_has_slot (config, role, slot, layer))
    return TRUE;
  if (is_of_experts (role))
    return attn_weights_find_experts (weights, role, slot, layer, error);
  if (role == ATTN_ROLE_K_B || role == ATTN_ROLE_V_B)
    return attn_weights_find_heads (weights, role, layer, error);

  g_autofree char *name = attn_weights_dup_name (config, role, slot, layer);
  g_autofree char *plain_name = dup_plain_name (weights, role, slot, layer);
  const AttnArray *array;
  gsize shape[3];
  guint n_dims = attn_weights_get_shape (config, role, slot, layer, shape);
  AttnRole partner = find_partner (config, role, slot, layer, name);
  gsize other_shape[2] = { 0 };
  gsize n_own = shape[0];

  if (*name == '\0')
    return TRUE;
  if ((role == ATTN_ROLE_QUERY_NORM || role == ATTN_ROLE_KEY_NORM) &&
      config->family->has_own_query_key_norms)
    return attn_weights_find_head_norms (weights, role, slot, layer, name, error);
  if (!attn_weights_find_scaled (weights, name, &array, error))
    return FALSE;
  if (role == ATTN_ROLE_TOKEN_EMBEDDING && slot == ATTN_SLOT_WEIGHT)
    weights->embedding = array;
  if (!attn_weights_replace (weights, plain_name, role, &array, error))
    return FALSE;
  if (partner < ATTN_N_ROLES)
    attn_weights_get_shape (config, partner, slot, layer, other_shape);
  shape[0] += other_shape[0];

  /* A GGUF file has the gate of the shared expert as a vector, and not as a matrix of one row. */
  if (role == ATTN_ROLE_SHARED_GATE && array != NULL && array->n_dims == 1)
    {
      shape[0] = config->width;
      n_dims = 1;
    }

  /* Files store the kernel of linear attention as that of a convolution, [channels, 1, tokens]. */
  if (role == ATTN_ROLE_DELTA_KERNEL && array != NULL && array->n_dims == 3)
    {
      shape[2] = shape[1];
      shape[1] = 1;
      n_dims = 3;
    }

  /* The kernel of a convolution along a sound is [out, in, 3]: it covers three frames. */
  if ((role == ATTN_ROLE_CONVOLUTION || role == ATTN_ROLE_SECOND_CONVOLUTION) &&
      slot == ATTN_SLOT_WEIGHT)
    {
      shape[2] = ATTN_CONVOLUTION_TAPS;
      n_dims = 3;
    }

  /* Some files have the bias of the logits as a matrix of one row. */
  if (role == ATTN_ROLE_LOGITS && slot == ATTN_SLOT_BIAS && array != NULL && array->n_dims == 2)
    {
      shape[1] = shape[0];
      shape[0] = 1;
      n_dims = 2;
    }

  /* The weights of embedding and logits are tied: the token embedding, without the changes of an
   * adapter, is also the matrix of the logits. */
  if (array == NULL && role == ATTN_ROLE_LOGITS && slot == ATTN_SLOT_WEIGHT &&
      !config->has_own_logits)
    array = weights->embedding;
  if (array == NULL && role == ATTN_ROLE_SECOND_LOGITS)
    return TRUE;
  if (array == NULL && is_of_head (role) && may_lack_head (weights))
    {
      weights->has_logits = FALSE;
      return TRUE;
    }
  /* One tensor holds the matrices of this role for all layers, one below the other; a layer uses
   * its rows. */
  if (role == ATTN_ROLE_LAYER_INPUT)
    shape[0] *= config->n_layers;
  if (role == ATTN_ROLE_LAYER_EMBEDDING && array != NULL && array->n_dims == 2)
    shape[0] = MAX (array->shape[0], shape[0]);
  /* The type embedding may have any number of rows, since only its first is used. */
  if (role == ATTN_ROLE_TYPE_EMBEDDING && array != NULL && array->n_dims == 2)
    shape[0] = MAX (array->shape[0], 1);
  if (slot == ATTN_SLOT_WEIGHT && array != NULL && is_of_picture (config, role) &&
      array->packed == NULL && array->scales == NULL &&
      (array = flatten (weights, array, role, n_dims, shape, error)) == NULL)
    return FALSE;
  if (!attn_weights_check_array (weights, array, name, n_dims, shape, error))
    return FALSE;
  if (partner < ATTN_N_ROLES)
    array = attn_weights_take_rows (weights, array, role > partner ? other_shape[0] : 0, n_own,
                                    error);
  else if (role == ATTN_ROLE_LAYER_INPUT)
    array = attn_weights_take_rows (weights, array, layer * n_own, n_own, error);
  gsize n_rows = partner < ATTN_N_ROLES || role == ATTN_ROLE_LAYER_INPUT ? shape[0] : 0;
  gsize first_row = role == ATTN_ROLE_LAYER_INPUT ? layer * n_own
                    : role > partner              ? other_shape[0]
                                                  : 0;
  if (slot == ATTN_SLOT_WEIGHT &&
      !attn_weights_adapt (weights, plain_name, role, first_row, n_rows, &array, error))
    return FALSE;
  weights->arrays[attn_weights_get_index (role, layer)][slot] = array;
  return array != NULL;
}

static gboolean
find_role (AttnWeights  *weights,
           AttnRole      role,
           gsize         layer,
           GError      **error)
{
  for (AttnSlot slot = 0; slot < ATTN_N_SLOTS; slot++)
    if (!find_array (weights, role, slot, layer, error))
      return FALSE;
  return TRUE;
}

/**
 * attn_weights_find:
 * @weights: (inout): with its file and configuration set, and its lists of arrays allocated
 * @error: return location for errors of [func@attn_weights_new]
 *
 * Finds the tensor of each role and checks its name, shape and element type.
 */
gboolean
attn_weights_find (AttnWeights  *weights,
                   GError      **error)
{
  for (AttnRole role = 0; role < ATTN_FIRST_LAYER_ROLE; role++)
    if (!find_role (weights, role, 0, error))
      return FALSE;
  for (gsize layer = 0; layer < weights->config.n_layers; layer++)
    for (AttnRole role = ATTN_FIRST_LAYER_ROLE; role < ATTN_N_ROLES; role++)
      if (!find_role (weights, role, layer, error))
        return FALSE;
  return TRUE;
}
