/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The readout, the text below the figure: the cell under the cursor, a note about the last action,
 * or a hint. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-task.h"
#include "attn-left-out.h"
#include "attn-readout.h"
#include "attn-sentence.h"
#include "attn-tooltip.h"

#define NOTE_SECONDS 8 /* time enough to read a note */

/* The characters of a copied line that a note shows: from its beginning, and before its end. */
#define COPIED_START 56
#define COPIED_END   24

/* The share of the window's width below which panels in one column count as small: side by side
 * they would be clearly larger. */
#define WIDE_SHARE 0.5

/* The height of a window in pixels below which the readout keeps fewer lines, to leave the figure
 * room. */
#define LOW_HEIGHT 720

/* The number of lines of a text in the readout that is not about a cell: in a window below
 * %LOW_HEIGHT, and in others. */
#define N_LINES_LOW 4
#define N_LINES     5

/* The number of lines that the readout keeps even if it is empty. */
#define N_LINES_KEPT 3

/* The largest number of lines of the measures of a panel in a window that is not low. */
#define N_LINES_PANEL 3

/**
 * attn_window_is_overview:
 *
 * Returns: whether the figure is an overview: a click on a cell opens the head that the cell stands
 *   for
 */
gboolean
attn_window_is_overview (AttnWindow *self)
{
  return attn_readout_opens_cells (attn_session_get_study (self->session));
}

/* Shows the readout. A text that is not about a cell may be wrapped to several lines, unless there
 * is a link beside it. A text without a cell is in the place of the numbers. */
static void
set_readout (AttnWindow *self,
             const char *cell,
             const char *value,
             const char *panel)
{
  gboolean is_note = *cell != '\0' && *value == '\0' &&
                     !gtk_widget_get_visible (GTK_WIDGET (self->note_link));
  gboolean is_said = *cell == '\0' && *value == '\0';

  gtk_label_set_label (self->readout_note, is_note ? cell : "");
  gtk_label_set_label (self->readout_cell, is_note ? "" : cell);
  gtk_label_set_label (self->readout_value, value);
  gtk_label_set_label (self->readout_said, is_said ? panel : "");
  gtk_label_set_label (self->readout_panel, is_said ? "" : panel);
  gtk_stack_set_visible_child (self->readout_lines,
                               is_said ? GTK_WIDGET (self->readout_said) : self->readout_numbers);
  gtk_stack_set_visible_child (self->readout_pages,
                               is_note ? GTK_WIDGET (self->readout_note) : self->readout_reading);
}

static gboolean
has_tool (AttnWindow *self)
{
  return attn_reading_get (self->reading).tool != ATTN_READING_TOOL_MOVE;
}

/* Returns a hint at what the pointer does in the figure, or what the chosen tool does. @lacks:
 * whether a text about what the figure has no room for follows */
static const char *
get_hint (AttnWindow *self,
          gboolean    lacks)
{
  AttnReadingTool tool = attn_reading_get (self->reading).tool;
  const char *hint = attn_study_get_traits (attn_session_get_study (self->session))->hint;

  if (tool == ATTN_READING_TOOL_REGION)
    return _("Drag over cells to draw a region, or press Return at two of its corners; "
             "Escape cancels");
  if (tool == ATTN_READING_TOOL_ZOOM)
    return _("Drag over the part to zoom into; Escape cancels");
  if (attn_reading_get (self->reading).grid == NULL)
    return "";
  if (hint != NULL)
    return _(hint);
  if (attn_window_is_overview (self))
    return _("Point at a head to see it large; click it to open it; scroll to zoom");
  return lacks ? _("Point at a cell or a token to read it")
               : _("Point at a cell or a token to read it; scroll to zoom, drag to move. "
                   "Ctrl+Shift+P finds any action, setting or head");
}

/* Tells whether there is a pill, a small button beside the first line: one tells which part of the
 * figure is shown, one that the baseline is, and one leads back to the head or figure before. */
static gboolean
has_pill (AttnWindow *self)
{
  return gtk_widget_get_visible (GTK_WIDGET (self->place_pill)) ||
         gtk_widget_get_visible (GTK_WIDGET (self->back_pill)) ||
         gtk_widget_get_visible (self->baseline_pill);
}

