/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-head-map-popover.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "attn-accent.h"
#include "attn-colormap.h"
#include "attn-map-figure.h"
#include "attn-panel-name.h"
#include "attn-popover.h"
#include "attn-readout.h"
#include "attn-tooltip.h"
#include "attn-word-list.h"

/* The largest size of the map of all cells, and the largest and smallest side of a cell, in
 * pixels. */
#define MOST_WIDTH   480.0
#define MOST_HEIGHT  340.0
#define LARGEST      26.0
#define SMALLEST     3.0
#define LEAST_DOTTED 8.0  /* side of the smallest cell on which a dot is drawn, pixels */
#define DOT_SHARE    0.15 /* radius of the dot on the largest cell, as a share of the cell's side */
#define MARGIN       30.0 /* margin beside the cells for the numbers of layers and heads, pixels */
#define SCALE_GAP    10.0 /* gap between the cells and the scale of the colours, pixels */
#define SCALE_SIZE   8.0
#define SCALE_ROOM   44.0 /* height of the scale of the colours with its numbers, pixels */

#define SOURCE_CHARS  56 /* width, in characters, of the line that tells what the map measures */
#define SOURCE_MARGIN 4  /* margin before the line that tells what the map measures, pixels */

/* Keys under which a session keeps the choices made in its last head map. */
#define LAST_MEASURE   "head-map-measure"
#define LAST_IS_SORTED "head-map-is-sorted"
#define LAST_INPUT     "head-map-input"  /* number of the input that the user has stepped to, from
                                          * 1; else 0 */
#define LAST_ORIGIN    "head-map-origin" /* index of the panel from which the last map was opened */

/* The head map that is open. It is freed with its popover. */
typedef struct
{
  AttnSession *session;
  int origin;       /* index of the panel from which the map was opened, or -1 */
  int index;        /* index of the panel whose intervention is measured, or -1 */
  AttnHeadMap *map; /* (nullable): %NULL until computed */
  gsize *order;     /* (nullable): heads in their sorted order, as layer x n_heads + head; %NULL if
                     * unsorted */
  gsize largest;    /* head with the largest value, as layer x n_heads + head */
  int hover;        /* index of the cell that the text below the map describes, or -1 */
  GtkWidget *area;
  GtkListBox *measure;
  GtkCheckButton *sorted;
  GtkListBox *atlas; /* (nullable): list that chooses heads for an atlas, and their order */
  GtkLabel *told;
  GtkWidget *inputs;   /* box with the buttons that step to the other inputs of the figure */
  GtkWidget *steps[2]; /* buttons that step to the previous and to the next input */
  GtkStack *source;    /* stack of the text that tells what is measured; as high as the higher of
                        * its two texts */
  GtkLabel *source_of_weights;
  GtkLabel *source_of_change;
} Map;

static void
free_map (gpointer data)
{
  Map *map = data;

  g_clear_pointer (&map->map, attn_head_map_unref);
  g_free (map->order);
  g_object_unref (map->session);
  g_free (map);
}

/* Returns a list in which one row is always chosen, in place of a drop-down: GTK 4.8 loses the
 * first click after a drop-down in a popover has closed. */
static GtkListBox *
new_list (const char         *label,
          const char * const *names,
          guint               chosen)
{
  GtkListBox *list = GTK_LIST_BOX (gtk_list_box_new ());

  attn_word_list_fill (list, names);
  gtk_list_box_set_selection_mode (list, GTK_SELECTION_BROWSE);
  gtk_list_box_select_row (list, gtk_list_box_get_row_at_index (list, (int) chosen));
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return list;
}

/* Adds to each row of the list of measures what the measure is, as a tooltip and for assistive
 * technology. */
static void
explain_measures (GtkListBox *list)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    {
      const char *meaning = attn_map_figure_explain ((AttnHeadMeasure) i);

      attn_tooltip_set (GTK_WIDGET (row), meaning);
      gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      meaning, -1);
    }
}

static guint
get_chosen (GtkListBox *list)
{
  return (guint) gtk_list_box_row_get_index (gtk_list_box_get_selected_row (list));
}

