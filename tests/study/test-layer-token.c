/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The layer-token figure on the shipped model, against weights of all layers that one forward pass
 * kept, and from a table. */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-result-data.h"
#include "attn-regions.h"
#include "attn-roles.h"
#include "study-fixture.h"

/* The same products in another order of summation, in float32. */
#define TOLERANCE 2e-6

/* <s> What is the capital of France ? The capital of France is Paris .
 * 0   1    2  3   4       5  6      7 8   9       10 11     12 13    14 */
#define N_TOKENS 15

static const guint32 ids[N_TOKENS] = { 0, 946, 265, 261, 903, 343, 855, 31, 289, 903, 343, 855,
                                       265, 907, 14 };
static const gsize columns[] = { 7, 8, 9, 12, 13, 13, 7, 8, 9, 10, 11, 12, 13, 14 };

static AttnStudy *
make_study (void)
{
  AttnStudy *study = attn_study_new ();

  study->figure = ATTN_FIGURE_LAYER_TOKEN;
  study->head = ATTN_HEAD_MEAN;
  study->acts_on_shown_layer = FALSE;
  study->roles.question = g_strdup ("What is the capital of France?");
  study->roles.answer = g_strdup ("The capital of France is Paris.");
  study->roles.exact_answer = g_strdup ("Paris");
  study->roles.reduction = ATTN_REDUCTION_MEAN;
  return study;
}

/* The weights of all layers after the interventions, from one pass that keeps them. */
static AttnTrace *
compute_all (AttnModel *model,
             GPtrArray *interventions)
{
  g_autoptr (GError) error = NULL;
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = N_TOKENS,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_WEIGHTS,
  };
  AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

static double
get_weight (const AttnTrace *trace,
            gsize            layer,
            gsize            head,
            gsize            query,
            gsize            key)
{
  g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);

  return weights->data[(head * N_TOKENS + query) * N_TOKENS + key];
}

/* The mean over heads from @first_head to @last_head and over all query rows from @first_query on:
 * those that do not see the key pay it nothing. */
static double
average (const AttnTrace *trace,
         gsize            layer,
         gsize            first_head,
         gsize            last_head,
         gsize            first_query,
         gsize            key)
{
  double sum = 0;
  gsize n = 0;

  for (gsize head = first_head; head <= last_head; head++)
    for (gsize query = first_query; query < N_TOKENS; query++, n++)
      sum += get_weight (trace, layer, head, query, key);
  return sum / n;
}

static void
assert_close (double a,
              double b)
{
  g_assert_cmpfloat_with_epsilon (a, b, TOLERANCE);
}

static void
test_mean (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  g_autoptr (AttnResult) result = fixture_run_once (study);
  g_autoptr (AttnTrace) trace = compute_all (result->model, NULL);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);

  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 3);
  g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, G_N_ELEMENTS (columns));
  g_assert_cmpint (attn_panel_get_mask (panel), ==, ATTN_MASK_NONE);
  for (gsize layer = 0; layer < 3; layer++)
    for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
      assert_close (attn_panel_get_value (panel, layer, i),
                    average (trace, layer, 0, 3, N_TOKENS - 1, columns[i]));
  g_assert_cmpstr (attn_panel_get_row_labels (panel)[2], ==, "2");
  g_assert_cmpstr (attn_panel_get_column_labels (panel)[4], ==, "exact_answer_first");
  g_assert_cmpstr (result->grid->row_title, ==, "Layer");
  g_assert_cmpstr (result->grid->column_title, ==, "Token");
  g_assert_cmpstr (result->grid->value_label, ==, "Attention Weight");
  g_assert_cmpstr (result->grid->caption, ==, "Attention of the last token, mean over 4 heads");
  g_assert_null (result->grid->cells[0].title);
  g_assert_true (panel == fixture_get_baseline (result, 0, 0));
  g_assert_cmpuint (result->n_inputs, ==, 1);
  g_assert_cmpuint (result->inputs[0]->n_tokens, ==, N_TOKENS);
}

