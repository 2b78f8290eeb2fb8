/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Regions: as they are written, where they go, what they measure, and through a file. */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-regions.h"
#include "attn-roles.h"

static void
assert_place (const AttnRegion *region,
              gsize             first_column,
              gsize             last_column,
              gsize             first_row,
              gsize             last_row)
{
  g_assert_cmpuint (region->first_column, ==, first_column);
  g_assert_cmpuint (region->last_column, ==, last_column);
  g_assert_cmpuint (region->first_row, ==, first_row);
  g_assert_cmpuint (region->last_row, ==, last_row);
}

static AttnStudy *
make_study (void)
{
  AttnStudy *study = attn_study_new ();

  study->figure = ATTN_FIGURE_LAYER_TOKEN;
  return study;
}

static void
add_region (AttnStudy  *study,
            const char *text)
{
  g_autoptr (GError) error = NULL;
  AttnStudyRegion *region = attn_study_parse_region (study, text, &error);

  g_assert_no_error (error);
  g_assert_nonnull (region);
  g_ptr_array_add (study->regions, region);
}

static const AttnStudyRegion *
get_region (const AttnStudy *study,
            guint            index)
{
  return g_ptr_array_index (study->regions, index);
}

static void
test_roles (void)
{
  g_autoptr (AttnStudy) study = make_study ();

  add_region (study, "first_answer:-1,4-28");
  assert_place (&get_region (study, 0)->region, 1, 13, 4, 28);
  g_assert_null (get_region (study, 0)->region.name);
  add_region (study, "The end=-2:-1,3");
  assert_place (&get_region (study, 1)->region, 12, 13, 3, 3);
  g_assert_cmpstr (get_region (study, 1)->region.name, ==, "The end");
  add_region (study, "last_q,0");
  assert_place (&get_region (study, 2)->region, 0, 0, 0, 0);
  add_region (study, "2-5,0:1");
  assert_place (&get_region (study, 3)->region, 2, 5, 0, 1);
  add_region (study, "-8--6,0-1");
  assert_place (&get_region (study, 4)->region, 6, 8, 0, 1);
}

static void
test_grid (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();

  add_region (study, "0-3,2-5");
  assert_place (&get_region (study, 0)->region, 0, 3, 2, 5);
  g_assert_cmpuint (get_region (study, 0)->panel, ==, 0);
  add_region (study, "sink=4/0,0-14");
  assert_place (&get_region (study, 1)->region, 0, 0, 0, 14);
  g_assert_cmpuint (get_region (study, 1)->panel, ==, 4);
}

static void
test_refused (void)
{
  static const char * const wrong[] = { "", ",", "first_answer", "first_anwser:-1,0-1",
                                        "-1:first_answer,0-1", "first_answer:-1,5-4",
                                        "first_answer:-1,-1", "name=", "0-3,a", "0-3,1.5" };
  g_autoptr (AttnStudy) study = make_study ();

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_study_parse_region (study, wrong[i], &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      /* The columns that there are. */
      g_assert_nonnull (strstr (error->message, "exact_answer_before_first"));
    }
}