static double
get_cell_size (const Map *map)
{
  double size = MIN (MOST_WIDTH / map->map->n_heads, MOST_HEIGHT / map->map->n_layers);

  return CLAMP (floor (size), SMALLEST, LARGEST);
}

/* Returns the head of a cell of the map, as layer x n_heads + head. @place: index of the cell, row
 * by row */
static gsize
get_head (const Map *map,
          gsize      place)
{
  return map->order != NULL ? map->order[place] : place;
}

/* Returns the name of a head and its value, such as "L2 H1 · 0.93". */
static char *
describe_head (const Map *map,
               gsize      head)
{
  const AttnModel *model = attn_session_get_result (map->session)->model;
  g_autofree char *value =
      attn_model_has_map (model, head / map->map->n_heads)
          ? attn_readout_format_number (map->map->values[get_chosen (map->measure)][head])
          : g_strdup (_("no attention weights"));

  return g_strdup_printf ("L%zu H%zu · %s", head / map->map->n_heads, head % map->map->n_heads,
                          value);
}

/* Tells whether heads differ by the chosen measure. */
static gboolean
has_range (const Map *map)
{
  double low, high;

  attn_head_map_get_range (map->map, get_chosen (map->measure), &low, &high);
  return high > low;
}

/* Returns the text below the map while no head is pointed at. */
static char *
describe_map (const Map *map)
{
  if (map->map == NULL)
    return g_strdup (_("Computing"));
  g_autofree char *largest = describe_head (map, map->largest);
  if (map->order != NULL)
    /* Translators: the head with the largest value, such as "L2 H1 · 0.93" */
    return g_strdup_printf (_("Row by row from the largest: %s"), largest);
  if (!has_range (map))
    return g_strdup (_("A click opens the head"));
  /* Translators: the dot is a mark on the map; %s is the head with the largest value, such as
   * "L2 H1 · 0.93" */
  return g_strdup_printf (_("● Largest: %s"), largest);
}

