/* SPDX-License-Identifier: GPL-3.0-or-later */

/* No text of a figure stands on another, on a panel, on a colour bar or on a curve, none leaves the
 * page, none is smaller than a journal takes, and labels that are left out are told of: every
 * preset and figures with much to say, on paper and on screens. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-effects.h"
#include "attn-layout.h"
#include "attn-left-out.h"
#include "attn-lettering.h"
#include "study-fixture.h"

/* Points; what is less is not seen. */
#define TOLERANCE 0.1

/* Between words, in sizes of the text. */
#define SPACE 0.2

#define POINTS_A_MM (72 / 25.4)

/* Points: smaller letters no journal takes. */
#define SMALLEST_TEXT 5

/* Widget pixels a point, and how much larger labels grow on a screen, as the window has it. */
#define SCALE         (4 / 3.0)
#define LARGEST_LABEL 1.25

typedef struct
{
  double left;
  double top;
  double right;
  double bottom;
  const AttnMark *mark;
  gboolean stands_in_panel;
} Box;

/* A page: 0 for as high as the figure is; of a screen what the panes leave of it. */
typedef struct
{
  const char *name;
  double width;
  double height;
  gboolean is_screen;
} Page;

static const Page pages[] = {
  { "85 mm", 85 * POINTS_A_MM, 0, FALSE },
  { "120 mm", 120 * POINTS_A_MM, 0, FALSE },
  { "180 mm", 180 * POINTS_A_MM, 0, FALSE },
  { "as it is", 0, 0, FALSE },
  { "800 x 600", 490 / SCALE, 305 / SCALE, TRUE },
  { "1280 x 860", 974 / SCALE, 597 / SCALE, TRUE },
  { "1280 x 860, inspector", 640 / SCALE, 597 / SCALE, TRUE },
  { "1920 x 1080", 1614 / SCALE, 817 / SCALE, TRUE },
  { "3840 x 2160", 3534 / SCALE, 1897 / SCALE, TRUE },
};

/* Numbers and names in cells, labels of pins and of regions stand on a panel. */
static gboolean
stands_in_panel (const AttnMark *mark)
{
  static const char * const roles[] = { "value", "name", "pin-label", "region-label", NULL };

  return g_strv_contains (roles, mark->role);
}

static Box
get_text_box (const AttnScene *scene,
              const AttnMark  *mark)
{
  double width =
      attn_lettering_measure (scene->style.font_family, mark->markup, mark->font_size);
  double start = -attn_lettering_get_shift (mark->anchor) * width;
  /* Numbers have no descents. */
  gboolean is_number = g_str_equal (mark->role, "tick");
  double ascent = (is_number ? 2 * ATTN_LETTERING_DIGIT_MIDDLE : ATTN_LETTERING_ASCENT) *
                  mark->font_size;
  double descent = is_number ? 0 : ATTN_LETTERING_DESCENT * mark->font_size;
  double x = mark->rectangle.x;
  double y = mark->rectangle.y;

  if (mark->angle == 0)
    return (Box) { x + start, y - ascent, x + start + width, y + descent, mark,
                   stands_in_panel (mark) };
  g_assert_cmpfloat (mark->angle, ==, 90);
  return (Box) { x - ascent, y - start - width, x + descent, y - start, mark,
                 stands_in_panel (mark) };
}

static gboolean
overlap (const Box *a,
         const Box *b)
{
  return a->left < b->right - TOLERANCE && b->left < a->right - TOLERANCE &&
         a->top < b->bottom - TOLERANCE && b->top < a->bottom - TOLERANCE;
}

/* Returns the least distance between texts on a line: a space; in a table, where spaces stand
 * within the numbers, a digit. */
static double
get_space (const AttnScene *scene,
           const Box       *a,
           const Box       *b)
{
  double size = MIN (a->mark->font_size, b->mark->font_size);

  if (!g_str_has_prefix (a->mark->role, "number") || !g_str_has_prefix (b->mark->role, "number"))
    return SPACE * size;
  return attn_lettering_measure (scene->style.font_family, "0", size) - TOLERANCE;
}

