/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-marks.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-text.h"

/* The largest widths in pixels of names beside a mark: of panels, and of whole rows or columns of
 * panels. Instead of wider names the number of panels is told; the tooltip has the names. */
#define LONGEST_MARK  120
#define LONGEST_WHOLE 200
#define TRIANGLE      ATTN_EPSILON_TRIANGLE
#define WORDS_GAP     4 /* gap between the triangle of a mark and its words, pixels */
#define LABEL_GAP     8

/* A label below the track. */
typedef struct
{
  char *text;
  double x;    /* where the text begins */
  double left; /* left end of the label of a mark, including its triangle, pixels */
  double right;
  double triangle; /* middle of that triangle */
  double opacity;
} Label;

static void
free_label (gpointer data)
{
  g_free (((Label *) data)->text);
}

static GArray *
new_row (void)
{
  GArray *row = g_array_new (FALSE, FALSE, sizeof (Label));

  g_array_set_clear_func (row, free_label);
  return row;
}

/* Adds a label to a row, unless it would leave the widget or come near to another label. Returns
 * whether it was added. */
static gboolean
add_label (const AttnEpsilonCanvas *canvas,
           GArray                  *row,
           const Label             *label)
{
  Label added = *label;

  if (label->left < 0 || label->right > canvas->plan->width)
    return FALSE;
  for (guint i = 0; i < row->len; i++)
    {
      const Label *other = &g_array_index (row, Label, i);

      if (label->left < other->right + LABEL_GAP && label->right + LABEL_GAP > other->left)
        return FALSE;
    }
  added.text = g_strdup (label->text);
  g_array_append_val (row, added);
  return TRUE;
}

static void
add_triangle (const AttnEpsilonCanvas *canvas,
              double                   x,
              double                   top,
              AttnRgb                  color)
{
  AttnMark *mark = attn_scene_add (canvas->scene, ATTN_MARK_TRIANGLE, -1, "tick");

  mark->rectangle = (AttnRectangle) { x - TRIANGLE / 2, top, TRIANGLE, TRIANGLE - 1 };
  mark->color = color;
}

/* Adds the words of a mark to the row below the track: behind its triangle at @x or, without room
 * there, before it. Returns whether there was room. */
static gboolean
add_words (const AttnEpsilonCanvas *canvas,
           GArray                  *row,
           char                    *text,
           double                   x)
{
  double reach = TRIANGLE / 2 + WORDS_GAP;
  double width = attn_epsilon_canvas_measure (canvas, text);
  double left = x - reach - width;
  const Label behind = { text, x + reach, x - TRIANGLE / 2, x + reach + width, x, 1 };
  const Label before = { text, left, left, x + TRIANGLE / 2, x, 1 };

  return add_label (canvas, row, &behind) || add_label (canvas, row, &before);
}

/* Adds a legend to the row: a triangle that begins at @left and what it stands for, as an equation,
 * since the triangle marks nothing of the track. Returns whether there was room. */
static gboolean
add_equation (const AttnEpsilonCanvas *canvas,
              GArray                  *row,
              const char              *meaning,
              double                   left)
{
  g_autofree char *text = g_strconcat ("= ", meaning, NULL);
  double x = left + TRIANGLE + WORDS_GAP;
  const Label legend = { text, x, left, x + attn_epsilon_canvas_measure (canvas, text),
                         left + TRIANGLE / 2, 0.75 };

  return add_label (canvas, row, &legend);
}

/* Adds the ε of a mark, or the range of @n marks that overlap, and, with @has_names, the names of
 * its panels or, if these are long, how many there are; the ε alone if there is no room for more.
 * Returns whether there was room. */
