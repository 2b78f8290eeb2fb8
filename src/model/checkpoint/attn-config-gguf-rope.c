/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the rotary embeddings of a GGUF file from keys of its metadata and from tensors of
 * factors. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-config-gguf-private.h"
#include "attn-error.h"

#define ORIGINAL_LENGTH "rope.scaling.original_context_length"

/* Translates the scaling of the rotary embedding into “rope_scaling”. A factor without a type is
 * linear; files of 2023 have the factor under another key. Missing values are those of
 * llama_context in llama.cpp: only yarn mixes scaled and unscaled frequencies by default, and mixed
 * frequencies have yarn's magnitude. */
void
attn_gguf_reader_take_rope_scaling (AttnGgufReader *reader)
{
  g_autofree char *type_key = attn_gguf_reader_make_key (reader, "rope.scaling.type");
  g_autofree char *original_key = attn_gguf_reader_make_key (reader, ORIGINAL_LENGTH);
  const char *type = attn_json_read_string (&reader->values, type_key, "linear");
  gsize n_original =
      attn_json_read_size (&reader->values, original_key, 1, G_MAXINT32,
                           attn_gguf_reader_get_size (reader, "max_position_embeddings"));
  double factor = 0.0, extrapolated = -1.0, magnitude = 1.0, plain_magnitude = 1.0, fast = 32.0,
         slow = 1.0, share = 0.0;
  const struct
  {
    const char *name;
    double *value;
  } numbers[] = {
    { "rope.scale_linear", &factor },
    { "rope.scaling.factor", &factor },
    { "rope.scaling.attn_factor", &magnitude },
    { "rope.scaling.yarn_ext_factor", &extrapolated },
    { "rope.scaling.yarn_attn_factor", &plain_magnitude },
    { "rope.scaling.yarn_beta_fast", &fast },
    { "rope.scaling.yarn_beta_slow", &slow },
    { ATTN_GGUF_YARN_LOG_MULTIPLIER, &share },
  };
  gboolean is_latent = reader->family->latents.kv_lora_rank > 0;

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *key = attn_gguf_reader_make_key (reader, numbers[i].name);

      /* In a model of latent keys a factor of the rotary embedding would also change the scale of
       * the scores, which is not implemented, so only 1 is accepted. */
      if (is_latent && strstr (key, "_factor") != NULL)
        attn_config_read_number (&reader->values, key, 1.0, 1.0, 1.0);
      else
        *numbers[i].value = attn_json_read_number (&reader->values, key, *numbers[i].value);
    }
  gboolean is_yarn = strcmp (type, "yarn") == 0;
  gboolean is_plain =
      strcmp (type, "none") == 0 ||
      (strcmp (type, "longrope") == 0 &&
       attn_array_file_lookup (reader->file, "rope_factors_long.weight") != NULL);
  if (!is_plain && strcmp (type, "linear") != 0 && !is_yarn)
    attn_json_fail (&reader->values, ATTN_ERROR_UNSUPPORTED,
                    _("%s: “%s”: %s found, expected none, linear or yarn"),
                    reader->values.where, type_key, type);

  if (factor == 0.0 || is_plain)
    factor = 1.0;
  if (extrapolated < 0.0)
    extrapolated = is_yarn ? 1.0 : 0.0;
  magnitude *= extrapolated == 0.0 ? plain_magnitude : 1.0 + 0.1 * log (MAX (factor, 1.0));
  if (factor == 1.0 && magnitude == 1.0)
    return;

  JsonObject *scaling = json_object_new ();
  gboolean is_mixed = extrapolated != 0.0 || magnitude != 1.0;
  json_object_set_string_member (scaling, "rope_type", is_mixed ? "yarn" : "linear");
  json_object_set_double_member (scaling, "factor", factor);
  json_object_set_int_member (scaling, "original_max_position_embeddings", (gint64) n_original);
  if (is_mixed)
    {
      if (!is_latent)
        json_object_set_double_member (scaling, "attention_factor", magnitude);
      else if (share == 0.0)
        attn_json_fail (&reader->values, ATTN_ERROR_FORMAT,
                        _("%s: no “%s” found, expected it in the metadata of the model"),
                        reader->values.where, ATTN_GGUF_YARN_LOG_MULTIPLIER);
      else
        {
          /* GGUF files hold a tenth of what config.json has as “mscale” and as “mscale_all_dim”. */
          json_object_set_double_member (scaling, "mscale", 10.0 * share);
          json_object_set_double_member (scaling, "mscale_all_dim", 10.0 * share);
        }
      json_object_set_double_member (scaling, "extrapolation_factor", extrapolated);
      json_object_set_double_member (scaling, "beta_fast", fast);
      json_object_set_double_member (scaling, "beta_slow", slow);
    }
  json_object_set_object_member (reader->object, "rope_scaling", scaling);
}

