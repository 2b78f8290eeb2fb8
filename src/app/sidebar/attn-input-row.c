/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-row.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-input-file.h"
#include "attn-input-words.h"
#include "attn-pressed.h"
#include "attn-reveal.h"
#include "attn-sentence.h"
#include "attn-signal.h"
#include "attn-template.h"
#include "attn-text-change.h"
#include "attn-text.h"
#include "attn-token-chips.h"
#include "attn-tooltip.h"

/* The number of inputs whose number is a digit, which can be pressed as a key. */
#define N_DIGITS 10

/* The milliseconds without a key press after which the typed text is taken into the study. */
#define REST_MS 200

/* The largest number of bytes of a paragraph that is wrapped: breaking a longer one into lines
 * takes GTK seconds. */
#define LONGEST_WRAPPED 4000

struct _AttnInputRow
{
  GtkBox parent_instance;

  guint index;
  gboolean has_ids; /* whether the entry holds token ids, not text */
  guint32 *ids;     /* token ids that were shown last: [n_ids] */
  gsize n_ids;
  char *ids_text; /* (nullable): the token ids as text, as the entry has them */
  gboolean has_target_ids;
  AttnReading *reading; /* (nullable): the figure whose tokens are shown; @chips has a reference to
                         * it */
  gboolean is_syncing;
  gboolean is_used; /* the figure shows the input */
  gboolean is_recorded;
  gsize n_known;        /* number of tokens that the figure uses; 0 until it is known */
  gsize n_cut;          /* number of later tokens of the text that the figure does not use */
  gsize n_said;         /* number of tokens behind the text that the model has generated */
  gsize n_most;         /* the largest number of tokens that the model can read */
  gboolean are_awaited; /* tokens that are not known will be */
  guint timeout;
  guint growth;  /* id of the idle source that measures the entry again */
  guint telling; /* id of the idle source that names the panel of the tokens' colours */
  double height; /* height of the entry's text in pixels; @room is the height of the entry */
  double room;

  /* Template widgets */
  GtkWidget *handle;
  GtkLabel *title;
  GtkMenuButton *range;
  GtkLabel *status;
  GtkAdjustment *n_tokens;
  GtkWidget *n_tokens_spin;
  GtkWidget *menu;
  AttnInputFile *file;
  GtkWidget *text;
  GtkTextView *entry;
  AttnTokenChips *chips;
  AttnInputWords *words;
  GtkWidget *target_box;
  GtkEntry *target;
  AttnTokenChips *target_chips;
  GtkWidget *use_all;
  GtkWidget *above_tokens;
  GtkLabel *source;
  GtkWidget *answer;
  GtkStack *go_or_stop;
  GtkWidget *go_on;
  GtkWidget *stopping;
  GtkSpinner *spinner;
  GtkWidget *keep;
  GtkWidget *discard;
  GtkLabel *answer_state;
};

enum
{
  SIGNAL_CHANGED,
  SIGNAL_COMMAND,
  SIGNAL_DROPPED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnInputRow, attn_input_row, GTK_TYPE_BOX)

static void
emit_changed (AttnInputRow *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
rest_cb (gpointer user_data)
{
  AttnInputRow *self = user_data;

  self->timeout = 0;
  emit_changed (self);
}

static char *
dup_text (AttnInputRow *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->entry);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

static gboolean
has_long_paragraph (const char *text)
{
  while (strlen (text) > LONGEST_WRAPPED)
    {
      gsize length = strcspn (text, "\n");

      if (length > LONGEST_WRAPPED)
        return TRUE;
      text += length + (text[length] != '\0');
    }
  return FALSE;
}

/* Sets whether long lines are wrapped. The entry never has a vertical scroll bar: GTK 4.8 measures
 * typed text only while it paints, too late to make room for one. */
static void
set_wrapped (AttnInputRow *self,
             gboolean      is_wrapped)
{
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->text),
                                  is_wrapped ? GTK_POLICY_NEVER : GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_EXTERNAL);
  gtk_text_view_set_wrap_mode (self->entry, is_wrapped ? GTK_WRAP_WORD_CHAR : GTK_WRAP_NONE);
}

