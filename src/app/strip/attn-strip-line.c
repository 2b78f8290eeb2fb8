/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-strip-line.h"

#include <glib/gi18n.h>

#include "attn-pressed.h"
#include "attn-tooltip.h"

/* The space between two groups of controls on the line, pixels. */
#define GAP 6

/* The milliseconds after which the strip looks again whether a button of the pointer is still
 * held. */
#define PATIENCE 50

/* Steps in which the first line of the strip becomes narrower. Each step makes some controls
 * smaller, and includes all steps before. */
typedef enum
{
  YIELD_NOTHING,
  YIELD_LABELS,     /* the buttons for the baseline's column and for the head map show an icon
                     * alone */
  YIELD_NAMES,      /* the labels "Layer" and "Head" become "L" and "H" */
  YIELD_REACH,      /* the button of the menu shows "Where" alone; site and scope are in its
                     * tooltip */
  YIELD_COMPONENTS, /* the words Query, Key and Value become Q, K and V */
  YIELD_OPERATIONS, /* a single button, with the chosen operation, replaces a button for each
                     * operation */
  YIELD_ARROWS,     /* no arrows to the next layer and head, which lists and keys reach as well.
                     * From here on the word of the menu shows only where it has room, else dots */
  YIELD_COLUMN,     /* the button for the baseline's column goes into the menu */
  YIELD_MAP,        /* the button of the head map goes into the menu; groups stand closer */
  YIELD_SYMBOL,     /* the button of the operation shows a sign; the operation's name is a
                     * tooltip */
  YIELD_OPERATION,  /* the choice of the operation goes into the menu */
  YIELD_BASELINE,   /* the baseline goes into the menu */
  YIELD_SHOWN,      /* layer and head go into the menu */
  N_YIELDS
} Yield;

enum
{
  OPERATION_GROUP,
  COMPONENT_GROUP,
  SHOWN_GROUP,
  BASELINE_GROUP,
  N_GROUPS,
  COLUMN = N_GROUPS,
  REACH,
  REACH_LABEL,
  REACH_WORD,
  REACH_ICON,
  MENU_BOX,
  OPERATION_MENU,
  MORE_OPERATIONS,
  MORE_OPERATIONS_LABEL,
  MEAN,
  SCALE,
  ZERO,
  PATCH,
  CUT,
  QUERY,
  KEY,
  VALUE,
  LAYER_NAME,
  LAYER_INITIAL,
  LAYER_PREVIOUS,
  LAYER_NEXT,
  HEAD_NAME,
  HEAD_INITIAL,
  HEAD_PREVIOUS,
  HEAD_NEXT,
  HEAD_BOX,
  HEAD_MAP,
  N_PARTS
};

/* Ids of the parts, the widgets of the line that change with its width, in strip.ui */
static const char * const part_names[N_PARTS] = {
  [OPERATION_GROUP] = "operation_group",
  [COMPONENT_GROUP] = "component_group",
  [SHOWN_GROUP] = "shown_group",
  [BASELINE_GROUP] = "baseline_group",
  [COLUMN] = "baseline-column",
  [REACH] = "reach",
  [REACH_LABEL] = "reach_label",
  [REACH_WORD] = "reach_word",
  [REACH_ICON] = "reach_icon",
  [MENU_BOX] = "menu_box",
  [OPERATION_MENU] = "operation_menu",
  [MORE_OPERATIONS] = "more_operations",
  [MORE_OPERATIONS_LABEL] = "more_operations_label",
  [MEAN] = "operation:mean",
  [SCALE] = "operation:scale",
  [ZERO] = "operation:zero",
  [PATCH] = "operation:patch",
  [CUT] = "operation:cut",
  [QUERY] = "components:query",
  [KEY] = "components:key",
  [VALUE] = "components:value",
  [LAYER_NAME] = "layer_name",
  [LAYER_INITIAL] = "layer_initial",
  [LAYER_PREVIOUS] = "layer_previous",
  [LAYER_NEXT] = "layer_next",
  [HEAD_NAME] = "head_name",
  [HEAD_INITIAL] = "head_initial",
  [HEAD_PREVIOUS] = "head_previous",
  [HEAD_NEXT] = "head_next",
  [HEAD_BOX] = "head_box",
  [HEAD_MAP] = "head_map",
};

/* The step of becoming narrower at which each group of controls goes into the menu. The group of
 * the components never does. */
