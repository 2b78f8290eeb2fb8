/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "gguf-fixture.h"

#include <string.h>

/* Little-endian. */
void
gguf_put (GByteArray *out,
          guint64     value,
          guint       n_bytes)
{
  for (guint i = 0; i < n_bytes; i++)
    {
      guint8 byte = value >> (8 * i);
      g_byte_array_append (out, &byte, 1);
    }
}

void
gguf_begin (GByteArray *out,
            guint32     version,
            guint64     n_tensors,
            guint64     n_pairs)
{
  g_byte_array_append (out, (const guint8 *) "GGUF", 4);
  gguf_put (out, version, 4);
  gguf_put (out, n_tensors, 8);
  gguf_put (out, n_pairs, 8);
}

void
gguf_put_string (GByteArray *out,
                 const char *text)
{
  gguf_put (out, strlen (text), 8);
  g_byte_array_append (out, (const guint8 *) text, strlen (text));
}

void
gguf_put_f32 (GByteArray *out,
              float       value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  gguf_put (out, bits, 4);
}

void
gguf_put_f64 (GByteArray *out,
              double      value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  gguf_put (out, bits, 8);
}

void
gguf_put_key (GByteArray *out,
              const char *key,
              guint32     type)
{
  gguf_put_string (out, key);
  gguf_put (out, type, 4);
}

void
gguf_put_array (GByteArray *out,
                const char *key,
                guint32     type,
                guint64     n_elements)
{
  gguf_put_key (out, key, GGUF_ARRAY);
  gguf_put (out, type, 4);
  gguf_put (out, n_elements, 8);
}

/* @dims: innermost first, as in the file. */
void
gguf_put_tensor (GByteArray    *out,
                 const char    *name,
                 guint32        n_dims,
                 const guint64 *dims,
                 guint32        type,
                 guint64        offset)
{
  gguf_put_string (out, name);
  gguf_put (out, n_dims, 4);
  for (guint32 i = 0; i < n_dims; i++)
    gguf_put (out, dims[i], 8);
  gguf_put (out, type, 4);
  gguf_put (out, offset, 8);
}

void
gguf_pad (GByteArray *out,
          guint       alignment)
{
  while (out->len % alignment != 0)
    gguf_put (out, 0, 1);
}

/* A file with a value of every type and three tensors: "weight", F32 of shape [2, 3] with 0 to 5;
 * "blocks", Q8_0 of shape [2, 32] whose element i of row r is (r + 1) i; "bias", F16 of shape [2]
 * with 1 and -2. */
GByteArray *
gguf_sample (guint32 version)
{
  GByteArray *out = g_byte_array_new ();

  gguf_begin (out, version, 3, 17);
  gguf_put_key (out, "general.architecture", GGUF_STRING);
  gguf_put_string (out, "llama");
  gguf_put_key (out, "general.alignment", GGUF_U32);
  gguf_put (out, 64, 4);
  gguf_put_key (out, "a.u8", GGUF_U8);
  gguf_put (out, 255, 1);
  gguf_put_key (out, "a.i8", GGUF_I8);
  gguf_put (out, -128, 1);
  gguf_put_key (out, "a.u16", GGUF_U16);
  gguf_put (out, 65535, 2);
  gguf_put_key (out, "a.i16", GGUF_I16);
  gguf_put (out, -2, 2);
  gguf_put_key (out, "a.i32", GGUF_I32);
  gguf_put (out, -3, 4);
  gguf_put_key (out, "a.f32", GGUF_F32);
  gguf_put_f32 (out, 0.1f);
  gguf_put_key (out, "a.bool", GGUF_BOOL);
  gguf_put (out, 1, 1);
  gguf_put_key (out, "a.u64", GGUF_U64);
  gguf_put (out, G_MAXUINT64, 8);
  gguf_put_key (out, "a.i64", GGUF_I64);
  gguf_put (out, G_MININT64, 8);
  gguf_put_key (out, "a.f64", GGUF_F64);
  gguf_put_f64 (out, 0.1);
  gguf_put_array (out, "tokenizer.tokens", GGUF_STRING, 3);
  gguf_put_string (out, "<s>");
  gguf_put_string (out, "");
  gguf_put_string (out, "▁é");
  gguf_put_array (out, "tokenizer.scores", GGUF_F32, 3);
  gguf_put_f32 (out, 0);
  gguf_put_f32 (out, -1.5f);
  gguf_put_f32 (out, -1e10f);
  gguf_put_array (out, "tokenizer.types", GGUF_I32, 3);
  for (gint64 i = -1; i < 2; i++)
    gguf_put (out, i, 4);
  gguf_put_array (out, "a.bools", GGUF_BOOL, 2);
  gguf_put (out, 0x0001, 2);
  gguf_put_array (out, "a.nested", GGUF_ARRAY, 2);
  gguf_put (out, GGUF_STRING, 4);
  gguf_put (out, 1, 8);
  gguf_put_string (out, "x");
  gguf_put (out, GGUF_U16, 4);
  gguf_put (out, 0, 8);

  gguf_put_tensor (out, "weight", 2, (const guint64[]) { 3, 2 }, GGML_F32, 0);
  gguf_put_tensor (out, "blocks", 2, (const guint64[]) { 32, 2 }, GGML_Q8_0, 64);
  gguf_put_tensor (out, "bias", 1, (const guint64[]) { 2 }, GGML_F16, 192);
  gguf_pad (out, 64);
  for (guint i = 0; i < 6; i++)
    gguf_put_f32 (out, i);
  gguf_pad (out, 64);
  for (guint row = 0; row < 2; row++)
    {
      gguf_put (out, row == 0 ? 0x3c00 : 0x4000, 2); /* 1 and 2 */
      for (guint i = 0; i < 32; i++)
        gguf_put (out, i, 1);
    }
  gguf_pad (out, 64);
  gguf_put (out, 0xc0003c00, 4);
  return out;
}
