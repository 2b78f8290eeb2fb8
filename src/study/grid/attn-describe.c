/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-describe.h"

#include "attn-markup.h"
#include "attn-text.h"
#include "attn-titles.h"

/**
 * attn_describe_interventions:
 *
 * Returns: (transfer full): markup, such as "Key × 0.5, layer 1; mean of Value"; settings with
 *   their default value are left out
 */
char *
attn_describe_interventions (const GPtrArray *interventions)
{
  static const char * const components[] = { "<i>Query</i>", "<i>Key</i>", "<i>Value</i>",
                                             "<i>Output</i>", "<i>Residual</i>", "<i>Inner</i>",
                                             NULL };
  static const char * const axes[] = { "", " over tokens", " over heads" };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < interventions->len; i++)
    {
      const AttnIntervention *intervention = g_ptr_array_index (interventions, i);
      const char *component = components[intervention->component];
      g_autofree char *factor = attn_text_format_epsilon (intervention->factor);

      g_string_append (text, i > 0 ? "; " : "");
      if (intervention->operation == ATTN_OPERATION_SCALE)
        g_string_append_printf (text, "%s × %s", component, factor);
      else if (intervention->operation == ATTN_OPERATION_MEAN)
        g_string_append_printf (text, "%s of %s%s", i > 0 ? "mean" : "Mean", component,
                                axes[intervention->axis]);
      else
        attn_titles_append_operation (text, intervention->operation, component,
                                      intervention->input, intervention->keys);
      if (intervention->pairs != NULL)
        {
          g_autofree char *pairs = attn_pairs_to_string (intervention->pairs);

          g_string_append_printf (text, ", positions %s", pairs);
        }
      if (intervention->site != ATTN_SITE_PROJECTION)
        g_string_append_printf (text, ", %s", attn_site_names[intervention->site]);
      attn_titles_append_scope (text, "layer", intervention->layers);
      attn_titles_append_scope (text, "head", intervention->heads);
      attn_titles_append_scope (text, "token", intervention->tokens);
    }
  return g_string_free (text, FALSE);
}

/**
 * attn_describe_plainly:
 *
 * Returns: (transfer full) (nullable): the same as plain text; %NULL for no interventions
 */
char *
attn_describe_plainly (const GPtrArray *interventions)
{
  g_autofree char *markup = attn_describe_interventions (interventions);

  return interventions->len > 0 ? attn_markup_to_text (markup) : NULL;
}
