/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where the tokenizer of a checkpoint lies. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *attn_tokenizer_path_find (const char *path);

G_END_DECLS
