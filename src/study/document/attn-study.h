/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study is the document of the program: it says which inputs, models, interventions and panels a
 * figure has, and how it looks. */

#pragma once

#include "attn-attribution.h"
#include "attn-export.h"
#include "attn-figure-kind.h"
#include "attn-grid.h"
#include "attn-intervention.h"
#include "attn-maps.h"
#include "attn-model-reference.h"
#include "attn-statistic.h"
#include "attn-text.h"
#include "attn-tokenizer.h"
#include "attn-style.h"

G_BEGIN_DECLS

#define ATTN_STUDY_VERSION 1

/**
 * AttnDimension:
 * @ATTN_DIMENSION_COMPARISON: three panels A, B and B - A; A and B differ in @compared of the study
 *
 * What changes from row to row, or from column to column, of the grid of panels.
 */
typedef enum
{
  ATTN_DIMENSION_NONE,
  ATTN_DIMENSION_INPUT,
  ATTN_DIMENSION_COMPONENT,
  ATTN_DIMENSION_EPSILON,
  ATTN_DIMENSION_LAYER,
  ATTN_DIMENSION_HEAD,
  ATTN_DIMENSION_SITE,
  ATTN_DIMENSION_AXIS,
  ATTN_DIMENSION_MODEL,
  ATTN_DIMENSION_COMPARISON,
} AttnDimension;

/* Largest number of pictures that one text can hold. */
#define ATTN_MAX_PICTURES 64

/**
 * AttnInput:
 * @text: (nullable): the text, if the input is one
 * @ids: (nullable) (array length=n_ids): token ids used as they are, if the input is given as ids
 * @images: (nullable) (array zero-terminated=1): paths of pictures, prepared as the model's
 *   processor says, if the input is a picture or has pictures in its text; never empty
 * @pixels: (nullable) (array zero-terminated=1): paths of arrays [channels, height, width],
 *   pictures as the model takes them, without preparation
 * @audio: (nullable): path of a sound, prepared as the model's processor says, if the input is a
 *   sound
 * @features: (nullable): path of an array [bins, frames], a sound as the model takes it
 * @stands_for: (nullable): the text that @ids or a picture stand for as long as the model takes no
 *   text
 * @n_tokens: how many tokens from the start are used, 0 for all
 * @target: (nullable): the text that a decoder reads, beside what its encoder reads
 * @target_ids: (nullable) (array length=n_target_ids): instead of @target: token ids used as they
 *   are
 * @language: (nullable): language that is spoken in a sound, such as "es"; %NULL for the one that
 *   the model hears
 * @task: (nullable): what a speech model does with a sound: "transcribe" or "translate"
 */
typedef struct
{
  char *text;
  guint32 *ids;
  gsize n_ids;
  char **images;
  char **pixels;
  char *audio;
  char *features;
  char *stands_for;
  gsize n_tokens;
  char *target;
  guint32 *target_ids;
  gsize n_target_ids;
  char *language;
  char *task;
} AttnInput;

/**
 * AttnStudyRegion:
 * @panel: index of the panel that the region lies on, row-major in the grid
 * @region: its rows and columns are positions in the input, also where only some tokens are shown
 */
typedef struct
{
  gsize panel;
  AttnRegion region;
} AttnStudyRegion;

/**
 * AttnGroupRule:
 * @ATTN_GROUP_RULE_ASSIGNED: groups of tokens are given by hand; each head attends only within its
 *   group
 * @ATTN_GROUP_RULE_THRESHOLD: a weight of at least the threshold connects its query and key
 * @ATTN_GROUP_RULE_SHARE: a query is connected to the fewest keys that hold a given share of its
 *   weight
 */
typedef enum
{
  ATTN_GROUP_RULE_ASSIGNED,
  ATTN_GROUP_RULE_THRESHOLD,
  ATTN_GROUP_RULE_SHARE,
} AttnGroupRule;

#define ATTN_GROUP_DEFAULT_SHARE 0.7

/**
 * AttnGroup:
 * @head: number of the head whose attention the group masks
 * @tokens: (array zero-terminated=1): the group's tokens as text, as they stand in the input
 */
