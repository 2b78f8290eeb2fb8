/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads a model's rotary embedding: its width, its base, and how it is scaled for longer texts. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-config-private.h"
#include "attn-error.h"

/* Names of the scalings in Hugging Face configurations, indexed by AttnRopeScaling. */
static const char * const kinds[] = { "default", "linear", "dynamic",
                                      "llama3", "yarn", "longrope",
                                      "proportional" };

static AttnRopeScaling
read_kind (AttnJsonReader *json)
{
  const char *member = attn_config_find_alias (json->object, "rope_type type");
  const char *kind = attn_json_read_string (json, member, "default");

  /* The first Phi-3 configurations call LongRoPE “su” or “yarn”; it is told by its member
   * “short_factor”. */
  if (attn_config_has_value (json->object, "short_factor") &&
      (strcmp (kind, "su") == 0 || strcmp (kind, "yarn") == 0))
    kind = "longrope";
  /* “mrope” scales nothing: it only assigns angles to the rows and columns of pictures, which
   * attn_config_read_sight() reads. */
  if (strcmp (kind, "mrope") == 0)
    kind = "default";
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kind, kinds[i]) == 0)
      return i;
  attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                  _("%s: “rope_scaling”: %s found, expected default, linear, dynamic, llama3, "
                    "yarn, longrope or proportional"),
                  json->where, kind);
  return ATTN_ROPE_SCALING_NONE;
}

/* Sets the error of @json unless @low is less than @high. */
static void
check_order (AttnJsonReader *json,
             const char     *low_name,
             double          low,
             const char     *high_name,
             double          high)
{
  if (!(low < high))
    attn_json_fail (json, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected less than “%s”, %g"),
                    json->where, low_name, low, high_name, high);
}

/* Sets the number of positions to the number after the scaling of rotary embeddings, for
 * configurations that give only the number before. */
static void
stretch_positions (AttnConfig     *config,
                   const AttnRope *rope)
{
  double stretched = rope->factor * (double) rope->n_original;

  config->n_positions =
      MAX (config->n_positions, (gsize) MIN ((double) MAX_POSITIONS, stretched));
}

/* Reads the settings of YaRN (Peng et al. 2023, arXiv 2309.00071, section 3.4), with the members
 * and defaults of the Hugging Face configurations. */
static void
read_yarn (AttnJsonReader *json,
           AttnConfig     *config,
           AttnRope       *rope)
{
  double share = attn_config_read_number (json, "mscale", 0.0, 1e6, 0.0);
  double share_of_all = attn_config_read_number (json, "mscale_all_dim", 0.0, 1e6, 0.0);

  rope->beta_fast = attn_config_read_number (json, "beta_fast", 1e-6, 1e6, 32.0);
  rope->beta_slow = attn_config_read_number (json, "beta_slow", 1e-6, 1e6, 1.0);
  check_order (json, "beta_slow", rope->beta_slow, "beta_fast", rope->beta_fast);
  rope->extrapolation_factor =
      attn_config_read_number (json, "extrapolation_factor", 0.0, 1e6, 1.0);
  rope->truncates = attn_json_read_boolean (json, "truncate", TRUE);
  if (rope->base <= 1.0)
    attn_json_fail (json, ATTN_ERROR_LIMIT,
                    _("%s: “rope_theta”: %g found, expected more than 1 where “rope_type” is "
                      "yarn"),
                    json->where, rope->base);
  /* In a model of latent keys, scores are multiplied by the square of YaRN's magnitude, so the
   * number whose root they are divided by is divided by the fourth power. */
  if (config->kv_lora_rank > 0 && share_of_all > 0.0)
    config->query_scalar /= pow (0.1 * share_of_all * log (rope->factor) + 1.0, 4.0);
  if (share == 0.0 || share_of_all == 0.0)
    {
      share = 1.0;
      share_of_all = 0.0;
    }
  rope->attention_factor = (0.1 * share * log (rope->factor) + 1.0) /
                           (0.1 * share_of_all * log (rope->factor) + 1.0);
  stretch_positions (config, rope);
}

