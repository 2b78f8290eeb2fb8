/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checkpoints of a given shape with random weights. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

/* Of a matrix in a sparse file, so many bytes of the first rows are random; the rest are zeros that
 * take no room on the disk. */
#define SPARSE_RANDOM ((gsize) 8 << 20)
/* More than any tensor has. */
#define SPARSE_BYTES ((gsize) 4 << 30)

const Shape gpt2_small = { SHAPE_GPT2, 12, 768, 12, 12, 3072, 50257, 8192 };
const Shape llama_1b = { SHAPE_LLAMA, 22, 2048, 32, 4, 5632, 32000, 4096 };
const Shape llama_7b = { SHAPE_LLAMA, 32, 4096, 32, 32, 11008, 32000, 4096 };
const Shape gpt_oss_20b = { SHAPE_GPT_OSS, 24, 2880, 64, 8, 2880, 201088, 131072, 64, 32, 4 };
const Shape vit_base = { SHAPE_VIT, 12, 768, 12, 12, 3072, 1000, 197 };
const Shape qwen3_moe_30b = { SHAPE_QWEN3_MOE, 48, 2048, 32, 4, 768, 151936, 40960, 128, 128, 8 };

static const char * const file_names[] = { "config.json", "model.safetensors" };

/* What a tensor holds: @RANDOM numbers, or in a sparse file @SPARSE ones, or @ZEROS. */
typedef enum
{
  RANDOM,
  ONES,
  SPARSE,
  ZEROS,
} Content;

/* A checkpoint under way: every tensor is a piece of one run of random numbers, or of @sparse,
 * (nullable): random numbers, then zeros. */
typedef struct
{
  AttnArrayFile *file;
  AttnDtype dtype;
  GBytes *random;
  GBytes *ones;
  gsize offset;
  guint8 *sparse;
} Writer;

static GBytes *
make_numbers (AttnDtype dtype,
              gsize     n,
              gboolean  is_random)
{
  gsize size = attn_dtype_get_size (dtype);
  guint8 *bytes = g_malloc (n * size);
  guint32 state = 2463534242;

  for (gsize i = 0; i < n; i++)
    {
      guint32 bits;
      float value = 1.0f;

      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      /* A standard deviation of 0.02, as models are initialised with. */
      if (is_random)
        value = ((float) (state >> 8) * 0x1p-24f - 0.5f) * 0.07f;
      memcpy (&bits, &value, sizeof bits);
      if (dtype == ATTN_DTYPE_BF16)
        ((guint16 *) bytes)[i] = (guint16) (bits >> 16);
      else
        ((guint32 *) bytes)[i] = bits;
    }
  return g_bytes_new_take (bytes, n * size);
}

static void
add_array (Writer      *writer,
           const char  *name,
           AttnDtype    dtype,
           Content      content,
           guint        n_dims,
           const gsize *shape)
{
  gsize n_bytes = attn_dtype_get_size (dtype);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n_dims; i++)
    n_bytes *= shape[i];
  if (content == SPARSE || content == ZEROS)
    bytes = g_bytes_new_static (writer->sparse + (content == ZEROS ? SPARSE_RANDOM : 0), n_bytes);
  else
    {
      GBytes *all = content == ONES ? writer->ones : writer->random;

      /* Another piece for each, as long as it fits. */
      writer->offset = (writer->offset + 4096) % (1 << 20);
      if (writer->offset + n_bytes > g_bytes_get_size (all))
        writer->offset = 0;
      bytes = g_bytes_new_from_bytes (all, content == ONES ? 0 : writer->offset, n_bytes);
    }
  AttnArray *array = attn_array_new (name, dtype, n_dims, shape, bytes, &error);
  if (array == NULL || !attn_array_file_add (writer->file, array, &error))
    g_error ("%s", error->message);
}

static void
add (Writer     *writer,
     const char *name,
     gboolean    is_scale,
     gsize       n_rows,
     gsize       n_columns)
{
  const gsize shape[] = { n_rows, n_columns };

  add_array (writer, name, writer->dtype, is_scale ? ONES : RANDOM, n_columns > 0 ? 2 : 1, shape);
}

