/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a change does beyond the weights of its layer, against make_effects.py. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-effect-meter.h"
#include "attn-error.h"
#include "attn-maps.h"
#include "attn-edge.h"
#include "attn-prediction.h"
#include "attn-source.h"
#include "attn-trace-rows.h"
#include "model-fixture.h"

static const char * const fixtures[] = { "gpt2-prefixed", "llama", "gemma2", "gpt_neox", "bert" };

/* Of the largest number: float32 through two or three sharpened layers; weights as they are. */
#define TOLERANCE        1e-4
#define WEIGHT_TOLERANCE 2e-5

/* Bits or probabilities: an effect that is everywhere smaller is compared within 1e-6, to which
 * float32 logits tell it. */
#define LEAST_EFFECT 1e-2

/* In each file. */
#define N_CASES 39
/* Those whose maps are compared, too. */
#define N_MAPPED 7

typedef struct
{
  AttnModel *model;
  AttnArrayFile *expected;
  guint32 *ids;
  gsize n_ids;
  AttnSource *other; /* for patches */
} Golden;

static void
clear_golden (Golden *golden)
{
  attn_model_unref (golden->model);
  attn_array_file_unref (golden->expected);
  g_clear_pointer (&golden->other, attn_source_unref);
  g_free (golden->ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Golden, clear_golden)

static guint32 *
load_ids (const Golden *golden,
          const char   *name,
          gsize        *n_ids)
{
  const AttnArray *array = attn_array_file_lookup (golden->expected, name);
  g_autoptr (AttnTensor) values = attn_array_to_tensor (array, NULL);
  guint32 *ids = g_new (guint32, values->shape[0]);

  *n_ids = values->shape[0];
  for (gsize i = 0; i < *n_ids; i++)
    ids[i] = (guint32) values->data[i];
  return ids;
}

static void
open_golden (Golden     *golden,
             const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "model", name, "effects.safetensors", NULL);

  golden->model = open_fixture (name);
  golden->expected = attn_array_file_load (path, &error);
  g_assert_no_error (error);
  golden->ids = load_ids (golden, "ids", &golden->n_ids);

  gsize n_others;
  g_autofree guint32 *others = load_ids (golden, "other", &n_others);
  golden->other = attn_source_new (golden->model, others, n_others);
}

/* With the source of patches. */
static GPtrArray *
read_case (const Golden *golden,
           const char   *text)
{
  GPtrArray *interventions = interventions_from_text (text);

  for (guint i = 0; i < interventions->len; i++)
    {
      AttnIntervention *intervention = g_ptr_array_index (interventions, i);

      if (intervention->operation == ATTN_OPERATION_PATCH)
        intervention->source = attn_source_ref (golden->other);
    }
  return interventions;
}

/* @found: the part from @offset on of what is expected; NaN in the same places. @least: what the
 * largest number counts as at least */
static void
assert_near (const float      *found,
             const AttnTensor *expected,
             gsize             offset,
             gsize             n,
             double            tolerance,
             double            least,
             const char       *what)
{
  double largest = least;

  for (gsize i = 0; i < attn_tensor_get_n_elements (expected); i++)
    if (isfinite (expected->data[i]))
      largest = MAX (largest, fabs (expected->data[i]));
  for (gsize i = 0; i < n; i++)
    {
      float value = expected->data[offset + i];

      if (isnan (value) ? !isnan (found[i]) : !(fabs (found[i] - value) <= tolerance * largest))
        g_error ("%s: %g found at %zu, expected %g of %g", what, found[i], i, value, largest);
    }
}

static void
assert_close (const float      *found,
              const AttnTensor *expected,
              gsize             offset,
              gsize             n,
              double            tolerance,
              const char       *what)
{
  assert_near (found, expected, offset, n, tolerance, 0.0, what);
}

static void
check_maps (const Golden      *golden,
            const char        *what,
            const AttnMapSpec *spec,
            GPtrArray         *interventions,
            const AttnTensor  *expected)
{
  g_autoptr (GError) error = NULL;
  const AttnModelInfo *info = attn_model_get_info (golden->model);
  g_autoptr (AttnTrace) baseline = compute_trace (golden->model, golden->ids, golden->n_ids, NULL,
                                                  ATTN_QUANTITY_RESIDUAL, NULL);
  g_autoptr (AttnMaps) maps =
      attn_maps_new (spec, golden->model, golden->ids, golden->n_ids, interventions, NULL, baseline,
                     NULL, NULL, &error);
  gsize n = golden->n_ids * golden->n_ids;

  g_assert_no_error (error);
  for (gsize layer = 0; layer < info->n_layers; layer++)
    for (int head = 0; head < (expected->n_dims == 4 ? (int) info->n_heads : 1); head++)
      {
        g_autoptr (AttnTensor) map = attn_maps_compute (maps, layer, head, &error);
        gsize index = expected->n_dims == 4 ? layer * info->n_heads + head : layer;

        g_assert_no_error (error);
        assert_close (map->data, expected, index * n, n,
                      spec->kind == ATTN_MAP_ROLLOUT ? WEIGHT_TOLERANCE : TOLERANCE, what);
      }
}

