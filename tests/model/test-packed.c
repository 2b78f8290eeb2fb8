/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checkpoints whose matrices stand as codes of a few bits: tensors that are not as the scheme says,
 * and products that threads share. */

#include "config.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-linear.h"
#include "attn-packed.h"
#include "attn-threads.h"
#include "model-fixture.h"

#define WEIGHTS  "model.safetensors"
#define MAX_DIMS 4
/* Tensors beyond it keep the bytes that they had. */
#define MAX_BYTES ((gsize) 1 << 20)

static const char * const fixtures[] = {
  "llama-gptq",
  "llama-gptq2",
  "llama-gptq3",
  "llama-gptq8",
  "llama-awq",
  "llama-compressed",
  "llama-compressed-zeros",
  "llama-compressed-bytes",
  "llama-mlx",
  "llama-mlx6",
  "llama-mlx-mixed",
  "llama-nf4",
  "llama-fp4",
  "llama-bnb8",
  "llama-fp8",
  "llama-fbgemm",
  "llama-compressed-fp8",
  "llama-compressed-blocks",
  "llama-compressed-int8",
  "llama-mxfp8",
  "llama-mxfp4",
  "llama-nvfp4",
  "llama-modelopt",
  "llama-gptq-rules",
  "llama-auto-round",
  "llama-compressed-groups",
  "llama-mlx-floats",
  "qwen3_moe-mlx",
  "mixtral-mlx",
  "gemma4-mlx",
};

static const guint32 ids[] = { 3, 1, 4, 1, 5, 9 };

/* A tensor of a file that is to be written anew; its bytes are those from @first on, over and
 * over. */
typedef struct
{
  char name[128];
  char dtype[16];
  gsize shape[MAX_DIMS];
  guint n_dims;
  gsize first;
  gsize n_first;
  gsize n_bytes;
} Stored;

typedef struct
{
  Copy copy;
  char *path;
  char *bytes;
  gsize n_all;
  gsize n_header;
  GArray *tensors;
} Spoilt;

static Spoilt
spoilt_new (const char *name)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  Spoilt self = { copy_fixture (name), .tensors = g_array_new (FALSE, TRUE, sizeof (Stored)) };
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;
  guint64 n_header;

  self.path = g_build_filename (self.copy.directory, WEIGHTS, NULL);
  g_assert_true (g_file_get_contents (self.path, &self.bytes, &self.n_all, NULL));
  memcpy (&n_header, self.bytes, sizeof n_header);
  self.n_header = GUINT64_FROM_LE (n_header);
  g_assert_true (json_parser_load_from_data (parser, self.bytes + 8, (gssize) self.n_header, NULL));
  json_object_iter_init (&iter, json_node_get_object (json_parser_get_root (parser)));
  while (json_object_iter_next (&iter, &key, &node))
    {
      JsonObject *object = json_node_get_object (node);
      Stored tensor = { .n_dims = 0 };

      if (!json_object_has_member (object, "shape"))
        continue;
      JsonArray *shape = json_object_get_array_member (object, "shape");
      JsonArray *offsets = json_object_get_array_member (object, "data_offsets");
      g_strlcpy (tensor.name, key, sizeof tensor.name);
      g_strlcpy (tensor.dtype, json_object_get_string_member (object, "dtype"),
                 sizeof tensor.dtype);
      tensor.n_dims = json_array_get_length (shape);
      for (guint i = 0; i < tensor.n_dims; i++)
        tensor.shape[i] = (gsize) json_array_get_int_element (shape, i);
      tensor.first = (gsize) json_array_get_int_element (offsets, 0);
      tensor.n_first = (gsize) json_array_get_int_element (offsets, 1) - tensor.first;
      tensor.n_bytes = tensor.n_first;
      g_array_append_val (self.tensors, tensor);
    }
  return self;
}

static void
spoilt_free (Spoilt *self)
{
  remove_checkpoint (self->copy.directory);
  g_free (self->path);
  g_free (self->bytes);
  g_array_unref (self->tensors);
}

