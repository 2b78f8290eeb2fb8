/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of vision-language models. Such a model has a half for pictures (a vision encoder) and
 * a half for texts (a language model), both of families in attn-family.h; a projector turns the
 * output of the encoder into tokens of a text. */

#pragma once

#include "attn-family.h"

G_BEGIN_DECLS

/* The most layers of the half for pictures whose outputs are joined to make a token. */
#define ATTN_SIGHT_MAX_LAYERS 16

/* The number of roles of the projector: its norm and its two matrices, which follow one another in
 * #AttnRole. */
#define ATTN_N_PROJECTOR_ROLES (ATTN_ROLE_PROJECTOR_OUT + 1 - ATTN_ROLE_PROJECTOR_NORM)

/**
 * AttnSight:
 * @model_type: the model's type in config.json, "llava"
 * @text_type: model type of the half for texts if “text_config” does not name it
 * @vision_type: model type of the half for pictures if “vision_config” does not name it
 * @text_prefix: what may stand before the names of tensors of the half for texts; several are
 *   separated by spaces
 * @vision_prefix: the same for the half for pictures and the projector
 * @names: names of the projector's tensors, spelled as in #AttnFamily
 * @is_input_major: whether the projector's last matrix is stored as [in, out]
 * @has_offset_norm: whether the projector's norm multiplies by 1 + w, where w is its weight
 * @is_flat: whether members of the half for texts may be outside “text_config”, beside
 *   “vision_config”
 * @probe: name, without the prefix, of a tensor by which a checkpoint is known to have the half for
 *   pictures
 * @layer: the layer of the half for pictures whose output the projector gets: -1 for the last, -2
 *   for the one before
 * @has_final_norm: whether this output goes through the encoder's final norm
 * @has_class: whether the encoder has a class token before the patches, which the projector does
 *   not get unless config.json says so
 * @image_token: id of the token that a text has in the place of a picture, if config.json does not
 *   say
 * @pooled_tokens: number of tokens to which the patches of a picture are averaged if config.json
 *   does not say; 0 if patches are not averaged
 * @placeholder: how @image_token is written in a text
 * @written: (nullable): what the published preprocessing writes for @placeholder
 * @deep_names: names of norm and matrices of the further projectors, which get the output of single
 *   layers of the encoder; “%u” stands for the projector's number; %NULL for a model without them
 * @is_mutual: whether all tokens of a picture see each other, though the model is causal
 *
 * A vision-language model. Its config.json has the members of the two halves in “text_config” and
 * “vision_config”.
 */
typedef struct
{
  const char *model_type;
  const char *text_type;
  const char *vision_type;
  const char *text_prefix;
  const char *vision_prefix;
  const char *names[ATTN_N_PROJECTOR_ROLES];
  gboolean is_input_major;
  gboolean has_offset_norm;
  gboolean is_flat;
  const char *probe;
  int layer;
  gboolean has_final_norm;
  gboolean has_class;
  gsize image_token;
  const char *placeholder;
  const char *written;
  gsize pooled_tokens;
  const char *deep_names[ATTN_N_PROJECTOR_ROLES];
  gboolean is_mutual;
} AttnSight;

const AttnSight *attn_sight_lookup   (const char      *model_type);
const char * const *attn_sight_get_families (void);
const char      *attn_sight_get_name (const AttnSight *sight,
                                      AttnRole         role);

G_END_DECLS
