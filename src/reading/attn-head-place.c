/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-head-place.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-error.h"
#include "attn-index-set.h"

/**
 * attn_head_place_has_layer:
 *
 * Returns: whether all panels of the figure are of one layer
 */
gboolean
attn_head_place_has_layer (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_layer &&
         !attn_study_changes_along (study, ATTN_DIMENSION_LAYER);
}

/**
 * attn_head_place_has_head:
 *
 * Returns: whether all panels of the figure are of one head of a layer, or of the mean of the
 *   layer's heads
 */
gboolean
attn_head_place_has_head (const AttnStudy *study)
{
  return attn_study_get_traits (study)->has_grid &&
         !attn_study_changes_along (study, ATTN_DIMENSION_HEAD);
}

/**
 * attn_head_place_has_same_grid:
 *
 * Returns: whether both studies have figures of the same kind; for grids, whether rows and columns
 *   are the same dimensions, such as layers and heads
 */
gboolean
attn_head_place_has_same_grid (const AttnStudy *a,
                               const AttnStudy *b)
{
  return a->figure == b->figure && a->rows == b->rows && a->columns == b->columns &&
         a->compared == b->compared;
}

/**
 * attn_head_place_equal:
 *
 * Returns: whether both studies show the same layer and head, in a grid of the same dimensions
 */
gboolean
attn_head_place_equal (const AttnStudy *a,
                       const AttnStudy *b)
{
  return attn_head_place_has_same_grid (a, b) && a->layer == b->layer && a->head == b->head;
}

/**
 * attn_head_place_go:
 * @result: (nullable): the last result, which says what was chosen where @study leaves layer or
 *   head to the program
 * @layer: its number, or %ATTN_HEAD_PLACE_SAME
 * @head: its number, or %ATTN_HEAD_PLACE_SAME
 *
 * Returns: (transfer full) (nullable): a copy of @study with this layer and head, neither of them
 *   left to the program; %NULL if the figure is not of one layer or of one head, or shows them
 *   already
 */
AttnStudy *
attn_head_place_go (const AttnStudy  *study,
                    const AttnResult *result,
                    int               layer,
                    int               head)
{
  gboolean has_layer = attn_head_place_has_layer (study);
  gboolean has_head = attn_head_place_has_head (study);

  if ((layer != ATTN_HEAD_PLACE_SAME && !has_layer) || (head != ATTN_HEAD_PLACE_SAME && !has_head))
    return NULL;

  AttnStudy *copy = attn_study_copy (study);
  if (layer != ATTN_HEAD_PLACE_SAME)
    copy->layer = layer;
  else if (has_layer && study->layer < 0 && result != NULL)
    copy->layer = (int) result->layer;
  if (head != ATTN_HEAD_PLACE_SAME)
    copy->head = head;
  else if (has_head && study->head == ATTN_HEAD_STRONGEST_SINK && result != NULL)
    copy->head = result->head;
  if (!attn_head_place_equal (copy, study))
    return copy;
  attn_study_unref (copy);
  return NULL;
}

/* Returns the layer @steps after @layer, skipping layers without attention weights, or -1 if there
 * is no such layer. */
static int
find_mapped (const AttnModelInfo *info,
             int                  layer,
             int                  steps)
{
  layer += steps;
  while (layer >= 0 && layer < (int) info->n_layers &&
         !attn_index_set_contains (info->mapped_layers, (gsize) layer))
    layer += steps < 0 ? -1 : 1;
  return layer < (int) info->n_layers ? layer : -1;
}

/**
 * attn_head_place_step:
 * @layers: how many layers to go on, below 0 back
 * @heads: how many heads to go on, below 0 back; behind the last of a layer comes the first of the
 *   next
 *
 * Returns: (transfer full) (nullable): the study that shows that layer and head; %NULL at the ends,
 *   and where the figure is not of one layer or of one head
 */
