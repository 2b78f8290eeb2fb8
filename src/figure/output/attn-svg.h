/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A scene as SVG 1.1: text as <text>, cells as filled paths grouped by colour. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

/**
 * AttnSvgOptions:
 * @outlines_text: text as the outlines of its letters, which look the same everywhere and cannot be
 *   edited; off writes <text>
 * @has_cell_titles: a <title> for each cell that is not masked: a browser shows the tokens and the
 *   weight under the pointer
 * @max_path_cells: if the figure shows more cells than this, those of each panel are one image; 0
 *   writes paths however many there are
 * @unit: (nullable): unit of the document's size: "mm", "in", "px"; %NULL for "pt"
 * @points_per_unit: how long that unit is
 */
typedef struct
{
  gboolean outlines_text;
  gboolean has_cell_titles;
  gsize max_path_cells;
  const char *unit;
  double points_per_unit;
} AttnSvgOptions;

GBytes *attn_svg_write (const AttnScene       *scene,
                        const AttnSvgOptions  *options,
                        const char            *title,
                        const char            *metadata,
                        GError               **error);

G_END_DECLS
