/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The texts of a grid, filled in from the study's templates. Private to src/study. */

#pragma once

#include "attn-cell.h"

G_BEGIN_DECLS

char *attn_titles_build_caption (const AttnStudy  *study,
                                 gsize             layer,
                                 int               head,
                                 GError          **error);
char *attn_titles_build_title   (const AttnStudy  *study,
                                 const AttnCell   *cell,
                                 gsize             layer,
                                 int               head,
                                 GError          **error);
char *attn_titles_build_name    (const AttnStudy  *study,
                                 const AttnCell   *cell,
                                 gsize             layer,
                                 int               head);

G_END_DECLS
