/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sounds as inputs of a study. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "attn-effects.h"
#include "attn-error.h"
#include "attn-input-bind.h"
#include "attn-log-mel.h"
#include "attn-workspace.h"
#include "study-fixture.h"

static AttnStudy *
make_study (const char *attention)
{
  static const guint32 target[] = { 2, 9, 4, 7 };
  AttnStudy *study = fixture_load ("single");
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "model", "whisper", NULL);
  g_autofree char *features =
      g_test_build_filename (G_TEST_DIST, "model", "whisper", "features.npy", NULL);
  AttnInput *input = attn_input_new_sound (features, TRUE);

  attn_model_reference_set (&study->model, model);
  study->attention = g_strdup (attention);
  input->target_ids = g_memdup2 (target, sizeof target);
  input->n_target_ids = G_N_ELEMENTS (target);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, input);
  study->layer = 1;
  study->head = 1;
  return study;
}

/* Times of a sound are the columns of cross attention, and rows, too, of the encoder's own. */
static void
test_panels (void)
{
  static const struct
  {
    const char *attention;
    gsize n_rows;
    gsize n_columns;
    const char *row;
    const char *column;
  } cases[] = {
    { "encoder", 15, 15, "0.20 s", "2.80 s" },
    { "decoder", 4, 4, "is", "a" },
    { "cross", 4, 15, "is", "2.80 s" },
  };
  AttnWorkspace *workspace = attn_workspace_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnStudy) study = make_study (cases[i].attention);
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);

      g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, cases[i].n_rows);
      g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, cases[i].n_columns);
      g_assert_cmpstr (attn_panel_get_row_labels (panel)[1], ==, cases[i].row);
      g_assert_cmpstr (attn_panel_get_column_labels (panel)[cases[i].n_columns - 1], ==,
                       cases[i].column);
    }
  attn_workspace_free (workspace);
}

static void
assert_target (const char         *target,
               const char * const *labels)
{
  AttnWorkspace *workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = make_study ("decoder");
  AttnInput *input = g_ptr_array_index (study->inputs, 0);

  g_clear_pointer (&input->target_ids, g_free);
  input->n_target_ids = 0;
  input->target = g_strdup (target);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);

  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, g_strv_length ((char **) labels));
  for (gsize i = 0; labels[i] != NULL; i++)
    g_assert_cmpstr (attn_panel_get_row_labels (panel)[i], ==, labels[i]);
  attn_workspace_free (workspace);
}

/* A target begins with the start token once, whoever puts it there, and does not end. */
static void
test_target (void)
{
  static const char start[] = "<|startoftranscript|>", silent[] = "<|notimestamps|>";
  const char * const usual[] = { start, silent, "a", "rose", NULL };
  const char * const prompted[] = { start, "<|en|>", "<|transcribe|>", silent, "a", "rose", NULL };

  assert_target ("a rose", usual);
  assert_target ("<|startoftranscript|><|en|><|transcribe|><|notimestamps|> a rose", prompted);
  assert_target ("<|startoftranscript|><|en|><|transcribe|><|notimestamps|>a rose<|endoftext|>",
                 prompted);
}

/* Without a target the model answers, behind the language that it hears, the task and that there
 * are no timestamps. */
static void
test_own_answer (void)
{
  static const guint32 languages[] = { 4, 9 };
  static const char * const labels[] = { "<|en|>", "is" };
  g_autoptr (GError) error = NULL;
  AttnWorkspace *workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = make_study ("cross");
  AttnInput *input = g_ptr_array_index (study->inputs, 0);
  const guint32 start = 2;

  g_clear_pointer (&input->target_ids, g_free);
  input->n_target_ids = 0;
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);

  g_autoptr (AttnModel) model = attn_model_open_attention (study->model.path, "cross", &error);
  g_assert_no_error (error);
  AttnTokens *tokens, *source;
  g_autoptr (AttnModel) bound = attn_input_bind (input, 1, model, study, -1, NULL,
                                                 &tokens, &source, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (tokens->n_tokens, ==, 1);
  attn_tokens_unref (tokens);
  attn_tokens_unref (source);
  const AttnTraceRequest request = { &start, 1, NULL, ATTN_QUANTITY_LOGITS, NULL };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (bound, &request, NULL, NULL, NULL, &error);
  g_autoptr (AttnTensor) logits = attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
  guint heard = logits->data[languages[1]] > logits->data[languages[0]] ? 1 : 0;
  const char * const *rows = attn_panel_get_row_labels (panel);

  g_assert_cmpuint (attn_panel_get_n_rows (panel), >, 4);
  g_assert_cmpuint (attn_panel_get_n_rows (panel), <=, 13);
  g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, 15);
  g_assert_cmpstr (rows[0], ==, "<|startoftranscript|>");
  g_assert_cmpstr (rows[1], ==, labels[heard]);
  g_assert_cmpstr (rows[2], ==, "<|transcribe|>");
  g_assert_cmpstr (rows[3], ==, "<|notimestamps|>");
  attn_workspace_free (workspace);
}

