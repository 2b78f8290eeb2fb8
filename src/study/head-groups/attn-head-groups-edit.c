/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits the group of tokens of a head, as by a click on a token or a link of the figure's
 * diagram. */

#include "config.h"

#include "attn-head-groups-private.h"
#include "attn-head-groups.h"
#include "attn-words.h"

static AttnGroup *
find_group (const AttnStudy *study,
            gsize            head,
            guint           *index)
{
  for (*index = 0; *index < study->groups.assigned->len; (*index)++)
    {
      AttnGroup *group = g_ptr_array_index (study->groups.assigned, *index);

      if (group->head == head)
        return group;
    }
  return NULL;
}

/* Tokens of the input that a figure shows, and its units: words if the study joins tokens, else
 * tokens. */
typedef struct
{
  const AttnTokens *tokens;
  const char *text; /* (nullable): text of the input, if it is a text */
  char **plain;     /* (array zero-terminated=1): [T], labels of the tokens without spaces around
                     * them */
  AttnWords *units; /* units of the figure: tokens of the input, or words if the study joins
                     * tokens */
  char **labels;    /* (array zero-terminated=1): label of each unit */
} Shown;

static void
clear_shown (Shown *shown)
{
  g_strfreev (shown->plain);
  g_strfreev (shown->labels);
  attn_words_free (shown->units);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Shown, clear_shown)

static Shown
make_shown (const AttnResult *result)
{
  const AttnInput *input = g_ptr_array_index (result->study->inputs, 0);
  gboolean joins = result->study->joins_words;
  Shown shown = {
    .tokens = result->inputs[0],
    .text = attn_model_get_info (result->model)->is_recording ? NULL : input->text,
    .plain = attn_groups_get_plain_labels (result->inputs[0]->labels),
    .units = attn_words_new (result->inputs[0],
                             joins ? attn_model_get_tokenizer (result->model, NULL) : NULL),
  };

  shown.labels =
      attn_groups_get_plain_labels (joins ? shown.units->labels : result->inputs[0]->labels);
  return shown;
}

/* Returns the unit (token or word) that a token of the diagram represents. */
static gsize
find_unit (const Shown      *shown,
           const AttnResult *result,
           gsize             token)
{
  gsize position = attn_panel_get_row_position (result->grid->cells[0].panel, token);
  gsize unit = 0;

  while (shown->units->starts[unit + 1] <= position)
    unit++;
  return unit;
}

/* Returns [T]: whether each token matches @token, the text of one member of a group. All are FALSE
 * if the input does not contain it. */
static gboolean *
match_one (const Shown *shown,
           const char  *token)
{
  const char * const tokens[] = { token, NULL };
  g_autoptr (AttnGroup) group = attn_group_new (0, tokens);
  gboolean *members = g_new0 (gboolean, shown->tokens->n_tokens);

  attn_groups_match (shown->tokens, shown->text, group, members, NULL);
  return members;
}

/* Returns a text that matches @position and otherwise only tokens in @members, or the position as
 * "#3" if a label would also match other tokens. */
static char *
name_position (const Shown    *shown,
               const gboolean *members,
               gsize           position)
{
  const char *label = shown->plain[position];
  g_autofree gboolean *same = match_one (shown, label);

  for (gsize i = 0; i < shown->tokens->n_tokens; i++)
    if (same[i] && !members[i])
      return g_strdup_printf ("#%zu", position);
  return same[position] ? g_strdup (label) : g_strdup_printf ("#%zu", position);
}

static AttnGroup *
make_group (const Shown    *shown,
            gsize           head,
            const gboolean *members)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < shown->tokens->n_tokens; i++)
    {
      g_autofree char *name = members[i] ? name_position (shown, members, i) : NULL;

      if (name != NULL && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, g_steal_pointer (&name));
    }
  g_ptr_array_add (names, NULL);
  return attn_group_new (head, (const char * const *) names->pdata);
}

/* Returns [T]: whether the diagram links each token to its head with the index @head. */
static gboolean *
list_linked (const Shown      *shown,
             const AttnResult *result,
             gsize             head)
{
  const AttnDiagram *diagram = result->grid->diagram;
  gboolean *members = g_new0 (gboolean, shown->tokens->n_tokens);

  for (gsize i = 0; i < diagram->n_links; i++)
    if (diagram->links[i].head == head)
      {
        const gsize *starts =
            shown->units->starts + find_unit (shown, result, diagram->links[i].token);

        for (gsize k = starts[0]; k < starts[1]; k++)
          members[k] = TRUE;
      }
  return members;
}