static int
measure_text (Map        *map,
              const char *text)
{
  g_autoptr (PangoLayout) layout =
      gtk_widget_create_pango_layout (GTK_WIDGET (map->told), text);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

/* Gives the line below the map the width of its widest text: otherwise the map would move under the
 * pointer as the line changes, and a click would open another head. */
static void
reserve_width (Map *map)
{
  g_autofree char *text = describe_map (map);
  int widest = measure_text (map, text);
  gsize longest = 0;

  for (gsize head = 0; map->map != NULL && head < map->map->n_layers * map->map->n_heads; head++)
    {
      g_autofree char *described = describe_head (map, head);

      if (strlen (described) <= longest)
        continue;
      longest = strlen (described);
      widest = MAX (widest, measure_text (map, described));
    }
  gtk_widget_set_size_request (GTK_WIDGET (map->told), widest, -1);
}

static void
tell (Map *map)
{
  g_autofree char *text = map->map != NULL && map->hover >= 0
                              ? describe_head (map, get_head (map, (gsize) map->hover))
                              : describe_map (map);

  gtk_label_set_label (map->told, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (map->area),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  gtk_widget_queue_draw (map->area);
}

/**
 * attn_head_map_popover_describe_weights:
 * @index: index of the panel whose input is measured
 *
 * Returns: (transfer full): what the measures of weights are computed from, which are those without
 *   any operation, whatever the panels show
 */
char *
attn_head_map_popover_describe_weights (const AttnResult *result,
                                        gsize             index)
{
  guint n_inputs = result->study->inputs->len;

  if (n_inputs > 1 && !attn_model_get_info (result->model)->is_recording)
    /* Translators: the first %zu is the number of an input, the second how many there are */
    return g_strdup_printf (_("Input %zu of %zu, without any operation"),
                            result->cells[index].input + 1, (gsize) n_inputs);
  return g_strdup (_("Without any operation"));
}

/* Returns a text about a head map of changes: it compares the operation of a single panel with the
 * baseline. */
static char *
describe_change (const AttnResult *result,
                 gsize             index)
{
  const char *name = result->grid->cells[index].name;
  g_autoptr (AttnStudy) study = attn_head_map_build_study (result, (int) index);

  if (!attn_study_is_changed (study))
    return attn_head_map_popover_describe_weights (result, index);
  if (name == NULL)
    return g_strdup (_("Operation against the baseline"));
  g_autofree char *panel = attn_panel_name_translate (name);
  /* Translators: %s is the name of a panel, such as “Input 1, Query” */
  return g_strdup_printf (_("%s: operation against the baseline"), panel);
}

/* Returns the index of a panel like the one with @index, but of another input, in the same row or
 * column if possible; -1 if no panel is like it. @input: index of the other input, -1 for none */
static int
find_input (const AttnResult *result,
            gsize             index,
            gssize            input)
{
  const AttnCell *shown = &result->cells[index];
  gsize n_columns = result->grid->n_columns;
  int found = -1;

  for (gsize i = 0; i < result->grid->n_rows * n_columns; i++)
    {
      const AttnCell *cell = &result->cells[i];

      if ((gssize) cell->input != input || cell->side != shown->side)
        continue;
      if (i % n_columns == index % n_columns || i / n_columns == index / n_columns)
        return (int) i;
      if (found < 0)
        found = (int) i;
    }
  return found;
}

static int
find_next_input (const AttnResult *result,
                 gsize             index,
                 int               step)
{
  return find_input (result, index, (gssize) result->cells[index].input + step);
}

/* Returns the index of the panel to begin with: of the input that the user has stepped to, if the
 * figure still has it and the map was opened from the panel @index then, too; else @index. */
static int
find_last (AttnSession *session,
           int          index)
{
  GObject *kept = G_OBJECT (session);
  const AttnResult *result = attn_session_get_result (session);
  gssize input = GPOINTER_TO_INT (g_object_get_data (kept, LAST_INPUT)) - 1;

  if (result == NULL || !attn_study_get_traits (result->study)->has_grid ||
      GPOINTER_TO_INT (g_object_get_data (kept, LAST_ORIGIN)) != index)
    return index;
  int last = find_input (result, attn_head_map_find_panel (result, index), input);
  return last >= 0 ? last : index;
}

/* Tells what is measured, also as a description of the popover and of the list of measures. */
static void
tell_source (Map *map)
{
  const AttnResult *result = attn_session_get_result (map->session);
  GtkWidget *popover = gtk_widget_get_ancestor (map->area, GTK_TYPE_POPOVER);
  gboolean is_change = get_chosen (map->measure) == ATTN_HEAD_MEASURE_CHANGE;
  GtkLabel *shown = is_change ? map->source_of_change : map->source_of_weights;

  if (result == NULL || !attn_study_get_traits (result->study)->has_grid)
    return;
  gsize index = attn_head_map_find_panel (result, map->index);
  g_autofree char *source = attn_head_map_popover_describe_weights (result, index);
  g_autofree char *weights =
      attn_study_is_changed (result->study)
          /* Translators: %s is such as “Input 1 of 3, without any operation” */
          ? g_strdup_printf (_("%s; a click opens the head with the operation"), source)
          : g_strdup_printf (_("%s; a click opens the head"), source);
  g_autofree char *change = describe_change (result, index);
  gboolean has_inputs = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (map->steps); i++)
    {
      gboolean is_possible = find_next_input (result, index, i == 0 ? -1 : 1) >= 0;

      gtk_widget_set_sensitive (map->steps[i], is_possible);
      has_inputs |= is_possible;
    }
  gtk_widget_set_visible (map->inputs, has_inputs);
  gtk_label_set_label (map->source_of_weights, weights);
  gtk_label_set_label (map->source_of_change, change);
  gtk_stack_set_visible_child (map->source, GTK_WIDGET (shown));
  gtk_accessible_update_property (GTK_ACCESSIBLE (popover), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  gtk_label_get_label (shown), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (map->measure),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  gtk_label_get_label (shown), -1);
}

/* Returns a label of the stack that tells what is measured. */
static GtkLabel *
add_source (Map *map)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (NULL));

  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_max_width_chars (label, SOURCE_CHARS);
  gtk_label_set_xalign (label, 0);
  gtk_label_set_yalign (label, 0);
  gtk_widget_add_css_class (GTK_WIDGET (label), "dim-label");
  gtk_stack_add_child (map->source, GTK_WIDGET (label));
  return label;
}

