/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-names.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"

/**
 * attn_names_parse:
 * @names: (array zero-terminated=1): by value, from 0
 * @text: one of them, in any case
 * @value: (out): an int, or an enumeration: the place of @text among @names; left alone on failure
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the names
 *
 * Returns: whether @text is one of them
 */
gboolean
attn_names_parse (const char * const  *names,
                  const char          *text,
                  gpointer             value,
                  GError             **error)
{
  for (int i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], text) == 0)
      {
        *(int *) value = i;
        return TRUE;
      }

  g_autofree char *list = g_strjoinv (", ", (char **) names);
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("“%s” found, expected one of %s"), text, list);
}
