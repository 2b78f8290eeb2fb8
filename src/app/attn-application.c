/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-application.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>

#include "attn-actions.h"
#include "attn-app-resources.h"
#include "attn-document-file.h"
#include "attn-task.h"
#include "attn-errands.h"
#include "attn-help.h"
#include "attn-part-loader.h"
#include "attn-preference.h"
#include "attn-preferences.h"
#include "attn-renderer.h"
#include "attn-scheme.h"
#include "attn-settings.h"
#include "attn-study.h"
#include "attn-typed.h"
#include "attn-window.h"
#include "attn-worker.h"

struct _AttnApplication
{
  GtkApplication parent_instance;

  GSettings *settings;    /* (nullable): settings of the program; %NULL if their schema is not
                           * installed */
  GtkWindow *preferences; /* (nullable): while it is open */
  GtkWindow *help;        /* (nullable): while it is open */
};

G_DEFINE_FINAL_TYPE (AttnApplication, attn_application, GTK_TYPE_APPLICATION)

static void
attn_application_activate (GApplication *application)
{
  GtkApplication *self = GTK_APPLICATION (application);
  GtkWindow *window = gtk_application_get_active_window (self);

  if (window == NULL)
    {
      window = GTK_WINDOW (attn_window_new (self));
      attn_window_offer_leftovers (ATTN_WINDOW (window));
    }
  gtk_window_present (window);
}

static AttnWindow *
find_any_window (GApplication *application)
{
  GList *node = gtk_application_get_windows (GTK_APPLICATION (application));

  while (node != NULL && !ATTN_IS_WINDOW (node->data))
    node = node->next;
  return node != NULL ? node->data : NULL;
}

static void
open_in_window (GApplication *application,
                GFile        *file,
                gboolean      is_first)
{
  AttnWindow *window = attn_window_new (GTK_APPLICATION (application));

  if (is_first)
    attn_window_offer_leftovers (window);
  attn_window_open (window, file);
  gtk_window_present (GTK_WINDOW (window));
}

/**
 * Opening:
 * @files: (element-type GFile): the files to be opened
 * @shown: paths of the studies that windows show
 * @same: (element-type filename): for each of @files the path in @shown that leads to the same
 *   file, or %NULL
 * @slot: where the task is kept while it runs
 *
 * Files to be opened. A thread finds out which of them windows show already: it asks the disk,
 * which may not answer.
 */
typedef struct
{
  GPtrArray *files;
  GStrv shown;
  GPtrArray *same;
  AttnTask *slot;
} Opening;

static void
opening_run (gpointer  data,
             AttnTask *task,
             gpointer  place)
{
  Opening *opening = data;

  for (guint i = 0; i < opening->files->len; i++)
    {
      g_autofree char *path = g_file_get_path (opening->files->pdata[i]);

      g_ptr_array_add (opening->same,
                       path != NULL ? (gpointer) attn_document_file_find_same (
                                          path, (const char * const *) opening->shown)
                                    : NULL);
    }
}

static void
opening_free (gpointer data)
{
  Opening *opening = data;

  g_ptr_array_unref (opening->files);
  g_strfreev (opening->shown);
  g_ptr_array_unref (opening->same);
  g_free (opening);
}

static void
opening_deliver (gpointer owner,
                 gpointer data)
{
  GApplication *application = owner;
  const Opening *opening = data;

  for (guint i = 0; i < opening->files->len; i++)
    {
      AttnWindow *any = find_any_window (application);
      AttnWindow *shown = any != NULL && opening->same->pdata[i] != NULL
                              ? attn_window_find_document (any, opening->same->pdata[i])
                              : NULL;

      if (shown != NULL)
        gtk_window_present (GTK_WINDOW (shown));
      else
        open_in_window (application, opening->files->pdata[i], any == NULL);
    }
  opening_free (data);
  g_application_release (application);
}

/* Opens each file in a window of its own. A study that is already open in a window is only brought
 * to the front: two windows that save to one file would take from each other what was saved. */
static void
attn_application_open (GApplication  *application,
                       GFile        **files,
                       int            n_files,
                       const char    *hint)
{
  static const AttnTaskKind task_kind = {
    .run = opening_run,
    .deliver = opening_deliver,
    .free = opening_free,
  };
  AttnWindow *any = find_any_window (application);

  if (any == NULL)
    {
      for (int i = 0; i < n_files; i++)
        open_in_window (application, files[i], i == 0);
      return;
    }
  Opening *opening = g_new0 (Opening, 1);
  opening->files = g_ptr_array_new_with_free_func (g_object_unref);
  opening->shown = attn_window_list_documents (any, NULL);
  opening->same = g_ptr_array_new ();
  for (int i = 0; i < n_files; i++)
    g_ptr_array_add (opening->files, g_object_ref (files[i]));
  g_application_hold (application);
  attn_task_start (&task_kind, application, opening, TRUE, &opening->slot);
}

