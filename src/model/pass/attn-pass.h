/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The state of one forward pass: its buffers, how it begins and how it ends. */

#pragma once

#include "attn-forward.h"
#include "attn-read-ahead.h"
#include "attn-transformer.h"

G_BEGIN_DECLS

/* Letters in shapes: T tokens, D width of the model, E width of the embedding, I width of the MLP,
 * H heads, Hk key heads, d width of a query or key, e width of a value, R rotary width, S tokens of
 * the encoder, P width of the vectors that each layer has of its own, V vocabulary. */

/* The buffers of a pass. The sizes of all are computed before memory is taken for the first, and
 * each layer overwrites the contents of the previous layer. */
typedef enum
{
  ATTN_BUFFER_RESIDUAL,     /* [T, D], the residual stream */
  ATTN_BUFFER_NORMED,       /* [T, D], the residual stream after a norm */
  ATTN_BUFFER_BRANCH,       /* [T, D], output of attention or MLP, before a norm or an
                             * intervention */
  ATTN_BUFFER_EMBEDDED,     /* [T, E], the embeddings, if they are projected to another width */
  ATTN_BUFFER_QKV,          /* [T, (H + Hk) d + Hk e], queries, keys and values */
  ATTN_BUFFER_MIXED,        /* [T, n], queries, keys and values of linear attention */
  ATTN_BUFFER_KERNEL,       /* [channels of MIXED, taps], weights of the convolution of linear
                             * attention */
  ATTN_BUFFER_STRENGTHS,    /* [T, 2 heads], strengths and decays of linear attention */
  ATTN_BUFFER_MEMORY,       /* memory of a head of linear attention, [width of a key, of a value],
                             * and scratch, for each worker */
  ATTN_BUFFER_LATENT,       /* [T, the widest latent vector], latent vectors of queries, or of keys
                             * and values */
  ATTN_BUFFER_EXPANDED,     /* [T, Hk (d - R + e)], keys and values projected from latent
                             * vectors; or the output of a fused matrix */
  ATTN_BUFFER_CROSS,        /* [S, Hk (d + e)], keys and values of the encoder's S tokens */
  ATTN_BUFFER_CONTEXT,      /* [T, H e], the outputs of the heads */
  ATTN_BUFFER_OUTPUT_GATE,  /* [T, H e], gates of the outputs of the heads, if the model has them */
  ATTN_BUFFER_SHARED,       /* [2, T, Hk (d + e)], keys and values that higher layers reuse, for
                             * layers without a window and for layers with one */
  ATTN_BUFFER_LAYER_INPUT,  /* [T, P], the additional vector of each token in a layer */
  ATTN_BUFFER_LAYER_GATE,   /* [T, P], the gate of that vector */
  ATTN_BUFFER_MLP,          /* [T, I], the values inside the MLP */
  ATTN_BUFFER_GATE,         /* [T, I] gates of the feed-forward layer; [T, 2 I] for gate and up
                             * fused */
  ATTN_BUFFER_ROUTED,       /* [T, experts], scores and shares of the experts */
  ATTN_BUFFER_EXPERT,       /* [T, D], input of an expert */
  ATTN_BUFFER_EXPERT_OUT,   /* [T, D], output of an expert */
  ATTN_BUFFER_EXPERT_SUM,   /* [T, D], sum of the experts' outputs, if it has a norm */
  ATTN_BUFFER_EXPERT_BIAS,  /* bias of an expert's matrix */
  ATTN_BUFFER_ROTATION,     /* [rows, R], the table of each rotary embedding, with the rows that
                             * attn_pass_count_rotations() counts */
  ATTN_BUFFER_FIRST_COLUMN, /* [H, T], the weights on key 0 */
  ATTN_BUFFER_ATTENTION,    /* scores and weights: a block of each for each worker */
  ATTN_BUFFER_WEIGHTS,      /* vectors of a layer's weights, converted to float32 */
  ATTN_BUFFER_TILES,        /* tiles of matrices, converted to float32, for each worker */
  ATTN_N_BUFFERS,
} AttnBuffer;

/* The two halves of a layer, attention and MLP, which index AttnPass.added, and a value for
 * neither. */
typedef enum
{
  ATTN_HALF_ATTENTION,
  ATTN_HALF_MLP,
  ATTN_HALF_NONE,
} AttnHalf;

/**
 * AttnPass:
 * @parameters: vectors and matrices of the current layer, by their roles
 * @n_tokens: the tokens that are computed; T in the shapes of buffers
 * @n_seen: tokens of the longest text, including those that are not computed
 * @n_texts: 1, unless the forward pass has several
 * @encoded: (nullable): [S, D], the encoder's output, if the layers attend to it
 * @is_cross: whether the attention on display is cross-attention, not self-attention
 * @is_aside: whether the attention being computed is not the one on display, so that no
 *   intervention acts on it and nothing of it is kept
 * @output: (nullable): where to keep the output of the current layer's heads, [H, T, e]
 * @is_at_ends: whether the buffers by now have only the last token of each text
 * @added: (nullable): where to keep what the current layer's attention on display adds to the
 *   residual stream, and what its MLP adds, [T, D] each
 * @ahead: (nullable): reads the weights that are not in memory ahead of their use
 * @n_kept_layers: how many of the first layers have weights that stay in memory
 */
