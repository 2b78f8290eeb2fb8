/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Going from head to head, and back. */

#include "config.h"

#include <string.h>

#include "attn-error.h"
#include "attn-head-place.h"
#include "attn-reading.h"

#define SAME ATTN_HEAD_PLACE_SAME

static AttnResult *
compute (const char *preset)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = attn_presets_load (preset, &error);

  g_assert_no_error (error);
  AttnResult *result = attn_job_run (study, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static void
test_typed (void)
{
  static const struct
  {
    const char *text;
    int layer;
    int head;
  } rows[] = {
    { "L12 H27", 12, 27 },
    { "l12h27", 12, 27 },
    { "12 27", 12, 27 },
    { "12.27", 12, 27 },
    { " H27  L12 ", 12, 27 },
    { "L3", 3, SAME },
    { "h4", SAME, 4 },
    { "L12 27", 12, 27 },
    { "7", SAME, 7 },
  };
  static const char * const bad[] = {
    "",
    "  ",
    "L",
    "x",
    "L1 L2",
    "1 2 3",
    "H1 2 3",
    "L40",
    "H32",
    "L99999999999999999999999",
    "-1",
  };
  const AttnModelInfo info = { .n_layers = 40, .n_heads = 32 };
  int layer, head;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      attn_head_place_parse (rows[i].text, &info, &layer, &head, &error);
      g_assert_no_error (error);
      g_assert_cmpint (layer, ==, rows[i].layer);
      g_assert_cmpint (head, ==, rows[i].head);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (attn_head_place_parse (bad[i], &info, &layer, &head, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
    }
}

/* One step from the study as it is; -9 for none. */
static int
step (const AttnStudy  *study,
      const AttnResult *result,
      int               layers,
      int               heads)
{
  g_autoptr (AttnStudy) next = attn_head_place_step (study, result, layers, heads);

  return next != NULL ? next->layer * 10 + next->head : SAME;
}

/* Three layers of four heads; the strongest sink is that of layer 1, head 2. */
static void
test_steps (void)
{
  g_autoptr (AttnResult) result = compute ("single");
  g_autoptr (AttnStudy) study = attn_study_copy (result->study);

  g_assert_cmpint (step (study, result, 0, 1), ==, 13);
  g_assert_cmpint (step (study, result, 0, -1), ==, 11);
  g_assert_cmpint (step (study, result, 1, 0), ==, 22);
  g_assert_cmpint (step (study, result, -1, 0), ==, 2);
  study->layer = 1;
  study->head = 3;
  g_assert_cmpint (step (study, result, 0, 1), ==, 20);
  study->layer = 2;
  g_assert_cmpint (step (study, result, 0, 1), ==, SAME);
  g_assert_cmpint (step (study, result, 1, 0), ==, SAME);
  study->head = 0;
  g_assert_cmpint (step (study, result, 0, -1), ==, 13);
  study->head = ATTN_HEAD_MEAN;
  g_assert_cmpint (step (study, result, 0, 1), ==, 20);
  study->columns = ATTN_DIMENSION_HEAD;
  g_assert_cmpint (step (study, result, 0, 1), ==, SAME);
  g_assert_cmpint (step (study, result, -1, 0), ==, 10 + ATTN_HEAD_MEAN);
}

static void
test_place_is_described (void)
{
  g_autoptr (AttnResult) result = compute ("single");
  g_autoptr (AttnStudy) study = attn_study_copy (result->study);
  g_autofree char *found = attn_head_place_describe (study, result, TRUE);

  g_assert_cmpstr (found, ==, "L1 H2 · ★ strongest sink");
  g_assert_true (attn_head_place_is_strongest (study, result));
  g_assert_null (attn_head_place_describe_choice (study, found, result));
  g_autofree char *other =
      attn_head_place_describe_choice (study, "L0 H1 · ★ strongest sink", result);
  g_assert_nonnull (strstr (other, "L1 H2"));
  study->layer = 1;
  g_autofree char *strongest = attn_head_place_describe (study, result, TRUE);
  g_assert_cmpstr (strongest, ==, "L1 H2 · ★ strongest sink");
  result->is_layer_strongest = FALSE;
  g_autofree char *strongest_there = attn_head_place_describe (study, result, TRUE);
  g_assert_cmpstr (strongest_there, ==, "L1 H2 · ★ strongest sink of the layer");
  study->layer = 0;
  g_assert_null (attn_head_place_describe_choice (study, "L0 H1 · ★ strongest sink", result));
  /* One of another model, which this one does not have. */
  study->model.path = g_strdup ("larger");
  g_autofree char *missing = attn_head_place_describe_choice (study, "L0 H9", result);
  g_assert_nonnull (strstr (missing, "L1 H2"));
  g_clear_pointer (&study->model.path, g_free);
  study->columns = ATTN_DIMENSION_HEAD;
  g_autofree char *layer = attn_head_place_describe (study, result, TRUE);
  g_assert_cmpstr (layer, ==, "L1");
  g_assert_false (attn_head_place_is_strongest (study, result));
  study->rows = ATTN_DIMENSION_LAYER;
  g_autofree char *none = attn_head_place_describe (study, result, TRUE);
  g_assert_cmpstr (none, ==, "");
  g_assert_false (attn_head_place_is_strongest (study, result));
}

/* What was shown of a head comes back with it; another grid is shown as a whole. */
static void
test_way_back (void)
{
  const AttnViewport part = { 0.25, 0.25, 0.5, 0.5 };
  g_autoptr (AttnReading) reading = attn_reading_new ();
  g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);
  g_autoptr (AttnStudy) other = attn_study_copy (study);
  g_autoptr (AttnStudy) overview = attn_presets_load ("head-atlas", NULL);

  attn_reading_set_place (reading, overview);
  attn_reading_set_views (reading, &part, NULL);
  attn_reading_set_place (reading, study);
  g_assert_true (attn_viewport_is_fit (&attn_reading_get (reading).views->shared));
  attn_reading_set_views (reading, &part, NULL);
  other->head = 3;
  attn_reading_set_place (reading, other);
  attn_reading_set_place (reading, other);
  attn_reading_do (reading, ATTN_COMMAND_FIT, 0, 0);
  attn_reading_do (reading, ATTN_COMMAND_BACK, 0, 0);
  g_assert_cmpint (attn_reading_get (reading).views->place->head, ==, 3);
  attn_reading_do (reading, ATTN_COMMAND_BACK, 0, 0);
  g_assert_true (attn_head_place_equal (attn_reading_get (reading).views->place, study));
  g_assert_cmpfloat (attn_reading_get (reading).views->shared.width, ==, 0.5);
  /* The rest of the study stays as it has become. */
  other->style.shows_values = TRUE;
  g_autoptr (AttnStudy) back =
      attn_head_place_return (other, attn_reading_get (reading).views->place);
  g_assert_cmpint (back->head, ==, ATTN_HEAD_STRONGEST_SINK);
  g_assert_true (back->style.shows_values);
  attn_reading_do (reading, ATTN_COMMAND_BACK, 0, 0);
  attn_reading_do (reading, ATTN_COMMAND_BACK, 0, 0);
  g_autoptr (AttnStudy) whole =
      attn_head_place_return (other, attn_reading_get (reading).views->place);
  g_assert_true (attn_study_equal (whole, overview));
  other->model.path = g_strdup ("/another");
  g_autoptr (AttnStudy) kept =
      attn_head_place_return (other, attn_reading_get (reading).views->place);
  g_assert_true (attn_study_equal (kept, other));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reading/head-place/typed", test_typed);
  g_test_add_func ("/reading/head-place/steps", test_steps);
  g_test_add_func ("/reading/head-place/place-is-described", test_place_is_described);
  g_test_add_func ("/reading/head-place/way-back", test_way_back);
  return g_test_run ();
}
