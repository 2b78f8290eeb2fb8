/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a configuration: present or null, under one of several names, within bounds. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-config-private.h"
#include "attn-error.h"
#include "attn-json.h"

/* A member that is there with a value. */
gboolean
attn_config_has_value (JsonObject *object,
                       const char *name)
{
  return json_object_has_member (object, name) && !json_object_get_null_member (object, name);
}

/* The first of the names, with spaces between, that the object has; configurations use one or the
 * other. */
const char *
attn_config_find_alias (JsonObject *object,
                        const char *names)
{
  g_auto (GStrv) parts = g_strsplit (names, " ", -1);

  for (char **part = parts; *part != NULL; part++)
    if (attn_config_has_value (object, *part))
      return g_intern_string (*part);
  return g_intern_string (parts[0]);
}

/* Like attn_json_get_number(), within bounds. */
gboolean
attn_config_read_number (JsonObject  *object,
                         const char  *where,
                         const char  *member,
                         double       minimum,
                         double       maximum,
                         double       fallback,
                         double      *value,
                         GError     **error)
{
  if (!attn_json_get_number (object, where, member, fallback, value, error))
    return FALSE;
  if (!(*value >= minimum && *value <= maximum))
    return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"), where,
                      member, *value, minimum, maximum);
  return TRUE;
}
