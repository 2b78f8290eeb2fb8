/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-preference.h"

#include <glib/gi18n.h>

#include "attn-colormap.h"

#define FIXED "fixed"

/* Values of the preference for the colour map: "" for the map of the preset; need_colormaps() adds
 * the names of all maps. */
static const char *colormap_names[ATTN_N_COLORMAPS + 2] = { "" };

static const char * const colormap_words[] = { N_("Preset default"), NULL };
static const char * const range_names[] = { "preset", FIXED, "data", "clipped", NULL };
static const char * const range_words[] = { N_("Preset default"), N_("Fixed"), N_("Of the data"),
                                            N_("Clipped"), NULL };
static const char * const scheme_names[] = { "system", "light", "dark", NULL };
static const char * const scheme_words[] = { N_("System default"), N_("Light"), N_("Dark"), NULL };

static const char * const headings[ATTN_PREFERENCE_N_GROUPS] = { N_("New Studies"),
                                                                 N_("Computation"),
                                                                 N_("Appearance") };

static const AttnPreference preferences[] = {
  { "colormap", "new-study-colormap", N_("Colour _map"), ATTN_PREFERENCE_NEW_STUDIES,
    colormap_names, colormap_words },
  { "range", "new-study-range", N_("_Range"), ATTN_PREFERENCE_NEW_STUDIES, range_names,
    range_words },
  { "low", "new-study-low", N_("_Ends"), ATTN_PREFERENCE_NEW_STUDIES, .range = FIXED },
  { "digits", "new-study-digits", N_("_Digits in the cells"), ATTN_PREFERENCE_NEW_STUDIES },
  { "special_tokens", "new-study-special-tokens", N_("_Special tokens"),
    ATTN_PREFERENCE_NEW_STUDIES },
  { "font", "new-study-font", N_("_Font"), ATTN_PREFERENCE_NEW_STUDIES },
  { "threads", "threads", N_("_Threads"), ATTN_PREFERENCE_COMPUTATION },
  { "memory", "memory-limit", N_("Memory _limit"), ATTN_PREFERENCE_COMPUTATION },
  { "answer_tokens", "answer-tokens", N_("Tokens of an a_nswer"), ATTN_PREFERENCE_COMPUTATION },
  { "scheme", "color-scheme", N_("T_heme"), ATTN_PREFERENCE_APPEARANCE, scheme_names,
    scheme_words },
};

static void
need_colormaps (void)
{
  for (guint i = 0; i < ATTN_N_COLORMAPS; i++)
    colormap_names[i + 1] = attn_colormap_get_name (i);
}

/**
 * attn_preference_list:
 *
 * Returns: (array length=n_preferences): all preferences, in the order in which the window of
 *   preferences shows them
 */
const AttnPreference *
attn_preference_list (gsize *n_preferences)
{
  need_colormaps ();
  *n_preferences = G_N_ELEMENTS (preferences);
  return preferences;
}

/**
 * attn_preference_find:
 *
 * Returns: (nullable): the preference whose @id is this, such as "range"; %NULL if there is none
 */
const AttnPreference *
attn_preference_find (const char *id)
{
  need_colormaps ();
  for (gsize i = 0; i < G_N_ELEMENTS (preferences); i++)
    if (g_str_equal (preferences[i].id, id))
      return &preferences[i];
  return NULL;
}

/**
 * attn_preference_get_heading:
 *
 * Returns: the heading above a group of preferences, translated
 */
const char *
attn_preference_get_heading (AttnPreferenceGroup group)
{
  return _(headings[group]);
}

/**
 * attn_preference_get_word:
 * @preference: a preference that has a list of values
 * @index: index of a value in the list
 *
 * Returns: (nullable): the words for the value, translated; %NULL beyond the last value
 */
const char *
attn_preference_get_word (const AttnPreference *preference,
                          guint                 index)
{
  if (preference->names == NULL || index >= g_strv_length ((GStrv) preference->names))
    return NULL;
  return index < g_strv_length ((GStrv) preference->words) ? _(preference->words[index])
                                                           : preference->names[index];
}

gboolean
attn_preference_applies (const AttnPreference *preference,
                         GSettings            *settings)
{
  g_autofree char *range = g_settings_get_string (settings, "new-study-range");

  return preference->range == NULL || g_str_equal (preference->range, range);
}

/**
 * attn_preference_get_chosen:
 * @preference: a preference that has a list of values
 *
 * Returns: the index of the value that is set; 0 if that is not in the list
 */
guint
attn_preference_get_chosen (const AttnPreference *preference,
                            GSettings            *settings)
{
  g_autofree char *name = g_settings_get_string (settings, preference->key);

  for (guint i = 0; preference->names[i] != NULL; i++)
    if (g_str_equal (preference->names[i], name))
      return i;
  return 0;
}

/**
 * attn_preference_choose:
 * @preference: a preference that has a list of values
 * @index: index of a value in the list
 */
void
attn_preference_choose (const AttnPreference *preference,
                        GSettings            *settings,
                        guint                 index)
{
  if (attn_preference_get_word (preference, index) != NULL)
    g_settings_set_string (settings, preference->key, preference->names[index]);
}