/* Tells whether one text follows another on the same line without a space. */
static gboolean
run_together (const AttnScene *scene,
              const Box       *a,
              const Box       *b)
{
  if (a->mark->kind != ATTN_MARK_TEXT || b->mark->kind != ATTN_MARK_TEXT ||
      a->mark->angle != 0 || b->mark->angle != 0 ||
      fabs (a->mark->rectangle.y - b->mark->rectangle.y) >= a->mark->font_size / 2)
    return FALSE;

  double space = get_space (scene, a, b);
  return b->left - a->right < space && a->left - b->right < space;
}

static const char *
get_words (const Box *box)
{
  return box->mark->markup != NULL ? box->mark->markup : box->mark->role;
}

/* Tells whether the middle or an end of a piece of a curve lies in a box. */
static gboolean
is_piece_in (const Box       *box,
             const AttnPoint *from,
             const AttnPoint *to)
{
  for (guint i = 0; i <= 8; i++)
    {
      double x = from->x + (to->x - from->x) * i / 8;
      double y = from->y + (to->y - from->y) * i / 8;

      if (x > box->left + TOLERANCE && x < box->right - TOLERANCE && y > box->top + TOLERANCE &&
          y < box->bottom - TOLERANCE)
        return TRUE;
    }
  return FALSE;
}

/* Tells whether a curve, or the sample of one, runs through a box. */
static gboolean
is_crossed (const Box      *box,
            const AttnMark *curve)
{
  const AttnRectangle *r = &curve->rectangle;
  const AttnPoint ends[] = { { r->x, r->y }, { r->x + r->width, r->y + r->height } };

  if (curve->kind == ATTN_MARK_LINE)
    return is_piece_in (box, &ends[0], &ends[1]);
  for (gsize i = 0; i + 1 < curve->n_points; i++)
    if (is_piece_in (box, &curve->points[i], &curve->points[i + 1]))
      return TRUE;
  return FALSE;
}

static int
compare_left (gconstpointer a,
              gconstpointer b)
{
  double difference = ((const Box *) a)->left - ((const Box *) b)->left;

  return difference < 0 ? -1 : difference > 0;
}

/* Counts what collides, and says it. */
static guint
count_collisions (const AttnScene *scene,
                  const char      *figure,
                  const Page      *page)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (Box));
  g_autoptr (GPtrArray) curves = g_ptr_array_new ();
  guint n = 0;

  for (guint i = 0; i < scene->marks->len; i++)
    {
      AttnMark *mark = g_ptr_array_index (scene->marks, i);
      const AttnRectangle *r = &mark->rectangle;
      Box box = { r->x, r->y, r->x + r->width, r->y + r->height, mark, FALSE };

      if ((mark->kind == ATTN_MARK_LINE || mark->kind == ATTN_MARK_CURVE) &&
          g_strcmp0 (mark->role, "curve") == 0)
        g_ptr_array_add (curves, mark);
      if (mark->kind == ATTN_MARK_TEXT)
        box = get_text_box (scene, mark);
      else if (mark->kind != ATTN_MARK_HEATMAP && mark->kind != ATTN_MARK_COLORBAR)
        continue;
      g_array_append_val (boxes, box);
      if (box.left >= -TOLERANCE && box.top >= -TOLERANCE &&
          box.right <= scene->width + TOLERANCE && box.bottom <= scene->height + TOLERANCE)
        continue;
      g_test_message ("%s, %s: “%s” (%s) leaves the page", figure, page->name, get_words (&box),
                      mark->role);
      n++;
    }
  g_array_sort (boxes, compare_left);
  for (guint i = 0; i < boxes->len; i++)
    {
      const Box *a = &g_array_index (boxes, Box, i);

      for (guint j = i + 1; j < boxes->len; j++)
        {
          const Box *b = &g_array_index (boxes, Box, j);
          gboolean is_of_panel =
              (a->mark->kind != ATTN_MARK_TEXT && (b->mark->kind != ATTN_MARK_TEXT ||
                                                   b->stands_in_panel)) ||
              (b->mark->kind != ATTN_MARK_TEXT && a->stands_in_panel);

          if (b->left >= a->right + a->mark->font_size)
            break;
          if (is_of_panel || !(overlap (a, b) || run_together (scene, a, b)))
            continue;
          g_test_message ("%s, %s: “%s” (%s) is on “%s” (%s)", figure, page->name,
                          get_words (a), a->mark->role, get_words (b), b->mark->role);
          n++;
        }
      for (guint j = 0; j < curves->len && a->mark->kind == ATTN_MARK_TEXT; j++)
        {
          if (!is_crossed (a, g_ptr_array_index (curves, j)))
            continue;
          g_test_message ("%s, %s: a curve runs through “%s”", figure, page->name,
                          get_words (a));
          n++;
          break;
        }
    }
  return n;
}

