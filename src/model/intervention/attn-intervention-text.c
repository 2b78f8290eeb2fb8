/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes and parses an intervention as a line of text, such as "query scale 0.5 at projection",
 * which files of surveys hold; and pairs of positions as users type them, "2=3". */

#include "config.h"

#include "attn-intervention.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-text.h"

/* The largest number of pairs of positions. The number is limited because each pair is compared
 * with all earlier ones. */
#define MAX_PAIRS 4096

static void
append_scope (GString            *string,
              const char         *what,
              const AttnIndexSet *set)
{
  if (set == NULL)
    return;

  g_autofree char *text = attn_index_set_to_string (set);
  g_string_append_printf (string, ", %s %s", what, text);
}

/**
 * attn_intervention_to_string:
 *
 * Writes an intervention as text. Other inputs are numbered from 1, as in the window's titles.
 *
 * Returns: (transfer full): the intervention in one line, such as "query scale 0.5 at projection,
 *   layers 1" or "key mean feature at projection"; layers, heads and tokens are named only if they
 *   are not all
 */
char *
attn_intervention_to_string (const AttnIntervention *intervention)
{
  GString *string = g_string_new (attn_component_names[intervention->component]);
  gboolean is_cut = intervention->operation == ATTN_OPERATION_CUT;

  g_string_append_printf (string, " %s", attn_operation_names[intervention->operation]);
  if (intervention->operation == ATTN_OPERATION_MEAN)
    g_string_append_printf (string, " %s", attn_axis_names[intervention->axis]);
  if (intervention->operation == ATTN_OPERATION_SCALE)
    {
      g_autofree char *factor = attn_text_format_factor (intervention->factor);
      g_string_append_printf (string, " %s", factor);
    }
  if (intervention->operation == ATTN_OPERATION_PATCH)
    {
      g_autofree char *pairs = attn_pairs_to_string (intervention->pairs);
      g_string_append_printf (string, " from input %zu%s%s", intervention->input + 1,
                              *pairs != '\0' ? ", positions " : "", pairs);
    }
  if (intervention->component < ATTN_N_COMPONENTS)
    g_string_append_printf (string, " at %s", attn_site_names[intervention->site]);
  append_scope (string, "layers", intervention->layers);
  append_scope (string, "heads", intervention->heads);
  append_scope (string, is_cut ? "queries" : "tokens", intervention->tokens);
  if (is_cut)
    append_scope (string, "keys", intervention->keys);
  return g_string_free (string, FALSE);
}

/* Parses a part of the scope, such as "layers 1,3-5". */
static gboolean
parse_scope (AttnIntervention *intervention,
             const char       *text)
{
  gboolean is_cut = intervention->operation == ATTN_OPERATION_CUT;
  const struct
  {
    const char *what;
    AttnIndexSet **set;
  } scopes[] = { { "layers ", &intervention->layers },
                 { "heads ", &intervention->heads },
                 { is_cut ? "queries " : "tokens ", &intervention->tokens },
                 { "keys ", &intervention->keys } };

  for (gsize i = 0; i < G_N_ELEMENTS (scopes) - !is_cut; i++)
    if (*scopes[i].set == NULL && g_str_has_prefix (text, scopes[i].what))
      {
        *scopes[i].set = attn_index_set_parse (text + strlen (scopes[i].what), NULL);
        return *scopes[i].set != NULL;
      }
  return FALSE;
}

/* Parses the input and the positions of a patch, "from input 1, positions 2=3". @text: the part
 * behind "from input " */
static gboolean
parse_origin (AttnIntervention *intervention,
              const char       *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ", positions ", 2);
  guint64 number = 0;

  if (parts[0] == NULL ||
      !g_ascii_string_to_unsigned (parts[0], 10, 1, G_MAXINT32, &number, NULL))
    return FALSE;
  intervention->input = (gsize) number - 1;
  intervention->pairs = parts[1] != NULL ? attn_pairs_parse (parts[1], NULL) : NULL;
  return parts[1] == NULL || intervention->pairs != NULL;
}

/* Parses the words between operation and site: the axis of a mean, the factor of a scale, the input
 * of a patch; nothing for other operations. */
static gboolean
parse_amount (AttnIntervention *intervention,
              const char       *text)
{
  static const char origin[] = "from input ";
  int axis = ATTN_AXIS_FEATURE;

  switch (intervention->operation)
    {
    case ATTN_OPERATION_ZERO:
    case ATTN_OPERATION_CUT:
      return text == NULL;
    case ATTN_OPERATION_PATCH:
      return text != NULL && g_str_has_prefix (text, origin) &&
             parse_origin (intervention, text + strlen (origin));
    case ATTN_OPERATION_MEAN:
      if (text == NULL || !attn_text_parse_name (attn_axis_names, text, &axis, NULL))
        return FALSE;
      intervention->axis = axis;
      return TRUE;
    case ATTN_OPERATION_SCALE:
      return text != NULL && attn_text_parse_number (text, &intervention->factor) &&
             intervention->factor >= ATTN_EPSILON_MIN && intervention->factor <= ATTN_EPSILON_MAX;
    default:
      return FALSE;
    }
}

