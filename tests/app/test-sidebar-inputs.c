/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The side bar: texts and their tokens. */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include "../remove-folder.h"
#include "attn-application.h"
#include "attn-edits.h"
#include "attn-input-row.h"
#include "attn-token-chips.h"
#include "sidebar-fixture.h"

static GtkWidget *
get_row (Fixture *fixture,
         guint    index)
{
  return find_nth (fixture->sidebar, ATTN_TYPE_INPUT_ROW, index);
}

static const char *
get_input_text (Fixture *fixture,
                guint    index)
{
  const AttnInput *input = g_ptr_array_index (get_study (fixture)->inputs, index);

  return input->text;
}

static void
assert_shows (Fixture    *fixture,
              guint       index,
              const char *expected)
{
  g_autofree char *text = dup_shown_text (get_row (fixture, index));

  g_assert_cmpstr (text, ==, expected);
}

static void
type (Fixture    *fixture,
      guint       index,
      const char *text)
{
  type_text (get_row (fixture, index), text);
}

static void
act (Fixture    *fixture,
     guint       index,
     const char *action)
{
  gtk_widget_activate_action (get_row (fixture, index), action, NULL);
}

static void
test_inputs_are_reordered (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autofree char *first = g_strdup (get_input_text (fixture, 0));
  g_autofree char *second = g_strdup (get_input_text (fixture, 1));
  g_autofree char *third = g_strdup (get_input_text (fixture, 2));

  act (fixture, 0, "input.move-down");
  g_assert_cmpstr (get_input_text (fixture, 0), ==, second);
  assert_shows (fixture, 1, first);
  /* The keyboard stays with the input. */
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (fixture->window),
                                         get_row (fixture, 1)));

  /* The last one is dropped on the first. */
  g_signal_emit_by_name (get_row (fixture, 0), "dropped", get_row (fixture, 2));
  assert_shows (fixture, 0, third);
  assert_shows (fixture, 2, first);
}

static void
test_inputs_are_duplicated_and_removed (Fixture       *fixture,
                                        gconstpointer  data)
{
  AttnStudy *study = attn_study_copy (get_study (fixture));
  AttnIntervention *patch = attn_intervention_new (ATTN_COMPONENT_RESIDUAL, ATTN_OPERATION_PATCH,
                                                   ATTN_SITE_PROJECTION);
  const GPtrArray *patches;

  /* A patch follows the input that it takes from, and goes with it. */
  patch->input = 2;
  patch->tokens = attn_index_set_new_range (0, 0);
  g_ptr_array_add (study->extra_interventions, patch);
  attn_session_edit (fixture->session, study, NULL);
  act (fixture, 1, "input.duplicate");
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 4);
  patches = get_study (fixture)->extra_interventions;
  g_assert_cmpuint (((AttnIntervention *) patches->pdata[0])->input, ==, 3);
  act (fixture, 3, "input.move-up");
  act (fixture, 0, "input.move-down");
  patches = get_study (fixture)->extra_interventions;
  g_assert_cmpuint (((AttnIntervention *) patches->pdata[0])->input, ==, 2);
  act (fixture, 1, "input.remove");
  patches = get_study (fixture)->extra_interventions;
  g_assert_cmpuint (((AttnIntervention *) patches->pdata[0])->input, ==, 1);
  act (fixture, 1, "input.remove");
  g_assert_cmpuint (get_study (fixture)->extra_interventions->len, ==, 0);
  for (guint i = 0; i < 4; i++)
    attn_session_undo (fixture->session);
  assert_shows (fixture, 1, get_input_text (fixture, 2));
  for (guint i = 0; i < 3; i++)
    act (fixture, 0, "input.remove");
  /* The last one cannot go. */
  act (fixture, 0, "input.remove");
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 1);
}

/* What was typed and has not rested yet moves along. */
static void
test_typed_text_moves_along (Fixture       *fixture,
                             gconstpointer  data)
{
  gtk_text_buffer_set_text (find_buffer (get_row (fixture, 0)), "Typed", -1);
  act (fixture, 0, "input.move-down");
  g_assert_cmpstr (get_input_text (fixture, 1), ==, "Typed");
  assert_shows (fixture, 1, "Typed");
}

/* In characters. */
static int
get_cursor (Fixture *fixture)
{
  int position;

  g_object_get (find_buffer (get_row (fixture, 0)), "cursor-position", &position, NULL);
  return position;
}

