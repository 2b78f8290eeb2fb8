/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sidebar-private.h"

#include <glib/gi18n.h>

#include "attn-edits.h"
#include "attn-tooltip.h"

/* Entries of the drop-downs before the numbered ones. */
#define N_LAYER_WORDS 1 /* strongest sink */
#define N_HEAD_WORDS  2 /* strongest sink, mean */

/* What A and B of a comparison can differ in, in the order of the drop-down. */
static const AttnDimension compared_dimensions[] = {
  ATTN_DIMENSION_NONE,
  ATTN_DIMENSION_INPUT,
  ATTN_DIMENSION_LAYER,
  ATTN_DIMENSION_HEAD,
  ATTN_DIMENSION_MODEL,
};

/* --- Layer and head --- */

static void
fill_numbers (GtkDropDown        *drop_down,
              const char * const *words,
              const char         *format,
              gsize               n)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; words[i] != NULL; i++)
    g_ptr_array_add (list, g_strdup (words[i]));
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i);
      g_auto (GStrv) parts = g_strsplit (format, "%s", 2);

      g_ptr_array_add (list, g_strjoinv (number, parts));
    }
  g_ptr_array_add (list, NULL);
  attn_sidebar_fill (drop_down, (const char * const *) list->pdata);
}

static void
fill_drop_downs (AttnSidebar *self,
                 gsize        n_layers,
                 gsize        n_heads)
{
  const char * const layer_words[] = { _("Strongest sink"), NULL };
  const char * const head_words[] = { _("Strongest sink"), _("Mean of the heads"), NULL };

  if (self->n_layers == n_layers && self->n_heads == n_heads &&
      gtk_drop_down_get_model (self->layer) != NULL)
    return;
  self->n_layers = n_layers;
  self->n_heads = n_heads;
  self->is_syncing = TRUE;
  /* Translators: %s is the number of a layer */
  fill_numbers (self->layer, layer_words, _("Layer %s"), n_layers);
  /* Translators: %s is the number of a head */
  fill_numbers (self->head, head_words, _("Head %s"), n_heads);
  self->is_syncing = FALSE;
}

static void
sync_layer_and_head (AttnSidebar *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  guint layer = study->layer < 0 ? 0 : study->layer + N_LAYER_WORDS;
  guint head = study->head == ATTN_HEAD_STRONGEST_SINK ? 0
               : study->head == ATTN_HEAD_MEAN         ? 1
                                                       : study->head + N_HEAD_WORDS;

  self->is_syncing = TRUE;
  gtk_drop_down_set_selected (self->layer, layer);
  gtk_drop_down_set_selected (self->head, head);
  self->is_syncing = FALSE;
}

/* The strongest sink of all is a layer and a head: choosing one of them fixes the other. */
static void
layer_selected_cb (AttnSidebar *self)
{
  guint selected = gtk_drop_down_get_selected (self->layer);

  if (self->is_syncing || self->session == NULL || selected == GTK_INVALID_LIST_POSITION)
    return;
  AttnStudy *study = attn_sidebar_copy_study (self);
  study->layer = selected == 0 ? ATTN_LAYER_STRONGEST_SINK : (int) (selected - N_LAYER_WORDS);
  if (selected == 0)
    study->head = ATTN_HEAD_STRONGEST_SINK;
  attn_session_edit (self->session, study, NULL);
}

static void
head_selected_cb (AttnSidebar *self)
{
  guint selected = gtk_drop_down_get_selected (self->head);

  if (self->is_syncing || self->session == NULL || selected == GTK_INVALID_LIST_POSITION)
    return;
  AttnResult *result = attn_session_get_result (self->session);
  AttnStudy *study = attn_sidebar_copy_study (self);
  study->head = selected == 0   ? ATTN_HEAD_STRONGEST_SINK
                : selected == 1 ? ATTN_HEAD_MEAN
                                : (int) (selected - N_HEAD_WORDS);
  if (study->layer == ATTN_LAYER_STRONGEST_SINK && selected != 0 && result != NULL)
    study->layer = result->layer;
  attn_session_edit (self->session, study, NULL);
}

/* --- Choices --- */

static void
set_rows (AttnStudy *study,
          int        value)
{
  attn_edits_set_dimension (study, TRUE, value);
}

static void
set_columns (AttnStudy *study,
             int        value)
{
  attn_edits_set_dimension (study, FALSE, value);
}

static int
get_compared (const AttnStudy *study)
{
  for (guint i = 0; i < G_N_ELEMENTS (compared_dimensions); i++)
    if (compared_dimensions[i] == study->compared)
      return i;
  return 0;
}

static void
set_compared (AttnStudy *study,
              int        value)
{
  attn_edits_set_compared (study, compared_dimensions[value]);
}

