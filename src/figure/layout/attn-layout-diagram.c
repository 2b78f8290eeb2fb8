/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The diagram at the left of the panels: heads, tokens, and lines between them. */

#include "config.h"

#include "attn-layout-private.h"
#include "attn-lettering.h"
#include "attn-markup.h"

/* Relative to the size of text. */
#define BOX_HEIGHT     2.2
#define BOX_PADDING    0.6
#define LINE_ROOM      9.0 /* from the heads to the tokens */
#define SMALLEST_ROOM  4.0
#define TOKEN_WIDTH    9.0 /* longer tokens are cut */
#define SMALLEST_TOKEN 3.0 /* so much of a token stays on a narrow page */
#define GAP            1.6 /* to what follows at the right */
#define NOTE_RATIO     0.85
#define SLIVER         0.5 /* width of a box that is too low for text */

/* Of the distance from a box to the next. Slivers closer than this, in points, have no gaps: they
 * would flicker on the pixels and vanish between them. */
#define BOX_SHARE      0.8
#define CLOSEST_SLIVER 2.0

/* Slivers of tokens stand back behind the lines that end at them: that much of the text's colour.
 */
#define SLIVER_INK 0.45

/* Of the height of a box. */
#define TEXT_SHARE 0.72

/* Points. */
#define LINE_WIDTH       1.1
#define THINNEST_LINE    0.35
#define THICKEST_LINE    3.6
#define TOKEN_LINE_WIDTH 0.75

/* The share of the page that a diagram takes at most before its lines become shorter. */
#define PAGE_SHARE 0.42

/* A column of boxes, from the top. */
typedef struct
{
  double x;
  double y;
  double width;
  double pitch;
  double box_height;
  double label_size;
  gsize label_step;
  gboolean has_slivers; /* labels stand beside them */
} Column;

/* Of every @step labels, at size 1. */
static double
measure_widest (const AttnLayout *layout,
                gboolean          is_head,
                gsize             step)
{
  const AttnDiagram *diagram = layout->grid->diagram;
  gsize n = is_head ? diagram->n_heads : diagram->n_tokens;
  double widest = 0;

  for (gsize i = 0; i < n; i += step)
    {
      g_autofree char *markup =
          attn_markup_from_text (is_head ? diagram->heads[i].name : diagram->tokens[i]);
      widest = MAX (widest, attn_lettering_measure (layout->style.font_family, markup, 1));
    }
  return widest;
}

/* Looks at the diagram once: how wide its labels are, and whether it needs a note. */
void
attn_layout_measure_diagram (AttnLayout *layout)
{
  double share;

  if (layout->grid->diagram == NULL)
    return;
  layout->heads.widest = measure_widest (layout, TRUE, 1);
  layout->tokens.widest = measure_widest (layout, FALSE, 1);
  g_free (attn_diagram_choose_links (layout->grid->diagram, &share, &layout->n_left_out));
}

/* @n boxes over all of @height. */
static Column
make_column (const AttnLayout *layout,
             gsize             n,
             double            height)
{
  double size = layout->style.font_size;
  Column column = {
    .y = layout->diagram.y,
    .pitch = height / MAX (n, 1),
    .label_step = 1,
  };

  column.box_height = MIN (BOX_HEIGHT * size, BOX_SHARE * column.pitch);
  column.label_size = MIN (size, TEXT_SHARE * column.box_height);
  if (column.label_size < MIN (ATTN_LAYOUT_SMALLEST_TEXT, size))
    {
      column.has_slivers = TRUE;
      if (column.pitch < CLOSEST_SLIVER)
        column.box_height = column.pitch;
      column.label_size = MIN (size, CLAMP (column.pitch * ATTN_LAYOUT_LABEL_PITCH,
                                            ATTN_LAYOUT_SMALLEST_TEXT,
                                            ATTN_LAYOUT_SMALLEST_TEXT + 1));
      column.label_step = attn_layout_get_label_step (
          column.pitch, column.label_size / ATTN_LAYOUT_LABEL_PITCH);
    }
  return column;
}

/* Boxes as wide as their widest label; slivers and the labels beside them that are shown. */
static double
measure_column (const AttnLayout *layout,
                AttnLayoutLabels *labels,
                gboolean          is_head,
                double            height)
{
  const AttnDiagram *diagram = layout->grid->diagram;
  double size = layout->style.font_size;
  double longest = is_head ? G_MAXDOUBLE : TOKEN_WIDTH * size;
  Column column = make_column (layout, is_head ? diagram->n_heads : diagram->n_tokens, height);

  if (!column.has_slivers)
    return MIN (labels->widest * size, longest) + 2 * BOX_PADDING * size;
  if (labels->step != column.label_step)
    {
      labels->widest_shown = measure_widest (layout, is_head, column.label_step);
      labels->step = column.label_step;
    }
  return SLIVER * size + ATTN_LAYOUT_LABEL_GAP +
         MIN (labels->widest_shown * column.label_size, longest);
}

