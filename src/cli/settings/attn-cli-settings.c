/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli-settings.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-error.h"
#include "attn-text.h"

/* Parses the value of --set, NAME=JSON, with the name and the value of a setting as in the file of
 * a study. */
static gboolean
apply_any (AttnStudy   *study,
           const char  *value,
           GError     **error)
{
  const char *sign = strchr (value, '=');
  g_autofree char *name = sign != NULL ? g_strndup (value, sign - value) : NULL;
  const AttnField *field = name != NULL ? attn_study_find_field (name) : NULL;

  if (field == NULL)
    return attn_field_fail (value,
                            _("NAME=JSON with the name of a setting in a study’s file, such as "
                              "style.digits=3"),
                            error);
  g_autoptr (GError) own = NULL;
  if (attn_text_check_utf8 (name, sign + 1, strlen (sign + 1), &own) &&
      attn_study_read_setting (study, field, sign + 1, &own))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT, "%s", own->message);
}

static const AttnCliSetting any_settings[] = {
  { "set", "NAME=JSON",
    N_("Any setting by its name in a study’s file, such as style.digits=3; repeatable"),
    apply_any },
  { NULL },
};

static const AttnCliSetting * const tables[] = {
  any_settings,
  attn_cli_grid_settings,
  attn_cli_groups_settings,
  attn_cli_roles_settings,
  attn_cli_style_settings,
  attn_cli_survey_settings,
};

static const AttnCliSetting *
find (const GArray *settings,
      const char   *name)
{
  for (guint i = 0; i < settings->len; i++)
    if (g_str_equal (g_array_index (settings, AttnCliSetting, i).name, name))
      return &g_array_index (settings, AttnCliSetting, i);
  return NULL;
}

/* Adds the option of a flag and its opposite, such as --words and --no-words. An option that exists
 * already is not added: --caption, the opposite of --no-caption, sets the caption's template. */
static void
add_flag (GArray          *settings,
          const AttnField *field)
{
  gboolean is_off = g_str_has_prefix (field->option, "no-");
  g_autofree char *opposite =
      is_off ? g_strdup (field->option + 3) : g_strconcat ("no-", field->option, NULL);
  const AttnCliSetting both[] = {
    { .name = field->option, .description = field->description, .field = field, .flag = !is_off },
    { .name = g_intern_string (opposite),
      .description = field->description,
      .field = field,
      .flag = is_off,
      .is_hidden = TRUE },
  };

  g_array_append_vals (settings, both, find (settings, opposite) != NULL ? 1 : 2);
}

static void
add_field (GArray          *settings,
           const AttnField *field)
{
  const AttnCliSetting setting = { .name = field->option,
                                   .argument = field->argument,
                                   .description = field->description,
                                   .field = field };

  if (field->description == NULL)
    return;
  if (field->type == &attn_field_flag)
    add_flag (settings, field);
  else
    g_array_append_val (settings, setting);
}

/* Returns all settings of the command line, in the order in which --help lists them. (element-type
 * AttnCliSetting) */
static const GArray *
get_settings (void)
{
  static GArray *settings = NULL; /* never freed */
  const AttnRecord *record = attn_study_get_record ();

  if (settings != NULL)
    return settings;
  settings = g_array_new (FALSE, FALSE, sizeof (AttnCliSetting));
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const AttnCliSetting *setting = tables[i]; setting->name != NULL; setting++)
      g_array_append_vals (settings, setting, 1);
  for (gsize i = 0; i < record->n_fields; i++)
    add_field (settings, &record->fields[i]);
  return settings;
}

/**
 * attn_cli_settings_find:
 * @option: the option as on the command line, such as "--colormap"
 *
 * Returns: (nullable): the setting of that name; %NULL if there is none
 */
const AttnCliSetting *
attn_cli_settings_find (const char *option)
{
  return find (get_settings (), option + strspn (option, "-"));
}

/**
 * attn_cli_setting_get_need:
 *
 * Returns: (nullable): what @study would need for the option to have an effect, see
 *   [func@attn_field_get_need]; %NULL if it has one. An option that sets several fields has an
 *   effect if one of them has
 */
const char *
attn_cli_setting_get_need (const AttnCliSetting *setting,
                           const AttnStudy      *study)
{
  const AttnRecord *record = attn_study_get_record ();
  const char *need = NULL;

  if (setting->field != NULL)
    return attn_field_get_need (setting->field, study);
  if (setting->about != NULL)
    return attn_field_get_need (attn_study_find_field (setting->about), study);
  for (gsize i = 0; i < record->n_fields; i++)
    {
      if (g_strcmp0 (record->fields[i].option, setting->name) != 0)
        continue;
      need = attn_field_get_need (&record->fields[i], study);
      if (need == NULL)
        break;
    }
  return need;
}

/**
 * attn_cli_settings_add_entries:
 * @entries: (element-type GOptionEntry): array to which an option for each setting is added
 * @callback: called with each option that is given and its value
 */
void
attn_cli_settings_add_entries (GArray         *entries,
                               GOptionArgFunc  callback)
{
  const GArray *settings = get_settings ();

  for (guint i = 0; i < settings->len; i++)
    {
      const AttnCliSetting *setting = &g_array_index (settings, AttnCliSetting, i);
      GOptionEntry entry = {
        .long_name = setting->name,
        .flags = (setting->argument != NULL ? G_OPTION_FLAG_FILENAME : G_OPTION_FLAG_NO_ARG) |
                 (setting->is_hidden ? G_OPTION_FLAG_HIDDEN : 0),
        .arg = G_OPTION_ARG_CALLBACK,
        .arg_data = callback,
        .description = setting->description,
        .arg_description = setting->argument,
      };
      g_array_append_val (entries, entry);
    }
}

static gboolean
is_first_use (const GArray *choices,
              guint         index)
{
  const AttnCliChoice *choice = &g_array_index (choices, AttnCliChoice, index);

  for (guint i = 0; i < index; i++)
    if (g_array_index (choices, AttnCliChoice, i).setting == choice->setting)
      return FALSE;
  return TRUE;
}

/**
 * attn_cli_setting_apply:
 * @value: (nullable): value of the option; %NULL for an option without a value
 * @error: return location for %ATTN_ERROR_ARGUMENT; its message does not begin with the option
 */
gboolean
attn_cli_setting_apply (const AttnCliSetting  *setting,
                        AttnStudy             *study,
                        const char            *value,
                        GError               **error)
{
  if (setting->apply != NULL)
    return setting->apply (study, value, error);
  if (setting->argument != NULL)
    return attn_field_parse (setting->field, value, study, error);
  G_STRUCT_MEMBER (gboolean, study, setting->field->offset) = setting->flag;
  return TRUE;
}

/**
 * attn_cli_settings_apply:
 * @choices: (element-type AttnCliChoice): options in the order of the command line
 * @error: return location for the error of the first option that fails; its message begins with the
 *   option
 */
gboolean
attn_cli_settings_apply (const GArray  *choices,
                         AttnStudy     *study,
                         GError       **error)
{
  for (guint i = 0; i < choices->len; i++)
    {
      const AttnCliChoice *choice = &g_array_index (choices, AttnCliChoice, i);

      if (choice->setting->begin != NULL && is_first_use (choices, i))
        choice->setting->begin (study);
      if (!attn_cli_setting_apply (choice->setting, study, choice->value, error))
        {
          g_prefix_error (error, "--%s: ", choice->setting->name);
          return FALSE;
        }
    }
  return TRUE;
}