static const Yield leaves[N_GROUPS] = {
  [OPERATION_GROUP] = YIELD_OPERATION,
  [COMPONENT_GROUP] = N_YIELDS,
  [SHOWN_GROUP] = YIELD_SHOWN,
  [BASELINE_GROUP] = YIELD_BASELINE,
};

struct AttnStripLine
{
  GtkWidget *strip;          /* not owned */
  GtkWidget *parts[N_PARTS]; /* widgets of the strip's template */
  const char *words[3];      /* translated names of the components Query, Key and Value */
  char *usual_reach[2];      /* usual texts of the menu's button, for which the line keeps room */
  AttnOperation operation;
  Yield yield;
  int widths[N_YIELDS]; /* last known width of the line after each step of becoming narrower,
                         * pixels */
  int width;            /* the width that the line may have, pixels */
  guint settle;         /* id of the source that makes the line narrower or wider; a timeout while a
                         * button is held */
  gboolean is_let_go;   /* whether no button of the pointer was held at the last look, even if GTK
                         * does not know yet */
};

/* --- Steps in which the line becomes narrower ------------------------------------------------- */

static gboolean
is_folded (const AttnStripLine *self)
{
  return self->yield >= YIELD_OPERATIONS && self->yield < YIELD_OPERATION;
}