/* Typing goes on where an undo or redo changed the text. */
static void
test_undo_leaves_the_cursor_at_the_change (Fixture       *fixture,
                                           gconstpointer  data)
{
  static const struct
  {
    const char *before; /* what is replaced in the text */
    const char *after;
    int undone; /* where the cursor is, in characters */
    int redone;
  } changes[] = {
    { "a rose.", "a rose. Rose", 43, 48 },
    { "A rose", "A rööse", 4, 5 },
    { "A rose", "A roose", 4, 5 }, /* like what is beside it */
    { "A rose", "rose", 2, 0 },
  };
  g_autofree char *text = g_strdup (get_input_text (fixture, 0));

  attn_input_row_take_focus (ATTN_INPUT_ROW (get_row (fixture, 0)), TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (GString) changed = g_string_new (text);

      g_assert_cmpuint (g_string_replace (changed, changes[i].before, changes[i].after, 1), ==, 1);
      type (fixture, 0, changed->str);
      attn_session_undo (fixture->session);
      assert_shows (fixture, 0, text);
      g_assert_cmpint (get_cursor (fixture), ==, changes[i].undone);
      attn_session_redo (fixture->session);
      assert_shows (fixture, 0, changed->str);
      g_assert_cmpint (get_cursor (fixture), ==, changes[i].redone);
      g_assert_false (gtk_text_buffer_get_has_selection (find_buffer (get_row (fixture, 0))));
      attn_session_undo (fixture->session);
    }
}

static const AttnInput *
get_input (Fixture *fixture,
           guint    index)
{
  return g_ptr_array_index (get_study (fixture)->inputs, index);
}

/* So many tokens of a preset's text are for its figure; of one's own text all are shown, until one
 * asks for fewer. */
static void
test_own_text_is_not_cut (Fixture       *fixture,
                          gconstpointer  data)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < 30; i++)
    g_string_append (text, "a rose\n");
  type (fixture, 0, text->str);
  wait_for_result (fixture);
  const AttnTokens *tokens = attn_session_get_result (fixture->session)->inputs[0];
  g_assert_cmpstr (get_input_text (fixture, 0), ==, text->str);
  g_assert_cmpuint (tokens->n_tokens, >=, 60);
  g_assert_cmpuint (tokens->n_cut, ==, 0);
  /* The others are the preset's, and so is that before the edit. */
  g_assert_cmpuint (get_input (fixture, 1)->n_tokens, ==, 15);
  attn_session_undo (fixture->session);
  g_assert_cmpuint (get_input (fixture, 0)->n_tokens, ==, 15);
  attn_session_redo (fixture->session);

  g_assert_false (gtk_widget_get_visible (find_id (get_row (fixture, 0), "use_all")));
  AttnStudy *study = attn_study_copy (get_study (fixture));
  ((AttnInput *) g_ptr_array_index (study->inputs, 0))->n_tokens = 3;
  attn_session_edit (fixture->session, study, NULL);
  type (fixture, 0, "A rose is a rose is a rose");
  g_assert_cmpuint (get_input (fixture, 0)->n_tokens, ==, 3);
  wait_for_result (fixture);
  /* What is cut is a click away. */
  GtkWidget *use_all = find_id (get_row (fixture, 0), "use_all");
  g_assert_true (gtk_widget_get_visible (use_all));
  g_signal_emit_by_name (use_all, "clicked");
  g_assert_cmpuint (get_input (fixture, 0)->n_tokens, ==, 0);
  wait_for_result (fixture);
  g_assert_false (gtk_widget_get_visible (use_all));

  /* More than the model takes is not offered. */
  while (text->len < 5000)
    g_string_append (text, "a rose\n");
  study = attn_study_copy (get_study (fixture));
  attn_input_free (g_ptr_array_index (study->inputs, 0));
  g_ptr_array_index (study->inputs, 0) = attn_input_new_text (text->str, 3);
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  g_assert_cmpuint (attn_session_get_result (fixture->session)->inputs[0]->n_cut, >, 256);
  g_assert_false (gtk_widget_get_visible (use_all));
}

/* The answers of the map of patches are those to the preset's texts; to others those of the model
 * count until one is chosen. */
static void
test_answers_go_with_their_texts (Fixture       *fixture,
                                  gconstpointer  data)
{
  g_assert_cmpstr (get_study (fixture)->token, ==, " Paris");
  g_assert_cmpstr (get_study (fixture)->versus, ==, " Tokyo");
  type (fixture, 1, "The capital of Italy is");
  g_assert_null (get_study (fixture)->token);
  g_assert_null (get_study (fixture)->versus);
  attn_session_undo (fixture->session);
  g_assert_cmpstr (get_study (fixture)->token, ==, " Paris");

  AttnStudy *study = attn_study_copy (get_study (fixture));
  g_free (study->versus);
  study->versus = g_strdup (" Rome");
  attn_session_edit (fixture->session, study, NULL);
  type (fixture, 1, "The capital of Italy is");
  g_assert_null (get_study (fixture)->token);
  g_assert_cmpstr (get_study (fixture)->versus, ==, " Rome");
}

