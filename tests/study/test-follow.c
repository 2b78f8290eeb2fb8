/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Regions, pins, differences and zoomed panels stay with the panel that they were made on. */

#include "config.h"

#include "attn-error.h"
#include "attn-follow.h"
#include "study-fixture.h"

static const AttnModelInfo info = { .n_layers = 3, .n_heads = 4 };

static AttnStudy *
make_study (AttnDimension rows,
            AttnDimension columns)
{
  static const double epsilons[] = { 0.5, 0.1, 0.01 };
  AttnStudy *study = attn_study_new ();

  study->rows = rows;
  study->columns = columns;
  g_array_append_vals (study->epsilons, epsilons, G_N_ELEMENTS (epsilons));
  g_ptr_array_add (study->inputs, attn_input_new_text ("one", 0));
  g_ptr_array_add (study->inputs, attn_input_new_text ("two", 0));
  return study;
}

static void
add_pin (AttnStudy *study,
         gsize      panel)
{
  AttnRegion pin = { .first_row = panel, .last_row = panel, .is_pin = TRUE };

  g_ptr_array_add (study->regions, attn_study_region_new (panel, &pin));
}

/* Where the pin is that was made on @made; G_MAXSIZE where it is gone. */
static gsize
find_pin (const AttnStudy *study,
          gsize            made)
{
  for (guint i = 0; i < study->regions->len; i++)
    {
      const AttnStudyRegion *region = g_ptr_array_index (study->regions, i);

      if (region->region.first_row == made)
        return region->panel;
    }
  return G_MAXSIZE;
}

static void
test_inserted_row (void)
{
  g_autoptr (AttnStudy) before = make_study (ATTN_DIMENSION_INPUT, ATTN_DIMENSION_EPSILON);

  for (gsize i = 0; i < 6; i++)
    add_pin (before, i);
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  g_ptr_array_insert (study->inputs, 1, attn_input_new_text ("between", 0));
  g_assert_true (attn_study_follow_panels (study, before, &info));
  for (gsize i = 0; i < 3; i++)
    {
      g_assert_cmpuint (find_pin (study, i), ==, i);
      g_assert_cmpuint (find_pin (study, 3 + i), ==, 6 + i);
    }

  /* The same input twice: what lay on the second goes with the second. */
  g_autoptr (AttnStudy) doubled = attn_study_copy (before);
  g_ptr_array_insert (doubled->inputs, 1, attn_input_new_text ("one", 0));
  g_assert_true (attn_study_follow_panels (doubled, before, &info));
  g_assert_cmpuint (find_pin (doubled, 0), ==, 0);
  g_assert_cmpuint (find_pin (doubled, 3), ==, 6);
}

static void
test_removed_and_moved (void)
{
  g_autoptr (AttnStudy) before = make_study (ATTN_DIMENSION_INPUT, ATTN_DIMENSION_EPSILON);

  for (gsize i = 0; i < 6; i++)
    add_pin (before, i);
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  g_array_remove_index (study->epsilons, 1);
  g_assert_true (attn_study_follow_panels (study, before, &info));
  g_assert_cmpuint (study->regions->len, ==, 4);
  g_assert_cmpuint (find_pin (study, 1), ==, G_MAXSIZE);
  g_assert_cmpuint (find_pin (study, 2), ==, 1);
  g_assert_cmpuint (find_pin (study, 5), ==, 3);

  /* Inputs that change places take their pins along. */
  g_autoptr (AttnStudy) swapped = attn_study_copy (before);
  g_ptr_array_insert (swapped->inputs, 0, g_ptr_array_steal_index (swapped->inputs, 1));
  g_assert_true (attn_study_follow_panels (swapped, before, &info));
  g_assert_cmpuint (find_pin (swapped, 0), ==, 3);
  g_assert_cmpuint (find_pin (swapped, 4), ==, 1);

  /* And so do rows that become columns. */
  g_autoptr (AttnStudy) turned = attn_study_copy (before);
  turned->rows = ATTN_DIMENSION_EPSILON;
  turned->columns = ATTN_DIMENSION_INPUT;
  g_assert_true (attn_study_follow_panels (turned, before, &info));
  g_assert_cmpuint (find_pin (turned, 1), ==, 2);
  g_assert_cmpuint (find_pin (turned, 3), ==, 1);
}

