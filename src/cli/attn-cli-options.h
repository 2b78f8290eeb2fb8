/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The options that `render` and `compute` share. Private to src/cli. */

#pragma once

#include "attn-cli-settings.h"
#include "attn-export.h"
#include "attn-study.h"
#include "attn-trace.h"

G_BEGIN_DECLS

/* Effects of an intervention on the prediction. */
typedef enum
{
  ATTN_CLI_EFFECT_NONE,
  ATTN_CLI_EFFECT_KL,
  ATTN_CLI_EFFECT_LOSS,
  ATTN_CLI_EFFECT_DIFFERENCE,
  ATTN_CLI_EFFECT_PREDICTION,
} AttnCliEffect;

/**
 * AttnCliWhat:
 * @quantity: what a trace keeps of it, or 0; several for what is made of them
 * @map: where that is 0, which map of a head it is
 * @effect: or which effect on the prediction
 *
 * What `compute --what` names.
 */
typedef struct
{
  const char *name;
  AttnQuantity quantity;
  AttnMapKind map;
  AttnCliEffect effect;
} AttnCliWhat;

/**
 * AttnCliTarget:
 * @name: of a file; of standard output a dash with a suffix, which tells the format as that of a
 *   file does
 * @figure: the format of a figure, for `render`
 *
 * Where something is written, which is asked once.
 */
typedef struct
{
  char *name;
  gboolean is_standard_output;
  AttnExportFormat figure;
} AttnCliTarget;

/**
 * AttnCliOptions:
 * @asked: what the options say that mean something without a figure, too: model, inputs, layer and
 *   head, or %ATTN_CLI_ALL, and where and with which factors to intervene
 * @targets: (element-type AttnCliTarget): what -o named
 * @format: (nullable): what --format named
 * @operations: (element-type AttnIntervention): of --mean, --scale, --zero, --patch and --cut, in
 *   order; axis, site and scope are those of the other options
 * @choices: (element-type AttnCliChoice): options that each change one thing of the study, in order
 * @what: what `compute` writes
 * @edge: positions of a query and a key, if @has_edge
 * @n_top: how many tokens of each position, for a prediction; -1 for as many as usual
 */
typedef struct
{
  AttnStudy *asked;
  GPtrArray *targets;
  char *format;
  GPtrArray *operations;
  GArray *choices;
  const AttnCliWhat *what;
  gboolean has_edge;
  int edge[2];
  int n_top;
} AttnCliOptions;

AttnCliOptions *attn_cli_options_new            (void);
void            attn_cli_options_free           (AttnCliOptions        *options);
GArray         *attn_cli_options_list_entries   (AttnCliOptions        *options);
GArray         *attn_cli_options_list_some      (AttnCliOptions        *options,
                                                 const GOptionEntry    *own,
                                                 const char * const    *names);
gboolean        attn_cli_options_is_of_pass     (const char            *setting);
gboolean        attn_cli_options_has_operation  (const AttnCliOptions  *options,
                                                 AttnOperation          operation);
gboolean        attn_cli_options_is_own         (const AttnStudy       *study,
                                                 const AttnIntervention *asked);
gboolean        attn_cli_options_patches_from   (const AttnCliOptions  *options,
                                                 gsize                  input);
guint           attn_cli_options_count          (const AttnCliOptions  *options,
                                                 const char            *setting);
GPtrArray      *attn_cli_options_build          (const AttnCliOptions  *options,
                                                 const AttnStudy       *study,
                                                 AttnIndexSet          *default_layers,
                                                 AttnIndexSet          *default_heads);
gboolean        attn_cli_options_check_head     (const AttnCliOptions  *options,
                                                 gboolean               has_head,
                                                 GError               **error);

gboolean        attn_cli_parse_what_cb          (const char            *option,
                                                 const char            *value,
                                                 gpointer               data,
                                                 GError               **error);

gboolean        attn_cli_parse_edge_cb          (const char            *option,
                                                 const char            *value,
                                                 gpointer               data,
                                                 GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnCliOptions, attn_cli_options_free)

G_END_DECLS
