/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-presets-resources.h"

#define RESOURCE_PREFIX "/io/github/attentiongrid/AttentionGrid/presets/"

/* The studies themselves are files in data/presets. */
static const AttnPreset presets[] = {
  { "mean-operation", N_("Mean Operation"),
    N_("Query, key or value replaced by its mean, for three inputs") },
  { "epsilon", N_("Epsilon"),
    N_("Query, key or value multiplied by ε = 5e-1, 1e-3, 1e-10") },
  { "single", N_("Single Panel"),
    N_("The weights of one head, large") },
  { "compare", N_("Comparison"),
    N_("Two panels and their difference: interventions, inputs, layers, heads or models") },
  { "effect", N_("Effect"),
    N_("What scaling a value does to the prediction, beside weights that do not change") },
  { "head-atlas", N_("All Heads"),
    N_("Every head of every layer, as thumbnails") },
  { "head-groups", N_("Groups of Heads"),
    N_("Heads that attend within groups of tokens, as a diagram and a matrix") },
  { "layer-token", N_("Layers and Tokens"),
    N_("Attention to the roles of tokens in a question and its answer, layer by layer") },
  { "score-atlas", N_("Score Atlas"),
    N_("A number for every head: what it attends to, or what the prediction loses without it") },
  { "patch-map", N_("Patch Map"),
    N_("Where in the model the answer to one text is made: patched into another") },
  { "state", N_("States"),
    N_("The residual stream, layers by tokens: norms, cosines, massive channels, what is added") },
  { "survey", N_("Survey"),
    N_("What every head does over many texts: maps, a scatter of heads, histograms") },
};

/**
 * attn_presets_get_all:
 * @n_presets: (out): how many
 *
 * Returns: (transfer none) (array length=n_presets): the presets, in the order in which they are
 *   shown
 */
const AttnPreset *
attn_presets_get_all (gsize *n_presets)
{
  *n_presets = G_N_ELEMENTS (presets);
  return presets;
}

static const AttnPreset *
find_preset (const char  *name,
             GError     **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      if (g_str_equal (presets[i].name, name))
        return &presets[i];
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", presets[i].name);
    }
  return attn_fail_null (error, ATTN_ERROR_ARGUMENT,
                         _("%s: no preset of that name found, expected one of %s"), name,
                         names->str);
}

/* The linker keeps the resource of a static library only if something asks for it. */
static gpointer
register_resources (gpointer data)
{
  g_resources_register (attn_presets_get_resource ());
  return NULL;
}

/**
 * attn_presets_load:
 * @name: of a preset, such as "epsilon"
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the presets
 *
 * Any thread may call.
 *
 * Returns: (transfer full) (nullable): the preset's study
 */
AttnStudy *
attn_presets_load (const char  *name,
                   GError     **error)
{
  static GOnce once = G_ONCE_INIT;

  if (find_preset (name, error) == NULL)
    return NULL;
  g_once (&once, register_resources, NULL);

  g_autofree char *path = g_strdup_printf (RESOURCE_PREFIX "%s.json", name);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  gsize length;

  if (bytes == NULL)
    return NULL;
  const char *json = g_bytes_get_data (bytes, &length);
  return attn_study_from_json (name, json, length, error);
}

/**
 * attn_presets_have_input:
 *
 * Returns: whether a preset has the same text and as many of its tokens: a limit for the figure
 *   that it draws, not one that was asked for
 */
gboolean
attn_presets_have_input (const AttnInput *input)
{
  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AttnStudy) study = attn_presets_load (presets[i].name, NULL);

      for (guint k = 0; study != NULL && k < study->inputs->len; k++)
        {
          const AttnInput *other = g_ptr_array_index (study->inputs, k);

          if (input->n_tokens == other->n_tokens && g_strcmp0 (input->text, other->text) == 0)
            return TRUE;
        }
    }
  return FALSE;
}
