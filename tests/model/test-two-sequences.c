/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models of two sequences: each attention against PyTorch's, and what holds between them. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "../compare-tensors.h"
#include "attn-error.h"
#include "attn-maps.h"
#include "attn-source.h"
#include "model-fixture.h"

static const char * const names[] = { "t5", "t5-gated", "bart", "plbart", "mbart", "marian",
                                      "m2m_100", "pegasus", "whisper" };
static const char * const attentions[] = { "encoder", "decoder", "cross" };

static void
test_golden (gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (attentions); i++)
    check_golden_attention (data, attentions[i], 3);
}

/* Each has its own layers, and says what it is. */
static void
test_info (void)
{
  static const gsize n_layers[] = { 3, 2, 2 };

  for (gsize i = 0; i < G_N_ELEMENTS (attentions); i++)
    {
      g_autoptr (AttnModel) model = open_golden_attention ("t5", attentions[i], NULL, NULL);
      const AttnModelInfo *info = attn_model_get_info (model);

      g_assert_cmpstr (info->attention, ==, attentions[i]);
      g_assert_cmpuint (g_strv_length ((char **) info->attentions), ==, 3);
      g_assert_cmpuint (info->n_layers, ==, n_layers[i]);
      g_assert_cmpint (info->is_causal, ==, i == 1);
      g_assert_cmpint (info->predicts_next, ==, i > 0);
      g_assert_cmpint (info->has_logits, ==, i > 0);
      g_assert_cmpuint (attn_model_count_keys (model, 13), ==, i == 2 ? 19 : 13);
      g_assert_cmpint (attn_model_get_recorded_keys (model) != NULL, ==, i == 2);
    }
}

/* An encoder saved by itself, and a model of one sequence. */
static void
test_attentions (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", "t5-encoder", NULL);
  g_autoptr (AttnModel) encoder = open_fixture ("t5-encoder");
  g_autoptr (AttnModel) llama = open_fixture ("llama");

  g_assert_cmpstr (attn_model_get_info (encoder)->attention, ==, "encoder");
  g_assert_cmpuint (g_strv_length ((char **) attn_model_get_info (encoder)->attentions), ==, 1);
  g_assert_cmpstr (attn_model_get_info (llama)->attention, ==, "text");
  g_assert_null (attn_model_open_attention (directory, "cross", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "attention “cross” found, expected one of encoder"));
}

/* Nothing is computed of a decoder that has no source. */
static void
test_without_source (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", "t5", NULL);
  g_autoptr (AttnModel) model = attn_model_open_attention (directory, "decoder", &error);
  const guint32 ids[] = { 1, 2, 3 };
  const AttnTraceRequest request = { ids, 3, NULL, ATTN_QUANTITY_WEIGHTS, NULL };

  g_assert_no_error (error);
  g_assert_null (attn_trace_compute (model, &request, NULL, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "“decoder” of a decoder found without a source"));
}

/* The ways to the weights of a layer agree in cross attention, where there are more keys than
 * queries. 2e-6: the scores' last bits. */
static void
test_ways_agree (gconstpointer name)
{
  static const char * const texts[] = {
    "query/scale=0.3/1/all/all",
    "key/scale=0.3/1/1/all",
    "key/mean-head/1/1-2/all",
    "key/mean-token/1/all/13-14",
    "query/scale=0.3/0/all/all",
    "value/mean-token/1/all/all",
    "key/zero/1/1/all",
    "value/zero/0/all/12",
  };
  g_autofree guint32 *ids = NULL;
  gsize n_ids;
  g_autoptr (AttnModel) model = open_golden_attention (name, "cross", &ids, &n_ids);
  g_autoptr (AttnTrace) baseline = compute_trace (
      model, ids, n_ids, NULL, ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_SCORES, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GPtrArray) interventions = interventions_from_text (texts[i]);
      g_autoptr (AttnTrace) trace =
          compute_trace (model, ids, n_ids, interventions, ATTN_QUANTITY_WEIGHTS, NULL);
      g_autoptr (AttnTensor) whole = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 1);
      g_autoptr (AttnTensor) quick = compute_weights (baseline, 1, "all", interventions);

      g_assert_cmpfloat (compare_tensors (whole, quick), <, 2e-6);
    }
}

