/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads settings of protein models, whose tokens are amino acids, “residues” (Lin et al. 2023, doi
 * 10.1126/science.ade2574). */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"

/**
 * attn_config_choose_positions:
 * @config: (inout): of a family whose models have rotary or learned positions
 *
 * Reads from “position_embedding_type” which positions the model has; learned ones without this
 * member.
 */
void
attn_config_choose_positions (AttnJsonReader *json,
                              AttnConfig     *config)
{
  const char *kind = attn_json_read_string (json, "position_embedding_type", "absolute");

  config->positions =
      strcmp (kind, "rotary") == 0 ? ATTN_POSITIONS_ROTARY : ATTN_POSITIONS_LEARNED;
  if (strcmp (kind, "rotary") != 0 && strcmp (kind, "absolute") != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED, _("%s: “%s”: %s found, expected one of %s"),
                    json->where, "position_embedding_type", kind, "absolute, rotary");
}

/**
 * attn_config_read_residues:
 * @config: (inout): of a family that may have @has_mask_dropout, with the roles of its tensors set
 *
 * Reads whether masked tokens have an embedding of zeros, and whether a norm and learned positions
 * follow the embedding.
 */
void
attn_config_read_residues (AttnJsonReader *json,
                           AttnConfig     *config)
{
  config->has_mask_dropout = attn_json_read_boolean (json, "token_dropout", FALSE);
  if (config->has_mask_dropout && !attn_config_has_value (json->object, "mask_token_id"))
    attn_json_fail (json, ATTN_ERROR_FORMAT,
                    _("%s: no “%s” found, expected the token that “%s” counts"), json->where,
                    "mask_token_id", "token_dropout");
  config->mask_id =
      attn_json_read_size (json, "mask_token_id", 0, config->vocabulary_size - 1, 0);
  if (!attn_json_read_boolean (json, "emb_layer_norm_before", FALSE))
    attn_config_drop_role (config, ATTN_ROLE_EMBEDDING_NORM);
  if (config->positions != ATTN_POSITIONS_LEARNED)
    attn_config_drop_role (config, ATTN_ROLE_POSITION_EMBEDDING);
}
