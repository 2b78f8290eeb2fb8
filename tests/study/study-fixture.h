/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the tests of src/study share. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

/* Two ways to the same weights differ in the order of their sums only. */
#define FIXTURE_TOLERANCE 2e-6

/* Changes something, drawn by lot. */
typedef void (*FixtureEdit) (AttnStudy *study,
                             GRand     *random);

/**
 * FixtureBadEdit:
 * @edit: makes of a good study one that cannot be computed
 * @code: of the error
 * @first: what the error names
 * @second: what it names besides; "" for nothing
 */
typedef struct
{
  void (*edit) (AttnStudy *study);
  int code;
  const char *first;
  const char *second;
} FixtureBadEdit;

gboolean    fixture_has_model               (void);
AttnStudy  *fixture_load                    (const char           *preset);
void        fixture_set_inputs              (AttnStudy            *study,
                                             const char           *first,
                                             const char           *second);
void        fixture_set_ids                 (AttnStudy            *study,
                                             const guint32        *ids,
                                             gsize                 n);
AttnResult *fixture_run                     (const AttnStudy      *study,
                                             AttnWorkspace        *workspace);
AttnResult *fixture_run_once                (const AttnStudy      *study);
AttnPanel  *fixture_get_panel               (const AttnResult     *result,
                                             gsize                 row,
                                             gsize                 column);
AttnPanel  *fixture_get_baseline            (const AttnResult     *result,
                                             gsize                 row,
                                             gsize                 column);
char       *fixture_describe_interventions  (const AttnResult     *result,
                                             gsize                 index);
AttnTensor *fixture_compute_weights         (const AttnResult     *result,
                                             gsize                 input,
                                             GPtrArray            *interventions,
                                             gsize                 layer);
void        fixture_assert_panel            (AttnPanel            *panel,
                                             const AttnTensor     *weights,
                                             gsize                 head);
void        fixture_assert_same             (const AttnResult     *a,
                                             const AttnResult     *b);
void        fixture_check_warm_equals_fresh (AttnStudy            *study,
                                             FixtureEdit           edit,
                                             guint32               seed);
void        fixture_assert_fails            (const AttnStudy      *study,
                                             AttnWorkspace        *workspace,
                                             int                   code,
                                             const char           *first,
                                             const char           *second);
void        fixture_check_refused           (const AttnStudy      *study,
                                             const FixtureBadEdit *edits,
                                             gsize                 n_edits);

G_END_DECLS
