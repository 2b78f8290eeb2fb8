/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Measures, cuts and draws text on one line. For src/figure and what is drawn over figures. */

#pragma once

#include <cairo.h>

#include "attn-scene.h"

G_BEGIN_DECLS

/* Heights of text above and below the baseline relative to its size, assumed for all fonts. */
#define ATTN_LETTERING_ASCENT     0.80
#define ATTN_LETTERING_DESCENT    0.22
#define ATTN_LETTERING_HEIGHT     (ATTN_LETTERING_ASCENT + ATTN_LETTERING_DESCENT)
/* The distance from the vertical middle of mixed text to the baseline, relative to its size. */
#define ATTN_LETTERING_MIDDLE     0.34
/* The distance from the vertical middle of digits, which are as tall as capitals, to the baseline,
 * relative to their size. */
#define ATTN_LETTERING_DIGIT_MIDDLE 0.36

/* The size of text in outlines: their coordinates are integers, a thousandth of a point in a
 * figure. */
#define ATTN_LETTERING_OUTLINE_SIZE 1024.0

/* Returns the place of the anchor point along the text: 0 at its start, 1 at its end. */
static inline double
attn_lettering_get_shift (AttnAnchor anchor)
{
  return anchor == ATTN_ANCHOR_END ? 1 : anchor == ATTN_ANCHOR_MIDDLE ? 0.5 : 0;
}

char  *attn_lettering_get_outline (const char *family,
                                   const char *markup);
gboolean attn_lettering_can_show (const char *family,
                                 const char *text);
char  *attn_lettering_list_unknown (const AttnScene *scene);
double attn_lettering_measure   (const char  *family,
                                 const char  *markup,
                                 double       size);
char  *attn_lettering_ellipsize (const char  *family,
                                 const char  *markup,
                                 double       size,
                                 double       width);
char  *attn_lettering_ellipsize_middle (const char *family,
                                 const char  *markup,
                                 double       size,
                                 double       width);
char **attn_lettering_wrap      (const char  *family,
                                 const char  *markup,
                                 double       size,
                                 double       width,
                                 guint        max_lines);
void   attn_lettering_show      (cairo_t     *cr,
                                 const char  *family,
                                 const char  *markup,
                                 double       size,
                                 AttnAnchor   anchor);

G_END_DECLS