static void
test_reductions (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  study->roles.reduction = ATTN_REDUCTION_MAX;
  g_autoptr (AttnResult) largest = fixture_run_once (study);
  study->roles.reduction = ATTN_REDUCTION_RELATIVE;
  g_autoptr (AttnResult) relative = fixture_run_once (study);
  g_autoptr (AttnTrace) trace = compute_all (largest->model, NULL);

  for (gsize layer = 0; layer < 3; layer++)
    {
      double row_largest = 0;

      for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
        row_largest = MAX (row_largest, average (trace, layer, 0, 3, N_TOKENS - 1, columns[i]));
      for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
        {
          double expected = 0;

          for (gsize head = 0; head < 4; head++)
            expected = MAX (expected, get_weight (trace, layer, head, N_TOKENS - 1, columns[i]));
          assert_close (attn_panel_get_value (fixture_get_panel (largest, 0, 0), layer, i),
                        expected);
          /* The quotient is up to 1 where its parts are some hundredths. */
          g_assert_cmpfloat_with_epsilon (
              attn_panel_get_value (fixture_get_panel (relative, 0, 0), layer, i),
              average (trace, layer, 0, 3, N_TOKENS - 1, columns[i]) / row_largest,
              TOLERANCE / row_largest);
        }
    }
  g_assert_cmpstr (largest->grid->caption, ==, "Attention of the last token, largest of 4 heads");
  g_assert_cmpstr (relative->grid->caption, ==,
                   "Attention of the last token, mean over 4 heads, relative to the largest shown "
                   "in its layer");
  g_assert_cmpstr (relative->grid->value_label, ==, "Relative Attention Weight");
}

static void
test_queries (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  study->n_last_queries = 7;
  g_autoptr (AttnResult) last = fixture_run_once (study);
  study->n_last_queries = 0;
  study->queries = attn_index_set_new_range (8, 14);
  g_autoptr (AttnResult) chosen = fixture_run_once (study);
  g_autoptr (AttnTrace) trace = compute_all (last->model, NULL);

  for (gsize layer = 0; layer < 3; layer++)
    for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
      {
        double expected = average (trace, layer, 0, 3, 8, columns[i]);

        assert_close (attn_panel_get_value (fixture_get_panel (last, 0, 0), layer, i), expected);
        assert_close (attn_panel_get_value (fixture_get_panel (chosen, 0, 0), layer, i), expected);
      }
  g_assert_cmpstr (last->grid->caption, ==, "Attention of the last 7 tokens, mean over 4 heads");
  g_assert_cmpstr (chosen->grid->caption, ==, "Attention of tokens 8-14, mean over 4 heads");

  /* No row sees a later token. */
  g_clear_pointer (&study->queries, attn_index_set_unref);
  study->queries = attn_index_set_new_range (7, 8);
  g_autoptr (AttnResult) early = fixture_run_once (study);
  AttnPanel *seen = fixture_get_panel (early, 0, 0);
  const char * const *labels = attn_panel_get_column_labels (seen);
  for (gsize i = 0; i < attn_panel_get_n_columns (seen); i++)
    {
      g_assert_cmpuint (columns[attn_panel_get_column_position (seen, i)], <=, 8);
      g_assert_false (isnan (attn_panel_get_value (seen, 0, i)));
    }
  g_assert_cmpstr (labels[0], ==, "last_q");
  g_assert_cmpstr (labels[1], ==, "first_answer");
  g_assert_cmpstr (early->grid->caption, ==,
                   "Attention of tokens 7-8, mean over 4 heads. Not seen: second_answer, "
                   "exact_answer_before_first, exact_answer_first, exact_answer_last, -6, -5, -4, "
                   "-3, -2, -1");

  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&study->queries, attn_index_set_unref);
  study->queries = attn_index_set_new_range (14, 15);
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

