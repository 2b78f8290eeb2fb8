/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of a study that change several of its settings so that they agree, such as inputs and
 * interventions. They only change the study, which the caller owns, and neither compute nor show
 * anything. */

#pragma once

#include "attn-model.h"
#include "attn-study.h"

G_BEGIN_DECLS

/* Default text, which replaces pictures and sounds that a model of texts cannot take. */
#define ATTN_EDITS_FALLBACK_TEXT "A rose is a rose, and a red rose is a rose."

/* Largest number of inputs in a study. */
#define ATTN_EDITS_MAX_INPUTS 100

/* Largest size in bytes of a text file that is read as inputs. */
#define ATTN_EDITS_MAX_TEXT (1 << 20)

void       attn_edits_move_input      (AttnStudy        *study,
                                       guint             from,
                                       guint             to);
void       attn_edits_remove_input    (AttnStudy        *study,
                                       guint             index);
void       attn_edits_duplicate_input (AttnStudy        *study,
                                       guint             index);
gboolean   attn_edits_compare_with_base (AttnStudy     *study);
AttnStudy *attn_edits_show_model      (const AttnStudy  *study,
                                       const AttnModelReference *model,
                                       const AttnModelInfo *info);
void       attn_edits_fit_seeing      (AttnInput        *input,
                                       const AttnModelInfo *info);
void       attn_edits_insert_picture  (AttnStudy        *study,
                                       const AttnModelInfo *info,
                                       const char       *path);
void       attn_edits_join_picture    (AttnStudy        *study,
                                       const AttnModelInfo *info,
                                       guint             index,
                                       const char       *path);
void       attn_edits_part_picture    (AttnStudy        *study,
                                       const AttnModelInfo *info,
                                       guint             index);
void       attn_edits_part_pictures   (AttnStudy        *study,
                                       const AttnModelInfo *info);
void       attn_edits_fit_inputs      (AttnStudy        *study,
                                       const AttnModelInfo *info);
void       attn_edits_part_stand_ins  (AttnStudy        *study);
void       attn_edits_keep_inputs     (AttnStudy        *study,
                                       const AttnStudy  *old,
                                       const AttnStudy  *origin);
void       attn_edits_keep_choices    (AttnStudy        *study,
                                       const AttnStudy  *old,
                                       const GPtrArray  *undo);
void       attn_edits_keep_export     (AttnStudy        *study,
                                       const AttnStudy  *before,
                                       const AttnStudy  *chosen);
void       attn_edits_leave_removed_out (AttnStudy      *study,
                                       const AttnStudy  *old,
                                       const GPtrArray  *undo);
void       attn_edits_choose_attention (AttnStudy       *study,
                                       const AttnModelInfo *info,
                                       const char       *name);
gboolean   attn_edits_limit_tokens    (AttnStudy        *study,
                                       const AttnModel  *model);
void       attn_edits_fit_groups      (AttnStudy        *study,
                                       gboolean          is_recorded);
void       attn_edits_find_groups     (AttnStudy        *study);
void       attn_edits_add_picture     (AttnStudy        *study,
                                       const AttnModelInfo *info,
                                       const char       *path);
void       attn_edits_add_sound       (AttnStudy        *study,
                                       const char       *path);
gboolean   attn_edits_append_inputs   (AttnStudy        *study,
                                       GPtrArray        *inputs,
                                       const char       *where,
                                       GError          **error);
const char *attn_edits_explain_last_component (void);
gboolean   attn_edits_settle          (AttnStudy        *study,
                                       const AttnStudy  *before,
                                       int               shown_layer,
                                       GError          **error);
guint      attn_edits_count_epsilons  (const AttnStudy  *study);
void       attn_edits_drop_unused_epsilons (AttnStudy   *study);
void       attn_edits_append_epsilon  (AttnStudy        *study);

G_END_DECLS
