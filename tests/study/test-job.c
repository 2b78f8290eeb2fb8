/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The job and its workspace. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../bus-error.h"
#include "attn-error.h"
#include "attn-single.h"
#include "study-fixture.h"
#include "../model/plain-measures.h"

/* Anything that a user can change, once. */
static void
edit_at_random (AttnStudy *study,
                GRand     *random)
{
  static const char * const texts[] = { "A rose is a rose.", "It is I.",
                                        "The list is bread and milk; bread." };
  double epsilon = pow (10, g_rand_double_range (random, -12, 3));

  switch (g_rand_int_range (random, 0, 11))
    {
    case 0:
      study->layer = g_rand_int_range (random, -1, 3);
      break;
    case 1:
      study->head = g_rand_int_range (random, -2, 4);
      break;
    case 2:
      study->components[g_rand_int_range (random, 0, 2)] ^= TRUE;
      break;
    case 3:
      study->operation = g_rand_int_range (random, 0, ATTN_OPERATION_CUT);
      study->patch_input = 0;
      break;
    case 4:
      study->axis = g_rand_int_range (random, 0, 3);
      break;
    case 5:
      g_array_index (study->epsilons, double, g_rand_int_range (random, 0, 3)) = epsilon;
      break;
    case 6:
      g_ptr_array_set_size (study->inputs, 0);
      g_ptr_array_add (study->inputs, attn_input_new_text (texts[g_rand_int_range (random, 0, 3)],
                                                           g_rand_int_range (random, 3, 9)));
      break;
    case 7:
      study->acts_on_shown_layer ^= TRUE;
      break;
    case 8:
      g_clear_pointer (&study->scope_heads, attn_index_set_unref);
      if (g_rand_boolean (random))
        study->scope_heads = attn_index_set_new_range (1, 2);
      break;
    case 9:
      study->adds_special_tokens ^= TRUE;
      break;
    default:
      g_ptr_array_set_size (study->extra_interventions, 0);
      if (g_rand_boolean (random))
        g_ptr_array_add (study->extra_interventions,
                         attn_intervention_new_scale (g_rand_int_range (random, 0, 3), epsilon,
                                                      ATTN_SITE_PROJECTION));
      break;
    }
}

static void
test_warm_equals_fresh (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  fixture_check_warm_equals_fresh (study, edit_at_random, 20261121);
}

static void
test_workspace_keeps_the_baseline (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) first = fixture_run (study, workspace);
  g_array_index (study->epsilons, double, 0) = 0.25;
  g_autoptr (AttnResult) second = fixture_run (study, workspace);

  g_assert_true (first->model == second->model);
  g_assert_true (fixture_get_baseline (first, 0, 0) == fixture_get_baseline (second, 0, 0));
  g_assert_true (fixture_get_panel (first, 0, 0) != fixture_get_panel (second, 0, 0));
}

/* Of a figure of which one ε moves, the panels of the others are those of before. */
static void
test_workspace_keeps_what_does_not_change (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnWorkspace) fresh = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) first = fixture_run (study, workspace);
  g_array_index (study->epsilons, double, 1) = 0.25;
  g_autoptr (AttnResult) second = fixture_run (study, workspace);
  g_autoptr (AttnResult) expected = fixture_run (study, fresh);

  fixture_assert_same (second, expected);
  for (gsize row = 0; row < 2; row++) /* values change nothing */
    for (gsize column = 0; column < 3; column++)
      g_assert_cmpint (fixture_get_panel (first, row, column) ==
                           fixture_get_panel (second, row, column),
                       ==, column != 1);

  /* Another head beside it may be rounded in another way. */
  study->columns = ATTN_DIMENSION_HEAD;
  g_autoptr (AttnResult) third = fixture_run (study, workspace);
  g_autoptr (AttnWorkspace) other = attn_workspace_new ();
  g_autoptr (AttnResult) expected_third = fixture_run (study, other);
  fixture_assert_same (third, expected_third);
}

/* A patch from an input that has become another one is another patch. */
static void
test_patch_follows_its_input (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnWorkspace) fresh = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("single");

  if (!fixture_has_model ())
    return;
  study->layer = study->head = 1;
  study->operation = ATTN_OPERATION_PATCH;
  study->patch_input = 1;
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  study->patch_pairs = attn_pairs_parse ("1=2", NULL);
  fixture_set_inputs (study, "A rose is a rose.", "It is I.");
  g_autoptr (AttnResult) first = fixture_run (study, workspace);
  fixture_set_inputs (study, "A rose is a rose.", "A list and bread.");
  g_autoptr (AttnResult) second = fixture_run (study, workspace);
  g_autoptr (AttnResult) expected = fixture_run (study, fresh);

  g_assert_true (fixture_get_panel (first, 0, 0) != fixture_get_panel (second, 0, 0));
  fixture_assert_same (second, expected);
}

