/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The presets, and that they show on the shipped model what they were drawn for. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-study-table.h"
#include "study-fixture.h"

static void
test_all_load (void)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  g_assert_cmpuint (n_presets, >=, 2);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (presets[i].name);

      g_assert_cmpstr (study->preset, ==, presets[i].name);
      g_assert_null (study->model.path);
      g_assert_cmpstr (presets[i].title, !=, "");
      g_assert_cmpstr (presets[i].description, !=, "");
    }
}

/* The figures of the paper show masked cells as 0; other figures of weights would be nothing but
 * that colour. */
static void
test_masked_cells (void)
{
  static const char * const marking[] = { "single", "compare", "effect", "head-atlas", NULL };
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (presets[i].name);

      g_assert_cmpint (study->style.has_masked_color, ==,
                       g_strv_contains (marking, presets[i].name));
      g_assert_true (attn_rgb_equal (study->style.masked_color,
                                     attn_style_default ().masked_color));
    }
}

/* Each of a paper has its number and draws; the commands are those of the program. */
static void
test_papers (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  gsize n_presets;
  gsize n_own;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  g_assert_true (attn_presets_get_own (&n_own) == presets);
  g_assert_cmpuint (n_presets - n_own, ==, 6);
  for (gsize i = 0; i < n_presets; i++)
    {
      if (presets[i].paper == NULL)
        {
          g_assert_cmpuint (i, <, n_own);
          continue;
        }
      g_autoptr (AttnStudy) study = fixture_load (presets[i].name);
      g_autofree char *cited = attn_preset_cite (&presets[i]);
      g_autofree char *command = attn_preset_build_command (&presets[i]);

      g_assert_true (g_regex_match_simple (", arXiv [0-9]{4}\\.[0-9]{5}$", cited, 0, 0));
      g_assert_true (g_str_has_prefix (command, "attention-grid render "));
      if (!fixture_has_model ())
        continue;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      g_assert_nonnull (result->grid->cells[0].panel);
    }
}

/* The README has a row for each: of a figure its name, of a paper's study its command. */
static void
test_readme (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "README.md", NULL);
  g_autofree char *readme = NULL;
  gsize n_presets, n_own;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  attn_presets_get_own (&n_own);
  g_assert_true (g_file_get_contents (path, &readme, NULL, NULL));
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autofree char *command = attn_preset_build_command (&presets[i]);
      g_autofree char *expected = g_strdup_printf ("`%s`", i < n_own ? presets[i].name : command);

      g_test_message ("%s", expected);
      g_assert_nonnull (strstr (readme, expected));
    }
}

static void
test_unknown (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_presets_load ("epsilom", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "epsilom"));
  g_assert_nonnull (strstr (error->message, "mean-operation, epsilon"));
}

/* "Nearly all weight in the first column": of the rows behind the first, whose weight is 1
 * whatever happens. */
static double
average_first_column (AttnPanel *panel)
{
  gsize n = attn_panel_get_n_rows (panel);
  double sum = 0;

  for (gsize row = 1; row < n; row++)
    sum += attn_panel_get_value (panel, row, 0);
  return sum / (n - 1);
}

static double
get_distance_to_uniform (AttnPanel *panel)
{
  double largest = 0;

  for (gsize row = 0; row < attn_panel_get_n_rows (panel); row++)
    for (gsize column = 0; column <= row; column++)
      largest = MAX (largest, fabs (attn_panel_get_value (panel, row, column) - 1.0 / (row + 1)));
  return largest;
}

static void
test_mean_operation (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_assert_true (study->axis == ATTN_AXIS_HEAD && study->acts_on_shown_head);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpuint (result->grid->n_rows, ==, 3);
  g_assert_cmpuint (result->grid->n_columns, ==, 3);
  for (gsize row = 0; row < 3; row++)
    {
      g_assert_cmpuint (result->inputs[row]->n_tokens, ==, 15);
      g_assert_cmpfloat (average_first_column (fixture_get_baseline (result, row, 0)), >=, 0.9);
      /* Its own layer's weights do not depend on the value: the same panel, not an equal one. */
      g_assert_true (fixture_get_panel (result, row, 2) == fixture_get_baseline (result, row, 2));
      for (gsize column = 0; column < 2; column++)
        g_assert_cmpfloat (get_distance_to_uniform (fixture_get_panel (result, row, column)), <=,
                           0.1);
    }
}

