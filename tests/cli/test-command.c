/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study as a command draws what the study draws. */

#include "config.h"

#include <string.h>

#include "attn-cli.h"
#include "attn-cli-options.h"
#include "attn-cli-study.h"
#include "cli-fixture.h"

#define N_RANDOM 100

/* The words of a line as a shell splits them. */
static char **
split (const char *line)
{
  g_autoptr (GError) error = NULL;
  char **words = NULL;

  g_shell_parse_argv (line, NULL, &words, &error);
  g_assert_no_error (error);
  return words;
}

/* The study that the line draws: `attention-grid render PRESET ...`. */
static AttnStudy *
read_line (const char *line)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = split (line);
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  g_autoptr (GArray) entries = attn_cli_options_list_entries (options);
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new (NULL, NULL, NULL, options, NULL);
  AttnStudy *study = attn_presets_load (words[2], &error);

  g_assert_no_error (error);
  g_option_group_add_entries (group, (const GOptionEntry *) entries->data);
  g_option_context_set_main_group (context, group);
  g_option_context_parse_strv (context, &words, &error);
  g_assert_no_error (error);
  attn_cli_study_apply (study, options, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) extra = attn_cli_study_list_extra (study, options);
  g_assert_cmpuint (extra->len, ==, 0);
  return study;
}

static void
assert_says (const char      *line,
             const AttnStudy *study)
{
  const AttnRecord *record = attn_study_get_record ();
  g_autoptr (AttnStudy) drawn = read_line (line);

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];
      g_autofree char *expected = attn_study_write_setting (study, field);
      g_autofree char *found = attn_study_write_setting (drawn, field);

      if (!g_str_equal (field->name, "model.fingerprint") && !g_str_equal (expected, found))
        g_error ("%s: %s found, expected %s, of %s", field->name, found, expected, line);
    }
}

/* Another value for a row: a flag is turned, a number halved, anything else is that of a preset. */
static char *
choose_value (const AttnStudy *study,
              const AttnField *field)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  g_autoptr (AttnStudy) other =
      attn_presets_load (presets[g_test_rand_int_range (0, (gint32) n_presets)].name, NULL);
  g_autofree char *value = attn_study_write_setting (study, field);
  double number = g_ascii_strtod (value, NULL);

  if (g_str_equal (value, "true") || g_str_equal (value, "false"))
    return g_strdup (*value == 't' ? "false" : "true");
  if (number > 0 && field->type == &attn_field_number)
    return g_strdup_printf ("%g", number / 2);
  return attn_study_write_setting (other, field);
}

static void
change (AttnStudy *study)
{
  const AttnRecord *record = attn_study_get_record ();

  for (int n = g_test_rand_int_range (1, 8); n > 0; n--)
    {
      const AttnField *field =
          &record->fields[g_test_rand_int_range (2, (gint32) record->n_fields)];
      g_autoptr (AttnStudy) changed = attn_study_copy (study);
      g_autofree char *value = choose_value (study, field);
      g_autofree char *json = NULL;

      if (!attn_study_read_setting (changed, field, value, NULL))
        continue;
      json = attn_study_to_json (changed);
      g_autoptr (AttnStudy) read = attn_study_from_json ("changed", json, -1, NULL);
      if (read != NULL)
        attn_study_read_setting (study, field, value, NULL);
    }
}

static void
test_random_studies (Fixture       *fixture,
                     gconstpointer  data)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  for (int i = 0; i < N_RANDOM; i++)
    {
      g_autoptr (AttnStudy) study = attn_presets_load (presets[i % (int) n_presets].name, NULL);

      change (study);
      g_autofree char *line = attn_cli_print_command (study);
      assert_says (line, study);
    }
}

/* The bytes that the words of a line and an option more write. */
static GBytes *
draw (Fixture    *fixture,
      const char *line)
{
  g_auto (GStrv) words = split (line);
  g_autoptr (GError) error = NULL;
  g_autofree char *path = fixture_get_path (fixture, "figure.svg");
  guint n = g_strv_length (words);
  char *bytes = NULL;
  gsize n_bytes;

  g_free (words[0]);
  words[0] = g_strdup (fixture_get_program ());
  g_free (words[n - 1]);
  words[n - 1] = g_strdup (path);
  g_autoptr (GSubprocess) process = g_subprocess_newv (
      (const char * const *) words, G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error);
  g_assert_no_error (error);
  g_subprocess_wait_check (process, NULL, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &bytes, &n_bytes, &error);
  g_assert_no_error (error);
  fixture_remove (fixture, "figure.svg");
  return g_bytes_new_take (bytes, n_bytes);
}

