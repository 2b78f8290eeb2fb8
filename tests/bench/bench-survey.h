/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shared by the benchmarks of surveys. */

#pragma once

#include <glib/gstdio.h>

#include "attn-survey.h"
#include "bench.h"

/* Numbers for the factors of the products alone: the same in each run. */
static inline void
fill_factors (float *x,
              gsize  n_x,
              float *weights,
              gsize  n_weights)
{
  for (gsize i = 0; i < n_x; i++)
    x[i] = (float) (i % 97) * 0.01f - 0.5f;
  for (gsize i = 0; i < n_weights; i++)
    weights[i] = (float) (i % 89) * 0.01f - 0.4f;
}

/* (transfer full) (element-type AttnSample): all @n_texts texts of the survey */
static inline GPtrArray *
list_samples (const AttnSurvey *survey,
              gsize             n_texts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTexts) texts = attn_survey_open_texts (survey, &error);
  GPtrArray *samples = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_sample_free);

  g_assert_no_error (error);
  for (AttnSample *sample; attn_texts_next (texts, TRUE, &sample, &error);)
    g_ptr_array_add (samples, sample);
  g_assert_no_error (error);
  g_assert_cmpuint (samples->len, ==, n_texts);
  return samples;
}

/* As a user runs it: from the start of the program to the file, with all threads. @path: of the
 * file, which is removed, for a survey goes on where it was. */
static inline void
measure_command (const char  *name,
                 const char  *what,
                 const char **argv,
                 const char  *path)
{
  GArray *values = series_new ();

  for (guint run = 0; run < 3; run++)
    {
      series_add (values, time_program (argv));
      g_remove (path);
    }
  print_figure (&(Figure) { name, what, "ms", values });
}
