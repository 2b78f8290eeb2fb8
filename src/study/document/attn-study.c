/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study-private.h"

#include <string.h>

/**
 * attn_study_new:
 *
 * Returns: (transfer full): a study of one panel without an intervention: the head of the shipped
 *   model with the strongest sink. It has no input yet.
 */
AttnStudy *
attn_study_new (void)
{
  const AttnRecord *record = attn_study_get_record ();
  AttnStudy *study = g_atomic_rc_box_dup (record->size, (gpointer) record->usual);

  attn_record_init (record, study);
  return study;
}

/**
 * attn_study_copy:
 *
 * Returns: (transfer full): a copy to change, which shares nothing that can be changed
 */
AttnStudy *
attn_study_copy (const AttnStudy *study)
{
  const AttnRecord *record = attn_study_get_record ();
  AttnStudy *copy = g_atomic_rc_box_dup (record->size, (AttnStudy *) study);

  attn_record_own (record, copy);
  return copy;
}

/**
 * attn_study_ref:
 *
 * Any thread can call it.
 *
 * Returns: (transfer full): @study, which from now on must not be changed
 */
const AttnStudy *
attn_study_ref (const AttnStudy *study)
{
  return g_atomic_rc_box_acquire ((AttnStudy *) study);
}

static void
clear (gpointer study)
{
  attn_record_clear (attn_study_get_record (), study);
}

void
attn_study_unref (const AttnStudy *study)
{
  if (study != NULL)
    g_atomic_rc_box_release_full ((AttnStudy *) study, clear);
}

/**
 * attn_study_equal:
 *
 * Returns: whether @a and @b are equal in every setting
 */
gboolean
attn_study_equal (const AttnStudy *a,
                  const AttnStudy *b)
{
  return a == b || attn_record_equal (attn_study_get_record (), a, b);
}

/**
 * attn_study_has_panels_of:
 *
 * Returns: whether @a and @b have the same panels, so that they differ at most in how the panels
 *   are drawn
 */
gboolean
attn_study_has_panels_of (const AttnStudy *a,
                          const AttnStudy *b)
{
  const AttnRecord *record = attn_study_get_record ();

  for (gsize i = 0; i < record->n_fields; i++)
    if (record->fields[i].effect == ATTN_EFFECT_COMPUTE &&
        !attn_field_equal (&record->fields[i], a, b))
      return FALSE;
  return TRUE;
}

/**
 * attn_study_does_as:
 * @preset: the study of a preset, unchanged
 *
 * Returns: whether @study does to a model what @preset does, and shows the same of it. Models,
 *   inputs, layer, head and drawing can differ.
 */
gboolean
attn_study_does_as (const AttnStudy *study,
                    const AttnStudy *preset)
{
  static const char * const own[] = { "preset", "model", "other-models", "inputs",
                                      "special-tokens", "chat", "layer", "head", NULL };
  const AttnRecord *record = attn_study_get_record ();

  for (gsize i = 0; i < record->n_fields; i++)
    if (record->fields[i].effect == ATTN_EFFECT_COMPUTE &&
        !g_strv_contains (own, record->fields[i].name) &&
        !attn_field_equal (&record->fields[i], study, preset))
      return FALSE;
  return TRUE;
}

/**
 * attn_study_get_model:
 * @index: 0 for the first model, from 1 on for the others
 *
 * Returns: (transfer none): the model within @study, to be changed only if @study was not given
 *   away
 */
AttnModelReference *
attn_study_get_model (const AttnStudy *study,
                      guint            index)
{
  return index > 0 ? g_ptr_array_index (study->other_models, index - 1)
                   : (AttnModelReference *) &study->model;
}

/**
 * attn_study_set_texts:
 * @path: (type filename): path of a file of many texts
 *
 * Lets the survey of @study use the texts in this file from now on, not random tokens.
 */
void
attn_study_set_texts (AttnStudy  *study,
                      const char *path)
{
  const AttnStudy *usual = attn_study_get_record ()->usual;

  if (study->survey.texts == NULL && study->survey.n_random > 0)
    study->survey.length = usual->survey.length;
  g_free (study->survey.texts);
  study->survey.texts = g_strdup (path);
  study->survey.n_random = 0;
}

/**
 * attn_study_get_framing:
 *
 * Returns: what is added around each text: the model's chat template, special tokens or nothing
 */
AttnFraming
attn_study_get_framing (const AttnStudy *study)
{
  return study->applies_chat          ? ATTN_FRAMING_CHAT
         : study->adds_special_tokens ? ATTN_FRAMING_SPECIAL
                                      : ATTN_FRAMING_NONE;
}

/**
 * attn_study_list_patches:
 *
 * Returns: (transfer container) (element-type gsize): pointers to the members of @study that hold
 *   the number of an input that is patched from, its own operation first; to be changed only if
 *   @study was not given away
 */
GPtrArray *
attn_study_list_patches (const AttnStudy *study)
{
  GPtrArray *inputs = g_ptr_array_new ();

  if (study->operation == ATTN_OPERATION_PATCH)
    g_ptr_array_add (inputs, (gpointer) &study->patch_input);
  for (guint i = 0; i < study->extra_interventions->len; i++)
    {
      AttnIntervention *patch = g_ptr_array_index (study->extra_interventions, i);

      if (patch->operation == ATTN_OPERATION_PATCH)
        g_ptr_array_add (inputs, &patch->input);
    }
  return inputs;
}
