/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-inputs-section.h"

#include <glib/gi18n.h>

#include "attn-cell.h"
#include "attn-edits.h"
#include "attn-file-chooser.h"
#include "attn-input-drag.h"
#include "attn-input-row.h"
#include "attn-inputs-reader.h"
#include "attn-settings.h"
#include "attn-study-table.h"

struct _AttnInputsSection
{
  GtkBox parent_instance;

  AttnSession *session;
  AttnReading *reading; /* (nullable) */
  GSettings *settings;
  AttnBinder *binder;       /* unowned; %NULL once the section is disposed of */
  AttnInputsReader *reader; /* reader that adds files, and pictures of the clipboard, as inputs */
  GPtrArray *rows;          /* (element-type AttnInputRow): rows of the inputs, unowned */
  AttnSoundNames *names;    /* (nullable): languages and tasks of the last open model */
  char *named;              /* (nullable): path of that model */
  gboolean has_chat;        /* whether the last open model has a chat template */
};

G_DEFINE_FINAL_TYPE (AttnInputsSection, attn_inputs_section, GTK_TYPE_BOX)

/* Edits the study after its inputs have changed; the groups of tokens of a preset, which are those
 * of its own first input, are replaced if they do not fit the present one. */
static void
edit_inputs (AttnInputsSection *self,
             AttnStudy         *study,
             const char        *what)
{
  attn_edits_fit_groups (study, FALSE);
  attn_session_edit (self->session, study, what);
}

static void
input_changed_cb (AttnInputsSection *self,
                  AttnInputRow      *row)
{
  guint index = attn_input_row_get_index (row);
  g_autofree char *what = g_strdup_printf ("input-%u", index);
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (self->session));
  g_autoptr (GError) error = NULL;
  AttnInput *input = attn_input_row_dup_input (row, &error);

  if (input == NULL)
    {
      attn_binder_fail (self->binder, error);
      return;
    }
  AttnInput **slot = (AttnInput **) &g_ptr_array_index (study->inputs, index);
  /* A text that the user types over that of a preset is not cut to the number of tokens that the
   * preset uses. */
  if (input->n_tokens > 0 && input->n_tokens == (*slot)->n_tokens &&
      g_strcmp0 (input->text, (*slot)->text) != 0 && attn_presets_have_input (*slot))
    input->n_tokens = 0;
  /* The sound that ships with the program keeps the text that it replaces. */
  if (attn_input_is_sound (input) && g_strcmp0 (input->audio, (*slot)->audio) == 0)
    input->stands_for = g_steal_pointer (&(*slot)->stands_for);
  if (g_strcmp0 (input->text, (*slot)->text) != 0)
    attn_study_forget_answers (study);
  attn_input_free (*slot);
  *slot = input;
  edit_inputs (self, g_steal_pointer (&study), what);
}

/**
 * attn_inputs_section_focus:
 * @index: index of an input; nothing happens if there is none
 * @selects: whether all of its text is selected, so that typing replaces it
 *
 * Moves the focus into the text of the input, to be edited.
 */
void
attn_inputs_section_focus (AttnInputsSection *self,
                           guint              index,
                           gboolean           selects)
{
  if (index < self->rows->len)
    attn_input_row_take_focus (g_ptr_array_index (self->rows, index), selects);
}

/* Starts, stops, keeps or discards the answer, the tokens that the model generates after an
 * input. */
static void
command_answer (AttnInputsSection *self,
                AttnInputCommand   command,
                guint              index)
{
  if (command == ATTN_INPUT_CONTINUE)
    attn_session_continue (self->session, index,
                           (gsize) g_settings_get_int (self->settings, "answer-tokens"));
  else if (command == ATTN_INPUT_STOP)
    attn_session_stop_addition (self->session);
  else if (command == ATTN_INPUT_KEEP)
    attn_session_keep_addition (self->session);
  else
    attn_session_discard_addition (self->session);
}

/**
 * attn_inputs_section_continue:
 * @index: index of the input to continue if no input has the focus
 *
 * Has the model continue the text of the input that the user is editing, including what was just
 * typed, or of the input @index.
 */
void
attn_inputs_section_continue (AttnInputsSection *self,
                              guint              index)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkWidget *row =
      focus != NULL ? gtk_widget_get_ancestor (focus, ATTN_TYPE_INPUT_ROW) : NULL;

  if (row == NULL && index < self->rows->len)
    row = g_ptr_array_index (self->rows, index);
  if (row != NULL)
    gtk_widget_activate_action (row, "input.continue", NULL);
}

