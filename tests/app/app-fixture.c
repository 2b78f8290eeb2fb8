/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "app-fixture.h"

#include <glib/gi18n.h>
#include <locale.h>

#include "attn-application.h"
#include "attn-worker.h"

/* Does all that there is to do at present. */
void
iterate (void)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

/* Tells whether GTK complains of itself. Where no compositor runs, 4.24 counts a frame twice, once
 * in any program with a menu; and 4.8 asks for the tooltip of a popover that closes within half a
 * second after the pointer came over it: where the pointer is on a surface that is gone, and which
 * widget is there. */
static gboolean
is_passed_over (const char *message)
{
  return g_str_equal (message, "gdk_frame_timings_submitted() called on submitted frame.") ||
         g_str_has_prefix (message, "gdk_surface_get_device_position: assertion") ||
         g_str_has_prefix (message, "_gtk_widget_find_at_coords: assertion");
}

/* Every other warning ends the test. GLib makes no exceptions among those that it ends a program
 * for, but by a handler that holds for a single test. */
static GLogWriterOutput
write_log (GLogLevelFlags   level,
           const GLogField *fields,
           gsize            n_fields,
           gpointer         data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE") && is_passed_over (fields[i].value))
      return G_LOG_WRITER_HANDLED;
  g_log_writer_default (level, fields, n_fields, data);
  if ((level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0)
    abort ();
  return G_LOG_WRITER_HANDLED;
}

/* As gtk_test_init(), but in the locale "C" and not in en_US, which need not be there: GTK
 * 4.24 warns of that. */
void
fixture_init (int    *argc,
              char ***argv)
{
  g_test_init (argc, argv, NULL);
  g_log_set_writer_func (write_log, NULL, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  gtk_disable_setlocale ();
  gtk_init ();
}

/* An application with its resources and actions, which does not look for another of its name. */
GtkApplication *
fixture_new_application (void)
{
  GtkApplication *application = GTK_APPLICATION (attn_application_new ());

  g_application_set_flags (G_APPLICATION (application),
                           g_application_get_flags (G_APPLICATION (application)) |
                               G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  return application;
}

/* Runs the tests, waits for what is still computed and lets @application go. Returns: what main()
 * does */
int
fixture_run (GtkApplication *application)
{
  int status = g_test_run ();

  attn_worker_wait_for_threads ();
  g_object_unref (application);
  return status;
}

/* A window as the program opens it, once its figure is there. */
AttnWindow *
open_window (GtkApplication *application)
{
  AttnWindow *window = attn_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  wait_for_figure (window);
  return window;
}

/* The same with another preset, whose figure alone is waited for. */
AttnWindow *
open_preset (GtkApplication *application,
             const char     *preset)
{
  AttnWindow *window = attn_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  attn_window_load_preset (window, preset);
  wait_for_figure (window);
  return window;
}

/* Whether the side bar and the inspector are there, the former seen if it has room. */
static gboolean
has_panes (AttnWindow *window)
{
  return window->sidebar != NULL && window->inspector != NULL &&
         (!gtk_widget_get_mapped (GTK_WIDGET (window->sidebar)) ||
          gtk_widget_get_opacity (GTK_WIDGET (window->sidebar)) > 0);
}

/* Until the figure is that of the study, and the panes beside it are there. */
void
wait_for_figure (AttnWindow *window)
{
  WAIT_UNTIL (has_panes (window) && window->opening == NULL &&
              !attn_session_is_busy (window->session) &&
              attn_session_is_current (window->session) &&
              attn_reading_get_places (window->reading).scene != NULL);
}

/* Destroys a window and waits for whatever still holds it, or the figure in it, to let go. */
void
close_window (gpointer window)
{
  gpointer view = find_widget (window, ATTN_TYPE_FIGURE_VIEW);

  g_object_add_weak_pointer (window, &window);
  if (view != NULL)
    g_object_add_weak_pointer (view, &view);
  gtk_window_destroy (window);
  WAIT_UNTIL (window == NULL && view == NULL);
}

/* Writes what the window shows. */
void
export_figure (AttnWindow     *window,
               const char     *path,
               AttnExportKind  kind,
               gssize          panel)
{
  attn_window_export (window, attn_session_get_result (window->session), path, kind, panel);
}

/* A window of its own for @view, with @grid drawn in it. */
GtkWindow *
open_figure_view (AttnFigureView *view,
                  AttnGrid       *grid)
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());
  AttnStyle style = attn_style_default ();

  gtk_window_set_default_size (window, 700, 600);
  gtk_window_set_child (window, GTK_WIDGET (view));
  attn_reading_set_figure (attn_figure_view_get_reading (view), grid, &style);
  gtk_window_present (window);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (view));
  return window;
}

/* Destroys the window; nothing else may hold the view. */
void
close_figure_view (GtkWindow      *window,
                   AttnFigureView *view)
{
  AttnFigureView *last = g_object_ref (view);

  gtk_window_destroy (window);
  iterate ();
  g_assert_finalize_object (last);
}

