/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sidebar.h"

#include <glib/gi18n.h>

#include "attn-cell.h"
#include "attn-color-section.h"
#include "attn-drop-down.h"
#include "attn-edits.h"
#include "attn-file-chooser.h"
#include "attn-inquiry.h"
#include "attn-signal.h"
#include "attn-study-table.h"
#include "attn-survey-figure.h"
#include "attn-template.h"
#include "attn-tooltip.h"

/* The name of the array with the accuracy in a file of probes, which can be shown instead of the
 * AUC. */
#define PROBE_ACCURACY "accuracy"

struct _AttnSidebar
{
  GtkBox parent_instance;

  AttnSession *session;
  AttnBinder *binder;
  gboolean is_recorded; /* whether the controls are those for a recording */
  gboolean is_syncing_probe;

  AttnInputsSection *inputs;
  AttnColorSection *color;
};

enum
{
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnSidebar, attn_sidebar, GTK_TYPE_BOX)

/* Passes an error in a typed value on to the window, or %NULL when the value has been corrected. */
static void
fail_cb (gpointer      self,
         const GError *error)
{
  g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
}

/* --- The model --- */

/* Shows the name of the model. @path: (nullable): path of the model's file, for the tooltip */
static void
show_name (AttnSidebar *self,
           const char  *name,
           const char  *path,
           const char  *details)
{
  GtkLabel *label = attn_binder_find (self->binder, "model_name");

  gtk_label_set_label (label, name);
  attn_tooltip_set (GTK_WIDGET (label), path);
  gtk_label_set_label (attn_binder_find (self->binder, "model_details"), details);
}

static void
show_model (AttnSidebar     *self,
            const AttnModel *model)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  g_autofree char *layers =
      g_strdup_printf (g_dngettext (NULL, "%zu layer", "%zu layers",
                                    info->n_layers),
                       info->n_layers);
  g_autofree char *heads =
      g_strdup_printf (g_dngettext (NULL, "%zu head", "%zu heads",
                                    info->n_heads),
                       info->n_heads);
  const char *kind = info->n_surveyed > 0 ? _("survey")
                     : info->is_recording ? _("recording")
                                          : info->family;
  gboolean lacks_tokenizer = !info->has_tokenizer && !info->is_recording &&
                             !info->needs_picture && !info->needs_sound;
  g_autofree char *details =
      info->is_probe ? g_strdup (_("probes"))
                     /* Translators: a family, its layers and heads; inputs are token ids */
                     : g_strdup_printf (lacks_tokenizer
                                            ? _("%s · %s · %s · no tokenizer: token ids")
                                            : "%s · %s · %s",
                                        kind, layers, heads);

  show_name (self, attn_model_get_name (model), attn_model_get_path (model), details);
  gtk_widget_set_visible (attn_binder_find (self->binder, "compare_with_base"),
                          attn_model_get_adapter (model) != NULL);
  attn_tooltip_set_available (attn_binder_find (self->binder, "sites:normed"),
                              info->has_query_key_norm, _("After the norm of queries and keys"),
                              _("This model does not normalise its queries and keys"));
  attn_tooltip_set_available (attn_binder_find (self->binder, "sites:rotated"), info->has_rotary,
                              _("After the rotary embedding"),
                              _("This model has no rotary embedding"));
  attn_tooltip_set_available (attn_binder_find (self->binder, "count-sink"), info->has_sinks,
                              _("Add what a head leaves to no key to its sink score"),
                              _("The heads of this model have no learned sink"));
}

/* Returns the name of the model at a path, or of the shipped model if the path is %NULL. */
static char *
dup_model_name (const char *model_path)
{
  g_autofree char *path = model_path != NULL ? g_strdup (model_path) : attn_data_find_model ();

  return path != NULL ? g_filename_display_basename (path) : g_strdup (_("No model"));
}

/* Shows the model: with its details once it is open, until then only the name of its file. */
static void
sync_model (AttnSidebar *self)
{
  const AttnModelReference *asked = attn_session_get_asked_model (self->session);
  AttnModel *model = attn_session_get_model (self->session);

  if (model != NULL &&
      attn_model_reference_equal (asked, &attn_session_get_study (self->session)->model))
    {
      show_model (self, model);
      return;
    }
  g_autofree char *name = dup_model_name (asked->path);
  show_name (self, name, asked->path, attn_session_is_busy (self->session) ? _("Opening…") : "");
}

