/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model that is open: a checkpoint (configuration, mapped weights, and its tokenizer if it has
 * one) or a recording of what another program computed. */

#pragma once

#include <gio/gio.h>

#include "attn-image.h"
#include "attn-index-set.h"
#include "attn-model-reference.h"
#include "attn-tensor.h"
#include "attn-tokenizer.h"

G_BEGIN_DECLS

/**
 * AttnModelLayer:
 * @n_key_heads: see #AttnModelInfo, as for @head_width and @value_width
 * @key_source: the layer whose keys and values this layer uses: itself, or one below
 *
 * Sizes that may differ from layer to layer.
 */
typedef struct
{
  gsize n_key_heads;
  gsize head_width;
  gsize value_width;
  gsize key_source;
} AttnModelLayer;

/**
 * AttnModelInfo:
 * @family: name of the row in the table of families, such as "gpt2"
 * @attentions: (array zero-terminated=1): names of the attentions that the model has: “text” alone,
 *   or “encoder”, or “encoder”, “decoder” and “cross”, where cross-attention has the decoder's
 *   queries and the encoder's keys; or “vision”, perhaps with “text”
 * @attention: the one of @attentions whose layers, heads and sizes the other members describe
 * @needs_source: whether @attention is a decoder's, which computes nothing without the text or
 *   sound that its encoder reads; see [func@attn_model_bind]
 * @needs_picture: whether the model's tokens are the patches of a picture, without which it
 *   computes nothing; see [func@attn_model_bind_pictures]
 * @sees: whether it is a half of a vision-language model: the half for pictures or that for texts
 * @takes_picture: whether the model's texts may contain pictures, see
 *   [func@attn_model_bind_pictures] and [func@attn_model_insert_pictures]
 * @image_token: id of the token that a text has in the place of a picture; -1 if the model takes
 *   none
 * @picture_text: (nullable): how that token is written in a text
 * @picture_written: (nullable): what the model's published preprocessing writes for @picture_text
 * @patch_places: (nullable) (array): for each patch, in the order of the tokens, its row times the
 *   number of columns plus its column; %NULL where the tokens go row by row
 * @picture_height: height in pixels of the pictures for which the position embedding was learned;
 *   likewise @picture_width
 * @patch_size: height and width of a patch, in pixels
 * @n_patch_rows: rows of patches in the model's picture, or in one of @picture_height and
 *   @picture_width before it has any; likewise @n_patch_columns; also of a recording with a
 *   picture; 0 without a picture
 * @n_leading_tokens: tokens before those of the patches: class tokens, then registers
 * @n_registers: how many of the leading tokens are registers
 * @needs_sound: whether the model's encoder hears a sound, without which it computes nothing; see
 *   [func@attn_model_bind_features]
 * @n_bins: frequencies in a frame of the sound
 * @n_frames: frames of the sound, two for each token of the encoder
 * @start_token: id of the token with which a decoder's input begins; -1 where the checkpoint does
 *   not say
 * @predicts_next: whether a token's logits are of the token that follows it
 * @n_layers: L, layers
 * @mapped_layers: (nullable): the layers that have attention weights; %NULL where all have them
 * @layers: (nullable) (array length=n_layers): the sizes that differ from layer to layer; %NULL
 *   where all layers have the same
 * @n_heads: H, query heads
 * @n_key_heads: Hk, key/value heads, at most H
 * @head_width: d, numbers of a head's query or key
 * @value_width: numbers of a head's value: d, except in a model of latent keys; 0 in a recording
 * @width: D, numbers of a token's vector between the layers
 * @mlp_width: inner width of the feed-forward layer
 * @n_positions: the most tokens that the model has positions for
 * @vocabulary_size: V, rows of the token embedding, or number of labels of a model of pictures
 * @label_names: (nullable) (array length=vocabulary_size): names of these labels, "tabby cat"
 * @is_causal: whether a query sees only keys up to itself
 * @has_query_key_norm: whether queries and keys pass a norm, behind which the site `normed` is
 * @has_whole_query_key_norm: whether that norm is over all heads at once, so that a change to one
 *   head before it changes all heads
 * @has_sinks: whether the softmax of each head has an additional score without a key, so that its
 *   weights sum to less than 1
 * @has_output_gate: whether each number of a head's output is multiplied by a gate, after the
 *   values were weighted
 * @has_rotary: whether rotary embeddings turn queries and keys, behind which the site `rotated` is
 * @dtype: element type of the weights as stored, "F32"
 * @n_parameters: numbers that all tensors hold; a quantized matrix counts its own, not its scales
 * @n_bytes: size of the weights on disk, in bytes
 * @can_continue: whether the keys and values of a token do not depend on the tokens behind it, so
 *   that a pass over a longer text can go on from a shorter one; off for recordings
 * @depends_on_length: whether the angles of its rotary embedding depend on the length of the text
 * @has_logits: whether the model has a language-model head, or a classifier of pictures
 * @has_tokenizer: whether there was a tokenizer beside the weights, or in their file, when the
 *   model was opened
 * @is_recording: whether it is an array file that holds what another program's forward pass left;
 *   its only input is the recorded one, whatever input a study asks for
 * @n_recorded_keys: S, if attention weights [L, H, T, S] are recorded, also if S ≠ T; 0 if weights
 *   are computed from queries and keys
 * @is_matrix: whether it is a recording with one matrix [T, S] and nothing else, such as a table
 *   (.csv)
 * @is_probe: whether that matrix is from a file of probes: a number, such as the AUC, for each
 *   layer and head
 * @n_surveyed: for a file of statistics over many texts, the number of conditions that it has them
 *   for; such a file has the layers and heads of a model and nothing to run. 0 for all other models
 * @has_queries_and_keys: whether there are queries and keys to intervene on; off for recorded
 *   weights
 *
 * Facts about a model that is open.
 */
