/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-notices.h"

#include <glib/gi18n.h>

#define ID_KEY    "attn-notice-id"
#define TEXT_KEY  "attn-notice-text"
#define CLOSE_KEY "attn-notice-close-action"

/* More would leave no room for the figure: the older ones wait. */
#define MAX_SHOWN 2

struct _AttnNotices
{
  GtkWidget parent_instance;
};

G_DEFINE_FINAL_TYPE (AttnNotices, attn_notices, GTK_TYPE_WIDGET)

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

static void
sync_bars (AttnNotices *self)
{
  guint n = 0;

  for (GtkWidget *bar = gtk_widget_get_first_child (GTK_WIDGET (self)); bar != NULL;
       bar = gtk_widget_get_next_sibling (bar))
    gtk_widget_set_visible (bar, n++ < MAX_SHOWN);
}

/* The focus goes on to what comes after the bar, not to where the window begins. */
static void
remove_bar (GtkWidget *bar)
{
  AttnNotices *self = ATTN_NOTICES (gtk_widget_get_parent (bar));
  GtkRoot *root = gtk_widget_get_root (bar);
  GtkWidget *focus;

  while (root != NULL && (focus = gtk_root_get_focus (root)) != NULL &&
         gtk_widget_is_ancestor (focus, bar) &&
         gtk_widget_child_focus (GTK_WIDGET (root), GTK_DIR_TAB_FORWARD))
    ;
  gtk_widget_unparent (bar);
  sync_bars (self);
}

static void
close_bar (GtkWidget *bar)
{
  const char *action = g_object_get_data (G_OBJECT (bar), CLOSE_KEY);
  g_autoptr (GtkWidget) kept = g_object_ref (bar);

  if (action != NULL)
    gtk_widget_activate_action (bar, action, NULL);
  /* The action may have taken it away already. */
  if (gtk_widget_get_parent (bar) != NULL)
    remove_bar (bar);
}

static void
close_cb (GtkWidget *button,
          GtkWidget *bar)
{
  close_bar (bar);
}

static gboolean
escape_cb (GtkWidget *bar,
           GVariant  *args,
           gpointer   user_data)
{
  close_bar (bar);
  return GDK_EVENT_STOP;
}

static GtkWidget *
make_label (const char *text,
            gboolean    is_title)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  gtk_label_set_selectable (GTK_LABEL (label), !is_title);
  /* What can be selected is reached with Tab, which must not begin by selecting it. */
  gtk_widget_set_focusable (label, !is_title);
  if (is_title)
    gtk_widget_add_css_class (label, "heading");
  return label;
}

static GtkWidget *
make_close_button (GtkWidget *bar)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("window-close-symbolic");

  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _("Close the message"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Close the message"), -1);
  g_signal_connect (button, "clicked", G_CALLBACK (close_cb), bar);
  return button;
}

/* A mnemonic would be one that the controls beside it have too. Some languages put it in
 * parentheses. */
static char *
drop_mnemonic (const char *label)
{
  g_autoptr (GRegex) mnemonic =
      g_regex_new ("\\(_.\\)|_", G_REGEX_DEFAULT, G_REGEX_MATCH_DEFAULT, NULL);

  return g_regex_replace_literal (mnemonic, label, -1, 0, "", G_REGEX_MATCH_DEFAULT, NULL);
}

static GtkWidget *
make_action_button (const AttnNoticeAction *action)
{
  g_autofree char *plain = drop_mnemonic (action->label);
  GtkWidget *button = gtk_button_new_with_label (plain);

  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), action->action);
  return button;
}

static GtkWidget *
make_buttons (const AttnNotice *notice)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9);

  for (gsize i = 0; i < ATTN_NOTICE_MAX_ACTIONS && notice->actions[i].label != NULL; i++)
    gtk_box_append (GTK_BOX (row), make_action_button (&notice->actions[i]));
  gtk_widget_set_margin_top (row, 6);
  gtk_widget_set_margin_bottom (row, 3);
  return row;
}

/* Not by colour alone; who hears it is told by the title. */
static GtkWidget *
make_icon (GtkMessageType type)
{
  const char *name = type == GTK_MESSAGE_ERROR     ? "dialog-error-symbolic"
                     : type == GTK_MESSAGE_WARNING ? "dialog-warning-symbolic"
                                                   : "dialog-information-symbolic";

  return g_object_new (GTK_TYPE_IMAGE, "icon-name", name, "valign", GTK_ALIGN_START,
                       "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
}

/* Escape closes the bar that has the focus. */
static void
add_escape (GtkWidget *bar)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (controller),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                        gtk_callback_action_new (escape_cb, NULL, NULL)));
  gtk_widget_add_controller (bar, controller);
}

