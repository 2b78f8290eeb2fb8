/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random checkpoints on disk, and a plain forward pass to hold the fast one against. */

#pragma once

#include "attn-array.h"
#include "attn-intervention.h"
#include "attn-trace.h"

G_BEGIN_DECLS

/**
 * Recipe:
 *
 * A GPT-2 checkpoint to write. The rest of config.json is @extra, such as "\"n_inner\": 20,".
 */
typedef struct
{
  gsize n_layers;
  gsize n_heads;
  gsize width;
  gsize mlp_width;
  gsize n_positions;
  gsize vocabulary_size;
  AttnDtype dtype;
  gboolean has_prefix;
  gboolean has_logits;
  gboolean has_buffers; /* the stored causal masks of old checkpoints, and an unknown tensor */
  const char *extra;
  guint32 seed;
} Recipe;

extern const Recipe plain_recipe;

guint16 half_from_float (float            value);
char *write_checkpoint  (const Recipe     *recipe);
char *write_config      (const char       *directory,
                         const char       *json);
void  remove_checkpoint (char             *directory);

/* The model in a folder, or in one of this folder's fixtures, which has to open. */
AttnModel *open_model   (const char       *directory);
AttnModel *open_fixture (const char       *name);

/* A matrix whose bytes are all of @first to @end - 1. */
AttnArray *random_array (GRand            *rand,
                         AttnDtype         dtype,
                         gsize             n_rows,
                         gsize             n_columns,
                         gint32            first,
                         gint32            end);

/**
 * Copy:
 * @directory: temporary, for remove_checkpoint()
 *
 * A checkpoint of this folder's fixtures that a test may spoil.
 */
typedef struct
{
  char *directory;
} Copy;

Copy  copy_fixture  (const char *name);
void  set_member    (const Copy *copy,
                     const char *member);
void  rename_tensor (const Copy *copy,
                     const char *file,
                     const char *from,
                     const char *to);

/**
 * Reference:
 * @weights: [L, H, T, T]
 * @logits: [T, V]
 */
typedef struct
{
  gsize n_layers;
  gsize n_heads;
  gsize n_tokens;
  gsize vocabulary_size;
  double *weights;
  double *logits;
} Reference;

Reference *reference_compute (const char    *directory,
                              const Recipe  *recipe,
                              const guint32 *ids,
                              gsize          n_ids,
                              GPtrArray     *interventions);
void       reference_free    (Reference     *reference);

/* All that a trace can keep. */
extern const AttnQuantity everything;

void       assert_weights    (AttnModel        *model,
                              AttnTrace        *trace,
                              AttnTrace        *baseline,
                              GPtrArray        *interventions,
                              const double     *weights,
                              const char       *what);
void       assert_logits     (AttnModel        *model,
                              AttnTrace        *trace,
                              GPtrArray        *interventions,
                              const double     *logits,
                              const char       *what);
AttnTensor *read_expected    (const char       *name,
                              const char       *member);
void       check_golden      (const char       *name,
                              gsize             n_expected);
AttnModel *open_golden_attention (const char *name,
                             const char      *attention,
                             guint32        **ids,
                             gsize           *n_ids);
void       check_golden_attention (const char *name,
                             const char      *attention,
                             gsize            n_expected);
void       check_golden_half (AttnModel        *model,
                              const char       *name,
                              const char       *half,
                              gsize             n_expected);
void       check_golden_model (AttnModel       *model,
                               const char      *name,
                               gsize            n_expected);
double     largest_error     (const AttnTensor *found,
                              const double     *expected);
AttnTrace *compute_trace     (AttnModel        *model,
                              const guint32    *ids,
                              gsize             n_ids,
                              GPtrArray        *interventions,
                              AttnQuantity      keep,
                              const AttnTrace  *baseline);
AttnTensor *compute_weights  (AttnTrace        *baseline,
                              gsize             layer,
                              const char       *heads,
                              GPtrArray        *interventions);
AttnIntervention *intervention_from_text (const char *text);
GPtrArray *interventions_from_text       (const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Reference, reference_free)

G_END_DECLS