static float *
read_factors (AttnJsonReader *json,
              const char     *member,
              gsize           n_factors)
{
  JsonArray *array = attn_json_read_array (json, member);
  guint n_found = array != NULL ? json_array_get_length (array) : 0;
  float *factors = g_new0 (float, n_factors);

  if (n_found != n_factors)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: “%s”: %u numbers found, expected %zu, half the width of the rotary "
                      "embedding"),
                    json->where, member, n_found, n_factors);
  for (guint i = 0; i < MIN (n_found, n_factors); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      double value = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : 0.0;

      if (!(value >= 1e-6 && value <= 1e6))
        attn_json_fail (json, ATTN_ERROR_LIMIT,
                        _("%s: “%s”: %g found as number %u, expected %g to %g"), json->where,
                        member, value, i, 1e-6, 1e6);
      factors[i] = (float) value;
    }
  return factors;
}

/* Reads the settings of LongRoPE (Ding et al. 2024, arXiv 2402.13753), with the attention factor of
 * the Hugging Face configurations. */
static void
read_longrope (AttnJsonReader *json,
               AttnRope       *rope)
{
  rope->factors = read_factors (json, "short_factor", rope->width / 2);
  rope->long_factors = read_factors (json, "long_factor", rope->width / 2);
  if (rope->factor > 1.0 && rope->n_original > 1)
    rope->attention_factor = sqrt (1.0 + log (rope->factor) / log ((double) rope->n_original));
}

static void
read_llama3 (AttnJsonReader *json,
             AttnRope       *rope)
{
  rope->low_freq_factor = attn_config_read_number (json, "low_freq_factor", 1e-6, 1e6, 1.0);
  rope->high_freq_factor = attn_config_read_number (json, "high_freq_factor", 1e-6, 1e6, 4.0);
  check_order (json, "low_freq_factor", rope->low_freq_factor, "high_freq_factor",
               rope->high_freq_factor);
}

/* Sets the divisors of a rotary embedding that spans the whole width, but rotates only the share
 * @share of the numbers. */
static void
read_proportional (AttnRope *rope,
                   double    share)
{
  gsize n = (gsize) (share * (double) rope->width / 2.0);

  rope->factors = g_new (float, rope->width / 2);
  for (gsize i = 0; i < rope->width / 2; i++)
    rope->factors[i] = i < n ? (float) rope->factor : ATTN_NO_TURN;
}

/* Reads the scaling of a rotary embedding of known width from an object such as {"rope_type":
 * "linear", "factor": 2.0}. @root: the configuration; @share: the share of the width that is
 * rotated, for “proportional” embeddings. */
static void
read_scaling (AttnJsonReader *json,
              JsonObject     *root,
              double          share,
              AttnConfig     *config,
              AttnRope       *rope)
{
  static const char original[] = "original_max_position_embeddings";
  JsonObject *object = json->object;
  gboolean has_original =
      attn_config_has_value (object, original) || attn_config_has_value (root, original);
  double fallback = 1.0;

  rope->scaling = read_kind (json);
  json->object = attn_config_has_value (object, original) ? object : root;
  rope->n_original = attn_json_read_size (json, original, 1, MAX_POSITIONS, config->n_positions);
  json->object = object;
  if (has_original && (rope->scaling == ATTN_ROPE_SCALING_YARN ||
                       rope->scaling == ATTN_ROPE_SCALING_LONGROPE))
    fallback = MAX (1.0, (double) config->n_positions / (double) rope->n_original);
  rope->factor = attn_config_read_number (json, "factor", 1.0, 1e6, fallback);

  switch (rope->scaling)
    {
    case ATTN_ROPE_SCALING_DYNAMIC:
      rope->n_original = config->n_positions;
      stretch_positions (config, rope);
      break;
    case ATTN_ROPE_SCALING_LLAMA3:
      read_llama3 (json, rope);
      return;
    case ATTN_ROPE_SCALING_FACTORS:
      read_proportional (rope, share);
      return;
    case ATTN_ROPE_SCALING_YARN:
      read_yarn (json, config, rope);
      break;
    case ATTN_ROPE_SCALING_LONGROPE:
      read_longrope (json, rope);
      break;
    default:
      return;
    }
  if (attn_config_has_value (object, "attention_factor"))
    rope->attention_factor = attn_config_read_number (json, "attention_factor", 1e-6, 1e6, 1.0);
}

