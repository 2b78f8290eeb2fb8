/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the tests of src/study share. */

#pragma once

#include "attn-job.h"

G_BEGIN_DECLS

gboolean    fixture_has_model    (void);
AttnStudy  *fixture_load         (const char       *preset);
AttnResult *fixture_run          (const AttnStudy  *study,
                                  AttnWorkspace    *workspace);
AttnPanel  *fixture_get_panel    (const AttnResult *result,
                                  gsize             row,
                                  gsize             column);
AttnPanel  *fixture_get_baseline (const AttnResult *result,
                                  gsize             row,
                                  gsize             column);
char       *fixture_describe_interventions (const AttnResult *result,
                                  gsize             index);
void        fixture_assert_same  (const AttnResult *a,
                                  const AttnResult *b);

G_END_DECLS
