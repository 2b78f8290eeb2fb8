/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A page with more room says no less than one with less, and no text of it is smaller: every preset
 * over rising widths and heights, on paper and on screens. */

#include "config.h"

#include "attn-effects.h"
#include "attn-layout.h"
#include "study-fixture.h"

/* Points; what is less is not seen. */
#define TOLERANCE 0.1

/* Points: token labels and titles of this size are as easy to read as larger ones. They shrink to
 * it where colour bars come to stand beside the panels instead of below them. */
#define READABLE_LABEL 6

#define POINTS_A_MM (72 / 25.4)

/* How much larger labels grow on a screen, as the window has it. */
#define LARGEST_LABEL 1.25

/* Places in the table below. */
enum
{
  ROW_LABELS,
  COLUMN_LABELS,
};

/* What a scene says, by the role of its texts. */
static const struct
{
  const char *role;
  gboolean is_counted; /* more of them say more */
  double readable;     /* points: larger texts say no more */
} roles[] = {
  [ROW_LABELS] = { "row-label", TRUE, READABLE_LABEL },
  [COLUMN_LABELS] = { "column-label", TRUE, READABLE_LABEL },
  { "axis-label", TRUE, G_MAXDOUBLE },
  { "heading", FALSE, G_MAXDOUBLE },
  { "title", FALSE, READABLE_LABEL },
  { "caption", FALSE, G_MAXDOUBLE },
  { "numbers", FALSE, G_MAXDOUBLE },
  { "tick", FALSE, G_MAXDOUBLE },
};

/* A page: 0 for as high as the figure is. */
typedef struct
{
  double width;
  double height;
} Page;

/* Parts of which there can be some or none. Titles and headings say the same. */
static const char * const parts[][2] = {
  { "caption" },
  { "title", "heading" },
  { "colorbar" },
  { "curve" },
  { "bar-axis" },
  { "numbers" },
  { "diagram-box" },
};

/* What a page says. */
typedef struct
{
  guint n[G_N_ELEMENTS (roles)];
  double size[G_N_ELEMENTS (roles)]; /* the smallest */
  guint n_bars;                      /* beside the panels, which take room and need words */
  guint n_names;                     /* of axes and colour bars, not smaller than other text */
  guint n_values;                    /* in cells */
  guint parts;                       /* a bit each */
  double panel_width;                /* of the first */
} Said;

static void
add_mark (Said            *said,
          const AttnStyle *style,
          const AttnMark  *mark)
{
  const char *name = mark->role != NULL ? mark->role : "";

  said->n_bars += g_str_equal (name, "bar-axis");
  said->n_names += g_str_equal (name, "axis-label") && mark->font_size >= style->font_size;
  said->n_values += g_str_equal (name, "value");
  if (mark->kind == ATTN_MARK_HEATMAP && said->panel_width <= 0)
    said->panel_width = mark->rectangle.width;
  for (gsize part = 0; part < G_N_ELEMENTS (parts); part++)
    for (gsize i = 0; i < 2; i++)
      if (g_strcmp0 (name, parts[part][i]) == 0)
        said->parts |= 1u << part;
  for (gsize role = 0; role < G_N_ELEMENTS (roles) && mark->kind == ATTN_MARK_TEXT; role++)
    {
      double size = MIN (mark->font_size, roles[role].readable);

      if (!g_str_equal (name, roles[role].role))
        continue;
      said->size[role] = said->n[role] > 0 ? MIN (said->size[role], size) : size;
      said->n[role]++;
    }
}

static Said
find_said (AttnGrid        *grid,
           const AttnStyle *style,
           const Page      *page)
{
  const AttnViewport fit = ATTN_VIEWPORT_FIT;
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, style, &fit, page->width, page->height);
  Said said = { 0 };

  for (guint i = 0; i < scene->marks->len; i++)
    add_mark (&said, style, attn_scene_get_mark (scene, i));
  return said;
}

/* Counts what is said less of than on a smaller page, and says it. Texts may be smaller where there
 * are more of them, or bars that the smaller page had no room for. */
