/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of texts with pictures in them, for models that read both. A mark is the text, such as
 * "<image>", or the token id that stands in a text for a picture. */

#include "config.h"

#include <string.h>

#include "attn-edits.h"

/* Number of token ids after the picture's mark if the model has no tokenizer. */
#define N_STAND_INS 5

/* Returns the text after its first line if that line is only the mark of a picture, else the whole
 * text. */
static const char *
skip_picture (const char *text)
{
  const char *end = strchr (text, '\n');

  return *text == '<' && end != NULL && end[-1] == '>' ? end + 1 : text;
}

/* Sets the text of the input to the mark of its picture, followed by @text; without a tokenizer to
 * token ids. */
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

/* Returns the last mark of a picture in a text, be it the model's own or "<image>"; NULL if there
 * is none. @length: (out): bytes of that mark; @n_marks: (out): number of marks in the text */
static const char *
find_last_mark (const char          *text,
                const AttnModelInfo *info,
                gsize               *length,
                gsize               *n_marks)
{
  const char * const marks[] = { info->picture_text, "<image>" };
  const char *last = NULL;

  *n_marks = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    if (i == 0 || !g_str_equal (marks[0], marks[1]))
      for (const char *at = strstr (text, marks[i]); at != NULL;
           at = strstr (at + strlen (marks[i]), marks[i]))
        {
          (*n_marks)++;
          if (last != NULL && at < last)
            continue;
          last = at;
          *length = strlen (marks[i]);
        }
  return last;
}

/* Returns the index of the last token id that marks a picture; n_ids if there is none. @n_marks:
 * (out): number of such ids */
static gsize
find_last_id (const AttnInput     *input,
              const AttnModelInfo *info,
              gsize               *n_marks)
{
  gsize last = input->n_ids;

  *n_marks = 0;
  for (gsize i = 0; i < input->n_ids; i++)
    if (input->ids[i] == (guint32) info->image_token)
      {
        last = i;
        (*n_marks)++;
      }
  return last;
}

/* Inserts one more mark behind the last one, unless the input already has a mark for each
 * picture. */
static void
add_mark (AttnInput           *input,
          const AttnModelInfo *info)
{
  gsize n = attn_input_count_pictures (input), n_marks, length;

  if (input->text != NULL)
    {
      const char *last = find_last_mark (input->text, info, &length, &n_marks);

      if (last == NULL || n_marks >= n)
        return;
      g_autofree char *mark = g_strndup (last, length);
      GString *text = g_string_new (input->text);
      g_string_insert (text, last + length - input->text, mark);
      g_free (input->text);
      input->text = g_string_free (text, FALSE);
      return;
    }
  gsize last = find_last_id (input, info, &n_marks);
  /* An input can have an id for each patch of its pictures instead of one for each picture; such an
   * input stays unchanged. */
  if (n_marks + 1 != n)
    return;
  input->ids = g_renew (guint32, input->ids, input->n_ids + 1);
  memmove (input->ids + last + 1, input->ids + last, (input->n_ids - last) * sizeof *input->ids);
  input->n_ids++;
}

/* Removes the last mark of a picture, if the input has a mark for each picture. */
static void
remove_mark (AttnInput           *input,
             const AttnModelInfo *info)
{
  gsize n = attn_input_count_pictures (input), n_marks, length;

  if (input->text != NULL)
    {
      const char *last = find_last_mark (input->text, info, &length, &n_marks);

      if (last == NULL || n_marks != n)
        return;
      GString *text = g_string_new (input->text);
      g_string_erase (text, last - input->text, (gssize) length);
      g_free (input->text);
      input->text = g_string_free (text, FALSE);
      return;
    }
  gsize last = find_last_id (input, info, &n_marks);
  if (n_marks != n)
    return;
  input->n_ids--;
  memmove (input->ids + last, input->ids + last + 1, (input->n_ids - last) * sizeof *input->ids);
}

/**
 * attn_edits_join_picture:
 * @info: properties of the study's model, which reads texts with pictures
 * @index: index of an input that is a text with pictures
 * @path: path of the picture; the file is not read yet
 *
 * Adds a picture behind the other pictures of that text. Its mark is inserted behind the last mark,
 * if the text does not have one for it already. Does nothing for an input that has
 * %ATTN_MAX_PICTURES pictures, or arrays of pixels instead of picture files.
 */
void
attn_edits_join_picture (AttnStudy           *study,
                         const AttnModelInfo *info,
                         guint                index,
                         const char          *path)
{
  AttnInput *input = index < study->inputs->len ? study->inputs->pdata[index] : NULL;

  if (input == NULL || !attn_input_is_text (input) || input->images == NULL ||
      attn_input_count_pictures (input) >= ATTN_MAX_PICTURES)
    return;
  attn_input_add_picture (input, path, FALSE);
  add_mark (input, info);
}

/**
 * attn_edits_part_picture:
 * @info: properties of the study's model, which reads texts with pictures
 * @index: index of an input that is a text with pictures
 *
 * Removes the last picture and its mark from that text, if it has several.
 */
void
attn_edits_part_picture (AttnStudy           *study,
                         const AttnModelInfo *info,
                         guint                index)
{
  AttnInput *input = index < study->inputs->len ? study->inputs->pdata[index] : NULL;
  gsize n = input != NULL ? attn_input_count_pictures (input) : 0;

  if (n < 2)
    return;
  remove_mark (input, info);
  char **pictures = input->pixels != NULL ? input->pixels : input->images;
  g_clear_pointer (&pictures[n - 1], g_free);
  if (study->picture >= n)
    study->picture = 0;
}

/**
 * attn_edits_part_pictures:
 * @info: properties of the study's model
 *
 * Gives each picture of an input an input of its own, for a model that takes single pictures and no
 * texts with pictures.
 */
void
attn_edits_part_pictures (AttnStudy           *study,
                          const AttnModelInfo *info)
{
  for (guint i = 0; info->needs_picture && !info->sees && i < study->inputs->len; i++)
    while (attn_input_count_pictures (study->inputs->pdata[i]) > 1)
      {
        AttnInput *input = study->inputs->pdata[i];
        gboolean is_prepared = input->pixels != NULL;
        char **pictures = is_prepared ? input->pixels : input->images;
        gsize last = g_strv_length (pictures) - 1;

        g_ptr_array_insert (study->inputs, (int) i + 1,
                            attn_input_new_picture (pictures[last], is_prepared));
        g_clear_pointer (&pictures[last], g_free);
      }
}

/**
 * attn_edits_fit_seeing:
 * @input: (inout): an input of a study
 *
 * Adapts an input with a picture to the model. A picture without a text gets one if the model reads
 * texts with pictures; if it does not, a text with a picture becomes one of both, the one that the
 * model takes.
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
  g_clear_pointer (&input->images, g_strfreev);
  g_clear_pointer (&input->pixels, g_strfreev);
  input->text = g_steal_pointer (&text);
}

/**
 * attn_edits_insert_picture:
 * @info: properties of the study's model, which reads texts with pictures
 * @path: path of the picture; the file is not read yet
 *
 * Adds the picture to the first text without a picture, with a mark at the beginning unless the
 * text has one; or to a new text if there is none.
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
  attn_input_add_picture (input, path, FALSE);
  if (input->text == NULL || strstr (input->text, info->picture_text) == NULL)
    {
      g_autofree char *text =
          g_strdup (input->text != NULL ? input->text : ATTN_EDITS_FALLBACK_TEXT);

      write_picture (input, info, text);
    }
}
