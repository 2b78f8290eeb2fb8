/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of a study's settings: a row for each member of AttnStudy. Loops over the rows do what
 * is done with members: copying, comparing, the file (the names are those of its JSON, the order is
 * that in which it is written), options of the command line, controls (a widget of the same name is
 * bound to its row), and whether panels are computed again.
 *
 * A row without a description has its command-line option written by hand in src/cli, as the option
 * changes more than one member. */

#include "config.h"

#include "attn-study-table.h"

#include <glib/gi18n-lib.h>

#include "attn-array-format.h"
#include "attn-attribution.h"
#include "attn-error.h"

/* Largest numbers of list elements that are accepted from the file of a study, so that a file
 * cannot exhaust memory. */
#define MAX_MODELS        64
#define MAX_INPUTS        1024
#define MAX_INTERVENTIONS 1024
#define MAX_GROUPS        4096
#define MAX_REGIONS       4096
#define MAX_VIEWS         65536

/* Largest limit of the colour bar; values are float32, at most 3.4e38. */
#define MAX_VALUE 1e38

static AttnStudy usual;

static const char * const layer_names[] = { "strongest-sink", NULL };
static const char * const head_names[] = { "strongest-sink", "mean", NULL };
static const char * const at_names[] = { "all", "last", NULL };
/* Names of the values of AttnMask, and "model" for the mask that the model itself has. */
static const char * const mask_names[] = { "none", "causal", "model", NULL };

const char * const attn_shown_effect_names[] = { "numbers", "strip", "curve", NULL };

/* Names of the settings in which A and B of a comparison can differ. All but "intervention" are
 * dimensions of a grid. */
const char * const attn_compared_names[] = { "intervention", "input", "layer",
                                             "head", "model", NULL };
const int attn_compared_values[] = { ATTN_DIMENSION_NONE, ATTN_DIMENSION_INPUT,
                                     ATTN_DIMENSION_LAYER, ATTN_DIMENSION_HEAD,
                                     ATTN_DIMENSION_MODEL };

/* --- Members that only some studies have  */

static gboolean
has_groups (gconstpointer owner)
{
  const AttnStudy *study = owner;

  return attn_study_get_traits (study)->has_groups || study->groups.assigned->len > 0;
}

static gboolean
has_roles (gconstpointer owner)
{
  const AttnStudy *study = owner;

  return attn_study_get_traits (study)->has_roles || study->roles.question != NULL ||
         study->roles.answer != NULL || study->roles.exact_answer != NULL ||
         study->roles.has_positions;
}

static gboolean
has_measure (gconstpointer owner)
{
  return attn_study_get_traits (owner)->has_measure;
}

static gboolean
has_patched (gconstpointer owner)
{
  return attn_study_get_traits (owner)->has_patched;
}

static gboolean
has_state (gconstpointer owner)
{
  return attn_study_get_traits (owner)->has_state;
}

static gboolean
has_survey (gconstpointer owner)
{
  return attn_study_get_traits (owner)->has_survey;
}

static gboolean
has_own_colormap (gconstpointer owner)
{
  return ((const AttnStudy *) owner)->style.colormap >= ATTN_N_COLORMAPS;
}

static gboolean
has_page (gconstpointer owner)
{
  const AttnRecord *record = attn_study_get_record ();
  gboolean is_usual = TRUE;

  for (gsize i = 0; i < record->n_fields && is_usual; i++)
    is_usual = record->fields[i].is_written != has_page ||
               attn_field_equal (&record->fields[i], owner, &usual);
  return !is_usual;
}

static void
write_version (const AttnField *field,
               gconstpointer    member,
               AttnJsonWriter  *writer,
               const char      *name)
{
  attn_json_writer_add_integer (writer, name, ATTN_STUDY_VERSION);
}

static gboolean
read_version (const AttnField  *field,
              JsonObject       *object,
              JsonNode         *node,
              gpointer          member,
              GError          **error)
{
  gint64 version = json_node_get_value_type (node) == G_TYPE_INT64 ? json_node_get_int (node) : -1;

  if (version < 0)
    return attn_fail (error, ATTN_ERROR_FORMAT, _("none found, expected a study with version %d"),
                      ATTN_STUDY_VERSION);
  if (version != ATTN_STUDY_VERSION)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("study of version %d found, expected version %d"),
                      (int) MIN (version, G_MAXINT), ATTN_STUDY_VERSION);
  return TRUE;
}

/* Field that reads and writes the version of the file format. It does not belong to the study, so
 * the member that its row names is not used. */
static const AttnFieldType attn_field_version = { .read = read_version, .write = write_version };

/* Checks conditions that involve more than one field of the study, such as low and high of the
 * colour bar. */
static gboolean
check_study (gconstpointer   owner,
             JsonObject     *object,
             GError        **error)
{
  const AttnStudy *study = owner;
  const AttnStyle *style = &study->style;

  if (style->high <= style->low || (style->high - style->low) / style->tick > 1000)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("“style”: “low” %g, “high” %g, “tick” %g found, expected low below high "
                        "and at most 1000 ticks"),
                      style->low, style->high, style->tick);
  if (study->rows == study->columns && study->rows != ATTN_DIMENSION_NONE)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("“%s” found along rows and columns, expected two different dimensions"),
                      attn_dimension_names[study->rows]);
  if (study->operation == ATTN_OPERATION_SCALE && study->epsilons->len == 0)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("operation “scale” without “epsilons” found, expected at least one"));
  if (study->operation == ATTN_OPERATION_CUT && study->cut_keys == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("operation “cut” without “cut-keys” found, expected positions of keys"));
  return TRUE;
}