static int
measure_text (GtkWidget  *label,
              const char *text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (label, text);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

static const struct
{
  int button;
  const char *symbol;
} operations[] = {
  [ATTN_OPERATION_MEAN] = { MEAN, "μ" },
  [ATTN_OPERATION_SCALE] = { SCALE, "× ε" },
  [ATTN_OPERATION_ZERO] = { ZERO, "× 0" },
  [ATTN_OPERATION_PATCH] = { PATCH, "⇄" },
  [ATTN_OPERATION_CUT] = { CUT, "⊘" },
};

static const char *
get_operation_name (AttnStripLine *self,
                    guint          operation)
{
  return gtk_button_get_label (GTK_BUTTON (self->parts[operations[operation].button]));
}

static const char *
get_operation_text (AttnStripLine *self,
                    guint          operation)
{
  return is_folded (self) && self->yield >= YIELD_SYMBOL ? operations[operation].symbol
                                                         : get_operation_name (self, operation);
}

/* Shows the name of the chosen operation on the menu button of the operations if its own button is
 * not on the line. If that button stands for all operations, it has room for each of the usual
 * names, so that nothing moves when another is chosen. */
static void
sync_operation (AttnStripLine *self)
{
  GtkWidget *more = self->parts[MORE_OPERATIONS];
  GtkWidget *label = self->parts[MORE_OPERATIONS_LABEL];
  gboolean is_behind = self->operation >= ATTN_OPERATION_PATCH;
  const char *chosen = get_operation_name (self, self->operation);
  int widest = -1;

  for (guint i = 0; is_folded (self) && i <= ATTN_OPERATION_ZERO; i++)
    widest = MAX (widest, measure_text (label, get_operation_text (self, i)));
  gtk_widget_set_size_request (label, widest, -1);
  /* Translators: the name of the operation that is chosen */
  g_autofree char *name = is_folded (self) ? g_strdup_printf (_("Operation: %s"), chosen)
                                           : g_strdup (_("More operations"));

  gtk_label_set_label (GTK_LABEL (label), get_operation_text (self, self->operation));
  gtk_widget_set_visible (label, is_behind || is_folded (self));
  if (is_behind && !is_folded (self))
    gtk_widget_add_css_class (more, "chosen");
  else
    gtk_widget_remove_css_class (more, "chosen");
  attn_tooltip_set (more, is_folded (self) ? name : _("More operations: patch, cut"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (more), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* Moves @widget into @parent, behind @sibling or, if that is %NULL, as the first child. */
static void
move (GtkWidget *widget,
      GtkWidget *parent,
      GtkWidget *sibling)
{
  if (gtk_widget_get_parent (widget) == parent)
    return;
  g_object_ref (widget);
  gtk_widget_unparent (widget);
  gtk_widget_insert_after (widget, parent, sibling);
  gtk_widget_set_child_visible (widget, TRUE);
  g_object_unref (widget);
}

static void
fold_operations (AttnStripLine *self)
{
  GtkWidget *parent = self->parts[is_folded (self) ? OPERATION_MENU : OPERATION_GROUP];
  GtkWidget *last = NULL;

  for (int i = MEAN; i <= ZERO; i++)
    {
      move (self->parts[i], parent, last);
      if (is_folded (self))
        gtk_widget_add_css_class (self->parts[i], "flat");
      else
        gtk_widget_remove_css_class (self->parts[i], "flat");
      last = self->parts[i];
    }
  sync_operation (self);
}

/* Moves a button of the line into the menu, where it has a label with its words, or back to the end
 * of its group, where it has one word if there is room, else an icon. */
static void
move_button (AttnStripLine *self,
             int            button,
             int            group,
             Yield          first,
             Yield          end,
             const char    *icon,
             const char    *word,
             const char    *words)
{
  GtkWidget *widget = self->parts[button];
  gboolean is_in_menu = self->yield >= first && self->yield < end;
  gboolean has_word = self->yield < YIELD_LABELS;
  GtkWidget *parent = self->parts[is_in_menu ? MENU_BOX : group];
  const char *look = is_in_menu ? "menu" : has_word ? "word"
                                                    : "icon";

  if (g_strcmp0 (g_object_get_data (G_OBJECT (widget), "look"), look) == 0 &&
      gtk_widget_get_parent (widget) == parent)
    return;
  g_object_set_data (G_OBJECT (widget), "look", (gpointer) look);
  if (gtk_widget_get_parent (widget) != parent)
    move (widget, parent, is_in_menu ? NULL : gtk_widget_get_last_child (parent));
  gtk_widget_set_halign (widget, is_in_menu ? GTK_ALIGN_START : GTK_ALIGN_FILL);
  if (is_in_menu)
    gtk_button_set_label (GTK_BUTTON (widget), words);
  else if (has_word)
    gtk_button_set_label (GTK_BUTTON (widget), word);
  else
    gtk_button_set_icon_name (GTK_BUTTON (widget), icon);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                  -1);
}

/* Sets the space between the controls within each group. */
static void
space_groups (AttnStripLine *self)
{
  gboolean is_close = self->yield >= YIELD_MAP;

  gtk_box_set_spacing (GTK_BOX (self->parts[COMPONENT_GROUP]), is_close ? 6 : 8);
  gtk_widget_set_margin_end (self->parts[COMPONENT_GROUP], is_close ? 2 : 4);
  gtk_box_set_spacing (GTK_BOX (self->parts[SHOWN_GROUP]), is_close ? 6 : 9);
}

/* Moves each group into the line or into the menu, in their order in the strip, which Tab
 * follows. */
static void
move_groups (AttnStripLine *self)
{
  GtkWidget *last[2] = { NULL, NULL };

  for (int i = 0; i < N_GROUPS; i++)
    {
      gboolean is_in_menu = self->yield >= leaves[i];

      move (self->parts[i], is_in_menu ? self->parts[MENU_BOX] : self->strip, last[is_in_menu]);
      gtk_widget_set_halign (self->parts[i], is_in_menu ? GTK_ALIGN_START : GTK_ALIGN_FILL);
      last[is_in_menu] = self->parts[i];
    }
}

static void
show_letters (AttnStripLine *self)
{
  static const char * const letters[] = { "Q", "K", "V" };

  for (int i = 0; i < 3; i++)
    {
      GtkWidget *button = self->parts[QUERY + i];

      gtk_check_button_set_label (GTK_CHECK_BUTTON (button), self->yield >= YIELD_COMPONENTS
                                                                 ? letters[i]
                                                                 : self->words[i]);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      g_object_get_data (G_OBJECT (button), "name"), -1);
    }
}

/* Tells whether the button of the menu shows a word at the present step, however much room there
 * is. */
static gboolean
has_word (const AttnStripLine *self)
{
  return self->yield >= YIELD_REACH && self->yield < YIELD_ARROWS;
}

/* Shows the word of the menu's button. Without the word it shows dots, as an arrow alone would not
 * look like a menu. */
static void
show_word (AttnStripLine *self,
           gboolean       is_shown)
{
  gboolean has_words = is_shown || self->yield < YIELD_REACH;

  gtk_widget_set_visible (self->parts[REACH_WORD], is_shown);
  gtk_image_set_from_icon_name (GTK_IMAGE (self->parts[REACH_ICON]),
                                has_words ? "pan-down-symbolic" : "view-more-symbolic");
}

static void
apply (AttnStripLine *self,
       Yield          yield)
{
  gboolean has_initials = yield >= YIELD_NAMES && yield < YIELD_SHOWN;
  gboolean has_arrows = yield < YIELD_ARROWS || yield >= YIELD_SHOWN;

  self->yield = yield;
  gtk_widget_set_visible (self->parts[LAYER_NAME], !has_initials);
  gtk_widget_set_visible (self->parts[LAYER_INITIAL], has_initials);
  gtk_widget_set_visible (self->parts[HEAD_NAME], !has_initials);
  gtk_widget_set_visible (self->parts[HEAD_INITIAL], has_initials);
  gtk_widget_set_visible (self->parts[REACH_LABEL], yield < YIELD_REACH);
  show_word (self, has_word (self));
  gtk_widget_set_visible (self->parts[LAYER_PREVIOUS], has_arrows);
  gtk_widget_set_visible (self->parts[LAYER_NEXT], has_arrows);
  gtk_widget_set_visible (self->parts[HEAD_PREVIOUS], has_arrows);
  gtk_widget_set_visible (self->parts[HEAD_NEXT], has_arrows);
  show_letters (self);
  fold_operations (self);
  move_button (self, COLUMN, BASELINE_GROUP, YIELD_COLUMN, YIELD_BASELINE, "view-dual-symbolic",
               /* Translators: on a button behind “Baseline”: as a column beside the others */
               _("Beside"), _("Baseline as a column"));
  move_button (self, HEAD_MAP, HEAD_BOX, YIELD_MAP, YIELD_SHOWN, "view-grid-symbolic",
               /* Translators: a map of the heads */
               _("Map"), _("Map of the heads"));
  space_groups (self);
  move_groups (self);
}

/* --- Room on the line ------------------------------------------------------------------------- */

static int
measure_natural (GtkWidget      *widget,
                 GtkOrientation  orientation)
{
  int natural;

  gtk_widget_measure (widget, orientation, -1, NULL, &natural, NULL, NULL);
  return natural;
}

/* Returns the width of the menu's button in pixels, with its words cut to the shortest allowed. */
static int
measure_least_reach (AttnStripLine *self)
{
  int least;

  gtk_widget_measure (self->parts[REACH], GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL,
                      NULL);
  return least;
}

static int
get_spacing (GtkWidget *label)
{
  return gtk_box_get_spacing (GTK_BOX (gtk_widget_get_parent (label)));
}

/* Returns the width of the menu's button in pixels, without its words. */
static int
measure_bare_reach (AttnStripLine *self)
{
  int width = measure_least_reach (self);

  for (int i = REACH_LABEL; i <= REACH_WORD; i++)
    {
      GtkWidget *label = self->parts[i];
      int words;

      if (!gtk_widget_get_visible (label))
        continue;
      gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, &words, NULL, NULL, NULL);
      width -= words + get_spacing (label);
    }
  return width;
}

/* Returns the width of the word of the menu's button, in pixels, even if the word is hidden. */
static int
measure_word (AttnStripLine *self)
{
  GtkWidget *label = self->parts[REACH_WORD];

  return measure_text (label, gtk_label_get_label (GTK_LABEL (label))) + get_spacing (label);
}

/* Returns the width in pixels that is kept for the words of the menu's button. Longer words end in
 * an ellipsis, so that nothing moves when they change. */
static int
measure_words (AttnStripLine *self)
{
  GtkWidget *label = self->parts[REACH_LABEL];
  int widest = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (self->usual_reach); i++)
    widest = MAX (widest, measure_text (label, self->usual_reach[i]));
  return widest + get_spacing (label);
}

