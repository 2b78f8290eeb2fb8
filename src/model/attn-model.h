/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model: a checkpoint's configuration, its mapped weights and its tokenizer, if it has one. */

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
 * @n_key_heads: see #AttnModelInfo, as what follows
 * @key_source: the layer whose keys and values it has: itself, or one below
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
 * @attentions: (array zero-terminated=1): names of the attentions that it has: “text” alone, or
 *   “encoder”, or that with “decoder” and “cross”, whose queries are the decoder's and whose keys
 *   the encoder's; or “vision”, perhaps with “text”
 * @attention: the one of them that all of this is about
 * @needs_source: whether it is of a decoder, which computes nothing without what its encoder reads;
 *   see [func@attn_model_bind]
 * @needs_picture: whether its tokens are the patches of a picture, without which it computes
 *   nothing; see [func@attn_model_bind_pictures]
 * @sees: whether it is a half of a model of texts with pictures in them
 * @takes_picture: whether its texts may have pictures in them, see
 *   [func@attn_model_bind_pictures] and [func@attn_model_insert_pictures]
 * @image_token: id of the token that a picture stands for there; -1 where it takes none
 * @picture_text: (nullable): how that is written in a text
 * @picture_written: (nullable): what the published processor writes in its place
 * @patch_places: (nullable) (array): of each patch in the order of the tokens its row times the
 *   columns plus its column; %NULL where they are in that order
 * @picture_height: of the pictures that its positions were learned for, in pixels, as the width
 * @patch_size: height and width of a patch, in pixels
 * @n_patch_rows: of patches in its picture, or in one of that size, as the columns; of a recording
 *   with a picture, too; 0 where there is none
 * @n_leading_tokens: before the patches: classes, then registers
 * @n_registers: how many of those are registers
 * @needs_sound: whether its encoder hears a sound, without which it computes nothing; see
 *   [func@attn_model_bind_features]
 * @n_bins: frequencies of a frame of it
 * @n_frames: of it, two a token of the encoder
 * @start_token: of a decoder, what its input begins with; -1 where the checkpoint does not say
 * @predicts_next: whether its logits are of the token that follows
 * @n_layers: L
 * @mapped_layers: (nullable): those with attention weights; %NULL where each has them
 * @layers: (nullable) (array length=n_layers): what differs from layer to layer; %NULL where
 *   nothing does
 * @n_heads: H, query heads
 * @n_key_heads: Hk, key/value heads, at most H
 * @head_width: d
 * @value_width: of a head's value, d but for a model of latent keys; 0 in a recording
 * @width: D
 * @mlp_width: width of the feed-forward layer
 * @n_positions: the most tokens that the model has positions for
 * @vocabulary_size: rows of the embedding, or labels of a model of pictures
 * @label_names: (nullable) (array length=vocabulary_size): what those labels are called
 * @is_causal: whether a query sees only keys up to itself
 * @has_query_key_norm: whether site `normed` exists
 * @has_whole_query_key_norm: whether that norm is over all heads at once, so that a change before
 *   it changes them all
 * @has_sinks: whether each head has a score that no key has, so that rows sum to less than 1
 * @has_output_gate: whether what a head puts out is gated number by number, after its values are
 *   weighed
 * @has_rotary: whether site `rotated` exists
 * @dtype: element type of the weights as stored, "F32"
 * @n_parameters: numbers that all tensors hold; of a matrix stored as codes its own, without scales
 * @n_bytes: size of the weights on disk
 * @can_continue: whether what a token leaves behind does not depend on those that follow it, so
 *   that a longer text goes on from a shorter one; off for recordings
 * @depends_on_length: whether the angles of its rotary embedding depend on the length of the text
 * @has_logits: whether it has a language-model head
 * @has_tokenizer: whether a tokenizer lay beside the weights, or in their file, when it was opened
 * @is_recording: whether it is an array file that holds what another program's forward pass left;
 *   then its only input is the recorded one, whatever was asked for
 * @n_recorded_keys: S, where attention weights [L, H, T, S] are recorded, S ≠ T included; 0 where
 *   weights are computed from queries and keys
 * @is_matrix: whether it is a recording of one matrix [T, S] and nothing else, as a table is
 * @is_probe: whether that matrix is a map of a file of probes
 * @n_surveyed: of a file of statistics over many texts, how many conditions they are of; such a
 *   file has the layers and heads of a model and nothing to run. 0 for anything else
 * @has_queries_and_keys: whether there is something to intervene on; off for recorded weights
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
 * @pixels: [channels, height, width], as the model takes them
 * @image: (nullable): the same for the eye, the part of it that its patches cover
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
 * @begin: its first token
 * @first_patch: the first of its patches; what stands before is none
 * @end: behind its last token
 * @n_rows: of patches
 * @n_columns: of patches
 * @image: (nullable): for the eye
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

/* The most patches of a picture: the attention map of a head then takes 64 MB. */
#define ATTN_MODEL_MAX_PATCHES 4096

/* The number of a sound's frames that become one token. */
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
