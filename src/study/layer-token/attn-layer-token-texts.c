/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes the title and caption of the layer-token figure, a map of layers x tokens with a role in
 * an answer. */

#include "config.h"

#include "attn-layer-token-private.h"

#include <string.h>

#include "attn-describe.h"
#include "attn-text.h"
#include "attn-titles.h"

/* Describes the queries that are averaged, such as "the last token". Texts of the figure are not
 * translated. */
static char *
describe_queries (const AttnStudy *study)
{
  const char *unit = study->joins_words ? "word" : "token";
  gsize n_last = study->queries == NULL ? MAX (study->n_last_queries, 1) : study->n_last_queries;

  if (study->queries == NULL)
    return n_last == 1 ? g_strdup_printf ("the last %s", unit)
                       : g_strdup_printf ("the last %zu %ss", n_last, unit);

  g_autofree char *set = attn_index_set_to_string (study->queries);
  gboolean has_several = strpbrk (set, ",-") != NULL;
  const char *named = study->joins_words && has_several ? "the words of tokens"
                      : study->joins_words              ? "the word of token"
                      : has_several                     ? "tokens"
                                                        : "token";
  return n_last == 0 ? g_strdup_printf ("%s %s", named, set)
                     : g_strdup_printf ("the last %zu of %s %s", n_last, named, set);
}

static char *
describe_reduction (const AttnStudy *study,
                    gsize            n_heads)
{
  static const char * const names[] = {
    [ATTN_REDUCTION_MEAN] = "mean over",
    [ATTN_REDUCTION_MAX] = "largest of",
    [ATTN_REDUCTION_RELATIVE] = "mean over",
  };
  gboolean is_relative = study->roles.reduction == ATTN_REDUCTION_RELATIVE;
  g_autofree char *set =
      study->head < 0 && study->heads != NULL ? attn_index_set_to_string (study->heads) : NULL;
  g_autofree char *heads =
      study->head >= 0 ? g_strdup_printf ("head %d", study->head)
      : set != NULL    ? g_strdup_printf ("%s heads %s", names[study->roles.reduction], set)
                       : g_strdup_printf ("%s %zu heads", names[study->roles.reduction], n_heads);

  return g_strconcat (heads, is_relative ? ", relative to the largest shown in its layer" : "",
                      NULL);
}

/* Describes the columns that are omitted, and the reason. */
static char *
describe_hidden (const AttnLayerTokenJob *job)
{
  const AttnStudy *study = job->study;
  gboolean is_said = study->hides_keys && study->hidden_keys != NULL;
  g_autofree char *set = is_said ? attn_index_set_to_string (study->hidden_keys) : NULL;
  GString *text = g_string_new (NULL);

  if (set != NULL)
    g_string_append_printf (text, ". Key%s %s hidden%s", strpbrk (set, ",-") != NULL ? "s" : "",
                            set, study->renormalises ? ", rows renormalised" : "");
  if (job->absent->len > 0)
    g_string_append_printf (text, ". Not in the text: %s", job->absent->str);
  if (job->unseen->len > 0)
    g_string_append_printf (text, ". Not seen: %s", job->unseen->str);
  return g_string_free (text, FALSE);
}

/* Fills in the placeholders, such as {queries}, of @template, or of @standard if @template is
 * NULL. */
static char *
fill_in (const char *template,
         const char *standard,
         const char *queries,
         const char *reduction,
         const char *interventions)
{
  GString *text = g_string_new (template != NULL ? template : standard);

  g_string_replace (text, "{queries}", queries, 0);
  g_string_replace (text, "{reduction}", reduction, 0);
  g_string_replace (text, "{interventions}", interventions, 0);
  return g_string_free (text, FALSE);
}

/**
 * attn_layer_token_write_texts:
 * @job: a job that [func@attn_layer_token_choose] has filled in
 * @grid: (inout): gets its caption, the title of its panel and the label of its values
 */
void
attn_layer_token_write_texts (const AttnLayerTokenJob *job,
                              AttnGrid                *grid)
{
  const AttnStudy *study = job->study;
  const char *own_title = attn_study_get_title (study);
  const char *own_caption = attn_study_get_caption (study);
  g_autofree char *queries = describe_queries (study);
  g_autofree char *reduction =
      describe_reduction (study, attn_model_get_info (job->model)->n_heads);
  g_autofree char *interventions = attn_describe_interventions (job->interventions);

  /* The default title names the interventions. If a title that the user wrote lacks them, the
   * caption names them. */
  gboolean is_told = job->interventions->len == 0 || own_title == NULL ||
                     strstr (own_title, "{interventions}") != NULL ||
                     (own_caption != NULL && strstr (own_caption, "{interventions}") != NULL);
  g_autofree char *hidden = describe_hidden (job);
  g_autofree char *caption = fill_in (own_caption, "Attention of {queries}, {reduction}",
                                      queries, reduction, interventions);

  char *text = g_strconcat (caption, hidden, is_told ? NULL : ". Modified: ", interventions, NULL);
  grid->caption = attn_titles_add_attention (text,
                                             attn_model_get_info (job->model));
  grid->cells[0].title =
      fill_in (own_title, "{interventions}", queries, reduction, interventions);
  if (*grid->cells[0].title == '\0')
    g_clear_pointer (&grid->cells[0].title, g_free);
  grid->cells[0].operation = attn_describe_plainly (job->interventions);
  grid->value_label = g_strdup (study->value_label != NULL ? study->value_label
                                : study->roles.reduction == ATTN_REDUCTION_RELATIVE
                                    ? "Relative Attention Weight"
                                    : "Attention Weight");
}
