/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The first line of the strip, and what is shortened or moved into a menu when it has too little
 * room: first words, then buttons that only save a click. Layer, head and baseline are the last to
 * go; the components stay. */

#pragma once

#include <gtk/gtk.h>

#include "attn-intervention.h"

G_BEGIN_DECLS

typedef struct AttnStripLine AttnStripLine;

void           attn_strip_line_bind           (GtkWidgetClass *strip_class);
AttnStripLine *attn_strip_line_new            (GtkWidget      *strip);
void           attn_strip_line_free           (AttnStripLine  *line);
int            attn_strip_line_measure_width  (AttnStripLine  *line,
                                               int            *natural);
int            attn_strip_line_measure_height (AttnStripLine  *line);
void           attn_strip_line_allocate       (AttnStripLine  *line,
                                               int             width);
void           attn_strip_line_settle         (AttnStripLine  *line);
void           attn_strip_line_show_operation (AttnStripLine  *line,
                                               AttnOperation   operation);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnStripLine, attn_strip_line_free)

G_END_DECLS
