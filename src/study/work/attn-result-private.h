/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of a result for the job that computes it. Private to src/study. */

#pragma once

#include "attn-workspace.h"
#include "attn-json-writer.h"

G_BEGIN_DECLS

AttnResult *attn_result_new (const AttnStudy *study,
                             AttnModel       *model,
                             AttnGrid        *grid,
                             gsize            layer,
                             int              head);
AttnResult *attn_result_new_for_job (const AttnStudy *study,
                                     AttnWorkspace   *workspace,
                                     AttnGrid        *grid,
                                     gsize            layer,
                                     int              head);
AttnResult *attn_result_extend (const AttnResult *result,
                                AttnGrid         *grid,
                                GPtrArray        *outcomes);
void        attn_result_write_positions (const AttnResult *result,
                                         gsize             index,
                                         AttnJsonWriter   *writer);
void        attn_result_write_difference (const AttnResult *result,
                                          gsize             index,
                                          AttnJsonWriter   *writer);

G_END_DECLS
