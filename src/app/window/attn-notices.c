/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-notices.h"

#include <string.h>

#include "attn-mnemonic.h"
#include "attn-text.h"

#define ID_KEY    "attn-notice-id"
#define TEXT_KEY  "attn-notice-text"
#define CLOSE_KEY "attn-notice-close-action"

/* The space between the title and the text of a notice on one line. */
#define GAP "   "

/* The largest number of notices shown, to leave room for the figure; older ones are hidden until
 * others close. */
#define MAX_SHOWN 2

struct _AttnNotices
{
  GtkBox parent_instance;
};

G_DEFINE_FINAL_TYPE (AttnNotices, attn_notices, GTK_TYPE_BOX)

static GtkWidget *
find_bar (AttnNotices *self,
          const char  *id)
{
  for (GtkWidget *bar = gtk_widget_get_first_child (GTK_WIDGET (self)); bar != NULL;
       bar = gtk_widget_get_next_sibling (bar))
    if (g_strcmp0 (g_object_get_data (G_OBJECT (bar), ID_KEY), id) == 0)
      return bar;
  return NULL;
}

/* Tells whether the bar of a notice has been closed: a closed bar has no id. */
static gboolean
is_closed (GtkWidget *bar)
{
  return g_object_get_data (G_OBJECT (bar), ID_KEY) == NULL;
}

static void
sync_bars (AttnNotices *self)
{
  guint n = 0;

  for (GtkWidget *bar = gtk_widget_get_first_child (GTK_WIDGET (self)); bar != NULL;
       bar = gtk_widget_get_next_sibling (bar))
    gtk_widget_set_visible (bar, !is_closed (bar) && n++ < MAX_SHOWN);
}

/* Moves the focus that is in a bar to the widget before the bar rather than to the start of the
 * window. */
static void
move_focus (GtkWidget *bar)
{
  GtkRoot *root = gtk_widget_get_root (bar);
  GtkWidget *focus, *last = NULL;

  while (root != NULL && (focus = gtk_root_get_focus (root)) != last && focus != NULL &&
         gtk_widget_is_ancestor (focus, bar) &&
         gtk_widget_child_focus (GTK_WIDGET (root), GTK_DIR_TAB_BACKWARD))
    last = focus;
}

static gboolean
drop_bar (gpointer bar)
{
  GtkWidget *box = gtk_widget_get_parent (bar);

  if (box != NULL)
    {
      move_focus (bar);
      gtk_box_remove (GTK_BOX (box), bar);
    }
  return G_SOURCE_REMOVE;
}

/* Closes a bar. It keeps its place in the tree, hidden, until nothing else is under way: a press on
 * the text of a bar takes the focus from an entry, which may mend what the notice is about and so
 * close the bar, and GTK 4.8 loops for ever if the text loses its parents during the press. */
static void
remove_bar (GtkWidget *bar)
{
  move_focus (bar);
  g_object_set_data (G_OBJECT (bar), ID_KEY, NULL);
  sync_bars (ATTN_NOTICES (gtk_widget_get_parent (bar)));
  g_idle_add_full (G_PRIORITY_DEFAULT, drop_bar, g_object_ref (bar), g_object_unref);
}

static void
close_bar (GtkWidget *bar)
{
  const char *action = g_object_get_data (G_OBJECT (bar), CLOSE_KEY);
  g_autoptr (GtkWidget) kept = g_object_ref (bar);

  if (action != NULL)
    gtk_widget_activate_action (bar, action, NULL);
  /* The action of the pressed button may have closed the bar of the notice already. */
  if (!is_closed (bar))
    remove_bar (bar);
}

static GtkWidget *
make_action_button (const AttnNoticeAction *action)
{
  g_autofree char *plain = attn_mnemonic_drop (action->label);
  GtkWidget *button = gtk_button_new_with_label (plain);

  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), action->action);
  return button;
}

/* Shows the title and the text of a notice on one line if they fit, else the text below the
 * title. */
static void
show_text (GtkLabel         *label,
           const AttnNotice *notice)
{
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();
  PangoAttribute *bold = pango_attr_weight_new (PANGO_WEIGHT_BOLD);
  g_autofree char *text = notice->text != NULL
                              ? g_strjoin (GAP, notice->title, notice->text, NULL)
                              : g_strdup (notice->title);

  bold->end_index = strlen (notice->title);
  pango_attr_list_insert (attributes, bold);
  gtk_label_set_attributes (label, attributes);
  gtk_label_set_text (label, text);
}