static void
assert_prompt_refused (const char *json,
                       const char *words)
{
  static const char * const names[] = { "config.json", "model.safetensors" };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = make_study ("cross");
  g_autofree char *directory = g_dir_make_tmp ("attn-XXXXXX", &error);
  g_autofree char *prompt = g_build_filename (directory, "generation_config.json", NULL);
  AttnInput *input = g_ptr_array_index (study->inputs, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *from = g_build_filename (study->model.path, names[i], NULL);
      g_autofree char *to = g_build_filename (directory, names[i], NULL);

      g_assert_cmpint (symlink (from, to), ==, 0);
    }
  g_assert_true (g_file_set_contents (prompt, json, -1, &error));
  g_clear_pointer (&input->target_ids, g_free);
  input->n_target_ids = 0;
  attn_model_reference_set (&study->model, directory);
  fixture_assert_fails (study, workspace, ATTN_ERROR_FORMAT, "generation_config.json", words);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL);

      g_unlink (path);
    }
  g_unlink (prompt);
  g_rmdir (directory);
}

/* Tokens that an answer begins with are the model's. */
static void
test_bad_prompts (void)
{
  assert_prompt_refused ("{\"forced_decoder_ids\": [[1]]}", "expected pairs of a position and a");
  assert_prompt_refused ("{\"forced_decoder_ids\": [[1, 31]]}", "expected token ids from 0 to 30");
  assert_prompt_refused ("{\"forced_decoder_ids\": [[1, \"en\"]]}", "expected token ids from 0 to");
  assert_prompt_refused ("{\"lang_to_id\": {\"<|en|>\": -1}}", "lang_to_id: something else found");
  assert_prompt_refused ("{\"no_timestamps_token_id\": 99}", "no_timestamps_token_id: something");
}

/* What is done to any of the attentions changes what the decoder says of the same sound. */
static void
test_effect (gconstpointer attention)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = make_study (attention);

  study->operation = ATTN_OPERATION_ZERO;
  study->components[ATTN_COMPONENT_VALUE] = TRUE;
  study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
  g_autoptr (AttnResult) result = attn_effects_run (study, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (attn_result_get_outcome (result, 0)->kl, >, 1e-6);
}

static char *
build_wav_path (void)
{
  return g_test_build_filename (G_TEST_DIST, "sound", "byte-8000.wav", NULL);
}

/* A sound is what its features are, which the checkpoint's processor makes. */
static void
test_audio (void)
{
  g_autoptr (GError) error = NULL;
  AttnWorkspace *workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = make_study ("encoder");
  g_autofree char *path = build_wav_path ();
  AttnInput *input = g_ptr_array_index (study->inputs, 0);
  AttnLogMel log_mel;
  guint32 ids[15];

  g_clear_pointer (&input->features, g_free);
  input->audio = g_strdup (path);
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);
  g_assert_cmpstr (attn_panel_get_row_labels (panel)[14], ==, "2.80 s");

  g_autoptr (AttnModel) model = attn_model_open (study->model.path, &error);
  g_assert_no_error (error);
  g_assert_true (attn_log_mel_load (study->model.path, &log_mel, &error));
  g_autoptr (AttnTensor) features = attn_log_mel_prepare (&log_mel, path, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTokens) frames = attn_model_list_frames (model, 0.2);
  g_autoptr (AttnModel) bound = attn_model_bind_features (model, features, frames, &error);
  g_assert_no_error (error);
  for (guint32 i = 0; i < 15; i++)
    ids[i] = i;
  const AttnTraceRequest request = { ids, 15, NULL, ATTN_QUANTITY_WEIGHTS, NULL };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (bound, &request, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, 1);
  for (gsize i = 0; i < 15 * 15; i++)
    g_assert_cmpfloat_with_epsilon (attn_panel_get_value (panel, i / 15, i % 15),
                                    weights->data[15 * 15 + i], 1e-6);
  attn_workspace_free (workspace);
}

