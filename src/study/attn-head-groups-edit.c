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
  gsize unit = attn_panel_get_row_position (result->grid->cells[0].panel, token);

  *first = shown->words != NULL ? shown->words->starts[unit] : unit;
  *end = shown->words != NULL ? shown->words->starts[unit + 1] : unit + 1;
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

/**
 * attn_groups_toggle_shown:
 * @study: changed: its groups are those that were assigned
 * @result: of a study with the head-groups figure, which @study is a copy of
 * @head: index among the heads of the result's diagram
 * @token: index among its tokens
 *
 * Takes a token of the figure out of the group of a head, or puts it in; with it go those that read
 * the same, unless the group names them by position. Groups that were detected are assigned from
 * then on. Use this where the figure is at hand, and [func@attn_groups_toggle] where only the text
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
  guint index;

  g_return_if_fail (diagram != NULL && head < diagram->n_heads && token < diagram->n_tokens);

  g_auto (Shown) shown = make_shown (result);
  get_place (&shown, result, token, &first, &end);
  if (study->groups.rule != ATTN_GROUP_RULE_ASSIGNED)
    adopt_groups (study, &shown, result);
  study->groups.rule = ATTN_GROUP_RULE_ASSIGNED;

  AttnGroup *group = find_group (study, diagram->heads[head].number, &index);
  g_autoptr (GPtrArray) left = group != NULL ? take_out (&shown, group, first, end) : NULL;
  if (left == NULL)
    {
      g_autofree gboolean *members = match_one (&shown, diagram->tokens[token]);
      g_autofree char *position = g_strdup_printf ("#%zu", first);

      attn_groups_toggle (study, diagram->heads[head].number,
                          members[end - 1] ? diagram->tokens[token] : position);
    }
  else if (left->len == 1)
    g_ptr_array_remove_index (study->groups.assigned, index);
  else
    {
      g_strfreev (group->tokens);
      group->tokens = g_strdupv ((char **) left->pdata);
    }
}