/* The second input has no position 6. The first takes from it there, and it stays what it is. */
static void
test_source_of_a_patch_is_not_patched (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("single");

  if (!fixture_has_model ())
    return;
  fixture_set_inputs (study, "A rose is a rose.", "It is I.");
  study->rows = ATTN_DIMENSION_INPUT;
  study->layer = study->head = 1;
  g_autoptr (AttnResult) before = fixture_run (study, workspace);
  study->operation = ATTN_OPERATION_PATCH;
  study->patch_input = 1;
  study->patch_pairs = attn_pairs_parse ("2=6", NULL);
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  g_autoptr (AttnResult) after = fixture_run (study, workspace);

  for (gsize row = 0; row < 2; row++)
    {
      const AttnTensor *x = attn_panel_get_values (fixture_get_panel (before, row, 0));
      const AttnTensor *y = attn_panel_get_values (fixture_get_panel (after, row, 0));
      gsize n_bytes = attn_tensor_get_n_elements (x) * sizeof (float);

      g_assert_cmpint (memcmp (x->data, y->data, n_bytes) == 0, ==, row == 1);
    }
  /* What is exported says so, too. */
  g_autofree char *done = fixture_describe_interventions (after, 0);
  g_autofree char *none = fixture_describe_interventions (after, 1);
  g_assert_true (g_str_has_prefix (done, "key patch"));
  g_assert_cmpstr (none, ==, "");
}

/* The panel of the input that is patched from is named for that input alone, whichever of the two
 * it is, and stays what it is where it is shown alone. The caption and the headings, which are
 * about all panels, name the patch. */
static void
test_source_of_a_patch_is_not_said_to_be_patched (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("single");

  if (!fixture_has_model ())
    return;
  fixture_set_inputs (study, "A rose is a rose.", "A list is a list.");
  study->layer = study->head = 1;
  study->operation = ATTN_OPERATION_PATCH;
  study->rows = ATTN_DIMENSION_INPUT;
  study->columns = ATTN_DIMENSION_COMPONENT;
  study->components[ATTN_COMPONENT_KEY] = study->components[ATTN_COMPONENT_VALUE] = TRUE;
  for (gsize source = 0; source < 2; source++)
    {
      g_autofree char *own = g_strdup_printf ("Input %zu", source + 1);
      g_autofree char *other = g_strdup_printf ("Input %zu, <i>Key</i>", 2 - source);
      g_autofree char *patch = g_strdup_printf ("<i>Key</i> or <i>Value</i> from Input %zu",
                                                source + 1);

      study->patch_input = source;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      const AttnGrid *grid = result->grid;
      g_assert_cmpstr (grid->cells[2 * source].title, ==, own);
      g_assert_cmpstr (grid->cells[2 * source].name, ==, own);
      g_assert_null (grid->cells[2 * source].operation);
      g_assert_cmpstr (grid->cells[2 * (1 - source)].title, ==, other);
      g_assert_nonnull (grid->cells[2 * (1 - source)].operation);
      g_assert_nonnull (strstr (grid->caption, patch));
      g_assert_cmpstr (grid->column_headings[0], ==, "Key");

      g_autoptr (AttnStudy) single = attn_study_new_single (result, 2 * source);
      g_autoptr (AttnResult) alone = fixture_run (single, workspace);
      g_autofree char *done = fixture_describe_interventions (alone, 0);
      g_assert_cmpstr (done, ==, "");
      g_assert_cmpstr (alone->grid->cells[0].title, ==, "Layer 1, head 1");
    }

  /* A title that the user wrote for patched panels does not fit the source. */
  g_free (study->title);
  study->title = g_strdup ("{intervention} into Input {input}");
  g_autoptr (AttnResult) titled = fixture_run (study, workspace);
  g_assert_cmpstr (titled->grid->cells[0].title, ==, "<i>Key</i> from Input 2 into Input 1");
  g_assert_cmpstr (titled->grid->cells[2].title, ==, "Input 2");

  /* Beside the baseline, the heading of the column names the patch though its first panel is the
   * source. */
  g_clear_pointer (&study->title, g_free);
  study->columns = ATTN_DIMENSION_NONE;
  study->has_baseline_column = TRUE;
  study->patch_input = 0;
  g_autoptr (AttnResult) beside = fixture_run (study, workspace);
  g_assert_cmpstr (beside->grid->column_headings[1], ==, "Key and Value from Input 1");
}

