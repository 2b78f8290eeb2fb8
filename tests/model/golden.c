/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Results of the program against those of PyTorch. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "model-fixture.h"

/* What the README promises. float32 carries 6e-8 of each number; through the products of two or
 * three sharpened layers a score is off by some 1e-6, which is what a weight is then off by: 1.2e-5
 * where sums have the four lanes of SSE2 (OpenBLAS's Nehalem, our plain copies), less with more. */
#define WEIGHT_TOLERANCE 2e-5
/* Of the logits' own size, which goes up to 13 here. Gemma 4, whose scores are not divided by the
 * root of the head width, is off the most: 5e-6 on x86, 1.04e-5 where numbers are added in another
 * order, as on s390x. */
#define LOGIT_TOLERANCE 2e-5
/* How many times as far numbers are off where queries or keys become their mean and then pass a
 * norm: it divides by that mean, and so the rounding of it, which is of numbers that cancel one
 * another. Weights 2.4e-5 and logits 2.2e-5 of their size in Qwen3-VL with AVX2 (OpenBLAS's
 * Haswell), weights 7.2e-5 in Gemma 4 of a GGUF file. */
#define NORMED_MEAN 10

const AttnQuantity everything =
    ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY | ATTN_QUANTITY_VALUE |
    ATTN_QUANTITY_SCORES | ATTN_QUANTITY_WEIGHTS | ATTN_QUANTITY_OUTPUT |
    ATTN_QUANTITY_ATTENTION | ATTN_QUANTITY_MLP | ATTN_QUANTITY_LOGITS;

/* Returns how many times as far as otherwise numbers may be off. */
static double
get_looseness (AttnModel *model,
               GPtrArray *interventions)
{
  for (guint i = 0; attn_model_get_info (model)->has_query_key_norm && i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->operation == ATTN_OPERATION_MEAN &&
          intervention->axis == ATTN_AXIS_FEATURE &&
          intervention->component != ATTN_COMPONENT_VALUE)
        return NORMED_MEAN;
    }
  return 1;
}

/* @weights: [L, H, T, T]. Sees to both ways to the weights: the whole trace, and one layer from the
 * baseline. */
void
assert_weights (AttnModel    *model,
                AttnTrace    *trace,
                AttnTrace    *baseline,
                GPtrArray    *interventions,
                const double *weights,
                const char   *what)
{
  double tolerance = WEIGHT_TOLERANCE * get_looseness (model, interventions);

  for (gsize layer = 0; layer < attn_model_get_info (model)->n_layers; layer++)
    {
      g_autoptr (AttnTensor) found = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);

      if (!attn_model_has_map (model, layer))
        {
          g_assert_null (found);
          continue;
        }
      g_autoptr (AttnTensor) quick = compute_weights (baseline, layer, "all", interventions);
      const double *expected = weights + layer * attn_tensor_get_n_elements (found);
      double error = MAX (largest_error (found, expected), largest_error (quick, expected));

      if (!(error < tolerance))
        g_test_message ("%s, layer %zu: weights off by %g", what, layer, error);
      g_assert_cmpfloat (error, <, tolerance);
    }
}

void
assert_logits (AttnModel    *model,
               AttnTrace    *trace,
               GPtrArray    *interventions,
               const double *logits,
               const char   *what)
{
  g_autoptr (AttnTensor) found = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
  double error = largest_error (found, logits);
  double tolerance = LOGIT_TOLERANCE * get_looseness (model, interventions);
  double largest = 1.0;

  for (gsize i = 0; i < attn_tensor_get_n_elements (found); i++)
    largest = MAX (largest, fabs (logits[i]));
  if (!(error < tolerance * largest))
    g_test_message ("%s: logits off by %g of %g", what, error, largest);
  g_assert_cmpfloat (error, <, tolerance * largest);
}

static double *
read_doubles (const AttnArrayFile *file,
              const char          *name)
{
  g_autoptr (GError) error = NULL;
  const AttnArray *array = attn_array_file_lookup (file, name);
  g_autoptr (AttnTensor) tensor = array != NULL ? attn_array_to_tensor (array, &error) : NULL;

  g_assert_no_error (error);
  g_assert_nonnull (tensor);
  gsize n = attn_tensor_get_n_elements (tensor);
  double *values = g_new (double, n);
  for (gsize i = 0; i < n; i++)
    values[i] = tensor->data[i];
  return values;
}

/**
 * read_expected:
 * @name: a folder of fixtures
 *
 * Returns: (transfer full): an array of its expected.safetensors
 */
AttnTensor *
read_expected (const char *name,
               const char *member)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "model", name, "expected.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  AttnTensor *tensor = attn_array_to_tensor (attn_array_file_lookup (file, member), &error);
  g_assert_no_error (error);
  return tensor;
}

/**
 * check_golden:
 * @name: a folder that make_fixtures.py made
 * @n_expected: how many cases it has at least
 */
void
check_golden (const char *name,
              gsize       n_expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", name, NULL);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);

  g_assert_no_error (error);
  check_golden_model (model, name, n_expected);
}