typedef struct
{
  gsize head;
  GStrv tokens;
} AttnGroup;

/**
 * AttnGroupOptions:
 * @rule: where the groups of tokens come from
 * @level: threshold, or share of the row's weight, 0 to 1
 * @assigned: (element-type AttnGroup): groups given by hand, at most one for each head
 * @is_graded: the matrix shows weights; %FALSE: only which tokens are connected
 * @has_mask: @mask is used instead of the model's own mask
 *
 * Options of a figure of head groups, %ATTN_FIGURE_HEAD_GROUPS.
 */
typedef struct
{
  AttnGroupRule rule;
  double level;
  GPtrArray *assigned;
  gboolean is_graded;
  gboolean has_mask;
  AttnMask mask;
} AttnGroupOptions;

/**
 * AttnReduction:
 * @ATTN_REDUCTION_MEAN: mean over the heads of a layer
 * @ATTN_REDUCTION_MAX: largest value of the heads of a layer
 * @ATTN_REDUCTION_RELATIVE: the mean over the heads, divided by the largest such mean in its layer
 */
typedef enum
{
  ATTN_REDUCTION_MEAN,
  ATTN_REDUCTION_MAX,
  ATTN_REDUCTION_RELATIVE,
} AttnReduction;

/**
 * AttnRoleOptions:
 * @question: (nullable): text before the answer
 * @answer: (nullable): text that follows the question as it is; only where a word would run into
 *   the end of the question, a space is put between them
 * @exact_answer: (nullable): the part of the answer that answers the question, such as "Paris";
 *   %NULL for what stands within [[ and ]] in @answer
 * @has_positions: the three positions below are used instead of texts, and the first input of the
 *   study is question and answer
 * @answer_first: position of the first token of the answer, from 0
 * @exact_first: position of the first token of the exact answer
 * @exact_last: position of the last token of the exact answer
 * @has_after_last: the figure has a column for the token behind the exact answer
 *
 * Options of a map of layers by tokens of an answer, %ATTN_FIGURE_LAYER_TOKEN.
 */
typedef struct
{
  char *question;
  char *answer;
  char *exact_answer;
  gboolean has_positions;
  gsize answer_first;
  gsize exact_first;
  gsize exact_last;
  gboolean has_after_last;
  AttnReduction reduction;
} AttnRoleOptions;

/**
 * AttnShownEffect:
 * @ATTN_SHOWN_NUMBERS: numbers below each panel: KL, and loss before and after, as means over all
 *   tokens, and the logit difference at the last token
 * @ATTN_SHOWN_STRIP: bars beside each panel, with the effect at each position
 * @ATTN_SHOWN_CURVE: KL and sink score over ε below all panels, if the operation has a factor ε
 *
 * What a grid shows beside its panels of how an intervention changes the model's prediction.
 */
typedef enum
{
  ATTN_SHOWN_NUMBERS,
  ATTN_SHOWN_STRIP,
  ATTN_SHOWN_CURVE,
} AttnShownEffect;

#define ATTN_N_SHOWN_EFFECTS 3