/* Shows the stage of the work while the model is being opened, which can take long. */
static void
progress_cb (AttnSidebar *self,
             const char  *stage)
{
  if (attn_session_get_model (self->session) == NULL)
    gtk_label_set_label (attn_binder_find (self->binder, "model_details"), stage);
}

/* --- Other models --- */

static void
remove_model_cb (AttnSidebar *self,
                 GtkWidget   *button)
{
  guint index = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "index"));
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  if (index < study->other_models->len)
    g_ptr_array_remove_index (study->other_models, index);
  attn_session_edit (self->session, study, NULL);
}

static GtkWidget *
new_model_row (AttnSidebar              *self,
               guint                     index,
               const AttnModelReference *model)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  const char *path = model->adapter != NULL ? model->adapter : model->path;
  g_autofree char *base = path != NULL ? g_filename_display_basename (path)
                                       : g_strdup (_("The built-in model"));
  g_autofree char *name =
      model->array != NULL ? g_strconcat (base, ":", model->array, NULL) : g_strdup (base);
  g_autofree char *tip = g_strdup_printf (_("Remove %s"), name);
  GtkWidget *label = gtk_label_new (name);
  GtkWidget *button = gtk_button_new_from_icon_name ("list-remove-symbolic");

  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (label, model->path);
  gtk_widget_set_tooltip_text (button, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  gtk_widget_add_css_class (button, "flat");
  g_object_set_data (G_OBJECT (button), "index", GUINT_TO_POINTER (index));
  g_signal_connect_object (button, "clicked", G_CALLBACK (remove_model_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), button);
  return row;
}

static gboolean
lists_models (GtkBox    *list,
              GPtrArray *models)
{
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (list));

  for (guint i = 0; i < models->len; i++, row = gtk_widget_get_next_sibling (row))
    if (row == NULL ||
        !attn_model_reference_equal (g_object_get_data (G_OBJECT (row), "model"),
                                     g_ptr_array_index (models, i)))
      return FALSE;
  return row == NULL;
}

/* Updates the rows of the models to compare with. A row stays as long as its model does: a press on
 * the button of a row takes the focus from an entry, whose value is then taken into the study, and
 * GTK 4.8 loops for ever if that removes the pressed button. */
static void
sync_models (AttnSidebar     *self,
             const AttnStudy *study)
{
  GtkBox *list = attn_binder_find (self->binder, "model_list");
  GtkWidget *child;

  if (lists_models (list, study->other_models))
    return;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (list))) != NULL)
    gtk_box_remove (list, child);
  for (guint i = 0; i < study->other_models->len; i++)
    {
      const AttnModelReference *model = g_ptr_array_index (study->other_models, i);

      child = new_model_row (self, i, model);
      g_object_set_data_full (G_OBJECT (child), "model", attn_model_reference_copy (model),
                              (GDestroyNotify) attn_model_reference_free);
      gtk_box_append (list, child);
    }
}

/* A model to compare with, which a thread looks at: if it is an adapter without its base model, it
 * is applied to the model of @study. */
typedef struct
{
  const AttnStudy *study;
  AttnModelReference *model;
} Added;

static void
added_run (gpointer data)
{
  const Added *added = data;

  attn_model_reference_settle (added->model, &added->study->model);
}

static void
added_free (gpointer data)
{
  Added *added = data;

  attn_study_unref (added->study);
  g_clear_pointer (&added->model, attn_model_reference_free);
  g_free (added);
}

static void
added_take (gpointer owner,
            gpointer data)
{
  AttnSidebar *self = owner;
  Added *added = data;

  if (self->session == NULL)
    return;
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  g_ptr_array_add (study->other_models, g_steal_pointer (&added->model));
  attn_session_edit (self->session, study, NULL);
}

static void
model_chosen_cb (gpointer        object,
                 GFile          *file,
                 GtkFileChooser *chooser)
{
  static const AttnInquiry inquiry = { added_run, added_take, added_free };
  AttnSidebar *self = object;
  g_autofree char *path = g_file_get_path (file);

  if (path == NULL)
    return;
  Added *added = g_new0 (Added, 1);
  added->study = attn_study_ref (attn_session_get_study (self->session));
  added->model = attn_model_reference_new (path, NULL);
  attn_inquiry_start (&inquiry, self, added);
}

