/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-palette.h"

#include <glib/gi18n.h>

#include "attn-palette-match.h"
#include "attn-popover.h"
#include "attn-reveal.h"

/* The largest number of rows that are shown; the user types more to see others. */
#define MOST_ROWS 50

/* The number of entries that are remembered as last used. */
#define MOST_RECENT 12

/* The width of the palette and the largest height of its list, pixels. */
#define WIDTH       460
#define LIST_HEIGHT 320

/* The margin in pixels above and below the text that says that nothing was found. */
#define NONE_MARGIN 12

#define RECENT_KEY "palette-recent"

/* The palette that is open. It is freed with its popover. */
typedef struct
{
  GPtrArray *entries;     /* (element-type AttnPaletteEntry) */
  GPtrArray *found;       /* (element-type AttnPaletteEntry): entries of the palette that are shown,
                           * unowned */
  AttnPaletteEntry *read; /* (nullable): entry of the palette made from the typed text, such as a
                           * layer */
  AttnPaletteReadFunc reader;
  gpointer user_data;
  GSettings *settings; /* (nullable) */
  GStrv recent;        /* ids of the palette's entries used last, the latest first */
  GtkEditable *search;
  GtkListBox *list;
  GtkStack *pages;
} Palette;

static void
free_palette (gpointer data)
{
  Palette *palette = data;

  g_ptr_array_unref (palette->entries);
  g_clear_pointer (&palette->found, g_ptr_array_unref);
  g_clear_pointer (&palette->read, attn_palette_entry_free);
  g_clear_object (&palette->settings);
  g_strfreev (palette->recent);
  g_free (palette);
}

/* --- Entries of the palette ------------------------------------------------------------------- */

AttnPaletteEntry *
attn_palette_entry_new (const char *title,
                        const char *kind)
{
  AttnPaletteEntry *entry = g_new0 (AttnPaletteEntry, 1);

  entry->title = g_strdup (title);
  entry->kind = g_strdup (kind);
  entry->place = -1;
  return entry;
}

void
attn_palette_entry_free (AttnPaletteEntry *entry)
{
  g_free (entry->title);
  g_free (entry->kind);
  g_free (entry->key);
  g_free (entry->action);
  g_clear_pointer (&entry->target, g_variant_unref);
  g_free (entry);
}

/**
 * attn_palette_entry_get_id:
 *
 * Returns: (transfer full): an id of the entry, made from its action or control, which is the same
 *   in every language, such as to remember it
 */
char *
attn_palette_entry_get_id (const AttnPaletteEntry *entry)
{
  if (entry->control != NULL)
    return g_strdup_printf ("%s=%d",
                            gtk_buildable_get_buildable_id (GTK_BUILDABLE (entry->control)),
                            entry->place);
  return g_action_print_detailed_name (entry->action, entry->target);
}

/* Returns the index of an entry among the entries used last, or their number if the entry is not
 * among them. */
static guint
get_age (const AttnPaletteEntry *entry,
         const char * const     *recent)
{
  g_autofree char *id = attn_palette_entry_get_id (entry);
  guint age = 0;

  while (recent[age] != NULL && !g_str_equal (recent[age], id))
    age++;
  return age;
}

typedef struct
{
  AttnPaletteEntry *entry;
  guint worth;
  guint age;
  guint place;
} Found;

static int
compare_found (gconstpointer a,
               gconstpointer b)
{
  const Found *first = a;
  const Found *second = b;

  if (first->worth != second->worth)
    return first->worth > second->worth ? -1 : 1;
  if (first->age != second->age)
    return first->age < second->age ? -1 : 1;
  return first->place < second->place ? -1 : 1;
}

/* Returns how well an entry fits the typed words, by its title or by its other words, whichever
 * fits better. */
static guint
match_entry (const AttnPaletteEntry *entry,
             const char             *typed)
{
  const char *kind = entry->kind != NULL ? entry->kind : "";
  const char *words = entry->words != NULL ? entry->words : "";
  g_autofree char *name = g_strjoin (" ", entry->title, kind, words, NULL);

  return MAX (attn_palette_match (typed, name), attn_palette_match (typed, words));
}

/**
 * attn_palette_sort:
 * @entries: (element-type AttnPaletteEntry)
 * @typed: the words that the user has typed
 * @recent: (array zero-terminated=1): ids of the entries used last, the latest first
 *
 * Returns: (transfer container) (element-type AttnPaletteEntry): the entries that match all typed
 *   words, the best first; among equally good ones those used last come first, then the others in
 *   the order of @entries. If any entry has a clear match, those in which only scattered letters
 *   match are left out
 */
