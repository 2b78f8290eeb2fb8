/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The options that `render` and `compute` share. Private to src/cli. */

#pragma once

#include "attn-cli-settings.h"
#include "attn-study.h"
#include "attn-trace.h"

G_BEGIN_DECLS

/* "all", beside the special values of AttnStudy.layer and AttnStudy.head. */
#define ATTN_CLI_ALL (-3)

/**
 * AttnCliScope:
 * @is_given: whether the option was there
 * @set: (nullable): %NULL for all
 */
typedef struct
{
  gboolean is_given;
  AttnIndexSet *set;
} AttnCliScope;

/**
 * AttnCliOptions:
 * @inputs: (element-type AttnInput): in the order of the command line
 * @outputs: (element-type filename): what -o named
 * @standard_output: (nullable): the one of @outputs that is none of a file; its suffix tells the
 *   format
 * @format: (nullable): what --format named
 * @operations: (element-type AttnIntervention): of --mean and --scale, in order; axis, site and
 *   scope are those of the other options
 * @choices: (element-type AttnCliChoice): options that each change one thing of the study, in order
 * @quantity: what `compute` writes
 * @has_layer: and the like: whether the option was there
 */
typedef struct
{
  char *model;
  GPtrArray *inputs;
  GPtrArray *outputs;
  const char *standard_output;
  char *format;
  GPtrArray *operations;
  GArray *epsilons;
  GArray *choices;
  gboolean adds_special_tokens;
  gboolean has_special_tokens;
  int layer;
  gboolean has_layer;
  int head;
  gboolean has_head;
  AttnAxis axis;
  gboolean has_axis;
  AttnSite site;
  gboolean has_site;
  AttnCliScope layers;
  AttnCliScope heads;
  AttnCliScope tokens;
  AttnQuantity quantity;
} AttnCliOptions;

AttnCliOptions *attn_cli_options_new            (void);
void            attn_cli_options_free           (AttnCliOptions        *options);
GArray         *attn_cli_options_list_entries   (AttnCliOptions        *options);
gboolean        attn_cli_options_has_operation  (const AttnCliOptions  *options,
                                                 AttnOperation          operation);
guint           attn_cli_options_count          (const AttnCliOptions  *options,
                                                 const char            *setting);
GPtrArray      *attn_cli_options_build          (const AttnCliOptions  *options,
                                                 const gboolean        *operations,
                                                 AttnIndexSet          *default_layers);

gboolean        attn_cli_parse_switch_cb        (const char            *option,
                                                 const char            *value,
                                                 gpointer               data,
                                                 GError               **error);
const char     *attn_cli_get_quantity_name      (AttnQuantity           quantity);
gboolean        attn_cli_parse_quantity_cb      (const char            *option,
                                                 const char            *value,
                                                 gpointer               data,
                                                 GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnCliOptions, attn_cli_options_free)

G_END_DECLS
