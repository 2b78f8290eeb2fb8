/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Panels and grids with known values. */

#pragma once

#include "attn-export.h"
#include "attn-layout.h"

G_BEGIN_DECLS

AttnPanel *figure_fixture_panel       (gsize               n_rows,
                                       gsize               n_columns,
                                       AttnMask            mask,
                                       const char * const *labels,
                                       gsize               n_labels);
AttnGrid  *figure_fixture_grid        (gsize               n_rows,
                                       gsize               n_columns,
                                       gsize               n_tokens);
AttnGrid  *figure_fixture_lone_cell   (gsize               n,
                                       gsize               row,
                                       gsize               column,
                                       float               value);
/* The mark of a kind and role with this index among its like; %NULL where there is none. */
const AttnMark *find_mark             (const AttnScene    *scene,
                                       AttnMarkKind        kind,
                                       const char         *role,
                                       gsize               index);
gsize      count_role                 (const AttnScene    *scene,
                                       AttnMarkKind        kind,
                                       const char         *role);
gboolean   has_text                   (const AttnScene    *scene,
                                       const char         *text);
/* The colour of a value where the range is fixed. */
AttnRgb    get_style_color            (const AttnStyle    *style,
                                       double              value);
/* The colour in which a cell is drawn. */
AttnRgb    get_cell_color             (const AttnScene    *scene,
                                       int                 group,
                                       gsize               row,
                                       gsize               column);
/* Relative luminance of sRGB, 0 to 1 (WCAG 2). */
double     get_luminance              (AttnRgb             color);
/* A scene as the bytes of a file, with all cells of an SVG as paths. */
GBytes    *export_to_bytes            (const AttnScene    *scene,
                                       AttnExportFormat    format,
                                       double              resolution,
                                       const char         *title,
                                       const char         *metadata,
                                       GError            **error);
/* How often @what stands in @text. */
gsize      count_text                 (const char         *text,
                                       const char         *what);
gboolean   figure_fixture_run         (char              **argv);

/* Boxes that share an edge do not overlap; a tenth of a point is not seen. */
#define LAYOUT_TOLERANCE 0.1

/* Nothing reaches beyond the page, and no text stands over another or over a panel; numbers stand
 * in their panel. */
void       check_scene                (const AttnScene    *scene);

/* Tokens of every kind: long ones, ones that mean something in XML, several scripts, control
 * characters. */
extern const char * const figure_fixture_plain_labels[];
extern const char * const figure_fixture_nasty_labels[];
extern const gsize figure_fixture_n_plain_labels;
extern const gsize figure_fixture_n_nasty_labels;

G_END_DECLS
