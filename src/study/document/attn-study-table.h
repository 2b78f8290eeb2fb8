/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Table of all settings of a study: a row for each, which says how it is read, written and
 * compared. */

#pragma once

#include "attn-field.h"
#include "attn-study.h"

G_BEGIN_DECLS

extern const AttnFieldType attn_field_colormap; /* AttnColormap */
extern const AttnFieldType attn_field_colors;   /* AttnColormap: the colours of a colour map of the
                                                 * user */
extern const AttnFieldType attn_field_pairs;    /* GArray of AttnPair, NULL for none */
extern const AttnFieldType attn_field_viewport; /* AttnViewport */
extern const AttnFieldType attn_field_views;    /* GArray of AttnViewport, the visible parts of the
                                                 * panels; NULL for none */

/* Tables of the structs in lists of a study, and of the token positions in AttnRoleOptions. */
extern const AttnRecord attn_model_record;
extern const AttnRecord attn_input_record;
extern const AttnRecord attn_intervention_record;
extern const AttnRecord attn_group_record;
extern const AttnRecord attn_region_record;
extern const AttnRecord attn_positions_record;

const AttnRecord *attn_study_get_record (void);
const AttnField  *attn_study_find_field       (const char *name);
char             *attn_study_write_setting    (const AttnStudy *study,
                                               const AttnField *field);
gboolean          attn_study_read_setting     (AttnStudy       *study,
                                               const AttnField *field,
                                               const char      *json,
                                               GError         **error);
gboolean          attn_study_check            (const AttnStudy *study,
                                               GError         **error);
gboolean          attn_study_does_as          (const AttnStudy *study,
                                               const AttnStudy *preset);

G_END_DECLS