/* Shows a text that is not about a cell. If a round button takes the first line, the text stands
 * below. */
static void
say (AttnWindow *self,
     const char *text)
{
  set_readout (self, has_pill (self) ? "" : text, "", has_pill (self) ? text : "");
}

/* Returns a text that names the parts that the figure has no room for, NULL if there are none. */
static char *
describe_lack (AttnWindow *self)
{
  AttnReadingState state = attn_reading_get (self->reading);
  const AttnScene *scene = attn_reading_get_places (self->reading).scene;
  g_autofree char *left_out = NULL;

  if (scene != NULL && state.grid != NULL && !has_tool (self))
    left_out = attn_scene_list_left_out (scene, FALSE);
  if (left_out == NULL)
    return NULL;
  const AttnStudy *study = attn_session_get_study (self->session);
  /* In an overview a click opens a head, before there can be a second one. */
  gboolean has_others = attn_study_get_traits (study)->has_grid && state.views->maximized < 0 &&
                        scene->heatmaps->len > 1 && !attn_window_is_overview (self);
  return g_strdup_printf (has_others ? _("No room for: %s; a double click shows a panel alone")
                                     : _("No room for: %s"),
                          left_out);
}

/* Returns a text for panels that stand one below the other and share the height of a window in
 * which they would be larger side by side: what is chosen as rows, chosen as columns, does that.
 * %NULL for other figures. */
static char *
describe_column (AttnWindow *self)
{
  AttnReadingState state = attn_reading_get (self->reading);
  const AttnStudy *study = attn_session_get_study (self->session);
  const AttnScene *scene = attn_reading_get_places (self->reading).scene;

  if (scene == NULL || state.grid == NULL || has_tool (self) || state.views->maximized >= 0 ||
      !attn_study_get_traits (study)->has_grid || study->rows == ATTN_DIMENSION_NONE ||
      state.grid->n_columns > 1 || scene->heatmaps->len < 2)
    return NULL;
  const AttnMark *first = scene->heatmaps->pdata[0];
  if (first->rectangle.width * scene->heatmaps->len > WIDE_SHARE * scene->width)
    return NULL;
  AttnBinder *binder = attn_sidebar_get_binder (attn_window_get_sidebar (self));
  GtkDropDown *columns = attn_binder_find (binder, "columns");
  GtkStringList *words = GTK_STRING_LIST (gtk_drop_down_get_model (columns));
  /* Translators: %s is what differs from panel to panel, such as “Inputs”; “Columns” is the name of
   * a setting */
  return g_strdup_printf (_("The height limits these panels: side by side (Columns: %s) they are "
                            "larger"),
                          gtk_string_list_get_string (words, study->rows));
}

static int
measure_width (GtkWidget *widget)
{
  int natural;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return natural;
}

/* Returns the width of a line of the readout, in pixels. The figure above, as wide as the readout,
 * has its new size already when the readout still has the one before, or none. */
static int
get_line_width (AttnWindow *self)
{
  return gtk_widget_get_width (GTK_WIDGET (self->view)) -
         (measure_width (self->readout) - measure_width (GTK_WIDGET (self->readout_pages)));
}

/* Tells whether a text of the readout fits into a number of lines. */
static gboolean
has_lines_for (AttnWindow *self,
               const char *text,
               int         n_lines)
{
  int width = get_line_width (self);
  g_autoptr (PangoLayout) layout =
      gtk_widget_create_pango_layout (GTK_WIDGET (self->readout_note), text);

  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_width (layout, width > 0 ? width * PANGO_SCALE : -1);
  return pango_layout_get_line_count (layout) <= n_lines;
}

static gboolean
is_low (AttnWindow *self)
{
  return !gtk_label_get_wrap (self->readout_panel);
}

/* Returns the hint with a line of the keys of the strip and the text @more, if it is not %NULL,
 * below it; %NULL if there is no room for all of these, or the figure has no operation that the
 * keys can change. */