/* Measures another input of the figure. The map is empty until the measure is computed. */
static void
step_input (Map *map,
            int  step)
{
  const AttnResult *result = attn_session_get_result (map->session);

  if (result == NULL || !attn_study_get_traits (result->study)->has_grid)
    return;
  int other = find_next_input (result, attn_head_map_find_panel (result, map->index), step);
  if (other < 0)
    return;
  map->index = other;
  g_object_set_data (G_OBJECT (map->session), LAST_INPUT,
                     GINT_TO_POINTER ((int) result->cells[other].input + 1));
  g_object_set_data (G_OBJECT (map->session), LAST_ORIGIN, GINT_TO_POINTER (map->origin));
  if (map->hover >= 0)
    map->hover = (int) get_head (map, (gsize) map->hover);
  g_clear_pointer (&map->order, g_free);
  g_clear_pointer (&map->map, attn_head_map_unref);
  tell_source (map);
  tell (map);
  attn_session_request_head_map (map->session, map->index);
}

static void
input_before_cb (Map *map)
{
  step_input (map, -1);
}

static void
input_after_cb (Map *map)
{
  step_input (map, 1);
}

/* Adds the buttons that step to the other inputs. */
static void
add_steps (Map *map)
{
  const struct
  {
    const char *icon;
    const char *name;
    GCallback callback;
  } steps[] = {
    { "pan-start-symbolic", _("Previous input"), G_CALLBACK (input_before_cb) },
    { "pan-end-symbolic", _("Next input"), G_CALLBACK (input_after_cb) },
  };

  map->inputs = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_set_valign (map->inputs, GTK_ALIGN_START);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      map->steps[i] = gtk_button_new_from_icon_name (steps[i].icon);
      gtk_widget_add_css_class (map->steps[i], "flat");
      gtk_widget_add_css_class (map->steps[i], "step");
      gtk_widget_set_tooltip_text (map->steps[i], steps[i].name);
      gtk_accessible_update_property (GTK_ACCESSIBLE (map->steps[i]),
                                      GTK_ACCESSIBLE_PROPERTY_LABEL, steps[i].name, -1);
      g_signal_connect_swapped (map->steps[i], "clicked", steps[i].callback, map);
      gtk_box_append (GTK_BOX (map->inputs), map->steps[i]);
    }
}

/* The number of heads in an atlas for each row of the list; 0 for all heads. */
static const gsize atlas_heads[] = { 0, 0, 16, 64 };

static void
arrange_atlas (Map *map)
{
  guint choice = get_chosen (map->atlas);
  GVariantBuilder heads;

  if (map->map == NULL)
    return;
  /* The chosen number of heads is kept with the session, so that the popover begins with it when it
   * is opened again. */
  g_object_set_data (G_OBJECT (map->session), "atlas", GUINT_TO_POINTER (choice));
  gsize n = map->map->n_layers * map->map->n_heads;
  g_autofree gsize *order =
      attn_head_map_sort (map->map, get_chosen (map->measure));
  g_variant_builder_init (&heads, G_VARIANT_TYPE ("au"));
  for (gsize i = 0; choice > 0 && i < (choice > 1 ? MIN (n, atlas_heads[choice]) : n); i++)
    g_variant_builder_add (&heads, "u", (guint32) order[i]);
  gtk_widget_activate_action_variant (map->area, "win.arrange-atlas",
                                      g_variant_builder_end (&heads));
}

/* Returns the index of the cell of a head, given as layer x n_heads + head. */
static int
find_place (const Map *map,
            gsize      head)
{
  gsize place = 0;

  while (get_head (map, place) != head)
    place++;
  return (int) place;
}