/* Reads one rotary embedding into @rope. @base_names: members that may have its base; @base: its
 * default; @scaling: (nullable): the object of its scaling; @width: the head width, the most
 * numbers that may be rotated */
static void
read_rope (AttnJsonReader *json,
           const char     *base_names,
           double          base,
           JsonObject     *scaling,
           gsize           width,
           AttnConfig     *config,
           AttnRope       *rope)
{
  const AttnFamily *family = config->family;
  JsonObject *object = json->object;
  const char *share_member = attn_config_find_alias (object, "partial_rotary_factor rotary_pct");
  double share =
      attn_config_read_number (json, share_member, 0.0, 1.0, family->partial_rotary_factor);
  gboolean is_whole = FALSE;

  rope->attention_factor = 1.0;
  rope->width = attn_json_read_size (json, "rotary_dim", 1, MAX_WIDTH, family->rotary_dim);
  rope->base = attn_config_read_number (json, attn_config_find_alias (object, base_names), 1e-6,
                                        1e15, base);
  if (scaling != NULL)
    {
      json->object = scaling;
      rope->base = attn_config_read_number (json, "rope_theta", 1e-6, 1e15, rope->base);
      share = attn_config_read_number (json, "partial_rotary_factor", 0.0, 1.0, share);
      is_whole = read_kind (json) == ATTN_ROPE_SCALING_FACTORS;
    }
  if (family->rotary_dim == 0 && !attn_config_has_value (object, "rotary_dim"))
    rope->width = is_whole ? width : (gsize) (share * (double) width);
  if (rope->width == 0 || rope->width % 2 != 0 || rope->width > width)
    attn_json_fail (json, ATTN_ERROR_SHAPE,
                    _("%s: a rotary embedding of width %zu found, expected an even number up to "
                      "the head width, %zu"),
                    json->where, rope->width, width);
  if (scaling != NULL && json->error == NULL)
    read_scaling (json, object, share, config, rope);
  json->object = object;
}

/* Returns the largest count of a head's numbers that may be rotated, in layers with an attention
 * window or in layers without. */
static gsize
get_rope_width (const AttnConfig *config,
                gboolean          has_window)
{
  for (gsize i = 0; i < config->n_layers && config->family->globals.head_width > 0; i++)
    if ((config->layers[i].window > 0) == has_window)
      return config->layers[i].head_width;
  return config->qk_rope_head_dim;
}

/**
 * attn_config_read_rope:
 * @config: (inout): with its sizes, windows and positions set
 *
 * Reads the rotary embeddings of a model that has rotary positions: one for all layers, or one for
 * layers without an attention window and one for those with a window. Does nothing for other
 * models.
 */
void
attn_config_read_rope (AttnJsonReader *json,
                       AttnConfig     *config)
{
  const AttnFamily *family = config->family;
  JsonObject *object = json->object, *all = NULL, *local = NULL;
  g_autoptr (JsonNode) usual =
      family->rope_scaling != NULL ? json_from_string (family->rope_scaling, NULL) : NULL;

  if (config->positions != ATTN_POSITIONS_ROTARY &&
      config->positions != ATTN_POSITIONS_ROTARY_PAIRED)
    return;
  JsonObject *scaling =
      attn_json_read_object (json, attn_config_find_alias (object, "rope_scaling rope_parameters"));
  if (scaling == NULL && usual != NULL)
    scaling = json_node_get_object (usual);
  if (scaling != NULL)
    {
      json->object = scaling;
      all = attn_json_read_object (json, "full_attention");
      local = attn_json_read_object (json, "sliding_attention");
      json->object = object;
    }
  read_rope (json, "rope_theta rotary_emb_base global_rope_theta",
             family->rotary_base > 0.0 ? family->rotary_base : 10000.0,
             all != NULL ? all : scaling, get_rope_width (config, FALSE), config,
             &config->ropes[0]);
  if (family->local_rotary_base == ATTN_SAME_BASE)
    read_rope (json, "rope_theta", config->ropes[0].base, local,
               get_rope_width (config, TRUE), config, &config->ropes[1]);
  else if (family->local_rotary_base != 0.0)
    read_rope (json, "rope_local_base_freq local_rope_theta", family->local_rotary_base, local,
               get_rope_width (config, TRUE), config, &config->ropes[1]);
}
