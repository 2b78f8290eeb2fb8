/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Groups that are edited in the figure: a click on a token or a line of the diagram. */

#include "config.h"

#include <string.h>

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

/**
 * attn_groups_toggle:
 * @study: changed: its groups are those that were assigned
 * @head: number of the head
 * @token: as it stands in a group: text, or "#3"
 *
 * Takes @token out of the group of @head, or puts it in. A group that has lost its last token is
 * gone, and with it the head from the figure.
 */
void
attn_groups_toggle (AttnStudy  *study,
                    gsize       head,
                    const char *token)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint index;
  AttnGroup *group = find_group (study, head, &index);
  gboolean is_in = FALSE;

  g_return_if_fail (token != NULL && *token != '\0');

  study->groups.rule = ATTN_GROUP_RULE_ASSIGNED;
  for (char **p = group != NULL ? group->tokens : NULL; p != NULL && *p != NULL; p++)
    {
      if (g_str_equal (*p, token))
        is_in = TRUE;
      else
        g_strv_builder_add (builder, *p);
    }
  if (!is_in)
    g_strv_builder_add (builder, token);

  g_auto (GStrv) tokens = g_strv_builder_end (builder);
  if (group == NULL)
    g_ptr_array_add (study->groups.assigned,
                     attn_group_new (head, (const char * const *) tokens));
  else if (tokens[0] == NULL)
    g_ptr_array_remove_index (study->groups.assigned, index);
  else
    {
      g_strfreev (group->tokens);
      group->tokens = g_steal_pointer (&tokens);
    }
}

/* What a click is about. */
typedef struct
{
  const AttnTokens *tokens;
  const char *text; /* (nullable) */
  char **plain;     /* (array zero-terminated=1): [T] */
  AttnWords *words; /* (nullable) */
} Shown;

