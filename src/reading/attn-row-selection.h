/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of one panel that are chosen to be read together. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnChoice:
 * @ATTN_CHOICE_ONE: the row and no other is chosen
 * @ATTN_CHOICE_TOGGLE: it is chosen, or no longer if it was
 * @ATTN_CHOICE_EXTEND: the rows from the one chosen last to it are chosen, and no others
 * @ATTN_CHOICE_KEEP: the row and no other, unless it is among those that are chosen
 *
 * What becomes of the chosen rows when a row is chosen.
 */
typedef enum
{
  ATTN_CHOICE_ONE,
  ATTN_CHOICE_TOGGLE,
  ATTN_CHOICE_EXTEND,
  ATTN_CHOICE_KEEP,
} AttnChoice;

/**
 * AttnRowSelection:
 * @group: index of the panel, or -1 where nothing is chosen
 * @rows: (element-type gsize): ascending, each once
 *
 * To be changed by the functions below.
 */
typedef struct
{
  int group;
  GArray *rows;

  /*< private >*/
  gsize anchor; /* from which a run of rows is extended */
} AttnRowSelection;

AttnRowSelection *attn_row_selection_new       (void);
void              attn_row_selection_free      (AttnRowSelection       *selection);
void              attn_row_selection_choose    (AttnRowSelection       *selection,
                                                int                     group,
                                                gsize                   row,
                                                AttnChoice              choice);
void              attn_row_selection_limit     (AttnRowSelection       *selection,
                                                gsize                   n_rows);
char             *attn_row_selection_to_string (const AttnRowSelection *selection,
                                                const gsize            *positions);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnRowSelection, attn_row_selection_free)

G_END_DECLS
