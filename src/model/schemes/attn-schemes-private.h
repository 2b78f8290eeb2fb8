/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Between the table of schemes and what reads configurations. */

#pragma once

#include "attn-schemes.h"

G_BEGIN_DECLS

/* Inputs or rows that share a scale, at most. */
#define ATTN_SCHEMES_MAX_GROUP (1 << 20)

const char *attn_schemes_find_method (const char *name);

G_END_DECLS