static void
test_epsilon (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpuint (result->grid->n_rows, ==, 3);
  g_assert_cmpuint (result->grid->n_columns, ==, 3);
  g_assert_cmpuint (result->inputs[0]->n_tokens, ==, 10);
  for (gsize row = 0; row < 2; row++)
    {
      AttnPanel *half = fixture_get_panel (result, row, 0);
      double diagonal = 0;
      double beside = 0;

      /* 1e-3 is indistinguishable from uniform on a scale of 256 colours but not in float32, where
       * scores of some 10 still tilt a row by 1e-3. At 1e-10 only rounding is left. */
      g_assert_cmpfloat (get_distance_to_uniform (fixture_get_panel (result, row, 1)), <=, 5e-3);
      g_assert_cmpfloat (get_distance_to_uniform (fixture_get_panel (result, row, 2)), <=, 1e-6);

      /* The first column is still there, and the diagonal stands out from the cells left of it. */
      g_assert_cmpfloat (average_first_column (half), >=, 0.3);
      for (gsize i = 2; i < 10; i++)
        {
          diagonal += attn_panel_get_value (half, i, i);
          beside += attn_panel_get_value (half, i, i - 1);
        }
      g_assert_cmpfloat (diagonal, >, 2 * beside);
    }
  for (gsize column = 0; column < 3; column++)
    {
      g_assert_true (fixture_get_panel (result, 2, column) ==
                     fixture_get_baseline (result, 2, column));
      g_assert_cmpfloat (average_first_column (fixture_get_panel (result, 2, column)), >=, 0.9);
    }
}

static void
test_titles (void)
{
  g_autoptr (AttnStudy) mean = fixture_load ("mean-operation");
  g_autoptr (AttnStudy) epsilon = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) means = fixture_run (mean, workspace);
  g_autoptr (AttnResult) factors = fixture_run (epsilon, workspace);
  g_assert_cmpstr (attn_grid_get_cell (means->grid, 0, 0)->title, ==,
                   "Taking the Mean of <i>Query</i> (Input 1)");
  g_assert_cmpstr (attn_grid_get_cell (means->grid, 2, 1)->title, ==,
                   "Taking the Mean of <i>Key</i> (Input 3)");
  g_assert_cmpstr (attn_grid_get_cell (means->grid, 2, 1)->name, ==, "Input 3, Key");
  g_assert_cmpstr (means->grid->caption, ==,
                   "The Mean Operation For <i>Query</i>, <i>Key</i> and <i>Value</i>. "
                   "Layer 1, head 2");
  g_assert_cmpstr (attn_grid_get_cell (factors->grid, 0, 0)->title, ==,
                   "Modifying <i>Query</i> with \xCE\xB5 = 5e-1");
  g_assert_cmpstr (attn_grid_get_cell (factors->grid, 2, 2)->title, ==,
                   "Modifying <i>Value</i> with \xCE\xB5 = 1e-10");
  g_assert_cmpstr (factors->grid->caption, ==,
                   "The Attention Weight after Modifying <i>Query</i>, <i>Key</i> and "
                   "<i>Value</i>. Layer 1, head 2");
  g_assert_cmpstr (factors->grid->value_label, ==, "Attention Weight");
}

/* Titles name what another axis or scope is than the published one, and the head where the
 * prediction, which depends on it, is shown. */
static void
test_caption_names_what_is_unusual (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
  g_autoptr (AttnResult) effects = fixture_run (study, workspace);
  g_assert_true (g_str_has_suffix (effects->grid->caption, "Layer 1, head 2. Changed in head 2"));

  study->effects[ATTN_SHOWN_NUMBERS] = FALSE;
  study->axis = ATTN_AXIS_FEATURE;
  g_autoptr (AttnResult) features = fixture_run (study, workspace);
  g_assert_true (
      g_str_has_suffix (features->grid->caption, "Layer 1, head 2. Mean over Head Dimension"));

  study->axis = ATTN_AXIS_HEAD;
  study->acts_on_shown_head = FALSE;
  g_autoptr (AttnResult) all = fixture_run (study, workspace);
  g_assert_true (g_str_has_suffix (all->grid->caption, "Layer 1, head 2. Mean over Heads"));
}

/* Only a preset from a paper keeps the paper's "5e-1"; elsewhere a figure has ε as its handle in
 * the window. */
