/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-edits.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-error.h"
#include "attn-head-groups.h"
#include "attn-input-bind.h"
#include "attn-probe-file.h"
#include "attn-study-table.h"
#include "attn-survey-settle.h"
#include "attn-workspace.h"

/* Number of ids that replace a text if the model has no tokenizer. */
#define N_STAND_INS 15

/* Adjusts the input numbers of patches after an input was removed or moved, and removes patches
 * from a removed input. @from: old index of the input, or -1; @to: new index, or -1 */
static void
follow_inputs (AttnStudy *study,
               int        from,
               int        to)
{
  GPtrArray *interventions = study->extra_interventions;

  for (guint i = interventions->len; i-- > 0 && to < 0;)
    {
      const AttnIntervention *patch = g_ptr_array_index (interventions, i);

      if (patch->operation == ATTN_OPERATION_PATCH && (int) patch->input == from)
        g_ptr_array_remove_index (interventions, i);
    }
  g_autoptr (GPtrArray) patches = attn_study_list_patches (study);
  for (guint i = 0; i < patches->len; i++)
    {
      gsize *patched = g_ptr_array_index (patches, i);
      int input = (int) *patched;

      if (input == from && to >= 0)
        input = to;
      else
        {
          input -= from >= 0 && input > from;
          input += to >= 0 && input >= to;
        }
      /* If the input of the study's own patch was removed, the patch uses the next one. */
      *patched = MIN ((gsize) input, study->inputs->len - 1);
    }
}

/**
 * attn_edits_move_input:
 * @from: where it is
 * @to: where it will be; beyond the last means the last
 *
 * The inputs between move up or down by one.
 */
void
attn_edits_move_input (AttnStudy *study,
                       guint      from,
                       guint      to)
{
  g_return_if_fail (from < study->inputs->len);

  gpointer input = g_ptr_array_steal_index (study->inputs, from);
  g_ptr_array_insert (study->inputs, MIN (to, study->inputs->len), input);
  follow_inputs (study, (int) from, (int) MIN (to, study->inputs->len - 1));
}

/**
 * attn_edits_remove_input:
 *
 * Takes an input away and what is patched from it.
 */
void
attn_edits_remove_input (AttnStudy *study,
                         guint      index)
{
  g_ptr_array_remove_index (study->inputs, index);
  follow_inputs (study, (int) index, -1);
}

/**
 * attn_edits_duplicate_input:
 *
 * Puts a copy of the input at @index right behind it.
 */
void
attn_edits_duplicate_input (AttnStudy *study,
                            guint      index)
{
  g_return_if_fail (index < study->inputs->len);

  g_ptr_array_insert (study->inputs, index + 1,
                      attn_input_copy (g_ptr_array_index (study->inputs, index)));
  follow_inputs (study, -1, (int) index + 1);
}

/**
 * attn_edits_find_groups:
 *
 * Lets the groups of heads be found in the attention of the model as it is, by the usual share.
 * Those that are assigned stay in the study, for when they are asked for again.
 */
void
attn_edits_find_groups (AttnStudy *study)
{
  study->groups.rule = ATTN_GROUP_RULE_SHARE;
  study->groups.level = ATTN_GROUP_DEFAULT_SHARE;
  study->groups.has_mask = FALSE;
  study->groups.mask = ATTN_MASK_NONE;
}

/* Tells whether the groups are those that the preset assigns. */
static gboolean
has_groups_of (const AttnStudy *study,
               const AttnStudy *origin)
{
  return study->groups.rule == ATTN_GROUP_RULE_ASSIGNED && study->groups.assigned->len > 0 &&
         attn_field_equal (attn_study_find_field ("groups.heads"), study, origin);
}

/**
 * attn_edits_fit_groups:
 * @is_recorded: whether the model is a recording, whose tokens are not those of any text
 *
 * The groups of a preset are made of words of its own input. Where another one lacks them, the
 * groups are found instead. Groups that were assigned by hand stay as they are.
 */