/* A tensor more, whose bytes are all @byte. */
static void
add_tensor (Spoilt     *self,
            const char *name,
            const char *dtype,
            gsize       n,
            gsize       n_bytes,
            char        byte)
{
  Stored tensor = { .shape = { n }, .n_dims = n > 0, .n_first = n_bytes, .n_bytes = n_bytes };

  g_strlcpy (tensor.name, name, sizeof tensor.name);
  g_strlcpy (tensor.dtype, dtype, sizeof tensor.dtype);
  tensor.first = self->n_all - 8 - self->n_header;
  self->bytes = g_realloc (self->bytes, self->n_all + n_bytes);
  memset (self->bytes + self->n_all, byte, n_bytes);
  self->n_all += n_bytes;
  g_array_append_val (self->tensors, tensor);
}

/* Gives the tensor as many bytes as its shape says. */
static void
fit_bytes (Stored *tensor)
{
  gsize n = strtoul (tensor->dtype + strcspn (tensor->dtype, "0123456789"), NULL, 10) / 8;

  for (guint i = 0; i < tensor->n_dims && n <= MAX_BYTES; i++)
    n = tensor->shape[i] <= MAX_BYTES ? n * tensor->shape[i] : MAX_BYTES + 1;
  if (n <= MAX_BYTES)
    tensor->n_bytes = n;
}

