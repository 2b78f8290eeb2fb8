/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A chooser for a font family and a size. GTK 4.8's own dialog chooses faces: it selects no family
 * whose regular face is not the one asked for, then does not let the size alone be changed, and
 * crashes at a family that has only slanted faces. */

#include "config.h"

#include "attn-font-row.h"

#include <string.h>

#include "attn-signal.h"
#include "attn-template.h"

struct _AttnFontRow
{
  GtkBox parent_instance;

  const char *family; /* interned */
  double size;        /* points */
  gboolean is_syncing;

  /* Template widgets */
  GtkWidget *button;
  GtkLabel *name;
  GtkPopover *popover;
  GtkEditable *search;
  GtkListBox *list;
  GtkSpinButton *points;
};

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnFontRow, attn_font_row, GTK_TYPE_BOX)

/* The largest number of letters that are shown of a font's name. Longer names are cut in the
 * middle, since names of one family differ at the end. */
#define LONGEST_NAME 28

static const char *
get_family (GtkListBoxRow *row)
{
  return gtk_label_get_label (GTK_LABEL (gtk_list_box_row_get_child (row)));
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return g_utf8_collate (*(const char * const *) a, *(const char * const *) b);
}

/* Fills the list with the fonts of this computer. */
static void
fill_list (AttnFontRow *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree PangoFontFamily **families = NULL;
  int n_families;

  pango_font_map_list_families (pango_cairo_font_map_get_default (), &families, &n_families);
  for (int i = 0; i < n_families; i++)
    g_ptr_array_add (names, (gpointer) pango_font_family_get_name (families[i]));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      GtkWidget *label = gtk_label_new (name);
      GtkWidget *row = gtk_list_box_row_new ();

      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
      gtk_label_set_max_width_chars (GTK_LABEL (label), LONGEST_NAME);
      gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                      -1);
      gtk_list_box_append (self->list, row);
    }
}

static gboolean
is_searched (GtkListBoxRow *row,
             gpointer       user_data)
{
  AttnFontRow *self = user_data;
  g_autofree char *name = g_utf8_casefold (get_family (row), -1);
  g_autofree char *part = g_utf8_casefold (gtk_editable_get_text (self->search), -1);

  return strstr (name, part) != NULL;
}

/* Returns the row of @family or, if that is %NULL, the first row that matches the search. Returns:
 * (nullable): %NULL if no row matches */
static GtkListBoxRow *
find_row (AttnFontRow *self,
          const char  *family)
{
  GtkListBoxRow *row;
  int i = 0;

  while ((row = gtk_list_box_get_row_at_index (self->list, i++)) != NULL)
    if (family != NULL ? g_str_equal (get_family (row), family) : is_searched (row, self))
      break;
  return row;
}

static void
search_changed_cb (AttnFontRow *self)
{
  gtk_list_box_invalidate_filter (self->list);
  if (gtk_editable_get_text (self->search)[0] == '\0')
    return;
  /* The first font that matches the search is selected, so that the arrow keys start from it. */
  gtk_list_box_select_row (self->list, find_row (self, NULL));
  /* If the text was typed while the list had the focus, the focus moves to the search entry. */
  if ((gtk_widget_get_state_flags (GTK_WIDGET (self->search)) & GTK_STATE_FLAG_FOCUS_WITHIN) == 0)
    {
      gtk_widget_grab_focus (GTK_WIDGET (self->search));
      gtk_editable_set_position (self->search, -1);
    }
}

/* Scrolls to the selected font once its row is laid out, and focuses the row, so that the arrow
 * keys start there. */
static gboolean
focus_selected_cb (GtkWidget     *list,
                   GdkFrameClock *clock,
                   gpointer       nothing)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (list));

  if (row != NULL && gtk_widget_get_child_visible (GTK_WIDGET (row)) &&
      gtk_widget_get_height (GTK_WIDGET (row)) == 0)
    return G_SOURCE_CONTINUE;
  if (row != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (row));
  return G_SOURCE_REMOVE;
}

static void
shown_cb (AttnFontRow *self)
{
  if (gtk_list_box_get_row_at_index (self->list, 0) == NULL)
    fill_list (self);
  gtk_editable_set_text (self->search, "");
  gtk_list_box_select_row (self->list, find_row (self, self->family));
  gtk_widget_add_tick_callback (GTK_WIDGET (self->list), focus_selected_cb, NULL, NULL);
}

