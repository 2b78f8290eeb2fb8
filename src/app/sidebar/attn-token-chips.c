/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-token-chips.h"

#include <glib/gi18n.h>

#include "attn-accent.h"
#include "attn-pointer-tip.h"
#include "attn-sentence.h"
#include "attn-token-chip.h"
#include "attn-token-list.h"

#define SPACING 2

/* The number of characters of a line in the tip about a token: it is as wide as the side bar, so
 * that it does not cover the figure. */
#define TIP_CHARS 38

/* The style class of tokens that the model has generated. */
#define OWN_COLOR "attn_own_color"

struct _AttnTokenChips
{
  GtkWidget parent_instance;

  AttnTokens *tokens;   /* (nullable) */
  AttnTokens *answer;   /* (nullable): tokens that the model generates after @tokens */
  AttnWords *words;     /* (nullable): the words of @tokens, if the figure joins pieces */
  AttnReading *reading; /* (nullable): the figure whose tokens are marked and chosen */
  gsize input;          /* index of the input in the figure */
  AttnTokenLines lines; /* whether the tokens are rows or columns of the panels */
  gsize held;           /* index of the token at which a drag began; %G_MAXSIZE for none */
  double held_x;
  double held_y;
  double told_x; /* x of the pointer when the tip was last set, pixels */
  double told_y;
  gboolean lets_go;    /* whether the pressed token was chosen before, so that a release drops the
                        * choice */
  int n_presses;       /* number of presses of the present click: 2 for a double click */
  GtkPopover *tip;     /* tells of the token at the pointer */
  GArray *chips;       /* array of AttnTokenChip; the text layout of a chip is created when first
                        * measured */
  GArray *sentence;    /* (nullable) (element-type AttnSentenceToken): colours of the tokens by a
                        * row or column */
  gboolean has_values; /* whether any token of @sentence has a value */
};

G_DEFINE_FINAL_TYPE (AttnTokenChips, attn_token_chips, GTK_TYPE_WIDGET)

/* Appends a chip that shows @text. */
static void
add_chip (AttnTokenChips *self,
          const char     *text,
          AttnTokenChip   chip)
{
  attn_token_chip_set_text (&chip, GTK_WIDGET (self), text);
  g_array_append_val (self->chips, chip);
}

/* The largest number of patches of a picture that are chips of their own. More become one chip, as
 * the text that follows matters more. */
#define MOST_PATCHES 3

/* Returns the index after the tokens of the picture that @first belongs to, or after @first if it
 * belongs to none or to one of few patches. */
static gsize
find_end_of_picture (const AttnTokens *tokens,
                     gsize             first)
{
  gsize end = first + 1;

  while (tokens->tokens[first].is_special && end < tokens->n_tokens &&
         tokens->tokens[end].id == tokens->tokens[first].id &&
         !g_str_equal (tokens->labels[end], tokens->labels[first]))
    end++;
  return end - first > MOST_PATCHES ? end : first + 1;
}

/* Appends chips for the tokens from @first on. Tokens beyond @n_most become a single chip with
 * their number. */
static void
add_chips (AttnTokenChips   *self,
           const AttnTokens *tokens,
           gsize             first,
           gsize             n_most,
           gboolean          is_own)
{
  gsize offset = is_own ? attn_token_list_count (self->tokens) : 0;
  gsize n_tokens = attn_token_list_count (tokens);

  gsize end = first;
  for (gsize n = first; n < n_most && end < n_tokens; n++)
    {
      gsize begin = end;

      end = find_end_of_picture (tokens, begin);
      g_autofree char *text = end > begin + 1 ? g_strconcat (tokens->labels[begin], " … ",
                                                             tokens->labels[end - 1], NULL)
                                              : g_strdup (tokens->labels[begin]);
      add_chip (self, text,
                (AttnTokenChip) { .token = offset + begin,
                                  .is_special = tokens->tokens[begin].is_special,
                                  .is_own = is_own });
    }
  gsize n = n_tokens - MIN (n_tokens, end) + (tokens != NULL ? tokens->n_cut : 0);
  if (n == 0)
    return;
  g_autofree char *text =
      g_strdup_printf (g_dngettext (NULL, "and %zu more", "and %zu more", n), n);
  add_chip (self, text, (AttnTokenChip) { .is_count = TRUE, .is_own = is_own });
}