/* The buttons stand below the text, which so has its width even in a narrow window. */
static GtkWidget *
make_bar (const AttnNotice *notice)
{
  GtkWidget *bar = g_object_new (GTK_TYPE_INFO_BAR, "message-type", notice->type,
                                 "accessible-role", GTK_ACCESSIBLE_ROLE_ALERT, NULL);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);

  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  notice->title, -1);
  g_object_set_data_full (G_OBJECT (bar), ID_KEY, g_strdup (notice->id), g_free);
  g_object_set_data_full (G_OBJECT (bar), TEXT_KEY,
                          g_strjoin ("\n", notice->title, notice->text, NULL), g_free);
  g_object_set_data_full (G_OBJECT (bar), CLOSE_KEY, g_strdup (notice->close_action), g_free);
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_widget_add_css_class (texts, "texts");
  gtk_box_append (GTK_BOX (texts), make_label (notice->title, TRUE));
  if (notice->text != NULL)
    gtk_box_append (GTK_BOX (texts), make_label (notice->text, FALSE));
  if (notice->actions[0].label != NULL)
    gtk_box_append (GTK_BOX (texts), make_buttons (notice));
  gtk_info_bar_add_child (GTK_INFO_BAR (bar), make_icon (notice->type));
  gtk_info_bar_add_child (GTK_INFO_BAR (bar), texts);
  gtk_info_bar_add_child (GTK_INFO_BAR (bar), make_close_button (bar));
  add_escape (bar);
  return bar;
}

static void
attn_notices_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (attn_notices_parent_class)->dispose (object);
}

static void
attn_notices_class_init (AttnNoticesClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_notices_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "notices");
}

static void
attn_notices_init (AttnNotices *self)
{
  gtk_orientable_set_orientation (
      GTK_ORIENTABLE (gtk_widget_get_layout_manager (GTK_WIDGET (self))), GTK_ORIENTATION_VERTICAL);
}

/**
 * attn_notices_show:
 *
 * Shows the notice above the others, of which those that have no room wait until one is closed. The
 * same notice again leaves the one that stands alone.
 */
void
attn_notices_show (AttnNotices      *notices,
                   const AttnNotice *notice)
{
  GtkWidget *old = find_bar (notices, notice->id);
  /* A byte that is not UTF-8 would end the program where assistive technology reads the label. */
  g_autofree char *title = g_utf8_make_valid (notice->title, -1);
  g_autofree char *details = notice->text != NULL ? g_utf8_make_valid (notice->text, -1) : NULL;
  g_autofree char *text = g_strjoin ("\n", title, details, NULL);
  AttnNotice valid = *notice;

  if (old != NULL && g_strcmp0 (g_object_get_data (G_OBJECT (old), TEXT_KEY), text) == 0)
    return;
  g_clear_pointer (&old, remove_bar);
  valid.title = title;
  valid.text = details;
  gtk_widget_insert_after (make_bar (&valid), GTK_WIDGET (notices), NULL);
  sync_bars (notices);
}

/* A message that begins with a word begins with a capital; one that begins with a path or the name
 * of a tensor stays as it is. */
static char *
capitalise (const char *message)
{
  const char *end = message;

  while (g_ascii_islower (*end))
    end++;
  if (end == message || (*end != ' ' && *end != ':'))
    return g_strdup (message);
  return g_strdup_printf ("%c%s", g_ascii_toupper (message[0]), message + 1);
}

/**
 * attn_notices_show_error:
 * @id: what it is about
 * @title: what went wrong, in a few words
 * @error: the same in one sentence
 * @actions: (nullable) (array length=n_actions): what can be done about it
 * @n_actions: at most %ATTN_NOTICE_MAX_ACTIONS
 *
 * Says so until it is closed or mended.
 */
void
attn_notices_show_error (AttnNotices            *notices,
                         const char             *id,
                         const char             *title,
                         const GError           *error,
                         const AttnNoticeAction *actions,
                         gsize                   n_actions)
{
  g_autofree char *text = capitalise (error->message);
  AttnNotice notice = { .id = id, .type = GTK_MESSAGE_ERROR, .title = title, .text = text };

  for (gsize i = 0; i < MIN (n_actions, ATTN_NOTICE_MAX_ACTIONS); i++)
    notice.actions[i] = actions[i];
  attn_notices_show (notices, &notice);
}

/**
 * attn_notices_hide:
 * @id: of a notice that may be shown
 */
void
attn_notices_hide (AttnNotices *notices,
                   const char  *id)
{
  GtkWidget *bar = find_bar (notices, id);

  g_clear_pointer (&bar, remove_bar);
}
