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

static AttnScene *
lay_out (const char *preset,
         double      width,
         double      height,
         gboolean    has_one_input,
         gboolean    has_column)
{
  g_autoptr (AttnStudy) study = fixture_load (preset);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (has_one_input)
    g_ptr_array_set_size (study->inputs, 1);
  study->has_baseline_column = has_column;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  study->page.width = width;
  study->page.height = height;
  study->page.unit = ATTN_UNIT_MILLIMETRES;
  return attn_result_lay_out (result, study, NULL);
}

/* Three by three panels of 15 tokens have every other label in one column as in one and a half: the
 * names of the inputs stand on end, which leaves the width to the panels; in one and a half also
 * beside the baseline. */
static void
test_every_other_token_in_a_column (void)
{
  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < 3; i++)
    {
      gboolean has_column = i == 2;
      g_autoptr (AttnScene) scene =
          lay_out ("mean-operation", widths[MIN (i, 1)], 0, FALSE, has_column);

      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "row-label"), >=, 3 * 8);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), >=,
                        (has_column ? 12 : 9) * 8);
      g_assert_cmpfloat (attn_scene_get_smallest_text (scene), >=, 5 - 1e-9);
      g_assert_true (has_text (scene, "Input 1"));
      g_assert_false (is_cut (scene));
    }
}

/* A panel that is lower than the name of its colours is long has the colours below it. */
static void
test_colors_have_their_name (void)
{
  if (!fixture_has_model ())
    return;
  g_autoptr (AttnScene) scene = lay_out ("patch-map", widths[0], 0, FALSE, FALSE);
  const AttnMark *bar = find_mark (scene, ATTN_MARK_COLORBAR, "colorbar", 0);
  const AttnMark *panel = find_mark (scene, ATTN_MARK_HEATMAP, "cells", 0);

  g_assert_true (has_text (scene, "Logit Difference Recovered"));
  g_assert_cmpfloat (bar->rectangle.y, >, panel->rectangle.y + panel->rectangle.height);
  g_assert_cmpfloat (bar->rectangle.width, >, bar->rectangle.height);
}

/* A page with more height than the figure takes has the figure that it is by itself, in the
 * middle. */
static void
test_room_below_takes_nothing (void)
{
  const double height = 120;

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnScene) own = lay_out ("mean-operation", widths[2], 0, TRUE, FALSE);
  g_autoptr (AttnScene) scene = lay_out ("mean-operation", widths[2], height, TRUE, FALSE);
  double shift = (scene->height - own->height) / 2;

  g_assert_cmpfloat (shift, >, 10);
  g_assert_cmpuint (scene->marks->len, ==, own->marks->len);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), ==, 3 * 15);
  for (gsize i = 0; i < own->marks->len; i++)
    {
      const AttnMark *a = attn_scene_get_mark (own, i);
      const AttnMark *b = attn_scene_get_mark (scene, i);

      g_assert_cmpfloat_with_epsilon (b->rectangle.x, a->rectangle.x, 1e-9);
      g_assert_cmpfloat_with_epsilon (b->rectangle.y, a->rectangle.y + shift, 1e-9);
      g_assert_cmpstr (b->markup, ==, a->markup);
    }
}

/* Where nothing bounds the page, the baseline's column only makes the figure wider. */
static void
test_baseline_column_is_beside (void)
{
  static const char * const presets[] = { "mean-operation", "epsilon", "effect" };

  if (!fixture_has_model ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AttnScene) plain = lay_out (presets[i], 0, 0, FALSE, FALSE);
      g_autoptr (AttnScene) scene = lay_out (presets[i], 0, 0, FALSE, TRUE);
      gsize n = plain->grid->n_columns;
      const AttnMark *last = find_mark (plain, ATTN_MARK_HEATMAP, "cells", n - 1);
      const AttnMark *same = find_mark (scene, ATTN_MARK_HEATMAP, "cells", n);

      g_assert_cmpfloat_with_epsilon (same->rectangle.width, last->rectangle.width, 1e-9);
      g_assert_cmpfloat_with_epsilon (same->rectangle.y, last->rectangle.y, 1e-9);
      g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "title"), ==,
                        count_role (plain, ATTN_MARK_TEXT, "title") + plain->grid->n_rows);
    }
}

