/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-answer-section.h"

#include <glib/gi18n.h>

#include "attn-bar-row.h"
#include "attn-cell.h"
#include "attn-closeup-view.h"
#include "attn-panel-name.h"
#include "attn-settings.h"
#include "attn-side.h"
#include "attn-tooltip.h"

/* The largest number of tokens that are listed of an answer. */
#define MAX_ROWS 256

/* The columns of the table: the tokens of each side (see attn-side.h), and between them a mark at
 * the first token that differs. */
#define COLUMN_OF(side) (2 * (side))
#define MARK            1

typedef struct
{
  AttnBarRow *sides[ATTN_N_SIDES];
  GtkWidget *mark;
} Row;

struct _AttnAnswerSection
{
  GtkBox parent_instance;

  GSettings *settings;
  AttnReading *figure;          /* (nullable) */
  AttnReply *reply;             /* (nullable): the model's answers that are shown */
  gsize index;                  /* index of the panel last under the cursor, or G_MAXSIZE */
  const AttnAddition *followed; /* (nullable): the answer whose input was searched in the figure;
                                 * compared only, as it may be freed */
  AttnCellCursor passed;        /* cell under the cursor when the model continued an input */

  AttnCloseupView *view;
  GtkLabel *begin; /* label that says after which token the answers begin */
  GtkLabel *state;
  GtkGrid *grid;
  GtkWidget *headings[ATTN_N_SIDES];
  GArray *rows; /* of Row */
};

G_DEFINE_FINAL_TYPE (AttnAnswerSection, attn_answer_section, GTK_TYPE_BOX)

static void
attn_answer_section_dispose (GObject *object)
{
  AttnAnswerSection *self = ATTN_ANSWER_SECTION (object);

  g_clear_object (&self->figure);
  g_clear_pointer (&self->reply, attn_reply_unref);

  G_OBJECT_CLASS (attn_answer_section_parent_class)->dispose (object);
}

static void
attn_answer_section_finalize (GObject *object)
{
  AttnAnswerSection *self = ATTN_ANSWER_SECTION (object);

  g_object_unref (self->settings);
  g_array_unref (self->rows);

  G_OBJECT_CLASS (attn_answer_section_parent_class)->finalize (object);
}

static void
attn_answer_section_class_init (AttnAnswerSectionClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_answer_section_dispose;
  G_OBJECT_CLASS (klass)->finalize = attn_answer_section_finalize;
}

static void
add_heading (AttnAnswerSection *self,
             AttnSide           side,
             const char        *text,
             const char        *tooltip)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  attn_tooltip_set (label, tooltip);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "caption");
  gtk_grid_attach (self->grid, label, COLUMN_OF (side), 0, 1, 1);
  self->headings[side] = label;
}

static void
attn_answer_section_init (AttnAnswerSection *self)
{
  self->settings = attn_settings_new ();
  self->index = G_MAXSIZE;
  self->passed = ATTN_CELL_CURSOR_NONE;
  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  self->view = attn_closeup_view_new (C_ ("section of the inspector", "Answer"));
  gtk_widget_set_hexpand (GTK_WIDGET (self->view), TRUE);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->view));
  self->begin = attn_closeup_view_add_line (self->view);
  self->state = attn_closeup_view_add_line (self->view);
  self->grid = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_column_spacing (self->grid, 4);
  gtk_grid_set_row_spacing (self->grid, 1);
  add_heading (self, ATTN_SIDE_BASELINE, C_ ("column of numbers", "Baseline"),
               _("What the model says without the intervention, the most probable token each "
                 "time"));
  add_heading (self, ATTN_SIDE_MODIFIED, C_ ("column of numbers", "Modified"),
               _("What it says with the intervention, which acts on the answer, too"));
  gtk_box_append (attn_closeup_view_get_box (self->view), GTK_WIDGET (self->grid));
}

/* --- Pointing at a token of an answer --------------------------------------------------------- */

/* Returns the position in the figure of a token of an answer, −1 if the figure does not show it.
 * @number: index of the token in the answer */
