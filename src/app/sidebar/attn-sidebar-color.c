/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-sidebar-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-error.h"
#include "attn-swatch.h"
#include "attn-text.h"

/* --- The colour map --- */

static void
colormap_setup_cb (GtkSignalListItemFactory *factory,
                   GtkListItem              *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (label), 6);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), attn_swatch_new ());
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
colormap_bind_cb (GtkSignalListItemFactory *factory,
                  GtkListItem              *item,
                  AttnSidebar              *self)
{
  GtkWidget *swatch = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkStringObject *name = gtk_list_item_get_item (item);
  gboolean is_reversed =
      self->session != NULL && attn_session_get_study (self->session)->style.is_reversed;

  attn_swatch_set_colormap (ATTN_SWATCH (swatch), gtk_list_item_get_position (item), is_reversed);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_next_sibling (swatch)),
                       gtk_string_object_get_string (name));
}

static void
colormap_chosen_cb (gpointer        self,
                    GFile          *file,
                    GtkFileChooser *chooser)
{
  g_autofree char *path = g_file_get_path (file);

  if (path != NULL)
    attn_sidebar_load_colormap (self, path);
}

/**
 * attn_sidebar_load_colormap:
 * @path: a CSV file of RGB values
 *
 * Colours the figure with the map in a file.
 */
void
attn_sidebar_load_colormap (AttnSidebar *self,
                            const char  *path)
{
  g_autoptr (AttnStudy) study = attn_sidebar_copy_study (self);
  g_autoptr (GError) error = NULL;

  if (!attn_colormap_load_csv (path, &study->style.colormap, &error))
    {
      attn_sidebar_fail (self, error);
      return;
    }
  attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

void
attn_sidebar_open_colormap (GtkWidget  *widget,
                            const char *action_name,
                            GVariant   *parameter)
{
  attn_sidebar_choose_file (ATTN_SIDEBAR (widget), _("Open a Colour Map"),
                            GTK_FILE_CHOOSER_ACTION_OPEN, NULL, colormap_chosen_cb);
}

/* Maps are numbered as they are registered. */
static void
sync_colormap (AttnSidebar     *self,
               const AttnStyle *style)
{
  GtkDropDown *drop_down = attn_binder_find (self->binder, "style.colormap");
  GtkStringList *names = GTK_STRING_LIST (gtk_drop_down_get_model (drop_down));
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (names));
  guint n = MAX (n_old, MAX ((guint) style->colormap + 1, ATTN_N_COLORMAPS));

  if (n == n_old && self->is_reversed == style->is_reversed)
    return;
  g_autofree const char **all = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++)
    all[i] = attn_colormap_get_name (i);
  self->is_reversed = style->is_reversed;
  gtk_string_list_splice (names, 0, n_old, all);
  attn_binder_sync (self->binder);
}

/* --- The ends of the range --- */

static void
sync_ends (AttnSidebar     *self,
           const AttnStyle *style)
{
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
set_ends (AttnSidebar *self,
          double       low,
          double       high,
          const char  *what)
{
  AttnStudy *study = attn_sidebar_copy_study (self);

  if (low != study->style.low || high != study->style.high)
    {
      study->style.low = low;
      study->style.high = high;
      study->style.tick = (high - low) / 5;
    }
  attn_session_edit (self->session, study, what);
}

static gboolean
parse_ends (AttnSidebar *self,
            double      *low,
            double      *high)
{
  return attn_text_parse_number (gtk_editable_get_text (self->low), low) &&
         attn_text_parse_number (gtk_editable_get_text (self->high), high) && *low < *high;
}

static gboolean
take_ends (AttnSidebar *self)
{
  double low, high;

  if (!parse_ends (self, &low, &high))
    return FALSE;
  set_ends (self, low, high, NULL);
  sync_ends (self, &attn_session_get_study (self->session)->style);
  return TRUE;
}

static void
range_entered_cb (AttnSidebar *self)
{
  if (take_ends (self))
    return;
  gtk_widget_add_css_class (GTK_WIDGET (self->low), "error");
  gtk_widget_add_css_class (GTK_WIDGET (self->high), "error");

  g_autoptr (GError) error =
      g_error_new (ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                   _("Range: “%s” to “%s” found, expected two numbers, the smaller one first"),
                   gtk_editable_get_text (self->low), gtk_editable_get_text (self->high));
  attn_sidebar_fail (self, error);
}

static gboolean
has_other_ends (AttnSidebar *self)
{
  const AttnStyle *style = &attn_session_get_study (self->session)->style;
  double low, high;

  return !parse_ends (self, &low, &high) || low != style->low || high != style->high;
}

/* From one end to the other: both may have to change before they make sense. */
static void
end_leave_cb (AttnSidebar *self)
{
  if (has_other_ends (self))
    take_ends (self);
}

static void
range_leave_cb (AttnSidebar *self)
{
  if (has_other_ends (self))
    range_entered_cb (self);
}

/* A step of the up and down keys: a twentieth of 1, or of the power of ten that the value has. */
static double
step_value (double value,
            int    direction)
{
  double magnitude = value != 0 ? pow (10, floor (log10 (fabs (value)) - 1e-9)) : 1;
  double step = magnitude >= 0.1 ? 0.05 : magnitude / 2;

  return round ((value + direction * step) / step) * step;
}

static gboolean
range_key_cb (AttnSidebar           *self,
              guint                  key,
              guint                  code,
              GdkModifierType        state,
              GtkEventControllerKey *controller)
{
  int direction = key == GDK_KEY_Up || key == GDK_KEY_KP_Up       ? 1
                  : key == GDK_KEY_Down || key == GDK_KEY_KP_Down ? -1
                                                                  : 0;
  GtkWidget *entry = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller));
  double low, high;

  if (direction == 0 || (state & gtk_accelerator_get_default_mod_mask ()) != 0 ||
      !parse_ends (self, &low, &high))
    return GDK_EVENT_PROPAGATE;
  if (entry == GTK_WIDGET (self->low))
    low = step_value (low, direction);
  else
    high = step_value (high, direction);
  if (low < high)
    set_ends (self, low, high, "range");
  return GDK_EVENT_STOP;
}

static void
add_keys (AttnSidebar *self,
          GtkEditable *entry)
{
  GtkEventController *controller = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (controller, "key-pressed", G_CALLBACK (range_key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (entry), controller);
}

/* --- The section --- */

void
attn_sidebar_class_init_color (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_callback (widget_class, range_entered_cb);
  gtk_widget_class_bind_template_callback (widget_class, end_leave_cb);
  gtk_widget_class_bind_template_callback (widget_class, range_leave_cb);
}

void
attn_sidebar_init_color (AttnSidebar *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (colormap_setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (colormap_bind_cb), self);
  gtk_drop_down_set_factory (attn_binder_find (self->binder, "style.colormap"), factory);
  add_keys (self, self->low);
  add_keys (self, self->high);
}

void
attn_sidebar_sync_color (AttnSidebar *self)
{
  const AttnStyle *style = &attn_session_get_study (self->session)->style;

  sync_colormap (self, style);
  sync_ends (self, style);
  gtk_widget_set_visible (attn_binder_find (self->binder, "ends_row"),
                          style->range == ATTN_RANGE_FIXED);
  gtk_widget_set_visible (attn_binder_find (self->binder, "clip_row"),
                          style->range == ATTN_RANGE_CLIPPED);
}
