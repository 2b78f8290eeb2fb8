/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The figures of all presets on pages as wide as a journal's columns. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "../figure/figure-fixture.h"
#include "attn-effects.h"
#include "attn-left-out.h"
#include "study-fixture.h"

/* Millimetres: one column, one and a half, and two. */
static const double widths[] = { 85, 120, 180 };

static gboolean
is_cut (const AttnScene *scene)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_TEXT && strstr (mark->markup, "…") != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Text can be read, stands on the page and over nothing; what is cut is told. */
static void
check_page (const AttnResult *result,
            AttnStudy        *study,
            double            width,
            const char       *variant)
{
  g_autoptr (GError) error = NULL;

  study->page.width = width;
  study->page.unit = ATTN_UNIT_MILLIMETRES;
  g_autoptr (AttnScene) scene = attn_result_lay_out (result, study, &error);
  g_assert_no_error (error);
  g_autofree char *left_out = attn_scene_list_left_out (scene, TRUE);
  g_test_message ("%s%s, %g mm: no room for %s", study->preset, variant, width,
                  left_out != NULL ? left_out : "nothing");
  check_scene (scene);
  g_assert_cmpfloat (attn_scene_get_smallest_text (scene), >=, 5 - 1e-9);
  if (is_cut (scene))
    g_assert_true (left_out != NULL && strstr (left_out, "the ends of long texts") != NULL);
}

static void
check_variant (AttnStudy     *study,
               AttnWorkspace *workspace,
               const char    *variant)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnResult) result = attn_effects_run (study, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    check_page (result, study, widths[i], variant);
}

static void
test_presets_on_paper (void)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (presets[i].name);
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

      check_variant (study, workspace, "");
      if (!attn_study_get_traits (study)->has_grid)
        continue;
      study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
      check_variant (study, workspace, " with numbers");
      study->has_baseline_column = TRUE;
      if (attn_study_shows_baseline_column (study))
        check_variant (study, workspace, " with numbers and the baseline");
    }
}

/* The two figures of a paper have tokens that can be read, and none cut, in one column, where their
 * colour bar lies below the panels. */
static void
test_tokens_in_a_column (void)
{
  static const char * const presets[] = { "mean-operation", "epsilon" };

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (presets[i]);
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
      g_autoptr (AttnResult) result = fixture_run (study, workspace);

      study->page.width = widths[0];
      study->page.unit = ATTN_UNIT_MILLIMETRES;
      g_autoptr (AttnScene) scene = attn_result_lay_out (result, study, NULL);
      g_assert_false (is_cut (scene));
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "row-label"), >=, 3 * 3);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), >=, 3 * 3);
    }
}

/* A caption from a template names further operations as well, which no title does. */
static void
test_further_operations_are_named (void)
{
  static const struct
  {
    const char *preset;
    const char *expected;
  } cases[] = {
    { "epsilon", "Further Operations: <i>Inner</i> = 0, layer 1" },
    { "mean-operation", "Further Operations: <i>Inner</i> = 0, layer 1" },
    { "compare", "<i>Inner</i> = 0, layer 1" },
    { "head-groups", "Modified: <i>Inner</i> = 0, layer 1" },
    { "state", "Modified: <i>Inner</i> = 0, layer 1" },
  };

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnStudy) study = fixture_load (cases[i].preset);
      g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
      AttnIntervention *further = attn_intervention_new (
          ATTN_COMPONENT_MLP, ATTN_OPERATION_ZERO, ATTN_SITE_PROJECTION);

      further->layers = attn_index_set_new_range (1, 1);
      g_ptr_array_add (study->extra_interventions, further);
      if (g_str_equal (cases[i].preset, "head-groups"))
        {
          study->groups.rule = ATTN_GROUP_RULE_THRESHOLD;
          study->groups.level = 0.2;
        }
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      g_test_message ("%s: %s", cases[i].preset, result->grid->caption);
      g_assert_nonnull (strstr (result->grid->caption, cases[i].expected));
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/paper/presets", test_presets_on_paper);
  g_test_add_func ("/study/paper/tokens-in-a-column", test_tokens_in_a_column);
  g_test_add_func ("/study/paper/further-operations-are-named",
                   test_further_operations_are_named);
  return g_test_run ();
}