/* The sink taken out, and the column of a hidden token. */
static void
test_hidden_keys (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  g_autoptr (GError) error = NULL;
  study->hides_keys = TRUE;
  study->renormalises = TRUE;
  study->hidden_keys = attn_index_set_parse ("0,9", &error);
  g_autoptr (AttnResult) result = fixture_run_once (study);
  g_autoptr (AttnTrace) trace = compute_all (result->model, NULL);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);

  /* Two columns are those of the hidden token. */
  g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, G_N_ELEMENTS (columns) - 2);
  for (gsize layer = 0; layer < 3; layer++)
    for (gsize i = 0; i < attn_panel_get_n_columns (panel); i++)
      {
        gsize key = columns[attn_panel_get_column_position (panel, i)];
        double sum = 0;

        g_assert_cmpuint (key, !=, 9);
        for (gsize head = 0; head < 4; head++)
          sum += get_weight (trace, layer, head, 14, key) /
                 (1 - get_weight (trace, layer, head, 14, 0) -
                  get_weight (trace, layer, head, 14, 9));
        /* a head keeps a twentieth and more: the error of its rest is that much larger */
        g_assert_cmpfloat_with_epsilon (attn_panel_get_value (panel, layer, i), sum / 4,
                                        20 * TOLERANCE);
      }
  g_assert_cmpstr (result->grid->caption, ==,
                   "Attention of the last token, mean over 4 heads. Keys 0,9 hidden, rows "
                   "renormalised");
}

static gboolean
rows_equal (AttnPanel *a,
            AttnPanel *b,
            gsize      row)
{
  gsize n = attn_panel_get_n_columns (a);

  return memcmp (attn_panel_get_values (a)->data + row * n,
                 attn_panel_get_values (b)->data + row * n, n * sizeof (float)) == 0;
}

/* Row 0 sees nothing but the key that is hidden: it has no value, and the mean is the others'. */
static void
test_row_with_nothing_left (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  study->hides_keys = TRUE;
  study->renormalises = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, 0);
  study->queries = attn_index_set_new_range (1, 14);
  g_autoptr (AttnResult) others = fixture_run_once (study);
  g_clear_pointer (&study->queries, attn_index_set_unref);
  study->queries = attn_index_set_new_range (0, 14);
  g_autoptr (AttnResult) all = fixture_run_once (study);

  for (gsize layer = 0; layer < 3; layer++)
    g_assert_true (rows_equal (fixture_get_panel (others, 0, 0), fixture_get_panel (all, 0, 0),
                               layer));
}

static void
test_heads_and_layers (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  study->heads = attn_index_set_new_range (1, 2);
  study->layers = attn_index_set_new_range (1, 2);
  g_autoptr (AttnResult) two = fixture_run_once (study);
  study->head = 3;
  g_autoptr (AttnResult) one = fixture_run_once (study);
  g_autoptr (AttnTrace) trace = compute_all (one->model, NULL);

  g_assert_cmpuint (attn_panel_get_n_rows (fixture_get_panel (two, 0, 0)), ==, 2);
  g_assert_cmpstr (attn_panel_get_row_labels (fixture_get_panel (two, 0, 0))[0], ==, "1");
  /* Rows are known by their layers, whichever are shown: so are regions. */
  g_assert_cmpuint (attn_panel_get_row_position (fixture_get_panel (two, 0, 0), 1), ==, 2);
  AttnStudyRegion *region = attn_study_parse_region (study, "last_q,2", NULL);
  g_assert_nonnull (region);
  g_ptr_array_add (study->regions, region);
  g_autoptr (AttnResult) marked = fixture_run_once (study);
  g_assert_cmpuint (marked->grid->cells[0].n_regions, ==, 1);
  g_assert_cmpuint (marked->grid->cells[0].regions[0].first_row, ==, 1);
  g_ptr_array_set_size (study->regions, 0);
  for (gsize row = 0; row < 2; row++)
    for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
      {
        assert_close (attn_panel_get_value (fixture_get_panel (two, 0, 0), row, i),
                      average (trace, row + 1, 1, 2, N_TOKENS - 1, columns[i]));
        assert_close (attn_panel_get_value (fixture_get_panel (one, 0, 0), row, i),
                      get_weight (trace, row + 1, 3, N_TOKENS - 1, columns[i]));
      }
  g_assert_cmpstr (two->grid->caption, ==, "Attention of the last token, mean over heads 1-2");
  g_assert_cmpstr (one->grid->caption, ==, "Attention of the last token, head 3");
}

