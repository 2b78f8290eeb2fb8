/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study: the document. Which inputs, interventions and panels, and how they look. */

#pragma once

#include "attn-intervention.h"
#include "attn-style.h"

G_BEGIN_DECLS

#define ATTN_STUDY_VERSION 1

/**
 * AttnDimension:
 *
 * What changes along the rows or the columns of the grid.
 */
typedef enum
{
  ATTN_DIMENSION_NONE,
  ATTN_DIMENSION_INPUT,
  ATTN_DIMENSION_COMPONENT,
  ATTN_DIMENSION_EPSILON,
} AttnDimension;

/**
 * AttnInput:
 * @text: (nullable): the text, if it is one
 * @ids: (nullable) (array length=n_ids): token ids used as they are, if it is those
 * @n_tokens: use only so many from the start, 0 for all
 */
typedef struct
{
  char *text;
  guint32 *ids;
  gsize n_ids;
  gsize n_tokens;
} AttnInput;

/* Special values of AttnStudy.layer and AttnStudy.head. */
#define ATTN_LAYER_STRONGEST_SINK (-1)
#define ATTN_HEAD_STRONGEST_SINK  (-1)
#define ATTN_HEAD_MEAN            (-2)

/**
 * AttnStudy:
 * @preset: (nullable): name of the preset that it came from
 * @model_path: (nullable): checkpoint directory or file, %NULL for the model that ships with the
 *   program
 * @model_fingerprint: (nullable): of the model it was made with
 * @inputs: (element-type AttnInput): at least one
 * @adds_special_tokens: whether the tokenizer adds its own, such as a first <s>
 * @layer: the layer on display; %ATTN_LAYER_STRONGEST_SINK finds it together with the head
 * @head: the head on display, %ATTN_HEAD_STRONGEST_SINK or %ATTN_HEAD_MEAN
 * @rows: what changes along the rows
 * @columns: what changes along the columns
 * @operation: what is done to the components
 * @components: which of query, key and value, indexed by #AttnComponent. Along a dimension of
 *   components each has its own row or column; otherwise all take part in every panel.
 * @axis: for a mean
 * @site: where it acts
 * @epsilons: (element-type double): factors for a scale; a dimension of ε has one each
 * @acts_on_shown_layer: the scope in layers is the layer on display; otherwise @scope_layers
 * @scope_layers: (nullable): %NULL for all
 * @scope_heads: (nullable): %NULL for all
 * @scope_tokens: (nullable): %NULL for all
 * @extra_interventions: (element-type AttnIntervention): in force in every panel, before the
 *   grid's own
 * @title: (nullable): template of the panel titles, Pango markup in which {component}, {epsilon},
 *   {input}, {layer} and {head} are filled in
 * @caption: (nullable): template of the caption; {components} becomes "Query, Key and Value"
 * @style: how it looks
 *
 * A plain value that is edited by copying: the window keeps one, changes a copy, and hands it to
 * the worker, for which it is immutable.
 */
typedef struct
{
  char *preset;
  char *model_path;
  char *model_fingerprint;
  GPtrArray *inputs;
  gboolean adds_special_tokens;
  int layer;
  int head;
  AttnDimension rows;
  AttnDimension columns;
  AttnOperation operation;
  gboolean components[ATTN_N_COMPONENTS];
  AttnAxis axis;
  AttnSite site;
  GArray *epsilons;
  gboolean acts_on_shown_layer;
  AttnIndexSet *scope_layers;
  AttnIndexSet *scope_heads;
  AttnIndexSet *scope_tokens;
  GPtrArray *extra_interventions;
  char *title;
  char *caption;
  AttnStyle style;
} AttnStudy;

AttnStudy *attn_study_new       (void);
AttnStudy *attn_study_copy      (const AttnStudy  *study);
void       attn_study_free      (AttnStudy        *study);
gboolean   attn_study_equal     (const AttnStudy  *a,
                                 const AttnStudy  *b);
AttnStudy *attn_study_from_json (const char       *where,
                                 const char       *json,
                                 gssize            length,
                                 GError          **error);
char      *attn_study_to_json   (const AttnStudy  *study);
AttnStudy *attn_study_load      (const char       *path,
                                 GError          **error);
gboolean   attn_study_save      (const AttnStudy  *study,
                                 const char       *path,
                                 GError          **error);

AttnInput *attn_input_new_text  (const char       *text,
                                 gsize             n_tokens);
AttnInput *attn_input_new_ids   (const guint32    *ids,
                                 gsize             n_ids,
                                 gsize             n_tokens);
AttnInput *attn_input_parse_ids (const char       *text,
                                 GError          **error);
AttnInput *attn_input_copy      (const AttnInput  *input);
void       attn_input_free      (AttnInput        *input);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnStudy, attn_study_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnInput, attn_input_free)

/* Presets are studies that ship with the program. */
typedef struct
{
  const char *name;        /* the word on the command line */
  const char *title;       /* as the window shows it, untranslated: pass it through gettext */
  const char *description; /* one line, untranslated */
} AttnPreset;

const AttnPreset *attn_presets_get_all (gsize       *n_presets);
AttnStudy        *attn_presets_load    (const char  *name,
                                        GError     **error);

char             *attn_data_find       (const char  *relative_path);
char             *attn_data_find_model (void);

G_END_DECLS