/* A text that is typed and an ε that is dragged stay where they are. */
static void
test_edited_in_place (void)
{
  g_autoptr (AttnStudy) before = make_study (ATTN_DIMENSION_INPUT, ATTN_DIMENSION_EPSILON);

  for (gsize i = 0; i < 6; i++)
    add_pin (before, i);
  for (gsize step = 0; step < 2; step++)
    {
      g_autoptr (AttnStudy) study = attn_study_copy (before);
      AttnInput *input = g_ptr_array_index (study->inputs, 1);

      /* The second time over the value of its neighbour. */
      g_array_index (study->epsilons, double, 1) = step == 0 ? 0.3 : 0.5;
      g_free (input->text);
      input->text = g_strdup ("twofold");
      g_assert_true (attn_study_follow_panels (study, before, &info));
      for (gsize i = 0; i < 6; i++)
        g_assert_cmpuint (find_pin (study, i), ==, i);
    }
}

static void
test_layers_and_heads (void)
{
  g_autoptr (AttnStudy) before = make_study (ATTN_DIMENSION_LAYER, ATTN_DIMENSION_HEAD);

  add_pin (before, 6); /* layer 1, head 2 */
  add_pin (before, 1); /* layer 0, head 1 */
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  study->layers = attn_index_set_parse ("1-2", NULL);
  study->heads = attn_index_set_parse ("0,2", NULL);
  g_assert_true (attn_study_follow_panels (study, before, &info));
  g_assert_cmpuint (study->regions->len, ==, 1);
  g_assert_cmpuint (find_pin (study, 6), ==, 1);
}

static void
test_differences_and_views (void)
{
  g_autoptr (AttnStudy) before = make_study (ATTN_DIMENSION_INPUT, ATTN_DIMENSION_EPSILON);

  before->shows_differences = TRUE;
  before->differences = attn_index_set_parse ("1,4", NULL);
  before->views = g_array_new (FALSE, FALSE, sizeof (AttnViewport));
  for (gsize i = 0; i < 6; i++)
    {
      AttnViewport part = { i / 10.0, 0, 0.5, 0.5 };
      g_array_append_val (before->views, part);
    }
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  g_ptr_array_insert (study->inputs, 0, attn_input_new_text ("above", 0));
  g_assert_true (attn_study_follow_panels (study, before, &info));
  g_autofree char *moved = attn_index_set_to_string (study->differences);
  g_assert_cmpstr (moved, ==, "4,7");
  g_assert_cmpuint (study->views->len, ==, 9);
  g_assert_true (attn_viewport_is_fit (&g_array_index (study->views, AttnViewport, 0)));
  g_assert_cmpfloat (g_array_index (study->views, AttnViewport, 5).x, ==, 0.2);

  g_array_set_size (study->epsilons, 1);
  g_autoptr (AttnStudy) left = attn_study_copy (before);
  g_array_set_size (left->epsilons, 1);
  g_assert_true (attn_study_follow_panels (left, before, &info));
  g_assert_false (left->shows_differences);
}

/* What is no longer the same grid is left to whoever changed it, and so is what is new. */
static void
test_left_alone (void)
{
  g_autoptr (AttnStudy) before = make_study (ATTN_DIMENSION_INPUT, ATTN_DIMENSION_EPSILON);

  add_pin (before, 4);
  g_autoptr (AttnStudy) other = attn_study_copy (before);
  other->rows = ATTN_DIMENSION_COMPONENT;
  g_assert_false (attn_study_follow_panels (other, before, &info));
  g_assert_cmpuint (find_pin (other, 4), ==, 4);

  g_autoptr (AttnStudy) more = attn_study_copy (before);
  g_ptr_array_insert (more->inputs, 0, attn_input_new_text ("above", 0));
  add_pin (more, 2);
  g_assert_true (attn_study_follow_panels (more, before, &info));
  g_assert_cmpuint (find_pin (more, 4), ==, 7);
  g_assert_cmpuint (find_pin (more, 2), ==, 2);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/follow/inserted-row", test_inserted_row);
  g_test_add_func ("/follow/removed-and-moved", test_removed_and_moved);
  g_test_add_func ("/follow/edited-in-place", test_edited_in_place);
  g_test_add_func ("/follow/layers-and-heads", test_layers_and_heads);
  g_test_add_func ("/follow/differences-and-views", test_differences_and_views);
  g_test_add_func ("/follow/left-alone", test_left_alone);
  return g_test_run ();
}
