/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rotary embedding of a configuration, and how it is stretched. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"
#include "attn-json.h"

/* Names as in the Hugging Face configurations, by AttnRopeScaling. */
static const char * const kinds[] = { "default", "linear", "dynamic",
                                      "llama3", "yarn", "longrope" };

static gboolean
read_kind (JsonObject       *object,
           const char       *where,
           AttnRopeScaling  *scaling,
           GError          **error)
{
  const char *member = attn_config_find_alias (object, "rope_type type");
  const char *kind;

  if (!attn_json_get_string (object, where, member, "default", &kind, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kind, kinds[i]) == 0)
      {
        *scaling = i;
        return TRUE;
      }
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “rope_scaling”: %s found, expected default, linear, dynamic, llama3, "
                      "yarn or longrope"),
                    where, kind);
}

/* One must be less than the other. */
static gboolean
check_order (const char  *where,
             const char  *low_name,
             double       low,
             const char  *high_name,
             double       high,
             GError     **error)
{
  if (low < high)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected less than “%s”, %g"),
                    where, low_name, low, high_name, high);
}

/* What the length is stretched to, where the positions of the configuration are those before. */
static void
stretch_positions (AttnConfig     *config,
                   const AttnRope *rope)
{
  double stretched = rope->factor * (double) rope->n_original;

  config->n_positions =
      MAX (config->n_positions, (gsize) MIN ((double) MAX_POSITIONS, stretched));
}

/* Peng et al. 2023, arXiv 2309.00071, section 3.4; the members are those of the Hugging Face
 * configurations, as are the numbers that they leave out. */
static gboolean
read_yarn (JsonObject  *object,
           const char  *where,
           AttnConfig  *config,
           AttnRope    *rope,
           GError     **error)
{
  double share, share_of_all;

  if (!attn_config_read_number (object, where, "beta_fast", 1e-6, 1e6, 32.0, &rope->fast_turns,
                                error) ||
      !attn_config_read_number (object, where, "beta_slow", 1e-6, 1e6, 1.0, &rope->slow_turns,
                                error) ||
      !check_order (where, "beta_slow", rope->slow_turns, "beta_fast", rope->fast_turns, error) ||
      !attn_config_read_number (object, where, "extrapolation_factor", 0.0, 1e6, 1.0,
                                &rope->turned_share, error) ||
      !attn_json_get_boolean (object, where, "truncate", TRUE, &rope->truncates_turns, error) ||
      !attn_config_read_number (object, where, "mscale", 0.0, 1e6, 0.0, &share, error) ||
      !attn_config_read_number (object, where, "mscale_all_dim", 0.0, 1e6, 0.0, &share_of_all,
                                error))
    return FALSE;
  if (rope->base <= 1.0)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: “rope_theta”: %g found, expected more than 1 where “rope_type” is "
                        "yarn"),
                      where, rope->base);
  if (share == 0.0 || share_of_all == 0.0)
    {
      share = 1.0;
      share_of_all = 0.0;
    }
  rope->magnitude = (0.1 * share * log (rope->factor) + 1.0) /
                    (0.1 * share_of_all * log (rope->factor) + 1.0);
  stretch_positions (config, rope);
  return TRUE;
}

static gboolean
read_factors (JsonObject  *object,
              const char  *where,
              const char  *member,
              gsize        n_factors,
              float      **factors,
              GError     **error)
{
  JsonArray *array;

  if (!attn_json_get_array (object, where, member, &array, error))
    return FALSE;
  if (array == NULL || json_array_get_length (array) != n_factors)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: “%s”: %u numbers found, expected %zu, half the width of the rotary "
                        "embedding"),
                      where, member,
                      array != NULL ? json_array_get_length (array) : 0, n_factors);
  *factors = g_new (float, n_factors);
  for (guint i = 0; i < n_factors; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      double value = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : 0.0;

      if (!(value >= 1e-6 && value <= 1e6))
        return attn_fail (error, ATTN_ERROR_LIMIT,
                          _("%s: “%s”: %g found as number %u, expected %g to %g"), where, member,
                          value, i, 1e-6, 1e6);
      (*factors)[i] = (float) value;
    }
  return TRUE;
}

/* Ding et al. 2024, arXiv 2402.13753, with the magnitude of the Hugging Face configurations. */
static gboolean
read_longrope (JsonObject  *object,
               const char  *where,
               AttnRope    *rope,
               GError     **error)
{
  if (!read_factors (object, where, "short_factor", rope->width / 2, &rope->factors, error) ||
      !read_factors (object, where, "long_factor", rope->width / 2, &rope->long_factors, error))
    return FALSE;
  if (rope->factor > 1.0 && rope->n_original > 1)
    rope->magnitude = sqrt (1.0 + log (rope->factor) / log ((double) rope->n_original));
  return TRUE;
}

static gboolean
read_llama3 (JsonObject  *object,
             const char  *where,
             AttnRope    *rope,
             GError     **error)
{
  return attn_config_read_number (object, where, "low_freq_factor", 1e-6, 1e6, 1.0,
                                  &rope->low_factor, error) &&
         attn_config_read_number (object, where, "high_freq_factor", 1e-6, 1e6, 4.0,
                                  &rope->high_factor, error) &&
         check_order (where, "low_freq_factor", rope->low_factor, "high_freq_factor",
                      rope->high_factor, error);
}

