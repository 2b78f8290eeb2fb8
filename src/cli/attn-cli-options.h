/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The options that `render` and `compute` share, some of them also with other subcommands. Private
 * to src/cli. */

#pragma once

#include "attn-cli-settings.h"
#include "attn-export.h"
#include "attn-study.h"
#include "attn-trace.h"

G_BEGIN_DECLS

/* Measures of the effect that an intervention has on the prediction. */
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
 * @quantity: quantities that a forward pass keeps for it, 0 for none
 * @map: if @quantity is 0, the kind of map that is computed of a head
 * @effect: the effect on the prediction, if it is one; else %ATTN_CLI_EFFECT_NONE
 *
 * A kind of array that `compute --what` can write, such as "weights".
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
 * @name: path of the file; for standard output "-" with a suffix that tells the format, such as
 *   "-.svg"
 * @figure: format of the figure; only for `render`
 *
 * An output, as -o names it: a file or standard output.
 */
typedef struct
{
  char *name;
  gboolean is_standard_output;
  AttnExportFormat figure;
} AttnCliTarget;

/**
 * AttnCliOptions:
 * @asked: settings from options that also work without a figure: model, inputs, layer and head (or
 *   %ATTN_CLI_ALL), and factors, axis, site and scope of interventions
 * @targets: (element-type AttnCliTarget): outputs that -o names
 * @format: (nullable): value of --format, the suffix of standard output
 * @operations: (element-type AttnIntervention): interventions of --mean, --scale, --zero, --patch
 *   and --cut, in the order of the command line; axis, site and scope are not set here but in
 *   @asked
 * @choices: (element-type AttnCliChoice): options that change one setting of the study each, in the
 *   order of the command line
 * @what: kind of array that `compute` writes
 * @edge: positions of the query and the key of --edge, if @has_edge
 * @n_top: number of tokens that a prediction lists for each position; -1 for the default
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
