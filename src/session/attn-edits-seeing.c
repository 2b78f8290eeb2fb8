/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pictures in the texts of a study. */

#include "config.h"

#include <string.h>

#include "attn-edits.h"

/* Number of ids after the picture if the model has no tokenizer. */
#define N_STAND_INS 5

/* Returns the text after its first line if this line is only the placeholder of a picture. */
static const char *
skip_picture (const char *text)
{
  const char *end = strchr (text, '\n');

  return *text == '<' && end != NULL && end[-1] == '>' ? end + 1 : text;
}

/* Sets the text of the input to the placeholder of its picture, followed by @text. */
static void
write_picture (AttnInput           *input,
               const AttnModelInfo *info,
               const char          *text)
{
  g_free (input->text);
  g_clear_pointer (&input->ids, g_free);
  input->n_ids = 0;
  if (info->has_tokenizer)
    {
      input->text = g_strdup_printf ("%s\n%s", info->picture_text, text);
      return;
    }
  input->text = NULL;
  input->n_ids = 1 + N_STAND_INS;
  input->ids = g_new (guint32, input->n_ids);
  input->ids[0] = (guint32) info->image_token;
  for (guint32 i = 1; i <= N_STAND_INS; i++)
    input->ids[i] = i;
}

/**
 * attn_edits_fit_seeing:
 * @input: (inout): of a study that has the model of @info
 *
 * Gives a picture a text to stand in where the model reads texts with pictures; takes one of both
 * away where the model has no use for it.
 */
void
attn_edits_fit_seeing (AttnInput           *input,
                       const AttnModelInfo *info)
{
  g_autofree char *text = NULL;

  if (!attn_input_is_picture (input) || info->is_recording)
    return;
  if (info->takes_picture && !attn_input_is_text (input))
    {
      text = g_strdup (input->stands_for != NULL ? input->stands_for : ATTN_EDITS_FALLBACK_TEXT);
      g_clear_pointer (&input->stands_for, g_free);
      write_picture (input, info, text);
      return;
    }
  if (info->sees || !attn_input_is_text (input))
    return;
  text = g_strdup (input->text != NULL ? skip_picture (input->text) : ATTN_EDITS_FALLBACK_TEXT);
  g_clear_pointer (&input->text, g_free);
  g_clear_pointer (&input->ids, g_free);
  input->n_ids = 0;
  if (info->needs_picture)
    {
      g_free (input->stands_for);
      input->stands_for = g_steal_pointer (&text);
      return;
    }
  g_clear_pointer (&input->image, g_free);
  g_clear_pointer (&input->pixels, g_free);
  input->text = g_steal_pointer (&text);
}

/**
 * attn_edits_insert_picture:
 * @info: of the model of the study, which reads texts with pictures
 * @path: of a picture; it is not read
 *
 * Puts the picture into the first text that has none, in front of it where no token stands for one,
 * or into a new one.
 */
void
attn_edits_insert_picture (AttnStudy           *study,
                           const AttnModelInfo *info,
                           const char          *path)
{
  AttnInput *input = NULL;

  for (guint i = 0; i < study->inputs->len && input == NULL; i++)
    if (!attn_input_is_picture (study->inputs->pdata[i]))
      input = study->inputs->pdata[i];
  if (input == NULL)
    {
      input = attn_input_new_picture (path, FALSE);
      g_ptr_array_add (study->inputs, input);
      write_picture (input, info, ATTN_EDITS_FALLBACK_TEXT);
      return;
    }
  g_free (input->image);
  input->image = g_strdup (path);
  if (input->text == NULL || strstr (input->text, info->picture_text) == NULL)
    {
      g_autofree char *text =
          g_strdup (input->text != NULL ? input->text : ATTN_EDITS_FALLBACK_TEXT);

      write_picture (input, info, text);
    }
}
