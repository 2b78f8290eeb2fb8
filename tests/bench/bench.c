/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

GArray *
series_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (double));
}

void
series_add (GArray *series,
            double  value)
{
  g_array_append_val (series, value);
}

static int
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  double difference = *(const double *) a - *(const double *) b;

  return difference < 0.0 ? -1 : difference > 0.0;
}

double
series_get_median (const GArray *series)
{
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) series);
  guint n = sorted->len;

  g_array_sort (sorted, compare_doubles);
  return (g_array_index (sorted, double, (n - 1) / 2) + g_array_index (sorted, double, n / 2)) /
         2.0;
}

/* Wall-clock time; with ATTENTION_GRID_BENCH_CLOCK=cpu that of the process on the processors, which
 * other programs disturb less. */
double
now_ms (void)
{
  struct timespec now;

  clock_gettime (g_strcmp0 (g_getenv ("ATTENTION_GRID_BENCH_CLOCK"), "cpu") == 0
                     ? CLOCK_PROCESS_CPUTIME_ID
                     : CLOCK_MONOTONIC,
                 &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec * 1e-6;
}

/* Tells whether @n_pairs pairs of a run and its limit, the first begun at @begin, are enough for a
 * median that the next record confirms: on a machine that others share, the ratio of a single pair
 * varies by a quarter. */
gboolean
is_enough (double begin,
           guint  n_pairs)
{
  return n_pairs >= 60 || (n_pairs >= 11 && now_ms () - begin > 20000.0);
}

/* "name": {median, min, max} */
static void
append_spread (GString      *line,
               const char   *name,
               const GArray *series)
{
  double least = g_array_index (series, double, 0);
  double most = least;

  for (guint i = 1; i < series->len; i++)
    {
      least = MIN (least, g_array_index (series, double, i));
      most = MAX (most, g_array_index (series, double, i));
    }
  g_string_append_printf (line, ", \"%s\": {\"median\": %.5g, \"min\": %.5g, \"max\": %.5g}", name,
                          series_get_median (series), least, most);
}

/* One JSON object on a line of standard output. */
void
print_figure (const Figure *figure)
{
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_append_printf (line,
                          "{\"group\": \"%s\", \"name\": \"%s\", \"unit\": \"%s\", \"runs\": %u",
                          figure->group, figure->name, figure->unit, figure->values->len);
  append_spread (line, "value", figure->values);
  if (figure->limits != NULL)
    {
      g_autoptr (GArray) ratios = series_new ();

      /* Pair by pair: what slows the machine down slows both. */
      for (guint i = 0; i < figure->values->len; i++)
        series_add (ratios, g_array_index (figure->values, double, i) /
                                g_array_index (figure->limits, double, i));
      append_spread (line, "limit", figure->limits);
      append_spread (line, "ratio", ratios);
      g_string_append_printf (line, ", \"limit_name\": \"%s\"", figure->limit_name);
    }
  if (figure->bound != NULL)
    g_string_append_printf (line, ", \"bound\": \"%s\"", figure->bound);
  g_string_append (line, "}\n");
  fputs (line->str, stdout);
  fflush (stdout);
}

/* What a reader of the results has to know, such as what was left out. */
void
print_note (const char *group,
            const char *format,
                        ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *escaped = g_strescape (text, "×–²ε");
  printf ("{\"group\": \"%s\", \"note\": \"%s\"}\n", group, escaped);
  fflush (stdout);
}

/**
 * get_memory_mb:
 * @field: of /proc/self/status, such as "VmHWM" or "RssAnon"
 *
 * Returns: megabytes of 10^6; 0 where the system does not tell
 */
double
get_memory_mb (const char *field)
{
  g_autofree char *status = NULL;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0.0;
  char *line = strstr (status, field);
  return line != NULL ? (double) g_ascii_strtoull (line + strlen (field) + 1, NULL, 10) * 1.024e-3
                      : 0.0;
}

/**
 * time_program:
 * @argv: (array zero-terminated=1): a program and its arguments
 *
 * Returns: the milliseconds from its start to its end
 */
double
time_program (const char *argv[])
{
  g_autoptr (GError) error = NULL;
  double begin = now_ms ();
  int status;

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                     NULL, &status, &error) ||
      !g_spawn_check_wait_status (status, &error))
    g_error ("%s", error->message);
  return now_ms () - begin;
}

#define SAMPLE_MICROSECONDS 1000

static gint is_sampling; /* atomic */

/* The most anonymous memory seen: what is mapped from files is the system's to take back. */
static gpointer
sample (gpointer data)
{
  double *peak = data;

  while (g_atomic_int_get (&is_sampling))
    {
      *peak = MAX (*peak, get_memory_mb ("RssAnon"));
      g_usleep (SAMPLE_MICROSECONDS);
    }
  return NULL;
}

/**
 * find_peak_mb:
 *
 * Runs @func. Memory that the process has already and uses again does not count, so that the first
 * run in a process is the one to measure.
 *
 * Returns: the most anonymous memory meanwhile, less that of before, in megabytes
 */
double
find_peak_mb (void (*func) (gpointer), gpointer data)
{
  double before = get_memory_mb ("RssAnon");
  double peak = before;

  g_atomic_int_set (&is_sampling, 1);
  GThread *thread = g_thread_new ("sample", sample, &peak);
  func (data);
  g_atomic_int_set (&is_sampling, 0);
  g_thread_join (thread);
  return peak - before;
}

/* So that "VmHWM" is the peak since now. */
void
reset_peak_memory (void)
{
  FILE *file = fopen ("/proc/self/clear_refs", "w");

  if (file == NULL)
    return;
  fputs ("5", file);
  fclose (file);
}

gboolean
is_full_run (void)
{
  return g_getenv ("ATTENTION_GRID_BENCH_FULL") != NULL;
}