/* Puts the heads of the map in the chosen order. The head that is described stays the same. The
 * next map of the session begins with this measure and order. */
static void
arrange (Map *map)
{
  gboolean is_sorted = gtk_check_button_get_active (map->sorted);
  gsize head = map->hover >= 0 ? get_head (map, (gsize) map->hover) : 0;

  g_object_set_data (G_OBJECT (map->session), LAST_MEASURE,
                     GUINT_TO_POINTER (get_chosen (map->measure)));
  g_object_set_data (G_OBJECT (map->session), LAST_IS_SORTED, GINT_TO_POINTER (is_sorted));
  g_clear_pointer (&map->order, g_free);
  if (map->map != NULL)
    {
      map->order = attn_head_map_sort (map->map, get_chosen (map->measure));
      map->largest = map->order[0];
    }
  if (!is_sorted)
    g_clear_pointer (&map->order, g_free);
  if (map->hover >= 0)
    map->hover = find_place (map, head);
  reserve_width (map);
  tell (map);
}

/* Shows the map by another measure. @row: %NULL if the list is being destroyed */
static void
measure_chosen_cb (Map           *map,
                   GtkListBoxRow *row)
{
  if (row == NULL)
    return;
  tell_source (map);
  arrange (map);
  if (map->atlas != NULL && get_chosen (map->atlas) > 0)
    arrange_atlas (map);
}

static void
atlas_chosen_cb (Map           *map,
                 GtkListBoxRow *row)
{
  if (row != NULL)
    arrange_atlas (map);
}

/* --- Drawing of the map ----------------------------------------------------------------------- */

static void
add_cell (const Map *map,
          cairo_t   *cr,
          gsize      place)
{
  double size = get_cell_size (map);

  cairo_rectangle (cr, MARGIN + (double) (place % map->map->n_heads) * size,
                   MARGIN + (double) (place / map->map->n_heads) * size, size, size);
}

/* Draws text so that the point (x, y) lies at a fraction of its width and of its height, such as
 * 0.5 for the middle. */
static void
draw_text (const Map  *map,
           cairo_t    *cr,
           const char *text,
           double      x,
           double      y,
           double      x_share,
           double      y_share)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (map->area, text);
  int width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  cairo_move_to (cr, x - x_share * width, y - y_share * height);
  pango_cairo_show_layout (cr, layout);
}

/* Draws the numbers of the layers and heads beside the cells. If the cells are sorted, a row has
 * heads of any layer, and beside it stands the rank of its first cell. */
static void
draw_numbers (const Map *map,
              cairo_t   *cr)
{
  double size = get_cell_size (map);
  gsize step = (gsize) ceil (24 / size);

  if (map->order != NULL)
    draw_text (map, cr, _("Rank"), 0, MARGIN - 4, 0, 1);
  for (gsize head = 0; head < map->map->n_heads && map->order == NULL; head += step)
    {
      g_autofree char *text = g_strdup_printf ("H%zu", head);

      draw_text (map, cr, text, MARGIN + ((double) head + 0.5) * size, MARGIN - 4, 0.5, 1);
    }
  for (gsize row = 0; row < map->map->n_layers; row += step)
    {
      g_autofree char *text = map->order == NULL
                                  ? g_strdup_printf ("L%zu", row)
                                  : g_strdup_printf ("%zu", row * map->map->n_heads + 1);

      draw_text (map, cr, text, MARGIN - 4, MARGIN + ((double) row + 0.5) * size, 1, 0.5);
    }
}

