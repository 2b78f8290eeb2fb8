/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-preset-list.h"

#include <glib/gi18n.h>

#include "attn-study.h"

/* The width at which long titles are wrapped, so that the list is no wider than the window. */
#define ROW_WIDTH_CHARS 72

/* The room in pixels behind the texts of a row, which the scroll bar takes. */
#define SCROLL_BAR_WIDTH 16

/* The height in pixels of the list in a window that has no room for more, and the distance between
 * the end of the list and that of the window. */
#define LEAST_HEIGHT 200
#define END_MARGIN   24

/* The smallest width of the button of presets in characters; in a narrow window the button shrinks
 * to it. */
#define BUTTON_WIDTH_CHARS 6

/* Pages of the stack in the button: the title of the preset, and the title with “(changed)” if the
 * study differs from it. */
#define PAGE_PLAIN   "plain"
#define PAGE_CHANGED "changed"

/* The key of the drop-down's datum that holds the index of the preset chosen when its list was
 * opened. */
#define OPENED_WITH "attn-preset-opened-with"

static const char *
get_title (GtkListItem *item)
{
  return gtk_string_object_get_string (gtk_list_item_get_item (item));
}

static void
bind_button_cb (GtkSignalListItemFactory *factory,
                GtkListItem              *item)
{
  GtkStack *pages = GTK_STACK (gtk_list_item_get_child (item));
  /* Translators: the title of a preset, of which something has been changed */
  g_autofree char *changed = g_strdup_printf (_("%s (changed)"), get_title (item));

  gtk_label_set_label (GTK_LABEL (gtk_stack_get_child_by_name (pages, PAGE_PLAIN)),
                       get_title (item));
  gtk_label_set_label (GTK_LABEL (gtk_stack_get_child_by_name (pages, PAGE_CHANGED)), changed);
}

static void
setup_button_cb (GtkSignalListItemFactory *factory,
                 GtkListItem              *item,
                 GtkDropDown              *drop_down)
{
  static const char * const names[] = { PAGE_PLAIN, PAGE_CHANGED };
  GtkWidget *pages = gtk_stack_new ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      GtkWidget *label = gtk_label_new (NULL);

      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_label_set_width_chars (GTK_LABEL (label), BUTTON_WIDTH_CHARS);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_stack_add_named (GTK_STACK (pages), label, names[i]);
    }
  /* The button is only as wide as the title that it shows now: the header has no room for the
   * longer one, with “(changed)”. */
  gtk_stack_set_hhomogeneous (GTK_STACK (pages), FALSE);
  gtk_list_item_set_child (item, pages);
  g_object_set_data_full (G_OBJECT (drop_down), ATTN_PRESET_LIST_PAGES, g_object_ref (pages),
                          g_object_unref);
}

static void
setup_row_cb (GtkSignalListItemFactory *factory,
              GtkListItem              *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  /* Each row has three labels: a heading “From Papers”, shown only at the first preset from a
   * paper, a title and a description. */
  for (guint i = 0; i < 3; i++)
    {
      GtkWidget *label = gtk_label_new (i == 0 ? _("From Papers") : NULL);

      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_max_width_chars (GTK_LABEL (label), ROW_WIDTH_CHARS);
      if (i == 0)
        gtk_widget_add_css_class (label, "heading");
      if (i > 1)
        {
          gtk_label_set_width_chars (GTK_LABEL (label), ROW_WIDTH_CHARS);
          gtk_widget_add_css_class (label, "dim-label");
        }
      gtk_box_append (GTK_BOX (box), label);
    }
  gtk_widget_set_margin_end (box, SCROLL_BAR_WIDTH);
  gtk_list_item_set_child (item, box);
}

static void
bind_row_cb (GtkSignalListItemFactory *factory,
             GtkListItem              *item)
{
  gsize n_presets;
  gsize n_own;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  GtkWidget *heading = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkWidget *description = gtk_widget_get_last_child (gtk_list_item_get_child (item));
  guint position = gtk_list_item_get_position (item);

  gtk_label_set_label (GTK_LABEL (gtk_widget_get_next_sibling (heading)), get_title (item));
  if (position >= n_presets)
    return;
  const AttnPreset *preset = &presets[position];
  g_autofree char *cited = preset->paper != NULL ? attn_preset_cite (preset) : NULL;
  g_autofree char *command = attn_preset_build_command (preset);
  g_autofree char *whole = cited != NULL ? g_strdup_printf ("%s\n%s\n%s", _(preset->description),
                                                            cited, command)
                                         : g_strdup (_(preset->description));

  gtk_label_set_label (GTK_LABEL (description), whole);
  attn_presets_get_own (&n_own);
  gtk_widget_set_visible (heading, position == n_own);
}

