/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a change in the window costs before it is drawn: ε, an intervention below, a changed text;
 * on the shape of GPT-2 small, by the job that the window's worker runs. */

#include "config.h"

#include <cairo.h>

#include "attn-job.h"
#include "attn-layout.h"
#include "attn-painter.h"
#include "bench.h"

/* What the figure has of a window of usual size. */
#define FIGURE_WIDTH  960
#define FIGURE_HEIGHT 800

#define SHOWN_LAYER 11
#define SHOWN_HEAD  3

static AttnStudy *
new_study (const char *directory,
           gsize       n_tokens,
           int         head)
{
  g_autofree guint32 *ids = random_ids (n_tokens, gpt2_small.vocabulary_size, 1);
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load ("epsilon", &error);

  if (study == NULL)
    g_error ("%s", error->message);
  g_free (study->model.path);
  study->model.path = g_strdup (directory);
  g_ptr_array_set_size (study->inputs, 0);
  g_ptr_array_add (study->inputs, attn_input_new_ids (ids, n_tokens, 0));
  study->layer = SHOWN_LAYER;
  study->head = head;
  return study;
}

static double
time_job (const AttnStudy *study,
          AttnWorkspace   *workspace)
{
  g_autoptr (GError) error = NULL;
  double begin = now_ms ();
  AttnResult *result = attn_job_run (study, workspace, NULL, NULL, &error);
  double end = now_ms ();

  if (result == NULL)
    g_error ("%s", error->message);
  attn_result_unref (result);
  return end - begin;
}

/* Moves every ε a little, as a drag does. */
static void
move_epsilons (AttnStudy *study,
               int        step)
{
  for (guint i = 0; i < study->epsilons->len; i++)
    g_array_index (study->epsilons, double, i) = 0.5 / (1.0 + i + 0.001 * step);
}

static void
print (const char *name,
       GArray     *values,
       GArray     *limits,
       const char *limit_name,
       const char *bound)
{
  Figure figure = { "epsilon", name, "ms", values, limits, limit_name, bound };

  print_figure (&figure);
}

/* Nine panels, every one of which changes. */
static void
measure_epsilon (const char *directory,
                 gsize       n_tokens,
                 int         head,
                 const char *bound)
{
  g_autoptr (AttnStudy) study = new_study (directory, n_tokens, head);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) values = series_new ();
  g_autofree char *name = g_strdup_printf ("ε moved, nine panels of %zu tokens%s", n_tokens,
                                           head == ATTN_HEAD_MEAN ? ", mean of 12 heads" : "");

  study->components[ATTN_COMPONENT_KEY] = study->components[ATTN_COMPONENT_VALUE] = FALSE;
  g_array_set_size (study->epsilons, 9);
  move_epsilons (study, 0);
  time_job (study, workspace);
  for (int i = 1; i <= 30; i++)
    {
      move_epsilons (study, i);
      series_add (values, time_job (study, workspace));
    }
  print (name, values, NULL, NULL, bound);
}

/* From the moved ε to the pixels of the figure, as the peers do with their own means. */
static void
measure_redraw (const char *directory,
                gsize       n_tokens)
{
  g_autoptr (AttnStudy) study = new_study (directory, n_tokens, SHOWN_HEAD);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) values = series_new ();
  g_autofree char *name = g_strdup_printf ("ε grid recomputed and drawn, %zu tokens", n_tokens);
  AttnViewport viewport = ATTN_VIEWPORT_FIT;
  AttnPainter *painter = attn_painter_new ();
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, FIGURE_WIDTH, FIGURE_HEIGHT);

  time_job (study, workspace);
  for (int i = 0; i < 12; i++)
    {
      g_autoptr (GError) error = NULL;
      cairo_t *cr = cairo_create (surface);

      move_epsilons (study, i);
      double begin = now_ms ();
      g_autoptr (AttnResult) result = attn_job_run (study, workspace, NULL, NULL, &error);
      if (result == NULL)
        g_error ("%s", error->message);
      AttnScene *scene = attn_layout_figure (result->grid, &study->style, &viewport,
                                             FIGURE_WIDTH, FIGURE_HEIGHT);
      attn_painter_draw (painter, scene, cr, 1.0);
      cairo_surface_flush (surface);
      double end = now_ms ();

      if (i > 1) /* fonts are looked up the first time */
        series_add (values, end - begin);
      attn_scene_free (scene);
      cairo_destroy (cr);
    }
  print (name, values, NULL, NULL, NULL);
  cairo_surface_destroy (surface);
  attn_painter_free (painter);
}

