/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The labels of pins: what was pinned, and its weight, on a white ground beside the cell. */

#include "config.h"

#include "attn-layout-private.h"
#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-text.h"

/* Points. */
#define GAP     2.5 /* between the cell and its label */
#define PADDING 1.5
#define FRAME   0.5

#define N_DIGITS 2

#define SMALLEST_PANEL 60.0

static const AttnRgb paper = { 255, 255, 255 };
static const AttnRgb ink = { 0, 0, 0 };

static void
add_label (const AttnLayoutFit *fit,
           AttnScene           *scene,
           const AttnMark      *heatmap,
           const AttnRegion    *pin)
{
  const AttnRectangle *panel = &heatmap->rectangle;
  AttnRectangle cell;

  if (!attn_scene_get_cell (scene, heatmap->group, pin->first_row, pin->first_column, &cell))
    return;

  double size = fit->label_size;
  g_autofree char *weight = attn_text_format_weight (pin->value, N_DIGITS);
  g_autofree char *text = g_strdup_printf ("%s %s", pin->name, weight);
  char *markup = attn_markup_from_text (text);
  double width =
      attn_lettering_measure (fit->in->style.font_family, markup, size) + 2 * PADDING;
  double height = size * ATTN_LETTERING_HEIGHT + 2 * PADDING;
  AttnRectangle box = { cell.x + cell.width + GAP, cell.y + (cell.height - height) / 2, width,
                        height };

  if (box.x + width > panel->x + panel->width)
    box.x = cell.x - GAP - width;
  box.x = CLAMP (box.x, panel->x, MAX (panel->x + panel->width - width, panel->x));
  box.y = CLAMP (box.y, panel->y, MAX (panel->y + panel->height - height, panel->y));

  AttnMark *ground = attn_scene_add (scene, ATTN_MARK_RECTANGLE, heatmap->group, "pin-label");
  ground->rectangle = box;
  ground->is_filled = TRUE;
  ground->color = paper;
  AttnMark *frame = attn_scene_add (scene, ATTN_MARK_RECTANGLE, heatmap->group, "pin-label");
  frame->rectangle = box;
  frame->line_width = FRAME;
  frame->color = ink;
  AttnMark *label = attn_layout_add_text (scene, heatmap->group, "pin-label", markup,
                                          box.x + PADDING,
                                          box.y + PADDING + size * ATTN_LETTERING_ASCENT, size,
                                          ATTN_ANCHOR_START, 0);
  label->color = ink;
}

/* Adds the labels of the pins of a panel that have a name and are shown. Panels too small for a
 * label have none. */
void
attn_layout_add_pin_labels (const AttnLayoutFit *fit,
                            AttnScene           *scene,
                            const AttnMark      *heatmap,
                            const AttnGridCell  *cell)
{
  gsize n_rows = attn_panel_get_n_rows (cell->panel);
  gsize n_columns = attn_panel_get_n_columns (cell->panel);

  if (heatmap->rectangle.width < SMALLEST_PANEL)
    return;
  for (gsize i = 0; i < cell->n_regions; i++)
    {
      const AttnRegion *region = &cell->regions[i];

      if (region->is_pin && region->name != NULL && region->first_row < n_rows &&
          region->first_column < n_columns)
        add_label (fit, scene, heatmap, region);
    }
}
