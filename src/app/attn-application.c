/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-application.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>

#include "attn-actions.h"
#include "attn-app-resources.h"
#include "attn-help.h"
#include "attn-part-loader.h"
#include "attn-preferences.h"
#include "attn-scheme.h"
#include "attn-recent.h"
#include "attn-settings.h"
#include "attn-study.h"
#include "attn-window.h"
#include "attn-worker.h"

struct _AttnApplication
{
  GtkApplication parent_instance;

  GSettings *settings;    /* (nullable): %NULL if the schema is not installed */
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

/* Opens each file in a window of its own. A study that is already open in a window is only brought
 * to the front. */
static void
attn_application_open (GApplication  *application,
                       GFile        **files,
                       int            n_files,
                       const char    *hint)
{
  gboolean is_first = gtk_application_get_windows (GTK_APPLICATION (application)) == NULL;

  for (int i = 0; i < n_files; i++)
    {
      if (attn_window_present_document (GTK_APPLICATION (application), files[i]))
        continue;
      AttnWindow *window = attn_window_new (GTK_APPLICATION (application));

      if (is_first && i == 0)
        attn_window_offer_leftovers (window);
      attn_window_open (window, files[i]);
      gtk_window_present (GTK_WINDOW (window));
    }
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
 * There is no time to ask about unsaved changes: they are kept for the next start. */
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

/* Binds GTK's translations to the folder of the program if they are shipped with it (./dev
 * portable). GTK itself looks for them only at the prefix that it was built for. */
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
  attn_actions_enable (application, "preferences",
                       ATTN_APPLICATION (application)->settings != NULL);
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
  attn_recent_wait ();
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
  /* The linker keeps the resource of a static library only if something asks for it. */
  g_resources_register (attn_app_get_resource ());
}

/**
 * attn_application_new:
 *
 * Returns: (transfer full): the program, which also opens files
 */
AttnApplication *
attn_application_new (void)
{
  return g_object_new (ATTN_TYPE_APPLICATION,
                       "application-id", ATTN_APP_ID,
                       "flags", G_APPLICATION_HANDLES_OPEN,
                       NULL);
}
