/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A first column that shows the unmodified weights. */

#include "config.h"

#include <string.h>

#include "attn-cell.h"
#include "attn-follow.h"
#include "attn-head-map.h"
#include "attn-single.h"
#include "study-fixture.h"

static AttnStudy *
load_with_column (const char *preset)
{
  AttnStudy *study = fixture_load (preset);

  g_assert_false (study->has_baseline_column);
  study->has_baseline_column = TRUE;
  return study;
}

/* Figures of operations have it in front, under its own name; what the other columns show stays. */
static void
test_first_column_is_the_baseline (void)
{
  static const struct
  {
    const char *preset;
    const char *title;
    const char *name;
    const char *beside;
  } cases[] = {
    { "mean-operation", "Baseline (Input 1)", "Input 1, Baseline",
      "Taking the Mean of <i>Query</i> (Input 1)" },
    { "epsilon", "Baseline", "Baseline", "Modifying <i>Query</i> with ε = 5e-1" },
    { "effect", "Baseline", "Baseline",
      "Modifying <i>Value</i> of Layer 1 with ε = 1e-3, Seen in Head 3" },
  };

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
      g_autoptr (AttnStudy) plain = fixture_load (cases[i].preset);
      g_autoptr (AttnStudy) study = load_with_column (cases[i].preset);
      g_autoptr (AttnResult) before = fixture_run (plain, workspace);
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      const AttnGridCell *first = &result->grid->cells[0];

      g_assert_cmpuint (result->grid->n_rows, ==, before->grid->n_rows);
      g_assert_cmpuint (result->grid->n_columns, ==, before->grid->n_columns + 1);
      g_assert_cmpstr (first->title, ==, cases[i].title);
      g_assert_cmpstr (first->name, ==, cases[i].name);
      g_assert_null (first->baseline);
      g_assert_cmpstr (result->grid->cells[1].title, ==, cases[i].beside);
      g_assert_cmpstr (result->grid->column_headings[0], ==, "Baseline");
      for (gsize row = 0; row < result->grid->n_rows; row++)
        {
          const AttnGridCell *cells = result->grid->cells + row * result->grid->n_columns;

          g_assert_true (cells[0].panel == cells[1].baseline);
          for (gsize column = 0; column < before->grid->n_columns; column++)
            {
              AttnPanel *panel = fixture_get_panel (before, row, column);

              g_assert_cmpfloat (attn_panel_get_value (cells[column + 1].panel, 3, 1), ==,
                                 attn_panel_get_value (panel, 3, 1));
            }
        }
    }
}

/* While ε moves, the column is the very panel that it was, and the others still follow in closed
 * form. */
static void
test_nothing_is_computed_again (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = load_with_column ("epsilon");
  g_autoptr (AttnStudy) moved = attn_study_copy (study);

  if (!fixture_has_model ())
    return;
  g_array_index (moved->epsilons, double, 0) = 0.25;
  g_autoptr (AttnResult) first = fixture_run (study, workspace);
  g_autoptr (AttnResult) second = fixture_run (moved, workspace);
  g_assert_true (first->grid->cells[0].panel == second->grid->cells[0].panel);
  g_assert_true (first->grid->cells[1].panel != second->grid->cells[1].panel);
  g_assert_null (second->grid->cells[0].rescaling.heads);
  g_assert_nonnull (second->grid->cells[1].rescaling.heads);
}

/* Differences are those of the others; a single panel of the column has no operation, and the map
 * of heads is that of a panel that has one. */
static void
test_baseline_stays_itself (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = load_with_column ("mean-operation");

  if (!fixture_has_model ())
    return;
  study->shows_differences = TRUE;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_false (result->grid->cells[0].is_difference);
  g_assert_true (result->grid->cells[1].is_difference);

  g_autoptr (AttnStudy) single = attn_study_new_single (result, 0);
  g_assert_false (attn_study_is_changed (single));
  g_assert_false (single->has_baseline_column);
  g_autoptr (AttnStudy) other = attn_study_new_single (result, 1);
  g_assert_true (attn_study_is_changed (other));
  g_assert_false (other->has_baseline_column);
  g_autoptr (AttnStudy) heads = attn_head_map_build_study (result, -1);
  g_assert_true (attn_study_is_changed (heads));
}

/* Where columns are something else than operations there is no one baseline: the setting is kept
 * and changes nothing. */