static void
test_strongest_sink (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) found = fixture_run (study, workspace);
  const AttnModelInfo *info = attn_model_get_info (found->model);
  gsize n_better = 0;

  /* Value panels are the baseline, so that their measures are those of the heads themselves. */
  double best =
      found->measures[2].sink_score + found->measures[5].sink_score + found->measures[8].sink_score;
  for (gsize layer = 0; layer < info->n_layers; layer++)
    for (gsize head = 0; head < info->n_heads; head++)
      {
        study->layer = layer;
        study->head = head;
        g_autoptr (AttnResult) result = fixture_run (study, workspace);

        /* The trace's scores are sums in another order: a tie within rounding is no better head. */
        n_better += result->measures[2].sink_score + result->measures[5].sink_score +
                        result->measures[8].sink_score >
                    best + 1e-6;
      }
  g_assert_cmpuint (n_better, ==, 0);

  study->layer = found->layer;
  study->head = ATTN_HEAD_STRONGEST_SINK;
  g_autoptr (AttnResult) within = fixture_run (study, workspace);
  g_assert_cmpint (within->head, ==, found->head);
}

/* Whether the shown head is the strongest sink is known where it was chosen by hand, as far as the
 * scores of the others are there, and not looked for where they are not. */
static void
test_strongest_sink_by_hand (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnWorkspace) fresh = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) open = fixture_run (study, workspace);
  g_assert_true (open->is_layer_strongest);
  g_assert_true (open->is_head_strongest);

  study->layer = (int) open->layer;
  study->head = open->head;
  g_autoptr (AttnResult) same = fixture_run (study, workspace);
  g_assert_true (same->is_layer_strongest);
  g_assert_true (same->is_head_strongest);
  g_autoptr (AttnResult) alone = fixture_run (study, fresh);
  g_assert_true (alone->is_head_strongest);

  study->head = open->head == 0 ? 1 : 0;
  g_autoptr (AttnResult) other = fixture_run (study, workspace);
  g_assert_true (other->is_layer_strongest);
  g_assert_false (other->is_head_strongest);

  study->layer = open->layer == 0 ? 1 : 0;
  g_autoptr (AttnResult) below = fixture_run (study, workspace);
  g_assert_false (below->is_layer_strongest);

  study->head = ATTN_HEAD_MEAN;
  g_autoptr (AttnResult) mean = fixture_run (study, workspace);
  g_assert_false (mean->is_head_strongest);
}

static void
test_head_mean (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  double sum = 0;

  if (!fixture_has_model ())
    return;
  study->layer = 0;
  for (int head = 0; head < 4; head++)
    {
      study->head = head;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      sum += attn_panel_get_value (fixture_get_panel (result, 0, 0), 5, 2);
    }
  study->head = ATTN_HEAD_MEAN;
  g_autoptr (AttnResult) mean = fixture_run (study, workspace);
  g_assert_cmpint (mean->head, ==, ATTN_HEAD_MEAN);
  /* Four float32 numbers of at most 1 added and divided. */
  g_assert_cmpfloat_with_epsilon (attn_panel_get_value (fixture_get_panel (mean, 0, 0), 5, 2),
                                  sum / 4, 1e-6);
}

static void
test_measures (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  for (int head = 0; head < 4; head++)
    {
      study->layer = 1;
      study->head = head;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);

      for (gsize i = 0; i < 9; i++)
        {
          const AttnTensor *weights = attn_panel_get_values (result->grid->cells[i].panel);
          const AttnTensor *baseline = attn_panel_get_values (result->grid->cells[i].baseline);
          const AttnPanelMeasures *measures = &result->measures[i];

          /* Float32 sums of rows of ten, and a logarithm good to 1e-7. */
          g_assert_cmpfloat_with_epsilon (measures->sink_score,
                                          attn_measure_sink_score (weights, 0), 1e-6);
          g_assert_cmpfloat_with_epsilon (measures->mean_entropy,
                                          attn_measure_mean_entropy (weights), 2e-6);
          g_assert_cmpfloat_with_epsilon (measures->largest_difference,
                                          attn_measure_largest_difference (weights, baseline),
                                          1e-6);
          g_assert_cmpfloat_with_epsilon (measures->total_variation,
                                          attn_measure_total_variation (weights, baseline), 1e-6);
        }
    }
}

