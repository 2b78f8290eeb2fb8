/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kinds of figures. What the program knows of a kind stands in its row below and in the kind's
 * own folder, src/study/NAME, and nowhere else: other code does not ask for the kind, but for a
 * trait. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnFigureTraits:
 * @has_grid: the figure has rows and columns of panels, along dimensions that the study names;
 *   interventions are seen beside the baseline and in the prediction
 * @has_layer: the figure shows one layer, which can be chosen
 * @has_own_map: a cell stands for a head, or for an intervention at one place of the model, and not
 *   for a weight; other interventions are not seen
 * @has_cells_that_open: a click on a cell opens a figure of what the cell stands for
 * @has_measure: the figure shows the study's measure of each head
 * @has_patched: the figure shows effects of patches from the study's first input into the second
 * @has_groups: the figure shows groups of tokens within which heads attend
 * @has_roles: the columns are roles of tokens in a question and its answer
 * @has_state: the figure is a map of the residual stream, layers x tokens
 * @has_survey: the figure shows statistics over many texts
 * @head_word: (nullable): word that stands in the metadata of an exported figure in place of the
 *   number of a head
 * @hint: (nullable): hint at the figure while the pointer is not over it, untranslated
 */
typedef struct
{
  gboolean has_grid;
  gboolean has_layer;
  gboolean has_own_map;
  gboolean has_cells_that_open;
  gboolean has_measure;
  gboolean has_patched;
  gboolean has_groups;
  gboolean has_roles;
  gboolean has_state;
  gboolean has_survey;
  const char *head_word;
  const char *hint;
} AttnFigureTraits;

/* KIND (NAME, name, word, traits) for each kind of figure: its value is ATTN_FIGURE_NAME; the
 * function attn_name_figure_run() computes it; @word is its name in JSON and on the command line.
 *
 * GRID: rows x columns of panels of attention weights
 *
 * HEAD_GROUPS: which head attends within which group of tokens: a diagram and a matrix
 *
 * LAYER_TOKEN: one map of layers x roles of tokens in a question and its answer
 *
 * SCORE_ATLAS: one map of layers x heads, a number of each head
 *
 * PATCH_MAP: one map of layers x positions, or of layers x heads: how much of the answer to the
 * first input comes back when the second input gets the vector of the first at that place
 *
 * STATE: one map of layers x tokens: the residual stream, or what a layer adds to it
 *
 * SURVEY: what the heads do over many texts: a map of layers x heads for each statistic and
 * condition, and charts */
/* clang-format off */
#define ATTN_FIGURE_KINDS(KIND)                                                            \
  KIND (GRID, grid, "grid",                                                                \
    .has_grid = TRUE, .has_layer = TRUE)                                                   \
  KIND (HEAD_GROUPS, head_groups, "head-groups",                                           \
    .has_layer = TRUE, .has_groups = TRUE, .head_word = "groups")                          \
  KIND (LAYER_TOKEN, layer_token, "layer-token",                                           \
    .has_roles = TRUE)                                                                     \
  KIND (SCORE_ATLAS, score_atlas, "score-atlas",                                           \
    .has_own_map = TRUE, .has_cells_that_open = TRUE, .has_measure = TRUE,                 \
    .hint = N_("Point at a head to read it; click it to open it; scroll to zoom"))         \
  KIND (PATCH_MAP, patch_map, "patch-map",                                                 \
    .has_own_map = TRUE, .has_cells_that_open = TRUE, .has_patched = TRUE,                 \
    .hint = N_("Point at a cell to read it; click it to open the patched attention"))      \
  KIND (STATE, state, "state",                                                             \
    .has_state = TRUE,                                                                     \
    .hint = N_("Point at a cell to read it"))                                              \
  KIND (SURVEY, survey, "survey",                                                          \
    .has_cells_that_open = TRUE, .has_survey = TRUE,                                       \
    .hint = N_("Point at a head to read it; click it for its texts"))
/* clang-format on */

#define ATTN_FIGURE_VALUE(NAME, name, word, ...) ATTN_FIGURE_##NAME,

/**
 * AttnFigureKind:
 *
 * The kinds of figures, a value for each row of ATTN_FIGURE_KINDS above.
 */
typedef enum
{
  ATTN_FIGURE_KINDS (ATTN_FIGURE_VALUE) ATTN_N_FIGURES,
} AttnFigureKind;

G_END_DECLS
