/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of a study of which the members must agree. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-edits.h"
#include "attn-error.h"
#include "attn-job.h"
#include "session-fixture.h"

static void
test_inputs_move (void)
{
  static const char * const texts[] = { "a", "b", "c", "d" };
  g_autoptr (AttnStudy) study = attn_study_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    g_ptr_array_add (study->inputs, attn_input_new_text (texts[i], 0));
  attn_edits_move_input (study, 0, 2); /* b c a d */
  attn_edits_move_input (study, 3, 0); /* d b c a */
  attn_edits_move_input (study, 1, 9); /* d c a b */
  attn_edits_duplicate_input (study, 1);
  g_assert_cmpuint (study->inputs->len, ==, 5);
  for (guint i = 0; i < 5; i++)
    g_assert_true (get_text_of (study, i)[0] == "dccab"[i]);
  g_assert_true (get_text_of (study, 1) != get_text_of (study, 2));
}

/* The patch of the strip follows its input; if that goes, it takes from the next. */
static void
test_patch_follows_its_input (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();

  for (gsize i = 0; i < 3; i++)
    g_ptr_array_add (study->inputs, attn_input_new_text ("a", 0));
  study->operation = ATTN_OPERATION_PATCH;
  g_assert_cmpuint (study->patch_input, ==, 1);
  attn_edits_move_input (study, 1, 2);
  g_assert_cmpuint (study->patch_input, ==, 2);
  attn_edits_duplicate_input (study, 0);
  g_assert_cmpuint (study->patch_input, ==, 3);
  attn_edits_remove_input (study, 0);
  g_assert_cmpuint (study->patch_input, ==, 2);
  attn_edits_remove_input (study, 2);
  g_assert_cmpuint (study->patch_input, ==, 1);
}

/* A cut begins with the first key, keeps one, and ends what runs along components. */
static void
test_cut_settles (void)
{
  g_autoptr (AttnStudy) before = load_preset ("mean-operation");
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  g_autoptr (GError) error = NULL;

  study->operation = ATTN_OPERATION_CUT;
  g_assert_true (attn_edits_settle (study, before, -1, NULL));
  g_assert_cmpuint (attn_index_set_count (study->cut_keys, 99), ==, 1);
  g_assert_true (attn_index_set_contains (study->cut_keys, 0));
  g_assert_cmpint (study->columns, ==, ATTN_DIMENSION_NONE);
  g_assert_cmpint (study->rows, ==, ATTN_DIMENSION_INPUT);
  g_assert_true (attn_study_has_operation (study));
  g_autoptr (AttnStudy) all = attn_study_copy (study);
  g_clear_pointer (&all->cut_keys, attn_index_set_unref);
  g_assert_false (attn_edits_settle (all, study, -1, &error));
  g_assert_nonnull (strstr (error->message, "all keys"));
  /* Along components there is something else than a cut. */
  g_autoptr (AttnStudy) back = attn_study_copy (study);
  back->columns = ATTN_DIMENSION_COMPONENT;
  g_assert_true (attn_edits_settle (back, study, -1, NULL));
  g_assert_cmpint (back->operation, ==, ATTN_OPERATION_MEAN);
}

/* What was of the panels of another grid goes with it. */
static void
test_panels_are_forgotten (void)
{
  const AttnViewport view = { 0, 0, 0.5, 0.5 };
  g_autoptr (AttnStudy) before = load_preset ("mean-operation");
  g_autoptr (AttnStudy) study = NULL;

  before->views = g_array_new (FALSE, FALSE, sizeof (AttnViewport));
  for (guint i = 0; i < 9; i++)
    g_array_append_val (before->views, view);
  before->differences = attn_index_set_new_range (1, 1);
  study = attn_study_copy (before);
  g_assert_nonnull (study->views);
  study->columns = ATTN_DIMENSION_HEAD;
  g_assert_true (attn_edits_settle (study, before, -1, NULL));
  g_assert_null (study->views);
  g_assert_null (study->differences);
}

