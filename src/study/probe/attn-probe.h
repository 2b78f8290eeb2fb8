/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Probes measure how well a linear classifier separates right from wrong answers by the vector of
 * one token in one layer. */

#pragma once

#include <gio/gio.h>

#include "attn-model.h"
#include "attn-probe-score.h"
#include "attn-probe-table.h"
#include "attn-progress.h"
#include "attn-tokenizer.h"

G_BEGIN_DECLS

/**
 * AttnProbeQuantity:
 * @ATTN_PROBE_MLP: what the MLP of each layer adds to the residual stream
 * @ATTN_PROBE_ATTENTION: what its attention adds
 * @ATTN_PROBE_RESIDUAL: the residual stream that enters each layer, and the one that leaves the
 *   last
 */
typedef enum
{
  ATTN_PROBE_MLP,
  ATTN_PROBE_ATTENTION,
  ATTN_PROBE_RESIDUAL,
  ATTN_N_PROBE_QUANTITIES,
} AttnProbeQuantity;

/* (array zero-terminated=1): names in files and on the command line, indexed by the enum. */
extern const char * const attn_probe_quantity_names[];

#define ATTN_PROBE_DEFAULT_FOLDS 5
#define ATTN_PROBE_MAX_FOLDS     1000

/**
 * AttnProbeSpec:
 * @table: (type filename): of answers
 * @validation: (nullable) (type filename): of answers that are tested, while those of @table are
 *   trained on; %NULL for folds of @table
 * @columns: (array): what they are called in both
 * @n_folds: at least 2
 * @seed: of the folds and of the bootstrap
 * @framing: what stands around each text
 */
typedef struct
{
  char *table;
  char *validation;
  char *columns[ATTN_PROBE_N_COLUMNS];
  AttnProbeQuantity quantity;
  gsize n_folds;
  guint32 seed;
  AttnFraming framing;
} AttnProbeSpec;

void attn_probe_spec_init  (AttnProbeSpec *spec);
void attn_probe_spec_clear (AttnProbeSpec *spec);

/**
 * AttnProbe:
 * @settings: JSON: what was asked for, of which model and table
 * @model_path: (type filename): where the model was
 * @adapter_path: (nullable) (type filename): likewise, of what changes its weights
 * @n_layers: rows of the maps
 * @n_roles: their columns
 * @scores: (array): [n_layers, n_roles]
 * @role_rows: (array): [n_roles], how many rows are tested there
 * @n_rows: of the table, and behind them of the validation
 * @folds: (array): [n_rows], in which each is tested
 * @labels: (array): [n_rows]
 */
typedef struct
{
  char *settings;
  char *model_path;
  char *adapter_path;
  gsize n_layers;
  gsize n_roles;
  AttnProbeScore *scores;
  gint64 *role_rows;
  gsize n_rows;
  gint64 *folds;
  guint8 *labels;
} AttnProbe;

AttnProbe  *attn_probe_run      (const AttnProbeSpec  *spec,
                                 AttnModel            *model,
                                 const AttnProgress   *progress,
                                 GCancellable         *cancellable,
                                 GError              **error);
void        attn_probe_free     (AttnProbe            *probe);
const char *attn_probe_get_role (gsize                 role);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnProbeSpec, attn_probe_spec_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnProbe, attn_probe_free)

G_END_DECLS
