/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From something that the hand does to the end of the frame that shows it, in the program's own
 * window; needs a display. Nothing is drawn more often than 60 times a second, so that up to 16.7
 * ms of each figure are the wait for the next frame. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>

#include "attn-application.h"
#include "attn-figure-view.h"
#include "attn-study.h"
#include "attn-window-private.h"
#include "attn-worker.h"
#include "bench.h"

#define N_STEPS     25 /* one at a time, for latencies */
#define N_STREAM    90 /* every 16 ms, for dropped frames */
#define PERIOD_MS   (1000.0 / 60.0)
#define PATIENCE_MS 20000.0

typedef enum
{
  ACT_EPSILON,
  ACT_HOVER,
  ACT_ZOOM,
  ACT_PAN,
  N_ACTS
} Act;

static const char * const act_names[] = { "ε drag", "hover", "zoom", "pan" };

/* A window under way. */
typedef struct
{
  GtkWindow *window;
  AttnFigureView *view;
  AttnReading *reading;
  gboolean has_painted; /* since the last look: the figure, not only what lies over it */
  gboolean is_frame_over;
  gboolean is_painting;
  double begin; /* of the frame */
  double end;
  guint n_frames;
  guint step;
} Bench;

static gpointer
find_widget (gpointer    widget,
             const char *type)
{
  if (g_str_equal (G_OBJECT_TYPE_NAME (widget), type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      gpointer found = find_widget (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gpointer
find_controller (gpointer widget,
                 GType    type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (g_type_is_a (G_OBJECT_TYPE (controller), type))
        return controller; /* the widget keeps it */
    }
  g_error ("no %s found", g_type_name (type));
}

static void
before_paint_cb (GdkFrameClock *clock,
                 gpointer       data)
{
  ((Bench *) data)->begin = now_ms ();
}

static void
painted_cb (AttnFigureView *view,
            gpointer        data)
{
  ((Bench *) data)->is_painting = TRUE;
}

static void
after_paint_cb (GdkFrameClock *clock,
                gpointer       data)
{
  Bench *bench = data;

  bench->end = now_ms ();
  bench->is_frame_over = TRUE;
  bench->has_painted |= bench->is_painting;
  bench->is_painting = FALSE;
  bench->n_frames++;
}

/* Turns the main loop until @flag or for @patience. */
static gboolean
wait_for (gboolean *flag,
          double    patience)
{
  double begin = now_ms ();

  while (!*flag && now_ms () - begin < patience)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (100);
  return *flag;
}

static void
settle (double ms)
{
  gboolean never = FALSE;

  wait_for (&never, ms);
}

/* The slider of the first column. */
static void
move_epsilon (Bench  *bench,
              double  exponent)
{
  GtkWidget *row = find_widget (bench->window, "AttnEpsilonSlider");
  GtkRange *scale = row != NULL ? find_widget (row, "GtkScale") : NULL;

  if (scale != NULL)
    gtk_range_set_value (scale, exponent);
}

/* To another cell of the first panel. */
static void
move_pointer (Bench *bench,
              guint  step)
{
  double scale = attn_reading_get_places (bench->reading).scale;
  const AttnMark *heatmap =
      attn_scene_get_heatmap (attn_reading_get_places (bench->reading).scene, 0);

  if (heatmap == NULL)
    return;
  AttnRectangle panel = heatmap->rectangle;
  g_signal_emit_by_name (find_controller (bench->view, GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion",
                         scale * (panel.x + panel.width * (0.1 + step * 3 % 10 * 0.08)),
                         scale * (panel.y + panel.height * (0.1 + step * 7 % 10 * 0.08)));
}

/* A little further each time, and back again. */
static void
act (Bench *bench,
     Act    kind)
{
  guint step = bench->step++;
  double swing = step % 40 < 20 ? 1.0 : -1.0;
  double phase = (step % 40 < 20 ? step % 20 : 20 - step % 20) / 20.0;
  gboolean is_handled;

  switch (kind)
    {
    case ACT_EPSILON:
      move_epsilon (bench, -3.0 + 2.9 * phase);
      break;
    case ACT_HOVER:
      move_pointer (bench, step);
      break;
    case ACT_ZOOM:
      g_signal_emit_by_name (find_controller (bench->view, GTK_TYPE_EVENT_CONTROLLER_SCROLL),
                             "scroll", 0.0, -swing * 0.5, &is_handled);
      break;
    case ACT_PAN:
      attn_reading_do (bench->reading, ATTN_COMMAND_PAN, 0.01 * swing, 0.01 * swing);
      break;
    default:
      g_assert_not_reached ();
    }
}

static int
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  double difference = *(const double *) a - *(const double *) b;

  return difference < 0.0 ? -1 : difference > 0.0;
}

static double
get_percentile (GArray *series,
                double  share)
{
  g_array_sort (series, compare_doubles);
  return g_array_index (series, double, (guint) floor (share * (series->len - 1) + 0.5));
}

/* One at a time, each waited for. */
static void
measure_steps (Bench  *bench,
               Act     kind,
               GArray *latencies,
               GArray *paints)
{
  for (int i = 0; i < N_STEPS; i++)
    {
      gboolean *is_shown = kind == ACT_HOVER ? &bench->is_frame_over : &bench->has_painted;

      settle (3.0 + 7.0 * (i % 5)); /* at any phase of the clock */
      bench->has_painted = bench->is_frame_over = FALSE;
      double begin = now_ms ();
      act (bench, kind);
      /* A step that changes nothing, such as another place in the same cell, shows nothing. */
      if (!wait_for (is_shown, kind == ACT_HOVER ? 100.0 : PATIENCE_MS))
        {
          if (kind != ACT_HOVER)
            return;
          continue;
        }
      series_add (latencies, bench->end - begin);
      series_add (paints, bench->end - bench->begin);
    }
}

/* Returns how many frames there could have been and were not. */
static guint
measure_stream (Bench *bench,
                Act    kind,
                guint *n_possible)
{
  double begin = now_ms ();

  bench->n_frames = 0;
  for (int i = 0; i < N_STREAM; i++)
    {
      act (bench, kind);
      settle (begin + (i + 1) * PERIOD_MS - now_ms ());
    }
  *n_possible = (guint) floor ((now_ms () - begin) / PERIOD_MS);
  return *n_possible - MIN (bench->n_frames, *n_possible);
}

static void
measure_act (Bench      *bench,
             Act         kind,
             const char *what)
{
  g_autoptr (GArray) latencies = series_new ();
  g_autoptr (GArray) paints = series_new ();
  guint n_possible;

  bench->step = 0;
  if (kind == ACT_PAN) /* the whole figure cannot be moved */
    attn_reading_do (bench->reading, ATTN_COMMAND_ZOOM, 4.0, 0);
  settle (200.0);
  measure_steps (bench, kind, latencies, paints);
  if (latencies->len == 0)
    {
      print_note ("frames", "%s, %s: nothing was drawn.", act_names[kind], what);
      return;
    }
  bench->step = 0;
  guint n_dropped = measure_stream (bench, kind, &n_possible);
  settle (300.0);
  double median = series_get_median (latencies);
  printf ("{\"group\": \"frames\", \"name\": \"%s, %s\", \"unit\": \"ms\", \"runs\": %u, "
          "\"value\": {\"median\": %.4g, \"min\": %.4g, \"max\": %.4g}, \"p95\": %.4g, "
          "\"paint\": {\"median\": %.4g, \"p95\": %.4g}, \"frames\": %u, \"dropped\": %u}\n",
          act_names[kind], what, latencies->len, median, get_percentile (latencies, 0.0),
          get_percentile (latencies, 1.0), get_percentile (latencies, 0.95),
          series_get_median (paints), get_percentile (paints, 0.95), n_possible, n_dropped);
  fflush (stdout);
}

/* @n_epsilons: columns beside the three components, all of which change. */
static char *
write_study (const char *model,
             gsize       n_tokens,
             gsize       n_panels)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", &error);
  g_autofree guint32 *ids = random_ids (n_tokens, 100, 1);
  char *path = g_build_filename (model, "bench.json", NULL);

  g_assert_no_error (error);
  study->model.path = g_strdup (model);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, n_tokens, 0));
  study->layer = study->head = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (study->components); i++)
    study->components[i] = n_panels > 1 || i == 0;
  g_array_set_size (study->epsilons, 0);
  for (gsize i = 0; i < MAX (n_panels / 3, 1); i++)
    {
      double epsilon = 0.5 / (1.0 + i);

      g_array_append_val (study->epsilons, epsilon);
    }
  attn_study_save (study, path, &error);
  g_assert_no_error (error);
  return path;
}