/* Copies the groups that were detected in the figure into the study, as if they were assigned by
 * hand. */
static void
adopt_groups (AttnStudy        *study,
              const Shown      *shown,
              const AttnResult *result)
{
  const AttnDiagram *diagram = result->grid->diagram;

  g_ptr_array_set_size (study->groups.assigned, 0);
  for (gsize head = 0; head < diagram->n_heads; head++)
    {
      g_autofree gboolean *members = list_linked (shown, result, head);

      if (attn_study_count_flags (members, shown->tokens->n_tokens) > 0)
        g_ptr_array_add (study->groups.assigned,
                         make_group (shown, diagram->heads[head].number, members));
    }
}

/* Returns the texts of @group without those that match the tokens from @first to before @end, which
 * also removes tokens of the same text elsewhere. Returns NULL if there is nothing to remove. */
static GStrv
take_out (const Shown     *shown,
          const AttnGroup *group,
          gsize            first,
          gsize            end)
{
  g_autoptr (GStrvBuilder) left = g_strv_builder_new ();
  gboolean has_changed = FALSE;

  for (char **token = group->tokens; *token != NULL; token++)
    {
      g_autofree gboolean *members = match_one (shown, *token);
      gboolean is_touched = attn_study_count_flags (members + first, end - first) > 0;

      has_changed = has_changed || is_touched;
      if (!is_touched)
        g_strv_builder_add (left, *token);
      /* If the removed text also matched tokens that read otherwise, such tokens stay in the group,
       * named by position. */
      for (gsize i = 0; is_touched && i < shown->tokens->n_tokens; i++)
        if (members[i] && (i < first || i >= end) && !g_str_equal (*token, shown->plain[i]) &&
            !g_str_equal (shown->plain[i], shown->plain[first]))
          {
            g_autofree char *position = g_strdup_printf ("#%zu", i);
            g_strv_builder_add (left, position);
          }
    }
  return has_changed ? g_strv_builder_end (left) : NULL;
}

/* Returns the texts of @group, or none if it is NULL, followed by the text of @unit (a word or
 * token). */
static GStrv
put_in (const Shown     *shown,
        const AttnGroup *group,
        gsize            unit)
{
  g_autoptr (GStrvBuilder) tokens = g_strv_builder_new ();
  g_autofree char *position = g_strdup_printf ("#%zu", shown->units->starts[unit]);
  g_autofree gboolean *members = match_one (shown, shown->labels[unit]);
  gboolean has_label = members[shown->units->starts[unit + 1] - 1];

  if (group != NULL)
    g_strv_builder_addv (tokens, (const char **) group->tokens);
  g_strv_builder_add (tokens, has_label ? shown->labels[unit] : position);
  return g_strv_builder_end (tokens);
}

/* Replaces the tokens of a group. A group without tokens is removed, so that its head is no longer
 * in the figure. */
static void
set_tokens (AttnStudy *study,
            guint      index,
            GStrv      tokens)
{
  AttnGroup *group = g_ptr_array_index (study->groups.assigned, index);

  g_strfreev (group->tokens);
  group->tokens = tokens;
  if (tokens[0] == NULL)
    g_ptr_array_remove_index (study->groups.assigned, index);
}

/* Removes from all groups the tokens that the current input does not contain, since the user could
 * not remove them by a click. */
static void
drop_absent (AttnStudy   *study,
             const Shown *shown)
{
  for (guint i = study->groups.assigned->len; i > 0; i--)
    {
      const AttnGroup *group = g_ptr_array_index (study->groups.assigned, i - 1);
      g_autoptr (GStrvBuilder) left = g_strv_builder_new ();

      for (char **token = group->tokens; *token != NULL; token++)
        {
          g_autofree gboolean *members = match_one (shown, *token);

          if (attn_study_count_flags (members, shown->tokens->n_tokens) > 0)
            g_strv_builder_add (left, *token);
        }
      set_tokens (study, i - 1, g_strv_builder_end (left));
    }
}

