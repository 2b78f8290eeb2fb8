/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forward pass and interventions against PyTorch's results and against the plain reference. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "model-fixture.h"

static void
test_golden (gconstpointer data)
{
  check_golden (data, 30);
}

/* Other widths, depths, head counts, lengths, names, types and activations than the fixtures have.
 * */
static const Recipe recipes[] = {
  { 1, 1, 8, 32, 16, 20, ATTN_DTYPE_F32, FALSE, FALSE, FALSE, "", 11 },
  { 3, 5, 40, 160, 150, 70, ATTN_DTYPE_F32, TRUE, TRUE, TRUE, "", 12 },
  { 4, 2, 6, 24, 30, 33, ATTN_DTYPE_F32, FALSE, TRUE, TRUE, "\"n_inner\": null,", 13 },
  { 2, 8, 64, 100, 33, 41, ATTN_DTYPE_F16, TRUE, FALSE, FALSE, "\"n_inner\": 100,", 14 },
  { 2, 3, 48, 192, 140, 50, ATTN_DTYPE_BF16, FALSE, TRUE, FALSE,
    "\"activation_function\": \"gelu\", \"layer_norm_epsilon\": 0.001,", 15 },
  { 2, 2, 16, 64, 20, 20, ATTN_DTYPE_F32, TRUE, FALSE, FALSE,
    "\"activation_function\": \"relu\", \"scale_attn_weights\": false,", 16 },
  { 3, 2, 16, 64, 20, 20, ATTN_DTYPE_F32, TRUE, FALSE, FALSE,
    "\"activation_function\": \"silu\", \"scale_attn_by_inverse_layer_idx\": true,", 17 },
  { 2, 2, 16, 64, 20, 20, ATTN_DTYPE_F32, TRUE, FALSE, FALSE,
    "\"activation_function\": \"quick_gelu\",", 18 },
  { 2, 2, 16, 64, 20, 20, ATTN_DTYPE_F32, TRUE, FALSE, FALSE, "\"activation_function\": \"tanh\",",
    19 },
};

static const char * const cases[] = {
  "baseline",
  "query/mean-feature/0/all/all",
  "key/mean-token/all/all/all",
  "value/mean-head/0/all/all",
  "query/scale=0.5/0/all/all",
  "key/scale=1e-10/all/0/1-3",
  "value/scale=7/0/0/0,2",
  "query/scale=0.5/0/all/all key/scale=3/0/0/all value/mean-feature/0/all/2",
  "query/zero/0/0/all value/zero/all/0/1-3",
  "key/mean-head/0/0/all key/mean-token/0/all/all",
};

static void
test_reference (gconstpointer data)
{
  const Recipe *recipe = data;
  g_autoptr (GError) error = NULL;
  char *directory = write_checkpoint (recipe);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_assert_no_error (error);
  g_autoptr (GRand) rand = g_rand_new_with_seed (recipe->seed);
  gsize n_ids = recipe->n_positions;
  g_autofree guint32 *ids = g_new (guint32, n_ids);

  for (gsize i = 0; i < n_ids; i++)
    ids[i] = (guint32) g_rand_int_range (rand, 0, (gint32) recipe->vocabulary_size);
  g_autoptr (AttnTrace) baseline = compute_trace (model, ids, n_ids, NULL, everything, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) interventions = interventions_from_text (cases[i]);
      g_autoptr (Reference) reference =
          reference_compute (directory, recipe, ids, n_ids, interventions);
      g_autoptr (AttnTrace) trace =
          compute_trace (model, ids, n_ids, interventions, everything, baseline);

      /* From the baseline a trace begins behind the layers that nothing touches; it keeps all here.
       * */
      assert_weights (model, trace, baseline, interventions, reference->weights,
                      cases[i]);
      assert_logits (model, trace, interventions, reference->logits, cases[i]);
    }
  remove_checkpoint (directory);
}

/* The residual stream that is kept is what the next layer starts from: beginning there changes
 * nothing. */
static void
test_begin_in_the_middle (void)
{
  g_autoptr (GError) error = NULL;
  Recipe recipe = plain_recipe;
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
  recipe.n_layers = 4;
  char *directory = write_checkpoint (&recipe);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) interventions = interventions_from_text ("value/scale=3/2/all/all");
  g_autoptr (AttnTrace) baseline =
      compute_trace (model, ids, 8, NULL, ATTN_QUANTITY_RESIDUAL, NULL);
  g_autoptr (AttnIndexSet) last = attn_index_set_new_range (3, 3);
  AttnTraceRequest request = { ids, 8, interventions, everything, last };
  g_autoptr (AttnTrace) whole = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTrace) part = attn_trace_compute (model, &request, baseline, NULL, NULL, &error);
  g_assert_no_error (error);

  for (AttnQuantity quantity = ATTN_QUANTITY_RESIDUAL; quantity <= ATTN_QUANTITY_LOGITS;
       quantity <<= 1)
    {
      g_autoptr (AttnTensor) a = attn_trace_get (whole, quantity, 3);
      g_autoptr (AttnTensor) b = attn_trace_get (part, quantity, 3);

      g_assert_cmpmem (a->data, attn_tensor_get_n_elements (a) * sizeof (float), b->data,
                       attn_tensor_get_n_elements (b) * sizeof (float));
    }
  remove_checkpoint (directory);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/model/forward/golden-prefixed", "gpt2-prefixed", test_golden);
  g_test_add_data_func ("/model/forward/golden-bare", "gpt2-bare", test_golden);
  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/model/forward/reference/%zu", i);
      g_test_add_data_func (path, &recipes[i], test_reference);
    }
  g_test_add_func ("/model/forward/begin-in-the-middle", test_begin_in_the_middle);
  return g_test_run ();
}