/* Tells whether labels of the rows of a panel are missing that others of it have, and nothing says
 * so. */
static gboolean
hides_labels (const AttnScene *scene)
{
  gsize n_cells = scene->grid->n_rows * scene->grid->n_columns;
  g_autofree gsize *n_labels = g_new0 (gsize, n_cells);
  g_autofree char *left_out = attn_scene_list_left_out (scene, TRUE);

  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->group >= 0 && g_str_equal (mark->role, "row-label"))
        n_labels[mark->group]++;
    }
  for (gsize i = 0; i < n_cells; i++)
    if (n_labels[i] > 0 && n_labels[i] < attn_panel_get_n_rows (scene->grid->cells[i].panel))
      return left_out == NULL;
  return FALSE;
}

static guint
count_small_texts (const AttnScene *scene,
                   const char      *figure,
                   const Page      *page)
{
  double size = attn_scene_get_smallest_text (scene);

  if (page->is_screen || size == 0 || size >= SMALLEST_TEXT - TOLERANCE)
    return 0;
  g_test_message ("%s, %s: text of %.2f points", figure, page->name, size);
  return 1;
}

/* Counts texts that are cut, which a reader could not complete. */
static guint
count_cut_texts (const AttnScene *scene,
                 const char      *figure,
                 const Page      *page)
{
  guint n = 0;

  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind != ATTN_MARK_TEXT || strstr (mark->markup, "…") == NULL)
        continue;
      g_test_message ("%s, %s: “%s” (%s) is cut", figure, page->name, mark->markup, mark->role);
      n++;
    }
  return n;
}

static guint
count_in_pages (AttnGrid        *grid,
                const AttnStyle *style,
                const char      *figure)
{
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      AttnStyle paper = attn_style_get_paper (style);

      if (pages[i].is_screen)
        {
          paper = *style;
          paper.largest_label = LARGEST_LABEL * style->font_size;
        }
      g_autoptr (AttnScene) scene =
          attn_layout_figure (grid, &paper, &fit, pages[i].width, pages[i].height);
      n += count_collisions (scene, figure, &pages[i]);
      n += count_small_texts (scene, figure, &pages[i]);
      if (!hides_labels (scene))
        continue;
      g_test_message ("%s, %s: labels are missing without a word", figure, pages[i].name);
      n++;
    }
  return n;
}

static void
check_grid (AttnGrid        *grid,
            const AttnStyle *style,
            const char      *figure)
{
  g_assert_cmpuint (count_in_pages (grid, style, figure), ==, 0);
}

/* --- Presets ---------------------------------------------------------------------------------- */

static AttnStudy *
load (const char *name)
{
  AttnStudy *study = fixture_load (name);

  for (gsize i = 0; i < ATTN_N_SURVEY_CHARTS; i++)
    study->survey.charts[i] = study->survey.charts[i] || study->survey.charts[0];
  return study;
}

/* Runs the study with all that it shows of the prediction, as a figure that is written has it. */
static AttnResult *
run (const AttnStudy *study,
     AttnWorkspace   *workspace)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) given = attn_study_copy (study);
  AttnResult *result = attn_effects_run (given, workspace, NULL, NULL, &error);

  g_assert_no_error (error);
  return result;
}