static void
grow_cb (gpointer user_data)
{
  AttnInputRow *self = user_data;

  self->growth = 0;
  gtk_widget_queue_resize (GTK_WIDGET (self->entry));
}

/* Has the entry measured again when its text has become higher than its room: GTK 4.8 measures a
 * text only when it allocates it, too late to give it the height. This is done once for each
 * height, as a text that is higher than its room may ever be tells of it at each allocation. */
static void
height_changed_cb (AttnInputRow  *self,
                   GtkAdjustment *adjustment)
{
  double height = gtk_adjustment_get_upper (adjustment);
  double room = gtk_adjustment_get_page_size (adjustment);

  if (self->growth == 0 && height > room && (height != self->height || room != self->room))
    self->growth = g_idle_add_once (grow_cb, self);
  self->height = height;
  self->room = room;
}

/* Lets GTK 4.8 compute again how far the text can be scrolled: it does not while a scroll to the
 * text cursor is animated, and if the entry has grown in that time the first line stays cut. */
static void
scrolled_cb (AttnInputRow  *self,
             GtkAdjustment *adjustment)
{
  int room = gtk_widget_get_height (GTK_WIDGET (self->entry));

  if (self->growth == 0 && room != (int) gtk_adjustment_get_page_size (adjustment))
    self->growth = g_idle_add_once (grow_cb, self);
}

/* Stops wrapping before a text with a long paragraph is inserted, so that GTK never breaks that
 * paragraph into lines. */
static void
insert_text_cb (AttnInputRow *self,
                GtkTextIter  *place,
                const char   *text)
{
  if (has_long_paragraph (text))
    set_wrapped (self, FALSE);
}

static void
entry_changed_cb (AttnInputRow *self)
{
  g_autofree char *text = dup_text (self);

  set_wrapped (self, !has_long_paragraph (text));
  if (self->is_syncing)
    return;
  g_clear_handle_id (&self->timeout, g_source_remove);
  self->timeout = g_timeout_add_once (REST_MS, rest_cb, self);
}

static void
target_changed_cb (AttnInputRow *self)
{
  if (self->is_syncing)
    return;
  g_clear_handle_id (&self->timeout, g_source_remove);
  self->timeout = g_timeout_add_once (REST_MS, rest_cb, self);
}

static void
target_activated_cb (AttnInputRow *self)
{
  emit_changed (self);
}

static void
n_tokens_changed_cb (AttnInputRow *self)
{
  if (!self->is_syncing)
    emit_changed (self);
}

static void
use_all_cb (AttnInputRow *self)
{
  gtk_adjustment_set_value (self->n_tokens, 0);
}

/* Takes the typed text at once when Return is pressed, as an entry of one line does. Shift+Return
 * begins a line, and Control+Return is left to the window, which has the model continue the text.
 * An input method that is composing a character gets the key first. */
static gboolean
key_pressed_cb (AttnInputRow          *self,
                guint                  keyval,
                guint                  keycode,
                GdkModifierType        state,
                GtkEventControllerKey *keys)
{
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (keys));
  GdkModifierType others = GDK_SHIFT_MASK | GDK_CONTROL_MASK;

  if ((keyval != GDK_KEY_Return && keyval != GDK_KEY_KP_Enter) || (state & others) != 0)
    return FALSE;
  if (event == NULL || !gtk_text_view_im_context_filter_keypress (self->entry, event))
    emit_changed (self);
  return TRUE;
}

static gboolean
mnemonic_cb (AttnInputRow *self)
{
  attn_input_row_take_focus (self, TRUE);
  return TRUE;
}

