/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The diagram at the left of a figure's panels: heads, tokens, and lines that link them. */

#include "config.h"

#include "attn-layout-private.h"

#include "attn-contrast.h"
#include "attn-lettering.h"
#include "attn-markup.h"

/* Sizes of the diagram's parts, relative to the size of text. */
#define BOX_HEIGHT     2.2
#define BOX_PADDING    0.6
#define LINE_ROOM      9.0 /* distance from the boxes of heads to the boxes of tokens, in sizes of
                            * text */
#define SMALLEST_ROOM  4.0
#define TOKEN_WIDTH    9.0 /* longer tokens are cut */
#define SMALLEST_TOKEN 3.0 /* width of a token's text that is kept on a narrow page, in sizes of
                            * text */
#define GAP            1.6 /* gap between the diagram and the part at its right, in sizes of text */
#define NOTE_RATIO     0.85
#define SLIVER         0.5 /* width of a box that is too low for text, in sizes of text */

/* The height of a box, as a share of the distance to the next. If that distance is less than
 * CLOSEST_SLIVER, in points, the boxes have no gaps, which would flicker with the pixels. */
#define BOX_SHARE      0.8
#define CLOSEST_SLIVER 2.0

/* The share of the text colour in boxes without text, which keeps such boxes paler than the lines
 * that end there. */
#define SLIVER_INK 0.45

/* The share of the height of a diagram's box that its text takes. */
#define TEXT_SHARE 0.72

/* Sizes in points. */
#define LINE_WIDTH       1.1
#define THINNEST_LINE    0.35
#define THICKEST_LINE    3.6
#define TOKEN_LINE_WIDTH 0.75

/* The largest share of the page for a diagram; in a wider one the lines between heads and tokens
 * become shorter. */
#define PAGE_SHARE 0.42

/* A column of boxes of the diagram, from the top down. */
typedef struct
{
  gboolean is_head;
  AttnLayoutLabels *labels;
  double x;
  double y;
  double width;
  double pitch;
  double box_height;
  double label_size;
  gsize label_step;
  gboolean has_slivers; /* whether boxes are narrow, with their labels beside them */
} Column;

/* Makes a column of boxes of the diagram, which together are @height points high. */
static Column
make_column (const AttnLayoutNeeds *needs,
             gboolean               is_head,
             double                 height)
{
  double size = needs->in->style.font_size;
  Column column = {
    .is_head = is_head,
    .labels = is_head ? needs->heads : needs->tokens,
    .label_step = 1,
  };

  column.pitch = height / MAX (column.labels->n, 1);
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
      column.label_step = attn_layout_get_token_step (column.pitch, column.label_size, 1);
    }
  return column;
}

/* Returns the width of a column of the diagram: boxes as wide as the widest label, or narrow boxes
 * with labels beside them. */
static double
measure_column (const AttnLayoutNeeds *needs,
                gboolean               is_head,
                double                 height)
{
  double size = needs->in->style.font_size;
  double longest = is_head ? G_MAXDOUBLE : TOKEN_WIDTH * size;
  Column column = make_column (needs, is_head, height);
  double widest = attn_layout_labels_get_widest (column.labels, column.label_step);

  return column.has_slivers ? SLIVER * size + ATTN_LAYOUT_LABEL_GAP +
                                  MIN (widest * column.label_size, longest)
                            : MIN (widest * size, longest) + 2 * BOX_PADDING * size;
}

/* Computes the width of the diagram beside rows of panels that together are @height points high.
 * With @keeps, a diagram that was wider keeps its width. */
void
attn_layout_size_diagram (AttnLayoutFit *fit,
                          double         height,
                          gboolean       keeps)
{
  const AttnLayoutInput *in = fit->in;
  double size = in->style.font_size;

  if (!fit->shown.diagram)
    return;
  double heads = measure_column (fit->needs, TRUE, height);
  double tokens = measure_column (fit->needs, FALSE, height);
  fit->head_width = keeps ? MAX (fit->head_width, heads) : heads;
  fit->token_width = keeps ? MAX (fit->token_width, tokens) : tokens;
  /* On a narrow page tokens are cut, but not the diagram. */
  if (in->page_width > 0)
    {
      double rest = in->page_width * PAGE_SHARE - fit->head_width - SMALLEST_ROOM * size;

      fit->token_width =
          MIN (fit->token_width, MAX (rest, (SMALLEST_TOKEN + 2 * BOX_PADDING) * size));
    }
  double boxes = fit->head_width + fit->token_width;
  double lines = LINE_ROOM * size;
  if (in->page_width > 0)
    lines = CLAMP (in->page_width * PAGE_SHARE - boxes, SMALLEST_ROOM * size, lines);
  fit->diagram_width = boxes + lines;
}

