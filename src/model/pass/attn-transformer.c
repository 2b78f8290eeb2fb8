/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-transformer.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-adapter.h"
#include "attn-checkpoint.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-fingerprint.h"
#include "attn-gguf.h"
#include "attn-pass.h"
#include "attn-pass-sight.h"

static void
clear_transformer (AttnModel *model)
{
  AttnTransformer *self = (AttnTransformer *) model;

  if (self->source != NULL)
    {
      g_mutex_clear (&self->source->lock);
      g_clear_pointer (&self->source->rows, attn_tensor_unref);
      g_clear_pointer (&self->source->interventions, g_ptr_array_unref);
      g_clear_pointer (&self->source->encoder, attn_model_unref);
      g_free (self->source->ids);
      g_free (self->source);
    }
  if (self->patched != NULL)
    {
      g_mutex_clear (&self->patched->lock);
      g_clear_pointer (&self->patched->rows, attn_tensor_unref);
      attn_tensor_unref (self->patched->pixels);
      g_free (self->patched->places);
      g_free (self->patched->spans);
      g_free (self->patched);
    }
  if (self->heard != NULL)
    {
      g_mutex_clear (&self->heard->lock);
      g_clear_pointer (&self->heard->rows, attn_tensor_unref);
      attn_tensor_unref (self->heard->features);
      g_free (self->heard);
    }
  g_clear_pointer (&self->seen, g_ptr_array_unref);
  g_clear_pointer (&self->beside, g_ptr_array_unref);
  g_clear_pointer (&self->blocks, g_free);
  if (model->base != NULL)
    return;
  attn_weights_free (self->weights);
  g_free (self->sinks);
  g_free (self->distances);
  g_free (self->other_rules);
  attn_config_clear (&self->config);
  g_clear_pointer (&self->encoder, attn_model_unref);
  g_clear_pointer (&self->tower, attn_model_unref);
}

/* Creates a transformer that shares weights and configuration with @model, to which it takes a
 * reference. */
static AttnModel *
share_transformer (AttnModel *model)
{
  const AttnTransformer *from = (const AttnTransformer *) model;
  AttnTransformer *self = g_new0 (AttnTransformer, 1);
  AttnModel *bound = attn_model_init (&self->model, model->class);

  self->config = from->config;
  self->weights = from->weights;
  self->sinks = from->sinks;
  self->distances = from->distances;
  self->encoder = from->encoder;
  self->tower = from->tower;
  self->is_cross = from->is_cross;
  self->other_rules = from->other_rules;
  bound->base = attn_model_ref (model);
  bound->path = g_strdup (model->path);
  bound->name = g_strdup (model->name);
  bound->fingerprint = g_strdup (model->fingerprint);
  bound->adapter = g_strdup (model->adapter);
  bound->info = model->info;
  bound->info.layers = NULL; /* NULL, as the layers of a decoder or of a vision encoder do not
                              * differ in shape */
  bound->info.mapped_layers = NULL;
  bound->n_rules = model->n_rules;
  bound->rules = g_memdup2 (model->rules, model->n_rules * sizeof *model->rules);
  return bound;
}

static AttnModel *
bind_transformer (AttnModel        *model,
                  const AttnTokens *source)
{
  AttnModel *bound = share_transformer (model);
  AttnTransformer *self = (AttnTransformer *) bound;

  self->source = g_new0 (AttnEncoded, 1);
  g_mutex_init (&self->source->lock);
  self->source->ids = attn_tokens_dup_ids (source);
  self->source->n_ids = source->n_tokens;
  if (self->is_cross)
    {
      bound->n_keys = source->n_tokens;
      bound->recorded_keys = g_strdupv (source->labels);
    }
  return bound;
}

/**
 * attn_transformer_set_encoder:
 * @bound: a decoder from [func@attn_model_bind], whose encoder has not run yet
 * @encoder: the encoder of the same checkpoint
 * @interventions: (nullable) (element-type AttnIntervention): checked and prepared, for @encoder
 *
 * Makes @encoder read the source in place of the decoder's own.
 */
