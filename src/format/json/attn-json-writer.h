/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes JSON text. The library json-glib is not used for that: its version 1.6 writes 1e-10 as
 * "1e-10.0", which is no JSON, and 0.2 with seventeen digits. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnJsonWriter:
 * @text: the JSON that has been written so far
 * @is_pretty: whether each member and element has a line of its own, indented
 */
typedef struct
{
  GString *text;
  gboolean is_pretty;

  /*< private >*/
  guint depth;
  gboolean needs_comma;
} AttnJsonWriter;

/* In these functions, @member is the name of what is written in the object around it, or NULL for
 * an element of an array or the root. */
void attn_json_writer_begin_object (AttnJsonWriter *writer,
                                    const char     *member);
void attn_json_writer_end_object   (AttnJsonWriter *writer);
void attn_json_writer_begin_array  (AttnJsonWriter *writer,
                                    const char     *member);
void attn_json_writer_end_array    (AttnJsonWriter *writer);
void attn_json_writer_add_string   (AttnJsonWriter *writer,
                                    const char     *member,
                                    const char     *value);
void attn_json_writer_add_strings  (AttnJsonWriter     *writer,
                                    const char         *member,
                                    const char * const *values);
void attn_json_writer_add_span    (AttnJsonWriter *writer,
                                    const char     *member,
                                    gint64          first,
                                    gint64          last);
void attn_json_writer_add_integer  (AttnJsonWriter *writer,
                                    const char     *member,
                                    gint64          value);
void attn_json_writer_add_number   (AttnJsonWriter *writer,
                                    const char     *member,
                                    double          value);
void attn_json_writer_add_boolean  (AttnJsonWriter *writer,
                                    const char     *member,
                                    gboolean        value);

G_END_DECLS