/**
 * AttnHeadMeasure:
 * @ATTN_HEAD_MEASURE_SINK: sink score of the first key, 0 to 1
 * @ATTN_HEAD_MEASURE_ENTROPY: mean entropy of a row, in bits
 * @ATTN_HEAD_MEASURE_DISTANCE: mean distance from query to key, in tokens
 * @ATTN_HEAD_MEASURE_PREVIOUS: mean weight on the token before, 0 to 1
 * @ATTN_HEAD_MEASURE_DUPLICATE: mean weight on earlier occurrences of the token
 * @ATTN_HEAD_MEASURE_INDUCTION: mean weight on what follows earlier occurrences of the token
 * @ATTN_HEAD_MEASURE_CHANGE: total variation distance between the weights without and with an
 *   intervention, 0 to 1
 * @ATTN_HEAD_MEASURE_EFFECT_ZERO: effect on the prediction of setting the output of that head alone
 *   to zero: KL in bits, mean over the positions
 * @ATTN_HEAD_MEASURE_EFFECT_MEAN: the same where the output is replaced by its mean over the
 *   study's axis
 * @ATTN_HEAD_MEASURE_LOSS_ZERO: what setting the output to zero adds to the loss: bits, mean over
 *   the positions
 * @ATTN_HEAD_MEASURE_LOSS_MEAN: what replacing the output by its mean adds to the loss, likewise
 * @ATTN_HEAD_MEASURE_EFFECT_SCALE: what multiplying by the study's first factor ε does to the
 *   prediction
 * @ATTN_HEAD_MEASURE_OUTPUT_NORM: mean length of what the head puts out, relative to the mean over
 *   the heads of its layer
 * @ATTN_HEAD_MEASURE_QUERY_NORM: mean length of the head's query vectors
 * @ATTN_HEAD_MEASURE_KEY_NORM: mean length of its key vectors
 * @ATTN_HEAD_MEASURE_VALUE_NORM: mean length of its value vectors
 *
 * An effect is that of the study's operation on the query, key, value or output of that head alone;
 * on its output where the study names none.
 *
 * Measures of weights are taken without an intervention; lengths are taken after the study's
 * operation.
 */
typedef enum
{
  ATTN_HEAD_MEASURE_SINK,
  ATTN_HEAD_MEASURE_ENTROPY,
  ATTN_HEAD_MEASURE_DISTANCE,
  ATTN_HEAD_MEASURE_PREVIOUS,
  ATTN_HEAD_MEASURE_DUPLICATE,
  ATTN_HEAD_MEASURE_INDUCTION,
  ATTN_HEAD_MEASURE_CHANGE,
  ATTN_HEAD_MEASURE_EFFECT_ZERO,
  ATTN_HEAD_MEASURE_EFFECT_MEAN,
  ATTN_HEAD_MEASURE_LOSS_ZERO,
  ATTN_HEAD_MEASURE_LOSS_MEAN,
  ATTN_HEAD_MEASURE_EFFECT_SCALE,
  ATTN_HEAD_MEASURE_OUTPUT_NORM,
  ATTN_HEAD_MEASURE_QUERY_NORM,
  ATTN_HEAD_MEASURE_KEY_NORM,
  ATTN_HEAD_MEASURE_VALUE_NORM,
  ATTN_N_HEAD_MEASURES,
} AttnHeadMeasure;

/**
 * AttnState:
 * @ATTN_STATE_NORM: Euclidean norm ‖h_t‖ of the residual stream of each token t
 * @ATTN_STATE_COSINE: cosine between the residual streams of the token and of the study's state
 *   token
 * @ATTN_STATE_LARGEST: largest absolute value of a channel of the residual stream
 * @ATTN_STATE_ATTENTION: norm of what the attention adds to the residual stream
 * @ATTN_STATE_MLP: norm of what the MLP adds to the residual stream
 */
typedef enum
{
  ATTN_STATE_NORM,
  ATTN_STATE_COSINE,
  ATTN_STATE_LARGEST,
  ATTN_STATE_ATTENTION,
  ATTN_STATE_MLP,
} AttnState;

/**
 * AttnStateCurve:
 * @ATTN_STATE_CURVE_ENTROPY: matrix entropy of the residual stream, in nats
 * @ATTN_STATE_CURVE_SINK: share of the heads of a layer that are sinks
 * @ATTN_STATE_CURVE_FIRST: norm of the residual stream of the first token
 *
 * Curves over the layers, drawn below a map of states.
 */
typedef enum
{
  ATTN_STATE_CURVE_ENTROPY,
  ATTN_STATE_CURVE_SINK,
  ATTN_STATE_CURVE_FIRST,
  ATTN_N_STATE_CURVES,
} AttnStateCurve;