/* On paper no preset cuts a word: not at the widths of a journal’s columns, nor at its own. */
static void
test_words_are_whole (gconstpointer name)
{
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnStudy) study = load (name);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  guint n = 0;

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = run (study, workspace);
  AttnStyle paper = attn_style_get_paper (&study->style);
  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      if (pages[i].is_screen)
        continue;
      g_autoptr (AttnScene) scene =
          attn_layout_figure (result->grid, &paper, &fit, pages[i].width, pages[i].height);
      n += count_cut_texts (scene, name, &pages[i]);
    }
  g_assert_cmpuint (n, ==, 0);
}

/* As it is, and with what else one may ask of it: other scales and bars, numbers, positions, larger
 * and smaller letters. */
static void
test_preset (gconstpointer name)
{
  g_autoptr (AttnStudy) study = load (name);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  guint n = 0;

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnResult) result = run (study, workspace);
  n += count_in_pages (result->grid, &study->style, name);
  for (guint scale = 0; scale < ATTN_N_SCALES; scale++)
    for (guint scope = 0; scope < ATTN_N_RANGE_SCOPES; scope++)
      for (guint variant = 0; variant < 3; variant++)
        {
          static const double sizes[] = { 1, 0.75, 1.5 };
          AttnStyle style = study->style;
          g_autofree char *figure = g_strdup_printf (
              "%s, %s a %s, %u", (const char *) name, attn_scale_kind_names[scale],
              attn_range_scope_names[scope], variant);

          style.scale = scale;
          style.range_scope = scope;
          style.range = variant == 0 ? ATTN_RANGE_DATA : study->style.range;
          style.shows_values = variant == 0;
          style.shows_positions = variant == 1;
          style.has_masked_color = variant == 2;
          style.font_size *= sizes[variant];
          n += count_in_pages (result->grid, &style, figure);
        }
  g_assert_cmpuint (n, ==, 0);
}

/* --- What is looked for ----------------------------------------------------------------------- */

static void
add_text (AttnScene  *scene,
          const char *text,
          double      x,
          double      y)
{
  AttnMark *mark = attn_scene_add (scene, ATTN_MARK_TEXT, -1, "row-label");

  mark->markup = g_strdup (text);
  mark->rectangle.x = x;
  mark->rectangle.y = y;
  mark->font_size = 10;
}

/* Texts that do collide are seen. */
static void
test_collisions_are_seen (void)
{
  AttnStyle style = attn_style_default ();
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  g_autoptr (AttnScene) scene = attn_scene_new (100, 100, &style, grid);

  add_text (scene, "H10", 20, 20);
  add_text (scene, "H11", 20, 40);
  g_assert_cmpuint (count_collisions (scene, "a scene", &pages[0]), ==, 0);
  add_text (scene, "H12", 25, 25);
  g_assert_cmpuint (count_collisions (scene, "a scene", &pages[0]), ==, 1);
  add_text (scene, "H14", 50, 60);
  add_text (scene, "H15", 50 + attn_lettering_measure (style.font_family, "H14", 10) + 1, 60);
  g_assert_cmpuint (count_collisions (scene, "a scene", &pages[0]), ==, 2);
  add_text (scene, "H13", 95, 90);
  g_assert_cmpuint (count_collisions (scene, "a scene", &pages[0]), ==, 3);
  AttnMark *sample = attn_scene_add (scene, ATTN_MARK_LINE, -1, "curve");
  sample->rectangle = (AttnRectangle) { 0, 38, 60, 0 };
  g_assert_cmpuint (count_collisions (scene, "a scene", &pages[0]), ==, 4);
  /* It is interrupted over “H14”. */
  AttnMark *curve = attn_scene_add (scene, ATTN_MARK_CURVE, -1, "curve");
  curve->n_points = 5;
  curve->points = g_new (AttnPoint, curve->n_points);
  for (gsize i = 0; i < curve->n_points; i++)
    curve->points[i] = (AttnPoint) { 24.0 * (double) i, i == 2 ? NAN : i < 2 ? 8
                                                                             : 58 };
  g_assert_cmpuint (count_collisions (scene, "a scene", &pages[0]), ==, 5);
}