static void
add_layer_tensor (Writer     *writer,
                  const char *format,
                  gsize       layer,
                  gboolean    is_scale,
                  gsize       n_rows,
                  gsize       n_columns)
{
  g_autofree char *number = g_strdup_printf ("%zu", layer);
  g_auto (GStrv) parts = g_strsplit (format, "%", 2);
  g_autofree char *name = g_strconcat (parts[0], number, parts[1], NULL);

  add (writer, name, is_scale, n_rows, n_columns);
}

static void
add_gpt2 (Writer      *writer,
          const Shape *shape)
{
  gsize width = shape->width;
  gsize mlp = shape->mlp_width;

  add (writer, "wte.weight", FALSE, shape->vocabulary_size, width);
  add (writer, "wpe.weight", FALSE, shape->n_positions, width);
  add (writer, "ln_f.weight", TRUE, width, 0);
  add (writer, "ln_f.bias", FALSE, width, 0);
  for (gsize layer = 0; layer < shape->n_layers; layer++)
    {
      add_layer_tensor (writer, "h.%.ln_1.weight", layer, TRUE, width, 0);
      add_layer_tensor (writer, "h.%.ln_1.bias", layer, FALSE, width, 0);
      add_layer_tensor (writer, "h.%.attn.c_attn.weight", layer, FALSE, width, 3 * width);
      add_layer_tensor (writer, "h.%.attn.c_attn.bias", layer, FALSE, 3 * width, 0);
      add_layer_tensor (writer, "h.%.attn.c_proj.weight", layer, FALSE, width, width);
      add_layer_tensor (writer, "h.%.attn.c_proj.bias", layer, FALSE, width, 0);
      add_layer_tensor (writer, "h.%.ln_2.weight", layer, TRUE, width, 0);
      add_layer_tensor (writer, "h.%.ln_2.bias", layer, FALSE, width, 0);
      add_layer_tensor (writer, "h.%.mlp.c_fc.weight", layer, FALSE, width, mlp);
      add_layer_tensor (writer, "h.%.mlp.c_fc.bias", layer, FALSE, mlp, 0);
      add_layer_tensor (writer, "h.%.mlp.c_proj.weight", layer, FALSE, mlp, width);
      add_layer_tensor (writer, "h.%.mlp.c_proj.bias", layer, FALSE, width, 0);
    }
}

static void
add_vit (Writer      *writer,
         const Shape *shape)
{
  gsize width = shape->width;
  gsize mlp = shape->mlp_width;
  const gsize kernel[] = { width, 3, VIT_PATCH, VIT_PATCH };
  const gsize positions[] = { 1, shape->n_positions, width }, token[] = { 1, 1, width };
  static const char * const parts[] = { "query", "key", "value" };

  add_array (writer, "embeddings.patch_embeddings.projection.weight", writer->dtype, RANDOM, 4,
             kernel);
  add (writer, "embeddings.patch_embeddings.projection.bias", FALSE, width, 0);
  add_array (writer, "embeddings.cls_token", writer->dtype, RANDOM, 3, token);
  add_array (writer, "embeddings.position_embeddings", writer->dtype, RANDOM, 3, positions);
  add (writer, "layernorm.weight", TRUE, width, 0);
  add (writer, "layernorm.bias", FALSE, width, 0);
  add (writer, "classifier.weight", FALSE, shape->vocabulary_size, width);
  add (writer, "classifier.bias", FALSE, shape->vocabulary_size, 0);
  for (gsize layer = 0; layer < shape->n_layers; layer++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
        {
          g_autofree char *name =
              g_strconcat ("encoder.layer.%.attention.attention.", parts[i], NULL);
          g_autofree char *weight = g_strconcat (name, ".weight", NULL);
          g_autofree char *bias = g_strconcat (name, ".bias", NULL);

          add_layer_tensor (writer, weight, layer, FALSE, width, width);
          add_layer_tensor (writer, bias, layer, FALSE, width, 0);
        }
      add_layer_tensor (writer, "encoder.layer.%.attention.output.dense.weight", layer, FALSE,
                        width, width);
      add_layer_tensor (writer, "encoder.layer.%.attention.output.dense.bias", layer, FALSE, width,
                        0);
      add_layer_tensor (writer, "encoder.layer.%.layernorm_before.weight", layer, TRUE, width, 0);
      add_layer_tensor (writer, "encoder.layer.%.layernorm_before.bias", layer, FALSE, width, 0);
      add_layer_tensor (writer, "encoder.layer.%.layernorm_after.weight", layer, TRUE, width, 0);
      add_layer_tensor (writer, "encoder.layer.%.layernorm_after.bias", layer, FALSE, width, 0);
      add_layer_tensor (writer, "encoder.layer.%.intermediate.dense.weight", layer, FALSE, mlp,
                        width);
      add_layer_tensor (writer, "encoder.layer.%.intermediate.dense.bias", layer, FALSE, mlp, 0);
      add_layer_tensor (writer, "encoder.layer.%.output.dense.weight", layer, FALSE, width, mlp);
      add_layer_tensor (writer, "encoder.layer.%.output.dense.bias", layer, FALSE, width, 0);
    }
}