/**
 * AttnPatched:
 * @ATTN_PATCHED_RESIDUAL: the residual stream entering each layer, at each position
 * @ATTN_PATCHED_OUTPUT: what all heads of a layer put out, at each position
 * @ATTN_PATCHED_MLP: what the MLP puts out, at each position
 * @ATTN_PATCHED_HEADS: what each head puts out, at all positions
 *
 * What a patch map takes from one input into another, for each of its cells.
 */
typedef enum
{
  ATTN_PATCHED_RESIDUAL,
  ATTN_PATCHED_OUTPUT,
  ATTN_PATCHED_MLP,
  ATTN_PATCHED_HEADS,
} AttnPatched;

/**
 * AttnSurveyChart:
 * @ATTN_SURVEY_CHART_SCATTER: each head as a point, by two statistics
 * @ATTN_SURVEY_CHART_HISTOGRAM: how many texts have which value of the statistic in the head on
 *   display
 * @ATTN_SURVEY_CHART_CURVES: over ε the sink rate and, where they were counted, KL and loss; over
 *   the length of the texts the sink rate
 *
 * What a survey shows below its maps.
 */
typedef enum
{
  ATTN_SURVEY_CHART_SCATTER,
  ATTN_SURVEY_CHART_HISTOGRAM,
  ATTN_SURVEY_CHART_CURVES,
} AttnSurveyChart;

#define ATTN_N_SURVEY_CHARTS 3

/* Unit of the KL divergence in an attribution. The published method uses nats. */
typedef enum
{
  ATTN_SURVEY_NATS,
  ATTN_SURVEY_BITS,
} AttnSurveyUnit;

/**
 * AttnSurveyOptions:
 * @texts: (nullable) (type filename): path of the file of texts; %NULL for random tokens. See
 *   #AttnTextsSpec for this member and those up to @seed.
 * @length: tokens of a text; of random tokens, how many stand before the sequence is repeated
 * @n_random: how many sequences of random tokens
 * @is_together: all interventions are one condition; otherwise each intervention is its own
 * @statistics: indexed by #AttnStatistic: what is counted and shown; none set for all of a survey's
 *   file, or else for the usual ones
 * @max_tokens: largest number of tokens of an answer, for the statistics of answers
 * @rank: how many singular vectors count for %ATTN_STATISTIC_ATTRIBUTION
 * @steps: how many heads the attribution chooses, one after the other
 * @unit: unit of the attribution's KL divergence
 * @at: position at which that KL is taken, or %ATTN_AT_ALL, %ATTN_AT_LAST
 * @statistic: the statistic that the charts show
 * @against: the statistic along the horizontal axis of the scatter
 * @condition: number of the condition that the charts show; a number beyond the last means the last
 * @charts: indexed by #AttnSurveyChart: which charts are drawn
 *
 * Options of statistics over many texts, %ATTN_FIGURE_SURVEY. Where the model is a survey's file,
 * nothing is counted, and the options up to @is_together have no effect.
 */
typedef struct
{
  char *texts;
  char *field;
  char *column;
  gsize length;
  gboolean is_packed;
  gsize skip;
  gsize limit;
  gsize n_random;
  gsize seed;
  gboolean is_together;
  gboolean statistics[ATTN_N_STATISTICS];
  gsize max_tokens;
  gsize rank;
  gsize steps;
  AttnSurveyUnit unit;
  int at;
  AttnStatistic statistic;
  AttnStatistic against;
  gsize condition;
  gboolean charts[ATTN_N_SURVEY_CHARTS];
} AttnSurveyOptions;

/* Unit of a KL divergence: bits (logarithm to base 2) or nats (base e). */
typedef enum
{
  ATTN_EFFECT_BITS,
  ATTN_EFFECT_NATS,
} AttnEffectUnit;

/* Special values of AttnStudy.layer and AttnStudy.head. */
#define ATTN_LAYER_STRONGEST_SINK (-1)
#define ATTN_HEAD_STRONGEST_SINK  (-1)
#define ATTN_HEAD_MEAN            (-2)

