/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-diagram.h"

#include <math.h>

/* The largest number of lines of a diagram that an eye can follow; of more lines, the weakest are
 * left out. */
#define MAX_LINES 72

/* Thresholds below which lines of a diagram are left out, as shares of a head's attention; the
 * smallest is tried first. */
static const double shares[] = { 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08,
                                 0.1, 0.12, 0.15, 0.2, 0.3, 0.5 };

/**
 * attn_diagram_new:
 * @numbers: (array length=n_heads): numbers of the heads in their layer, from the top
 * @tokens: (array zero-terminated=1): plain text, from the top; copied
 *
 * Returns: (transfer full): a diagram without links, to be filled before other threads see it. The
 *   words of a figure belong to the paper, not to the window: the names of the heads are not
 *   translated.
 */
AttnDiagram *
attn_diagram_new (const gsize        *numbers,
                  gsize               n_heads,
                  const char * const *tokens)
{
  AttnDiagram *diagram = g_new0 (AttnDiagram, 1);

  diagram->n_heads = n_heads;
  diagram->heads = g_new0 (AttnDiagramHead, n_heads);
  for (gsize i = 0; i < n_heads; i++)
    diagram->heads[i] = (AttnDiagramHead) {
      .number = numbers[i],
      .name = g_strdup_printf ("Head %zu", numbers[i]),
    };
  diagram->tokens = g_strdupv ((char **) tokens);
  diagram->n_tokens = g_strv_length (diagram->tokens);
  return diagram;
}

/**
 * attn_diagram_free:
 * @diagram: (transfer full)
 */
void
attn_diagram_free (AttnDiagram *diagram)
{
  for (gsize i = 0; i < diagram->n_heads; i++)
    g_free (diagram->heads[i].name);
  g_free (diagram->heads);
  g_strfreev (diagram->tokens);
  g_free (diagram->links);
  g_free (diagram);
}

/**
 * attn_diagram_add_link:
 * @head: index among the heads of the diagram
 * @token: index among its tokens
 * @weight: the share of the head's attention that the token has, 0 to 1
 *
 * Adds a link from a head to a token. Only before other threads see the diagram.
 */
void
attn_diagram_add_link (AttnDiagram *diagram,
                       gsize        head,
                       gsize        token,
                       double       weight)
{
  g_return_if_fail (head < diagram->n_heads && token < diagram->n_tokens);

  diagram->links = g_renew (AttnDiagramLink, diagram->links, diagram->n_links + 1);
  diagram->links[diagram->n_links++] = (AttnDiagramLink) { head, token, weight };
}

/* Finds the strongest link of each head of the diagram; the first if several are equal. */
static gsize *
find_strongest (const AttnDiagram *diagram)
{
  gsize *strongest = g_new (gsize, diagram->n_heads);

  for (gsize i = 0; i < diagram->n_heads; i++)
    strongest[i] = G_MAXSIZE;
  for (gsize i = 0; i < diagram->n_links; i++)
    {
      gsize *best = &strongest[diagram->links[i].head];

      if (*best == G_MAXSIZE || diagram->links[i].weight > diagram->links[*best].weight)
        *best = i;
    }
  return strongest;
}

/**
 * attn_diagram_choose_links:
 * @share: (out): the share of a head's attention below which links have no line, 0 if all have one
 * @n_left_out: (out): how many links have no line
 *
 * A few lines can be told apart, hundreds cannot. A link has a line if its share is at least
 * @share, or if it is the strongest of its head. @share is the smallest round number between 0.01
 * and 0.5 at which at most 72 lines are left, or 0.5 if there is none.
 *
 * Returns: (transfer full) (array): whether each link has a line
 */
gboolean *
attn_diagram_choose_links (const AttnDiagram *diagram,
                           double            *share,
                           gsize             *n_left_out)
{
  g_autofree gsize *strongest = find_strongest (diagram);
  gboolean *is_shown = g_new (gboolean, MAX (diagram->n_links, 1));

  *share = 0;
  *n_left_out = 0;
  for (gsize i = 0; i < diagram->n_links; i++)
    is_shown[i] = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (shares) && diagram->n_links - *n_left_out > MAX_LINES; i++)
    {
      *n_left_out = 0;
      for (gsize link = 0; link < diagram->n_links; link++)
        {
          const AttnDiagramLink *asked = &diagram->links[link];

          is_shown[link] = asked->weight >= shares[i] || strongest[asked->head] == link;
          *n_left_out += !is_shown[link];
        }
      *share = *n_left_out > 0 ? shares[i] : 0;
    }
  return is_shown;
}