/* --- Conditions under which a setting has an effect --- */

/* Defines a function needs_NAME(), which returns @words unless the study's figure has @trait; the
 * second macro, unless its grid has @dimension. */
#define NEEDS_TRAIT(name, trait, words)                         \
  static const char *needs_##name (gconstpointer owner)         \
  {                                                             \
    return attn_study_get_traits (owner)->trait ? NULL : words; \
  }
#define NEEDS_DIMENSION(name, dimension, words)                                         \
  static const char *needs_##name (gconstpointer owner)                                 \
  {                                                                                     \
    return attn_study_changes_along (owner, ATTN_DIMENSION_##dimension) ? NULL : words; \
  }

#define ANY_OPERATION "--mean, --scale, --zero, --patch, --cut"

/* clang-format off */
NEEDS_TRAIT (grid, has_grid, "single, epsilon")
NEEDS_TRAIT (roles, has_roles, "layer-token")
NEEDS_TRAIT (groups, has_groups, "head-groups")
NEEDS_TRAIT (measure, has_measure, "score-atlas")
NEEDS_TRAIT (patched, has_patched, "patch-map")
NEEDS_TRAIT (state, has_state, "state")
NEEDS_TRAIT (survey, has_survey, "survey")
NEEDS_DIMENSION (comparison, COMPARISON, "--rows comparison, --columns comparison")
NEEDS_DIMENSION (sites, SITE, "--rows site, --columns site")
NEEDS_DIMENSION (axes, AXIS, "--rows axis, --columns axis")
NEEDS_DIMENSION (models, MODEL, "--rows model, --columns model, --compare model")
/* clang-format on */

static const char *
needs_operations_along (gconstpointer owner)
{
  return attn_study_takes_baseline_column (owner)
             ? NULL
             : "mean-operation, epsilon, --columns component, --columns epsilon";
}

/* Recorded arrays of attention predict no tokens. A file that can hold a model or a recording
 * counts as a model until it is opened. */
static const char *
needs_prediction (gconstpointer owner)
{
  const AttnModelReference *model = &((const AttnStudy *) owner)->model;
  gboolean is_recorded =
      model->array != NULL ||
      (model->path != NULL && attn_array_format_has (model->path, ATTN_ARRAY_FORMAT_RECORDING) &&
       !attn_array_format_has (model->path, ATTN_ARRAY_FORMAT_MODEL));

  return is_recorded ? ATTN_NEED_MODEL : needs_grid (owner);
}

/* Panels are drawn over a picture only in grids of weights and in maps of states. */
static const char *
needs_panels (gconstpointer owner)
{
  const AttnFigureTraits *traits = attn_study_get_traits (owner);

  return traits->has_grid || traits->has_state ? NULL : "single, epsilon, state";
}

static const char *
needs_picture (gconstpointer owner)
{
  return needs_panels (owner) == NULL && ((const AttnStudy *) owner)->is_over_picture
             ? NULL
             : "--over-picture";
}

/* The setting of a picture chooses the one that the vision encoder sees or that panels are drawn
 * over. */
static const char *
needs_pictures (gconstpointer owner)
{
  const AttnStudy *study = owner;

  return g_strcmp0 (study->attention, "vision") == 0 || needs_picture (owner) == NULL
             ? NULL
             : "--over-picture, --attention vision";
}

/* In a survey, inputs are used only as the source of a patch operation. */
static const char *
needs_inputs (gconstpointer owner)
{
  return attn_study_get_traits (owner)->has_survey &&
                 !attn_study_does (owner, ATTN_OPERATION_PATCH)
             ? "--patch, single, epsilon"
             : NULL;
}

static gboolean
has_input (const AttnStudy *study, gboolean (*is_kind) (const AttnInput *))
{
  guint i = 0;

  while (i < study->inputs->len && !is_kind (study->inputs->pdata[i]))
    i++;
  return i < study->inputs->len || study->inputs->len == 0;
}

/* The setting of special tokens has an effect only if an input is text. */
static const char *
needs_text (gconstpointer owner)
{
  return has_input (owner, attn_input_is_text) ? NULL : "--text";
}

/* The setting of answers has an effect only if an input is text or sound; a model gives no answer
 * to pictures alone. */
static const char *
needs_answer (gconstpointer owner)
{
  const char *lacking = needs_inputs (owner);

  if (lacking != NULL)
    return lacking;
  return has_input (owner, attn_input_is_text) || has_input (owner, attn_input_is_sound)
             ? NULL
             : "--text, --audio";
}

/* The setting of one layer has no effect where layers vary along the grid. */
static const char *
needs_one_layer (gconstpointer owner)
{
  const AttnFigureTraits *figure = attn_study_get_traits (owner);

  if (figure->has_roles || attn_study_changes_along (owner, ATTN_DIMENSION_LAYER))
    return "--layers";
  return figure->has_own_map ? "single, epsilon" : NULL;
}

static const char *
needs_one_head (gconstpointer owner)
{
  const AttnFigureTraits *figure = attn_study_get_traits (owner);

  if (attn_study_changes_along (owner, ATTN_DIMENSION_HEAD))
    return "--heads";
  return figure->has_own_map || figure->has_groups ? "single, layer-token" : NULL;
}

static const char *
needs_layers (gconstpointer owner)
{
  const AttnFigureTraits *figure = attn_study_get_traits (owner);

  return figure->has_roles || figure->has_survey ||
                 attn_study_changes_along (owner, ATTN_DIMENSION_LAYER)
             ? NULL
             : "--rows layer, --compare layer, layer-token";
}

/* The setting of heads has no effect if groups of tokens are assigned by hand, since each group
 * then names its head. */
static const char *
needs_heads (gconstpointer owner)
{
  const AttnFigureTraits *figure = attn_study_get_traits (owner);

  if (attn_study_assigns_groups (owner))
    return "--detect, --group";
  return figure->has_roles || figure->has_survey || figure->has_groups ||
                 attn_study_changes_along (owner, ATTN_DIMENSION_HEAD)
             ? NULL
             : "--rows head, --compare head, layer-token, head-groups --detect share";
}

/* The setting of the operation has no effect if the cells only show assigned groups, or in maps
 * that make their own interventions. */
static const char *
needs_operation (gconstpointer owner)
{
  const AttnStudy *study = owner;

  if (!attn_study_shows_operation (study))
    return "score-atlas --measure change, single, epsilon";
  return attn_study_assigns_groups (study) && !study->groups.is_graded ? "--detect, --graded"
                                                                       : NULL;
}

static const char *
needs_factor (gconstpointer owner)
{
  const AttnStudy *study = owner;

  return study->operation == ATTN_OPERATION_SCALE && attn_study_has_operation (study) ? NULL
                                                                                      : "--scale";
}

static const char *
needs_mean (gconstpointer owner)
{
  return attn_study_means_heads (owner) || attn_study_does (owner, ATTN_OPERATION_MEAN) ? NULL
                                                                                        : "--mean";
}

static gboolean
does_more_than_cut (const AttnStudy *study)
{
  for (AttnOperation i = 0; i < ATTN_N_OPERATIONS; i++)
    if (i != ATTN_OPERATION_CUT && attn_study_does (study, i))
      return TRUE;
  return FALSE;
}

static const char *
needs_any_operation (gconstpointer owner)
{
  return does_more_than_cut (owner) || attn_study_does (owner, ATTN_OPERATION_CUT) ? NULL
                                                                                   : ANY_OPERATION;
}

static const char *
needs_attribution (gconstpointer owner)
{
  const AttnStudy *study = owner;

  return attn_study_get_traits (study)->has_survey &&
                 study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION]
             ? NULL
             : "survey --attribute";
}