/* How an object such as {"rope_type": "linear", "factor": 2.0} stretches the embedding, whose width
 * is known. @root: the configuration. */
static gboolean
read_scaling (JsonObject  *object,
              JsonObject  *root,
              const char  *where,
              AttnConfig  *config,
              AttnRope    *rope,
              GError     **error)
{
  static const char original[] = "original_max_position_embeddings";
  gboolean has_original =
      attn_config_has_value (object, original) || attn_config_has_value (root, original);
  double fallback = 1.0;

  if (!read_kind (object, where, &rope->scaling, error) ||
      !attn_json_get_size (attn_config_has_value (object, original) ? object : root, where,
                           original, 1, MAX_POSITIONS, config->n_positions, &rope->n_original,
                           error))
    return FALSE;
  if (has_original && (rope->scaling == ATTN_ROPE_SCALING_YARN ||
                       rope->scaling == ATTN_ROPE_SCALING_LONGROPE))
    fallback = MAX (1.0, (double) config->n_positions / (double) rope->n_original);
  if (!attn_config_read_number (object, where, "factor", 1.0, 1e6, fallback, &rope->factor, error))
    return FALSE;

  switch (rope->scaling)
    {
    case ATTN_ROPE_SCALING_DYNAMIC:
      rope->n_original = config->n_positions;
      stretch_positions (config, rope);
      break;
    case ATTN_ROPE_SCALING_LLAMA3:
      return read_llama3 (object, where, rope, error);
    case ATTN_ROPE_SCALING_YARN:
      if (!read_yarn (object, where, config, rope, error))
        return FALSE;
      break;
    case ATTN_ROPE_SCALING_LONGROPE:
      if (!read_longrope (object, where, rope, error))
        return FALSE;
      break;
    default:
      return TRUE;
    }
  return !attn_config_has_value (object, "attention_factor") ||
         attn_config_read_number (object, where, "attention_factor", 1e-6, 1e6, 1.0,
                                  &rope->magnitude, error);
}

/* One embedding. @scaling: (nullable): how it is stretched; @base: what is usual */
static gboolean
read_rope (JsonObject  *object,
           const char  *where,
           const char  *base_names,
           double       base,
           JsonObject  *scaling,
           AttnConfig  *config,
           AttnRope    *rope,
           GError     **error)
{
  const AttnFamily *family = config->family;
  const char *share_member = attn_config_find_alias (object, "partial_rotary_factor rotary_pct");
  double share;

  if (!attn_config_read_number (object, where, share_member, 0.0, 1.0, family->rotary_share,
                                &share, error) ||
      !attn_json_get_size (object, where, "rotary_dim", 1, MAX_WIDTH, family->rotary_width,
                           &rope->width, error) ||
      !attn_config_read_number (object, where, attn_config_find_alias (object, base_names), 1e-6,
                                1e15, base, &rope->base, error) ||
      (scaling != NULL &&
       (!attn_config_read_number (scaling, where, "rope_theta", 1e-6, 1e15, rope->base,
                                  &rope->base, error) ||
        !attn_config_read_number (scaling, where, "partial_rotary_factor", 0.0, 1.0, share, &share,
                                  error))))
    return FALSE;

  rope->magnitude = 1.0;
  if (family->rotary_width == 0 && !attn_config_has_value (object, "rotary_dim"))
    rope->width = (gsize) (share * (double) config->head_width);
  if (rope->width == 0 || rope->width % 2 != 0 || rope->width > config->head_width)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: a rotary embedding of width %zu found, expected an even number up to "
                        "the head width, %zu"),
                      where, rope->width, config->head_width);
  return scaling == NULL || read_scaling (scaling, object, where, config, rope, error);
}

/**
 * attn_config_read_rope:
 * @config: (inout): with its sizes and positions
 *
 * Reads what a family with rotary positions says of them: one embedding, or one for the layers that
 * see all and one for those with a window.
 */
gboolean
attn_config_read_rope (JsonObject  *object,
                       const char  *where,
                       AttnConfig  *config,
                       GError     **error)
{
  const AttnFamily *family = config->family;
  JsonObject *scaling, *all = NULL, *local = NULL;

  if (family->positions != ATTN_POSITIONS_ROTARY &&
      family->positions != ATTN_POSITIONS_ROTARY_PAIRED)
    return TRUE;
  if (!attn_json_get_object (object, where,
                             attn_config_find_alias (object, "rope_scaling rope_parameters"),
                             &scaling, error) ||
      (scaling != NULL &&
       (!attn_json_get_object (scaling, where, "full_attention", &all, error) ||
        !attn_json_get_object (scaling, where, "sliding_attention", &local, error))))
    return FALSE;
  return read_rope (object, where, "rope_theta rotary_emb_base",
                    family->rotary_base > 0.0 ? family->rotary_base : 10000.0,
                    all != NULL ? all : scaling, config, &config->ropes[0], error) &&
         (family->local_rotary_base == 0.0 ||
          read_rope (object, where, "rope_local_base_freq", family->local_rotary_base, local,
                     config, &config->ropes[1], error));
}