static void
write_tensors (const Spoilt *self)
{
  g_autoptr (GString) header = g_string_new ("{");
  g_autoptr (GString) file = g_string_new (NULL);
  gsize at = 0;

  for (guint i = 0; i < self->tensors->len; i++)
    {
      const Stored *tensor = &g_array_index (self->tensors, Stored, i);

      if (tensor->name[0] == '\0')
        continue;
      g_string_append_printf (header, "%s\"%s\": {\"dtype\": \"%s\", \"shape\": [",
                              header->len > 1 ? ", " : "", tensor->name, tensor->dtype);
      for (guint k = 0; k < tensor->n_dims; k++)
        g_string_append_printf (header, "%s%zu", k > 0 ? ", " : "", tensor->shape[k]);
      g_string_append_printf (header, "], \"data_offsets\": [%zu, %zu]}", at,
                              at + tensor->n_bytes);
      at += tensor->n_bytes;
    }
  g_string_append_c (header, '}');
  while (header->len % 8 != 0)
    g_string_append_c (header, ' ');
  guint64 n_header = GUINT64_TO_LE (header->len);
  g_string_append_len (file, (const char *) &n_header, sizeof n_header);
  g_string_append_len (file, header->str, (gssize) header->len);
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const Stored *tensor = &g_array_index (self->tensors, Stored, i);
      gsize n = tensor->name[0] != '\0' ? tensor->n_bytes : 0;

      for (gsize k = 0; k < n; k += MIN (tensor->n_first, n - k))
        g_string_append_len (file, self->bytes + 8 + self->n_header + tensor->first,
                             (gssize) MIN (tensor->n_first, n - k));
    }
  g_unlink (self->path); /* which cuts off what a longer one had */
  g_assert_true (g_file_set_contents_full (self->path, file->str, (gssize) file->len,
                                           G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static AttnTensor *
compute_logits (AttnModel *model)
{
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, G_N_ELEMENTS (ids), NULL, ATTN_QUANTITY_LOGITS, NULL);

  return attn_trace_get (trace, ATTN_QUANTITY_LOGITS, 0);
}

static void
assert_same_bytes (const AttnTensor *found,
                   const AttnTensor *expected)
{
  g_assert_cmpmem (found->data, attn_tensor_get_n_elements (found) * sizeof (float),
                   expected->data, attn_tensor_get_n_elements (expected) * sizeof (float));
}

typedef enum
{
  SPOIL_SHORTER,
  SPOIL_LONGER,
  SPOIL_TURNED,
  SPOIL_FLAT,
  SPOIL_DEEPER,
  SPOIL_DEEPER_BELOW,
  SPOIL_EMPTY,
  SPOIL_TYPE,
  SPOIL_GONE,
  N_SPOILS
} Spoil;

/* Another type of as many bytes. */
static const char *
find_other_type (const char *dtype)
{
  static const char * const pairs[][2] = {
    { "I32", "F32" },
    { "U32", "F32" },
    { "F32", "I32" },
    { "F16", "I16" },
    { "BF16", "I16" },
    { "I64", "U8" },
    { "U8", "I8" },
    { "I8", "U8" },
    { "F8_E4M3", "U8" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (strcmp (dtype, pairs[i][0]) == 0)
      return pairs[i][1];
  g_assert_not_reached ();
}

static void
spoil (Stored *tensor,
       Spoil   how)
{
  gsize *shape = tensor->shape;
  guint last = MAX (tensor->n_dims, 1) - 1;
  gsize first = shape[0];

  /* What has no dimension has none that could be another. */
  if (tensor->n_dims == 0 && how < SPOIL_DEEPER)
    return;

  switch (how)
    {
    case SPOIL_SHORTER:
      shape[0]--;
      break;
    case SPOIL_LONGER:
      shape[last]++;
      break;
    case SPOIL_TURNED:
      shape[0] = shape[last];
      shape[last] = first;
      break;
    case SPOIL_FLAT:
      for (guint i = 1; i < tensor->n_dims; i++)
        shape[0] *= shape[i];
      tensor->n_dims = 1;
      break;
    case SPOIL_DEEPER:
      memmove (shape + 1, shape, tensor->n_dims++ * sizeof *shape);
      shape[0] = 1;
      break;
    case SPOIL_DEEPER_BELOW:
      shape[tensor->n_dims++] = 1;
      break;
    case SPOIL_EMPTY:
      shape[last] = 0;
      break;
    case SPOIL_TYPE:
      g_strlcpy (tensor->dtype, find_other_type (tensor->dtype), sizeof tensor->dtype);
      break;
    case SPOIL_GONE:
    default:
      tensor->name[0] = '\0';
      break;
    }
  fit_bytes (tensor);
}

/* Each tensor of a matrix, spoilt in each way, is refused in a sentence that names the matrix; or
 * the result is what it was. */
static void
test_misshapen (gconstpointer name)
{
  gboolean has_experts = !g_str_has_prefix (name, "llama");
  const char *stem = !has_experts                       ? "layers.0.self_attn.q_proj"
                     : strcmp (name, "gemma4-mlx") == 0 ? ".switch_glu.up_proj"
                                                        : ".switch_mlp.up_proj";
  Spoilt self = spoilt_new (name);
  g_autoptr (AttnModel) plain = open_fixture (name);
  g_autoptr (AttnTensor) expected = compute_logits (plain);
  guint n = 0, n_refused = 0;

  for (guint i = 0; i < self.tensors->len; i++)
    for (Spoil how = 0; how < N_SPOILS; how++)
      {
        g_autoptr (GError) error = NULL;
        Stored *tensor = &g_array_index (self.tensors, Stored, i);
        Stored original = *tensor;

        if (strstr (tensor->name, stem) == NULL)
          break;
        spoil (tensor, how);
        write_tensors (&self);
        g_autoptr (AttnModel) model = attn_model_open (self.copy.directory, &error);
        g_assert_true ((model != NULL) != (error != NULL));
        if (model != NULL)
          {
            g_autoptr (AttnTensor) found = compute_logits (model);

            g_test_message ("%s, %d: as before", original.name, how);
            assert_same_bytes (found, expected);
          }
        else
          {
            g_test_message ("%s, %d: %s", original.name, how, error->message);
            g_assert_true (strstr (error->message, stem) != NULL ||
                           (has_experts && strstr (error->message, ".experts.0.") != NULL));
            g_assert_nonnull (strstr (error->message, "found"));
            g_assert_nonnull (strstr (error->message, "expected"));
            n_refused++;
          }
        *tensor = original;
        n++;
      }
  g_assert_cmpuint (n_refused, >, n / 2);
  spoilt_free (&self);
}

/* Tensors that old files have beside each matrix, and the model has no place for. @n: 0 for a
 * tensor without dimensions */
static void
test_idle (void)
{
  static const struct
  {
    const char *fixture;
    const char *name;
    const char *dtype;
    gsize n;
    gsize n_bytes;
    char byte;
    gboolean is_refused;
  } cases[] = {
    { "llama-gptq", "model.layers.0.mlp.up_proj.bias", "F16", 40, 80, 0, FALSE },
    { "llama-gptq", "model.layers.0.mlp.up_proj.bias", "F16", 40, 80, 0x14, TRUE },
    { "llama-gptq", "model.layers.0.mlp.middle_proj.bias", "F16", 40, 80, 0, TRUE },
    { "llama-awq", "model.layers.1.self_attn.o_proj.bias", "BF16", 32, 64, 0, FALSE },
    { "llama-awq", "model.layers.1.self_attn.o_proj.bias", "BF16", 32, 64, 0x14, TRUE },
    { "llama-bnb8", "model.layers.0.self_attn.q_proj.weight_format", "U8", 0, 1, 0, FALSE },
    { "llama-bnb8", "model.layers.0.self_attn.q_proj.weight_format", "U8", 1, 1, 0, FALSE },
    { "llama-bnb8", "model.layers.0.self_attn.q_proj.weight_format", "U8", 0, 1, 2, TRUE },
    { "llama-mlx", "model.layers.0.mlp.up_proj.bias", "F16", 40, 80, 0, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      Spoilt self = spoilt_new (cases[i].fixture);

      add_tensor (&self, cases[i].name, cases[i].dtype, cases[i].n, cases[i].n_bytes,
                  cases[i].byte);
      write_tensors (&self);
      g_autoptr (AttnModel) model = attn_model_open (self.copy.directory, &error);
      if (cases[i].is_refused)
        {
          g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
          g_assert_nonnull (strstr (error->message, cases[i].name));
        }
      else
        {
          g_assert_no_error (error);
          g_autoptr (AttnModel) plain = open_fixture (cases[i].fixture);
          g_autoptr (AttnTensor) found = compute_logits (model);
          g_autoptr (AttnTensor) expected = compute_logits (plain);

          assert_same_bytes (found, expected);
        }
      spoilt_free (&self);
    }
}

/* What config.json says in its last member stands in a file beside it. */
static void
move_beside (const Spoilt *self,
             const char   *beside)
{
  g_autofree char *path = g_build_filename (self->copy.directory, "quantize_config.json", NULL);
  g_autofree char *config = g_build_filename (self->copy.directory, "config.json", NULL);
  g_autofree char *json = NULL;

  g_assert_true (g_file_get_contents (config, &json, NULL, NULL));
  char *at = strstr (json, ",\n  \"quantization_config\"");
  g_assert_nonnull (at);
  strcpy (at, "}");
  g_assert_true (g_file_set_contents (config, json, -1, NULL));
  g_assert_true (g_file_set_contents (path, beside, -1, NULL));
}

/* quantize_config.json, as programs before transformers wrote it. */
static void
test_config_beside (void)
{
  static const struct
  {
    const char *fixture;
    const char *beside;
    const char *refusal;
  } cases[] = {
    { "llama-gptq",
      "{\"bits\": 4, \"group_size\": 16, \"desc_act\": true, \"sym\": false}", NULL },
    { "llama-gptq3", "{\"bits\": 3, \"group_size\": 16, \"desc_act\": false}", NULL },
    { "llama-gptq2",
      "{\"bits\": 2, \"group_size\": 24, \"method\": \"gptq\", \"format\": \"gptq_v2\"}", NULL },
    { "llama-awq",
      "{\"bits\": 4, \"group_size\": 16, \"quant_method\": \"awq\", \"version\": \"GEMM\"}",
      NULL },
    { "llama-awq",
      "{\"bits\": 4, \"group_size\": 16, \"quant_method\": \"intel/auto-round\", "
      "\"backend\": \"auto_round:awq\"}",
      NULL },
    { "llama-gptq", "{\"bits\": 8, \"group_size\": 16}", "qweight: shape [4, 32] found" },
    { "llama-gptq", "{\"bits\": 4, \"is_marlin_format\": true}",
      "quantize_config.json: “is_marlin_format”: true found" },
    { "llama-gptq3", "{\"bits\": 3, \"group_size\": 16, \"format\": \"gptq_p\"}",
      "quantize_config.json: “format”: gptq_p found, expected gptq, gptq_v2" },
    { "llama-gptq", "{\"bits\": \"4\"}", "quantize_config.json: “bits”" },
    { "llama-gptq", "[4]", "quantize_config.json: " },
    { "llama-gptq", "{\"bits", "quantize_config.json:1: " },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      Spoilt self = spoilt_new (cases[i].fixture);

      move_beside (&self, cases[i].beside);
      g_autoptr (AttnModel) model = attn_model_open (self.copy.directory, &error);
      if (cases[i].refusal != NULL)
        {
          g_assert_null (model);
          g_test_message ("%s", error->message);
          g_assert_nonnull (strstr (error->message, cases[i].refusal));
        }
      else
        {
          g_assert_no_error (error);
          g_autoptr (AttnModel) plain = open_fixture (cases[i].fixture);
          g_autoptr (AttnTensor) found = compute_logits (model);
          g_autoptr (AttnTensor) expected = compute_logits (plain);

          assert_same_bytes (found, expected);
        }
      spoilt_free (&self);
    }
}

/* A model of pictures and text says it of the whole. */
static void
test_config_of_whole (void)
{
  Spoilt self = spoilt_new ("llama-gptq");
  g_autofree char *config = g_build_filename (self.copy.directory, "config.json", NULL);
  g_autofree char *json = NULL;

  g_assert_true (g_file_get_contents (config, &json, NULL, NULL));
  const char *at = strstr (json, ",\n  \"quantization_config\"");
  g_assert_nonnull (at);
  g_autofree char *nested =
      g_strdup_printf ("{\"model_type\": \"llama\", \"text_config\": %.*s}%s",
                       (int) (at - json), json, at);
  g_assert_true (g_file_set_contents (config, nested, -1, NULL));
  g_autoptr (AttnModel) model = open_model (self.copy.directory);
  g_autoptr (AttnModel) plain = open_fixture ("llama-gptq");
  g_autoptr (AttnTensor) found = compute_logits (model);
  g_autoptr (AttnTensor) expected = compute_logits (plain);
  assert_same_bytes (found, expected);
  spoilt_free (&self);
}

/* The file beside counts only where config.json says nothing, and then the model is known by it. */
static void
test_config_first (void)
{
  g_autoptr (AttnModel) plain = open_fixture ("llama-gptq");
  const char *fingerprints[2];
  AttnModel *models[2];
  Spoilt self = spoilt_new ("llama-gptq");
  g_autofree char *path = g_build_filename (self.copy.directory, "quantize_config.json", NULL);

  g_assert_true (g_file_set_contents (path, "{\"bits\": 8}", -1, NULL));
  g_autoptr (AttnModel) both = open_model (self.copy.directory);
  g_assert_cmpstr (attn_model_get_fingerprint (both), ==, attn_model_get_fingerprint (plain));
  move_beside (&self, "{\"bits\": 4, \"group_size\": 16}");
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    {
      models[i] = open_model (self.copy.directory);
      fingerprints[i] = attn_model_get_fingerprint (models[i]);
      g_assert_true (g_file_set_contents (
          path, "{\"bits\": 4, \"group_size\": 16, \"format\": \"gptq_v2\"}", -1, NULL));
    }
  g_assert_cmpstr (fingerprints[0], !=, fingerprints[1]);
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    attn_model_unref (models[i]);
  spoilt_free (&self);
}

/* Changes a number of a shape, a type, a name or bytes. */
static void
mutate (Spoilt *self,
        GRand  *rand)
{
  static const gsize sizes[] = { 0, 1, 2, 3, 8, 31, 64, 4096, 1u << 31, G_MAXSIZE / 2 };
  static const char * const types[] = { "I32", "U32", "F32", "F16", "BF16", "U8", "I8", "I64",
                                        "F8_E4M3", "F8_E5M2" };
  guint which = (guint) g_rand_int_range (rand, 0, (gint32) self->tensors->len);
  Stored *tensor = &g_array_index (self->tensors, Stored, which);
  guint k = (guint) g_rand_int_range (rand, 0, (gint32) MAX (tensor->n_dims, 1));

  switch (g_rand_int_range (rand, 0, 8))
    {
    case 0:
      tensor->shape[k] = sizes[g_rand_int_range (rand, 0, G_N_ELEMENTS (sizes))];
      break;
    case 1:
      tensor->shape[k] += g_rand_boolean (rand) || tensor->shape[k] == 0 ? 1 : -1;
      break;
    case 2:
      tensor->shape[k] *= 2;
      break;
    case 3:
      g_strlcpy (tensor->dtype, types[g_rand_int_range (rand, 0, G_N_ELEMENTS (types))],
                 sizeof tensor->dtype);
      break;
    case 4:
      self->bytes[8 + self->n_header + tensor->first +
                  (gsize) g_rand_int_range (rand, 0, (gint32) MAX (tensor->n_first, 1))] ^=
          (char) (1 << g_rand_int_range (rand, 0, 8));
      break;
    default:
      spoil (tensor, (Spoil) g_rand_int_range (rand, 0, N_SPOILS - 1));
      break;
    }
  if (g_rand_int_range (rand, 0, 8) > 0)
    fit_bytes (tensor);
}

/* Whatever the header says, the outcome is an error or a model that computes. */
static void
test_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (61);
  guint n_mutations = g_test_thorough () ? 20000 : 2000;
  guint n_each = n_mutations / G_N_ELEMENTS (fixtures) + 1;
  guint n_opened = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (fixtures); i++)
    {
      Spoilt self = spoilt_new (fixtures[i]);

      for (guint k = 0; k < n_each; k++)
        {
          g_autoptr (GArray) original = g_array_copy (self.tensors);
          g_autoptr (GError) error = NULL;

          for (gint n = g_rand_int_range (rand, 1, 3); n > 0; n--)
            mutate (&self, rand);
          write_tensors (&self);
          g_autoptr (AttnModel) model = attn_model_open (self.copy.directory, &error);
          g_assert_true ((model != NULL) != (error != NULL));
          if (model != NULL)
            {
              AttnTraceRequest request = { ids, 4, NULL, ATTN_QUANTITY_LOGITS, NULL };
              AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

              g_assert_true ((trace != NULL) != (error != NULL));
              g_clear_pointer (&trace, attn_trace_unref);
              n_opened++;
            }
          g_array_unref (self.tensors);
          self.tensors = g_steal_pointer (&original);
        }
      spoilt_free (&self);
    }
  g_assert_cmpuint (n_opened, >, 0);
  g_assert_cmpuint (n_opened, <, n_each * G_N_ELEMENTS (fixtures));
  g_test_message ("%u of %zu opened", n_opened, n_each * G_N_ELEMENTS (fixtures));
}

/* A vocabulary of so many words that threads share the product that makes the logits. */
static void
test_logits_of_threads (void)
{
  static const char * const names[] = { "embed_tokens.", "lm_head." };
  static const guint n_threads[] = { 1, 2, 4 };
  Spoilt self = spoilt_new ("llama-mlx");
  g_autoptr (AttnTensor) first = NULL;

  for (guint i = 0; i < self.tensors->len; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
      {
        Stored *tensor = &g_array_index (self.tensors, Stored, i);

        if (strstr (tensor->name, names[k]) == NULL)
          continue;
        tensor->shape[0] = 5000;
        fit_bytes (tensor);
      }
  write_tensors (&self);
  set_member (&self.copy, "\"vocab_size\": 5000");
  for (gsize i = 0; i < G_N_ELEMENTS (n_threads); i++)
    {
      attn_threads_set (n_threads[i]);
      g_autoptr (AttnModel) model = open_model (self.copy.directory);
      g_autoptr (AttnTensor) found = compute_logits (model);

      if (first == NULL)
        first = attn_tensor_ref (found);
      g_assert_cmpuint (attn_tensor_get_n_elements (found), ==, G_N_ELEMENTS (ids) * 5000);
      assert_same_bytes (found, first);
    }
  attn_threads_set (0);
  spoilt_free (&self);
}

/* Whatever the scheme, threads change no bit. */
static void
test_threads_alike (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fixtures); i++)
    {
      g_autoptr (AttnTensor) one = NULL;

      for (guint n_threads = 1; n_threads <= 3; n_threads++)
        {
          attn_threads_set (n_threads);
          g_autoptr (AttnModel) model = open_fixture (fixtures[i]);
          g_autoptr (AttnTensor) found = compute_logits (model);

          g_test_message ("%s, %u threads", fixtures[i], n_threads);
          if (one == NULL)
            one = attn_tensor_ref (found);
          assert_same_bytes (found, one);
        }
    }
  attn_threads_set (0);
}

static AttnArray *
random_bytes (GRand      *rand,
              const char *name,
              AttnDtype   dtype,
              gsize       n_rows,
              gsize       n_columns)
{
  g_autoptr (GError) error = NULL;
  const gsize shape[] = { n_rows, n_columns };
  gsize n = n_rows * n_columns * (dtype == ATTN_DTYPE_I32 || dtype == ATTN_DTYPE_F32 ? 4 : 1);
  guint8 *data = g_malloc (n);

  for (gsize i = 0; dtype != ATTN_DTYPE_F32 && i < n; i++)
    data[i] = (guint8) g_rand_int_range (rand, 0, 256);
  for (gsize i = 0; dtype == ATTN_DTYPE_F32 && i < n; i += 4)
    {
      float value = (float) g_rand_double_range (rand, 0.01, 0.02);

      memcpy (data + i, &value, sizeof value);
    }
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n);
  AttnArray *array = attn_array_new (name, dtype, 2, shape, bytes, &error);
  g_assert_no_error (error);
  return array;
}