static const char *
needs_answers (gconstpointer owner)
{
  const AttnStudy *study = owner;

  return attn_study_get_traits (study)->has_survey &&
                 (study->survey.statistics[ATTN_STATISTIC_ANSWER] ||
                  study->survey.statistics[ATTN_STATISTIC_ANSWER_POSITION])
             ? NULL
             : "survey --statistic answer";
}

static const char *
needs_effect (gconstpointer owner)
{
  AttnOperation operation;

  return attn_study_measures_effect (owner, &operation) ? NULL
                                                        : "score-atlas --measure effect:zero";
}

static const char *
needs_cosine (gconstpointer owner)
{
  const AttnStudy *study = owner;

  return attn_study_get_traits (owner)->has_state && study->state == ATTN_STATE_COSINE
             ? NULL
             : "state --state cosine";
}

/* A cut acts on pairs of queries and keys, not on a site. */
static const char *
needs_site (gconstpointer owner)
{
  if (does_more_than_cut (owner))
    return NULL;
  return attn_study_does (owner, ATTN_OPERATION_CUT) ? "--mean, --scale, --zero, --patch"
                                                     : ANY_OPERATION;
}

static const char *
needs_logit (gconstpointer owner)
{
  const AttnStudy *study = owner;
  const AttnFigureTraits *figure = attn_study_get_traits (study);
  gboolean shows_effects = attn_study_count_flags (study->effects, ATTN_N_SHOWN_EFFECTS) > 0;

  return figure->has_patched ||
                 (figure->has_grid && (study->quantity == ATTN_MAP_LOGIT || shows_effects))
             ? NULL
             : "--quantity logit, --effect, patch-map";
}

/* The setting has an effect only in a figure whose rows and columns are tokens of an input. */
static const char *
needs_tokens (gconstpointer owner)
{
  const AttnFigureTraits *figure = attn_study_get_traits (owner);

  return figure->has_own_map || figure->has_survey ? "single, epsilon" : NULL;
}

/* The setting has an effect only if the model is a matrix in a text file, such as CSV. */
static const char *
needs_table (gconstpointer owner)
{
  const char *path = ((const AttnStudy *) owner)->model.path;

  return path != NULL && attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT)
             ? NULL
             : "--model TABLE.csv, --array TABLE.csv";
}

static const char *
needs_queries (gconstpointer owner)
{
  const AttnFigureTraits *figure = attn_study_get_traits (owner);

  return figure->has_grid || figure->has_roles ? NULL : "single, layer-token";
}