static void
command_action (GtkWidget  *widget,
                const char *action_name,
                GVariant   *parameter)
{
  static const char * const names[] = {
    [ATTN_INPUT_REMOVE] = "input.remove",
    [ATTN_INPUT_DUPLICATE] = "input.duplicate",
    [ATTN_INPUT_MOVE_UP] = "input.move-up",
    [ATTN_INPUT_MOVE_DOWN] = "input.move-down",
    [ATTN_INPUT_CONTINUE] = "input.continue",
    [ATTN_INPUT_STOP] = "input.stop",
    [ATTN_INPUT_KEEP] = "input.keep",
    [ATTN_INPUT_DISCARD] = "input.discard",
  };
  AttnInputRow *self = ATTN_INPUT_ROW (widget);

  /* Text that was just typed is taken into the study before the command of the user acts. */
  if (self->timeout != 0)
    emit_changed (self);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], action_name))
      g_signal_emit (self, signals[SIGNAL_COMMAND], 0, i);
}

/* --- The class --- */

static void
attn_input_row_finalize (GObject *object)
{
  g_free (ATTN_INPUT_ROW (object)->ids);
  g_free (ATTN_INPUT_ROW (object)->ids_text);

  G_OBJECT_CLASS (attn_input_row_parent_class)->finalize (object);
}

static void
attn_input_row_dispose (GObject *object)
{
  g_clear_handle_id (&ATTN_INPUT_ROW (object)->timeout, g_source_remove);
  g_clear_handle_id (&ATTN_INPUT_ROW (object)->growth, g_source_remove);
  g_clear_handle_id (&ATTN_INPUT_ROW (object)->telling, g_source_remove);

  G_OBJECT_CLASS (attn_input_row_parent_class)->dispose (object);
}

static void
attn_input_row_class_init (AttnInputRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_input_row_dispose;
  object_class->finalize = attn_input_row_finalize;

  /* (): emitted when the user has changed the text or the number of tokens. */
  signals[SIGNAL_CHANGED] = attn_signal_new (klass, "changed", 0);
  /* (AttnInputCommand command): emitted when the user gives a command by the menu or the
   * keyboard. */
  signals[SIGNAL_COMMAND] = attn_signal_new (klass, "command", 1, G_TYPE_UINT);
  /* (AttnInputRow *other): emitted when the user drops another row on this one, to be moved to its
   * place. */
  signals[SIGNAL_DROPPED] = attn_signal_new (klass, "dropped", 1, ATTN_TYPE_INPUT_ROW);

  gtk_widget_class_install_action (widget_class, "input.remove", NULL, command_action);
  gtk_widget_class_install_action (widget_class, "input.duplicate", NULL, command_action);
  gtk_widget_class_install_action (widget_class, "input.move-up", NULL, command_action);
  gtk_widget_class_install_action (widget_class, "input.move-down", NULL, command_action);
  gtk_widget_class_install_action (widget_class, "input.continue", NULL, command_action);
  gtk_widget_class_install_action (widget_class, "input.stop", NULL, command_action);
  gtk_widget_class_install_action (widget_class, "input.keep", NULL, command_action);
  gtk_widget_class_install_action (widget_class, "input.discard", NULL, command_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Up, GDK_ALT_MASK, "input.move-up",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Down, GDK_ALT_MASK,
                                       "input.move-down", NULL);

  g_type_ensure (ATTN_TYPE_INPUT_FILE);
  g_type_ensure (ATTN_TYPE_INPUT_WORDS);
  g_type_ensure (ATTN_TYPE_TOKEN_CHIPS);
  attn_template_set (widget_class, "input-row.ui");
  gtk_widget_class_set_css_name (widget_class, "inputrow");
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, handle);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, title);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, range);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, status);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, n_tokens);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, n_tokens_spin);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, menu);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, file);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, text);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, entry);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, chips);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, words);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, target_box);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, target);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, target_chips);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, use_all);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, above_tokens);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, source);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, answer);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, go_or_stop);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, go_on);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, stopping);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, spinner);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, keep);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, discard);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, answer_state);
  gtk_widget_class_bind_template_callback (widget_class, entry_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, insert_text_cb);
  gtk_widget_class_bind_template_callback (widget_class, key_pressed_cb);
  gtk_widget_class_bind_template_callback (widget_class, use_all_cb);
  gtk_widget_class_bind_template_callback (widget_class, mnemonic_cb);
  gtk_widget_class_bind_template_callback (widget_class, n_tokens_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, target_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, target_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, emit_changed);
}

