/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options that each change one setting of the study: those of the table of fields, and those
 * written by hand in a table for each area. Private to src/cli. */

#pragma once

#include "attn-study-table.h"

G_BEGIN_DECLS

/* "all", in addition to the special values of AttnStudy.layer and AttnStudy.head. */
#define ATTN_CLI_ALL (-3)

/**
 * AttnCliSetting:
 * @name: of the option, without the dashes
 * @argument: (nullable): name of its value in the help; %NULL for an option without a value
 * @description: one line, untranslated: pass it through gettext
 * @apply: (nullable): changes the study; fails with %ATTN_ERROR_ARGUMENT for a value that is wrong
 *   as it stands. It is asked twice: of an empty study while the command line is read, and of the
 *   preset or the file that the figure comes from.
 * @begin: (nullable): changes the study before the first use of the setting does
 * @field: (nullable): the row of the study's table that the option sets, if there is no @apply
 * @about: (nullable): name of a row that the option changes something with, where no row names it
 * @flag: what an option without a value sets
 * @is_hidden: from the help: it is the opposite of the option above it
 */
typedef struct
{
  const char *name;
  const char *argument;
  const char *description;
  gboolean (*apply) (AttnStudy   *study,
                     const char  *value,
                     GError     **error);
  void (*begin) (AttnStudy *study);
  const AttnField *field;
  const char *about;
  gboolean flag;
  gboolean is_hidden;
} AttnCliSetting;

/* (array zero-terminated=1): each array ends with an entry without name. */
extern const AttnCliSetting attn_cli_grid_settings[];
extern const AttnCliSetting attn_cli_groups_settings[];
extern const AttnCliSetting attn_cli_roles_settings[];
extern const AttnCliSetting attn_cli_style_settings[];
extern const AttnCliSetting attn_cli_survey_settings[];

/* A setting that was given on the command line. */
typedef struct
{
  const AttnCliSetting *setting;
  char *value;
} AttnCliChoice;

const AttnCliSetting *attn_cli_settings_find      (const char      *option);
const char           *attn_cli_setting_get_need   (const AttnCliSetting *setting,
                                                   const AttnStudy *study);
void                  attn_cli_settings_add_entries (GArray        *entries,
                                                   GOptionArgFunc   callback);
gboolean              attn_cli_setting_apply      (const AttnCliSetting *setting,
                                                   AttnStudy       *study,
                                                   const char      *value,
                                                   GError         **error);
gboolean              attn_cli_settings_apply     (const GArray    *choices,
                                                   AttnStudy       *study,
                                                   GError         **error);

G_END_DECLS