static void
add_llama (Writer      *writer,
           const Shape *shape)
{
  gsize width = shape->width;
  gsize mlp = shape->mlp_width;
  gsize n_keys = width / shape->n_heads * shape->n_key_heads;

  add (writer, "model.embed_tokens.weight", FALSE, shape->vocabulary_size, width);
  add (writer, "model.norm.weight", TRUE, width, 0);
  for (gsize layer = 0; layer < shape->n_layers; layer++)
    {
      add_layer_tensor (writer, "model.layers.%.input_layernorm.weight", layer, TRUE, width, 0);
      add_layer_tensor (writer, "model.layers.%.self_attn.q_proj.weight", layer, FALSE, width,
                        width);
      add_layer_tensor (writer, "model.layers.%.self_attn.k_proj.weight", layer, FALSE, n_keys,
                        width);
      add_layer_tensor (writer, "model.layers.%.self_attn.v_proj.weight", layer, FALSE, n_keys,
                        width);
      add_layer_tensor (writer, "model.layers.%.self_attn.o_proj.weight", layer, FALSE, width,
                        width);
      add_layer_tensor (writer, "model.layers.%.post_attention_layernorm.weight", layer, TRUE,
                        width, 0);
      add_layer_tensor (writer, "model.layers.%.mlp.gate_proj.weight", layer, FALSE, mlp, width);
      add_layer_tensor (writer, "model.layers.%.mlp.up_proj.weight", layer, FALSE, mlp, width);
      add_layer_tensor (writer, "model.layers.%.mlp.down_proj.weight", layer, FALSE, width, mlp);
    }
}

/* @format: with the layer's number for "%l" and the expert's for "%e" */
static void
add_numbered (Writer      *writer,
              const char  *format,
              gsize        layer,
              gsize        expert,
              AttnDtype    dtype,
              Content      content,
              guint        n_dims,
              const gsize *shape)
{
  g_autoptr (GString) name = g_string_new ("model.layers.%l.");
  g_autofree char *layer_number = g_strdup_printf ("%zu", layer);
  g_autofree char *expert_number = g_strdup_printf ("%zu", expert);

  g_string_append (name, format);
  g_string_replace (name, "%l", layer_number, 1);
  g_string_replace (name, "%e", expert_number, 1);
  add_array (writer, name->str, dtype, content, n_dims, shape);
}

/* Blocks of four bits with an exponent for each 32 of them: bytes of ones, since 0 would mean
 * 2^-127, which no checkpoint has. */
static void
add_microscaled (Writer     *writer,
                 const char *format,
                 gsize       layer,
                 gsize       n_experts,
                 gsize       n_out,
                 gsize       n_in)
{
  const gsize shape[] = { n_experts, n_out, n_in / 32, 16 };
  g_autofree char *blocks = g_strconcat (format, "_blocks", NULL);
  g_autofree char *scales = g_strconcat (format, "_scales", NULL);

  add_numbered (writer, blocks, layer, 0, ATTN_DTYPE_U8, ZEROS, 4, shape);
  add_numbered (writer, scales, layer, 0, ATTN_DTYPE_U8, ONES, 3, shape);
}

/* Matrices that are large are zeros, but those that decide where a token goes: embedding and
 * routers. As all branches are zero then, what a router sees is the token's embedding. */