static gssize
find_position (AttnAnswerSection *self,
               gsize              side,
               gsize              number)
{
  const AttnReply *reply = self->reply;
  const AttnResult *result = reply != NULL ? reply->result : NULL;
  const AttnTokens *tokens =
      result != NULL ? result->inputs[result->cells[reply->index].input] : NULL;
  gsize position = reply != NULL ? reply->prompt->n_tokens + number : 0;

  /* In a model with a decoder the decoder answers; the figure, which has the tokens of the encoder,
   * does not show the tokens of the answer. */
  if (tokens == NULL || attn_model_has_decoder (result->model) || reply->tokens[side] == NULL ||
      number >= reply->tokens[side]->n_tokens || position >= tokens->n_tokens)
    return -1;
  /* The figure shows the same token only if that token and all tokens before it in the answer are
   * equal. */
  for (gsize i = 0; i <= number; i++)
    if (tokens->tokens[reply->prompt->n_tokens + i].id != reply->tokens[side]->tokens[i].id)
      return -1;
  return (gssize) position;
}

static void
point (AttnAnswerSection *self,
       gssize             position)
{
  const AttnResult *result = self->reply != NULL ? self->reply->result : NULL;

  if (self->figure != NULL && result != NULL)
    attn_reading_point_token (self->figure, result->cells[self->reply->index].input,
                              attn_model_is_cross (result->model) ? ATTN_TOKEN_OF_ROWS
                                                                  : ATTN_TOKEN_OF_BOTH,
                              position);
}

static void
entered_cb (GtkEventController *motion,
            double              x,
            double              y,
            AttnAnswerSection  *self)
{
  GtkWidget *widget = gtk_event_controller_get_widget (motion);

  for (guint i = 0; i < self->rows->len; i++)
    for (gsize side = 0; side < ATTN_N_SIDES; side++)
      if (GTK_WIDGET (g_array_index (self->rows, Row, i).sides[side]) == widget)
        point (self, find_position (self, side, i));
}

static void
left_cb (GtkEventController *motion,
         AttnAnswerSection  *self)
{
  point (self, -1);
}

/* --- The table of answers --------------------------------------------------------------------- */

static void
add_row (AttnAnswerSection *self)
{
  int place = (int) self->rows->len + 1;
  Row row = { 0 };

  for (gsize side = 0; side < ATTN_N_SIDES; side++)
    {
      GtkWidget *bar = attn_bar_row_new ();
      GtkEventController *motion = gtk_event_controller_motion_new ();

      g_signal_connect (motion, "enter", G_CALLBACK (entered_cb), self);
      g_signal_connect (motion, "leave", G_CALLBACK (left_cb), self);
      gtk_widget_add_controller (bar, motion);
      gtk_widget_set_hexpand (bar, TRUE);
      gtk_grid_attach (self->grid, bar, COLUMN_OF ((int) side), place, 1, 1);
      row.sides[side] = ATTN_BAR_ROW (bar);
    }
  row.mark = gtk_label_new ("≠");
  attn_tooltip_set (row.mark, _("From here on the answers differ"));
  gtk_widget_add_css_class (row.mark, "heading");
  gtk_grid_attach (self->grid, row.mark, MARK, place, 1, 1);
  g_array_append_val (self->rows, row);
}

/* Returns a text that lists the candidates for a token with their probabilities, one on each
 * line. */
static char *
describe_candidates (AttnModel            *model,
                     const AttnReplyToken *token)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < token->n_top; i++)
    {
      g_autofree char *name = attn_model_dup_output_label (model, token->top[i]);
      g_autofree char *share = attn_bar_row_format_share (token->shares[i]);

      g_string_append_printf (text, "%s%s  %s", i > 0 ? "\n" : "", name, share);
    }
  if (token->is_end)
    g_string_append_printf (text, "\n%s", _("Here the model ends the text."));
  return g_string_free (text, FALSE);
}

