/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sidebar-private.h"

#include <glib/gi18n.h>

#include "attn-tooltip.h"

enum
{
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnSidebar, attn_sidebar, GTK_TYPE_WIDGET)

/* Tells the window what was wrong with something that was typed. */
void
attn_sidebar_fail (AttnSidebar  *self,
                   const GError *error)
{
  g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
}

static void
fail_cb (gpointer      user_data,
         const GError *error)
{
  attn_sidebar_fail (user_data, error);
}

/* (transfer full): the study as it is now, to be changed. */
AttnStudy *
attn_sidebar_copy_study (AttnSidebar *self)
{
  return attn_study_copy (attn_session_get_study (self->session));
}

/* Whether the model of the study is a recording; until it is open, whether the one before was. */
gboolean
attn_sidebar_has_recording (AttnSidebar *self)
{
  AttnModel *model = attn_session_get_model (self->session);

  return model != NULL ? attn_model_get_info (model)->is_recording : self->is_recording;
}

/* --- Files --- */

/**
 * attn_sidebar_choose_file:
 * @name: (nullable): the name of the file to write, as proposed
 */
void
attn_sidebar_choose_file (AttnSidebar          *self,
                          const char           *title,
                          GtkFileChooserAction  action,
                          const char           *name,
                          AttnFileChosenFunc    chosen)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  gboolean saves = action == GTK_FILE_CHOOSER_ACTION_SAVE;
  GtkFileChooser *chooser =
      attn_file_chooser_new (title, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, action,
                             saves ? _("_Export") : _("_Open"), NULL);

  if (name != NULL)
    gtk_file_chooser_set_current_name (chooser, name);
  attn_file_chooser_show (chooser, chosen, self);
}

/* --- The session --- */

static void
set_site_available (GtkWidget  *button,
                    GtkWidget  *check,
                    gboolean    is_available,
                    const char *explanation,
                    const char *reason)
{
  gtk_widget_set_sensitive (button, is_available);
  attn_tooltip_set (button, is_available ? explanation : reason);
  gtk_widget_set_sensitive (check, is_available);
  attn_tooltip_set (check, is_available ? explanation : reason);
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
  const char *kind = info->is_recording ? _("recording") : info->family;
  g_autofree char *details = g_strdup_printf ("%s · %s · %s", kind, layers, heads);

  gtk_label_set_label (self->model_name, attn_model_get_name (model));
  attn_tooltip_set (GTK_WIDGET (self->model_name), attn_model_get_path (model));
  gtk_label_set_label (self->model_details, details);
  set_site_available (self->site_normed, attn_binder_find (self->binder, "sites:normed"), info->has_query_key_norm,
                      _("After the norm of queries and keys"),
                      _("This model does not normalise its queries and keys"));
  set_site_available (self->site_rotated, attn_binder_find (self->binder, "sites:rotated"), info->has_rotary,
                      _("After the rotary embedding"),
                      _("This model has no rotary embedding"));
}

/* The name under which a model is opened. */
static char *
dup_model_name (const char *model_path)
{
  g_autofree char *path = model_path != NULL ? g_strdup (model_path) : attn_data_find_model ();

  return path != NULL ? g_filename_display_basename (path) : g_strdup (_("No model"));
}

/* A model that is not open yet, or cannot be, is called by its file; of one that is open, its
 * details stand below. */
static void
sync_model (AttnSidebar *self)
{
  const char *path = attn_session_get_model_path (self->session);
  AttnModel *model = attn_session_get_model (self->session);

  if (model != NULL &&
      g_strcmp0 (path, attn_session_get_study (self->session)->model_path) == 0)
    {
      show_model (self, model);
      return;
    }
  g_autofree char *name = dup_model_name (path);
  gtk_label_set_label (self->model_name, name);
  attn_tooltip_set (GTK_WIDGET (self->model_name), path);
  gtk_label_set_label (self->model_details,
                       attn_session_is_busy (self->session) ? _("Opening…") : "");
}

static void
study_changed_cb (AttnSidebar *self)
{
  self->is_recording = attn_sidebar_has_recording (self);
  sync_model (self);
  attn_binder_sync (self->binder);
  attn_sidebar_sync_inputs (self);
  attn_sidebar_sync_figure (self);
  attn_sidebar_sync_epsilons (self);
  attn_sidebar_sync_color (self);
}