/* Returns the width in pixels that the line of controls needs at the present step of becoming
 * narrower. */
static int
measure_line (AttnStripLine *self)
{
  int width = measure_bare_reach (self);

  if (self->yield < YIELD_REACH)
    width += measure_words (self);
  else if (has_word (self))
    width += measure_word (self);
  for (int i = 0; i < N_GROUPS; i++)
    if (self->yield < leaves[i])
      width += measure_natural (self->parts[i], GTK_ORIENTATION_HORIZONTAL) + GAP;
  return width;
}

/* Tells whether the line of controls, now @line pixels wide, would fit with one step less of
 * becoming narrower, by its width at that step. */
static gboolean
may_take_back (AttnStripLine *self,
               int            line)
{
  int change = line - self->widths[self->yield];

  return self->yield > YIELD_NOTHING && self->widths[self->yield - 1] + change <= self->width;
}

static gboolean
must_yield (AttnStripLine *self,
            int            line)
{
  return self->yield + 1 < N_YIELDS && line > self->width;
}

/* Tells whether the word of the menu's button, which from %YIELD_ARROWS on is shown only if there
 * is room, has to be shown or hidden. @line: the width of the line without the word, pixels */
static gboolean
must_change_word (AttnStripLine *self,
                  int            line)
{
  return self->yield >= YIELD_ARROWS &&
         (line + measure_word (self) <= self->width) !=
             gtk_widget_get_visible (self->parts[REACH_WORD]);
}