static gboolean
name_mark (const AttnEpsilonCanvas *canvas,
           GArray                  *row,
           const AttnEpsilonCurves *curves,
           gsize                    first,
           gsize                    n,
           gboolean                 has_names)
{
  double x = attn_epsilon_canvas_get_x (canvas, curves->ends[first + n - 1].epsilon);
  guint n_panels;
  gboolean is_whole;
  g_autofree char *number = attn_epsilon_curves_format_ends (curves, first, n);
  g_autofree char *names =
      attn_epsilon_curves_name_ends (curves, first, n, &n_panels, &is_whole);
  g_autofree char *named =
      /* Translators: a range and the panels that have numbers in it, such as "Key, all inputs" */
      n > 1 ? g_strdup_printf (_("%s across %s"), number, names != NULL ? names : "")
            : g_strdup_printf ("%s %s", number, names != NULL ? names : "");
  /* Translators: a number and how many panels it is of, such as "0.1 in 3 panels" */
  g_autofree char *counted = g_strdup_printf (_("%s in %u panels"), number, n_panels);

  return (has_names && names != NULL &&
          attn_epsilon_canvas_measure (canvas, names) <=
              (is_whole ? LONGEST_WHOLE : LONGEST_MARK) &&
          add_words (canvas, row, named, x)) ||
         (has_names && n_panels > 1 && add_words (canvas, row, counted, x)) ||
         add_words (canvas, row, number, x);
}

/* Adds what the marks mean: with the whole rule, its part about the score, or no rule, as there is
 * room. @needs_rule: whether a part of the rule must have room. @is_shared: the marks share their
 * words, and the legend says how to read each. Returns whether there was room. */
static gboolean
add_legend (const AttnEpsilonCanvas *canvas,
            GArray                  *row,
            gboolean                 needs_rule,
            gboolean                 is_shared)
{
  g_autofree char *least = attn_text_format_weight (ATTN_SWEEP_SINK_SCORE, 1);
  g_autofree char *rule =
      /* Translators: a legend, behind a triangle and “=”: 0.3, 99; the entropy is that of rows */
      g_strdup_printf (_("sink ends: score < %s or entropy ≥ %g%% of uniform"), least,
                       100 * ATTN_SWEEP_ENTROPY_SHARE);
  g_autofree char *score =
      /* Translators: a legend, behind a triangle and “=”: 0.3 */
      g_strdup_printf (_("sink ends: score < %s or nearly uniform"), least);
  const char *texts[] = { rule, score, _("sink ends") };

  for (gsize i = 0; i < G_N_ELEMENTS (texts) - (needs_rule ? 1 : 0); i++)
    {
      g_autofree char *text =
          /* Translators: what triangles mark, which share their words */
          is_shared ? g_strdup_printf (_("%s · point at a mark to read it"), texts[i])
                    : g_strdup (texts[i]);

      /* The first place that is tried is at the left of the track, where no mark is. */
      if (add_equation (canvas, row, text, 0))
        return TRUE;
      for (guint j = 0; j < row->len; j++)
        if (add_equation (canvas, row, text, g_array_index (row, Label, j).right + LABEL_GAP))
          return TRUE;
    }
  return FALSE;
}

/* Adds the words of the marks on the track, as far as there is room; the marks nearest to ε = 1
 * come first. Returns the number of marks. */
static guint
name_marks (const AttnEpsilonCanvas *canvas,
            GArray                  *row,
            const AttnEpsilonCurves *curves,
            gboolean                 has_names)
{
  guint n_marks = 0;

  for (gsize end = curves->n_ends, first, n; end > 0; end = first)
    {
      first = attn_epsilon_curves_find_mark (curves, &canvas->plan->track, end - 1, &n);
      if (!attn_epsilon_canvas_has (canvas, curves->ends[first].epsilon))
        continue;
      n_marks++;
      name_mark (canvas, row, curves, first, n, has_names);
    }
  return n_marks;
}

/* Adds words for all marks together, the range of their ε, beside the last one, and says that each
 * can be pointed at if there is room for that. */
