/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A scene as SVG 1.1: text as <text>, cells as filled paths grouped by colour. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

/**
 * AttnSvgFrame:
 * @id: the group's name; all other names in it begin with it and a "-"
 * @attributes: of the group's tag, such as ` display="none"`
 * @content: markup before the scene, such as an <animate>
 * @is_first: the document begins with it
 * @is_last: the document ends behind it
 *
 * A scene as a group of a document that consists of several, one written after the other. The
 * document has the size, font, title and metadata of its first scene.
 */
typedef struct
{
  const char *id;
  const char *attributes;
  const char *content;
  gboolean is_first;
  gboolean is_last;
} AttnSvgFrame;

/**
 * AttnSvgOptions:
 * @outlines_text: text as the outlines of its letters, which look the same everywhere and cannot be
 *   edited; off writes <text>
 * @has_cell_titles: a <title> for each cell that is not masked: a browser shows the tokens and the
 *   weight under the pointer; not in a panel whose cells no pointer can tell apart
 * @max_path_cells: if the figure shows more cells than this, those of each panel are one image; 0
 *   writes paths however many there are
 * @unit: (nullable): unit of the document's size: "mm", "in", "px"; %NULL for "pt"
 * @points_per_unit: how long that unit is
 * @is_inline: the document stands in a web page: without a declaration and without styles, which a
 *   policy forbids there
 * @frame: (nullable): writes that part of a document; %NULL for a document of this scene alone
 */
typedef struct
{
  gboolean outlines_text;
  gboolean has_cell_titles;
  gsize max_path_cells;
  const char *unit;
  double points_per_unit;
  gboolean is_inline;
  const AttnSvgFrame *frame;
} AttnSvgOptions;

GBytes  *attn_svg_write        (const AttnScene       *scene,
                                const AttnSvgOptions  *options,
                                const char            *title,
                                const char            *metadata,
                                GError               **error);
gboolean attn_svg_lacks_titles (const AttnScene       *scene,
                                const AttnSvgOptions  *options);

G_END_DECLS