static void
count_cb (GdkFrameClock *clock,
          guint         *n_frames)
{
  (*n_frames)++;
}

static void
end_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
}

/* Nothing is drawn while nothing changes, even where a text is higher than its room. */
static void
test_long_text_rests (Fixture       *fixture,
                      gconstpointer  data)
{
  GtkWidget *view = find_nth (get_row (fixture, 0), GTK_TYPE_SCROLLED_WINDOW, 0);
  guint n_frames = G_MAXUINT;

  type (fixture, 0, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16");
  WAIT_UNTIL (gtk_widget_get_height (view) > 120);
  wait_for_result (fixture);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (view);
  g_signal_connect (clock, "after-paint", G_CALLBACK (count_cb), &n_frames);
  /* A cursor may blink meanwhile. */
  for (guint i = 0; i < 40 && n_frames > 1; i++)
    {
      gboolean is_over = FALSE;

      n_frames = 0;
      g_timeout_add_once (250, end_cb, &is_over);
      WAIT_UNTIL (is_over);
    }
  g_assert_cmpuint (n_frames, <=, 1);
  g_signal_handlers_disconnect_by_func (clock, count_cb, &n_frames);
}

/* A text of several lines has room for some of them, and is scrolled beyond. */
static void
test_long_text_has_room (Fixture       *fixture,
                         gconstpointer  data)
{
  GtkWidget *view = find_nth (get_row (fixture, 0), GTK_TYPE_SCROLLED_WINDOW, 0);

  type (fixture, 0, "One");
  WAIT_UNTIL (gtk_widget_get_height (view) < 40);
  type (fixture, 0, "One\nTwo\nThree");
  g_assert_cmpstr (get_input_text (fixture, 0), ==, "One\nTwo\nThree");
  WAIT_UNTIL (gtk_widget_get_height (view) > 50);
  type (fixture, 0, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16");
  WAIT_UNTIL (gtk_widget_get_height (view) > 120);
  g_assert_cmpint (gtk_widget_get_height (view), <, 160);

  /* A paragraph that is very long is one line. */
  g_autofree char *word = g_strnfill (100000, 'x');
  gint64 start = g_get_monotonic_time ();
  gtk_text_buffer_set_text (find_buffer (get_row (fixture, 0)), word, -1);
  gtk_test_widget_wait_for_draw (view);
  g_assert_cmpfloat ((g_get_monotonic_time () - start) / 1e6, <, 20);
}

static void
test_chips_say_the_tokens (Fixture       *fixture,
                           gconstpointer  data)
{
  AttnTokenChips *chips = find_nth (get_row (fixture, 0), ATTN_TYPE_TOKEN_CHIPS, 0);
  AttnTokens *tokens = attn_session_get_result (fixture->session)->inputs[0];
  g_autofree char *id = g_strdup_printf ("id %u", tokens->tokens[1].id);
  g_autofree char *description = attn_token_chips_describe (chips, 1);
  g_autofree char *special = attn_token_chips_describe (chips, 0);
  g_autofree gboolean *is_found = g_new0 (gboolean, tokens->n_tokens);

  g_assert_nonnull (strstr (description, id));
  g_assert_nonnull (strstr (description, tokens->labels[1]));
  g_assert_nonnull (strstr (special, "special"));

  /* Every token has a place of its own within the widget. */
  gtk_test_widget_wait_for_draw (GTK_WIDGET (chips));
  for (int y = 0; y < gtk_widget_get_height (GTK_WIDGET (chips)); y += 2)
    for (int x = 0; x < gtk_widget_get_width (GTK_WIDGET (chips)); x += 2)
      {
        gsize index = attn_token_chips_find (chips, x, y);

        g_assert_true (index == G_MAXSIZE || index < tokens->n_tokens);
        if (index != G_MAXSIZE)
          is_found[index] = TRUE;
      }
  for (gsize i = 0; i < tokens->n_tokens; i++)
    g_assert_true (is_found[i]);
}

static void
test_long_text_is_counted (Fixture       *fixture,
                           gconstpointer  data)
{
  AttnTokenChips *chips = g_object_ref_sink (g_object_new (ATTN_TYPE_TOKEN_CHIPS, NULL));
  guint32 ids[ATTN_TOKEN_CHIPS_MAX + 72] = { 0 };
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, G_N_ELEMENTS (ids), NULL);
  int height;

  attn_token_chips_set_tokens (chips, tokens, NULL);
  gtk_widget_measure (GTK_WIDGET (chips), GTK_ORIENTATION_VERTICAL, 200, NULL, &height, NULL,
                      NULL);
  g_autofree char *rest = attn_token_chips_describe (chips, ATTN_TOKEN_CHIPS_MAX);
  g_assert_nonnull (strstr (rest, "200 tokens"));
  /* Those of two letters, seven a line. */
  g_assert_cmpint (height, <, 600);

  /* So is what a figure leaves out of a text. */
  g_autoptr (AttnTokens) first = attn_tokens_truncate (tokens, 3);
  attn_token_chips_set_tokens (chips, first, NULL);
  g_autofree char *cut = attn_token_chips_describe (chips, 3);
  g_assert_cmpstr (cut, ==, "first 3 of 200 tokens");
  g_assert_finalize_object (chips);
}

static GFile *
write_file (const char *directory,
            const char *text)
{
  g_autofree char *path = g_build_filename (directory, "texts.txt", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return g_file_new_for_path (path);
}

static GtkWidget *
find_button (gpointer    widget,
             const char *label)
{
  g_autoptr (GPtrArray) buttons = find_all (widget, GTK_TYPE_BUTTON);

  for (guint i = 0; i < buttons->len; i++)
    if (g_strcmp0 (gtk_button_get_label (buttons->pdata[i]), label) == 0)
      return buttons->pdata[i];
  return NULL;
}

/* One line is one input; of several it is asked. */
static void
test_texts_from_a_file (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  g_autoptr (GFile) file = write_file (directory, "It is I\n");

  attn_inputs_section_load (attn_sidebar_get_inputs (fixture->sidebar), file);
  WAIT_UNTIL (get_study (fixture)->inputs->len >= 4);
  assert_shows (fixture, 3, "It is I");

  g_object_unref (write_file (directory, "One\n\nTwo\n"));
  attn_inputs_section_load (attn_sidebar_get_inputs (fixture->sidebar), file);
  GtkWidget *button = NULL;
  WAIT_UNTIL ((button = find_button (fixture->sidebar, "One Input per _Line")) != NULL);
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 6);
  assert_shows (fixture, 5, "Two");
  WAIT_UNTIL (find_button (fixture->sidebar, "One Input per _Line") == NULL);

  g_object_unref (write_file (directory, "caf\xE9"));
  attn_inputs_section_load (attn_sidebar_get_inputs (fixture->sidebar), file);
  WAIT_UNTIL (fixture->n_failures > 0);
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 6);
  remove_folder (directory);
}