static void
add_model (GtkWidget  *widget,
           const char *action_name,
           GVariant   *parameter)
{
  attn_file_chooser_open_model (widget, _("Add the Folder of a Model"),
                                GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, model_chosen_cb);
}

/* --- The texts of a survey --- */

static void
texts_chosen_cb (gpointer        object,
                 GFile          *file,
                 GtkFileChooser *chooser)
{
  AttnSidebar *self = object;
  g_autofree char *path = g_file_get_path (file);

  if (path == NULL)
    return;
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  attn_study_set_texts (study, path);
  attn_session_edit (self->session, study, NULL);
}

static void
choose_texts (GtkWidget  *widget,
              const char *action_name,
              GVariant   *parameter)
{
  attn_file_chooser_open_texts (widget, texts_chosen_cb);
}

static void
sync_texts (AttnSidebar     *self,
            const AttnStudy *study)
{
  const char *path = study->survey.texts;
  g_autofree char *name =
      path != NULL ? g_filename_display_basename (path) : g_strdup (_("Random tokens"));

  gtk_label_set_label (attn_binder_find (self->binder, "survey_texts_name"), name);
}

/* Tells whether the study shows a survey read from a file, rather than a survey to compute. */
static gboolean
is_survey_file (AttnSidebar *self)
{
  AttnModel *model = attn_session_get_model (self->session);

  return model != NULL && attn_model_get_info (model)->n_surveyed > 0;
}

/* --- What applies --- */

/* Dims the switch of the curves if the survey has none to show; the tooltip says why. */
static void
explain_curves (AttnSidebar *self)
{
  const AttnResult *result = attn_session_get_result (self->session);
  const char *reason = result != NULL && result->survey != NULL
                           ? attn_survey_charts_explain_curves (result->survey)
                           : NULL;

  attn_tooltip_set_available (
      attn_binder_find (self->binder, "survey.charts:curves"), reason == NULL,
      _("The sink rate over ε and over the length of the texts; over ε KL and loss, too, where "
        "they are counted"),
      reason);
}

/* Shows the controls that apply to the study and hides the others: each control by its field's
 * entry in the table of fields, and groups of controls by the list in this function. */
static void
show_what_applies (AttnSidebar     *self,
                   const AttnStudy *study)
{
  const AttnFigureTraits *figure = attn_study_get_traits (study);
  g_autoptr (GPtrArray) patches = attn_study_list_patches (study);
  gboolean patches_here = patches->len > 0 && !is_survey_file (self);
  gboolean has_token = attn_field_get_need (attn_study_find_field ("token"), study) == NULL;
  AttnModel *model = attn_session_get_model (self->session);
  gboolean is_recorded = model != NULL && attn_model_get_info (model)->is_recording;
  /* A single matrix that is opened in place of a model has neither tokens nor heads, over which the
   * figure could average. */
  gboolean is_matrix =
      figure->has_roles && model != NULL && attn_model_get_info (model)->is_matrix;
  gboolean has_picture =
      is_recorded ? attn_model_get_info (model)->n_patch_rows > 0
                  : study->inputs->len > 0 &&
                        attn_input_is_picture (g_ptr_array_index (study->inputs, 0));
  gsize n_pictures = study->inputs->len > 0
                         ? attn_input_count_pictures (g_ptr_array_index (study->inputs, 0))
                         : 0;
  gboolean sees_one = model != NULL && attn_model_get_info (model)->needs_picture;
  /* A recording, which is known as a recording once it is open, has no model whose effects could be
   * computed. */
  gboolean has_effects =
      attn_field_get_need (attn_study_find_field ("effect"), study) == NULL && !is_recorded;
  gboolean may_be_over = (figure->has_grid || (figure->has_state && !is_recorded)) && has_picture;
  const struct
  {
    const char *id;
    gboolean applies;
  } parts[] = {
    { "dimensions", figure->has_grid },
    { "over-picture", may_be_over },
    { "picture_row", n_pictures > 1 && (sees_one || (may_be_over && study->is_over_picture)) },
    { "style.heat-opacity_row", may_be_over && study->is_over_picture },
    { "style.smooth-heat_row", may_be_over && study->is_over_picture },
    { "effect_row", has_effects },
    { "effect:curve", attn_study_has_factor (study) },
    { "what_box", figure->has_measure || figure->has_state || has_token },
    { "survey_box", figure->has_survey },
    { "survey_against_row", study->survey.statistic != ATTN_STATISTIC_ATTRIBUTION },
    { "survey.charts:curves", study->survey.statistic != ATTN_STATISTIC_ATTRIBUTION },
    { "survey_texts", !is_survey_file (self) },
    { "inputs_section", (!figure->has_survey || patches_here) && !is_matrix },
    { "other-models_row", attn_study_changes_along (study, ATTN_DIMENSION_MODEL) },
    { "roles_box", figure->has_roles && !is_matrix },
    { "groups_box", figure->has_groups },
    /* Groups that are not graded have two fixed colours, on and off, without a colour map. */
    { "color_rows", !figure->has_groups || study->groups.is_graded },
    { "style.low_row", study->style.range == ATTN_RANGE_FIXED ||
                           study->style.range == ATTN_RANGE_AUTOMATIC },
    { "style.clip_row", study->style.range == ATTN_RANGE_CLIPPED },
    { "range_of_view", figure->has_grid },
    { "style.range-scope_row", figure->has_grid && (study->rows != ATTN_DIMENSION_NONE ||
                                                    study->columns != ATTN_DIMENSION_NONE) },
  };

  attn_binder_show_what_applies (self->binder, study);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    gtk_widget_set_visible (attn_binder_find (self->binder, parts[i].id), parts[i].applies);
  if (n_pictures > 1)
    gtk_spin_button_set_range (attn_binder_find (self->binder, "picture"), 0,
                               (double) n_pictures);
  explain_curves (self);
  /* The number of hidden keys can be set only while the switch beside it is on. */
  gtk_widget_set_sensitive (attn_binder_find (self->binder, "hidden-keys"), study->hides_keys);
}

