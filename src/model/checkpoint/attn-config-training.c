/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Translates “model_args”, the sizes that nanoGPT saves beside the weights, into the members of a
 * config.json. https://github.com/karpathy/nanoGPT, model.py and train.py */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-config.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-torch.h"

#define LAYER_NORMS \
  (ATTN_ROLE_BIT (ATTN_ROLE_ATTENTION_NORM) | ATTN_ROLE_BIT (ATTN_ROLE_MLP_NORM))
#define FINAL_NORM ((AttnRoles) 1 << ATTN_ROLE_FINAL_NORM)

/**
 * attn_config_load_training:
 * @file: written by torch.save in nanoGPT's training, without a config.json beside it
 * @config: (out caller-allocates): the configuration that the file contains, for
 *   attn_config_clear()
 * @error: return location: %ATTN_ERROR_FORMAT for a file without “model_args”, errors of
 *   [func@attn_config_load]
 *
 * Matrices in the file are [out, in], unlike those of GPT-2 at the Hugging Face hub.
 */
gboolean
attn_config_load_training (AttnArrayFile  *file,
                           AttnConfig     *config,
                           GError        **error)
{
  static const char * const needed[] = { "n_layer", "n_head", "n_embd", "block_size",
                                         "vocab_size" };
  const char *where = attn_array_file_get_path (file);
  const char *text = attn_array_file_get_metadata (file, ATTN_TORCH_MODEL_ARGS);

  memset (config, 0, sizeof *config);
  if (text == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: no config.json beside it and no “model_args” in it found, expected "
                        "the sizes of the model"),
                      where);
  g_autoptr (JsonNode) root = attn_json_parse (where, text, -1, error);
  if (root == NULL)
    return FALSE;
  JsonObject *object = json_node_get_object (root);
  for (gsize i = 0; i < G_N_ELEMENTS (needed); i++)
    if (!json_object_has_member (object, needed[i]))
      return attn_fail (error, ATTN_ERROR_FORMAT,
                        _("%s: no “%s” in “model_args” found, expected the sizes of the model"),
                        where, needed[i]);
  json_object_set_string_member (object, "model_type", "nanogpt");
  json_object_set_member (object, "n_positions",
                          json_node_copy (json_object_get_member (object, "block_size")));
  AttnJsonReader json = attn_json_begin (root, where);
  gboolean has_bias = attn_json_read_boolean (&json, "bias", TRUE);
  if (!attn_config_read (&json, ATTN_STACK_ONLY, config, error))
    return FALSE;
  /* nanoGPT's “bias” switches all biases, including those of norms. */
  if (!has_bias)
    {
      config->roles[ATTN_SLOT_BIAS] &= ~LAYER_NORMS;
      config->end_roles[ATTN_SLOT_BIAS] &= ~FINAL_NORM;
    }
  return TRUE;
}
