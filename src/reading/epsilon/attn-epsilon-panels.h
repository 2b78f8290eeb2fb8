/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names some of a figure's panels in few words: by whole rows or columns of panels where they fill
 * these, such as "Query, Key, all inputs". */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *attn_epsilon_panels_name (const char * const *names,
                                gsize               n_names,
                                const gboolean     *is_chosen,
                                gboolean           *is_whole);

G_END_DECLS
