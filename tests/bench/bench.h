/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the benchmarks share: series of times, the figures they print, and random models on disk. */

#pragma once

#include <glib.h>

#include "attn-array.h"
#include "attn-model.h"

G_BEGIN_DECLS

/**
 * Figure:
 * @group: the benchmark, such as "forward"
 * @name: what was measured
 * @unit: of @values and @limits: "ms", "MB"
 * @values: of double, one a run
 * @limits: (nullable): of double, the time of the limit in the same run
 * @limit_name: (nullable): what the limit is, where there are @limits
 * @bound: (nullable): as a string such as "1.25 x" or "4 ms": what is promised of the median; the
 *   number in front is compared with the ratio if an "x" follows, else with the median
 */
typedef struct
{
  const char *group;
  const char *name;
  const char *unit;
  GArray *values;
  GArray *limits;
  const char *limit_name;
  const char *bound;
} Figure;

GArray *series_new        (void);
void    series_add        (GArray       *series,
                           double        value);
double  series_get_median (const GArray *series);
double  now_ms            (void);
gboolean is_enough        (double        begin,
                           guint         n_pairs);
void    print_figure      (const Figure *figure);
void    print_note        (const char   *group,
                           const char   *format,
                           ...) G_GNUC_PRINTF (2, 3);
double  time_program      (const char   *argv[]);
double  get_memory_mb     (const char   *field);
double  find_peak_mb      (void        (*func) (gpointer),
                           gpointer      data);
void    reset_peak_memory (void);
gboolean is_full_run      (void);

typedef enum
{
  SHAPE_GPT2,
  SHAPE_LLAMA,
  SHAPE_GPT_OSS,
  SHAPE_QWEN3_MOE,
  SHAPE_VIT,
} ShapeFamily;

/**
 * Shape:
 * @n_layers: L
 * @width: D
 * @n_heads: H
 * @n_key_heads: Hk
 * @mlp_width: of the feed-forward layer, or of an expert
 * @head_width: d, 0 for @width / @n_heads
 * @n_experts: 0 for none
 * @n_used_experts: of a token
 * @vocabulary_size: of pictures, the labels
 *
 * Of a model to measure.
 */
typedef struct
{
  ShapeFamily family;
  gsize n_layers;
  gsize width;
  gsize n_heads;
  gsize n_key_heads;
  gsize mlp_width;
  gsize vocabulary_size;
  gsize n_positions;
  gsize head_width;
  gsize n_experts;
  gsize n_used_experts;
} Shape;

extern const Shape gpt2_small;
extern const Shape llama_1b;
extern const Shape llama_7b;
extern const Shape gpt_oss_20b;
extern const Shape qwen3_moe_30b;
extern const Shape vit_base;

/* Of a picture of 224 x 224 pixels in patches of 16 x 16, of which each shape of pictures is. */
#define VIT_SIDE  224
#define VIT_PATCH 16

/**
 * Limit:
 * @n_weights: of @weights, which the products walk through
 * @scores: [H, T, T]
 * @is_chosen: whether @is_by_slabs says how the products are shared over the threads
 * @first_layer: what is below is known
 * @expert_rows: (nullable): [L, E], tokens that go through each expert
 *
 * Operands of products: big enough for each, their contents of no matter.
 */
typedef struct
{
  const Shape *shape;
  gsize n_tokens;
  gboolean has_logits;
  float *x;
  float *weights;
  gsize n_weights;
  gsize at;
  float *out;
  float *scores;
  gboolean is_by_slabs;
  gboolean is_chosen;
  gsize first_layer;
  const gsize *expert_rows;
} Limit;

void   limit_init  (Limit       *limit,
                    const Shape *shape,
                    gsize        n_tokens,
                    gboolean     has_logits);
void   limit_clear (Limit       *limit);
double time_limit  (Limit       *limit);

gsize    get_head_width (const Shape *shape);
char    *write_model    (const Shape *shape,
                         AttnDtype    dtype);
AttnModel *open_model   (const char  *directory);
void     forget_model   (const char  *directory);
void     remove_model   (char        *directory);
char    *write_gguf     (const Shape *shape,
                         AttnDtype    dtype);
void     remove_gguf    (char        *path);
guint32 *random_ids     (gsize        n_ids,
                         gsize        vocabulary_size,
                         guint32      seed);

G_END_DECLS
