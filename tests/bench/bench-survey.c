/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A survey's thread, beside the time that OpenBLAS alone needs for the same matrix products. */

#include "config.h"

#include <cblas.h>

#include "attn-blas.h"
#include "bench-survey.h"

#define LENGTH       64
#define BATCH_TOKENS 512
#define N_TEXTS      (BATCH_TOKENS / LENGTH)

/* As a survey does it: several texts through each linear layer, each text's heads by themselves. */
static void
run_products (const Shape *shape,
              float       *x,
              const float *weights,
              float       *out)
{
  gsize width = shape->width;
  gsize d = width / shape->n_heads;
  const struct
  {
    gsize n;
    gsize k;
  } layers[] = { { 3 * width, width },
                 { width, width },
                 { shape->mlp_width, width },
                 { width, shape->mlp_width } };

  for (gsize layer = 0; layer < shape->n_layers; layer++)
    {
      /* The last layer's weights need nothing behind them. */
      gsize n_products = layer + 1 < shape->n_layers ? G_N_ELEMENTS (layers) : 1;
      gsize offset = (layer % 3) * width * (4 * width + 2 * shape->mlp_width);

      for (gsize i = 0; i < n_products; i++)
        {
          cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, BATCH_TOKENS,
                       (int) layers[i].n, (int) layers[i].k, 1.0f, x, (int) layers[i].k,
                       weights + offset, (int) layers[i].n, 0.0f, out, (int) layers[i].n);
          offset += layers[i].n * layers[i].k;
        }
      for (gsize i = 0; i < BATCH_TOKENS / LENGTH * shape->n_heads; i++)
        {
          cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, LENGTH, LENGTH, (int) d, 0.125f,
                       x + i * d, (int) (3 * width), x + width, (int) (3 * width), 0.0f, out,
                       LENGTH);
          cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, LENGTH, (int) d, LENGTH, 1.0f,
                       out, LENGTH, x + 2 * width, (int) (3 * width), 0.0f, out + LENGTH * LENGTH,
                       (int) width);
        }
    }
}

/* A survey of sink and entropy in all heads of a batch of texts, each run followed by the products
 * alone of its baseline. Runs are short, so that both of a pair meet the same load of the
 * machine. */
static void
measure (const char *name,
         AttnModel  *model,
         GPtrArray  *conditions,
         const char *promise)
{
  const Shape *shape = &gpt2_small;
  g_autoptr (GError) error = NULL;
  GArray *values = series_new ();
  GArray *limits = series_new ();
  gsize n_x = BATCH_TOKENS * MAX (3 * shape->width, shape->mlp_width) + 8 * shape->width;
  gsize n_weights = 3 * shape->width * (4 * shape->width + 2 * shape->mlp_width);
  g_autofree float *x = g_new0 (float, n_x);
  g_autofree float *weights = g_new0 (float, n_weights);
  g_autofree float *out = g_new0 (float, n_x);

  fill_factors (x, n_x, weights, n_weights);
  AttnSurveySpec spec = { .model = model,
                          .texts = { .length = LENGTH, .n_random = N_TEXTS },
                          .conditions = conditions,
                          .statistics = 1u << ATTN_STATISTIC_SINK | 1u << ATTN_STATISTIC_ENTROPY };
  g_autoptr (AttnSurvey) survey = attn_survey_new (&spec, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) samples = list_samples (survey, N_TEXTS);

  for (guint run = 0; run < (is_full_run () ? 36 : 24) + 1; run++)
    {
      double begin = now_ms ();
      g_autoptr (GBytes) bytes = attn_survey_compute (survey, 0, samples, NULL, &error);
      double middle = now_ms ();

      g_assert_no_error (error);
      run_products (shape, x, weights, out);
      double end = now_ms ();
      if (run == 0) /* pages are touched for the first time */
        continue;
      series_add (values, middle - begin);
      series_add (limits, end - middle);
    }
  print_figure (&(Figure) { "survey", name, "ms", values, limits,
                            "its baseline's products alone",
                            promise });
}

static void
measure_program (const char *program,
                 const char *directory,
                 guint       n_texts)
{
  g_autofree char *texts = g_strdup_printf ("--random-repeats=%u,%d,1", n_texts, LENGTH / 2);
  g_autofree char *path = g_build_filename (directory, "survey.npz", NULL);
  const char *argv[] = { program, "survey", "--model", directory, texts, "--statistic=sink,entropy",
                         "-o", path, NULL };

  measure_command ("survey", "the whole command, 64 texts, all threads", argv, path);
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GError) error = NULL;
  char *directory = write_model (&gpt2_small, ATTN_DTYPE_F32);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_autoptr (GPtrArray) conditions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_condition_free);

  g_assert_no_error (error);
  attn_blas_init ();
  g_ptr_array_add (conditions, attn_condition_new ("baseline", NULL));
  measure ("GPT-2 small, 8 texts of 64 tokens, sink and entropy, a thread", model, conditions,
           "1.15 x");
  for (int i = 1; i <= 9; i++)
    {
      GPtrArray *interventions =
          g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
      AttnIntervention *scale =
          attn_intervention_new_scale (ATTN_COMPONENT_KEY, 0.1 * i, ATTN_SITE_PROJECTION);

      scale->layers = attn_index_set_new_range (gpt2_small.n_layers - 1, gpt2_small.n_layers - 1);
      g_ptr_array_add (interventions, scale);
      g_ptr_array_add (conditions, attn_condition_new_named (interventions));
    }
  measure ("the same, and with the last layer's keys times nine ε", model, conditions, NULL);
  measure_program (argv[1], directory, 2 * ATTN_SURVEY_CHUNK);
  remove_model (directory);
  return 0;
}