static void
set_color (cairo_t *cr,
           double   share)
{
  const AttnRgb *colors = attn_colormap_get_table (ATTN_COLORMAP_VIRIDIS, FALSE);
  AttnRgb color = colors[(gsize) (CLAMP (share, 0, 1) * (ATTN_COLORMAP_SIZE - 1))];

  cairo_set_source_rgb (cr, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

/* Draws the scale of the colours below the cells, with the smallest and the largest value, and
 * where the value under the pointer lies. */
static void
draw_scale (const Map     *map,
            cairo_t       *cr,
            const GdkRGBA *foreground,
            double         low,
            double         high)
{
  int width = (int) (get_cell_size (map) * (double) map->map->n_heads);
  double top = MARGIN + get_cell_size (map) * (double) map->map->n_layers + SCALE_GAP;
  g_autofree char *first = attn_readout_format_number (low);
  g_autofree char *last = attn_readout_format_number (high);

  for (int x = 0; x < width; x++)
    {
      cairo_rectangle (cr, MARGIN + x, top, 1, SCALE_SIZE);
      set_color (cr, (x + 0.5) / width);
      cairo_fill (cr);
    }
  gdk_cairo_set_source_rgba (cr, foreground);
  draw_text (map, cr, first, MARGIN, top + SCALE_SIZE + 2, 0.5, 0);
  draw_text (map, cr, last, MARGIN + width, top + SCALE_SIZE + 2, 0.5, 0);

  double value = map->hover >= 0 ? map->map->values[get_chosen (map->measure)]
                                                   [get_head (map, (gsize) map->hover)]
                                 : NAN;
  if (isnan (value))
    return;
  cairo_rectangle (cr, MARGIN + round ((value - low) / (high - low) * width) - 1, top - 3, 2,
                   SCALE_SIZE + 6);
  cairo_fill (cr);
}

/* Draws a dot on the cell of the head with the largest value if the cell has room for it. */
static void
draw_largest (const Map *map,
              cairo_t   *cr)
{
  double size = get_cell_size (map);
  gsize place = (gsize) find_place (map, map->largest);

  if (size < LEAST_DOTTED)
    return;
  cairo_new_path (cr);
  cairo_arc (cr, MARGIN + ((double) (place % map->map->n_heads) + 0.5) * size,
             MARGIN + ((double) (place / map->map->n_heads) + 0.5) * size, size * DOT_SHARE, 0,
             2 * G_PI);
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_fill (cr);
}

static void
draw_cb (GtkDrawingArea *area,
         cairo_t        *cr,
         int             width,
         int             height,
         gpointer        user_data)
{
  const Map *map = user_data;
  AttnResult *result = attn_session_get_result (map->session);
  AttnHeadMeasure measure = get_chosen (map->measure);
  double low, high;
  GdkRGBA foreground;

  if (map->map == NULL)
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (map->area), &foreground);
  gdk_cairo_set_source_rgba (cr, &foreground);
  draw_numbers (map, cr);
  attn_head_map_get_range (map->map, measure, &low, &high);
  if (high > low)
    draw_scale (map, cr, &foreground, low, high);
  for (gsize place = 0; place < map->map->n_layers * map->map->n_heads; place++)
    {
      gsize head = get_head (map, place);
      double value = map->map->values[measure][head];

      add_cell (map, cr, place);
      if (isnan (value))
        cairo_set_source_rgb (cr, 0.5, 0.5, 0.5);
      else
        set_color (cr, high > low ? (value - low) / (high - low) : 0);
      cairo_fill (cr);
    }
  if (high > low)
    draw_largest (map, cr);
  for (gsize place = 0; place < map->map->n_layers * map->map->n_heads; place++)
    {
      gsize head = get_head (map, place);
      gboolean is_shown = result != NULL && map->atlas == NULL && result->head >= 0 &&
                          head == result->layer * map->map->n_heads + (gsize) result->head;

      if (!is_shown && (int) place != map->hover)
        continue;
      add_cell (map, cr, place);
      cairo_set_line_width (cr, 4);
      cairo_set_source_rgb (cr, 0, 0, 0);
      cairo_stroke_preserve (cr);
      cairo_set_line_width (cr, 2);
      cairo_set_source_rgb (cr, 1, 1, is_shown ? 0.2 : 1);
      cairo_stroke (cr);
    }
}

/* --- Pointer and keys on the map -------------------------------------------------------------- */

static void
set_hover (Map *map,
           int  hover)
{
  if (hover == map->hover)
    return;
  map->hover = hover;
  tell (map);
}

static void
motion_cb (Map    *map,
           double  x,
           double  y)
{
  if (map->map == NULL)
    return;

  double size = get_cell_size (map);
  double column = floor ((x - MARGIN) / size);
  double row = floor ((y - MARGIN) / size);
  gboolean is_on = column >= 0 && row >= 0 && column < map->map->n_heads &&
                   row < map->map->n_layers;
  set_hover (map, is_on ? (int) row * (int) map->map->n_heads + (int) column : -1);
}

static void
open_head (Map *map)
{
  GtkWidget *popover = gtk_widget_get_ancestor (map->area, GTK_TYPE_POPOVER);

  if (map->map == NULL || map->hover < 0)
    return;
  gsize head = get_head (map, (gsize) map->hover);
  gtk_widget_activate_action (map->area, "win.go-to-head", "(ii)",
                              (int) (head / map->map->n_heads), (int) (head % map->map->n_heads));
  gtk_popover_popdown (GTK_POPOVER (popover));
}

static void
pressed_cb (Map    *map,
            int     n_press,
            double  x,
            double  y)
{
  motion_cb (map, x, y);
  open_head (map);
}

static gboolean
key_cb (Map   *map,
        guint  keyval)
{
  int n_heads = map->map != NULL ? (int) map->map->n_heads : 0;
  int n = n_heads * (map->map != NULL ? (int) map->map->n_layers : 0);
  int step = keyval == GDK_KEY_Left    ? -1
             : keyval == GDK_KEY_Right ? 1
             : keyval == GDK_KEY_Up    ? -n_heads
             : keyval == GDK_KEY_Down  ? n_heads
                                       : 0;

  if (keyval == GDK_KEY_Return || keyval == GDK_KEY_KP_Enter)
    open_head (map);
  else if (step == 0 || n == 0)
    return FALSE;
  else if (map->hover < 0)
    set_hover (map, 0);
  else if (map->hover + step >= 0 && map->hover + step < n)
    set_hover (map, map->hover + step);
  return TRUE;
}

/* --- Changes of the session ------------------------------------------------------------------- */

static void
map_changed_cb (AttnSession *session,
                GtkWidget   *area)
{
  Map *map = g_object_get_data (G_OBJECT (area), "map");

  g_autoptr (AttnHeadMap) before = g_steal_pointer (&map->map);
  map->map = attn_head_map_ref (attn_session_get_head_map (session));
  if (before != NULL &&
      (before->n_layers != map->map->n_layers || before->n_heads != map->map->n_heads))
    map->hover = -1;
  double size = get_cell_size (map);
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (area),
                                      (int) (size * map->map->n_heads + 2 * MARGIN));
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area),
                                       (int) (size * map->map->n_layers + MARGIN + SCALE_ROOM));
  tell_source (map);
  arrange (map);
}

