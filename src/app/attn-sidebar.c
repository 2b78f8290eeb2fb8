/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sidebar-private.h"

#include <glib/gi18n.h>

#include "attn-error.h"
#include "attn-swatch.h"
#include "attn-text.h"

/* Entries of the drop-downs before the numbered ones. */
#define N_LAYER_WORDS 1 /* strongest sink */
#define N_HEAD_WORDS  2 /* strongest sink, mean */

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
fill_numbers (GtkDropDown        *drop_down,
              const char * const *words,
              const char         *format,
              gsize               n)
{
  GtkStringList *list = gtk_string_list_new (words);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i);
      g_auto (GStrv) parts = g_strsplit (format, "%s", 2);
      g_autofree char *text = g_strjoinv (number, parts);

      gtk_string_list_append (list, text);
    }
  gtk_drop_down_set_model (drop_down, G_LIST_MODEL (list));
  g_object_unref (list);
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
  /* Translators: %s is the number of a layer */
  fill_numbers (self->layer, layer_words, _("Layer %s"), n_layers);
  /* Translators: %s is the number of a head */
  fill_numbers (self->head, head_words, _("Head %s"), n_heads);
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

static void
sync_range (AttnSidebar *self)
{
  const AttnStyle *style = &attn_session_get_study (self->session)->style;
  char low[G_ASCII_DTOSTR_BUF_SIZE];
  char high[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (low, sizeof low, "%.6g", style->low);
  g_ascii_formatd (high, sizeof high, "%.6g", style->high);
  if (!g_str_equal (gtk_editable_get_text (self->low), low))
    gtk_editable_set_text (self->low, low);
  if (!g_str_equal (gtk_editable_get_text (self->high), high))
    gtk_editable_set_text (self->high, high);
  gtk_widget_remove_css_class (GTK_WIDGET (self->low), "error");
  gtk_widget_remove_css_class (GTK_WIDGET (self->high), "error");
}

static void
study_changed_cb (AttnSidebar *self)
{
  const AttnStudy *study = attn_session_get_study (self->session);

  attn_sidebar_sync_inputs (self);
  attn_sidebar_sync_epsilons (self);
  sync_layer_and_head (self);
  sync_range (self);
  gtk_widget_set_visible (self->axis_row, study->operation == ATTN_OPERATION_MEAN);
  self->is_syncing = TRUE;
  gtk_drop_down_set_selected (self->colormap, study->style.colormap);
  self->is_syncing = FALSE;
}

static void
set_site_available (GtkWidget  *button,
                    gboolean    is_available,
                    const char *explanation,
                    const char *reason)
{
  gtk_widget_set_sensitive (button, is_available);
  gtk_widget_set_tooltip_text (button, is_available ? explanation : reason);
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
  g_autofree char *details = g_strdup_printf ("%s · %s · %s", info->family, layers, heads);

  gtk_label_set_label (self->model_name, attn_model_get_name (model));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->model_name), attn_model_get_path (model));
  gtk_label_set_label (self->model_details, details);
  set_site_available (self->site_normed, info->has_query_key_norm,
                      _("After the norm of queries and keys"),
                      _("This model does not normalise its queries and keys"));
  set_site_available (self->site_rotated, info->has_rotary,
                      _("After the rotary embedding"),
                      _("This model has no rotary embedding"));

  self->is_syncing = TRUE;
  fill_drop_downs (self, info->n_layers, info->n_heads);
  self->is_syncing = FALSE;
}

static void
result_changed_cb (AttnSidebar *self)
{
  AttnResult *result = attn_session_get_result (self->session);
  g_autofree char *shown = NULL;

  show_model (self, result->model);
  sync_layer_and_head (self);
  attn_sidebar_sync_statuses (self);
  if (result->head == ATTN_HEAD_MEAN)
    shown = g_strdup_printf (_("Showing layer %zu, mean of its heads"), result->layer);
  else
    shown = g_strdup_printf (_("Showing layer %zu, head %d"), result->layer, result->head);
  gtk_label_set_label (self->shown, shown);
}

/* The strongest sink of all is a layer and a head: choosing one of them fixes the other. */
static void
layer_selected_cb (AttnSidebar *self)
{
  guint selected = gtk_drop_down_get_selected (self->layer);

  if (self->is_syncing || self->session == NULL || selected == GTK_INVALID_LIST_POSITION)
    return;

  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
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
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  study->head = selected == 0   ? ATTN_HEAD_STRONGEST_SINK
                : selected == 1 ? ATTN_HEAD_MEAN
                                : (int) (selected - N_HEAD_WORDS);
  if (study->layer == ATTN_LAYER_STRONGEST_SINK && selected != 0 && result != NULL)
    study->layer = result->layer;
  attn_session_edit (self->session, study, NULL);
}

