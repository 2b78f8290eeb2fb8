/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Titles and captions of the panels of a grid, by default or from the study's templates (texts with
 * placeholders such as {head}). They are part of the figure and not translated; only error messages
 * are. */

#include "config.h"

#include "attn-titles.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-describe.h"
#include "attn-error.h"
#include "attn-markup.h"
#include "attn-quantities.h"
#include "attn-study-private.h"
#include "attn-text.h"

static const char * const component_titles[ATTN_N_COMPONENTS] = {
  [ATTN_COMPONENT_QUERY] = "Query",
  [ATTN_COMPONENT_KEY] = "Key",
  [ATTN_COMPONENT_VALUE] = "Value",
};

/* Joins the names of the selected components: "Query, Key and Value", or with another @word before
 * the last. */
static char *
join_components (const gboolean *components,
                 const char     *word,
                 gboolean        is_italic)
{
  const char *format = is_italic ? "<i>%s</i>" : "%s";
  GString *text = g_string_new (NULL);
  gsize n_left = attn_study_count_flags (components, ATTN_N_COMPONENTS);

  for (int c = 0; c < ATTN_N_COMPONENTS; c++)
    {
      if (!components[c])
        continue;
      g_string_append_printf (text, format, component_titles[c]);
      n_left--;
      if (n_left > 0)
        g_string_append_printf (text, n_left > 1 ? ", " : " %s ", word);
    }
  return g_string_free (text, FALSE);
}

static char *
format_head (int head)
{
  return head == ATTN_HEAD_MEAN ? g_strdup ("mean") : g_strdup_printf ("%d", head);
}

/* Writes ε as the window does, "0.5"; or as the paper does, "5e-1", if the panel titles come from
 * the preset of a paper and contain ε. Headings then have that form, too. */
static char *
format_epsilon (const AttnTitles *titles,
                const AttnCell   *cell)
{
  const char *template = attn_study_get_title (titles->study);

  return template != NULL && strstr (template, "{epsilon}") != NULL &&
                 attn_presets_cite_paper (titles->study)
             ? attn_text_format_factor (cell->epsilon)
             : attn_text_format_epsilon (cell->epsilon);
}

static char *
format_model (const AttnTitles *titles,
              const AttnCell   *cell,
              gboolean          is_markup)
{
  const char *name = cell->model < titles->n_models ? titles->models[cell->model] : "";

  return is_markup ? g_markup_escape_text (name, -1) : g_strdup (name);
}

static void
append_part (GString    *text,
             const char *part)
{
  if (part != NULL && *part != '\0')
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", part);
}

/* Appends the study's extra interventions that are applied in the cell, behind a comma. */
static void
append_extra_interventions (GString          *text,
                            const AttnTitles *titles,
                            const AttnCell   *cell,
                            gboolean          is_markup)
{
  const GPtrArray *extras = titles->study->extra_interventions;
  g_autoptr (GPtrArray) applied = g_ptr_array_new ();

  for (guint i = 0; i < extras->len; i++)
    {
      AttnIntervention *extra = g_ptr_array_index (extras, i);

      if (titles->is_of_all || extra->operation != ATTN_OPERATION_PATCH ||
          !attn_cell_is_source (cell, titles->study, extra->input))
        g_ptr_array_add (applied, extra);
    }
  g_autofree char *markup = attn_describe_interventions (applied);
  g_autofree char *part = is_markup ? g_strdup (markup) : attn_markup_to_text (markup);
  append_part (text, part);
}

/* Names what the study's own operation does in a cell: "Mean of Query" or "Key with ε = 0.5"; for a
 * row or column of the grid along which ε varies, "ε · Key". */
static char *
format_own (const AttnTitles *titles,
            const AttnCell   *cell,
            gboolean          is_of_line,
            gboolean          is_markup)
{
  const AttnStudy *study = titles->study;
  g_autofree char *components = join_components (cell->components, "and", is_markup);
  g_autofree char *epsilon = format_epsilon (titles, cell);
  GString *text = g_string_new (NULL);

  if (study->operation != ATTN_OPERATION_SCALE)
    attn_titles_append_operation (text, study->operation, components, study->patch_input,
                                  study->cut_keys);
  else if (is_of_line && attn_study_varies (study, ATTN_DIMENSION_EPSILON))
    g_string_append_printf (text, "ε · %s", components);
  else
    g_string_append_printf (text, "%s with ε = %s", components, epsilon);
  return g_string_free (text, FALSE);
}

