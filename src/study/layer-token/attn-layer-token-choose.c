/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chooses the parts of the layer-token figure: tokens, queries, columns, heads and layers. */

#include "config.h"

#include "attn-layer-token-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-roles.h"
#include "attn-words.h"

/* Tells whether @set contains the position of a token in the unit, which is a token or, if the
 * study joins tokens, a word. */
static gboolean
is_named (const AttnLayerTokenUnits *units,
          const AttnIndexSet        *set,
          gsize                      unit)
{
  return attn_index_set_contains_any (set, units->starts[unit], units->starts[unit + 1]);
}

/**
 * attn_layer_token_is_hidden:
 * @unit: index of a unit (token or word) of the keys
 *
 * Returns: whether the study hides all tokens of the unit, so that it has no column and no share of
 *   a row
 */
gboolean
attn_layer_token_is_hidden (const AttnLayerTokenJob *job,
                            gsize                    unit)
{
  const gsize *starts = job->key_units.starts + unit;

  return job->study->hides_keys &&
         attn_index_set_contains_all (job->study->hidden_keys, starts[0], starts[1]);
}

/* Lists the members of @set that are below @n. */
static gsize *
list_members (const AttnIndexSet *set,
              gsize               n,
              gsize              *n_members)
{
  gsize *members = g_new (gsize, n);

  *n_members = 0;
  for (gsize i = 0; i < n; i++)
    if (attn_index_set_contains (set, i))
      members[(*n_members)++] = i;
  return members;
}

/* Makes units from @tokens: words if the study joins tokens, each from its first to its last byte;
 * else the tokens themselves. */
static void
choose_units (const AttnLayerTokenJob *job,
              AttnTokens              *tokens,
              AttnLayerTokenUnits     *units)
{
  gboolean joins = job->study->joins_words;
  g_autoptr (AttnWords) words =
      attn_words_new (tokens, joins ? attn_model_get_tokenizer (job->model, NULL) : NULL);

  units->starts = g_steal_pointer (&words->starts);
  if (!joins)
    {
      units->tokens = attn_tokens_ref (tokens);
      return;
    }

  g_autofree guint32 *ids = g_new (guint32, words->n_words);
  for (gsize word = 0; word < words->n_words; word++)
    ids[word] = tokens->tokens[units->starts[word]].id;
  units->tokens = attn_tokens_new_from_ids (ids, words->n_words, words->labels);
  for (gsize word = 0; word < words->n_words; word++)
    {
      units->tokens->tokens[word] = tokens->tokens[units->starts[word]];
      units->tokens->tokens[word].end = tokens->tokens[units->starts[word + 1] - 1].end;
    }
}

/* Returns the tokens of the keys. In a recording they can differ from those of the queries. */
static AttnTokens *
get_keys (const AttnBaseline *baseline)
{
  gsize n_keys = attn_baseline_count_keys (baseline);

  if (!attn_model_get_info (baseline->model)->is_recording)
    return attn_tokens_ref (baseline->tokens);

  g_autofree guint32 *ids = g_new (guint32, n_keys);
  for (gsize i = 0; i < n_keys; i++)
    ids[i] = i;
  return attn_tokens_new_from_ids (ids, n_keys,
                                   (char **) attn_baseline_get_key_labels (baseline));
}

/* Chooses the queries that are averaged: the last one by default, or the queries that the study
 * names, or only the last few of these. */
static gboolean
choose_queries (AttnLayerTokenJob  *job,
                GError            **error)
{
  const AttnStudy *study = job->study;
  const AttnLayerTokenUnits *units = &job->query_units;
  gsize last = attn_roles_get_last (units->tokens);
  gsize n_wanted = study->n_last_queries;

  if (!attn_index_set_check (study->queries, units->starts[last + 1], _("queries"), error) ||
      (study->hides_keys && !attn_index_set_check (study->hidden_keys,
                                                   attn_baseline_count_keys (job->baseline),
                                                   _("hidden keys"), error)))
    return FALSE;
  if (study->queries == NULL && n_wanted == 0)
    n_wanted = 1;
  job->queries = g_new (gsize, last + 1);
  for (gsize unit = 0; unit <= last; unit++)
    if (is_named (units, study->queries, unit))
      job->queries[job->n_queries++] = unit;
  if (n_wanted > 0 && n_wanted < job->n_queries)
    {
      memmove (job->queries, job->queries + job->n_queries - n_wanted,
               n_wanted * sizeof *job->queries);
      job->n_queries = n_wanted;
    }
  return TRUE;
}

