/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Compares the name of an entry of the palette with the words that the user has typed. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The least value of a clear match: no typed word is only found as letters scattered over the
 * name. */
#define ATTN_PALETTE_CLEAR 1000

guint attn_palette_match (const char *typed,
                          const char *name);

G_END_DECLS