static void
show_token (AttnBarRow      *bar,
            const AttnReply *reply,
            gsize            side,
            gsize            number)
{
  gboolean has = side < reply->n_answers && number < reply->outcome.n_tokens[side];

  /* The cells of a side whose answer has ended before the row are transparent rather than hidden,
   * so that the bar of the other side keeps its place. */
  gtk_widget_set_visible (GTK_WIDGET (bar), side < reply->n_answers);
  gtk_widget_set_opacity (GTK_WIDGET (bar), has ? 1 : 0);
  gtk_widget_set_can_target (GTK_WIDGET (bar), has);
  if (!has)
    return;
  const AttnReplyToken *token = &reply->details[side][number];
  g_autofree char *candidates = describe_candidates (reply->model, token);
  attn_bar_row_set_token (bar, reply->model, reply->tokens[side]->tokens[number].id,
                          token->probability);
  attn_bar_row_explain (bar, candidates);
}

/* Returns a text that says after which token the answers begin, %NULL if no token stands before
 * them. @has_kept: whether an earlier answer to the same tokens has become part of the input */
static char *
describe_begin (const AttnReply *reply,
                gboolean         has_kept)
{
  gsize n = reply->prompt->n_tokens;

  if (n == 0)
    return NULL;
  return g_strdup_printf (
      reply->is_target ? _("The answer begins after token %zu “%s” of the target.")
      : has_kept
          /* Translators: "Continue" is a button */
          ? _("The answer begins after token %zu “%s”, inside the input: what follows there was "
              "kept. Continue goes on at its end.")
          : _("The answer begins after token %zu “%s”."),
      n - 1, reply->prompt->labels[n - 1]);
}

/* Tells whether more tokens follow in the input after the one that the answers begin after, and
 * they belong to the study, not to an answer that the model is generating or has just generated. */
static gboolean
is_kept (const AttnReply    *reply,
         const AttnAddition *addition)
{
  const AttnResult *result = reply->result;
  gsize input = result != NULL ? result->cells[reply->index].input : 0;

  return result != NULL && reply->n_prompt > 0 &&
         reply->n_prompt < result->inputs[input]->n_tokens &&
         (addition == NULL || addition->input != input || addition->answer == NULL);
}

static char *
describe_state (const AttnReply *reply)
{
  gsize first = reply->outcome.first_difference;

  if (reply->n_answers < ATTN_N_SIDES)
    return g_strdup (_("Nothing is done to the model in this panel."));
  if (first != G_MAXSIZE)
    return first == 0 ? g_strdup (_("The answers differ from the first token on."))
                      : g_strdup_printf (
                            g_dngettext (NULL, "The answers differ after %zu token.",
                                         "The answers differ after %zu tokens.", first),
                            first);
  return g_strdup (reply->is_open ? _("So far both answers are the same.")
                                  : _("Both answers are the same."));
}

static void
show_reply (AttnAnswerSection  *self,
            AttnReply          *reply,
            const AttnAddition *addition)
{
  gsize n = MIN (MAX (reply->outcome.n_tokens[0], reply->outcome.n_tokens[1]), MAX_ROWS);
  g_autofree char *begin = describe_begin (reply, is_kept (reply, addition));
  g_autofree char *state = describe_state (reply);

  attn_reply_ref (reply);
  g_clear_pointer (&self->reply, attn_reply_unref);
  self->reply = reply;
  gtk_label_set_label (self->begin, begin != NULL ? begin : "");
  gtk_widget_set_visible (GTK_WIDGET (self->begin), begin != NULL);
  gtk_label_set_label (self->state, state);
  gtk_widget_set_visible (self->headings[ATTN_SIDE_MODIFIED], reply->n_answers == ATTN_N_SIDES);
  while (self->rows->len < n)
    add_row (self);
  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);
      gboolean is_first = i == reply->outcome.first_difference;

      gtk_widget_set_visible (row->mark, i < n && reply->n_answers == ATTN_N_SIDES);
      gtk_widget_set_opacity (row->mark, is_first ? 1 : 0);
      for (gsize side = 0; side < ATTN_N_SIDES; side++)
        if (i < n)
          show_token (row->sides[side], reply, side, i);
        else
          gtk_widget_set_visible (GTK_WIDGET (row->sides[side]), FALSE);
    }
}

