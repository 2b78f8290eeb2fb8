/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes inputs of a study from a file of texts. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-fasta.h"
#include "attn-study.h"
#include "attn-text.h"

static void
add_line (GPtrArray  *inputs,
          const char *line,
          gsize       length)
{
  if (length > 0 && line[length - 1] == '\r')
    length--;
  if (length == 0)
    return;
  g_autofree char *text = g_strndup (line, length);
  g_ptr_array_add (inputs, attn_input_new_text (text, 0));
}

static gboolean
add_sequences (GPtrArray   *inputs,
               const char  *where,
               const char  *text,
               gsize        length,
               GError     **error)
{
  AttnFasta fasta = attn_fasta_begin (where, text, length);
  char *sequence;

  while (attn_fasta_next (&fasta, &sequence, error))
    {
      add_line (inputs, sequence, strlen (sequence));
      g_free (sequence);
    }
  if (*error != NULL)
    return FALSE;
  return inputs->len > 0 ||
         attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: no sequence found, expected at least one below its header"), where);
}

/**
 * attn_inputs_split_text:
 * @where: name of the file in messages; its extension shows a FASTA file, see
 *   [func@attn_fasta_recognise], of which each sequence is an input, whatever @is_whole says
 * @text: (array length=length): contents of the file
 * @is_whole: whether the whole file is one input; otherwise each line is an input, and empty lines
 *   are left out
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Reads a file of texts as `--text-file` does. A byte order mark is left out, and with @is_whole
 * the newline at the end.
 *
 * Returns: (transfer full) (nullable) (element-type AttnInput): at least one input
 */
GPtrArray *
attn_inputs_split_text (const char  *where,
                        const char  *text,
                        gsize        length,
                        gboolean     is_whole,
                        GError     **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_input_free);

  if (!attn_text_check_utf8 (where, text, length, error))
    return NULL;
  gsize n_mark = attn_text_get_mark (text, length);
  text += n_mark;
  length -= n_mark;

  if (attn_fasta_recognise (where, text, length))
    {
      g_autoptr (GError) local_error = NULL;

      if (add_sequences (inputs, where, text, length, &local_error))
        return g_steal_pointer (&inputs);
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  if (is_whole)
    add_line (inputs, text, length > 0 && text[length - 1] == '\n' ? length - 1 : length);
  for (gsize i = 0; !is_whole && i < length;)
    {
      const char *newline = memchr (text + i, '\n', length - i);
      gsize n = newline != NULL ? (gsize) (newline - text) - i : length - i;

      add_line (inputs, text + i, n);
      i += n + 1;
    }
  if (inputs->len > 0)
    return g_steal_pointer (&inputs);
  return attn_fail_null (error, ATTN_ERROR_FORMAT,
                         _("%s: no text found, expected one input a line"), where);
}