/* In a window as high as that of a laptop, where titles would take from each of three rows. @title:
 * (nullable): that is typed */
static AttnScene *
lay_out_key (gboolean    has_others,
             gboolean    has_column,
             const char *title)
{
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  AttnStyle style = study->style;
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  study->components[ATTN_COMPONENT_QUERY] = has_others;
  study->components[ATTN_COMPONENT_VALUE] = has_others;
  study->has_baseline_column = has_column;
  if (title != NULL)
    {
      g_free (study->title);
      study->title = g_strdup (title);
    }
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  style.largest_label = 1.25 * style.font_size;
  return attn_layout_figure (result->grid, &style, &fit, 760, 450);
}

/* Fewer panels are no smaller, have the labels that more have and are named alike; the titles of
 * one's own stay whatever they take. */
static void
test_fewer_panels_are_as_large (void)
{
  if (!fixture_has_model ())
    return;
  g_autoptr (AttnScene) all = lay_out_key (TRUE, FALSE, NULL);
  g_autoptr (AttnScene) key = lay_out_key (FALSE, FALSE, NULL);
  g_autoptr (AttnScene) pair = lay_out_key (FALSE, TRUE, NULL);
  g_autoptr (AttnScene) own = lay_out_key (FALSE, FALSE, "{component}");
  double width = find_mark (all, ATTN_MARK_HEATMAP, "cells", 0)->rectangle.width;
  gsize n_labels = count_role (all, ATTN_MARK_TEXT, "row-label");

  g_assert_cmpuint (n_labels, ==, 3 * 15);
  g_assert_cmpuint (count_role (key, ATTN_MARK_TEXT, "row-label"), ==, n_labels);
  g_assert_cmpuint (count_role (pair, ATTN_MARK_TEXT, "row-label"), ==, n_labels);
  g_assert_cmpfloat (find_mark (key, ATTN_MARK_HEATMAP, "cells", 0)->rectangle.width, >=,
                     width - LAYOUT_TOLERANCE);
  g_assert_cmpfloat (find_mark (pair, ATTN_MARK_HEATMAP, "cells", 0)->rectangle.width, >=,
                     width - LAYOUT_TOLERANCE);
  g_assert_true (has_text (key, "Key") && has_text (key, "Input 1"));
  g_assert_true (has_text (pair, "Key") && has_text (pair, "Input 1"));
  g_assert_cmpuint (count_role (own, ATTN_MARK_TEXT, "title"), ==, 3);
}

/* Labels that panels above each other share are whole in a window, as each panel is only a
 * little smaller for that. */
static void
test_shared_tokens_are_whole (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("epsilon");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  AttnStyle style = study->style;
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  if (!fixture_has_model ())
    return;
  style.largest_label = 1.25 * style.font_size;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autoptr (AttnScene) scene = attn_layout_figure (result->grid, &style, &fit, 726, 437);
  g_assert_cmpuint (count_role (scene, ATTN_MARK_TEXT, "column-label"), ==, 3 * 10);
  g_assert_false (is_cut (scene));
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
  g_test_add_func ("/study/paper/every-other-token-in-a-column",
                   test_every_other_token_in_a_column);
  g_test_add_func ("/study/paper/colors-have-their-name", test_colors_have_their_name);
  g_test_add_func ("/study/paper/room-below-takes-nothing", test_room_below_takes_nothing);
  g_test_add_func ("/study/paper/baseline-column-is-beside", test_baseline_column_is_beside);
  g_test_add_func ("/study/paper/fewer-panels-are-as-large", test_fewer_panels_are_as_large);
  g_test_add_func ("/study/paper/shared-tokens-are-whole", test_shared_tokens_are_whole);
  g_test_add_func ("/study/paper/further-operations-are-named",
                   test_further_operations_are_named);
  return g_test_run ();
}
