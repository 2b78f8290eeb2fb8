/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-patch-pairs.h"

#include <glib/gi18n.h>

/* The largest number of columns of tokens; the last one is an ellipsis if there are more. */
#define MAX_COLUMNS 128

/* The largest number of lines of the sentence that says why two texts are not paired. */
#define MOST_LINES 4

/* The two texts of a patch, and the number of columns added so far. */
typedef struct
{
  GtkGrid *grid;
  const AttnTokens *texts[2]; /* the text that values come from, and the text they are put into */
  int n_columns;
} Pairing;

/* Adds a column with the token at position @from of the first text above that at @to of the second;
 * -1 leaves the place empty. A token that is patched by a different one is highlighted. */
static void
add_column (Pairing *pairing,
            gssize   from,
            gssize   to)
{
  const gssize positions[2] = { from, to };
  gboolean is_patched = from >= 0 && to >= 0;
  gboolean is_other = is_patched && pairing->texts[0]->tokens[from].id !=
                                        pairing->texts[1]->tokens[to].id;

  pairing->n_columns++;
  if (pairing->n_columns > MAX_COLUMNS)
    return;
  for (int i = 0; i < 2; i++)
    if (positions[i] >= 0 || pairing->n_columns == MAX_COLUMNS)
      {
        GtkWidget *label = gtk_label_new (pairing->n_columns == MAX_COLUMNS
                                              ? "…"
                                              : pairing->texts[i]->labels[positions[i]]);
        g_autofree char *position = g_strdup_printf ("%zd", positions[i]);

        gtk_widget_set_tooltip_text (label, position);
        gtk_widget_add_css_class (label, is_other ? "heading" : "dim-label");
        gtk_grid_attach (pairing->grid, label, pairing->n_columns, 2 * i, 1, 1);
      }
  if (is_patched && pairing->n_columns < MAX_COLUMNS)
    gtk_grid_attach (pairing->grid, gtk_label_new (is_other ? "↓" : "="), pairing->n_columns, 1, 1,
                     1);
}

/* Returns for each position of the patched text the position whose value replaces its own, or -1 if
 * the position is not patched. */
static gssize *
find_partners (const Pairing          *pairing,
               const AttnIntervention *patch)
{
  gsize n_from = pairing->texts[0]->n_tokens;
  gsize n_to = pairing->texts[1]->n_tokens;
  gsize n = patch->pairs != NULL ? patch->pairs->len : MIN (n_from, n_to);
  gssize *partners = g_new (gssize, n_to);

  for (gsize i = 0; i < n_to; i++)
    partners[i] = -1;
  for (gsize i = 0; i < n; i++)
    {
      const AttnPair pair =
          patch->pairs != NULL ? g_array_index (patch->pairs, AttnPair, i) : (AttnPair) { i, i };

      if (attn_index_set_contains (patch->tokens, pair.to) && pair.to < n_to && pair.from < n_from)
        partners[pair.to] = (gssize) pair.from;
    }
  return partners;
}

/* Aligns the two texts: each patched token is below the one that it is patched from. The other
 * tokens of both texts stand between these, in the order of their text. */
static void
fill_pairing (Pairing                *pairing,
              const AttnIntervention *patch)
{
  gsize n_from = pairing->texts[0]->n_tokens;
  gsize n_to = pairing->texts[1]->n_tokens;
  g_autofree gssize *partners = find_partners (pairing, patch);
  g_autofree gboolean *are_used = g_new0 (gboolean, n_from);
  gsize next = 0;

  for (gsize i = 0; i < n_to; i++)
    if (partners[i] >= 0)
      are_used[partners[i]] = TRUE;
  for (gsize i = 0; i <= n_to; i++)
    {
      gsize end = i == n_to ? n_from : (gsize) (partners[i] + 1);

      for (; next < end; next++)
        if (!are_used[next])
          add_column (pairing, (gssize) next, -1);
      if (i < n_to)
        add_column (pairing, partners[i], (gssize) i);
    }
}

/* Shows both texts, each with the positions of its tokens, without pairing them. */
static void
fill_unpaired (Pairing *pairing)
{
  for (int i = 0; i < 2; i++)
    for (gsize k = 0; k < MIN (pairing->texts[i]->n_tokens, MAX_COLUMNS); k++)
      {
        g_autofree char *text = g_strdup_printf ("%zu %s", k, pairing->texts[i]->labels[k]);
        GtkWidget *label = gtk_label_new (k + 1 == MAX_COLUMNS ? "…" : text);

        gtk_widget_add_css_class (label, "dim-label");
        gtk_label_set_xalign (GTK_LABEL (label), 0);
        gtk_grid_attach (pairing->grid, label, (int) k + 1, 2 * i, 1, 1);
      }
}