static void
test_factor_notation (void)
{
  g_autoptr (AttnStudy) paper = fixture_load ("epsilon");
  g_autoptr (AttnStudy) scaled = fixture_load ("mean-operation");
  g_autoptr (AttnStudy) effect = fixture_load ("effect");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  double factor = 0.7;

  if (!fixture_has_model ())
    return;
  scaled->operation = ATTN_OPERATION_SCALE;
  g_array_set_size (effect->epsilons, 0);
  g_array_append_val (scaled->epsilons, factor);
  g_array_append_val (effect->epsilons, factor);
  g_clear_pointer (&scaled->title, g_free);
  g_clear_pointer (&scaled->caption, g_free);
  g_autoptr (AttnResult) of_paper = fixture_run (paper, workspace);
  g_autoptr (AttnResult) of_scaled = fixture_run (scaled, workspace);
  g_autoptr (AttnResult) of_effect = fixture_run (effect, workspace);
  g_assert_cmpstr (of_paper->grid->column_headings[0], ==, "ε = 5e-1");
  /* Beside the name of an axis, Query, a heading says what is done to a component. */
  g_assert_cmpstr (of_paper->grid->row_headings[1], ==, "ε · Key");
  g_assert_cmpstr (of_scaled->grid->column_headings[1], ==, "Key");
  g_assert_true (g_str_has_suffix (of_scaled->grid->caption, " with ε = 0.7"));
  g_assert_nonnull (strstr (of_scaled->grid->caption, "<i>Query</i>, <i>Key</i> or <i>Value</i>"));
  g_assert_nonnull (strstr (attn_grid_get_cell (of_effect->grid, 0, 0)->title, "ε = 0.7"));
}

static void
test_caption_names_what_was_chosen (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnStudy) own = attn_study_copy (study);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->layer = 0;
  study->head = 3;
  g_autoptr (AttnResult) chosen = fixture_run (study, workspace);
  g_assert_cmpstr (chosen->grid->caption, ==,
                   "The Mean Operation For <i>Query</i>, <i>Key</i> and <i>Value</i>. "
                   "Layer 0, head 3");
  study->head = ATTN_HEAD_MEAN;
  g_autoptr (AttnResult) mean = fixture_run (study, workspace);
  g_assert_nonnull (strstr (mean->grid->caption, "</i>. Layer 0, head mean"));
  g_free (study->caption);
  study->caption = g_strdup ("Mine");
  g_autoptr (AttnResult) typed = fixture_run (study, workspace);
  g_assert_null (strstr (typed->grid->caption, "Layer"));

  /* The strongest sink of another text may be another. */
  AttnInput *input = own->inputs->pdata[0];
  g_free (input->text);
  input->text = g_strdup ("One, two and three.");
  g_autoptr (AttnResult) other = fixture_run (own, workspace);
  g_autofree char *place =
      g_strdup_printf (". Layer %zu, head %d", other->layer, other->head);
  g_assert_true (g_str_has_suffix (other->grid->caption, place));
}

/* Whoever reads a preset's figure of one head reads which head it is, in its title or its caption,
 * and reads it once. */
static void
test_figures_of_one_head_name_it (void)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  gsize n_seen = 0;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  for (gsize i = 0; i < n_presets && fixture_has_model (); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (presets[i].name);

      if (!attn_study_get_traits (study)->has_grid ||
          attn_study_changes_along (study, ATTN_DIMENSION_HEAD))
        continue;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      g_autofree char *words = g_strdup_printf ("%s. %s", result->grid->cells[0].title,
                                                result->grid->caption);
      g_autofree char *lowercase = g_utf8_strdown (words, -1);
      g_autofree char *layer = g_strdup_printf ("layer %zu", result->layer);
      g_autofree char *head = g_strdup_printf ("head %d", result->head);
      g_auto (GStrv) layers = g_strsplit (lowercase, layer, -1);
      g_auto (GStrv) heads = g_strsplit (lowercase, head, -1);

      g_test_message ("%s: %s", presets[i].name, words);
      g_assert_cmpuint (g_strv_length (layers), ==, 2);
      g_assert_cmpuint (g_strv_length (heads), ==, 2);
      n_seen++;
    }
  g_assert_true (n_seen >= 5 || !fixture_has_model ());
}