GPtrArray *
attn_palette_sort (GPtrArray          *entries,
                   const char         *typed,
                   const char * const *recent)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Found));
  GPtrArray *sorted = g_ptr_array_new ();

  for (guint i = 0; i < entries->len; i++)
    {
      AttnPaletteEntry *entry = g_ptr_array_index (entries, i);
      Found one = { entry, match_entry (entry, typed), 0, i };

      if (one.worth == 0)
        continue;
      one.age = get_age (entry, recent);
      g_array_append_val (found, one);
    }
  g_array_sort (found, compare_found);
  for (guint i = 0; i < found->len; i++)
    {
      const Found *one = &g_array_index (found, Found, i);

      if (one->worth < ATTN_PALETTE_CLEAR &&
          g_array_index (found, Found, 0).worth >= ATTN_PALETTE_CLEAR)
        break;
      g_ptr_array_add (sorted, one->entry);
    }
  return sorted;
}

/* --- Rows of the palette ---------------------------------------------------------------------- */

/* Asks the window or the application for the action of an entry. Returns whether it is enabled. An
 * entry for a control is always enabled: it is listed only if the control applies to the study.
 * @is_on: (out): whether the action is a switch that is on */
static gboolean
is_possible (GtkWidget              *widget,
             const AttnPaletteEntry *entry,
             gboolean               *is_on)
{
  GtkApplicationWindow *window = GTK_APPLICATION_WINDOW (gtk_widget_get_root (widget));
  g_auto (GStrv) parts = entry->action != NULL ? g_strsplit (entry->action, ".", 2) : NULL;

  *is_on = FALSE;
  if (entry->control != NULL)
    return TRUE;
  if (g_str_equal (parts[0], "window"))
    return TRUE;
  GActionGroup *group =
      g_str_equal (parts[0], "app")
          ? G_ACTION_GROUP (gtk_window_get_application (GTK_WINDOW (window)))
          : G_ACTION_GROUP (window);
  g_autoptr (GVariant) state = g_action_group_get_action_state (group, parts[1]);
  *is_on = state != NULL && g_variant_is_of_type (state, G_VARIANT_TYPE_BOOLEAN) &&
           g_variant_get_boolean (state);
  return g_action_group_get_action_enabled (group, parts[1]);
}

static GtkWidget *
new_label (const char *text,
           gboolean    is_dim)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), is_dim ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, !is_dim);
  if (is_dim)
    gtk_widget_add_css_class (label, "dim-label");
  return label;
}

static GtkWidget *
new_row (Palette                *palette,
         const AttnPaletteEntry *entry)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  gboolean is_on;
  gboolean can_be = is_possible (GTK_WIDGET (palette->list), entry, &is_on);
  gboolean is_current = is_on || entry->is_current;
  g_autofree char *name = g_strconcat (entry->title, entry->kind != NULL ? ", " : "",
                                       entry->kind != NULL ? entry->kind : "",
                                       is_current ? ", " : "",
                                       /* Translators: of several choices, the one that is taken */
                                       is_current ? _("current") : "", NULL);

  gtk_box_append (GTK_BOX (box), new_label (entry->title, FALSE));
  if (is_current)
    gtk_box_append (GTK_BOX (box),
                    g_object_new (GTK_TYPE_IMAGE, "icon-name", "object-select-symbolic",
                                  "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL));
  if (entry->kind != NULL)
    gtk_box_append (GTK_BOX (box), new_label (entry->kind, TRUE));
  if (entry->key != NULL)
    gtk_box_append (GTK_BOX (box), new_label (entry->key, TRUE));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_widget_set_sensitive (row, can_be);
  return row;
}

/* Selects the next row that is sensitive. @first: index of the row to try first. @step: 1 to go
 * down the list, -1 to go up */
static void
select_next (Palette *palette,
             int      first,
             int      step)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (palette->list, first);

  while (row != NULL && !gtk_widget_get_sensitive (GTK_WIDGET (row)))
    row = gtk_list_box_get_row_at_index (palette->list, first += step);
  if (row == NULL)
    return;
  gtk_list_box_select_row (palette->list, row);

  /* The list is scrolled to the selected row by hand: the focus, which would scroll it, stays in
   * the search entry. */
  GtkWidget *window = gtk_widget_get_ancestor (GTK_WIDGET (palette->list),
                                               GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *place = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (window));
  graphene_rect_t bounds;
  if (gtk_widget_compute_bounds (GTK_WIDGET (row), GTK_WIDGET (palette->list), &bounds))
    gtk_adjustment_clamp_page (place, bounds.origin.y, bounds.origin.y + bounds.size.height);
}

