/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of the study document for other files of src/study. */

#pragma once

#include "attn-study-table.h"

G_BEGIN_DECLS

gboolean   attn_study_varies        (const AttnStudy  *study,
                                     AttnDimension     dimension);
gboolean   attn_study_has_panels_of (const AttnStudy  *a,
                                     const AttnStudy  *b);
AttnStudy *attn_study_read          (JsonObject       *root,
                                     const char       *where,
                                     GError          **error);
void       attn_study_write         (const AttnStudy  *study,
                                     AttnJsonWriter   *writer,
                                     const char       *member);

G_END_DECLS
