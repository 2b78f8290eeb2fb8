/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a preset takes over from the study before it: what the user chose there, and no more. */

#include "config.h"

#include "attn-edits.h"
#include "session-fixture.h"

/* A map of patches invents no second text for one's own, and no answers; presets that need one
 * text have one's own in the place of theirs. */
static void
test_own_inputs_are_kept (void)
{
  g_autoptr (AttnStudy) origin = attn_presets_load ("single", NULL);
  g_autoptr (AttnStudy) old = attn_study_copy (origin);
  g_autoptr (AttnStudy) same = attn_presets_load ("patch-map", NULL);
  g_autoptr (AttnStudy) one = attn_study_copy (same);
  g_autoptr (AttnStudy) two = attn_study_copy (same);
  g_autoptr (AttnStudy) plain = attn_presets_load ("epsilon", NULL);

  attn_edits_keep_inputs (same, old, origin);
  g_assert_true (attn_study_equal (same, one));

  g_ptr_array_set_size (old->inputs, 0);
  g_ptr_array_add (old->inputs, attn_input_new_text ("A cat", 0));
  attn_edits_keep_inputs (one, old, origin);
  g_assert_cmpuint (one->inputs->len, ==, 1);
  g_assert_cmpstr (get_text_of (one, 0), ==, "A cat");
  g_assert_null (one->token);
  g_assert_null (one->versus);

  g_ptr_array_add (old->inputs, attn_input_new_text ("A dog", 0));
  attn_edits_keep_inputs (two, old, origin);
  g_assert_cmpuint (two->inputs->len, ==, 2);
  g_assert_cmpstr (get_text_of (two, 1), ==, "A dog");

  attn_edits_keep_inputs (plain, old, origin);
  g_assert_cmpstr (get_text_of (plain, 0), ==, "A cat");
}

/* An input is one's own where it is not the one that its preset has there: a text, ids, a picture,
 * one more. The others are those of the new preset; so are all of a study that is of no preset. */
static void
test_own_inputs_are_kept_in_their_places (void)
{
  static const guint32 ids[] = { 2, 5, 9 };
  g_autoptr (AttnStudy) origin = load_preset ("mean-operation");
  g_autoptr (AttnStudy) old = attn_study_copy (origin);
  g_autoptr (AttnStudy) preset = load_preset ("single");
  g_autoptr (AttnStudy) more = attn_study_copy (preset);
  g_autoptr (AttnStudy) none = attn_study_copy (preset);
  g_autoptr (AttnStudy) stood = attn_study_copy (preset);

  g_assert_cmpuint (old->inputs->len, ==, 3);
  g_assert_cmpuint (preset->inputs->len, ==, 1);
  attn_input_free (old->inputs->pdata[1]);
  old->inputs->pdata[1] = attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0);
  g_ptr_array_add (old->inputs, attn_input_new_text ("A cat", 0));
  attn_edits_keep_inputs (more, old, origin);
  g_assert_cmpuint (more->inputs->len, ==, 3);
  g_assert_cmpstr (get_text_of (more, 0), ==, get_text_of (preset, 0));
  g_assert_true (attn_input_equal (more->inputs->pdata[1], old->inputs->pdata[1]));
  g_assert_true (more->inputs->pdata[1] != old->inputs->pdata[1]);
  g_assert_cmpstr (get_text_of (more, 2), ==, "A cat");

  attn_edits_keep_inputs (none, old, NULL);
  g_assert_true (attn_study_equal (none, preset));

  /* Ids that stand for the preset's own text, as with a model without a tokenizer, are nobody's. */
  g_ptr_array_set_size (old->inputs, 1);
  AttnInput *stand_in = attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0);
  stand_in->stands_for = g_strdup (get_text_of (origin, 0));
  attn_input_free (old->inputs->pdata[0]);
  old->inputs->pdata[0] = stand_in;
  attn_edits_keep_inputs (stood, old, origin);
  g_assert_true (attn_study_equal (stood, preset));
  g_free (stand_in->stands_for);
  stand_in->stands_for = g_strdup ("A cat");
  attn_edits_keep_inputs (stood, old, origin);
  g_assert_true (attn_input_equal (stood->inputs->pdata[0], stand_in));
}

/* A preset keeps the layer and head that the user chose, but not those that its predecessor came
 * with in the shipped model; behind a figure of all heads, those of the study before it. */