/* Opens the section that predicts the next token at the query that is pointed at. The inspector is
 * built when it is first asked for. */
static void
open_predictions (AttnWindow *window)
{
  gtk_expander_set_expanded (find_widget (find_widget (attn_window_get_inspector (window),
                                                       "AttnPredictionSection"),
                                          "GtkExpander"),
                             TRUE);
}

/* @predicts: whether each place that is pointed at asks for a prediction; nothing but pointing is
 * measured then */
static void
measure_file (GtkApplication *application,
              const char     *path,
              Act             first_act,
              gboolean        predicts,
              const char     *what)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  AttnWindow *window = attn_window_new (application);
  Bench bench = { .window = GTK_WINDOW (window) };

  bench.view = find_widget (window, "AttnFigureView");
  bench.reading = attn_figure_view_get_reading (bench.view);
  g_signal_connect (bench.view, "painted", G_CALLBACK (painted_cb), &bench);
  attn_window_open (window, file);
  gtk_window_present (bench.window);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_paint_cb), &bench);
  g_signal_connect (clock, "after-paint", G_CALLBACK (after_paint_cb), &bench);
  if (!wait_for (&bench.has_painted, 6.0 * PATIENCE_MS))
    g_error ("%s: no figure", what);
  if (predicts)
    open_predictions (window);
  settle (1500.0);

  for (Act kind = first_act; kind < (predicts ? first_act + 1 : N_ACTS); kind++)
    measure_act (&bench, kind, what);

  g_signal_handlers_disconnect_by_data (clock, &bench);
  g_signal_handlers_disconnect_by_data (bench.view, &bench);
  gtk_window_destroy (bench.window);
  settle (200.0);
}