static void
compare_with (AttnPanel       *panel,
              const AttnTrace *trace)
{
  for (gsize layer = 0; layer < 3; layer++)
    for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
      assert_close (attn_panel_get_value (panel, layer, i),
                    average (trace, layer, 0, 3, N_TOKENS - 1, columns[i]));
}

/* Queries scaled in two layers; values meaned in one, which only the layers above it see. */
static void
test_interventions (void)
{
  if (!fixture_has_model ())
    return;

  for (int c = ATTN_COMPONENT_QUERY; c <= ATTN_COMPONENT_VALUE; c += 2)
    {
      gboolean is_query = c == ATTN_COMPONENT_QUERY;
      g_autoptr (AttnStudy) study = make_study ();
      g_autoptr (GPtrArray) interventions =
          g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
      AttnIntervention *intervention =
          is_query ? attn_intervention_new_scale (c, 0.25, ATTN_SITE_PROJECTION)
                   : attn_intervention_new_mean (c, ATTN_AXIS_FEATURE, ATTN_SITE_PROJECTION);
      double epsilon = 0.25;

      intervention->layers = attn_index_set_new_range (1, is_query ? 2 : 1);
      g_ptr_array_add (interventions, intervention);
      study->operation = intervention->operation;
      study->components[c] = TRUE;
      study->scope_layers = attn_index_set_ref (intervention->layers);
      g_array_append_val (study->epsilons, epsilon);

      g_autoptr (AttnResult) result = fixture_run_once (study);
      g_autoptr (AttnTrace) before = compute_all (result->model, NULL);
      g_autoptr (AttnTrace) after = compute_all (result->model, interventions);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);
      AttnPanel *baseline = fixture_get_baseline (result, 0, 0);
      compare_with (baseline, before);
      compare_with (panel, after);
      g_assert_true (rows_equal (panel, baseline, 0));
      g_assert_cmpint (rows_equal (panel, baseline, 1), ==, !is_query);
      g_assert_false (rows_equal (panel, baseline, 2));

      g_autofree char *text = attn_intervention_to_string (intervention);
      g_autofree char *found = fixture_describe_interventions (result, 0);
      g_assert_cmpstr (result->grid->cells[0].title, ==,
                       is_query ? "<i>Query</i> × 0.25, layers 1-2"
                                : "Mean of <i>Value</i>, layer 1");
      g_assert_cmpstr (result->grid->cells[0].operation, ==,
                       is_query ? "Query × 0.25, layers 1-2" : "Mean of Value, layer 1");
      g_assert_cmpstr (found, ==, text);
    }
}

/* What a figure of layers and tokens says of operations that its rows cannot show. */
static void
test_cut_and_patch_are_named (void)
{
  g_autoptr (AttnStudy) study = make_study ();
  AttnIntervention *patch =
      attn_intervention_new (ATTN_COMPONENT_RESIDUAL, ATTN_OPERATION_PATCH, ATTN_SITE_PROJECTION);

  if (!fixture_has_model ())
    {
      attn_intervention_free (patch);
      return;
    }
  patch->pairs = attn_pairs_parse ("3=4", NULL);
  patch->layers = attn_index_set_new_range (1, 1);
  g_ptr_array_add (study->extra_interventions, patch);
  study->operation = ATTN_OPERATION_CUT;
  study->cut_keys = attn_index_set_new_range (0, 0);
  g_autoptr (AttnResult) result = fixture_run_once (study);
  g_assert_cmpstr (result->grid->cells[0].title, ==,
                   "<i>Residual</i> from Input 1, positions 3=4, layer 1; Key 0 cut");
}

