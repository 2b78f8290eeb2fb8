/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Texts with a picture in them as inputs of a study, and its panels over that. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "attn-array.h"
#include "attn-effects.h"
#include "attn-error.h"
#include "attn-input-bind.h"
#include "attn-patches.h"
#include "study-fixture.h"

/* A text of seven tokens, one of which becomes nine of a picture. */
static const guint32 text[] = { 1, 7, 30, 4, 12, 25, 3 };

#define N_TOKENS 15
#define FIRST    2

typedef struct
{
  char *folder;
  char *paths[2];
} Pictures;

/* Two pictures as arrays, the first that of the fixture. */
static Pictures
make_pictures (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *expected =
      g_test_build_filename (G_TEST_DIST, "model", "llava", "expected.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_load (expected, &error);
  Pictures pictures = { g_dir_make_tmp ("attn-XXXXXX", NULL) };

  g_assert_no_error (error);
  for (gsize i = 0; i < 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("%zu.npy", i);
      g_autoptr (AttnTensor) pixels =
          attn_array_to_tensor (attn_array_file_lookup (file, "pixels"), &error);
      pictures.paths[i] = g_build_filename (pictures.folder, name, NULL);
      g_autoptr (AttnArrayFile) array = attn_array_file_new (pictures.paths[i]);

      g_assert_no_error (error);
      for (gsize k = 0; i > 0 && k < attn_tensor_get_n_elements (pixels); k++)
        pixels->data[k] = -pixels->data[k];
      g_assert_true (attn_array_file_add (array, attn_array_new_from_tensor ("a", pixels), NULL));
      g_autoptr (GBytes) bytes = attn_array_file_serialize (array, pictures.paths[i], &error);
      g_assert_no_error (error);
      g_assert_true (g_file_set_contents (pictures.paths[i], g_bytes_get_data (bytes, NULL),
                                          (gssize) g_bytes_get_size (bytes), NULL));
    }
  return pictures;
}

static void
clear_pictures (Pictures *pictures)
{
  for (gsize i = 0; i < 2; i++)
    {
      g_unlink (pictures->paths[i]);
      g_free (pictures->paths[i]);
    }
  g_rmdir (pictures->folder);
  g_free (pictures->folder);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pictures, clear_pictures)

static AttnInput *
new_input (const char *path)
{
  AttnInput *input = attn_input_new_ids (text, G_N_ELEMENTS (text), 0);

  attn_input_add_picture (input, path, TRUE);
  return input;
}

static AttnStudy *
make_study (const Pictures *pictures,
            gboolean        is_over_picture)
{
  AttnStudy *study = fixture_load ("single");
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "model", "llava", NULL);

  attn_model_reference_set (&study->model, model);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, new_input (pictures->paths[0]));
  study->layer = 1;
  study->head = 2;
  study->is_over_picture = is_over_picture;
  return study;
}

/* The matrix has text and patches; over the picture lies what a token of the text pays them, of all
 * the last. */
static void
test_panels (void)
{
  g_auto (Pictures) pictures = make_pictures ();
  g_autoptr (AttnStudy) plain_study = make_study (&pictures, FALSE);
  g_autoptr (AttnStudy) last_study = make_study (&pictures, TRUE);
  g_autoptr (AttnStudy) word_study = make_study (&pictures, TRUE);
  word_study->queries = attn_index_set_new_range (12, 12);
  g_autoptr (AttnResult) plain = fixture_run_once (plain_study);
  g_autoptr (AttnResult) last = fixture_run_once (last_study);
  g_autoptr (AttnResult) word = fixture_run_once (word_study);
  AttnPanel *matrix = fixture_get_panel (plain, 0, 0);

  g_assert_cmpuint (attn_panel_get_n_rows (matrix), ==, N_TOKENS);
  g_assert_cmpstr (attn_panel_get_row_labels (matrix)[FIRST], ==, "0,0");
  g_assert_cmpstr (attn_panel_get_row_labels (matrix)[FIRST + 8], ==, "2,2");
  g_assert_cmpstr (attn_panel_get_row_labels (matrix)[FIRST + 9], ==, "#4");
  g_assert_cmpuint (attn_panel_get_n_rows (fixture_get_panel (last, 0, 0)), ==, 3);
  g_assert_nonnull (last->grid->cells[0].image);
  for (gsize i = 0; i < 9; i++)
    {
      g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (last, 0, 0), i / 3, i % 3), ==,
                         attn_panel_get_value (matrix, N_TOKENS - 1, FIRST + i));
      g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (word, 0, 0), i / 3, i % 3), ==,
                         attn_panel_get_value (matrix, 12, FIRST + i));
    }
}