static void
add_experts (Writer      *writer,
             const Shape *shape)
{
  gsize width = shape->width;
  gsize d = get_head_width (shape);
  gsize n_queries = shape->n_heads * d;
  gsize n_keys = shape->n_key_heads * d;
  gsize mlp = shape->mlp_width;
  gsize n = shape->n_experts;
  gboolean is_gpt_oss = shape->family == SHAPE_GPT_OSS;
  const struct
  {
    const char *name;
    Content content;
    gsize shape[2];
    gboolean is_of_gpt_oss;
    gboolean is_of_others;
  } tensors[] = {
    { "input_layernorm.weight", ONES, { width }, TRUE, TRUE },
    { "self_attn.q_proj.weight", ZEROS, { n_queries, width }, TRUE, TRUE },
    { "self_attn.k_proj.weight", ZEROS, { n_keys, width }, TRUE, TRUE },
    { "self_attn.v_proj.weight", ZEROS, { n_keys, width }, TRUE, TRUE },
    { "self_attn.o_proj.weight", ZEROS, { width, n_queries }, TRUE, TRUE },
    { "self_attn.q_proj.bias", ZEROS, { n_queries }, TRUE, FALSE },
    { "self_attn.k_proj.bias", ZEROS, { n_keys }, TRUE, FALSE },
    { "self_attn.v_proj.bias", ZEROS, { n_keys }, TRUE, FALSE },
    { "self_attn.o_proj.bias", ZEROS, { width }, TRUE, FALSE },
    { "self_attn.sinks", ZEROS, { shape->n_heads }, TRUE, FALSE },
    { "self_attn.q_norm.weight", ONES, { d }, FALSE, TRUE },
    { "self_attn.k_norm.weight", ONES, { d }, FALSE, TRUE },
    { "post_attention_layernorm.weight", ONES, { width }, TRUE, TRUE },
    { "mlp.router.weight", RANDOM, { n, width }, TRUE, FALSE },
    { "mlp.router.bias", ZEROS, { n }, TRUE, FALSE },
    { "mlp.experts.gate_up_proj_bias", ZEROS, { n, 2 * mlp }, TRUE, FALSE },
    { "mlp.experts.down_proj_bias", ZEROS, { n, width }, TRUE, FALSE },
    { "mlp.gate.weight", RANDOM, { n, width }, FALSE, TRUE },
  };
  const gsize ends[] = { shape->vocabulary_size, width };
  const gsize up[] = { mlp, width };
  const gsize down[] = { width, mlp };

  add_array (writer, "model.embed_tokens.weight", writer->dtype, SPARSE, 2, ends);
  add_array (writer, "lm_head.weight", writer->dtype, ZEROS, 2, ends);
  add (writer, "model.norm.weight", TRUE, width, 0);
  for (gsize layer = 0; layer < shape->n_layers; layer++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (tensors); i++)
        if (is_gpt_oss ? tensors[i].is_of_gpt_oss : tensors[i].is_of_others)
          add_numbered (writer, tensors[i].name, layer, 0, writer->dtype, tensors[i].content,
                        tensors[i].shape[1] > 0 ? 2 : 1, tensors[i].shape);
      if (is_gpt_oss)
        {
          add_microscaled (writer, "mlp.experts.gate_up_proj", layer, n, 2 * mlp, width);
          add_microscaled (writer, "mlp.experts.down_proj", layer, n, width, mlp);
        }
      for (gsize expert = 0; expert < n && !is_gpt_oss; expert++)
        {
          add_numbered (writer, "mlp.experts.%e.gate_proj.weight", layer, expert, writer->dtype,
                        ZEROS, 2, up);
          add_numbered (writer, "mlp.experts.%e.up_proj.weight", layer, expert, writer->dtype,
                        ZEROS, 2, up);
          add_numbered (writer, "mlp.experts.%e.down_proj.weight", layer, expert, writer->dtype,
                        ZEROS, 2, down);
        }
    }
}

/* Writes the array's bytes, but leaves a hole where those of a sparse file are zeros. */
static gboolean
save_bytes (const Writer *writer,
            GBytes       *bytes,
            FILE         *out)
{
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);
  gboolean is_sparse = writer->sparse != NULL && data >= writer->sparse &&
                       data < writer->sparse + SPARSE_BYTES;
  gsize n_written = is_sparse ? MIN (n_bytes, (gsize) (writer->sparse + SPARSE_RANDOM - data))
                              : n_bytes;

  return (n_written == 0 || fwrite (data, n_written, 1, out) == 1) &&
         fseeko (out, (off_t) (n_bytes - n_written), SEEK_CUR) == 0;
}