static void
test_factor_one_is_the_baseline (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  g_array_index (study->epsilons, double, 1) = 1;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  for (gsize row = 0; row < 3; row++)
    g_assert_true (fixture_get_panel (result, row, 1) == fixture_get_baseline (result, row, 1));
}

/* A value changed in a lower layer reaches the layer on display, its own layer's weights it does
 * not. */
static void
test_scope_below (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  study->layer = 1;
  study->acts_on_shown_layer = FALSE;
  study->scope_layers = attn_index_set_new_range (0, 0);
  g_autoptr (AttnResult) below = fixture_run (study, workspace);
  g_assert_cmpfloat (below->measures[8].largest_difference, >, 1e-4);

  g_clear_pointer (&study->scope_layers, attn_index_set_unref);
  study->scope_layers = attn_index_set_new_range (2, 2);
  g_autoptr (AttnResult) above = fixture_run (study, workspace);
  g_assert_cmpfloat (above->measures[0].largest_difference, ==, 0);
  g_assert_true (fixture_get_panel (above, 0, 0) == fixture_get_baseline (above, 0, 0));
}

static void
cancel_cb (const char *stage,
           double      fraction,
           gpointer    user_data)
{
  g_cancellable_cancel (user_data);
}

static void
test_cancel (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnWorkspace) fresh = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AttnProgress progress = { cancel_cb, cancellable };
  g_autoptr (GError) error = NULL;

  if (!fixture_has_model ())
    return;
  g_assert_null (attn_job_run (study, workspace, &progress, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autoptr (AttnResult) after = fixture_run (study, workspace);
  g_autoptr (AttnResult) expected = fixture_run (study, fresh);
  fixture_assert_same (expected, after);
}

static void
count_cb (const char *stage,
          double      fraction,
          gpointer    user_data)
{
  double *last = user_data;

  g_assert_true (g_utf8_validate (stage, -1, NULL));
  g_assert_cmpfloat (fraction, >=, *last);
  g_assert_cmpfloat (fraction, <=, 1);
  *last = fraction;
}

static void
test_progress_goes_forward (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  double last = 0;
  AttnProgress progress = { count_cb, &last };

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = attn_job_run (study, workspace, &progress, NULL, NULL);
  g_assert_nonnull (result);
  g_assert_cmpfloat (last, >, 0.9);
}

/* Cuts the file short once the model is open. */
static void
cut_short_cb (const char *stage,
              double      fraction,
              gpointer    path)
{
  if (fraction > 0)
    g_assert_cmpint (truncate (path, 0), ==, 0);
}

/* The job fails, the workspace goes on with the file as it is then. */
static void
test_file_changes_under_the_job (void)
{
  if (skip_without_bus_error_addresses ())
    return;
  static const char * const names[] = { "config.json", "tokenizer.json", "model.safetensors" };
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autofree char *shipped = attn_data_find_model ();
  g_autofree char *text = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  gsize length = 0;

  if (!fixture_has_model ())
    return;
  study->model.path = g_dir_make_tmp ("attn-job-XXXXXX", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *from = g_build_filename (shipped, names[i], NULL);

      g_free (path);
      path = g_build_filename (study->model.path, names[i], NULL);
      g_free (text);
      g_assert_true (g_file_get_contents (from, &text, &length, NULL));
      g_assert_true (g_file_set_contents (path, text, length, NULL));
    }

  AttnProgress progress = { cut_short_cb, path };
  g_autofree char *message =
      g_strdup_printf ("%s: the file was changed while it was read", path);
  g_assert_null (attn_job_run (study, workspace, &progress, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_assert_true (g_file_set_contents_full (path, text, length, G_FILE_SET_CONTENTS_NONE, 0600,
                                           NULL));
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *file = g_build_filename (study->model.path, names[i], NULL);
      g_unlink (file);
    }
  g_rmdir (study->model.path);
}

static void
set_layer (AttnStudy *study)
{
  study->layer = 99;
}

static void
set_head (AttnStudy *study)
{
  study->layer = 0;
  study->head = 99;
}

static void
set_site (AttnStudy *study)
{
  study->site = ATTN_SITE_ROTATED;
}

static void
set_tokens (AttnStudy *study)
{
  study->scope_tokens = attn_index_set_new_range (2, 99);
}

static void
set_no_components (AttnStudy *study)
{
  memset (study->components, 0, sizeof study->components);
}

static void
set_same_dimensions (AttnStudy *study)
{
  study->rows = study->columns;
}

static void
set_title (AttnStudy *study)
{
  g_free (study->title);
  study->title = g_strdup ("a { b } {layr}");
}

static void
set_empty_input (AttnStudy *study)
{
  study->adds_special_tokens = FALSE;
  g_ptr_array_add (study->inputs, attn_input_new_text ("", 0));
}

static void
set_unknown_id (AttnStudy *study)
{
  const guint32 ids[] = { 1, 99999 };

  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, 2, 0));
}