static void
test_other_figures_have_none (void)
{
  static const char * const presets[] = { "compare", "head-atlas", "single", "score-atlas",
                                          "layer-token" };
  g_autoptr (AttnStudy) turned = load_with_column ("mean-operation");

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AttnStudy) study = load_with_column (presets[i]);

      g_assert_false (attn_study_shows_baseline_column (study));
    }
  turned->rows = ATTN_DIMENSION_COMPONENT;
  turned->columns = ATTN_DIMENSION_INPUT;
  g_assert_false (attn_study_shows_baseline_column (turned));
  turned->columns = ATTN_DIMENSION_NONE;
  g_assert_true (attn_study_shows_baseline_column (turned));
}

/* A cut has no component: its baseline is not cut all the same. */
static void
test_cut_has_a_baseline (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = load_with_column ("single");

  if (!fixture_has_model ())
    return;
  study->operation = ATTN_OPERATION_CUT;
  study->cut_keys = attn_index_set_new_range (0, 0);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_assert_cmpuint (result->grid->n_columns, ==, 2);
  g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (result, 0, 0), 3, 0), >, 0);
  g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (result, 0, 1), 3, 0), ==, 0);
  g_assert_nonnull (strstr (result->grid->cells[1].title, "cut"));
  g_assert_null (strstr (result->grid->cells[0].title, "cut"));
}

/* Pins stay on their panels when the column comes and goes; those of the column go with it. */
static void
test_pins_follow (void)
{
  const AttnModelInfo info = { .n_layers = 3, .n_heads = 4 };
  g_autoptr (AttnStudy) before = fixture_load ("mean-operation");
  const AttnRegion pin = { .is_pin = TRUE };

  g_ptr_array_add (before->regions, attn_study_region_new (4, &pin));
  g_autoptr (AttnStudy) with = attn_study_copy (before);
  with->has_baseline_column = TRUE;
  g_assert_true (attn_study_follow_panels (with, before, &info));
  g_assert_cmpuint (((AttnStudyRegion *) with->regions->pdata[0])->panel, ==, 6);

  g_ptr_array_add (with->regions, attn_study_region_new (4, &pin));
  g_autoptr (AttnStudy) without = attn_study_copy (with);
  without->has_baseline_column = FALSE;
  g_assert_true (attn_study_follow_panels (without, with, &info));
  g_assert_cmpuint (without->regions->len, ==, 1);
  g_assert_cmpuint (((AttnStudyRegion *) without->regions->pdata[0])->panel, ==, 4);
}

/* What nothing is done to is not offered beside itself. */
static void
test_nothing_is_its_own_baseline (void)
{
  static const struct
  {
    const char *preset;
    gboolean has_baseline;
  } cases[] = { { "single", FALSE },
                { "head-atlas", FALSE },
                { "mean-operation", TRUE },
                { "epsilon", TRUE },
                { "compare", TRUE } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (cases[i].preset);

      g_assert_cmpint (attn_study_has_baseline (study), ==, cases[i].has_baseline);
    }
}

/* While the baseline is shown in every panel, no column is called by an operation that is not done;
 * a column of a head keeps its heading. */
static void
test_headings_of_baselines (void)
{
  static const struct
  {
    const char *preset;
    AttnDimension columns;
    const char *before;
    const char *after;
  } cases[] = {
    { "mean-operation", ATTN_DIMENSION_COMPONENT, "Query", "Baseline" },
    { "epsilon", ATTN_DIMENSION_EPSILON, "ε = 5e-1", "Baseline" },
    { "epsilon", ATTN_DIMENSION_HEAD, "H0", "H0" },
  };

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
      g_autoptr (AttnStudy) study = fixture_load (cases[i].preset);

      study->columns = cases[i].columns;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      g_autoptr (AttnGrid) baseline = attn_grid_take_baseline (result->grid);
      g_assert_cmpstr (result->grid->column_headings[0], ==, cases[i].before);
      for (gsize column = 0; column < baseline->n_columns; column++)
        g_assert_cmpint (g_str_equal (baseline->column_headings[column], "Baseline"), ==,
                         g_str_equal (cases[i].after, "Baseline"));
      g_assert_cmpstr (baseline->column_headings[0], ==, cases[i].after);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/baseline-column/first", test_first_column_is_the_baseline);
  g_test_add_func ("/study/baseline-column/headings-of-baselines", test_headings_of_baselines);
  g_test_add_func ("/study/baseline-column/nothing-is-computed-again",
                   test_nothing_is_computed_again);
  g_test_add_func ("/study/baseline-column/stays-itself", test_baseline_stays_itself);
  g_test_add_func ("/study/baseline-column/other-figures", test_other_figures_have_none);
  g_test_add_func ("/study/baseline-column/cut", test_cut_has_a_baseline);
  g_test_add_func ("/study/baseline-column/pins-follow", test_pins_follow);
  g_test_add_func ("/study/baseline-column/nothing-is-its-own-baseline",
                   test_nothing_is_its_own_baseline);
  return g_test_run ();
}
