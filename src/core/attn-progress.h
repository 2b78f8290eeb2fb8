/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reports how far long work, such as a forward pass of a model, has come. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnProgressFunc:
 * @stage: what is being done, translated, such as "Computing input 2 of 3"
 * @fraction: 0 to 1 of the whole work
 *
 * Called in the thread that does the work, at most once for each layer of a model.
 */
typedef void (*AttnProgressFunc) (const char *stage,
                                  double      fraction,
                                  gpointer    user_data);

/**
 * AttnProgress:
 * @func: (nullable): called with the progress
 *
 * Passed by pointer; a %NULL pointer means that the caller wants no progress.
 */
typedef struct
{
  AttnProgressFunc func;
  gpointer user_data;
} AttnProgress;

/* Reports a stage of the work and its progress, 0 to 1, to @progress, unless that is NULL. */
static inline void
attn_progress_report (const AttnProgress *progress,
                      const char         *stage,
                      double              fraction)
{
  if (progress != NULL && progress->func != NULL)
    progress->func (stage, fraction, progress->user_data);
}

/**
 * AttnProgressPart:
 * @whole: (nullable): the progress of the whole work, to which that of a part is reported
 * @stage: (nullable): reported instead of the part's own stage
 * @start: the fraction of the whole work that is done when the part begins, 0 to 1
 * @extent: the fraction of the whole work that the part is, 0 to 1
 */
typedef struct
{
  const AttnProgress *whole;
  const char *stage;
  double start;
  double extent;
} AttnProgressPart;

static inline void
attn_progress_report_part_cb (const char *stage,
                              double      fraction,
                              gpointer    user_data)
{
  const AttnProgressPart *part = user_data;

  attn_progress_report (part->whole, part->stage != NULL ? part->stage : stage,
                        part->start + fraction * part->extent);
}

/* Returns a progress for a part of larger work: 0 to 1 are mapped to @start to @start + @extent of
 * the whole. It is valid for the lifetime of @part. */
static inline AttnProgress
attn_progress_of_part (const AttnProgressPart *part)
{
  return (AttnProgress) { attn_progress_report_part_cb, (gpointer) part };
}

G_END_DECLS