/* Names the interventions of a cell: the study's own operation, then the extra ones. */
static char *
format_interventions (const AttnTitles *titles,
                      const AttnCell   *cell,
                      gboolean          is_markup)
{
  const AttnStudy *study = titles->study;
  GString *text = g_string_new (NULL);

  if (attn_cell_is_baseline (cell, study))
    return g_string_free (text, FALSE);
  if (attn_titles_is_changed (titles, cell))
    {
      g_autofree char *own = format_own (titles, cell, FALSE, is_markup);

      g_string_append (text, own);
    }
  append_extra_interventions (text, titles, cell, is_markup);
  return g_string_free (text, FALSE);
}

static char *
format_value (const AttnTitles *titles,
              const AttnCell *cell,
              AttnDimension dimension,
              gboolean is_markup);

/* Names the side of a comparison that a cell shows: A, B, or their difference. */
static char *
format_side (const AttnTitles *titles,
             const AttnCell   *cell,
             gboolean          is_markup)
{
  const AttnStudy *study = titles->study;
  AttnCell a = attn_cell_get_side (cell, study, titles->mapped_layers, ATTN_CELL_A);
  AttnCell b = attn_cell_get_side (cell, study, titles->mapped_layers, ATTN_CELL_B);
  gboolean is_baseline = study->compared == ATTN_DIMENSION_NONE;
  g_autofree char *first = is_baseline ? g_strdup ("Baseline")
                                       : format_value (titles, &a, study->compared, is_markup);
  /* The input from which a patch takes values is not modified itself, unless by further
   * operations. */
  gboolean is_source = attn_titles_is_source (titles, &b) && study->extra_interventions->len == 0;
  g_autofree char *second = is_baseline ? g_strdup (is_source ? "Source" : "Modified")
                                        : format_value (titles, &b, study->compared, is_markup);

  switch (cell->side)
    {
    case ATTN_CELL_A:
      return g_steal_pointer (&first);
    case ATTN_CELL_B:
      return g_steal_pointer (&second);
    case ATTN_CELL_DIFFERENCE:
      return g_strdup_printf ("%s − %s", second, first);
    case ATTN_CELL_ALONE:
    default:
      return g_strdup ("");
    }
}

/* Names the value of a cell along a dimension of the grid, such as "Layer 3"; NULL if the cell has
 * no such value. */
static char *
format_value (const AttnTitles *titles,
              const AttnCell   *cell,
              AttnDimension     dimension,
              gboolean          is_markup)
{
  switch (dimension)
    {
    case ATTN_DIMENSION_INPUT:
      return g_strdup_printf ("Input %zu", cell->input + 1);
    case ATTN_DIMENSION_COMPONENT:
      return join_components (cell->components, "and", is_markup);
    case ATTN_DIMENSION_EPSILON:
      {
        g_autofree char *epsilon = format_epsilon (titles, cell);
        return g_strdup_printf ("ε = %s", epsilon);
      }
    case ATTN_DIMENSION_LAYER:
      return titles->heads != NULL
                 ? g_strdup_printf ("Layer %zu, head %d", cell->layer, titles->heads[cell->layer])
                 : g_strdup_printf ("Layer %zu", cell->layer);
    case ATTN_DIMENSION_HEAD:
      {
        g_autofree char *head = format_head (cell->head);
        return g_strdup_printf ("Head %s", head);
      }
    case ATTN_DIMENSION_SITE:
      return g_strdup_printf ("After the %s", attn_titles_sites[cell->site]);
    case ATTN_DIMENSION_AXIS:
      return g_strdup_printf ("Mean over %s", attn_titles_axes[cell->axis]);
    case ATTN_DIMENSION_MODEL:
      return format_model (titles, cell, is_markup);
    case ATTN_DIMENSION_COMPARISON:
      return format_side (titles, cell, is_markup);
    case ATTN_DIMENSION_NONE:
    default:
      return NULL;
    }
}

/* Returns markup for the placeholder of a title @name, of @length bytes, such as "head"; NULL if
 * the name is unknown. */