/* Returns the index of the first panel of an input that has an intervention, else of its first
 * panel, G_MAXSIZE if the figure has none. @input: index of the input, or G_MAXSIZE for any */
static gsize
find_changed (const AttnResult *result,
              gsize             input)
{
  gsize n = result->grid->n_rows * result->grid->n_columns;
  gsize first = G_MAXSIZE;

  for (gsize i = 0; i < n; i++)
    if (input == G_MAXSIZE || result->cells[i].input == input)
      {
        if (!attn_cell_is_baseline (&result->cells[i], result->study))
          return i;
        first = MIN (first, i);
      }
  return first;
}

/* Turns to a panel of the input that the model continues, unless the last one is of it. The section
 * then ignores the present cell until the user chooses another. */
static void
follow_addition (AttnAnswerSection  *self,
                 const AttnAddition *addition,
                 AttnCellCursor      cursor,
                 const AttnResult   *result)
{
  gsize n = result->grid->n_rows * result->grid->n_columns;

  if (addition != NULL && (addition->is_running || addition != self->followed))
    {
      gsize panel = find_changed (result, addition->input);

      if (panel < n && (self->index >= n || result->cells[self->index].input != addition->input))
        self->index = panel;
      self->passed = cursor;
    }
  self->followed = addition;
}

/* Returns the index of the panel under the cursor, else of the panel that was last under it or, if
 * that is later, of the input that the model has continued; else of the first panel that has two
 * answers, since it has an intervention. While there is a continuation, a panel that the pointer
 * only passes over is shown as long as it is under it. */
static gsize
find_panel (AttnAnswerSection  *self,
            AttnReading        *figure,
            const AttnResult   *result,
            const AttnAddition *addition)
{
  AttnReadingState state = attn_reading_get (figure);
  gsize n = result->grid->n_rows * result->grid->n_columns;
  gsize group = state.hit != NULL && state.hit->group >= 0 ? (gsize) state.hit->group : G_MAXSIZE;

  follow_addition (self, addition, state.cursor, result);
  if (group < n && addition != NULL && state.is_pointed)
    return group;
  if (group < n && (state.is_pointed || !attn_cell_cursor_equal (&state.cursor, &self->passed)))
    self->index = group;
  return self->index < n ? self->index : find_changed (result, G_MAXSIZE);
}

/* Returns the name of a panel, with the number of its input if the study has several and the panels
 * do not say whose they are. */
static char *
dup_place (const AttnResult *result,
           gsize             index)
{
  const AttnStudy *study = result->study;
  const char *own = result->grid->cells[index].name;

  if (study->inputs->len < 2 || attn_study_changes_along (study, ATTN_DIMENSION_INPUT))
    return attn_panel_name_translate (own);
  g_autofree char *name = g_strdup_printf ("Input %zu%s%s", result->cells[index].input + 1,
                                           own != NULL ? ", " : "", own != NULL ? own : "");
  return attn_panel_name_translate (name);
}

/**
 * attn_answer_section_read:
 * @figure: the figure; the answers are those of the panel under its cursor, of the last such panel,
 *   or of the input that the model has continued since
 */
void
attn_answer_section_read (AttnAnswerSection *section,
                          AttnSession       *session,
                          AttnReading       *figure)
{
  AttnResult *result = attn_session_get_result (session);
  gboolean is_grid = result != NULL && attn_study_get_traits (result->study)->has_grid;

  gtk_widget_set_visible (GTK_WIDGET (section), is_grid);
  g_set_object (&section->figure, figure);
  if (!is_grid || !attn_closeup_view_is_open (section->view))
    return;

  const AttnAddition *addition = attn_session_get_addition (session);
  gsize index = find_panel (section, figure, result, addition);
  gsize n_most = (gsize) g_settings_get_int (section->settings, "answer-tokens");
  gboolean has = attn_session_look_reply (session, index, n_most);
  g_autofree char *name = dup_place (result, index);
  attn_closeup_view_tell (section->view, name,
                          attn_session_get_closeup_error (session, ATTN_CLOSEUP_REPLY));
  attn_closeup_view_end (section->view, has);
  if (has)
    show_reply (section, attn_session_get_reply (session), addition);
}