static gboolean
choose_heads_and_layers (AttnLayerTokenJob  *job,
                         GError            **error)
{
  const AttnStudy *study = job->study;
  const AttnModelInfo *info = attn_model_get_info (job->model);

  if (study->head >= 0)
    job->heads = attn_index_set_new_range (study->head, study->head);
  else if (study->heads != NULL)
    job->heads = attn_index_set_ref (study->heads);
  if (!attn_index_set_check (job->heads, info->n_heads, _("heads"), error) ||
      !attn_index_set_check (study->layers, info->n_layers, _("layers"), error) ||
      !attn_model_info_check_maps (info, study->layers, error))
    return FALSE;
  job->layers = list_members (study->layers != NULL ? study->layers : info->mapped_layers,
                              info->n_layers, &job->n_layers);
  return TRUE;
}

/* Returns the unit of the keys that contains the token, or the number of units if none does. */
static gsize
find_unit (const AttnLayerTokenJob *job,
           gsize                    token)
{
  gsize unit = 0;

  while (unit < job->key_units.tokens->n_tokens && job->key_units.starts[unit + 1] <= token)
    unit++;
  return unit;
}

static gboolean
locate_roles (AttnLayerTokenJob  *job,
              GError            **error)
{
  AttnRoleOptions roles = job->study->roles; /* copy whose texts are not copied and belong to the
                                              * study */

  roles.answer_first = find_unit (job, roles.answer_first);
  roles.exact_first = find_unit (job, roles.exact_first);
  roles.exact_last = find_unit (job, roles.exact_last);
  job->positions = g_new (gsize, attn_roles_get_n_columns (&roles));
  return attn_roles_locate (&roles, job->key_units.tokens, job->positions, error);
}

/* Tells whether at least one of the chosen queries sees the key, which a causal mask hides from
 * earlier queries. */
static gboolean
is_seen (const AttnLayerTokenJob *job,
         gsize                    key)
{
  if (!attn_model_get_info (job->model)->is_causal)
    return TRUE;
  for (gsize i = 0; i < job->n_queries; i++)
    if (key <= job->queries[i])
      return TRUE;
  return FALSE;
}

static void
append_name (GString    *names,
             const char *name)
{
  g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
}

/* Chooses as columns the roles that have a token with a value. An empty column would look like
 * values that are NaN. */
static gboolean
choose_columns (AttnLayerTokenJob  *job,
                GError            **error)
{
  const AttnStudy *study = job->study;
  gsize n = attn_roles_get_n_columns (&study->roles);

  job->columns = g_new (gsize, n);
  job->absent = g_string_new (NULL);
  job->unseen = g_string_new (NULL);
  for (gsize column = 0; column < n; column++)
    {
      gsize key = job->positions[column];

      if (key == ATTN_ROLES_NONE)
        append_name (job->absent, attn_roles_get_name (&study->roles, column));
      else if (attn_layer_token_is_hidden (job, key))
        continue;
      else if (!is_seen (job, key))
        append_name (job->unseen, attn_roles_get_name (&study->roles, column));
      else
        {
          job->columns[job->n_columns] = column;
          job->positions[job->n_columns++] = key;
        }
    }
  if (job->n_columns > 0)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("no column found that a query sees, expected at least one that is not "
                      "hidden"));
}

static gboolean
build_interventions (AttnLayerTokenJob  *job,
                     GError            **error)
{
  AttnCell cell = attn_cell_get_first (job->study, 0, ATTN_HEAD_MEAN);

  job->interventions = attn_workspace_build_interventions (job->workspace, &cell, job->study);
  return attn_interventions_check (job->interventions, job->model,
                                   job->baseline->tokens->n_tokens, error);
}

/**
 * attn_layer_token_choose:
 * @job: (inout): a job with its study, model and baseline; the other members are filled in
 * @error: return location for %ATTN_ERROR_ARGUMENT: roles, queries, heads, layers or interventions
 *   that the text or the model does not have
 *
 * Finds the tokens of the roles, and chooses the columns, queries, heads, layers and interventions
 * of the map.
 */
gboolean
attn_layer_token_choose (AttnLayerTokenJob  *job,
                         GError            **error)
{
  g_autoptr (AttnTokens) keys = get_keys (job->baseline);

  choose_units (job, job->baseline->tokens, &job->query_units);
  choose_units (job, keys, &job->key_units);
  return locate_roles (job, error) && choose_queries (job, error) && choose_columns (job, error) &&
         choose_heads_and_layers (job, error) && build_interventions (job, error);
}
