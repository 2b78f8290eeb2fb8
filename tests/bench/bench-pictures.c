/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a change of a figure over a picture costs until it is drawn: the query moved from patch to
 * patch, and ε moved; twelve heads of the shape of ViT-B/16. */

#include "config.h"

#include <cairo.h>
#include <glib/gstdio.h>

#include "attn-job.h"
#include "attn-layout.h"
#include "attn-painter.h"
#include "bench.h"

/* What the figure has of a window of usual size. */
#define FIGURE_WIDTH  960
#define FIGURE_HEIGHT 800

#define SHOWN_LAYER 11
#define N_STEPS     24

/**
 * Pointed:
 * @study: twelve panels, a head each
 * @surface: that they are drawn on
 */
typedef struct
{
  AttnStudy *study;
  AttnWorkspace *workspace;
  AttnPainter *painter;
  cairo_surface_t *surface;
} Pointed;

/* Writes a picture of noise as an array of pixels. Returns: (transfer full): its path */
static char *
write_pixels (const char *directory)
{
  const gsize shape[] = { 3, VIT_SIDE, VIT_SIDE };
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (AttnTensor) pixels = attn_tensor_new (3, shape, &error);
  char *path = g_build_filename (directory, "pixels.npy", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);

  for (gsize i = 0; pixels != NULL && i < attn_tensor_get_n_elements (pixels); i++)
    pixels->data[i] = (float) g_rand_double_range (random, -1.0, 1.0);
  if (pixels == NULL ||
      !attn_array_file_add (file, attn_array_new_from_tensor ("pixels", pixels), &error))
    g_error ("%s", error->message);
  g_autoptr (GBytes) bytes = attn_array_file_serialize (file, path, &error);
  if (bytes == NULL || !g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                             (gssize) g_bytes_get_size (bytes), &error))
    g_error ("%s", error->message);
  return path;
}

static Pointed
begin (const char *directory,
       const char *pixels,
       gboolean    is_over_picture)
{
  g_autoptr (GError) error = NULL;
  Pointed pointed = {
    .study = attn_presets_load ("single", &error),
    .workspace = attn_workspace_new (),
    .painter = attn_painter_new (),
    .surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, FIGURE_WIDTH, FIGURE_HEIGHT),
  };
  AttnStudy *study = pointed.study;

  if (study == NULL)
    g_error ("%s", error->message);
  attn_model_reference_set (&study->model, directory);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_picture (pixels, TRUE));
  study->columns = ATTN_DIMENSION_HEAD;
  study->layer = SHOWN_LAYER;
  study->head = 0;
  study->operation = ATTN_OPERATION_SCALE;
  study->components[ATTN_COMPONENT_QUERY] = TRUE;
  study->is_over_picture = is_over_picture;
  study->style.shows_values = FALSE;
  return pointed;
}

static void
end (Pointed *pointed)
{
  attn_study_unref (pointed->study);
  attn_workspace_free (pointed->workspace);
  attn_painter_free (pointed->painter);
  cairo_surface_destroy (pointed->surface);
}

/* Runs the job and draws the figure. */
static double
time_redraw (Pointed *pointed)
{
  AttnViewport viewport = ATTN_VIEWPORT_FIT;
  g_autoptr (GError) error = NULL;
  cairo_t *cr = cairo_create (pointed->surface);
  double start = now_ms ();
  g_autoptr (AttnResult) result =
      attn_job_run (pointed->study, pointed->workspace, NULL, NULL, &error);

  if (result == NULL)
    g_error ("%s", error->message);
  AttnScene *scene = attn_layout_figure (result->grid, &pointed->study->style, &viewport,
                                         FIGURE_WIDTH, FIGURE_HEIGHT);
  attn_painter_draw (pointed->painter, scene, cr, 1.0);
  cairo_surface_flush (pointed->surface);
  double time = now_ms () - start;
  attn_scene_free (scene);
  cairo_destroy (cr);
  return time;
}

static void
print (const char *name,
       GArray     *values,
       GArray     *limits,
       const char *bound)
{
  Figure figure = { "pictures", name, "ms", values, limits,
                    limits != NULL ? "the same as matrices, without the picture" : NULL, bound };

  print_figure (&figure);
}

/* The query becomes one patch after the other. */
static void
measure_pointing (const char *directory,
                  const char *pixels)
{
  g_autoptr (GArray) values = series_new ();
  Pointed pointed = begin (directory, pixels, TRUE);

  for (int i = 0; i < N_STEPS; i++)
    {
      gsize patch = 1 + 7 * (gsize) i;

      g_clear_pointer (&pointed.study->queries, attn_index_set_unref);
      pointed.study->queries = attn_index_set_new_range (patch, patch);
      double time = time_redraw (&pointed);
      if (i > 1) /* the pass itself, and fonts */
        series_add (values, time);
    }
  print ("pointing from patch to patch, 12 heads over a picture of 196 patches", values, NULL,
         "16.7 ms");
  end (&pointed);
}

/* ε of the queries moves a little, as a drag does. */
static void
measure_epsilon (const char *directory,
                 const char *pixels)
{
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  Pointed over = begin (directory, pixels, TRUE);
  Pointed plain = begin (directory, pixels, FALSE);

  for (int i = 0; i < N_STEPS; i++)
    {
      Pointed *both[] = { &over, &plain };

      for (gsize k = 0; k < G_N_ELEMENTS (both); k++)
        {
          g_array_index (both[k]->study->epsilons, double, 0) = 0.5 + 0.01 * i;
          double time = time_redraw (both[k]);
          if (i > 1)
            series_add (k == 0 ? values : limits, time);
        }
    }
  print ("ε moved, 12 heads over a picture of 196 patches", values, limits, "1.15 x");
  end (&over);
  end (&plain);
}

int
main (int    argc,
      char **argv)
{
  char *directory = write_model (&vit_base, ATTN_DTYPE_F32);
  g_autofree char *pixels = write_pixels (directory);

  measure_pointing (directory, pixels);
  measure_epsilon (directory, pixels);
  g_unlink (pixels);
  remove_model (directory);
  return 0;
}