static void
test_json (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = make_study ("cross");
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) read = attn_study_from_json ("study", json, strlen (json), &error);

  g_assert_no_error (error);
  g_assert_true (attn_study_equal (study, read));
  g_assert_nonnull (strstr (json, "\"features\""));
  g_assert_null (strstr (json, "\"text\""));
  g_assert_null (strstr (json, "\"audio\""));
}

static void
assert_json_refused (const char *input,
                     const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = make_study ("cross");
  g_autofree char *json = attn_study_to_json (study);
  const char *place = strstr (json, "\"features\"");
  g_autofree char *changed =
      g_strdup_printf ("%.*s%s, %s", (int) (place - json), json, input, place);

  g_assert_null (attn_study_from_json ("study", changed, strlen (changed), &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  if (strstr (error->message, words) == NULL)
    g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

/* An input is one thing. */
static void
test_two_kinds (void)
{
  assert_json_refused ("\"audio\": \"a.wav\"", "both “audio” and “features” found");
  assert_json_refused ("\"text\": \"A rose\"", "both “text” and “features” found");
  assert_json_refused ("\"image\": \"a.png\"", "both “image” and “features” found");
}

static AttnStudy *
make_study_of (const char *features)
{
  AttnStudy *study = make_study ("encoder");
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", features, NULL);

  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_sound (path, TRUE));
  return study;
}

/* A text for a model of sounds, a sound for one of texts, half a sound, an array of something
 * else. */
static void
test_refused (void)
{
  AttnWorkspace *workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) texts = make_study ("cross");
  g_autoptr (AttnStudy) sound = make_study (NULL);
  g_autoptr (AttnStudy) part = make_study ("decoder");
  g_autoptr (AttnStudy) other = make_study_of ("whisper/model.safetensors");
  AttnInput *input = g_ptr_array_index (part->inputs, 0);

  g_ptr_array_set_size (texts->inputs, 0);
  g_ptr_array_add (texts->inputs, attn_input_new_text ("A rose", 0));
  fixture_assert_fails (texts, workspace, ATTN_ERROR_ARGUMENT, "input 1", "no sound found");
  attn_model_reference_set (&sound->model, NULL);
  input->n_tokens = 5;
  fixture_assert_fails (part, workspace, ATTN_ERROR_ARGUMENT, "input 1", "expected all of them");
  fixture_assert_fails (other, workspace, ATTN_ERROR_FORMAT, "input 1", "expected one");
  input = g_ptr_array_index (sound->inputs, 0);
  g_clear_pointer (&input->target_ids, g_free);
  input->n_target_ids = 0;
  fixture_assert_fails (sound, workspace, ATTN_ERROR_ARGUMENT, "input 1", "a sound found");
  attn_workspace_free (workspace);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/sounds/panels", test_panels);
  g_test_add_func ("/study/sounds/target", test_target);
  g_test_add_func ("/study/sounds/own-answer", test_own_answer);
  g_test_add_data_func ("/study/sounds/effect/encoder", "encoder", test_effect);
  g_test_add_data_func ("/study/sounds/effect/decoder", "decoder", test_effect);
  g_test_add_data_func ("/study/sounds/effect/cross", "cross", test_effect);
  g_test_add_func ("/study/sounds/bad-prompts", test_bad_prompts);
  g_test_add_func ("/study/sounds/audio", test_audio);
  g_test_add_func ("/study/sounds/json", test_json);
  g_test_add_func ("/study/sounds/two-kinds", test_two_kinds);
  g_test_add_func ("/study/sounds/refused", test_refused);
  return g_test_run ();
}