static gboolean
settle_cb (gpointer user_data)
{
  AttnStripLine *self = user_data;
  gboolean is_held = attn_pressed_is_held (self->strip);

  self->settle = 0;
  if (is_held || (attn_pressed_is_active (self->strip) && !self->is_let_go))
    {
      self->is_let_go = !is_held;
      self->settle = g_timeout_add_full (G_PRIORITY_HIGH_IDLE, PATIENCE, settle_cb, self, NULL);
      return G_SOURCE_REMOVE;
    }
  self->is_let_go = FALSE;
  self->widths[self->yield] = measure_line (self);
  while (must_yield (self, self->widths[self->yield]))
    {
      apply (self, self->yield + 1);
      self->widths[self->yield] = measure_line (self);
    }
  while (may_take_back (self, self->widths[self->yield]))
    {
      apply (self, self->yield - 1);
      self->widths[self->yield] = measure_line (self);
      if (self->widths[self->yield] <= self->width)
        continue;
      apply (self, self->yield + 1);
      break;
    }
  if (must_change_word (self, self->widths[self->yield]))
    show_word (self, !gtk_widget_get_visible (self->parts[REACH_WORD]));
  return G_SOURCE_REMOVE;
}

/* --- Public functions of the line ------------------------------------------------------------- */

/**
 * attn_strip_line_bind:
 *
 * Binds the widgets of the line in the template of the strip. To be called by its class_init.
 */
void
attn_strip_line_bind (GtkWidgetClass *strip_class)
{
  for (int i = 0; i < N_PARTS; i++)
    gtk_widget_class_bind_template_child_full (strip_class, part_names[i], FALSE, 0);
}

/* Moves the focus to the chosen operation when the list of operations opens. */
static void
operations_opened_cb (AttnStripLine *self)
{
  GtkWidget *chosen = self->parts[operations[self->operation].button];

  if (gtk_widget_is_ancestor (chosen, self->parts[OPERATION_MENU]))
    gtk_widget_grab_focus (chosen);
}

/**
 * attn_strip_line_new:
 * @strip: the strip, with its template; it lives longer than the line
 */
AttnStripLine *
attn_strip_line_new (GtkWidget *strip)
{
  static const char * const names[] = { N_("Query"), N_("Key"), N_("Value") };
  static const char * const words[] = { N_("_Query"), N_("_Key"), N_("_Value") };
  static const char * const places[] = { N_("Projection"), N_("all layers") };
  AttnStripLine *line = g_new0 (AttnStripLine, 1);

  line->strip = strip;
  for (int i = 0; i < N_PARTS; i++)
    line->parts[i] = GTK_WIDGET (
        gtk_widget_get_template_child (strip, G_OBJECT_TYPE (strip), part_names[i]));
  for (int i = 0; i < 3; i++)
    {
      line->words[i] = _(words[i]);
      g_object_set_data (G_OBJECT (line->parts[QUERY + i]), "name", _(names[i]));
    }
  g_object_set_data (G_OBJECT (line->parts[COLUMN]), "name", _("Baseline as a column"));
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    line->usual_reach[i] = g_strdup_printf (_("Where: %s"), _(places[i]));
  g_signal_connect_object (line->parts[HEAD_MAP], "clicked", G_CALLBACK (gtk_menu_button_popdown),
                           line->parts[REACH], G_CONNECT_SWAPPED);
  for (int i = MEAN; i <= CUT; i++)
    g_signal_connect_object (line->parts[i], "clicked", G_CALLBACK (gtk_menu_button_popdown),
                             line->parts[MORE_OPERATIONS], G_CONNECT_SWAPPED);
  apply (line, YIELD_NOTHING);
  g_signal_connect_swapped (line->parts[OPERATION_MENU], "map", G_CALLBACK (operations_opened_cb),
                            line);
  return line;
}