typedef struct
{
  const AttnForward *forward;
  const AttnConfig *config;
  const AttnWeights *weights;
  AttnParameters parameters[ATTN_N_ROLES];
  gsize n_tokens;
  gsize n_seen;
  gsize n_texts;
  gsize n_workers;
  gboolean is_alone; /* whether one thread alone runs the pass, however many threads compute */
  gsize layer;       /* the one that is being computed */
  gsize last_layer;
  gboolean has_logits;
  gboolean is_whole; /* whether the last layer is computed to its end */
  const AttnTensor *encoded;
  gboolean is_cross;
  gboolean is_aside;
  gboolean is_at_ends;
  float *output;
  float *added[2];
  AttnReadAhead *ahead;
  gsize n_kept_layers;
  float *memory;
  gsize n_bytes; /* of @memory */
  float *buffers[ATTN_N_BUFFERS];
} AttnPass;

/**
 * AttnRowsFunc:
 *
 * Processes the @n_rows tokens from @first_row on.
 */
typedef void (*AttnRowsFunc) (const AttnPass *pass,
                              gsize           first_row,
                              gsize           n_rows,
                              gpointer        user_data);

/* Returns the index of the first token of @text among the tokens that are computed. */
static inline gsize
attn_pass_get_begin (const AttnPass *pass,
                     gsize           text)
{
  return text > 0 ? pass->forward->ends[text - 1] : 0;
}

static inline gsize
attn_pass_get_end (const AttnPass *pass,
                   gsize           text)
{
  return pass->forward->ends != NULL ? pass->forward->ends[text] : pass->n_tokens;
}

/* Returns a view of some tokens of a component, such as the queries. */
static inline AttnVectors
attn_pass_cut_rows (const AttnVectors *vectors,
                    gsize              first_row,
                    gsize              n_rows)
{
  AttnVectors cut = *vectors;

  cut.data = attn_vectors_get (vectors, 0, first_row);
  cut.n_tokens = n_rows;
  return cut;
}

/* Returns the rows of a table of rotations: the number of computed positions in the longest
 * text. */
static inline gsize
attn_pass_count_rotations (const AttnPass *pass)
{
  return MIN (pass->n_tokens, pass->n_seen);
}

/* Returns the table of a rotary embedding, which begins at the first computed token, see
 * [func@attn_rotary_fill]. */
static inline float *
attn_pass_get_rotation (const AttnPass *pass,
                        int             rope)
{
  return pass->buffers[ATTN_BUFFER_ROTATION] +
         rope * attn_pass_count_rotations (pass) * pass->config->ropes[0].width;
}

/* Tells whether the cache already has the current layer's keys and values of the encoder's
 * tokens. */
static inline gboolean
attn_pass_knows_source (const AttnPass *pass)
{
  const AttnPast *past = pass->forward->past;

  return past != NULL && past->layers[pass->layer].has_source;
}

gsize       attn_pass_estimate       (const AttnModel *model,
                                      gsize            n_tokens);
gsize       attn_pass_get_tile       (const AttnConfig *config);
gboolean    attn_pass_allocate       (AttnPass        *pass,
                                      GError         **error);
void        attn_pass_free           (AttnPass        *pass);
void        attn_pass_run_rows       (const AttnPass  *pass,
                                      gsize            width,
                                      AttnRowsFunc     func,
                                      gpointer         user_data);
void        attn_pass_normalize_row  (const AttnConfig *config,
                                      const AttnParameters *parameters,
                                      const float     *x,
                                      gsize            width,
                                      float            epsilon,
                                      float           *out);
void        attn_pass_normalize      (const AttnPass  *pass,
                                      AttnBuffer       from,
                                      gsize            width,
                                      double           epsilon,
                                      const AttnParameters *parameters,
                                      AttnBuffer       to);
gboolean    attn_pass_get_encoded    (const AttnTransformer *transformer,
                                      gsize            n_workers,
                                      GCancellable    *cancellable,
                                      const AttnTensor **encoded,
                                      GError         **error);
gboolean    attn_pass_embed_patches  (const AttnPass  *pass,
                                      AttnBuffer       to,
                                      GError         **error);
gboolean    attn_pass_embed_frames   (const AttnPass  *pass,
                                      AttnBuffer       to,
                                      GError         **error);
void        attn_pass_rotate_patches (const AttnPass  *pass,
                                      const AttnRope  *rope,
                                      float           *table);