/* "The layer on display" is every layer of this figure. */
static void
test_shown_layer (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  study->operation = ATTN_OPERATION_MEAN;
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  g_autoptr (AttnResult) all = fixture_run_once (study);
  study->acts_on_shown_layer = TRUE;
  g_autoptr (AttnResult) shown = fixture_run_once (study);

  for (gsize layer = 0; layer < 3; layer++)
    g_assert_true (rows_equal (fixture_get_panel (all, 0, 0), fixture_get_panel (shown, 0, 0),
                               layer));
  g_assert_false (rows_equal (fixture_get_panel (all, 0, 0), fixture_get_baseline (all, 0, 0), 2));
}

static void
test_positions (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  g_autoptr (AttnResult) texts = fixture_run_once (study);
  g_autoptr (GError) error = NULL;
  g_assert_true (attn_roles_set_positions (&study->roles, "answer=8,exact=13", &error));
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, N_TOKENS, 0));
  g_autoptr (AttnResult) positions = fixture_run_once (study);

  for (gsize layer = 0; layer < 3; layer++)
    g_assert_true (rows_equal (fixture_get_panel (texts, 0, 0),
                               fixture_get_panel (positions, 0, 0), layer));
}

/* <s> What is the capital of France? The capital of France is Paris.
 * 0   1    2  3   4       5  6       7   8       9  10     11 12
 * Words 6 and 12 have two tokens. */
static void
test_words (void)
{
  if (!fixture_has_model ())
    return;

  static const gsize words[] = { 6, 7, 8, 11, 12, 12, 5, 6, 7, 8, 9, 10, 11, 12 };
  static const gsize starts[] = { 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, N_TOKENS };
  g_autoptr (AttnStudy) study = make_study ();
  study->joins_words = TRUE;
  g_autoptr (AttnResult) texts = fixture_run_once (study);
  g_autoptr (AttnTrace) trace = compute_all (texts->model, NULL);
  AttnPanel *panel = fixture_get_panel (texts, 0, 0);

  for (gsize layer = 0; layer < 3; layer++)
    for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
      {
        double sum = 0;

        for (gsize head = 0; head < 4; head++)
          for (gsize query = 13; query < N_TOKENS; query++)
            for (gsize key = starts[words[i]]; key < starts[words[i] + 1]; key++)
              sum += get_weight (trace, layer, head, query, key);
        assert_close (attn_panel_get_value (panel, layer, i), sum / 8);
      }
  g_assert_cmpstr (texts->grid->caption, ==, "Attention of the last word, mean over 4 heads");

  /* The second piece of word 6, whose first stays, and of word 12 as the query. */
  study->hides_keys = TRUE;
  study->renormalises = TRUE;
  study->hidden_keys = attn_index_set_new_range (7, 7);
  study->queries = attn_index_set_new_range (13, 13);
  g_autoptr (AttnResult) hidden = fixture_run_once (study);
  AttnPanel *rest = fixture_get_panel (hidden, 0, 0);
  g_assert_cmpuint (attn_panel_get_n_columns (rest), ==, G_N_ELEMENTS (words));
  for (gsize layer = 0; layer < 3; layer++)
    for (gsize column = 0; column < 2; column++)
      {
        double sum = 0;

        for (gsize head = 0; head < 4; head++)
          {
            double key = 0, share = 0;

            for (gsize query = 13; query < N_TOKENS; query++)
              {
                key += get_weight (trace, layer, head, query, column == 0 ? 6 : 8);
                share += 1 - get_weight (trace, layer, head, query, 7);
              }
            sum += key / share;
          }
        assert_close (attn_panel_get_value (rest, layer, column), sum / 4);
      }
  g_assert_cmpstr (hidden->grid->caption, ==,
                   "Attention of the word of token 13, mean over 4 heads. Key 7 hidden, rows "
                   "renormalised");
  study->hides_keys = FALSE;
  study->renormalises = FALSE;
  g_clear_pointer (&study->hidden_keys, attn_index_set_unref);
  g_clear_pointer (&study->queries, attn_index_set_unref);

  /* Positions are those of tokens all the same. */
  g_autoptr (GError) error = NULL;
  g_assert_true (attn_roles_set_positions (&study->roles, "answer=8,exact=13", &error));
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, N_TOKENS, 0));
  g_autoptr (AttnResult) positions = fixture_run_once (study);
  for (gsize layer = 0; layer < 3; layer++)
    g_assert_true (rows_equal (panel, fixture_get_panel (positions, 0, 0), layer));
}