/* Returns the width of the diagram at the left of the panels. */
double
attn_layout_get_diagram_room (const AttnLayoutFit *fit)
{
  return fit->shown.diagram ? fit->diagram_width + GAP * fit->in->style.font_size : 0;
}

/* Returns the height of the note below the panels that tells how many lines of the diagram are left
 * out; 0 if there is none. */
double
attn_layout_get_note_room (const AttnLayoutFit *fit)
{
  double size = fit->in->style.font_size;

  return fit->shown.diagram && fit->needs->n_left_out > 0
             ? 0.5 * size + size * NOTE_RATIO * ATTN_LETTERING_HEIGHT
             : 0;
}

static double
get_middle (const Column *column,
            gsize         index)
{
  return column->y + (index + 0.5) * column->pitch;
}

/* Returns the rectangle of a box of the diagram: as wide as the column, or a narrow one at the ends
 * of the lines if labels are beside it. */
static AttnRectangle
get_box (const AttnLayoutInput *in,
         const Column          *column,
         gsize                  index)
{
  double width = column->has_slivers ? SLIVER * in->style.font_size : column->width;

  return (AttnRectangle) {
    .x = column->is_head ? column->x + column->width - width : column->x,
    .y = get_middle (column, index) - column->box_height / 2,
    .width = width,
    .height = column->box_height,
  };
}

static void
add_label (const AttnLayoutInput *in,
           AttnScene             *scene,
           const Column          *column,
           const AttnMark        *box,
           gsize                  index,
           AttnRgb                color)
{
  gboolean is_head = column->is_head;
  double size = column->label_size;
  double padding = column->has_slivers ? ATTN_LAYOUT_LABEL_GAP : BOX_PADDING * size;
  double room = column->has_slivers ? column->width - box->rectangle.width - padding
                                    : column->width - 2 * padding;
  double x = !column->has_slivers ? box->rectangle.x + box->rectangle.width / 2
             : is_head            ? box->rectangle.x - padding
                                  : box->rectangle.x + box->rectangle.width + padding;
  g_autofree char *markup = attn_layout_get_label (column->labels, index);

  if (index % column->label_step != 0 || *markup == '\0')
    return;
  AttnMark *mark = attn_scene_add_text (
      scene, ATTN_GROUP_DIAGRAM, is_head ? "head-label" : "token-label",
      attn_lettering_ellipsize (in->style.font_family, markup, size, room + 0.5), x,
      get_middle (column, index) + size * ATTN_LETTERING_MIDDLE, size,
      !column->has_slivers ? ATTN_ANCHOR_MIDDLE
      : is_head            ? ATTN_ANCHOR_END
                           : ATTN_ANCHOR_START,
      0);
  mark->color = color;
  mark->id = g_strconcat (box->id, "-label", NULL);
}

static void
add_heads (const AttnLayoutInput *in,
           AttnScene             *scene,
           const Column          *column)
{
  const AttnDiagram *diagram = in->grid->diagram;

  for (gsize i = 0; i < diagram->n_heads; i++)
    {
      AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, ATTN_GROUP_DIAGRAM, "head");
      AttnRgb color = attn_style_get_distinct (&in->style, i);

      mark->rectangle = get_box (in, column, i);
      mark->is_filled = TRUE;
      mark->color = color;
      mark->head = i;
      mark->id = g_strdup_printf ("head-%zu", diagram->heads[i].number);
      add_label (in, scene, column, mark, i,
                 column->has_slivers ? in->style.foreground : attn_contrast_get_text (color));
    }
}

static guint8
mix (guint8 paper,
     guint8 ink)
{
  return (guint8) (paper + SLIVER_INK * (ink - paper) + 0.5);
}