/* Every edit is a step back. */
static void
test_undone_to_the_beginning (Fixture       *fixture,
                              gconstpointer  data)
{
  g_autoptr (AttnStudy) origin = attn_study_copy (get_study (fixture));

  type (fixture, 0, "It is I");
  act (fixture, 0, "input.move-down");
  act (fixture, 1, "input.duplicate");
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_HEAD);
  gtk_drop_down_set_selected (find_labelled (fixture, "Scale"), ATTN_SCALE_LOG);
  g_assert_false (attn_study_equal (origin, get_study (fixture)));
  while (attn_session_get_document (fixture->session)->undo->len > 0)
    attn_session_undo (fixture->session);
  g_assert_true (attn_study_equal (origin, get_study (fixture)));
  for (guint i = 0; i < 3; i++)
    assert_shows (fixture, i, get_input_text (fixture, i));
  g_assert_cmpuint (fixture->n_failures, ==, 0);
}

/* A recording has tokens of its own: the texts of the study are neither shown nor offered, and what
 * is recorded cannot be intervened on. They are there again with a model. */
static void
test_recording_shows_its_own_tokens (Fixture       *fixture,
                                     gconstpointer  data)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "weights.csv", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, ",one,two\none,1,0\ntwo,0.25,0.75\n", -1, &error));
  g_assert_no_error (error);
  g_assert_true (attn_session_takes_inputs (fixture->session));
  AttnStudy *study = attn_presets_load ("single", NULL);
  g_free (study->model.path);
  study->model.path = g_strdup (path);
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);

  g_autoptr (GPtrArray) rows = find_all (fixture->sidebar, ATTN_TYPE_INPUT_ROW);
  g_assert_cmpuint (rows->len, ==, 1);
  g_autoptr (GPtrArray) entries = find_all (rows->pdata[0], GTK_TYPE_TEXT_VIEW);
  g_assert_cmpuint (entries->len, ==, 0);
  g_assert_true (shows_text (fixture, "Recorded tokens"));
  g_assert_true (shows_text (fixture, "2 tokens"));
  g_assert_false (shows_text (fixture, "Special tokens"));
  g_assert_false (gtk_widget_is_sensitive (find_control (fixture, "component_group")));
  g_assert_false (gtk_widget_get_visible (find_id (fixture->sidebar, "effect_row")));
  g_assert_false (attn_session_takes_inputs (fixture->session));
  AttnTokenChips *chips = find_nth (rows->pdata[0], ATTN_TYPE_TOKEN_CHIPS, 0);
  g_autofree char *token = attn_token_chips_describe (chips, 1);
  g_assert_nonnull (strstr (token, "two"));

  attn_session_undo (fixture->session);
  wait_for_result (fixture);
  assert_shows (fixture, 2, get_input_text (fixture, 2));
  g_assert_true (gtk_widget_is_sensitive (find_control (fixture, "component_group")));
  g_assert_true (shows_text (fixture, "Special tokens"));
  g_assert_true (gtk_widget_get_visible (find_id (fixture->sidebar, "effect_row")));
  remove_folder (directory);
}