/* As safetensors; unlike the program's own writer without all of it in memory. */
static void
save (const Writer *writer,
      const char   *path)
{
  const AttnArrayFile *file = writer->file;
  g_autoptr (GString) header = g_string_new ("{");
  gsize offset = 0;
  FILE *out = fopen (path, "wb");

  if (out == NULL)
    g_error ("%s: %s", path, g_strerror (errno));
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      gsize n_bytes = g_bytes_get_size (array->bytes);

      g_string_append_printf (header, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%zu",
                              i > 0 ? "," : "", array->name, attn_dtype_get_name (array->dtype),
                              array->shape[0]);
      for (guint k = 1; k < array->n_dims; k++)
        g_string_append_printf (header, ",%zu", array->shape[k]);
      g_string_append_printf (header, "],\"data_offsets\":[%zu,%zu]}", offset, offset + n_bytes);
      offset += n_bytes;
    }
  g_string_append_c (header, '}');
  while (header->len % 8 > 0)
    g_string_append_c (header, ' ');

  guint64 length = GUINT64_TO_LE ((guint64) header->len);
  gboolean is_written = fwrite (&length, sizeof length, 1, out) == 1 &&
                        fwrite (header->str, header->len, 1, out) == 1;
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file) && is_written; i++)
    is_written = save_bytes (writer, attn_array_file_get_nth (file, i)->bytes, out);
  /* A hole at the end is a part of the file, too. */
  is_written = is_written && fflush (out) == 0 && ftruncate (fileno (out), ftello (out)) == 0;
  if (fclose (out) != 0 || !is_written)
    g_error ("%s: cannot be written", path);
}

/**
 * get_head_width:
 *
 * Returns: d
 */
gsize
get_head_width (const Shape *shape)
{
  return shape->head_width > 0 ? shape->head_width : shape->width / shape->n_heads;
}

static char *
format_config (const Shape *shape)
{
  gboolean is_gpt_oss = shape->family == SHAPE_GPT_OSS;

  if (shape->family == SHAPE_GPT2)
    return g_strdup_printf ("{\"model_type\": \"gpt2\", \"n_layer\": %zu, \"n_head\": %zu, "
                            "\"n_embd\": %zu, \"n_inner\": %zu, \"n_positions\": %zu, "
                            "\"vocab_size\": %zu}\n",
                            shape->n_layers, shape->n_heads, shape->width, shape->mlp_width,
                            shape->n_positions, shape->vocabulary_size);
  if (shape->family == SHAPE_VIT)
    return g_strdup_printf ("{\"model_type\": \"vit\", \"num_hidden_layers\": %zu, "
                            "\"num_attention_heads\": %zu, \"hidden_size\": %zu, "
                            "\"intermediate_size\": %zu, \"image_size\": %d, "
                            "\"patch_size\": %d, \"num_labels\": %zu}\n",
                            shape->n_layers, shape->n_heads, shape->width, shape->mlp_width,
                            VIT_SIDE, VIT_PATCH, shape->vocabulary_size);
  if (shape->n_experts > 0)
    return g_strdup_printf ("{\"model_type\": \"%s\", \"num_hidden_layers\": %zu, "
                            "\"num_attention_heads\": %zu, \"num_key_value_heads\": %zu, "
                            "\"hidden_size\": %zu, \"head_dim\": %zu, \"%s\": %zu, "
                            "\"%s\": %zu, \"num_experts_per_tok\": %zu, "
                            "\"norm_topk_prob\": true, "
                            "\"max_position_embeddings\": %zu, \"vocab_size\": %zu}\n",
                            is_gpt_oss ? "gpt_oss" : "qwen3_moe", shape->n_layers, shape->n_heads,
                            shape->n_key_heads, shape->width, get_head_width (shape),
                            is_gpt_oss ? "intermediate_size" : "moe_intermediate_size",
                            shape->mlp_width, is_gpt_oss ? "num_local_experts" : "num_experts",
                            shape->n_experts, shape->n_used_experts, shape->n_positions,
                            shape->vocabulary_size);
  return g_strdup_printf ("{\"model_type\": \"llama\", \"num_hidden_layers\": %zu, "
                          "\"num_attention_heads\": %zu, \"num_key_value_heads\": %zu, "
                          "\"hidden_size\": %zu, \"intermediate_size\": %zu, "
                          "\"max_position_embeddings\": %zu, \"vocab_size\": %zu, "
                          "\"tie_word_embeddings\": true}\n",
                          shape->n_layers, shape->n_heads, shape->n_key_heads, shape->width,
                          shape->mlp_width, shape->n_positions, shape->vocabulary_size);
}