/* Puts the entry made from the typed text, such as a layer, before all others, and removes the
 * other entry with the same action. */
static void
put_first (Palette          *palette,
           AttnPaletteEntry *read)
{
  for (guint i = 0; i < palette->found->len; i++)
    {
      const AttnPaletteEntry *other = palette->found->pdata[i];

      if (g_str_equal (other->title, read->title))
        g_ptr_array_remove_index (palette->found, i--);
    }
  g_ptr_array_insert (palette->found, 0, read);
}

/* Makes the list as high as its rows, up to the largest height, from which on the list scrolls. A
 * list that may scroll is at least as high as its scroll bar, which is higher than a row. */
static void
fit_height (Palette *palette)
{
  GtkWidget *window = gtk_widget_get_ancestor (GTK_WIDGET (palette->list),
                                               GTK_TYPE_SCROLLED_WINDOW);
  int needed;

  gtk_widget_measure (GTK_WIDGET (palette->list), GTK_ORIENTATION_VERTICAL, -1, NULL, &needed,
                      NULL, NULL);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (window), GTK_POLICY_NEVER,
                                  needed > LIST_HEIGHT ? GTK_POLICY_AUTOMATIC : GTK_POLICY_NEVER);
}

static void
fill (Palette *palette)
{
  const char *typed = gtk_editable_get_text (palette->search);
  GtkWidget *old;

  while ((old = gtk_widget_get_first_child (GTK_WIDGET (palette->list))) != NULL)
    gtk_list_box_remove (palette->list, old);
  g_clear_pointer (&palette->found, g_ptr_array_unref);
  g_clear_pointer (&palette->read, attn_palette_entry_free);
  palette->found =
      attn_palette_sort (palette->entries, typed, (const char * const *) palette->recent);
  palette->read = palette->reader (typed, palette->user_data);
  if (palette->read != NULL)
    put_first (palette, palette->read);
  for (guint i = 0; i < MIN (palette->found->len, MOST_ROWS); i++)
    gtk_list_box_append (palette->list, new_row (palette, palette->found->pdata[i]));
  fit_height (palette);
  gtk_stack_set_visible_child_name (palette->pages, palette->found->len > 0 ? "list" : "none");
  select_next (palette, 0, 1);
}

/* --- Choosing an entry of the palette --------------------------------------------------------- */

static void
remember (Palette                *palette,
          const AttnPaletteEntry *entry)
{
  g_autofree char *id = attn_palette_entry_get_id (entry);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint n = 1;

  if (palette->settings == NULL)
    return;
  g_strv_builder_add (builder, id);
  for (guint i = 0; palette->recent[i] != NULL && n < MOST_RECENT; i++)
    if (!g_str_equal (palette->recent[i], id))
      {
        g_strv_builder_add (builder, palette->recent[i]);
        n++;
      }
  g_auto (GStrv) recent = g_strv_builder_end (builder);
  g_settings_set_strv (palette->settings, RECENT_KEY, (const char * const *) recent);
}

/* Expands the expanders that hide a control. The expanders are searched from @root: in a folded
 * expander a control has no parent to begin from. */
static void
unfold (GtkWidget *root,
        GtkWidget *control)
{
  GtkWidget *top = control;

  while (gtk_widget_get_parent (top) != NULL && gtk_widget_get_parent (top) != root)
    top = gtk_widget_get_parent (top);
  if (GTK_IS_EXPANDER (root) && (gtk_expander_get_child (GTK_EXPANDER (root)) == top ||
                                 gtk_widget_is_ancestor (control, root)))
    gtk_expander_set_expanded (GTK_EXPANDER (root), TRUE);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    unfold (child, control);
}

static void
use_control (GtkWidget *control,
             GtkWidget *root,
             int        place)
{
  gboolean is_switch =
      g_object_class_find_property (G_OBJECT_GET_CLASS (control), "active") != NULL;
  gboolean is_active;

  if (GTK_IS_DROP_DOWN (control))
    gtk_drop_down_set_selected (GTK_DROP_DOWN (control), (guint) place);
  else if (is_switch)
    {
      g_object_get (control, "active", &is_active, NULL);
      g_object_set (control, "active", place >= 0 || !is_active, NULL);
    }
  else
    {
      unfold (root, control);
      gtk_widget_grab_focus (control);
      attn_reveal (control);
    }
}