/* --- Much to say ------------------------------------------------------------------------------ */

static void
test_four_inputs (void)
{
  static const char * const texts[] = {
    "A rose is a rose, and a red rose is a rose.",
    "It is I; I am the gardener and the gardener is I.",
    "The list is bread and milk; once again, bread and milk.",
    "Internationalisation of antidisestablishmentarianism, incomprehensibilities aside."
  };
  g_autoptr (AttnStudy) study = fixture_load ("mean-operation");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  g_ptr_array_set_size (study->inputs, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    g_ptr_array_add (study->inputs, attn_input_new_text (texts[i], 40));
  g_autoptr (AttnResult) result = run (study, workspace);
  check_grid (result->grid, &study->style, "four inputs");
}

/* Effects below each of as many panels as fit. */
static void
test_effects (gconstpointer name)
{
  g_autoptr (AttnStudy) study = fixture_load (name);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  for (guint variant = 0; variant < 4; variant++)
    {
      g_autofree char *figure =
          g_strdup_printf ("effects of %s, %u", (const char *) name, variant);
      AttnStyle style = study->style;

      study->effects[ATTN_SHOWN_NUMBERS] = TRUE;
      study->effects[ATTN_SHOWN_CURVE] = variant / 2 != 0;
      study->has_baseline_column = variant % 2 != 0;
      g_autoptr (AttnResult) result = run (study, workspace);
      check_grid (result->grid, &style, figure);
      style.font_size *= 1.5;
      check_grid (result->grid, &style, figure);
    }
}

static GStrv
make_names (const char *format,
            gsize       n)
{
  GStrv names = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    names[i] = g_strdup_printf (format, i);
  return names;
}

static AttnPanel *
make_panel (gsize               n_rows,
            gsize               n_columns,
            AttnMask            mask,
            const char * const *row_labels,
            const char * const *column_labels)
{
  const gsize shape[] = { n_rows, n_columns };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);

  for (gsize row = 0; row < n_rows; row++)
    for (gsize column = 0; column < n_columns; column++)
      if (mask != ATTN_MASK_CAUSAL || column <= row)
        values->data[row * n_columns + column] = (float) (column + 1) / (float) (n_columns + row);
  return attn_panel_new (values, mask, row_labels, column_labels);
}

/* A head a cell, of a model of @n layers and heads. */
static void
test_map_of_heads (gconstpointer data)
{
  gsize n = GPOINTER_TO_SIZE (data);
  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  g_auto (GStrv) layers = make_names ("L%zu", n);
  g_auto (GStrv) heads = make_names ("H%zu", n);
  AttnStyle style = attn_style_default ();

  grid->cells[0].panel = make_panel (n, n, ATTN_MASK_NONE, (const char * const *) layers,
                                     (const char * const *) heads);
  grid->row_title = g_strdup ("Layer");
  grid->column_title = g_strdup ("Head");
  grid->value_label = g_strdup ("Induction score");
  grid->caption = g_strdup ("Induction score of each head");
  style.shows_values = TRUE;
  check_grid (grid, &style, "map of heads");
}

/* A thumbnail a head. */
static void
test_atlas (gconstpointer data)
{
  gsize n = GPOINTER_TO_SIZE (data);
  g_autoptr (AttnGrid) grid = attn_grid_new (n, n);
  g_auto (GStrv) labels = make_names ("token%zu", 12);
  AttnStyle style = attn_style_default ();

  for (gsize i = 0; i < n * n; i++)
    {
      grid->cells[i].panel = make_panel (12, 12, ATTN_MASK_CAUSAL, (const char * const *) labels,
                                         (const char * const *) labels);
      grid->cells[i].title = g_strdup_printf ("L%zu H%zu", i / n, i % n);
      grid->cells[i].name = g_strdup_printf ("L%zu H%zu", i / n, i % n);
    }
  grid->row_headings = make_names ("L%zu", n);
  grid->column_headings = make_names ("H%zu", n);
  check_grid (grid, &style, "atlas");
}

