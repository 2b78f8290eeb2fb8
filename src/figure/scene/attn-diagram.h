/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A diagram at the left of a figure's matrix: heads, tokens, and a link from a head to each token
 * of the group that the head attends within. */

#pragma once

#include "attn-colormap.h"

G_BEGIN_DECLS

/**
 * AttnDiagramHead:
 * @number: number of the head in its layer, from 0
 * @name: what stands in its box, "Head 0"
 */
typedef struct
{
  gsize number;
  char *name;
} AttnDiagramHead;

/**
 * AttnDiagramLink:
 * @head: index among the heads of the diagram
 * @token: index among its tokens
 * @weight: the share of the head's attention that the token has, 0 to 1
 */
typedef struct
{
  gsize head;
  gsize token;
  double weight;
} AttnDiagramLink;

/**
 * AttnDiagram:
 * @heads: (array length=n_heads): from the top
 * @tokens: (array zero-terminated=1): plain text, from the top
 * @links: (array length=n_links): see [func@attn_diagram_add_link]
 * @has_graded_lines: the width of a line follows the weight; off: all are equally wide
 *
 * Filled by its maker, then immutable: any thread may use it as long as its grid is there.
 */
typedef struct
{
  gsize n_heads;
  AttnDiagramHead *heads;
  gsize n_tokens;
  char **tokens;
  gsize n_links;
  AttnDiagramLink *links;
  gboolean has_graded_lines;
} AttnDiagram;

AttnDiagram *attn_diagram_new          (const gsize        *numbers,
                                        gsize               n_heads,
                                        const char * const *tokens);
void         attn_diagram_free         (AttnDiagram        *diagram);
void         attn_diagram_add_link     (AttnDiagram        *diagram,
                                        gsize               head,
                                        gsize               token,
                                        double              weight);
gboolean    *attn_diagram_choose_links (const AttnDiagram  *diagram,
                                        double             *share,
                                        gsize              *n_left_out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnDiagram, attn_diagram_free)

G_END_DECLS