static void
open_window (AttnApplication *self)
{
  gtk_window_present (GTK_WINDOW (attn_window_new (GTK_APPLICATION (self))));
}

static void
show_about (AttnApplication *self)
{
  g_autofree char *system = attn_help_dup_system ();

  gtk_show_about_dialog (gtk_application_get_active_window (GTK_APPLICATION (self)),
                         "program-name", _("Attention Grid"),
                         "logo-icon-name", ATTN_APP_ID,
                         "version", ATTN_VERSION,
                         "comments", _("Attention weights as grids of heatmaps, and what becomes "
                                       "of them when queries, keys or values change"),
                         "license-type", GTK_LICENSE_GPL_3_0,
                         "system-information", system,
                         /* Translators: your name and address, shown in the about window */
                         "translator-credits", _("translator-credits"),
                         NULL);
}

static void
show_help (AttnApplication *self)
{
  if (self->help == NULL)
    {
      self->help = attn_help_new (gtk_application_get_active_window (GTK_APPLICATION (self)));
      g_object_add_weak_pointer (G_OBJECT (self->help), (gpointer *) &self->help);
    }
  gtk_window_present (self->help);
}

static void
show_preferences (AttnApplication *self)
{
  if (self->preferences == NULL)
    {
      GtkWindow *parent = gtk_application_get_active_window (GTK_APPLICATION (self));

      self->preferences = GTK_WINDOW (attn_preferences_new (parent, self->settings));
      g_object_add_weak_pointer (G_OBJECT (self->preferences), (gpointer *) &self->preferences);
    }
  gtk_window_present (self->preferences);
}

/* Sets a preference, or opens the preferences at its control so that the user can. @preference: the
 * id of the preference, and the index of its new value, or -1 to go to its control */
static void
take_preference (AttnApplication *self,
                 GVariant        *preference)
{
  const char *id;
  int value;

  g_variant_get (preference, "(&si)", &id, &value);
  if (value < 0)
    {
      show_preferences (self);
      attn_preferences_go_to (ATTN_PREFERENCES (self->preferences), id);
      return;
    }
  const AttnPreference *chosen = attn_preference_find (id);
  if (chosen != NULL && chosen->names != NULL)
    attn_preference_choose (chosen, self->settings, (guint) value);
}

static void
quit (AttnApplication *self)
{
  g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (self)));

  /* Each window saves its settings when it closes and asks about unsaved changes. The program ends
   * with the last window. */
  for (GList *window = windows; window != NULL; window = window->next)
    gtk_window_close (window->data);
}

/* Ends the program when SIGTERM, SIGINT or SIGHUP arrives, as at the end of a desktop session.
 * There is no time to ask about unsaved changes: each window keeps them for the next start. */
static gboolean
end_cb (gpointer application)
{
  GList *windows = gtk_application_get_windows (application);

  for (GList *window = windows; window != NULL; window = window->next)
    if (ATTN_IS_WINDOW (window->data))
      attn_window_end (window->data);
  g_application_quit (application);
  return G_SOURCE_CONTINUE;
}

static const AttnAction actions[] = {
  { "new-window", G_CALLBACK (open_window) },
  { "preferences", G_CALLBACK (show_preferences) },
  { "preference", G_CALLBACK (take_preference), "(si)" },
  { "help", G_CALLBACK (show_help) },
  { "about", G_CALLBACK (show_about) },
  { "quit", G_CALLBACK (quit) },
};

