/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-token-chip.h"

#define PADDING_X 4
#define PADDING_Y 1
#define RADIUS    4

/* The largest width in pixels of a token's text, as a token may be longer than the side bar is
 * wide. */
#define MAX_WIDTH 220

/**
 * attn_token_chip_set_text:
 * @chip: (inout): a chip without a text
 * @widget: what the chip is drawn in
 *
 * Sets the text, italic for a special token, and the size of the box around it.
 */
void
attn_token_chip_set_text (AttnTokenChip *chip,
                          GtkWidget     *widget,
                          const char    *text)
{
  int width, height;

  chip->layout = gtk_widget_create_pango_layout (widget, text);
  pango_layout_set_single_paragraph_mode (chip->layout, TRUE);
  pango_layout_set_ellipsize (chip->layout, PANGO_ELLIPSIZE_MIDDLE);
  if (chip->is_special)
    {
      g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

      pango_attr_list_insert (attributes, pango_attr_style_new (PANGO_STYLE_ITALIC));
      pango_layout_set_attributes (chip->layout, attributes);
    }
  pango_layout_get_pixel_size (chip->layout, &width, &height);
  if (width > MAX_WIDTH)
    {
      width = MAX_WIDTH;
      pango_layout_set_width (chip->layout, width * PANGO_SCALE);
    }
  chip->box.size.width = width + 2 * PADDING_X;
  chip->box.size.height = height + 2 * PADDING_Y;
}

static GdkRGBA
to_rgba (AttnRgb color)
{
  return (GdkRGBA) { color.red / 255.0f, color.green / 255.0f, color.blue / 255.0f, 1 };
}

/* Chooses the colours of a chip that shows the number of the remaining tokens. */
static AttnTokenChipLook
choose_look_of_count (const AttnTokenChipColors *colors)
{
  AttnTokenChipLook look = { colors->text, colors->text, colors->text, 0 };

  look.text.alpha *= 0.6f;
  look.fill.alpha = 0;
  return look;
}

static AttnTokenChipLook
choose_look (const AttnTokenChip       *chip,
             const AttnTokenChipColors *colors,
             const AttnTokenChipState  *state)
{
  const AttnSentenceToken *sentence = state->sentence;
  AttnTokenChipLook look = { chip->is_own ? colors->own : colors->text, colors->text, colors->text,
                             0 };

  if (chip->is_count)
    return choose_look_of_count (colors);
  if (chip->is_own)
    look.fill.alpha = state->is_lit ? 0.6f : 0.3f;
  else
    look.fill.alpha *= state->is_lit ? 0.25f : chip->is_special ? 0
                                                                : 0.09f;
  if (chip->is_special || chip->is_own)
    {
      look.line = chip->is_own ? colors->own : colors->text;
      look.line.alpha *= chip->is_own ? 0.8f : 0.4f;
      look.line_width = 1;
    }
  if (sentence != NULL && sentence->has_value)
    {
      /* A chip with a value has a border: filled with a pale colour alone, it would look like one
       * without a value. */
      look.fill = to_rgba (sentence->ground);
      look.text = to_rgba (sentence->text);
      look.line = colors->text;
      look.line.alpha *= state->is_lit ? 1 : 0.4f;
      look.line_width = 1;
    }
  else if (state->is_chosen)
    look.fill = colors->chosen;
  else if (sentence != NULL && state->has_sentence_values && !state->is_lit)
    {
      look.fill.alpha = 0;
      look.text.alpha *= 0.6f;
    }
  /* The token of the row or column that gives the colours has a frame. */
  if (sentence != NULL && sentence->is_line)
    {
      look.line = colors->text;
      look.line_width = 2;
    }
  return look;
}

static gboolean
look_equal (const AttnTokenChipLook *a,
            const AttnTokenChipLook *b)
{
  return gdk_rgba_equal (&a->fill, &b->fill) && gdk_rgba_equal (&a->text, &b->text) &&
         gdk_rgba_equal (&a->line, &b->line) && a->line_width == b->line_width;
}

/**
 * attn_token_chip_update:
 *
 * Updates the look, and drops the render node if the look has changed.
 *
 * Returns: whether it has
 */
gboolean
attn_token_chip_update (AttnTokenChip             *chip,
                        const AttnTokenChipColors *colors,
                        const AttnTokenChipState  *state)
{
  AttnTokenChipLook look = choose_look (chip, colors, state);

  if (look_equal (&look, &chip->look))
    return FALSE;
  chip->look = look;
  g_clear_pointer (&chip->node, gsk_render_node_unref);
  return TRUE;
}

static GskRenderNode *
draw (const AttnTokenChip *chip)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  const AttnTokenChipLook *look = &chip->look;
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (&outline, &chip->box, RADIUS);
  if (look->fill.alpha > 0)
    {
      gtk_snapshot_push_rounded_clip (snapshot, &outline);
      gtk_snapshot_append_color (snapshot, &look->fill, &chip->box);
      gtk_snapshot_pop (snapshot);
    }
  if (look->line_width > 0)
    {
      const float widths[4] = { look->line_width, look->line_width, look->line_width,
                                look->line_width };
      const GdkRGBA lines[4] = { look->line, look->line, look->line, look->line };

      gtk_snapshot_append_border (snapshot, &outline, widths, lines);
    }
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (chip->box.origin.x + PADDING_X,
                                                          chip->box.origin.y + PADDING_Y));
  gtk_snapshot_append_layout (snapshot, chip->layout, &look->text);
  gtk_snapshot_restore (snapshot);
  return gtk_snapshot_free_to_node (snapshot);
}

/**
 * attn_token_chip_get_node:
 *
 * Returns: (transfer none) (nullable): the chip drawn in its box, kept until its look changes
 */
GskRenderNode *
attn_token_chip_get_node (AttnTokenChip *chip)
{
  if (chip->node == NULL)
    chip->node = draw (chip);
  return chip->node;
}

/**
 * attn_token_chip_clear:
 * @chip: an #AttnTokenChip
 *
 * Frees what a chip has, as a GArray does for its elements.
 */
void
attn_token_chip_clear (gpointer chip)
{
  AttnTokenChip *cleared = chip;

  g_clear_object (&cleared->layout);
  g_clear_pointer (&cleared->node, gsk_render_node_unref);
}