static void
need_chips (AttnTokenChips *self)
{
  if (self->chips->len > 0)
    return;
  add_chips (self, self->tokens, 0, ATTN_TOKEN_CHIPS_MAX, FALSE);
  add_chips (self, self->answer, 0, ATTN_TOKEN_CHIPS_MAX_OWN, TRUE);
}

/* Places the chips in rows of @width pixels, as words in lines. Returns the height of all rows. */
static int
flow (AttnTokenChips *self,
      int             width,
      gboolean        is_mirrored)
{
  float x = 0, y = 0, row_height = 0;

  need_chips (self);
  for (guint i = 0; i < self->chips->len; i++)
    {
      AttnTokenChip *chip = &g_array_index (self->chips, AttnTokenChip, i);

      if (x > 0 && x + chip->box.size.width > width)
        {
          x = 0;
          y += row_height + SPACING;
          row_height = 0;
        }
      graphene_point_t origin = { is_mirrored ? width - x - chip->box.size.width : x, y };

      if (!graphene_point_equal (&origin, &chip->box.origin))
        g_clear_pointer (&chip->node, gsk_render_node_unref);
      chip->box.origin = origin;
      x += chip->box.size.width + SPACING;
      row_height = MAX (row_height, chip->box.size.height);
    }
  return y + row_height;
}

static gboolean
is_mirrored (AttnTokenChips *self)
{
  return gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
}

static GtkSizeRequestMode
attn_token_chips_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
attn_token_chips_measure (GtkWidget      *widget,
                          GtkOrientation  orientation,
                          int             for_size,
                          int            *minimum,
                          int            *natural,
                          int            *minimum_baseline,
                          int            *natural_baseline)
{
  AttnTokenChips *self = ATTN_TOKEN_CHIPS (widget);
  int widest = 0;

  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      *minimum = *natural = flow (self, for_size < 0 ? G_MAXINT : for_size, FALSE);
      return;
    }
  need_chips (self);
  for (guint i = 0; i < self->chips->len; i++)
    widest = MAX (widest, (int) g_array_index (self->chips, AttnTokenChip, i).box.size.width);
  *minimum = *natural = widest;
}

static void
attn_token_chips_size_allocate (GtkWidget *widget,
                                int        width,
                                int        height,
                                int        baseline)
{
  AttnTokenChips *self = ATTN_TOKEN_CHIPS (widget);

  flow (self, width, is_mirrored (self));
  gtk_popover_present (self->tip);
}

/* Returns the first token of the word that @token is a piece of, which stands for the word in the
 * figure, or @token itself if the figure does not join tokens to words. */
static gsize
get_first_piece (AttnTokenChips *self,
                 gsize           token)
{
  gsize word = self->words != NULL ? self->words->n_words : 0;

  while (word > 0 && self->words->starts[word - 1] > token)
    word--;
  return word > 0 ? self->words->starts[word - 1] : token;
}

static gssize
get_lit (AttnTokenChips *self)
{
  AttnReadingState state = attn_reading_get (self->reading);

  return state.token_input == self->input && state.token_lines == self->lines ? state.token : -1;
}

static AttnTokenChipColors
get_colors (AttnTokenChips *self)
{
  GtkStyleContext *context = gtk_widget_get_style_context (GTK_WIDGET (self));
  AttnTokenChipColors colors = { .chosen = attn_accent_get (GTK_WIDGET (self)) };

  colors.chosen.alpha = 0.35f;
  gtk_style_context_get_color (context, &colors.text);
  if (!gtk_style_context_lookup_color (context, OWN_COLOR, &colors.own))
    colors.own = colors.text;
  return colors;
}

/* Returns the colours that the token of a chip has in the row or column under the cursor of the
 * figure, or %NULL. */
static const AttnSentenceToken *
get_sentence_token (AttnTokenChips      *self,
                    const AttnTokenChip *chip)
{
  gsize token = chip->is_count ? G_MAXSIZE : get_first_piece (self, chip->token);

  return self->sentence != NULL && token < self->sentence->len
             ? &g_array_index (self->sentence, AttnSentenceToken, token)
             : NULL;
}

