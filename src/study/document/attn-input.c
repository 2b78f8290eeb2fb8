/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

/**
 * attn_input_new_text:
 * @text: UTF-8
 * @n_tokens: use only so many from the start, 0 for all
 */
AttnInput *
attn_input_new_text (const char *text,
                     gsize       n_tokens)
{
  AttnInput *input = g_new0 (AttnInput, 1);

  input->text = g_strdup (text);
  input->n_tokens = n_tokens;
  return input;
}

/**
 * attn_input_new_ids:
 * @ids: (array length=n_ids): token ids, used as they are
 * @n_tokens: use only so many from the start, 0 for all
 */
AttnInput *
attn_input_new_ids (const guint32 *ids,
                    gsize          n_ids,
                    gsize          n_tokens)
{
  AttnInput *input = g_new0 (AttnInput, 1);

  input->ids = g_memdup2 (ids, n_ids * sizeof *ids);
  input->n_ids = n_ids;
  input->n_tokens = n_tokens;
  return input;
}

/**
 * attn_input_parse_ids:
 * @text: ids between commas, "2,17,5"; spaces around them do not matter
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): an input of all these ids
 */
AttnInput *
attn_input_parse_ids (const char  *text,
                      GError     **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (char **part = parts; *part != NULL; part++)
    {
      const char *number = g_strstrip (*part);
      guint64 value;

      if (!g_ascii_string_to_unsigned (number, 10, 0, G_MAXUINT32, &value, NULL))
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                       _("“%s” found, expected token ids such as 2,17,5"), number);
          return NULL;
        }
      guint32 id = value;
      g_array_append_val (ids, id);
    }

  if (ids->len == 0)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                   _("nothing found, expected token ids such as 2,17,5"));
      return NULL;
    }
  return attn_input_new_ids ((const guint32 *) ids->data, ids->len, 0);
}

AttnInput *
attn_input_copy (const AttnInput *input)
{
  AttnInput *copy = g_new0 (AttnInput, 1);

  copy->text = g_strdup (input->text);
  copy->ids = g_memdup2 (input->ids, input->n_ids * sizeof *input->ids);
  copy->n_ids = input->n_ids;
  copy->n_tokens = input->n_tokens;
  return copy;
}

void
attn_input_free (AttnInput *input)
{
  if (input == NULL)
    return;
  g_free (input->text);
  g_free (input->ids);
  g_free (input);
}