static void
set_operation (AttnStudy *study,
               int        value)
{
  attn_edits_set_operation (study, value);
}

/* The model's own mask, no mask, causal. */
static int
get_mask (const AttnStudy *study)
{
  return !study->groups.has_mask ? 0 : study->groups.mask == ATTN_MASK_NONE ? 1
                                                                            : 2;
}

static void
set_mask (AttnStudy *study,
          int        value)
{
  study->groups.has_mask = value > 0;
  study->groups.mask = value == 2 ? ATTN_MASK_CAUSAL : ATTN_MASK_NONE;
}

/* The first key, unless others are chosen: no figure is left of all of them. */
static void
set_hides_keys (AttnStudy *study,
                int        value)
{
  study->hides_keys = value;
  if (value && study->hidden_keys == NULL)
    study->hidden_keys = attn_index_set_new_range (0, 0);
}

static void
fill_choices (AttnSidebar *self)
{
  /* In the order of AttnDimension. */
  const char * const dimensions[] = { _("Nothing"), _("Inputs"), _("Components"), _("ε"),
                                      _("Layers"), _("Heads"), _("Sites"), _("Axes"),
                                      _("Models"), _("A, B, B − A"), NULL };
  const char * const compared[] = { _("Baseline, modified"), _("Inputs"), _("Layers"), _("Heads"),
                                    _("Models"), NULL };
  const char * const reductions[] = { _("Mean of the heads"), _("Largest head"),
                                      _("Relative to the layer"), NULL };
  const char * const rules[] = { _("Assigned"), _("Threshold"), _("Share of the row"), NULL };
  const char * const masks[] = { _("The model’s own"), _("None"), _("Causal"), NULL };
  const char * const operations[] = { _("Mean"), _("Factor ε"), NULL };

  attn_sidebar_fill (self->rows, dimensions);
  attn_sidebar_fill (self->columns, dimensions);
  attn_sidebar_fill (self->compared, compared);
  attn_sidebar_fill (self->reduction, reductions);
  attn_sidebar_fill (self->rule, rules);
  attn_sidebar_fill (self->mask, masks);
  attn_sidebar_fill (self->operation, operations);
}