static const char *
needs_hidden_keys (gconstpointer owner)
{
  return ((const AttnStudy *) owner)->hides_keys ? NULL : "--hide-keys";
}

static const char *
needs_level (gconstpointer owner)
{
  return attn_study_assigns_groups (owner) ? "--detect" : needs_groups (owner);
}

/* --- The study --- */

#define ROW(name, kind, member, ...)                                                     \
  {                                                                                      \
    name, &attn_field_##kind, .offset = G_STRUCT_OFFSET (AttnStudy, member), __VA_ARGS__ \
  }
#define FLAG(name, member, ...)        ROW (name, flag, member, __VA_ARGS__)
#define TEXT(name, member, ...)        ROW (name, text, member, __VA_ARGS__)
#define SET(name, member, ...)         ROW (name, set, member, __VA_ARGS__)
#define SIZE(name, member, ...)        ROW (name, size, member, __VA_ARGS__)
#define COLOR(name, member, ...)       ROW (name, color, member, __VA_ARGS__)
#define CHOICE(name, member, all, ...) ROW (name, choice, member, .names = all, __VA_ARGS__)
#define FLAGS(name, member, all, ...)  ROW (name, flags, member, .names = all, __VA_ARGS__)
#define NUMBER(name, member, low, high, ...) \
  ROW (name, number, member, .minimum = low, .maximum = high, __VA_ARGS__)
#define LIST(name, member, element, most, ...) \
  ROW (name, list, member, .record = &element, .maximum = most, __VA_ARGS__)

#define OPTIONAL    .is_optional = TRUE
#define ONLY_IF(is) .is_written = is
#define NEEDS(what) .needs = needs_##what
#define OF(figure)  ONLY_IF (has_##figure), NEEDS (figure)
#define DRAW        .effect = ATTN_EFFECT_DRAW
/* Members of a row whose field is replaced by the word @instead in files and options, if the flag
 * @member has the given @value. */
#define UNLESS(member, value, instead) \
  .flag = G_STRUCT_OFFSET (AttnStudy, member), .word_flag = value, .word = instead
#define OPTION(name, shown_argument, text) \
  .option = name, .argument = shown_argument, .description = text
#define BY_HAND(name) .option = name

