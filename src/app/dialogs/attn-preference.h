/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of the user's preferences, which the window of preferences shows and the palette
 * lists. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  ATTN_PREFERENCE_NEW_STUDIES,
  ATTN_PREFERENCE_COMPUTATION,
  ATTN_PREFERENCE_APPEARANCE,
  ATTN_PREFERENCE_N_GROUPS,
} AttnPreferenceGroup;

/**
 * AttnPreference:
 * @id: id of the preference's control in preferences.ui
 * @key: key in the settings of the program; the first one of a preference that has two
 * @label: name of the preference, with a mnemonic, to be translated
 * @group: the group, which has a heading in the window
 * @names: (nullable) (array zero-terminated=1): the values of @key to choose from; %NULL if there
 *   is no list of them
 * @words: (nullable) (array zero-terminated=1): the words for @names, to be translated; values
 *   beyond the last of these are shown by their names
 * @range: (nullable): the choice of the range of new studies with which alone this preference has
 *   an effect
 */
typedef struct
{
  const char *id;
  const char *key;
  const char *label;
  AttnPreferenceGroup group;
  const char * const *names;
  const char * const *words;
  const char *range;
} AttnPreference;

const AttnPreference *attn_preference_list          (gsize                *n_preferences);
const AttnPreference *attn_preference_find          (const char           *id);
const char           *attn_preference_get_heading   (AttnPreferenceGroup   group);
const char           *attn_preference_get_word      (const AttnPreference *preference,
                                                     guint                 index);
gboolean              attn_preference_applies       (const AttnPreference *preference,
                                                     GSettings            *settings);
guint                 attn_preference_get_chosen    (const AttnPreference *preference,
                                                     GSettings            *settings);
void                  attn_preference_choose        (const AttnPreference *preference,
                                                     GSettings            *settings,
                                                     guint                 index);

G_END_DECLS
