/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A writer of GGUF files, which checks nothing: the tests say what is right and what is wrong. */

#pragma once

#include "attn-gguf.h"

G_BEGIN_DECLS

/* Numbers of the format. */
enum
{
  GGUF_U8,
  GGUF_I8,
  GGUF_U16,
  GGUF_I16,
  GGUF_U32,
  GGUF_I32,
  GGUF_F32,
  GGUF_BOOL,
  GGUF_STRING,
  GGUF_ARRAY,
  GGUF_U64,
  GGUF_I64,
  GGUF_F64,
};

enum
{
  GGML_F32 = 0,
  GGML_F16 = 1,
  GGML_Q4_0 = 2,
  GGML_Q8_0 = 8,
  GGML_Q8_1 = 9,
  GGML_BF16 = 30,
};

void        gguf_begin       (GByteArray    *out,
                              guint32        version,
                              guint64        n_tensors,
                              guint64        n_pairs);
void        gguf_put         (GByteArray    *out,
                              guint64        value,
                              guint          n_bytes);
void        gguf_put_string  (GByteArray    *out,
                              const char    *text);
void        gguf_put_f32     (GByteArray    *out,
                              float          value);
void        gguf_put_f64     (GByteArray    *out,
                              double         value);
void        gguf_put_key     (GByteArray    *out,
                              const char    *key,
                              guint32        type);
void        gguf_put_array   (GByteArray    *out,
                              const char    *key,
                              guint32        type,
                              guint64        n_elements);
void        gguf_put_tensor  (GByteArray    *out,
                              const char    *name,
                              guint32        n_dims,
                              const guint64 *dims,
                              guint32        type,
                              guint64        offset);
void        gguf_pad         (GByteArray    *out,
                              guint          alignment);
GByteArray *gguf_sample      (guint32        version);

G_END_DECLS
