/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-token-chips.h"

#include <glib/gi18n.h>

#include "attn-accent.h"

#define PADDING_X 4
#define PADDING_Y 1
#define SPACING   2
#define RADIUS    4

/* The style class of tokens that the model has said. */
#define OWN_COLOR "attn_own_color"

/* A single token may be longer than the side bar is wide. */
#define MAX_WIDTH 220

typedef struct
{
  PangoLayout *layout;
  graphene_rect_t box;
  gsize token; /* in the input */
  gboolean is_special;
  gboolean is_own;   /* the model has said it */
  gboolean is_count; /* how many more there are */
} Chip;

struct _AttnTokenChips
{
  GtkWidget parent_instance;

  AttnTokens *tokens;   /* (nullable) */
  AttnTokens *answer;   /* (nullable): what the model says behind them */
  AttnWords *words;     /* (nullable): whose pieces they are, where the figure joins them */
  AttnReading *reading; /* (nullable): the figure of which it marks and chooses tokens */
  gsize input;          /* there */
  AttnTokenLines lines; /* that they are of there */
  gsize held;           /* the token at which the hand took hold; %G_MAXSIZE for none */
  double held_x;
  double held_y;
  GArray *chips; /* of Chip; the layouts are made when they are first measured */
};

G_DEFINE_FINAL_TYPE (AttnTokenChips, attn_token_chips, GTK_TYPE_WIDGET)

static void
clear_chip (gpointer data)
{
  Chip *chip = data;

  g_clear_object (&chip->layout);
}

/* Appends @chip with this text. */
static void
add_chip (AttnTokenChips *self,
          const char     *text,
          Chip            chip)
{
  int width, height;

  chip.layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
  pango_layout_set_single_paragraph_mode (chip.layout, TRUE);
  pango_layout_set_ellipsize (chip.layout, PANGO_ELLIPSIZE_MIDDLE);
  if (chip.is_special)
    {
      g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

      pango_attr_list_insert (attributes, pango_attr_style_new (PANGO_STYLE_ITALIC));
      pango_layout_set_attributes (chip.layout, attributes);
    }
  pango_layout_get_pixel_size (chip.layout, &width, &height);
  if (width > MAX_WIDTH)
    {
      width = MAX_WIDTH;
      pango_layout_set_width (chip.layout, width * PANGO_SCALE);
    }
  chip.box.size.width = width + 2 * PADDING_X;
  chip.box.size.height = height + 2 * PADDING_Y;
  g_array_append_val (self->chips, chip);
}

static gsize
count_tokens (const AttnTokens *tokens)
{
  return tokens != NULL ? tokens->n_tokens : 0;
}

/* Appends chips of @tokens from the one numbered @first on, and one for as many as are too many. */
static void
add_chips (AttnTokenChips   *self,
           const AttnTokens *tokens,
           gsize             first,
           gsize             n_most,
           gboolean          is_own)
{
  gsize offset = is_own ? count_tokens (self->tokens) : 0;
  gsize n_tokens = count_tokens (tokens);

  for (gsize i = first; i < MIN (n_tokens, n_most); i++)
    add_chip (self, tokens->labels[i],
              (Chip) { .token = offset + i,
                       .is_special = tokens->tokens[i].is_special,
                       .is_own = is_own });
  gsize n = n_tokens - MIN (n_tokens, n_most) + (tokens != NULL ? tokens->n_cut : 0);
  if (n == 0)
    return;
  g_autofree char *text =
      g_strdup_printf (g_dngettext (NULL, "and %zu more", "and %zu more", n), n);
  add_chip (self, text, (Chip) { .is_count = TRUE, .is_own = is_own });
}

static void
need_chips (AttnTokenChips *self)
{
  if (self->chips->len > 0)
    return;
  add_chips (self, self->tokens, 0, ATTN_TOKEN_CHIPS_MAX, FALSE);
  add_chips (self, self->answer, 0, ATTN_TOKEN_CHIPS_MAX_OWN, TRUE);
}