/* clang-format off */
static const AttnField fields[] = {
  ROW ("version", version, preset, .is_required = TRUE),
  TEXT ("preset", preset),
  ROW ("model.path", path, model.path, BY_HAND ("model")),
  ROW ("model.adapter", path, model.adapter, OPTIONAL, BY_HAND ("adapter")),
  TEXT ("model.array", model.array, OPTIONAL, BY_HAND ("model")),
  CHOICE ("model.header", model.header, attn_table_header_names, NEEDS (table), OPTIONAL,
    OPTION ("header", "auto|none|row|column|both",
            N_("What names a table’s columns and rows: its first row, its first column; default: "
               "found by what stands there"))),
  TEXT ("model.fingerprint", model.fingerprint),
  LIST ("other-models", other_models, attn_model_record, MAX_MODELS, NEEDS (models), OPTIONAL,
    BY_HAND ("with-model")),
  TEXT ("attention", attention, OPTIONAL,
    OPTION ("attention", "encoder|decoder|cross|vision|text",
            N_("Which attention of a model that has several; default: the first"))),
  LIST ("inputs", inputs, attn_input_record, MAX_INPUTS, NEEDS (inputs), BY_HAND ("text")),
  FLAG ("special-tokens", adds_special_tokens, NEEDS (text), BY_HAND ("special-tokens")),
  FLAG ("chat", applies_chat, OPTIONAL,
    OPTION ("chat", NULL,
            N_("Put each text into the model’s chat template, as a message of the user"))),
  SIZE ("continuation", n_answer, .maximum = 4096, NEEDS (answer), OPTIONAL,
    OPTION ("continuation", "N",
            N_("Append up to N tokens of the model’s own answer to each input; default 0"))),
  ROW ("layer", index, layer, NEEDS (one_layer), .names = layer_names,
    .expected = N_("a number or strongest-sink"), BY_HAND ("layer")),
  ROW ("head", index, head, NEEDS (one_head), .names = head_names,
    .expected = N_("a number, mean or strongest-sink"), BY_HAND ("head")),
  CHOICE ("figure", figure, attn_figure_kind_names, OPTIONAL),
  CHOICE ("rows", rows, attn_dimension_names, NEEDS (grid), BY_HAND ("rows")),
  CHOICE ("columns", columns, attn_dimension_names, NEEDS (grid), BY_HAND ("columns")),
  CHOICE ("operation", operation, attn_operation_names, NEEDS (operation), BY_HAND ("scale")),
  FLAGS ("components", components, attn_vector_names, NEEDS (operation), BY_HAND ("mean")),
  CHOICE ("axis", axis, attn_axis_names, NEEDS (mean), 
    OPTION ("axis", "feature|token|head", N_("What the mean is over; default feature"))),
  CHOICE ("site", site, attn_site_names, NEEDS (site), 
    OPTION ("site", "projection|normed|rotated",
            N_("Where in the layer it is done; default projection"))),
  ROW ("epsilons", numbers, epsilons, NEEDS (factor), .minimum = ATTN_EPSILON_MIN,
    .maximum = ATTN_EPSILON_MAX, BY_HAND ("epsilons")),
  SIZE ("patch-input", patch_input, .maximum = MAX_INPUTS - 1, OPTIONAL, BY_HAND ("patch")),
  ROW ("patch-positions", pairs, patch_pairs, OPTIONAL, BY_HAND ("patch")),
  SET ("cut-keys", cut_keys, OPTIONAL, BY_HAND ("cut")),
  SET ("layers", layers, NEEDS (layers), OPTIONAL,
    OPTION ("layers", "all|N,N-N", N_("Layers along a dimension of layers, or to compare"))),
  SET ("heads", heads, NEEDS (heads), OPTIONAL,
    OPTION ("heads", "all|N,N-N", N_("Heads along a dimension of heads, or to compare"))),
  FLAGS ("axes", axes, attn_axis_names, NEEDS (axes), OPTIONAL,
    OPTION ("axes", "AXIS,AXIS", N_("Axes along a dimension of axes"))),
  FLAGS ("sites", sites, attn_site_names, NEEDS (sites), OPTIONAL,
    OPTION ("sites", "SITE,SITE", N_("Sites along a dimension of sites"))),
  CHOICE ("compared", compared, attn_compared_names, NEEDS (comparison),
    .values = attn_compared_values, OPTIONAL, BY_HAND ("compare")),
  CHOICE ("quantity", quantity, attn_map_names, NEEDS (grid), OPTIONAL, BY_HAND ("quantity")),
  TEXT ("token", token, NEEDS (logit), OPTIONAL,
    OPTION ("token", "TEXT|ID", N_("The token that a logit is of; default the one that follows"))),
  TEXT ("versus", versus, NEEDS (logit), OPTIONAL,
    OPTION ("versus", "TEXT|ID", N_("The token whose logit is subtracted"))),
  FLAGS ("effect", effects, attn_shown_effect_names, NEEDS (prediction), OPTIONAL,
    OPTION ("effect", "numbers,strip,curve",
            N_("What the intervention does to the prediction: below the panels mean KL and loss "
               "and the last token’s logit difference, beside them each token’s, under them mean "
               "KL over ε"))),
  SIZE ("picture", picture, .maximum = ATTN_MAX_PICTURES, NEEDS (pictures), OPTIONAL,
    OPTION ("picture", "N",
            N_("Which picture of a text, from 1; default that of the query, or the first"))),
  FLAG ("over-picture", is_over_picture, NEEDS (panels), OPTIONAL,
    OPTION ("over-picture", NULL,
            N_("Lay the weights of a query over the picture: its --queries, default the first"))),
  FLAG ("words", joins_words, NEEDS (tokens), OPTIONAL,
    OPTION ("words", NULL, N_("Merge the subword tokens of a word into one"))),
  FLAG ("baseline-column", has_baseline_column, NEEDS (operations_along), OPTIONAL,
    OPTION ("baseline-column", NULL, N_("A first column that shows the unmodified weights"))),
  SET ("differences", differences, NEEDS (grid), UNLESS (shows_differences, FALSE, "none"),
    OPTIONAL,
    OPTION ("differences", "all|N,N-N|none",
            N_("Panels, counted from 0, as their difference to the baseline"))),
  SET ("hidden-keys", hidden_keys, NEEDS (tokens), UNLESS (hides_keys, FALSE, "none"), OPTIONAL,
    BY_HAND ("hide-keys")),
  FLAG ("renormalise", renormalises, NEEDS (hidden_keys), OPTIONAL,
    OPTION ("renormalise", NULL, N_("Divide the keys that are left by their sum"))),
  FLAG ("count-sink", counts_sink, OPTIONAL,
    OPTION ("count-sink", NULL, N_("Add what a learned sink takes to the sink score"))),
  SET ("queries", queries, NEEDS (queries), OPTIONAL,
    OPTION ("queries", "all|N,N-N",
            N_("Positions of the queries that are shown, or averaged for layer-token"))),
  SIZE ("last-queries", n_last_queries, NEEDS (queries), OPTIONAL, BY_HAND ("last-queries")),
  SET ("scope.layers", scope_layers, NEEDS (any_operation),
    UNLESS (acts_on_shown_layer, TRUE, "shown"),
    OPTION ("scope-layers", "shown|all|N,N-N", N_("In which layers; default: those on display"))),
  SET ("scope.heads", scope_heads, NEEDS (any_operation),
    UNLESS (acts_on_shown_head, TRUE, N_("shown")),
    OPTION ("scope-heads", "shown|all|N,N-N",
            N_("In which query heads: shown is the one on display; of keys and values, their key "
               "heads; default all"))),
  SET ("scope.tokens", scope_tokens, NEEDS (any_operation),
    OPTION ("scope-tokens", "all|N,N-N", N_("At which token positions; default all"))),
  LIST ("extra-interventions", extra_interventions, attn_intervention_record, MAX_INTERVENTIONS,
    BY_HAND ("scale")),
  TEXT ("title", title, BY_HAND ("title")),
  TEXT ("caption", caption, BY_HAND ("caption")),
  TEXT ("value-label", value_label,
    OPTION ("value-label", "TEXT", N_("What the values are, at the colour bar, such as AUC"))),
  CHOICE ("measure", measure, attn_head_measure_names, OF (measure),
    BY_HAND ("measure")),
  ROW ("at", index, effect_at, NEEDS (effect), .names = at_names,
    .expected = N_("all, last or a number"), OPTIONAL, BY_HAND ("at")),
  CHOICE ("unit", effect_unit, attn_effect_unit_names, NEEDS (effect), OPTIONAL,
    BY_HAND ("unit")),
  FLAG ("sorted", sorts_heads, NEEDS (measure), OPTIONAL, DRAW,
    OPTION ("sorted", NULL, N_("Heads of score-atlas from the largest value to the smallest"))),
  CHOICE ("state", state, attn_state_names, OF (state), BY_HAND ("state")),
  SIZE ("state-token", state_token, NEEDS (cosine), OPTIONAL,
    OPTION ("state-token", "N", N_("Which token the cosine of a state is to; default 0"))),
  FLAGS ("state-curves", state_curves, attn_state_curve_names, OF (state), OPTIONAL,
    OPTION ("state-curves", "entropy,sink,first",
            N_("What curves over the layers stand below a state"))),
  CHOICE ("patched", patched, attn_patched_names, OF (patched),
    OPTION ("patched", "residual|output|inner|heads",
            N_("What a patch map patches, at each position or by head; default residual"))),
  CHOICE ("groups.rule", groups.rule, attn_group_rule_names, OF (groups),
    BY_HAND ("detect")),
  NUMBER ("groups.level", groups.level, 0, 1, ONLY_IF (has_groups), NEEDS (level),
    BY_HAND ("detect")),
  LIST ("groups.heads", groups.assigned, attn_group_record, MAX_GROUPS, OF (groups),
    BY_HAND ("groups")),
  FLAG ("groups.graded", groups.is_graded, OF (groups),
    OPTION ("graded", NULL, N_("Weights instead of on and off"))),
  CHOICE ("groups.mask", groups.mask, mask_names, UNLESS (groups.has_mask, FALSE, "model"),
    OF (groups),
    OPTION ("mask", "none|causal|model",
            N_("The mask within the groups, or after --detect that of all attention"))),
  TEXT ("roles.question", roles.question, OF (roles), BY_HAND ("question")),
  TEXT ("roles.answer", roles.answer, OF (roles), BY_HAND ("answer")),
  TEXT ("roles.exact-answer", roles.exact_answer, OF (roles), BY_HAND ("exact-answer")),
  ROW ("roles.positions", record, roles, NEEDS (roles), .record = &attn_positions_record,
    UNLESS (roles.has_positions, FALSE, NULL), ONLY_IF (has_roles), BY_HAND ("positions")),
  FLAG ("roles.after-last", roles.has_after_last, OF (roles), BY_HAND ("after-last")),
  CHOICE ("roles.reduction", roles.reduction, attn_reduction_names, OF (roles),
    OPTION ("reduce", "mean|max|relative", N_("How the heads become one value, for layer-token"))),
  ROW ("survey.texts", path, survey.texts, OF (survey), OPTIONAL, BY_HAND ("texts")),
  TEXT ("survey.field", survey.field, OF (survey), OPTIONAL,
    OPTION ("field", "NAME",
            N_("Which member of a .jsonl file’s objects is the text; default text"))),
  TEXT ("survey.column", survey.column, OF (survey), OPTIONAL,
    OPTION ("column", "NAME|N",
            N_("Which column of a .csv file is the text: its name in the first row, or its number "
               "in a file without names"))),
  SIZE ("survey.length", survey.length, OF (survey), OPTIONAL,
    OPTION ("length", "T", N_("The most tokens of a text; what is longer is cut; default 64"))),
  FLAG ("survey.packed", survey.is_packed, OF (survey), OPTIONAL,
    OPTION ("pack", NULL, N_("Join all texts and take every T tokens as one"))),
  SIZE ("survey.skip", survey.skip, OF (survey), OPTIONAL,
    OPTION ("skip", "N", N_("Pass over the first N texts"))),
  SIZE ("survey.limit", survey.limit, OF (survey), OPTIONAL,
    OPTION ("limit", "N", N_("At most N texts"))),
  SIZE ("survey.random", survey.n_random, OF (survey), OPTIONAL,
    BY_HAND ("random-repeats")),
  SIZE ("survey.seed", survey.seed, OF (survey), OPTIONAL, BY_HAND ("random-repeats")),
  FLAG ("survey.together", survey.is_together, OF (survey), OPTIONAL,
    OPTION ("together", NULL,
            N_("All interventions at once, as one condition, instead of each by itself"))),
  FLAGS ("survey.statistics", survey.statistics, attn_statistic_names, OF (survey),
    OPTIONAL,
    OPTION ("statistic", "LIST",
            N_("What to count; default sink,entropy,distance,previous,duplicate,induction,"
               "delimiter,offset"))),
  SIZE ("survey.max-tokens", survey.max_tokens, .minimum = 1, .maximum = ATTN_SURVEY_MOST_ANSWER,
    ONLY_IF (has_survey), NEEDS (answers), OPTIONAL,
    OPTION ("max-tokens", "N",
            N_("How many tokens an answer has at most, for the statistic answer; default 16"))),
  SIZE ("survey.rank", survey.rank, .minimum = 1, .maximum = ATTN_ATTRIBUTION_MOST_RANK,
    ONLY_IF (has_survey), NEEDS (attribution), OPTIONAL,
    OPTION ("rank", "R",
            N_("How many left singular vectors the angle of --attribute is about; default 1"))),
  SIZE ("survey.steps", survey.steps, .minimum = 1, .maximum = ATTN_ATTRIBUTION_MOST_STEPS,
    ONLY_IF (has_survey), NEEDS (attribution), OPTIONAL,
    OPTION ("steps", "N",
            N_("With --attribute: the head with the largest angle stays changed, and all others "
               "are tried again, N times in all; default 1"))),
  CHOICE ("survey.unit", survey.unit, attn_survey_unit_names, ONLY_IF (has_survey),
    NEEDS (attribution), OPTIONAL,
    BY_HAND ("unit")),
  ROW ("survey.at", index, survey.at, ONLY_IF (has_survey), NEEDS (attribution),
    .names = at_names, .expected = N_("all, last or a number"), OPTIONAL, BY_HAND ("at")),
  CHOICE ("survey.statistic", survey.statistic, attn_head_statistic_names, OF (survey),
    OPTION ("of", "STATISTIC", N_("What the charts of a survey are about; default sink"))),
  CHOICE ("survey.against", survey.against, attn_head_statistic_names, OF (survey),
    OPTION ("against", "STATISTIC", N_("What the scatter has along it; default entropy"))),
  SIZE ("survey.condition", survey.condition, OF (survey), OPTIONAL,
    OPTION ("condition", "N", N_("Which condition the charts are about; 0 is the baseline"))),
  FLAGS ("survey.charts", survey.charts, attn_survey_chart_names, OF (survey), OPTIONAL,
    OPTION ("charts", "scatter,histogram,curves", N_("What stands below the maps of a survey"))),
  LIST ("regions", regions, attn_region_record, MAX_REGIONS, OPTIONAL, BY_HAND ("region")),
  ROW ("style.colormap", colormap, style.colormap, DRAW,
    OPTION ("colormap", "NAME|FILE.csv",
            N_("The colours: a map by its name, or a CSV of red, green, blue"))),
  ROW ("style.colors", colors, style.colormap, ONLY_IF (has_own_colormap), DRAW,
    BY_HAND ("colormap")),
  FLAG ("style.reversed", style.is_reversed, OPTIONAL, DRAW,
    OPTION ("reversed", NULL, N_("The colours from the upper to the lower end"))),
  NUMBER ("style.low", style.low, -MAX_VALUE, MAX_VALUE, DRAW, BY_HAND ("range")),
  NUMBER ("style.high", style.high, -MAX_VALUE, MAX_VALUE, DRAW, BY_HAND ("range")),
  NUMBER ("style.tick", style.tick, 1e-38, MAX_VALUE, DRAW, BY_HAND ("range")),
  ROW ("style.font", interned, style.font_family, DRAW, .expected = N_("the name of a font family"),
    OPTION ("font", "FAMILY", N_("The font of all text"))),
  NUMBER ("style.font-size", style.font_size, 1, 200, DRAW,
    .expected = N_("a size from 1 to 200 points"),
    OPTION ("font-size", "POINTS", N_("Size of labels; titles are larger by fixed ratios"))),
  ROW ("style.digits", count, style.n_digits, .minimum = 1, .maximum = 9, DRAW,
    .expected = N_("a number of digits from 1 to 9"),
    OPTION ("digits", "N", N_("Decimals of the numbers in cells; large cells have more"))),
  COLOR ("style.foreground", style.foreground, DRAW,
    OPTION ("foreground", "#RRGGBB", N_("Text, lines and frames, on a --background"))),
  COLOR ("style.background", style.background, DRAW,
    OPTION ("background", "#RRGGBB", N_("What is behind everything, where it is painted"))),
  FLAG ("style.has-background", style.has_background, DRAW,
    OPTION ("has-background", NULL, N_("Paint the --background; otherwise paper is white"))),
  FLAG ("style.shows-titles", style.shows_titles, DRAW,
    OPTION ("no-titles", NULL, N_("No titles above the panels"))),
  FLAG ("style.shows-caption", style.shows_caption, DRAW,
    OPTION ("no-caption", NULL, N_("No caption below the grid"))),
  FLAG ("style.shows-colorbar", style.shows_colorbar, DRAW,
    OPTION ("no-colorbar", NULL, N_("No colour bar"))),
  FLAG ("style.shows-tokens", style.shows_tokens, DRAW,
    OPTION ("no-tokens", NULL, N_("No token labels along the axes"))),
  FLAG ("style.shows-values", style.shows_values, DRAW,
    OPTION ("values", NULL, N_("Numbers in the cells, where there is room"))),
  CHOICE ("style.scale", style.scale, attn_scale_kind_names, OPTIONAL, DRAW,
    BY_HAND ("color-scale")),
  CHOICE ("style.range", style.range, attn_range_kind_names, OPTIONAL, DRAW, BY_HAND ("range")),
  CHOICE ("style.range-scope", style.range_scope, attn_range_scope_names, OPTIONAL, DRAW,
    OPTION ("range-scope", "grid|row|panel", N_("Which panels share a range; default grid"))),
  FLAG ("style.shows-positions", style.shows_positions, OPTIONAL, DRAW,
    OPTION ("token-positions", NULL, N_("Before each token, where it stands in its input"))),
  NUMBER ("style.clip", style.clip, 0, 49, OPTIONAL, DRAW,
    .expected = N_("a percentage from 0 to 49"),
    OPTION ("clip", "PERCENT", N_("Percent of the values that are left out at each end"))),
  NUMBER ("style.heat-opacity", style.heat_opacity, 0, 1, NEEDS (picture), OPTIONAL, DRAW,
    OPTION ("heat-opacity", "0-1", N_("Of the colours over a picture; default 0.6"))),
  FLAG ("style.smooth-heat", style.has_smooth_heat, NEEDS (picture), OPTIONAL, DRAW,
    OPTION ("smooth-heat", NULL, N_("Colours over a picture run into each other"))),
  FLAG ("style.marks-overflow", style.marks_overflow, OPTIONAL, DRAW,
    OPTION ("no-marks-overflow", NULL, N_("No triangles at the ends of the colour bar"))),
  COLOR ("style.masked-color", style.masked_color, UNLESS (style.has_masked_color, FALSE, NULL),
    OPTIONAL, DRAW,
    OPTION ("masked-color", "#RRGGBB", N_("The colour of masked cells; otherwise that of 0"))),
  FLAG ("style.shows-key", style.shows_key, OPTIONAL, DRAW,
    OPTION ("key", NULL,
            N_("Below the colour bar, the colours of masked cells and of what is not a number"))),
  ROW ("view", viewport, viewport, OPTIONAL, DRAW),
  ROW ("views", views, views, .maximum = MAX_VIEWS, OPTIONAL, DRAW),
  NUMBER ("page.width", page.width, 0, 1e6, ONLY_IF (has_page), DRAW, BY_HAND ("size")),
  NUMBER ("page.height", page.height, 0, 1e6, ONLY_IF (has_page), DRAW, BY_HAND ("size")),
  CHOICE ("page.unit", page.unit, attn_unit_names, ONLY_IF (has_page), DRAW, BY_HAND ("size")),
  NUMBER ("page.resolution", page.resolution, 1, 1e4, ONLY_IF (has_page), DRAW,
    .expected = N_("dots per inch from 1 to 10000"),
    OPTION ("resolution", "DPI", N_("Dots per inch of a PNG; default 300"))),
  FLAG ("page.outlines", page.svg.outlines_text, ONLY_IF (has_page), DRAW,
    OPTION ("outlines", NULL, N_("SVG: letters as outlines instead of text"))),
  FLAG ("page.cell-titles", page.svg.has_cell_titles, ONLY_IF (has_page), DRAW,
    OPTION ("cell-titles", NULL,
            N_("SVG: a browser shows token pair and weight under the pointer"))),
  SIZE ("page.path-cells", page.svg.max_path_cells, ONLY_IF (has_page), DRAW,
    .expected = N_("a number of cells, 0 for any"),
    OPTION ("path-cells", "N",
            N_("SVG: from how many cells on a panel is an image; default 300000"))),
};
/* clang-format on */