AttnStudy *
attn_head_place_step (const AttnStudy  *study,
                      const AttnResult *result,
                      int               layers,
                      int               heads)
{
  const AttnModelInfo *info = attn_model_get_info (result->model);
  int n_heads = (int) info->n_heads;
  int layer = study->layer >= 0 ? study->layer : (int) result->layer;
  int head = study->head == ATTN_HEAD_STRONGEST_SINK ? result->head : study->head;

  if (heads == 0)
    {
      layer = find_mapped (info, layer, layers);
      return layer >= 0 ? attn_head_place_go (study, result, layer, ATTN_HEAD_PLACE_SAME) : NULL;
    }
  if (!attn_head_place_has_layer (study))
    layer = ATTN_HEAD_PLACE_SAME;
  /* Stepping on from the mean of the heads leads to the first or last head. */
  head = head >= 0 ? head + heads : heads > 0 ? 0
                                              : n_heads - 1;
  if (head < 0 || head >= n_heads)
    {
      layer = find_mapped (info, layer, heads < 0 ? -1 : 1);
      head = heads < 0 ? n_heads - 1 : 0;
      if (layer < 0)
        return NULL;
    }
  return attn_head_place_go (study, result, layer, head);
}

/**
 * attn_head_place_return:
 * @place: an earlier study
 *
 * Returns: (transfer full): a copy of @study with the layer and head of @place; where the
 *   dimensions of the grid are others, as before a head was opened from an overview or a text from
 *   a survey, a copy of @place, unless it is of another model
 */
AttnStudy *
attn_head_place_return (const AttnStudy *study,
                        const AttnStudy *place)
{
  /* The study of a survey names the file of the survey in place of the model, while a study of one
   * of its texts names the model. */
  gboolean is_text = attn_study_get_traits (study)->has_survey !=
                     attn_study_get_traits (place)->has_survey;
  gboolean is_same_model = is_text || attn_model_reference_equal (&study->model, &place->model);
  gboolean is_kept = attn_head_place_has_same_grid (study, place) || !is_same_model;
  AttnStudy *copy = attn_study_copy (is_kept ? study : place);

  if (is_same_model)
    {
      copy->layer = place->layer;
      copy->head = place->head;
    }
  return copy;
}

/* Reads the number at @text, behind spaces and points, and moves @text behind it. Returns FALSE if
 * there is no number. */
static gboolean
take_number (const char **text,
             guint64     *number)
{
  char *end;

  while (**text == ' ' || **text == '.' || **text == ',' || **text == ':')
    (*text)++;
  if (!g_ascii_isdigit (**text))
    return FALSE;
  *number = g_ascii_strtoull (*text, &end, 10);
  *text = end;
  return TRUE;
}

/**
 * attn_head_place_parse:
 * @text: such as "L12 H27", "l12h27", "12.27", "L12" or "H27"; one number alone is a head
 * @layer: (out): %ATTN_HEAD_PLACE_SAME if it is not named
 * @head: (out): the same
 * @error: return location for %ATTN_ERROR_ARGUMENT
 */
gboolean
attn_head_place_parse (const char           *text,
                       const AttnModelInfo  *info,
                       int                  *layer,
                       int                  *head,
                       GError              **error)
{
  guint64 numbers[2] = { 0 };
  gboolean has[2] = { FALSE };
  guint n_bare = 0;
  const char *rest = text;

  while (*(rest += strspn (rest, " \t")) != '\0')
    {
      char letter = g_ascii_tolower (*rest);
      guint place = letter == 'h' ? 1 : 0;
      guint64 number;

      if (letter == 'l' || letter == 'h')
        rest++;
      else
        {
          place = has[0] ? 1 : 0;
          n_bare++;
        }
      if (has[place] || !take_number (&rest, &number))
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("“%s” found, expected a layer and a head such as L12 H27"), text);
      has[place] = TRUE;
      numbers[place] = number;
    }
  if (n_bare == 1 && has[0] && !has[1])
    {
      has[0] = FALSE;
      has[1] = TRUE;
      numbers[1] = numbers[0];
    }
  if (!has[0] && !has[1])
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("“%s” found, expected a layer and a head such as L12 H27"), text);
  if ((has[0] && numbers[0] >= info->n_layers) || (has[1] && numbers[1] >= info->n_heads))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("“%s” found, expected up to L%zu H%zu, the last of this model"), text,
                      info->n_layers - 1, info->n_heads - 1);
  *layer = has[0] ? (int) numbers[0] : ATTN_HEAD_PLACE_SAME;
  *head = has[1] ? (int) numbers[1] : ATTN_HEAD_PLACE_SAME;
  return TRUE;
}

