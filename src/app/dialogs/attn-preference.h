/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The preferences: what the window of preferences shows and the palette lists. */

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
 * @id: of its control in preferences.ui
 * @key: in the program's settings; of one with two, the first
 * @label: what it is called, with a mnemonic, to be translated
 * @group: below which heading it stands
 * @names: (nullable) (array zero-terminated=1): values of @key, for a list
 * @words: (nullable) (array zero-terminated=1): what they are called, to be translated; those that
 *   have none are called by their names
 * @range: (nullable): applies only to this range of new studies
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