/**
 * AttnStudy:
 * @preset: (nullable): name of the preset that the study came from
 * @model: the first model
 * @other_models: (element-type AttnModelReference): the models behind @model, where models change
 *   along the grid
 * @attention: (nullable): name of the attention that is shown and acted on, such as "cross", for a
 *   model that has several; %NULL for the first
 * @inputs: (element-type AttnInput): the inputs, at least one unless the model is a recording,
 *   which has its own
 * @n_answer: most tokens that the model generates behind each input; for a decoder without a
 *   target, 0 stands for as many as it generates by default
 * @applies_chat: whether texts are put into the model's chat template; @adds_special_tokens is then
 *   ignored
 * @adds_special_tokens: whether the tokenizer adds its special tokens, such as a first <s>
 * @layer: the layer on display; %ATTN_LAYER_STRONGEST_SINK finds it together with the head
 * @head: the head on display, %ATTN_HEAD_STRONGEST_SINK or %ATTN_HEAD_MEAN
 * @quantity: what the panels of a grid show of a head; measures such as the sink score are taken of
 *   its weights, whatever is shown
 * @token: (nullable): the token whose logit %ATTN_MAP_LOGIT and logit differences use, an id or a
 *   text of one token; %NULL for the token that follows in the input
 * @versus: (nullable): the token whose logit is subtracted
 * @effects: indexed by #AttnShownEffect: which effects on the prediction are shown
 * @picture: number of the picture in the text that panels are drawn over, or that the vision
 *   encoder sees, from 1; 0 for the picture of the query, if this is a patch, or else for the first
 * @is_over_picture: panels show the picture, and over it the weights that @queries give to its
 *   patches, averaged, or those of the first token if all queries are chosen; ignored if the model
 *   takes only texts
 * @joins_words: the tokens of a word are shown as one, with weights summed over its keys and
 *   averaged over its queries
 * @figure: what kind of figure it is
 * @rows: what changes along the rows
 * @columns: what changes along the columns
 * @layers: (nullable): the layers along a dimension of layers, or the two that are compared; %NULL
 *   for all
 * @heads: (nullable): the heads along a dimension of heads, or the two that are compared; %NULL for
 *   all
 * @compared: what A and B of a comparison differ in: %ATTN_DIMENSION_NONE for the baseline and the
 *   modified model; %ATTN_DIMENSION_INPUT, %ATTN_DIMENSION_LAYER, %ATTN_DIMENSION_HEAD or
 *   %ATTN_DIMENSION_MODEL for the study's first two inputs, layers, heads or models
 * @has_baseline_column: the first column shows the baseline, if the other columns differ in what is
 *   done to the model; see [func@attn_study_shows_baseline_column]
 * @shows_differences: panels are shown as their difference to the baseline
 * @differences: (nullable): numbers of the panels shown as differences, %NULL for all
 * @hides_keys: some keys are not shown
 * @hidden_keys: (nullable): positions of the keys that are not shown
 * @renormalises: the weights of the keys that are left are divided by their sum
 * @counts_sink: what a head with a learned sink leaves to no key is added to its sink score
 * @queries: (nullable): the rows that are shown, of %ATTN_FIGURE_LAYER_TOKEN those that are
 *   averaged; %NULL for all, or in that figure for the last one
 * @n_last_queries: how many rows from the end are shown, 0 for all of @queries
 * @operation: what is done to the components; a cut has none: it is done to the scores
 * @components: which of query, key and value the operation acts on, indexed by #AttnComponent.
 *   Along a dimension of components each has its own row or column; otherwise all take part in
 *   every panel.
 * @patch_input: number of the input that a patch takes from, from 0
 * @patch_pairs: (nullable) (element-type AttnPair): which positions a patch changes, and from which
 *   positions of that input; %NULL for each from the same position
 * @cut_keys: (nullable): the keys that a cut hides from the queries at @scope_tokens, %NULL for all
 * @axis: axis over which a mean operation averages
 * @axes: indexed by #AttnAxis: the axes along a dimension of axes
 * @site: where in the attention the operation acts
 * @sites: indexed by #AttnSite: the sites along a dimension of sites
 * @epsilons: (element-type double): factors for a scale; a dimension of ε has one each
 * @acts_on_shown_layer: the scope in layers is the layer on display; otherwise @scope_layers
 * @scope_layers: (nullable): layers that the operation acts on, %NULL for all
 * @acts_on_shown_head: the scope in heads is the head on display, or its key head; all heads where
 *   all are on display; otherwise @scope_heads
 * @scope_heads: (nullable): heads that the operation acts on, %NULL for all
 * @scope_tokens: (nullable): token positions that the operation acts on, %NULL for all
 * @extra_interventions: (element-type AttnIntervention): interventions in every panel, which come
 *   before @operation
 * @measure: what %ATTN_FIGURE_SCORE_ATLAS shows of each head
 * @effect_at: position at which an effect on the prediction is measured, or %ATTN_AT_ALL,
 *   %ATTN_AT_LAST
 * @effect_unit: unit of the KL divergence of such an effect
 * @sorts_heads: a score atlas has the heads from the largest value to the smallest, named in their
 *   cells
 * @patched: what %ATTN_FIGURE_PATCH_MAP patches
 * @state: what %ATTN_FIGURE_STATE shows
 * @state_token: the token to whose residual stream a cosine is taken
 * @state_curves: by #AttnStateCurve: which curves stand below the map of states
 * @groups: options of %ATTN_FIGURE_HEAD_GROUPS
 * @roles: options of %ATTN_FIGURE_LAYER_TOKEN
 * @survey: options of %ATTN_FIGURE_SURVEY
 * @regions: (element-type AttnStudyRegion): rectangles and pins over the panels
 * @title: (nullable): template of the panel titles, Pango markup in which {component}, {epsilon},
 *   {input}, {layer}, {head} and the like are filled in; see [func@attn_study_get_title]
 * @caption: (nullable): template of the caption; {components} becomes "Query, Key and Value"
 * @value_label: (nullable): label of the colour bar, plain text; %NULL for the default, such as
 *   "Attention Weight"
 * @style: colours, fonts and lines of the figure
 * @viewport: the part of every panel's rows and columns that an exported figure shows
 * @views: (nullable) (element-type AttnViewport): the part that each panel shows, if panels show
 *   different parts; ignored unless there is one for each panel
 * @page: size and kind of the exported figure; its members format, title and metadata are ignored
 *
 * A study is reference-counted, and immutable once it is given away; its type is then const
 * AttnStudy. An edit changes a copy that is not given away yet. How each member is copied, compared
 * and written follows from the table in attn-study-table.c.
 */