/* Scores, value norms, logits and rollout of every head, unchanged and changed. */
static void
test_maps (gconstpointer name)
{
  static const struct
  {
    const char *name;
    AttnMapSpec spec;
  } specs[] = {
    { "scores", { ATTN_MAP_SCORES, -1, -1 } },
    { "value-norm", { ATTN_MAP_VALUE_NORM, -1, -1 } },
    { "logit", { ATTN_MAP_LOGIT, ATTN_MAP_TOKEN_NEXT, -1 } },
    { "logit=3-5", { ATTN_MAP_LOGIT, 3, 5 } },
    { "rollout", { ATTN_MAP_ROLLOUT, -1, -1 } },
  };
  g_auto (Golden) golden = { 0 };
  gsize n_checked = 0;

  open_golden (&golden, name);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (golden.expected); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (specs); k++)
      {
        const AttnArray *array = attn_array_file_get_nth (golden.expected, i);
        g_autofree char *suffix = g_strconcat ("/", specs[k].name, NULL);

        if (!g_str_has_suffix (array->name, suffix))
          continue;
        g_autofree char *text = g_strndup (array->name, strlen (array->name) - strlen (suffix));
        g_autoptr (GPtrArray) interventions = read_case (&golden, text);
        g_autoptr (AttnTensor) expected = attn_array_to_tensor (array, NULL);

        check_maps (&golden, array->name, &specs[k].spec, interventions, expected);
        n_checked++;
      }
  g_assert_cmpuint (n_checked, >=, 3 * N_MAPPED);
}

/* Of the weights themselves nothing is new: bit for bit those of a trace, and their mean. */
static void
test_maps_of_weights (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (Golden) golden = { 0 };
  const AttnMapSpec spec = { ATTN_MAP_WEIGHTS, -1, -1 };

  open_golden (&golden, "llama");
  g_autoptr (AttnTrace) baseline =
      compute_trace (golden.model, golden.ids, golden.n_ids, NULL, ATTN_QUANTITY_WEIGHTS, NULL);
  g_autoptr (AttnMaps) maps = attn_maps_new (&spec, golden.model, golden.ids, golden.n_ids, NULL,
                                             NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTensor) all = attn_trace_get (baseline, ATTN_QUANTITY_WEIGHTS, 1);
  g_autoptr (AttnTensor) map = attn_maps_compute (maps, 1, 2, &error);
  g_autoptr (AttnTensor) mean = attn_maps_compute (maps, 1, ATTN_MAPS_MEAN, &error);
  gsize n = golden.n_ids * golden.n_ids;

  g_assert_cmpmem (map->data, n * sizeof (float), all->data + 2 * n, n * sizeof (float));
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (
        mean->data[i],
        (all->data[i] + all->data[n + i] + all->data[2 * n + i] + all->data[3 * n + i]) / 4, 1e-7);
}

static AttnTensor *
compute_logit_map (AttnModel *model)
{
  g_autoptr (GError) error = NULL;
  const guint32 ids[] = { 3, 1, 4, 1, 5, 9 };
  const AttnMapSpec spec = { ATTN_MAP_LOGIT, 3, 5 };
  g_autoptr (AttnMaps) maps =
      attn_maps_new (&spec, model, ids, G_N_ELEMENTS (ids), NULL, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  AttnTensor *map = attn_maps_compute (maps, 0, 1, &error);
  g_assert_no_error (error);
  return map;
}

/* What a model multiplies its logits by counts, and a norm may have no weights. */
static void
test_logit_of_families (void)
{
  static const char * const names[] = { "olmo", "cohere", "falcon-alibi", "mpt", "phi3" };
  Copy copy = copy_fixture ("granite");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnModel) model = open_fixture (names[i]);
      g_autoptr (AttnTensor) map = compute_logit_map (model);

      for (gsize j = 0; j < attn_tensor_get_n_elements (map); j++)
        g_assert_true (isfinite (map->data[j]));
    }
  g_autoptr (AttnModel) model = open_fixture ("granite");
  g_autoptr (AttnTensor) map = compute_logit_map (model);
  set_member (&copy, "\"logits_scaling\": 6.0");
  g_autoptr (AttnModel) halved = open_model (copy.directory);
  g_autoptr (AttnTensor) half = compute_logit_map (halved);
  for (gsize j = 0; j < attn_tensor_get_n_elements (map); j++)
    g_assert_cmpfloat_with_epsilon (map->data[j], 2.0f * half->data[j], 1e-6);
  remove_checkpoint (copy.directory);
}

