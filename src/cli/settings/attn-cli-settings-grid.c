/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options for a figure's grid: what varies along rows and columns, and what each panel shows. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-cell.h"
#include "attn-cli-settings.h"
#include "attn-titles.h"

static gboolean
apply_layer (AttnStudy   *study,
             const char  *value,
             GError     **error)
{
  study->layer = ATTN_CLI_ALL;
  return g_str_equal (value, "all") ||
         (attn_field_parse (attn_study_find_field ("layer"), value, study, NULL) &&
          study->layer >= 0) ||
         attn_field_fail (value, _("a number or all"), error);
}

static gboolean
apply_head (AttnStudy   *study,
            const char  *value,
            GError     **error)
{
  study->head = ATTN_CLI_ALL;
  return g_str_equal (value, "all") ||
         attn_field_parse (attn_study_find_field ("head"), value, study, NULL) ||
         attn_field_fail (value, _("a number, all, mean or strongest-sink"), error);
}

static gboolean
apply_special_tokens (AttnStudy   *study,
                      const char  *value,
                      GError     **error)
{
  study->adds_special_tokens = g_str_equal (value, "on");
  return study->adds_special_tokens || g_str_equal (value, "off") ||
         attn_field_fail (value, _("on or off"), error);
}

static gboolean
set_dimension (AttnStudy      *study,
               AttnDimension  *place,
               const char     *value,
               GError        **error)
{
  AttnDimension dimension;

  if (!attn_text_parse_name (attn_dimension_names, value, &dimension, error))
    return FALSE;
  if (*place != dimension || !attn_study_get_traits (study)->has_grid)
    attn_study_forget_panels (study);
  *place = dimension;
  study->figure = ATTN_FIGURE_GRID;
  attn_cell_need_members (study);
  return TRUE;
}

static gboolean
apply_rows (AttnStudy   *study,
            const char  *value,
            GError     **error)
{
  return set_dimension (study, &study->rows, value, error);
}

static gboolean
apply_columns (AttnStudy   *study,
               const char  *value,
               GError     **error)
{
  return set_dimension (study, &study->columns, value, error);
}

static gboolean
set_set (AttnIndexSet **set,
         const char    *value,
         GError       **error)
{
  AttnIndexSet *parsed = NULL;

  if (!g_str_equal (value, "all"))
    {
      parsed = attn_index_set_parse (value, error);
      if (parsed == NULL)
        return FALSE;
    }
  g_clear_pointer (set, attn_index_set_unref);
  *set = parsed;
  return TRUE;
}

static gboolean
apply_with_model (AttnStudy   *study,
                  const char  *value,
                  GError     **error)
{
  AttnModelReference *other = attn_model_reference_new (NULL, NULL);

  attn_model_reference_parse (other, value);
  if (attn_array_format_has (value, ATTN_ARRAY_FORMAT_TEXT))
    other->header = study->model.header;
  attn_model_reference_settle (other, &study->model);
  g_ptr_array_add (study->other_models, other);
  return TRUE;
}

/* The first --with-model removes the other models of the preset or file. */
static void
begin_with_model (AttnStudy *study)
{
  g_ptr_array_set_size (study->other_models, 0);
}

/* Sets what the figure compares: along the side of the grid (rows or columns) that already shows a
 * comparison, else along a side that varies nothing. */
static gboolean
apply_compare (AttnStudy   *study,
               const char  *value,
               GError     **error)
{
  int place;

  if (!attn_text_parse_name (attn_compared_names, value, &place, error))
    return FALSE;
  AttnDimension compared = attn_compared_values[place];
  if (study->rows != ATTN_DIMENSION_COMPARISON && study->columns != ATTN_DIMENSION_COMPARISON)
    {
      if (study->columns != ATTN_DIMENSION_NONE && study->rows != ATTN_DIMENSION_NONE)
        return attn_field_fail (value,
                                _("a grid with room for a comparison, such as --rows "
                                  "input --columns none"),
                                error);
      if (study->columns == ATTN_DIMENSION_NONE)
        study->columns = ATTN_DIMENSION_COMPARISON;
      else
        study->rows = ATTN_DIMENSION_COMPARISON;
    }
  /* If the figure did not compare anything before, the preset's own intervention is removed, since
   * it is for a comparison with the baseline. */
  if (compared != ATTN_DIMENSION_NONE && study->compared == ATTN_DIMENSION_NONE)
    attn_study_end_operation (study);
  study->figure = ATTN_FIGURE_GRID;
  study->compared = compared;
  return TRUE;
}