static void
set_epsilon (AttnStudy *study)
{
  g_array_index (study->epsilons, double, 0) = 1e-20;
}

/* Each is refused in one sentence, and the workspace gives the same as before. */
static void
test_errors_leave_the_workspace (void)
{
  static const FixtureBadEdit edits[] = {
    { set_layer, ATTN_ERROR_ARGUMENT, "99", "" },
    { set_head, ATTN_ERROR_ARGUMENT, "99", "" },
    { set_site, ATTN_ERROR_ARGUMENT, "rotated", "" },
    { set_tokens, ATTN_ERROR_ARGUMENT, "2-99", "" },
    { set_no_components, ATTN_ERROR_ARGUMENT, "component", "" },
    { set_same_dimensions, ATTN_ERROR_ARGUMENT, "epsilon", "" },
    { set_title, ATTN_ERROR_ARGUMENT, "{layr}", "" },
    { set_empty_input, ATTN_ERROR_LIMIT, "input 2", "" },
    { set_unknown_id, ATTN_ERROR_LIMIT, "input 2", "" },
    { set_epsilon, ATTN_ERROR_ARGUMENT, "1e-20", "" },
  };
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (fixture_has_model ())
    fixture_check_refused (study, edits, G_N_ELEMENTS (edits));
}

static void
test_missing_model (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (GError) error = NULL;

  study->model.path = g_strdup ("/no/such/model");
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "/no/such/model"));
}

static void
test_intervention_text (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");

  if (!fixture_has_model ())
    return;
  g_ptr_array_add (study->extra_interventions,
                   attn_intervention_new_mean (ATTN_COMPONENT_VALUE, ATTN_AXIS_FEATURE,
                                               ATTN_SITE_PROJECTION));
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autofree char *text = fixture_describe_interventions (result, 4);
  char *value = strstr (text, "value mean feature");
  char *key = strstr (text, "key scale");
  g_assert_nonnull (value);
  g_assert_nonnull (key);
  g_assert_true (value < key);
}

/* The grid's own patch and cut are what further operations would be, bit for bit, and say so. */
static void
test_own_patch_and_cut (void)
{
  for (AttnOperation i = ATTN_OPERATION_PATCH; i <= ATTN_OPERATION_CUT; i++)
    {
      gboolean is_cut = i == ATTN_OPERATION_CUT;
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
      g_autoptr (AttnStudy) own = fixture_load ("single");
      AttnIntervention *further = attn_intervention_new (
          is_cut ? ATTN_COMPONENT_SCORES : ATTN_COMPONENT_KEY, i, ATTN_SITE_PROJECTION);

      if (!fixture_has_model ())
        {
          attn_intervention_free (further);
          return;
        }
      fixture_set_inputs (own, "A rose is a rose.", "It is I.");
      own->layer = own->head = 1;
      own->scope_heads = attn_index_set_new_range (1, 2);
      own->scope_tokens = is_cut ? attn_index_set_new_range (3, 5) : NULL;
      g_autoptr (AttnStudy) plain = attn_study_copy (own);
      g_autoptr (AttnStudy) other = attn_study_copy (own);
      own->operation = i;
      own->components[ATTN_COMPONENT_KEY] = TRUE;
      own->patch_pairs = attn_pairs_parse ("3=4,0=1", NULL);
      own->cut_keys = attn_index_set_new_range (0, 1);
      further->layers = attn_index_set_new_range (1, 1);
      further->heads = attn_index_set_ref (own->scope_heads);
      further->tokens = attn_index_set_ref (own->scope_tokens);
      further->input = is_cut ? 0 : 1;
      further->pairs = is_cut ? NULL : attn_pairs_parse ("3=4,0=1", NULL);
      further->keys = is_cut ? attn_index_set_ref (own->cut_keys) : NULL;
      g_ptr_array_add (other->extra_interventions, further);

      g_autoptr (AttnResult) first = fixture_run (own, workspace);
      g_autoptr (AttnResult) second = fixture_run (other, workspace);
      g_autoptr (AttnResult) baseline = fixture_run (plain, workspace);
      const AttnTensor *a = attn_panel_get_values (fixture_get_panel (first, 0, 0));
      const AttnTensor *b = attn_panel_get_values (fixture_get_panel (second, 0, 0));
      const AttnTensor *c = attn_panel_get_values (fixture_get_panel (baseline, 0, 0));
      gsize n_bytes = attn_tensor_get_n_elements (a) * sizeof (float);
      g_assert_cmpmem (a->data, n_bytes, b->data, n_bytes);
      g_assert_true (memcmp (a->data, c->data, n_bytes) != 0);
      g_autofree char *text = fixture_describe_interventions (first, 0);
      g_autofree char *same = fixture_describe_interventions (second, 0);
      g_assert_cmpstr (text, ==, same);
      g_assert_cmpstr (first->grid->cells[0].title, ==,
                       is_cut ? "Layer 1, head 1, Keys 0-1 cut"
                              : "Layer 1, head 1, <i>Key</i> from Input 2");
      g_assert_cmpstr (first->grid->caption, ==,
                       is_cut ? "Cut in heads 1-2, at tokens 3-5"
                              : "Positions 3=4,0=1, in heads 1-2");
    }
}