static guint
count_losses (AttnGrid        *grid,
              const AttnStyle *style,
              const char      *figure,
              const Page      *pages,
              gsize            n_pages)
{
  Said most = find_said (grid, style, &pages[0]);
  guint n = 0;

  for (gsize i = 1; i < n_pages; i++)
    {
      Said said = find_said (grid, style, &pages[i]);

      for (gsize role = 0; role < G_N_ELEMENTS (roles); role++)
        {
          gboolean is_more = said.n[role] > most.n[role] || said.n_bars > most.n_bars;
          gboolean is_fewer = roles[role].is_counted && said.n[role] < most.n[role];
          gboolean is_smaller = said.n[role] > 0 && !is_more &&
                                said.size[role] < most.size[role] - TOLERANCE;

          if (is_fewer || is_smaller)
            g_test_message ("%s, %s, %.0f x %.0f: %u of %s at %.2f points, %u at %.2f before",
                            figure, style->largest_label > 0 ? "screen" : "paper",
                            pages[i].width, pages[i].height, said.n[role], roles[role].role,
                            said.size[role], most.n[role], most.size[role]);
          n += is_fewer || is_smaller;
          if (is_more || said.size[role] > most.size[role])
            most.size[role] = said.size[role];
          most.n[role] = MAX (most.n[role], said.n[role]);
        }
      most.n_bars = MAX (most.n_bars, said.n_bars);
    }
  return n;
}

/* By how much panels are larger where names of axes, or labels, yield to them. */
#define CLEARLY_LARGER 1.05

/* Counts pages that say less of something than the one before, which has less room, and more of
 * nothing, in panels that are hardly larger. */
static guint
count_poorer (AttnGrid        *grid,
              const AttnStyle *style,
              const char      *figure,
              const Page      *pages,
              gsize            n_pages)
{
  Said last = find_said (grid, style, &pages[0]);
  guint n = 0;

  for (gsize i = 1; i < n_pages; i++)
    {
      Said shown = find_said (grid, style, &pages[i]);
      gboolean is_less = shown.n[ROW_LABELS] < last.n[ROW_LABELS] ||
                         shown.n[COLUMN_LABELS] < last.n[COLUMN_LABELS] ||
                         shown.n_names < last.n_names || (last.parts & ~shown.parts) != 0;
      gboolean is_more = shown.n[ROW_LABELS] > last.n[ROW_LABELS] ||
                         shown.n[COLUMN_LABELS] > last.n[COLUMN_LABELS] ||
                         shown.n_names > last.n_names || shown.n_values > last.n_values ||
                         (shown.parts & ~last.parts) != 0 ||
                         shown.panel_width > CLEARLY_LARGER * last.panel_width;

      if (is_less && !is_more)
        {
          g_test_message ("%s, %.0f x %.0f: %u + %u labels, %u names, parts %x; %u + %u, %u, %x "
                          "before",
                          figure, pages[i].width, pages[i].height, shown.n[ROW_LABELS],
                          shown.n[COLUMN_LABELS], shown.n_names, shown.parts, last.n[ROW_LABELS],
                          last.n[COLUMN_LABELS], last.n_names, last.parts);
          n++;
        }
      last = shown;
    }
  return n;
}

static void
test_preset (gconstpointer name)
{
  g_autoptr (AttnStudy) study = fixture_load (name);
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;
  Page pages[86];
  guint n = 0;

  if (!fixture_has_model ())
    return;
  g_autoptr (AttnStudy) given = attn_study_copy (study);
  g_autoptr (AttnResult) result = attn_effects_run (given, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  AttnStyle style = attn_style_get_paper (&study->style);

  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    pages[i] = (Page) { (70 + 2 * i) * POINTS_A_MM, 0 };
  n += count_losses (result->grid, &style, name, pages, G_N_ELEMENTS (pages));
  style = study->style;
  style.largest_label = LARGEST_LABEL * style.font_size;
  for (gsize height = 250; height < 900; height += 200)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
        pages[i] = (Page) { 350 + 12 * i, height };
      n += count_poorer (result->grid, &style, name, pages, G_N_ELEMENTS (pages));
    }
  for (gsize width = 350; width < 1300; width += 200)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
        pages[i] = (Page) { width, 200 + 8 * i };
      n += count_poorer (result->grid, &style, name, pages, G_N_ELEMENTS (pages));
    }
  g_assert_cmpuint (n, ==, 0);
}

int
main (int    argc,
      char **argv)
{
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  g_test_init (&argc, &argv, NULL);
  /* All that is lost is told. */
  g_test_set_nonfatal_assertions ();
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autofree char *path = g_strdup_printf ("/study/more-room/%s", presets[i].name);

      g_test_add_data_func (path, presets[i].name, test_preset);
    }
  return g_test_run ();
}
