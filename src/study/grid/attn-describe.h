/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Describes interventions in the words of a figure's titles and captions. Private to src/study. */

#pragma once

#include "attn-intervention.h"

G_BEGIN_DECLS

char *attn_describe_interventions (const GPtrArray *interventions);
char *attn_describe_plainly       (const GPtrArray *interventions);

G_END_DECLS
