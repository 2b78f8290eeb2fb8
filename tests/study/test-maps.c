/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures of one map: a number for each head, or for each place that is patched. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attn-error.h"
#include "attn-head-map.h"
#include "attn-map-figure.h"
#include "attn-prediction.h"
#include "attn-result-data.h"
#include "attn-single.h"
#include "attn-source.h"
#include "study-fixture.h"

/* Sums of float32 over the vocabulary. */
#define TOLERANCE 1e-5

static AttnTrace *
compute (AttnResult *result,
         gsize       input,
         GPtrArray  *interventions)
{
  g_autofree guint32 *ids = attn_tokens_dup_ids (result->inputs[input]);
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = result->inputs[input]->n_tokens,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_FINAL,
  };
  g_autoptr (GError) error = NULL;
  AttnTrace *trace = attn_trace_compute (result->model, &request, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

static GPtrArray *
wrap (AttnIntervention *intervention)
{
  GPtrArray *interventions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

  g_ptr_array_add (interventions, intervention);
  return interventions;
}

/* Each cell is what the prediction loses without that head: mean KL, and the change of the loss. */
static void
test_effects_of_heads (void)
{
  static const AttnHeadMeasure measures[] = { ATTN_HEAD_MEASURE_EFFECT_ZERO,
                                              ATTN_HEAD_MEASURE_LOSS_ZERO };

  for (gsize m = 0; m < G_N_ELEMENTS (measures); m++)
    {
      g_autoptr (AttnStudy) study = fixture_load ("score-atlas");
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
      study->measure = measures[m];
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = result->grid->cells[0].panel;
      gsize n = result->inputs[0]->n_tokens;
      g_autoptr (AttnTrace) before = compute (result, 0, NULL);
      g_autofree AttnPredictionEffect *effects = g_new (AttnPredictionEffect, n);
      const AttnPredictionRequest request = { 0, n, ATTN_ANSWER_NONE, 0 };

      for (gsize i = 0; i < 12; i++)
        {
          AttnIntervention *zero = attn_intervention_new (ATTN_COMPONENT_OUTPUT,
                                                          ATTN_OPERATION_ZERO, 0);
          g_autoptr (GPtrArray) zeros = wrap (zero);
          double sums[] = { 0.0, 0.0 };

          zero->layers = attn_index_set_new_range (i / 4, i / 4);
          zero->heads = attn_index_set_new_range (i % 4, i % 4);
          g_autoptr (AttnTrace) after = compute (result, 0, zeros);
          g_assert_true (attn_prediction_compare (before, after, &request, effects, NULL, NULL,
                                                  NULL));
          for (gsize row = 0; row < n; row++)
            {
              sums[0] += effects[row].kl / (double) n;
              if (row + 1 < n)
                sums[1] += (effects[row].loss[1] - effects[row].loss[0]) / (double) (n - 1);
            }
          g_assert_cmpfloat_with_epsilon (attn_panel_get_value (panel, i / 4, i % 4), sums[m],
                                          TOLERANCE * MAX (fabs (sums[m]), 1.0));
        }
    }
}

/* Of the two distances that are measured each says which it is: how far the keys are that a head
 * looks at, and how far its weights are from those of the baseline. */
static void
test_distances_say_which_they_are (void)
{
  static const struct
  {
    AttnHeadMeasure measure;
    const char *label;
  } cases[] = {
    { ATTN_HEAD_MEASURE_DISTANCE, "Attention Distance (tokens)" },
    { ATTN_HEAD_MEASURE_CHANGE, "Total Variation" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load ("score-atlas");

      study->measure = cases[i].measure;
      attn_study_fit_measure (study);
      g_autoptr (AttnResult) result = fixture_run_once (study);
      g_assert_cmpstr (result->grid->value_label, ==, cases[i].label);
    }
}

/* What one head's query times a factor, or its value as the mean over the heads, does to the
 * prediction at the last token and at another; in nats. */
static void
test_effect_of_a_component (void)
{
  static const struct
  {
    AttnHeadMeasure measure;
    AttnOperation operation;
    AttnComponent component;
    int at;
  } cases[] = {
    { ATTN_HEAD_MEASURE_EFFECT_SCALE, ATTN_OPERATION_SCALE, ATTN_COMPONENT_QUERY, ATTN_AT_LAST },
    { ATTN_HEAD_MEASURE_EFFECT_MEAN, ATTN_OPERATION_MEAN, ATTN_COMPONENT_VALUE, 7 },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (AttnStudy) study = fixture_load ("score-atlas");
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

      study->measure = cases[k].measure;
      study->axis = ATTN_AXIS_HEAD;
      attn_study_fit_measure (study);
      g_assert_cmpint (study->operation, ==, cases[k].operation);
      study->components[cases[k].component] = TRUE;
      study->effect_at = cases[k].at;
      study->effect_unit = ATTN_EFFECT_NATS;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = result->grid->cells[0].panel;
      gsize n = result->inputs[0]->n_tokens;
      gsize row = cases[k].at == ATTN_AT_LAST ? n - 1 : (gsize) cases[k].at;
      g_autoptr (AttnTrace) before = compute (result, 0, NULL);
      const AttnPredictionRequest request = { row, 1, ATTN_ANSWER_NONE, 0 };

      g_assert_cmpstr (result->grid->value_label, ==, "KL (nats)");
      for (gsize i = 0; i < 12; i++)
        {
          AttnIntervention *change =
              attn_intervention_new (cases[k].component, cases[k].operation, 0);
          g_autoptr (GPtrArray) changes = wrap (change);
          AttnPredictionEffect effect;

          change->axis = ATTN_AXIS_HEAD;
          if (cases[k].operation == ATTN_OPERATION_SCALE)
            change->factor = 1e-5;
          change->layers = attn_index_set_new_range (i / 4, i / 4);
          change->heads = attn_index_set_new_range (i % 4, i % 4);
          g_autoptr (AttnTrace) after = compute (result, 0, changes);
          g_assert_true (attn_prediction_compare (before, after, &request, &effect, NULL, NULL,
                                                  NULL));
          g_assert_cmpfloat_with_epsilon (attn_panel_get_value (panel, i / 4, i % 4),
                                          effect.kl * G_LN2, TOLERANCE * MAX (effect.kl, 1.0));
        }
    }
}

/* Times 1 nothing changes, not by a bit; and a mean over heads in one head does. */
static void
test_effect_of_nothing (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("score-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  const double one = 1.0;

  study->measure = ATTN_HEAD_MEASURE_EFFECT_SCALE;
  g_array_append_val (study->epsilons, one);
  attn_study_fit_measure (study);
  for (AttnComponent c = 0; c < ATTN_N_COMPONENTS; c++)
    study->components[c] = TRUE;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  for (gsize i = 0; i < 12; i++)
    g_assert_cmpfloat (attn_panel_get_value (result->grid->cells[0].panel, i / 4, i % 4), ==, 0);
}

/* A model beside the shipped one: with as many heads as @n_heads says, and, of the four, layer 1
 * head 2 without an output projection where @cuts_head. Returns: its folder */
static char *
write_model (const char *n_heads,
             gboolean    cuts_head)
{
  const gsize width = 64, cut = width / 4; /* of the stream, and rows of the projection a head */
  g_autofree char *source = g_test_build_filename (G_TEST_DIST, "..", "data", "models", "rose",
                                                   NULL);
  g_autofree char *from = g_build_filename (source, "config.json", NULL);
  g_autofree char *weights_from = g_build_filename (source, "model.safetensors", NULL);
  char *directory = g_dir_make_tmp ("attn-maps-XXXXXX", NULL);
  g_autofree char *to = g_build_filename (directory, "config.json", NULL);
  g_autofree char *weights_to = g_build_filename (directory, "model.safetensors", NULL);
  g_autofree char *weights = NULL;
  g_autofree char *text = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (from, &text, NULL, NULL));
  g_auto (GStrv) halves = g_strsplit (text, "\"n_head\": 4", 2);
  g_assert_cmpuint (g_strv_length (halves), ==, 2);
  g_autofree char *config = g_strconcat (halves[0], n_heads, halves[1], NULL);
  g_assert_true (g_file_set_contents (to, config, -1, NULL));

  g_assert_true (g_file_get_contents (weights_from, &weights, &n, NULL));
  if (cuts_head)
    {
      guint64 length;

      memcpy (&length, weights, sizeof length);
      length = GUINT64_FROM_LE (length);
      const char *tensor =
          g_strstr_len (weights + 8, length, "\"transformer.h.1.attn.c_proj.weight\"");
      g_assert_nonnull (tensor);
      const char *offsets = strchr (strstr (tensor, "\"data_offsets\""), '[');
      gsize begin = 8 + length + g_ascii_strtoull (offsets + 1, NULL, 10);
      memset (weights + begin + 2 * cut * width * sizeof (float), 0, cut * width * sizeof (float));
    }
  g_assert_true (g_file_set_contents (weights_to, weights, n, NULL));
  return directory;
}

static void
remove_model (const char *directory)
{
  g_autofree char *config = g_build_filename (directory, "config.json", NULL);
  g_autofree char *weights = g_build_filename (directory, "model.safetensors", NULL);

  g_assert_cmpint (g_unlink (config), ==, 0);
  g_assert_cmpint (g_unlink (weights), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

/* Returns: what the measure says of @component, in each head of the model in @directory */
static AttnResult *
attribute (const char      *directory,
           AttnWorkspace   *workspace,
           AttnHeadMeasure  measure,
           AttnComponent    component)
{
  static const guint32 ids[] = { 0, 31, 41, 59, 26, 53, 58 };
  g_autoptr (AttnStudy) study = fixture_load ("score-atlas");

  study->model.path = g_strdup (directory);
  fixture_set_ids (study, ids, G_N_ELEMENTS (ids));
  study->measure = measure;
  study->axis = ATTN_AXIS_HEAD;
  attn_study_fit_measure (study);
  /* An atlas without a component is of the output. */
  if (component < ATTN_N_COMPONENTS)
    study->components[component] = TRUE;
  return fixture_run (study, workspace);
}

/* What a head puts out reaches nothing where its output projection is zero: whatever is done to it,
 * the prediction stays, to the bit; that of the head beside it does not. */
static void
test_effect_of_a_head_without_output (void)
{
  static const AttnHeadMeasure measures[] = {
    ATTN_HEAD_MEASURE_EFFECT_ZERO,
    ATTN_HEAD_MEASURE_EFFECT_MEAN,
    ATTN_HEAD_MEASURE_EFFECT_SCALE,
    ATTN_HEAD_MEASURE_LOSS_ZERO,
    ATTN_HEAD_MEASURE_LOSS_MEAN,
  };
  static const AttnComponent components[] = { ATTN_COMPONENT_QUERY, ATTN_COMPONENT_KEY,
                                              ATTN_COMPONENT_VALUE, ATTN_COMPONENT_OUTPUT };
  g_autofree char *directory = write_model ("\"n_head\": 4", TRUE);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  for (gsize m = 0; m < G_N_ELEMENTS (measures); m++)
    for (gsize c = 0; c < G_N_ELEMENTS (components); c++)
      {
        g_autoptr (AttnResult) result =
            attribute (directory, workspace, measures[m], components[c]);
        AttnPanel *panel = result->grid->cells[0].panel;

        g_assert_cmpfloat (attn_panel_get_value (panel, 1, 2), ==, 0);
        g_assert_cmpfloat (attn_panel_get_value (panel, 1, 1), !=, 0);
      }
  remove_model (directory);
}

/* The mean over the heads of one is that one. */
static void
test_effect_of_the_mean_of_one_head (void)
{
  static const AttnComponent components[] = { ATTN_COMPONENT_QUERY, ATTN_COMPONENT_KEY,
                                              ATTN_COMPONENT_VALUE, ATTN_COMPONENT_OUTPUT };
  g_autofree char *directory = write_model ("\"n_head\": 1", FALSE);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  for (gsize c = 0; c < G_N_ELEMENTS (components); c++)
    {
      g_autoptr (AttnResult) result =
          attribute (directory, workspace, ATTN_HEAD_MEASURE_EFFECT_MEAN, components[c]);
      AttnPanel *panel = result->grid->cells[0].panel;

      g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, 1);
      for (gsize layer = 0; layer < 3; layer++)
        g_assert_cmpfloat (attn_panel_get_value (panel, layer, 0), ==, 0);
    }
  remove_model (directory);
}

static void
test_effects_that_are_refused (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("score-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  study->effect_at = 99;
  fixture_assert_fails (study, workspace, ATTN_ERROR_ARGUMENT, "--at", "99");
  study->effect_at = ATTN_AT_LAST;
  study->scope_heads = attn_index_set_new_range (1, 1);
  fixture_assert_fails (study, workspace, ATTN_ERROR_ARGUMENT, "effect:zero", "scope");
}

/* A measure of the weights is that of the map of heads. */
static void
test_measures_of_heads (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("score-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  study->measure = ATTN_HEAD_MEASURE_SINK;
  attn_study_fit_measure (study);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  AttnPanel *panel = result->grid->cells[0].panel;

  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 3);
  g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, 4);
  g_assert_cmpint (study->style.range, ==, ATTN_RANGE_AUTOMATIC);
  /* The head that the shipped model is made to show. */
  g_assert_cmpfloat (attn_panel_get_value (panel, 1, 2), >, 0.8);

  g_autoptr (AttnStudy) head = attn_map_figure_open (result, 1, 2);
  g_autoptr (AttnResult) opened = fixture_run (head, workspace);
  g_assert_cmpuint (opened->layer, ==, 1);
  g_assert_cmpint (opened->head, ==, 2);
  g_assert_cmpfloat_with_epsilon (opened->measures[0].sink_score,
                                  attn_panel_get_value (panel, 1, 2), 1e-6);
}

static double
get_difference (AttnResult      *result,
                const AttnTrace *trace)
{
  gint64 token = -1, versus = -1;
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (result->model, NULL);
  g_autoptr (AttnTokens) paris = attn_tokenizer_encode (tokenizer, " Paris", -1, FALSE, NULL);
  g_autoptr (AttnTokens) tokyo = attn_tokenizer_encode (tokenizer, " Tokyo", -1, FALSE, NULL);
  double difference;

  token = paris->tokens[0].id;
  versus = tokyo->tokens[0].id;
  const AttnAnswer answer = { token, versus };
  g_assert_true (attn_trace_compute_difference (trace, result->inputs[0]->n_tokens - 1, &answer,
                                                &difference, NULL, NULL));
  return difference;
}

/* By the definition, of every place; and the shipped model's story: the capital is brought to the
 * last token by one head. */
static void
test_patches (void)
{
  static const AttnComponent components[] = { ATTN_COMPONENT_RESIDUAL, ATTN_COMPONENT_OUTPUT,
                                              ATTN_COMPONENT_MLP, ATTN_COMPONENT_OUTPUT };

  for (AttnPatched patched = 0; patched <= ATTN_PATCHED_HEADS; patched++)
    {
      g_autoptr (AttnStudy) study = fixture_load ("patch-map");
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
      study->patched = patched;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = result->grid->cells[0].panel;
      g_autofree guint32 *ids = attn_tokens_dup_ids (result->inputs[0]);
      g_autoptr (AttnSource) source =
          attn_source_new (result->model, ids, result->inputs[0]->n_tokens);
      g_autoptr (AttnTrace) clean = compute (result, 0, NULL);
      g_autoptr (AttnTrace) corrupted = compute (result, 1, NULL);
      double best = get_difference (result, clean);
      double worst = get_difference (result, corrupted);

      g_assert_cmpfloat (best, >, 0.0);
      g_assert_cmpfloat (worst, <, 0.0);
      for (gsize layer = 0; layer < attn_panel_get_n_rows (panel); layer++)
        for (gsize column = 0; column < attn_panel_get_n_columns (panel); column++)
          {
            AttnIntervention *patch =
                attn_intervention_new (components[patched], ATTN_OPERATION_PATCH, 0);
            g_autoptr (GPtrArray) patches = wrap (patch);
            AttnIndexSet *set = attn_index_set_new_range (column, column);

            patch->source = attn_source_ref (source);
            patch->layers = attn_index_set_new_range (layer, layer);
            if (patched == ATTN_PATCHED_HEADS)
              patch->heads = set;
            else
              patch->tokens = set;
            g_autoptr (AttnTrace) trace = compute (result, 1, patches);
            g_assert_cmpfloat_with_epsilon (
                attn_panel_get_value (panel, layer, column),
                (get_difference (result, trace) - worst) / (best - worst), TOLERANCE);
          }
      if (patched == ATTN_PATCHED_HEADS)
        g_assert_cmpfloat (attn_panel_get_value (panel, 1, 3), >, 0.9);
      if (patched == ATTN_PATCHED_RESIDUAL)
        g_assert_cmpfloat (attn_panel_get_value (panel, 2, 12), >, 0.9);
    }
}

/* Heads in the order of their values, each named in its cell; the figure is the same atlas in
 * another look, a cell opens its head, and arrays keep layers and heads. */
static void
test_heads_are_sorted (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("score-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) plain = fixture_run (study, workspace);
  g_autoptr (AttnStudy) other = attn_study_copy (study);
  g_autoptr (GError) error = NULL;

  other->sorts_heads = TRUE;
  g_autoptr (AttnResult) restyled = attn_result_restyle (plain, other);
  g_autoptr (AttnResult) sorted = fixture_run (other, workspace);
  AttnPanel *atlas = plain->grid->cells[0].panel;
  for (gsize i = 0; i < 12; i++)
    {
      const AttnGridCell *cell = &sorted->grid->cells[0];
      float value = attn_panel_get_value (cell->panel, i / 4, i % 4);
      guint layer, head;

      g_assert_cmpint (sscanf (cell->cell_names[i], "L%u H%u", &layer, &head), ==, 2);
      g_assert_cmpfloat (value, ==, attn_panel_get_value (atlas, layer, head));
      g_assert_cmpfloat (value, ==,
                         attn_panel_get_value (restyled->grid->cells[0].panel, i / 4, i % 4));
      g_assert_true (i == 0 ||
                     value <= attn_panel_get_value (cell->panel, (i - 1) / 4, (i - 1) % 4));
      g_autoptr (AttnStudy) opened = attn_map_figure_open (sorted, i / 4, i % 4);
      g_assert_cmpint (opened->layer, ==, (int) layer);
      g_assert_cmpint (opened->head, ==, (int) head);
    }
  g_autoptr (AttnArrayFile) file = attn_result_to_arrays (sorted, ATTN_ALL_PANELS, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTensor) written =
      attn_array_to_tensor (attn_array_file_lookup (file, "panel_0_0"), NULL);
  g_assert_cmpmem (written->data, 12 * sizeof (float), attn_panel_get_values (atlas)->data,
                   12 * sizeof (float));
  g_autoptr (AttnResult) back = attn_result_restyle (sorted, study);
  g_assert_true (back->grid->cells[0].cell_names == NULL);
}

/* Long enough for another picture of the map, three times. */
static void
linger_cb (const char *stage,
           double      fraction,
           gpointer    n_calls)
{
  if (fraction > 0 && ++*(guint *) n_calls <= 3)
    g_usleep (G_USEC_PER_SEC / 7);
}

static void
keep_cb (AttnResult *unfinished,
         gpointer    kept)
{
  g_ptr_array_add (kept, unfinished);
}

/* Who watches is shown what there is: numbers that are final, more and more of them. */
static void
test_maps_fill_in (gconstpointer preset)
{
  g_autoptr (AttnStudy) study = fixture_load (preset);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_result_unref);
  g_autoptr (GError) error = NULL;
  guint n_calls = 0;
  const AttnProgress progress = { linger_cb, &n_calls };
  gsize n_before = 0;

  attn_workspace_watch (workspace, keep_cb, kept);
  g_autoptr (AttnResult) result = attn_job_run (study, workspace, &progress, NULL, &error);
  g_assert_no_error (error);
  AttnPanel *panel = result->grid->cells[0].panel;
  gsize n_columns = attn_panel_get_n_columns (panel);
  gsize n = attn_panel_get_n_rows (panel) * n_columns;
  g_assert_false (result->grid->is_unfinished);
  g_assert_cmpuint (kept->len, >=, 2);
  for (guint i = 0; i < kept->len; i++)
    {
      const AttnResult *unfinished = g_ptr_array_index (kept, i);
      gsize n_known = 0;

      g_assert_true (unfinished->grid->is_unfinished);
      for (gsize k = 0; k < n; k++)
        {
          AttnPanel *known = unfinished->grid->cells[0].panel;
          gsize row = k / n_columns, column = k % n_columns;

          if (!attn_panel_is_visible (known, row, column))
            continue;
          g_assert_cmpfloat (attn_panel_get_value (known, row, column), ==,
                             attn_panel_get_value (panel, row, column));
          n_known++;
        }
      g_assert_cmpuint (n_known, >, n_before);
      g_assert_cmpuint (n_known, <, n);
      n_before = n_known;
    }
}

/* A cell opens what its patch does to the attention of the second input. */
static void
test_cell_opens_patched_attention (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("patch-map");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (AttnStudy) opened = attn_map_figure_open (result, 1, 6);
  g_autoptr (AttnResult) patched = fixture_run (opened, workspace);
  const AttnIntervention *patch = g_ptr_array_index (opened->extra_interventions, 0);

  g_assert_true (attn_input_equal (opened->inputs->pdata[0], study->inputs->pdata[1]));
  g_assert_cmpuint (patch->input, ==, 1);
  g_assert_true (attn_index_set_contains (patch->tokens, 6));
  g_assert_false (attn_index_set_contains (patch->tokens, 5));
  g_assert_cmpuint (patched->layer, ==, 1);
  g_assert_cmpuint (patched->grid->n_columns, ==, 3);
  g_assert_cmpfloat (patched->measures[1].total_variation, >, 0.0);

  /* The panel alone is still patched. */
  g_autoptr (AttnStudy) alone = attn_study_new_single (patched, 1);
  g_autoptr (AttnResult) same = fixture_run (alone, workspace);
  g_assert_cmpuint (alone->inputs->len, ==, 2);
  g_assert_cmpfloat (attn_panel_get_value (same->grid->cells[0].panel, 6, 3), ==,
                     attn_panel_get_value (patched->grid->cells[1].panel, 6, 3));
}

static void
assert_refused (AttnStudy  *study,
                const char *part)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_what_makes_no_map (void)
{
  g_autoptr (AttnStudy) one = fixture_load ("patch-map");
  g_autoptr (AttnStudy) same = fixture_load ("patch-map");
  g_autoptr (AttnStudy) longer = fixture_load ("patch-map");
  g_autoptr (AttnStudy) silent = fixture_load ("patch-map");

  g_ptr_array_set_size (one->inputs, 1);
  assert_refused (one, "one input found, expected two");
  g_ptr_array_set_size (same->inputs, 1);
  g_ptr_array_add (same->inputs, attn_input_copy (same->inputs->pdata[0]));
  assert_refused (same, "the same preference for one answer found after both inputs");
  g_ptr_array_set_size (longer->inputs, 1);
  g_ptr_array_add (longer->inputs, attn_input_new_text ("What is the capital of Japan?", 0));
  assert_refused (longer, "13 tokens found in input 1 and 8 in input 2");
  g_clear_pointer (&silent->token, g_free);
  g_free (silent->versus);
  silent->versus = g_strdup (" Paris");
  assert_refused (silent, "the same answer “␣Paris” found after both inputs");
  silent->token = g_strdup (" Paris");
  assert_refused (silent, "“␣Paris” found as Token and as Versus");
}

/* Answers that are not chosen are what the model expects after each of the inputs. */
static void
test_expected_answers (void)
{
  g_autoptr (AttnStudy) chosen = fixture_load ("patch-map");
  g_autoptr (AttnStudy) silent = fixture_load ("patch-map");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  attn_study_forget_answers (silent);
  g_assert_null (silent->token);
  g_assert_null (silent->versus);
  g_autoptr (AttnResult) expected = fixture_run (chosen, workspace);
  g_autoptr (AttnResult) found = fixture_run (silent, workspace);
  g_assert_cmpstr (found->grid->caption, ==, expected->grid->caption);
  for (gsize layer = 0; layer < attn_panel_get_n_rows (found->grid->cells[0].panel); layer++)
    for (gsize token = 0; token < attn_panel_get_n_columns (found->grid->cells[0].panel); token++)
      g_assert_cmpfloat (attn_panel_get_value (found->grid->cells[0].panel, layer, token), ==,
                         attn_panel_get_value (expected->grid->cells[0].panel, layer, token));

  /* Chosen ones are not forgotten. */
  g_free (chosen->token);
  chosen->token = g_strdup (" Rome");
  attn_study_forget_answers (chosen);
  g_assert_cmpstr (chosen->token, ==, " Rome");
}

static void
cancel_cb (const char *stage,
           double      fraction,
           gpointer    cancellable)
{
  if (fraction > 0.2)
    g_cancellable_cancel (cancellable);
}

/* Both say how far they are, and stop when they are told to. */
static void
test_cancelled (void)
{
  static const char * const presets[] = { "score-atlas", "patch-map" };

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (presets[i]);
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      const AttnProgress progress = { cancel_cb, cancellable };
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_job_run (study, workspace, &progress, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!fixture_has_model ())
    return 0;
  g_test_add_data_func ("/study/maps/score-atlas-fills-in", "score-atlas", test_maps_fill_in);
  g_test_add_func ("/study/maps/expected-answers", test_expected_answers);
  g_test_add_data_func ("/study/maps/patch-map-fills-in", "patch-map", test_maps_fill_in);
  g_test_add_func ("/study/maps/heads-are-sorted", test_heads_are_sorted);
  g_test_add_func ("/study/maps/effects-of-heads", test_effects_of_heads);
  g_test_add_func ("/study/maps/distances-say-which-they-are", test_distances_say_which_they_are);
  g_test_add_func ("/study/maps/effect-of-a-component", test_effect_of_a_component);
  g_test_add_func ("/study/maps/effect-of-nothing", test_effect_of_nothing);
  g_test_add_func ("/study/maps/effect-of-a-head-without-output",
                   test_effect_of_a_head_without_output);
  g_test_add_func ("/study/maps/effect-of-the-mean-of-one-head",
                   test_effect_of_the_mean_of_one_head);
  g_test_add_func ("/study/maps/effects-that-are-refused", test_effects_that_are_refused);
  g_test_add_func ("/study/maps/measures-of-heads", test_measures_of_heads);
  g_test_add_func ("/study/maps/patches", test_patches);
  g_test_add_func ("/study/maps/cell-opens-patched-attention", test_cell_opens_patched_attention);
  g_test_add_func ("/study/maps/what-makes-no-map", test_what_makes_no_map);
  g_test_add_func ("/study/maps/cancelled", test_cancelled);
  return g_test_run ();
}
