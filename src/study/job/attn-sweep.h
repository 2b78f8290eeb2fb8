/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A sweep computes the panels of a study while its factor ε runs through a range. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

/**
 * AttnSweepRange:
 * @first: ε at the beginning
 * @last: ε at the end, larger or smaller
 * @n_steps: number of values of ε, both ends included, evenly spaced on a logarithmic scale; at
 *   least 2
 */
typedef struct
{
  double first;
  double last;
  gsize n_steps;
} AttnSweepRange;

#define ATTN_SWEEP_MAX_STEPS 1000

/* Default range: four steps for each power of ten, from 1 (no change) to the smallest ε. */
#define ATTN_SWEEP_RANGE_DEFAULT ((AttnSweepRange) { 1, ATTN_EPSILON_MIN, 49 })

/* Factor by which a close-up of the sweep reaches above and below the ε at which panels
 * collapse. */
#define ATTN_SWEEP_AROUND 10

/* Smallest sink score of a head that counts as a sink (arXiv 2410.10781). */
#define ATTN_SWEEP_SINK_SCORE 0.3

/* Smallest mean entropy of the rows of a collapsed panel, relative to that of uniform rows. */
#define ATTN_SWEEP_ENTROPY_SHARE 0.99

/**
 * AttnSweepPanel:
 * @name: name of the panel in plain text, such as "Query"
 * @measures: (array): measures of the panel at each step
 * @uniform_entropy: mean row entropy in bits that the panel would have if every row were uniform
 *   over the keys that it sees
 * @has_collapse: whether the panel collapses along the sweep
 * @collapse: the step at which it has collapsed, see [func@attn_sweep_find_collapse];
 *   [func@attn_sweep_find_end] finds the ε between the step before and this one
 * @kl: (nullable) (array): KL(baseline ‖ modified) of the predictions at each step, mean over the
 *   positions, in bits; %NULL if the study does not show it
 */
typedef struct
{
  char *name;
  AttnPanelMeasures *measures;
  double uniform_entropy;
  gboolean has_collapse;
  gsize collapse;
  double *kl;
} AttnSweepPanel;

/**
 * AttnSweep:
 * @study: the study whose ε runs through the range
 * @panels: (array length=n_panels): the panels of the study's grid, if it did not vary along ε
 *
 * Measures of a study's panels along ε. Immutable and reference-counted.
 */
typedef struct
{
  const AttnStudy *study;
  AttnSweepRange range;
  AttnSweepPanel *panels;
  gsize n_panels;

  /*< private >*/
  gatomicrefcount ref_count;
} AttnSweep;

gboolean   attn_sweep_parse_range   (const char            *text,
                                     AttnSweepRange        *range,
                                     GError               **error);
double     attn_sweep_get_epsilon   (const AttnSweepRange  *range,
                                     gsize                  step);
gboolean   attn_sweep_is_of         (const AttnSweep       *sweep,
                                     const AttnStudy       *study);
gboolean   attn_sweep_find_transition (const AttnSweep     *sweep,
                                     AttnSweepRange        *range);
AttnStudy *attn_sweep_build_study   (const AttnStudy       *study,
                                     double                 epsilon);
gboolean   attn_sweep_find_collapse (const AttnSweepPanel  *panel,
                                     gsize                  n_steps,
                                     gsize                 *collapse);
double     attn_sweep_find_end      (const AttnSweep       *sweep,
                                     const AttnSweepPanel  *panel);
AttnSweep *attn_sweep_run           (const AttnStudy       *study,
                                     const AttnSweepRange  *range,
                                     AttnWorkspace         *workspace,
                                     const AttnProgress    *progress,
                                     GCancellable          *cancellable,
                                     GError               **error);
gboolean   attn_sweep_export        (const AttnStudy       *study,
                                     const AttnSweepRange  *range,
                                     const char            *path,
                                     AttnWorkspace         *workspace,
                                     const AttnProgress    *progress,
                                     GCancellable          *cancellable,
                                     GError               **error);
gboolean   attn_sweep_check_path    (const char            *path,
                                     GError               **error);
char      *attn_sweep_build_path    (const char            *path,
                                     gsize                  step);
AttnSweep *attn_sweep_ref           (AttnSweep             *sweep);
void       attn_sweep_unref         (AttnSweep             *sweep);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSweep, attn_sweep_unref)

G_END_DECLS