/**
 * attn_head_place_name_attention:
 * @attention: as the command line says it, such as “cross”
 *
 * Returns: (transfer none): its name for the user, translated, such as “Cross-attention”;
 *   @attention itself if it is not known
 */
const char *
attn_head_place_name_attention (const char *attention)
{
  static const char * const words[][2] = {
    { "text", N_("Text") },
    /* Translators: layers of a model that see a picture */
    { "vision", N_("Vision") },
    { "encoder", N_("Encoder") },
    { "decoder", N_("Decoder") },
    { "cross", N_("Cross-attention") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (words[i][0], attention))
      return _(words[i][1]);
  return attention;
}

/* Returns the title of the preset that the study began as, else a word for any figure. */
static const char *
get_figure_title (const AttnStudy *study)
{
  gsize n;
  const AttnPreset *presets = attn_presets_get_all (&n);

  for (gsize i = 0; i < n; i++)
    if (g_strcmp0 (presets[i].name, study->preset) == 0)
      return _(presets[i].title);
  return _("Figure");
}

/**
 * attn_head_place_name:
 * @place: an earlier study
 * @study: the present one
 *
 * Returns: (transfer full): how @place is called for who looks at @study: its layer and head, such
 *   as "L1 H2" or "strongest sink"; the title of its figure if that has other dimensions
 */
char *
attn_head_place_name (const AttnStudy *place,
                      const AttnStudy *study)
{
  gboolean has_layer = attn_head_place_has_layer (place);
  gboolean has_head = attn_head_place_has_head (place);

  if (!attn_head_place_has_same_grid (place, study) || (!has_layer && !has_head))
    return g_strdup (get_figure_title (place));
  if (has_layer && place->layer < 0)
    return g_strdup (_("strongest sink"));
  g_autofree char *layer = has_layer ? g_strdup_printf ("L%d", place->layer) : g_strdup ("");
  if (has_head && place->head >= 0)
    return g_strdup_printf ("%s%sH%d", layer, has_layer ? " " : "", place->head);
  const char *words = !has_head                       ? NULL
                      : place->head == ATTN_HEAD_MEAN ? _("mean of the heads")
                      : has_layer                     ? _("strongest sink of the layer")
                                                      : _("strongest sink");
  return g_strconcat (layer, has_layer && words != NULL ? " · " : "", words, NULL);
}

/* Tells whether the study leaves the layer or the head to the program, which shows the strongest
 * sink. In a grid of layers, each layer has its own head. */
static gboolean
is_open (const AttnStudy *study)
{
  return study->layer < 0 ||
         (attn_head_place_has_head (study) && study->head == ATTN_HEAD_STRONGEST_SINK);
}

/**
 * attn_head_place_is_strongest:
 * @study: the study of @result
 *
 * Returns: whether the layer and head on display are the strongest sink, of all heads or of that
 *   layer, whether the program found them or the user chose them
 */
gboolean
attn_head_place_is_strongest (const AttnStudy  *study,
                              const AttnResult *result)
{
  /* Rows that are no probability distributions may have a largest first column, but have no
   * sink. */
  if (!attn_head_place_has_layer (study) ||
      (result->measures != NULL && result->measures[0].is_unnormalised))
    return FALSE;
  return is_open (study) || (attn_head_place_has_head (study) && result->is_layer_strongest &&
                             result->is_head_strongest);
}

/**
 * attn_head_place_explain_strongest:
 *
 * Returns: (transfer none): what the star and the strongest sink are, translated: the one sentence
 *   for each place where a star stands
 */
const char *
attn_head_place_explain_strongest (void)
{
  return _("★ Strongest sink: of all heads of the model, or of the layer where it says so, the one "
           "with the largest sink score for the shown texts. The sink score is the weight on the "
           "first key, averaged over the queries. A sink is a key that queries attend to whatever "
           "it says");
}

/**
 * attn_head_place_describe:
 * @study: the study of @result
 * @says_choice: whether to say that layer and head are the strongest sink, if they are
 *
 * Returns: (transfer full): plain text such as "L1 H2 · ★ strongest sink", or "L2 H1 · ★ strongest
 *   sink of the layer", as far as the figure is of one layer and head, and "Decoder L1 H2" where
 *   the model has several attentions; "" otherwise
 */
char *
attn_head_place_describe (const AttnStudy  *study,
                          const AttnResult *result,
                          gboolean          says_choice)
{
  gboolean has_layer = attn_head_place_has_layer (study);
  gboolean has_head = attn_head_place_has_head (study);
  gboolean is_mean = has_head && result->head == ATTN_HEAD_MEAN;
  gboolean is_found = says_choice && attn_head_place_is_strongest (study, result);
  /* The strongest sink of a layer that the user chose may be weak, so that it counts as no sink. */
  gboolean is_of_layer = has_head && study->layer >= 0 && !result->is_layer_strongest;
  const AttnModelInfo *info = attn_model_get_info (result->model);
  gboolean has_several = has_layer && info->attentions[1] != NULL;
  g_autofree char *layer = has_layer ? g_strdup_printf ("L%zu", result->layer) : g_strdup ("");
  g_autofree char *head = has_head && (has_layer || study->head >= 0) && !is_mean
                              ? g_strdup_printf ("%sH%d", has_layer ? " " : "", result->head)
                              : g_strdup ("");

  return g_strconcat (has_several ? attn_head_place_name_attention (info->attention) : "",
                      has_several ? " " : "", layer, head, is_mean && has_layer ? " · " : "",
                      is_mean ? _("mean of the heads") : "", is_found ? " · ★ " : "",
                      !is_found     ? ""
                      : is_of_layer ? _("strongest sink of the layer")
                                    : _("strongest sink"),
                      NULL);
}

/**
 * attn_head_place_describe_choice:
 * @before: the study until then
 * @place: the layer and head of @before, as attn_head_place_describe() names them
 * @result: the present result
 *
 * Returns: (transfer full) (nullable): one sentence, if the study left layer or head open both
 *   times and the program has now found another than before in the same model, or if another model
 *   does not have the one that was shown
 */
char *
attn_head_place_describe_choice (const AttnStudy  *before,
                                 const char       *place,
                                 const AttnResult *result)
{
  g_autofree char *now = attn_head_place_describe (result->study, result, TRUE);

  const AttnStudy *study = result->study;
  gboolean is_same_model = attn_model_reference_equal (&before->model, &study->model);
  gboolean is_missing =
      !is_same_model && attn_head_place_has_same_grid (before, study) &&
      ((before->layer >= 0 && study->layer < 0) ||
       (before->head >= 0 && study->head == ATTN_HEAD_STRONGEST_SINK));

  if (g_str_equal (place, now) ||
      !(is_missing ||
        (is_same_model && is_open (study) && attn_head_place_equal (before, study))))
    return NULL;
  /* Translators: two places such as “L1 H2 · ★ strongest sink” */
  return g_strdup_printf (_("Another head is shown than before: now %s, until now %s"), now, place);
}
