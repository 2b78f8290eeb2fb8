/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forward pass with all attention weights kept, beside the time that OpenBLAS alone needs for
 * the same matrix products. */

#include "config.h"

#include <string.h>

#include "attn-effect-meter.h"
#include "attn-trace.h"
#include "bench.h"

/* Part of the names of what is to be measured, where not all is. */
static const char *wanted;

static double
time_pass (AttnModel     *model,
           const guint32 *ids,
           gsize          n_ids,
           AttnQuantity   keep)
{
  AttnTraceRequest request = { .ids = ids, .n_ids = n_ids, .keep = keep };
  g_autoptr (GError) error = NULL;
  double begin = now_ms ();
  AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
  double end = now_ms ();

  if (trace == NULL)
    g_error ("%s", error->message);
  attn_trace_unref (trace);
  return end - begin;
}

static void
measure (AttnModel   *model,
         const Shape *shape,
         const char  *name,
         AttnDtype    dtype,
         gsize        n_tokens,
         gboolean     has_logits)
{
  g_autofree char *title =
      g_strdup_printf ("%s, %s, %zu tokens%s", name, attn_dtype_get_name (dtype), n_tokens,
                       has_logits ? ", with logits" : "");
  gboolean is_vit = shape->family == SHAPE_VIT;
  g_autofree guint32 *ids = random_ids (n_tokens, shape->vocabulary_size, 1);
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  AttnQuantity keep = ATTN_QUANTITY_WEIGHTS | (has_logits ? ATTN_QUANTITY_LOGITS : 0);
  Limit limit;

  if (wanted != NULL && strstr (title, wanted) == NULL)
    return;
  /* Those of a picture are the numbers of its tokens. */
  for (gsize i = 0; is_vit && i < n_tokens; i++)
    ids[i] = (guint32) i;
  limit_init (&limit, shape, n_tokens, has_logits);
  time_pass (model, ids, n_tokens, keep);
  double begin = now_ms ();
  while (!is_enough (begin, values->len))
    {
      series_add (limits, time_limit (&limit));
      series_add (values, time_pass (model, ids, n_tokens, keep));
    }
  limit_clear (&limit);

  Figure figure = {
    .group = "forward",
    .name = title,
    .unit = "ms",
    .values = values,
    .limits = limits,
    .limit_name = "same products by cblas_sgemm",
    .bound = is_vit                                       ? "1.15 x"
             : dtype == ATTN_DTYPE_F32 && n_tokens >= 128 ? "1.15 x"
                                                          : NULL,
  };
  print_figure (&figure);
}

/* A score atlas by zero: all heads, one after the other. A run is a head of each layer. */
static void
measure_atlas (AttnModel   *model,
               const Shape *shape,
               gsize        n_tokens)
{
  g_autofree char *title =
      g_strdup_printf ("GPT-2 small, F32, effect of zero on each of %zu heads, %zu tokens",
                       shape->n_layers * shape->n_heads, n_tokens);
  g_autofree guint32 *ids = random_ids (n_tokens, shape->vocabulary_size, 1);
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnEffectMeter) meter = NULL;
  Limit limit;

  if (wanted != NULL && strstr (title, wanted) == NULL)
    return;
  meter = attn_effect_meter_new (model, ids, n_tokens, (AttnSpan) { 0, n_tokens }, NULL, NULL,
                                 &error);
  limit_init (&limit, shape, n_tokens, TRUE);
  for (gsize head = 0; head < shape->n_heads; head++)
    {
      double value = 0.0, products = 0.0;

      for (gsize layer = 0; layer < shape->n_layers; layer++)
        {
          g_autoptr (GPtrArray) interventions = g_ptr_array_new ();
          g_autoptr (AttnIntervention) zero =
              attn_intervention_new (ATTN_COMPONENT_OUTPUT, ATTN_OPERATION_ZERO, 0);
          AttnMeanEffect effect;

          zero->layers = attn_index_set_new_range (layer, layer);
          zero->heads = attn_index_set_new_range (head, head);
          g_ptr_array_add (interventions, zero);
          limit.first_layer = layer;
          products += time_limit (&limit);
          double begin = now_ms ();
          if (!attn_effect_meter_compute (meter, interventions, &effect, NULL, &error))
            g_error ("%s", error->message);
          value += now_ms () - begin;
        }
      series_add (values, value);
      series_add (limits, products);
    }
  limit_clear (&limit);

  Figure figure = {
    .group = "forward",
    .name = title,
    .unit = "ms",
    .values = values,
    .limits = limits,
    .limit_name = "same products by cblas_sgemm",
    .bound = "1.3 x",
  };
  print_figure (&figure);
}

static void
measure_model (const Shape *shape,
               const char  *name,
               AttnDtype    dtype,
               const gsize *lengths,
               gsize        n_lengths)
{
  g_autoptr (GError) error = NULL;
  char *directory = write_model (shape, dtype);
  AttnModel *model = attn_model_open (directory, &error);

  if (model == NULL)
    g_error ("%s", error->message);
  if (shape->family == SHAPE_VIT)
    {
      const gsize sides[] = { 3, VIT_SIDE, VIT_SIDE };
      g_autoptr (AttnTensor) pixels = attn_tensor_new (3, sides, &error);
      AttnModel *bound = attn_model_bind_pixels (model, pixels, &error);

      if (bound == NULL)
        g_error ("%s", error->message);
      attn_model_unref (model);
      model = bound;
    }
  if (shape->family == SHAPE_GPT2 && dtype == ATTN_DTYPE_F32)
    measure_atlas (model, shape, 128);
  for (gsize i = 0; i < n_lengths; i++)
    {
      measure (model, shape, name, dtype, lengths[i], FALSE);
      if (shape->family == SHAPE_GPT2 && dtype == ATTN_DTYPE_F32 &&
          (lengths[i] == 128 || lengths[i] == 1024))
        measure (model, shape, name, dtype, lengths[i], TRUE);
    }
  attn_model_unref (model);
  remove_model (directory);
}

int
main (int    argc,
      char **argv)
{
  static const gsize lengths[] = { 16, 128, 512, 1024, 2048 };
  static const AttnDtype dtypes[] = { ATTN_DTYPE_F32, ATTN_DTYPE_BF16 };
  gsize n_lengths = G_N_ELEMENTS (lengths);
  const gsize patches = vit_base.n_positions;
  Shape llama = llama_1b;

  wanted = argc > 1 ? argv[1] : NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    measure_model (&gpt2_small, "GPT-2 small", dtypes[i], lengths, n_lengths);

  measure_model (&vit_base, "ViT-B/16", ATTN_DTYPE_F32, &patches, 1);

  /* A model at a time: 4.4 GB of float32 on the disk, mapped. */
  if (is_full_run ())
    for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
      measure_model (&llama, "Llama 1.1B", dtypes[i], lengths, n_lengths - 1);
  else
    print_note ("forward",
                "The Llama has 4 of its 22 layers, which are alike, and up to 512 tokens; "
                "--full runs all 22, up to 1024 tokens, and the 4 up to 2048.");
  llama.n_layers = 4;
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    measure_model (&llama, "Llama 1.1B, 4 layers", dtypes[i], lengths,
                   is_full_run () ? n_lengths : 3);
  return 0;
}
