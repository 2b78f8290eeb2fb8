/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the prediction costs beside the weights: ε moved on a value with KL shown, the prediction at
 * the query under the pointer; on the shape of GPT-2 small. */

#include "config.h"

#include "attn-baseline.h"
#include "attn-closeup.h"
#include "attn-effects.h"
#include "attn-prediction.h"
#include "attn-workspace-private.h"
#include "bench.h"

#define SHOWN_LAYER 5
#define SHOWN_HEAD  3
#define N_RUNS      10

static AttnStudy *
new_study (const char *directory,
           gsize       n_tokens)
{
  g_autofree guint32 *ids = random_ids (n_tokens, gpt2_small.vocabulary_size, 1);
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load ("single", &error);

  if (study == NULL)
    g_error ("%s", error->message);
  g_free (study->model.path);
  study->model.path = g_strdup (directory);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, n_tokens, 0));
  study->layer = SHOWN_LAYER;
  study->head = SHOWN_HEAD;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
  return study;
}

static gpointer
check (gpointer  made,
       GError   *error)
{
  if (made == NULL)
    g_error ("%s", error->message);
  return made;
}

static void
print (const char *name,
       gsize       n_tokens,
       GArray     *values,
       GArray     *limits,
       const char *limit_name,
       const char *bound)
{
  g_autofree char *full = g_strdup_printf ("%s, %zu tokens", name, n_tokens);
  Figure figure = { "effects", full, "ms", values, limits, limit_name, bound };

  print_figure (&figure);
}

/* A pass of the layers behind the value of the shown one, its own included, and the logits. */
static double
time_layers (AttnWorkspace *workspace,
             AttnResult    *result)
{
  g_autoptr (GError) error = NULL;
  const AttnBaseline *baseline = attn_workspace_get_baseline (workspace, 0, 0);
  g_autoptr (GPtrArray) interventions =
      attn_cell_build_interventions (&result->cells[0], result->study);
  const AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->tokens->n_tokens,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_LOGITS,
  };
  double begin = now_ms ();
  AttnTrace *trace = check (attn_trace_compute (baseline->model, &request, baseline->residuals,
                                                NULL, NULL, &error),
                            error);
  double end = now_ms ();

  attn_trace_unref (trace);
  return end - begin;
}

/* The weights of the panel, which a window shows first, and then the KL of every position. */
static void
measure_effects (const char *directory,
                 gsize       n_tokens)
{
  g_autoptr (AttnStudy) study = new_study (directory, n_tokens);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) weights = series_new ();
  g_autoptr (GArray) effects = series_new ();
  g_autoptr (GArray) limits = series_new ();

  for (int i = 0; i < N_RUNS; i++)
    {
      g_autoptr (GError) error = NULL;

      g_array_index (study->epsilons, double, 0) = 0.5 / (1.0 + 0.01 * i);
      double begin = now_ms ();
      g_autoptr (AttnResult) shown =
          check (attn_job_run (study, workspace, NULL, NULL, &error), error);
      double middle = now_ms ();
      g_autoptr (AttnResult) all =
          check (attn_effects_add (shown, workspace, NULL, NULL, &error), error);
      double end = now_ms ();

      if (i == 0) /* the baseline */
        continue;
      series_add (weights, middle - begin);
      series_add (effects, end - middle);
      series_add (limits, time_layers (workspace, shown));
    }
  print ("weights, ε moved on the value with KL shown", n_tokens, weights, NULL, NULL, "4 ms");
  print ("KL of it, behind the weights", n_tokens, effects, limits,
         "the layers behind the value, and the logits", "1.3 x");
}

/* The first row needs a pass; another one, before those around the first are there, the logits of
 * a row. What is there already is only looked up. */
static void
measure_prediction (const char *directory,
                    gsize       n_tokens)
{
  g_autoptr (AttnStudy) study = new_study (directory, n_tokens);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnResult) result =
      check (attn_job_run (study, workspace, NULL, NULL, &error), error);
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) ahead = series_new ();
  g_autoptr (GArray) known = series_new ();

  for (int i = 0; i < N_RUNS; i++)
    {
      double begin = now_ms ();
      g_autoptr (AttnPrediction) row =
          check (attn_prediction_run (result, 0, (gsize) i, 1, workspace, NULL, &error), error);
      double middle = now_ms ();
      g_autoptr (AttnPrediction) all = check (
          attn_prediction_run (result, 0, 0, ATTN_CLOSEUP_AHEAD, workspace, NULL, &error), error);
      double end = now_ms ();

      if (!attn_prediction_has (all, result, 0, (gsize) i + 1))
        g_error ("query %d: no prediction found", i + 1);
      series_add (known, now_ms () - end);
      if (i == 0) /* the passes */
        continue;
      series_add (values, middle - begin);
      series_add (ahead, end - middle);
    }
  print ("prediction at another query, once those around the first are there", n_tokens, known,
         NULL, NULL, "16.7 ms");
  print ("prediction at another query, before that", n_tokens, values, NULL, NULL, NULL);
  print ("predictions around the first", n_tokens, ahead, NULL, NULL, NULL);
}

int
main (int    argc,
      char **argv)
{
  char *directory = write_model (&gpt2_small, ATTN_DTYPE_F32);

  measure_effects (directory, 128);
  measure_prediction (directory, 128);
  measure_prediction (directory, 1024);
  remove_model (directory);
  return 0;
}