void
attn_strip_line_free (AttnStripLine *line)
{
  g_clear_handle_id (&line->settle, g_source_remove);
  for (gsize i = 0; i < G_N_ELEMENTS (line->usual_reach); i++)
    g_free (line->usual_reach[i]);
  g_free (line);
}

/**
 * attn_strip_line_measure_width:
 * @natural: (out): the width at which nothing has to yield, as far as it is known
 *
 * Returns: the least width of the line, pixels
 */
int
attn_strip_line_measure_width (AttnStripLine *line,
                               int           *natural)
{
  int line_width = measure_line (line);

  *natural = MAX (line_width, line->widths[YIELD_NOTHING]);
  return measure_bare_reach (line) +
         measure_natural (line->parts[COMPONENT_GROUP], GTK_ORIENTATION_HORIZONTAL) + GAP;
}

/**
 * attn_strip_line_measure_height:
 *
 * Returns: the height of the line in pixels, which is the same at all steps
 */
int
attn_strip_line_measure_height (AttnStripLine *line)
{
  int height = measure_natural (line->parts[REACH], GTK_ORIENTATION_VERTICAL);

  for (int i = 0; i < N_GROUPS; i++)
    height = MAX (height, measure_natural (line->parts[i], GTK_ORIENTATION_VERTICAL));
  return height;
}

static void
allocate (AttnStripLine *self,
          GtkWidget     *widget,
          int            x,
          int            width,
          int            height)
{
  if (gtk_widget_get_direction (self->strip) == GTK_TEXT_DIR_RTL)
    x = self->width - x - width;
  gtk_widget_size_allocate (widget, &(GtkAllocation) { x, 0, width, height }, -1);
}

/**
 * attn_strip_line_allocate:
 * @width: of the strip, pixels
 *
 * Places the controls of the line at the top of the strip. If the line has to take another step, it
 * does so before the next frame; until then a control that has no room is not shown. While a button
 * of the pointer is held on the strip, no step is taken, and the control under it is shown in any
 * case.
 */
void
attn_strip_line_allocate (AttnStripLine *line,
                          int            width)
{
  int height = attn_strip_line_measure_height (line);
  int end = measure_least_reach (line);
  int whole = measure_line (line);
  int x = 0;

  line->width = width;
  if (line->settle == 0 && (must_yield (line, whole) || may_take_back (line, whole) ||
                            must_change_word (line, whole)))
    line->settle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, settle_cb, line, NULL);
  for (int i = 0; i < N_GROUPS; i++)
    {
      GtkWidget *group = line->parts[i];

      if (gtk_widget_get_parent (group) != line->strip)
        continue;
      int wanted = measure_natural (group, GTK_ORIENTATION_HORIZONTAL);
      gtk_widget_set_child_visible (group, x + wanted + GAP + end <= width ||
                                               attn_pressed_is_active (group));
      if (!gtk_widget_get_child_visible (group))
        continue;
      allocate (line, group, x, wanted, height);
      x += wanted + GAP;
    }
  int rest = MIN (measure_natural (line->parts[REACH], GTK_ORIENTATION_HORIZONTAL), width - x);
  end = MAX (end, rest);
  allocate (line, line->parts[REACH], width - end, end, height);
}

/* Has a widget measured anew, with all its children. */
static void
forget_sizes (GtkWidget *widget)
{
  gtk_widget_queue_resize (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    forget_sizes (child);
}

/**
 * attn_strip_line_settle:
 *
 * Takes at once the steps that attn_strip_line_allocate() has found to be due, unless a button of
 * the pointer is held.
 */
void
attn_strip_line_settle (AttnStripLine *line)
{
  if (line->settle == 0 || attn_pressed_is_active (line->strip))
    return;
  g_clear_handle_id (&line->settle, g_source_remove);
  settle_cb (line);
  /* Linked buttons have other edges once neighbours are hidden. GTK would apply that style only in
   * the next frame: the buttons are measured here to apply it now. */
  for (int i = 0; i < N_GROUPS; i++)
    forget_sizes (line->parts[i]);
}

/**
 * attn_strip_line_show_operation:
 * @operation: the operation that is chosen
 */
void
attn_strip_line_show_operation (AttnStripLine *line,
                                AttnOperation  operation)
{
  line->operation = operation;
  sync_operation (line);
}