/**
 * attn_intervention_parse:
 * @text: a line from [func@attn_intervention_to_string]
 *
 * Returns: (transfer full) (nullable): the intervention, for a patch with @source unset; %NULL for
 *   a text that is no intervention
 */
AttnIntervention *
attn_intervention_parse (const char *text)
{
  static GRegex *form;
  g_autoptr (GMatchInfo) match = NULL;
  int component;
  int operation;
  int site = ATTN_SITE_PROJECTION;

  if (g_once_init_enter (&form))
    g_once_init_leave (&form, g_regex_new ("^(\\w+) (\\w+)(?: ((?:[^,]|,(?! )|, positions )+?))??"
                                           "(?: at (\\w+))?((?:, \\w+ [0-9,-]+)*)$",
                                           G_REGEX_DEFAULT, G_REGEX_MATCH_DEFAULT, NULL));
  if (!g_regex_match (form, text, G_REGEX_MATCH_DEFAULT, &match))
    return NULL;
  g_autofree char *component_name = g_match_info_fetch (match, 1);
  g_autofree char *operation_name = g_match_info_fetch (match, 2);
  g_autofree char *amount = g_match_info_fetch (match, 3);
  g_autofree char *site_name = g_match_info_fetch (match, 4);
  g_autofree char *scopes = g_match_info_fetch (match, 5);
  if (!attn_text_parse_name (attn_component_names, component_name, &component, NULL) ||
      !attn_text_parse_name (attn_operation_names, operation_name, &operation, NULL) ||
      (*site_name != '\0') != (component < ATTN_N_COMPONENTS) ||
      (*site_name != '\0' && !attn_text_parse_name (attn_site_names, site_name, &site, NULL)))
    return NULL;

  g_autoptr (AttnIntervention) intervention = attn_intervention_new (component, operation, site);
  g_auto (GStrv) parts = g_strsplit (scopes, ", ", -1);
  gboolean is_good = parse_amount (intervention, *amount != '\0' ? amount : NULL);
  for (guint i = 1; is_good && parts[0] != NULL && parts[i] != NULL; i++)
    is_good = parse_scope (intervention, parts[i]);
  return is_good ? g_steal_pointer (&intervention) : NULL;
}

/**
 * attn_pairs_parse:
 * @text: "FROM=TO,FROM=TO" with positions; FROM and TO may be ranges of the same length, "2-4=3-5"
 * @error: return location for %ATTN_ERROR_ARGUMENT; also if a position TO occurs twice
 *
 * Returns: (transfer full) (nullable) (element-type AttnPair): the pairs in the order of the text
 */
GArray *
attn_pairs_parse (const char  *text,
                  GError     **error)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (AttnPair));
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (char **part = parts; *part != NULL; part++)
    {
      g_auto (GStrv) sides = g_strsplit (*part, "=", -1);
      gboolean has_sides = g_strv_length (sides) == 2;
      g_autoptr (AttnIndexSet) from = has_sides ? attn_index_set_parse (sides[0], NULL) : NULL;
      g_autoptr (AttnIndexSet) to = has_sides ? attn_index_set_parse (sides[1], NULL) : NULL;
      AttnPair pair = { attn_index_set_get_first (from), attn_index_set_get_first (to) };
      gsize n = from != NULL ? attn_index_set_count (from, G_MAXINT32) : 0;

      if (n == 0 || n > MAX_PAIRS || to == NULL || attn_index_set_count (to, G_MAXINT32) != n)
        return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                               _("“%s” found, expected positions FROM=TO such as 2=3,5-7=6-8"),
                               *part);
      for (gsize i = 0; i < n && pairs->len < MAX_PAIRS; i++, pair.from++, pair.to++)
        {
          for (guint k = 0; k < pairs->len; k++)
            if (g_array_index (pairs, AttnPair, k).to == pair.to)
              return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                                     _("“%s” found, expected each position to be patched once"),
                                     text);
          g_array_append_val (pairs, pair);
        }
    }
  return g_steal_pointer (&pairs);
}

/**
 * attn_pairs_to_string:
 * @pairs: (nullable)
 *
 * Returns: (transfer full): the pairs as text that [func@attn_pairs_parse] reads; "" for %NULL
 */
char *
attn_pairs_to_string (const GArray *pairs)
{
  GString *text = g_string_new (NULL);
  guint n;

  for (guint i = 0; pairs != NULL && i < pairs->len; i += n)
    {
      const AttnPair *pair = &g_array_index (pairs, AttnPair, i);

      for (n = 1; i + n < pairs->len; n++)
        if (pair[n].from != pair->from + n || pair[n].to != pair->to + n)
          break;
      g_string_append_printf (text, i > 0 ? ",%zu" : "%zu", pair->from);
      if (n > 1)
        g_string_append_printf (text, "-%zu", pair[n - 1].from);
      g_string_append_printf (text, "=%zu", pair->to);
      if (n > 1)
        g_string_append_printf (text, "-%zu", pair[n - 1].to);
    }
  return g_string_free (text, FALSE);
}
