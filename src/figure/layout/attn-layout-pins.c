/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Labels of marked cells, such as "the → rose 0.93", which stand beside their cells within the
 * panel. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>

#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

/* Sizes of pin labels: the distance from the cell, the padding, the outline, the digits of the
 * weight and the narrowest panel that has labels. */
#define GAP             2.5
#define PADDING         1.5
#define FRAME           0.5
#define N_DIGITS        2
#define SMALLEST_PINNED 60.0

/* Sizes for placing pin labels: the distance between two labels, and the most steps, of half a
 * label's height, by which a label is moved up or down. */
#define AIR        1.0
#define MOST_STEPS 40

/* A marked cell that is visible. */
typedef struct
{
  const AttnRegion *pin;
  AttnRectangle cell;
  AttnRectangle box; /* place of the pin's label; empty until it is placed, or if the pin has no
                      * name */
  char *markup;
} Pin;

/* Returns the common area of two rectangles that are both enlarged by @margin on each side. */
static double
get_overlap (const AttnRectangle *a,
             const AttnRectangle *b,
             double               margin)
{
  double width = MIN (a->x + a->width, b->x + b->width) - MAX (a->x, b->x) + margin;
  double height = MIN (a->y + a->height, b->y + b->height) - MAX (a->y, b->y) + margin;

  return a->width > 0 && b->width > 0 ? MAX (width, 0) * MAX (height, 0) : 0;
}

/* Returns the area of @box that lies over marked cells and over the labels placed so far. */
static double
get_hidden (const GArray        *pins,
            const AttnRectangle *box)
{
  double hidden = 0;

  for (guint i = 0; i < pins->len; i++)
    {
      const Pin *pin = &g_array_index (pins, Pin, i);

      hidden += get_overlap (box, &pin->cell, 0) + get_overlap (box, &pin->box, AIR);
    }
  return hidden;
}

/* Moves a box into the panel. */
static AttnRectangle
keep_inside (const AttnRectangle *panel,
             double               x,
             double               y,
             double               width,
             double               height)
{
  return (AttnRectangle) {
    CLAMP (x, panel->x, MAX (panel->x + panel->width - width, panel->x)),
    CLAMP (y, panel->y, MAX (panel->y + panel->height - height, panel->y)),
    width,
    height,
  };
}

/* Places a label: beside its cell, above or below it, or at one side of the cell farther up or
 * down. It takes the first of these places that hides neither a marked cell nor a label, or else
 * the one that hides least. */
static void
place_label (const GArray        *pins,
             const AttnRectangle *panel,
             Pin                 *pin,
             double               width,
             double               height)
{
  const AttnRectangle *cell = &pin->cell;
  const double sides[] = { cell->x + cell->width + GAP, cell->x - GAP - width };
  double center = cell->x + (cell->width - width) / 2;
  double middle = cell->y + (cell->height - height) / 2;
  double least = INFINITY;
  AttnRectangle best = { 0 };

  double step = (height + AIR) / 2;
  guint n_most = MIN (panel->height / step, MOST_STEPS);

  for (guint i = 0; i < 4 * (n_most + 1) && least > 0; i++)
    {
      guint n_steps = i / 4;
      double shift = (i % 4 < 2 ? -1.0 : 1.0) * n_steps * step;
      double x = i == 2 || i == 3 ? center : sides[i % 2];
      double y = i == 2   ? cell->y - GAP - height
                 : i == 3 ? cell->y + cell->height + GAP
                          : middle + shift;
      AttnRectangle box = keep_inside (panel, x, y, width, height);
      double hidden = get_hidden (pins, &box);

      if (hidden < least)
        {
          least = hidden;
          best = box;
        }
    }
  pin->box = best;
}