void
attn_transformer_set_encoder (AttnModel *bound,
                              AttnModel *encoder,
                              GPtrArray *interventions)
{
  AttnEncoded *source = ((AttnTransformer *) bound)->source;

  source->encoder = attn_model_ref (encoder);
  source->interventions = interventions != NULL ? g_ptr_array_ref (interventions) : NULL;
}

static gboolean
fail_groups (const AttnTensor    *pixels,
             const AttnPictures  *pictures,
             GError             **error)
{
  g_autofree char *found = attn_shape_to_string (pixels->n_dims, pixels->shape);

  return attn_fail (error, ATTN_ERROR_SHAPE,
                    _("pixels of shape %s found, expected a height and a width that are multiples "
                      "of %zu, for %zu x %zu patches become one token"),
                    found, pictures->merge * pictures->patch_size, pictures->merge,
                    pictures->merge);
}

/* Checks that @pixels are a picture of a size that the model accepts. */
static gboolean
check_pixels (const AttnModel   *model,
              const AttnTensor  *pixels,
              GError           **error)
{
  const AttnConfig *config = &((const AttnTransformer *) model)->config;
  const AttnPictures *pictures = &config->pictures;
  gboolean is_fixed = attn_family_has_fixed_pictures (config->family);
  g_autofree char *found = attn_shape_to_string (pixels->n_dims, pixels->shape);

  if (pixels->n_dims != 3 || pixels->shape[0] != pictures->n_channels)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("pixels of shape %s found, expected [%zu channels, height, width]"), found,
                      pictures->n_channels);
  if (is_fixed && (pixels->shape[1] != pictures->height || pixels->shape[2] != pictures->width))
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("pixels of shape %s found, expected a height of %zu and a width of %zu, "
                        "for which the model has positions"),
                      found, pictures->height, pictures->width);
  gsize group = pictures->merge * pictures->patch_size;
  if (pictures->merge > 1 && (pixels->shape[1] % group != 0 || pixels->shape[2] % group != 0))
    return fail_groups (pixels, pictures, error);
  if (MIN (pixels->shape[1], pixels->shape[2]) < pictures->patch_size ||
      (pixels->shape[1] / pictures->patch_size) * (pixels->shape[2] / pictures->patch_size) >
          ATTN_MODEL_MAX_PATCHES)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("pixels of shape %s found, expected 1 to %d patches of %zu x %zu"), found,
                      ATTN_MODEL_MAX_PATCHES, pictures->patch_size, pictures->patch_size);
  return TRUE;
}

/* Orders the patches as the published model does in get_window_index(): by windows, within these by
 * merged squares, and within these by rows. */
static void
order_patches (AttnTransformer *self)
{
  const AttnPictures *pictures = &self->config.pictures;
  AttnPatched *patched = self->patched;
  gsize merge = pictures->merge, n = 0, n_rows = patched->n_rows / merge;
  gsize n_columns = patched->n_columns / merge;
  gsize side = pictures->square > 0 ? pictures->square : MAX (n_rows, n_columns);

  patched->places = g_new (guint32, patched->n_rows * patched->n_columns);
  patched->spans = g_malloc_n (patched->n_rows * patched->n_columns, sizeof *patched->spans);
  for (gsize top = 0; top < n_rows; top += side)
    for (gsize left = 0; left < n_columns; left += side)
      {
        gsize first = n;

        for (gsize row = top; row < MIN (top + side, n_rows); row++)
          for (gsize column = left; column < MIN (left + side, n_columns); column++)
            for (gsize k = 0; k < merge * merge; k++)
              patched->places[n++] = (guint32) ((row * merge + k / merge) * patched->n_columns +
                                                column * merge + k % merge);
        for (gsize i = first; i < n; i++)
          {
            patched->spans[i][0] = first;
            patched->spans[i][1] = n;
          }
      }
  self->model.info.patch_places = patched->places;
  for (gsize layer = 0; layer < self->config.n_layers; layer++)
    if (self->config.layers[layer].has_squares)
      {
        self->model.rules[layer].spans = (const gsize (*)[2]) patched->spans;
        self->model.rules[layer].n_spans = n;
      }
}