static const struct
{
  const char *action;
  const char *accels[4];
} shortcuts[] = {
  { "app.new-window", { "<Control>n" } },
  { "app.preferences", { "<Control>comma" } },
  { "app.quit", { "<Control>q" } },
  { "window.close", { "<Control>w" } },
  { "app.help", { "F1" } },
  { "win.show-help-overlay", { "<Control>question" } },
  { "win.open", { "<Control>o" } },
  { "win.open-folder", { "<Control><Shift>o" } },
  { "win.save", { "<Control>s" } },
  { "win.save-as", { "<Control><Shift>s" } },
  { "win.choose-preset", { "<Control>p" } },
  { "win.palette", { "<Control><Shift>p" } },
  { "win.export", { "<Control>e" } },
  { "win.copy-figure", { "<Control><Shift>c" } },
  { "win.copy-command", { "<Control><Alt>c" } },
  { "win.undo", { "<Control>z" } },
  { "win.redo", { "<Control><Shift>z", "<Control>y" } },
  { "win.escape", { "Escape" } },
  { "win.add-input", { "<Control>i" } },
  { "win.continue", { "<Control>Return", "<Control>KP_Enter" } },
  { "win.keep-answer", { "<Control><Shift>Return", "<Control><Shift>KP_Enter" } },
  { "win.zoom-in", { "<Control>plus", "<Control>equal", "<Control>KP_Add" } },
  { "win.zoom-out", { "<Control>minus", "<Control>KP_Subtract" } },
  { "win.zoom-fit", { "<Control>0", "<Control>KP_0" } },
  { "win.zoom-one-to-one", { "<Control>1", "<Control>KP_1" } },
  { "win.view-back", { "<Alt>Left", "Back" } },
  { "win.view-forward", { "<Alt>Right", "Forward" } },
  { "win.edit-groups", { "<Control>h" } },
  { "win.find", { "<Control>f" } },
  { "win.find-next", { "F3", "<Control>g" } },
  { "win.find-previous", { "<Shift>F3", "<Control><Shift>g" } },
  { "win.inspector", { "F9" } },
};

static void
load_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider,
                                       "/io/github/attentiongrid/AttentionGrid/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

static void
follow_settings (AttnApplication *self)
{
  self->settings = attn_settings_new ();
  attn_scheme_follow (self->settings);
  if (self->settings == NULL)
    return;
  attn_settings_apply_to_machine (self->settings);
  g_signal_connect (self->settings, "changed::threads",
                    G_CALLBACK (attn_settings_apply_to_machine), NULL);
  g_signal_connect (self->settings, "changed::memory-limit",
                    G_CALLBACK (attn_settings_apply_to_machine), NULL);
}

/* Has GTK's translations read from the folder of the program if they are shipped with it (./dev
 * portable). GTK itself looks for them only in the folder that it was built for. */
static void
bind_words_of_gtk (void)
{
  g_autofree char *directory = attn_data_find ("gtk-locale");

  if (directory != NULL)
    bindtextdomain ("gtk40", directory);
}

static void
attn_application_startup (GApplication *application)
{
  static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

  G_APPLICATION_CLASS (attn_application_parent_class)->startup (application);
  attn_renderer_choose (gdk_display_get_default ());
  attn_typed_watch_spins ();
  bind_words_of_gtk ();

  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    g_unix_signal_add (signals[i], end_cb, application);
  load_style ();
  follow_settings (ATTN_APPLICATION (application));
  gtk_window_set_default_icon_name (ATTN_APP_ID);
  attn_actions_add (application, actions, G_N_ELEMENTS (actions), application);
  for (gsize i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), shortcuts[i].action,
                                           shortcuts[i].accels);

  gboolean has_settings = ATTN_APPLICATION (application)->settings != NULL;
  attn_actions_enable (application, "preferences", has_settings);
  attn_actions_enable (application, "preference", has_settings);
}

static void
attn_application_dispose (GObject *object)
{
  g_clear_object (&ATTN_APPLICATION (object)->settings);

  G_OBJECT_CLASS (attn_application_parent_class)->dispose (object);
}

static void
attn_application_shutdown (GApplication *application)
{
  G_APPLICATION_CLASS (attn_application_parent_class)->shutdown (application);
  attn_errands_wait ();
  attn_part_loader_wait_for_all ();
  attn_worker_wait_for_threads ();
}

static void
attn_application_class_init (AttnApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_application_dispose;
  application_class->activate = attn_application_activate;
  application_class->open = attn_application_open;
  application_class->startup = attn_application_startup;
  application_class->shutdown = attn_application_shutdown;
}

static void
attn_application_init (AttnApplication *self)
{
  /* The linker leaves out the resources of a static library if nothing calls a function of
   * theirs. */
  g_resources_register (attn_app_get_resource ());
}

/**
 * attn_application_new:
 *
 * Returns: (transfer full): the application, which opens the files that it is given, each in a
 *   window
 */
AttnApplication *
attn_application_new (void)
{
  return g_object_new (ATTN_TYPE_APPLICATION,
                       "application-id", ATTN_APP_ID,
                       "flags", G_APPLICATION_HANDLES_OPEN,
                       NULL);
}