static void
input_command_cb (AttnInputsSection *self,
                  AttnInputCommand   command,
                  AttnInputRow      *row)
{
  guint index = attn_input_row_get_index (row);

  if (command >= ATTN_INPUT_CONTINUE)
    {
      command_answer (self, command, index);
      return;
    }

  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  guint focus = index;

  switch (command)
    {
    case ATTN_INPUT_REMOVE:
      attn_edits_remove_input (study, index);
      focus = MIN (index, study->inputs->len - 1);
      break;
    case ATTN_INPUT_DUPLICATE:
      attn_edits_duplicate_input (study, index);
      focus = index + 1;
      break;
    case ATTN_INPUT_MOVE_UP:
      attn_edits_move_input (study, index, index - 1);
      focus = index - 1;
      break;
    case ATTN_INPUT_MOVE_DOWN:
      attn_edits_move_input (study, index, index + 1);
      focus = index + 1;
      break;
    default:
      g_assert_not_reached ();
    }
  edit_inputs (self, study, NULL);
  attn_inputs_section_focus (self, focus, command == ATTN_INPUT_DUPLICATE);
}

static void
input_dropped_cb (AttnInputsSection *self,
                  AttnInputRow      *other,
                  AttnInputRow      *row)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  attn_edits_move_input (study, attn_input_row_get_index (other), attn_input_row_get_index (row));
  edit_inputs (self, study, NULL);
}

/* Tells whether the figure uses an input: it shows the first, in a comparison of inputs the first
 * two, all if they are rows or columns of the grid, and a patch takes values from one. */
static gboolean
shows_input (const AttnStudy *study,
             guint            index)
{
  gboolean has_two = attn_study_changes_along (study, ATTN_DIMENSION_INPUT) ||
                     attn_study_get_traits (study)->has_patched;
  guint n_compared = has_two ? 2 : 1;

  g_autoptr (GPtrArray) patches = attn_study_list_patches (study);

  for (guint i = 0; i < patches->len; i++)
    if (*(const gsize *) patches->pdata[i] == index)
      return TRUE;

  return index < n_compared || study->rows == ATTN_DIMENSION_INPUT ||
         study->columns == ATTN_DIMENSION_INPUT;
}

/* Tells whether the switch for the chat template is shown: if the model has one, or if the switch
 * is on, so that it can be turned off. */
static gboolean
offers_chat (AttnInputsSection *self)
{
  AttnModel *model = attn_session_get_model (self->session);
  const AttnTokenizer *tokenizer = model != NULL ? attn_model_get_tokenizer (model, NULL) : NULL;

  if (model != NULL)
    self->has_chat = tokenizer != NULL && attn_tokenizer_has_chat (tokenizer);
  return !attn_session_is_recorded (self->session) &&
         (self->has_chat || attn_session_get_study (self->session)->applies_chat);
}

static gboolean
applies (const AttnStudy *study,
         const char      *name)
{
  return attn_field_get_need (attn_study_find_field (name), study) == NULL;
}

/**
 * attn_inputs_section_sync:
 *
 * Updates the rows to the inputs of the study; existing rows are kept, and with them the focus.
 */