static void
clear_picture (gpointer picture)
{
  g_clear_pointer (&((AttnPicture *) picture)->image, attn_image_unref);
}

/**
 * attn_transformer_see:
 * @model: the half for texts of a model of texts and pictures
 * @tower: the half for pictures, bound to its picture, with the text's other pictures beside it;
 *   references are taken
 * @interventions: (nullable) (element-type AttnIntervention): checked and prepared, for @tower
 *   alone
 *
 * Returns: (transfer full): the half for texts, bound to the pictures, for a text that contains
 *   them
 */
AttnModel *
attn_transformer_see (AttnModel *model,
                      AttnModel *tower,
                      GPtrArray *interventions)
{
  const GPtrArray *beside = ((const AttnTransformer *) tower)->beside;
  gsize pool = ((const AttnTransformer *) tower)->config.seeing.pool;
  AttnModel *bound = share_transformer (model);
  AttnTransformer *self = (AttnTransformer *) bound;

  self->seen = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_seen_free);
  bound->pictures = g_array_new (FALSE, TRUE, sizeof (AttnPicture));
  g_array_set_clear_func (bound->pictures, clear_picture);
  for (guint i = 0; i < (beside != NULL ? beside->len : 1); i++)
    {
      AttnModel *other = beside != NULL ? beside->pdata[i] : NULL;
      AttnModel *own = other != NULL ? other : tower;
      const AttnPicture picture = {
        .end = attn_sight_count_tokens (own),
        .n_rows = own->info.n_patch_rows / pool,
        .n_columns = own->info.n_patch_columns / pool,
        .image = own->image != NULL ? attn_image_ref (own->image) : NULL,
      };

      g_ptr_array_add (self->seen, attn_seen_new (own, own == tower ? interventions : NULL));
      g_array_append_val (bound->pictures, picture);
    }
  return bound;
}

static AttnModel *
bind_picture (AttnModel         *model,
              const AttnPixels  *picture,
              GError           **error)
{
  const AttnPictures *pictures = &((const AttnTransformer *) model)->config.pictures;
  AttnTensor *pixels = picture->pixels;

  if (!check_pixels (model, pixels, error))
    return NULL;
  AttnModel *bound = share_transformer (model);
  AttnTransformer *self = (AttnTransformer *) bound;
  AttnPatched *patched = g_new0 (AttnPatched, 1);

  self->patched = patched;
  g_mutex_init (&patched->lock);
  patched->pixels = attn_tensor_ref (pixels);
  patched->n_rows = pixels->shape[1] / pictures->patch_size;
  patched->n_columns = pixels->shape[2] / pictures->patch_size;
  if (pictures->merge > 1)
    order_patches (self);
  bound->info.n_patch_rows = patched->n_rows;
  bound->info.n_patch_columns = patched->n_columns;
  bound->info.n_positions =
      bound->info.n_leading_tokens + patched->n_rows * patched->n_columns;
  bound->image = picture->image != NULL ? attn_image_ref (picture->image) : NULL;
  return bound;
}

static void
unref_model (gpointer model)
{
  if (model != NULL)
    attn_model_unref (model);
}

/* Binds pictures to a model of pictures; or to both halves of a model of texts and pictures, of
 * which the half for pictures then computes the tokens of the picture @shown. */
static AttnModel *
bind_pixels (AttnModel         *model,
             const AttnPixels  *pixels,
             gsize              n,
             gsize              shown,
             GError           **error)
{
  AttnModel *half = ((const AttnTransformer *) model)->tower;
  g_autoptr (GPtrArray) towers = g_ptr_array_new_with_free_func (unref_model);

  for (gsize i = 0; i < n; i++)
    {
      AttnModel *tower = bind_picture (half != NULL ? half : model, &pixels[i], error);

      if (tower == NULL)
        {
          if (n > 1)
            g_prefix_error (error, _("picture %zu: "), i + 1);
          return NULL;
        }
      g_ptr_array_add (towers, tower);
    }
  g_autoptr (AttnModel) tower = g_steal_pointer (&towers->pdata[shown]);
  if (n > 1)
    ((AttnTransformer *) tower)->beside = g_steal_pointer (&towers);
  return half != NULL ? attn_transformer_see (model, tower, NULL) : g_steal_pointer (&tower);
}

