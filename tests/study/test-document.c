/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The document and its JSON. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-study-table.h"

/* A study in which nothing has the value of a new one. */
static AttnStudy *
new_full_study (void)
{
  AttnStudy *study = attn_study_new ();
  const guint32 ids[] = { 2, 17, G_MAXUINT32 };
  const double epsilons[] = { 0.1, 1e-10, 1e3 };
  AttnIntervention *extra =
      attn_intervention_new_scale (ATTN_COMPONENT_KEY, 0.3, ATTN_SITE_ROTATED);

  extra->heads = attn_index_set_new_range (1, 2);
  study->preset = g_strdup ("epsilon");
  study->model.path = g_strdup ("/models/é \"quoted\"");
  study->model.adapter = g_strdup ("../an adapter");
  study->model.array = g_strdup ("scores: “0”");
  study->model.header = ATTN_TABLE_HEADER_COLUMN;
  study->model.fingerprint = g_strdup ("abc");
  g_ptr_array_add (study->inputs, attn_input_new_text ("A rose\nis a 玫瑰 \\ {", 7));
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, G_N_ELEMENTS (ids), 2));
  study->adds_special_tokens = FALSE;
  study->layer = 3;
  study->head = ATTN_HEAD_MEAN;
  study->rows = ATTN_DIMENSION_EPSILON;
  study->columns = ATTN_DIMENSION_INPUT;
  study->operation = ATTN_OPERATION_SCALE;
  study->components[ATTN_COMPONENT_KEY] = TRUE;
  study->axis = ATTN_AXIS_HEAD;
  study->site = ATTN_SITE_NORMED;
  g_array_append_vals (study->epsilons, epsilons, G_N_ELEMENTS (epsilons));
  study->acts_on_shown_layer = FALSE;
  study->scope_layers = attn_index_set_new_range (0, 4);
  study->scope_heads = attn_index_set_new_range (1, 1);
  study->scope_tokens = attn_index_set_new_range (2, 5);
  study->patch_input = 3;
  study->patch_pairs = attn_pairs_parse ("2=3,5-6=7-8", NULL);
  study->cut_keys = attn_index_set_new_range (0, 1);
  g_ptr_array_add (study->extra_interventions, extra);
  g_ptr_array_add (study->extra_interventions,
                   attn_intervention_new_mean (ATTN_COMPONENT_VALUE, ATTN_AXIS_TOKEN,
                                               ATTN_SITE_PROJECTION));
  study->title = g_strdup ("<i>{component}</i>");
  study->caption = g_strdup ("{components}");
  study->style.colormap = ATTN_COLORMAP_BLUES;
  study->style.low = -0.1;
  study->style.high = 1.0 / 3;
  study->style.tick = 0.05;
  study->style.font_family = g_intern_string ("Serif");
  study->style.font_size = 11.5;
  study->style.n_digits = 4;
  study->style.foreground = (AttnRgb) { 1, 2, 255 };
  study->style.background = (AttnRgb) { 254, 0, 3 };
  study->style.has_background = TRUE;
  study->style.shows_titles = FALSE;
  study->style.shows_values = FALSE;
  return study;
}

static AttnStudy *
parse (const char *json)
{
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_study_from_json ("f.json", json, -1, &error);

  g_assert_no_error (error);
  return study;
}

static void
test_round_trip (void)
{
  g_autoptr (AttnStudy) study = new_full_study ();
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) copy = parse (json);
  g_autofree char *again = attn_study_to_json (copy);

  g_assert_true (attn_study_equal (study, copy));
  g_assert_cmpstr (json, ==, again);
}

static void
test_new_round_trip (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_ptr_array_add (study->inputs, attn_input_new_text ("", 0));
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) copy = parse (json);

  g_assert_true (attn_study_equal (study, copy));
  g_assert_cmpint (copy->layer, ==, ATTN_LAYER_STRONGEST_SINK);
  g_assert_cmpint (copy->head, ==, ATTN_HEAD_STRONGEST_SINK);
}

/* Scope in heads: the one on display is a word, beside all and a list. */
static void
test_scope_of_shown_head (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();

  g_ptr_array_add (study->inputs, attn_input_new_text ("a", 0));
  study->acts_on_shown_head = TRUE;
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) copy = parse (json);
  g_assert_nonnull (strstr (json, "\"heads\": \"shown\""));
  g_assert_true (copy->acts_on_shown_head);
  g_assert_true (attn_study_equal (study, copy));
}