/* Places the chips in rows of @width; returns their height. */
static int
flow (AttnTokenChips *self,
      int             width,
      gboolean        is_mirrored)
{
  float x = 0, y = 0, row_height = 0;

  need_chips (self);
  for (guint i = 0; i < self->chips->len; i++)
    {
      Chip *chip = &g_array_index (self->chips, Chip, i);

      if (x > 0 && x + chip->box.size.width > width)
        {
          x = 0;
          y += row_height + SPACING;
          row_height = 0;
        }
      chip->box.origin.x = is_mirrored ? width - x - chip->box.size.width : x;
      chip->box.origin.y = y;
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
    widest = MAX (widest, (int) g_array_index (self->chips, Chip, i).box.size.width);
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
}

/* @ground: (nullable): of a token that is chosen */
static void
snapshot_chip (const Chip    *chip,
               const GdkRGBA *color,
               const GdkRGBA *own,
               const GdkRGBA *ground,
               gboolean       is_lit,
               GtkSnapshot   *snapshot)
{
  GskRoundedRect outline;
  GdkRGBA fill = chip->is_own ? *own : *color;
  GdkRGBA text = *color;

  gsk_rounded_rect_init_from_rect (&outline, &chip->box, RADIUS);
  fill.alpha *= is_lit ? 0.25 : chip->is_special ? 0.0
                                                 : 0.09;
  if (chip->is_own)
    fill.alpha = is_lit ? 0.6 : 0.3;
  if (ground != NULL)
    fill = *ground;
  text.alpha *= chip->is_count ? 0.6 : 1.0;
  if (!chip->is_count)
    {
      gtk_snapshot_push_rounded_clip (snapshot, &outline);
      gtk_snapshot_append_color (snapshot, &fill, &chip->box);
      gtk_snapshot_pop (snapshot);
    }
  if (chip->is_special || (chip->is_own && !chip->is_count))
    {
      const float widths[4] = { 1, 1, 1, 1 };
      GdkRGBA line = chip->is_own ? *own : *color;

      line.alpha *= chip->is_own ? 0.8 : 0.4;
      const GdkRGBA lines[4] = { line, line, line, line };
      gtk_snapshot_append_border (snapshot, &outline, widths, lines);
    }
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (chip->box.origin.x + PADDING_X,
                                                          chip->box.origin.y + PADDING_Y));
  gtk_snapshot_append_layout (snapshot, chip->layout, &text);
  gtk_snapshot_restore (snapshot);
}

/* The token by which the figure knows the word of @token. */
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

static void
attn_token_chips_snapshot (GtkWidget   *widget,
                           GtkSnapshot *snapshot)
{
  AttnTokenChips *self = ATTN_TOKEN_CHIPS (widget);
  GdkRGBA color;
  GdkRGBA own;
  GdkRGBA ground = attn_accent_get (widget);
  gssize lit = self->reading != NULL ? get_lit (self) : -1;

  GtkStyleContext *context = gtk_widget_get_style_context (widget);
  gtk_style_context_get_color (context, &color);
  if (!gtk_style_context_lookup_color (context, OWN_COLOR, &own))
    own = color;
  ground.alpha = 0.35;
  for (guint i = 0; i < self->chips->len; i++)
    {
      const Chip *chip = &g_array_index (self->chips, Chip, i);
      gboolean is_chosen = self->reading != NULL && !chip->is_count &&
                           attn_reading_has_chosen (self->reading, self->input, self->lines,
                                                    get_first_piece (self, chip->token));
      gboolean is_lit = !chip->is_count && lit == (gssize) get_first_piece (self, chip->token);

      snapshot_chip (chip, &color, &own, is_chosen ? &ground : NULL, is_lit, snapshot);
    }
}

