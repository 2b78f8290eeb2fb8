/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of src/study share about the document. */

#pragma once

#include "attn-json-writer.h"
#include "attn-study.h"

G_BEGIN_DECLS

gboolean    attn_input_equal        (const AttnInput  *a,
                                     const AttnInput  *b);
gboolean    attn_study_varies       (const AttnStudy  *study,
                                     AttnDimension     dimension);
void        attn_study_write        (const AttnStudy  *study,
                                     AttnJsonWriter   *writer,
                                     const char       *member);
const char *attn_dimension_get_name (AttnDimension     dimension);
gboolean    attn_dimension_parse    (const char       *name,
                                     AttnDimension    *dimension,
                                     GError          **error);

G_END_DECLS
