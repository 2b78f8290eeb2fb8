/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Surveys, measures of the heads over many texts: computing one, and saving its results. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-file-chooser.h"
#include "attn-survey-texts.h"

/* Returns the model on display or, if that is the file of a survey, the model that was surveyed. */
static const AttnModelReference *
get_model (AttnWindow *self)
{
  static const AttnModelReference shipped;
  AttnResult *result = attn_session_get_result (self->session);

  if (result != NULL && attn_model_get_info (result->model)->n_surveyed > 0)
    return result->texts != NULL ? &result->texts->model : &shipped;
  return &attn_session_get_study (self->session)->model;
}

/**
 * attn_window_leave_survey:
 * @study: a study of another figure, to be edited
 *
 * If the window shows the file of a survey in place of a model, @study gets the model that was
 * surveyed: other figures need its weights.
 */
void
attn_window_leave_survey (AttnWindow *self,
                          AttnStudy  *study)
{
  AttnModel *model = attn_session_get_model (self->session);

  if (!attn_study_get_traits (study)->has_survey && model != NULL &&
      attn_model_get_info (model)->n_surveyed > 0)
    attn_model_reference_take (&study->model, get_model (self));
}

/* Opens the preset of surveys for the chosen file of texts. The interventions of the study are
 * kept. */
static void
texts_chosen_cb (gpointer        object,
                 GFile          *file,
                 GtkFileChooser *chooser)
{
  AttnWindow *self = object;
  const AttnStudy *old = attn_session_get_study (self->session);
  g_autofree char *path = g_file_get_path (file);
  AttnStudy *study = path != NULL ? attn_presets_load ("survey", NULL) : NULL;

  if (study == NULL)
    return;
  attn_model_reference_take (&study->model, get_model (self));
  study->adds_special_tokens = old->adds_special_tokens;
  study->applies_chat = old->applies_chat;
  study->operation = old->operation;
  memcpy (study->components, old->components, sizeof study->components);
  study->axis = old->axis;
  study->site = old->site;
  if (old->epsilons->len > 0)
    {
      g_array_unref (study->epsilons);
      study->epsilons = g_array_copy (old->epsilons);
    }
  attn_study_set_texts (study, path);
  attn_session_edit (self->session, study, NULL);
}

static void
new_survey (AttnWindow *self)
{
  attn_file_chooser_open_texts (self, texts_chosen_cb);
}

static void
saved_cb (gpointer        object,
          GFile          *file,
          GtkFileChooser *chooser)
{
  AttnWindow *self = object;
  AttnResult *result = attn_session_get_result (self->session);
  g_autofree char *path = g_file_get_path (file);

  if (result != NULL && result->survey != NULL && path != NULL)
    attn_window_save_survey (self, result->survey, path);
}

static void
save_survey (AttnWindow *self)
{
  const AttnFileKind kinds[] = { { _("Surveys (NPZ)"), "npz" }, { NULL } };
  GtkFileChooser *chooser = attn_file_chooser_new (
      _("Save Survey"), GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), kinds);

  gtk_file_chooser_set_current_name (chooser, "survey.npz");
  attn_file_chooser_show (chooser, saved_cb, self);
}

/**
 * attn_window_add_survey:
 *
 * Adds the actions that compute a survey and that save its results.
 */
void
attn_window_add_survey (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "new-survey", G_CALLBACK (new_survey) },
    { "save-survey", G_CALLBACK (save_survey) },
  };

  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
}
