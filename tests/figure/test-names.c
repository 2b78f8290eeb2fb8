/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A map whose columns have names and whose rows are numbered: every second row has a label, names
 * are whole, and the panel has the shape that its maker gave it. */

#include "config.h"

#include "figure-fixture.h"

#define N_COLUMNS 5

static const char * const names[N_COLUMNS + 1] = {
  "last_q", "first_answer", "exact_answer_before_first", "exact_answer_after_last", "-1", NULL
};

static AttnGrid *
make_grid (gsize  n_rows,
           double aspect)
{
  AttnGrid *grid = attn_grid_new (1, 1);
  const gsize shape[] = { n_rows, N_COLUMNS };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, NULL);

  for (gsize i = 0; i < n_rows * N_COLUMNS; i++)
    values->data[i] = (float) i / (n_rows * N_COLUMNS);
  grid->cells[0].panel = attn_panel_new (values, ATTN_MASK_NONE, NULL, names);
  grid->cells[0].name = g_strdup ("map");
  grid->value_label = g_strdup ("AUC");
  grid->aspect = aspect;
  grid->row_step = 2;
  grid->has_names = TRUE;
  return grid;
}

static gsize
count_labels (const AttnScene *scene,
              const char      *role,
              GString         *text)
{
  gsize n = 0;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_strcmp0 (mark->role, role) != 0 || mark->kind != ATTN_MARK_TEXT)
        continue;
      g_string_append_printf (text, "%s|", mark->markup);
      n++;
    }
  return n;
}

static void
test_rows (void)
{
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  /* The last one has room for every fourth. */
  static const struct
  {
    gsize n_rows;
    double size;
    const char *labels;
  } cases[] = { { 12, 0, "0|2|4|6|8|10|" }, { 12, 600, "0|2|4|6|8|10|" }, { 100, 0, "0|4|8|12|" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnGrid) grid = make_grid (cases[i].n_rows, 1);
      g_autoptr (AttnScene) scene =
          attn_layout_figure (grid, &style, &fit, cases[i].size, cases[i].size);
      g_autoptr (GString) text = g_string_new (NULL);

      count_labels (scene, "row-label", text);
      g_assert_true (g_str_has_prefix (text->str, cases[i].labels));
    }
}

/* Of three layers the second has its name, too. */
static void
test_few_rows (void)
{
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  AttnStyle style = attn_style_default ();

  for (gsize n_rows = 3; n_rows <= 9; n_rows += 6)
    {
      g_autoptr (AttnGrid) grid = make_grid (n_rows, 0);
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
      g_autoptr (GString) labels = g_string_new (NULL);

      check_scene (scene);
      count_labels (scene, "row-label", labels);
      g_assert_cmpstr (labels->str, ==, n_rows == 3 ? "0|1|2|" : "0|2|4|6|8|");
    }
}

static void
test_columns (void)
{
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;

  for (gsize has_names = 0; has_names <= 1; has_names++)
    {
      g_autoptr (AttnGrid) grid = make_grid (12, 1.6);
      grid->has_names = has_names;
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 0, 0);
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *whole = g_strjoinv ("|", (char **) names);

      g_assert_cmpuint (count_labels (scene, "column-label", text), ==, N_COLUMNS);
      g_string_truncate (text, text->len - 1);
      /* As tokens they are cut. */
      g_assert_cmpint (g_str_equal (text->str, whole), ==, has_names);
    }
}

/* In a small window the caption yields to the names of columns, which nothing else says. */
static void
test_names_stay_before_the_caption (void)
{
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  gsize n_without_caption = 0;

  style.largest_label = 1.25 * style.font_size;
  for (double height = 400; height >= 100; height -= 5)
    {
      g_autoptr (AttnGrid) grid = make_grid (3, 1.6);
      grid->caption = g_strdup ("Attention of the last token, mean over 4 heads, relative to the "
                                "largest shown in its layer");
      g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &fit, 310, height);
      gboolean has_names = count_role (scene, ATTN_MARK_TEXT, "column-label") > 0;
      gboolean has_caption = count_role (scene, ATTN_MARK_TEXT, "caption") > 0;

      g_test_message ("%g", height);
      g_assert_true (has_names || !has_caption);
      n_without_caption += has_names && !has_caption;
    }
  g_assert_cmpuint (n_without_caption, >, 0);
}

static void
assert_aspect (const AttnScene *scene,
               double           aspect)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind != ATTN_MARK_HEATMAP)
        continue;
      g_assert_cmpfloat_with_epsilon (mark->rectangle.width / mark->rectangle.height, aspect, 1e-6);
      return;
    }
  g_assert_not_reached ();
}

static void
test_aspect (void)
{
  AttnStyle style = attn_style_default ();
  AttnViewport fit = ATTN_VIEWPORT_FIT;
  const double aspects[] = { 0.5, 1, 1.6, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (aspects); i++)
    {
      g_autoptr (AttnGrid) grid = make_grid (12, aspects[i]);
      g_autoptr (AttnScene) natural = attn_layout_figure (grid, &style, &fit, 0, 0);
      g_autoptr (AttnScene) fixed = attn_layout_figure (grid, &style, &fit, 500, 450);

      assert_aspect (natural, aspects[i]);
      assert_aspect (fixed, aspects[i]);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/names/rows", test_rows);
  g_test_add_func ("/names/few-rows", test_few_rows);
  g_test_add_func ("/names/columns", test_columns);
  g_test_add_func ("/names/stay-before-the-caption", test_names_stay_before_the_caption);
  g_test_add_func ("/names/aspect", test_aspect);
  return g_test_run ();
}