/* The sink rate is said beside the scores that it counts, and that a short text has scores near the
 * threshold where nothing is a sink: a weight of 1 / (row + 1) in each of 15 rows. */
static void
test_sink_rate_is_said (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("sink-rate");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  double uniform = 0;

  if (!fixture_has_model ())
    return;
  for (gsize row = 0; row < 15; row++)
    uniform += 1.0 / (double) (row + 1) / 15;
  g_autofree char *expected =
      g_strdup_printf ("Sink Score of Each Head; Sink Rate: 2 of 12 above 0.3 "
                       "(Even Weights over 15 Tokens: %.2f)",
                       uniform);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpstr (result->grid->caption, ==, expected);
}

static void
test_caption_follows_components (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->components[ATTN_COMPONENT_VALUE] = FALSE;
  g_autoptr (AttnResult) two = fixture_run (study, workspace);
  g_assert_cmpstr (two->grid->caption, ==,
                   "The Attention Weight after Modifying <i>Query</i> and <i>Key</i>. "
                   "Layer 1, head 2");
  g_assert_cmpuint (two->grid->n_rows, ==, 2);

  study->components[ATTN_COMPONENT_QUERY] = FALSE;
  g_autoptr (AttnResult) one = fixture_run (study, workspace);
  g_assert_cmpstr (one->grid->caption, ==,
                   "The Attention Weight after Modifying <i>Key</i>. Layer 1, head 2");
  g_assert_cmpstr (attn_grid_get_cell (one->grid, 0, 1)->title, ==,
                   "Modifying <i>Key</i> with \xCE\xB5 = 1e-3");
}

/* A figure without an operation has no baseline to compare it with, whatever it shows. */
static void
test_nothing_done_is_not_compared (void)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (presets[i].name);

      if (attn_study_is_changed (study))
        continue;
      g_test_message ("%s", presets[i].name);
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      g_assert_false (attn_grid_is_compared (result->grid, -1));
    }
}

/* What is read of a setting takes the place of what was there, also of a list or of flags. */
static void
test_settings_take_the_place (void)
{
  const AttnRecord *record = attn_study_get_record ();
  gsize n;
  const AttnPreset *presets = attn_presets_get_all (&n);

  for (gsize pair = 0; pair < n * n; pair++)
    {
      g_autoptr (AttnStudy) from = attn_presets_load (presets[pair / n].name, NULL);
      g_autoptr (AttnStudy) study = attn_presets_load (presets[pair % n].name, NULL);

      for (gsize i = 0; i < record->n_fields; i++)
        {
          const AttnField *field = &record->fields[i];
          g_autofree char *value = attn_study_write_setting (from, field);
          g_autoptr (GError) error = NULL;

          if (g_str_equal (value, "null"))
            continue;
          attn_study_read_setting (study, field, value, &error);
          g_assert_no_error (error);
          g_test_message ("%s: %s", field->name, value);
          g_assert_true (attn_field_equal (field, from, study));
        }
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/presets/papers", test_papers);
  g_test_add_func ("/study/presets/factor-notation", test_factor_notation);
  g_test_add_func ("/study/presets/all-load", test_all_load);
  g_test_add_func ("/study/presets/masked-cells", test_masked_cells);
  g_test_add_func ("/study/presets/readme", test_readme);
  g_test_add_func ("/study/presets/unknown", test_unknown);
  g_test_add_func ("/study/presets/mean-operation", test_mean_operation);
  g_test_add_func ("/study/presets/epsilon", test_epsilon);
  g_test_add_func ("/study/presets/titles", test_titles);
  g_test_add_func ("/study/presets/caption-names-what-is-unusual",
                   test_caption_names_what_is_unusual);
  g_test_add_func ("/study/presets/figures-of-one-head-name-it",
                   test_figures_of_one_head_name_it);
  g_test_add_func ("/study/presets/sink-rate-is-said", test_sink_rate_is_said);
  g_test_add_func ("/study/presets/caption-follows-components", test_caption_follows_components);
  g_test_add_func ("/study/presets/caption-names-what-was-chosen",
                   test_caption_names_what_was_chosen);
  g_test_add_func ("/study/presets/nothing-done-is-not-compared",
                   test_nothing_done_is_not_compared);
  g_test_add_func ("/study/presets/settings-take-the-place", test_settings_take_the_place);
  return g_test_run ();
}
