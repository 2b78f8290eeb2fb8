/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names an operation and its place in the model for titles and captions. These are part of the
 * figure and are not translated. */

#include "config.h"

#include <string.h>

#include "attn-titles.h"

/**
 * attn_titles_append_operation:
 * @component: (nullable): markup of the component that is changed, such as "<i>Query</i>"; %NULL
 *   for a cut
 * @input: number of the input that a patch takes from, from 0
 * @keys: (nullable): the keys that a cut hides
 *
 * Appends the operation in words: "Query = 0", "Query from Input 2", "Keys 0-2 cut" or, for a mean,
 * "Mean of Query".
 */
void
attn_titles_append_operation (GString            *text,
                              AttnOperation       operation,
                              const char         *component,
                              gsize               input,
                              const AttnIndexSet *keys)
{
  g_autofree char *cut = keys != NULL ? attn_index_set_to_string (keys) : NULL;

  if (operation == ATTN_OPERATION_ZERO)
    g_string_append_printf (text, "%s = 0", component);
  else if (operation == ATTN_OPERATION_PATCH)
    g_string_append_printf (text, "%s from Input %zu", component, input + 1);
  else if (operation == ATTN_OPERATION_CUT)
    g_string_append_printf (text, "%s %s cut",
                            cut == NULL || strpbrk (cut, ",-") != NULL ? "Keys" : "Key",
                            cut != NULL ? cut : "all");
  else
    g_string_append_printf (text, "Mean of %s", component);
}

/**
 * attn_titles_append_scope:
 * @what: a noun in the singular with its preposition, such as "in layer"
 * @set: (nullable): the numbers to be listed; %NULL for all, of which nothing is appended
 *
 * Appends the scope of an operation, such as ", in layers 0-2".
 */
void
attn_titles_append_scope (GString            *text,
                          const char         *what,
                          const AttnIndexSet *set)
{
  g_autofree char *members = set != NULL ? attn_index_set_to_string (set) : NULL;

  if (members != NULL)
    g_string_append_printf (text, ", %s%s %s", what, strpbrk (members, ",-") != NULL ? "s" : "",
                            members);
}