/* Places the label of a pin that has a name. */
static void
place (const AttnLayoutFit *fit,
       const AttnMark      *heatmap,
       const GArray        *pins,
       Pin                 *pin)
{
  double size = fit->label_size;

  if (pin->pin->name == NULL)
    return;
  g_autofree char *weight = attn_text_format_weight (pin->pin->value, N_DIGITS);
  g_autofree char *text = g_strdup_printf ("%s %s", pin->pin->name, weight);
  pin->markup = attn_markup_from_text (text);
  double width =
      attn_lettering_measure (fit->in->style.font_family, pin->markup, size) + 2 * PADDING;
  place_label (pins, &heatmap->rectangle, pin, width, size * ATTN_LETTERING_HEIGHT + 2 * PADDING);
}

/* Adds a line from a cell to its label, unless the label is next to the cell. */
static void
add_lead (AttnScene      *scene,
          const AttnMark *heatmap,
          const Pin      *pin)
{
  const AttnRectangle *cell = &pin->cell;
  const AttnRectangle *box = &pin->box;
  double x = cell->x + cell->width / 2;
  double from = cell->y > box->y ? cell->y : cell->y + cell->height;
  double to_x = CLAMP (x, box->x, box->x + box->width);
  double to_y = cell->y > box->y ? box->y + box->height : box->y;
  const double widths[] = { 3 * FRAME, FRAME };

  if ((to_y - from) * (cell->y > box->y ? -1 : 1) <= 2 * GAP)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      AttnMark *line = attn_scene_add_line (scene, heatmap->group, "pin-lead", x, from, to_x - x,
                                            to_y - from);

      line->line_width = widths[i];
      line->color = i == 0 ? (AttnRgb) { 255, 255, 255 } : (AttnRgb) { 0, 0, 0 };
    }
}

static void
add_label (const AttnLayoutFit *fit,
           AttnScene           *scene,
           const AttnMark      *heatmap,
           Pin                 *pin)
{
  double size = fit->label_size;
  AttnMark *ground = attn_scene_add (scene, ATTN_MARK_RECTANGLE, heatmap->group, "pin-label");
  ground->rectangle = pin->box;
  ground->is_filled = TRUE;
  ground->color = (AttnRgb) { 255, 255, 255 };
  AttnMark *frame = attn_scene_add (scene, ATTN_MARK_RECTANGLE, heatmap->group, "pin-label");
  frame->rectangle = pin->box;
  frame->line_width = FRAME;
  frame->color = (AttnRgb) { 0, 0, 0 };
  AttnMark *label = attn_scene_add_text (scene, heatmap->group, "pin-label",
                                         g_steal_pointer (&pin->markup), pin->box.x + PADDING,
                                         pin->box.y + PADDING + size * ATTN_LETTERING_ASCENT, size,
                                         ATTN_ANCHOR_START, 0);
  label->color = frame->color;
}

/* Adds the labels of visible pins that have a name, unless the panel is too small. */
void
attn_layout_add_pin_labels (const AttnLayoutFit *fit,
                            AttnScene           *scene,
                            const AttnMark      *heatmap,
                            const AttnGridCell  *cell)
{
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (Pin));
  gsize n_rows = attn_panel_get_n_rows (cell->panel);
  gsize n_columns = attn_panel_get_n_columns (cell->panel);

  if (heatmap->rectangle.width < SMALLEST_PINNED)
    return;
  for (gsize i = 0; i < cell->n_regions; i++)
    {
      Pin pin = { .pin = &cell->regions[i] };

      if (pin.pin->is_pin && pin.pin->first_row < n_rows && pin.pin->first_column < n_columns &&
          attn_scene_get_cell (scene, heatmap->group, pin.pin->first_row, pin.pin->first_column,
                               &pin.cell))
        g_array_append_val (array, pin);
    }
  Pin *pins = &g_array_index (array, Pin, 0);
  for (guint i = 0; i < array->len; i++)
    place (fit, heatmap, array, &pins[i]);
  for (guint i = 0; i < array->len; i++)
    if (pins[i].markup != NULL)
      add_lead (scene, heatmap, &pins[i]);
  for (guint i = 0; i < array->len; i++)
    if (pins[i].markup != NULL)
      add_label (fit, scene, heatmap, &pins[i]);
}