/* Each preset, as it is and with what a reader of a paper changes first. */
static void
test_presets_draw_the_same (Fixture       *fixture,
                            gconstpointer  data)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnStudy) study = attn_presets_load (presets[i].name, &error);
      g_autofree char *plain =
          g_strdup_printf ("attention-grid render %s -o figure.svg", presets[i].name);

      g_assert_no_error (error);
      g_autofree char *same = attn_cli_print_command (study);
      g_assert_cmpstr (same, ==, plain);

      study->style.shows_values = !study->style.shows_values;
      study->style.font_size = 7.5;
      study->page.width = 85;
      study->has_baseline_column = attn_study_takes_baseline_column (study);
      g_autofree char *json = attn_study_to_json (study);
      g_autofree char *line = attn_cli_print_command (study);
      g_autofree char *path = fixture_get_path (fixture, "study.json");
      g_autofree char *loaded =
          g_strdup_printf ("attention-grid render '%s' -o figure.svg", path);
      fixture_write_text (fixture, "study.json", json);
      g_autoptr (GBytes) expected = draw (fixture, loaded);
      g_autoptr (GBytes) found = draw (fixture, line);
      g_assert_true (g_bytes_equal (found, expected));
      fixture_remove (fixture, "study.json");
    }
}

/* Words that a researcher would have typed. */
static void
test_words (Fixture       *fixture,
            gconstpointer  data)
{
  static const struct
  {
    const char * const settings[8];
    const char *line;
  } cases[] = {
    { { "layer=2", "head=1", "operation=\"mean\"", "components=[\"key\"]" },
      "attention-grid render single --layer 2 --head 1 --mean key -o figure.svg" },
    { { "operation=\"scale\"", "epsilons=[0.01]", "components=[\"query\"]",
        "style.digits=4" },
      "attention-grid render single --scale query=0.01 --digits 4 -o figure.svg" },
    { { "inputs=[{\"text\":\"it's here\"}]", "components=[\"value\"]", "scope.layers=\"all\"" },
      "attention-grid render single --text 'it'\\''s here' --scale value=0.5 "
      "--scope-layers all -o figure.svg" },
    { { "style.range=\"fixed\"", "style.low=0.25", "style.high=0.75", "style.tick=0.1" },
      "attention-grid render single --range 0.25:0.75 -o figure.svg" },
    { { "regions=[{\"panel\":0,\"name\":\"a\",\"rows\":[0,1],\"columns\":[0,0]}]" },
      "attention-grid render single --set 'regions=[{\"panel\":0,\"name\":\"a\",\"rows\":[0,1],"
      "\"columns\":[0,0]}]' -o figure.svg" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnStudy) study = attn_presets_load ("single", NULL);

      for (gsize k = 0; cases[i].settings[k] != NULL; k++)
        {
          const char *sign = strchr (cases[i].settings[k], '=');
          g_autofree char *name =
              g_strndup (cases[i].settings[k], (gsize) (sign - cases[i].settings[k]));
          g_autoptr (GError) error = NULL;

          attn_study_read_setting (study, attn_study_find_field (name), sign + 1, &error);
          g_assert_no_error (error);
        }
      g_autofree char *line = attn_cli_print_command (study);
      g_assert_cmpstr (line, ==, cases[i].line);
    }
}

/* All pictures between two texts are in the second, and the command says so again; those of one
 * text are of one kind. */
static void
test_pictures_of_a_text (Fixture       *fixture,
                         gconstpointer  data)
{
  static const char line[] = "attention-grid render mean-operation --image=/a.png --image=/b.png "
                             "--text='<image> or <image>?' --pixels=/c.npy --ids=1,2 "
                             "--image=/d.png";
  const gsize n_pictures[] = { 2, 1, 1 };
  g_autoptr (AttnStudy) study = read_line (line);

  g_assert_cmpuint (study->inputs->len, ==, G_N_ELEMENTS (n_pictures));
  for (guint i = 0; i < study->inputs->len; i++)
    g_assert_cmpuint (attn_input_count_pictures (study->inputs->pdata[i]), ==, n_pictures[i]);
  const AttnInput *input = study->inputs->pdata[0];
  g_assert_cmpstr (input->images[0], ==, "/a.png");
  g_assert_cmpstr (input->images[1], ==, "/b.png");
  g_assert_cmpstr (input->text, ==, "<image> or <image>?");
  g_autofree char *printed = attn_cli_print_command (study);
  assert_says (printed, study);
  fixture_fail (2, "--image and --pixels before one text found", "render", "single", "--image",
                "/a.png", "--pixels", "/b.npy", "--text", "a", "-o", "-", NULL);
}

static void
test_bad_settings (Fixture       *fixture,
                   gconstpointer  data)
{
  fixture_fail (2, "expected NAME=JSON", "render", "single", "--set", "digits", "-o", "-", NULL);
  fixture_fail (2, "expected NAME=JSON", "render", "single", "--set", "no=1", "-o", "-", NULL);
  fixture_fail (2, "style.digits", "render", "single", "--set", "style.digits=12", "-o", "-", NULL);
  fixture_fail (2, "style.digits", "render", "single", "--set", "style.digits=[", "-o", "-", NULL);
  fixture_fail (1, "epsilons", "render", "single", "--set", "operation=\"scale\"", "--set",
                "epsilons=[]", "-o", "-", NULL);
}

int
main (int   argc,
      char *argv[])
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/command/words", test_words);
  fixture_add ("/cli/command/random-studies", test_random_studies);
  fixture_add ("/cli/command/presets-draw-the-same", test_presets_draw_the_same);
  fixture_add ("/cli/command/pictures-of-a-text", test_pictures_of_a_text);
  fixture_add ("/cli/command/bad-settings", test_bad_settings);
  return g_test_run ();
}