static void
result_changed_cb (AttnSession *session,
                   GtkWidget   *area)
{
  Map *map = g_object_get_data (G_OBJECT (area), "map");

  attn_session_request_head_map (session, map->index);
}

/**
 * attn_head_map_popover_open:
 * @widget: a widget in a window that has the action "go-to-head"
 * @place: the rectangle that the popover points at, in coordinates of @widget
 * @session: the session, whose result must be a grid of panels
 * @index: index of the panel whose intervention is measured, or -1 for the first panel that has an
 *   intervention. If the user has stepped from it to another input before, that one is measured as
 *   long as the figure has it
 * @is_atlas: whether the figure is an atlas, with a panel for each head, which can then be sorted
 * @is_arranged: whether the panels of the atlas are in the order that was chosen here last
 */
void
attn_head_map_popover_open (GtkWidget          *widget,
                            const GdkRectangle *place,
                            AttnSession        *session,
                            int                 index,
                            gboolean            is_atlas,
                            gboolean            is_arranged)
{
  /* The names of the measures, indexed by AttnHeadMeasure. */
  const char *names[] = { _("Sink score"), _("Entropy"), _("Attention distance"),
                          _("Previous token"), _("Duplicate token"), _("Induction"),
                          _("Change to the baseline"), NULL };
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);
  GtkWidget *choices = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);
  GtkWidget *figure = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *source = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  Map *map = g_new0 (Map, 1);
  gpointer motion = gtk_event_controller_motion_new ();
  gpointer click = gtk_gesture_click_new ();
  gpointer keys = gtk_event_controller_key_new ();

  map->session = g_object_ref (session);
  map->origin = index;
  map->index = find_last (session, index);
  map->hover = -1;
  map->area = gtk_drawing_area_new ();
  map->measure =
      new_list (_("Measure"), names,
                GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (session), LAST_MEASURE)));
  explain_measures (map->measure);
  map->sorted = GTK_CHECK_BUTTON (gtk_check_button_new_with_mnemonic (_("_Sorted")));
  gtk_check_button_set_active (
      map->sorted, g_object_get_data (G_OBJECT (session), LAST_IS_SORTED) != NULL);
  map->told = GTK_LABEL (gtk_label_new (NULL));
  add_steps (map);
  map->source = GTK_STACK (gtk_stack_new ());
  map->source_of_weights = add_source (map);
  map->source_of_change = add_source (map);
  gtk_widget_set_margin_start (GTK_WIDGET (map->source), SOURCE_MARGIN);
  g_object_set_data_full (G_OBJECT (map->area), "map", map, free_map);
  gtk_accessible_update_property (GTK_ACCESSIBLE (map->area), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Map of the heads"), -1);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (map->area), draw_cb, map, NULL);
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (map->area), 200);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (map->area), 80);
  gtk_widget_set_focusable (map->area, TRUE);
  gtk_widget_set_halign (map->area, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (choices), GTK_WIDGET (map->measure));
  gtk_box_append (GTK_BOX (choices), GTK_WIDGET (map->sorted));
  gtk_box_append (GTK_BOX (figure), map->area);
  gtk_box_append (GTK_BOX (figure), GTK_WIDGET (map->told));
  gtk_box_append (GTK_BOX (box), choices);
  gtk_box_append (GTK_BOX (box), figure);
  gtk_box_append (GTK_BOX (content), box);
  gtk_widget_set_valign (GTK_WIDGET (map->source), GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (source), map->inputs);
  gtk_box_append (GTK_BOX (source), GTK_WIDGET (map->source));
  gtk_box_append (GTK_BOX (content), source);
  gtk_popover_set_child (GTK_POPOVER (popover), content);
  gtk_widget_add_controller (map->area, motion);
  gtk_widget_add_controller (map->area, click);
  gtk_widget_add_controller (map->area, keys);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), map);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), map);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_cb), map);
  if (is_atlas)
    {
      const char *orders[] = { _("Atlas: by layer and head"), _("Atlas: sorted"),
                               _("Atlas: the first 16"), _("Atlas: the first 64"), NULL };

      gpointer chosen = is_arranged ? g_object_get_data (G_OBJECT (session), "atlas") : NULL;

      map->atlas = new_list (_("Order of the atlas"), orders, GPOINTER_TO_UINT (chosen));
      gtk_box_append (GTK_BOX (choices), GTK_WIDGET (map->atlas));
      g_signal_connect_swapped (map->atlas, "row-selected", G_CALLBACK (atlas_chosen_cb), map);
    }
  g_signal_connect_swapped (map->measure, "row-selected", G_CALLBACK (measure_chosen_cb), map);
  g_signal_connect_swapped (map->sorted, "toggled", G_CALLBACK (arrange), map);
  g_signal_connect_object (session, "head-map-changed", G_CALLBACK (map_changed_cb), map->area, 0);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (result_changed_cb), map->area,
                           G_CONNECT_AFTER);
  tell_source (map);
  tell (map);
  if (attn_popover_open (GTK_POPOVER (popover), widget, place))
    {
      gtk_widget_grab_focus (map->area);
      attn_session_request_head_map (session, map->index);
    }
}