typedef struct
{
  char *preset;
  AttnModelReference model;
  GPtrArray *other_models;
  char *attention;
  GPtrArray *inputs;
  gboolean adds_special_tokens;
  gboolean applies_chat;
  gsize n_answer;
  AttnMapKind quantity;
  char *token;
  char *versus;
  gboolean effects[ATTN_N_SHOWN_EFFECTS];
  gsize picture;
  gboolean is_over_picture;
  gboolean joins_words;
  AttnFigureKind figure;
  int layer;
  int head;
  AttnDimension rows;
  AttnDimension columns;
  AttnIndexSet *layers;
  AttnIndexSet *heads;
  AttnDimension compared;
  gboolean has_baseline_column;
  gboolean shows_differences;
  AttnIndexSet *differences;
  gboolean hides_keys;
  AttnIndexSet *hidden_keys;
  gboolean renormalises;
  gboolean counts_sink;
  AttnIndexSet *queries;
  gsize n_last_queries;
  AttnOperation operation;
  gboolean components[ATTN_N_COMPONENTS];
  gsize patch_input;
  GArray *patch_pairs;
  AttnIndexSet *cut_keys;
  AttnAxis axis;
  gboolean axes[ATTN_N_AXES];
  AttnSite site;
  gboolean sites[ATTN_N_SITES];
  GArray *epsilons;
  gboolean acts_on_shown_layer;
  AttnIndexSet *scope_layers;
  gboolean acts_on_shown_head;
  AttnIndexSet *scope_heads;
  AttnIndexSet *scope_tokens;
  GPtrArray *extra_interventions;
  AttnHeadMeasure measure;
  int effect_at;
  AttnEffectUnit effect_unit;
  gboolean sorts_heads;
  AttnPatched patched;
  AttnState state;
  gsize state_token;
  gboolean state_curves[ATTN_N_STATE_CURVES];
  AttnGroupOptions groups;
  AttnRoleOptions roles;
  AttnSurveyOptions survey;
  GPtrArray *regions;
  char *title;
  char *caption;
  char *value_label;
  AttnStyle style;
  AttnViewport viewport;
  GArray *views;
  AttnExportOptions page;
} AttnStudy;

