/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names an operation and its place in the model for titles and captions. These texts are part of
 * the figure and not translated. */

#include "config.h"

#include "attn-titles.h"

#include <string.h>

#include "attn-study-private.h"

const char * const attn_titles_axes[ATTN_N_AXES] = {
  [ATTN_AXIS_FEATURE] = "Head Dimension",
  [ATTN_AXIS_TOKEN] = "Tokens",
  [ATTN_AXIS_HEAD] = "Heads",
};

const char * const attn_titles_sites[ATTN_N_SITES] = {
  [ATTN_SITE_PROJECTION] = "Projection",
  [ATTN_SITE_NORMED] = "Norm",
  [ATTN_SITE_ROTATED] = "Rotation",
};

/**
 * attn_titles_append_operation:
 * @component: (nullable): markup of the component that is changed, such as "<i>Query</i>"; %NULL
 *   for a cut
 * @input: number of the input that a patch takes from, from 0
 * @keys: (nullable): the keys that a cut hides
 *
 * Appends the operation in words: "Query = 0", "Query from Input 2", "Keys 0-2 cut" or, for a mean,
 * "Mean of Query".
 */
void
attn_titles_append_operation (GString            *text,
                              AttnOperation       operation,
                              const char         *component,
                              gsize               input,
                              const AttnIndexSet *keys)
{
  g_autofree char *cut = keys != NULL ? attn_index_set_to_string (keys) : NULL;

  if (operation == ATTN_OPERATION_ZERO)
    g_string_append_printf (text, "%s = 0", component);
  else if (operation == ATTN_OPERATION_PATCH)
    g_string_append_printf (text, "%s from Input %zu", component, input + 1);
  else if (operation == ATTN_OPERATION_CUT)
    g_string_append_printf (text, "%s %s cut",
                            cut == NULL || strpbrk (cut, ",-") != NULL ? "Keys" : "Key",
                            cut != NULL ? cut : "all");
  else
    g_string_append_printf (text, "Mean of %s", component);
}

/**
 * attn_titles_append_scope:
 * @what: a noun in the singular with its preposition, such as "in layer"
 * @set: (nullable): the numbers to be listed; %NULL for all, of which nothing is appended
 *
 * Appends the scope of an operation, such as ", in layers 0-2".
 */
void
attn_titles_append_scope (GString            *text,
                          const char         *what,
                          const AttnIndexSet *set)
{
  g_autofree char *members = set != NULL ? attn_index_set_to_string (set) : NULL;

  if (members != NULL)
    g_string_append_printf (text, ", %s%s %s", what, strpbrk (members, ",-") != NULL ? "s" : "",
                            members);
}

/**
 * attn_titles_is_source:
 *
 * Returns: whether the study's own operation is a patch from the input that the cell shows
 */
gboolean
attn_titles_is_source (const AttnTitles *titles,
                       const AttnCell   *cell)
{
  return titles->study->operation == ATTN_OPERATION_PATCH && !titles->is_of_all &&
         attn_cell_is_source (cell, titles->study, titles->study->patch_input);
}

/**
 * attn_titles_is_changed:
 *
 * Returns: whether the study's own operation is applied in the cell
 */
gboolean
attn_titles_is_changed (const AttnTitles *titles,
                        const AttnCell   *cell)
{
  return titles->study->operation == ATTN_OPERATION_CUT ||
         (attn_study_count_flags (cell->components, ATTN_N_COMPONENTS) > 0 &&
          !attn_titles_is_source (titles, cell));
}

/* Appends the heads outside the operation's scope which also change because they share keys and
 * values with a head in the scope. */