void
attn_edits_fit_groups (AttnStudy *study,
                       gboolean   is_recorded)
{
  if (!attn_study_get_traits (study)->has_groups || study->preset == NULL ||
      study->inputs->len == 0)
    return;

  g_autoptr (AttnStudy) origin = attn_presets_load (study->preset, NULL);
  const AttnInput *input = g_ptr_array_index (study->inputs, 0);
  if (origin != NULL && has_groups_of (study, origin) &&
      (is_recorded || input->text == NULL ||
       !attn_groups_are_words_of (study->groups.assigned, input->text)))
    attn_edits_find_groups (study);
}

/* Makes an input of ids: the first input gets the first ids, the second the next. */
static AttnInput *
new_stand_in (guint       index,
              const char *text)
{
  guint32 ids[N_STAND_INS];

  for (guint i = 0; i < N_STAND_INS; i++)
    ids[i] = index * N_STAND_INS + i;
  AttnInput *stand_in = attn_input_new_ids (ids, N_STAND_INS, 0);
  stand_in->stands_for = g_strdup (text);
  return stand_in;
}

/* Makes an input of the picture or sound that ships with the program, to replace @other. Returns
 * %NULL if the file is missing. */
static AttnInput *
new_stand_in_file (const char      *name,
                   gboolean         is_sound,
                   const AttnInput *other)
{
  g_autofree char *path = attn_data_find (name);
  const char *text = other->text != NULL ? other->text : other->stands_for;
  AttnInput *stand_in = path == NULL ? NULL
                        : is_sound   ? attn_input_new_sound (path, FALSE)
                                     : attn_input_new_picture (path, FALSE);

  if (stand_in != NULL)
    stand_in->stands_for = g_strdup (text != NULL ? text : ATTN_EDITS_FALLBACK_TEXT);
  return stand_in;
}

/* Separates the texts that are kept in one string while a shipped picture or sound takes the place
 * of all of them. */
#define TEXT_END "\x1E"

/* Tells whether @input is a shipped picture or sound that replaces a text. */
static gboolean
stands_for_text (const AttnInput *input)
{
  return (attn_input_is_picture (input) || attn_input_is_sound (input)) &&
         input->stands_for != NULL;
}

/* Merges all inputs that are the shipped picture or sound into one, which keeps the texts that they
 * replaced: panels of the same input would be equal. */
static void
join_stand_ins (AttnStudy *study)
{
  AttnInput *first = NULL;

  for (guint i = 0; i < study->inputs->len;)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);
      gboolean is_one = stands_for_text (input);

      if (is_one && first != NULL)
        {
          g_autofree char *before = first->stands_for;

          first->stands_for = g_strconcat (before, TEXT_END, input->stands_for, NULL);
          attn_edits_remove_input (study, i);
          continue;
        }
      first = is_one ? input : first;
      i++;
    }
}

/**
 * attn_edits_part_stand_ins:
 *
 * Gives each of the texts that one picture or sound stands for an input of its own again, of that
 * picture or sound.
 */
void
attn_edits_part_stand_ins (AttnStudy *study)
{
  for (guint i = 0; i < study->inputs->len; i++)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);
      const char *end = stands_for_text (input) ? strstr (input->stands_for, TEXT_END) : NULL;

      if (end == NULL)
        continue;
      attn_edits_duplicate_input (study, i);
      AttnInput *rest = g_ptr_array_index (study->inputs, i + 1);
      g_free (rest->stands_for);
      rest->stands_for = g_strdup (end + strlen (TEXT_END));
      input->stands_for[end - input->stands_for] = '\0';
    }
}

/* Returns an input that the model can take to replace @input: a text for a picture or sound, or the
 * reverse. Returns %NULL if @input can stay. */
static AttnInput *
replace_other (const AttnInput     *input,
               const AttnModelInfo *info)
{
  gboolean is_picture = attn_input_is_picture (input), is_sound = attn_input_is_sound (input);

  if (info->needs_picture)
    return is_picture ? NULL : new_stand_in_file ("pictures/garden.png", FALSE, input);
  if (info->needs_sound)
    return is_sound ? NULL : new_stand_in_file ("sounds/bells.wav", TRUE, input);
  if (info->is_recording || !(is_picture || is_sound) || (is_picture && info->takes_picture))
    return NULL;
  return attn_input_new_text (
      input->stands_for != NULL ? input->stands_for : ATTN_EDITS_FALLBACK_TEXT, 0);
}

