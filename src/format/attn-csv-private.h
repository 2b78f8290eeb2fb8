/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the writer of CSV asks of the reader. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean attn_csv_is_number (const char *text);

G_END_DECLS