static void
row_activated_cb (AttnFontRow   *self,
                  GtkListBoxRow *row)
{
  attn_font_row_set_font (self, get_family (row), self->size);
  gtk_popover_popdown (self->popover);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* Chooses the font that is selected, the first match of the search, when Return is pressed. */
static void
search_entered_cb (AttnFontRow *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);

  if (row != NULL)
    row_activated_cb (self, row);
}

static void
search_stopped_cb (AttnFontRow *self)
{
  gtk_popover_popdown (self->popover);
}

/* Moves from the search entry to the second match, as the first is selected already. GTK 4.8 would
 * focus the row that last had the focus, even if it is filtered out. */
static gboolean
search_key_pressed_cb (GtkEventControllerKey *keys,
                       guint                  keyval,
                       guint                  keycode,
                       GdkModifierType        state,
                       gpointer               user_data)
{
  AttnFontRow *self = user_data;
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);

  if (keyval != GDK_KEY_Down || row == NULL)
    return FALSE;
  gtk_widget_grab_focus (GTK_WIDGET (row));
  g_signal_emit_by_name (self->list, "move-cursor", GTK_MOVEMENT_DISPLAY_LINES, 1, FALSE, FALSE);
  return TRUE;
}

/* Moves the focus up from the first font to the search entry. */
static gboolean
keynav_failed_cb (AttnFontRow      *self,
                  GtkDirectionType  direction)
{
  return direction == GTK_DIR_UP && gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

static void
points_changed_cb (AttnFontRow *self)
{
  if (self->is_syncing)
    return;
  self->size = gtk_spin_button_get_value (self->points);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static gboolean
attn_font_row_mnemonic_activate (GtkWidget *widget,
                                 gboolean   is_cycling)
{
  return gtk_widget_grab_focus (ATTN_FONT_ROW (widget)->button);
}

static void
attn_font_row_class_init (AttnFontRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->mnemonic_activate = attn_font_row_mnemonic_activate;

  /* (): emitted when the user changes the font. */
  signals[SIGNAL_CHANGED] = attn_signal_new (klass, "changed", 0);

  attn_template_set (widget_class, "font-row.ui");
  gtk_widget_class_set_css_name (widget_class, "fontrow");
  gtk_widget_class_bind_template_child (widget_class, AttnFontRow, button);
  gtk_widget_class_bind_template_child (widget_class, AttnFontRow, name);
  gtk_widget_class_bind_template_child (widget_class, AttnFontRow, popover);
  gtk_widget_class_bind_template_child (widget_class, AttnFontRow, search);
  gtk_widget_class_bind_template_child (widget_class, AttnFontRow, list);
  gtk_widget_class_bind_template_child (widget_class, AttnFontRow, points);
  gtk_widget_class_bind_template_callback (widget_class, shown_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_entered_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_stopped_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_key_pressed_cb);
  gtk_widget_class_bind_template_callback (widget_class, keynav_failed_cb);
  gtk_widget_class_bind_template_callback (widget_class, row_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, points_changed_cb);
}

static void
attn_font_row_init (AttnFontRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* The button of the font fills the width that its row gets, but does not ask for more. */
  gtk_widget_set_hexpand (GTK_WIDGET (self), FALSE);
  /* A menu button centres its child; its label is aligned as in the drop-downs around it. */
  gtk_widget_set_halign (gtk_widget_get_parent (GTK_WIDGET (self->name)), GTK_ALIGN_FILL);
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (self->search),
                                           GTK_WIDGET (self->popover));
  gtk_list_box_set_filter_func (self->list, is_searched, self, NULL);
}

/**
 * attn_font_row_set_font:
 * @row: the row that shows the font
 * @family: name of the family, which need not be installed on this computer
 * @size: size in points
 */
void
attn_font_row_set_font (AttnFontRow *row,
                        const char  *family,
                        double       size)
{
  row->family = g_intern_string (family);
  row->size = size;
  row->is_syncing = TRUE;
  gtk_label_set_label (row->name, family);
  gtk_spin_button_set_value (row->points, size);
  row->is_syncing = FALSE;
}

/* Returns: the name of the chosen font family, an interned string */
const char *
attn_font_row_get_family (AttnFontRow *row)
{
  return row->family;
}

/* Returns: the size of the font in points, which may have more digits than the row shows */
double
attn_font_row_get_size (AttnFontRow *row)
{
  return row->size;
}