/* Gemma 2 has a norm behind the heads, BERT too and no norm before the unembedding. */
static void
test_logit_is_refused (void)
{
  static const char * const names[] = { "gemma2", "bert", "opt-post-norm" };
  const AttnMapSpec spec = { ATTN_MAP_LOGIT, ATTN_MAP_TOKEN_NEXT, -1 };
  const AttnMapSpec beyond = { ATTN_MAP_LOGIT, 31, -1 };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AttnModel) model = open_fixture (names[i]);
      g_autoptr (GError) error = NULL;

      g_assert_false (attn_map_check (&spec, model, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, "expected a linear way from a head to the logits"));
    }
  g_autoptr (AttnModel) model = open_fixture ("llama");
  g_autoptr (GError) error = NULL;
  g_assert_true (attn_map_check (&spec, model, NULL));
  g_assert_false (attn_map_check (&beyond, model, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
}

/* Operations on the output of heads, the residual stream and the MLP: the weights of every layer by
 * both ways, and the logits. */
static void
test_operations (gconstpointer name)
{
  g_auto (Golden) golden = { 0 };
  gsize n_checked = 0;

  open_golden (&golden, name);
  g_autoptr (AttnTrace) baseline =
      compute_trace (golden.model, golden.ids, golden.n_ids, NULL, everything, NULL);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (golden.expected); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (golden.expected, i);

      if (!g_str_has_suffix (array->name, "/weights"))
        continue;
      g_autofree char *text = g_strndup (array->name, strlen (array->name) - strlen ("/weights"));
      g_autofree char *logits_name = g_strconcat (text, "/logits", NULL);
      g_autoptr (GPtrArray) interventions = read_case (&golden, text);
      g_autoptr (AttnTensor) weights = attn_array_to_tensor (array, NULL);
      g_autoptr (AttnTensor) logits =
          attn_array_to_tensor (attn_array_file_lookup (golden.expected, logits_name), NULL);
      g_autoptr (AttnTrace) whole = compute_trace (golden.model, golden.ids, golden.n_ids,
                                                   interventions, everything, NULL);
      g_autoptr (AttnTrace) part = compute_trace (golden.model, golden.ids, golden.n_ids,
                                                  interventions, ATTN_QUANTITY_LOGITS, baseline);
      g_autoptr (AttnTensor) found = attn_trace_get (whole, ATTN_QUANTITY_LOGITS, 0);
      g_autoptr (AttnTensor) from_part = attn_trace_get (part, ATTN_QUANTITY_LOGITS, 0);
      gsize n_layer = attn_tensor_get_n_elements (weights) / weights->shape[0];

      for (gsize layer = 0; layer < weights->shape[0]; layer++)
        {
          g_autoptr (AttnTensor) a = attn_trace_get (whole, ATTN_QUANTITY_WEIGHTS, layer);
          g_autoptr (AttnTensor) b = compute_weights (baseline, layer, "all", interventions);

          assert_close (a->data, weights, layer * n_layer, n_layer, WEIGHT_TOLERANCE, text);
          assert_close (b->data, weights, layer * n_layer, n_layer, WEIGHT_TOLERANCE, text);
        }
      assert_close (found->data, logits, 0, attn_tensor_get_n_elements (logits), TOLERANCE, text);
      g_assert_cmpmem (found->data, attn_tensor_get_n_elements (found) * sizeof (float),
                       from_part->data, attn_tensor_get_n_elements (found) * sizeof (float));
      n_checked++;
    }
  g_assert_cmpuint (n_checked, ==, N_CASES);
}

/* No head puts anything out: the branch is its bias alone, whatever the values are. Without the
 * MLP, too, every token takes the same step through the layer: the biases, in a model without
 * none. */
static void
test_no_output_is_no_branch (gconstpointer name)
{
  g_auto (Golden) golden = { 0 };
  const AttnQuantity keep = ATTN_QUANTITY_LOGITS;

  open_golden (&golden, name);
  g_autoptr (GPtrArray) outputs = interventions_from_text ("output/zero/1/all/all");
  g_autoptr (GPtrArray) values = interventions_from_text ("value/zero/1/all/all");
  g_autoptr (AttnTrace) a =
      compute_trace (golden.model, golden.ids, golden.n_ids, outputs, keep, NULL);
  g_autoptr (AttnTrace) b =
      compute_trace (golden.model, golden.ids, golden.n_ids, values, keep, NULL);
  g_autoptr (AttnTensor) no_output = attn_trace_get (a, keep, 0);
  g_autoptr (AttnTensor) no_value = attn_trace_get (b, keep, 0);
  gsize n = attn_tensor_get_n_elements (no_output) * sizeof (float);

  g_assert_cmpmem (no_output->data, n, no_value->data, n);

  g_autoptr (GPtrArray) both =
      interventions_from_text ("output/zero/0/all/all inner/zero/0/all/all");
  g_autoptr (AttnTrace) skipped = compute_trace (golden.model, golden.ids, golden.n_ids, both,
                                                 ATTN_QUANTITY_RESIDUAL, NULL);
  g_autoptr (AttnTensor) before = attn_trace_get (skipped, ATTN_QUANTITY_RESIDUAL, 0);
  g_autoptr (AttnTensor) after = attn_trace_get (skipped, ATTN_QUANTITY_RESIDUAL, 1);
  gsize width = before->shape[1];
  gboolean has_no_bias = g_str_equal (name, "llama") || g_str_equal (name, "gemma2");

  /* What BERT adds is normed with the stream. */
  for (gsize i = 0; i < golden.n_ids * width && !g_str_equal (name, "bert"); i++)
    {
      double step = (double) after->data[i] - before->data[i];
      double first = (double) after->data[i % width] - before->data[i % width];

      g_assert_cmpfloat_with_epsilon (step, first, 1e-6);
      g_assert_true (!has_no_bias || step == 0.0);
    }
}

