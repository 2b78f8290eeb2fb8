/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each head changed alone over some texts, beside the time that OpenBLAS alone needs for the matrix
 * products of its passes, and the whole command. Peers have the published way, a pass of the whole
 * model for each head and text. */

#include "config.h"

#include <cblas.h>

#include "attn-blas.h"
#include "bench-survey.h"

#define LENGTH  24
#define N_TEXTS 8
#define N_HEADS 2 /* of each layer */

/* All tokens of a layer's linear parts, or the last of each text behind its keys and values. */
static void
run_layer (const Shape *shape,
           gboolean     is_last,
           const float *weights,
           float       *x,
           float       *out)
{
  gsize width = shape->width;
  const struct
  {
    gsize n;
    gsize k;
  } products[] = { { 3 * width, width },
                   { width, width },
                   { shape->mlp_width, width },
                   { width, shape->mlp_width } };

  for (gsize i = 0; i < G_N_ELEMENTS (products); i++)
    {
      int n = (int) products[i].n;
      int k = (int) products[i].k;

      int n_rows = is_last && i > 0 ? N_TEXTS : N_TEXTS * LENGTH;

      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, n_rows, n, k, 1.0f, x, k, weights, n,
                   0.0f, out, n);
      weights += n * k;
    }
}

/* What a text has as it is, and each head from its layer on. */
static void
run_products (const Shape *shape,
              const float *weights,
              float       *x,
              float       *out)
{
  gsize n_layer = shape->width * (4 * shape->width + 2 * shape->mlp_width);

  for (gsize pass = 0; pass <= N_HEADS * shape->n_layers; pass++)
    {
      gsize first = pass > 0 ? (pass - 1) / N_HEADS : 0;

      for (gsize layer = first; layer < shape->n_layers; layer++)
        run_layer (shape, layer + 1 == shape->n_layers, weights + layer % 3 * n_layer, x, out);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, N_TEXTS, (int) shape->vocabulary_size,
                   (int) shape->width, 1.0f, x, (int) shape->width, weights, (int) shape->width,
                   0.0f, out, (int) shape->vocabulary_size);
    }
}

static void
measure (AttnModel *model)
{
  const Shape *shape = &gpt2_small;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) samples = NULL;
  g_autoptr (GPtrArray) conditions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_condition_free);
  g_autoptr (AttnIntervention) scale =
      attn_intervention_new_scale (ATTN_COMPONENT_QUERY, 1e-5, ATTN_SITE_PROJECTION);
  g_autoptr (AttnIndexSet) heads = attn_index_set_new_range (0, N_HEADS - 1);
  GArray *values = series_new ();
  GArray *limits = series_new ();
  gsize n_weights = MAX (3 * shape->width * (4 * shape->width + 2 * shape->mlp_width),
                         shape->width * shape->vocabulary_size);
  gsize n_x = N_TEXTS * LENGTH * shape->mlp_width;
  gsize n_out = MAX (n_x, N_TEXTS * shape->vocabulary_size);
  g_autofree float *x = g_new0 (float, n_x);
  g_autofree float *weights = g_new0 (float, n_weights);
  g_autofree float *out = g_new0 (float, n_out);

  fill_factors (x, n_x, weights, n_weights);
  g_ptr_array_add (conditions, attn_condition_new ("step 1", NULL));
  AttnSurveySpec spec = { .model = model,
                          .texts = { .length = LENGTH, .n_random = N_TEXTS },
                          .conditions = conditions,
                          .statistics = 1u << ATTN_STATISTIC_ATTRIBUTION,
                          .heads = heads,
                          .attributed = scale,
                          .rank = 1 };

  for (guint run = 0; run < (is_full_run () ? 9 : 3) + 1; run++)
    {
      g_autoptr (AttnSurvey) survey = attn_survey_new (&spec, NULL, &error);
      g_assert_no_error (error);
      if (run == 0)
        samples = list_samples (survey, N_TEXTS);
      double begin = now_ms ();
      for (guint64 unit = 0; unit < attn_survey_count_units (survey, N_TEXTS); unit++)
        {
          g_autoptr (GBytes) bytes = attn_survey_compute (survey, unit, samples, NULL, &error);

          g_assert_no_error (error);
        }
      double middle = now_ms ();
      run_products (shape, weights, x, out);
      double end = now_ms ();
      if (run == 0) /* pages are touched for the first time */
        continue;
      series_add (values, middle - begin);
      series_add (limits, end - middle);
    }
  print_figure (&(Figure) { "attribution", "GPT-2 small, 24 heads, 8 texts of 24 tokens, a thread",
                            "ms", values, limits, "its passes' products alone", "1.3 x" });
}

static void
measure_program (const char *program,
                 const char *directory)
{
  g_autofree char *texts = g_strdup_printf ("--random-repeats=%d,%d,1", N_TEXTS, LENGTH / 2);
  g_autofree char *heads = g_strdup_printf ("--heads=0-%d", N_HEADS - 1);
  g_autofree char *path = g_build_filename (directory, "survey.npz", NULL);
  const char *argv[] = { program, "survey", "--attribute", "--model", directory, texts, heads,
                         "--scale=query=1e-5", "-o", path, NULL };

  measure_command ("attribution", "the whole command, all threads", argv, path);
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GError) error = NULL;
  char *directory = write_model (&gpt2_small, ATTN_DTYPE_F32);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);

  g_assert_no_error (error);
  attn_blas_init ();
  measure (model);
  measure_program (argv[1], directory);
  remove_model (directory);
  return 0;
}
