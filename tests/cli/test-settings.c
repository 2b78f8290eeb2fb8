/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every row of the table of settings has an option, a line in the manual and a place in a file. */

#include "config.h"

#include <string.h>

#include "attn-cli-options.h"
#include "attn-cli-settings.h"
#include "cli-fixture.h"

/* What only the program itself writes, and what is drawn or framed with the mouse. */
static const char * const without_option[] = { "version", "preset", "model.fingerprint", "figure",
                                               "view", "views", NULL };

static gboolean
has_entry (const char *option)
{
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  g_autoptr (GArray) entries = attn_cli_options_list_entries (options);

  for (guint i = 0; i < entries->len; i++)
    if (g_str_equal (g_array_index (entries, GOptionEntry, i).long_name, option))
      return TRUE;
  return FALSE;
}

/* As the manual writes it: "\-\-range\-scope". */
static gboolean
is_in_manual (const char *manual,
              const char *option)
{
  g_autoptr (GString) escaped = g_string_new ("--");
  const char *place = manual;

  g_string_append (escaped, option);
  g_string_replace (escaped, "-", "\\-", 0);
  while ((place = strstr (place, escaped->str)) != NULL)
    {
      place += escaped->len;
      if (*place != '\\' && !g_ascii_isalnum (*place))
        return TRUE;
    }
  return FALSE;
}

static void
test_options (Fixture       *fixture,
              gconstpointer  data)
{
  const AttnRecord *record = attn_study_get_record ();
  g_autofree char *page =
      g_test_build_filename (G_TEST_DIST, "..", "data", "attention-grid.1", NULL);
  g_autofree char *manual = fixture_read_text (page);

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];

      g_test_message ("%s", field->name);
      g_assert_true ((field->option != NULL) != g_strv_contains (without_option, field->name));
      if (field->option == NULL)
        continue;
      g_assert_true (has_entry (field->option));
      g_assert_true (is_in_manual (manual, field->option));
    }
}

/* A flag is switched on and off again; --caption, which is another option, is the one exception. */
static void
test_opposites (Fixture       *fixture,
                gconstpointer  data)
{
  const AttnRecord *record = attn_study_get_record ();

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];
      g_autoptr (AttnStudy) study = attn_study_new ();

      if (field->type != &attn_field_flag || field->description == NULL)
        continue;
      gboolean is_off = g_str_has_prefix (field->option, "no-");
      g_autofree char *opposite =
          is_off ? g_strdup (field->option + 3) : g_strconcat ("no-", field->option, NULL);
      const char *names[] = { field->option, opposite };
      for (gsize k = 0; k < (g_str_equal (opposite, "caption") ? 1 : 2); k++)
        {
          const AttnCliSetting *setting = attn_cli_settings_find (names[k]);

          g_assert_nonnull (setting);
          g_assert_true (attn_cli_setting_apply (setting, study, NULL, NULL));
          g_assert_cmpint (G_STRUCT_MEMBER (gboolean, study, field->offset), ==,
                           (k == 0) != is_off);
        }
    }
}

/* Each row alone, changed by its option, is read back from the file. */
static void
test_files (Fixture       *fixture,
            gconstpointer  data)
{
  static const struct
  {
    const char *option;
    const char *value;
  } choices[] = {
    { "header", "row" },
    { "axis", "token" },
    { "site", "rotated" },
    { "scope-layers", "1-2" },
    { "scope-heads", "0" },
    { "scope-tokens", "3,5" },
    { "layers", "0,2-4" },
    { "heads", "1" },
    { "axes", "token,head" },
    { "sites", "normed" },
    { "differences", "0,3" },
    { "queries", "4-7" },
    { "value-label", "AUC" },
    { "colormap", "magma" },
    { "font", "Serif" },
    { "font-size", "11.5" },
    { "digits", "4" },
    { "foreground", "#010203" },
    { "background", "#fefdfc" },
    { "range-scope", "row" },
    { "clip", "2.5" },
    { "masked-color", "#abcdef" },
    { "resolution", "72" },
    { "path-cells", "7" },
    { "words", NULL },
    { "renormalise", NULL },
    { "count-sink", NULL },
    { "reversed", NULL },
    { "has-background", NULL },
    { "no-titles", NULL },
    { "no-caption", NULL },
    { "no-colorbar", NULL },
    { "no-tokens", NULL },
    { "no-values", NULL },
    { "no-marks-overflow", NULL },
    { "key", NULL },
    { "token-positions", NULL },
    { "outlines", NULL },
    { "cell-titles", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnStudy) plain = attn_study_new ();

      g_test_message ("%s", choices[i].option);
      g_ptr_array_add (plain->inputs, attn_input_new_text ("A rose", 0));
      g_autoptr (AttnStudy) study = attn_study_copy (plain);
      g_assert_true (attn_cli_setting_apply (attn_cli_settings_find (choices[i].option), study,
                                             choices[i].value, &error));
      g_assert_no_error (error);
      g_assert_false (attn_study_equal (study, plain));

      g_autofree char *json = attn_study_to_json (study);
      g_autoptr (AttnStudy) read = attn_study_from_json ("study", json, -1, &error);
      g_assert_no_error (error);
      g_assert_true (attn_study_equal (study, read));
    }
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/settings/options", test_options);
  fixture_add ("/cli/settings/opposites", test_opposites);
  fixture_add ("/cli/settings/files", test_files);
  return g_test_run ();
}
