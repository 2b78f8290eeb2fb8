/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the picture of a recording whose keys are patches of a picture. Private to src/model. */

#pragma once

#include "attn-recording.h"

G_BEGIN_DECLS

gboolean attn_recording_load_picture (AttnRecording *recording,
                                      GError       **error);

G_END_DECLS
