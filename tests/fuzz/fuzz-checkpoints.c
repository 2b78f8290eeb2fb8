/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole checkpoints and adapters as one file: the configuration, a byte of 0, the weights. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-adapter.h"
#include "attn-model.h"
#include "attn-trace.h"
#include "fuzz-targets.h"

/* Layers and tokens of a vocabulary, above which a model is opened and not run. */
#define MAX_LAYERS 4
#define MAX_TOKENS 4096

/* Returns: (transfer full): the folder of both files */
static char *
write_both (const guint8 *data,
            gsize         size,
            const char   *config_name,
            const char   *weights_name)
{
  const guint8 *end = size > 0 ? memchr (data, 0, size) : NULL;
  gsize n_config = end != NULL ? (gsize) (end - data) : size;
  g_autofree char *config = fuzz_write_file (config_name, data, n_config);
  g_autofree char *weights =
      fuzz_write_file (weights_name, end != NULL ? end + 1 : data, size - n_config - (end != NULL));

  return g_path_get_dirname (config);
}

static void
remove_both (const char *folder,
             const char *config_name,
             const char *weights_name)
{
  g_autofree char *config = g_build_filename (folder, config_name, NULL);
  g_autofree char *weights = g_build_filename (folder, weights_name, NULL);

  g_unlink (config);
  g_unlink (weights);
}

/* A checkpoint whose configuration says how its matrices are stored. */
void
fuzz_run_checkpoint (const guint8 *data,
                     gsize         size)
{
  static const guint32 ids[] = { 1, 0, 2 };
  g_autofree char *folder = write_both (data, size, "config.json", "model.safetensors");
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open (folder, &error);

  g_assert_true ((model == NULL) == (error != NULL));
  if (model != NULL && attn_model_get_info (model)->n_layers <= MAX_LAYERS &&
      attn_model_get_info (model)->vocabulary_size <= MAX_TOKENS &&
      attn_model_check_ids (model, ids, G_N_ELEMENTS (ids), NULL))
    {
      const AttnTraceRequest request = { ids, G_N_ELEMENTS (ids), NULL, ATTN_QUANTITY_LOGITS,
                                         NULL };
      AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

      g_assert_true ((trace == NULL) == (error != NULL));
      g_clear_pointer (&trace, attn_trace_unref);
    }
  remove_both (folder, "config.json", "model.safetensors");
}

/* An adapter, and what it says of matrices by these names. */
void
fuzz_run_adapter (const guint8 *data,
                  gsize         size)
{
  static const char * const names[] = { "model.layers.0.self_attn.q_proj.weight",
                                        "model.layers.1.mlp.down_proj.weight",
                                        "transformer.h.0.attn.c_attn.weight",
                                        "model.embed_tokens.weight", "lm_head.weight" };
  static const char config_name[] = ATTN_ADAPTER_CONFIG;
  static const char weights_name[] = "adapter_model.safetensors";
  g_autofree char *folder = write_both (data, size, config_name, weights_name);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnAdapter) adapter = attn_adapter_load (folder, &error);

  g_assert_true ((adapter == NULL) == (error != NULL));
  if (adapter != NULL)
    {
      g_autoptr (GPtrArray) unused = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GPtrArray) replaced = g_ptr_array_new_with_free_func (g_free);
      const char *revision;

      attn_adapter_get_base (adapter, &revision);
      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        {
          attn_adapter_find_module (adapter, "model.", names[i]);
          attn_adapter_find_tensor (adapter, "model.", names[i]);
        }
      attn_adapter_list_unused (adapter, unused, replaced);
    }
  remove_both (folder, config_name, weights_name);
}
