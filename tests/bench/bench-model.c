/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checkpoints of a given shape with random weights. */

#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

const Shape gpt2_small = { SHAPE_GPT2, 12, 768, 12, 12, 3072, 50257, 8192 };
const Shape llama_1b = { SHAPE_LLAMA, 22, 2048, 32, 4, 5632, 32000, 4096 };
const Shape llama_7b = { SHAPE_LLAMA, 32, 4096, 32, 32, 11008, 32000, 4096 };

/* A checkpoint under way: every tensor is a piece of one run of random numbers. */
typedef struct
{
  AttnArrayFile *file;
  AttnDtype dtype;
  GBytes *random;
  GBytes *ones;
  gsize offset;
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
add (Writer     *writer,
     const char *name,
     gboolean    is_scale,
     gsize       n_rows,
     gsize       n_columns)
{
  const gsize shape[] = { n_rows, n_columns };
  guint n_dims = n_columns > 0 ? 2 : 1;
  gsize n_bytes = n_rows * MAX (n_columns, 1) * attn_dtype_get_size (writer->dtype);
  GBytes *all = is_scale ? writer->ones : writer->random;
  g_autoptr (GError) error = NULL;

  /* Another piece for each, as long as it fits. */
  writer->offset = (writer->offset + 4096) % (1 << 20);
  if (writer->offset + n_bytes > g_bytes_get_size (all))
    writer->offset = 0;
  g_autoptr (GBytes) bytes = g_bytes_new_from_bytes (all, is_scale ? 0 : writer->offset, n_bytes);
  AttnArray *array = attn_array_new (name, writer->dtype, n_dims, shape, bytes, &error);
  if (array == NULL || !attn_array_file_add (writer->file, array, &error))
    g_error ("%s", error->message);
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
  gsize inner = shape->inner_width;

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
      add_layer_tensor (writer, "h.%.mlp.c_fc.weight", layer, FALSE, width, inner);
      add_layer_tensor (writer, "h.%.mlp.c_fc.bias", layer, FALSE, inner, 0);
      add_layer_tensor (writer, "h.%.mlp.c_proj.weight", layer, FALSE, inner, width);
      add_layer_tensor (writer, "h.%.mlp.c_proj.bias", layer, FALSE, width, 0);
    }
}

static void
add_llama (Writer      *writer,
           const Shape *shape)
{
  gsize width = shape->width;
  gsize inner = shape->inner_width;
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
      add_layer_tensor (writer, "model.layers.%.mlp.gate_proj.weight", layer, FALSE, inner, width);
      add_layer_tensor (writer, "model.layers.%.mlp.up_proj.weight", layer, FALSE, inner, width);
      add_layer_tensor (writer, "model.layers.%.mlp.down_proj.weight", layer, FALSE, width, inner);
    }
}

/* As safetensors; unlike the program's own writer without all of it in memory. */
static void
save (const AttnArrayFile *file,
      const char          *path)
{
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
      if (array->n_dims > 1)
        g_string_append_printf (header, ",%zu", array->shape[1]);
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
    {
      GBytes *bytes = attn_array_file_get_nth (file, i)->bytes;

      is_written = fwrite (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), 1, out) == 1;
    }
  if (fclose (out) != 0 || !is_written)
    g_error ("%s: cannot be written", path);
}

static char *
format_config (const Shape *shape)
{
  if (shape->family == SHAPE_GPT2)
    return g_strdup_printf ("{\"model_type\": \"gpt2\", \"n_layer\": %zu, \"n_head\": %zu, "
                            "\"n_embd\": %zu, \"n_inner\": %zu, \"n_positions\": %zu, "
                            "\"vocab_size\": %zu}\n",
                            shape->n_layers, shape->n_heads, shape->width, shape->inner_width,
                            shape->n_positions, shape->vocabulary_size);
  return g_strdup_printf ("{\"model_type\": \"llama\", \"num_hidden_layers\": %zu, "
                          "\"num_attention_heads\": %zu, \"num_key_value_heads\": %zu, "
                          "\"hidden_size\": %zu, \"intermediate_size\": %zu, "
                          "\"max_position_embeddings\": %zu, \"vocab_size\": %zu, "
                          "\"tie_word_embeddings\": true}\n",
                          shape->n_layers, shape->n_heads, shape->n_key_heads, shape->width,
                          shape->inner_width, shape->n_positions, shape->vocabulary_size);
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
  g_autoptr (AttnArrayFile) file = attn_array_file_new (weights_path);
  Writer writer = {
    .file = file,
    .dtype = dtype,
    .random = make_numbers (dtype, MAX (n_largest, 4 * shape->inner_width * shape->width), TRUE),
    .ones = make_numbers (dtype, shape->width, FALSE),
  };

  if (shape->family == SHAPE_GPT2)
    add_gpt2 (&writer, shape);
  else
    add_llama (&writer, shape);
  save (file, weights_path);
  if (!g_file_set_contents (config_path, config, -1, &error))
    g_error ("%s", error->message);
  g_bytes_unref (writer.random);
  g_bytes_unref (writer.ones);
  return directory;
}

/**
 * remove_model:
 * @directory: (transfer full)
 */
void
remove_model (char *directory)
{
  static const char * const names[] = { "config.json", "model.safetensors" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL);
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