/* Updates the colours of each chip. Returns %TRUE if any has changed. */
static gboolean
update_looks (AttnTokenChips *self)
{
  AttnTokenChipColors colors = get_colors (self);
  gssize lit = self->reading != NULL ? get_lit (self) : -1;
  gboolean has_changed = FALSE;

  for (guint i = 0; i < self->chips->len; i++)
    {
      AttnTokenChip *chip = &g_array_index (self->chips, AttnTokenChip, i);
      gsize token = get_first_piece (self, chip->token);
      const AttnTokenChipState state = {
        .sentence = get_sentence_token (self, chip),
        .has_sentence_values = self->has_values,
        .is_lit = lit == (gssize) token,
        .is_chosen = self->reading != NULL && attn_reading_has_chosen (self->reading, self->input,
                                                                       self->lines, token),
      };

      has_changed |= attn_token_chip_update (chip, &colors, &state);
    }
  return has_changed;
}

static void
attn_token_chips_snapshot (GtkWidget   *widget,
                           GtkSnapshot *snapshot)
{
  AttnTokenChips *self = ATTN_TOKEN_CHIPS (widget);

  update_looks (self); /* sets the look of new chips */
  for (guint i = 0; i < self->chips->len; i++)
    {
      GskRenderNode *node =
          attn_token_chip_get_node (&g_array_index (self->chips, AttnTokenChip, i));

      if (node != NULL)
        gtk_snapshot_append_node (snapshot, node);
    }
}

/* Describes to assistive technology which row or column of the figure the colours come from. */
static void
update_description (AttnTokenChips *self)
{
  AttnCellCursor cell;

  if (self->sentence == NULL ||
      !attn_sentence_find_largest (self->reading, self->sentence, &cell))
    {
      gtk_accessible_reset_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
      return;
    }
  g_autofree char *largest = attn_sentence_describe (self->reading, cell);
  /* Translators: tokens have the colours of a row of the figure; %s is its cell of the largest
   * value */
  g_autofree char *text =
      g_strdup_printf (_("Coloured as in the figure; the largest: %s"), largest);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                  -1);
}

/* Shows the tip for the token at a point, above all lines of chips, where the same text stands: it
 * would otherwise cover the line that the user reads next or, below the chips, the next input. At a
 * point between two chips the tip stays as it is. */
static void
tell_at (AttnTokenChips *self,
         double          x,
         double          y)
{
  gsize index = attn_token_chips_find (self, x, y);

  self->told_x = x;
  self->told_y = y;
  if (index == G_MAXSIZE)
    return;
  const AttnTokenChip *chip = &g_array_index (self->chips, AttnTokenChip, index);
  g_autofree char *text = attn_token_chips_describe (self, index);
  const GdkRectangle place = { chip->box.origin.x, 0, chip->box.size.width,
                               gtk_widget_get_height (GTK_WIDGET (self)) };

  attn_pointer_tip_tell (self->tip, &place, text);
}

/* Updates the tip about a token, whose value may have changed. */
static void
tell_again (AttnTokenChips *self)
{
  if (gtk_widget_get_visible (GTK_WIDGET (self->tip)))
    tell_at (self, self->told_x, self->told_y);
}

