/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-application.h"

#include <glib/gi18n.h>

#include "attn-app-resources.h"
#include "attn-window.h"
#include "attn-worker.h"

struct _AttnApplication
{
  GtkApplication parent_instance;
};

G_DEFINE_FINAL_TYPE (AttnApplication, attn_application, GTK_TYPE_APPLICATION)

static void
attn_application_activate (GApplication *application)
{
  GtkApplication *self = GTK_APPLICATION (application);
  GtkWindow *window = gtk_application_get_active_window (self);

  if (window == NULL)
    window = GTK_WINDOW (attn_window_new (self));
  gtk_window_present (window);
}

/* Every file in a window of its own. */
static void
attn_application_open (GApplication  *application,
                       GFile        **files,
                       int            n_files,
                       const char    *hint)
{
  for (int i = 0; i < n_files; i++)
    {
      AttnWindow *window = attn_window_new (GTK_APPLICATION (application));

      attn_window_open (window, files[i]);
      gtk_window_present (GTK_WINDOW (window));
    }
}

static void
new_window_cb (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       user_data)
{
  gtk_window_present (GTK_WINDOW (attn_window_new (user_data)));
}

static void
about_cb (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       user_data)
{
  g_autofree char *system = g_strdup_printf ("GTK %u.%u.%u\nGLib %u.%u.%u\n",
                                             gtk_get_major_version (), gtk_get_minor_version (),
                                             gtk_get_micro_version (), glib_major_version,
                                             glib_minor_version, glib_micro_version);

  gtk_show_about_dialog (gtk_application_get_active_window (user_data),
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
quit_cb (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       user_data)
{
  GList *windows;

  /* Closing each lets it keep its settings. */
  while ((windows = gtk_application_get_windows (user_data)) != NULL)
    {
      GtkWindow *window = windows->data;

      gtk_window_close (window);
      if (g_list_find (gtk_application_get_windows (user_data), window) != NULL)
        gtk_window_destroy (window);
    }
}

static const GActionEntry entries[] = {
  { "new-window", new_window_cb },
  { "about", about_cb },
  { "quit", quit_cb },
};

static const struct
{
  const char *action;
  const char *accels[4];
} shortcuts[] = {
  { "app.new-window", { "<Control>n" } },
  { "app.quit", { "<Control>q" } },
  { "window.close", { "<Control>w" } },
  { "win.show-help-overlay", { "F1", "<Control>question" } },
  { "win.open", { "<Control>o" } },
  { "win.open-file", { "<Control><Shift>o" } },
  { "win.export", { "<Control>e" } },
  { "win.undo", { "<Control>z" } },
  { "win.redo", { "<Control><Shift>z", "<Control>y" } },
  { "win.cancel", { "Escape" } },
  { "win.add-input", { "<Control>i" } },
  { "win.zoom-in", { "<Control>plus", "<Control>equal", "<Control>KP_Add" } },
  { "win.zoom-out", { "<Control>minus", "<Control>KP_Subtract" } },
  { "win.zoom-fit", { "<Control>0", "<Control>KP_0" } },
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
attn_application_startup (GApplication *application)
{
  G_APPLICATION_CLASS (attn_application_parent_class)->startup (application);

  load_style ();
  gtk_window_set_default_icon_name (ATTN_APP_ID);
  g_action_map_add_action_entries (G_ACTION_MAP (application), entries, G_N_ELEMENTS (entries),
                                   application);
  for (gsize i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), shortcuts[i].action,
                                           shortcuts[i].accels);
}

static void
attn_application_shutdown (GApplication *application)
{
  G_APPLICATION_CLASS (attn_application_parent_class)->shutdown (application);
  attn_worker_wait_for_threads ();
}

static void
attn_application_class_init (AttnApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

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

AttnApplication *
attn_application_new (void)
{
  return g_object_new (ATTN_TYPE_APPLICATION,
                       "application-id", ATTN_APP_ID,
                       "flags", G_APPLICATION_HANDLES_OPEN,
                       NULL);
}