/* What kind of model it is may be known only now. */
static void
model_known_cb (AttnSidebar *self)
{
  if (self->is_recording != attn_sidebar_has_recording (self))
    study_changed_cb (self);
  attn_sidebar_sync_tokens (self);
}

static void
result_changed_cb (AttnSidebar *self)
{
  model_known_cb (self);
  sync_model (self);
  attn_sidebar_show_result (self);
  attn_sidebar_sync_sweep (self);
}

/* --- The class --- */

static void
attn_sidebar_dispose (GObject *object)
{
  AttnSidebar *self = ATTN_SIDEBAR (object);
  GtkWidget *child;

  g_cancellable_cancel (self->cancellable);
  g_clear_pointer (&self->player, attn_epsilon_player_free);
  g_clear_pointer (&self->binder, attn_binder_free);
  g_clear_object (&self->session);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  g_clear_pointer (&self->input_rows, g_ptr_array_unref);
  g_clear_pointer (&self->epsilon_rows, g_ptr_array_unref);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->known_scope, g_free);

  G_OBJECT_CLASS (attn_sidebar_parent_class)->dispose (object);
}

#define CHILD(name)                           \
  {                                           \
#name, G_STRUCT_OFFSET(AttnSidebar, name) \
  }

static void
bind_children (GtkWidgetClass *widget_class)
{
  static const struct
  {
    const char *name;
    gsize offset;
  } children[] = {
    CHILD (model_name),
    CHILD (model_details),
    CHILD (inputs_section),
    CHILD (open_texts),
    CHILD (add_input),
    CHILD (inputs),
    CHILD (role_texts),
    CHILD (special_tokens_row),
    CHILD (models),
    CHILD (shown),
    CHILD (site_normed),
    CHILD (site_rotated),
    CHILD (scope),
    CHILD (scope_layers_row),
    CHILD (epsilons),
    CHILD (play),
    CHILD (chart),
    CHILD (chart_expander),
    CHILD (low),
    CHILD (high),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (children); i++)
    gtk_widget_class_bind_template_child_full (widget_class, children[i].name, FALSE,
                                               children[i].offset);
}

static void
attn_sidebar_class_init (AttnSidebarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_sidebar_dispose;

  /* (GError *error): something that was typed makes no sense. */
  signals[SIGNAL_FAILED] =
      g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_ERROR);

  gtk_widget_class_install_action (widget_class, "sidebar.open-texts", NULL,
                                   attn_sidebar_open_texts);
  gtk_widget_class_install_action (widget_class, "sidebar.add-model", NULL,
                                   attn_sidebar_add_model);
  gtk_widget_class_install_action (widget_class, "sidebar.add-epsilon", NULL,
                                   attn_sidebar_add_epsilon);
  gtk_widget_class_install_action (widget_class, "sidebar.play", NULL, attn_sidebar_play);
  gtk_widget_class_install_action (widget_class, "sidebar.open-colormap", NULL,
                                   attn_sidebar_open_colormap);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/attentiongrid/AttentionGrid/sidebar.ui");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "controls");
  bind_children (widget_class);
  g_type_ensure (ATTN_TYPE_EPSILON_CHART);
  attn_sidebar_class_init_color (widget_class);
}

static void
attn_sidebar_init (AttnSidebar *self)
{
  self->cancellable = g_cancellable_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  attn_sidebar_init_inputs (self);
  attn_sidebar_init_epsilons (self);
}

/**
 * attn_sidebar_set_session:
 *
 * To be called once.
 */
void
attn_sidebar_set_session (AttnSidebar *sidebar,
                          AttnSession *session)
{
  g_return_if_fail (sidebar->session == NULL);

  sidebar->session = g_object_ref (session);
  sidebar->binder = attn_binder_new (GTK_WIDGET (sidebar), session, fail_cb, sidebar);
  attn_sidebar_init_color (sidebar);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (study_changed_cb), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "sweep-changed", G_CALLBACK (attn_sidebar_sync_sweep), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "failed", G_CALLBACK (model_known_cb), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (result_changed_cb), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "busy-changed", G_CALLBACK (sync_model), sidebar,
                           G_CONNECT_SWAPPED);
  study_changed_cb (sidebar);
}
