/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pictures as inputs of a study, and its panels over them. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-array.h"
#include "attn-effects.h"
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

/* Makes a study of the largest channel of each token, as a map or over the picture. */
static AttnStudy *
make_state (gboolean is_over_picture,
            gboolean is_changed)
{
  g_autoptr (AttnStudy) grid = make_study (is_over_picture);
  AttnStudy *study = fixture_load ("state");

  attn_model_reference_set (&study->model, grid->model.path);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_copy (grid->inputs->pdata[0]));
  study->is_over_picture = is_over_picture;
  study->state = ATTN_STATE_LARGEST;
  if (is_changed)
    {
      study->operation = ATTN_OPERATION_ZERO;
      study->components[ATTN_COMPONENT_VALUE] = TRUE;
    }
  return study;
}

/* Over the picture lies a panel a layer with what the map has of the patches; of a changed model
 * there are three. */
static void
test_state (void)
{
  for (int is_changed = 0; is_changed < 2; is_changed++)
    {
      g_autoptr (AttnStudy) plain_study = make_state (FALSE, is_changed);
      g_autoptr (AttnStudy) over_study = make_state (TRUE, is_changed);
      g_autoptr (AttnResult) plain = fixture_run_once (plain_study);
      g_autoptr (AttnResult) over = fixture_run_once (over_study);
      gsize n_sides = is_changed ? 3 : 1;
      gsize n_layers = attn_panel_get_n_rows (plain->grid->cells[0].panel);

      g_assert_cmpuint (over->grid->n_rows * over->grid->n_columns, >=, n_layers * n_sides);
      for (gsize k = 0; k < n_layers * n_sides; k++)
        {
          const AttnGridCell *map = &plain->grid->cells[k % n_sides];
          const AttnGridCell *cell = &over->grid->cells[k];
          gsize layer = k / n_sides;

          g_assert_nonnull (cell->image);
          g_assert_nonnull (cell->title);
          g_assert_cmpuint (attn_panel_get_n_rows (cell->panel), ==, 4);
          g_assert_cmpuint (attn_panel_get_n_columns (cell->panel), ==, 5);
          for (gsize i = 0; i < 20; i++)
            {
              g_assert_cmpfloat (attn_panel_get_value (cell->panel, i / 5, i % 5), ==,
                                 attn_panel_get_value (map->panel, layer, 1 + i));
              if (map->cell_numbers != NULL)
                g_assert_cmpuint (cell->cell_numbers[i], ==,
                                  map->cell_numbers[layer * 21 + 1 + i]);
            }
        }
    }
}

/* The matrix has all tokens, the picture those of a row that are patches. */
static void
test_panels (void)
{
  g_autoptr (AttnStudy) plain_study = make_study (FALSE);
  g_autoptr (AttnStudy) study = make_study (TRUE);
  g_autoptr (AttnStudy) several = make_study (TRUE);
  g_autoptr (AttnResult) plain = fixture_run_once (plain_study);
  g_autoptr (AttnResult) over = fixture_run_once (study);
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
  g_autoptr (AttnResult) mean = fixture_run_once (several);
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
  g_autoptr (AttnResult) result = fixture_run_once (study);
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
  g_autoptr (AttnResult) result = fixture_run_once (study);
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

/* As the ending of @path says. */
static void
save (AttnArrayFile *file,
      const char    *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = attn_array_file_serialize (file, path, &error);

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                      (gssize) g_bytes_get_size (bytes), &error));
}

static gsize
count_bytes (GBytes     *bytes,
             const char *part)
{
  gsize length, n = 0;
  const char *data = g_bytes_get_data (bytes, &length);

  for (const char *at = data;
       (at = memmem (at, length - (gsize) (at - data), part, strlen (part))) != NULL; at++)
    n++;
  return n;
}

/* The same of a PDF. */
static void
test_pdf (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = make_study (TRUE);

  study->columns = ATTN_DIMENSION_HEAD;
  g_autoptr (AttnResult) result = fixture_run_once (study);
  g_autoptr (GBytes) bytes =
      attn_result_export (result, study, ATTN_EXPORT_PDF, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_bytes (bytes, "/Subtype /Image"), ==, 1);
}