static void
forget_target (AttnInput *input)
{
  g_clear_pointer (&input->target, g_free);
  g_clear_pointer (&input->target_ids, g_free);
  input->n_target_ids = 0;
}

/**
 * attn_edits_fit_inputs:
 * @info: of the model that the study has
 *
 * A model without a tokenizer takes token ids only: some stand for the texts of the study, until it
 * has a model with a tokenizer. A model of pictures, or of sounds, takes the one that ships with
 * the program once in the place of them all, and one of texts gives them back. One without a
 * decoder reads no target. The groups of the study fit its inputs then, see
 * [func@attn_edits_fit_groups].
 */
void
attn_edits_fit_inputs (AttnStudy           *study,
                       const AttnModelInfo *info)
{
  gboolean takes_text = info->is_recording || info->has_tokenizer;

  if (!info->needs_picture && !info->needs_sound && !info->is_recording)
    attn_edits_part_stand_ins (study);
  attn_edits_part_pictures (study, info);
  for (guint i = 0; i < study->inputs->len; i++)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);
      attn_edits_fit_seeing (input, info);
      AttnInput *other = replace_other (input, info);

      if (other != NULL)
        {
          g_ptr_array_index (study->inputs, i) = other;
          attn_input_free (input);
          input = other;
        }
      if (!attn_model_info_has_decoder (info))
        forget_target (input);
      if (attn_input_is_picture (input) || attn_input_is_sound (input))
        continue;
      if (takes_text ? input->stands_for == NULL : input->ids != NULL)
        continue;
      if (takes_text)
        g_ptr_array_index (study->inputs, i) = attn_input_new_text (input->stands_for, 0);
      else
        g_ptr_array_index (study->inputs, i) = new_stand_in (i, input->text);
      attn_input_free (input);
    }
  if (info->needs_picture || info->needs_sound)
    join_stand_ins (study);
  attn_edits_fit_groups (study, info->is_recording);
}

/**
 * attn_edits_keep_inputs:
 * @study: a preset
 * @old: the study that it takes the place of
 * @origin: (nullable): the preset of @old
 *
 * Takes over the inputs of @old that differ from those of its preset: the user wrote them. A map of
 * patches, whose answers are those to its two inputs, has them alone, or none of them.
 */
void
attn_edits_keep_inputs (AttnStudy       *study,
                        const AttnStudy *old,
                        const AttnStudy *origin)
{
  gboolean has_own = FALSE;

  for (guint i = 0; origin != NULL && i < old->inputs->len; i++)
    {
      const AttnInput *input = g_ptr_array_index (old->inputs, i);
      const AttnInput *own = i < origin->inputs->len ? g_ptr_array_index (origin->inputs, i) : NULL;
      const char *text = input->text != NULL ? input->text : input->stands_for;

      if (own != NULL && text != NULL && g_strcmp0 (text, own->text) == 0)
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
 * attn_edits_limit_tokens:
 *
 * Of each input that has more tokens than the model has positions, as many from the first on are
 * used as there are positions.
 *
 * Returns: whether there is such an input
 */
gboolean
attn_edits_limit_tokens (AttnStudy       *study,
                         const AttnModel *model)
{
  gboolean has_changed = FALSE;

  for (guint i = 0; i < study->inputs->len; i++)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);
      g_autoptr (GError) error = NULL;

      /* These have all of their tokens. */
      if (attn_input_is_picture (input) || attn_input_is_sound (input))
        continue;
      g_autoptr (AttnTokens) tokens =
          attn_input_tokenize (input, i + 1, model, attn_study_get_framing (study), &error);

      if (!g_error_matches (error, ATTN_ERROR, ATTN_ERROR_LIMIT))
        continue;
      gsize before = input->n_tokens;
      input->n_tokens = attn_model_get_info (model)->n_positions;
      tokens = attn_input_tokenize (input, i + 1, model, attn_study_get_framing (study), NULL);
      /* If tokenizing still fails, the input has another error, and the number of tokens is
       * restored. */
      if (tokens == NULL)
        input->n_tokens = before;
      has_changed = has_changed || tokens != NULL;
    }
  return has_changed;
}