static void
test_short (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  g_clear_pointer (&study->roles.question, g_free);
  g_clear_pointer (&study->roles.answer, g_free);
  study->roles.answer = g_strdup (" Paris");
  g_autoptr (AttnResult) result = fixture_run_once (study);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);

  /* last_q, second_answer and what stands before the answer are not there; <s> is none of them. */
  static const char * const names[] = { "first_answer", "exact_answer_first", "exact_answer_last",
                                        "-1" };
  g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, G_N_ELEMENTS (names));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_assert_cmpstr (attn_panel_get_column_labels (panel)[i], ==, names[i]);
      g_assert_false (isnan (attn_panel_get_value (panel, 0, i)));
    }
  g_assert_true (g_str_has_suffix (result->grid->caption,
                                   ". Not in the text: last_q, second_answer, "
                                   "exact_answer_before_first, -8, -7, -6, -5, -4, -3, -2"));

  /* Regions keep the roles that they were drawn on: of one from first_answer to -1 what is left. */
  AttnStudyRegion *region = attn_study_parse_region (study, "first_answer:-1,0-1", NULL);
  g_assert_nonnull (region);
  g_ptr_array_add (study->regions, region);
  g_autoptr (AttnResult) marked = fixture_run_once (study);
  g_assert_cmpuint (marked->grid->cells[0].n_regions, ==, 1);
  g_assert_cmpuint (marked->grid->cells[0].regions[0].first_column, ==, 0);
  g_assert_cmpuint (marked->grid->cells[0].regions[0].last_column, ==, 3);

  /* Nothing but hidden tokens is no figure. */
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, marked->inputs[0]->n_tokens - 1);
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

/* With what is there already and without. */
static void
test_workspace (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = make_study ();
  g_autoptr (AttnResult) first = fixture_run (study, workspace);
  g_autoptr (AttnResult) again = fixture_run (study, workspace);
  fixture_assert_same (first, again);

  double epsilon = 0.5;
  study->operation = ATTN_OPERATION_SCALE;
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  g_array_append_val (study->epsilons, epsilon);
  g_autoptr (AttnResult) changed = fixture_run (study, workspace);
  g_autoptr (AttnResult) fresh = fixture_run_once (study);
  fixture_assert_same (changed, fresh);

  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_cancellable_cancel (cancellable);
  g_assert_null (attn_job_run (study, workspace, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_not_found (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = make_study ();
  g_autoptr (GError) error = NULL;

  g_free (study->roles.exact_answer);
  study->roles.exact_answer = g_strdup ("Rome");
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "Rome"));
}

static void
test_regions (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = make_study ();
  const AttnRegion region = { "Answer", 0, 1, 4, 4, FALSE };
  g_ptr_array_add (study->regions, attn_study_region_new (0, &region));
  g_autoptr (AttnResult) result = fixture_run_once (study);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);
  g_autofree char *metadata = attn_result_to_metadata (result, study);

  g_assert_cmpuint (result->grid->cells[0].n_regions, ==, 1);
  g_assert_nonnull (strstr (metadata, "\"regions\":[{\"name\":\"Answer\",\"rows\":[0,1],"
                                      "\"columns\":[4,4],\"count\":2,\"mean\":"));

  const char *mean = strstr (metadata, "\"mean\":") + strlen ("\"mean\":");
  const char *largest = strstr (metadata, "\"largest\":") + strlen ("\"largest\":");
  double a = attn_panel_get_value (panel, 0, 4);
  double b = attn_panel_get_value (panel, 1, 4);
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (mean, NULL), (a + b) / 2, 1e-12);
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (largest, NULL), MAX (a, b), 1e-12);
}

