/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An adapter (LoRA) of PEFT or MLX: changes of low rank to matrices of some modules of a model, and
 * tensors that replace others of the model. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

#define ATTN_ADAPTER_CONFIG "adapter_config.json"

/**
 * AttnAdapterModule:
 * @a: [rank, n_in]
 * @b: [n_out, rank]
 * @magnitude: (nullable): [n_out]
 * @scale: factor of the product B A
 * @is_embedding: whether the matrix is a table of embeddings, [n_in, n_out]
 *
 * The change of a matrix W, [n_out, n_in], which becomes W + scale B A. With magnitudes (DoRA),
 * each row of this is scaled so that its length is its magnitude.
 */
typedef struct
{
  const AttnArray *a;
  const AttnArray *b;
  const AttnArray *magnitude;
  float scale;
  gboolean is_embedding;
} AttnAdapterModule;

typedef struct _AttnAdapter AttnAdapter;

AttnAdapter *attn_adapter_load        (const char         *path,
                                       GError            **error);
void         attn_adapter_free        (AttnAdapter        *adapter);
gboolean     attn_adapter_is_one      (const char         *path);
char        *attn_adapter_dup_folder  (const char         *path);
const char  *attn_adapter_get_path    (const AttnAdapter  *adapter);
const char  *attn_adapter_get_folder  (const AttnAdapter  *adapter);
char        *attn_adapter_dup_weights_path (const char *folder);
char        *attn_adapter_find_file   (const char         *folder);
const char  *attn_adapter_get_base    (const AttnAdapter  *adapter,
                                       const char        **revision);
const AttnAdapterModule *attn_adapter_find_module (const AttnAdapter *adapter,
                                       const char         *prefixes,
                                       const char         *name);
const AttnArray *attn_adapter_find_tensor (const AttnAdapter *adapter,
                                       const char         *prefixes,
                                       const char         *name);
void         attn_adapter_list_unused (const AttnAdapter  *adapter,
                                       GPtrArray          *names,
                                       GPtrArray          *replaced);

char        *attn_adapter_find_base   (const char         *folder,
                                       const char         *name,
                                       const char         *revision);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnAdapter, attn_adapter_free)

G_END_DECLS