static AttnModel *
bind_features (AttnModel         *model,
               AttnTensor        *features,
               const AttnTokens  *source,
               GError           **error)
{
  const AttnModelInfo *info = &model->info;
  const AttnTransformer *from = (const AttnTransformer *) model;
  g_autofree char *found = attn_shape_to_string (features->n_dims, features->shape);

  if (features->n_dims != 2 || features->shape[0] != info->n_bins ||
      features->shape[1] != info->n_frames)
    return attn_fail_null (error, ATTN_ERROR_SHAPE,
                           _("features of shape %s found, expected [%zu mel bins, %zu frames], for "
                             "which the model has positions"),
                           found, info->n_bins, info->n_frames);
  if (from->encoder != NULL)
    {
      AttnModel *bound = bind_transformer (model, source);

      ((AttnTransformer *) bound)->source->encoder =
          bind_features (from->encoder, features, source, NULL);
      return bound;
    }
  AttnModel *bound = share_transformer (model);
  AttnHeard *heard = g_new0 (AttnHeard, 1);

  g_mutex_init (&heard->lock);
  heard->features = attn_tensor_ref (features);
  ((AttnTransformer *) bound)->heard = heard;
  return bound;
}

static const AttnModelClass transformer_class = {
  .clear = clear_transformer,
  .run = attn_forward_run,
  .bind = bind_transformer,
  .bind_pixels = bind_pixels,
  .bind_features = bind_features,
  .estimate = attn_pass_estimate,
};

static AttnIndexSet *
list_mapped (const AttnConfig *config)
{
  g_autofree gboolean *flags = g_new (gboolean, config->n_layers);
  gboolean has_others = FALSE;

  for (gsize i = 0; i < config->n_layers; i++)
    {
      flags[i] = !config->layers[i].is_delta;
      has_others = has_others || !flags[i];
    }
  return has_others ? attn_index_set_new_from_flags (flags, config->n_layers) : NULL;
}

static AttnModelLayer *
list_layers (const AttnConfig *config)
{
  AttnModelLayer *layers = g_new (AttnModelLayer, config->n_layers);

  for (gsize i = 0; i < config->n_layers; i++)
    layers[i] = (AttnModelLayer) { config->layers[i].n_key_heads, config->layers[i].head_width,
                                   config->layers[i].value_width, config->layers[i].source };
  return layers;
}