AttnTensor *attn_pass_compute_labels (const AttnPass  *pass,
                                      AttnBuffer       from,
                                      GError         **error);
void        attn_pass_begin_reading  (AttnPass        *pass);
void        attn_pass_read_expert    (const AttnPass  *pass,
                                      gsize            expert);
void        attn_pass_end_reading    (const AttnPass  *pass,
                                      gssize           part);
void        attn_pass_report         (const AttnPass  *pass,
                                      gboolean         is_reading);
gboolean    attn_pass_need           (const AttnPass  *pass,
                                      const AttnArray *array);
void        attn_pass_run_linear_part (const AttnPass *pass,
                                      AttnBuffer       from,
                                      gsize            n_in,
                                      AttnRole         weight,
                                      const AttnActivation *activation,
                                      AttnBuffer       to,
                                      gsize            offset,
                                      gsize            n_out,
                                      gsize            stride);
void        attn_pass_run_linear     (const AttnPass  *pass,
                                      AttnBuffer       from,
                                      gsize            n_in,
                                      AttnRole         weight,
                                      const AttnActivation *activation,
                                      AttnBuffer       to,
                                      gsize            n_out);
gboolean    attn_pass_is_seen        (const AttnPass  *pass,
                                      AttnQuantity     quantity,
                                      gsize            layer);
void        attn_pass_show_states    (const AttnPass  *pass,
                                      AttnQuantity     quantity,
                                      gsize            layer,
                                      const AttnVectors *all);
void        attn_pass_show_stream    (const AttnPass  *pass,
                                      AttnQuantity     quantity,
                                      AttnBuffer       buffer,
                                      gsize            layer);
gboolean    attn_pass_is_of_source   (const AttnPass  *pass,
                                      AttnComponent    component);
void        attn_pass_intervene      (const AttnPass  *pass,
                                      AttnSite         site,
                                      const AttnVectors components[ATTN_N_COMPONENTS]);
void        attn_pass_intervene_in   (const AttnPass  *pass,
                                      AttnComponent    component,
                                      AttnBuffer       buffer,
                                      gsize            n_heads,
                                      gsize            width);
void        attn_pass_add_branch     (const AttnPass  *pass,
                                      AttnBuffer       from,
                                      gsize            n_in,
                                      AttnRole         weight,
                                      AttnRole         norm,
                                      AttnHalf         half);
gboolean    attn_pass_run_mlp        (const AttnPass  *pass,
                                      AttnBuffer       from,
                                      GError         **error);
void        attn_pass_set_components (const AttnPass  *pass,
                                      AttnVectors      components[ATTN_N_COMPONENTS]);
void        attn_pass_set_cross_components (const AttnPass *pass,
                                      AttnVectors      components[ATTN_N_COMPONENTS]);
void        attn_pass_project_cross  (const AttnPass  *pass,
                                      AttnBuffer       from);
void        attn_pass_project        (const AttnPass  *pass,
                                      AttnBuffer       from);
void        attn_pass_normalize_components (const AttnPass *pass,
                                      const AttnVectors components[ATTN_N_COMPONENTS]);
void        attn_pass_rotate_components (const AttnPass *pass,
                                      const AttnVectors components[ATTN_N_COMPONENTS]);
void        attn_pass_share          (const AttnPass  *pass);
void        attn_pass_gate_output    (const AttnPass  *pass);
gboolean    attn_pass_run_delta      (const AttnPass  *pass,
                                      AttnBuffer       from,
                                      GError         **error);
gboolean    attn_pass_run_experts    (const AttnPass  *pass,
                                      AttnBuffer       from,
                                      GError         **error);
gboolean    attn_pass_keep           (const AttnPass  *pass,
                                      gsize            layer,
                                      AttnQuantity     quantity,
                                      guint            n_dims,
                                      const gsize     *shape,
                                      AttnTensor     **tensor,
                                      GError         **error);
gboolean    attn_pass_keep_residual  (const AttnPass  *pass,
                                      gsize            layer,
                                      GError         **error);
gboolean    attn_pass_keep_vectors   (const AttnPass  *pass,
                                      gsize            layer,
                                      AttnQuantity     quantity,
                                      const AttnVectors *vectors,
                                      GError         **error);
gboolean    attn_pass_prepare_kept   (AttnPass        *pass,
                                      GError         **error);
void        attn_pass_leave_ends     (AttnPass        *pass);
void        attn_pass_keep_last_rows (const AttnPass  *pass);
void        attn_pass_keep_output    (const AttnPass  *pass);
void        attn_pass_keep_branch    (const AttnPass  *pass,
                                      AttnHalf         half);
gboolean    attn_pass_begin          (AttnPass        *pass,
                                      GError         **error);
AttnTensor *attn_pass_compute_logits (AttnPass        *pass,
                                      GError         **error);

G_END_DECLS