/**
 * attn_edits_show_model:
 * @path: (nullable): of a model that is open; %NULL for the one that is shipped
 * @info: of that model
 *
 * Recorded arrays are shown as they are and in their own range, since most studies do something to
 * a model; a table of layers and tokens, probes and a survey have a figure that suits them. Of
 * several attentions it is the first. A layer or a head that the model does not have gives way to
 * the one with the strongest sink.
 *
 * Returns: (transfer full): @study with that model, or a study that suits the model better
 */
AttnStudy *
attn_edits_show_model (const AttnStudy          *study,
                       const AttnModelReference *model,
                       const AttnModelInfo      *info)
{
  gboolean suits = (info->n_surveyed > 0 && attn_study_get_traits (study)->has_survey) ||
                   (info->is_matrix && attn_study_get_traits (study)->has_roles);
  const char *preset = info->n_surveyed > 0 ? "survey" : "single";
  g_autoptr (AttnStudy) single = NULL;

  if (info->is_recording && !suits)
    single = info->is_probe ? attn_probe_load_study (model, NULL)
                            : attn_presets_load (preset, NULL);
  AttnStudy *shown = attn_study_copy (single != NULL ? single : study);

  if (single != NULL && !info->is_probe)
    shown->style.range = ATTN_RANGE_DATA;
  /* A recording with a picture shows the attention over the picture. */
  if (info->is_recording && info->n_patch_rows > 0)
    shown->is_over_picture = TRUE;
  attn_model_reference_take (&shown->model, model);
  g_clear_pointer (&shown->attention, g_free);
  if (shown->layer >= (int) info->n_layers)
    shown->layer = ATTN_LAYER_STRONGEST_SINK;
  if (shown->head >= (int) info->n_heads)
    shown->head = ATTN_HEAD_STRONGEST_SINK;
  attn_edits_fit_inputs (shown, info);
  if (info->n_surveyed > 0)
    attn_survey_fit_study (shown, model->path);
  return shown;
}

/**
 * attn_edits_choose_attention:
 * @info: of the model that the study has, whichever of its attentions is shown
 * @name: one of its attentions
 *
 * Where one of them is of pictures and another of texts, the inputs become what @name takes.
 */
void
attn_edits_choose_attention (AttnStudy           *study,
                             const AttnModelInfo *info,
                             const char          *name)
{
  AttnModelInfo chosen = *info;

  g_free (study->attention);
  study->attention = g_strdup (name);
  chosen.needs_picture = g_str_equal (name, "vision");
  chosen.takes_picture = info->sees && !chosen.needs_picture;
  attn_edits_fit_inputs (study, &chosen);
}

/**
 * attn_edits_compare_with_base:
 *
 * Shows the model without its adapter, the model with it and their difference.
 *
 * Returns: whether the first model has an adapter
 */
gboolean
attn_edits_compare_with_base (AttnStudy *study)
{
  g_autoptr (AttnModelReference) changed = attn_model_reference_copy (&study->model);
  g_autofree char *base = NULL;

  if (changed->adapter == NULL && !attn_model_dup_base (changed->path, &base))
    return FALSE;
  attn_model_reference_set (&study->model, base != NULL ? base : changed->path);
  g_ptr_array_set_size (study->other_models, 0);
  g_ptr_array_add (study->other_models, g_steal_pointer (&changed));
  study->rows = ATTN_DIMENSION_NONE;
  study->columns = ATTN_DIMENSION_COMPARISON;
  study->compared = ATTN_DIMENSION_MODEL;
  memset (study->components, 0, sizeof study->components);
  attn_study_forget_panels (study);
  return TRUE;
}

/* Removes inputs of other kinds, and those that replace texts. */
static void
keep_only (AttnStudy *study, gboolean (*is_like) (const AttnInput *input))
{
  for (guint i = study->inputs->len; i-- > 0;)
    {
      AttnInput *input = g_ptr_array_index (study->inputs, i);

      if (!is_like (input) || input->stands_for != NULL)
        g_ptr_array_remove_index (study->inputs, i);
    }
}