/* Smooth colours are an image of each panel, under the one picture of all. */
static void
test_smooth (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = make_study (TRUE);

  study->columns = ATTN_DIMENSION_HEAD;
  study->style.has_smooth_heat = TRUE;
  g_autoptr (AttnResult) result = fixture_run_once (study);
  g_autoptr (GBytes) bytes =
      attn_result_export (result, study, ATTN_EXPORT_SVG, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *svg =
      g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

  g_assert_cmpuint (count (svg, "<image "), ==, 5);
  g_assert_cmpuint (count (svg, "<use class=\"picture\""), ==, 8);
  g_assert_cmpuint (count (svg, "opacity=\"0.4\""), ==, 4);
}

/* The name and the probability of what the picture is taken for stand below a panel, and a label
 * whose logit is asked for may be named. */
static void
test_names (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "model", "vit", NULL);
  g_autofree char *folder = g_dir_make_tmp ("attn-XXXXXX", &error);
  g_autofree char *pixels = g_build_filename (folder, "pixels.npy", NULL);
  g_autofree char *expected =
      g_test_build_filename (G_TEST_DIST, "model", "vit", "expected.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_load (expected, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTensor) tensor =
      attn_array_to_tensor (attn_array_file_lookup (file, "pixels"), &error);
  g_assert_no_error (error);
  g_autoptr (AttnArrayFile) array = attn_array_file_new (pixels);
  g_assert_true (attn_array_file_add (array, attn_array_new_from_tensor ("arr", tensor), &error));
  save (array, pixels);
  g_autoptr (AttnStudy) study = fixture_load ("single");
  attn_model_reference_set (&study->model, model);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_picture (pixels, TRUE));
  study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
  study->token = g_strdup ("hat");
  study->versus = g_strdup ("dog");
  AttnWorkspace *workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = attn_effects_run (study, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  static const char * const names[] = { "Label", "Logit Diff.", NULL };
  GStrv numbers = result->grid->cells[0].numbers;
  g_assert_cmpstrv (result->grid->number_names, names);
  g_test_message ("%s, %s", numbers[0], numbers[1]);
  g_assert_true (g_str_has_prefix (numbers[0], "hat 0.9"));
  g_assert_true (g_str_has_prefix (numbers[1], "4."));
  study->operation = ATTN_OPERATION_ZERO;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  g_autoptr (AttnResult) changed = attn_effects_run (study, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  const AttnGrid *grid = changed->grid;
  const char *divergence = NULL;
  g_assert_cmpstr (grid->number_names[0], ==, "KL (bits)");
  for (gsize i = 0; i < grid->n_rows * grid->n_columns && divergence == NULL; i++)
    if (!g_str_equal (grid->cells[i].numbers[0], "–"))
      divergence = grid->cells[i].numbers[0];
  g_assert_cmpfloat (g_ascii_strtod (divergence, NULL), >, 0);
  g_assert_null (strstr (divergence, "→"));
  g_free (study->token);
  study->token = g_strdup ("rose");
  g_assert_null (attn_effects_run (study, workspace, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "label “rose” found"));
  attn_workspace_free (workspace);
  g_unlink (pixels);
  g_rmdir (folder);
}

/* Adds an array of small numbers in order. */
static void
add_numbers (AttnArrayFile *file,
             const char    *name,
             guint          n_dims,
             const gsize   *shape,
             float          factor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTensor) tensor = attn_tensor_new (n_dims, shape, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < attn_tensor_get_n_elements (tensor); i++)
    tensor->data[i] = factor * (float) (i % 97);
  g_assert_true (attn_array_file_add (file, attn_array_new_from_tensor (name, tensor), &error));
}

static void
add_grid (AttnArrayFile *file,
          float          rows,
          float          columns)
{
  const gsize two[] = { 2 };
  g_autoptr (AttnTensor) tensor = attn_tensor_new (1, two, NULL);

  tensor->data[0] = rows;
  tensor->data[1] = columns;
  g_assert_true (attn_array_file_add (file, attn_array_new_from_tensor ("grid", tensor), NULL));
}

/* A recording of two heads, seven tokens looking at nine keys, of which the last six are patches.
 * @image: (nullable): the path of its picture; else it is an array */
static AttnArrayFile *
make_recording (const char *image,
                float       rows,
                float       columns)
{
  const gsize weights[] = { 1, 2, 7, 9 }, pixels[] = { 4, 8, 3 };
  AttnArrayFile *file = attn_array_file_new ("recording.npz");
  const char *paths[] = { image, NULL };

  add_numbers (file, "attention", 4, weights, 0.01f);
  add_grid (file, rows, columns);
  if (image == NULL)
    add_numbers (file, "image", 3, pixels, 0.01f);
  else
    g_assert_true (attn_array_file_add (file, attn_array_new_strings ("image", paths), NULL));
  return file;
}

static AttnStudy *
make_recorded (const char *path)
{
  AttnStudy *study = fixture_load ("single");

  attn_model_reference_set (&study->model, path);
  study->layer = 0;
  study->head = 1;
  study->is_over_picture = TRUE;
  study->queries = attn_index_set_new_range (4, 4);
  return study;
}

/* The same figure of what another program recorded, with the picture as an array or as a file. */
static void
test_recording (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("attn-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "recording.npz", NULL);
  g_autofree char *landscape =
      g_test_build_filename (G_TEST_DIST, "picture", "landscape.png", NULL);

  for (gsize is_file = 0; is_file < 2; is_file++)
    {
      g_autoptr (AttnArrayFile) file = make_recording (is_file ? landscape : NULL, 2, 3);
      save (file, path);
      g_autoptr (AttnStudy) study = make_recorded (path);
      g_autoptr (AttnResult) result = fixture_run_once (study);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);
      AttnImage *image = result->grid->cells[0].image;

      g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 2);
      g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, 3);
      /* Head 1, query 4, the six keys behind the first three. */
      for (gsize i = 0; i < 6; i++)
        g_assert_cmpfloat (
            fabs (attn_panel_get_value (panel, i / 3, i % 3) -
                  0.01 * (double) ((63 + 4 * 9 + 3 + i) % 97)),
            <, 1e-6);
      /* Keys that nothing was recorded of are called by what they are. */
      g_autoptr (AttnStudy) plain = make_recorded (path);
      plain->is_over_picture = FALSE;
      g_autoptr (AttnResult) matrix = fixture_run_once (plain);
      const char * const *labels =
          attn_panel_get_column_labels (fixture_get_panel (matrix, 0, 0));
      g_assert_cmpstr (labels[2], ==, "2");
      g_assert_cmpstr (labels[3], ==, "0,0");
      g_assert_cmpstr (labels[8], ==, "1,2");
      g_assert_cmpuint (image->width, ==, is_file ? 41 : 8);
      g_assert_cmpuint (image->height, ==, is_file ? 23 : 4);
      /* Numbers up to 0.96 are shares of white. */
      if (!is_file)
        g_assert_cmpuint (image->rgb[50], ==, (guint) (255.0 * 0.5 + 0.5));
    }
  g_unlink (path);
  g_rmdir (folder);
}

