/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How the cost grows with tokens, layers, heads and panels, as numbers, as growth.csv and, drawn
 * from it by the program's own scene and SVG writer, as growth.svg in the directory that is
 * given. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attn-job.h"
#include "attn-svg.h"
#include "attn-trace.h"
#include "bench.h"

#define N_RUNS 5

static const Shape plain = { SHAPE_GPT2, 4, 256, 4, 4, 1024, 100, 4096 };

static double
time_pass (const Shape *shape,
           gsize        n_tokens)
{
  char *directory = write_model (shape, ATTN_DTYPE_F32);
  g_autoptr (GError) error = NULL;
  AttnModel *model = attn_model_open (directory, &error);
  g_autofree guint32 *ids = random_ids (n_tokens, shape->vocabulary_size, 1);
  AttnTraceRequest request = { .ids = ids, .n_ids = n_tokens, .keep = ATTN_QUANTITY_WEIGHTS };
  g_autoptr (GArray) times = series_new ();

  if (model == NULL)
    g_error ("%s", error->message);
  for (int i = 0; i <= N_RUNS; i++)
    {
      double begin = now_ms ();
      AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

      if (trace == NULL)
        g_error ("%s", error->message);
      if (i > 0)
        series_add (times, now_ms () - begin);
      attn_trace_unref (trace);
    }
  attn_model_unref (model);
  remove_model (directory);
  return series_get_median (times);
}

static double
time_tokens (gsize n)
{
  return time_pass (&plain, n);
}

static double
time_layers (gsize n)
{
  Shape shape = plain;

  shape.n_layers = n;
  return time_pass (&shape, 256);
}

/* Of the same model width. */
static double
time_heads (gsize n)
{
  Shape shape = plain;

  shape.n_heads = shape.n_key_heads = n;
  return time_pass (&shape, 1024);
}

/* One more ε each. */
static double
time_panels (gsize n)
{
  char *directory = write_model (&plain, ATTN_DTYPE_F32);
  g_autofree guint32 *ids = random_ids (512, plain.vocabulary_size, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = attn_presets_load ("epsilon", &error);
  g_autoptr (GArray) times = series_new ();

  if (study == NULL)
    g_error ("%s", error->message);
  study->model.path = g_strdup (directory);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, 512, 0));
  study->layer = study->head = 0;
  study->components[ATTN_COMPONENT_KEY] = study->components[ATTN_COMPONENT_VALUE] = FALSE;
  g_array_set_size (study->epsilons, (guint) n);
  for (int i = 0; i <= 4 * N_RUNS; i++)
    {
      for (guint k = 0; k < n; k++)
        g_array_index (study->epsilons, double, k) = 0.5 / (1.0 + k + 0.01 * i);
      double begin = now_ms ();
      AttnResult *result = attn_job_run (study, workspace, NULL, NULL, &error);

      if (result == NULL)
        g_error ("%s", error->message);
      if (i > 0)
        series_add (times, now_ms () - begin);
      attn_result_unref (result);
    }
  remove_model (directory);
  return series_get_median (times);
}

static const struct
{
  const char *name;
  const char *what;
  double (*measure) (gsize n);
  gsize sizes[8]; /* 0 ends */
  AttnRgb color;
} dimensions[] = {
  { "tokens",
    "a pass of 4 layers",
    time_tokens,
    { 64, 128, 256, 512, 1024, 2048 },
    { 31, 119, 180 } },
  { "layers", "a pass over 256 tokens", time_layers, { 2, 4, 8, 16, 32 }, { 214, 39, 40 } },
  { "heads", "a pass over 1024 tokens", time_heads, { 1, 2, 4, 8, 16 }, { 44, 160, 44 } },
  { "panels", "ε moved, 512 tokens", time_panels, { 1, 4, 9, 36, 144 }, { 148, 103, 189 } },
};

#define N_DIMENSIONS G_N_ELEMENTS (dimensions)

/* Points of one dimension, as the CSV has them. */
typedef struct
{
  GArray *sizes;
  GArray *times;
  double exponent;
} Curve;