/* Inputs can wait for their figure: the rows say that this one does not show them. */
static void
test_inputs_beyond_the_figure (Fixture       *fixture,
                               gconstpointer  data)
{
  g_assert_true (attn_session_takes_inputs (fixture->session));
  attn_inputs_section_add (attn_sidebar_get_inputs (fixture->sidebar));
  wait_for_result (fixture);
  g_assert_true (shows_text (fixture, "not in this figure"));
  gtk_drop_down_set_selected (find_labelled (fixture, "Rows"), ATTN_DIMENSION_INPUT);
  wait_for_result (fixture);
  g_assert_false (shows_text (fixture, "not in this figure"));
}

/* A survey that patches has inputs of which it tells no tokens: those of the figure before do not
 * stay. */
static void
test_survey_tells_no_tokens (Fixture       *fixture,
                             gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load ("survey", &error);

  g_assert_no_error (error);
  g_assert_true (shows_text (fixture, "15 tokens"));
  study->operation = ATTN_OPERATION_PATCH;
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  GtkWidget *row = get_row (fixture, 0);
  AttnTokenChips *chips = find_nth (row, ATTN_TYPE_TOKEN_CHIPS, 0);

  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->sidebar));
  g_assert_true (gtk_widget_get_mapped (row));
  g_assert_false (gtk_widget_has_css_class (row, "outdated"));
  g_assert_false (shows_text (fixture, "15 tokens"));
  g_assert_false (shows_text (fixture, "…"));
  for (int x = 0; x < gtk_widget_get_width (GTK_WIDGET (chips)); x += 2)
    g_assert_cmpuint (attn_token_chips_find (chips, x, 8), ==, G_MAXSIZE);
}

static gboolean
is_in_sight (GtkWidget *row)
{
  GtkWidget *viewport = gtk_widget_get_ancestor (row, GTK_TYPE_VIEWPORT);
  graphene_rect_t bounds;

  return gtk_widget_compute_bounds (row, viewport, &bounds) && bounds.size.height > 0 &&
         bounds.origin.y >= 0 &&
         bounds.origin.y + bounds.size.height <= gtk_widget_get_height (viewport);
}

static gboolean
has_focus (Fixture   *fixture,
           GtkWidget *row)
{
  GtkWidget *focus = gtk_window_get_focus (fixture->window);

  return focus != NULL && gtk_widget_is_ancestor (focus, row);
}

/* An input that is added is shown, to be typed over; one that takes the place of another keeps its
 * text. */
static void
test_focused_input_is_in_sight (Fixture       *fixture,
                                gconstpointer  data)
{
  for (guint i = 3; i < 6; i++)
    {
      attn_inputs_section_add (attn_sidebar_get_inputs (fixture->sidebar));
      g_assert_true (has_focus (fixture, get_row (fixture, i)));
      g_assert_true (gtk_text_buffer_get_has_selection (find_buffer (get_row (fixture, i))));
      WAIT_UNTIL (is_in_sight (get_row (fixture, i)));
    }
  act (fixture, 0, "input.remove");
  g_assert_true (has_focus (fixture, get_row (fixture, 0)));
  g_assert_false (gtk_text_buffer_get_has_selection (find_buffer (get_row (fixture, 0))));
  WAIT_UNTIL (is_in_sight (get_row (fixture, 0)));
}

