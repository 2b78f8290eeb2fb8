/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a trace keeps, refuses, reports and shares. */

#include "config.h"

#include <math.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-parallel.h"
#include "model-fixture.h"
#include "plain-measures.h"

static const guint32 ids[] = { 7, 3, 3, 9, 21, 0, 49, 12, 5 };

typedef struct
{
  char *directory;
  AttnModel *model;
} Fixture;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  Recipe recipe = plain_recipe;

  recipe.n_layers = 4;
  fixture->directory = write_checkpoint (&recipe);
  fixture->model = open_model (fixture->directory);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  attn_model_unref (fixture->model);
  remove_checkpoint (fixture->directory);
}

static void
test_keep (Fixture       *fixture,
           gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnIndexSet) layers = attn_index_set_parse ("1-2", NULL);
  AttnTraceRequest request = { ids, 9, NULL, ATTN_QUANTITY_QUERY | ATTN_QUANTITY_SCORES, layers };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (fixture->model, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);

  for (gsize layer = 0; layer < 4; layer++)
    {
      gboolean is_kept = layer == 1 || layer == 2;
      g_autoptr (AttnTensor) query = attn_trace_get (trace, ATTN_QUANTITY_QUERY, layer);
      g_autoptr (AttnTensor) scores = attn_trace_get (trace, ATTN_QUANTITY_SCORES, layer);

      g_assert_cmpint (query != NULL, ==, is_kept);
      g_assert_cmpint (scores != NULL, ==, is_kept);
      g_assert_null (attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer));
      g_assert_null (attn_trace_get (trace, ATTN_QUANTITY_LOGITS, layer));
      if (!is_kept)
        continue;
      g_assert_cmpuint (query->n_dims, ==, 3);
      g_assert_cmpuint (query->shape[0], ==, 4);
      g_assert_cmpuint (query->shape[1], ==, 9);
      g_assert_cmpuint (query->shape[2], ==, 8);
      g_assert_cmpuint (scores->shape[0], ==, 4);
      g_assert_cmpuint (scores->shape[2], ==, 9);
    }
}

/* Of the layers up to the last that is asked for, and not of those above, which are not computed.
 * */
static void
test_sink_scores (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnIndexSet) layers = attn_index_set_parse ("2", NULL);
  AttnTraceRequest request = { ids, 9, NULL, ATTN_QUANTITY_WEIGHTS, layers };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (fixture->model, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTensor) sinks = attn_trace_get_sink_scores (trace);
  g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 2);

  for (gsize head = 0; head < 4; head++)
    {
      g_autoptr (AttnTensor) map = attn_tensor_slice (weights, head);

      g_assert_cmpfloat_with_epsilon (sinks->data[2 * 4 + head], attn_measure_sink_score (map, 0),
                                      1e-7);
      g_assert_true (isfinite (sinks->data[head]));
      g_assert_true (isnan (sinks->data[3 * 4 + head]));
    }

  /* What the new trace skips it has from the old. */
  g_autoptr (AttnTrace) baseline =
      compute_trace (fixture->model, ids, 9, NULL, ATTN_QUANTITY_RESIDUAL, NULL);
  g_autoptr (AttnTrace) later =
      attn_trace_compute (fixture->model, &request, baseline, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTensor) later_sinks = attn_trace_get_sink_scores (later);
  g_assert_cmpmem (later_sinks->data, 12 * sizeof (float), sinks->data, 12 * sizeof (float));
}