/* Pastes from the clipboard: a picture becomes an input of its own, as the entry takes text
 * only. */
static void
paste_cb (AttnInputRow *self)
{
  GdkContentFormats *formats =
      gdk_clipboard_get_formats (gtk_widget_get_clipboard (GTK_WIDGET (self)));

  if (!gdk_content_formats_contain_gtype (formats, GDK_TYPE_TEXTURE) ||
      gdk_content_formats_contain_gtype (formats, G_TYPE_STRING))
    return;
  g_signal_stop_emission_by_name (self->entry, "paste-clipboard");
  gtk_widget_activate_action (GTK_WIDGET (self), "win.paste-picture", NULL);
}

static void show_status (AttnInputRow *self);

static void
attn_input_row_init (AttnInputRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  GtkAdjustment *adjustment =
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->text));

  attn_pressed_guard (GTK_WIDGET (self));
  g_signal_connect_swapped (self->file, "measured", G_CALLBACK (show_status), self);
  g_signal_connect_object (self->entry, "paste-clipboard", G_CALLBACK (paste_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (height_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (scrolled_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
set_label (gpointer    widget,
           const char *label)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
}

static char *
dup_title (AttnInputRow *self)
{
  guint number = self->index + 1;

  if (self->is_recorded)
    return g_strdup (_("Recorded tokens"));
  if (number < N_DIGITS)
    /* Translators: Alt and the number go to the input */
    return g_strdup_printf (_("Input _%u"), number);
  return g_strdup_printf (_("Input %u"), number);
}

static void
show_title (AttnInputRow *self)
{
  g_autofree char *title = dup_title (self);

  gtk_label_set_text_with_mnemonic (self->title, title);
  gtk_label_set_mnemonic_widget (self->title, self->is_recorded ? NULL : GTK_WIDGET (self->entry));
}

/* Shows the line of text above the tokens if it is not empty. */
static void
show_line_above_tokens (AttnInputRow *self)
{
  gtk_widget_set_visible (self->above_tokens, gtk_widget_get_visible (self->answer) ||
                                                  *gtk_label_get_label (self->source) != '\0');
}

/* Tells above the tokens which panel they take their colours from. */
static void
show_source_cb (gpointer user_data)
{
  AttnInputRow *self = user_data;
  g_autofree char *panel = NULL;
  g_autofree char *text = attn_sentence_dup_source (self->reading, self->index, &panel);

  self->telling = 0;
  if (g_strcmp0 (gtk_label_get_label (self->source), text != NULL ? text : "") == 0)
    return;
  gtk_label_set_label (self->source, text != NULL ? text : "");
  if (text != NULL)
    {
      g_autofree char *tip =
          g_strdup_printf (_("The tokens take the colours of the panel that was read last, %s. "
                             "A click in another one chooses that"),
                           panel);

      attn_tooltip_set (GTK_WIDGET (self->source), tip);
    }
  show_line_above_tokens (self);
}

/* Shows the line about the tokens' colours when a frame is drawn: the figure may be laid out within
 * a frame, when no other widget may change its size. */
static void
show_source_soon (AttnInputRow *self)
{
  if (self->telling == 0)
    self->telling = g_idle_add_once (show_source_cb, self);
}

/**
 * attn_input_row_new:
 * @index: index of the input, from 0; the number that the user sees is 1 more
 * @reading: (nullable): the figure, in which the tokens of the input are marked and chosen
 */
AttnInputRow *
attn_input_row_new (guint        index,
                    AttnReading *reading)
{
  AttnInputRow *self = g_object_new (ATTN_TYPE_INPUT_ROW, NULL);
  g_autofree char *menu = g_strdup_printf (_("Menu of input %u"), index + 1);
  g_autofree char *range = g_strdup_printf (_("Tokens of input %u that are used"), index + 1);
  g_autofree char *target = g_strdup_printf (_("Target of input %u"), index + 1);

  self->index = index;
  if (reading != NULL)
    {
      attn_token_chips_set_reading (self->chips, reading, index);
      attn_token_chips_set_reading (self->target_chips, reading, index);
      self->reading = reading;
      attn_sentence_watch (reading, G_CALLBACK (show_source_soon), self);
      show_source_soon (self);
    }
  show_title (self); /* the title names the entry for assistive technology, too */
  set_label (self->menu, menu);
  set_label (self->target, target);
  set_label (self->range, range);
  attn_input_words_set_index (self->words, index);
  set_label (self->n_tokens_spin, range);
  return self;
}

guint
attn_input_row_get_index (AttnInputRow *row)
{
  return row->index;
}

/* Returns the handle by which the pointer drags the row. */
GtkWidget *
attn_input_row_get_handle (AttnInputRow *row)
{
  return row->handle;
}

static char *
format_ids (const guint32 *ids,
            gsize          n_ids)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < n_ids; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? "," : "", ids[i]);
  return g_string_free (text, FALSE);
}

/* Returns the text of the ids of an input, which stays the same while ε moves. */
static const char *
get_ids_text (AttnInputRow    *self,
              const AttnInput *input)
{
  gsize n_bytes = input->n_ids * sizeof *input->ids;

  if (self->ids_text != NULL && self->n_ids == input->n_ids &&
      memcmp (self->ids, input->ids, n_bytes) == 0)
    return self->ids_text;
  g_free (self->ids);
  g_free (self->ids_text);
  self->ids = g_memdup2 (input->ids, n_bytes);
  self->n_ids = input->n_ids;
  self->ids_text = format_ids (input->ids, input->n_ids);
  return self->ids_text;
}

static void
show_status (AttnInputRow *self)
{
  g_autofree char *status = NULL;
  gsize n = self->n_known + self->n_cut;

  gtk_widget_set_visible (self->use_all,
                          self->n_cut > 0 && n <= self->n_most && !self->is_recorded);
  if (self->n_cut > 0)
    {
      g_autofree char *label = g_strdup_printf (_("Use All %zu Tokens"), n);

      gtk_button_set_label (GTK_BUTTON (self->use_all), label);
    }
  if (!self->is_used)
    status = g_strdup (_("not in this figure"));
  else if (attn_input_file_get_duration (self->file) > 0.0)
    /* Translators: how long a sound lasts, seconds */
    status = g_strdup_printf (_("%.1f s"), attn_input_file_get_duration (self->file));
  else if (self->n_known > 0 && self->n_cut > 0)
    /* Translators: only so many tokens from the beginning of a text are used; %zu are numbers, the
     * first of those that are used, the second of all */
    status = g_strdup_printf (_("first %zu of %zu tokens"), self->n_known, n);
  else if (self->n_known > 0 && self->n_said > 0)
    /* Translators: tokens of a text, and those that the model has said behind it */
    status = g_strdup_printf (_("%zu + %zu tokens"), self->n_known, self->n_said);
  else if (self->n_known > 0)
    status = g_strdup_printf (g_dngettext (NULL, "%zu token", "%zu tokens", self->n_known),
                              self->n_known);
  gtk_label_set_label (self->status, status != NULL ? status : self->are_awaited ? "…"
                                                                                 : "");
}

/* Shows the target of the input, the text that a decoder reads. If the source is token ids, since
 * the model has no tokenizer, a target that has not been typed yet is to be token ids, too. */
static void
show_target (AttnInputRow    *self,
             const AttnInput *input)
{
  g_autofree char *ids =
      input->target_ids != NULL ? format_ids (input->target_ids, input->n_target_ids) : NULL;
  const char *text = ids != NULL ? ids : input->target != NULL ? input->target
                                                               : "";

  self->has_target_ids = ids != NULL || (input->target == NULL && self->has_ids);
  GtkEditable *entry = GTK_EDITABLE (self->target);
  if (self->timeout == 0 && !g_str_equal (gtk_editable_get_text (entry), text))
    gtk_editable_set_text (entry, text);
}

/**
 * attn_input_row_set_input:
 * @input: the input to show
 * @n_inputs: number of inputs in the study
 * @is_used: whether the figure shows the input
 * @is_recorded: whether the tokens are those of a recording: the text and the number of tokens used
 *   cannot be edited
 *
 * If the entry has the same text already, or the user is typing in it, text and text cursor stay as
 * they are. Otherwise the cursor goes to the end of the part that has changed.
 */
void
attn_input_row_set_input (AttnInputRow    *row,
                          const AttnInput *input,
                          gsize            n_inputs,
                          gboolean         is_used,
                          gboolean         is_recorded)
{
  const char *ids = input->ids != NULL ? get_ids_text (row, input) : NULL;
  attn_input_file_set_input (row->file, input, row->index);
  gboolean is_alone = attn_input_file_is_alone (row->file);
  g_autofree char *path =
      is_alone ? g_filename_display_name (attn_input_file_get_path (row->file)) : NULL;
  const char *text = ids != NULL           ? ids
                     : path != NULL        ? path
                     : input->text != NULL ? input->text
                                           : "";
  g_autofree char *before = dup_text (row);

  row->is_used = is_used;
  if (row->is_recorded != is_recorded)
    {
      row->is_recorded = is_recorded;
      show_title (row);
    }
  gtk_widget_set_visible (row->text, !is_recorded);
  gtk_widget_set_visible (row->menu, !is_recorded);
  gtk_widget_set_can_target (GTK_WIDGET (row->range), !is_recorded);
  gtk_widget_set_can_focus (GTK_WIDGET (row->range), !is_recorded);
  gtk_widget_set_visible (row->handle, n_inputs > 1 && !is_recorded);
  gtk_widget_action_set_enabled (GTK_WIDGET (row), "input.remove", n_inputs > 1);
  gtk_widget_action_set_enabled (GTK_WIDGET (row), "input.move-up", row->index > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (row), "input.move-down", row->index + 1 < n_inputs);
  row->has_ids = ids != NULL;
  /* A picture or a sound alone is used with all its patches or frames, so that their number cannot
   * be set. The frames of a sound are too many to be shown as chips. */
  gtk_widget_set_visible (GTK_WIDGET (row->chips), !attn_input_is_sound (input));
  gtk_widget_set_sensitive (row->n_tokens_spin, !is_alone);
  row->is_syncing = TRUE;
  gtk_adjustment_set_value (row->n_tokens, input->n_tokens);
  if (row->timeout == 0 && !g_str_equal (before, text))
    attn_text_change_show (row->entry, before, text);
  show_target (row, input);
  row->is_syncing = FALSE;
  show_status (row);
}

/**
 * attn_input_row_set_names:
 * @input: the input given to attn_input_row_set_input()
 * @names: (nullable): the languages and tasks that the model knows
 *
 * Shows the language and the task of a sound.
 */
void
attn_input_row_set_names (AttnInputRow         *row,
                          const AttnInput      *input,
                          const AttnSoundNames *names)
{
  attn_input_words_set_input (row->words, input, row->is_recorded ? NULL : names);
}

/**
 * attn_input_row_set_tokens:
 * @tokens: (nullable): the tokens of the text, %NULL while they are not known
 * @words: (transfer full) (nullable): the words into which the figure joins @tokens
 * @n_most: the largest number of tokens that the model can read; the row does not offer to use more
 * @are_awaited: whether tokens that are not known will be: those of an earlier text then stay,
 *   faded, until the next call. A survey does not tell those of its sources of a patch
 */
void
attn_input_row_set_tokens (AttnInputRow *row,
                           AttnTokens   *tokens,
                           AttnWords    *words,
                           gsize         n_most,
                           gboolean      are_awaited)
{
  row->are_awaited = are_awaited;
  if (tokens == NULL && are_awaited)
    {
      gtk_widget_add_css_class (GTK_WIDGET (row), "outdated");
      return;
    }
  attn_token_chips_set_tokens (row->chips, tokens, words);
  row->n_known = tokens != NULL ? tokens->n_tokens : 0;
  row->n_cut = tokens != NULL ? tokens->n_cut : 0;
  row->n_most = n_most;
  gtk_widget_remove_css_class (GTK_WIDGET (row), "outdated");
  show_status (row);
}

/**
 * attn_input_row_set_target:
 * @has_target: whether the model has a decoder, which reads a second text, the target
 * @tokens: (nullable): the tokens of the target; %NULL if the figure has none, or while they are
 *   not known
 * @lines: whether the tokens of the text are rows or columns of the panels
 * @target_lines: whether the tokens of the target are rows or columns
 */
void
attn_input_row_set_target (AttnInputRow   *row,
                           gboolean        has_target,
                           AttnTokens     *tokens,
                           AttnTokenLines  lines,
                           AttnTokenLines  target_lines)
{
  gtk_widget_set_visible (row->target_box, has_target);
  gtk_widget_set_visible (GTK_WIDGET (row->target_chips), tokens != NULL);
  attn_token_chips_set_lines (row->chips, lines);
  attn_token_chips_set_lines (row->target_chips, target_lines);
  if (tokens != NULL)
    attn_token_chips_set_tokens (row->target_chips, tokens, NULL);
}

/* Returns a sentence about the end of the model's answer, such as why it ended, or %NULL. */
static const char *
describe_end (const AttnAddition *addition)
{
  if (addition->error != NULL)
    return addition->error;
  if (addition->is_running)
    return NULL;
  switch (addition->end)
    {
    case ATTN_ANSWER_END_TOKEN:
      return _("Here the model ends the text.");
    case ATTN_ANSWER_END_POSITIONS:
      return _("The model has no positions for more tokens.");
    case ATTN_ANSWER_END_LENGTH:
    case ATTN_ANSWER_END_STOPPED:
    default:
      return addition->answer != NULL ? _("Said by the model without any operation.") : NULL;
    }
}

/**
 * attn_input_row_set_addition:
 * @addition: (nullable): the answer that the model generates after the input
 * @can_continue: whether the model can generate text
 *
 * Shows the tokens of the answer behind those of attn_input_row_set_tokens() or
 * attn_input_row_set_target(), and buttons to stop, keep or discard it.
 */
void
attn_input_row_set_addition (AttnInputRow       *row,
                             const AttnAddition *addition,
                             gboolean            can_continue)
{
  gboolean is_running = addition != NULL && addition->is_running;
  gboolean has_answer = addition != NULL && addition->answer != NULL;
  AttnTokens *answer = has_answer ? addition->answer : NULL;
  const char *state = addition != NULL ? describe_end (addition) : NULL;
  gboolean is_target = has_answer && addition->is_target;
  gboolean goes_on = addition == NULL || addition->end != ATTN_ANSWER_END_POSITIONS;
  g_autofree char *sentence = NULL;

  attn_token_chips_set_answer (row->chips, is_target ? NULL : answer);
  attn_token_chips_set_answer (row->target_chips, is_target ? answer : NULL);
  row->n_said = has_answer && !is_target ? answer->n_tokens : 0;
  gtk_widget_set_visible (row->answer, can_continue || addition != NULL);
  show_line_above_tokens (row);
  gtk_widget_set_sensitive (row->go_on, goes_on);
  gtk_stack_set_visible_child (row->go_or_stop, is_running ? row->stopping : row->go_on);
  gtk_spinner_set_spinning (row->spinner, is_running);
  gtk_widget_set_visible (row->keep, has_answer);
  gtk_widget_set_visible (row->discard, has_answer);
  gtk_widget_set_visible (GTK_WIDGET (row->answer_state), state != NULL);
  if (state != NULL)
    sentence = attn_text_capitalise (state);
  gtk_label_set_label (row->answer_state, sentence != NULL ? sentence : "");
  show_status (row);
}

static gboolean
name_length (GValue   *text,
             GVariant *n_tokens,
             gpointer  format)
{
  g_value_take_string (text, g_strdup_printf (_(format), g_variant_get_int32 (n_tokens)));
  return TRUE;
}

/**
 * attn_input_row_bind_length:
 * @settings: settings whose "answer-tokens" is the largest number of tokens that the model
 *   generates
 *
 * Shows that number on the button that has the model continue the text. To be called once.
 */
void
attn_input_row_bind_length (AttnInputRow *row,
                            GSettings    *settings)
{
  /* Translators: a button: the model goes on with a text, by so many tokens */
  static const char label[] = N_("Continue +%d");
  static const char tooltip[] =
      N_("Let the model go on with the text, token by token, up to %d (Ctrl+Return). How many is "
          "in the preferences");

  g_settings_bind_with_mapping (settings, "answer-tokens", row->go_on, "label",
                                G_SETTINGS_BIND_GET, name_length, NULL, (gpointer) label, NULL);
  g_settings_bind_with_mapping (settings, "answer-tokens", row->go_on, "tooltip-text",
                                G_SETTINGS_BIND_GET, name_length, NULL, (gpointer) tooltip, NULL);
}

/**
 * attn_input_row_dup_input:
 *
 * Returns: (transfer full) (nullable): an input with the text, files and settings that the row
 *   shows; %NULL with @error set if a typed text is invalid
 */
AttnInput *
attn_input_row_dup_input (AttnInputRow  *row,
                          GError       **error)
{
  g_autofree char *text = dup_text (row);
  gsize n_tokens = gtk_adjustment_get_value (row->n_tokens);
  gboolean is_alone = attn_input_file_is_alone (row->file);
  AttnInput *input = row->has_ids ? attn_input_parse_ids (text, error)
                     : is_alone   ? attn_input_file_new_input (row->file, text)
                                  : attn_input_new_text (text, 0);

  if (input == NULL)
    return NULL;
  if (!is_alone)
    attn_input_file_add_to (row->file, input);
  attn_input_words_add_to (row->words, input);
  input->n_tokens = is_alone ? 0 : n_tokens;
  const char *target = gtk_editable_get_text (GTK_EDITABLE (row->target));
  if (*target == '\0')
    return input;
  if (!row->has_target_ids)
    {
      input->target = g_strdup (target);
      return input;
    }
  AttnInput *ids = attn_input_parse_ids (target, error);
  if (ids == NULL)
    {
      attn_input_free (input);
      return NULL;
    }
  input->target_ids = g_steal_pointer (&ids->ids);
  input->n_target_ids = ids->n_ids;
  attn_input_free (ids);
  return input;
}

/**
 * attn_input_row_take_focus:
 * @selects: whether all of the text is selected, so that typing replaces it; otherwise the text
 *   cursor goes to its end
 *
 * Moves the focus into the text and scrolls to the row.
 */
void
attn_input_row_take_focus (AttnInputRow *row,
                           gboolean      selects)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (row->entry);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_select_range (buffer, &end, selects ? &start : &end);
  gtk_widget_grab_focus (GTK_WIDGET (row->entry));
  attn_reveal (GTK_WIDGET (row));
}