static void
label_drop_downs (AttnSidebar *self)
{
  const struct
  {
    GtkDropDown *drop_down;
    const char *label;
  } labels[] = {
    { self->rows, _("Rows") },
    { self->columns, _("Columns") },
    { self->compared, _("Compare") },
    { self->reduction, _("Reduction") },
    { self->rule, _("Groups") },
    { self->mask, _("Mask") },
    { self->layer, _("Layer") },
    { self->head, _("Head") },
    { self->operation, _("Operation") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    attn_sidebar_label_drop_down (labels[i].drop_down, labels[i].label);
}

void
attn_sidebar_init_figure (AttnSidebar *self)
{
  fill_choices (self);
  fill_drop_downs (self, 0, 0);
  label_drop_downs (self);
  g_signal_connect_swapped (self->layer, "notify::selected", G_CALLBACK (layer_selected_cb), self);
  g_signal_connect_swapped (self->head, "notify::selected", G_CALLBACK (head_selected_cb), self);
}

void
attn_sidebar_bind_figure (AttnSidebar *self)
{
  AttnBinder *binder = self->binder;

  attn_binder_add_choice (binder, self->rows, ATTN_MEMBER (rows), NULL, set_rows);
  attn_binder_add_choice (binder, self->columns, ATTN_MEMBER (columns), NULL, set_columns);
  attn_binder_add_choice (binder, self->compared, ATTN_MEMBER (compared), get_compared,
                          set_compared);
  attn_binder_add_choice (binder, self->operation, ATTN_MEMBER (operation), NULL, set_operation);
  attn_binder_add_set (binder, self->layers, ATTN_MEMBER (layers), _("Layers"));
  attn_binder_add_set (binder, self->heads, ATTN_MEMBER (heads), _("Heads"));
  attn_binder_add_flag (binder, self->site_0, ATTN_MEMBER (sites[0]), NULL);
  attn_binder_add_flag (binder, self->site_1, ATTN_MEMBER (sites[1]), NULL);
  attn_binder_add_flag (binder, self->site_2, ATTN_MEMBER (sites[2]), NULL);
  attn_binder_add_flag (binder, self->axis_0, ATTN_MEMBER (axes[0]), NULL);
  attn_binder_add_flag (binder, self->axis_1, ATTN_MEMBER (axes[1]), NULL);
  attn_binder_add_flag (binder, self->axis_2, ATTN_MEMBER (axes[2]), NULL);
  attn_binder_add_set_or (binder, self->scope_layers, ATTN_MEMBER (scope_layers),
                          ATTN_MEMBER (acts_on_shown_layer), _("Layers"));
  attn_binder_add_set (binder, self->scope_heads, ATTN_MEMBER (scope_heads), _("Heads"));
  attn_binder_add_set (binder, self->scope_tokens, ATTN_MEMBER (scope_tokens), _("Tokens"));

  attn_binder_add_choice (binder, self->reduction, ATTN_MEMBER (roles.reduction), NULL, NULL);
  attn_binder_add_flag (binder, self->has_after_last, ATTN_MEMBER (roles.has_after_last), NULL);
  attn_binder_add_choice (binder, self->rule, ATTN_MEMBER (groups.rule), NULL, NULL);
  attn_binder_add_number (binder, self->level_adjustment, ATTN_MEMBER (groups.level));
  attn_binder_add_flag (binder, self->is_graded, ATTN_MEMBER (groups.is_graded), NULL);
  attn_binder_add_choice (binder, self->mask, ATTN_MEMBER (groups.mask), get_mask, set_mask);

  attn_binder_add_flag (binder, self->joins_words, ATTN_MEMBER (joins_words), NULL);
  attn_binder_add_flag (binder, self->shows_differences, ATTN_MEMBER (shows_differences), NULL);
  attn_binder_add_flag (binder, self->hides_keys, ATTN_MEMBER (hides_keys), set_hides_keys);
  attn_binder_add_set (binder, self->hidden_keys, ATTN_MEMBER (hidden_keys), _("Hidden keys"));
  attn_binder_add_flag (binder, self->renormalises, ATTN_MEMBER (renormalises), NULL);
  attn_binder_add_size (binder, self->n_last_queries, ATTN_MEMBER (n_last_queries));
  attn_binder_add_text (binder, self->title, ATTN_MEMBER (title));
  attn_binder_add_text (binder, self->caption, ATTN_MEMBER (caption));
}

/* --- Other models --- */

static void
remove_model_cb (AttnSidebar *self,
                 GtkWidget   *button)
{
  guint index = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "index"));
  AttnStudy *study = attn_sidebar_copy_study (self);

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
  g_autofree char *name = model->path != NULL ? g_path_get_basename (model->path)
                                              : g_strdup (_("The built-in model"));
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

static void
sync_models (AttnSidebar     *self,
             const AttnStudy *study)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->models))) != NULL)
    gtk_box_remove (self->models, child);
  for (guint i = 0; i < study->other_models->len; i++)
    gtk_box_append (self->models,
                    new_model_row (self, i, g_ptr_array_index (study->other_models, i)));
}

static void
model_chosen_cb (gpointer        object,
                 GFile          *file,
                 GtkFileChooser *chooser)
{
  AttnSidebar *self = object;
  g_autofree char *path = g_file_get_path (file);

  if (path == NULL)
    return;
  AttnStudy *study = attn_sidebar_copy_study (self);
  g_ptr_array_add (study->other_models, attn_model_reference_new (path, NULL));
  attn_session_edit (self->session, study, NULL);
}

void
attn_sidebar_add_model (GtkWidget  *widget,
                        const char *action_name,
                        GVariant   *parameter)
{
  attn_sidebar_choose_file (ATTN_SIDEBAR (widget), _("Add the Folder of a Model"),
                            GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, model_chosen_cb);
}

/* --- The scope --- */

/* A scope that comes with a study, or back with a step of the history, is not left folded away
 * where something acts in it. */
static void
reveal_scope (AttnSidebar *self,
              gboolean     has_intervention)
{
  GtkExpander *expander = GTK_EXPANDER (self->scope);

  if (!has_intervention)
    {
      g_clear_pointer (&self->known_scope, g_free);
      gtk_expander_set_expanded (expander, FALSE);
      return;
    }

  const char *layers = gtk_editable_get_text (self->scope_layers);
  const char *heads = gtk_editable_get_text (self->scope_heads);
  const char *tokens = gtk_editable_get_text (self->scope_tokens);
  g_autofree char *scope = g_strdup_printf ("%s;%s;%s", layers, heads, tokens);

  if (g_strcmp0 (scope, self->known_scope) == 0)
    return;
  g_free (self->known_scope);
  self->known_scope = g_steal_pointer (&scope);
  if (*layers != '\0' || *heads != '\0' || *tokens != '\0')
    gtk_expander_set_expanded (expander, TRUE);
}

