/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of one panel that are chosen to be read together. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AttnRowSelection AttnRowSelection;

AttnRowSelection *attn_row_selection_new       (void);
void              attn_row_selection_free      (AttnRowSelection       *selection);
gboolean          attn_row_selection_clear     (AttnRowSelection       *selection);
void              attn_row_selection_set       (AttnRowSelection       *selection,
                                                int                     group,
                                                gsize                   row);
void              attn_row_selection_toggle    (AttnRowSelection       *selection,
                                                int                     group,
                                                gsize                   row);
void              attn_row_selection_extend    (AttnRowSelection       *selection,
                                                int                     group,
                                                gsize                   row);
void              attn_row_selection_limit     (AttnRowSelection       *selection,
                                                gsize                   n_rows);
gboolean          attn_row_selection_contains  (const AttnRowSelection *selection,
                                                gsize                   row);
int               attn_row_selection_get_group (const AttnRowSelection *selection);
const gsize      *attn_row_selection_get_rows  (const AttnRowSelection *selection,
                                                gsize                  *n_rows);
char             *attn_row_selection_to_string (const AttnRowSelection *selection,
                                                const gsize            *positions);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnRowSelection, attn_row_selection_free)

G_END_DECLS