/* Tokens as long as words get, some of them, and more than there is room for. */
static void
test_long_tokens (gconstpointer data)
{
  gsize n = GPOINTER_TO_SIZE (data);
  g_autoptr (AttnGrid) grid = attn_grid_new (2, 3);
  g_auto (GStrv) labels = make_names ("␣antidisestablishmentarianism%zu", n);
  AttnStyle style = attn_style_default ();

  for (gsize i = 1; i < n; i += 2)
    {
      g_free (labels[i]);
      labels[i] = g_strdup ("␣a");
    }
  for (gsize i = 0; i < 6; i++)
    {
      grid->cells[i].panel = make_panel (n, n, ATTN_MASK_CAUSAL, (const char * const *) labels,
                                         (const char * const *) labels);
      grid->cells[i].title = g_strdup_printf ("Taking the Mean of <i>Query</i> (Input %zu)", i + 1);
      grid->cells[i].name = g_strdup_printf ("Input %zu", i + 1);
    }
  grid->caption = g_strdup ("The Mean Operation For <i>Query</i>, <i>Key</i> and <i>Value</i>");
  check_grid (grid, &style, "long tokens");
}

/* Compounds, letters with marks above, and letters as wide as they are high. */
static void
test_other_scripts (gconstpointer data)
{
  static const char * const words[][8] = {
    { "␣Donaudampfschifffahrt", "␣Größenverhältnisse", "␣über", "␣Ärger", "sgesellschaft",
      "␣Straße", ".", NULL },
    { "注意", "の", "シンクスコア", "は", "ヘッドごとに", "計算される", "。", NULL },
  };
  const char * const *labels = words[GPOINTER_TO_SIZE (data)];
  gsize n = g_strv_length ((char **) labels);
  g_autoptr (AttnGrid) grid = attn_grid_new (3, 3);
  AttnStyle style = attn_style_default ();

  for (gsize i = 0; i < 9; i++)
    {
      grid->cells[i].panel = make_panel (n, n, ATTN_MASK_CAUSAL, labels, labels);
      grid->cells[i].title = g_strdup_printf ("%s <i>%s</i> (%zu)", labels[0], labels[2], i);
      grid->cells[i].name = g_strdup (labels[2]);
    }
  grid->caption = g_strjoinv (" ", (char **) labels);
  check_grid (grid, &style, labels[0]);
}

int
main (int    argc,
      char **argv)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);
  static const gsize sizes[] = { 4, 12, 32 };

  g_test_init (&argc, &argv, NULL);
  /* All that collides is told. */
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/study/collisions/are-seen", test_collisions_are_seen);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autofree char *path = g_strdup_printf ("/study/collisions/%s", presets[i].name);

      g_autofree char *words = g_strdup_printf ("%s/whole-words", path);

      g_test_add_data_func (path, presets[i].name, test_preset);
      g_test_add_data_func (words, presets[i].name, test_words_are_whole);
    }
  g_test_add_func ("/study/collisions/four-inputs", test_four_inputs);
  g_test_add_data_func ("/study/collisions/effects/epsilon", "epsilon", test_effects);
  g_test_add_data_func ("/study/collisions/effects/mean-operation", "mean-operation", test_effects);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *map = g_strdup_printf ("/study/collisions/map-of-heads/%zu", sizes[i]);
      g_autofree char *atlas = g_strdup_printf ("/study/collisions/atlas/%zu", sizes[i]);
      g_autofree char *tokens = g_strdup_printf ("/study/collisions/long-tokens/%zu", sizes[i]);

      g_test_add_data_func (map, GSIZE_TO_POINTER (sizes[i]), test_map_of_heads);
      if (sizes[i] <= 12)
        g_test_add_data_func (atlas, GSIZE_TO_POINTER (sizes[i]), test_atlas);
      g_test_add_data_func (tokens, GSIZE_TO_POINTER (sizes[i]), test_long_tokens);
    }
  g_test_add_data_func ("/study/collisions/german", GSIZE_TO_POINTER (0), test_other_scripts);
  g_test_add_data_func ("/study/collisions/japanese", GSIZE_TO_POINTER (1), test_other_scripts);
  return g_test_run ();
}