static void
assert_ids_refused (AttnModel     *model,
                    const guint32 *bad_ids,
                    gsize          n_ids,
                    const char    *message)
{
  g_autoptr (GError) error = NULL;
  AttnTraceRequest request = { bad_ids, n_ids, NULL, ATTN_QUANTITY_WEIGHTS, NULL };

  g_assert_null (attn_trace_compute (model, &request, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_bad_ids (Fixture       *fixture,
              gconstpointer  data)
{
  const guint32 beyond[] = { 1, 50 };
  const guint32 many[41] = { 0 };

  assert_ids_refused (fixture->model, beyond, 2,
                      "token id 50 found at position 1, expected 0 to 49");
  assert_ids_refused (fixture->model, many, 41,
                      "41 tokens found, expected 1 to 40, the positions of the model");
  assert_ids_refused (fixture->model, many, 0,
                      "0 tokens found, expected 1 to 40, the positions of the model");
  g_assert_true (attn_model_check_ids (fixture->model, many, 40, NULL));
}

static void
test_bad_request (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnIndexSet) layers = attn_index_set_parse ("4", NULL);
  g_autoptr (GPtrArray) interventions = interventions_from_text ("query/scale=1e9/all/all/all");
  AttnTraceRequest request = { ids, 9, NULL, ATTN_QUANTITY_WEIGHTS, layers };

  g_assert_null (attn_trace_compute (fixture->model, &request, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_clear_error (&error);
  request.layers = NULL;
  request.interventions = interventions;
  g_assert_null (attn_trace_compute (fixture->model, &request, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_clear_error (&error);

  g_autoptr (AttnTrace) baseline = compute_trace (fixture->model, ids, 9, NULL, 0, NULL);
  g_assert_null (attn_trace_compute_weights (baseline, 4, NULL, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (attn_trace_compute_weights (baseline, 0, layers, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (attn_trace_compute_weights (baseline, 0, NULL, interventions, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

static void
test_memory_limit (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  AttnTraceRequest request = { ids, 9, NULL, ATTN_QUANTITY_WEIGHTS, NULL };

  g_assert_cmpuint (attn_model_estimate_memory (fixture->model, 40), >,
                    attn_model_estimate_memory (fixture->model, 20));
  attn_memory_set_limit (1000);
  AttnTrace *trace = attn_trace_compute (fixture->model, &request, NULL, NULL, NULL, &error);
  attn_memory_set_limit (0);
  g_assert_null (trace);
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_MEMORY);
  g_assert_true (g_str_has_prefix (error->message, "a forward pass over 9 tokens: "));
}

/* Stops a computation from inside, once it has reached some layer. */
typedef struct
{
  GCancellable *cancellable;
  guint n_calls;
  guint last_call;
  double fraction;
} Watch;

static void
progress_cb (const char *stage,
             double      fraction,
             gpointer    user_data)
{
  Watch *watch = user_data;

  g_assert_cmpfloat (fraction, >=, watch->fraction);
  g_assert_cmpfloat (fraction, <=, 1.0);
  watch->fraction = fraction;
  if (++watch->n_calls == watch->last_call)
    g_cancellable_cancel (watch->cancellable);
}

static void
test_cancel (Fixture       *fixture,
             gconstpointer  data)
{
  AttnTraceRequest request = { ids, 9, NULL, ATTN_QUANTITY_WEIGHTS | ATTN_QUANTITY_LOGITS, NULL };
  g_autoptr (GPtrArray) interventions = interventions_from_text ("value/scale=2/0/all/all");
  g_autoptr (AttnTrace) baseline = compute_trace (fixture->model, ids, 9, NULL, 0, NULL);

  for (guint last_call = 1; last_call <= 4; last_call++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Watch watch = { cancellable, 0, last_call, 0.0 };
      const AttnProgress progress = { progress_cb, &watch };

      g_assert_null (attn_trace_compute (fixture->model, &request, NULL, &progress, cancellable,
                                         &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_cmpuint (watch.n_calls, ==, last_call);
      g_clear_error (&error);

      g_cancellable_reset (cancellable);
      watch = (Watch) { cancellable, 0, last_call, 0.0 };
      g_assert_null (attn_trace_compute_weights (baseline, 3, NULL, interventions, &progress,
                                                 cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    }
}

static void
test_progress (Fixture       *fixture,
               gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnIndexSet) layers = attn_index_set_parse ("2", NULL);
  AttnTraceRequest request = { ids, 9, NULL, ATTN_QUANTITY_WEIGHTS, layers };
  Watch watch = { NULL, 0, 0, 0.0 };
  const AttnProgress progress = { progress_cb, &watch };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (fixture->model, &request, NULL, &progress, NULL, &error);

  g_assert_no_error (error);
  /* Layers 0, 1, 2: the fourth is not needed. */
  g_assert_cmpuint (watch.n_calls, ==, 3);
}

/* A baseline of another input must not leak into the result. */
static void
test_foreign_baseline (Fixture       *fixture,
                       gconstpointer  data)
{
  const guint32 other_ids[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  g_autoptr (GPtrArray) interventions = interventions_from_text ("query/scale=0.1/3/all/all");
  g_autoptr (AttnTrace) foreign =
      compute_trace (fixture->model, other_ids, 9, NULL, ATTN_QUANTITY_RESIDUAL, NULL);
  g_autoptr (AttnTrace) alone =
      compute_trace (fixture->model, ids, 9, interventions, ATTN_QUANTITY_LOGITS, NULL);
  g_autoptr (AttnTrace) with_foreign =
      compute_trace (fixture->model, ids, 9, interventions, ATTN_QUANTITY_LOGITS, foreign);
  g_autoptr (AttnTensor) a = attn_trace_get (alone, ATTN_QUANTITY_LOGITS, 0);
  g_autoptr (AttnTensor) b = attn_trace_get (with_foreign, ATTN_QUANTITY_LOGITS, 0);

  g_assert_cmpmem (a->data, 9 * 50 * sizeof (float), b->data, 9 * 50 * sizeof (float));
}

typedef struct
{
  gint n_runs[100];
  gint is_busy[8];
} Count;

static void
count_task (gsize    task,
            gsize    worker,
            gpointer user_data)
{
  Count *count = user_data;

  g_assert_cmpuint (worker, <, 8);
  g_assert_true (g_atomic_int_compare_and_exchange (&count->is_busy[worker], 0, 1));
  g_atomic_int_inc (&count->n_runs[task]);
  g_atomic_int_set (&count->is_busy[worker], 0);
}

static void
test_parallel (void)
{
  for (gsize n_workers = 1; n_workers <= 8; n_workers++)
    for (gsize n_tasks = 0; n_tasks <= 100; n_tasks += 20)
      {
        Count count = { { 0 }, { 0 } };

        attn_parallel_run (n_tasks, n_workers, count_task, &count);
        for (gsize i = 0; i < 100; i++)
          g_assert_cmpint (count.n_runs[i], ==, i < n_tasks);
      }
}

/* A row is computed by the same instructions whoever asks for it, and when. */
static void
test_deferred (Fixture       *fixture,
               gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnIndexSet) heads = attn_index_set_parse ("1,3", NULL);
  g_autoptr (GPtrArray) scaled = interventions_from_text ("query/scale=0.25/2/all/all");
  g_autoptr (GPtrArray) meaned = interventions_from_text ("query/mean-feature/2/all/all");
  g_autoptr (AttnTrace) trace =
      compute_trace (fixture->model, ids, 9, NULL, ATTN_QUANTITY_RESIDUAL, NULL);
  g_autoptr (AttnTensor) all =
      attn_trace_compute_weights (trace, 2, heads, scaled, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnDeferred) deferred = NULL;
  double entropy = 0.0;
  double expected = 0.0;
  g_autoptr (AttnTensor) weights =
      attn_trace_defer_weights (trace, 2, heads, scaled, NULL, NULL, &deferred, &error);
  g_assert_no_error (error);
  g_assert_nonnull (deferred);

  for (gsize row = 9; row-- > 0;)
    for (gsize head = 0; head < 2; head++)
      attn_deferred_fill (deferred, head, row, 1, &entropy);
  g_assert_cmpmem (weights->data, 2 * 81 * sizeof (float), all->data, 2 * 81 * sizeof (float));
  for (gsize head = 0; head < 2; head++)
    {
      g_autoptr (AttnTensor) slice = attn_tensor_slice (weights, head);

      expected += 9.0 * attn_measure_mean_entropy (slice);
    }
  /* A row's is off by 1e-6 of itself, and by as much where it is below 1 bit. */
  g_assert_cmpfloat_with_epsilon (entropy, expected, 1e-6 * (18.0 + expected));

  /* What needs more than its row is computed at once. */
  g_clear_pointer (&deferred, attn_deferred_free);
  g_clear_pointer (&weights, attn_tensor_unref);
  weights = attn_trace_defer_weights (trace, 2, heads, meaned, NULL, NULL, &deferred, &error);
  g_assert_no_error (error);
  g_assert_null (deferred);
  g_assert_nonnull (weights);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) \
  g_test_add ("/model/trace/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("keep", test_keep);
  ADD ("sink-scores", test_sink_scores);
  ADD ("bad-ids", test_bad_ids);
  ADD ("bad-request", test_bad_request);
  ADD ("memory-limit", test_memory_limit);
  ADD ("cancel", test_cancel);
  ADD ("progress", test_progress);
  ADD ("foreign-baseline", test_foreign_baseline);
  ADD ("deferred", test_deferred);
#undef ADD
  g_test_add_func ("/model/trace/parallel", test_parallel);
  return g_test_run ();
}
