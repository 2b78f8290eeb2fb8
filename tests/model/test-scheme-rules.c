/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rules of configurations for some modules alone, those that are not understood: each is refused by
 * its name. The others come out as the fixtures say, in test-families.c. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-error.h"
#include "model-fixture.h"

#define GPTQ(rules)                                                                         \
  "\"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 16, " \
  "\"dynamic\": {" rules "}}"
#define COMPRESSED(rest)                                                                       \
  "\"quantization_config\": {\"quant_method\": \"compressed-tensors\", " rest ", \"format\": " \
  "\"pack-quantized\"}"
#define GROUPS(...) "\"config_groups\": {" __VA_ARGS__ "}"
#define GROUP(name, target)                                                                       \
  "\"" name "\": {\"targets\": [\"" target "\"], \"weights\": {\"num_bits\": 4, \"group_size\": " \
  "16}}"
#define MODELOPT(rest) "\"quantization_config\": {\"quant_method\": \"modelopt\", " rest "}"

static const struct
{
  const char *name;
  const char *member;
  gint code;
  const char *part;
} cases[] = {
  { "llama-gptq-rules", GPTQ ("\"(\": {}"), ATTN_ERROR_FORMAT,
    "“(” found, expected a regular expression" },
  { "llama-gptq-rules", GPTQ ("\"+:q\": 4"), ATTN_ERROR_FORMAT, "“q” found, expected {…}" },
  { "llama-gptq-rules", GPTQ ("\"q\": {\"format\": \"marlin\"}"), ATTN_ERROR_UNSUPPORTED,
    "“format”: marlin found, expected gptq, gptq_v2" },
  { "llama-gptq-rules", GPTQ ("\"q\": {\"pack_dtype\": \"int64\"}"), ATTN_ERROR_UNSUPPORTED,
    "“pack_dtype”: int64 found, expected int32" },
  { "llama-gptq-rules", GPTQ ("\"q\": {\"bits\": 9}"), ATTN_ERROR_LIMIT, "“bits”: 9 found" },
  { "llama-gptq-rules", GPTQ ("\".*q_proj\": {\"bits\": 5}"), ATTN_ERROR_UNSUPPORTED,
    "“bits”: 5 found, expected one of 2, 3, 4, 8" },
  { "llama-gptq-rules", GPTQ ("\".*q_proj\": {\"bits\": 4}"), ATTN_ERROR_SHAPE,
    "q_proj.qweight: shape [8, 32] found, expected [4, 32]" },
  { "llama-gptq-rules", GPTQ ("\"q_proj\": {\"bits\": 8}"), ATTN_ERROR_SHAPE,
    "q_proj.qweight: shape [8, 32] found, expected [4, 32]" },
  { "llama-gptq-rules", GPTQ ("\"model.*q_proj\": {\"bits\": 8}, \"-:.*q_proj\": {}"),
    ATTN_ERROR_UNSUPPORTED, "q_proj.qweight” found, expected a matrix of plain numbers" },
  { "llama-gptq-rules", GPTQ ("\"(.*.*)*[!?]\": {\"bits\": 8}"), ATTN_ERROR_LIMIT,
    "“(.*.*)*[!?]” found, expected a regular expression of fewer steps" },
  { "llama-gptq",
    "\"quantization_config\": {\"quant_method\": \"gptq\", \"rotation\": \"hadamard\"}",
    ATTN_ERROR_UNSUPPORTED, "“rotation” found, expected none" },
  { "llama-compressed-groups",
    COMPRESSED (GROUPS (GROUP ("a", "re:.*o_proj") ", " GROUP ("b", "re:.*k_proj"))),
    ATTN_ERROR_UNSUPPORTED, "q_proj.weight_packed” found, expected a matrix of plain numbers" },
  { "llama-compressed-groups",
    COMPRESSED ("\"config_groups\": {" GROUP ("a", "LlamaMLP") ", " GROUP ("b", "re:.*k_proj") "}"),
    ATTN_ERROR_UNSUPPORTED, "q_proj.weight_packed” found, expected a matrix of plain numbers" },
  { "llama-compressed-groups",
    COMPRESSED ("\"config_groups\": {" GROUP ("a", "Linear") "}, \"ignore\": [\"re:.*q_proj\"]"),
    ATTN_ERROR_UNSUPPORTED, "q_proj.weight_packed” found, expected a matrix of plain numbers" },
  { "llama-compressed-groups",
    COMPRESSED ("\"config_groups\": {" GROUP ("a", "Linear") "}, \"ignore\": [\"re:[\"]"),
    ATTN_ERROR_FORMAT, "“[” found, expected a regular expression" },
  { "llama-compressed-groups",
    COMPRESSED ("\"config_groups\": {" GROUP ("a", "re:+") ", " GROUP ("b", "Linear") "}"),
    ATTN_ERROR_FORMAT, "“+” found, expected a regular expression" },
  { "llama-compressed-fp8",
    COMPRESSED ("\"config_groups\": {" GROUP ("a", "Linear") "}, \"ignore\": [\"re:.*q_proj\"]"),
    ATTN_ERROR_UNSUPPORTED, "q_proj.weight” found, expected a matrix of plain numbers" },
  { "llama-modelopt", MODELOPT ("\"quant_algo\": \"NVFP4_AWQ\""), ATTN_ERROR_UNSUPPORTED,
    "“quant_algo”: NVFP4_AWQ found, expected FP8" },
  { "llama-modelopt",
    MODELOPT ("\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": {\"model.layers.0.mlp\": "
              "{\"quant_algo\": \"W4A8_AWQ\"}}"),
    ATTN_ERROR_UNSUPPORTED, "“quant_algo”: W4A8_AWQ found, expected FP8" },
  { "llama-mlx-floats", "\"quantization\": {\"mode\": \"mxfp4\", \"group_size\": 64}",
    ATTN_ERROR_LIMIT, "“group_size”: 64 found" },
  { "llama-mlx-floats", "\"quantization\": {\"mode\": \"mxfp8\"}", ATTN_ERROR_SHAPE,
    "tensor “embed_tokens.weight”: shape [31, 16] found" },
  { "llama-mlx-floats", "\"quantization\": {\"bits\": 4, \"group_size\": 32}", ATTN_ERROR_FORMAT,
    "no tensor “embed_tokens.biases” found" },
  { "llama-mlx", "\"quantization\": {\"mode\": \"mxfp4\"}", ATTN_ERROR_UNSUPPORTED,
    "embed_tokens.scales: “dtype”: F16 found, expected U8" },
  { "qwen3_moe-mlx", "\"num_experts\": 6", ATTN_ERROR_SHAPE, "shape [7, " },
};

static void
test_refused (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      Copy copy = copy_fixture (cases[i].name);

      set_member (&copy, cases[i].member);
      g_assert_null (attn_model_open (copy.directory, &error));
      g_test_message ("%s: %s", cases[i].name, error->message);
      g_assert_error (error, ATTN_ERROR, cases[i].code);
      g_assert_nonnull (strstr (error->message, cases[i].part));
      remove_checkpoint (copy.directory);
    }
}