static char *
add_keys (AttnWindow *self,
          const char *more)
{
  const AttnStudy *study = attn_session_get_study (self->session);
  g_autofree char *text = g_strconcat (get_hint (self, FALSE), "\n",
                                       _("Keys: 1 2 3 operation · Q K V component alone · E ε · "
                                         "[ ] head · { } layer · B baseline while held"),
                                       more != NULL ? "\n" : NULL, more, NULL);
  gboolean has_keys = attn_reading_get (self->reading).grid != NULL && !has_tool (self) &&
                      attn_study_get_traits (study)->has_grid && attn_study_has_operation (study);
  gboolean has_room =
      !has_pill (self) && !is_low (self) && has_lines_for (self, text, N_LINES_KEPT);

  return has_keys && has_room ? g_steal_pointer (&text) : NULL;
}

/* Returns @said, or the hint if that is NULL, and below it, if there are lines for both, the names
 * of the parts that the figure has no room for, or how panels get more room; the keys of the strip
 * between them if there is a line for these, too. Without lines for both, only one of them: what is
 * said before the names, and these before the hint; so it is beside a pill. */
static char *
describe_figure (AttnWindow *self,
                 const char *said)
{
  g_autofree char *left_out = describe_lack (self);
  g_autofree char *lack = left_out != NULL || said != NULL ? g_steal_pointer (&left_out)
                                                           : describe_column (self);
  const char *first = said != NULL ? said : get_hint (self, lack != NULL);
  g_autofree char *both = lack != NULL ? g_strconcat (first, "\n", lack, NULL) : NULL;

  int n_lines = said != NULL    ? gtk_label_get_lines (self->readout_note)
                : is_low (self) ? N_LINES_LOW
                                : N_LINES;

  char *with_keys = said == NULL ? add_keys (self, lack) : NULL;
  if (with_keys != NULL)
    return with_keys;
  if (lack == NULL)
    return g_strdup (first);
  if (!has_pill (self) && has_lines_for (self, both, n_lines))
    return g_steal_pointer (&both);
  return said != NULL ? g_strdup (said) : g_steal_pointer (&lack);
}

/**
 * attn_window_sync_readout:
 *
 * Shows the readout of the cell under the pointer, and below it a note if there is one: when a
 * dialog closes and the note tells of its outcome, the pointer is often on the figure already.
 */
void
attn_window_sync_readout (AttnWindow *self)
{
  AttnGrid *grid = attn_reading_get (self->reading).grid;
  const AttnHit *hit = attn_reading_get (self->reading).hit;

  if (hit == NULL || grid == NULL)
    {
      g_autofree char *said =
          describe_figure (self, self->note != NULL ? self->note : self->chosen);

      say (self, said);
      return;
    }

  AttnResult *result = attn_session_get_result (self->session);
  g_autofree char *cell = attn_readout_describe_cell (grid, hit);
  g_autofree char *value = attn_readout_describe_value (grid, hit);
  const AttnPanelMeasures *measures =
      result != NULL && result->grid == grid ? &result->measures[hit->group] : NULL;
  /* Measures are computed from weights: below a panel of scores they would tell of numbers that are
   * not shown. */
  gboolean is_measured = measures != NULL && (!grid->cells[hit->group].lacks_distributions ||
                                              measures->is_unnormalised);
  g_autofree char *panel =
      is_measured
          ? attn_readout_describe_panel (measures, attn_grid_is_compared (grid, hit->group))
          : NULL;
  /* A token that is pointed at in its text has its own lines in the readout, about where it
   * attends; all other lines give way. */
  gboolean has_token = attn_reading_get (self->reading).token >= 0;
  g_autofree char *largest = has_token ? attn_sentence_list_largest (self->reading) : NULL;
  self->has_measures = largest == NULL && self->note == NULL && !has_tool (self) &&
                       self->chosen == NULL && panel != NULL;
  /* A token that is pointed at has its largest weight described, and its weight on itself last. */
  if (largest != NULL && hit->row == hit->column)
    {
      set_readout (self, cell, largest, value);
      return;
    }
  set_readout (self, cell, value,
               largest != NULL                    ? largest
               : self->note != NULL && !has_token ? self->note
               : has_tool (self)                  ? get_hint (self, FALSE)
               : self->chosen != NULL             ? self->chosen
               : panel != NULL                    ? panel
                                                  : "");
}

/**
 * attn_window_sync_hint:
 *
 * If the readout shows a hint, updates it after the figure has been laid out, as other parts may
 * have no room.
 */