/* Shows a sentence above the two texts of a patch: why they are not paired, and how to pair them;
 * the sentence stays in sight while the texts are scrolled. Returns the texts with that sentence.
 * @last: the last position that both texts have */
static GtkWidget *
explain (const Pairing *pairing,
         gsize          last)
{
  /* Translators: the numbers of tokens of two texts, then positions of both, from 0 */
  g_autofree char *text =
      g_strdup_printf (_("%zu tokens for %zu: type which becomes which, such as 0-%zu=0-%zu"),
                       pairing->texts[0]->n_tokens, pairing->texts[1]->n_tokens, last, last);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *label = gtk_label_new (text);
  GtkWidget *texts = gtk_scrolled_window_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  gtk_label_set_lines (GTK_LABEL (label), MOST_LINES);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (
      label, _("A patch replaces each position by one of the other input. These inputs differ in "
               "length: list the positions as FROM=TO, or choose tokens that both have in the "
               "scope"));
  gtk_box_append (GTK_BOX (box), label);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (texts), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (texts), GTK_WIDGET (pairing->grid));
  gtk_box_append (GTK_BOX (box), texts);
  return box;
}

/* Finds the tokens at the positions that a patch acts on. These are tokens of the source if it acts
 * on the keys or values of cross-attention, which belong to the source. */
static AttnTokens *
find_tokens (AttnSession            *session,
             const AttnIntervention *patch,
             guint                   input)
{
  const AttnModel *model = attn_session_get_model (session);
  gboolean is_of_source =
      model != NULL && attn_model_is_cross (model) &&
      (patch->component == ATTN_COMPONENT_KEY || patch->component == ATTN_COMPONENT_VALUE);

  return is_of_source ? attn_session_get_source (session, input)
                      : attn_session_get_tokens (session, input);
}

/**
 * attn_patch_pairs_show:
 * @window: the scrolled window for the texts; it is hidden if @patch is no patch
 * @patch: an intervention that puts values from another input into the first input
 *
 * Shows both texts of a patch, each patched token below the token that its values come from; where
 * it is not said which come from which, a sentence about that. Nothing is shown until the tokens of
 * both texts are known.
 *
 * Returns: (transfer full) (nullable): where it is not said, positions that can be said, such as
 *   "0-6=0-6"
 */
char *
attn_patch_pairs_show (GtkScrolledWindow      *window,
                       AttnSession            *session,
                       const AttnIntervention *patch)
{
  Pairing pairing = { GTK_GRID (gtk_grid_new ()),
                      { find_tokens (session, patch, (guint) patch->input),
                        find_tokens (session, patch, 0) } };
  gboolean has_pairs = patch->operation == ATTN_OPERATION_PATCH && pairing.texts[0] != NULL &&
                       pairing.texts[1] != NULL;
  gboolean pairs_up =
      has_pairs && attn_intervention_pairs_up (patch, pairing.texts[0]->n_tokens,
                                               pairing.texts[1]->n_tokens);
  const guint inputs[2] = { (guint) patch->input, 0 };

  gtk_grid_set_column_spacing (pairing.grid, 6);
  for (int i = 0; i < 2 && has_pairs; i++)
    {
      g_autofree char *name = g_strdup_printf (_("Input %u"), inputs[i] + 1);
      GtkWidget *label = gtk_label_new (name);

      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_grid_attach (pairing.grid, label, 0, 2 * i, 1, 1);
    }
  gsize last = has_pairs
                   ? MIN (pairing.texts[0]->n_tokens, pairing.texts[1]->n_tokens) - 1
                   : 0;
  gboolean is_open = has_pairs && !pairs_up;

  if (pairs_up)
    fill_pairing (&pairing, patch);
  else if (has_pairs)
    fill_unpaired (&pairing);
  gtk_scrolled_window_set_child (window, is_open ? explain (&pairing, last)
                                                 : GTK_WIDGET (pairing.grid));
  gtk_widget_set_visible (GTK_WIDGET (window), has_pairs);
  return is_open ? g_strdup_printf ("0-%zu=0-%zu", last, last) : NULL;
}