/**
 * write_model:
 * @dtype: F32 or BF16
 *
 * Returns: (transfer full): a temporary directory with config.json and model.safetensors, for
 *   remove_model()
 */
char *
write_model (const Shape *shape,
             AttnDtype    dtype)
{
  g_autoptr (GError) error = NULL;
  char *directory = g_dir_make_tmp ("attention-grid-bench-XXXXXX", &error);
  if (directory == NULL)
    g_error ("%s", error->message);
  g_autofree char *config_path = g_build_filename (directory, "config.json", NULL);
  g_autofree char *weights_path = g_build_filename (directory, "model.safetensors", NULL);
  g_autofree char *config = format_config (shape);
  gsize n_largest = MAX (shape->vocabulary_size, shape->n_positions) * shape->width;
  gsize n_scales = shape->n_experts * shape->mlp_width * shape->width / 32;
  g_autoptr (AttnArrayFile) file = attn_array_file_new (weights_path);
  Writer writer = {
    .file = file,
    .dtype = dtype,
    .random = make_numbers (dtype,
                            shape->n_experts > 0
                                ? SPARSE_RANDOM
                                : MAX (n_largest, 4 * shape->mlp_width * shape->width),
                            TRUE),
    .ones = make_numbers (dtype, MAX (shape->width, n_scales), FALSE),
  };

  if (shape->n_experts > 0)
    {
      writer.sparse = mmap (NULL, SPARSE_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (writer.sparse == MAP_FAILED)
        g_error ("%s", g_strerror (errno));
      memcpy (writer.sparse, g_bytes_get_data (writer.random, NULL), SPARSE_RANDOM);
      add_experts (&writer, shape);
    }
  else if (shape->family == SHAPE_GPT2)
    add_gpt2 (&writer, shape);
  else if (shape->family == SHAPE_VIT)
    add_vit (&writer, shape);
  else
    add_llama (&writer, shape);
  save (&writer, weights_path);
  if (writer.sparse != NULL)
    munmap (writer.sparse, SPARSE_BYTES);
  if (!g_file_set_contents (config_path, config, -1, &error))
    g_error ("%s", error->message);
  g_bytes_unref (writer.random);
  g_bytes_unref (writer.ones);
  return directory;
}

/**
 * open_model:
 *
 * Returns: (transfer full): never %NULL
 */
AttnModel *
open_model (const char *directory)
{
  g_autoptr (GError) error = NULL;
  AttnModel *model = attn_model_open (directory, &error);

  if (model == NULL)
    g_error ("%s", error->message);
  return model;
}

/**
 * forget_model:
 *
 * Drops the files from memory, if nothing has them mapped.
 */
void
forget_model (const char *directory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (file_names); i++)
    {
      g_autofree char *path = g_build_filename (directory, file_names[i], NULL);
      int fd = open (path, O_RDONLY);

      if (fd < 0 || fdatasync (fd) != 0 || posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
        g_error ("%s: cannot be dropped from memory", path);
      close (fd);
    }
}

/**
 * remove_model:
 * @directory: (transfer full)
 */
void
remove_model (char *directory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (file_names); i++)
    {
      g_autofree char *path = g_build_filename (directory, file_names[i], NULL);
      g_remove (path);
    }
  g_rmdir (directory);
  g_free (directory);
}

/**
 * random_ids:
 *
 * Returns: (transfer full): token ids, the same for the same @seed; a prefix of a longer run
 */
guint32 *
random_ids (gsize   n_ids,
            gsize   vocabulary_size,
            guint32 seed)
{
  guint32 *ids = g_new (guint32, n_ids);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < n_ids; i++)
    ids[i] = (guint32) g_rand_int_range (random, 0, (gint32) vocabulary_size);
  return ids;
}