static const AttnRecord study_record = {
  .size = sizeof (AttnStudy),
  .fields = fields,
  .n_fields = G_N_ELEMENTS (fields),
  .usual = &usual,
  .check = check_study,
};

/* Default study: one panel without an intervention, of the head of the shipped model that has the
 * strongest attention sink. */
static void
init_usual (void)
{
  usual.adds_special_tokens = TRUE;
  usual.layer = ATTN_LAYER_STRONGEST_SINK;
  usual.head = ATTN_HEAD_STRONGEST_SINK;
  usual.acts_on_shown_layer = TRUE;
  usual.patch_input = 1;
  usual.effect_at = ATTN_AT_ALL;
  usual.groups.level = ATTN_GROUP_DEFAULT_SHARE;
  usual.survey.length = 64;
  usual.survey.max_tokens = ATTN_SURVEY_ANSWER;
  usual.survey.rank = 1;
  usual.survey.steps = 1;
  usual.survey.at = ATTN_AT_LAST;
  usual.survey.against = ATTN_STATISTIC_ENTROPY;
  usual.style = attn_style_default ();
  usual.viewport = ATTN_VIEWPORT_FIT;
  usual.page = attn_export_options_default (ATTN_EXPORT_SVG);
  attn_record_init (&study_record, &usual);
}

/**
 * attn_study_get_record:
 *
 * Returns: (transfer none): the table with a row for each member of a study; its @usual holds the
 *   defaults
 */
const AttnRecord *
attn_study_get_record (void)
{
  static gsize is_ready;

  if (g_once_init_enter (&is_ready))
    {
      init_usual ();
      g_once_init_leave (&is_ready, 1);
    }
  return &study_record;
}

/**
 * attn_study_find_field:
 * @name: name of a setting in JSON, such as "style.low"
 *
 * Returns: (nullable) (transfer none): the row of that setting; %NULL if there is none
 */
const AttnField *
attn_study_find_field (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (g_str_equal (fields[i].name, name))
      return &fields[i];
  return NULL;
}