static void
test_place_is_kept (void)
{
  g_autoptr (GPtrArray) undo = g_ptr_array_new ();
  g_autoptr (AttnStudy) untouched = load_preset ("single");
  g_autoptr (AttnStudy) chosen = attn_study_copy (untouched);
  g_autoptr (AttnStudy) map = load_preset ("layer-token");
  g_autoptr (AttnStudy) first = load_preset ("epsilon");
  g_autoptr (AttnStudy) second = attn_study_copy (first);
  g_autoptr (AttnStudy) third = attn_study_copy (first);
  int layer = first->layer;
  int head = first->head;

  attn_edits_keep_choices (first, untouched, undo);
  g_assert_cmpint (first->layer, ==, layer);
  g_assert_cmpint (first->head, ==, head);

  chosen->layer = untouched->layer == 0 ? 1 : 0;
  chosen->head = 3;
  attn_edits_keep_choices (second, chosen, undo);
  g_assert_cmpint (second->layer, ==, chosen->layer);
  g_assert_cmpint (second->head, ==, 3);

  g_ptr_array_add (undo, chosen);
  attn_edits_keep_choices (third, map, undo);
  g_assert_cmpint (third->layer, ==, chosen->layer);
  g_assert_cmpint (third->head, ==, 3);
}

/* Colours, font and digits are kept where they are not those that the old preset came with, and all
 * of them from a study of no preset. What stands beside the panels is the new preset's. */
static void
test_look_is_kept (void)
{
  g_autoptr (GPtrArray) undo = g_ptr_array_new ();
  g_autoptr (AttnStudy) untouched = load_preset ("head-groups");
  g_autoptr (AttnStudy) chosen = attn_study_copy (untouched);
  g_autoptr (AttnStudy) preset = load_preset ("single");
  g_autoptr (AttnStudy) first = attn_study_copy (preset);
  g_autoptr (AttnStudy) second = attn_study_copy (preset);
  g_autoptr (AttnStudy) third = attn_study_copy (preset);

  g_assert_cmpint (untouched->style.colormap, !=, preset->style.colormap);
  attn_edits_keep_choices (first, untouched, undo);
  g_assert_cmpint (first->style.colormap, ==, preset->style.colormap);

  chosen->style.font_family = g_intern_string ("Serif");
  chosen->style.font_size = 7;
  chosen->style.n_digits = 5;
  chosen->style.shows_titles = !preset->style.shows_titles;
  attn_edits_keep_choices (second, chosen, undo);
  g_assert_cmpint (second->style.colormap, ==, preset->style.colormap);
  g_assert_cmpstr (second->style.font_family, ==, "Serif");
  g_assert_cmpfloat (second->style.font_size, ==, 7);
  g_assert_cmpuint (second->style.n_digits, ==, 5);
  g_assert_true (second->style.shows_titles == preset->style.shows_titles);

  g_clear_pointer (&chosen->preset, g_free);
  attn_edits_keep_choices (third, chosen, undo);
  g_assert_cmpint (third->style.colormap, ==, untouched->style.colormap);
  g_assert_cmpuint (third->style.n_digits, ==, 5);
}

/* Inputs of a preset that the user removed stay away when it is chosen again later, but for as many
 * as the study in between has; a map of patches has both of its texts. */
static void
test_removed_inputs_stay_away (void)
{
  g_autoptr (GPtrArray) undo = g_ptr_array_new ();
  g_autoptr (AttnStudy) reduced = load_preset ("mean-operation");
  g_autoptr (AttnStudy) between = load_preset ("single");
  g_autoptr (AttnStudy) again = load_preset ("mean-operation");
  g_autoptr (AttnStudy) other = load_preset ("patch-map");

  g_assert_cmpuint (again->inputs->len, ==, 3);
  attn_edits_leave_removed_out (again, between, undo);
  g_assert_cmpuint (again->inputs->len, ==, 3);

  g_ptr_array_set_size (reduced->inputs, 1);
  g_ptr_array_add (undo, reduced);
  g_ptr_array_add (between->inputs, attn_input_new_text ("A cat", 0));
  attn_edits_leave_removed_out (again, between, undo);
  g_assert_cmpuint (again->inputs->len, ==, 2);

  g_clear_pointer (&reduced->preset, g_free);
  reduced->preset = g_strdup ("patch-map");
  g_assert_cmpuint (other->inputs->len, ==, 2);
  g_ptr_array_set_size (between->inputs, 1);
  attn_edits_leave_removed_out (other, between, undo);
  g_assert_cmpuint (other->inputs->len, ==, 2);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/edits-preset/own-inputs-are-kept", test_own_inputs_are_kept);
  g_test_add_func ("/session/edits-preset/own-inputs-are-kept-in-their-places",
                   test_own_inputs_are_kept_in_their_places);
  g_test_add_func ("/session/edits-preset/place-is-kept", test_place_is_kept);
  g_test_add_func ("/session/edits-preset/look-is-kept", test_look_is_kept);
  g_test_add_func ("/session/edits-preset/removed-inputs-stay-away", test_removed_inputs_stay_away);
  return g_test_run ();
}
