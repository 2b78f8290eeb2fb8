/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Collects the arrays that `compute` writes from a forward pass of the model, without a study.
 * Private to src/cli. */

#pragma once

#include "attn-array.h"
#include "attn-cli-options.h"
#include "attn-workspace.h"

G_BEGIN_DECLS

/**
 * AttnCliWork:
 *
 * Model, input and options that an array is computed from without a study.
 */
typedef struct
{
  const AttnCliOptions *options;
  AttnWorkspace *workspace;
  AttnModel *model; /* model for the current input */
  const AttnModelInfo *info;
  GPtrArray *inputs;    /* element-type AttnTokens */
  GPtrArray *models;    /* element-type AttnModel: the models, one for each input */
  AttnIndexSet *layers; /* chosen layers; NULL for all */
  int head;             /* number of a head, ATTN_CLI_ALL or ATTN_HEAD_MEAN */
  GPtrArray *interventions;
} AttnCliWork;

/* Tells whether the array has one more entry after the layers, the output of the last layer. Only
 * the residual stream of all layers has it. */
static inline gboolean
attn_cli_work_has_end (const AttnCliWork *work)
{
  return work->options->what->quantity == ATTN_QUANTITY_RESIDUAL && work->layers == NULL;
}

gboolean    attn_cli_add_strings     (AttnArrayFile       *file,
                                      const char          *name,
                                      const char * const  *strings,
                                      GError             **error);
AttnTensor *attn_cli_gather_maps     (const AttnCliWork   *work,
                                      const AttnTokens    *tokens,
                                      GError             **error);
AttnTensor *attn_cli_gather_quantity (const AttnCliWork   *work,
                                      const AttnTokens    *tokens,
                                      AttnArrayFile       *file,
                                      GError             **error);
gboolean    attn_cli_add_labels      (const AttnCliWork   *work,
                                      const AttnTensor    *array,
                                      AttnArrayFile       *file,
                                      const char          *suffix,
                                      const AttnTokens    *tokens,
                                      GError             **error);

G_END_DECLS