static void
fill_info (AttnTransformer *self)
{
  const AttnConfig *config = &self->config;
  const AttnRope *rope = &config->ropes[0];
  AttnModelInfo *info = &self->model.info;

  info->has_queries_and_keys = TRUE;
  info->has_tokenizer = attn_tokenizer_exists (self->model.path);
  info->has_logits = attn_weights_has_logits (self->weights);
  info->family = config->sight != NULL ? config->sight->model_type : config->family->model_type;
  info->needs_source = self->encoder != NULL;
  info->needs_picture = config->pictures.patch_size > 0;
  info->patch_size = config->pictures.patch_size;
  if (self->tower != NULL)
    info->patch_size = self->tower->info.patch_size *
                       ((const AttnTransformer *) self->tower)->config.seeing.pool;
  if (config->sight != NULL)
    {
      info->picture_text = config->sight->placeholder;
      info->picture_written = config->sight->written;
    }
  info->n_patch_rows = config->pictures.n_rows;
  info->n_patch_columns = config->pictures.n_columns;
  info->n_registers = config->pictures.n_registers;
  info->n_leading_tokens = config->pictures.n_leading + config->pictures.n_registers;
  info->picture_height = config->pictures.height;
  info->picture_width = config->pictures.width;
  info->sees = self->tower != NULL || config->stack == ATTN_STACK_VISION;
  info->takes_picture = self->tower != NULL;
  info->image_token = info->sees ? (gssize) config->seeing.image_token : -1;
  info->needs_sound = config->family->sounds.n_bins > 0;
  if (info->needs_sound)
    {
      const AttnConfig *hearing =
          self->encoder != NULL ? &((const AttnTransformer *) self->encoder)->config : config;

      info->n_bins = hearing->sounds.n_bins;
      info->n_frames = hearing->sounds.n_frames;
    }
  info->start_token = config->start_token;
  info->predicts_next = config->is_causal;
  info->n_layers = config->n_layers;
  info->n_heads = config->n_heads;
  info->n_key_heads = config->n_key_heads;
  info->head_width = config->head_width;
  info->value_width = config->value_width;
  info->width = config->width;
  info->mlp_width = config->mlp_width;
  info->n_positions = config->n_positions;
  info->vocabulary_size = config->vocabulary_size;
  info->label_names = (const char * const *) config->pictures.labels;
  info->is_causal = config->is_causal && !self->is_cross;
  info->mapped_layers = list_mapped (config);
  if (config->family->globals.head_width > 0)
    info->layers = list_layers (config);
  /* Layers of linear attention keep no state after each token from which a text could continue. */
  info->can_continue =
      config->is_causal && info->mapped_layers == NULL && self->encoder == NULL;
  info->depends_on_length = rope->width > 0 && (rope->scaling == ATTN_ROPE_SCALING_DYNAMIC ||
                                                rope->long_factors != NULL);
  info->has_query_key_norm = attn_config_has_role (config, ATTN_ROLE_QUERY_NORM);
  info->has_whole_query_key_norm = config->family->has_whole_query_key_norm;
  info->has_sinks = self->sinks != NULL;
  info->has_output_gate = config->family->has_output_gate;
  info->has_rotary = rope->width > 0;
  info->position_scheme = attn_config_get_position_scheme (config);
  info->dtype = attn_dtype_get_name (
      attn_weights_get (self->weights, ATTN_ROLE_OUTPUT,
                        attn_index_set_get_first (info->mapped_layers))
          ->dtype);
}

static gboolean
read_sinks (AttnTransformer  *self,
            GError          **error)
{
  const AttnConfig *config = &self->config;
  gsize n_heads = config->n_heads;

  if (!attn_config_has_role (config, ATTN_ROLE_SINKS))
    return TRUE;
  self->sinks = g_new (float, config->n_layers *n_heads);
  for (gsize layer = 0; layer < config->n_layers; layer++)
    {
      gsize n_bytes;
      const void *start = g_bytes_get_data (
          attn_weights_get (self->weights, ATTN_ROLE_SINKS, layer)->bytes, &n_bytes);

      attn_file_expect (start, n_bytes);
    }
  for (gsize layer = 0; layer < config->n_layers; layer++)
    if (!attn_array_read (attn_weights_get (self->weights, ATTN_ROLE_SINKS, layer), 0, n_heads,
                          self->sinks + layer * n_heads, error))
      return FALSE;
  return TRUE;
}

/* Returns the bucket of a key at a distance from its query. The first half of the buckets hold one
 * distance each, the others growing ranges, and the last one all distances from @max_distance on.
 * In models with bidirectional attention, half of all buckets are for keys after the query.
 * Computed in float32, like the published code, so that the limits of buckets are those of the
 * training. Raffel et al. 2020, arXiv 1910.10683, section 2.1, and its code. */
static gsize
find_bucket (const AttnConfig *config,
             gssize            distance)
{
  gsize n = config->is_causal ? config->n_buckets : config->n_buckets / 2;
  gsize first = !config->is_causal && distance > 0 ? n : 0;
  gsize n_exact = n / 2;
  gsize far = config->is_causal ? (gsize) MAX (-distance, 0) : (gsize) ABS (distance);

  if (far < n_exact)
    return first + far;
  float share = logf ((float) far / (float) n_exact) /
                (float) log ((double) config->max_distance / (double) n_exact);
  gsize bucket = n_exact + (gsize) (share * (float) (n - n_exact));

  return first + MIN (bucket, n - 1);
}

