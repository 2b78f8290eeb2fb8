/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli-settings.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-error.h"

/* In the order in which --help lists them. */
static const AttnCliSetting * const tables[] = {
  attn_cli_grid_settings,
  attn_cli_groups_settings,
  attn_cli_roles_settings,
  attn_cli_style_settings,
};

/**
 * attn_cli_settings_find:
 * @option: as it stood on the command line, "--colormap"
 *
 * Returns: (nullable): the setting of that name
 */
const AttnCliSetting *
attn_cli_settings_find (const char *option)
{
  const char *name = option + strspn (option, "-");

  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const AttnCliSetting *setting = tables[i]; setting->name != NULL; setting++)
      if (g_str_equal (setting->name, name))
        return setting;
  return NULL;
}

/**
 * attn_cli_settings_add_entries:
 * @entries: (element-type GOptionEntry): where to add an option for each setting
 * @callback: takes the option and its value
 */
void
attn_cli_settings_add_entries (GArray         *entries,
                               GOptionArgFunc  callback)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const AttnCliSetting *setting = tables[i]; setting->name != NULL; setting++)
      {
        GOptionEntry entry = {
          .long_name = setting->name,
          .flags = setting->argument != NULL ? G_OPTION_FLAG_FILENAME : G_OPTION_FLAG_NO_ARG,
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
 * attn_cli_settings_apply:
 * @choices: (element-type AttnCliChoice): what stood on the command line, in order
 * @error: return location for the error of the first that fails, with its option in front
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
      if (!choice->setting->apply (study, choice->value, error))
        {
          g_prefix_error (error, "--%s: ", choice->setting->name);
          return FALSE;
        }
    }
  return TRUE;
}

/**
 * attn_cli_settings_fail:
 * @value: what was found
 * @expected: what should have been there, translated
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: %FALSE
 */
gboolean
attn_cli_settings_fail (const char  *value,
                        const char  *expected,
                        GError     **error)
{
  g_autofree char *display = g_filename_display_name (value);

  g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT, _("“%s” found, expected %s"), display,
               expected);
  return FALSE;
}
