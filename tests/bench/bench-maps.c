/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures of which each cell is a pass of its own from its layer on, beside these passes alone. */

#include "config.h"

#include "attn-baseline.h"
#include "attn-job.h"
#include "attn-workspace-private.h"
#include "bench.h"

#define N_RUNS   3
#define N_TRIED  3 /* passes of a layer, of as many as it has cells */
#define N_TOKENS 16

/* Of two texts that differ in a token. */
static AttnStudy *
new_study (const char *directory,
           const char *preset)
{
  g_autofree guint32 *ids = random_ids (N_TOKENS, gpt2_small.vocabulary_size, 1);
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load (preset, &error);

  g_assert_no_error (error);
  g_free (study->model.path);
  study->model.path = g_strdup (directory);
  g_ptr_array_set_size (study->inputs, 0);
  for (guint32 i = 0; i < 2; i++)
    {
      ids[4] = i;
      g_ptr_array_add (study->inputs, attn_input_new_ids (ids, N_TOKENS, 0));
    }
  g_free (study->token);
  g_free (study->versus);
  study->token = g_strdup ("1");
  study->versus = g_strdup ("2");
  return study;
}

/* A pass from each layer on, as often as it has cells. */
static double
time_passes (AttnWorkspace *workspace,
             gsize          n_cells,
             AttnQuantity   keep)
{
  const AttnBaseline *baseline = attn_workspace_get_baseline (workspace, 0, 0);
  g_autoptr (GError) error = NULL;
  double begin = now_ms ();

  for (gsize layer = 0; layer < gpt2_small.n_layers; layer++)
    for (gsize head = 0; head < N_TRIED; head++)
      {
        g_autoptr (GPtrArray) interventions =
            g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
        AttnIntervention *zero = attn_intervention_new (
            ATTN_COMPONENT_OUTPUT, ATTN_OPERATION_ZERO, ATTN_SITE_PROJECTION);
        const AttnTraceRequest request = {
          .ids = baseline->ids,
          .n_ids = N_TOKENS,
          .interventions = interventions,
          .keep = keep,
        };

        zero->layers = attn_index_set_new_range (layer, layer);
        zero->heads = attn_index_set_new_range (head, head);
        g_ptr_array_add (interventions, zero);
        g_autoptr (AttnTrace) trace = attn_trace_compute (
            baseline->model, &request, baseline->residuals, NULL, NULL, &error);
        g_assert_no_error (error);
      }
  return (now_ms () - begin) * (double) n_cells / N_TRIED;
}

static void
measure (const char   *name,
         const char   *directory,
         const char   *preset,
         gsize         n_cells,
         AttnQuantity  keep,
         const char   *bound)
{
  g_autoptr (AttnStudy) study = new_study (directory, preset);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();

  for (int run = 0; run < N_RUNS; run++)
    {
      g_autoptr (GError) error = NULL;
      double begin = now_ms ();
      g_autoptr (AttnResult) result = attn_job_run (study, workspace, NULL, NULL, &error);
      double end = now_ms ();

      g_assert_no_error (error);
      if (!attn_baseline_need_residuals (attn_workspace_get_baseline (workspace, 0, 0), NULL, NULL,
                                         &error))
        g_error ("%s", error->message);
      series_add (values, end - begin);
      series_add (limits, time_passes (workspace, n_cells, keep));
    }
  print_figure (&(Figure) { "maps", name, "ms", values, limits, "a pass a cell, from its layer on",
                            bound });
}

int
main (int    argc,
      char **argv)
{
  char *directory = write_model (&gpt2_small, ATTN_DTYPE_F32);

  measure ("score atlas, each of 144 heads set to 0, 16 tokens", directory, "score-atlas",
           gpt2_small.n_heads, ATTN_QUANTITY_LOGITS, "1.15 x");
  measure ("patch map, 12 layers x 16 positions", directory, "patch-map", N_TOKENS,
           ATTN_QUANTITY_FINAL, "1.15 x");
  remove_model (directory);
  return 0;
}