/* Largest size of a study as JSON in bytes; reading one can take 100 times as much memory.
 * ATTN_STUDY_MAX_SVG is the number of bytes of an SVG that are searched for a study. */
#define ATTN_STUDY_MAX_BYTES ((gsize) 4 << 20)
#define ATTN_STUDY_MAX_SVG   ((gsize) 64 << 20)

AttnStudy *attn_study_new       (void);
AttnStudy *attn_study_copy      (const AttnStudy  *study);
AttnModelReference *attn_study_get_model (const AttnStudy *study,
                                 guint             index);
const AttnStudy *attn_study_ref (const AttnStudy  *study);
void       attn_study_unref     (const AttnStudy  *study);
gboolean   attn_study_equal     (const AttnStudy  *a,
                                 const AttnStudy  *b);
AttnStudy *attn_study_from_json (const char       *where,
                                 const char       *json,
                                 gssize            length,
                                 GError          **error);
AttnStudy *attn_study_from_svg  (const char       *where,
                                 const char       *svg,
                                 gsize             length,
                                 GError          **error);
gboolean   attn_study_is_page   (const char       *text,
                                 gsize             length);
AttnStudy *attn_study_from_page (const char       *where,
                                 const char       *html,
                                 gsize             length,
                                 GError          **error);
char      *attn_study_to_json   (const AttnStudy  *study);
AttnStudy *attn_study_load      (const char       *path,
                                 GError          **error);
gboolean   attn_study_save      (const AttnStudy  *study,
                                 const char       *path,
                                 GError          **error);

void       attn_study_fit_quantity (AttnStudy     *study);
void       attn_study_fit_measure  (AttnStudy     *study);
void       attn_study_fit_state    (AttnStudy     *study);
void       attn_study_forget_panels (AttnStudy    *study);
void       attn_study_forget_answers (AttnStudy   *study);
const char *attn_study_get_title   (const AttnStudy *study);
gboolean   attn_study_has_own_title (const AttnStudy *study);
const char *attn_study_get_caption (const AttnStudy *study);
gboolean   attn_study_says         (const AttnStudy *study,
                                    const char      *placeholder);
void       attn_study_set_texts    (AttnStudy       *study,
                                    const char      *path);
gboolean   attn_study_has_operation (const AttnStudy *study);
AttnFraming attn_study_get_framing (const AttnStudy *study);
void       attn_study_end_operation (AttnStudy     *study);
GPtrArray *attn_study_list_patches  (const AttnStudy *study);
const AttnFigureTraits *attn_study_get_traits (const AttnStudy *study);
gboolean   attn_study_shows_operation (const AttnStudy *study);
gboolean   attn_study_is_changed   (const AttnStudy *study);
gboolean   attn_study_has_baseline (const AttnStudy *study);
gboolean   attn_study_takes_baseline_column (const AttnStudy *study);
gboolean   attn_study_shows_baseline_column (const AttnStudy *study);
gboolean   attn_study_means_heads  (const AttnStudy *study);
gboolean   attn_study_measures_effect (const AttnStudy *study,
                                       AttnOperation   *operation);
gboolean   attn_study_changes_along (const AttnStudy *study,
                                    AttnDimension    dimension);
gboolean   attn_study_has_factor   (const AttnStudy *study);
gboolean   attn_study_does         (const AttnStudy *study,
                                    AttnOperation    operation);
