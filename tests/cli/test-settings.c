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

/* Values that some option takes each. */
static const char * const values[] = { "3,5", "all", "last", "AUC", "#010203", "magma", "Serif",
                                       "0.25", "2.5", "7", "72", "4097", NULL };

/* Returns the study with the row's option set to a value that changes it, or NULL. */
static AttnStudy *
change (const AttnField *field,
        const AttnStudy *plain)
{
  gboolean is_flag = field->type == &attn_field_flag;
  g_autofree char *opposite = is_flag && g_str_has_prefix (field->option, "no-")
                                  ? g_strdup (field->option + 3)
                                  : g_strconcat ("no-", field->option, NULL);
  const char * const options[] = { field->option, opposite, NULL };
  const char * const * const lists[] = { is_flag ? options : values, field->names };

  for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
    for (gsize i = 0; lists[k] != NULL && lists[k][i] != NULL; i++)
      {
        const char *option = is_flag ? lists[k][i] : field->option;
        g_autoptr (AttnStudy) study = attn_study_copy (plain);

        if (attn_cli_setting_apply (attn_cli_settings_find (option), study,
                                    is_flag ? NULL : lists[k][i], NULL) &&
            !attn_study_equal (study, plain) && attn_study_check (study, NULL))
          return g_steal_pointer (&study);
      }
  return NULL;
}

/* Tells whether the changed row is read back. @has_effect: (out): whether the figure has it */
static gboolean
is_kept (const AttnField *field,
         AttnFigureKind   figure,
         gboolean        *has_effect)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) plain = attn_study_new ();

  plain->figure = figure;
  g_ptr_array_add (plain->inputs, attn_input_new_text ("A rose", 0));
  g_autoptr (AttnStudy) study = change (field, plain);
  g_assert_nonnull (study);
  *has_effect = field->needs == NULL || field->needs (study) == NULL;
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) read = attn_study_from_json ("study", json, -1, &error);
  g_assert_no_error (error);
  return attn_study_equal (study, read);
}

/* Each row alone, changed by its option, is read back from the file of each figure that has it. */
static void
test_files (Fixture       *fixture,
            gconstpointer  data)
{
  const AttnRecord *record = attn_study_get_record ();

  for (gsize i = 0; i < record->n_fields; i++)
    {
      const AttnField *field = &record->fields[i];
      guint n_kept = 0;

      if (field->description == NULL)
        continue;
      g_test_message ("%s", field->name);
      for (AttnFigureKind figure = 0; figure < ATTN_N_FIGURES; figure++)
        {
          gboolean has_effect;
          gboolean kept = is_kept (field, figure, &has_effect);

          g_assert_true (kept || !has_effect);
          n_kept += kept;
        }
      g_assert_cmpuint (n_kept, >, 0);
    }
}

/* The style and the page of a new study are those that figures have without a study. */
static void
test_defaults (Fixture       *fixture,
               gconstpointer  data)
{
  g_autoptr (AttnStudy) plain = attn_study_new ();
  g_autoptr (AttnStudy) study = attn_study_copy (plain);

  study->style = attn_style_default ();
  study->page = attn_export_options_default (ATTN_EXPORT_SVG);
  g_assert_true (attn_study_equal (study, plain));
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/settings/options", test_options);
  fixture_add ("/cli/settings/opposites", test_opposites);
  fixture_add ("/cli/settings/files", test_files);
  fixture_add ("/cli/settings/defaults", test_defaults);
  return g_test_run ();
}