/* The font changed. */
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
  AttnTokenChips *self = ATTN_TOKEN_CHIPS (widget);
  gsize index = attn_token_chips_find (self, x, y);

  if (is_by_keyboard || index == G_MAXSIZE)
    return FALSE;
  const Chip *chip = &g_array_index (self->chips, Chip, index);
  GdkRectangle area = { chip->box.origin.x, chip->box.origin.y, chip->box.size.width,
                        chip->box.size.height };
  g_autofree char *text = attn_token_chips_describe (self, index);
  gtk_tooltip_set_tip_area (tooltip, &area);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* --- Pointing and choosing -------------------------------------------------------------------- */

/* Gives its number in the input; %G_MAXSIZE for none. */
static gsize
find_token (AttnTokenChips *self,
            double          x,
            double          y)
{
  gsize index = attn_token_chips_find (self, x, y);

  const Chip *chip = index != G_MAXSIZE ? &g_array_index (self->chips, Chip, index) : NULL;

  return chip != NULL && !chip->is_count ? chip->token : G_MAXSIZE;
}

static void
motion_cb (AttnTokenChips *self,
           double          x,
           double          y)
{
  gsize token = find_token (self, x, y);

  if (self->reading != NULL)
    attn_reading_point_token (self->reading, self->input, self->lines,
                              token != G_MAXSIZE ? (gssize) get_first_piece (self, token) : -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
leave_cb (AttnTokenChips *self)
{
  if (self->reading != NULL)
    attn_reading_point_token (self->reading, self->input, self->lines, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
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

static void
drag_begin_cb (AttnTokenChips *self,
               double          x,
               double          y)
{
  self->held = find_token (self, x, y);
  self->held_x = x;
  self->held_y = y;
  choose_to (self, self->held);
}

static void
drag_update_cb (AttnTokenChips *self,
                double          dx,
                double          dy)
{
  choose_to (self, find_token (self, self->held_x + dx, self->held_y + dy));
}

static void
attn_token_chips_dispose (GObject *object)
{
  g_clear_object (&ATTN_TOKEN_CHIPS (object)->reading);
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
  widget_class->snapshot = attn_token_chips_snapshot;
  widget_class->css_changed = attn_token_chips_css_changed;
  widget_class->query_tooltip = attn_token_chips_query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "tokens");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
attn_token_chips_init (AttnTokenChips *self)
{
  self->chips = g_array_new (FALSE, FALSE, sizeof (Chip));
  g_array_set_clear_func (self->chips, clear_chip);
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
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
}

static gboolean
says_the_same (const AttnTokens *a,
               const AttnTokens *b)
{
  if (a == NULL || b == NULL || a->n_tokens != b->n_tokens || a->n_cut != b->n_cut)
    return a == b;
  for (gsize i = 0; i < a->n_tokens; i++)
    if (a->tokens[i].id != b->tokens[i].id || a->tokens[i].is_special != b->tokens[i].is_special ||
        !g_str_equal (a->labels[i], b->labels[i]))
      return FALSE;
  return TRUE;
}

static char *
join_labels (const AttnTokens *tokens,
             gsize             n_most)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < MIN (count_tokens (tokens), n_most); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", tokens->labels[i]);
  return g_string_free (text, FALSE);
}

/* Says what is drawn, for those who listen. */
static void
update_label (AttnTokenChips *self)
{
  g_autofree char *tokens = join_labels (self->tokens, ATTN_TOKEN_CHIPS_MAX);
  g_autofree char *answer = join_labels (self->answer, ATTN_TOKEN_CHIPS_MAX_OWN);
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
 * @tokens: (nullable): what to show; %NULL for nothing
 * @words: (transfer full) (nullable): the words they make, of which the figure has a row and a
 *   column each; %NULL where it has them of tokens
 */
void
attn_token_chips_set_tokens (AttnTokenChips *chips,
                             AttnTokens     *tokens,
                             AttnWords      *words)
{
  g_clear_pointer (&chips->words, attn_words_free);
  chips->words = words;
  if (says_the_same (chips->tokens, tokens))
    return;
  g_clear_pointer (&chips->tokens, attn_tokens_unref);
  chips->tokens = tokens != NULL ? attn_tokens_ref (tokens) : NULL;
  g_array_set_size (chips->chips, 0);
  update_label (chips);
  gtk_widget_queue_resize (GTK_WIDGET (chips));
}

/* Tells whether @answer begins with what @before says, as far as there are chips of it. */
static gboolean
goes_on (const AttnTokens *before,
         const AttnTokens *answer)
{
  if (count_tokens (answer) < count_tokens (before) ||
      count_tokens (answer) > ATTN_TOKEN_CHIPS_MAX_OWN)
    return FALSE;
  for (gsize i = 0; i < count_tokens (before); i++)
    if (!g_str_equal (before->labels[i], answer->labels[i]))
      return FALSE;
  return TRUE;
}

/**
 * attn_token_chips_set_answer:
 * @answer: (nullable): what the model says behind the tokens, in its own colour
 */
void
attn_token_chips_set_answer (AttnTokenChips *chips,
                             AttnTokens     *answer)
{
  g_autoptr (AttnTokens) before = chips->answer;

  chips->answer = answer != NULL ? attn_tokens_ref (answer) : NULL;
  if (says_the_same (before, answer))
    return;
  /* Chips that are there stay: an answer grows by one at a time. */
  if (chips->chips->len > 0 && goes_on (before, answer))
    add_chips (chips, answer, count_tokens (before), ATTN_TOKEN_CHIPS_MAX_OWN, TRUE);
  else
    g_array_set_size (chips->chips, 0);
  update_label (chips);
  gtk_widget_queue_resize (GTK_WIDGET (chips));
}

/**
 * attn_token_chips_set_reading:
 * @reading: the figure in which a token is marked while one points at it, and chosen by a click;
 *   dragging chooses several
 * @input: whose tokens they are there
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
  g_signal_connect_object (reading, "cursor-changed", G_CALLBACK (gtk_widget_queue_draw), chips,
                           G_CONNECT_SWAPPED);
}

/**
 * attn_token_chips_set_lines:
 * @lines: where the tokens stand in the panels; as rows and as columns until this is called
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
 * Returns: the number of the chip at a place in the widget, %G_MAXSIZE where there is none
 */
gsize
attn_token_chips_find (AttnTokenChips *chips,
                       double          x,
                       double          y)
{
  for (guint i = 0; i < chips->chips->len; i++)
    if (graphene_rect_contains_point (&g_array_index (chips->chips, Chip, i).box,
                                      &GRAPHENE_POINT_INIT (x, y)))
      return i;
  return G_MAXSIZE;
}

/**
 * attn_token_chips_describe:
 * @index: as attn_token_chips_find() gives it
 *
 * Returns: (transfer full): what a token is, with its id
 */
char *
attn_token_chips_describe (AttnTokenChips *chips,
                           gsize           index)
{
  need_chips (chips);

  const Chip *chip = &g_array_index (chips->chips, Chip, index);
  const AttnTokens *tokens = chip->is_own ? chips->answer : chips->tokens;
  gsize n_tokens = tokens->n_tokens;

  if (chip->is_count)
    return tokens->n_cut > 0
               ? g_strdup_printf (_("first %zu of %zu tokens"), n_tokens, n_tokens + tokens->n_cut)
               : g_strdup_printf (g_dngettext (NULL, "%zu token", "%zu tokens", n_tokens),
                                  n_tokens);

  gsize place = chip->token - (chip->is_own ? count_tokens (chips->tokens) : 0);
  const AttnToken *token = &tokens->tokens[place];
  const char *label = tokens->labels[place];

  if (chip->is_own)
    return g_strdup_printf (_("Token %zu: “%s”, id %u, said by the model"), chip->token, label,
                            token->id);
  if (token->is_special)
    return g_strdup_printf (_("Token %zu: “%s”, id %u, a special token"), chip->token, label,
                            token->id);
  return g_strdup_printf (_("Token %zu: “%s”, id %u"), chip->token, label, token->id);
}
