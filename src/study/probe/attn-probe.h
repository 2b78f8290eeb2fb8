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
 * @ATTN_PROBE_ATTENTION: what the attention of each layer adds to the residual stream
 * @ATTN_PROBE_RESIDUAL: the residual stream that enters each layer, and that leaves the last layer
 */
typedef enum
{
  ATTN_PROBE_MLP,
  ATTN_PROBE_ATTENTION,
  ATTN_PROBE_RESIDUAL,
  ATTN_N_PROBE_QUANTITIES,
} AttnProbeQuantity;

/* (array zero-terminated=1): names of the probed quantities in files and on the command line,
 * indexed by #AttnProbeQuantity. */
extern const char * const attn_probe_quantity_names[];

#define ATTN_PROBE_DEFAULT_FOLDS 5
#define ATTN_PROBE_MAX_FOLDS     1000

/**
 * AttnProbeSpec:
 * @table: (type filename): path of a table of questions and answers
 * @validation: (nullable) (type filename): path of a table that is tested on, while @table is
 *   trained on; %NULL to test on folds of @table
 * @columns: (array): names of the columns in both tables, by #AttnProbeColumn
 * @n_folds: number of folds, at least 2
 * @seed: seed of the folds and of the bootstrap
 * @framing: what is added around each text, such as special tokens
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
 * @settings: JSON of the settings, and of which model and table they are for
 * @model_path: (type filename): path of the model
 * @adapter_path: (nullable) (type filename): path of the adapter, which changes the model's weights
 * @n_layers: number of rows of the maps, one for each layer
 * @n_roles: number of columns of the maps, one for each role of a token
 * @scores: (array): [n_layers, n_roles], how well each probe tells the labels apart
 * @role_rows: (array): [n_roles], how many rows of the tables are tested at each role
 * @n_rows: number of rows of the table and, behind these, of the validation table
 * @folds: (array): [n_rows], the fold in which each row is tested
 * @labels: (array): [n_rows], 1 for a right answer, 0 for a wrong one
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