/* Where a question and its answer are the input, there is no list to add to. */
static void
test_chat_is_offered_where_there_is_a_template (Fixture       *fixture,
                                                gconstpointer  data)
{
  static const char * const files[] = { "config.json", "model.safetensors", "tokenizer.json" };
  g_autofree char *shipped = attn_data_find_model ();
  g_autofree char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  g_autofree char *config = g_build_filename (directory, "tokenizer_config.json", NULL);
  GtkWidget *chat = find_id (fixture->sidebar, "chat_row");

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *from = g_build_filename (shipped, files[i], NULL);
      g_autofree char *to = g_build_filename (directory, files[i], NULL);
      g_assert_cmpint (symlink (from, to), ==, 0);
    }
  g_assert_true (g_file_set_contents (
      config,
      "{\"chat_template\": \"{% for message in messages %}{{ '<|im_start|>' + message['role'] + "
      "'\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
      "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}\"}",
      -1, NULL));
  g_assert_false (gtk_widget_get_visible (chat));

  AttnStudy *study = attn_study_copy (get_study (fixture));
  study->model.path = g_strdup (directory);
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  g_assert_true (gtk_widget_get_visible (chat));

  /* On, it can be put off again with a model that has none. */
  study = attn_study_copy (get_study (fixture));
  g_clear_pointer (&study->model.path, g_free);
  study->applies_chat = TRUE;
  attn_session_edit (fixture->session, study, NULL);
  iterate ();
  g_assert_true (gtk_widget_get_visible (chat));
  attn_session_undo (fixture->session);
  attn_session_undo (fixture->session);
  wait_for_result (fixture);
  g_assert_false (gtk_widget_get_visible (chat));

  remove_folder (directory);
}

static void
test_question_is_the_input (Fixture       *fixture,
                            gconstpointer  data)
{
  g_assert_nonnull (find_labelled (fixture, "Question"));
  g_assert_false (attn_session_takes_inputs (fixture->session));
  g_assert_null (find_labelled (fixture, "Shared by"));
}

/* A model with a decoder has a target beside each text, and a choice of its attentions; the chips
 * of the text are then those of its own tokens, whatever the decoder reads. */
static void
test_target_and_attention (Fixture       *fixture,
                           gconstpointer  data)
{
  const guint32 ids[] = { 1, 2, 3, 4, 5 };
  AttnStudy *study = attn_study_copy (get_study (fixture));
  GtkWidget *choice_row = find_id (fixture->strip, "attention_row");
  GtkDropDown *choice = find_id (fixture->strip, "attention_choice");
  GtkWidget *row = get_row (fixture, 0);
  GtkWidget *box = find_id (row, "target_box");
  GtkEditable *target = find_id (row, "target");

  g_assert_false (gtk_widget_get_visible (choice_row));
  g_assert_false (gtk_widget_get_visible (box));
  study->model.path = g_test_build_filename (G_TEST_DIST, "model", "t5", NULL);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0));
  study->layer = ATTN_LAYER_STRONGEST_SINK;
  study->head = ATTN_HEAD_STRONGEST_SINK;
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  g_assert_true (gtk_widget_get_visible (choice_row));
  g_assert_true (gtk_widget_get_visible (box));
  g_assert_cmpuint (gtk_drop_down_get_selected (choice), ==, 0);

  gtk_drop_down_set_selected (choice, 2);
  g_assert_cmpstr (get_study (fixture)->attention, ==, "cross");
  g_assert_nonnull (find_label (choice, "Cross"));
  gtk_editable_set_text (target, "0,9,8");
  g_signal_emit_by_name (target, "activate");
  wait_for_result (fixture);
  const AttnInput *input = g_ptr_array_index (get_study (fixture)->inputs, 0);
  g_assert_cmpuint (input->n_target_ids, ==, 3);
  AttnPanel *panel = attn_session_get_result (fixture->session)->grid->cells[0].panel;
  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, 3);
  g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, 5);
  g_assert_cmpuint (attn_session_get_tokens (fixture->session, 0)->n_tokens, ==, 3);
  g_assert_cmpuint (attn_session_get_source (fixture->session, 0)->n_tokens, ==, 5);
  g_assert_true (gtk_widget_get_visible (find_id (row, "target_chips")));

  /* Typing the text leaves the target alone. */
  type (fixture, 0, "1,2,3");
  WAIT_UNTIL (((AttnInput *) get_study (fixture)->inputs->pdata[0])->n_ids == 3);
  input = g_ptr_array_index (get_study (fixture)->inputs, 0);
  g_assert_cmpuint (input->n_target_ids, ==, 3);

  /* An undo takes the list along. */
  wait_for_result (fixture);
  for (guint i = 0; i < 3; i++)
    attn_session_undo (fixture->session);
  wait_for_result (fixture);
  g_assert_null (get_study (fixture)->attention);
  g_assert_cmpuint (gtk_drop_down_get_selected (choice), ==, 0);
  g_assert_cmpstr (gtk_editable_get_text (target), ==, "");
  attn_session_undo (fixture->session);
  wait_for_result (fixture);
  g_assert_false (gtk_widget_get_visible (choice_row));
}

