/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A panel: one matrix with the labels of its rows and columns. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnMask:
 * @ATTN_MASK_NONE: every key is visible to every query
 * @ATTN_MASK_CAUSAL: row i sees columns 0 to i
 *
 * Which cells of a panel take part. A masked cell holds exactly 0 and is not counted.
 */
typedef enum
{
  ATTN_MASK_NONE,
  ATTN_MASK_CAUSAL,
} AttnMask;

typedef struct _AttnPanel AttnPanel;

AttnPanel         *attn_panel_new             (AttnTensor         *values,
                                               AttnMask            mask,
                                               const char * const *row_labels,
                                               const char * const *column_labels);
AttnPanel         *attn_panel_ref             (AttnPanel          *panel);
void               attn_panel_unref           (AttnPanel          *panel);

AttnTensor        *attn_panel_get_values      (AttnPanel          *panel);
gsize              attn_panel_get_n_rows      (const AttnPanel    *panel);
gsize              attn_panel_get_n_columns   (const AttnPanel    *panel);
float              attn_panel_get_value       (const AttnPanel    *panel,
                                               gsize               row,
                                               gsize               column);
gboolean           attn_panel_is_visible      (const AttnPanel    *panel,
                                               gsize               row,
                                               gsize               column);
gsize              attn_panel_get_rank        (const AttnPanel    *panel,
                                               gsize               row,
                                               gsize               column);
AttnMask           attn_panel_get_mask        (const AttnPanel    *panel);
const char * const *attn_panel_get_row_labels (AttnPanel          *panel);
const char * const *attn_panel_get_column_labels (AttnPanel       *panel);
AttnTensor        *attn_panel_get_level       (AttnPanel          *panel,
                                               guint               level);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPanel, attn_panel_unref)

G_END_DECLS