/* What stands behind the description of the figure. */
static const char *
get_drawing (GBytes *svg)
{
  const char *text = g_bytes_get_data (svg, NULL);
  const char *end = g_strstr_len (text, g_bytes_get_size (svg), "</metadata>");

  g_assert_nonnull (end);
  return end;
}

static void
test_export (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnWorkspace) other = attn_workspace_new ();
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnStudy) dark = attn_study_copy (study);
  g_autoptr (GError) error = NULL;

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) first = fixture_run (study, workspace);
  g_autoptr (AttnResult) second = fixture_run (study, other);
  g_autoptr (GBytes) a = attn_result_export (first, study, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) b = attn_result_export (second, study, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (a, b));

  /* The colours of a dark window do not reach the paper. */
  dark->style.foreground = (AttnRgb) { 255, 255, 255 };
  g_autoptr (GBytes) c = attn_result_export (first, dark, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (get_drawing (a), ==, get_drawing (c));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/job/warm-workspace-equals-fresh", test_warm_equals_fresh);
  g_test_add_func ("/study/job/workspace-keeps-the-baseline", test_workspace_keeps_the_baseline);
  g_test_add_func ("/study/job/workspace-keeps-what-does-not-change",
                   test_workspace_keeps_what_does_not_change);
  g_test_add_func ("/study/job/patch-follows-its-input", test_patch_follows_its_input);
  g_test_add_func ("/study/job/source-of-a-patch-is-not-patched",
                   test_source_of_a_patch_is_not_patched);
  g_test_add_func ("/study/job/source-of-a-patch-is-not-said-to-be-patched",
                   test_source_of_a_patch_is_not_said_to_be_patched);
  g_test_add_func ("/study/job/strongest-sink", test_strongest_sink);
  g_test_add_func ("/study/job/strongest-sink-by-hand", test_strongest_sink_by_hand);
  g_test_add_func ("/study/job/head-mean", test_head_mean);
  g_test_add_func ("/study/job/measures-agree-with-the-reference", test_measures);
  g_test_add_func ("/study/job/factor-one-is-the-baseline", test_factor_one_is_the_baseline);
  g_test_add_func ("/study/job/scope-below-and-above", test_scope_below);
  g_test_add_func ("/study/job/cancel", test_cancel);
  g_test_add_func ("/study/job/progress-goes-forward", test_progress_goes_forward);
  g_test_add_func ("/study/job/file-changes-under-the-job", test_file_changes_under_the_job);
  g_test_add_func ("/study/job/errors-leave-the-workspace", test_errors_leave_the_workspace);
  g_test_add_func ("/study/job/missing-model", test_missing_model);
  g_test_add_func ("/study/job/intervention-text", test_intervention_text);
  g_test_add_func ("/study/job/own-patch-and-cut", test_own_patch_and_cut);
  g_test_add_func ("/study/job/export", test_export);
  return g_test_run ();
}