/* Of the whole pass and of one that begins at the first layer touched. */
static void
assert_same_logits (const Golden *golden,
                    GPtrArray    *interventions,
                    AttnTensor   *expected,
                    const char   *what)
{
  const AttnQuantity keep = ATTN_QUANTITY_LOGITS | ATTN_QUANTITY_RESIDUAL;
  g_autoptr (AttnTrace) baseline =
      compute_trace (golden->model, golden->ids, golden->n_ids, NULL, keep, NULL);
  gsize n = attn_tensor_get_n_elements (expected) * sizeof (float);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (AttnTrace) trace =
          compute_trace (golden->model, golden->ids, golden->n_ids, interventions,
                         ATTN_QUANTITY_LOGITS, i == 0 ? NULL : baseline);
      g_autoptr (AttnTensor) found = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);

      if (memcmp (found->data, expected->data, n) != 0)
        g_error ("%s: other bits found", what);
    }
}

/* An input patched into itself is what it was, bit for bit, whatever is patched; and all that
 * enters the first layer of another input is that input. */
static void
test_patches_of_whole_inputs (gconstpointer name)
{
  g_auto (Golden) golden = { 0 };
  const AttnQuantity keep = ATTN_QUANTITY_LOGITS;

  open_golden (&golden, name);
  const AttnModelInfo *info = attn_model_get_info (golden.model);
  gsize n_others;
  g_autofree guint32 *others = load_ids (&golden, "other", &n_others);
  g_autoptr (AttnTrace) this =
      compute_trace (golden.model, golden.ids, golden.n_ids, NULL, keep, NULL);
  g_autoptr (AttnTrace) that = compute_trace (golden.model, others, n_others, NULL, keep, NULL);
  g_autoptr (AttnTensor) own = attn_trace_get (this, keep, 0);
  g_autoptr (AttnTensor) other = attn_trace_get (that, keep, 0);
  g_autoptr (GPtrArray) whole = read_case (&golden, "residual/patch/0/all/all");

  assert_same_logits (&golden, whole, other, "residual of layer 0");
  g_clear_pointer (&golden.other, attn_source_unref);
  golden.other = attn_source_new (golden.model, golden.ids, golden.n_ids);
  for (AttnComponent i = 0; i < ATTN_COMPONENT_SCORES; i++)
    for (AttnSite site = 0; site < (i < ATTN_N_COMPONENTS ? ATTN_N_SITES : 1); site++)
      {
        g_autofree char *all = g_strdup_printf ("%s/patch@%s/all/all/all", attn_component_names[i],
                                                attn_site_names[site]);
        g_autofree char *some = g_strdup_printf ("%s/patch@%s/1/all/2-4", attn_component_names[i],
                                                 attn_site_names[site]);
        g_autoptr (GPtrArray) first = read_case (&golden, all);
        g_autoptr (GPtrArray) second = read_case (&golden, some);

        if ((site == ATTN_SITE_NORMED && !info->has_query_key_norm) ||
            (site == ATTN_SITE_ROTATED && !info->has_rotary))
          continue;
        assert_same_logits (&golden, second, own, some);
        assert_same_logits (&golden, first, own, all);
      }
}

/* Where no other key is left the one that is has all the weight. */
static void
test_last_key_has_all_weight (gconstpointer name)
{
  g_auto (Golden) golden = { 0 };

  open_golden (&golden, name);
  g_autoptr (AttnTrace) baseline =
      compute_trace (golden.model, golden.ids, golden.n_ids, NULL, ATTN_QUANTITY_RESIDUAL, NULL);
  g_autoptr (GPtrArray) cuts =
      interventions_from_text ("scores/cut=0-1/1/all/5 scores/cut=3-9/1/all/5");
  g_autoptr (AttnTensor) weights = compute_weights (baseline, 1, "all", cuts);
  g_autoptr (AttnTraceRows) rows = attn_trace_rows_new (baseline, 1, 1, cuts, NULL, NULL, NULL);
  g_autofree float *row = g_new (float, golden.n_ids *golden.n_ids);
  g_autoptr (GPtrArray) none = interventions_from_text ("scores/cut=0-5/1/2/5,7");
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_trace_rows_compute (rows, 0, golden.n_ids, row, NULL));
  for (gsize head = 0; head < weights->shape[0]; head++)
    for (gsize key = 0; key < golden.n_ids; key++)
      {
        const float *found = weights->data + (head * golden.n_ids + 5) * golden.n_ids;

        g_assert_cmpfloat (found[key], ==, key == 2 ? 1.0 : 0.0);
        g_assert_cmpfloat (row[5 * golden.n_ids + key], ==, found[key]);
      }
  if (!attn_model_get_info (golden.model)->is_causal)
    return;
  g_assert_false (attn_interventions_check (none, golden.model, golden.n_ids, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "query 5 of layer 1, head 2 without a key found"));
}

