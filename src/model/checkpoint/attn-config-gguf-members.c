/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads single values from the metadata of a GGUF file, and sets members of a config.json to
 * them. */

#include "config.h"

#include <glib/gi18n-lib.h>

#include "attn-config-gguf-private.h"
#include "attn-error.h"

char *
attn_gguf_reader_make_key (const AttnGgufReader *reader,
                           const char           *key)
{
  return g_strconcat (reader->family->architecture, ".", key, NULL);
}

/* Sets the member @member of the configuration to the value of the key @name. If the key is
 * missing, leaves the member out, or fails if @is_required. */
void
attn_gguf_reader_take (AttnGgufReader *reader,
                       const char     *name,
                       const char     *member,
                       AttnGgufKind    kind,
                       gboolean        is_required)
{
  g_autofree char *key = attn_gguf_reader_make_key (reader, name);
  gsize size;

  if (!json_object_has_member (reader->values.object, key))
    {
      if (is_required)
        attn_json_fail (&reader->values, ATTN_ERROR_FORMAT,
                        _("%s: no “%s” found, expected it in the metadata of the model"),
                        reader->values.where, key);
      return;
    }
  switch (kind)
    {
    case ATTN_GGUF_SIZE:
      size = attn_json_read_size (&reader->values, key, 0, G_MAXINT32, 0);
      /* Programs that write GGUF files may put 0 for a setting that does not apply, so 0 is as good
       * as no value. */
      if (size > 0 || is_required)
        json_object_set_int_member (reader->object, member, (gint64) size);
      else
        json_object_set_null_member (reader->object, member);
      break;
    case ATTN_GGUF_NUMBER:
      json_object_set_double_member (reader->object, member,
                                     attn_json_read_number (&reader->values, key, 0.0));
      break;
    case ATTN_GGUF_BOOLEAN:
      json_object_set_boolean_member (reader->object, member,
                                      attn_json_read_boolean (&reader->values, key, FALSE));
      break;
    }
}

gsize
attn_gguf_reader_get_size (const AttnGgufReader *reader,
                           const char           *member)
{
  return attn_config_has_value (reader->object, member)
             ? (gsize) json_object_get_int_member (reader->object, member)
             : 0;
}

gsize
attn_gguf_reader_read_size (AttnGgufReader *reader,
                            const char     *name,
                            gsize           fallback)
{
  g_autofree char *key = attn_gguf_reader_make_key (reader, name);

  return attn_json_read_size (&reader->values, key, 0, G_MAXINT32, fallback);
}