void
attn_window_sync_hint (AttnWindow *self)
{
  if (gtk_stack_get_visible_child (self->readout_pages) == GTK_WIDGET (self->readout_note))
    attn_window_sync_readout (self);
}

/* Shows the sum of the chosen rows or columns. @profile: (nullable) (transfer full): profile with
 * the sum; %NULL if no rows or columns are chosen */
static void
show_chosen (gpointer owner,
             gpointer profile)
{
  AttnWindow *self = owner;
  AttnReadingState state = attn_reading_get (self->reading);

  g_free (self->chosen);
  self->chosen = profile != NULL
                     ? attn_readout_describe_selection (state.grid, state.selection, profile)
                     : NULL;
  g_clear_pointer ((AttnProfile **) &profile, attn_profile_free);
  attn_window_sync_readout (self);
}

/**
 * attn_window_sync_chosen:
 *
 * Tells the sum of the rows or columns that are chosen together; for a large panel once a thread
 * has computed it.
 */
void
attn_window_sync_chosen (AttnWindow *self)
{
  static const AttnTaskKind task_kind = {
    .run = attn_profile_run,
    .deliver = show_chosen,
    .free = (GDestroyNotify) attn_profile_free,
  };
  AttnReadingState state = attn_reading_get (self->reading);
  AttnProfile *profile = attn_readout_new_profile (state.grid, state.selection);

  attn_task_give_up (&self->summing);
  if (profile != NULL)
    attn_task_start (&task_kind, self, profile, attn_profile_takes_long (profile), &self->summing);
  else if (self->chosen != NULL)
    show_chosen (self, NULL);
}

static void
forget_note (AttnWindow *self)
{
  attn_tooltip_set (self->readout, NULL);
  g_clear_handle_id (&self->note_timeout, g_source_remove);
  g_clear_pointer (&self->note, g_free);
  gtk_widget_hide (GTK_WIDGET (self->note_link));
}

/**
 * attn_window_show_hint:
 *
 * Says what the chosen tool does: in place of the readout until a cell is pointed at, then below
 * the readout as long as the tool is chosen. Without a tool, shows the readout.
 */
void
attn_window_show_hint (AttnWindow *self)
{
  if (!has_tool (self))
    {
      attn_window_sync_readout (self);
      return;
    }
  forget_note (self);
  g_autofree char *figure = describe_figure (self, NULL);

  say (self, figure);
}

static gboolean
note_is_old_cb (gpointer user_data)
{
  AttnWindow *self = user_data;

  self->note_timeout = 0;
  forget_note (self);
  if (attn_reading_get (self->reading).hit != NULL || has_tool (self))
    attn_window_sync_readout (self);
  return G_SOURCE_REMOVE;
}

/**
 * attn_window_show_note:
 * @note: plain text
 *
 * Shows a note about what was done in place of the readout until a cell is pointed at, then below
 * it, until %NOTE_SECONDS have passed.
 */
void
attn_window_show_note (AttnWindow *self,
                       const char *note)
{
  g_free (self->note);
  self->note = g_strdup (note);
  attn_tooltip_set (self->readout, NULL);
  g_clear_pointer (&self->note_study, attn_study_unref);
  g_clear_handle_id (&self->note_timeout, g_source_remove);
  self->note_timeout = g_timeout_add_seconds (NOTE_SECONDS, note_is_old_cb, self);
  gtk_widget_hide (GTK_WIDGET (self->note_link));
  g_autofree char *said =
      attn_reading_get (self->reading).hit == NULL ? describe_figure (self, note) : g_strdup (note);
  say (self, said);
}

/**
 * attn_window_show_copied:
 * @what: plain text: what was copied
 * @line: the text that was copied, one line
 *
 * Shows a note as attn_window_show_note() with the copied line: its beginning and its end if it is
 * long. The tooltip has all of it.
 */
void
attn_window_show_copied (AttnWindow *self,
                         const char *what,
                         const char *line)
{
  glong n = g_utf8_strlen (line, -1);
  g_autofree char *start = g_utf8_substring (line, 0, MIN (n, COPIED_START));
  g_autofree char *end = g_utf8_substring (line, MAX (n - COPIED_END, 0), n);
  g_autofree char *note = n > COPIED_START + COPIED_END
                              ? g_strdup_printf ("%s: %s … %s", what, start, end)
                              : g_strdup_printf ("%s: %s", what, line);

  attn_window_show_note (self, note);
  attn_tooltip_set (self->readout, line);
}