/* Of two pictures in a text panels lie over that of the query, over the first for a word, or over
 * the one that is asked for; beyond the last there is none. */
static void
test_several (void)
{
  static const guint32 both[] = { 1, 30, 4, 30, 12, 25, 3 };
  const struct
  {
    gsize picture;
    gsize query;
    gsize shown;
  } cases[] = { { 0, 22, 1 }, { 0, 3, 1 }, { 0, 13, 2 }, { 2, 22, 2 }, { 1, 13, 1 } };
  g_auto (Pictures) pictures = make_pictures ();
  g_autoptr (AttnStudy) plain_study = make_study (&pictures, FALSE);
  AttnInput *input = attn_input_new_ids (both, G_N_ELEMENTS (both), 0);
  AttnWorkspace *workspace = attn_workspace_new ();

  attn_input_add_picture (input, pictures.paths[0], TRUE);
  attn_input_add_picture (input, pictures.paths[1], TRUE);
  g_ptr_array_set_size (plain_study->inputs, 0);
  g_ptr_array_add (plain_study->inputs, input);
  g_autoptr (AttnResult) plain = fixture_run (plain_study, workspace);
  AttnPanel *matrix = fixture_get_panel (plain, 0, 0);
  g_assert_cmpuint (attn_panel_get_n_rows (matrix), ==, 23);
  g_assert_cmpstr (attn_panel_get_row_labels (matrix)[1], ==, "1:0,0");
  g_assert_cmpstr (attn_panel_get_row_labels (matrix)[19], ==, "2:2,2");
  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (AttnStudy) study = attn_study_copy (plain_study);
      gsize first = cases[k].shown == 1 ? 1 : 11;

      study->is_over_picture = TRUE;
      study->picture = cases[k].picture;
      study->queries = attn_index_set_new_range (cases[k].query, cases[k].query);
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      const AttnGridCell *cell = &result->grid->cells[0];

      g_assert_cmpuint (cell->picture, ==, cases[k].shown);
      g_assert_nonnull (strstr (result->grid->caption,
                                cases[k].shown == 1 ? "Picture 1 of 2" : "Picture 2 of 2"));
      for (gsize i = 0; i < 9; i++)
        {
          g_assert_cmpfloat (attn_panel_get_value (cell->panel, i / 3, i % 3), ==,
                             attn_panel_get_value (matrix, cases[k].query, first + i));
          g_assert_cmpuint (
              attn_patches_find_token (result->model, result->inputs[0], cell, i / 3, i % 3), ==,
              first + i);
        }
    }
  plain_study->is_over_picture = TRUE;
  plain_study->picture = 3;
  fixture_assert_fails (plain_study, workspace, ATTN_ERROR_ARGUMENT, "picture 3 found",
                        "one of the 2");
  attn_workspace_free (workspace);
}

/* The vision encoder sees one of the pictures, and says what comes of the text with both. */
static void
test_vision_of_several (void)
{
  static const guint32 both[] = { 1, 30, 4, 30, 12, 25, 3 };
  g_autoptr (GError) error = NULL;
  g_auto (Pictures) pictures = make_pictures ();
  g_autoptr (AttnStudy) one = make_study (&pictures, FALSE);
  AttnInput *input = attn_input_new_ids (both, G_N_ELEMENTS (both), 0);
  AttnWorkspace *workspace = attn_workspace_new ();

  one->attention = g_strdup ("vision");
  g_autoptr (AttnResult) alone = fixture_run (one, workspace);
  g_autoptr (AttnStudy) study = attn_study_copy (one);
  attn_input_add_picture (input, pictures.paths[1], TRUE);
  attn_input_add_picture (input, pictures.paths[0], TRUE);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, input);
  study->operation = ATTN_OPERATION_ZERO;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
  for (gsize number = 1; number <= 2; number++)
    {
      study->picture = number;
      g_autoptr (AttnResult) result = attn_effects_run (study, workspace, NULL, NULL, &error);
      g_assert_no_error (error);
      AttnPanel *before = result->grid->cells[0].baseline;
      gsize n = attn_panel_get_n_rows (before);
      gboolean is_same = TRUE;

      for (gsize i = 0; i < n * n; i++)
        is_same = is_same &&
                  attn_panel_get_value (before, i / n, i % n) ==
                      attn_panel_get_value (fixture_get_panel (alone, 0, 0), i / n, i % n);
      g_assert_cmpint (is_same, ==, number == 2);
      g_assert_cmpfloat (g_ascii_strtod (result->grid->cells[0].numbers[0], NULL), >, 0.0);
    }
  attn_workspace_free (workspace);
}