/* Finds out how wide the diagram is beside panels of the present size; where @keeps, no narrower
 * than it was. */
void
attn_layout_size_diagram (AttnLayout *layout,
                          gboolean    keeps)
{
  double size = layout->style.font_size;
  double height = layout->slot_height;

  if (!layout->shows_diagram)
    return;
  for (gsize row = 0; row + 1 < layout->grid->n_rows; row++)
    height += attn_layout_get_row_pitch (layout, row);
  double heads = measure_column (layout, &layout->heads, TRUE, height);
  double tokens = measure_column (layout, &layout->tokens, FALSE, height);
  layout->head_width = keeps ? MAX (layout->head_width, heads) : heads;
  layout->token_width = keeps ? MAX (layout->token_width, tokens) : tokens;
  /* Tokens rather than the whole diagram are cut on a narrow page. */
  if (layout->page_width > 0)
    {
      double rest = layout->page_width * PAGE_SHARE - layout->head_width - SMALLEST_ROOM * size;

      layout->token_width =
          MIN (layout->token_width, MAX (rest, (SMALLEST_TOKEN + 2 * BOX_PADDING) * size));
    }
  double boxes = layout->head_width + layout->token_width;
  double lines = LINE_ROOM * size;
  if (layout->page_width > 0)
    lines = CLAMP (layout->page_width * PAGE_SHARE - boxes, SMALLEST_ROOM * size, lines);
  layout->diagram.width = boxes + lines;
}

/* What the diagram takes at the left of the panels. */
double
attn_layout_get_diagram_room (const AttnLayout *layout)
{
  return layout->shows_diagram ? layout->diagram.width + GAP * layout->style.font_size : 0;
}

/* What its note takes below them. */
double
attn_layout_get_note_room (const AttnLayout *layout)
{
  return layout->shows_diagram && layout->n_left_out > 0
             ? 0.5 * layout->style.font_size +
                   layout->style.font_size * NOTE_RATIO * ATTN_LETTERING_HEIGHT
             : 0;
}

static double
get_middle (const Column *column,
            gsize         index)
{
  return column->y + (index + 0.5) * column->pitch;
}

/* The box itself: all of the column's width, or a sliver on the side of the lines. */
static AttnRectangle
get_box (const AttnLayout *layout,
         const Column     *column,
         gsize             index,
         gboolean          is_head)
{
  double width = column->has_slivers ? SLIVER * layout->style.font_size : column->width;

  return (AttnRectangle) {
    .x = is_head ? column->x + column->width - width : column->x,
    .y = get_middle (column, index) - column->box_height / 2,
    .width = width,
    .height = column->box_height,
  };
}

static void
add_label (const AttnLayout    *layout,
           AttnScene           *scene,
           const Column        *column,
           const AttnRectangle *box,
           gsize                index,
           gboolean             is_head,
           AttnRgb              color)
{
  const AttnDiagram *diagram = layout->grid->diagram;
  double size = column->label_size;
  double padding = column->has_slivers ? ATTN_LAYOUT_LABEL_GAP : BOX_PADDING * size;
  double room = column->has_slivers ? column->width - box->width - padding
                                    : column->width - 2 * padding;
  double x = !column->has_slivers ? box->x + box->width / 2
             : is_head            ? box->x - padding
                                  : box->x + box->width + padding;
  g_autofree char *markup =
      attn_markup_from_text (is_head ? diagram->heads[index].name : diagram->tokens[index]);

  if (index % column->label_step != 0 || *markup == '\0')
    return;
  AttnMark *mark = attn_layout_add_text (
      scene, ATTN_GROUP_DIAGRAM, is_head ? "head-label" : "token-label",
      attn_lettering_ellipsize (layout->style.font_family, markup, size, room + 0.5), x,
      get_middle (column, index) + size * ATTN_LETTERING_MIDDLE, size,
      !column->has_slivers ? ATTN_ANCHOR_MIDDLE
      : is_head            ? ATTN_ANCHOR_END
                           : ATTN_ANCHOR_START,
      0);
  mark->color = color;
  mark->id = is_head ? g_strdup_printf ("head-%zu-label", diagram->heads[index].number)
                     : g_strdup_printf ("token-%zu-label", index);
}

