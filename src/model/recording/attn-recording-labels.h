/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the labels of a recording's queries or keys: the tokens that they belong to. Private to
 * src/model. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

char **attn_recording_load_labels (const AttnArrayFile  *file,
                                   const char           *path,
                                   const char * const   *members,
                                   gsize                 n_labels,
                                   GError              **error);

G_END_DECLS