static void
colormap_selected_cb (AttnSidebar *self)
{
  guint selected = gtk_drop_down_get_selected (self->colormap);

  if (self->is_syncing || self->session == NULL || selected == GTK_INVALID_LIST_POSITION)
    return;

  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  study->style.colormap = selected;
  attn_session_edit (self->session, study, NULL);
}

static void
range_entered_cb (AttnSidebar *self)
{
  const char *low_text = gtk_editable_get_text (self->low);
  const char *high_text = gtk_editable_get_text (self->high);
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  double low, high;

  if (attn_text_parse_number (low_text, &low) && attn_text_parse_number (high_text, &high) &&
      low < high)
    {
      if (low != study->style.low || high != study->style.high)
        {
          study->style.low = low;
          study->style.high = high;
          study->style.tick = (high - low) / 5;
        }
      attn_session_edit (self->session, study, NULL);
      return;
    }
  attn_study_free (study);
  gtk_widget_add_css_class (GTK_WIDGET (self->low), "error");
  gtk_widget_add_css_class (GTK_WIDGET (self->high), "error");

  g_autoptr (GError) error =
      g_error_new (ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                   _("Range: “%s” to “%s” found, expected two numbers, the smaller one first"),
                   low_text, high_text);
  attn_sidebar_fail (self, error);
}

static void
range_leave_cb (AttnSidebar *self)
{
  const AttnStyle *style = &attn_session_get_study (self->session)->style;
  double low, high;

  if (!attn_text_parse_number (gtk_editable_get_text (self->low), &low) ||
      !attn_text_parse_number (gtk_editable_get_text (self->high), &high) ||
      low != style->low || high != style->high)
    range_entered_cb (self);
}

static void
colormap_setup_cb (GtkSignalListItemFactory *factory,
                   GtkListItem              *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  gtk_box_append (GTK_BOX (box), attn_swatch_new ());
  gtk_box_append (GTK_BOX (box), gtk_label_new (NULL));
  gtk_list_item_set_child (item, box);
}

static void
colormap_bind_cb (GtkSignalListItemFactory *factory,
                  GtkListItem              *item)
{
  GtkWidget *swatch = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkStringObject *name = gtk_list_item_get_item (item);

  attn_swatch_set_colormap (ATTN_SWATCH (swatch), gtk_list_item_get_position (item));
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_next_sibling (swatch)),
                       gtk_string_object_get_string (name));
}

static void
fill_colormaps (AttnSidebar *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  for (guint i = 0; i < ATTN_N_COLORMAPS; i++)
    gtk_string_list_append (names, attn_colormap_get_name (i));
  g_signal_connect (factory, "setup", G_CALLBACK (colormap_setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (colormap_bind_cb), NULL);
  gtk_drop_down_set_factory (self->colormap, factory);
  gtk_drop_down_set_model (self->colormap, G_LIST_MODEL (names));
}

static void
attn_sidebar_dispose (GObject *object)
{
  AttnSidebar *self = ATTN_SIDEBAR (object);
  GtkWidget *child;

  g_clear_object (&self->session);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  g_clear_pointer (&self->input_rows, g_ptr_array_unref);
  g_clear_pointer (&self->epsilon_rows, g_ptr_array_unref);

  G_OBJECT_CLASS (attn_sidebar_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, model_name);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, model_details);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, inputs);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, layer);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, head);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, shown);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, axis_row);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, site_normed);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, site_rotated);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, epsilon_section);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, epsilons);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, colormap);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, low);
  gtk_widget_class_bind_template_child (widget_class, AttnSidebar, high);
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

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/attentiongrid/AttentionGrid/sidebar.ui");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "controls");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, layer_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, head_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, colormap_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, range_entered_cb);
  gtk_widget_class_bind_template_callback (widget_class, range_leave_cb);
}

/**
 * attn_sidebar_label_drop_down:
 * @label: what the drop-down chooses
 *
 * GTK 4.8 leaves the button within a drop-down without a name.
 */
void
attn_sidebar_label_drop_down (GtkDropDown *drop_down,
                              const char  *label)
{
  gtk_accessible_update_property (
      GTK_ACCESSIBLE (gtk_widget_get_first_child (GTK_WIDGET (drop_down))),
      GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
attn_sidebar_init (AttnSidebar *self)
{
  self->input_rows = g_ptr_array_new ();
  self->epsilon_rows = g_ptr_array_new ();
  self->is_syncing = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_colormaps (self);
  fill_drop_downs (self, 0, 0);
  attn_sidebar_label_drop_down (self->layer, _("Layer"));
  attn_sidebar_label_drop_down (self->head, _("Head"));
  attn_sidebar_label_drop_down (self->colormap, _("Colour map"));
  self->is_syncing = FALSE;
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
  g_signal_connect_object (session, "study-changed", G_CALLBACK (study_changed_cb), sidebar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (result_changed_cb), sidebar,
                           G_CONNECT_SWAPPED);
  study_changed_cb (sidebar);
}
