/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Several texts at a time give the weights that each gives alone. */

#include "config.h"

#include <math.h>

#include "attn-batch.h"
#include "attn-error.h"
#include "model-fixture.h"

/* Products of other sizes round differently, by each kernel of OpenBLAS in its own way: half of the
 * 2e-5 within which weights agree with other programs. 2.2e-6 was seen. */
#define TOLERANCE 1e-5

#define N_TEXTS 4

/* What is shown on the way beside the weights. */
#define SEEN                                                                                \
  (ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY | ATTN_QUANTITY_VALUE | \
   ATTN_QUANTITY_ATTENTION | ATTN_QUANTITY_MLP | ATTN_QUANTITY_FINAL)

typedef struct
{
  AttnTrace *alone[N_TEXTS];
  GPtrArray *interventions;
  gsize n_rows;
  gsize n_states;
} Expected;

static void
compare (const AttnWeightsRows *rows,
         gpointer               user_data)
{
  Expected *expected = user_data;
  g_autoptr (AttnTensor) weights =
      attn_trace_get (expected->alone[rows->text], ATTN_QUANTITY_WEIGHTS, rows->layer);
  gsize n_tokens = weights->shape[2];

  for (gsize i = 0; i < rows->n_rows; i++)
    for (gsize j = 0; j < rows->n_columns; j++)
      g_assert_cmpfloat_with_epsilon (
          rows->weights[i * rows->stride + j],
          weights->data[(rows->head * n_tokens + rows->first_row + i) * n_tokens + j], TOLERANCE);
  expected->n_rows += rows->n_rows;
}

static void
compare_states (const AttnStates *states,
                gpointer          user_data)
{
  Expected *expected = user_data;
  const AttnVectors *vectors = &states->vectors;
  g_autoptr (AttnTensor) kept =
      attn_trace_get (expected->alone[states->text], states->quantity, states->layer);

  g_assert_cmpuint (attn_tensor_get_n_elements (kept), ==,
                    vectors->n_heads * vectors->n_tokens * vectors->width);
  for (gsize head = 0; head < vectors->n_heads; head++)
    for (gsize token = 0; token < vectors->n_tokens; token++)
      for (gsize i = 0; i < vectors->width; i++)
        {
          float value = attn_vectors_get (vectors, head, token)[i];

          g_assert_cmpfloat_with_epsilon (
              value, kept->data[(head * vectors->n_tokens + token) * vectors->width + i],
              1e-5 * MAX (1.0, fabs (value)));
        }
  expected->n_states++;
}

static void
check_model (AttnModel  *model,
             const char *operations)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  const gsize longest = MIN (info->n_positions, 150);
  const gsize lengths[N_TEXTS] = { longest / 2, 1, longest, 3 };
  g_autoptr (GPtrArray) interventions = interventions_from_text (operations);
  g_autofree guint32 *ids = g_new (guint32, 2 * longest + 4);
  gsize ends[N_TEXTS];
  gsize n_ids = 0;
  Expected expected = { .interventions = interventions };

  for (gsize text = 0; text < N_TEXTS; text++)
    {
      for (gsize i = 0; i < lengths[text]; i++)
        ids[n_ids + i] = (guint32) ((i * 7 + text) % 20);
      expected.alone[text] = compute_trace (model, ids + n_ids, lengths[text], interventions,
                                            ATTN_QUANTITY_WEIGHTS | SEEN, NULL);
      n_ids += lengths[text];
      ends[text] = n_ids;
    }

  g_autoptr (GError) error = NULL;
  AttnBatch batch = { ids, ends, N_TEXTS, interventions, NULL,
                      NULL, compare, &expected, compare_states, SEEN };
  g_assert_true (attn_batch_run (model, &batch, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (expected.n_rows, ==, n_ids * info->n_layers * info->n_heads);
  g_assert_cmpuint (expected.n_states, ==, N_TEXTS * (6 * info->n_layers + 1));
  for (gsize text = 0; text < N_TEXTS; text++)
    attn_trace_unref (expected.alone[text]);
}

/* Learned positions, positions by rotation, slopes; a window; a head of its own; both halves of a
 * layer beside each other; experts. */
static void
test_texts_as_if_alone (void)
{
  static const char * const names[] = { "gpt2-bare", "llama", "bloom", "mistral", "gemma2",
                                        "roberta", "bert", "gptj", "llama-yarn", "opt",
                                        "t5-encoder", "esm", "esm-absolute", "gpt_neox",
                                        "mixtral" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnModel) model = open_fixture (names[i]);

      g_test_message ("%s", names[i]);
      check_model (model, "baseline");
      check_model (
          model,
          "key/mean-token/all/all/all query/scale=0.5/all/all/all value/mean-feature/1/all/0");
    }
}

static void
count_rows (const AttnWeightsRows *rows,
            gpointer               user_data)
{
  gsize *n_rows = user_data;

  g_assert_cmpuint (rows->layer, ==, 0);
  g_assert_cmpuint (rows->head, ==, 1);
  *n_rows += rows->n_rows;
}

static void
test_layers_and_heads (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_fixture ("llama");
  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (0, 0);
  g_autoptr (AttnIndexSet) heads = attn_index_set_new_range (1, 1);
  const guint32 ids[] = { 1, 2, 3, 4, 5 };
  const gsize ends[] = { 2, 5 };
  gsize n_rows = 0;
  AttnBatch batch = { ids, ends, 2, NULL, layers, heads, count_rows, &n_rows };

  g_assert_true (attn_batch_run (model, &batch, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n_rows, ==, 5);
}

static void
add_weights (const AttnWeightsRows *rows,
             gpointer               user_data)
{
  double *sums = user_data;

  for (gsize i = 0; i < rows->n_rows; i++)
    if (rows->layer == 0 && rows->head == 0)
      sums[rows->text] += rows->weights[i * rows->stride];
}

/* In a model that sees both ways it depends on the length of a text whether a cut leaves a key. */
static void
test_cut_leaves_a_key (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_fixture ("bert");
  const guint32 ids[] = { 1, 2, 3, 4, 5, 6 };
  const gsize ends[] = { 2, 6 };
  double sums[2][2] = { { 0 } };

  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) cut =
          interventions_from_text (i > 0 ? "scores/cut=0-1/all/all/all" : "baseline");
      AttnBatch batch = { ids, ends, 2, cut, NULL, NULL, add_weights, sums[i] };

      if (i > 0)
        ((AttnIntervention *) cut->pdata[0])->tokens = attn_index_set_new_range (0, 1);
      g_assert_true (attn_batch_run (model, &batch, NULL, &error));
      g_assert_no_error (error);
    }
  g_assert_cmpfloat (sums[1][0], ==, sums[0][0]);
  g_assert_cmpfloat (sums[1][1], <, sums[0][1]);
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = open_fixture ("llama");
  const guint32 ids[] = { 1, 1000000, 3 };
  const gsize ends[] = { 1, 3 };
  gsize n_rows = 0;
  AttnBatch batch = { ids, ends, 2, NULL, NULL, NULL, count_rows, &n_rows };

  g_assert_false (attn_batch_run (model, &batch, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/batch/texts-as-if-alone", test_texts_as_if_alone);
  g_test_add_func ("/model/batch/layers-and-heads", test_layers_and_heads);
  g_test_add_func ("/model/batch/cut-leaves-a-key", test_cut_leaves_a_key);
  g_test_add_func ("/model/batch/what-the-model-lacks-is-refused", test_refused);
  return g_test_run ();
}