static void
append_shared_heads (GString          *text,
                     const AttnTitles *titles,
                     const AttnCell   *cell)
{
  const gboolean *components = cell->components;
  g_autoptr (AttnIndexSet) scope = attn_cell_dup_heads (cell, titles->study);
  gsize n_shared = titles->n_key_heads > 0 ? titles->n_heads / titles->n_key_heads : 1;
  g_autofree gboolean *are_shared = g_new0 (gboolean, titles->n_heads + 1);
  gboolean is_any = FALSE;

  if (scope == NULL || n_shared == 1 ||
      !(components[ATTN_COMPONENT_KEY] || components[ATTN_COMPONENT_VALUE]))
    return;
  for (gsize head = 0; head < titles->n_heads; head++)
    {
      gsize first = head / n_shared * n_shared;

      are_shared[head] = !attn_index_set_contains (scope, head) &&
                         attn_index_set_contains_any (scope, first, first + n_shared);
      is_any |= are_shared[head];
    }
  if (!is_any)
    return;
  g_autoptr (AttnIndexSet) others = attn_index_set_new_from_flags (are_shared, titles->n_heads);
  g_autofree char *members = attn_index_set_to_string (others);
  g_string_append_printf (text, " (and %s, of the same key head)", members);
}

/* Tells whether the operation acts as in the paper (arXiv 2410.13708): on the head that the panel
 * shows, in the layer that it shows. */
static gboolean
acts_as_published (const AttnStudy *study,
                   const AttnCell  *cell)
{
  return study->acts_on_shown_layer && study->acts_on_shown_head && cell->head >= 0;
}

static gboolean
shows_an_effect (const AttnStudy *study)
{
  for (gsize i = 0; i < ATTN_N_SHOWN_EFFECTS; i++)
    if (study->effects[i])
      return TRUE;
  return FALSE;
}

/* Appends the heads that the operation acts on. In a grid of heads, each panel acts on its own
 * head. If only weights are shown, the head that is shown is not named: changes of other heads of
 * its layer do not affect its weights. */
static void
append_heads (GString          *text,
              const AttnTitles *titles,
              const AttnCell   *cell)
{
  g_autoptr (AttnIndexSet) heads = attn_cell_dup_heads (cell, titles->study);

  if (titles->study->acts_on_shown_head && attn_study_varies (titles->study, ATTN_DIMENSION_HEAD))
    {
      g_string_append (text, ", in the head shown");
      return;
    }
  if (acts_as_published (titles->study, cell) && !shows_an_effect (titles->study))
    return;
  attn_titles_append_scope (text, "in head", heads);
  append_shared_heads (text, titles, cell);
}

/**
 * attn_titles_append_unusual:
 *
 * Appends the scope of the operation (mean axis, site, layers, heads, tokens) as far as it differs
 * from the default, which readers assume unless the figure says otherwise: ", in head 2".
 */
void
attn_titles_append_unusual (GString          *text,
                            const AttnTitles *titles,
                            const AttnCell   *cell)
{
  const AttnStudy *study = titles->study;

  if (!attn_titles_is_changed (titles, cell))
    return;
  if (study->operation == ATTN_OPERATION_MEAN &&
      !(cell->axis == ATTN_AXIS_HEAD && acts_as_published (study, cell)) &&
      !attn_study_varies (study, ATTN_DIMENSION_AXIS) && !attn_study_says (study, "{axis}"))
    g_string_append_printf (text, ", mean over %s", attn_titles_axes[cell->axis]);
  if (study->operation == ATTN_OPERATION_PATCH && study->patch_pairs != NULL)
    {
      g_autofree char *pairs = attn_pairs_to_string (study->patch_pairs);

      g_string_append_printf (text, ", positions %s", pairs);
    }
  if (cell->site != ATTN_SITE_PROJECTION && study->operation != ATTN_OPERATION_CUT &&
      !attn_study_varies (study, ATTN_DIMENSION_SITE) &&
      !attn_study_says (study, "{site}"))
    g_string_append_printf (text, ", after the %s", attn_titles_sites[cell->site]);
  if (!study->acts_on_shown_layer && study->scope_layers == NULL)
    g_string_append (text, ", in all layers");
  else if (!study->acts_on_shown_layer)
    attn_titles_append_scope (text, "in layer", study->scope_layers);
  append_heads (text, titles, cell);
  attn_titles_append_scope (text, "at token", study->scope_tokens);
}