/* Remembers which preset is chosen when the list of presets opens. */
static void
opened_cb (GtkWidget   *popover,
           GtkDropDown *drop_down)
{
  g_object_set_data (G_OBJECT (drop_down), OPENED_WITH,
                     GUINT_TO_POINTER (gtk_drop_down_get_selected (drop_down)));
}

/* Notifies of "selected" when the user chooses the preset that was chosen already: this shows it
 * again without what was changed in it. GTK itself notifies only if another preset is chosen. */
static void
chosen_cb (GtkListView *list,
           guint        position,
           GtkDropDown *drop_down)
{
  if (position ==
      GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (drop_down), OPENED_WITH)))
    g_object_notify (G_OBJECT (drop_down), "selected");
}

/* Makes the list of presets, when it opens, as high as the window below its button. */
static void
fit_height_cb (GtkScrolledWindow *list)
{
  GtkWidget *button = gtk_widget_get_ancestor (GTK_WIDGET (list), GTK_TYPE_DROP_DOWN);
  GtkWidget *window = GTK_WIDGET (gtk_widget_get_root (button));
  graphene_rect_t bounds;

  if (!gtk_widget_compute_bounds (button, window, &bounds))
    return;
  int end = (int) (bounds.origin.y + bounds.size.height) + END_MARGIN;
  gtk_scrolled_window_set_max_content_height (
      list, MAX (gtk_widget_get_height (window) - end, LEAST_HEIGHT));
}

/* Changes the list that GTK builds for its drop-down: it is as high as all presets or as the window
 * has room, where GTK would show half of them and scroll; where it does scroll, its scroll bar is
 * in sight; and the preset that is chosen can be chosen again. */
static void
change_list (GtkWidget   *widget,
             GtkDropDown *drop_down)
{
  if (GTK_IS_SCROLLED_WINDOW (widget))
    {
      g_signal_connect_object (gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER), "show",
                               G_CALLBACK (fit_height_cb), widget, G_CONNECT_SWAPPED);
      gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (widget), FALSE);
    }
  else if (GTK_IS_POPOVER (widget))
    g_signal_connect (widget, "show", G_CALLBACK (opened_cb), drop_down);
  else if (GTK_IS_LIST_VIEW (widget))
    g_signal_connect (widget, "activate", G_CALLBACK (chosen_cb), drop_down);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    change_list (child, drop_down);
}

/**
 * attn_preset_list_fill:
 *
 * Fills the drop-down with all presets, in the order of attn_presets_get_all().
 * GtkDropDown:selected is notified also when the preset that was chosen already is chosen again.
 */
void
attn_preset_list_fill (GtkDropDown *drop_down)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  g_autoptr (GtkListItemFactory) button = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkListItemFactory) rows = gtk_signal_list_item_factory_new ();

  g_signal_connect (button, "setup", G_CALLBACK (setup_button_cb), drop_down);
  g_signal_connect (button, "bind", G_CALLBACK (bind_button_cb), NULL);
  g_signal_connect (rows, "setup", G_CALLBACK (setup_row_cb), NULL);
  g_signal_connect (rows, "bind", G_CALLBACK (bind_row_cb), NULL);
  for (gsize i = 0; i < n_presets; i++)
    gtk_string_list_append (titles, _(presets[i].title));
  gtk_drop_down_set_factory (drop_down, button);
  gtk_drop_down_set_list_factory (drop_down, rows);
  gtk_drop_down_set_model (drop_down, G_LIST_MODEL (titles));
  change_list (GTK_WIDGET (drop_down), drop_down);
}

/**
 * attn_preset_list_show_changed:
 * @is_changed: whether the study differs from the chosen preset
 *
 * Makes the button show “(changed)” behind the title of the preset, or the title alone.
 */
void
attn_preset_list_show_changed (GtkDropDown *drop_down,
                               gboolean     is_changed)
{
  GtkStack *pages = g_object_get_data (G_OBJECT (drop_down), ATTN_PRESET_LIST_PAGES);

  if (pages != NULL)
    gtk_stack_set_visible_child_name (pages, is_changed ? PAGE_CHANGED : PAGE_PLAIN);
}