/* Updates the colours when the cursor moves or the figure changes. */
static void
reading_changed_cb (AttnTokenChips *self)
{
  g_autoptr (GArray) before = g_steal_pointer (&self->sentence);
  gsize n = attn_token_list_count (self->tokens) + attn_token_list_count (self->answer);

  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->sentence = attn_sentence_new (self->reading, self->input, self->lines, n);
  self->has_values = FALSE;
  for (guint i = 0; self->sentence != NULL && i < self->sentence->len; i++)
    self->has_values |= g_array_index (self->sentence, AttnSentenceToken, i).has_value;
  tell_again (self);
  if (!update_looks (self))
    return;
  if (before != NULL || self->sentence != NULL)
    update_description (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
attn_token_chips_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (attn_token_chips_parent_class)->map (widget);
  if (ATTN_TOKEN_CHIPS (widget)->reading != NULL)
    reading_changed_cb (ATTN_TOKEN_CHIPS (widget));
}

/* Lays the chips out again when the font has changed. */
static void
attn_token_chips_css_changed (GtkWidget         *widget,
                              GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (attn_token_chips_parent_class)->css_changed (widget, change);
  g_array_set_size (ATTN_TOKEN_CHIPS (widget)->chips, 0);
  gtk_widget_queue_resize (widget);
}

static gboolean
attn_token_chips_query_tooltip (GtkWidget  *widget,
                                int         x,
                                int         y,
                                gboolean    is_by_keyboard,
                                GtkTooltip *tooltip)
{
  if (!is_by_keyboard)
    tell_at (ATTN_TOKEN_CHIPS (widget), x, y);
  return FALSE;
}

/* --- Pointing at tokens and choosing them ----------------------------------------------------- */

/* Returns the index in the input of the token whose chip is at a point, or %G_MAXSIZE if there is
 * none. */
static gsize
find_token (AttnTokenChips *self,
            double          x,
            double          y)
{
  gsize index = attn_token_chips_find (self, x, y);

  if (index == G_MAXSIZE)
    return G_MAXSIZE;
  const AttnTokenChip *chip = &g_array_index (self->chips, AttnTokenChip, index);
  return chip->is_count ? G_MAXSIZE : chip->token;
}

/* Points at the token under the pointer. Between two chips the last token stays, as the pointer is
 * moving to another chip. */
static void
motion_cb (AttnTokenChips *self,
           double          x,
           double          y)
{
  gsize token = find_token (self, x, y);

  if (self->reading != NULL && attn_token_chips_find (self, x, y) != G_MAXSIZE)
    attn_reading_point_token (self->reading, self->input, self->lines,
                              token != G_MAXSIZE ? (gssize) get_first_piece (self, token) : -1);
  if (gtk_widget_get_visible (GTK_WIDGET (self->tip)))
    tell_at (self, x, y);
}

static void
leave_cb (AttnTokenChips *self)
{
  gtk_popover_popdown (self->tip);
  if (self->reading != NULL)
    attn_reading_point_token (self->reading, self->input, self->lines, -1);
}

static void
choose_to (AttnTokenChips *self,
           gsize           token)
{
  if (self->reading != NULL && self->held != G_MAXSIZE && token != G_MAXSIZE)
    attn_reading_choose_tokens (self->reading, self->input, self->lines,
                                get_first_piece (self, self->held),
                                get_first_piece (self, token));
}

static gboolean
is_kept (AttnTokenChips *self,
         gsize           token)
{
  if (self->reading == NULL)
    return FALSE;
  AttnReadingState state = attn_reading_get (self->reading);

  return attn_reading_keeps_token (&state, self->input, self->lines,
                                   get_first_piece (self, token));
}

/* Keeps the pressed token as the chosen one in the figure, or drops a token that is chosen already.
 * The second press of a double click does nothing. */
static void
drag_begin_cb (AttnTokenChips *self,
               double          x,
               double          y)
{
  self->held = self->n_presses < 2 ? find_token (self, x, y) : G_MAXSIZE;
  self->held_x = x;
  self->held_y = y;
  self->lets_go = self->held != G_MAXSIZE && is_kept (self, self->held);
  choose_to (self, self->held);
}

static void
drag_update_cb (AttnTokenChips *self,
                double          dx,
                double          dy)
{
  gsize token = find_token (self, self->held_x + dx, self->held_y + dy);

  self->lets_go = self->lets_go && token == self->held;
  choose_to (self, token);
}

static void
drag_end_cb (AttnTokenChips *self)
{
  if (self->lets_go)
    attn_reading_let_go (self->reading);
  self->lets_go = FALSE;
}

static void
pressed_cb (AttnTokenChips *self,
            int             n_presses)
{
  self->n_presses = n_presses;
  gtk_popover_popdown (self->tip);
}

static void
attn_token_chips_dispose (GObject *object)
{
  AttnTokenChips *self = ATTN_TOKEN_CHIPS (object);

  if (self->tip != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->tip));
  self->tip = NULL;
  g_clear_object (&self->reading);
  G_OBJECT_CLASS (attn_token_chips_parent_class)->dispose (object);
}

static void
attn_token_chips_finalize (GObject *object)
{
  AttnTokenChips *self = ATTN_TOKEN_CHIPS (object);

  g_clear_pointer (&self->tokens, attn_tokens_unref);
  g_clear_pointer (&self->answer, attn_tokens_unref);
  g_clear_pointer (&self->words, attn_words_free);
  g_array_unref (self->chips);
  g_clear_pointer (&self->sentence, g_array_unref);

  G_OBJECT_CLASS (attn_token_chips_parent_class)->finalize (object);
}