/**
 * attn_edits_add_picture:
 * @info: (nullable): of the model of the study
 * @path: of a picture; it is not read
 *
 * Pictures stand beside each other; other inputs give way to the first, and so does one that stands
 * for texts. Panels lie over it. In the study of a model of texts with pictures in them it goes
 * into a text.
 */
void
attn_edits_add_picture (AttnStudy           *study,
                        const AttnModelInfo *info,
                        const char          *path)
{
  if (info != NULL && info->takes_picture)
    {
      attn_edits_insert_picture (study, info, path);
      return;
    }
  keep_only (study, attn_input_is_picture);
  study->is_over_picture = study->is_over_picture || study->inputs->len == 0;
  g_ptr_array_add (study->inputs, attn_input_new_picture (path, FALSE));
}

/**
 * attn_edits_add_sound:
 * @path: of a sound; it is not read
 *
 * Sounds stand beside each other; other inputs give way to the first, and so does one that stands
 * for texts. The first has the target of the input whose place it takes.
 */
void
attn_edits_add_sound (AttnStudy  *study,
                      const char *path)
{
  AttnInput *sound = attn_input_new_sound (path, FALSE);
  const AttnInput *first = study->inputs->len > 0 ? study->inputs->pdata[0] : NULL;

  if (first != NULL && (first->stands_for != NULL || !attn_input_is_sound (first)))
    {
      sound->target = g_strdup (first->target);
      sound->target_ids = g_memdup2 (first->target_ids,
                                     first->n_target_ids * sizeof *first->target_ids);
      sound->n_target_ids = first->n_target_ids;
    }
  keep_only (study, attn_input_is_sound);
  g_ptr_array_add (study->inputs, sound);
}

/**
 * attn_edits_append_inputs:
 * @inputs: (element-type AttnInput): copied
 * @error: return location for %ATTN_ERROR_LIMIT
 *
 * Returns: whether there was room for all of them; otherwise none is taken
 */
gboolean
attn_edits_append_inputs (AttnStudy   *study,
                          GPtrArray   *inputs,
                          const char  *where,
                          GError     **error)
{
  guint n_left = ATTN_EDITS_MAX_INPUTS - MIN (study->inputs->len, ATTN_EDITS_MAX_INPUTS);

  if (inputs->len > n_left)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("%s: %u inputs found, expected at most %u beside those that are there"),
                      where, inputs->len, n_left);
  for (guint i = 0; i < inputs->len; i++)
    g_ptr_array_add (study->inputs, attn_input_copy (g_ptr_array_index (inputs, i)));
  return TRUE;
}

/**
 * attn_edits_count_epsilons:
 *
 * Returns: how many factors count, from the first on: without a dimension of ε only one, without a
 *   component that is multiplied none
 */
guint
attn_edits_count_epsilons (const AttnStudy *study)
{
  if (study->operation != ATTN_OPERATION_SCALE)
    return 0;
  return attn_study_changes_along (study, ATTN_DIMENSION_EPSILON) ? study->epsilons->len
                                                                  : MIN (study->epsilons->len, 1);
}

/**
 * attn_edits_drop_unused_epsilons:
 * @study: whose figure uses the first factors alone, or none
 *
 * Makes the others those of its preset, which then need not be told, or drops them.
 */
void
attn_edits_drop_unused_epsilons (AttnStudy *study)
{
  g_autoptr (AttnStudy) preset =
      study->preset != NULL ? attn_presets_load (study->preset, NULL) : NULL;
  /* A survey has a condition for each, and a curve over ε marks each. */
  gboolean uses_all =
      study->rows == ATTN_DIMENSION_EPSILON || study->columns == ATTN_DIMENSION_EPSILON ||
      attn_study_get_traits (study)->has_survey ||
      (study->effects[ATTN_SHOWN_CURVE] && attn_study_has_factor (study));
  guint n_used = MAX (attn_edits_count_epsilons (study),
                      (guint) attn_study_says (study, "{epsilon}"));

  if (uses_all || n_used > study->epsilons->len)
    return;
  if (preset != NULL && n_used <= preset->epsilons->len &&
      (n_used == 0 ||
       memcmp (preset->epsilons->data, study->epsilons->data, n_used * sizeof (double)) == 0))
    {
      g_array_set_size (study->epsilons, 0);
      g_array_append_vals (study->epsilons, preset->epsilons->data, preset->epsilons->len);
    }
  else
    g_array_set_size (study->epsilons, MAX (n_used, MIN (study->epsilons->len, 1)));
}

