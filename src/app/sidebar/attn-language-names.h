/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names of the languages for which the checkpoints of speech models have codes. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *attn_language_names_dup_title (const char *code);

G_END_DECLS