static guint32 *
read_ids (const AttnArrayFile *file,
          const char          *name,
          gsize               *n_ids)
{
  g_autofree double *values = read_doubles (file, name);
  guint32 *ids;

  *n_ids = attn_array_file_lookup (file, name)->shape[0];
  ids = g_new (guint32, *n_ids);
  for (gsize i = 0; i < *n_ids; i++)
    ids[i] = (guint32) values[i];
  return ids;
}

static AttnArrayFile *
load_expected (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "model", name, "expected.safetensors", NULL);
  AttnArrayFile *expected = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return expected;
}

/* @prefix: of the cases */
static void
check_cases (AttnModel           *model,
             const AttnArrayFile *expected,
             const char          *ids_name,
             const char          *prefix,
             gsize                n_expected)
{
  AttnQuantity keep = everything;
  gsize n_ids;
  g_autofree guint32 *ids = read_ids (expected, ids_name, &n_ids);

  if (!attn_model_get_info (model)->has_logits)
    keep &= ~(AttnQuantity) ATTN_QUANTITY_LOGITS;
  g_autoptr (AttnTrace) baseline = compute_trace (model, ids, n_ids, NULL, keep, NULL);
  gsize n_cases = 0;
  for (gsize i = 0; i < attn_array_file_get_n_arrays (expected); i++)
    {
      const char *member = attn_array_file_get_nth (expected, i)->name;

      if (!g_str_has_prefix (member, prefix) || !g_str_has_suffix (member, "/weights"))
        continue;
      g_autofree char *what = g_strndup (member, strlen (member) - strlen ("/weights"));
      g_autofree char *logits_name = g_strconcat (what, "/logits", NULL);
      g_autofree double *weights = read_doubles (expected, member);
      g_autoptr (GPtrArray) interventions = interventions_from_text (what + strlen (prefix));
      g_autoptr (AttnTrace) trace = compute_trace (model, ids, n_ids, interventions, keep, NULL);

      assert_weights (model, trace, baseline, interventions, weights, what);
      if ((keep & ATTN_QUANTITY_LOGITS) != 0)
        {
          g_autofree double *logits = read_doubles (expected, logits_name);

          assert_logits (model, trace, interventions, logits, what);
        }
      n_cases++;
    }
  g_assert_cmpuint (n_cases, >=, n_expected);
}

/**
 * check_golden_model:
 * @model: the one of that folder, from wherever it was opened
 *
 * Logits are left out for a model without a head.
 */
void
check_golden_model (AttnModel  *model,
                    const char *name,
                    gsize       n_expected)
{
  g_autoptr (AttnArrayFile) expected = load_expected (name);

  check_cases (model, expected, "ids", "", n_expected);
}

/**
 * open_golden_attention:
 * @ids: (out) (optional) (array length=n_ids): the tokens of its queries
 *
 * Returns: (transfer full): the model of that folder and that attention, with its source
 */
AttnModel *
open_golden_attention (const char  *name,
                       const char  *attention,
                       guint32    **ids,
                       gsize       *n_ids)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_test_build_filename (G_TEST_DIST, "model", name, NULL);
  g_autoptr (AttnArrayFile) expected = load_expected (name);
  g_autoptr (AttnModel) model = attn_model_open_attention (directory, attention, &error);
  gboolean is_bound;
  gsize n_source;

  g_assert_no_error (error);
  g_autofree guint32 *source = read_ids (expected, "ids", &n_source);
  is_bound = attn_model_get_info (model)->needs_source;
  if (ids != NULL)
    *ids = read_ids (expected, is_bound ? "target" : "ids", n_ids);
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (source, n_source, NULL);
  if (attn_model_get_info (model)->needs_sound)
    {
      g_autoptr (AttnTensor) features =
          attn_array_to_tensor (attn_array_file_lookup (expected, "features"), &error);

      g_assert_no_error (error);
      AttnModel *bound = attn_model_bind_features (model, features, tokens, &error);
      g_assert_no_error (error);
      return bound;
    }
  return is_bound ? attn_model_bind (model, tokens) : g_steal_pointer (&model);
}

/**
 * check_golden_attention:
 *
 * check_golden() of one of several attentions.
 */
void
check_golden_attention (const char *name,
                        const char *attention,
                        gsize       n_expected)
{
  g_autoptr (AttnArrayFile) expected = load_expected (name);
  g_autoptr (AttnModel) model = open_golden_attention (name, attention, NULL, NULL);
  g_autofree char *prefix = g_strconcat (attention, ":", NULL);

  check_cases (model, expected, g_str_equal (attention, "encoder") ? "ids" : "target", prefix,
               n_expected);
}

/**
 * check_golden_half:
 * @model: of a folder that make_halves() made, with its picture where it sees
 * @half: its attention
 */
void
check_golden_half (AttnModel  *model,
                   const char *name,
                   const char *half,
                   gsize       n_expected)
{
  g_autoptr (AttnArrayFile) expected = load_expected (name);
  g_autofree char *prefix = g_strconcat (half, ":", NULL);

  check_cases (model, expected, g_str_equal (half, "vision") ? "patches" : "ids", prefix,
               n_expected);
}