gboolean   attn_study_asks_question (const AttnStudy *study);
gboolean   attn_study_assigns_groups (const AttnStudy *study);
gsize      attn_study_count_flags (const gboolean *flags,
                                 gsize             n);
AttnViewport attn_study_get_panel_view (const AttnStudy *study,
                                     const AttnGrid  *grid,
                                     gsize            index);

AttnInput *attn_input_new_text  (const char       *text,
                                 gsize             n_tokens);
AttnInput *attn_input_new_ids   (const guint32    *ids,
                                 gsize             n_ids,
                                 gsize             n_tokens);
AttnInput *attn_input_new_picture (const char    *path,
                                 gboolean          is_prepared);
gboolean   attn_input_is_picture (const AttnInput *input);
const char * const *attn_input_get_pictures (const AttnInput *input);
gsize      attn_input_count_pictures (const AttnInput *input);
void       attn_input_add_picture (AttnInput     *input,
                                   const char    *path,
                                   gboolean       is_prepared);
gboolean   attn_input_is_text    (const AttnInput *input);
AttnInput *attn_input_new_sound  (const char    *path,
                                  gboolean       is_prepared);
gboolean   attn_input_is_sound   (const AttnInput *input);
AttnInput *attn_input_parse_ids (const char       *text,
                                 GError          **error);
GPtrArray *attn_inputs_split_text (const char     *where,
                                 const char       *text,
                                 gsize             length,
                                 gboolean          is_whole,
                                 GError          **error);
AttnInput *attn_input_copy      (const AttnInput  *input);
void       attn_input_free      (AttnInput        *input);
gboolean   attn_input_equal     (const AttnInput  *a,
                                 const AttnInput  *b);

AttnStudyRegion    *attn_study_region_new     (gsize                     panel,
                                               const AttnRegion         *region);
void                attn_study_region_free    (AttnStudyRegion          *region);
AttnGroup          *attn_group_new            (gsize                     head,
                                               const char * const       *tokens);
void                attn_group_free           (AttnGroup                *group);

/* (array zero-terminated=1): names of enumerated settings in files and on the command line, indexed
 * by the values of their enums. */
extern const char * const attn_figure_kind_names[];
extern const char * const attn_dimension_names[];
extern const char * const attn_shown_effect_names[];
extern const char * const attn_group_rule_names[];
extern const char * const attn_reduction_names[];
extern const char * const attn_head_measure_names[];
extern const char * const attn_effect_unit_names[];
extern const char * const attn_survey_unit_names[];
extern const char * const attn_patched_names[];
extern const char * const attn_state_names[];
extern const char * const attn_state_curve_names[];
extern const char * const attn_survey_chart_names[];

/* Names of the settings in which A and B of a comparison differ, and the grid dimension of each. */
extern const char * const attn_compared_names[];
extern const int attn_compared_values[];

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnStudy, attn_study_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnInput, attn_input_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnStudyRegion, attn_study_region_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnGroup, attn_group_free)

/* A preset is a study that ships with the program. */
typedef struct
{
  const char *name;        /* the preset's name on the command line */
  const char *title;       /* title in the window, untranslated: pass it through gettext */
  const char *description; /* one line, untranslated */
  const char *paper;       /* (nullable): the title of the paper that has such a figure */
  const char *arxiv;       /* (nullable): the paper's number on arXiv, such as "2410.13708" */
} AttnPreset;

const AttnPreset *attn_presets_get_all (gsize       *n_presets);
const AttnPreset *attn_presets_get_own (gsize       *n_presets);
gboolean          attn_presets_cite_paper (const AttnStudy *study);
char             *attn_preset_cite     (const AttnPreset *preset);
char             *attn_preset_build_command (const AttnPreset *preset);
gboolean          attn_presets_have_input (const AttnInput *input);
gboolean          attn_presets_have_inputs (const AttnStudy *study);
AttnStudy        *attn_presets_load    (const char  *name,
                                        GError     **error);
const AttnStudy  *attn_presets_get_origin (const AttnStudy *study);

char             *attn_data_find       (const char  *relative_path);
char             *attn_data_find_model (void);

G_END_DECLS