void
attn_inputs_section_sync (AttnInputsSection *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  gboolean is_recorded = attn_session_is_recorded (self->session);
  gboolean has_texts = attn_study_asks_question (study) && !is_recorded;
  gboolean takes_inputs = attn_session_takes_inputs (self->session);
  GtkBox *list = attn_binder_find (self->binder, "input_list");
  guint n_rows = is_recorded ? MIN (study->inputs->len, 1) : study->inputs->len;

  gtk_widget_set_visible (GTK_WIDGET (list), !has_texts);
  gtk_widget_set_visible (attn_binder_find (self->binder, "role_texts"), has_texts);
  gtk_widget_set_visible (attn_binder_find (self->binder, "special_tokens_row"),
                          !is_recorded && applies (study, "special-tokens"));
  gtk_widget_set_sensitive (attn_binder_find (self->binder, "special_tokens_row"),
                            !study->applies_chat);
  gtk_widget_set_visible (attn_binder_find (self->binder, "open_texts"), takes_inputs);
  gtk_widget_set_visible (attn_binder_find (self->binder, "add_input"), takes_inputs);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sidebar.open-texts", takes_inputs);
  while (self->rows->len > n_rows)
    {
      guint last = self->rows->len - 1;

      gtk_box_remove (list, g_ptr_array_index (self->rows, last));
      g_ptr_array_set_size (self->rows, last);
    }
  while (self->rows->len < n_rows)
    {
      AttnInputRow *row = attn_input_row_new (self->rows->len, self->reading);

      g_signal_connect_object (row, "changed", G_CALLBACK (input_changed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (row, "command", G_CALLBACK (input_command_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (row, "dropped", G_CALLBACK (input_dropped_cb), self,
                               G_CONNECT_SWAPPED);
      attn_input_drag_add (row);
      attn_input_row_bind_length (row, self->settings);
      gtk_box_append (list, GTK_WIDGET (row));
      g_ptr_array_add (self->rows, row);
    }
  for (guint i = 0; i < n_rows; i++)
    attn_input_row_set_input (g_ptr_array_index (self->rows, i),
                              g_ptr_array_index (study->inputs, i), n_rows,
                              shows_input (study, i), is_recorded);
  attn_inputs_section_sync_tokens (self);
}

static const AttnAddition *
find_addition (AttnInputsSection *self,
               gsize              index)
{
  const AttnAddition *addition = attn_session_get_addition (self->session);

  return addition != NULL && addition->input == index ? addition : NULL;
}

/* Tells whether the model can continue a text: a model that reads a text in both directions only
 * fills gaps, and one of pictures only classifies. */
static gboolean
can_continue (AttnInputsSection *self)
{
  AttnModel *model = attn_session_get_model (self->session);
  const AttnModelInfo *info = model != NULL ? attn_model_get_info (model) : NULL;

  if (info == NULL)
    return !attn_session_is_recorded (self->session);
  return !info->is_recording && !info->needs_picture &&
         (attn_model_has_decoder (model) || (info->has_logits && info->predicts_next));
}

/* Reads the languages and tasks that a model knows, unless they were read from the same model
 * last. */
static void
read_names (AttnInputsSection *self,
            const AttnModel   *model)
{
  if (g_strcmp0 (attn_model_get_path (model), self->named) == 0)
    return;
  g_clear_pointer (&self->names, attn_sound_names_free);
  g_free (self->named);
  self->names = attn_sound_names_new (model);
  self->named = g_strdup (attn_model_get_path (model));
}

/**
 * attn_inputs_section_sync_tokens:
 *
 * Shows the tokens of each input and of its answer, as far as they are known.
 */
void
attn_inputs_section_sync_tokens (AttnInputsSection *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  gboolean joins = study->joins_words;
  AttnModel *model = attn_session_get_model (self->session);
  gsize n_most = model != NULL ? attn_model_get_info (model)->n_positions : G_MAXSIZE;
  gboolean has_target = model != NULL && attn_model_info_has_decoder (attn_model_get_info (model));
  gboolean goes_on = can_continue (self);
  gboolean is_cross = model != NULL && attn_model_is_cross (model);

  gtk_widget_set_visible (attn_binder_find (self->binder, "chat_row"), offers_chat (self));
  gtk_widget_set_visible (attn_binder_find (self->binder, "continuation_row"),
                          (goes_on || study->n_answer > 0) && applies (study, "continuation"));
  if (model != NULL)
    read_names (self, model);
  for (guint i = 0; i < MIN (self->rows->len, study->inputs->len); i++)
    attn_input_row_set_names (g_ptr_array_index (self->rows, i),
                              g_ptr_array_index (study->inputs, i), self->names);
  for (guint i = 0; i < self->rows->len; i++)
    {
      AttnTokens *own = attn_session_get_tokens (self->session, i);
      AttnTokens *source = attn_session_get_source (self->session, i);
      /* The tokens of the text itself are shown: in a model with a decoder the tokens of the
       * source, not of the target. */
      AttnTokens *tokens = source != NULL ? source : own;
      const AttnAddition *addition = find_addition (self, i);
      AttnWords *words = joins && tokens != NULL && model != NULL
                             ? attn_words_new (tokens, attn_model_get_tokenizer (model, NULL))
                             : NULL;

      /* The answer stands behind the tokens after which it was generated; these may be the tokens
       * of the target. */
      gboolean is_said = addition != NULL && addition->prompt != NULL && addition->is_target;
      if (is_said)
        own = addition->prompt;
      else if (addition != NULL && addition->prompt != NULL)
        tokens = addition->prompt;
      attn_input_row_set_tokens (g_ptr_array_index (self->rows, i), tokens, words, n_most,
                                 !attn_study_get_traits (study)->has_survey);
      attn_input_row_set_target (g_ptr_array_index (self->rows, i), has_target,
                                 source != NULL || is_said ? own : NULL,
                                 is_cross         ? ATTN_TOKEN_OF_COLUMNS
                                 : source != NULL ? ATTN_TOKEN_OF_NEITHER
                                                  : ATTN_TOKEN_OF_BOTH,
                                 is_cross         ? ATTN_TOKEN_OF_ROWS
                                 : source != NULL ? ATTN_TOKEN_OF_BOTH
                                                  : ATTN_TOKEN_OF_NEITHER);
      attn_input_row_set_addition (g_ptr_array_index (self->rows, i), addition, goes_on);
    }
}

/**
 * attn_inputs_section_add:
 *
 * Adds a copy of the last input, with its text selected, so that typing replaces it.
 */
void
attn_inputs_section_add (AttnInputsSection *self)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  attn_edits_duplicate_input (study, study->inputs->len - 1);
  attn_session_edit (self->session, study, NULL);
  attn_inputs_section_focus (self, self->rows->len - 1, TRUE);
}

/**
 * attn_inputs_section_load:
 * @file: a file of text, a picture or a sound
 *
 * Adds what is in the file to the inputs, see [func@attn_inputs_reader_load].
 */
void
attn_inputs_section_load (AttnInputsSection *self,
                          GFile             *file)
{
  attn_inputs_reader_load (self->reader, file);
}

/**
 * attn_inputs_section_paste:
 *
 * Adds the picture of the clipboard to the inputs, if there is one.
 *
 * Returns: whether the clipboard has a picture
 */
gboolean
attn_inputs_section_paste (AttnInputsSection *self)
{
  return attn_inputs_reader_paste (self->reader);
}

static void
texts_chosen_cb (gpointer        self,
                 GFile          *file,
                 GtkFileChooser *chooser)
{
  attn_inputs_section_load (self, file);
}

static void
open_texts (GtkWidget  *widget,
            const char *action_name,
            GVariant   *parameter)
{
  attn_file_chooser_open (widget, _("Add Inputs from a Text File"), GTK_FILE_CHOOSER_ACTION_OPEN,
                          NULL, texts_chosen_cb);
}

static void
attn_inputs_section_dispose (GObject *object)
{
  AttnInputsSection *self = ATTN_INPUTS_SECTION (object);

  if (self->reader != NULL)
    attn_inputs_reader_close (self->reader);
  g_clear_object (&self->reader);
  self->binder = NULL;
  g_clear_object (&self->session);
  g_clear_object (&self->reading);

  G_OBJECT_CLASS (attn_inputs_section_parent_class)->dispose (object);
}

static void
attn_inputs_section_finalize (GObject *object)
{
  AttnInputsSection *self = ATTN_INPUTS_SECTION (object);

  g_object_unref (self->settings);
  g_ptr_array_unref (self->rows);
  g_clear_pointer (&self->names, attn_sound_names_free);
  g_free (self->named);

  G_OBJECT_CLASS (attn_inputs_section_parent_class)->finalize (object);
}

static void
attn_inputs_section_class_init (AttnInputsSectionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = attn_inputs_section_dispose;
  object_class->finalize = attn_inputs_section_finalize;
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), "sidebar.open-texts", NULL,
                                   open_texts);
}

static void
attn_inputs_section_init (AttnInputsSection *self)
{
  self->settings = attn_settings_new ();
  self->rows = g_ptr_array_new ();
}

/**
 * attn_inputs_section_set_up:
 * @session: the session whose study has the inputs that are shown and edited
 * @binder: the binder of the side bar, which finds the widgets of the section; it must live as long
 *   as the section
 * @reading: (nullable): the figure, in which the tokens of the inputs are marked and chosen
 */
void
attn_inputs_section_set_up (AttnInputsSection *self,
                            AttnSession       *session,
                            AttnBinder        *binder,
                            AttnReading       *reading)
{
  self->session = g_object_ref (session);
  self->binder = binder;
  self->reader = attn_inputs_reader_new (GTK_WIDGET (self), session, binder);
  g_set_object (&self->reading, reading);
}
