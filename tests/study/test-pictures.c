/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pictures as inputs of a study, and its panels over them. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "study-fixture.h"

/* Four rows and five columns of patches behind [CLS]. */
static AttnStudy *
make_study (gboolean is_over_picture)
{
  AttnStudy *study = fixture_load ("single");
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "model", "dinov2", NULL);
  g_autofree char *image =
      g_test_build_filename (G_TEST_DIST, "picture", "landscape.png", NULL);

  attn_model_reference_set (&study->model, model);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_picture (image, FALSE));
  study->layer = 1;
  study->head = 2;
  study->is_over_picture = is_over_picture;
  return study;
}

static AttnResult *
run (const AttnStudy *study)
{
  AttnWorkspace *workspace = attn_workspace_new ();
  AttnResult *result = fixture_run (study, workspace);

  attn_workspace_free (workspace);
  return result;
}

/* The matrix has all tokens, the picture those of a row that are patches. */
static void
test_panels (void)
{
  g_autoptr (AttnStudy) plain_study = make_study (FALSE);
  g_autoptr (AttnStudy) study = make_study (TRUE);
  g_autoptr (AttnStudy) several = make_study (TRUE);
  g_autoptr (AttnResult) plain = run (plain_study);
  g_autoptr (AttnResult) over = run (study);
  AttnPanel *matrix = fixture_get_panel (plain, 0, 0);
  AttnPanel *patches = fixture_get_panel (over, 0, 0);

  g_assert_cmpuint (attn_panel_get_n_rows (matrix), ==, 21);
  g_assert_cmpstr (attn_panel_get_row_labels (matrix)[0], ==, "[CLS]");
  g_assert_cmpstr (attn_panel_get_row_labels (matrix)[20], ==, "3,4");
  g_assert_null (plain->grid->cells[0].image);
  g_assert_cmpuint (attn_panel_get_n_rows (patches), ==, 4);
  g_assert_cmpuint (attn_panel_get_n_columns (patches), ==, 5);
  for (gsize i = 0; i < 20; i++)
    g_assert_cmpfloat (attn_panel_get_value (patches, i / 5, i % 5), ==,
                       attn_panel_get_value (matrix, 0, 1 + i));
  /* Whole patches: 12 of 13 rows of pixels, and more where the file has them. */
  g_assert_nonnull (over->grid->cells[0].image);
  g_assert_cmpuint (over->grid->cells[0].image->width % 15, ==, 0);
  g_assert_cmpuint (over->grid->cells[0].image->height % 12, ==, 0);

  several->queries = attn_index_set_new_range (3, 4);
  g_autoptr (AttnResult) mean = run (several);
  for (gsize i = 0; i < 20; i++)
    g_assert_cmpfloat (fabs (attn_panel_get_value (fixture_get_panel (mean, 0, 0), i / 5, i % 5) -
                             (attn_panel_get_value (matrix, 3, 1 + i) +
                              attn_panel_get_value (matrix, 4, 1 + i)) /
                                 2.0f),
                       <, 1e-7);
}

/* Differences to the baseline are those of the patches. */
static void
test_differences (void)
{
  g_autoptr (AttnStudy) study = make_study (TRUE);

  study->operation = ATTN_OPERATION_SCALE;
  study->components[ATTN_COMPONENT_QUERY] = TRUE;
  study->shows_differences = TRUE;
  g_autoptr (AttnResult) result = run (study);
  const AttnGridCell *cell = &result->grid->cells[0];
  double largest = 0.0;

  for (gsize i = 0; i < 20; i++)
    {
      double difference = attn_panel_get_value (cell->panel, i / 5, i % 5);

      g_assert_cmpfloat (fabs (difference - (attn_panel_get_value (cell->minuend, i / 5, i % 5) -
                                             attn_panel_get_value (cell->baseline, i / 5, i % 5))),
                         <, 1e-7);
      largest = MAX (largest, fabs (difference));
    }
  g_assert_cmpfloat (largest, >, 1e-4);
}

static gsize
count (const char *text,
       const char *part)
{
  gsize n = 0;

  for (const char *at = strstr (text, part); at != NULL; at = strstr (at + 1, part))
    n++;
  return n;
}

/* The picture stands in the file once, whatever shows it. */
static void
test_svg (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = make_study (TRUE);

  study->columns = ATTN_DIMENSION_HEAD;
  g_autoptr (AttnResult) result = run (study);
  g_autoptr (GBytes) bytes =
      attn_result_export (result, study, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *svg =
      g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

  g_assert_cmpuint (count (svg, "<image "), ==, 1);
  g_assert_cmpuint (count (svg, "<use class=\"picture\""), ==, 4);
  g_assert_cmpuint (count (svg, "opacity=\"0.4\""), ==, 4);
  g_assert_cmpuint (count (svg, "Query: [CLS]"), >, 0);

  study->style.heat_opacity = 1.0;
  g_autoptr (AttnResult) hidden = attn_result_restyle (result, study);
  g_autoptr (GBytes) other =
      attn_result_export (hidden, study, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *without =
      g_strndup (g_bytes_get_data (other, NULL), g_bytes_get_size (other));
  g_assert_cmpuint (count (without, "<image "), ==, 0);
}

/* In JSON an input has its path, and nothing else. */
static void
test_json (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = make_study (TRUE);
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) read = attn_study_from_json ("study", json, strlen (json), &error);

  g_assert_no_error (error);
  g_assert_true (attn_study_equal (study, read));
  g_assert_nonnull (strstr (json, "\"image\""));
  g_assert_null (strstr (json, "\"text\""));
  g_assert_nonnull (strstr (json, "\"over-picture\""));
}

/* A text for a model of pictures, a picture for one of texts, half a picture. */
static void
test_refused (void)
{
  AttnWorkspace *workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) texts = make_study (TRUE);
  g_autoptr (AttnStudy) picture = make_study (TRUE);
  g_autoptr (AttnStudy) part = make_study (TRUE);
  AttnInput *input = g_ptr_array_index (part->inputs, 0);

  g_ptr_array_set_size (texts->inputs, 0);
  g_ptr_array_add (texts->inputs, attn_input_new_text ("A rose", 0));
  fixture_assert_fails (texts, workspace, ATTN_ERROR_ARGUMENT, "input 1", "no picture found");
  attn_model_reference_set (&picture->model, NULL);
  fixture_assert_fails (picture, workspace, ATTN_ERROR_ARGUMENT, "input 1", "a picture found");
  input->n_tokens = 5;
  fixture_assert_fails (part, workspace, ATTN_ERROR_ARGUMENT, "input 1", "expected all of them");
  attn_workspace_free (workspace);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/pictures/panels", test_panels);
  g_test_add_func ("/study/pictures/differences", test_differences);
  g_test_add_func ("/study/pictures/svg", test_svg);
  g_test_add_func ("/study/pictures/json", test_json);
  g_test_add_func ("/study/pictures/refused", test_refused);
  return g_test_run ();
}