static void
test_paths_that_are_not_utf8 (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();

  g_ptr_array_add (study->inputs, attn_input_new_text ("a", 0));
  study->model.path = g_strdup ("/models/caf\xe9");
  AttnModelReference *other = attn_model_reference_new ("../caf\xe8", NULL);
  other->adapter = g_strdup ("/adapters/caf\xe9");
  other->array = g_strdup ("b");
  other->header = ATTN_TABLE_HEADER_ROW;
  g_ptr_array_add (study->other_models, other);
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) loaded = parse (json);
  g_assert_true (attn_study_equal (study, loaded));
}

static void
test_missing_members_are_new (void)
{
  g_autoptr (AttnStudy) study = parse ("{\"version\": 1, \"inputs\": [{\"text\": \"a\"}]}");
  g_autoptr (AttnStudy) expected = attn_study_new ();
  g_ptr_array_add (expected->inputs, attn_input_new_text ("a", 0));

  g_assert_true (attn_study_equal (study, expected));
}

static void
test_file (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("attn-study-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *path = g_build_filename (directory, "study.json", NULL);
  g_autoptr (AttnStudy) study = new_full_study ();

  g_assert_true (attn_study_save (study, path, &error));
  g_autoptr (AttnStudy) loaded = attn_study_load (path, &error);
  g_assert_no_error (error);
  g_assert_true (attn_study_equal (study, loaded));

  g_unlink (path);
  g_assert_null (attn_study_load (path, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

/* A change of any one member is a change. */
static void
test_equal_sees_every_member (void)
{
  g_autoptr (AttnStudy) study = new_full_study ();
  g_autofree char *json = attn_study_to_json (study);
  const struct
  {
    const char *from;
    const char *to;
  } changes[] = {
    { "\"epsilon\",\n  \"model\"", "\"mean-operation\",\n  \"model\"" },
    { "\"abc\"", "\"abd\"" },
    { "/models", "/model" },
    { "rose", "nose" },
    { "\"tokens\": 7", "\"tokens\": 8" },
    { "17,", "18," },
    { "\"special-tokens\": false", "\"special-tokens\": true" },
    { "\"layer\": 3", "\"layer\": 4" },
    { "\"head\": \"mean\"", "\"head\": 2" },
    { "\"rows\": \"epsilon\"", "\"rows\": \"none\"" },
    { "\"columns\": \"input\"", "\"columns\": \"component\"" },
    { "\"axis\": \"head\"", "\"axis\": \"token\"" },
    { "\"site\": \"normed\"", "\"site\": \"rotated\"" },
    { "\"1-2\"", "\"1-3\"" },
    { "\"0-4\"", "\"shown\"" },
    { "\"2-5\"", "\"all\"" },
    { "{components}", "{component}" },
    { "\"title\": \"<i>", "\"title\": \"<b>" },
    { "\"Blues\"", "\"gray\"" },
    { "\"Serif\"", "\"Sans\"" },
    { "#0102ff", "#0102fe" },
    { "\"shows-values\": false", "\"shows-values\": true" },
    { "\"has-background\": true", "\"has-background\": false" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (GString) changed = g_string_new (json);

      if (g_string_replace (changed, changes[i].from, changes[i].to, 1) != 1)
        g_error ("%s not found in %s", changes[i].from, json);
      g_autoptr (AttnStudy) other = parse (changed->str);
      g_assert_false (attn_study_equal (study, other));
    }
}

static void
test_copy_shares_nothing (void)
{
  g_autoptr (AttnStudy) study = new_full_study ();
  g_autoptr (AttnStudy) copy = attn_study_copy (study);
  g_autoptr (AttnStudy) reference = new_full_study ();

  g_assert_true (attn_study_equal (study, copy));
  g_ptr_array_set_size (copy->inputs, 1);
  g_array_index (copy->epsilons, double, 0) = 0.7;
  g_ptr_array_set_size (copy->extra_interventions, 0);
  copy->title[0] = 'x';
  g_assert_true (attn_study_equal (study, reference));
  g_assert_false (attn_study_equal (study, copy));
}

/* Panels that do not show the same part. */
/* What differs of the style is taken: nothing that is the same, and no other member. */
static void
test_changes_are_taken (void)
{
  const AttnRecord *record = attn_study_get_record ();
  g_autoptr (AttnStudy) origin = attn_study_new ();
  g_autoptr (AttnStudy) changed = attn_study_copy (origin);
  g_autoptr (AttnStudy) study = new_full_study ();

  changed->layer = 5;
  changed->style.font_size = 7;
  changed->style.shows_tokens = FALSE;
  changed->style.has_masked_color = TRUE;
  changed->style.masked_color = (AttnRgb) { 9, 8, 7 };
  attn_record_take_changes (record, "style.", study, changed, origin);
  g_assert_cmpint (study->layer, ==, 3);
  g_assert_cmpfloat (study->style.font_size, ==, 7);
  g_assert_false (study->style.shows_tokens);
  g_assert_true (study->style.has_masked_color);
  g_assert_cmpuint (study->style.masked_color.green, ==, 8);
  g_assert_cmpint (study->style.colormap, ==, ATTN_COLORMAP_BLUES);
  g_assert_cmpstr (study->style.font_family, ==, "Serif");
  g_assert_false (study->style.shows_titles);

  /* Without an origin, all that is named is a change. */
  attn_record_take_changes (record, "style.font", study, changed, NULL);
  g_assert_cmpstr (study->style.font_family, ==, origin->style.font_family);
  g_assert_cmpint (study->style.colormap, ==, ATTN_COLORMAP_BLUES);
}

static void
test_views (void)
{
  g_autoptr (AttnStudy) study = attn_study_new ();
  const AttnViewport parts[] = { { 0, 0, 1, 1 }, { 0.5, 0.25, 0.5, 0.125 } };

  g_ptr_array_add (study->inputs, attn_input_new_text ("a", 0));
  g_autofree char *without = attn_study_to_json (study);
  g_assert_null (strstr (without, "views"));

  study->views = g_array_new (FALSE, FALSE, sizeof (AttnViewport));
  g_array_append_vals (study->views, parts, G_N_ELEMENTS (parts));
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) loaded = parse (json);
  g_assert_true (attn_study_equal (study, loaded));
  g_array_index (loaded->views, AttnViewport, 1).width = 0.25;
  g_assert_false (attn_study_equal (study, loaded));
}

/* A recording brings its own. */
static void
test_recording_without_inputs (void)
{
  g_autoptr (AttnStudy) study =
      parse ("{\"version\": 1, \"model\": {\"path\": \"/data/attention.npy\"}}");
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) again = parse (json);

  g_assert_cmpuint (study->inputs->len, ==, 1);
  g_assert_true (attn_study_equal (study, again));
}

/* A pipe that nobody writes to would never open. */
static void
test_reading_opens_no_model (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-document-XXXXXX", NULL);
  g_autofree char *pipe = g_build_filename (directory, "model.safetensors", NULL);
  g_autofree char *config = g_build_filename (directory, "config.json", NULL);
  g_autofree char *json =
      g_strdup_printf ("{\"version\": 1, \"model\": {\"path\": \"%s\"}}", pipe);

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_true (g_file_set_contents (config, "{}", -1, NULL));
  alarm (20);
  g_autoptr (AttnStudy) study = parse (json);
  alarm (0);
  g_assert_cmpuint (study->inputs->len, ==, 1);
  g_unlink (pipe);
  g_unlink (config);
  g_rmdir (directory);
}

#define STUDY(members) "{\"version\": 1, \"inputs\": [{\"text\": \"a\"}], " members "}"

/* Each is refused with a message that begins with the file and names the member. */
static const struct
{
  const char *json;
  const char *named;
} refused[] = {
  { "", "f.json" },
  { "[]", "f.json" },
  { "{\"version\": 1", "f.json" },
  { "{\"inputs\": [{\"text\": \"a\"}]}", "version" },
  { "{\"version\": 2, \"inputs\": [{\"text\": \"a\"}]}", "version 2" },
  { "{\"version\": \"1\", \"inputs\": []}", "version" },
  { "{\"version\": 1}", "inputs" },
  { "{\"version\": 1, \"inputs\": []}", "inputs" },
  { "{\"version\": 1, \"model\": {\"path\": \"/models/gpt2\"}}", "inputs" },
  { STUDY ("\"views\": [0, 0, 1, 1]"), "views" },
  { STUDY ("\"views\": [[0, 0, 1]]"), "views" },
  { STUDY ("\"views\": [[0, 0, 0, 1]]"), "views" },
  { "{\"version\": 1, \"inputs\": [\"a\"]}", "inputs" },
  { "{\"version\": 1, \"inputs\": [{}]}", "text" },
  { "{\"version\": 1, \"inputs\": [{\"text\": \"a\", \"ids\": [1]}]}", "ids" },
  { "{\"version\": 1, \"inputs\": [{\"ids\": [1, -1]}]}", "ids" },
  { "{\"version\": 1, \"inputs\": [{\"ids\": [4294967296]}]}", "ids" },
  { "{\"version\": 1, \"inputs\": [{\"text\": 1}]}", "text" },
  { "{\"version\": 1, \"inputs\": [{\"text\": \"a\", \"tokens\": -1}]}", "tokens" },
  { "{\"version\": 1, \"inputs\": [{\"text\": \"a\", \"length\": 1}]}", "length" },
  { STUDY ("\"epsilon\": [0.5]"), "epsilon" },
  { STUDY ("\"preset\": 1"), "preset" },
  { STUDY ("\"model\": \"x\""), "model" },
  { STUDY ("\"model\": {\"name\": \"x\"}"), "name" },
  { STUDY ("\"special-tokens\": \"on\""), "special-tokens" },
  { STUDY ("\"layer\": -1"), "layer" },
  { STUDY ("\"layer\": 1.5"), "layer" },
  { STUDY ("\"layer\": \"mean\""), "layer" },
  { STUDY ("\"head\": \"all\""), "head" },
  { STUDY ("\"rows\": \"inputs\""), "rows" },
  { STUDY ("\"columns\": 1"), "columns" },
  { STUDY ("\"rows\": \"input\", \"columns\": \"input\""), "input" },
  { STUDY ("\"operation\": \"median\""), "operation" },
  { STUDY ("\"operation\": \"scale\""), "epsilons" },
  { STUDY ("\"components\": [\"output\"]"), "components" },
  { STUDY ("\"components\": [null]"), "components" },
  { STUDY ("\"components\": \"query\""), "components" },
  { STUDY ("\"axis\": \"tokens\""), "axis" },
  { STUDY ("\"site\": \"output\""), "site" },
  { STUDY ("\"epsilons\": [1e-13]"), "epsilons" },
  { STUDY ("\"epsilons\": [1e999]"), "epsilons" },
  { STUDY ("\"epsilons\": [\"1\"]"), "epsilons" },
  { STUDY ("\"scope\": {\"layers\": \"4-2\"}"), "layers" },
  { STUDY ("\"scope\": {\"heads\": \"hidden\"}"), "heads" },
  { STUDY ("\"scope\": {\"layer\": \"1\"}"), "layer" },
  { STUDY ("\"extra-interventions\": [{\"component\": \"key\"}]"), "operation" },
  { STUDY (
        "\"extra-interventions\": [{\"component\": \"key\", \"operation\": \"scale\", \"factor\": "
        "0}]"),
    "factor" },
  { STUDY (
        "\"extra-interventions\": [{\"component\": \"key\", \"operation\": \"scale\", \"epsilon\": "
        "1}]"),
    "epsilon" },
  { STUDY ("\"title\": []"), "title" },
  { STUDY ("\"style\": {\"colormap\": \"jet\"}"), "colormap" },
  { STUDY ("\"style\": {\"low\": 1, \"high\": 0}"), "low" },
  { STUDY ("\"style\": {\"high\": 1e999}"), "high" },
  { STUDY ("\"style\": {\"tick\": 0}"), "tick" },
  { STUDY ("\"style\": {\"tick\": 1e-9}"), "tick" },
  { STUDY ("\"style\": {\"digits\": 0}"), "digits" },
  { STUDY ("\"style\": {\"foreground\": \"red\"}"), "foreground" },
  { STUDY ("\"style\": {\"background\": \"#12345\"}"), "background" },
  { STUDY ("\"style\": {\"font-size\": 1000}"), "font-size" },
  { STUDY ("\"style\": {\"colour\": 1}"), "colour" },
};

static void
test_refused (gconstpointer data)
{
  gsize index = GPOINTER_TO_SIZE (data);
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_study_from_json ("f.json", refused[index].json, -1, &error);

  g_test_message ("%s", refused[index].json);
  g_assert_null (study);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, "f.json"));
  g_assert_nonnull (strstr (error->message, refused[index].named));
}

static void
test_unknown_version_code (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_study_from_json ("f.json", "{\"version\": 7, \"future\": 1}", -1, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "version 7"));
}