static char *
dup_value (const char       *name,
           gsize             length,
           const AttnTitles *titles,
           const AttnCell   *cell)
{
  g_autofree char *word = g_strndup (name, length);

  if (g_str_equal (word, "components"))
    return join_components (titles->study->components, "and", TRUE);
  if (g_str_equal (word, "component"))
    return join_components (cell->components, "and", FALSE);
  if (g_str_equal (word, "epsilon"))
    return format_epsilon (titles, cell);
  if (g_str_equal (word, "input"))
    return g_strdup_printf ("%zu", cell->input + 1);
  if (g_str_equal (word, "tokens"))
    return titles->n_tokens != NULL ? g_strdup_printf ("%zu", titles->n_tokens[cell->input])
                                    : g_strdup ("");
  if (g_str_equal (word, "layer"))
    return g_strdup_printf ("%zu", cell->layer);
  if (g_str_equal (word, "head"))
    return format_head (cell->head);
  if (g_str_equal (word, "site"))
    return g_strdup (attn_site_names[cell->site]);
  if (g_str_equal (word, "axis"))
    return g_strdup (attn_axis_names[cell->axis]);
  if (g_str_equal (word, "operation"))
    return g_strdup (attn_operation_names[titles->study->operation]);
  if (g_str_equal (word, "model"))
    return format_model (titles, cell, TRUE);
  if (g_str_equal (word, "side"))
    return format_side (titles, cell, TRUE);
  if (g_str_equal (word, "intervention"))
    return format_interventions (titles, cell, TRUE);
  return NULL;
}

/* Tells whether @brace begins a placeholder, which is one lowercase word in braces. Other braces
 * are copied to the text. @length: (out): bytes of that word */
static gboolean
is_placeholder (const char *brace,
                gsize      *length)
{
  *length = strspn (brace + 1, "abcdefghijklmnopqrstuvwxyz-");
  return *length > 0 && brace[1 + *length] == '}';
}

static char *
fill_in (const char        *where,
         const char        *template,
         const AttnTitles  *titles,
         const AttnCell    *cell,
         GError           **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *rest = template;
  gsize length;

  for (const char *brace; (brace = strchr (rest, '{')) != NULL;)
    {
      g_string_append_len (text, rest, brace - rest);
      if (!is_placeholder (brace, &length))
        {
          g_string_append_c (text, '{');
          rest = brace + 1;
          continue;
        }

      g_autofree char *value = dup_value (brace + 1, length, titles, cell);
      if (value == NULL)
        return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                               _("%s: {%.*s} found, expected {component}, {components}, {epsilon}, "
                                 "{input}, {tokens}, {layer}, {head}, {site}, {axis}, {operation}, "
                                 "{intervention}, {model} or {side}"),
                               where, (int) length, brace + 1);
      g_string_append (text, value);
      rest = brace + length + 2;
    }
  g_string_append (text, rest);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Appends the value of a cell along @dimension. After a comma it is lowercase, as in "Layer 3, head
 * 1", unless it is a name, such as that of a model. */
static void
append_value (GString          *text,
              const AttnTitles *titles,
              const AttnCell   *cell,
              AttnDimension     dimension,
              gboolean          is_markup)
{
  gboolean is_unpatched =
      dimension == ATTN_DIMENSION_COMPONENT && attn_titles_is_source (titles, cell);
  g_autofree char *value =
      is_unpatched ? NULL : format_value (titles, cell, dimension, is_markup);

  if (text->len > 0 && (dimension == ATTN_DIMENSION_LAYER || dimension == ATTN_DIMENSION_HEAD))
    *value = g_ascii_tolower (*value);
  append_part (text, value);
}

/* Tells whether the values along @dimension belong to the operation, as factors ε do, so that the
 * baseline has none. */
static gboolean
is_of_operation (AttnDimension dimension)
{
  return dimension == ATTN_DIMENSION_COMPONENT || dimension == ATTN_DIMENSION_EPSILON ||
         dimension == ATTN_DIMENSION_SITE || dimension == ATTN_DIMENSION_AXIS;
}

/* (transfer full): title of a panel of the baseline, if titles come from a template, which may not
 * fit it: "Baseline", with the input, layer, head or model of its row in brackets. */
static char *
build_baseline_title (const AttnTitles *titles,
                      const AttnCell   *cell)
{
  AttnDimension rows = titles->study->rows;
  g_autofree char *row =
      is_of_operation (rows) ? NULL : format_value (titles, cell, rows, TRUE);

  return row != NULL ? g_strdup_printf ("%s (%s)", ATTN_GRID_BASELINE, row)
                     : g_strdup (ATTN_GRID_BASELINE);
}