static void
name_all_marks (const AttnEpsilonCanvas *canvas,
                GArray                  *row,
                const AttnEpsilonCurves *curves)
{
  gsize first = 0;

  while (!attn_epsilon_canvas_has (canvas, curves->ends[first].epsilon))
    first++;
  name_mark (canvas, row, curves, first, curves->n_ends - first, TRUE);
  if (add_legend (canvas, row, FALSE, TRUE) || add_legend (canvas, row, FALSE, FALSE))
    return;
  g_array_set_size (row, 0);
  add_legend (canvas, row, FALSE, FALSE);
}

/* Finds words for the row below the track: the ε of each mark with its panels and the rule; if
 * there is no room for all of these, the ε without the panels, then both without the rule, and at
 * last one range for all marks. */
static void
fill_marks (const AttnEpsilonCanvas *canvas,
            GArray                  *row,
            const AttnEpsilonCurves *curves)
{
  static const struct
  {
    gboolean has_names;
    gboolean needs_rule;
  } ways[] = { { TRUE, TRUE }, { FALSE, TRUE }, { TRUE, FALSE }, { FALSE, FALSE } };

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_array_set_size (row, 0);
      guint n_marks = name_marks (canvas, row, curves, ways[i].has_names);
      if (n_marks == 0 ||
          (n_marks == row->len && add_legend (canvas, row, ways[i].needs_rule, FALSE)))
        return;
    }
  g_array_set_size (row, 0);
  name_all_marks (canvas, row, curves);
}

/**
 * attn_epsilon_marks_add:
 * @accent: colour of the marks
 *
 * Adds the marks where sinks end and, if there is room for a row of words, their words and what the
 * marks mean.
 */
void
attn_epsilon_marks_add (const AttnEpsilonCanvas *canvas,
                        const AttnEpsilonCurves *curves,
                        AttnRgb                  accent)
{
  g_autoptr (GArray) row = new_row ();

  for (gsize i = 0; i < curves->n_ends; i++)
    if (attn_epsilon_canvas_has (canvas, curves->ends[i].epsilon))
      add_triangle (canvas, attn_epsilon_canvas_get_x (canvas, curves->ends[i].epsilon),
                    canvas->plan->line + 3, accent);
  if (canvas->plan->marks > 0)
    fill_marks (canvas, row, curves);
  for (guint i = 0; i < row->len; i++)
    {
      const Label *label = &g_array_index (row, Label, i);

      add_triangle (canvas, label->triangle, floor (canvas->plan->marks - TRIANGLE / 2), accent);
      attn_epsilon_canvas_add_text (canvas, "axis-label", label->text, label->x,
                                    canvas->plan->marks, ATTN_ANCHOR_START,
                                    label->opacity);
    }
}

/**
 * attn_epsilon_marks_add_powers:
 *
 * Adds the powers of ten, from the largest on, with a number at each where it does not overlap
 * another.
 */
void
attn_epsilon_marks_add_powers (const AttnEpsilonCanvas *canvas)
{
  const AttnEpsilonTrack *of = &canvas->plan->track;
  g_autoptr (GArray) row = new_row ();
  double line = canvas->plan->line;

  for (int exponent = (int) of->high; exponent >= of->low; exponent--)
    {
      double epsilon = pow (10, exponent);
      double x = attn_epsilon_canvas_get_x (canvas, epsilon);
      g_autofree char *text = attn_text_format_epsilon (attn_epsilon_round (epsilon, 1));
      double width = attn_epsilon_canvas_measure (canvas, text);
      double left = CLAMP (x - width / 2, 0, canvas->plan->width - width);

      if (exponent == 0)
        attn_epsilon_canvas_add_line (canvas, "tick", x, line - 8, 0, 14, 2, 0.9);
      else
        attn_epsilon_canvas_add_line (canvas, "tick", x, line, 0, 6, 1, 0.45);
      if (add_label (canvas, row, &(Label) { text, left, left, left + width, 0, 0 }))
        attn_epsilon_canvas_add_text (canvas, "axis-label", text, left, canvas->plan->labels,
                                      ATTN_ANCHOR_START, 0.75);
    }
}
