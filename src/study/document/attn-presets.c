/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-presets-resources.h"

#define RESOURCE_PREFIX "/io/github/attentiongrid/AttentionGrid/presets/"

/* Names and descriptions of the presets. Their studies are stored in data/presets, whose
 * resources.sed reads these rows. */
static const AttnPreset presets[] = {
  { "mean-operation", N_("Mean Operation"),
    N_("Query, key or value of one head replaced by the mean over the heads"),
    "On the Role of Attention Heads in Large Language Model Safety", "2410.13708" },
  { "epsilon", N_("Epsilon"),
    N_("Query, key or value of one head multiplied by ε = 0.5, 1e-3, 1e-10"),
    "On the Role of Attention Heads in Large Language Model Safety", "2410.13708" },
  { "single", N_("Single Panel"),
    N_("The weights of one head, large") },
  { "compare", N_("Comparison"),
    N_("Two panels and their difference: interventions, inputs, layers, heads or models") },
  { "effect", N_("Effect"),
    N_("What scaling a value does to the prediction, beside weights that do not change") },
  { "head-atlas", N_("All Heads"),
    N_("Every head of every layer, as thumbnails") },
  { "head-groups", N_("Groups of Heads"),
    N_("Heads made to attend within groups of tokens that are assigned by hand") },
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
  { "sink-rate", N_("Sink Rate"),
    N_("The sink score of every head: a sink where it is above 0.3"),
    "When Attention Sink Emerges in Language Models: An Empirical View", "2410.10781" },
  { "secondary-sinks", N_("Secondary Sinks"),
    N_("The cosine of the residual stream to that of the first token: beyond 0.9, a sink"),
    "On the Existence and Behaviour of Secondary Attention Sinks", "2512.22213" },
  { "massive-activations", N_("Massive Activations"),
    N_("The largest channel of the residual stream, and which it is"),
    "Massive Activations in Large Language Models", "2402.17762" },
  { "inactive-heads", N_("Inactive Heads"),
    N_("The norm of what each head puts out, relative to its layer"),
    "Identifying and Evaluating Inactive Heads in Pretrained LLMs", "2504.03889" },
  { "matrix-entropy", N_("Matrix Entropy"),
    N_("Entropy of the residual stream, sink rate and norm of the first token over the layers"),
    "Attention Sinks and Compression Valleys in LLMs are Two Sides of the Same Coin",
    "2510.06477" },
  { "exact-answer", N_("Exact Answer"),
    N_("Attention to the exact answer and the tokens around it, layer by layer"),
    "LLMs Know More Than They Show: On the Intrinsic Representation of LLM Hallucinations",
    "2410.02707" },
};

/**
 * attn_presets_get_all:
 * @n_presets: (out): number of presets
 *
 * Returns: (transfer none) (array length=n_presets): the presets, in the order in which the window
 *   and the command line list them
 */
const AttnPreset *
attn_presets_get_all (gsize *n_presets)
{
  *n_presets = G_N_ELEMENTS (presets);
  return presets;
}

/**
 * attn_presets_get_own:
 * @n_presets: (out): number of presets of the program's own figures
 *
 * Returns: (transfer none) (array length=n_presets): the first of all presets, one for each figure
 *   of the program; those behind them are studies after papers
 */
const AttnPreset *
attn_presets_get_own (gsize *n_presets)
{
  *n_presets = 1;
  /* The program's own presets end where presets of papers begin again; the first two presets are of
   * a paper, too. */
  while (*n_presets < G_N_ELEMENTS (presets) &&
         (presets[*n_presets].paper == NULL || presets[*n_presets - 1].paper != NULL))
    (*n_presets)++;
  return presets;
}

/**
 * attn_presets_cite_paper:
 *
 * Returns: whether the preset that @study began with draws a figure of a paper
 */
gboolean
attn_presets_cite_paper (const AttnStudy *study)
{
  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    if (g_strcmp0 (presets[i].name, study->preset) == 0)
      return presets[i].paper != NULL;
  return FALSE;
}

/**
 * attn_preset_cite:
 * @preset: a preset that draws a figure of a paper
 *
 * Returns: (transfer full): title and number of the paper, as "TITLE, arXiv 2410.13708"
 */
char *
attn_preset_cite (const AttnPreset *preset)
{
  return g_strdup_printf ("%s, arXiv %s", preset->paper, preset->arxiv);
}

/**
 * attn_preset_build_command:
 *
 * Returns: (transfer full): the command that draws the preset: "attention-grid render NAME -o
 *   NAME.svg"
 */
char *
attn_preset_build_command (const AttnPreset *preset)
{
  return g_strdup_printf ("attention-grid render %s -o %s.svg", preset->name, preset->name);
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

/* Registers the resource that contains the presets. Without this call, the linker would drop the
 * resource from the static library. */
static gpointer
register_resources (gpointer data)
{
  g_resources_register (attn_presets_get_resource ());
  return NULL;
}

/**
 * attn_presets_load:
 * @name: name of a preset, such as "epsilon"
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the presets
 *
 * Any thread can call it.
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
 * attn_presets_get_origin:
 *
 * Any thread can call it.
 *
 * Returns: (transfer none) (nullable): the preset that @study began with, which is read only once;
 *   %NULL if it began with none, or with one that this version does not have
 */
const AttnStudy *
attn_presets_get_origin (const AttnStudy *study)
{
  static AttnStudy *origins[G_N_ELEMENTS (presets)]; /* kept for the life of the program */

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      if (g_strcmp0 (presets[i].name, study->preset) != 0)
        continue;
      if (g_once_init_enter (&origins[i]))
        g_once_init_leave (&origins[i], attn_presets_load (presets[i].name, NULL));
      return origins[i];
    }
  return NULL;
}

/**
 * attn_presets_have_input:
 *
 * Returns: whether some preset has the same text and uses as many of its tokens. The number is then
 *   a limit of that preset's figure, and was not chosen by the user.
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

/**
 * attn_presets_have_inputs:
 *
 * Returns: whether each input of @study comes from a preset, and none from the user
 */
gboolean
attn_presets_have_inputs (const AttnStudy *study)
{
  gboolean have_all = TRUE;

  for (guint i = 0; i < study->inputs->len && have_all; i++)
    have_all = attn_presets_have_input (study->inputs->pdata[i]);
  return have_all;
}