static void
sync_scope (AttnSidebar     *self,
            const AttnStudy *study)
{
  gboolean has_intervention = attn_edits_has_intervention (study);
  gboolean shows_layers = study->figure == ATTN_FIGURE_LAYER_TOKEN;

  gtk_widget_set_sensitive (self->scope, has_intervention);
  attn_tooltip_set (
      self->scope,
      has_intervention
          ? _("In which layers and heads and at which tokens the intervention acts")
          : _("Choose first what the intervention is applied to"));
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->scope_layers),
                                  shows_layers ? _("all") : _("the one shown"));
  /* The layers of a recording do not depend on each other. */
  gtk_widget_set_visible (self->scope_layers_row,
                          !attn_sidebar_has_recording (self) || !study->acts_on_shown_layer);
  reveal_scope (self, has_intervention);
}

/* --- What applies --- */

/* Recorded weights can be looked at only; what is set all the same can be taken back. */
static gboolean
can_intervene (AttnSidebar     *self,
               const AttnStudy *study)
{
  AttnModel *model = attn_session_get_model (self->session);

  return model == NULL || attn_model_get_info (model)->has_queries_and_keys ||
         attn_edits_has_intervention (study);
}

static void
show_what_applies (AttnSidebar     *self,
                   const AttnStudy *study)
{
  gboolean is_grid = study->figure == ATTN_FIGURE_GRID;
  gboolean has_layer = study->figure != ATTN_FIGURE_LAYER_TOKEN &&
                       !attn_edits_varies (study, ATTN_DIMENSION_LAYER);
  gboolean has_head = is_grid && !attn_edits_varies (study, ATTN_DIMENSION_HEAD);
  gboolean has_factor = attn_edits_has_factor (study);
  const struct
  {
    gpointer widget;
    gboolean applies;
  } rows[] = {
    { self->dimensions, is_grid },
    { self->compared_row, attn_edits_varies (study, ATTN_DIMENSION_COMPARISON) },
    { self->layers_row, attn_edits_varies (study, ATTN_DIMENSION_LAYER) },
    { self->heads_row, attn_edits_varies (study, ATTN_DIMENSION_HEAD) },
    { self->sites_row, attn_edits_varies (study, ATTN_DIMENSION_SITE) },
    { self->axes_row, attn_edits_varies (study, ATTN_DIMENSION_AXIS) },
    { self->models_row, attn_edits_varies (study, ATTN_DIMENSION_MODEL) },
    { self->roles_box, study->figure == ATTN_FIGURE_LAYER_TOKEN },
    { self->groups_box, study->figure == ATTN_FIGURE_HEAD_GROUPS },
    { self->level_row, study->groups.rule != ATTN_GROUP_RULE_ASSIGNED },
    { self->shown_head, has_layer || has_head },
    { self->layer_row, has_layer },
    { self->head_row, has_head },
    { self->shown, has_layer || has_head },
    { self->intervention_section, can_intervene (self, study) },
    { self->axis_row, study->operation == ATTN_OPERATION_MEAN &&
                          !attn_edits_varies (study, ATTN_DIMENSION_AXIS) },
    { self->site_row, !attn_edits_varies (study, ATTN_DIMENSION_SITE) },
    { self->epsilon_section, has_factor },
    { self->add_epsilon, attn_edits_varies (study, ATTN_DIMENSION_EPSILON) },
    { self->chart_expander, attn_sweep_is_possible (study) },
    /* What is on or off has two colours of its own. */
    { self->color_rows, study->figure != ATTN_FIGURE_HEAD_GROUPS || study->groups.is_graded },
    { self->range_of_view, is_grid },
    { self->range_scope_row, is_grid && (study->rows != ATTN_DIMENSION_NONE ||
                                         study->columns != ATTN_DIMENSION_NONE) },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    gtk_widget_set_visible (rows[i].widget, rows[i].applies);
  gtk_widget_set_sensitive (GTK_WIDGET (self->hidden_keys), study->hides_keys);
  gtk_widget_set_sensitive (self->renormalises, study->hides_keys);
}

void
attn_sidebar_sync_figure (AttnSidebar *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  sync_layer_and_head (self);
  sync_models (self, study);
  sync_scope (self, study);
  show_what_applies (self, study);
}

/* What the result says that the study leaves open. */
void
attn_sidebar_show_result (AttnSidebar *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  const AttnModelInfo *info = attn_model_get_info (result->model);
  g_autofree char *shown = NULL;

  fill_drop_downs (self, info->n_layers, info->n_heads);
  sync_layer_and_head (self);
  show_what_applies (self, attn_session_get_study (self->session));
  if (result->head == ATTN_HEAD_MEAN)
    shown = g_strdup_printf (_("Showing layer %zu, mean of its heads"), result->layer);
  else
    shown = g_strdup_printf (_("Showing layer %zu, head %d"), result->layer, result->head);
  gtk_label_set_label (self->shown, shown);
}
