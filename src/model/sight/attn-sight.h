/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of vision-language models: the families of their vision encoder and language model, and
 * how the output of the former becomes tokens of a text. */

#pragma once

#include "attn-family.h"

G_BEGIN_DECLS

/* The maximum of vision layers whose outputs are concatenated to a token. */
#define ATTN_SIGHT_MAX_LAYERS 16

/* Roles of the projector, which follow one another. */
#define ATTN_N_PROJECTOR_ROLES (ATTN_ROLE_PROJECTOR_OUT + 1 - ATTN_ROLE_PROJECTOR_NORM)

/**
 * AttnSight:
 * @model_type: as config.json names it
 * @text_type: the family of “text_config” where that does not say
 * @vision_type: the same of “vision_config”
 * @text_prefix: what stands before the names of the tensors for texts; several with spaces between
 * @vision_prefix: the same of those for pictures and of the projector
 * @names: of the projector's roles, as in #AttnFamily
 * @is_input_major: whether its last matrix lies as [in, out]
 * @has_offset_norm: whether its norm has 1 + w for the scale
 * @is_flat: whether the configuration of the half for texts may stand around that for pictures
 * @probe: a tensor that a checkpoint with the half for pictures has, behind its prefix
 * @layer: of the half for pictures that tokens are made of, counted from the end where it is below
 *   0, -1 for what leaves the last
 * @has_final_norm: whether that goes through the final norm
 * @has_class: whether it has a token before the patches, which is left out unless config.json says
 *   otherwise
 * @image_token: id of the token that a picture stands for
 * @pooled_tokens: to how many a picture is averaged where config.json does not say, 0 where each
 *   patch is one
 * @placeholder: how that is written in a text
 * @written: (nullable): what the published processor writes in its place
 * @deep_names: of the norm and the two matrices of projectors of their own behind single layers,
 *   with their number; %NULL for a family without
 * @is_mutual: whether the tokens of a picture see each other both ways, whatever the mask
 *
 * Members of config.json of these models are inside “text_config” and “vision_config”.
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