static void
add_heads (const AttnLayout *layout,
           AttnScene        *scene,
           const Column     *column)
{
  const AttnDiagram *diagram = layout->grid->diagram;

  for (gsize i = 0; i < diagram->n_heads; i++)
    {
      AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, ATTN_GROUP_DIAGRAM, "head");
      AttnRgb color = diagram->heads[i].color;

      mark->rectangle = get_box (layout, column, i, TRUE);
      mark->is_filled = TRUE;
      mark->color = color;
      mark->head = i;
      mark->id = g_strdup_printf ("head-%zu", diagram->heads[i].number);
      add_label (layout, scene, column, &mark->rectangle, i, TRUE,
                 column->has_slivers ? layout->style.foreground
                                     : attn_layout_get_text_color (color));
    }
}

static guint8
mix (guint8 paper,
     guint8 ink)
{
  return (guint8) (paper + SLIVER_INK * (ink - paper) + 0.5);
}

static void
add_tokens (const AttnLayout *layout,
            AttnScene        *scene,
            const Column     *column)
{
  const AttnDiagram *diagram = layout->grid->diagram;

  for (gsize i = 0; i < diagram->n_tokens; i++)
    {
      AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, ATTN_GROUP_DIAGRAM, "token");

      mark->rectangle = get_box (layout, column, i, FALSE);
      mark->is_filled = column->has_slivers;
      if (column->has_slivers)
        {
          AttnRgb paper = layout->style.background;

          mark->color = (AttnRgb) { mix (paper.red, mark->color.red),
                                    mix (paper.green, mark->color.green),
                                    mix (paper.blue, mark->color.blue) };
        }
      mark->line_width = TOKEN_LINE_WIDTH;
      mark->token = i;
      mark->id = g_strdup_printf ("token-%zu", i);
      add_label (layout, scene, column, &mark->rectangle, i, FALSE, layout->style.foreground);
    }
}

static void
add_links (const AttnLayout *layout,
           AttnScene        *scene,
           const Column     *heads,
           const Column     *tokens)
{
  const AttnDiagram *diagram = layout->grid->diagram;
  double share;
  gsize n_left_out;
  g_autofree gboolean *is_shown = attn_diagram_choose_links (diagram, &share, &n_left_out);
  double left = heads->x + heads->width;

  for (gsize i = 0; i < diagram->n_links; i++)
    {
      const AttnDiagramLink *link = &diagram->links[i];

      if (!is_shown[i])
        continue;
      AttnMark *mark = attn_scene_add (scene, ATTN_MARK_LINE, ATTN_GROUP_DIAGRAM, "link");
      double y = get_middle (heads, link->head);

      mark->rectangle =
          (AttnRectangle) { left, y, tokens->x - left, get_middle (tokens, link->token) - y };
      mark->line_width =
          diagram->has_graded_lines
              ? THINNEST_LINE + (THICKEST_LINE - THINNEST_LINE) * CLAMP (link->weight, 0, 1)
              : LINE_WIDTH;
      mark->color = diagram->heads[link->head].color;
      mark->head = link->head;
      mark->token = link->token;
      mark->id =
          g_strdup_printf ("head-%zu-token-%zu", diagram->heads[link->head].number, link->token);
    }
}

/* How many lines there are not, and why. */
static void
add_note (const AttnLayout *layout,
          AttnScene        *scene)
{
  double share;
  gsize n_left_out;
  double size = layout->style.font_size * NOTE_RATIO;

  g_free (attn_diagram_choose_links (layout->grid->diagram, &share, &n_left_out));
  if (n_left_out == 0)
    return;
  g_autofree char *text = g_strdup_printf (
      "%zu of %zu lines left out: below %g %% of their head’s attention", n_left_out,
      layout->grid->diagram->n_links, 100 * share);
  double room = attn_layout_get_diagram_room (layout) +
                layout->slot_x[layout->grid->n_columns - 1] + layout->slot_width -
                layout->diagram.x - layout->diagram.width;
  char *markup = attn_layout_fit_text (layout, text, layout->diagram.width + room, &size);
  AttnMark *mark = attn_layout_add_text (scene, ATTN_GROUP_DIAGRAM, "note", markup,
                                         layout->diagram.x, layout->note_y, size,
                                         ATTN_ANCHOR_START, 0);
  mark->id = g_strdup ("diagram-note");
}

/* Lines, and the boxes over their ends. */
void
attn_layout_add_diagram (const AttnLayout *layout,
                         AttnScene        *scene)
{
  const AttnDiagram *diagram = layout->grid->diagram;
  const AttnRectangle *room = &layout->diagram;
  Column heads = make_column (layout, diagram->n_heads, room->height);
  Column tokens = make_column (layout, diagram->n_tokens, room->height);

  heads.x = room->x;
  heads.width = layout->head_width;
  tokens.x = room->x + room->width - layout->token_width;
  tokens.width = layout->token_width;

  add_links (layout, scene, &heads, &tokens);
  add_heads (layout, scene, &heads);
  add_tokens (layout, scene, &tokens);
  add_note (layout, scene);
}