/* All queries do without the first key but the first, which sees no other. */
static void
test_cut_of_all_queries (gconstpointer name)
{
  g_auto (Golden) golden = { 0 };

  open_golden (&golden, name);
  g_autoptr (AttnTrace) baseline =
      compute_trace (golden.model, golden.ids, golden.n_ids, NULL, ATTN_QUANTITY_RESIDUAL, NULL);
  g_autoptr (GPtrArray) cuts = interventions_from_text ("scores/cut=0/1/all/all");
  g_autofree char *text = g_strdup_printf ("scores/cut=0-%zu/1/all/all", golden.n_ids - 1);
  g_autoptr (GPtrArray) all = interventions_from_text (text);
  g_autoptr (AttnTensor) before = compute_weights (baseline, 1, "all", NULL);
  g_autoptr (AttnTensor) after = compute_weights (baseline, 1, "all", cuts);
  g_autoptr (GError) error = NULL;
  gsize n = golden.n_ids;

  g_assert_true (attn_interventions_check (cuts, golden.model, n, NULL));
  for (gsize head = 0; head < after->shape[0]; head++)
    {
      const float *map = after->data + head * n * n;
      gboolean is_alone = attn_model_get_info (golden.model)->is_causal;

      g_assert_cmpfloat (map[0], ==, is_alone ? 1.0 : 0.0);
      for (gsize query = 1; query < n; query++)
        {
          const float *row = before->data + (head * n + query) * n;

          g_assert_cmpfloat (map[query * n], ==, 0.0);
          for (gsize key = 1; key < n; key++)
            /* float32; the denominator loses digits where key 0 has nearly all. */
            g_assert_cmpfloat_with_epsilon (map[query * n + key], row[key] / (1 - row[0]), 1e-4);
        }
    }
  g_assert_false (attn_interventions_check (all, golden.model, n, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

/* A position without a partner is refused, and what is written is read back. */
static void
test_pairs (void)
{
  static const struct
  {
    const char *text;
    const char *part; /* of the message; NULL for what is right */
  } cases[] = {
    { "residual/patch:4=3,0-2=6-8/0/all/all", NULL },
    { "residual/patch:2=30/0/all/all", "2=30 found, expected 0 to 4 of input 2" },
    { "residual/patch:5=3/0/all/all", "5=3 found, expected 0 to 4 of input 2" },
    { "residual/patch/0/all/all",
      "10 tokens found and 5 in input 2, expected as many in both, or positions FROM=TO that say "
      "which goes where" },
    { "residual/patch/0/all/3-5", "expected as many" },
    { "residual/patch/0/all/3-4", NULL },
    { "scores/zero/0/all/all", "zero: component scores found, which can be cut only" },
  };
  static const char * const wrong[] = { "1", "1=2=3", "1-2=3", "=1", "1=2,4=2", "a=b" };
  g_auto (Golden) golden = { 0 };

  open_golden (&golden, "llama");
  g_clear_pointer (&golden.other, attn_source_unref);
  golden.other = attn_source_new (golden.model, golden.ids, 5);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) interventions = read_case (&golden, cases[i].text);
      gboolean is_right = attn_interventions_check (interventions, golden.model, golden.n_ids,
                                                    &error);

      g_assert_cmpint (is_right, ==, cases[i].part == NULL);
      if (!is_right)
        g_assert_nonnull (strstr (error->message, cases[i].part));
    }

  g_autoptr (GPtrArray) first = read_case (&golden, cases[0].text);
  g_autofree char *text = attn_pairs_to_string (((AttnIntervention *) first->pdata[0])->pairs);
  g_autofree char *line = attn_intervention_to_string (first->pdata[0]);
  g_assert_cmpstr (text, ==, "4=3,0-2=6-8");
  g_assert_cmpstr (line, ==, "residual patch from input 2, positions 4=3,0-2=6-8, layers 0");
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_pairs_parse (wrong[i], &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
    }
}

/* What cannot be done there is refused with the reason. */
static void
test_components_are_checked (void)
{
  static const struct
  {
    const char *text;
    const char *part;
  } cases[] = {
    { "residual/scale=0.5/0/all/all", "scale: component residual found" },
    { "inner/mean-head/0/all/all", "axis head: component inner found" },
    { "inner/zero/0/1/all", "heads: component inner found" },
    { "output/zero@rotated/0/all/all", "site rotated: component output found" },
  };
  g_autoptr (AttnModel) model = open_fixture ("llama");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnIntervention) intervention = intervention_from_text (cases[i].text);

      g_assert_false (attn_intervention_check (intervention, model, 10, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_assert_nonnull (strstr (error->message, cases[i].part));
    }
}

static AttnTrace *
compute_final (const Golden    *golden,
               GPtrArray       *interventions,
               const AttnTrace *baseline)
{
  return compute_trace (golden->model, golden->ids, golden->n_ids, interventions,
                        ATTN_QUANTITY_FINAL | ATTN_QUANTITY_RESIDUAL, baseline);
}

/* What the reference says of a case; of ranks and ids with a tolerance below 1. */
static AttnTensor *
get_expected (const Golden *golden,
              const char   *text,
              const char   *what)
{
  g_autofree char *name = g_strdup_printf ("%s/%s", text, what);
  const AttnArray *array = attn_array_file_lookup (golden->expected, name);

  if (array == NULL)
    g_error ("%s: not found", name);
  return attn_array_to_tensor (array, NULL);
}

static void
assert_effect (const Golden *golden,
               const char   *text,
               const char   *what,
               const float  *found)
{
  g_autoptr (AttnTensor) expected = get_expected (golden, text, what);
  g_autofree char *name = g_strdup_printf ("%s/%s", text, what);

  assert_near (found, expected, 0, attn_tensor_get_n_elements (expected), TOLERANCE, LEAST_EFFECT,
               name);
}

#define N_TOP 3

static void
check_effects (const Golden               *golden,
               const char                 *text,
               const AttnPredictionEffect *effects,
               const AttnPredictionTop    *top)
{
  gsize n = golden->n_ids;
  g_autofree float *values = g_new (float, 5 * 2 * n);
  float *kl = values, *variation = kl + n, *loss = variation + n, *rank = loss + 2 * n;
  float *difference = rank + 2 * n;
  g_autoptr (AttnTensor) ids = get_expected (golden, text, "top");

  for (gsize row = 0; row < n; row++)
    {
      kl[row] = (float) effects[row].kl;
      variation[row] = (float) effects[row].total_variation;
      for (gsize k = 0; k < 2; k++)
        {
          loss[k * n + row] = (float) effects[row].loss[k];
          rank[k * n + row] = effects[row].rank[k] > 0 ? (float) effects[row].rank[k] : NAN;
          difference[k * n + row] = (float) effects[row].logit_difference[k];
        }
    }
  assert_effect (golden, text, "kl", kl);
  assert_effect (golden, text, "variation", variation);
  assert_effect (golden, text, "loss", loss);
  assert_effect (golden, text, "rank", rank);
  assert_effect (golden, text, "difference", difference);
  for (gsize i = 0; i < 2 * n * N_TOP; i++)
    g_assert_cmpint (top->ids[i], ==, (gint64) ids->data[i]);
  assert_effect (golden, text, "probabilities", top->probabilities);
  assert_effect (golden, text, "others", top->others);
}

/* KL, distance, loss, rank, logit difference and the first tokens of each position, for every case.
 * What changes nothing has a KL of exactly 0. */
static void
test_prediction (gconstpointer name)
{
  g_auto (Golden) golden = { 0 };
  gsize n_checked = 0;

  open_golden (&golden, name);
  g_autoptr (AttnTrace) before = compute_final (&golden, NULL, NULL);
  const AttnPredictionRequest request = { 0, golden.n_ids, { 3, 5 }, N_TOP };
  g_autofree AttnPredictionEffect *effects = g_new (AttnPredictionEffect, golden.n_ids);
  g_autofree gint64 *top = g_new (gint64, 2 * golden.n_ids * N_TOP);
  g_autofree float *probabilities = g_new (float, 2 * golden.n_ids * N_TOP);
  g_autofree float *others = g_new (float, 2 * golden.n_ids * N_TOP);
  const AttnPredictionTop list = { top, probabilities, others };

  for (gsize i = 0; i < attn_array_file_get_n_arrays (golden.expected); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (golden.expected, i);
      g_autoptr (GError) error = NULL;

      if (!g_str_has_suffix (array->name, "/kl"))
        continue;
      g_autofree char *text = g_strndup (array->name, strlen (array->name) - strlen ("/kl"));
      g_autoptr (GPtrArray) interventions = read_case (&golden, text);
      g_autoptr (AttnTrace) after = compute_final (&golden, interventions, before);

      g_assert_true (
          attn_prediction_compare (before, after, &request, effects, &list, NULL, &error));
      g_assert_no_error (error);
      check_effects (&golden, text, effects, &list);
      for (gsize row = 0; interventions->len == 0 && row < golden.n_ids; row++)
        g_assert_cmpfloat (effects[row].kl, ==, 0.0);
      n_checked++;
    }
  g_assert_cmpuint (n_checked, ==, N_CASES);
}

/* The parts of every score add up to what the softmax takes, largest first, whatever the family
 * does to queries and keys: rotary pairs of all kinds, caps, slopes, windows, grouped heads. */
static void
test_edges (gconstpointer name)
{
  static const char * const texts[] = {
    "", "query/scale=0.3/1/all/all key/mean-feature/0/all/all"
  };
  g_autoptr (AttnModel) model = open_fixture (name);
  const AttnModelInfo *info = attn_model_get_info (model);
  const guint32 ids[] = { 3, 5, 7, 11, 2, 6, 4, 9 };
  gsize n = G_N_ELEMENTS (ids);
  g_autoptr (AttnTrace) baseline =
      compute_trace (model, ids, n, NULL, ATTN_QUANTITY_RESIDUAL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GPtrArray) interventions = interventions_from_text (texts[i]);
      g_autoptr (AttnTrace) trace =
          compute_trace (model, ids, n, interventions, ATTN_QUANTITY_SCORES, NULL);

      for (gsize layer = 0; layer < info->n_layers; layer++)
        for (gsize cell = 0; cell < info->n_heads * n * n; cell += 3)
          {
            gsize head = cell / (n * n), query = cell / n % n, key = cell % n;
            g_autoptr (GError) error = NULL;
            g_autoptr (AttnTensor) scores = attn_trace_get (trace, ATTN_QUANTITY_SCORES, layer);
            g_autoptr (AttnEdge) edge = attn_edge_compute (baseline, layer, head, interventions,
                                                           query, key, NULL, &error);
            double expected = scores->data[cell];
            double sum = 0.0, turned = 0.0;

            g_assert_no_error (error);
            if (!isfinite (expected))
              g_assert_cmpfloat (edge->score, ==, expected);
            else
              g_assert_cmpfloat_with_epsilon (edge->score, expected,
                                              1e-5 * MAX (fabs (expected), 1.0));
            for (gsize k = 0; k < edge->n_features; k++)
              {
                gsize feature = edge->order[k];

                sum += edge->parts[feature];
                turned += feature < edge->rotary_width ? edge->parts[feature] : 0.0;
                g_assert_true (k == 0 || fabs (edge->parts[feature]) <=
                                             fabs (edge->parts[edge->order[k - 1]]));
              }
            g_assert_cmpfloat_with_epsilon (sum, edge->sum, 1e-9);
            g_assert_cmpfloat_with_epsilon (turned, edge->rotary_part, 1e-9);
          }
    }
}

