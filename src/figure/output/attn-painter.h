/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Draws a scene with Cairo: on screen, in PDF, in PNG. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

typedef struct _AttnPainter AttnPainter;

AttnPainter *attn_painter_new         (void);
void         attn_painter_free        (AttnPainter     *painter);
void         attn_painter_set_waits   (AttnPainter     *painter,
                                       gboolean         waits);
GPtrArray   *attn_painter_get_missing (AttnPainter     *painter);
void         attn_painter_draw        (AttnPainter     *painter,
                                       const AttnScene *scene,
                                       cairo_t         *cr,
                                       double           pixels_per_point);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnPainter, attn_painter_free)

G_END_DECLS