/* The half for pictures takes the same input. */
static void
test_vision (void)
{
  g_auto (Pictures) pictures = make_pictures ();
  g_autoptr (AttnStudy) study = make_study (&pictures, FALSE);

  study->attention = g_strdup ("vision");
  g_autoptr (AttnResult) result = fixture_run_once (study);
  g_assert_cmpuint (attn_panel_get_n_rows (fixture_get_panel (result, 0, 0)), ==, 10);
}

/* Values of the first picture in the place of those of the second: as the first gives them where
 * all of them are, in the layer behind; and a cut leaves no weight on the picture. */
static void
test_patch_and_cut (void)
{
  g_auto (Pictures) pictures = make_pictures ();
  g_autoptr (AttnStudy) own = make_study (&pictures, FALSE);
  g_autoptr (AttnStudy) patched = make_study (&pictures, FALSE);
  g_autoptr (AttnStudy) cut = make_study (&pictures, FALSE);
  AttnIntervention *patch =
      attn_intervention_new (ATTN_COMPONENT_RESIDUAL, ATTN_OPERATION_PATCH, ATTN_SITE_PROJECTION);
  AttnIntervention *hidden =
      attn_intervention_new_cut (attn_index_set_new_range (FIRST + 9, N_TOKENS - 1),
                                 attn_index_set_new_range (FIRST, FIRST + 8));

  g_ptr_array_insert (patched->inputs, 0, new_input (pictures.paths[1]));
  patch->layers = attn_index_set_new_range (0, 0);
  patch->input = 1;
  g_ptr_array_add (patched->extra_interventions, patch);
  g_ptr_array_add (cut->extra_interventions, hidden);
  g_autoptr (AttnResult) a = fixture_run_once (own);
  g_autoptr (AttnResult) b = fixture_run_once (patched);
  g_autoptr (AttnResult) c = fixture_run_once (cut);

  for (gsize i = 0; i < N_TOKENS * N_TOKENS; i++)
    {
      gsize row = i / N_TOKENS, column = i % N_TOKENS;

      if (column > row)
        continue;
      g_assert_cmpfloat (fabs (attn_panel_get_value (fixture_get_panel (a, 0, 0), row, column) -
                               attn_panel_get_value (fixture_get_panel (b, 0, 0), row, column)),
                         <, 1e-6);
      if (row >= FIRST + 9 && column >= FIRST && column < FIRST + 9)
        g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (c, 0, 0), row, column), ==,
                           0.0);
    }
}