/* Features of a rotary pair are turned by the same angle: next to each other, or half apart. */
static void
test_rotary_pairs (void)
{
  const AttnEdge apart = { .n_features = 8, .rotary_width = 4 };
  const AttnEdge paired = { .n_features = 8, .rotary_width = 4, .is_paired = TRUE };

  g_assert_cmpuint (attn_edge_get_pair (&apart, 0), ==, attn_edge_get_pair (&apart, 2));
  g_assert_cmpuint (attn_edge_get_pair (&apart, 1), ==, attn_edge_get_pair (&apart, 3));
  g_assert_cmpuint (attn_edge_get_pair (&paired, 0), ==, attn_edge_get_pair (&paired, 1));
  g_assert_cmpuint (attn_edge_get_pair (&paired, 3), ==, 1);
  g_assert_cmpuint (attn_edge_get_pair (&paired, 4), ==, 4);
}

/* Two logits of one row are those of all; a part of the positions has what all have; the token that
 * follows stands for the first of two; ids beyond the vocabulary are refused. */
static void
test_difference (gconstpointer name)
{
  g_auto (Golden) golden = { 0 };
  g_autoptr (GError) error = NULL;

  open_golden (&golden, name);
  gboolean is_causal = attn_model_get_info (golden.model)->is_causal;
  g_autoptr (AttnTrace) before = compute_final (&golden, NULL, NULL);
  g_autoptr (GPtrArray) interventions = interventions_from_text ("value/scale=0.3/0/all/all");
  g_autoptr (AttnTrace) after = compute_final (&golden, interventions, before);
  AttnPredictionRequest request = { 0, golden.n_ids, { 3, 5 }, 2 };
  g_autofree AttnPredictionEffect *all = g_new (AttnPredictionEffect, golden.n_ids);
  g_autofree gint64 *all_top = g_new (gint64, 4 * golden.n_ids);
  g_autofree float *all_shares = g_new (float, 4 * golden.n_ids);
  const AttnPredictionTop list = { all_top, all_shares, NULL };
  AttnPredictionEffect some[2];
  gint64 top[8];
  float shares[8];
  const AttnPredictionTop some_list = { top, shares, NULL };
  double difference;

  g_assert_true (
      attn_prediction_compare (before, after, &request, all, &list, NULL, NULL));
  for (gsize row = 0; row < golden.n_ids; row++)
    {
      g_assert_true (
          attn_trace_compute_difference (after, row, &request.answer, &difference, NULL, NULL));
      g_assert_cmpfloat_with_epsilon (difference, all[row].logit_difference[1], 1e-4);
    }

  request = (AttnPredictionRequest) { 2, 2, { -1, 5 }, 2 };
  g_assert_true (attn_prediction_compare (before, after, &request, some, &some_list, NULL, NULL));
  /* Products of 2 rows and of all: OpenBLAS adds them in another order. */
  g_assert_cmpfloat_with_epsilon (some[1].kl, all[3].kl, 1e-5);
  g_assert_cmpint (top[6], ==, all_top[2 * (golden.n_ids + 3)]);
  const AttnAnswer next = { golden.ids[is_causal ? 4 : 3], 5 };
  g_assert_true (attn_trace_compute_difference (before, 3, &next, &difference, NULL, NULL));
  g_assert_cmpfloat_with_epsilon (some[1].logit_difference[0], difference, 1e-4);

  request.answer.versus = (gint64) attn_model_get_info (golden.model)->vocabulary_size;
  g_assert_false (
      attn_prediction_compare (before, after, &request, some, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
}

/* The means of what is compared position by position, and nothing at all of nothing. */
static void
test_mean_effects (gconstpointer name)
{
  static const char * const texts[] = { "output/zero/0/1/all", "inner/zero/1/all/all",
                                        "query/scale=1/0/all/all" };
  g_auto (Golden) golden = { 0 };
  g_autoptr (GError) error = NULL;

  open_golden (&golden, name);
  g_autoptr (AttnTrace) before = compute_final (&golden, NULL, NULL);
  g_autoptr (AttnEffectMeter) effects =
      attn_effect_meter_new (golden.model, golden.ids, golden.n_ids, (AttnSpan) { 0, golden.n_ids },
                             before, NULL, &error);
  g_autofree AttnPredictionEffect *rows = g_new (AttnPredictionEffect, golden.n_ids);
  const AttnPredictionRequest request = { 0, golden.n_ids, ATTN_ANSWER_NONE, 0 };

  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GPtrArray) interventions = interventions_from_text (texts[i]);
      g_autoptr (AttnTrace) after = compute_final (&golden, interventions, before);
      AttnMeanEffect effect;
      double kl = 0.0, loss = 0.0;
      gsize n_targets = 0;

      g_assert_true (attn_effect_meter_compute (effects, interventions, &effect, NULL, &error));
      g_assert_true (
          attn_prediction_compare (before, after, &request, rows, NULL, NULL, NULL));
      for (gsize row = 0; row < golden.n_ids; row++)
        {
          kl += rows[row].kl / (double) golden.n_ids;
          n_targets += !isnan (rows[row].loss[0]);
          loss += isnan (rows[row].loss[0]) ? 0.0 : rows[row].loss[1] - rows[row].loss[0];
        }
      /* Sums of float32. */
      g_assert_cmpfloat_with_epsilon (effect.kl, kl, 1e-5 * MAX (kl, 1.0));
      g_assert_cmpfloat_with_epsilon (effect.loss, loss / (double) n_targets, 1e-5);
      if (i == 2)
        g_assert_cmpfloat (effect.kl, ==, 0.0);
    }
}

