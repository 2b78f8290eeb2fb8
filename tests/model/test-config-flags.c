/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Flags that the published code of each family reads from config.json (transformers 4.57.3, grepped
 * for “config.” family by family), but those of dropout and of training: what each does here when
 * it is not as in the fixture. */

#include "config.h"

#include <string.h>

#include "attn-error.h"
#include "model-fixture.h"

/* @TENSOR: supported; the file lacks a tensor that there must be then, or has one that there must
 *   not be, or its shape is another
 * @NAMED: refused by its name
 * @CHANGES: supported; weights or logits are others
 * @SAME: nothing changes, in the published code either
 * @OPENS: supported, in a model of two sequences, of which fixtures have it either way */
typedef enum
{
  TENSOR,
  NAMED,
  CHANGES,
  SAME,
  OPENS
} Kind;

static const char * const kinds[] = { "supported, needs its tensors", "refused by name",
                                      "supported", "changes nothing", "supported" };

static const struct
{
  const char *fixture;
  const char *member;
  Kind kind;
} flags[] = {
  { "llama", "\"attention_bias\": true", TENSOR },
  { "llama", "\"mlp_bias\": true", TENSOR },
  { "llama-biased", "\"attention_bias\": false", TENSOR },
  { "llama-biased", "\"mlp_bias\": false", TENSOR },
  { "llama", "\"pretraining_tp\": 2", SAME },
  { "qwen2", "\"use_sliding_window\": false", CHANGES },
  { "qwen2", "\"sliding_window\": 0", NAMED },
  { "qwen2_moe", "\"sliding_window\": 0", SAME },
  { "qwen2_moe", "\"qkv_bias\": false", TENSOR },
  { "qwen2_moe", "\"norm_topk_prob\": true", CHANGES },
  { "qwen3", "\"attention_bias\": true", TENSOR },
  { "qwen3_moe", "\"attention_bias\": true", TENSOR },
  { "qwen3_moe", "\"norm_topk_prob\": false", CHANGES },
  { "gpt_oss", "\"attention_bias\": false", TENSOR },
  { "gemma", "\"attention_bias\": true", TENSOR },
  { "gemma", "\"use_bidirectional_attention\": true", NAMED },
  { "gemma2", "\"attention_bias\": true", TENSOR },
  { "gemma2", "\"use_bidirectional_attention\": true", NAMED },
  { "gemma3", "\"attention_bias\": true", TENSOR },
  { "gemma3", "\"use_bidirectional_attention\": true", CHANGES },
  { "gemma4", "\"attention_bias\": true", TENSOR },
  { "olmo", "\"attention_bias\": true", TENSOR },
  { "olmo", "\"clip_qkv\": 0.5", CHANGES },
  { "olmo2", "\"attention_bias\": true", TENSOR },
  { "olmo3", "\"attention_bias\": true", TENSOR },
  { "smollm3", "\"attention_bias\": true", TENSOR },
  { "smollm3", "\"mlp_bias\": true", TENSOR },
  { "smollm3", "\"use_sliding_window\": true", NAMED },
  { "granite", "\"attention_bias\": true", TENSOR },
  { "granite", "\"mlp_bias\": true", TENSOR },
  { "stablelm", "\"use_qkv_bias\": false", TENSOR },
  { "stablelm", "\"qk_layernorm\": true", TENSOR },
  { "stablelm", "\"use_parallel_residual\": true", TENSOR },
  { "glm", "\"attention_bias\": false", TENSOR },
  { "glm4", "\"attention_bias\": true", TENSOR },
  { "cohere", "\"attention_bias\": true", TENSOR },
  { "cohere", "\"use_qk_norm\": false", TENSOR },
  { "cohere2", "\"attention_bias\": true", TENSOR },
  { "minicpm", "\"attention_bias\": true", TENSOR },
  { "deepseek_v2", "\"attention_bias\": true", TENSOR },
  { "deepseek_v2", "\"mlp_bias\": true", TENSOR },
  { "deepseek_v3", "\"attention_bias\": true", TENSOR },
  { "deepseek_v3", "\"rope_interleave\": false", CHANGES },
  { "glm4_moe_lite", "\"attention_bias\": true", TENSOR },
  { "qwen3_next", "\"attention_bias\": true", TENSOR },
  { "qwen3_5", "\"attention_bias\": true", TENSOR },
  { "qwen3_5_moe", "\"attention_bias\": true", TENSOR },
  { "gpt2-bare", "\"add_cross_attention\": true", NAMED },
  { "gpt2-bare", "\"scale_attn_weights\": false", CHANGES },
  { "gpt2-bare", "\"scale_attn_by_inverse_layer_idx\": false", CHANGES },
  { "gpt2-bare", "\"reorder_and_upcast_attn\": true", SAME },
  { "gpt_bigcode", "\"add_cross_attention\": true", NAMED },
  { "gpt_bigcode", "\"multi_query\": false", TENSOR },
  { "gpt_bigcode", "\"scale_attn_weights\": false", CHANGES },
  { "gpt_neox", "\"attention_bias\": false", TENSOR },
  { "gpt_neox", "\"use_parallel_residual\": false", CHANGES },
  { "phi", "\"qk_layernorm\": true", TENSOR },
  { "phi-normed", "\"qk_layernorm\": false", TENSOR },
  { "opt", "\"enable_bias\": false", TENSOR },
  { "opt", "\"layer_norm_elementwise_affine\": false", NAMED },
  { "opt", "\"_remove_final_layer_norm\": true", CHANGES },
  { "opt", "\"do_layer_norm_before\": false", CHANGES },
  { "bloom", "\"apply_residual_connection_post_layernorm\": true", CHANGES },
  { "bloom", "\"slow_but_exact\": true", SAME },
  { "starcoder2", "\"use_bias\": false", TENSOR },
  { "falcon", "\"bias\": true", TENSOR },
  { "falcon", "\"alibi\": true", CHANGES },
  { "falcon", "\"multi_query\": false", TENSOR },
  { "falcon", "\"parallel_attn\": false", TENSOR },
  { "falcon", "\"new_decoder_architecture\": true", TENSOR },
  { "falcon", "\"apply_residual_connection_post_layernorm\": true", NAMED },
  { "mpt", "\"no_bias\": false", TENSOR },
  { "mpt-biased", "\"no_bias\": true", TENSOR },
  { "mpt", "\"attn_config\": {\"alibi\": false}", NAMED },
  { "mpt", "\"attn_config\": {\"prefix_lm\": true}", NAMED },
  { "mpt", "\"attn_config\": {\"qk_ln\": true}", NAMED },
  { "mpt", "\"attn_config\": {\"rope\": true}", NAMED },
  { "mpt", "\"norm_type\": \"rmsnorm\"", NAMED },
  { "mpt", "\"logit_scale\": \"inv_sqrt_d_model\"", NAMED },
  { "bert", "\"is_decoder\": true", CHANGES },
  { "bert", "\"add_cross_attention\": true", NAMED },
  { "bert", "\"position_embedding_type\": \"relative_key\"", NAMED },
  { "roberta", "\"add_cross_attention\": true", NAMED },
  { "roberta", "\"position_embedding_type\": \"relative_key\"", NAMED },
  { "albert", "\"position_embedding_type\": \"relative_key\"", NAMED },
  { "electra", "\"position_embedding_type\": \"relative_key\"", NAMED },
  { "distilbert", "\"sinusoidal_pos_embds\": true", SAME },
  { "esm", "\"emb_layer_norm_before\": true", TENSOR },
  { "esm", "\"token_dropout\": false", CHANGES },
  { "esm", "\"position_embedding_type\": \"relative_key\"", NAMED },
  { "esm", "\"is_folding_model\": true", NAMED },
  { "modernbert", "\"attention_bias\": true", TENSOR },
  { "modernbert", "\"mlp_bias\": true", TENSOR },
  { "modernbert", "\"norm_bias\": true", TENSOR },
  { "modernbert", "\"decoder_bias\": false", CHANGES },
  { "modernbert", "\"classifier_activation\": \"silu\"", NAMED },
  { "t5", "\"feed_forward_proj\": \"gated-gelu\"", TENSOR },
  { "t5", "\"tie_word_embeddings\": false", OPENS },
  { "bart", "\"scale_embedding\": true", OPENS },
  { "mbart", "\"scale_embedding\": false", OPENS },
  { "pegasus", "\"scale_embedding\": true", OPENS },
  { "m2m_100", "\"scale_embedding\": false", OPENS },
  { "marian", "\"share_encoder_decoder_embeddings\": true", OPENS },
  { "vit", "\"qkv_bias\": false", TENSOR },
  { "vit-biasless", "\"qkv_bias\": true", TENSOR },
  { "deit", "\"qkv_bias\": false", TENSOR },
  { "dinov2", "\"qkv_bias\": false", TENSOR },
  { "dinov2", "\"use_swiglu_ffn\": true", TENSOR },
  { "dinov2_with_registers", "\"qkv_bias\": false", TENSOR },
  { "dinov3_vit", "\"query_bias\": false", TENSOR },
  { "dinov3_vit", "\"key_bias\": true", TENSOR },
  { "dinov3_vit", "\"value_bias\": false", TENSOR },
  { "dinov3_vit", "\"proj_bias\": false", TENSOR },
  { "dinov3_vit", "\"mlp_bias\": false", TENSOR },
  { "dinov3_vit", "\"use_gated_mlp\": true", TENSOR },
};

