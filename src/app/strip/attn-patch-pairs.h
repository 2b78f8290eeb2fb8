/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shows the two texts of a patch, an operation that puts values from one input into another, with
 * the patched positions aligned. */

#pragma once

#include <gtk/gtk.h>

#include "attn-session.h"

G_BEGIN_DECLS

char *attn_patch_pairs_show (GtkScrolledWindow      *window,
                             AttnSession            *session,
                             const AttnIntervention *patch);

G_END_DECLS
