/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Choices of the user that a study takes over from the one before it: a preset its model, inputs,
 * layer and head, and the look of the figure; an export its page and its style. */

#include "config.h"

#include "attn-edits.h"
#include "attn-study-table.h"

/* Keeps the settings of the figure's look that differ between @old and @origin, the old preset:
 * those the user has changed. The others stay those of the new preset. */
static void
keep_look (AttnStudy       *study,
           const AttnStudy *old,
           const AttnStudy *origin)
{
  static const char * const look[] = { "style.colormap", "style.font", "style.digits" };

  for (gsize i = 0; i < G_N_ELEMENTS (look); i++)
    attn_record_take_changes (attn_study_get_record (), look[i], study, old, origin);
}

static gboolean
reduces_heads (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_roles;
}

/* Keeps the layer and head of the study, unless they are those of the old preset and the model is
 * the shipped one, for which each preset chooses its own head. A figure that reduces all heads
 * takes no head from others, as it would stay one head without a control; the head waits in the
 * study before it. */
static void
keep_place (AttnStudy       *study,
            const AttnStudy *old,
            const GPtrArray *undo)
{
  const AttnStudy *from = old;

  for (guint i = undo->len; i > 0 && reduces_heads (from); i--)
    from = g_ptr_array_index (undo, i - 1);
  if (reduces_heads (from) || !attn_model_reference_equal (&from->model, &old->model))
    from = old;
  g_autoptr (AttnStudy) origin =
      from->preset != NULL ? attn_presets_load (from->preset, NULL) : NULL;
  if (origin != NULL && from->layer == origin->layer && from->head == origin->head &&
      from->model.path == NULL)
    return;
  study->layer = from->layer;
  if (!reduces_heads (study) && !reduces_heads (from))
    study->head = from->head;
}

/* Tells whether a text is the text of the input @index of a preset, or of any of its inputs. */
static gboolean
is_of_preset (const AttnStudy *preset,
              const char      *text,
              guint            index,
              gboolean         takes_any)
{
  for (guint i = 0; text != NULL && i < preset->inputs->len; i++)
    {
      const AttnInput *own = g_ptr_array_index (preset->inputs, i);

      if ((takes_any || i == index) && g_strcmp0 (text, own->text) == 0)
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_edits_keep_inputs:
 * @study: a preset that the user has just chosen
 * @old: the study that @study replaces
 * @origin: (nullable): the preset that @old was made from
 *
 * Copies the inputs of @old that differ from those of its preset, as the user wrote them; if that
 * preset is chosen again, inputs of it that have moved up are not the user's. A map of patches gets
 * either all inputs of @old or none, since its answers belong to its two inputs.
 */
void
attn_edits_keep_inputs (AttnStudy       *study,
                        const AttnStudy *old,
                        const AttnStudy *origin)
{
  gboolean is_again = g_strcmp0 (study->preset, old->preset) == 0;
  gboolean has_own = FALSE;

  for (guint i = 0; origin != NULL && i < old->inputs->len; i++)
    {
      const AttnInput *input = g_ptr_array_index (old->inputs, i);
      const char *text = input->text != NULL ? input->text : input->stands_for;

      if (is_of_preset (origin, text, i, is_again))
        continue;
      has_own = TRUE;
      if (i < study->inputs->len)
        {
          attn_input_free (g_ptr_array_index (study->inputs, i));
          g_ptr_array_index (study->inputs, i) = attn_input_copy (input);
        }
      else
        g_ptr_array_add (study->inputs, attn_input_copy (input));
    }
  if (!has_own || !attn_study_get_traits (study)->has_patched)
    return;
  g_ptr_array_set_size (study->inputs, 0);
  for (guint i = 0; i < old->inputs->len; i++)
    g_ptr_array_add (study->inputs, attn_input_copy (old->inputs->pdata[i]));
  attn_study_forget_answers (study);
}

/**
 * attn_edits_keep_choices:
 * @study: a preset that the user has just chosen
 * @old: the study that @study replaces
 * @undo: (element-type AttnStudy): the studies before @old, the last one at the end
 *
 * Copies what the user has chosen in @old: the model, how texts become tokens, layer and head, the
 * look of the figure and the inputs. What is as in the preset that @old was made from is not the
 * user's.
 */
void
attn_edits_keep_choices (AttnStudy       *study,
                         const AttnStudy *old,
                         const GPtrArray *undo)
{
  g_autoptr (AttnStudy) origin = old->preset != NULL ? attn_presets_load (old->preset, NULL) : NULL;
  g_autoptr (AttnStudy) parted = attn_study_copy (old);

  attn_model_reference_take (&study->model, &old->model);
  if (study->attention == NULL)
    study->attention = g_strdup (old->attention);
  study->adds_special_tokens = old->adds_special_tokens;
  study->applies_chat = old->applies_chat;
  keep_place (study, old, undo);
  keep_look (study, old, origin);
  attn_edits_part_stand_ins (parted);
  attn_edits_keep_inputs (study, parted, origin);
}

/**
 * attn_edits_leave_removed_out:
 * @study: a preset with its own inputs
 * @old: the study that @study replaces
 * @undo: (element-type AttnStudy): the studies before @old, the last one at the end
 *
 * Leaves out inputs of the preset that the user had removed when it was last shown: as many inputs
 * stay as there were then, and all that @old has. A map of patches needs both of its inputs.
 */
void
attn_edits_leave_removed_out (AttnStudy       *study,
                              const AttnStudy *old,
                              const GPtrArray *undo)
{
  if (attn_study_get_traits (study)->has_patched)
    return;
  for (guint i = undo->len; i > 0; i--)
    {
      const AttnStudy *last = g_ptr_array_index (undo, i - 1);

      if (g_strcmp0 (last->preset, study->preset) != 0)
        continue;
      guint n = MAX (MAX (last->inputs->len, old->inputs->len), 1);
      if (n < study->inputs->len)
        g_ptr_array_set_size (study->inputs, (int) n);
      return;
    }
}

/**
 * attn_edits_keep_export:
 * @study: (inout): a study of the window
 * @before: an earlier one
 * @chosen: as what @before was exported
 *
 * Chooses for @study what was chosen for the export before: the page, and of the style what the
 * user changed.
 */
void
attn_edits_keep_export (AttnStudy       *study,
                        const AttnStudy *before,
                        const AttnStudy *chosen)
{
  /* A figure of the width of a journal's column has text of a size relative to that of the
   * study. */
  double font_size =
      study->style.font_size / before->style.font_size * chosen->style.font_size;

  study->page = chosen->page;
  attn_record_take_changes (attn_study_get_record (), "style.", study, chosen, before);
  study->style.font_size = font_size;
}
