/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options that change one setting of the study each. Most are made from the table of the study's
 * fields, of which each row is a setting; others are written by hand in the tables below, one for
 * each area of settings. Private to src/cli. */

#pragma once

#include "attn-study-table.h"

G_BEGIN_DECLS

/* The number that stands for the value "all" of AttnStudy.layer and AttnStudy.head on the command
 * line, in addition to their special values. */
#define ATTN_CLI_ALL (-3)

/**
 * AttnCliSetting:
 * @name: name of the option, without the dashes
 * @argument: (nullable): name of its value in the help; %NULL for an option without a value
 * @description: line for the help, not translated yet
 * @apply: (nullable): changes the study; fails with %ATTN_ERROR_ARGUMENT for a value that is wrong
 *   as it stands. It is called twice: with an empty study while the command line is read, then with
 *   the study of the preset or file.
 * @begin: (nullable): called before the first use of a repeatable option, to remove the values of
 *   the preset or file
 * @field: (nullable): the field of the study that the option sets, if there is no @apply
 * @about: (nullable): name of the field that the option changes, if no field in the table names the
 *   option
 * @flag: the value that an option without a value gives to @field
 * @is_hidden: whether the help leaves it out, since it is the opposite of the option above it
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

/* (array zero-terminated=1): options by the area of their settings; each array ends with an entry
 * without name. */
extern const AttnCliSetting attn_cli_grid_settings[];
extern const AttnCliSetting attn_cli_groups_settings[];
extern const AttnCliSetting attn_cli_roles_settings[];
extern const AttnCliSetting attn_cli_style_settings[];
extern const AttnCliSetting attn_cli_survey_settings[];

/* An option that was given on the command line, with its value. */
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