/* Something done in layer @below, of whose effect the last layer is shown. */
static void
measure_intervention (const char *directory,
                      gsize       n_tokens,
                      gsize       below)
{
  g_autoptr (AttnStudy) study = new_study (directory, n_tokens, SHOWN_HEAD);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  g_autofree char *name = g_strdup_printf (
      "intervention in layer %zu of 12, last layer shown, %zu tokens", below, n_tokens);

  study->rows = study->columns = ATTN_DIMENSION_NONE;
  study->acts_on_shown_layer = FALSE;
  for (int i = 0; i < 4; i++)
    {
      double times[2];

      for (gsize j = 0; j < 2; j++)
        {
          gsize layer = j == 0 ? 0 : below;

          g_clear_pointer (&study->scope_layers, attn_index_set_unref);
          study->scope_layers = attn_index_set_new_range (layer, layer);
          move_epsilons (study, i);
          times[j] = time_job (study, workspace);
        }
      if (i == 0) /* fills the workspace */
        continue;
      series_add (limits, times[0]);
      series_add (values, times[1]);
    }
  print (name, values, limits, "the same in layer 0", NULL);
}

/* The last token of the text becomes another. */
static void
measure_text (const char *directory,
              gsize       n_tokens)
{
  g_autofree guint32 *ids = random_ids (n_tokens, gpt2_small.vocabulary_size, 1);
  g_autoptr (AttnStudy) study = new_study (directory, n_tokens, SHOWN_HEAD);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) values = series_new ();
  g_autoptr (GArray) limits = series_new ();
  g_autofree char *name = g_strdup_printf ("last of %zu tokens changed", n_tokens);

  time_job (study, workspace);
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (AttnWorkspace) fresh = attn_workspace_new ();

      ids[n_tokens - 1] = (guint32) i;
      g_ptr_array_set_size (study->inputs, 0);
      g_ptr_array_add (study->inputs, attn_input_new_ids (ids, n_tokens, 0));
      series_add (limits, time_job (study, fresh));
      series_add (values, time_job (study, workspace));
    }
  print (name, values, limits, "the whole text", NULL);
}

/* Memory that is resident after the first ε and after a thousand more. */
static void
measure_growth (const char *directory)
{
  g_autoptr (AttnStudy) study = new_study (directory, 128, SHOWN_HEAD);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GArray) values = series_new ();
  Figure figure = { "epsilon", "memory grown over 1,000 recomputations", "MB", values,
                    NULL, NULL, "1 MB" };

  for (int i = 0; i < 50; i++)
    {
      move_epsilons (study, i);
      time_job (study, workspace);
    }
  for (int round = 0; round < 3; round++)
    {
      double before = get_memory_mb ("RssAnon");

      for (int i = 0; i < 1000; i++)
        {
          move_epsilons (study, i);
          time_job (study, workspace);
        }
      series_add (values, get_memory_mb ("RssAnon") - before);
    }
  print_figure (&figure);
}

int
main (int    argc,
      char **argv)
{
  char *directory = write_model (&gpt2_small, ATTN_DTYPE_F32);

  measure_epsilon (directory, 128, SHOWN_HEAD, "4 ms");
  measure_epsilon (directory, 1024, SHOWN_HEAD, "8 ms");
  measure_epsilon (directory, 128, ATTN_HEAD_MEAN, NULL);
  measure_epsilon (directory, 1024, ATTN_HEAD_MEAN, "25 ms");
  measure_redraw (directory, 128);
  measure_redraw (directory, 1024);
  measure_intervention (directory, 128, 10);
  measure_intervention (directory, 1024, 10);
  measure_text (directory, 128);
  measure_text (directory, 1024);
  measure_growth (directory);
  remove_model (directory);
  return 0;
}