/* More rules than a file may have. */
static void
test_many (void)
{
  g_autoptr (GString) member = g_string_new (
      "\"quantization_config\": {\"quant_method\": \"gptq\", \"dynamic\": {\"-:lm\": {}");
  g_autoptr (GError) error = NULL;
  Copy copy = copy_fixture ("llama-gptq");

  for (guint i = 0; i < 1025; i++)
    g_string_append_printf (member, ", \"x%u\": {}", i);
  g_string_append (member, "}}");
  set_member (&copy, member->str);
  g_assert_null (attn_model_open (copy.directory, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "more than 1024 regular expressions found"));
  remove_checkpoint (copy.directory);
}

/* The file that ModelOpt writes beside a config.json that says nothing: the model is known by it,
 * and what it says is read as if config.json said it. */
static void
test_modelopt_beside (void)
{
  static const struct
  {
    const char *json;
    const char *part;
  } refused[] = {
    { "{\"quantization\": {\"quant_algo\": \"W4A16_AWQ\"}}",
      "hf_quant_config.json: “quant_algo”: W4A16_AWQ found, expected FP8" },
    { "{\"quantization\": {\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": {\"a\": "
      "{\"quant_algo\": \"W4A8_MXFP4_FP8\"}}}}",
      "hf_quant_config.json: “quant_algo”: W4A8_MXFP4_FP8 found, expected FP8" },
    { "{\"quantization\": 4}", "hf_quant_config.json: “quantization”" },
    { "[]", "hf_quant_config.json: " },
    { "{\"quant", "hf_quant_config.json:1: " },
  };
  g_autoptr (AttnModel) plain = open_fixture ("llama-modelopt-mixed");
  Copy copy = copy_fixture ("llama-modelopt-mixed");
  g_autofree char *path = g_build_filename (copy.directory, "hf_quant_config.json", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (path, refused[i].json, -1, NULL));
      g_assert_null (attn_model_open (copy.directory, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, refused[i].part));
    }
  g_assert_true (g_file_set_contents (path, "{\"quantization\": {\"quant_algo\": \"FP8\"}}", -1,
                                      NULL));
  g_autoptr (AttnModel) other = open_model (copy.directory);
  g_assert_cmpstr (attn_model_get_fingerprint (other), !=, attn_model_get_fingerprint (plain));
  remove_checkpoint (copy.directory);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/scheme-rules/refused", test_refused);
  g_test_add_func ("/model/scheme-rules/many", test_many);
  g_test_add_func ("/model/scheme-rules/modelopt-beside", test_modelopt_beside);
  return g_test_run ();
}