static void
add_tokens (const AttnLayoutInput *in,
            AttnScene             *scene,
            const Column          *column)
{
  const AttnDiagram *diagram = in->grid->diagram;

  for (gsize i = 0; i < diagram->n_tokens; i++)
    {
      AttnMark *mark = attn_scene_add (scene, ATTN_MARK_RECTANGLE, ATTN_GROUP_DIAGRAM, "token");

      mark->rectangle = get_box (in, column, i);
      mark->is_filled = column->has_slivers;
      if (column->has_slivers)
        {
          AttnRgb paper = in->style.background;

          mark->color = (AttnRgb) { mix (paper.red, mark->color.red),
                                    mix (paper.green, mark->color.green),
                                    mix (paper.blue, mark->color.blue) };
        }
      mark->line_width = TOKEN_LINE_WIDTH;
      mark->token = i;
      mark->id = g_strdup_printf ("token-%zu", i);
      add_label (in, scene, column, mark, i, in->style.foreground);
    }
}

static void
add_links (const AttnLayoutNeeds *needs,
           AttnScene             *scene,
           const Column          *heads,
           const Column          *tokens)
{
  const AttnDiagram *diagram = needs->in->grid->diagram;
  double left = heads->x + heads->width;

  for (gsize i = 0; i < diagram->n_links; i++)
    {
      const AttnDiagramLink *link = &diagram->links[i];

      if (!needs->has_line[i])
        continue;
      AttnMark *mark = attn_scene_add (scene, ATTN_MARK_LINE, ATTN_GROUP_DIAGRAM, "link");
      double y = get_middle (heads, link->head);

      mark->rectangle =
          (AttnRectangle) { left, y, tokens->x - left, get_middle (tokens, link->token) - y };
      mark->line_width =
          diagram->has_graded_lines
              ? THINNEST_LINE + (THICKEST_LINE - THINNEST_LINE) * CLAMP (link->weight, 0, 1)
              : LINE_WIDTH;
      mark->color = attn_style_get_distinct (&needs->in->style, link->head);
      mark->head = link->head;
      mark->token = link->token;
      mark->id =
          g_strdup_printf ("head-%zu-token-%zu", diagram->heads[link->head].number, link->token);
    }
}

/* Adds a note about the number of the diagram's lines that are left out, and the reason. */
static void
add_note (const AttnLayoutPlaces *at,
          AttnScene              *scene)
{
  const AttnLayoutInput *in = at->in;
  double size = in->style.font_size * NOTE_RATIO;
  g_autofree char *text =
      g_strdup_printf ("%zu of %zu lines left out: below %g %% of their head’s attention",
                       at->needs->n_left_out, in->grid->diagram->n_links,
                       100 * at->needs->smallest_share);
  double room = attn_layout_get_diagram_room (at->fit) + at->slot_x[in->grid->n_columns - 1] +
                at->fit->slot_width - at->diagram.x - at->diagram.width;
  char *markup =
      attn_layout_fit_text (in->style.font_family, text, at->diagram.width + room, &size);
  AttnMark *mark = attn_scene_add_text (scene, ATTN_GROUP_DIAGRAM, "note", markup, at->diagram.x,
                                        at->note_y, size, ATTN_ANCHOR_START, 0);
  mark->id = g_strdup ("diagram-note");
}

/* Adds the lines of the diagram between heads and tokens, and the boxes over the ends of the
 * lines. */
void
attn_layout_add_diagram (const AttnLayoutPlaces *at,
                         AttnScene              *scene)
{
  const AttnRectangle *room = &at->diagram;
  Column heads = make_column (at->needs, TRUE, room->height);
  Column tokens = make_column (at->needs, FALSE, room->height);

  heads.x = room->x;
  heads.width = at->fit->head_width;
  tokens.x = room->x + room->width - at->fit->token_width;
  tokens.width = at->fit->token_width;
  heads.y = tokens.y = room->y;

  add_links (at->needs, scene, &heads, &tokens);
  add_heads (at->in, scene, &heads);
  add_tokens (at->in, scene, &tokens);
  if (at->needs->n_left_out > 0)
    add_note (at, scene);
}
