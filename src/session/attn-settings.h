/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The user's settings of the program (GSettings, with the schema that is installed or in the build
 * tree), and functions that apply them to new studies and to threads and memory. */

#pragma once

#include <gio/gio.h>

#include "attn-study.h"

G_BEGIN_DECLS

GSettings *attn_settings_new              (void);
void       attn_settings_apply_to_study   (GSettings *settings,
                                           AttnStudy *study);
void       attn_settings_apply_to_machine (GSettings *settings);

G_END_DECLS