static void
clear_shown (Shown *shown)
{
  g_strfreev (shown->plain);
  g_clear_pointer (&shown->words, attn_words_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Shown, clear_shown)

static Shown
make_shown (const AttnResult *result)
{
  const AttnStudy *study = result->study;
  const AttnInput *input = g_ptr_array_index (study->inputs, 0);
  Shown shown = {
    .tokens = result->inputs[0],
    .text = attn_model_get_info (result->model)->is_recording ? NULL : input->text,
    .plain = attn_groups_get_plain_labels (result->inputs[0]->labels),
  };

  if (study->joins_words)
    shown.words =
        attn_words_new (shown.tokens, attn_model_get_tokenizer (result->model, NULL));
  return shown;
}

/* The positions of a token of the diagram: [first, end), more than one for the pieces of a word. */
static void
get_place (const Shown      *shown,
           const AttnResult *result,
           gsize             token,
           gsize            *first,
           gsize            *end)
{
  *first = attn_panel_get_row_position (result->grid->cells[0].panel, token);
  *end = *first + 1;
  for (gsize word = 0;
       shown->words != NULL && *end <= *first + 1 && word < shown->words->n_words; word++)
    if (shown->words->starts[word] == *first)
      *end = shown->words->starts[word + 1];
}

/* [T]: what one text of a group stands for; nothing where it is not in the input. */
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

/* The text that stands for a position among @members, or "#3" where it would stand for others. */
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

/* What was detected becomes what is assigned. */
static void
adopt_groups (AttnStudy        *study,
              const Shown      *shown,
              const AttnResult *result)
{
  const AttnDiagram *diagram = result->grid->diagram;

  g_ptr_array_set_size (study->groups.assigned, 0);
  for (gsize head = 0; head < diagram->n_heads; head++)
    {
      g_autofree gboolean *members = g_new0 (gboolean, shown->tokens->n_tokens);
      gboolean has_link = FALSE;

      for (gsize i = 0; i < diagram->n_links; i++)
        {
          gsize first, end;

          if (diagram->links[i].head != head)
            continue;
          get_place (shown, result, diagram->links[i].token, &first, &end);
          for (gsize k = first; k < end; k++)
            members[k] = TRUE;
          has_link = TRUE;
        }
      if (has_link)
        g_ptr_array_add (study->groups.assigned,
                         make_group (shown, diagram->heads[head].number, members));
    }
}

/* The tokens of @group without those at [first, end) and those that read the same. NULL if there
 * is none to take out. */
static GPtrArray *
take_out (const Shown     *shown,
          const AttnGroup *group,
          gsize            first,
          gsize            end)
{
  g_autoptr (GPtrArray) left = g_ptr_array_new_with_free_func (g_free);
  gboolean has_changed = FALSE;

  for (char **token = group->tokens; *token != NULL; token++)
    {
      g_autofree gboolean *members = match_one (shown, *token);
      gboolean is_touched = FALSE;

      for (gsize i = first; i < end; i++)
        is_touched = is_touched || members[i];
      has_changed = has_changed || is_touched;
      if (!is_touched)
        g_ptr_array_add (left, g_strdup (*token));
      /* What else a text of several pieces stood for stays. */
      for (gsize i = 0; is_touched && i < shown->tokens->n_tokens; i++)
        if (members[i] && (i < first || i >= end) && !g_str_equal (*token, shown->plain[i]) &&
            !g_str_equal (shown->plain[i], shown->plain[first]))
          g_ptr_array_add (left, g_strdup_printf ("#%zu", i));
    }
  g_ptr_array_add (left, NULL);
  return has_changed ? g_steal_pointer (&left) : NULL;
}

/* The positions of all units of the input: the tokens, or the words if the study joins their
 * pieces.
 */
static gsize
count_units (const Shown *shown)
{
  return shown->words != NULL ? shown->words->n_words : shown->tokens->n_tokens;
}

static void
get_unit (const Shown  *shown,
          gsize         unit,
          gsize        *first,
          gsize        *end,
          const char  **label)
{
  *first = shown->words != NULL ? shown->words->starts[unit] : unit;
  *end = shown->words != NULL ? shown->words->starts[unit + 1] : unit + 1;
  *label = shown->words != NULL ? shown->words->labels[unit] : shown->plain[unit];
}

/* Groups that were assigned in another text: what this one lacks could not be taken out by hand. */
static void
drop_absent (AttnStudy   *study,
             const Shown *shown)
{
  GPtrArray *assigned = study->groups.assigned;

  for (guint i = assigned->len; i > 0; i--)
    {
      AttnGroup *group = g_ptr_array_index (assigned, i - 1);
      g_autoptr (GStrvBuilder) left = g_strv_builder_new ();

      for (char **token = group->tokens; token != NULL && *token != NULL; token++)
        {
          g_autofree gboolean *members = match_one (shown, *token);
          gboolean is_in = FALSE;

          for (gsize k = 0; k < shown->tokens->n_tokens; k++)
            is_in = is_in || members[k];
          if (is_in)
            g_strv_builder_add (left, *token);
        }
      g_strfreev (group->tokens);
      group->tokens = g_strv_builder_end (left);
      if (group->tokens[0] == NULL)
        g_ptr_array_remove_index (assigned, i - 1);
    }
}

static void
toggle_place (AttnStudy        *study,
              const Shown      *shown,
              const AttnResult *result,
              gsize             head,
              gsize             first,
              gsize             end,
              const char       *label)
{
  guint index;

  if (study->groups.rule != ATTN_GROUP_RULE_ASSIGNED)
    adopt_groups (study, shown, result);
  else
    drop_absent (study, shown);
  study->groups.rule = ATTN_GROUP_RULE_ASSIGNED;

  AttnGroup *group = find_group (study, head, &index);
  g_autoptr (GPtrArray) left = group != NULL ? take_out (shown, group, first, end) : NULL;
  if (left == NULL)
    {
      g_autofree gboolean *members = match_one (shown, label);
      g_autofree char *position = g_strdup_printf ("#%zu", first);

      attn_groups_toggle (study, head, members[end - 1] ? label : position);
    }
  else if (left->len == 1)
    g_ptr_array_remove_index (study->groups.assigned, index);
  else
    {
      g_strfreev (group->tokens);
      group->tokens = g_strdupv ((char **) left->pdata);
    }
}

/**
 * attn_groups_toggle_shown:
 * @study: changed: its groups are those that were assigned
 * @result: of a study with the head-groups figure, which @study is a copy of
 * @head: index among the heads of the result's diagram
 * @token: index among its tokens
 *
 * Takes a token of the figure out of the group of a head, or puts it in; with it go those that read
 * the same, unless the group names them by position. Groups that were detected are assigned from
 * then on; of those that were assigned in another text, what this one lacks is gone. Use this where the figure is at hand, and [func@attn_groups_toggle] where only the text
 * is.
 */
void
attn_groups_toggle_shown (AttnStudy        *study,
                          const AttnResult *result,
                          gsize             head,
                          gsize             token)
{
  const AttnDiagram *diagram = result->grid->diagram;
  gsize first, end;

  g_return_if_fail (diagram != NULL && head < diagram->n_heads && token < diagram->n_tokens);

  g_auto (Shown) shown = make_shown (result);
  get_place (&shown, result, token, &first, &end);
  toggle_place (study, &shown, result, diagram->heads[head].number, first, end,
                diagram->tokens[token]);
}

/**
 * attn_groups_toggle_unit:
 * @study: changed, as by [func@attn_groups_toggle_shown]
 * @result: of a study with the head-groups figure, which @study is a copy of
 * @head: number of the head, which needs not be in the figure
 * @unit: index among the tokens of the input, or among its words if the study joins their pieces,
 *   which needs not be in the figure either
 */
void
attn_groups_toggle_unit (AttnStudy        *study,
                         const AttnResult *result,
                         gsize             head,
                         gsize             unit)
{
  const char *label;
  gsize first, end;

  g_return_if_fail (result->grid->diagram != NULL);

  g_auto (Shown) shown = make_shown (result);
  g_return_if_fail (unit < count_units (&shown));
  get_unit (&shown, unit, &first, &end, &label);
  toggle_place (study, &shown, result, head, first, end, label);
}

/* [T]: the tokens of the group of a head, as the study has it or as the figure found it. */
static gboolean *
find_members (const AttnStudy  *study,
              const Shown      *shown,
              const AttnResult *result,
              gsize             head)
{
  const AttnDiagram *diagram = result->grid->diagram;
  gboolean *members = g_new0 (gboolean, shown->tokens->n_tokens);
  guint index;
  AttnGroup *group = find_group (study, head, &index);

  if (study->groups.rule == ATTN_GROUP_RULE_ASSIGNED)
    {
      for (char **token = group != NULL ? group->tokens : NULL; token != NULL && *token != NULL;
           token++)
        {
          g_autofree gboolean *same = match_one (shown, *token);

          for (gsize i = 0; i < shown->tokens->n_tokens; i++)
            members[i] |= same[i];
        }
      return members;
    }
  for (gsize i = 0; i < diagram->n_links; i++)
    if (diagram->heads[diagram->links[i].head].number == head)
      {
        gsize first, end;

        get_place (shown, result, diagram->links[i].token, &first, &end);
        for (gsize k = first; k < end; k++)
          members[k] = TRUE;
      }
  return members;
}

/**
 * attn_groups_list_units:
 * @study: a copy of that of @result, perhaps with other groups
 * @result: of a study with the head-groups figure
 * @head: number of the head
 * @members: (out) (array): [units]: whether it is in the group of the head
 *
 * Returns: (transfer full) (array zero-terminated=1): all tokens or words of the input, those of no
 *   group as well
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
  gsize n = count_units (&shown);
  char **labels = g_new0 (char *, n + 1);

  *members = g_new0 (gboolean, MAX (n, 1));
  for (gsize unit = 0; unit < n; unit++)
    {
      const char *label;
      gsize first, end;

      get_unit (&shown, unit, &first, &end, &label);
      labels[unit] = g_strdup (label);
      for (gsize i = first; i < end; i++)
        (*members)[unit] |= tokens[i];
    }
  return labels;
}
