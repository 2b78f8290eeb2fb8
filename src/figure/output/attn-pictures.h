/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pictures as Cairo surfaces, cached between two drawings. */

#pragma once

#include <cairo.h>

#include "attn-image.h"
#include "attn-scene.h"

G_BEGIN_DECLS

typedef struct _AttnPictures AttnPictures;

AttnPictures    *attn_pictures_new  (void);
void             attn_pictures_free (AttnPictures        *pictures);
void             attn_pictures_draw (AttnPictures        *pictures,
                                     cairo_t             *cr,
                                     AttnImage           *image,
                                     double               opacity,
                                     const AttnRectangle *part,
                                     const AttnRectangle *whole,
                                     gboolean             is_of_pixels);
cairo_surface_t *attn_pictures_make (const AttnImage     *image);

G_END_DECLS
