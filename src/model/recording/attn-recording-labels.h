/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the tokens of a recording. Private to src/model. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

char **attn_recording_load_labels (const AttnArrayFile  *file,
                                   const char           *path,
                                   const char * const   *members,
                                   gsize                 n_labels,
                                   GError              **error);

G_END_DECLS
