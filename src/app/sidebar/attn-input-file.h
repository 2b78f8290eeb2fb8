/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shows the files of an input, which is a picture or a sound or has pictures in its text:
 * thumbnails, and the names of the files. */

#pragma once

#include <gtk/gtk.h>

#include "attn-study.h"

G_BEGIN_DECLS

#define ATTN_TYPE_INPUT_FILE (attn_input_file_get_type ())
G_DECLARE_FINAL_TYPE (AttnInputFile, attn_input_file, ATTN, INPUT_FILE, GtkBox)

void        attn_input_file_set_input    (AttnInputFile   *self,
                                          const AttnInput *input,
                                          guint            index);
const char *attn_input_file_get_path     (AttnInputFile   *self);
gboolean    attn_input_file_is_alone     (AttnInputFile   *self);
double      attn_input_file_get_duration (AttnInputFile   *self);
AttnInput  *attn_input_file_new_input    (AttnInputFile   *self,
                                          const char      *path);
void        attn_input_file_add_to       (AttnInputFile   *self,
                                          AttnInput       *input);

G_END_DECLS
