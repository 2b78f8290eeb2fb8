/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A long day in one window: whether its memory stays what it was. Needs a display. */

#include "config.h"

#include <glib/gstdio.h>
#include <malloc.h>
#include <stdio.h>

#include "attn-application.h"
#include "attn-study.h"
#include "attn-window-private.h"
#include "attn-worker.h"
#include "bench.h"

#define PATIENCE_MS 20000.0
#define N_FILES     300

/* One of the things that are done all day. */
typedef void (*Step) (AttnWindow *window,
                      guint step);

/* Turns the main loop until the figure is that of the study. */
static void
wait_for_figure (AttnWindow *window)
{
  double begin = now_ms ();

  while (!attn_session_is_current (window->session) && now_ms () - begin < PATIENCE_MS)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (100);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
move_epsilon (AttnWindow *window,
              guint       step)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (window->session));

  for (guint i = 0; i < study->epsilons->len; i++)
    g_array_index (study->epsilons, double, i) = 0.5 / (1.0 + i + 0.001 * (step % 1000));
  attn_session_edit (window->session, study, "epsilon");
  wait_for_figure (window);
}

static void
take_preset (AttnWindow *window,
             guint       step)
{
  static const char * const names[] = { "epsilon", "mean-operation", "single", "head-atlas" };

  attn_window_load_preset (window, names[step % G_N_ELEMENTS (names)]);
  wait_for_figure (window);
}

static char *files[N_FILES];

static void
open_file (AttnWindow *window,
           guint       step)
{
  g_autoptr (GError) error = NULL;

  attn_session_open_path (window->session, files[step % N_FILES], &error);
  g_assert_no_error (error);
  wait_for_figure (window);
}

/* Studies of several presets, each a file of its own. */
static void
write_files (const char *directory)
{
  static const char * const names[] = { "epsilon", "mean-operation", "single" };

  for (gsize i = 0; i < N_FILES; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnStudy) study = attn_presets_load (names[i % G_N_ELEMENTS (names)], &error);
      g_autofree char *name = g_strdup_printf ("study-%03zu.json", i);

      files[i] = g_build_filename (directory, name, NULL);
      attn_study_save (study, files[i], &error);
      g_assert_no_error (error);
    }
}

static void
remove_files (const char *directory)
{
  for (gsize i = 0; i < N_FILES; i++)
    {
      g_unlink (files[i]);
      g_free (files[i]);
    }
  g_rmdir (directory);
}

/* After @n steps and after as many again, three times: memory and what malloc has given out. */
static void
measure (AttnWindow *window,
         Step        step,
         const char *what,
         guint       n)
{
  double before = 0.0, before_used = 0.0;

  for (guint round = 0; round < 4; round++)
    {
      for (guint i = 0; i < n; i++)
        step (window, round * n + i);
      malloc_trim (0);
      double now = get_memory_mb ("RssAnon");
      double used = (double) mallinfo2 ().uordblks * 1e-6;
      if (round > 0)
        print_note ("long", "%s: %u more: %+.2f MB resident, %+.3f MB of malloc; now %.1f MB.",
                    what, n, now - before, used - before_used, now);
      before = now;
      before_used = used;
    }
}

int
main (int    argc,
      char **argv)
{
  gsize factor = is_full_run () ? 10 : 1;
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-long-XXXXXX", NULL);

  gtk_init ();
  GtkApplication *application = GTK_APPLICATION (attn_application_new ());
  g_application_set_flags (G_APPLICATION (application),
                           g_application_get_flags (G_APPLICATION (application)) |
                               G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  write_files (directory);
  AttnWindow *window = attn_window_new (application);
  gtk_window_present (GTK_WINDOW (window));
  wait_for_figure (window);

  take_preset (window, 0);
  measure (window, move_epsilon, "ε moved", 500 * factor);
  measure (window, take_preset, "presets", 12 * factor);
  measure (window, open_file, "files", is_full_run () ? N_FILES / 4 : 15);

  gtk_window_destroy (GTK_WINDOW (window));
  attn_worker_wait_for_threads ();
  remove_files (directory);
  g_object_unref (application);
  return 0;
}