/* Tells whether a file of probes is open instead of a model. */
static gboolean
is_probe_file (AttnSidebar *self)
{
  AttnModel *model = attn_session_get_model (self->session);

  return model != NULL && attn_model_get_info (model)->is_probe;
}

/* Selects, of the maps in a file of probes (AUC or accuracy), the one that is on display. */
static void
sync_probe (AttnSidebar     *self,
            const AttnStudy *study)
{
  self->is_syncing_probe = TRUE;
  gtk_widget_set_visible (attn_binder_find (self->binder, "probe_map_row"), is_probe_file (self));
  gtk_drop_down_set_selected (attn_binder_find (self->binder, "probe_map"),
                              g_strcmp0 (study->model.array, PROBE_ACCURACY) == 0);
  self->is_syncing_probe = FALSE;
}

static void
probe_map_cb (AttnSidebar *self,
              GParamSpec  *spec,
              GtkDropDown *drop_down)
{
  if (self->is_syncing_probe || !is_probe_file (self))
    return;

  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  g_free (study->model.array);
  study->model.array =
      gtk_drop_down_get_selected (drop_down) == 1 ? g_strdup (PROBE_ACCURACY) : NULL;
  attn_session_edit (self->session, study, NULL);
}

/* Lists the positions of tokens to choose from. The study may have chosen a position before its
 * text is tokenized: the list reaches at least to that position. */
static void
list_positions (AttnSidebar     *self,
                const AttnStudy *study)
{
  const AttnResult *result = attn_session_get_result (self->session);
  gsize n = result != NULL && result->n_inputs > 0 ? result->inputs[0]->n_tokens : 0;

  /* Translators: %s is the position of a token */
  attn_binder_list_numbers (self->binder, "at", 2, _("Token %s"), 0,
                            MAX (n, (gsize) MAX (study->effect_at + 1, 0)));
  /* In a survey the list reaches to the largest number of tokens of its texts. */
  attn_binder_list_numbers (self->binder, "survey.at", 2, _("Token %s"), 0,
                            MAX (study->survey.length, (gsize) MAX (study->survey.at + 1, 0)));
}

/* --- The session --- */

static void
study_changed_cb (AttnSidebar *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  self->is_recorded = attn_session_is_recorded (self->session);
  sync_model (self);
  list_positions (self, study);
  attn_binder_sync (self->binder);
  sync_models (self, study);
  sync_texts (self, study);
  sync_probe (self, study);
  show_what_applies (self, study);
  attn_inputs_section_sync (self->inputs);
  attn_color_section_sync (self->color);
}