/* Resolves conflicts between the dimensions of rows and columns. If both would be equal, they are
 * swapped. @before: the previous dimension of this side */
static void
settle_dimension (AttnStudy     *study,
                  AttnDimension  here,
                  AttnDimension *there,
                  AttnDimension  before)
{
  if (*there == here && here != ATTN_DIMENSION_NONE)
    *there = before;
  /* The axis belongs to the mean and ε to scaling, so the two cannot be combined. */
  if ((here == ATTN_DIMENSION_AXIS && *there == ATTN_DIMENSION_EPSILON) ||
      (here == ATTN_DIMENSION_EPSILON && *there == ATTN_DIMENSION_AXIS))
    *there = ATTN_DIMENSION_NONE;
  attn_cell_need_members (study);
  attn_study_forget_panels (study);
}

static gboolean
is_of_other_operation (const AttnStudy *study,
                       AttnDimension    dimension)
{
  return (dimension == ATTN_DIMENSION_EPSILON && study->operation != ATTN_OPERATION_SCALE) ||
         (dimension == ATTN_DIMENSION_AXIS && study->operation != ATTN_OPERATION_MEAN) ||
         ((dimension == ATTN_DIMENSION_COMPONENT || dimension == ATTN_DIMENSION_SITE) &&
          study->operation == ATTN_OPERATION_CUT);
}

/* Sets the measure of an atlas of effects to that of the current operation. */
static void
settle_effect (AttnStudy *study)
{
  AttnOperation operation;

  if (!attn_study_measures_effect (study, &operation))
    return;
  if (study->operation == ATTN_OPERATION_SCALE)
    study->measure = ATTN_HEAD_MEASURE_EFFECT_SCALE;
  else if (study->operation == ATTN_OPERATION_MEAN)
    study->measure = ATTN_HEAD_MEASURE_EFFECT_MEAN;
  else if (study->operation == ATTN_OPERATION_ZERO)
    study->measure = ATTN_HEAD_MEASURE_EFFECT_ZERO;
  /* One factor holds for all heads. */
  if (study->epsilons->len > 1)
    g_array_set_size (study->epsilons, 0);
  attn_study_fit_measure (study);
}

/* Removes dimensions that the operation does not have, and sets its defaults: a patch needs a valid
 * source input, and a cut removes the first key, which is not needed by any query but the first. */
static void
settle_operation (AttnStudy *study)
{
  AttnDimension *sides[] = { &study->rows, &study->columns };

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    if (is_of_other_operation (study, *sides[i]))
      {
        *sides[i] = ATTN_DIMENSION_NONE;
        attn_study_forget_panels (study);
      }
  if (study->operation == ATTN_OPERATION_SCALE)
    attn_cell_need_epsilons (study);
  if (study->operation == ATTN_OPERATION_PATCH)
    study->patch_input = MIN (study->patch_input, study->inputs->len - 1);
  if (study->operation == ATTN_OPERATION_CUT && study->cut_keys == NULL)
    study->cut_keys = attn_index_set_new_range (0, 0);
}

/* Resets layers, heads and tokens, as each kind of attention of a model has its own. */
static void
settle_attention (AttnStudy *study)
{
  study->layer = ATTN_LAYER_STRONGEST_SINK;
  study->head = ATTN_HEAD_STRONGEST_SINK;
  g_clear_pointer (&study->layers, attn_index_set_unref);
  g_clear_pointer (&study->heads, attn_index_set_unref);
  g_clear_pointer (&study->scope_tokens, attn_index_set_unref);
  g_clear_pointer (&study->queries, attn_index_set_unref);
  attn_study_forget_panels (study);
}

/**
 * attn_edits_explain_last_component:
 *
 * Returns: why the last component of a figure that has a panel for each cannot go off
 */
const char *
attn_edits_explain_last_component (void)
{
  return _("The figure has a panel for each component: at least one stays. Another one takes its "
           "place once that is on.");
}

