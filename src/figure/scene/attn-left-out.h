/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists the parts of a figure that are left out for lack of room. */

#pragma once

#include "attn-scene.h"

G_BEGIN_DECLS

char    *attn_scene_list_left_out     (const AttnScene *scene,
                                       gboolean         counts_values);
double   attn_scene_get_smallest_text (const AttnScene *scene);

G_END_DECLS