/* A sound is an input by its path, which may be typed; the row says how long it lasts and has no
 * chips. */
static void
test_sound_is_an_input (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "sound", "byte-8000.wav", NULL);
  AttnStudy *study = attn_study_copy (get_study (fixture));

  attn_edits_add_sound (study, path);
  attn_session_edit (fixture->session, study, NULL);
  g_assert_cmpuint (get_study (fixture)->inputs->len, ==, 1);
  assert_shows (fixture, 0, path);
  g_assert_false (gtk_widget_get_visible (find_id (get_row (fixture, 0), "chips")));
  GtkLabel *status = find_id (get_row (fixture, 0), "status");
  WAIT_UNTIL (g_str_equal (gtk_label_get_label (status), "0.3 s"));

  type (fixture, 0, "/other.wav");
  g_assert_cmpstr (get_input (fixture, 0)->audio, ==, "/other.wav");
  g_assert_null (get_input (fixture, 0)->text);
}

/* A model of sounds that is one of the fixtures, with tasks, in a directory of its own. */
static char *
make_hearing_model (void)
{
  static const char * const files[] = { "config.json", "model.safetensors", "tokenizer.json",
                                        "preprocessor_config.json" };
  char *directory = g_dir_make_tmp ("attn-sidebar-XXXXXX", NULL);
  g_autofree char *prompt = g_build_filename (directory, "generation_config.json", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *from =
          g_test_build_filename (G_TEST_DIST, "model", "whisper", files[i], NULL);
      g_autofree char *to = g_build_filename (directory, files[i], NULL);
      g_assert_cmpint (symlink (from, to), ==, 0);
    }
  g_assert_true (g_file_set_contents (prompt,
                                      "{\"lang_to_id\": {\"<|es|>\": 9, \"<|en|>\": 4},"
                                      " \"task_to_id\": {\"transcribe\": 5, \"translate\": 7}}",
                                      -1, NULL));
  return directory;
}

/* What is asked of a sound is chosen from what the model knows, and undone; what the row says
 * otherwise leaves it alone. */