/* Rows of the decoder see the whole source, and sum to 1. */
static void
test_shapes (void)
{
  g_autofree guint32 *ids = NULL;
  gsize n_ids;
  g_autoptr (AttnModel) model = open_golden_attention ("t5", "cross", &ids, &n_ids);
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, n_ids, NULL, everything, NULL);
  g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 1);
  g_autoptr (AttnTensor) keys = attn_trace_get (trace, ATTN_QUANTITY_KEY, 1);
  g_autoptr (AttnTensor) queries = attn_trace_get (trace, ATTN_QUANTITY_QUERY, 1);

  g_assert_cmpuint (weights->shape[0], ==, 4);
  g_assert_cmpuint (weights->shape[1], ==, 13);
  g_assert_cmpuint (weights->shape[2], ==, 19);
  g_assert_cmpuint (queries->shape[1], ==, 13);
  g_assert_cmpuint (keys->shape[1], ==, 19);
  for (gsize row = 0; row < 4 * 13; row++)
    {
      double sum = 0.0;

      for (gsize key = 0; key < 19; key++)
        {
          g_assert_cmpfloat (weights->data[row * 19 + key], >, 0.0f);
          sum += weights->data[row * 19 + key];
        }
      g_assert_cmpfloat_with_epsilon (sum, 1.0, 1e-6);
    }
}

static AttnModel *
bind_to (const char    *attention,
         const guint32 *source,
         gsize          n_source)
{
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", "t5", NULL);
  g_autoptr (AttnModel) model = attn_model_open_attention (directory, attention, NULL);
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (source, n_source, NULL);

  return attn_model_bind (model, tokens);
}

/* Keys and values that all come from another source leave what that source gives: the encoder is
 * looked at by nothing else. 2e-6: sums in another order where the sources differ in length. */
static void
test_patch_of_source (void)
{
  const guint32 source[] = { 5, 9, 2, 6, 5, 3, 5 };
  const guint32 other_source[] = { 7, 7, 1, 30, 12, 4, 8 };
  const guint32 ids[] = { 0, 3, 1, 4, 1 };
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", "t5", NULL);
  g_autoptr (AttnModel) base = attn_model_open_attention (directory, "cross", NULL);
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (source, 7, NULL);
  g_autoptr (AttnTokens) other_tokens = attn_tokens_new_from_ids (other_source, 7, NULL);
  g_autoptr (AttnModel) model = attn_model_bind (base, tokens);
  g_autoptr (AttnModel) other = attn_model_bind (base, other_tokens);
  g_autoptr (GPtrArray) patches = interventions_from_text ("key/patch/all/all/all "
                                                           "value/patch/all/all/all");
  g_autoptr (AttnSource) from = attn_source_new (other, ids, 5);

  for (guint i = 0; i < patches->len; i++)
    ((AttnIntervention *) patches->pdata[i])->source = attn_source_ref (from);
  g_autoptr (AttnTrace) patched = compute_trace (model, ids, 5, patches, everything, NULL);
  g_autoptr (AttnTrace) expected = compute_trace (other, ids, 5, NULL, everything, NULL);
  g_autoptr (AttnTrace) before = compute_trace (model, ids, 5, NULL, everything, NULL);
  g_autoptr (AttnTensor) logits = attn_trace_get (patched, ATTN_QUANTITY_LOGITS, 0);
  g_autoptr (AttnTensor) expected_logits = attn_trace_get (expected, ATTN_QUANTITY_LOGITS, 0);
  g_autoptr (AttnTensor) logits_before = attn_trace_get (before, ATTN_QUANTITY_LOGITS, 0);

  g_assert_cmpfloat (compare_tensors (logits, expected_logits), <, 2e-6);
  g_assert_cmpfloat (compare_tensors (logits, logits_before), >, 0.01);
}

static AttnTensor *
make_features (gsize n_bins,
               gsize n_frames)
{
  const gsize shape[] = { n_bins, n_frames };

  return attn_tensor_new (2, shape, NULL);
}

/* Tokens of a sound are called by the time at which they begin; a decoder looks at these. */
static void
test_sound (void)
{
  g_autoptr (AttnModel) encoder = open_golden_attention ("whisper", "encoder", NULL, NULL);
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", "whisper", NULL);
  g_autoptr (AttnModel) model = attn_model_open_attention (directory, "cross", NULL);
  const AttnModelInfo *info = attn_model_get_info (model);
  g_autoptr (AttnTokens) frames = attn_model_list_frames (model, 0.02);
  g_autoptr (AttnTokens) others = attn_model_list_frames (model, 0.0125);
  g_autoptr (AttnTensor) features = make_features (5, 30);
  g_autoptr (AttnModel) bound = attn_model_bind_features (model, features, frames, NULL);

  g_assert_true (info->needs_sound);
  g_assert_true (info->needs_source);
  g_assert_cmpuint (info->n_bins, ==, 5);
  g_assert_cmpuint (info->n_frames, ==, 30);
  g_assert_cmpuint (info->n_positions, ==, 13);
  g_assert_true (attn_model_get_info (encoder)->needs_sound);
  g_assert_false (attn_model_get_info (encoder)->needs_source);
  g_assert_cmpuint (attn_model_get_info (encoder)->n_positions, ==, 15);
  g_assert_cmpuint (frames->n_tokens, ==, 15);
  g_assert_cmpstr (frames->labels[1], ==, "0.02 s");
  g_assert_cmpstr (frames->labels[14], ==, "0.28 s");
  g_assert_cmpstr (others->labels[1], ==, "0.0125 s");
  g_assert_cmpstr (attn_model_get_recorded_keys (bound)[14], ==, "0.28 s");
}