/* The first widget of a type in @widget, itself included, depth first; NULL where there is none. */
gpointer
find_widget (gpointer widget,
             GType    type)
{
  gpointer found = g_type_is_a (G_OBJECT_TYPE (widget), type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_widget (child, type);
  return found;
}

/* The widget in @widget with this id in its .ui file, whether it shows or not; NULL where there is
 * none. */
gpointer
find_id (gpointer    widget,
         const char *id)
{
  gpointer found =
      g_strcmp0 (gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget)), id) == 0 ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_id (child, id);
  return found;
}

/* The first label in @widget that says @text; NULL where there is none. */
GtkLabel *
find_label (gpointer    widget,
            const char *text)
{
  GtkLabel *found =
      GTK_IS_LABEL (widget) && g_str_equal (gtk_label_get_label (widget), text) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_label (child, text);
  return found;
}

/* As find_label(), where a label says more than @part. */
GtkLabel *
find_label_with (gpointer    widget,
                 const char *part)
{
  GtkLabel *found =
      GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (widget), part) != NULL ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_label_with (child, part);
  return found;
}

/* The event controllers of a type that @widget has, those of its children not included. */
GPtrArray *
find_controllers (gpointer widget,
                  GType    type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  GPtrArray *found = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (g_type_is_a (G_OBJECT_TYPE (controller), type))
        g_ptr_array_add (found, g_steal_pointer (&controller));
    }
  return found;
}

static gboolean
is_triggered (GtkShortcutTrigger *trigger,
              guint               key,
              GdkModifierType     state)
{
  if (GTK_IS_ALTERNATIVE_TRIGGER (trigger))
    return is_triggered (gtk_alternative_trigger_get_first (GTK_ALTERNATIVE_TRIGGER (trigger)), key,
                         state) ||
           is_triggered (gtk_alternative_trigger_get_second (GTK_ALTERNATIVE_TRIGGER (trigger)),
                         key, state);
  return gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger)) == key &&
         gtk_keyval_trigger_get_modifiers (GTK_KEYVAL_TRIGGER (trigger)) == state;
}

/* A key that reaches the shortcuts of a widget: whether it was taken. */
gboolean
press_shortcut (gpointer        widget,
                guint           key,
                GdkModifierType state)
{
  g_autoptr (GPtrArray) controllers = find_controllers (widget, GTK_TYPE_SHORTCUT_CONTROLLER);
  gboolean is_taken = FALSE;

  for (guint i = 0; i < controllers->len && !is_taken; i++)
    {
      GListModel *shortcuts = controllers->pdata[i];

      for (guint k = 0; k < g_list_model_get_n_items (shortcuts); k++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (shortcuts, k);

          if (!is_triggered (gtk_shortcut_get_trigger (shortcut), key, state))
            continue;
          is_taken = gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                                   gtk_shortcut_get_arguments (shortcut));
          break;
        }
    }
  return is_taken;
}

/* What is written in the row of an input. */
GtkTextBuffer *
find_buffer (gpointer row)
{
  return gtk_text_view_get_buffer (find_widget (row, GTK_TYPE_TEXT_VIEW));
}

char *
dup_shown_text (gpointer row)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (find_buffer (row), &start, &end);
  return gtk_text_buffer_get_text (find_buffer (row), &start, &end, TRUE);
}

/* Types over all that the row of an input says, and Return. */
void
type_text (gpointer    row,
           const char *text)
{
  g_autoptr (GPtrArray) keys = find_controllers (find_widget (row, GTK_TYPE_TEXT_VIEW),
                                                 GTK_TYPE_EVENT_CONTROLLER_KEY);
  gboolean is_taken = FALSE;

  gtk_text_buffer_set_text (find_buffer (row), text, -1);
  for (guint i = 0; i < keys->len && !is_taken; i++)
    if (gtk_event_controller_get_propagation_phase (keys->pdata[i]) == GTK_PHASE_CAPTURE)
      g_signal_emit_by_name (keys->pdata[i], "key-pressed", GDK_KEY_Return, 0, 0, &is_taken);
  g_assert_true (is_taken);
}

/* Translations as they were built, not as they are installed. */
void
bind_translations (void)
{
  g_autofree char *directory =
      g_build_filename (g_getenv ("ATTENTION_GRID_DATADIR"), "..", "po", NULL);

  bindtextdomain (GETTEXT_PACKAGE, directory);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

void
set_language (const char *language)
{
  g_setenv ("LANGUAGE", language, TRUE);
  /* Makes gettext look again, which it does when the locale becomes another. */
  setlocale (LC_ALL, "C");
  setlocale (LC_ALL, "C.UTF-8");
  /* Since glibc 2.39 LANGUAGE counts only in a locale that has a language. */
  setlocale (LC_MESSAGES, "de_DE.UTF-8");
}

static void
text_read_cb (GObject      *source,
              GAsyncResult *result,
              gpointer      user_data)
{
  *(char **) user_data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);
}

/* Waits for the text that was copied, as whoever pastes it does. */
char *
read_copied_text (AttnWindow *window)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
  char *text = NULL;

  WAIT_UNTIL (gdk_clipboard_get_content (clipboard) != NULL);
  gdk_clipboard_read_text_async (clipboard, NULL, text_read_cb, &text);
  WAIT_UNTIL (text != NULL);
  return text;
}