typedef struct
{
  const char *family;
  const char * const *attentions;
  const char *attention;
  gboolean needs_source;
  gboolean needs_picture;
  gboolean sees;
  gboolean takes_picture;
  gssize image_token;
  const char *picture_text;
  const char *picture_written;
  const guint32 *patch_places;
  gsize picture_height;
  gsize picture_width;
  gsize patch_size;
  gsize n_patch_rows;
  gsize n_patch_columns;
  gsize n_leading_tokens;
  gsize n_registers;
  gboolean needs_sound;
  gsize n_bins;
  gsize n_frames;
  gssize start_token;
  gboolean predicts_next;
  gsize n_layers;
  AttnIndexSet *mapped_layers;
  AttnModelLayer *layers;
  gsize n_heads;
  gsize n_key_heads;
  gsize head_width;
  gsize value_width;
  gsize width;
  gsize mlp_width;
  gsize n_positions;
  gsize vocabulary_size;
  const char * const *label_names;
  gboolean is_causal;
  gboolean has_query_key_norm;
  gboolean has_whole_query_key_norm;
  gboolean has_sinks;
  gboolean has_output_gate;
  gboolean has_rotary;
  const char *position_scheme;
  const char *dtype;
  guint64 n_parameters;
  guint64 n_bytes;
  gboolean can_continue;
  gboolean depends_on_length;
  gboolean has_logits;
  gboolean has_tokenizer;
  gboolean is_recording;
  gsize n_recorded_keys;
  gboolean is_matrix;
  gboolean is_probe;
  gsize n_surveyed;
  gboolean has_queries_and_keys;
} AttnModelInfo;

typedef struct _AttnModel AttnModel;

/**
 * AttnPixels:
 * @pixels: [channels, height, width], prepared as the model expects them
 * @image: (nullable): the same picture for display, cropped to what the patches cover
 *
 * A picture that a model is given.
 */
typedef struct
{
  AttnTensor *pixels;
  AttnImage *image;
} AttnPixels;

/**
 * AttnPicture:
 * @begin: position of its first token
 * @first_patch: position of the first token that is a patch; tokens before it stand for no place
 * @end: the position behind its last token
 * @n_rows: rows of patches
 * @n_columns: columns of patches
 * @image: (nullable): the picture for display
 *
 * A picture among the tokens of a model.
 */
typedef struct
{
  gsize begin;
  gsize first_patch;
  gsize end;
  gsize n_rows;
  gsize n_columns;
  AttnImage *image;
} AttnPicture;

/* The most patches of a picture. The attention weights of a head between so many patches take 64
 * MB. */
#define ATTN_MODEL_MAX_PATCHES 4096

/* The number of frames of a sound (short stretches of time) that become one token. */
#define ATTN_MODEL_FRAMES_A_TOKEN 2

AttnModel           *attn_model_open            (const char       *path,
                                                 GError          **error);
AttnModel           *attn_model_open_attention  (const char       *path,
                                                 const char       *attention,
                                                 GError          **error);
AttnModel           *attn_model_open_reference  (const AttnModelReference *reference,
                                                 const char       *attention,
                                                 GError          **error);
AttnModel           *attn_model_bind            (AttnModel        *model,
                                                 const AttnTokens *source);
AttnModel           *attn_model_bind_pixels     (AttnModel        *model,
                                                 AttnTensor       *pixels,
                                                 GError          **error);
AttnModel           *attn_model_bind_pictures   (AttnModel        *model,
                                                 const AttnPixels *pictures,
                                                 gsize             n_pictures,
                                                 gsize             shown,
                                                 GError          **error);
gsize                attn_model_count_pictures  (const AttnModel  *model);
AttnPicture          attn_model_get_picture     (const AttnModel  *model,
                                                 gsize             number);