static void
measure_window (GtkApplication *application,
                const char     *model,
                gsize           n_tokens,
                gsize           n_panels)
{
  g_autofree char *what = g_strdup_printf ("%zu panel%s of %zu tokens", n_panels,
                                           n_panels > 1 ? "s" : "", n_tokens);
  g_autofree char *path = write_study (model, n_tokens, n_panels);

  measure_file (application, path, ACT_EPSILON, FALSE, what);
  g_unlink (path);
}

/* Places so far from one another that none was predicted when it is pointed at: 14 ms of work for
 * each. */
static void
measure_predictions (GtkApplication *application)
{
  char *model = write_model (&gpt2_small, ATTN_DTYPE_F32);
  g_autofree char *path = write_study (model, 1024, 1);

  measure_file (application, path, ACT_HOVER, TRUE,
                "1 panel of 1024 tokens, predictions of GPT-2 small");
  g_unlink (path);
  remove_model (model);
}

int
main (int    argc,
      char **argv)
{
  /* Tokens and panels; the last two with --full. */
  static const gsize sizes[][2] = {
    { 15, 9 },
    { 128, 9 },
    { 1024, 9 },
    { 4096, 1 },
    { 15, 144 },
    { 128, 144 },
    { 4096, 9 },
    { 1024, 144 },
  };
  gsize n_sizes = is_full_run () ? G_N_ELEMENTS (sizes) : 6;
  /* One layer of one head: what is measured here is the window. */
  const Shape shape = { SHAPE_GPT2, 1, 64, 1, 1, 64, 100, 4096 };

  gtk_init ();
  GtkApplication *application = GTK_APPLICATION (attn_application_new ());
  g_application_set_flags (G_APPLICATION (application),
                           g_application_get_flags (G_APPLICATION (application)) |
                               G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  char *model = write_model (&shape, ATTN_DTYPE_F32);

  /* Files that are named are looked at instead. */
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *what = g_path_get_basename (argv[i]);

      measure_file (application, argv[i], ACT_HOVER, FALSE, what);
    }
  for (gsize i = 0; argc < 2 && i < n_sizes; i++)
    measure_window (application, model, sizes[i][0], sizes[i][1]);
  if (argc < 2)
    measure_predictions (application);
  remove_model (model);
  attn_worker_wait_for_threads ();
  g_object_unref (application);
  return 0;
}