static void
assert_recording_refused (AttnArrayFile *own,
                          int            code,
                          const char    *words)
{
  g_autoptr (AttnArrayFile) file = own;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("attn-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "recording.npz", NULL);

  save (file, path);
  g_autoptr (AttnStudy) study = make_recorded (path);
  AttnWorkspace *workspace = attn_workspace_new ();
  fixture_assert_fails (study, workspace, code, "", words);
  attn_workspace_free (workspace);
  g_unlink (path);
  g_rmdir (folder);
}

/* A grid of more patches than keys, or of none; one without a picture; a picture of no shape. */
static void
test_recording_refused (void)
{
  const gsize odd[] = { 2, 3, 4, 5 }, weights[] = { 1, 2, 7, 9 };
  AttnArrayFile *file = attn_array_file_new ("recording.npz");

  assert_recording_refused (make_recording (NULL, 4, 3), ATTN_ERROR_SHAPE,
                            "“grid” of 4 x 3 patches found");
  assert_recording_refused (make_recording (NULL, 0, 3), ATTN_ERROR_SHAPE,
                            "“grid” of 0 x 3 patches found");
  assert_recording_refused (make_recording (NULL, 1.5, 2), ATTN_ERROR_SHAPE,
                            "“grid” of 1.5 x 2 patches found");
  add_numbers (file, "attention", 4, weights, 0.01f);
  add_grid (file, 2, 3);
  assert_recording_refused (file, ATTN_ERROR_FORMAT, "“grid” found and no “image”");
  file = attn_array_file_new ("recording.npz");
  add_numbers (file, "attention", 4, weights, 0.01f);
  add_grid (file, 2, 3);
  add_numbers (file, "image", 4, odd, 0.01f);
  assert_recording_refused (file, ATTN_ERROR_SHAPE, "“image” of shape [2, 3, 4, 5] found");
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
  g_test_add_func ("/study/pictures/state", test_state);
  g_test_add_func ("/study/pictures/panels", test_panels);
  g_test_add_func ("/study/pictures/differences", test_differences);
  g_test_add_func ("/study/pictures/svg", test_svg);
  g_test_add_func ("/study/pictures/pdf", test_pdf);
  g_test_add_func ("/study/pictures/smooth", test_smooth);
  g_test_add_func ("/study/pictures/names", test_names);
  g_test_add_func ("/study/pictures/recording", test_recording);
  g_test_add_func ("/study/pictures/recording-refused", test_recording_refused);
  g_test_add_func ("/study/pictures/json", test_json);
  g_test_add_func ("/study/pictures/refused", test_refused);
  return g_test_run ();
}