static gboolean
apply_quantity (AttnStudy   *study,
                const char  *value,
                GError     **error)
{
  if (!attn_text_parse_name (attn_map_names, value, &study->quantity, error))
    return FALSE;
  attn_study_fit_quantity (study);
  return TRUE;
}

static gboolean
apply_measure (AttnStudy   *study,
               const char  *value,
               GError     **error)
{
  if (!attn_text_parse_name (attn_head_measure_names, value, &study->measure, error))
    return FALSE;
  attn_study_fit_measure (study);
  return TRUE;
}

static gboolean
apply_state (AttnStudy   *study,
             const char  *value,
             GError     **error)
{
  if (!attn_text_parse_name (attn_state_names, value, &study->state, error))
    return FALSE;
  attn_study_fit_state (study);
  return TRUE;
}

static gboolean
apply_hide_keys (AttnStudy   *study,
                 const char  *value,
                 GError     **error)
{
  study->hides_keys = !g_str_equal (value, "none");
  if (g_str_equal (value, "all"))
    return attn_field_fail (value, _("positions such as 0 or 0,3-5, or none"), error);
  if (study->hides_keys)
    return set_set (&study->hidden_keys, value, error);
  g_clear_pointer (&study->hidden_keys, attn_index_set_unref);
  return TRUE;
}

/* Sets how many of the last queries are shown. 0, which means all, is valid in a file only. */
static gboolean
apply_last_queries (AttnStudy   *study,
                    const char  *value,
                    GError     **error)
{
  guint64 n;

  if (!g_ascii_string_to_unsigned (value, 10, 1, G_MAXINT32, &n, NULL))
    return attn_field_fail (value, _("how many, from 1"), error);
  study->n_last_queries = n;
  return TRUE;
}

static gboolean
set_template (AttnStudy   *study,
              char       **template,
              const char  *value,
              GError     **error)
{
  g_autofree char *where = g_strdup_printf ("“%s”", value);

  if (!g_utf8_validate (value, -1, NULL))
    return attn_field_fail (value, _("UTF-8 text"), error);
  g_autofree char *text = attn_titles_fill_in (study, 0, 0, where, value, error);
  if (text == NULL)
    return FALSE;
  g_free (*template);
  *template = g_strdup (value);
  return TRUE;
}

static gboolean
apply_title (AttnStudy   *study,
             const char  *value,
             GError     **error)
{
  return set_template (study, &study->title, value, error);
}

static gboolean
apply_caption (AttnStudy   *study,
               const char  *value,
               GError     **error)
{
  return set_template (study, &study->caption, value, error);
}

#define DIMENSIONS "input|component|epsilon|layer|head|site|axis|model|comparison|none"

const AttnCliSetting attn_cli_grid_settings[] = {
  { "special-tokens", "on|off",
    N_("What the tokenizer adds by itself, such as a first <s>; default on"),
    apply_special_tokens },
  { "layer", "N|all", N_("The layer on display"), apply_layer },
  { "head", "N|all|mean|strongest-sink", N_("The head on display"), apply_head },
  { "rows", DIMENSIONS, N_("What changes along the rows of the grid"), apply_rows },
  { "columns", DIMENSIONS, N_("What changes along its columns"), apply_columns },
  { "with-model", "PATH", N_("Another model, beside the first or to compare; repeatable"),
    apply_with_model, begin_with_model },
  { "compare", "intervention|input|layer|head|model",
    N_("What A and B differ in, beside which B - A stands"), apply_compare },
  { "quantity", "weights|scores|value-norm|logit|rollout|cosine|norms",
    N_("What a panel shows of its head; default weights"), apply_quantity },
  { "measure", "NAME",
    N_("What a score atlas shows of each head: sink, entropy, distance, previous, duplicate, "
        "induction, change, effect:zero, effect:mean, loss:zero, loss:mean, effect:scale, "
        "output-norm, query-norm, key-norm, value-norm"),
    apply_measure },
  { "state", "norm|cosine|largest|attention|mlp",
    N_("What a state shows of the residual stream: its norm, its cosine to a token, its largest "
        "channel, or what attention or MLP adds; default norm"),
    apply_state },
  { "hide-keys", "N,N-N|none", N_("Positions of keys that are not shown, such as 0"),
    apply_hide_keys },
  { "last-queries", "N", N_("Only the last N of them"), apply_last_queries },
  { "title", "TEMPLATE", N_("Title of each panel, such as “Layer {layer}, {component}”"),
    apply_title },
  { "caption", "TEMPLATE", N_("Text below the grid, such as “{components} in {model}”"),
    apply_caption },
  { NULL },
};