static void
attn_token_chips_class_init (AttnTokenChipsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_token_chips_dispose;
  object_class->finalize = attn_token_chips_finalize;
  widget_class->get_request_mode = attn_token_chips_get_request_mode;
  widget_class->measure = attn_token_chips_measure;
  widget_class->size_allocate = attn_token_chips_size_allocate;
  widget_class->map = attn_token_chips_map;
  widget_class->snapshot = attn_token_chips_snapshot;
  widget_class->css_changed = attn_token_chips_css_changed;
  widget_class->query_tooltip = attn_token_chips_query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "tokens");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
attn_token_chips_init (AttnTokenChips *self)
{
  self->chips = g_array_new (FALSE, FALSE, sizeof (AttnTokenChip));
  g_array_set_clear_func (self->chips, attn_token_chip_clear);
  self->tip = attn_pointer_tip_new (GTK_WIDGET (self), TIP_CHARS);
  gtk_popover_set_position (self->tip, GTK_POS_TOP);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  self->held = G_MAXSIZE;

  GtkEventController *motion = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);

  GtkGesture *drag = gtk_gesture_drag_new ();
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));

  /* The controller that is added last gets an event first: this controller counts the presses
   * before drag_begin_cb() needs the number. */
  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

/* Describes the tokens to assistive technology. */
static void
update_label (AttnTokenChips *self)
{
  g_autofree char *tokens = attn_token_list_join (self->tokens, ATTN_TOKEN_CHIPS_MAX);
  g_autofree char *answer = attn_token_list_join (self->answer, ATTN_TOKEN_CHIPS_MAX_OWN);
  g_autofree char *label =
      self->answer != NULL
          /* Translators: the first %s are the tokens of a text, the second what the model says */
          ? g_strdup_printf (_("Tokens: %s; said by the model: %s"), tokens, answer)
          /* Translators: %s are the tokens of a text */
          : g_strdup_printf (_("Tokens: %s"), tokens);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

/**
 * attn_token_chips_set_tokens:
 * @tokens: (nullable): the tokens to show; %NULL for none
 * @words: (transfer full) (nullable): the words of @tokens, if the figure has a row and a column
 *   for each word; %NULL if it has them for each token
 */
void
attn_token_chips_set_tokens (AttnTokenChips *chips,
                             AttnTokens     *tokens,
                             AttnWords      *words)
{
  g_clear_pointer (&chips->words, attn_words_free);
  chips->words = words;
  if (attn_token_list_equal (chips->tokens, tokens))
    return;
  g_clear_pointer (&chips->tokens, attn_tokens_unref);
  chips->tokens = tokens != NULL ? attn_tokens_ref (tokens) : NULL;
  g_array_set_size (chips->chips, 0);
  gtk_popover_popdown (chips->tip);
  update_label (chips);
  gtk_widget_queue_resize (GTK_WIDGET (chips));
}

/**
 * attn_token_chips_set_answer:
 * @answer: (nullable): tokens that the model generates after those of the input, shown in a colour
 *   of their own
 */
void
attn_token_chips_set_answer (AttnTokenChips *chips,
                             AttnTokens     *answer)
{
  g_autoptr (AttnTokens) before = chips->answer;

  chips->answer = answer != NULL ? attn_tokens_ref (answer) : NULL;
  if (attn_token_list_equal (before, answer))
    return;
  gboolean goes_on = attn_token_list_count (answer) <= ATTN_TOKEN_CHIPS_MAX_OWN &&
                     attn_token_list_begins_with (answer, before);
  /* The chips of an answer's earlier tokens are kept, as it grows by one token at a time. */
  if (chips->chips->len > 0 && goes_on)
    add_chips (chips, answer, attn_token_list_count (before), ATTN_TOKEN_CHIPS_MAX_OWN, TRUE);
  else
    g_array_set_size (chips->chips, 0);
  gtk_popover_popdown (chips->tip);
  update_label (chips);
  gtk_widget_queue_resize (GTK_WIDGET (chips));
}

/**
 * attn_token_chips_set_reading:
 * @reading: the figure. A token is marked in it while the pointer is at its chip, and chosen by a
 *   click; a drag chooses several. The chips have the colours of the row or column under the
 *   figure's cursor
 * @input: index of the input in the figure whose tokens the chips are
 *
 * To be called once.
 */
void
attn_token_chips_set_reading (AttnTokenChips *chips,
                              AttnReading    *reading,
                              gsize           input)
{
  chips->reading = g_object_ref (reading);
  chips->input = input;
  attn_sentence_watch (reading, G_CALLBACK (reading_changed_cb), chips);
}

/**
 * attn_token_chips_set_lines:
 * @lines: whether the tokens are rows or columns of the panels, or both, as until the first call
 */
void
attn_token_chips_set_lines (AttnTokenChips *chips,
                            AttnTokenLines  lines)
{
  chips->lines = lines;
}

/**
 * attn_token_chips_find:
 *
 * Returns: the index of the chip at a point of the widget, %G_MAXSIZE if there is none
 */
gsize
attn_token_chips_find (AttnTokenChips *chips,
                       double          x,
                       double          y)
{
  for (guint i = 0; i < chips->chips->len; i++)
    if (graphene_rect_contains_point (&g_array_index (chips->chips, AttnTokenChip, i).box,
                                      &GRAPHENE_POINT_INIT (x, y)))
      return i;
  return G_MAXSIZE;
}

static char *
describe_chip (AttnTokenChips      *chips,
               const AttnTokenChip *chip)
{
  const AttnTokens *tokens = chip->is_own ? chips->answer : chips->tokens;
  gsize n_tokens = tokens->n_tokens;

  if (chip->is_count)
    return tokens->n_cut > 0
               ? g_strdup_printf (_("first %zu of %zu tokens"), n_tokens, n_tokens + tokens->n_cut)
               : g_strdup_printf (g_dngettext (NULL, "%zu token", "%zu tokens", n_tokens),
                                  n_tokens);

  gsize place = chip->token - (chip->is_own ? attn_token_list_count (chips->tokens) : 0);
  const AttnToken *token = &tokens->tokens[place];
  const char *label = tokens->labels[place];

  if (chip->is_own)
    return g_strdup_printf (_("Token %zu: “%s”, id %u, said by the model without any operation"),
                            chip->token, label, token->id);
  if (token->is_special)
    return g_strdup_printf (_("Token %zu: “%s”, id %u, a special token"), chip->token, label,
                            token->id);
  return g_strdup_printf (_("Token %zu: “%s”, id %u"), chip->token, label, token->id);
}

/**
 * attn_token_chips_get_colors:
 * @index: index of a chip, as attn_token_chips_find() returns it
 * @ground: (out): background of the chip
 * @text: (out): colour of its text
 *
 * Returns: whether these are colours of a row or column of the figure
 */
gboolean
attn_token_chips_get_colors (AttnTokenChips *chips,
                             gsize           index,
                             GdkRGBA        *ground,
                             GdkRGBA        *text)
{
  const AttnTokenChip *chip = &g_array_index (chips->chips, AttnTokenChip, index);
  const AttnSentenceToken *token = get_sentence_token (chips, chip);

  *ground = chip->look.fill;
  *text = chip->look.text;
  return token != NULL && token->has_value;
}

/**
 * attn_token_chips_describe:
 * @index: index of a chip, as attn_token_chips_find() returns it
 *
 * Returns: (transfer full): a text about the token: its label and id, the largest values of the row
 *   or column if that is of this token, the value that its colour stands for, and which panel that
 *   is from if the figure has several
 */
char *
attn_token_chips_describe (AttnTokenChips *chips,
                           gsize           index)
{
  need_chips (chips);

  const AttnTokenChip *chip = &g_array_index (chips->chips, AttnTokenChip, index);
  const AttnSentenceToken *token = get_sentence_token (chips, chip);
  g_autofree char *text = describe_chip (chips, chip);
  g_autoptr (GString) lines = g_string_new (text);

  if (token == NULL)
    return g_steal_pointer (&text);
  g_autofree char *panel = attn_sentence_dup_panel (chips->reading);
  g_autofree char *value =
      token->has_value ? attn_sentence_describe (chips->reading, token->cell) : g_strdup (panel);
  g_autofree char *largest =
      token->is_line ? attn_sentence_list_largest (chips->reading) : NULL;

  if (largest != NULL)
    g_string_append_printf (lines, "\n%s", largest);
  if (value != NULL)
    g_string_append_c (lines, '\n');
  if (value != NULL && panel != NULL)
    /* Translators: the name of a panel of the figure, such as “Input 1, Query” */
    g_string_append_printf (lines, _("In panel %s"), value);
  else if (value != NULL)
    g_string_append (lines, value);
  return g_strdup (lines->str);
}