/* A probe's table: nothing is computed. */
static void
test_table (void)
{
  g_autofree char *directory = g_dir_make_tmp ("layer-token-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "probe.csv", NULL);
  g_autoptr (AttnStudy) study = attn_study_new ();
  const AttnRegion region = { NULL, 1, 1, 0, 1, FALSE };

  g_assert_true (g_file_set_contents (path,
                                      "layer,last_q,exact_answer_last\n"
                                      "0,0.5,0.625\n"
                                      "1,0.75,0.875\n"
                                      "2,1,nan\n",
                                      -1, NULL));
  study->figure = ATTN_FIGURE_LAYER_TOKEN;
  study->model.path = g_strdup (path);
  g_ptr_array_add (study->regions, attn_study_region_new (0, &region));
  g_autoptr (AttnResult) result = fixture_run_once (study);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);
  g_autofree char *metadata = attn_result_to_metadata (result, study);

  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 3);
  g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, 2);
  g_assert_cmpfloat (attn_panel_get_value (panel, 1, 1), ==, 0.875);
  g_assert_true (isnan (attn_panel_get_value (panel, 2, 1)));
  g_assert_cmpstr (attn_panel_get_row_labels (panel)[2], ==, "2");
  g_assert_cmpstr (attn_panel_get_column_labels (panel)[1], ==, "exact_answer_last");
  g_assert_cmpstr (result->grid->row_title, ==, "Layer");
  g_assert_cmpstr (result->grid->value_label, ==, "Value");
  g_assert_nonnull (strstr (metadata, "\"count\":2,\"mean\":0.8125,\"largest\":0.875"));
  g_autofree char *json = attn_result_to_json (result);
  g_assert_nonnull (strstr (json, "\"values\":[[0.5,0.625],[0.75,0.875],[1,null]]"));

  study->value_label = g_strdup ("AUC");
  g_autoptr (AttnResult) named = fixture_run_once (study);
  g_assert_cmpstr (named->grid->value_label, ==, "AUC");

  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  g_unlink (path);
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "probe.csv"));
  g_rmdir (directory);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layer-token/mean", test_mean);
  g_test_add_func ("/layer-token/reductions", test_reductions);
  g_test_add_func ("/layer-token/queries", test_queries);
  g_test_add_func ("/layer-token/hidden-keys", test_hidden_keys);
  g_test_add_func ("/layer-token/row-with-nothing-left", test_row_with_nothing_left);
  g_test_add_func ("/layer-token/heads-and-layers", test_heads_and_layers);
  g_test_add_func ("/layer-token/interventions", test_interventions);
  g_test_add_func ("/layer-token/cut-and-patch-are-named", test_cut_and_patch_are_named);
  g_test_add_func ("/layer-token/shown-layer", test_shown_layer);
  g_test_add_func ("/layer-token/positions", test_positions);
  g_test_add_func ("/layer-token/words", test_words);
  g_test_add_func ("/layer-token/short", test_short);
  g_test_add_func ("/layer-token/workspace", test_workspace);
  g_test_add_func ("/layer-token/not-found", test_not_found);
  g_test_add_func ("/layer-token/regions", test_regions);
  g_test_add_func ("/layer-token/table", test_table);
  return g_test_run ();
}