/* Reads the relative biases, and expands them from buckets to distances. */
static gboolean
read_distances (AttnTransformer  *self,
                GError          **error)
{
  const AttnConfig *config = &self->config;
  const AttnArray *array = attn_weights_get (self->weights, ATTN_ROLE_RELATIVE_BIAS, 0);
  gssize n = (gssize) config->max_distance;
  gsize n_distances = 2 * config->max_distance + 1;

  if (array == NULL)
    return TRUE;
  g_autoptr (AttnTensor) buckets = attn_array_to_tensor (array, error);
  if (buckets == NULL)
    return FALSE;
  self->distances = g_new (float, config->n_heads *n_distances);
  for (gsize head = 0; head < config->n_heads; head++)
    for (gssize distance = -n; distance <= n; distance++)
      self->distances[head * n_distances + (gsize) (distance + n)] =
          buckets->data[find_bucket (config, distance) * config->n_heads + head];
  return TRUE;
}

/* Makes the rules by which each layer computes its scores. @is_cross: for the cross-attention of a
 * decoder, which has no positions */
static AttnScoreRules *
make_rules (const AttnTransformer *self,
            gboolean               is_cross)
{
  const AttnConfig *config = &self->config;
  AttnScoreRules *rules = g_new0 (AttnScoreRules, config->n_layers);

  for (gsize layer = 0; layer < config->n_layers; layer++)
    {
      double factor = 1.0 / sqrt (config->query_scalar);

      if (config->has_layer_scale)
        factor /= (double) (layer + 1);
      if (is_cross)
        {
          rules[layer].factor = (float) factor;
          continue;
        }
      rules[layer] = (AttnScoreRules) {
        .factor = (float) factor,
        .is_causal = config->is_causal,
        .window = config->layers[layer].window,
        .logit_softcap = (float) config->attn_logit_softcap,
        .alibi = (float) config->alibi,
        .has_coarse_alibi = config->family->has_coarse_alibi,
        .distances = self->distances,
        .n_distances = config->max_distance,
        .sinks = self->sinks != NULL ? self->sinks + layer * config->n_heads : NULL,
      };
    }
  return rules;
}

/* Tells whether the file has a tensor with a given name, with or without one of the prefixes in
 * @all, which blanks separate. */