/* A sound has as many frames as the encoder has positions for, and nothing is computed of an
 * encoder without one. */
static void
test_other_sounds (void)
{
  static const gsize shapes[][2] = { { 5, 28 }, { 5, 31 }, { 80, 30 } };
  static const char * const all[] = { "encoder", "decoder" };
  const guint32 ids[] = { 0, 1, 2 };
  const AttnTraceRequest request = { ids, 3, NULL, ATTN_QUANTITY_WEIGHTS, NULL };
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", "whisper", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (all) * G_N_ELEMENTS (shapes); i++)
    {
      const gsize *shape = shapes[i / 2];
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnModel) model = attn_model_open_attention (directory, all[i % 2], &error);
      g_autoptr (AttnTokens) frames = attn_model_list_frames (model, 0.02);
      g_autoptr (AttnTensor) features = make_features (shape[0], shape[1]);

      g_assert_no_error (error);
      g_assert_null (attn_model_bind_features (model, features, frames, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE);
      g_assert_nonnull (strstr (error->message, "expected [5 mel bins, 30 frames]"));
      g_clear_error (&error);
      g_assert_null (attn_trace_compute (model, &request, NULL, NULL, NULL, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
    }
}

/* A cut of source tokens leaves none of their weight. */
static void
test_cut (void)
{
  const guint32 source[] = { 5, 9, 2, 6, 5, 3, 5 };
  const guint32 ids[] = { 0, 3, 1 };
  g_autoptr (AttnModel) model = bind_to ("cross", source, 7);
  g_autoptr (GPtrArray) cuts = interventions_from_text ("scores/cut=5-6/all/all/all");
  g_autoptr (AttnTrace) trace = compute_trace (model, ids, 3, cuts, everything, NULL);
  g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 0);
  for (gsize row = 0; row < weights->shape[0] * 3; row++)
    for (gsize key = 0; key < 7; key++)
      g_assert_cmpint (weights->data[row * 7 + key] > 0.0f, ==, key < 5);
}

/* Positions of keys are the source's, of queries the target's. */
static void
test_scopes_are_checked (void)
{
  static const char * const good[] = { "key/zero/0/all/6", "value/zero/0/all/3-6",
                                       "query/zero/0/all/2" };
  static const char * const bad[] = { "key/zero/0/all/7", "query/zero/0/all/3",
                                      "query/zero/2/all/all", "query/zero/0/4/all" };
  const guint32 source[] = { 5, 9, 2, 6, 5, 3, 5 };
  g_autoptr (AttnModel) model = bind_to ("cross", source, 7);

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (GPtrArray) interventions = interventions_from_text (good[i]);

      g_assert_true (attn_interventions_check (interventions, model, 3, NULL));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GPtrArray) interventions = interventions_from_text (bad[i]);

      g_assert_false (attn_interventions_check (interventions, model, 3, NULL));
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *golden = g_strconcat ("/model/two-sequences/golden/", names[i], NULL);
      g_autofree char *ways = g_strconcat ("/model/two-sequences/ways-agree/", names[i], NULL);

      g_test_add_data_func (golden, names[i], test_golden);
      g_test_add_data_func (ways, names[i], test_ways_agree);
    }
  g_test_add_func ("/model/two-sequences/info", test_info);
  g_test_add_func ("/model/two-sequences/attentions", test_attentions);
  g_test_add_func ("/model/two-sequences/without-source", test_without_source);
  g_test_add_func ("/model/two-sequences/shapes", test_shapes);
  g_test_add_func ("/model/two-sequences/patch-of-source", test_patch_of_source);
  g_test_add_func ("/model/two-sequences/cut", test_cut);
  g_test_add_func ("/model/two-sequences/sound", test_sound);
  g_test_add_func ("/model/two-sequences/other-sounds", test_other_sounds);
  g_test_add_func ("/model/two-sequences/scopes-are-checked", test_scopes_are_checked);
  return g_test_run ();
}
