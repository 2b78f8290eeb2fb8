/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sidebar-private.h"

#include <glib/gi18n.h>

#include "attn-edits.h"
#include "attn-tooltip.h"

/* --- Layer and head --- */

/* @n_words: entries of the drop-down before the numbered ones */
static void
fill_numbers (AttnSidebar *self,
              const char  *name,
              guint        n_words,
              const char  *format,
              gsize        n)
{
  GtkDropDown *drop_down = attn_binder_find (self->binder, name);
  GtkStringList *list = GTK_STRING_LIST (gtk_drop_down_get_model (drop_down));
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (list)) - n_words;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (n_old == n)
    return;
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i);
      g_auto (GStrv) parts = g_strsplit (format, "%s", 2);
      g_autofree char *text = g_strjoinv (number, parts);

      g_strv_builder_add (builder, text);
    }
  g_auto (GStrv) texts = g_strv_builder_end (builder);
  gtk_string_list_splice (list, n_words, n_old, (const char * const *) texts);
  attn_binder_sync (self->binder);
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

  const char *layers = gtk_editable_get_text (attn_binder_find (self->binder, "scope.layers"));
  const char *heads = gtk_editable_get_text (attn_binder_find (self->binder, "scope.heads"));
  const char *tokens = gtk_editable_get_text (attn_binder_find (self->binder, "scope.tokens"));
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
  gtk_entry_set_placeholder_text (attn_binder_find (self->binder, "scope.layers"),
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
    const char *id;
    gboolean applies;
  } rows[] = {
    { "dimensions", is_grid },
    { "compared_row", attn_edits_varies (study, ATTN_DIMENSION_COMPARISON) },
    { "layers_row", attn_edits_varies (study, ATTN_DIMENSION_LAYER) },
    { "heads_row", attn_edits_varies (study, ATTN_DIMENSION_HEAD) },
    { "sites_row", attn_edits_varies (study, ATTN_DIMENSION_SITE) },
    { "axes_row", attn_edits_varies (study, ATTN_DIMENSION_AXIS) },
    { "models_row", attn_edits_varies (study, ATTN_DIMENSION_MODEL) },
    { "roles_box", study->figure == ATTN_FIGURE_LAYER_TOKEN },
    { "groups_box", study->figure == ATTN_FIGURE_HEAD_GROUPS },
    { "level_row", study->groups.rule != ATTN_GROUP_RULE_ASSIGNED },
    { "shown_head", has_layer || has_head },
    { "layer_row", has_layer },
    { "head_row", has_head },
    { "shown", has_layer || has_head },
    { "intervention_section", can_intervene (self, study) },
    { "axis_row", study->operation == ATTN_OPERATION_MEAN &&
                      !attn_edits_varies (study, ATTN_DIMENSION_AXIS) },
    { "site_row", !attn_edits_varies (study, ATTN_DIMENSION_SITE) },
    { "epsilon_section", has_factor },
    { "add_epsilon", attn_edits_varies (study, ATTN_DIMENSION_EPSILON) },
    { "chart_expander", attn_sweep_is_possible (study) },
    /* What is on or off has two colours of its own. */
    { "color_rows", study->figure != ATTN_FIGURE_HEAD_GROUPS || study->groups.is_graded },
    { "range_of_view", is_grid },
    { "range_scope_row", is_grid && (study->rows != ATTN_DIMENSION_NONE ||
                                     study->columns != ATTN_DIMENSION_NONE) },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    gtk_widget_set_visible (attn_binder_find (self->binder, rows[i].id), rows[i].applies);
  gtk_widget_set_sensitive (attn_binder_find (self->binder, "hidden-keys"), study->hides_keys);
  gtk_widget_set_sensitive (attn_binder_find (self->binder, "renormalise"), study->hides_keys);
}

void
attn_sidebar_sync_figure (AttnSidebar *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

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

  /* Translators: %s is the number of a layer */
  fill_numbers (self, "layer", 1, _("Layer %s"), info->n_layers);
  /* Translators: %s is the number of a head */
  fill_numbers (self, "head", 2, _("Head %s"), info->n_heads);
  show_what_applies (self, attn_session_get_study (self->session));
  if (result->head == ATTN_HEAD_MEAN)
    shown = g_strdup_printf (_("Showing layer %zu, mean of its heads"), result->layer);
  else
    shown = g_strdup_printf (_("Showing layer %zu, head %d"), result->layer, result->head);
  gtk_label_set_label (self->shown, shown);
}