/* A factor of 1 is the identity, bit for bit, wherever the pass begins. */
static void
test_identity_has_no_effect (gconstpointer name)
{
  g_auto (Golden) golden = { 0 };

  open_golden (&golden, name);
  g_autoptr (AttnTrace) before = compute_final (&golden, NULL, NULL);
  g_autoptr (GPtrArray) interventions =
      interventions_from_text ("query/scale=1/0/all/all value/scale=1/1/all/all");
  g_autoptr (AttnTrace) after = compute_final (&golden, interventions, before);
  g_autofree AttnPredictionEffect *effects = g_new (AttnPredictionEffect, golden.n_ids);

  const AttnPredictionRequest request = { .n_rows = golden.n_ids, .answer = ATTN_ANSWER_NONE };
  g_assert_true (
      attn_prediction_compare (before, after, &request, effects, NULL, NULL, NULL));
  for (gsize row = 0; row < golden.n_ids; row++)
    {
      g_assert_cmpfloat (effects[row].kl, ==, 0.0);
      g_assert_cmpfloat (effects[row].total_variation, ==, 0.0);
    }
}

static const char * const edged[] = { "gpt2-prefixed", "llama", "gemma2", "gemma3", "gpt_neox",
                                      "gptj", "bloom", "bert", "mistral", "qwen3",
                                      "t5-encoder" };