static gboolean
has_tensor (const char          *all,
            const AttnArrayFile *file,
            const char          *name)
{
  g_auto (GStrv) prefixes = g_strsplit (all, " ", -1);

  if (attn_array_file_lookup (file, name) != NULL)
    return TRUE;
  for (char **prefix = prefixes; *prefix != NULL; prefix++)
    {
      g_autofree char *long_name = g_strconcat (*prefix, name, NULL);

      if (attn_array_file_lookup (file, long_name) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Tells whether a checkpoint of a vision family, such as CLIP, also has a text encoder. */
static gboolean
has_texts (const AttnFamily    *family,
           const AttnArrayFile *file)
{
  const AttnFamily *text = family->text_family != NULL
                               ? attn_family_lookup (family->text_family, FALSE)
                               : NULL;

  if (text == NULL)
    return FALSE;
  /* Names of tensors in the two encoders end alike, so that only a name with the text encoder's
   * prefix proves a text encoder. */
  g_autofree char *name = attn_family_dup_name (text, ATTN_STACK_ONLY, FALSE,
                                                ATTN_ROLE_TOKEN_EMBEDDING, ATTN_SLOT_WEIGHT, 0);
  g_autofree char *long_name = g_strconcat (text->prefix, name, NULL);
  return attn_array_file_lookup (file, long_name) != NULL;
}

/* Returns the names of the attentions of a checkpoint: “text”, “vision”, “encoder”, “decoder” or
 * “cross”. */
static const char * const *
list_attentions (const AttnConfig    *config,
                 const AttnArrayFile *file)
{
  static const char * const one[] = { "text", NULL };
  static const char * const vision[] = { "vision", NULL };
  static const char * const halves[] = { "vision", "text", NULL };
  static const char * const seeing[] = { "text", "vision", NULL };
  static const char * const encoder[] = { "encoder", NULL };
  static const char * const both[] = { "encoder", "decoder", "cross", NULL };
  const AttnFamily *family = config->family;
  g_autofree char *name = attn_family_dup_name (family, ATTN_STACK_DECODER, FALSE,
                                                ATTN_ROLE_CROSS_OUTPUT, ATTN_SLOT_WEIGHT, 0);

  if (config->sight != NULL)
    return has_tensor (config->sight->vision_prefix, file, config->sight->probe) ? seeing : one;
  if (family->pictures.patch_size > 0)
    return has_texts (family, file) ? halves : vision;
  if (!attn_family_has_decoder (family))
    return one;
  return has_tensor (family->prefix, file, name) ? both : encoder;
}

/* Reads configuration and tensors for an attention other than the checkpoint's first. */
static gboolean
choose_attention (AttnTransformer  *self,
                  const char       *attention,
                  const char       *path,
                  const char       *adapter_path,
                  const char       *config_path,
                  GError          **error)
{
  AttnStack stack = strcmp (attention, "text") == 0     ? ATTN_STACK_TEXT
                    : strcmp (attention, "vision") == 0 ? ATTN_STACK_VISION
                                                        : ATTN_STACK_DECODER;

  self->model.info.attention = attention;
  self->is_cross = strcmp (attention, "cross") == 0;
  if (stack == ATTN_STACK_DECODER &&
      (self->encoder = attn_transformer_open (path, adapter_path, NULL, error)) == NULL)
    return FALSE;
  attn_config_clear (&self->config);
  return attn_config_load (config_path, stack, &self->config, error);
}

/* Reads the configuration that the file of the weights contains. Reports an error about GGUF files
 * for a file whose name ends in .gguf. */
static gboolean
load_own_config (AttnArrayFile  *file,
                 AttnConfig     *config,
                 GError        **error)
{
  return attn_array_file_get_gguf (file) != NULL ||
                 g_str_has_suffix (attn_array_file_get_path (file), ".gguf")
             ? attn_config_load_gguf (file, config, error)
             : attn_config_load_training (file, config, error);
}

/* Returns a fingerprint of the model's, @own, and the adapter's files. */
static char *
add_to_fingerprint (const char         *own,
                    const AttnAdapter  *adapter,
                    GError            **error)
{
  const char *folder = attn_adapter_get_folder (adapter);
  g_autofree char *config = g_build_filename (folder, ATTN_ADAPTER_CONFIG, NULL);
  g_autofree char *weights = attn_adapter_dup_weights_path (folder);
  g_autofree char *other = attn_fingerprint_compute (config, weights, 0, error);
  g_autofree char *both = other != NULL ? g_strconcat (own, other, NULL) : NULL;

  return both != NULL ? g_compute_checksum_for_string (G_CHECKSUM_SHA256, both, -1) : NULL;
}

/* Finds the adapter that is requested or that the path points to, and the path of its base model.
 * *adapter is %NULL if there is none. */
static gboolean
find_adapter (const char   *path,
              const char   *adapter_path,
              AttnAdapter **adapter,
              char        **base,
              GError      **error)
{
  gboolean is_own = attn_adapter_is_one (path);
  const char *revision;

  *adapter = NULL;
  *base = g_strdup (path);
  if (adapter_path == NULL && !is_own)
    return TRUE;
  *adapter = attn_adapter_load (adapter_path != NULL ? adapter_path : path, error);
  if (*adapter == NULL || !is_own)
    return *adapter != NULL;
  g_autofree char *folder = attn_adapter_dup_folder (path);
  if (strcmp (folder, attn_adapter_get_folder (*adapter)) != 0)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s: an adapter found in the place of the model of another, expected a "
                        "model"),
                      path);
  g_free (*base);
  const char *name = attn_adapter_get_base (*adapter, &revision);
  *base = attn_adapter_find_base (attn_adapter_get_folder (*adapter), name, revision);
  return *base != NULL ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: an adapter of “%s” found, which is neither beside it nor in the cache "
                      "of Hugging Face, expected --model with the path of that model and --adapter "
                      "with this one"),
                    attn_adapter_get_path (*adapter), name);
}