/* Reads the tensor @name of divisors for the frequencies of a rotary embedding. Leaves *factors
 * unchanged if the file has no such tensor. */
static gboolean
read_rope_factors (const AttnGgufReader  *reader,
                   const AttnRope        *rope,
                   const char            *name,
                   float                **factors,
                   GError               **error)
{
  const AttnArray *array = attn_array_file_lookup (reader->file, name);
  gsize n_factors = rope->width / 2;

  if (array == NULL || rope->width == 0)
    return TRUE;
  if (array->n_dims != 1 || array->shape[0] != n_factors)
    {
      g_autofree char *found = attn_shape_to_string (array->n_dims, array->shape);

      return attn_fail (error, ATTN_ERROR_SHAPE,
                        _("%s: tensor “%s”: shape %s found, expected [%zu], half the width of the "
                          "rotary embedding"),
                        reader->values.where, array->name, found, n_factors);
    }
  *factors = g_new (float, n_factors);
  if (!attn_array_read (array, 0, n_factors, *factors, error))
    return FALSE;
  for (gsize i = 0; i < n_factors; i++)
    if (!((*factors)[i] >= 1e-6f && (*factors)[i] <= 1e6f) && (*factors)[i] != ATTN_NO_TURN)
      return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: tensor “%s”: %g found, expected %g to %g"),
                        reader->values.where, array->name, (*factors)[i], 1e-6, 1e6);
  return TRUE;
}

/* Reads the scalings that llama.cpp stores as tensors of divisors: that of Llama 3, and LongRoPE,
 * whose magnitude (@attention_factor) has a key in the metadata. */
gboolean
attn_gguf_reader_take_rope_factors (const AttnGgufReader  *reader,
                                    AttnConfig            *config,
                                    GError               **error)
{
  AttnRope *rope = &config->ropes[0];
  float *short_factors = NULL;

  if (!read_rope_factors (reader, rope, "rope_factors_long.weight", &rope->long_factors, error) ||
      !read_rope_factors (reader, rope,
                          rope->long_factors != NULL ? "rope_factors_short.weight"
                                                     : "rope_freqs.weight",
                          &short_factors, error))
    {
      g_free (short_factors);
      return FALSE;
    }
  rope->factors = short_factors;
  if (rope->long_factors != NULL)
    {
      g_autofree char *expected = g_strdup_printf ("[%zu]", rope->width / 2);
      g_autofree char *key = attn_gguf_reader_make_key (reader, ORIGINAL_LENGTH);
      AttnJsonReader values = reader->values;

      if (rope->factors == NULL)
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: no tensor “%s” found, expected one of shape %s"),
                          values.where, "rope_factors_short.weight", expected);
      rope->scaling = ATTN_ROPE_SCALING_LONGROPE;
      rope->n_original =
          attn_json_read_size (&values, key, 1, G_MAXINT32, config->n_positions);
      return attn_json_finish (&values, error);
    }
  if (rope->factors != NULL && rope->scaling == ATTN_ROPE_SCALING_NONE)
    rope->scaling = ATTN_ROPE_SCALING_FACTORS;
  return TRUE;
}
