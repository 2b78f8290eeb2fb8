/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a figure costs as a file: time, bytes, and the most memory on the way; each in a process of
 * its own. peers.py draws the same with matplotlib. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>

#include "attn-array-format.h"
#include "attn-job.h"
#include "attn-study.h"
#include "bench.h"

#define N_RUNS    5
#define MAP_WIDTH 300
#define PIXELS    4096

typedef enum
{
  FIGURE_SVG,
  FIGURE_PNG,
  FIGURE_SURVEY,
  N_FIGURES
} ExportedFigure;

static const struct
{
  const char *name;
  const char *preset;
  AttnExportFormat format;
} figures[] = {
  [FIGURE_SVG] = { "SVG, a map of 300 tokens", "single", ATTN_EXPORT_SVG },
  [FIGURE_PNG] = { "PNG, 4,096 x 4,096 pixels, the same map", "single", ATTN_EXPORT_PNG },
  [FIGURE_SURVEY] = { "SVG, a survey: map, scatter, histogram, curves", "survey", ATTN_EXPORT_SVG },
};

/* softmax of normal numbers of a standard deviation of 2, with a sink, row by row: colours beside
 * each other differ. Returns: (transfer full): the path of a recording */
static char *
write_map (void)
{
  const gsize shape[] = { MAP_WIDTH, MAP_WIDTH };
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-bench-XXXXXX", &error);
  g_assert_no_error (error);
  char *path = g_build_filename (directory, "map.npy", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);
  float *map = g_new0 (float, MAP_WIDTH *MAP_WIDTH);

  for (gsize row = 0; row < MAP_WIDTH; row++)
    {
      float *weights = map + row * MAP_WIDTH;
      double sum = 0;

      for (gsize key = 0; key <= row; key++)
        {
          double normal = sqrt (-2.0 * log (1.0 - g_rand_double (random))) *
                          cos (2.0 * G_PI * g_rand_double (random));

          weights[key] = (float) exp (2.0 * normal + (key == 0 ? 4.0 : 0.0));
          sum += weights[key];
        }
      for (gsize key = 0; key <= row; key++)
        weights[key] = (float) (weights[key] / sum);
    }
  g_autoptr (GBytes) bytes = g_bytes_new_take (map, MAP_WIDTH * MAP_WIDTH * sizeof *map);
  AttnArray *array = attn_array_new ("weights", ATTN_DTYPE_F32, 2, shape, bytes, &error);
  if (array == NULL || !attn_array_file_add (file, array, &error))
    g_error ("%s", error->message);
  g_autoptr (GBytes) written =
      attn_array_format_write (attn_array_format_find (path), file, &error);
  if (written == NULL || !g_file_set_contents (path, g_bytes_get_data (written, NULL),
                                               (gssize) g_bytes_get_size (written), &error))
    g_error ("%s", error->message);
  return path;
}

/* An export under way. */
typedef struct
{
  AttnResult *result;
  AttnExportFormat format;
  GBytes *bytes;
} Export;

static void
run_export (gpointer data)
{
  Export *export = data;
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&export->bytes, g_bytes_unref);
  export->bytes =
      attn_result_export (export->result, export->result->study, export->format, NULL, &error);
  g_assert_no_error (error);
}

static void
print (const char *name,
       const char *what,
       const char *unit,
       GArray     *values)
{
  g_autofree char *full = g_strconcat (name, what, NULL);

  print_figure (&(Figure) { .group = "export", .name = full, .unit = unit, .values = values });
}

static void
measure (ExportedFigure figure)
{
  const char *name = figures[figure].name;
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = attn_presets_load (figures[figure].preset, &error);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) times = series_new ();
  g_autoptr (GArray) sizes = series_new ();
  g_autoptr (GArray) peaks = series_new ();
  g_autofree char *path = NULL;

  g_assert_no_error (error);
  if (figure != FIGURE_SURVEY)
    {
      path = write_map ();
      study->model.path = g_strdup (path);
      study->layer = study->head = 0;
    }
  if (figure == FIGURE_PNG)
    {
      study->page.width = study->page.height = PIXELS;
      study->page.unit = ATTN_UNIT_PIXELS;
    }
  Export export = { attn_job_run (study, workspace, NULL, NULL, &error), figures[figure].format };
  g_assert_no_error (error);
  series_add (peaks, find_peak_mb (run_export, &export));
  series_add (sizes, (double) g_bytes_get_size (export.bytes) * 1e-6);
  for (int run = 0; run < N_RUNS; run++)
    {
      double begin = now_ms ();

      run_export (&export);
      series_add (times, now_ms () - begin);
    }
  print (name, "", "ms", times);
  print (name, ": file", "MB", sizes);
  print (name, ": memory", "MB", peaks);
  g_bytes_unref (export.bytes);
  attn_result_unref (export.result);
  if (path != NULL)
    {
      g_autofree char *directory = g_path_get_dirname (path);

      g_remove (path);
      g_rmdir (directory);
    }
}

int
main (int    argc,
      char **argv)
{
  if (argc == 2)
    {
      measure ((ExportedFigure) atoi (argv[1]));
      return 0;
    }
  for (ExportedFigure figure = 0; figure < N_FIGURES; figure++)
    {
      g_autofree char *number = g_strdup_printf ("%d", figure);
      const char *child[] = { argv[0], number, NULL };
      g_autoptr (GError) error = NULL;
      int status;

      g_spawn_sync (NULL, (char **) child, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL,
                    NULL, &status, &error);
      g_assert_no_error (error);
      g_assert_cmpint (status, ==, 0);
    }
  return 0;
}
