/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads files of texts, pictures and sounds, and pictures of the clipboard, and adds them to the
 * inputs of a study. */

#pragma once

#include "attn-binder.h"

G_BEGIN_DECLS

#define ATTN_TYPE_INPUTS_READER (attn_inputs_reader_get_type ())
G_DECLARE_FINAL_TYPE (AttnInputsReader, attn_inputs_reader, ATTN, INPUTS_READER, GObject)

AttnInputsReader *attn_inputs_reader_new   (GtkWidget        *section,
                                            AttnSession      *session,
                                            AttnBinder       *binder);
void              attn_inputs_reader_close (AttnInputsReader *reader);
void              attn_inputs_reader_load  (AttnInputsReader *reader,
                                            GFile            *file);
gboolean          attn_inputs_reader_paste (AttnInputsReader *reader);
gboolean          attn_inputs_reader_takes (GFile            *file);

G_END_DECLS
