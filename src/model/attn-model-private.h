/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The structure of a model. There are two kinds behind one interface: a checkpoint, whose values
 * are computed (attn-transformer.h), and a recording, whose values are read from a file
 * (attn-recording.h). Private to src/model. */

#pragma once

#include "attn-array.h"
#include "attn-attention.h"
#include "attn-file.h"
#include "attn-forward.h"
#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnModelClass:
 * @clear: frees the members that a checkpoint or a recording has beyond #AttnModel; also called for
 *   a model that failed to open half-way
 * @run: runs a forward pass, see [func@attn_forward_run]
 * @bind: (nullable): gives a decoder its source, see [func@attn_model_bind]
 * @bind_pixels: (nullable): gives a model its pictures, see [func@attn_model_bind_pictures]
 * @bind_features: (nullable): gives a model its sound, see [func@attn_model_bind_features]
 * @estimate: (nullable): estimates the bytes of memory of a pass, see [func@attn_pass_estimate]
 * @read_rows: set if `n_recorded_keys` is not 0: copies the first n_columns recorded weights of
 *   each of n_rows queries, from first_row on, into weights, [n_rows, n_columns]
 */
typedef struct
{
  void (*clear) (AttnModel *model);
  gboolean (*run) (const AttnForward   *forward, GError **error);
  AttnModel *(*bind) (AttnModel *model, const AttnTokens *source);
  AttnModel *(*bind_pixels) (AttnModel *model, const AttnPixels *pixels, gsize n, gsize shown,
                             GError **error);
  AttnModel *(*bind_features) (AttnModel *model, AttnTensor *features, const AttnTokens *source,
                               GError **error);
  gsize (*estimate) (const AttnModel *model,
                     gsize            n_tokens);
  void (*read_rows) (const AttnModel *model,
                     gsize            layer,
                     gsize            head,
                     gsize            first_row,
                     gsize            n_rows,
                     gsize            n_columns,
                     float           *weights);
} AttnModelClass;

/**
 * AttnModel:
 * @path: path of the checkpoint's directory, or of its file
 * @adapter: (nullable): the folder of the adapter that changes its weights
 * @rules: (array length=n_rules): which keys a query sees, for each layer, or once for all layers
 * @recorded_tokens: (nullable): the query tokens of a recording
 * @recorded_keys: (nullable) (array zero-terminated=1): the labels of its keys
 * @files: all files that the model was read from, those of its tokenizer included
 * @base: (nullable): for a model that was given a source, picture or sound: the model without it,
 *   which owns all the rest
 * @image: (nullable): for display, the picture of a model of pictures or of a recording
 * @pictures: (nullable) (element-type AttnPicture): the pictures in a text
 * @decoder: (nullable): the decoder of the same checkpoint, once an encoder has needed it
 * @n_keys: S, the number of the source's tokens, where the attention looks at these; 0 where the
 *   keys are the tokens of the input
 *
 * Immutable except for tokenizer and decoder, which are loaded when they are first needed.
 * Reference-counted; any thread may use it.
 */
struct _AttnModel
{
  const AttnModelClass *class;
  gatomicrefcount ref_count;
  char *path;
  char *adapter;
  char *name;
  char *fingerprint;
  AttnModelInfo info;
  AttnScoreRules *rules;
  gsize n_rules;
  AttnTokens *recorded_tokens;
  char **recorded_keys;
  AttnFileList *files;
  AttnModel *base;
  gsize n_keys;
  AttnImage *image;
  GArray *pictures;
  char *image_path; /* (nullable): path of the picture that a recording names, to be loaded for
                     * display */

  GMutex lock; /* protects the members below */
  AttnTokenizer *tokenizer;
  GError *tokenizer_error;
  gboolean has_tried_tokenizer;
  AttnModel *decoder;
};

static inline const AttnScoreRules *
attn_model_get_rules (const AttnModel *model,
                      gsize            layer)
{
  return &model->rules[layer % model->n_rules];
}

AttnModel *attn_model_init         (AttnModel            *model,
                                    const AttnModelClass *class);
void       attn_model_count_arrays (AttnModel            *model,
                                    const AttnArrayFile  *file);
gboolean   attn_model_run          (const AttnForward    *forward, GError **error);

G_END_DECLS