static void
test_language_and_task (Fixture       *fixture,
                        gconstpointer  data)
{
  g_autofree char *directory = make_hearing_model ();
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "sound", "byte-8000.wav", NULL);
  AttnStudy *study = attn_study_copy (get_study (fixture));
  GtkWidget *words = find_id (get_row (fixture, 0), "words");

  g_assert_false (gtk_widget_get_visible (words));
  attn_edits_add_sound (study, path);
  attn_model_reference_set (&study->model, directory);
  study->attention = g_strdup ("cross");
  AttnInput *sound = g_ptr_array_index (study->inputs, 0);
  g_free (sound->stands_for);
  sound->stands_for = g_strdup ("A rose");
  attn_session_edit (fixture->session, study, NULL);
  wait_for_result (fixture);
  g_assert_true (gtk_widget_get_visible (words));
  GtkDropDown *language = find_nth (words, GTK_TYPE_DROP_DOWN, 0);
  GtkDropDown *task = find_nth (words, GTK_TYPE_DROP_DOWN, 1);
  GListModel *languages = gtk_drop_down_get_model (language);
  g_assert_cmpuint (g_list_model_get_n_items (languages), ==, 3);
  g_assert_cmpstr (gtk_string_list_get_string (GTK_STRING_LIST (languages), 2), ==, "Spanish (es)");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (task)), ==, 3);
  g_assert_cmpuint (gtk_drop_down_get_selected (language), ==, 0);
  g_assert_cmpuint (gtk_drop_down_get_selected (task), ==, 0);
  g_assert_null (get_input (fixture, 0)->language);

  gtk_drop_down_set_selected (language, 2);
  g_assert_cmpstr (get_input (fixture, 0)->language, ==, "es");
  g_assert_cmpstr (get_input (fixture, 0)->stands_for, ==, "A rose");
  g_assert_null (get_input (fixture, 0)->task);
  wait_for_result (fixture);
  AttnTokens *said = attn_session_get_tokens (fixture->session, 0);
  g_assert_cmpuint (said->tokens[1].id, ==, 9);
  g_assert_cmpuint (said->tokens[2].id, ==, 5);
  gtk_drop_down_set_selected (task, 2);
  g_assert_cmpstr (get_input (fixture, 0)->language, ==, "es");
  g_assert_cmpstr (get_input (fixture, 0)->task, ==, "translate");
  wait_for_result (fixture);
  g_assert_cmpuint (attn_session_get_tokens (fixture->session, 0)->tokens[2].id, ==, 7);

  /* With a target there is nothing to choose. */
  GtkEditable *target = find_id (get_row (fixture, 0), "target");
  gtk_editable_set_text (target, "a rose");
  g_signal_emit_by_name (target, "activate");
  g_assert_cmpstr (get_input (fixture, 0)->language, ==, "es");
  g_assert_cmpstr (get_input (fixture, 0)->task, ==, "translate");
  g_assert_false (gtk_widget_is_sensitive (words));

  wait_for_result (fixture);
  while (get_input (fixture, 0)->language != NULL)
    attn_session_undo (fixture->session);
  g_assert_cmpstr (get_input (fixture, 0)->audio, ==, path);
  g_assert_true (gtk_widget_is_sensitive (words));
  g_assert_cmpuint (gtk_drop_down_get_selected (language), ==, 0);
  g_assert_cmpuint (gtk_drop_down_get_selected (task), ==, 0);
  attn_session_redo (fixture->session);
  g_assert_cmpuint (gtk_drop_down_get_selected (language), ==, 2);

  /* What a document says shows, however it is written. */
  study = attn_study_copy (get_study (fixture));
  AttnInput *input = g_ptr_array_index (study->inputs, 0);
  g_free (input->language);
  input->language = g_strdup ("<|EN|>");
  attn_session_edit (fixture->session, study, NULL);
  g_assert_cmpuint (gtk_drop_down_get_selected (language), ==, 1);
  g_assert_cmpstr (get_input (fixture, 0)->language, ==, "<|EN|>");
  study = attn_study_copy (get_study (fixture));
  input = g_ptr_array_index (study->inputs, 0);
  g_free (input->language);
  input->language = g_strdup ("xx");
  attn_session_edit (fixture->session, study, NULL);
  g_assert_cmpuint (gtk_drop_down_get_selected (language), ==, 3);
  gtk_drop_down_set_selected (language, 0);
  g_assert_null (get_input (fixture, 0)->language);
  wait_for_result (fixture);
  remove_folder (directory);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  /* Brings the resources. */
  g_autoptr (AttnApplication) application = attn_application_new ();

  ADD ("inputs-are-reordered", "mean-operation", test_inputs_are_reordered);
  ADD ("inputs-are-duplicated-and-removed", "mean-operation",
       test_inputs_are_duplicated_and_removed);
  ADD ("typed-text-moves-along", "mean-operation", test_typed_text_moves_along);
  ADD ("undo-leaves-the-cursor-at-the-change", "mean-operation",
       test_undo_leaves_the_cursor_at_the_change);
  ADD ("own-text-is-not-cut", "mean-operation", test_own_text_is_not_cut);
  ADD ("answers-go-with-their-texts", "patch-map", test_answers_go_with_their_texts);
  ADD ("long-text-has-room", "mean-operation", test_long_text_has_room);
  ADD ("chips-say-the-tokens", "mean-operation", test_chips_say_the_tokens);
  ADD ("long-text-rests", "mean-operation", test_long_text_rests);
  ADD ("long-text-is-counted", "mean-operation", test_long_text_is_counted);
  ADD ("texts-from-a-file", "mean-operation", test_texts_from_a_file);
  ADD ("undone-to-the-beginning", "mean-operation", test_undone_to_the_beginning);
  ADD ("recording-shows-its-own-tokens", "mean-operation", test_recording_shows_its_own_tokens);
  ADD ("focused-input-is-in-sight", "mean-operation", test_focused_input_is_in_sight);
  ADD ("inputs-beyond-the-figure", "single", test_inputs_beyond_the_figure);
  ADD ("survey-tells-no-tokens", "mean-operation", test_survey_tells_no_tokens);
  ADD ("chat-is-offered-where-there-is-a-template", "mean-operation",
       test_chat_is_offered_where_there_is_a_template);
  ADD ("target-and-attention", "single", test_target_and_attention);
  ADD ("question-is-the-input", "layer-token", test_question_is_the_input);
  ADD ("sound-is-an-input", "single", test_sound_is_an_input);
  ADD ("language-and-task", "single", test_language_and_task);
  return g_test_run ();
}