gsize                attn_model_find_picture    (const AttnModel  *model,
                                                 gsize             token);
const char          *attn_model_get_image_path  (const AttnModel *model);
void                 attn_model_set_image       (AttnModel        *model,
                                                 AttnImage        *image);
AttnTokens          *attn_model_list_patches    (const AttnModel  *model);
AttnTokens          *attn_model_insert_pictures (AttnModel        *model,
                                                 const AttnTokens *tokens,
                                                 GError          **error);
gboolean             attn_model_check_picture_token (const AttnModel *model,
                                                 const AttnTokens *tokens,
                                                 GError          **error);
AttnModel           *attn_model_bind_features   (AttnModel        *model,
                                                 AttnTensor       *features,
                                                 const AttnTokens *source,
                                                 GError          **error);
char                *attn_model_format_time     (double            index,
                                                 double            seconds);
AttnTokens          *attn_model_list_frames     (const AttnModel  *model,
                                                 double            seconds);
const AttnModel     *attn_model_get_base        (const AttnModel  *model);
gsize                attn_model_count_keys      (const AttnModel  *model,
                                                 gsize             n_ids);
gboolean             attn_model_is_cross        (const AttnModel  *model);
gboolean             attn_model_has_decoder     (const AttnModel  *model);
gboolean             attn_model_is_about_picture (const AttnModel *model);
AttnModel           *attn_model_dup_decoder     (AttnModel        *encoder,
                                                 GError          **error);
AttnModel           *attn_model_bind_decoder    (AttnModel        *encoder,
                                                 const AttnTokens *source,
                                                 GPtrArray        *interventions,
                                                 GCancellable     *cancellable,
                                                 GError          **error);
gboolean             attn_model_check_logits    (const AttnModel  *model,
                                                 GError          **error);
gboolean             attn_model_check_source    (const AttnModel  *model,
                                                 GError          **error);
gboolean             attn_model_is_described_by (const char       *path);
gboolean             attn_model_is_array_file   (const char       *path);
gboolean             attn_model_is_adapter      (const char       *path);
gboolean             attn_model_dup_base        (const char       *path,
                                                 char            **base);
AttnModel           *attn_model_ref             (AttnModel        *model);
void                 attn_model_unref           (AttnModel        *model);
const char          *attn_model_get_path        (const AttnModel  *model);
const char          *attn_model_get_adapter     (const AttnModel  *model);
const char          *attn_model_get_name        (const AttnModel  *model);
const char          *attn_model_get_fingerprint (const AttnModel  *model);
const AttnModelInfo *attn_model_get_info        (const AttnModel  *model);
gsize                attn_model_get_window      (const AttnModel  *model,
                                                 gsize             layer);
gboolean             attn_model_has_block       (const AttnModel  *model);
void                 attn_model_get_visible_keys (const AttnModel *model,
                                                 gsize             layer,
                                                 gboolean          has_window,
                                                 gsize             n_tokens,
                                                 gsize             row,
                                                 gsize            *first,
                                                 gsize            *end);
gboolean             attn_model_has_map         (const AttnModel  *model,
                                                 gsize             layer);
char                *attn_model_dup_output_label (const AttnModel *model,
                                                 gint64           id);
gboolean             attn_model_info_has_decoder (const AttnModelInfo *info);
AttnModelLayer       attn_model_info_get_layer  (const AttnModelInfo *info,
                                                 gsize                layer);
gsize                attn_model_info_find_start (const AttnModelInfo *info,
                                                 gsize                layer);
gboolean             attn_model_check_map       (const AttnModel  *model,
                                                 gsize             layer,
                                                 GError          **error);
gboolean             attn_model_info_check_maps (const AttnModelInfo *info,
                                                 const AttnIndexSet  *layers,
                                                 GError             **error);
const AttnTokenizer *attn_model_get_tokenizer   (const AttnModel  *model,
                                                 GError          **error);
gboolean             attn_model_outline_tokenizer (const AttnModel        *model,
                                                   AttnTokenizerOutlining *outlining,
                                                   AttnTokenizerOutline   *outline,
                                                   GError                **error);
gboolean             attn_model_check_files     (const AttnModel  *model,
                                                 GError          **error);
gboolean             attn_model_check_ids       (const AttnModel  *model,
                                                 const guint32    *ids,
                                                 gsize             n_ids,
                                                 GError          **error);
AttnTokens *attn_model_dup_recorded_tokens (const AttnModel *model);
const char * const *attn_model_get_recorded_keys (const AttnModel *model);
gsize                attn_model_estimate_memory (const AttnModel  *model,
                                                 gsize             n_tokens);
const char * const  *attn_model_get_families    (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnModel, attn_model_unref)

G_END_DECLS