/**
 * attn_window_show_figure_note:
 * @note: plain text
 *
 * Shows a note as attn_window_show_note(), which speaks of what is shown, such as a head, or of
 * what undo does: it goes with the next change of the study.
 */
void
attn_window_show_figure_note (AttnWindow *self,
                              const char *note)
{
  attn_window_show_note (self, note);
  self->note_study = attn_study_ref (attn_session_get_study (self->session));
}

/**
 * attn_window_sync_note:
 *
 * Removes a note that speaks of what is no longer shown.
 */
void
attn_window_sync_note (AttnWindow *self)
{
  if (self->note_study == NULL ||
      attn_study_equal (self->note_study, attn_session_get_study (self->session)))
    return;
  g_clear_pointer (&self->note_study, attn_study_unref);
  forget_note (self);
  attn_window_sync_readout (self);
}

/**
 * attn_window_show_file_note:
 * @path: path of a file that was written
 *
 * Shows a note as attn_window_show_note(), with a link to the folder of the file.
 */
void
attn_window_show_file_note (AttnWindow *self,
                            const char *note,
                            const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *uri = g_filename_to_uri (directory, NULL, NULL);

  attn_window_show_note (self, note);
  if (uri == NULL)
    return;
  g_autofree char *link =
      g_markup_printf_escaped ("<a href=\"%s\">%s</a>", uri, _("Open Folder"));
  gtk_label_set_markup (self->note_link, link);
  gtk_widget_show (GTK_WIDGET (self->note_link));
  set_readout (self, note, "", "");
}

/* Tells in a tooltip the whole last line of the readout, if it is cut, and explains the measures in
 * that line. */
static gboolean
explain_panel_cb (AttnWindow *self,
                  int         x,
                  int         y,
                  gboolean    is_by_keyboard,
                  GtkTooltip *tooltip)
{
  gboolean is_cut = pango_layout_is_ellipsized (gtk_label_get_layout (self->readout_panel));
  const char *whole = is_cut ? gtk_label_get_label (self->readout_panel) : "";
  const char *measures =
      self->has_measures
          ? _("Sink score: mean weight on the first key. Entropy: bits a row is spread over. "
              "Difference, total variation: distance from the baseline")
          : "";
  g_autofree char *text =
      g_strconcat (whole, *whole != '\0' && *measures != '\0' ? "\n" : "", measures, NULL);

  gtk_tooltip_set_text (tooltip, text);
  return *text != '\0';
}

/**
 * attn_window_keep_readout_place:
 *
 * Reserves room for the widest readout, so that nothing in the window shifts when its text changes.
 */
void
attn_window_keep_readout_place (AttnWindow *self)
{
  g_autofree char *value = attn_readout_dup_widest_value ();
  g_autofree char *panel = attn_readout_dup_widest_panel ();

  gtk_label_set_label (self->widest_value, value);
  gtk_label_set_label (self->widest_panel, panel);
  g_signal_connect_object (self->panel_lines, "query-tooltip", G_CALLBACK (explain_panel_cb), self,
                           G_CONNECT_SWAPPED);
}

/**
 * attn_window_adapt_readout:
 * @height: of the window, pixels
 *
 * In a low window the measures of a panel have one line, the whole text in its tooltip, and the
 * figure has the room of the others.
 */
void
attn_window_adapt_readout (AttnWindow *self,
                           int         height)
{
  gboolean wraps = height >= LOW_HEIGHT;

  if (gtk_label_get_wrap (self->readout_panel) == wraps)
    return;
  gtk_label_set_wrap (self->readout_panel, wraps);
  /* A label that ellipsizes wraps to its number of lines even if it is not to wrap. */
  gtk_label_set_lines (self->readout_panel, wraps ? N_LINES_PANEL : 1);
  gtk_label_set_wrap (self->widest_panel, wraps);
  gtk_label_set_ellipsize (self->widest_panel, wraps ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
}