/* A study cut anywhere is an error, never a crash or a study. */
static void
test_truncated (void)
{
  g_autoptr (AttnStudy) study = new_full_study ();
  g_autofree char *json = attn_study_to_json (study);

  for (gsize length = 0; length + 2 < strlen (json); length++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_study_from_json ("f.json", json, length, &error));
      g_assert_nonnull (error);
    }
}

static void
test_ids (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnInput) input = attn_input_parse_ids (" 2, 17,4294967295", &error);
  const char *bad[] = { "", "1,", "a", "1,a", "-1", "4294967296", "1 2", "1.0", "0x1" };

  g_assert_no_error (error);
  g_assert_cmpuint (input->n_ids, ==, 3);
  g_assert_cmpuint (input->ids[1], ==, 17);
  g_assert_cmpuint (input->ids[2], ==, G_MAXUINT32);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_null (attn_input_parse_ids (bad[i], &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_clear_error (&error);
    }
}

/* What is refused when it is loaded is not saved, either. */
static void
test_size_is_limited (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-document-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "study.json", NULL);
  g_autofree char *text = g_strnfill (ATTN_STUDY_MAX_BYTES, 'a');
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (study->inputs, attn_input_new_text ("A rose", 5));
  g_assert_true (attn_study_save (study, path, NULL));
  g_ptr_array_add (study->inputs, attn_input_new_text (text, 5));
  g_assert_false (attn_study_save (study, path, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_clear_error (&error);
  g_autoptr (AttnStudy) old = attn_study_load (path, NULL);
  g_assert_nonnull (old);
  g_assert_cmpint (truncate (path, (off_t) ATTN_STUDY_MAX_BYTES + 1), ==, 0);
  g_assert_null (attn_study_load (path, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_unlink (path);
  g_rmdir (directory);
}

static AttnStudy *
read_nested (guint    depth,
             gsize    n_spaces,
             GError **error)
{
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", NULL);
  g_autofree char *json = attn_study_to_json (study);
  g_autofree char *spaces = g_strnfill (n_spaces, ' ');
  g_autofree char *escaped = g_markup_escape_text (json, -1);
  g_autoptr (GString) svg = g_string_new ("<svg>");

  for (guint i = 0; i < depth; i++)
    g_string_append (svg, "<g>");
  for (guint i = 0; i < depth; i++)
    g_string_append (svg, "</g>");
  g_string_append_printf (svg, "<metadata>{\"study\":%s%s}</metadata></svg>", escaped, spaces);
  return attn_study_from_svg ("a.svg", svg->str, svg->len, error);
}

static void
test_svg_is_limited (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = read_nested (50, 0, &error);

  g_assert_no_error (error);
  g_assert_nonnull (study);
  g_assert_null (read_nested (100000, 0, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_clear_error (&error);
  g_assert_null (read_nested (0, ATTN_STUDY_MAX_BYTES, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/document/round-trip", test_round_trip);
  g_test_add_func ("/study/document/new-round-trip", test_new_round_trip);
  g_test_add_func ("/study/document/scope-of-shown-head", test_scope_of_shown_head);
  g_test_add_func ("/study/document/views", test_views);
  g_test_add_func ("/study/document/recording-without-inputs", test_recording_without_inputs);
  g_test_add_func ("/study/document/paths-that-are-not-utf8", test_paths_that_are_not_utf8);
  g_test_add_func ("/study/document/reading-opens-no-model", test_reading_opens_no_model);
  g_test_add_func ("/study/document/missing-members-are-those-of-a-new-study",
                   test_missing_members_are_new);
  g_test_add_func ("/study/document/file", test_file);
  g_test_add_func ("/study/document/equal-sees-every-member", test_equal_sees_every_member);
  g_test_add_func ("/study/document/copy-shares-nothing", test_copy_shares_nothing);
  g_test_add_func ("/study/document/changes-are-taken", test_changes_are_taken);
  g_test_add_func ("/study/document/unknown-version-is-unsupported", test_unknown_version_code);
  g_test_add_func ("/study/document/truncated", test_truncated);
  g_test_add_func ("/study/document/ids", test_ids);
  g_test_add_func ("/study/document/size-is-limited", test_size_is_limited);
  g_test_add_func ("/study/document/svg-is-limited", test_svg_is_limited);
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *name = g_strdup_printf ("/study/document/refused/%" G_GSIZE_FORMAT, i);
      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_refused);
    }
  return g_test_run ();
}
