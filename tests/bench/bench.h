/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the benchmarks share: series of times, the figures they print, and random models on disk. */

#pragma once

#include <glib.h>

#include "attn-array.h"

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
void    print_figure      (const Figure *figure);
void    print_note        (const char   *group,
                           const char   *format,
                           ...) G_GNUC_PRINTF (2, 3);
double  get_memory_mb     (const char   *field);
void    reset_peak_memory (void);
gboolean is_full_run      (void);

typedef enum
{
  SHAPE_GPT2,
  SHAPE_LLAMA,
} ShapeFamily;

/**
 * Shape:
 * @n_layers: L
 * @width: D
 * @n_heads: H
 * @n_key_heads: Hk
 * @inner_width: of the feed-forward layer
 *
 * Of a model to measure; vectors of a head are @width / @n_heads wide.
 */
typedef struct
{
  ShapeFamily family;
  gsize n_layers;
  gsize width;
  gsize n_heads;
  gsize n_key_heads;
  gsize inner_width;
  gsize vocabulary_size;
  gsize n_positions;
} Shape;

extern const Shape gpt2_small;
extern const Shape llama_1b;
extern const Shape llama_7b;

char    *write_model  (const Shape *shape,
                       AttnDtype    dtype);
void     remove_model (char        *directory);
guint32 *random_ids   (gsize        n_ids,
                       gsize        vocabulary_size,
                       guint32      seed);

G_END_DECLS