static void
check_split (const char         *text,
             gboolean            is_whole,
             const char * const *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs =
      attn_inputs_split_text ("texts.txt", text, strlen (text), is_whole, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (inputs->len, ==, g_strv_length ((char **) expected));
  for (guint i = 0; i < inputs->len; i++)
    g_assert_cmpstr (((AttnInput *) inputs->pdata[i])->text, ==, expected[i]);
}

static void
test_text_is_split (void)
{
  static const char * const one[] = { "one", NULL };
  static const char * const lines[] = { "one", " two ", "three", NULL };
  static const char * const whole[] = { "one\ntwo", NULL };

  check_split ("one", FALSE, one);
  check_split ("one\n\n two \r\nthree", FALSE, lines);
  check_split ("\xEF\xBB\xBFone\n", FALSE, one);
  check_split ("one\ntwo\n", TRUE, whole);
}

/* Each sequence is an input. */
static void
test_fasta_is_split (void)
{
  static const char text[] = "\xEF\xBB\xBF>a\nMKT\nAY\n>empty\n>b\nGG\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs =
      attn_inputs_split_text ("a.fasta", text, strlen (text), FALSE, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (inputs->len, ==, 2);
  g_assert_cmpstr (((AttnInput *) inputs->pdata[0])->text, ==, "MKTAY");
  g_assert_cmpstr (((AttnInput *) inputs->pdata[1])->text, ==, "GG");
  g_assert_null (attn_inputs_split_text ("a.fa", ">a\n", 3, FALSE, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_clear_error (&error);
  g_assert_null (attn_inputs_split_text ("a.fa", "MK\n", 3, FALSE, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
}

static void
test_bad_text_is_refused (void)
{
  static const char * const texts[] = { "", "\n\n", "\xEF\xBB\xBF", "caf\xE9" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (
          attn_inputs_split_text ("texts.txt", texts[i], strlen (texts[i]), FALSE, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
      g_assert_true (g_str_has_prefix (error->message, "texts.txt: "));
    }
}

static void
test_too_many_inputs_are_refused (void)
{
  g_autoptr (AttnStudy) study = load_preset ("mean-operation");
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < ATTN_EDITS_MAX_INPUTS; i++)
    g_string_append_printf (text, "line %u\n", i);
  g_autoptr (GPtrArray) inputs =
      attn_inputs_split_text ("texts.txt", text->str, text->len, FALSE, &error);
  g_assert_no_error (error);
  g_assert_false (attn_edits_append_inputs (study, inputs, "texts.txt", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_assert_cmpuint (study->inputs->len, ==, 3);
}

static void
set_rows (AttnStudy     *study,
          AttnDimension  dimension)
{
  g_autoptr (AttnStudy) before = attn_study_copy (study);

  study->rows = dimension;
  g_assert_true (attn_edits_settle (study, before, -1, NULL));
}

static void
set_columns (AttnStudy     *study,
             AttnDimension  dimension)
{
  g_autoptr (AttnStudy) before = attn_study_copy (study);

  study->columns = dimension;
  g_assert_true (attn_edits_settle (study, before, -1, NULL));
}

static void
set_operation (AttnStudy     *study,
               AttnOperation  operation)
{
  g_autoptr (AttnStudy) before = attn_study_copy (study);

  study->operation = operation;
  g_assert_true (attn_edits_settle (study, before, -1, NULL));
}

static void
test_dimensions_are_exchanged (void)
{
  g_autoptr (AttnStudy) study = load_preset ("mean-operation");

  set_rows (study, ATTN_DIMENSION_COMPONENT);
  g_assert_cmpint (study->rows, ==, ATTN_DIMENSION_COMPONENT);
  g_assert_cmpint (study->columns, ==, ATTN_DIMENSION_INPUT);
}

/* No two of a kind, and what changes along a dimension is there. */
static void
test_dimensions_bring_what_they_need (void)
{
  for (int rows = 0; rows <= ATTN_DIMENSION_COMPARISON; rows++)
    for (int columns = 0; columns <= ATTN_DIMENSION_COMPARISON; columns++)
      {
        g_autoptr (AttnStudy) study = load_preset ("mean-operation");

        set_rows (study, rows);
        set_columns (study, columns);
        g_assert_cmpint (study->columns, ==, columns);
        g_assert_true (study->rows != study->columns || columns == ATTN_DIMENSION_NONE);
        g_assert_false (attn_study_changes_along (study, ATTN_DIMENSION_EPSILON) &&
                        attn_study_changes_along (study, ATTN_DIMENSION_AXIS));
        if (attn_study_changes_along (study, ATTN_DIMENSION_EPSILON))
          g_assert_cmpuint (study->epsilons->len, >, 0);
        if (attn_study_changes_along (study, ATTN_DIMENSION_AXIS))
          g_assert_true (study->axes[ATTN_AXIS_FEATURE]);
        if (attn_study_changes_along (study, ATTN_DIMENSION_SITE))
          g_assert_true (study->sites[study->site]);
      }
}

/* The strongest sink of all is a layer and a head. */
static void
test_layer_and_head_agree (void)
{
  g_autoptr (AttnStudy) before = attn_study_new ();
  g_autoptr (AttnStudy) study = attn_study_copy (before);

  study->head = 3;
  g_assert_true (attn_edits_settle (study, before, 2, NULL));
  g_assert_cmpint (study->layer, ==, 2);
  g_autoptr (AttnStudy) fixed = attn_study_copy (study);
  study->layer = ATTN_LAYER_STRONGEST_SINK;
  g_assert_true (attn_edits_settle (study, fixed, 2, NULL));
  g_assert_cmpint (study->head, ==, ATTN_HEAD_STRONGEST_SINK);
}

/* Whatever is chosen along rows and columns, a figure comes of it. */
static void
test_every_pair_is_computed (void)
{
  g_autofree char *model = attn_data_find ("models/rose/model.safetensors");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (model == NULL)
    {
      g_test_skip ("the shipped model is not there");
      return;
    }
  for (int rows = 0; rows <= ATTN_DIMENSION_COMPARISON; rows++)
    for (int columns = 0; columns <= ATTN_DIMENSION_COMPARISON; columns++)
      {
        g_autoptr (AttnStudy) study = load_preset ("mean-operation");
        g_autoptr (GError) error = NULL;

        set_rows (study, rows);
        set_columns (study, columns);
        g_autoptr (AttnResult) result = attn_job_run (study, workspace, NULL, NULL, &error);
        g_test_message ("%s x %s", attn_dimension_names[study->rows],
                        attn_dimension_names[study->columns]);
        g_assert_no_error (error);
        g_assert_nonnull (result);
      }
}

static void
test_factor_and_axis_exclude_each_other (void)
{
  g_autoptr (AttnStudy) study = load_preset ("epsilon");

  set_rows (study, ATTN_DIMENSION_AXIS);
  g_assert_cmpint (study->operation, ==, ATTN_OPERATION_MEAN);
  g_assert_false (attn_study_changes_along (study, ATTN_DIMENSION_EPSILON));
  set_columns (study, ATTN_DIMENSION_EPSILON);
  g_assert_cmpint (study->operation, ==, ATTN_OPERATION_SCALE);
  g_assert_false (attn_study_changes_along (study, ATTN_DIMENSION_AXIS));
  set_operation (study, ATTN_OPERATION_ZERO);
  g_assert_false (attn_study_changes_along (study, ATTN_DIMENSION_EPSILON));
  set_rows (study, ATTN_DIMENSION_AXIS);
  set_operation (study, ATTN_OPERATION_ZERO);
  g_assert_false (attn_study_changes_along (study, ATTN_DIMENSION_AXIS));
}

static void
test_titles_go_unless_typed (void)
{
  g_autoptr (AttnStudy) study = load_preset ("mean-operation");

  set_rows (study, ATTN_DIMENSION_HEAD);
  g_assert_null (attn_study_get_title (study));
  g_assert_null (attn_study_get_caption (study));
  g_free (study->title);
  study->title = g_strdup ("Mine");
  set_rows (study, ATTN_DIMENSION_INPUT);
  g_assert_cmpstr (attn_study_get_title (study), ==, "Mine");
  set_operation (study, ATTN_OPERATION_ZERO);
  g_assert_cmpstr (attn_study_get_title (study), ==, "Mine");
}

static void
assert_titles (const AttnStudy *study,
               const AttnStudy *expected)
{
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) saved = attn_study_from_json ("saved", json, -1, NULL);

  g_assert_cmpstr (attn_study_get_title (study), ==, expected->title);
  g_assert_cmpstr (attn_study_get_caption (study), ==, expected->caption);
  g_assert_cmpstr (attn_study_get_title (saved), ==, expected->title);
  g_assert_cmpstr (attn_study_get_caption (saved), ==, expected->caption);
}

/* A preset's titles are those of its figure, whichever way that was reached; they come back with
 * it, also out of a file. */
static void
test_titles_follow_from_the_study (void)
{
  g_autoptr (AttnStudy) origin = load_preset ("mean-operation");
  g_autoptr (AttnStudy) study = load_preset ("mean-operation");
  g_autoptr (AttnStudy) untitled = attn_study_new ();
  g_autoptr (AttnStudy) atlas = load_preset ("head-atlas");

  study->has_baseline_column = TRUE;
  set_operation (study, ATTN_OPERATION_SCALE);
  assert_titles (study, untitled);
  set_rows (study, ATTN_DIMENSION_HEAD);
  set_operation (study, ATTN_OPERATION_MEAN);
  assert_titles (study, untitled);
  set_rows (study, ATTN_DIMENSION_INPUT);
  assert_titles (study, origin);
  study->has_baseline_column = FALSE;
  assert_titles (study, origin);
  /* What does not speak of the operation stays. */
  set_operation (atlas, ATTN_OPERATION_MEAN);
  g_assert_cmpstr (attn_study_get_title (atlas), ==, "L{layer} H{head}");
}

static void
test_operation_gives_up_its_dimension (void)
{
  g_autoptr (AttnStudy) study = load_preset ("epsilon");
  g_autoptr (AttnStudy) mean = load_preset ("mean-operation");

  set_operation (study, ATTN_OPERATION_MEAN);
  g_assert_cmpint (study->columns, ==, ATTN_DIMENSION_NONE);
  g_assert_cmpint (study->rows, ==, ATTN_DIMENSION_COMPONENT);

  set_operation (mean, ATTN_OPERATION_SCALE);
  g_assert_cmpuint (mean->epsilons->len, >, 0);
  g_assert_cmpint (mean->rows, ==, ATTN_DIMENSION_INPUT);
}

static void
test_epsilon_is_appended (void)
{
  g_autoptr (AttnStudy) study = load_preset ("epsilon");

  for (guint i = 0; i < 6; i++)
    attn_edits_append_epsilon (study);
  g_assert_cmpuint (study->epsilons->len, ==, 9);
  /* A division rounds once. */
  g_assert_cmpfloat_with_epsilon (g_array_index (study->epsilons, double, 3), 1e-12, 1e-24);
  /* What is smaller than a factor can be: between 1e-3 and 1e-10, the farthest apart. */
  g_assert_cmpfloat_with_epsilon (log10 (g_array_index (study->epsilons, double, 4)), -6.5, 0.6);
  for (guint i = 0; i < study->epsilons->len; i++)
    for (guint j = 0; j < i; j++)
      g_assert_cmpfloat (g_array_index (study->epsilons, double, i), !=,
                         g_array_index (study->epsilons, double, j));
}

/* A layer or a head that the next model does not have gives way to the strongest sink. */
static void
test_smaller_model_has_its_own_head (void)
{
  g_autoptr (AttnStudy) study = load_preset ("single");
  static const char * const attentions[] = { "text", NULL };
  const AttnModelInfo small = {
    .attentions = attentions, .n_layers = 2, .n_heads = 4, .has_tokenizer = TRUE
  };

  const AttnModelReference first = { .path = (char *) "small" };

  study->layer = 1;
  study->head = 3;
  g_autoptr (AttnStudy) kept = attn_edits_show_model (study, &first, &small);
  g_assert_cmpint (kept->layer, ==, 1);
  g_assert_cmpint (kept->head, ==, 3);
  study->head = 4;
  g_autoptr (AttnStudy) other = attn_edits_show_model (study, &first, &small);
  g_assert_cmpint (other->layer, ==, 1);
  g_assert_cmpint (other->head, ==, ATTN_HEAD_STRONGEST_SINK);
  study->layer = 5;
  g_autoptr (AttnStudy) neither = attn_edits_show_model (study, &first, &small);
  g_assert_cmpint (neither->layer, ==, ATTN_LAYER_STRONGEST_SINK);
}

/* Each attention has layers, heads and tokens of its own: what was about those of another goes. */
static void
test_attention_settles (void)
{
  g_autoptr (AttnStudy) before = load_preset ("single");

  before->layer = 3;
  before->head = 1;
  before->scope_tokens = attn_index_set_new_range (7, 7);
  before->heads = attn_index_set_new_range (2, 3);
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  study->attention = g_strdup ("cross");
  g_assert_true (attn_edits_settle (study, before, 3, NULL));
  g_assert_cmpint (study->layer, ==, ATTN_LAYER_STRONGEST_SINK);
  g_assert_cmpint (study->head, ==, ATTN_HEAD_STRONGEST_SINK);
  g_assert_null (study->scope_tokens);
  g_assert_null (study->heads);
}

/* A model without a decoder has no use for a target; one with a decoder keeps it. */
static void
test_target_goes_with_the_decoder (void)
{
  static const char * const both[] = { "encoder", "decoder", "cross", NULL };
  static const char * const one[] = { "text", NULL };
  AttnModelInfo info = { .attentions = both, .n_layers = 2, .n_heads = 2, .has_tokenizer = TRUE };
  const AttnModelReference first = { .path = (char *) "a" };
  const AttnModelReference second = { .path = (char *) "b" };
  g_autoptr (AttnStudy) study = load_preset ("single");
  AttnInput *input = g_ptr_array_index (study->inputs, 0);

  input->target = g_strdup ("Ich bin hier.");
  study->attention = g_strdup ("cross");
  g_autoptr (AttnStudy) kept = attn_edits_show_model (study, &first, &info);
  g_assert_null (kept->attention);
  g_assert_cmpstr (((AttnInput *) kept->inputs->pdata[0])->target, ==, "Ich bin hier.");
  info.attentions = one;
  g_autoptr (AttnStudy) gone = attn_edits_show_model (study, &second, &info);
  g_assert_null (((AttnInput *) gone->inputs->pdata[0])->target);
}

/* Texts give way to the first picture, pictures stand beside each other; a model of texts has the
 * text again that a picture stands for. */
static void
test_pictures (void)
{
  g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);
  const char * const attentions[] = { "vision", NULL };
  const AttnModelInfo pictures = { .attentions = attentions, .needs_picture = TRUE };
  const AttnModelInfo texts = { .attentions = attentions, .has_tokenizer = TRUE };
  const AttnInput *input;

  g_autofree char *text = g_strdup (((AttnInput *) study->inputs->pdata[0])->text);
  attn_edits_fit_inputs (study, &pictures);
  input = study->inputs->pdata[0];
  g_assert_true (g_str_has_suffix (input->images[0], "garden.png"));
  g_assert_cmpstr (input->stands_for, ==, text);
  attn_edits_fit_inputs (study, &texts);
  input = study->inputs->pdata[0];
  g_assert_cmpstr (input->text, ==, text);
  g_assert_null (input->images);

  attn_edits_add_picture (study, NULL, "/a.png");
  attn_edits_add_picture (study, NULL, "/b.png");
  g_assert_cmpuint (study->inputs->len, ==, 2);
  input = study->inputs->pdata[1];
  g_assert_cmpstr (input->images[0], ==, "/b.png");
  g_assert_true (study->is_over_picture);
  attn_edits_fit_inputs (study, &pictures);
  g_assert_cmpstr (((AttnInput *) study->inputs->pdata[0])->images[0], ==, "/a.png");
}

/* One picture, or one sound, stands for all texts of a study, and gives each of them back. */
static void
test_one_stands_for_all (void)
{
  static const char * const vision[] = { "vision", NULL };
  static const char * const sequences[] = { "encoder", "decoder", "cross", NULL };
  static const char * const words[] = { "one", "two", "three" };
  const AttnModelInfo pictures = { .attentions = vision, .needs_picture = TRUE };
  const AttnModelInfo sounds = { .attentions = sequences, .needs_sound = TRUE };
  const AttnModelInfo texts = { .attentions = vision, .has_tokenizer = TRUE };
  const AttnModelInfo *others[][2] = { { &pictures, &pictures },
                                       { &sounds, &sounds },
                                       { &pictures, &sounds } };

  for (gsize k = 0; k < G_N_ELEMENTS (others); k++)
    {
      g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);

      g_ptr_array_set_size (study->inputs, 0);
      for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
        g_ptr_array_add (study->inputs, attn_input_new_text (words[i], 0));
      for (gsize i = 0; i < 2; i++)
        {
          attn_edits_fit_inputs (study, others[k][i]);
          g_assert_cmpuint (study->inputs->len, ==, 1);
        }
      attn_edits_fit_inputs (study, &texts);
      g_assert_cmpuint (study->inputs->len, ==, G_N_ELEMENTS (words));
      for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
        g_assert_cmpstr (((AttnInput *) study->inputs->pdata[i])->text, ==, words[i]);
    }
}

/* The half of a model that is chosen says what an input is. */
static void
test_attention_of_a_picture (void)
{
  g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);
  const char * const halves[] = { "vision", "text", NULL };
  const AttnModelInfo info = { .attentions = halves, .attention = "text", .has_tokenizer = TRUE };
  g_autofree char *text = g_strdup (((AttnInput *) study->inputs->pdata[0])->text);

  attn_edits_choose_attention (study, &info, "vision");
  g_assert_cmpstr (study->attention, ==, "vision");
  g_assert_true (attn_input_is_picture (study->inputs->pdata[0]));
  attn_edits_choose_attention (study, &info, "text");
  g_assert_cmpstr (study->attention, ==, "text");
  g_assert_cmpstr (((AttnInput *) study->inputs->pdata[0])->text, ==, text);
}

/* Texts give way to the first sound, which reads their target; pictures give way to sounds, and
 * these to pictures. */
static void
test_sounds (void)
{
  static const char * const attentions[] = { "encoder", "decoder", "cross", NULL };
  static const char * const vision[] = { "vision", NULL };
  g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);
  const AttnModelInfo sounds = { .attentions = attentions, .needs_sound = TRUE };
  const AttnModelInfo pictures = { .attentions = vision, .needs_picture = TRUE };
  const AttnModelInfo texts = { .attentions = attentions, .has_tokenizer = TRUE };
  const AttnInput *input = g_ptr_array_index (study->inputs, 0);
  g_autofree char *text = g_strdup (input->text);

  attn_edits_fit_inputs (study, &sounds);
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_true (g_str_has_suffix (input->audio, "bells.wav"));
  attn_edits_fit_inputs (study, &pictures);
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_true (g_str_has_suffix (input->images[0], "garden.png"));
  attn_edits_fit_inputs (study, &sounds);
  attn_edits_fit_inputs (study, &texts);
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_cmpstr (input->text, ==, text);

  ((AttnInput *) input)->target = g_strdup ("Eine Rose");
  attn_edits_add_sound (study, "/a.wav");
  attn_edits_add_sound (study, "/b.wav");
  g_assert_cmpuint (study->inputs->len, ==, 2);
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_cmpstr (input->audio, ==, "/a.wav");
  g_assert_cmpstr (input->target, ==, "Eine Rose");
  input = g_ptr_array_index (study->inputs, 1);
  g_assert_cmpstr (input->audio, ==, "/b.wav");
  g_assert_null (input->target);
  attn_edits_fit_inputs (study, &sounds);
  g_assert_cmpuint (study->inputs->len, ==, 2);
  attn_edits_add_picture (study, NULL, "/a.png");
  g_assert_cmpuint (study->inputs->len, ==, 1);
}

/* A picture stands in a text where the model reads texts with pictures, and leaves it again where
 * it reads texts or sees pictures alone. */
static void
test_pictures_in_texts (void)
{
  static const char * const halves[] = { "text", "vision", NULL };
  g_autoptr (AttnStudy) study = attn_study_new ();
  const AttnModelInfo seeing = {
    .attentions = halves,
    .attention = "text",
    .sees = TRUE,
    .takes_picture = TRUE,
    .picture_text = "<image>",
    .image_token = 7,
    .has_tokenizer = TRUE,
  };
  const AttnModelInfo texts = { .has_tokenizer = TRUE };
  const AttnModelInfo pictures = { .needs_picture = TRUE };
  AttnModelInfo bare = seeing;

  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_text ("A rose", 0));
  attn_edits_add_picture (study, &seeing, "/a.png");
  AttnInput *input = g_ptr_array_index (study->inputs, 0);
  g_assert_cmpuint (study->inputs->len, ==, 1);
  g_assert_cmpstr (input->text, ==, "<image>\nA rose");
  g_assert_cmpstr (input->images[0], ==, "/a.png");
  attn_edits_add_picture (study, &seeing, "/b.png");
  g_assert_cmpuint (study->inputs->len, ==, 2);
  attn_edits_choose_attention (study, &seeing, "vision");
  attn_edits_choose_attention (study, &seeing, "text");
  g_ptr_array_set_size (study->inputs, 1);
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_cmpstr (input->text, ==, "<image>\nA rose");

  attn_edits_fit_inputs (study, &pictures);
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_null (input->text);
  g_assert_cmpstr (input->images[0], ==, "/a.png");
  attn_edits_fit_inputs (study, &seeing);
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_cmpstr (input->text, ==, "<image>\nA rose");
  attn_edits_fit_inputs (study, &texts);
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_cmpstr (input->text, ==, "A rose");
  g_assert_null (input->images);

  bare.has_tokenizer = FALSE;
  attn_edits_add_picture (study, &bare, "/a.png");
  input = g_ptr_array_index (study->inputs, 0);
  g_assert_null (input->text);
  g_assert_cmpuint (input->ids[0], ==, 7);
  gsize n_ids = input->n_ids;
  attn_edits_join_picture (study, &bare, 0, "/b.png");
  g_assert_cmpuint (input->n_ids, ==, n_ids + 1);
  g_assert_cmpuint (input->ids[1], ==, 7);
  g_assert_cmpuint (input->ids[2], ==, 1);
  attn_edits_part_picture (study, &bare, 0);
  g_assert_cmpuint (input->n_ids, ==, n_ids);
  g_assert_cmpuint (input->ids[1], ==, 1);
}

/* A second picture in a text has its mark behind the first, unless the user has written it; taken
 * out, it takes the mark along. A model of pictures has each as an input. */
static void
test_several_pictures (void)
{
  const AttnModelInfo seeing = { .sees = TRUE,
                                 .takes_picture = TRUE,
                                 .picture_text = "<start_of_image>",
                                 .has_tokenizer = TRUE };
  const AttnModelInfo pictures = { .needs_picture = TRUE };
  g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);

  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_text ("A rose", 0));
  attn_edits_join_picture (study, &seeing, 0, "/a.png");
  AttnInput *input = g_ptr_array_index (study->inputs, 0);
  g_assert_false (attn_input_is_picture (input));
  attn_edits_add_picture (study, &seeing, "/a.png");
  attn_edits_join_picture (study, &seeing, 0, "/b.png");
  g_assert_cmpstr (input->text, ==, "<start_of_image><start_of_image>\nA rose");
  g_assert_cmpuint (attn_input_count_pictures (input), ==, 2);
  g_assert_cmpstr (input->images[1], ==, "/b.png");
  study->picture = 2;
  attn_edits_part_picture (study, &seeing, 0);
  g_assert_cmpstr (input->text, ==, "<start_of_image>\nA rose");
  g_assert_cmpuint (attn_input_count_pictures (input), ==, 1);
  g_assert_cmpuint (study->picture, ==, 0);
  attn_edits_part_picture (study, &seeing, 0);
  g_assert_cmpuint (attn_input_count_pictures (input), ==, 1);

  g_free (input->text);
  input->text = g_strdup ("<image>a<image>b");
  attn_edits_join_picture (study, &seeing, 0, "/b.png");
  g_assert_cmpstr (input->text, ==, "<image>a<image>b");
  attn_edits_fit_inputs (study, &pictures);
  g_assert_cmpuint (study->inputs->len, ==, 2);
  input = g_ptr_array_index (study->inputs, 1);
  g_assert_cmpstr (input->images[0], ==, "/b.png");
  g_assert_cmpuint (attn_input_count_pictures (study->inputs->pdata[0]), ==, 1);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/edits/inputs-move", test_inputs_move);
  g_test_add_func ("/app/edits/pictures", test_pictures);
  g_test_add_func ("/app/edits/one-stands-for-all", test_one_stands_for_all);
  g_test_add_func ("/app/edits/attention-of-a-picture", test_attention_of_a_picture);
  g_test_add_func ("/app/edits/sounds", test_sounds);
  g_test_add_func ("/app/edits/patch-follows-its-input", test_patch_follows_its_input);
  g_test_add_func ("/app/edits/cut-settles", test_cut_settles);
  g_test_add_func ("/app/edits/text-is-split", test_text_is_split);
  g_test_add_func ("/app/edits/fasta-is-split", test_fasta_is_split);
  g_test_add_func ("/app/edits/bad-text-is-refused", test_bad_text_is_refused);
  g_test_add_func ("/app/edits/too-many-inputs-are-refused", test_too_many_inputs_are_refused);
  g_test_add_func ("/app/edits/dimensions-are-exchanged", test_dimensions_are_exchanged);
  g_test_add_func ("/app/edits/layer-and-head-agree", test_layer_and_head_agree);
  g_test_add_func ("/app/edits/dimensions-bring-what-they-need",
                   test_dimensions_bring_what_they_need);
  g_test_add_func ("/app/edits/every-pair-is-computed", test_every_pair_is_computed);
  g_test_add_func ("/app/edits/factor-and-axis-exclude-each-other",
                   test_factor_and_axis_exclude_each_other);
  g_test_add_func ("/app/edits/panels-are-forgotten", test_panels_are_forgotten);
  g_test_add_func ("/app/edits/titles-go-unless-typed", test_titles_go_unless_typed);
  g_test_add_func ("/app/edits/titles-follow-from-the-study", test_titles_follow_from_the_study);
  g_test_add_func ("/app/edits/operation-gives-up-its-dimension",
                   test_operation_gives_up_its_dimension);
  g_test_add_func ("/app/edits/epsilon-is-appended", test_epsilon_is_appended);
  g_test_add_func ("/app/edits/smaller-model-has-its-own-head",
                   test_smaller_model_has_its_own_head);
  g_test_add_func ("/app/edits/attention-settles", test_attention_settles);
  g_test_add_func ("/app/edits/target-goes-with-the-decoder",
                   test_target_goes_with_the_decoder);
  g_test_add_func ("/session/edits/pictures-in-texts", test_pictures_in_texts);
  g_test_add_func ("/session/edits/several-pictures", test_several_pictures);
  return g_test_run ();
}
