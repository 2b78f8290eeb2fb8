/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-startup.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* The number of fields in /proc/self/stat from field 2, the name in parentheses, to field 22: the
 * time at which the process began, in clock ticks since boot. */
#define FIELDS_TO_START 20

static double
get_process_age (void)
{
  g_autofree char *stat = NULL;
  struct timespec now;

  if (!g_file_get_contents ("/proc/self/stat", &stat, NULL, NULL) ||
      clock_gettime (CLOCK_BOOTTIME, &now) != 0)
    return 0;
  char *field = strrchr (stat, ')');
  for (guint i = 0; field != NULL && i < FIELDS_TO_START; i++)
    field = strchr (field + 1, ' ');
  if (field == NULL)
    return 0;
  return now.tv_sec + now.tv_nsec * 1e-9 -
         (double) g_ascii_strtoull (field + 1, NULL, 10) / sysconf (_SC_CLK_TCK);
}

static void
after_paint_cb (GdkFrameClock *clock,
                gpointer       user_data)
{
  g_signal_handlers_disconnect_by_func (clock, after_paint_cb, user_data);
  g_printerr ("attention-grid: first figure after %.0f ms\n", get_process_age () * 1000);
}

/**
 * attn_startup_trace:
 * @widget: the widget that is painting a figure; only the first call counts
 *
 * Writes to standard error how many milliseconds after the start of the process the figure stood on
 * the screen, once, if the environment variable ATTENTION_GRID_STARTUP_TRACE is set.
 */
void
attn_startup_trace (GtkWidget *widget)
{
  static gboolean is_done;

  if (is_done)
    return;
  is_done = TRUE;
  if (g_getenv ("ATTENTION_GRID_STARTUP_TRACE") != NULL)
    g_signal_connect (gtk_widget_get_frame_clock (widget), "after-paint",
                      G_CALLBACK (after_paint_cb), NULL);
}
