/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model that goes on with a text until it is stopped: it has no end of text, and so many
 * positions that no machine fills them meanwhile. The shipped model, which has 256, fills them in
 * the first milliseconds on a quick one. */

#pragma once

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "attn-study.h"

/* Makes @study one of the model, with @n_inputs inputs of three ids each. Returns: (transfer full):
 * the folder of the model, which remove_folder() removes */
static inline char *
set_endless_model (AttnStudy *study,
                   guint      n_inputs)
{
  static const guint32 ids[] = { 3, 1, 4 };
  static const char config[] =
      "{\"model_type\": \"llama\", \"hidden_size\": 32, \"intermediate_size\": 40,"
      " \"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"num_key_value_heads\": 2,"
      " \"vocab_size\": 31, \"max_position_embeddings\": 1000000, \"rms_norm_eps\": 1e-05}";
  g_autofree char *weights =
      g_test_build_filename (G_TEST_DIST, "model", "llama", "model.safetensors", NULL);
  char *folder = g_dir_make_tmp ("attention-grid-endless-XXXXXX", NULL);
  g_autofree char *link_path = g_build_filename (folder, "model.safetensors", NULL);
  g_autofree char *config_path = g_build_filename (folder, "config.json", NULL);
  g_autoptr (GFile) link = g_file_new_for_path (link_path);

  g_assert_true (g_file_make_symbolic_link (link, weights, NULL, NULL));
  g_assert_true (g_file_set_contents (config_path, config, -1, NULL));
  g_free (study->model.path);
  study->model.path = g_strdup (folder);
  g_clear_pointer (&study->model.fingerprint, g_free);
  study->layer = 0;
  g_ptr_array_set_size (study->inputs, 0);
  for (guint i = 0; i < n_inputs; i++)
    g_ptr_array_add (study->inputs, attn_input_new_ids (ids, G_N_ELEMENTS (ids), 0));
  return folder;
}