static void
toggle_unit (AttnStudy        *study,
             const Shown      *shown,
             const AttnResult *result,
             gsize             head,
             gsize             unit)
{
  const gsize *starts = shown->units->starts + unit;
  guint index;

  if (study->groups.rule != ATTN_GROUP_RULE_ASSIGNED)
    adopt_groups (study, shown, result);
  else
    drop_absent (study, shown);
  study->groups.rule = ATTN_GROUP_RULE_ASSIGNED;

  AttnGroup *group = find_group (study, head, &index);
  GStrv tokens = group != NULL ? take_out (shown, group, starts[0], starts[1]) : NULL;
  if (tokens == NULL)
    tokens = put_in (shown, group, unit);
  if (group == NULL)
    g_ptr_array_add (study->groups.assigned, attn_group_new (head, NULL));
  set_tokens (study, index, tokens);
}

/**
 * attn_groups_toggle_shown:
 * @study: (inout): a copy of the study of @result, whose groups are changed and then assigned by
 *   hand
 * @result: the result of a study with the head-groups figure
 * @head: index among the heads of the result's diagram
 * @token: index among the tokens of the diagram
 *
 * Takes a token of the figure out of the group of a head, or puts it in, along with the tokens that
 * read the same, unless the group names them by position. Groups that were detected are assigned
 * from then on. Tokens that were assigned for another text and that this one lacks are removed from
 * all groups.
 */
void
attn_groups_toggle_shown (AttnStudy        *study,
                          const AttnResult *result,
                          gsize             head,
                          gsize             token)
{
  const AttnDiagram *diagram = result->grid->diagram;

  g_return_if_fail (diagram != NULL && head < diagram->n_heads && token < diagram->n_tokens);

  g_auto (Shown) shown = make_shown (result);
  toggle_unit (study, &shown, result, diagram->heads[head].number,
               find_unit (&shown, result, token));
}

/**
 * attn_groups_toggle_unit:
 * @study: (inout): is changed as by [func@attn_groups_toggle_shown]
 * @result: the result of a study with the head-groups figure
 * @head: number of the head, which need not be in the figure
 * @unit: index among the tokens of the input, or among its words if the study joins tokens; it need
 *   not be in the figure either
 */
void
attn_groups_toggle_unit (AttnStudy        *study,
                         const AttnResult *result,
                         gsize             head,
                         gsize             unit)
{
  g_return_if_fail (result->grid->diagram != NULL);

  g_auto (Shown) shown = make_shown (result);
  g_return_if_fail (unit < shown.units->n_words);
  toggle_unit (study, &shown, result, head, unit);
}

/* Returns [T]: whether each token is in the group of a head, as assigned in the study or detected
 * in the figure. */
static gboolean *
find_members (const AttnStudy  *study,
              const Shown      *shown,
              const AttnResult *result,
              gsize             head)
{
  const AttnDiagram *diagram = result->grid->diagram;
  guint index = 0;
  const AttnGroup *group = find_group (study, head, &index);

  if (study->groups.rule == ATTN_GROUP_RULE_ASSIGNED)
    {
      gboolean *members = g_new0 (gboolean, shown->tokens->n_tokens);

      for (char **token = group != NULL ? group->tokens : NULL; token != NULL && *token != NULL;
           token++)
        {
          g_autofree gboolean *same = match_one (shown, *token);

          for (gsize i = 0; i < shown->tokens->n_tokens; i++)
            members[i] |= same[i];
        }
      return members;
    }
  for (index = 0; index < diagram->n_heads && diagram->heads[index].number != head;)
    index++;
  return list_linked (shown, result, index);
}

/**
 * attn_groups_list_units:
 * @study: a copy of the study of @result, which can have other groups
 * @result: the result of a study with the head-groups figure
 * @head: number of the head
 * @members: (out) (array): for each token or word, whether it is in the group of the head
 *
 * Returns: (transfer full) (array zero-terminated=1): labels of all tokens or words of the input,
 *   including those without a group
 */
char **
attn_groups_list_units (const AttnStudy   *study,
                        const AttnResult  *result,
                        gsize              head,
                        gboolean         **members)
{
  g_return_val_if_fail (result->grid->diagram != NULL, NULL);

  g_auto (Shown) shown = make_shown (result);
  g_autofree gboolean *tokens = find_members (study, &shown, result, head);
  gsize n = shown.units->n_words;
  char **labels = g_new0 (char *, n + 1);

  *members = g_new0 (gboolean, MAX (n, 1));
  for (gsize unit = 0; unit < n; unit++)
    {
      const gsize *starts = shown.units->starts + unit;

      labels[unit] = g_strdup (shown.labels[unit]);
      (*members)[unit] =
          attn_study_count_flags (tokens + starts[0], starts[1] - starts[0]) > 0;
    }
  return labels;
}
