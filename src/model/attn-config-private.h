/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files that read a configuration share. */

#pragma once

#include "attn-config.h"

G_BEGIN_DECLS

/* Far above every model there is, and small enough that a product of two of them times the size of
 * a float fits a gsize, and 4 MAX_WIDTH an int. */
#define MAX_LAYERS     65536
#define MAX_WIDTH      (1 << 24)
#define MAX_POSITIONS  (1 << 28)
#define MAX_VOCABULARY (1 << 28)

gboolean    attn_config_has_value   (JsonObject  *object,
                                     const char  *name);
const char *attn_config_find_alias  (JsonObject  *object,
                                     const char  *names);
gboolean    attn_config_read_number (JsonObject  *object,
                                     const char  *where,
                                     const char  *member,
                                     double       minimum,
                                     double       maximum,
                                     double       fallback,
                                     double      *value,
                                     GError     **error);
gboolean    attn_config_read_rope   (JsonObject  *object,
                                     const char  *where,
                                     AttnConfig  *config,
                                     GError     **error);

G_END_DECLS