/* Column names and row labels of a table go before numbers. */
static void
test_table (void)
{
  g_autofree char *directory = g_dir_make_tmp ("regions-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "probe.csv", NULL);
  g_autoptr (AttnStudy) study = make_study ();
  g_autoptr (GError) error = NULL;

  add_region (study, "first_answer:exact_answer_last,0-1");
  g_assert_true (g_file_set_contents (path,
                                      ",exact_answer_last,last_q,first_answer,-1\n"
                                      "12,0.5,0.6,0.7,0.8\n"
                                      "16,0.6,0.7,0.8,0.9\n",
                                      -1, NULL));
  /* On the columns of the same names, whose order is another. */
  g_assert_true (attn_study_move_regions (study, &(AttnModelReference) { .path = path }, &error));
  g_assert_no_error (error);
  assert_place (&get_region (study, 0)->region, 0, 2, 0, 1);

  study->model.path = g_strdup (path);
  add_region (study, "first_answer:-1,12-16");
  assert_place (&get_region (study, 1)->region, 2, 3, 0, 1);
  add_region (study, "3,1");
  assert_place (&get_region (study, 2)->region, 3, 3, 1, 1);
  g_assert_null (attn_study_parse_region (study, "second_answer,12", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_unlink (path);
  g_rmdir (directory);
}

static void
test_after_last (void)
{
  g_autoptr (AttnStudy) study = make_study ();

  add_region (study, "exact_answer_last,0");
  add_region (study, "exact_answer_last:-8,0");
  add_region (study, "-2:-1,0");
  attn_roles_set_after_last (study, TRUE);
  assert_place (&get_region (study, 0)->region, 5, 5, 0, 0);
  assert_place (&get_region (study, 1)->region, 5, 7, 0, 0);
  assert_place (&get_region (study, 2)->region, 13, 14, 0, 0);
  attn_roles_set_after_last (study, TRUE); /* once only */
  assert_place (&get_region (study, 2)->region, 13, 14, 0, 0);
  attn_roles_set_after_last (study, FALSE);
  assert_place (&get_region (study, 1)->region, 5, 6, 0, 0);
  assert_place (&get_region (study, 2)->region, 12, 13, 0, 0);
}

static void
test_through_file (void)
{
  g_autofree char *directory = g_dir_make_tmp ("regions-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "study.json", NULL);
  g_autoptr (AttnStudy) study = make_study ();
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (study->inputs, attn_input_new_text ("A rose", 0));
  study->value_label = g_strdup ("AUC");
  add_region (study, "Of “interest”=first_answer:-1,4-28");
  add_region (study, "1/3,4");
  g_assert_true (attn_study_save (study, path, &error));
  g_autoptr (AttnStudy) loaded = attn_study_load (path, &error);
  g_assert_no_error (error);
  g_assert_true (attn_study_equal (study, loaded));
  g_assert_cmpuint (loaded->regions->len, ==, 2);
  assert_place (&get_region (loaded, 0)->region, 1, 13, 4, 28);
  g_assert_cmpstr (get_region (loaded, 0)->region.name, ==, "Of “interest”");
  g_assert_cmpuint (get_region (loaded, 1)->panel, ==, 1);
  g_assert_cmpstr (loaded->value_label, ==, "AUC");

  /* Equality sees every part of a region. */
  ((AttnStudyRegion *) g_ptr_array_index (loaded->regions, 0))->region.last_row--;
  g_assert_false (attn_study_equal (study, loaded));
  g_unlink (path);
  g_rmdir (directory);
}

static AttnPanel *
make_panel (const float *values,
            gsize        n_rows,
            gsize        n_columns,
            AttnMask     mask)
{
  const gsize shape[] = { n_rows, n_columns };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, shape, NULL);

  memcpy (tensor->data, values, n_rows * n_columns * sizeof *values);
  return attn_panel_new (tensor, mask, NULL, NULL);
}

/* All values are exact in binary, and so are their means. */
static void
test_measures (void)
{
  const float values[] = {
    1.0f, 0.0f, 0.0f,  /**/
    0.5f, 0.25f, 0.0f, /**/
    0.5f, NAN, 0.75f,  /**/
  };
  g_autoptr (AttnPanel) open = make_panel (values, 3, 3, ATTN_MASK_NONE);
  g_autoptr (AttnPanel) causal = make_panel (values, 3, 3, ATTN_MASK_CAUSAL);
  const AttnRegion lower = { .first_row = 1, .last_row = 2, .first_column = 0, .last_column = 1 };
  const AttnRegion all = { .last_row = 2, .last_column = 2 };
  const AttnRegion upper = { .last_row = 0, .first_column = 1, .last_column = 2 };
  const AttnRegion nan = { .first_row = 2, .last_row = 2, .first_column = 1, .last_column = 1 };
  const AttnRegion beyond = { .first_row = 2, .last_row = 9, .first_column = 2, .last_column = 9 };

  AttnRegionMeasures measures = attn_region_measure (open, &lower, NULL);
  g_assert_cmpuint (measures.n_cells, ==, 3); /* 0.5, 0.25, 0.5 */
  g_assert_cmpfloat_with_epsilon (measures.mean, 1.25 / 3, 1e-12);
  g_assert_cmpfloat (measures.largest, ==, 0.5);

  measures = attn_region_measure (open, &all, NULL);
  g_assert_cmpuint (measures.n_cells, ==, 8);
  g_assert_cmpfloat (measures.mean, ==, 0.375);
  measures = attn_region_measure (causal, &all, NULL);
  g_assert_cmpuint (measures.n_cells, ==, 5);
  g_assert_cmpfloat_with_epsilon (measures.mean, 0.6, 1e-12);
  g_assert_cmpfloat (measures.largest, ==, 1.0);

  measures = attn_region_measure (open, &upper, NULL);
  g_assert_cmpuint (measures.n_cells, ==, 2);
  g_assert_cmpfloat (measures.mean, ==, 0.0);
  g_assert_cmpfloat (measures.largest, ==, 0.0);
  /* All of it masked, or none of it a number. */
  measures = attn_region_measure (causal, &upper, NULL);
  g_assert_cmpuint (measures.n_cells, ==, 0);
  g_assert_true (isnan (measures.mean) && isnan (measures.largest));
  measures = attn_region_measure (open, &nan, NULL);
  g_assert_cmpuint (measures.n_cells, ==, 0);
  g_assert_true (isnan (measures.mean) && isnan (measures.largest));

  measures = attn_region_measure (open, &beyond, NULL);
  g_assert_cmpuint (measures.n_cells, ==, 1);
  g_assert_cmpfloat (measures.mean, ==, 0.75);
}

static void
test_applied (void)
{
  static const float values[6] = { 0 };
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 2);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < 2; i++)
    grid->cells[i].panel = make_panel (values, 2, 3, ATTN_MASK_NONE);
  add_region (study, "a=0,0");
  add_region (study, "b=1/1-7,0-7");
  add_region (study, "c=1/2,1");
  attn_study_apply_regions (study, grid);
  g_assert_cmpuint (grid->cells[0].n_regions, ==, 1);
  g_assert_cmpstr (grid->cells[0].regions[0].name, ==, "a");
  g_assert_cmpuint (grid->cells[1].n_regions, ==, 2);
  /* It ends with its panel. */
  assert_place (&grid->cells[1].regions[0], 1, 2, 0, 1);
  g_assert_cmpstr (grid->cells[1].regions[1].name, ==, "c");

  /* What has no place stays in the study and out of the figure. */
  static const char * const wrong[] = { "2/0,0", "0,2-3", "3,0" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (AttnGrid) other = attn_grid_new (1, 1);

      other->cells[0].panel = attn_panel_ref (grid->cells[0].panel);
      g_ptr_array_set_size (study->regions, 0);
      add_region (study, wrong[i]);
      g_assert_false (attn_study_check_region (study->regions->pdata[0], grid, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_clear_error (&error);
      attn_study_apply_regions (study, other);
      g_assert_cmpuint (other->cells[0].n_regions, ==, 0);
    }
}

/* Rows 1, 4 and 5 and columns 0, 2 and 3 of an input are left. */
static void
test_positions (void)
{
  static const float values[9] = { 0 };
  static const gsize rows[] = { 1, 4, 5 };
  static const gsize columns[] = { 0, 2, 3 };
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  g_autoptr (GError) error = NULL;
  AttnRegion shown;

  grid->cells[0].panel = make_panel (values, 3, 3, ATTN_MASK_NONE);
  attn_panel_set_positions (grid->cells[0].panel, rows, columns);
  add_region (study, "2,5");     /* one cell */
  add_region (study, "1-9,2-4"); /* what is left of it */
  add_region (study, "1,4");     /* its key is hidden */
  add_region (study, "0-3,2-3"); /* its queries are */
  attn_study_apply_regions (study, grid);
  g_assert_cmpuint (grid->cells[0].n_regions, ==, 2);
  assert_place (&grid->cells[0].regions[0], 1, 1, 2, 2);
  assert_place (&grid->cells[0].regions[1], 1, 2, 1, 1);
  g_assert_false (attn_study_find_region (study->regions->pdata[2], grid, &shown));
  g_assert_false (attn_study_check_region (study->regions->pdata[3], grid, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "rows 2-3 found, expected within 1-5"));

  AttnRegion drawn = { .first_row = 1, .last_row = 2, .first_column = 0, .last_column = 1 };
  AttnStudyRegion *made = attn_study_region_new_shown (0, grid, &drawn);
  assert_place (&made->region, 0, 2, 4, 5);
  attn_study_region_free (made);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/regions/positions", test_positions);
  g_test_add_func ("/regions/roles", test_roles);
  g_test_add_func ("/regions/grid", test_grid);
  g_test_add_func ("/regions/refused", test_refused);
  g_test_add_func ("/regions/table", test_table);
  g_test_add_func ("/regions/after-last", test_after_last);
  g_test_add_func ("/regions/through-file", test_through_file);
  g_test_add_func ("/regions/measures", test_measures);
  g_test_add_func ("/regions/applied", test_applied);
  return g_test_run ();
}