/* Least squares on logarithms. */
static double
fit_exponent (const Curve *curve)
{
  double n = curve->sizes->len, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;

  for (guint i = 0; i < curve->sizes->len; i++)
    {
      double x = log (g_array_index (curve->sizes, double, i));
      double y = log (g_array_index (curve->times, double, i));

      x_sum += x;
      y_sum += y;
      xx_sum += x * x;
      xy_sum += x * y;
    }
  return (n * xy_sum - x_sum * y_sum) / (n * xx_sum - x_sum * x_sum);
}

static void
write_csv (const char *path)
{
  g_autoptr (GString) csv = g_string_new ("dimension,size,ms\n");
  g_autoptr (GError) error = NULL;

  for (gsize d = 0; d < N_DIMENSIONS; d++)
    for (gsize i = 0; i < G_N_ELEMENTS (dimensions[d].sizes) && dimensions[d].sizes[i] > 0; i++)
      g_string_append_printf (csv, "%s,%zu,%.5g\n", dimensions[d].name, dimensions[d].sizes[i],
                              dimensions[d].measure (dimensions[d].sizes[i]));
  if (!g_file_set_contents (path, csv->str, -1, &error))
    g_error ("%s", error->message);
}

static void
read_csv (const char *path,
          Curve       curves[N_DIMENSIONS])
{
  g_autofree char *csv = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_get_contents (path, &csv, NULL, &error))
    g_error ("%s", error->message);
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1);
  for (gsize d = 0; d < N_DIMENSIONS; d++)
    {
      curves[d] = (Curve) { series_new (), series_new (), 0.0 };
      for (gsize i = 1; lines[i] != NULL; i++)
        {
          g_auto (GStrv) cells = g_strsplit (lines[i], ",", 3);

          if (g_strv_length (cells) != 3 || !g_str_equal (cells[0], dimensions[d].name))
            continue;
          series_add (curves[d].sizes, g_ascii_strtod (cells[1], NULL));
          series_add (curves[d].times, g_ascii_strtod (cells[2], NULL));
        }
      curves[d].exponent = fit_exponent (&curves[d]);
    }
}

#define WIDTH  460.0
#define HEIGHT 320.0
#define LEFT   58.0
#define RIGHT  120.0
#define TOP    16.0
#define BOTTOM 46.0

static void
add_line (AttnScene *scene,
          double     x,
          double     y,
          double     to_x,
          double     to_y,
          double     width,
          AttnRgb    color)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_LINE, -1, "frame");

  mark->rectangle = (AttnRectangle) { x, y, to_x - x, to_y - y };
  mark->line_width = width;
  mark->color = color;
}

static void
add_text (AttnScene  *scene,
          double      x,
          double      y,
          const char *text,
          AttnAnchor  anchor,
          double      angle,
          AttnRgb     color)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TEXT, -1, "tick");

  mark->rectangle = (AttnRectangle) { x, y, 0, 0 };
  mark->markup = g_markup_escape_text (text, -1);
  mark->font_size = 9;
  mark->anchor = anchor;
  mark->angle = angle;
  mark->color = color;
}

