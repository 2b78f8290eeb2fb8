/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A GGUF file of a given shape whose blocks are any bytes. */

#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>

#include "bench.h"
#include "../format/gguf-fixture.h"

#define ALIGNMENT 32

/* Bytes that are written again and again: what they are is of no matter. */
#define PIECE ((gsize) 1 << 20)

/* What the format calls a type. */
static guint32
get_number (AttnDtype dtype)
{
  switch (dtype)
    {
    case ATTN_DTYPE_F32:
      return 0;
    case ATTN_DTYPE_Q8_0:
      return 8;
    case ATTN_DTYPE_Q4_K:
      return 12;
    default:
      g_error ("%s: no number known", attn_dtype_get_name (dtype));
    }
}

typedef struct
{
  GByteArray *header;
  GArray *sizes; /* of gsize, bytes of each tensor */
  GArray *types; /* of AttnDtype */
  guint64 offset;
} Writer;

static void
add (Writer     *writer,
     const char *name,
     AttnDtype   dtype,
     gsize       n_columns,
     gsize       n_rows)
{
  const guint64 dims[] = { n_columns, n_rows };
  gsize n_elements, n_bytes;

  attn_dtype_get_block (dtype, &n_elements, &n_bytes);
  gsize size = n_columns * MAX (n_rows, 1) / n_elements * n_bytes;
  gguf_put_tensor (writer->header, name, n_rows > 0 ? 2 : 1, dims, get_number (dtype),
                   writer->offset);
  g_array_append_val (writer->sizes, size);
  g_array_append_val (writer->types, dtype);
  writer->offset += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void
add_layer (Writer      *writer,
           const Shape *shape,
           AttnDtype    dtype,
           gsize        layer)
{
  gsize n_keys = get_head_width (shape) * shape->n_key_heads;
  const struct
  {
    const char *name;
    AttnDtype dtype;
    gsize n_columns;
    gsize n_rows;
  } tensors[] = {
    { "attn_norm", ATTN_DTYPE_F32, shape->width, 0 },
    { "attn_q", dtype, shape->width, shape->width },
    { "attn_k", dtype, shape->width, n_keys },
    { "attn_v", dtype, shape->width, n_keys },
    { "attn_output", dtype, shape->width, shape->width },
    { "ffn_norm", ATTN_DTYPE_F32, shape->width, 0 },
    { "ffn_gate", dtype, shape->width, shape->mlp_width },
    { "ffn_up", dtype, shape->width, shape->mlp_width },
    { "ffn_down", dtype, shape->mlp_width, shape->width },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
    {
      g_autofree char *name = g_strdup_printf ("blk.%zu.%s.weight", layer, tensors[i].name);

      add (writer, name, tensors[i].dtype, tensors[i].n_columns, tensors[i].n_rows);
    }
}

static void
put_number (GByteArray *header,
            const char *key,
            gsize       number)
{
  gguf_put_key (header, key, GGUF_U32);
  gguf_put (header, number, 4);
}

static void
put_header (GByteArray  *header,
            const Shape *shape)
{
  gguf_begin (header, 3, 2 + 9 * shape->n_layers, 8);
  gguf_put_key (header, "general.architecture", GGUF_STRING);
  gguf_put_string (header, "llama");
  put_number (header, "llama.block_count", shape->n_layers);
  put_number (header, "llama.context_length", shape->n_positions);
  put_number (header, "llama.embedding_length", shape->width);
  put_number (header, "llama.feed_forward_length", shape->mlp_width);
  put_number (header, "llama.attention.head_count", shape->n_heads);
  put_number (header, "llama.attention.head_count_kv", shape->n_key_heads);
  gguf_put_key (header, "llama.attention.layer_norm_rms_epsilon", GGUF_F32);
  gguf_put_f32 (header, 1e-5f);
}

static void
write_bytes (FILE          *file,
             gconstpointer  bytes,
             gsize          n)
{
  if (fwrite (bytes, 1, n, file) != n)
    g_error ("%s", g_strerror (errno));
}

/* Bytes that are small scales, and no infinities, subnormals or NaN; of float32 small numbers. */
static guint8 *
make_piece (void)
{
  guint8 *piece = g_malloc (PIECE);
  guint32 state = 2463534242;

  for (gsize i = 0; i < PIECE; i++)
    {
      state = state * 1664525 + 1013904223;
      piece[i] = (guint8) (0x18 + (state >> 24) % 9);
    }
  return piece;
}

/**
 * write_gguf:
 * @shape: a Llama
 * @dtype: of the matrices: Q8_0 or Q4_K
 *
 * Returns: (transfer full): the path of a temporary file, for remove_gguf()
 */
char *
write_gguf (const Shape *shape,
            AttnDtype    dtype)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-bench-XXXXXX", &error);
  if (directory == NULL)
    g_error ("%s", error->message);
  char *path = g_build_filename (directory, "model.gguf", NULL);
  g_autoptr (GByteArray) header = g_byte_array_new ();
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autoptr (GArray) types = g_array_new (FALSE, FALSE, sizeof (AttnDtype));
  g_autofree guint8 *piece = make_piece ();
  Writer writer = { header, sizes, types, 0 };
  FILE *file = fopen (path, "wb");

  if (file == NULL)
    g_error ("%s: %s", path, g_strerror (errno));
  put_header (header, shape);
  add (&writer, "token_embd.weight", dtype, shape->width, shape->vocabulary_size);
  add (&writer, "output_norm.weight", ATTN_DTYPE_F32, shape->width, 0);
  for (gsize layer = 0; layer < shape->n_layers; layer++)
    add_layer (&writer, shape, dtype, layer);
  gguf_pad (header, ALIGNMENT);
  write_bytes (file, header->data, header->len);
  for (guint i = 0; i < sizes->len; i++)
    {
      gsize n = (g_array_index (sizes, gsize, i) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

      for (gsize done = 0; done < n; done += MIN (PIECE, n - done))
        write_bytes (file, piece, MIN (PIECE, n - done));
    }
  if (fclose (file) != 0)
    g_error ("%s: %s", path, g_strerror (errno));
  return path;
}

/**
 * remove_gguf:
 * @path: (transfer full): by write_gguf()
 */
void
remove_gguf (char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);

  g_remove (path);
  g_rmdir (directory);
  g_free (path);
}