/* Each order of codes, few rows and many. */
static void
test_products_of_threads (void)
{
  enum
  {
    N_IN = 512,
    N_OUT = 304,
    SIZE = 64,
    N_GROUPS = N_IN / SIZE,
    MAX_ROWS = 70,
  };
  static const gsize row_counts[] = { 1, 8, MAX_ROWS };
  g_autoptr (GRand) rand = g_rand_new_with_seed (62);
  g_autofree float *x = g_new (float, MAX_ROWS *N_IN);
  g_autofree float *scratch = g_new (float, 4 * ATTN_LINEAR_TILE);
  g_autofree float *first = g_new (float, MAX_ROWS *N_OUT);
  g_autofree float *out = g_new (float, MAX_ROWS *N_OUT);
  g_autoptr (AttnArray) down_scales = random_bytes (rand, "s", ATTN_DTYPE_F32, N_GROUPS, N_OUT);
  g_autoptr (AttnArray) down_zeros = random_bytes (rand, "z", ATTN_DTYPE_I32, N_GROUPS, N_OUT / 8);
  g_autoptr (AttnArray) scales = random_bytes (rand, "s", ATTN_DTYPE_F32, N_OUT, N_GROUPS);
  g_autoptr (AttnArray) down = random_bytes (rand, "w", ATTN_DTYPE_I32, N_IN / 8, N_OUT);
  g_autoptr (AttnArray) mixed = random_bytes (rand, "w", ATTN_DTYPE_I32, N_IN, N_OUT / 8);
  g_autoptr (AttnArray) across = random_bytes (rand, "w", ATTN_DTYPE_I32, N_OUT, N_IN / 8);
  g_autoptr (AttnArray) bytes = random_bytes (rand, "w", ATTN_DTYPE_I8, N_OUT, N_IN);
  g_autoptr (AttnArray) flat = random_bytes (rand, "w", ATTN_DTYPE_U8, N_OUT * N_IN / 2, 1);
  g_autoptr (AttnArray) table = random_bytes (rand, "t", ATTN_DTYPE_F32, 16, 1);
  g_autoptr (AttnArray) tops = random_bytes (rand, "s", ATTN_DTYPE_F32, N_OUT * N_GROUPS, 1);
  const AttnPacking packings[] = {
    { ATTN_PACKED_DOWN, 4, SIZE, 1, down, down_scales, down_zeros },
    { ATTN_PACKED_INTERLEAVED, 4, SIZE, 0, mixed, down_scales, down_zeros },
    { ATTN_PACKED_ACROSS, 4, SIZE, 8, across, scales, .biases = scales },
    { ATTN_PACKED_BYTES, 8, SIZE, 0, bytes, scales },
    { ATTN_PACKED_FLAT, 4, SIZE, 0, flat, tops, .table = table, .nested_size = 1 },
  };

  for (gsize i = 0; i < MAX_ROWS * N_IN; i++)
    x[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
  for (gsize i = 0; i < G_N_ELEMENTS (packings) * G_N_ELEMENTS (row_counts); i++)
    {
      g_autoptr (GError) error = NULL;
      gsize n_rows = row_counts[i % G_N_ELEMENTS (row_counts)];
      g_autoptr (AttnArray) array =
          attn_packed_new ("w", &packings[i / G_N_ELEMENTS (row_counts)], N_OUT, N_IN, &error);
      g_assert_no_error (error);
      AttnLinear linear = {
        .x = x,
        .n_rows = n_rows,
        .n_in = N_IN,
        .n_out = N_OUT,
        .array = array,
        .scratch = scratch,
        .n_scratch = ATTN_LINEAR_TILE,
        .out = first,
        .out_stride = N_OUT,
      };

      attn_linear_run (&linear, 1);
      linear.out = out;
      for (gsize n_workers = 2; n_workers <= 4; n_workers += 2)
        {
          memset (out, 0, sizeof *out * n_rows * N_OUT);
          attn_linear_run (&linear, n_workers);
          g_test_message ("packing %zu, %zu rows, %zu threads", i / G_N_ELEMENTS (row_counts),
                          n_rows, n_workers);
          g_assert_cmpmem (out, n_rows * N_OUT * sizeof *out, first,
                           n_rows * N_OUT * sizeof *out);
        }
    }
}

/* Returns the numbers of a Llama, by its configuration. */
static gsize
count_llama (const char *path)
{
  static const char * const names[] = { "vocab_size", "hidden_size", "num_hidden_layers",
                                        "num_attention_heads", "num_key_value_heads",
                                        "intermediate_size" };
  g_autofree char *config_path = g_build_filename (path, "config.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  gsize sizes[G_N_ELEMENTS (names)];

  g_assert_true (json_parser_load_from_file (parser, config_path, NULL));
  JsonObject *config = json_node_get_object (json_parser_get_root (parser));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    sizes[i] = json_object_get_int_member (config, names[i]);
  gsize width = sizes[1], head_width = json_object_get_int_member_with_default (
                              config, "head_dim", width / sizes[3]);
  gsize n_heads = 2 * (sizes[3] + sizes[4]); /* of queries, keys, values and the output */
  gboolean is_tied =
      json_object_get_boolean_member_with_default (config, "tie_word_embeddings", FALSE);
  return width * ((is_tied ? 1 : 2) * sizes[0] + 1 +
                  sizes[2] * (2 + n_heads * head_width + 3 * sizes[5]));
}

/* A code counts as the number that it stands for, and what says how to read it does not. */
static void
test_codes_are_parameters (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fixtures) && g_str_has_prefix (fixtures[i], "llama"); i++)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", fixtures[i], NULL);
      g_autoptr (AttnModel) model = open_fixture (fixtures[i]);

      g_test_message ("%s", fixtures[i]);
      g_assert_cmpuint (attn_model_get_info (model)->n_parameters, ==, count_llama (path));
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/packed/codes-are-parameters", test_codes_are_parameters);
  for (gsize i = 0; i < G_N_ELEMENTS (fixtures); i++)
    {
      g_autofree char *path = g_strconcat ("/model/packed/misshapen/", fixtures[i], NULL);

      g_test_add_data_func (path, fixtures[i], test_misshapen);
    }
  g_test_add_func ("/model/packed/idle", test_idle);
  g_test_add_func ("/model/packed/config-beside", test_config_beside);
  g_test_add_func ("/model/packed/config-of-whole", test_config_of_whole);
  g_test_add_func ("/model/packed/config-first", test_config_first);
  g_test_add_func ("/model/packed/mutations", test_mutations);
  g_test_add_func ("/model/packed/threads-alike", test_threads_alike);
  g_test_add_func ("/model/packed/logits-of-threads", test_logits_of_threads);
  g_test_add_func ("/model/packed/products-of-threads", test_products_of_threads);
  return g_test_run ();
}