static void
show_texts (GtkBuilder       *builder,
            GtkWidget        *bar,
            const AttnNotice *notice)
{
  GtkLabel *label = GTK_LABEL (gtk_builder_get_object (builder, "text"));
  GtkWidget *buttons = GTK_WIDGET (gtk_builder_get_object (builder, "buttons"));
  const char *icon = notice->type == GTK_MESSAGE_ERROR     ? "dialog-error-symbolic"
                     : notice->type == GTK_MESSAGE_WARNING ? "dialog-warning-symbolic"
                                                           : "dialog-information-symbolic";

  gtk_info_bar_set_message_type (GTK_INFO_BAR (bar), notice->type);
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  notice->title, -1);
  gtk_image_set_from_icon_name (GTK_IMAGE (gtk_builder_get_object (builder, "icon")), icon);
  show_text (label, notice);
  for (gsize i = 0; i < ATTN_NOTICE_MAX_ACTIONS && notice->actions[i].label != NULL; i++)
    gtk_box_append (GTK_BOX (buttons), make_action_button (&notice->actions[i]));
  gtk_widget_set_visible (buttons, notice->actions[0].label != NULL);
}

/* Adds a bar for a notice above the bars of the others. */
static void
add_bar (AttnNotices      *self,
         const AttnNotice *notice,
         const char       *text)
{
  g_autoptr (GtkBuilder) builder =
      gtk_builder_new_from_resource ("/io/github/attentiongrid/AttentionGrid/notice.ui");
  GtkWidget *bar = GTK_WIDGET (gtk_builder_get_object (builder, "bar"));

  g_object_set_data_full (G_OBJECT (bar), ID_KEY, g_strdup (notice->id), g_free);
  g_object_set_data_full (G_OBJECT (bar), TEXT_KEY, g_strdup (text), g_free);
  g_object_set_data_full (G_OBJECT (bar), CLOSE_KEY, g_strdup (notice->close_action), g_free);
  show_texts (builder, bar, notice);
  g_signal_connect_swapped (gtk_builder_get_object (builder, "close"), "clicked",
                            G_CALLBACK (close_bar), bar);
  /* The signal "close" is emitted when Escape is pressed in the bar that has the focus. */
  g_signal_connect (bar, "close", G_CALLBACK (close_bar), NULL);
  gtk_box_prepend (GTK_BOX (self), bar);
}

static void
attn_notices_class_init (AttnNoticesClass *klass)
{
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "notices");
}

static void
attn_notices_init (AttnNotices *self)
{
}

/**
 * attn_notices_show:
 *
 * Shows the notice above the others; older ones that have no room are hidden until others are
 * closed. Nothing happens if the same notice is shown already.
 */
void
attn_notices_show (AttnNotices      *notices,
                   const AttnNotice *notice)
{
  GtkWidget *old = find_bar (notices, notice->id);
  /* Invalid UTF-8, as from the name of a file, would crash the program when assistive technology
   * reads the label. */
  g_autofree char *title = g_utf8_make_valid (notice->title, -1);
  g_autofree char *details = notice->text != NULL ? g_utf8_make_valid (notice->text, -1) : NULL;
  g_autofree char *text = g_strjoin ("\n", title, details, NULL);
  AttnNotice valid = *notice;

  if (old != NULL && g_strcmp0 (g_object_get_data (G_OBJECT (old), TEXT_KEY), text) == 0)
    return;
  g_clear_pointer (&old, remove_bar);
  valid.title = title;
  valid.text = details;
  add_bar (notices, &valid, text);
  sync_bars (notices);
}

/**
 * attn_notices_show_error:
 * @id: what it is about
 * @title: what went wrong, in a few words
 * @error: the same in one sentence
 * @actions: (nullable) (array length=n_actions): what can be done about it
 * @n_actions: at most %ATTN_NOTICE_MAX_ACTIONS
 *
 * Shows an error in a notice, until the user closes it or attn_notices_hide() is called.
 */
void
attn_notices_show_error (AttnNotices            *notices,
                         const char             *id,
                         const char             *title,
                         const GError           *error,
                         const AttnNoticeAction *actions,
                         gsize                   n_actions)
{
  g_autofree char *text = attn_text_capitalise (error->message);
  AttnNotice notice = { .id = id, .type = GTK_MESSAGE_ERROR, .title = title, .text = text };

  for (gsize i = 0; i < MIN (n_actions, ATTN_NOTICE_MAX_ACTIONS); i++)
    notice.actions[i] = actions[i];
  attn_notices_show (notices, &notice);
}

/**
 * attn_notices_hide:
 * @id: the id of the notice to close; nothing happens if it is not shown
 */
void
attn_notices_hide (AttnNotices *notices,
                   const char  *id)
{
  GtkWidget *bar = find_bar (notices, id);

  g_clear_pointer (&bar, remove_bar);
}
