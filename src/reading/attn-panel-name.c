/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-panel-name.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-text.h"

#define EPSILON "ε = "

/* Translates a part of a name, such as "head 3", formats a number in "ε = 5e-1", or returns the
 * part unchanged. */
static char *
translate_part (const char *part)
{
  static const char * const words[] = {
    N_("Query"),
    N_("Key"),
    N_("Value"),
    N_("Baseline"),
    N_("Modified"),
    N_("Source"),
    N_("Layer x head"),
    N_("Layer x token"),
    N_("Each Head Alone"),
    N_("KL (nats)"),
    N_("KL (bits)"),
    N_("Angle (°)"),
    N_("Texts in First 10"),
    N_("Sink Score"),
    N_("Sink Rate"),
    N_("Entropy (bits)"),
  };
  static const struct
  {
    const char *prefix;
    const char *format;
    const char *directive; /* directive of printf() in @format, such as "%u" */
  } numbered[] = {
    { "input ", N_("Input %u"), "%u" },
    { "layer ", N_("Layer %s"), "%s" },
    { "head ", N_("Head %s"), "%s" },
  };

  double epsilon;

  if (g_str_has_prefix (part, EPSILON) &&
      attn_text_parse_number (part + strlen (EPSILON), &epsilon))
    {
      g_autofree char *number = attn_text_format_epsilon (epsilon);

      return g_strconcat (EPSILON, number, NULL);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (part, words[i]))
      return g_strdup (_(words[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (numbered); i++)
    {
      gsize length = strlen (numbered[i].prefix);
      const char *format = _(numbered[i].format);

      if (format == numbered[i].format ||
          g_ascii_strncasecmp (part, numbered[i].prefix, length) != 0 ||
          !g_ascii_isdigit (part[length]))
        continue;
      g_auto (GStrv) parts = g_strsplit (format, numbered[i].directive, 2);
      return g_strjoinv (part + length, parts);
    }
  return g_strdup (part);
}

/**
 * attn_panel_name_translate:
 * @name: (nullable): name of a panel, such as "Input 1, Query" or "Layer 3, head 1"
 *
 * The figure names its panels in English, whatever the language of the window. Words that are not
 * among the usual ones stay as they are.
 *
 * Returns: (transfer full): the name in the user's language; of a panel without one, "Panel"
 */
char *
attn_panel_name_translate (const char *name)
{
  if (name == NULL)
    return g_strdup (_("Panel"));

  g_auto (GStrv) parts = g_strsplit (name, ", ", -1);
  for (gsize i = 0; parts[i] != NULL; i++)
    {
      char *part = parts[i];

      parts[i] = translate_part (part);
      g_free (part);
    }
  return g_strjoinv (", ", parts);
}

/**
 * attn_panel_name_translate_title:
 * @title: title of the rows or columns of a panel that are not queries and keys, such as "Layer"
 *
 * Returns: (transfer none): the title in the user's language, unchanged if it is not a usual one
 */
const char *
attn_panel_name_translate_title (const char *title)
{
  static const char * const titles[] = { N_("Layer"), N_("Head"), N_("Token"), N_("Row"),
                                         N_("Column") };

  for (gsize i = 0; i < G_N_ELEMENTS (titles); i++)
    if (g_str_equal (title, titles[i]))
      return _(titles[i]);
  return title;
}
