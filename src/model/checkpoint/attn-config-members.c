/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Members of a configuration: present or null, under one of several names, within bounds. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-config-private.h"

/* A member that is there with a value. */
gboolean
attn_config_has_value (JsonObject *object,
                       const char *name)
{
  return json_object_has_member (object, name) && !json_object_get_null_member (object, name);
}

/* A member that says that there is none. */
gboolean
attn_config_is_null (JsonObject *object,
                     const char *name)
{
  return json_object_has_member (object, name) && json_object_get_null_member (object, name);
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

/* Like attn_json_read_number(), within bounds. */
double
attn_config_read_number (AttnJsonReader *json,
                         const char     *member,
                         double          minimum,
                         double          maximum,
                         double          fallback)
{
  double value = attn_json_read_number (json, member, fallback);

  if (value >= minimum && value <= maximum)
    return value;
  attn_json_fail (json, ATTN_ERROR_LIMIT, _("%s: “%s”: %g found, expected %g to %g"), json->where,
                  member, value, minimum, maximum);
  return fallback;
}
