/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions shared by the table of quantization schemes and the code that reads configurations. */

#pragma once

#include "attn-schemes.h"

G_BEGIN_DECLS

/* The maximum of inputs or rows that share a scale. */
#define ATTN_SCHEMES_MAX_GROUP (1 << 20)

const char *attn_schemes_find_method (const char *name);

G_END_DECLS