/* Logarithms on both axes: a power of the size is a straight line, its exponent the slope. */
static void
draw (const Curve  curves[N_DIMENSIONS],
      const char  *path)
{
  const AttnRgb black = { 0, 0, 0 }, grey = { 208, 208, 208 };
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  g_autoptr (GError) error = NULL;
  double y_low = 1e9, y_high = -1e9, x_high = 0;

  for (gsize d = 0; d < N_DIMENSIONS; d++)
    for (guint i = 0; i < curves[d].sizes->len; i++)
      {
        x_high = MAX (x_high, log10 (g_array_index (curves[d].sizes, double, i)));
        y_low = MIN (y_low, log10 (g_array_index (curves[d].times, double, i)));
        y_high = MAX (y_high, log10 (g_array_index (curves[d].times, double, i)));
      }
  y_low = floor (y_low);
  y_high = ceil (y_high);
  x_high = ceil (x_high * 2) / 2;

  style.has_background = TRUE;
  style.background = (AttnRgb) { 255, 255, 255 };
  g_autoptr (AttnScene) scene = attn_scene_new (WIDTH, HEIGHT, &style, grid);
#define X(size) (LEFT + (size) / x_high * (WIDTH - LEFT - RIGHT))
#define Y(time) (TOP + (y_high - (time)) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM))
  for (double y = y_low; y <= y_high; y++)
    {
      g_autofree char *label = g_strdup_printf ("%g", pow (10, y));

      add_line (scene, LEFT, Y (y), WIDTH - RIGHT, Y (y), 0.5, grey);
      add_text (scene, LEFT - 5, Y (y) + 3, label, ATTN_ANCHOR_END, 0, black);
    }
  for (double x = 0; x <= x_high; x++)
    {
      g_autofree char *label = g_strdup_printf ("%g", pow (10, x));

      add_line (scene, X (x), TOP, X (x), HEIGHT - BOTTOM, 0.5, grey);
      add_text (scene, X (x), HEIGHT - BOTTOM + 13, label, ATTN_ANCHOR_MIDDLE, 0, black);
    }
  add_text (scene, X (x_high / 2), HEIGHT - 12, "Tokens, layers, heads or panels",
            ATTN_ANCHOR_MIDDLE, 0, black);
  add_text (scene, 14, HEIGHT / 2 - 10, "Milliseconds", ATTN_ANCHOR_MIDDLE, 90, black);
  for (gsize d = 0; d < N_DIMENSIONS; d++)
    {
      const Curve *curve = &curves[d];
      g_autofree char *label =
          g_strdup_printf ("%s, n to the %.2f", dimensions[d].name, curve->exponent);
      double key = TOP + 10 + 16 * (double) d;

      for (guint i = 1; i < curve->sizes->len; i++)
        add_line (scene, X (log10 (g_array_index (curve->sizes, double, i - 1))),
                  Y (log10 (g_array_index (curve->times, double, i - 1))),
                  X (log10 (g_array_index (curve->sizes, double, i))),
                  Y (log10 (g_array_index (curve->times, double, i))), 1.5, dimensions[d].color);
      add_line (scene, WIDTH - RIGHT + 6, key, WIDTH - RIGHT + 20, key, 1.5, dimensions[d].color);
      add_text (scene, WIDTH - RIGHT + 24, key + 3, label, ATTN_ANCHOR_START, 0, black);
    }
#undef X
#undef Y
  g_autoptr (GBytes) svg = attn_svg_write (scene, NULL, "Growth of the cost", NULL, &error);
  if (svg == NULL || !g_file_set_contents (path, g_bytes_get_data (svg, NULL),
                                           (gssize) g_bytes_get_size (svg), &error))
    g_error ("%s", error->message);
}

int
main (int    argc,
      char **argv)
{
  const char *directory = argc > 1 ? argv[1] : ".";
  g_autofree char *csv = g_build_filename (directory, "growth.csv", NULL);
  g_autofree char *svg = g_build_filename (directory, "growth.svg", NULL);
  Curve curves[N_DIMENSIONS];

  write_csv (csv);
  read_csv (csv, curves);
  draw (curves, svg);
  for (gsize d = 0; d < N_DIMENSIONS; d++)
    {
      guint n = curves[d].sizes->len;

      print_note ("growth",
                  "%s, %s: the cost grows with n to the power of %.2f between %g and %g "
                  "(%.3g to %.3g ms).",
                  dimensions[d].name, dimensions[d].what, curves[d].exponent,
                  g_array_index (curves[d].sizes, double, 0),
                  g_array_index (curves[d].sizes, double, n - 1),
                  g_array_index (curves[d].times, double, 0),
                  g_array_index (curves[d].times, double, n - 1));
      g_array_unref (curves[d].sizes);
      g_array_unref (curves[d].times);
    }
  return 0;
}
