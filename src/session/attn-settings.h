/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Settings of the program, from the installed schema or the build tree, and the objects that they
 * control. */

#pragma once

#include <gio/gio.h>

#include "attn-study.h"

G_BEGIN_DECLS

GSettings *attn_settings_new              (void);
void       attn_settings_apply_to_study   (GSettings *settings,
                                           AttnStudy *study);
void       attn_settings_apply_to_machine (GSettings *settings);

G_END_DECLS