/**
 * attn_edits_settle:
 * @study: a copy of @before in which one setting was changed
 * @before: the study until then
 * @shown_layer: the layer on display, which the head of a strongest sink is chosen in; -1 if it is
 *   not known
 *
 * Changes what has to agree with that setting. Two sides of the grid never have the same dimension,
 * a dimension brings what it needs, such as an ε. An operation ends a dimension that it does not
 * have. The strongest sink of all is a layer and a head: choosing one of them fixes the other. Of
 * all keys, the first is hidden.
 *
 * Returns: %FALSE with %ATTN_ERROR_ARGUMENT where nothing can agree with it: a figure with a panel
 *   a component without any, a cut of all keys
 */
gboolean
attn_edits_settle (AttnStudy        *study,
                   const AttnStudy  *before,
                   int               shown_layer,
                   GError          **error)
{
  if (attn_study_changes_along (before, ATTN_DIMENSION_COMPONENT) &&
      study->rows == before->rows && study->columns == before->columns &&
      !attn_study_has_operation (study))
    return attn_fail (error, ATTN_ERROR_ARGUMENT, "%s", attn_edits_explain_last_component ());
  if (study->operation == ATTN_OPERATION_CUT && study->cut_keys == NULL &&
      before->cut_keys != NULL)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("all keys found, expected positions such as 0 or 0,3-5"));
  if (study->rows != before->rows)
    settle_dimension (study, study->rows, &study->columns, before->rows);
  else if (study->columns != before->columns)
    settle_dimension (study, study->columns, &study->rows, before->columns);
  else if (study->operation != before->operation)
    {
      settle_operation (study);
      settle_effect (study);
    }
  else if (study->quantity != before->quantity)
    attn_study_fit_quantity (study);
  else if (study->measure != before->measure)
    attn_study_fit_measure (study);
  else if (study->state != before->state)
    attn_study_fit_state (study);
  else if (g_strcmp0 (study->attention, before->attention) != 0)
    settle_attention (study);
  else if (study->compared != before->compared)
    attn_cell_need_members (study);
  else if (study->layer != before->layer && study->layer == ATTN_LAYER_STRONGEST_SINK)
    study->head = ATTN_HEAD_STRONGEST_SINK;
  else if (study->head != before->head && study->head != ATTN_HEAD_STRONGEST_SINK &&
           study->layer == ATTN_LAYER_STRONGEST_SINK)
    study->layer = shown_layer;
  else if (study->hides_keys && !before->hides_keys && study->hidden_keys == NULL)
    study->hidden_keys = attn_index_set_new_range (0, 0);
  return TRUE;
}

static int
compare_numbers (gconstpointer a,
                 gconstpointer b)
{
  double first = *(const double *) a;
  double second = *(const double *) b;

  return (first > second) - (first < second);
}

/* Returns a power of ten near the middle of the widest gap between the factors, on a logarithmic
 * scale. */
static double
find_gap (const GArray *epsilons)
{
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) epsilons);
  double one = 1;
  double widest = 0;
  double middle = one;

  g_array_append_val (sorted, one);
  g_array_sort (sorted, compare_numbers);
  for (guint i = 1; i < sorted->len; i++)
    {
      double low = log10 (g_array_index (sorted, double, i - 1));
      double high = log10 (g_array_index (sorted, double, i));

      if (high - low <= widest)
        continue;
      widest = high - low;
      middle = pow (10, widest >= 2 ? round ((low + high) / 2) : (low + high) / 2);
    }
  return middle;
}

/**
 * attn_edits_append_epsilon:
 *
 * Adds a factor of a hundredth of the smallest one that the study has; where that is less than a
 * factor can be, one between those that are farthest apart.
 */
void
attn_edits_append_epsilon (AttnStudy *study)
{
  double smallest = 1e2;

  for (guint i = 0; i < study->epsilons->len; i++)
    smallest = MIN (smallest, g_array_index (study->epsilons, double, i));
  /* A division rounds. */
  double epsilon = smallest / 100 > ATTN_EPSILON_MIN * (1 - 1e-9)
                       ? MAX (smallest / 100, ATTN_EPSILON_MIN)
                       : find_gap (study->epsilons);
  g_array_append_val (study->epsilons, epsilon);
}