static void
activate (Palette *palette)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (palette->list);
  GtkWidget *popover = gtk_widget_get_ancestor (GTK_WIDGET (palette->list), GTK_TYPE_POPOVER);

  if (row == NULL)
    return;
  const AttnPaletteEntry *entry = palette->found->pdata[gtk_list_box_row_get_index (row)];
  GtkWidget *root = GTK_WIDGET (gtk_widget_get_root (popover));
  GtkWidget *control = entry->control;
  int place = entry->place;
  g_autofree char *action = g_strdup (entry->action);
  g_autoptr (GVariant) target = entry->target != NULL ? g_variant_ref (entry->target) : NULL;

  remember (palette, entry);
  /* The palette is closed before the action runs, which may take the focus or open another
   * popover. */
  gtk_popover_popdown (GTK_POPOVER (popover));
  if (control != NULL)
    use_control (control, root, place);
  else
    gtk_widget_activate_action_variant (root, action, target);
}

static void
row_activated_cb (Palette       *palette,
                  GtkListBoxRow *row)
{
  gtk_list_box_select_row (palette->list, row);
  activate (palette);
}

static gboolean
key_cb (Palette *palette,
        guint    keyval)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (palette->list);
  int index = row != NULL ? gtk_list_box_row_get_index (row) : -1;

  if (keyval == GDK_KEY_Down || keyval == GDK_KEY_KP_Down)
    select_next (palette, index + 1, 1);
  else if (index > 0 && (keyval == GDK_KEY_Up || keyval == GDK_KEY_KP_Up))
    select_next (palette, index - 1, -1);
  else
    return keyval == GDK_KEY_Up || keyval == GDK_KEY_KP_Up;
  return TRUE;
}

/**
 * attn_palette_open:
 * @widget: a widget in an application window that has the actions of the entries
 * @place: what the palette points at, in coordinates of @widget
 * @entries: (transfer full) (element-type AttnPaletteEntry)
 * @read: called at each change of the typed text, to make an entry from it
 * @user_data: for @read; it lives as long as @widget
 * @settings: (nullable): settings that keep which entries were used last
 *
 * Shows the palette until the user chooses an entry or closes it.
 */
void
attn_palette_open (GtkWidget           *widget,
                   const GdkRectangle  *place,
                   GPtrArray           *entries,
                   AttnPaletteReadFunc  read,
                   gpointer             user_data,
                   GSettings           *settings)
{
  Palette *palette = g_new0 (Palette, 1);
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *window = gtk_scrolled_window_new ();
  GtkWidget *none = gtk_label_new (_("Nothing has this name"));
  GtkEventController *keys = gtk_event_controller_key_new ();

  palette->entries = entries;
  palette->reader = read;
  palette->user_data = user_data;
  palette->settings = settings != NULL ? g_object_ref (settings) : NULL;
  palette->recent = settings != NULL ? g_settings_get_strv (settings, RECENT_KEY)
                                     : g_new0 (char *, 1);
  palette->search = GTK_EDITABLE (gtk_search_entry_new ());
  palette->list = GTK_LIST_BOX (gtk_list_box_new ());
  palette->pages = GTK_STACK (gtk_stack_new ());
  g_object_set_data_full (G_OBJECT (popover), "palette", palette, free_palette);
  g_object_set (palette->search, "placeholder-text",
                _("Action, setting, preset or head, such as L2 H3"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (palette->search), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Find an action"), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (palette->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Actions"), -1);
  gtk_list_box_set_selection_mode (palette->list, GTK_SELECTION_BROWSE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (window), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (window), GTK_WIDGET (palette->list));
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (window), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (window), LIST_HEIGHT);
  gtk_stack_set_vhomogeneous (palette->pages, FALSE);
  gtk_stack_add_named (palette->pages, window, "list");
  gtk_stack_add_named (palette->pages, none, "none");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (palette->search));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (palette->pages));
  gtk_widget_set_margin_top (none, NONE_MARGIN);
  gtk_widget_set_margin_bottom (none, NONE_MARGIN);
  gtk_widget_set_size_request (box, WIDTH, -1);
  gtk_widget_add_css_class (popover, "palette");
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (palette->search), keys);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_cb), palette);
  g_signal_connect_swapped (palette->search, "changed", G_CALLBACK (fill), palette);
  g_signal_connect_swapped (palette->search, "activate", G_CALLBACK (activate), palette);
  g_signal_connect_swapped (palette->search, "stop-search", G_CALLBACK (gtk_popover_popdown),
                            popover);
  g_signal_connect_swapped (palette->list, "row-activated", G_CALLBACK (row_activated_cb), palette);
  g_signal_connect_object (popover, "closed", G_CALLBACK (gtk_widget_grab_focus), widget,
                           G_CONNECT_SWAPPED);
  if (!attn_popover_open (GTK_POPOVER (popover), widget, place))
    return;
  gtk_widget_grab_focus (GTK_WIDGET (palette->search));
  fill (palette);
}
