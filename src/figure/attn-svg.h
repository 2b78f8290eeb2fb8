/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A scene as SVG 1.1: text as <text>, cells as filled paths grouped by colour. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

GBytes *attn_svg_write (const AttnScene  *scene,
                        const char       *title,
                        const char       *metadata,
                        GError          **error);

G_END_DECLS