/* What changes the picture's half of the text changes what follows. */
static void
test_effects (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (Pictures) pictures = make_pictures ();
  g_autoptr (AttnStudy) study = make_study (&pictures, TRUE);

  study->operation = ATTN_OPERATION_ZERO;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
  AttnWorkspace *workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = attn_effects_run (study, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (g_strv_length (result->grid->number_names), ==, 2);
  g_assert_cmpfloat (g_ascii_strtod (result->grid->cells[0].numbers[0], NULL), >, 0.0);
  attn_workspace_free (workspace);
}

/* What changes the half for pictures changes what the text says, as in PyTorch: within 2e-5 of the
 * logits, so that a divergence of 1e-3 bits and more is the same to 1e-4. */
static void
test_effects_of_vision (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (Pictures) pictures = make_pictures ();
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "model", "llava", "expected.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_load (path, &error);
  static const char * const names[] = { "vision:baseline/logits",
                                        "vision:value/mean-token/0/all/all/logits" };
  double kl = 0.0;
  g_autoptr (AttnTensor) p =
      attn_array_to_tensor (attn_array_file_lookup (file, names[0]), &error);
  g_autoptr (AttnTensor) q =
      attn_array_to_tensor (attn_array_file_lookup (file, names[1]), &error);
  gsize n = p->shape[1];

  for (gsize row = 0; row < p->shape[0]; row++)
    {
      double sums[2] = { 0.0 };

      for (gsize i = row * n; i < (row + 1) * n; i++)
        {
          sums[0] += exp (p->data[i]);
          sums[1] += exp (q->data[i]);
        }
      for (gsize i = row * n; i < (row + 1) * n; i++)
        kl += exp (p->data[i]) / sums[0] *
              (p->data[i] - log (sums[0]) - q->data[i] + log (sums[1])) / G_LN2;
    }
  g_autoptr (AttnStudy) study = make_study (&pictures, FALSE);
  study->attention = g_strdup ("vision");
  study->layer = 0;
  study->operation = ATTN_OPERATION_MEAN;
  study->axis = ATTN_AXIS_TOKEN;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
  AttnWorkspace *workspace = attn_workspace_new ();
  g_autoptr (AttnResult) result = attn_effects_run (study, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  attn_workspace_free (workspace);
  double found = g_ascii_strtod (result->grid->cells[0].numbers[0], NULL);
  g_test_message ("%g bits, expected %g", found, kl / (double) p->shape[0]);
  /* Three digits are shown. */
  g_assert_cmpfloat (fabs (found - kl / (double) p->shape[0]), <, 6e-3 * found);
}

/* An input of both in JSON. */
static void
test_json (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (Pictures) pictures = make_pictures ();
  g_autoptr (AttnStudy) study = make_study (&pictures, TRUE);
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) read = attn_study_from_json ("study", json, strlen (json), &error);

  g_assert_no_error (error);
  g_assert_true (attn_study_equal (study, read));
  g_assert_nonnull (strstr (json, "\"pixels\": \""));
  g_assert_nonnull (strstr (json, "\"ids\""));

  AttnInput *input = study->inputs->pdata[0];
  attn_input_add_picture (input, pictures.paths[1], TRUE);
  study->picture = 2;
  g_autofree char *several = attn_study_to_json (study);
  g_autoptr (AttnStudy) again =
      attn_study_from_json ("study", several, strlen (several), &error);
  g_assert_no_error (error);
  g_assert_true (attn_study_equal (study, again));
  g_assert_nonnull (strstr (several, "\"pixels\": ["));
  g_assert_nonnull (strstr (several, "\"picture\": 2"));
}

static AttnTokens *
tokenize_chat (const AttnModel  *model,
               const char       *path,
               const char       *words,
               GError          **error)
{
  g_autoptr (AttnInput) input = attn_input_new_text (words, 0);

  attn_input_add_picture (input, path, TRUE);
  return attn_input_tokenize (input, 1, model, ATTN_FRAMING_CHAT, error);
}

/* In a chat the picture becomes its tokens where the template puts it, behind the first token of
 * the processor; a message without its mark is refused. The tokenizer knows single letters. */
static void
test_chat (void)
{
  static const char * const own[] = { "tokenizer.json", "tokenizer_config.json",
                                      "chat_template.jinja", "preprocessor_config.json" };
  static const char * const copied[] = { "config.json", "model.safetensors" };
  static const char expected[] = "<s> U S E R : ␣ 0,0 0,1 0,2 1,0 1,1 1,2 2,0 2,1 2,2 ↵ a b ␣ "
                                 "A S S I S T A N T :";
  g_autoptr (GError) error = NULL;
  g_auto (Pictures) pictures = make_pictures ();
  g_autofree char *folder = g_dir_make_tmp ("attn-XXXXXX", NULL);
  g_autofree char *template_path =
      g_test_build_filename (G_TEST_DIST, "tokenizer", "chat", "llava.jinja", NULL);
  g_autofree char *letters_path =
      g_test_build_filename (G_TEST_DIST, "tokenizer", "chat", "letters.json", NULL);
  g_autofree char *template = NULL;
  g_autofree char *letters = NULL;

  g_assert_true (g_file_get_contents (template_path, &template, NULL, NULL));
  g_assert_true (g_file_get_contents (letters_path, &letters, NULL, NULL));
  const char *contents[] = { letters, "{\"bos_token\": \"<s>\"}", template, "{}" };
  for (gsize i = 0; i < G_N_ELEMENTS (copied); i++)
    {
      g_autofree char *from =
          g_test_build_filename (G_TEST_DIST, "model", "llava", copied[i], NULL);
      g_autofree char *to = g_build_filename (folder, copied[i], NULL);
      g_autofree char *data = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (from, &data, &length, NULL));
      g_assert_true (g_file_set_contents (to, data, (gssize) length, NULL));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    {
      g_autofree char *to = g_build_filename (folder, own[i], NULL);

      g_assert_true (g_file_set_contents (to, contents[i], -1, NULL));
    }
  g_autoptr (AttnModel) model = attn_model_open (folder, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTokens) tokens = tokenize_chat (model, pictures.paths[0], "<image>ab", &error);
  g_assert_no_error (error);
  g_autofree char *labels = g_strjoinv (" ", (char **) tokens->labels);
  g_assert_cmpstr (labels, ==, expected);
  /* The message's own letters come from the text, the picture from its mark. */
  g_assert_cmpuint (tokens->tokens[17].begin, ==, 7);
  g_assert_cmpuint (tokens->tokens[18].end, ==, 9);
  g_assert_cmpuint (tokens->tokens[7].begin, ==, 0);
  g_assert_null (tokenize_chat (model, pictures.paths[0], "ab", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "a text without the token of a picture"));
  g_clear_error (&error);
  g_assert_null (tokenize_chat (model, pictures.paths[0], "<image>a<image>", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "2 tokens of a picture found"));
  g_clear_error (&error);
  /* Two pictures, for which this template writes both marks before the texts. */
  g_autoptr (AttnInput) two = attn_input_new_text ("<image>a<image>b", 0);
  attn_input_add_picture (two, pictures.paths[0], TRUE);
  attn_input_add_picture (two, pictures.paths[1], TRUE);
  g_autoptr (AttnTokens) both = attn_input_tokenize (two, 1, model, ATTN_FRAMING_CHAT, &error);
  g_assert_no_error (error);
  gsize n_of[2] = { 0, 0 };
  for (gsize i = 0; i < both->n_tokens; i++)
    for (gsize k = 0; k < 2; k++)
      n_of[k] += g_str_has_prefix (both->labels[i], k == 0 ? "1:" : "2:");
  g_assert_cmpuint (n_of[0], ==, 9);
  g_assert_cmpuint (n_of[1], ==, 9);
  for (gsize i = 0; i < G_N_ELEMENTS (own) + G_N_ELEMENTS (copied); i++)
    {
      g_autofree char *path = g_build_filename (
          folder, i < G_N_ELEMENTS (own) ? own[i] : copied[i - G_N_ELEMENTS (own)], NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
}

/* The order of the tokens of qwen2_5_vl is that of its windows; over the picture they lie by row
 * and column, as their labels say. */
static void
test_windows (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", "qwen2_5_vl", NULL);
  g_autofree char *arrays = g_build_filename (path, "expected.safetensors", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_load (arrays, &error);
  const AttnArray *own = attn_array_file_lookup (file, "pixels");
  g_autoptr (AttnTensor) pixels = attn_array_to_tensor (own, &error);
  g_autofree char *folder = g_dir_make_tmp ("attn-XXXXXX", NULL);
  g_autofree char *picture = g_build_filename (folder, "a.npy", NULL);
  g_autoptr (AttnArrayFile) array = attn_array_file_new (picture);

  g_assert_no_error (error);
  g_assert_true (attn_array_file_add (array, attn_array_new_from_tensor ("a", pixels), NULL));
  g_autoptr (GBytes) bytes = attn_array_file_serialize (array, picture, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (picture, g_bytes_get_data (bytes, NULL),
                                      (gssize) g_bytes_get_size (bytes), NULL));
  g_autoptr (AttnStudy) plain_study = fixture_load ("single");
  attn_model_reference_set (&plain_study->model, path);
  g_ptr_array_set_size (plain_study->inputs, 0);
  g_ptr_array_add (plain_study->inputs, attn_input_new_picture (picture, TRUE));
  plain_study->attention = g_strdup ("vision");
  plain_study->layer = 0;
  plain_study->head = 1;
  g_autoptr (AttnStudy) study = attn_study_copy (plain_study);
  study->is_over_picture = TRUE;
  study->queries = attn_index_set_new_range (5, 5);
  g_autoptr (AttnResult) plain = fixture_run_once (plain_study);
  g_autoptr (AttnResult) over = fixture_run_once (study);
  AttnPanel *matrix = fixture_get_panel (plain, 0, 0);
  AttnPanel *patches = fixture_get_panel (over, 0, 0);
  gsize n_columns = attn_panel_get_n_columns (patches), n_moved = 0;

  g_assert_cmpuint (attn_panel_get_n_rows (patches) * n_columns, ==,
                    attn_panel_get_n_columns (matrix));
  for (gsize i = 0; i < attn_panel_get_n_columns (matrix); i++)
    {
      g_auto (GStrv) place =
          g_strsplit (attn_panel_get_column_labels (matrix)[i], ",", 2);
      gsize row = g_ascii_strtoull (place[0], NULL, 10);
      gsize column = g_ascii_strtoull (place[1], NULL, 10);

      g_assert_cmpfloat (attn_panel_get_value (matrix, 5, i), ==,
                         attn_panel_get_value (patches, row, column));
      n_moved += row * n_columns + column != i;
    }
  g_assert_cmpuint (n_moved, >, 0);
  g_unlink (picture);
  g_rmdir (folder);
}

/* A picture without a text, a text without its token, with its token and no picture, a text cut
 * within the picture, and a text beside the picture of a model that reads none. */
static void
test_refused (void)
{
  g_auto (Pictures) pictures = make_pictures ();
  const guint32 plain[] = { 1, 2, 3 };
  AttnInput *alone = attn_input_new_picture (pictures.paths[0], TRUE);
  AttnInput *without = attn_input_new_ids (plain, G_N_ELEMENTS (plain), 0);
  AttnInput *blind = attn_input_new_ids (text, G_N_ELEMENTS (text), 0);
  AttnInput *cut = new_input (pictures.paths[0]);
  AttnInput *other = new_input (pictures.paths[0]);
  AttnInput *inputs[] = { alone, without, blind, cut, other };
  static const char * const words[] = {
    "a picture found and no text", "a text without the token of a picture",
    "token 30 of a picture found at position 2", "5 tokens found, expected at least 11",
    "a text beside a picture found"
  };
  AttnWorkspace *workspace = attn_workspace_new ();

  attn_input_add_picture (without, pictures.paths[0], TRUE);
  cut->n_tokens = 5;
  for (gsize i = 0; i < G_N_ELEMENTS (inputs); i++)
    {
      g_autoptr (AttnStudy) study = make_study (&pictures, FALSE);
      g_autofree char *vit = g_test_build_filename (G_TEST_DIST, "model", "vit", NULL);

      g_ptr_array_set_size (study->inputs, 0);
      g_ptr_array_add (study->inputs, inputs[i]);
      if (inputs[i] == other)
        attn_model_reference_set (&study->model, vit);
      fixture_assert_fails (study, workspace, ATTN_ERROR_ARGUMENT, "input 1", words[i]);
    }
  attn_workspace_free (workspace);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/seeing/panels", test_panels);
  g_test_add_func ("/study/seeing/several", test_several);
  g_test_add_func ("/study/seeing/vision-of-several", test_vision_of_several);
  g_test_add_func ("/study/seeing/vision", test_vision);
  g_test_add_func ("/study/seeing/patch-and-cut", test_patch_and_cut);
  g_test_add_func ("/study/seeing/effects", test_effects);
  g_test_add_func ("/study/seeing/effects-of-vision", test_effects_of_vision);
  g_test_add_func ("/study/seeing/json", test_json);
  g_test_add_func ("/study/seeing/chat", test_chat);
  g_test_add_func ("/study/seeing/windows", test_windows);
  g_test_add_func ("/study/seeing/refused", test_refused);
  return g_test_run ();
}