static AttnTensor *
compute (AttnModel    *model,
         AttnQuantity  quantity)
{
  static const guint32 ids[] = { 3, 1, 4, 1, 5, 9 };
  g_autoptr (AttnTrace) trace =
      compute_trace (model, ids, G_N_ELEMENTS (ids), NULL, quantity, NULL);

  return attn_trace_get (trace, quantity, attn_model_get_info (model)->n_layers - 1);
}

static gboolean
is_alike (AttnModel    *one,
          AttnModel    *other,
          AttnQuantity  quantity)
{
  g_autoptr (AttnTensor) a = compute (one, quantity);
  g_autoptr (AttnTensor) b = compute (other, quantity);
  gsize n = attn_tensor_get_n_elements (a);

  g_assert_cmpuint (attn_tensor_get_n_elements (b), ==, n);
  return memcmp (a->data, b->data, n * sizeof *a->data) == 0;
}

static void
test_flags (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      g_autoptr (GError) error = NULL;
      Copy copy = copy_fixture (flags[i].fixture);
      Kind kind = flags[i].kind;
      const char *member = flags[i].member;

      set_member (&copy, member);
      g_autoptr (AttnModel) model = attn_model_open (copy.directory, &error);
      g_test_message ("%s, %s: %s", flags[i].fixture, member, kinds[kind]);
      if (kind == TENSOR || kind == NAMED)
        {
          /* An object's own member is the name that counts. */
          const char *name = strchr (member, '{') != NULL ? strchr (member, '{') + 2 : member + 1;
          g_autofree char *found =
              kind == NAMED ? g_strdup_printf ("“%.*s”", (int) strcspn (name, "\""), name)
                            : g_strdup ("tensor “");

          g_assert_null (model);
          g_test_message ("%s", error->message);
          g_assert_nonnull (strstr (error->message, found));
        }
      else
        {
          g_assert_no_error (error);
          if (kind != OPENS)
            {
              g_autoptr (AttnModel) plain = open_fixture (flags[i].fixture);
              gboolean is_same = is_alike (plain, model, ATTN_QUANTITY_WEIGHTS) &&
                                 is_alike (plain, model, ATTN_QUANTITY_LOGITS);

              g_assert_true (is_same == (kind == SAME));
            }
        }
      remove_checkpoint (copy.directory);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/config-flags", test_flags);
  return g_test_run ();
}