/* Tells whether a template of titles tells which operation is done to the panel. */
static gboolean
names_operation (const char *template)
{
  static const char * const placeholders[] = { "{component}", "{components}", "{operation}",
                                               "{intervention}", "{site}" };

  for (gsize i = 0; i < G_N_ELEMENTS (placeholders); i++)
    if (strstr (template, placeholders[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* Builds the default title of a panel: its values along the dimensions of the grid. If nothing
 * varies along the grid, it names layer, head and interventions. */
static char *
build_default (const AttnTitles *titles,
               const AttnCell   *cell,
               gboolean          is_markup)
{
  const AttnStudy *study = titles->study;
  g_autoptr (GString) text = g_string_new (NULL);

  if (cell->side != ATTN_CELL_BASELINE || !is_of_operation (study->rows))
    append_value (text, titles, cell, study->rows, is_markup);
  if (cell->side == ATTN_CELL_BASELINE)
    {
      append_part (text, ATTN_GRID_BASELINE);
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
  append_value (text, titles, cell, study->columns, is_markup);
  if (text->len > 0)
    return g_string_free (g_steal_pointer (&text), FALSE);
  /* Next to a column of the baseline, both panels have the same layer and head, which the caption
   * names. */
  if (attn_study_shows_baseline_column (study))
    return format_interventions (titles, cell, is_markup);

  g_autofree char *rest = format_interventions (titles, cell, is_markup);
  append_value (text, titles, cell, ATTN_DIMENSION_LAYER, is_markup);
  append_value (text, titles, cell, ATTN_DIMENSION_HEAD, is_markup);
  append_part (text, rest);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Appends the part of the study's operation that the panel titles leave out, as they name only what
 * varies: its component, its factor ε or both. */
static void
append_shared_operation (GString          *text,
                         const AttnTitles *titles,
                         const AttnCell   *cell)
{
  const AttnStudy *study = titles->study;
  gboolean names_components = attn_study_varies (study, ATTN_DIMENSION_COMPONENT);
  gboolean names_factors = attn_study_varies (study, ATTN_DIMENSION_EPSILON);
  g_autofree char *components = names_components
                                    ? join_components (study->components, "or", TRUE)
                                    : join_components (cell->components, "and", TRUE);
  g_autofree char *epsilon = format_epsilon (titles, cell);
  g_autofree char *part = names_factors
                              ? g_strconcat ("ε on ", components, NULL)
                              : g_strdup_printf ("%s with ε = %s", components, epsilon);

  if (!attn_titles_is_changed (titles, cell) || (names_components && names_factors))
    return;
  if (study->operation == ATTN_OPERATION_SCALE)
    append_part (text, part);
  else
    {
      g_string_append (text, text->len > 0 ? ", " : "");
      attn_titles_append_operation (text, study->operation, components, study->patch_input, NULL);
    }
}

/* Builds the default caption, which names the settings that all panels of the grid share. */
static char *
build_default_caption (const AttnTitles *titles,
                       const AttnCell   *first)
{
  const AttnStudy *study = titles->study;
  GString *text = g_string_new (NULL);

  if (study->rows == ATTN_DIMENSION_NONE && study->columns == ATTN_DIMENSION_NONE &&
      !attn_study_shows_baseline_column (study))
    return g_string_free (text, FALSE);
  if (!attn_study_changes_along (study, ATTN_DIMENSION_LAYER))
    append_value (text, titles, first, ATTN_DIMENSION_LAYER, TRUE);
  /* If layers vary and each shows its head with the strongest sink, the caption has no single head
   * to name. */
  if (!attn_study_changes_along (study, ATTN_DIMENSION_HEAD) &&
      !(attn_study_changes_along (study, ATTN_DIMENSION_LAYER) &&
        study->head == ATTN_HEAD_STRONGEST_SINK))
    append_value (text, titles, first, ATTN_DIMENSION_HEAD, TRUE);
  if (!attn_study_varies (study, ATTN_DIMENSION_COMPONENT) &&
      !attn_study_varies (study, ATTN_DIMENSION_EPSILON))
    {
      AttnCell modified = *first;

      if (modified.side == ATTN_CELL_A)
        modified.side = ATTN_CELL_B;
      g_autofree char *rest = format_interventions (titles, &modified, TRUE);
      append_part (text, rest);
    }
  else
    {
      append_shared_operation (text, titles, first);
      append_extra_interventions (text, titles, first, TRUE);
    }
  return g_string_free (text, FALSE);
}

static void
append_sentence (GString    *caption,
                 const char *sentence)
{
  if (caption->len > 0)
    g_string_append (caption, ". ");
  g_string_append (caption, sentence);
}

#define CUT "Cut " /* begins the scope of a cut */

/* Names the unusual scope of the operation in a sentence of the caption: "Changed in head 2", "Mean
 * over Tokens, in all layers"; "" for the default scope. */
static char *
format_unusual (const AttnTitles *titles,
                const AttnCell   *cell)
{
  g_autoptr (GString) text = g_string_new (NULL);

  attn_titles_append_unusual (text, titles, cell);
  if (text->len == 0)
    return g_strdup ("");
  char *words = text->str + strlen (", ");
  if (g_str_has_prefix (words, "mean ") || g_str_has_prefix (words, "positions "))
    {
      *words = g_ascii_toupper (*words);
      return g_strdup (words);
    }
  return g_strconcat (titles->study->operation == ATTN_OPERATION_CUT ? CUT : "Changed ", words,
                      NULL);
}

/* Names the two tokens of the logit difference that is printed next to the panels, and the last
 * token of the inputs, which the number below the panels is for. */
static char *
format_logit_difference (const AttnTitles *titles)
{
  const AttnStudy *study = titles->study;

  if (titles->versus == NULL ||
      !(study->effects[ATTN_SHOWN_STRIP] || study->effects[ATTN_SHOWN_NUMBERS]))
    return NULL;
  if (titles->token == NULL)
    return g_markup_printf_escaped ("Logit Difference: Next Token − “%s”", titles->versus);
  return titles->last_token != NULL && study->effects[ATTN_SHOWN_NUMBERS]
             ? g_markup_printf_escaped ("Logit Difference: “%s” − “%s”, Last at “%s”",
                                        titles->token, titles->versus, titles->last_token)
             : g_markup_printf_escaped ("Logit Difference: “%s” − “%s”", titles->token,
                                        titles->versus);
}

/* Names the extra interventions for the caption, if a template took the place of the default text
 * that names them. */
static char *
format_further (const AttnTitles *titles,
                const AttnCell   *cell)
{
  const AttnStudy *study = titles->study;
  gboolean has_default_title = attn_study_get_title (study) == NULL &&
                               study->rows == ATTN_DIMENSION_NONE &&
                               study->columns == ATTN_DIMENSION_NONE;
  GString *text = g_string_new (NULL);

  if (attn_study_get_caption (study) == NULL || has_default_title ||
      attn_study_says (study, "{intervention}"))
    return g_string_free (text, FALSE);
  append_extra_interventions (text, titles, cell, TRUE);
  if (text->len > 0)
    g_string_prepend (text, "Further Operations: ");
  return g_string_free (text, FALSE);
}

/* Names the layer and head of a figure of one head, behind a caption that came with a preset; "" if
 * the preset's titles or caption name them. A caption of the user's own is left as it is, unless it
 * stands in a preset that has none. */
static char *
format_place (const AttnTitles *titles,
              const AttnCell   *cell)
{
  const AttnStudy *study = titles->study;
  const AttnStudy *preset = attn_presets_get_origin (study);
  const char *caption = attn_study_get_caption (study);
  GString *text = g_string_new (NULL);

  if (preset == NULL || caption == NULL || g_strcmp0 (caption, preset->caption) != 0)
    return g_string_free (text, FALSE);
  if (!attn_study_changes_along (study, ATTN_DIMENSION_LAYER) &&
      !attn_study_says (study, "{layer}"))
    append_value (text, titles, cell, ATTN_DIMENSION_LAYER, TRUE);
  if (!attn_study_changes_along (study, ATTN_DIMENSION_HEAD) && !attn_study_says (study, "{head}"))
    append_value (text, titles, cell, ATTN_DIMENSION_HEAD, TRUE);
  return g_string_free (text, FALSE);
}

/* Appends notes on what the figure shows, such as "Key 0 hidden, rows renormalised", to
 * @caption. */
static void
append_notes (GString          *caption,
              const AttnTitles *titles,
              const AttnCell   *cell)
{
  const AttnStudy *study = titles->study;
  g_autofree char *place = format_place (titles, cell);
  g_autofree char *unusual = format_unusual (titles, cell);
  g_autofree char *further = format_further (titles, cell);
  g_autofree char *quantity = attn_quantities_build_note (study, titles->token, titles->versus);
  g_autofree char *difference = format_logit_difference (titles);

  if (*place != '\0')
    append_sentence (caption, place);
  /* The scope of a cut follows the words of the caption about that cut: "Key 0 cut in head 2". */
  if (g_str_has_prefix (unusual, CUT) && g_str_has_suffix (caption->str, " cut"))
    g_string_append (caption, unusual + strlen (CUT) - 1);
  else if (*unusual != '\0')
    append_sentence (caption, unusual);
  if (*further != '\0')
    append_sentence (caption, further);
  if (quantity != NULL)
    append_sentence (caption, quantity);
  if (difference != NULL)
    append_sentence (caption, difference);
  if (study->shows_differences)
    append_sentence (caption, study->differences == NULL
                                  ? "Differences to the Baseline"
                                  : "Differences to the Baseline where Named");
  if (!study->hides_keys)
    return;

  g_autofree char *keys = attn_index_set_to_string (study->hidden_keys);
  gboolean is_one = strpbrk (keys, ",-") == NULL;
  g_autofree char *sentence =
      g_strdup_printf ("%s %s hidden%s", is_one ? "Key" : "Keys", keys,
                       study->renormalises ? ", rows renormalised" : "");
  append_sentence (caption, sentence);
}

/**
 * attn_titles_build_caption:
 * @first: the first cell of the grid, whose values are named where all panels share them
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): markup of the caption; "" if there is nothing to say
 */
char *
attn_titles_build_caption (const AttnTitles  *titles,
                           const AttnCell    *first,
                           GError           **error)
{
  const AttnStudy *study = titles->study;
  AttnTitles all = *titles;
  AttnCell cell = *first;

  all.is_of_all = attn_study_changes_along (study, ATTN_DIMENSION_INPUT);
  titles = &all;
  /* The panels of a grid can change different components, so {component} in a caption names all of
   * them. */
  if (study->operation != ATTN_OPERATION_CUT)
    memcpy (cell.components, study->components, sizeof cell.components);
  const char *template = attn_study_get_caption (study);
  g_autofree char *text = template != NULL
                              ? fill_in (_("caption"), template, titles, &cell, error)
                              : build_default_caption (titles, &cell);
  if (text == NULL)
    return NULL;

  GString *caption = g_string_new (text);
  append_notes (caption, titles, &cell);
  return g_string_free (caption, FALSE);
}

/**
 * attn_titles_add_attention:
 * @caption: (nullable) (transfer full): caption of a figure
 * @info: what is known of the figure's first model
 *
 * Returns: (transfer full) (nullable): the caption, which also names the attention that is shown,
 *   such as "Cross-Attention", if the model has several
 */
char *
attn_titles_add_attention (char                *caption,
                           const AttnModelInfo *info)
{
  static const char * const titles[][2] = { { "encoder", "Attention of the Encoder" },
                                            { "decoder", "Attention of the Decoder" },
                                            { "cross", "Cross-Attention" },
                                            { "vision", "Attention over the Picture" },
                                            { "text", "Attention over the Text" } };
  g_autofree char *own = caption;
  GString *text = g_string_new (own);

  for (gsize i = 0; i < G_N_ELEMENTS (titles) && info->attentions[0] != NULL &&
                    info->attentions[1] != NULL;
       i++)
    if (g_str_equal (titles[i][0], info->attention))
      append_sentence (text, titles[i][1]);
  return g_string_free (text, text->len == 0 && own == NULL);
}

/**
 * attn_titles_build_title:
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: (transfer full) (nullable): markup of the title of a panel, from the study's template;
 *   without a template, the title names what changes along the grid
 */
char *
attn_titles_build_title (const AttnTitles  *titles,
                         const AttnCell    *cell,
                         GError           **error)
{
  const char *template = attn_study_get_title (titles->study);

  if (template != NULL && cell->side == ATTN_CELL_BASELINE)
    return build_baseline_title (titles, cell);
  if (template != NULL && attn_titles_is_source (titles, cell) && names_operation (template))
    return build_default (titles, cell, TRUE);
  return template != NULL ? fill_in (_("title"), template, titles, cell, error)
                          : build_default (titles, cell, TRUE);
}

/**
 * attn_titles_fill_in:
 * @study: a study whose figure is not a grid
 * @layer: the layer on display
 * @head: the head on display or %ATTN_HEAD_MEAN
 * @where: which text @template is for, such as "caption", translated
 * @error: return location for %ATTN_ERROR_ARGUMENT, whose message lists the placeholders that are
 *   known
 *
 * Returns: (transfer full) (nullable): markup of @template with its placeholders filled in
 */
char *
attn_titles_fill_in (const AttnStudy  *study,
                     gsize             layer,
                     int               head,
                     const char       *where,
                     const char       *template,
                     GError          **error)
{
  const AttnTitles titles = { .study = study };
  AttnCell cell = attn_cell_get_first (study, layer, head);

  return fill_in (where, template, &titles, &cell, error);
}

/**
 * attn_titles_build_heading:
 * @cell: a cell of the row or column that is named
 *
 * Returns: (transfer full): short plain text that names the row or column by its value along
 *   @dimension, such as "L3"
 */
char *
attn_titles_build_heading (const AttnTitles *titles,
                           const AttnCell   *cell,
                           AttnDimension     dimension)
{
  if (cell->side == ATTN_CELL_BASELINE)
    return g_strdup (ATTN_GRID_BASELINE);
  if (dimension == ATTN_DIMENSION_NONE)
    {
      AttnTitles all = *titles;

      all.is_of_all = attn_study_changes_along (titles->study, ATTN_DIMENSION_INPUT);
      return format_interventions (&all, cell, FALSE);
    }
  /* Headings of rows name a component with its operation, as beside the axis title "Query" the
   * component alone would be misread. */
  if (dimension == ATTN_DIMENSION_COMPONENT && titles->study->rows == dimension)
    return format_own (titles, cell, TRUE, FALSE);
  if (dimension == ATTN_DIMENSION_LAYER && titles->heads != NULL)
    return g_strdup_printf ("L%zu H%d", cell->layer, titles->heads[cell->layer]);
  if (dimension == ATTN_DIMENSION_LAYER)
    return g_strdup_printf ("L%zu", cell->layer);
  if (dimension == ATTN_DIMENSION_HEAD)
    return g_strdup_printf ("H%d", cell->head);
  return format_value (titles, cell, dimension, FALSE);
}

/**
 * attn_titles_build_name:
 *
 * Returns: (transfer full): plain text that names a panel within its grid, such as "Query, ε =
 *   5e-1"
 */
char *
attn_titles_build_name (const AttnTitles *titles,
                        const AttnCell   *cell)
{
  const AttnStudy *study = titles->study;

  if (study->rows == ATTN_DIMENSION_NONE && study->columns == ATTN_DIMENSION_NONE &&
      !attn_study_shows_baseline_column (study))
    {
      g_autofree char *head = format_head (cell->head);

      return g_strdup_printf ("Layer %zu, head %s", cell->layer, head);
    }
  return build_default (titles, cell, FALSE);
}

/**
 * attn_titles_build_operation:
 *
 * Returns: (transfer full) (nullable): plain text of what is done in a panel, in the words of the
 *   caption: "Mean of Query, mean over Tokens"; %NULL for a baseline, and where the panel's name
 *   has it whole
 */
char *
attn_titles_build_operation (const AttnTitles *titles,
                             const AttnCell   *cell)
{
  const AttnStudy *study = titles->study;
  AttnCell modified = *cell;
  gboolean is_named = attn_study_varies (study, ATTN_DIMENSION_COMPONENT) &&
                      attn_study_varies (study, ATTN_DIMENSION_EPSILON);

  /* A panel that shows the difference of two factors ε has no ε of its own. */
  if (cell->side == ATTN_CELL_DIFFERENCE && is_of_operation (study->compared))
    return NULL;
  if (cell->side == ATTN_CELL_DIFFERENCE)
    modified = attn_cell_get_side (cell, study, titles->mapped_layers, ATTN_CELL_B);
  g_autofree char *whole = format_interventions (titles, &modified, FALSE);
  if (*whole == '\0')
    return NULL;
  if (is_named)
    {
      g_autofree char *unusual = format_unusual (titles, &modified);

      return *unusual != '\0' ? g_steal_pointer (&unusual) : NULL;
    }
  GString *text = g_string_new (whole);
  attn_titles_append_unusual (text, titles, &modified);
  return g_string_free (text, FALSE);
}
