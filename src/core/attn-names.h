/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The names of an enumeration's values, as they stand in files and on the command line. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_names_parse (const char * const  *names,
                           const char          *text,
                           gpointer             value,
                           GError             **error);

G_END_DECLS
