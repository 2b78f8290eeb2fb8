/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads zip archives whose members (the files in it) are not compressed: their names and contents,
 * which are not copied. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AttnZip AttnZip;

gboolean attn_zip_begins (GBytes *bytes);
AttnZip *attn_zip_new (GBytes *bytes,
                       const char *where,
                       GError **error);
void attn_zip_free (AttnZip *zip);
gsize attn_zip_get_n (const AttnZip *zip);
const char *attn_zip_get_name (const AttnZip *zip,
                               gsize index);
gboolean attn_zip_has (const AttnZip *zip,
                       const char *name);
GBytes *attn_zip_get (const AttnZip *zip,
                      const char *name,
                      const char *where,
                      GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnZip, attn_zip_free)

G_END_DECLS