/* Updates the controls when the model is opened: only then is it known whether it is a recording,
 * and which inputs it takes. */
static void
model_known_cb (AttnSidebar *self)
{
  if (self->is_recorded != attn_session_is_recorded (self->session))
    study_changed_cb (self);
  attn_inputs_section_sync_tokens (self->inputs);
}

static void
result_changed_cb (AttnSidebar *self)
{
  sync_model (self);
  list_positions (self, attn_session_get_study (self->session));
  sync_probe (self, attn_session_get_study (self->session));
  show_what_applies (self, attn_session_get_study (self->session));
  model_known_cb (self);
}

static void
addition_changed_cb (AttnSidebar *self)
{
  attn_inputs_section_sync_tokens (self->inputs);
}

/* --- The class --- */

static void
attn_sidebar_dispose (GObject *object)
{
  AttnSidebar *self = ATTN_SIDEBAR (object);

  g_clear_pointer (&self->binder, attn_binder_free);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (attn_sidebar_parent_class)->dispose (object);
}

static void
attn_sidebar_class_init (AttnSidebarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_sidebar_dispose;

  /* (GError *error): emitted when a typed value is invalid. */
  signals[SIGNAL_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);

  g_type_ensure (ATTN_TYPE_INPUTS_SECTION);
  g_type_ensure (ATTN_TYPE_COLOR_SECTION);
  gtk_widget_class_install_action (widget_class, "sidebar.add-model", NULL, add_model);
  gtk_widget_class_install_action (widget_class, "sidebar.choose-texts", NULL, choose_texts);
  attn_template_set (widget_class, "sidebar.ui");
  gtk_widget_class_bind_template_child_full (widget_class, "inputs_section", FALSE,
                                             G_STRUCT_OFFSET (AttnSidebar, inputs));
  gtk_widget_class_set_css_name (widget_class, "controls");
}

static void
attn_sidebar_init (AttnSidebar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  /* The content of the side bar gets its natural height, since the entries of texts grow with their
   * lines. */
  gpointer scrolled = gtk_widget_get_first_child (GTK_WIDGET (self));
  gtk_scrollable_set_vscroll_policy (GTK_SCROLLABLE (gtk_scrolled_window_get_child (scrolled)),
                                     GTK_SCROLL_NATURAL);
}

/**
 * attn_sidebar_set_session:
 * @reading: (nullable): the figure, in which the tokens of the inputs are marked and chosen
 *
 * Connects the side bar with the session. To be called once.
 */
void
attn_sidebar_set_session (AttnSidebar *sidebar,
                          AttnSession *session,
                          AttnReading *reading)
{
  g_return_if_fail (sidebar->session == NULL);

  sidebar->session = g_object_ref (session);
  sidebar->binder = attn_binder_new (GTK_WIDGET (sidebar), session, fail_cb, sidebar);
  sidebar->color = attn_binder_find (sidebar->binder, "color_section");
  attn_inputs_section_set_up (sidebar->inputs, session, sidebar->binder, reading);
  attn_color_section_set_up (sidebar->color, session, sidebar->binder);
  attn_drop_down_set_label (attn_binder_find (sidebar->binder, "probe_map"), _("Measure"));
  g_signal_connect_object (attn_binder_find (sidebar->binder, "probe_map"), "notify::selected",
                           G_CALLBACK (probe_map_cb), sidebar, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (study_changed_cb), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "failed", G_CALLBACK (model_known_cb), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (result_changed_cb), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "addition-changed", G_CALLBACK (addition_changed_cb), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "busy-changed", G_CALLBACK (sync_model), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "progress", G_CALLBACK (progress_cb), sidebar,
                           G_CONNECT_SWAPPED);
  study_changed_cb (sidebar);
}

/**
 * attn_sidebar_get_inputs:
 *
 * Returns: (transfer none): the section of the inputs
 */
AttnInputsSection *
attn_sidebar_get_inputs (AttnSidebar *sidebar)
{
  return sidebar->inputs;
}

/**
 * attn_sidebar_get_binder:
 *
 * Returns: (transfer none): the binder, which connects the controls of the side bar with fields of
 *   the study
 */
AttnBinder *
attn_sidebar_get_binder (AttnSidebar *sidebar)
{
  return sidebar->binder;
}
