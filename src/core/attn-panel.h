/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A panel: one matrix with the labels of its rows and columns. */

#pragma once

#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnMask:
 * @ATTN_MASK_NONE: every key is visible to every query
 * @ATTN_MASK_CAUSAL: row i sees columns 0 to i
 * @ATTN_MASK_SPANS: each row has a span of columns of its own, such as a sliding window or what is
 *   left of a mask where rows or columns were taken out
 *
 * Which cells of a panel take part. A masked cell holds exactly 0 and is not counted.
 */
typedef enum
{
  ATTN_MASK_NONE,
  ATTN_MASK_CAUSAL,
  ATTN_MASK_SPANS,
} AttnMask;

/**
 * AttnSpan:
 * @first: the first column
 * @end: the one behind the last; equal to @first where there is none
 */
typedef struct
{
  gsize first;
  gsize end;
} AttnSpan;

typedef struct _AttnPanel AttnPanel;

AttnPanel         *attn_panel_new             (AttnTensor         *values,
                                               AttnMask            mask,
                                               const char * const *row_labels,
                                               const char * const *column_labels);
AttnPanel         *attn_panel_new_with_visibility (AttnTensor     *values,
                                               const AttnSpan     *spans,
                                               const char * const *row_labels,
                                               const char * const *column_labels);
AttnPanel         *attn_panel_new_difference  (AttnPanel          *panel,
                                               AttnPanel          *baseline,
                                               GError            **error);
void               attn_panel_set_positions   (AttnPanel          *panel,
                                               const gsize        *rows,
                                               const gsize        *columns);
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
AttnSpan           attn_panel_get_visible     (const AttnPanel    *panel,
                                               gsize               row);
gboolean           attn_panel_is_any_visible  (const AttnPanel    *panel,
                                               gsize               first_row,
                                               gsize               end_row,
                                               gsize               first_column,
                                               gsize               end_column);
gboolean           attn_panel_has_masked      (const AttnPanel    *panel);
gboolean           attn_panel_is_signed       (const AttnPanel    *panel);
gsize              attn_panel_get_rank        (const AttnPanel    *panel,
                                               gsize               row,
                                               gsize               column);
AttnMask           attn_panel_get_mask        (const AttnPanel    *panel);
gsize              attn_panel_get_row_position (const AttnPanel   *panel,
                                               gsize               row);
gsize              attn_panel_get_column_position (const AttnPanel *panel,
                                               gsize               column);
const char * const *attn_panel_get_row_labels (AttnPanel          *panel);
const char * const *attn_panel_get_column_labels (AttnPanel       *panel);
AttnTensor        *attn_panel_get_level       (AttnPanel          *panel,
                                               guint               level);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPanel, attn_panel_unref)

/* Of two values of a signed panel the one that counts: the farther from 0, of two as far the
 * positive one, of a number and NaN the number. */
static inline float
attn_panel_pick_farther (float a,
                         float b)
{
  float a_size = a < 0 ? -a : a;
  float b_size = b < 0 ? -b : b;

  return a != a || b_size > a_size || (b_size == a_size && b > a) ? b : a;
}

G_END_DECLS
