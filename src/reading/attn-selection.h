/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows or columns of one panel that are selected together. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnChoice:
 * @ATTN_CHOICE_ONE: the row or column and no other is chosen
 * @ATTN_CHOICE_TOGGLE: it is chosen as well, or no longer if it was chosen
 * @ATTN_CHOICE_EXTEND: all from the one chosen last to this one are chosen, and no others
 * @ATTN_CHOICE_KEEP: it and no other is chosen, unless it is among those that are chosen already
 *
 * Ways in which choosing a row or column changes which rows or columns are chosen.
 */
typedef enum
{
  ATTN_CHOICE_ONE,
  ATTN_CHOICE_TOGGLE,
  ATTN_CHOICE_EXTEND,
  ATTN_CHOICE_KEEP,
} AttnChoice;

/**
 * AttnSelection:
 * @group: index of the panel, or -1 where nothing is chosen
 * @is_column: whether columns are chosen
 * @is_kept: whether one row or column was chosen by its label or token, not by one of its cells
 * @indices: (element-type gsize): indices of the chosen rows or columns, ascending, each once
 * @anchor: index of the one from which %ATTN_CHOICE_EXTEND begins
 */
typedef struct
{
  int group;
  gboolean is_column;
  gboolean is_kept;
  GArray *indices;
  gsize anchor;
} AttnSelection;

AttnSelection *attn_selection_new       (void);
void              attn_selection_free      (AttnSelection       *selection);
void              attn_selection_choose    (AttnSelection       *selection,
                                                int                     group,
                                                gboolean                is_column,
                                                gsize                   index,
                                                AttnChoice              choice);
void              attn_selection_limit     (AttnSelection       *selection,
                                                gsize                   n);
gboolean          attn_selection_has           (const AttnSelection *selection,
                                                gsize                index);
gboolean          attn_selection_is_several    (const AttnSelection *selection);
char             *attn_selection_to_string (const AttnSelection *selection,
                                                const gsize            *positions);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSelection, attn_selection_free)

G_END_DECLS