int
main (int   argc,
      char *argv[])
{
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } tests[] = {
    { "maps/", test_maps },
    { "operations/", test_operations },
    { "prediction/", test_prediction },
    { "difference/", test_difference },
    { "no-output-is-no-branch/", test_no_output_is_no_branch },
    { "patched-wholly/", test_patches_of_whole_inputs },
    { "last-key/", test_last_key_has_all_weight },
    { "cut-of-all-queries/", test_cut_of_all_queries },
    { "mean-effects/", test_mean_effects },
    { "identity-has-no-effect/", test_identity_has_no_effect },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (fixtures); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (tests); k++)
      {
        g_autofree char *path = g_strconcat ("/model/effects/", tests[k].name, fixtures[i], NULL);

        g_test_add_data_func (path, fixtures[i], tests[k].func);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (edged); i++)
    {
      g_autofree char *path = g_strconcat ("/model/effects/edges/", edged[i], NULL);

      g_test_add_data_func (path, edged[i], test_edges);
    }
  g_test_add_func ("/model/effects/rotary-pairs", test_rotary_pairs);
  g_test_add_func ("/model/effects/pairs", test_pairs);
  g_test_add_func ("/model/effects/components-are-checked", test_components_are_checked);
  g_test_add_func ("/model/effects/maps-of-weights", test_maps_of_weights);
  g_test_add_func ("/model/effects/logit-is-refused", test_logit_is_refused);
  g_test_add_func ("/model/effects/logit-of-families", test_logit_of_families);
  return g_test_run ();
}