/**
 * attn_transformer_open:
 * @path: a checkpoint, as [func@attn_model_open] takes it; not recorded arrays
 * @adapter_path: (nullable): path of an adapter, which changes the weights
 * @attention: (nullable): its name, see [func@attn_model_open_attention]; if the model does not
 *   have it, the first is opened
 * @error: return location: errors of [func@attn_model_open]
 *
 * Maps the weights and checks every name and shape; reads no weights but a sample for the
 * fingerprint.
 *
 * Returns: (transfer full) (nullable): an #AttnTransformer
 */
AttnModel *
attn_transformer_open (const char  *path,
                       const char  *adapter_path,
                       const char  *attention,
                       GError     **error)
{
  AttnTransformer *self = g_new0 (AttnTransformer, 1);
  g_autoptr (AttnModel) model = attn_model_init (&self->model, &transformer_class);
  g_autoptr (AttnAdapter) adapter = NULL;
  g_autofree char *base = NULL;

  if (!find_adapter (path, adapter_path, &adapter, &base, error))
    return NULL;
  g_autoptr (AttnCheckpoint) checkpoint = attn_checkpoint_find (base, adapter != NULL, error);
  if (checkpoint == NULL || (checkpoint->config_path != NULL &&
                             !attn_config_load (checkpoint->config_path, ATTN_STACK_ONLY,
                                                &self->config, error)))
    return NULL;

  g_autoptr (AttnFingerprint) fingerprint = attn_fingerprint_new (checkpoint->config_path);
  g_autoptr (AttnArrayFile) file = attn_checkpoint_load (checkpoint, fingerprint, error);
  if (file == NULL || (checkpoint->config_path == NULL &&
                       !load_own_config (file, &self->config, error)))
    return NULL;
  model->info.attentions = list_attentions (&self->config, file);
  model->info.attention = model->info.attentions[0];
  for (const char * const *name = model->info.attentions + 1; *name != NULL; name++)
    if (g_strcmp0 (*name, attention) == 0 &&
        !choose_attention (self, *name, path, adapter_path, checkpoint->config_path, error))
      return NULL;
  if (g_strv_contains (model->info.attentions, "vision") && self->config.sight != NULL &&
      self->config.stack == ATTN_STACK_ONLY &&
      (self->tower = attn_transformer_open (path, adapter_path, "vision", error)) == NULL)
    return NULL;
  if (self->config.quantization.beside != NULL)
    {
      g_autofree char *beside =
          g_build_filename (checkpoint->directory, self->config.quantization.beside, NULL);
      attn_fingerprint_add (fingerprint, beside, 0);
    }
  const AttnAdapter *used = adapter;
  self->weights = attn_weights_new (file, &self->config, g_steal_pointer (&adapter), error);
  if (self->weights == NULL || !read_sinks (self, error) || !read_distances (self, error))
    return NULL;
  model->fingerprint = attn_fingerprint_finish (fingerprint, error);
  if (model->fingerprint == NULL)
    return NULL;
  if (used != NULL)
    {
      g_autofree char *own = g_steal_pointer (&model->fingerprint);

      model->fingerprint = add_to_fingerprint (own, used, error);
      if (model->fingerprint == NULL)
        return NULL;
      model->adapter = g_strdup (attn_adapter_get_folder (used));
    }
  model->path = g_strdup (checkpoint->config_path == NULL ? checkpoint->weights_path
                                                          : checkpoint->directory);
  g_autofree char *adapter_name =
      model->adapter != NULL ? g_filename_display_basename (model->adapter) : NULL;
  model->name = adapter_name != NULL ? g_strdup_printf ("%s + %s", checkpoint->name, adapter_name)
                                     : g_strdup (checkpoint->name);
  fill_info (self);
  model->n_rules = self->config.n_layers;
  model->rules = make_rules (self, self->is_cross);
  if (self->encoder != NULL)
    self->other_rules = make_rules (self, !self->is_cross);
  attn_model_count_arrays (model, file);
  model->info.n_parameters = attn_weights_get_n_parameters (self->weights);
  return g_steal_pointer (&model);
}
