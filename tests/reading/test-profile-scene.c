/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The drawing of a profile: its bars, its list, and what is at a place. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-lettering.h"
#include "attn-profile-scene.h"

#define WIDTH       240.0
#define LINE_HEIGHT 20.0
#define N_LISTED    3
#define CURSOR      2
#define LARGE       321 /* place of the largest of many values */

/* Pixels: places are sums and products of numbers below a thousand in double precision. */
#define TOLERANCE 1e-9

/* The first is the longest bar, and one is negative. */
static const float values[] = { 0.5f, 0.25f, -0.25f, 0.125f };
static const float before[] = { 0.25f, 0.5f, 0.125f, 0.0f };
static const char * const names[] = { "the output of the attention of layer 1",
                                      "the output of the attention of layer 2", "c", "d", NULL };

static AttnPanel *
make_panel (const float        *row,
            gsize               n,
            const char * const *labels)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTensor) tensor = attn_tensor_new (2, (gsize[]) { 1, n }, &error);

  g_assert_no_error (error);
  memcpy (tensor->data, row, n * sizeof *row);
  return attn_panel_new (tensor, ATTN_MASK_NONE, NULL, labels);
}

/* @old: (nullable): [n], without the intervention */
static AttnProfile *
read_profile (const float        *row,
              const float        *old,
              gsize               n,
              const char * const *labels)
{
  g_autoptr (AttnPanel) panel = make_panel (row, n, labels);
  g_autoptr (AttnPanel) baseline = old != NULL ? make_panel (old, n, labels) : NULL;
  const gsize first = 0;
  AttnProfile *profile = attn_profile_new (ATTN_PROFILE_ROWS, panel, baseline, &first, 1);

  profile->has_names = labels != NULL;
  attn_profile_read (profile, NULL);
  return profile;
}

/* @top: (out caller-allocates): [N_LISTED], what the plan lists */
static AttnProfilePlan
make_plan (const AttnProfile *profile,
           gsize             *top)
{
  return (AttnProfilePlan) {
    .width = WIDTH,
    .line_height = LINE_HEIGHT,
    .baseline = 14,
    .number_width = 50,
    .top = top,
    .n_top = attn_profile_get_top (profile, top, N_LISTED),
    .focus = -1,
    .mark = CURSOR,
  };
}

static AttnScene *
lay_out (const AttnProfilePlan *plan,
         const AttnProfile     *profile)
{
  AttnStyle style = attn_style_default ();

  return attn_profile_scene_new (plan, &style, (AttnRgb) { 255, 0, 0 }, profile);
}

/* Returns the nth mark with a role. */
static const AttnMark *
find_mark (const AttnScene *scene,
           const char      *role,
           gsize            n)
{
  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (g_str_equal (mark->role, role) && n-- == 0)
        return mark;
    }
  g_assert_not_reached ();
}

/* Bars stand on the line of 0, downwards if they are negative, and are as long as their values say
 * of the first one's; a line at each value before the intervention, 2 pixels thick, on whole
 * pixels. */
static void
test_bars_are_where_their_values_are (void)
{
  gsize top[N_LISTED];
  g_autoptr (AttnProfile) profile = read_profile (values, before, 4, names);
  const AttnProfilePlan plan = make_plan (profile, top);
  g_autoptr (AttnScene) scene = lay_out (&plan, profile);
  const AttnRectangle *first = &find_mark (scene, "bar", 0)->rectangle;
  double zero = first->y + first->height;
  double scale = first->height / values[0];

  for (gsize i = 0; i < 4; i++)
    {
      const AttnRectangle *bar = &find_mark (scene, "bar", i)->rectangle;

      g_assert_cmpfloat_with_epsilon (bar->height, fabs (values[i]) * scale, TOLERANCE);
      g_assert_cmpfloat_with_epsilon (values[i] < 0 ? bar->y : bar->y + bar->height, zero,
                                      TOLERANCE);
      if (before[i] != 0)
        g_assert_cmpfloat (fabs (find_mark (scene, "baseline", i)->rectangle.y + 1 - zero +
                                 before[i] * scale),
                           <=, 1);
    }
}

/* Of values that share a pixel the one farthest from 0 is drawn, wherever it is among them. */
static void
test_large_value_stays_visible (void)
{
  enum
  {
    N = 1000
  };
  float many[N] = { 0 };
  gsize top[N_LISTED];

  many[LARGE] = 1;
  g_autoptr (AttnProfile) profile = read_profile (many, NULL, N, NULL);
  AttnProfilePlan plan = make_plan (profile, top);
  plan.n_top = 0;
  g_autoptr (AttnScene) scene = lay_out (&plan, profile);
  gsize n_visible = 0;

  for (guint i = 0; i < (guint) WIDTH; i++)
    {
      const AttnRectangle *bar = &find_mark (scene, "bar", i)->rectangle;

      if (bar->height == 0)
        continue;
      n_visible++;
      g_assert_cmpfloat (bar->x, ==, floor (LARGE * WIDTH / N));
    }
  g_assert_cmpuint (n_visible, ==, 1);
}

/* What is drawn of a value leads to it: its bar, and its line in the list. */
static void
test_place_tells_its_value (void)
{
  gsize top[N_LISTED];
  gsize index = 99;
  g_autoptr (AttnProfile) profile = read_profile (values, before, 4, names);
  const AttnProfilePlan plan = make_plan (profile, top);
  g_autoptr (AttnScene) scene = lay_out (&plan, profile);

  for (gsize i = 0; i < 4; i++)
    {
      const AttnRectangle *bar = &find_mark (scene, "bar", i)->rectangle;

      g_assert_true (attn_profile_scene_hit (&plan, profile, bar->x + bar->width / 2,
                                             bar->y + bar->height / 2, &index));
      g_assert_cmpuint (index, ==, i);
    }
  for (gsize line = 0; line < N_LISTED; line++)
    {
      const AttnRectangle *bar = &find_mark (scene, "bar", 4 + line)->rectangle;

      g_assert_true (
          attn_profile_scene_hit (&plan, profile, 5, bar->y + bar->height / 2, &index));
      g_assert_cmpuint (index, ==, top[line]);
    }
  g_assert_false (attn_profile_scene_hit (&plan, profile, 5, scene->height + 1, &index));

  const AttnRectangle *cursor = &find_mark (scene, "cursor", 0)->rectangle;
  g_assert_true (
      attn_profile_scene_hit (&plan, profile, cursor->x + cursor->width / 2, cursor->y, &index));
  g_assert_cmpuint (index, ==, CURSOR);
}

/* Names that differ at their end still do once they are cut, and end before the bars. */
static void
test_cut_names_keep_their_end (void)
{
  gsize top[N_LISTED];
  g_autoptr (AttnProfile) profile = read_profile (values, before, 4, names);
  const AttnProfilePlan plan = make_plan (profile, top);
  g_autoptr (AttnScene) scene = lay_out (&plan, profile);

  for (gsize line = 0; line < 2; line++)
    {
      const AttnMark *label = find_mark (scene, "row-label", line);
      double width = attn_lettering_measure (scene->style.font_family, label->markup,
                                             label->font_size);

      g_assert_nonnull (strstr (label->markup, "…"));
      g_assert_true (g_str_has_prefix (label->markup, "the"));
      g_assert_true (g_str_has_suffix (label->markup, line == 0 ? "1" : "2"));
      g_assert_cmpfloat (width, <=, find_mark (scene, "bar", 4 + line)->rectangle.x);
    }
}

/* The number without the intervention stands left of that with it; without one there is one. */
static void
test_baseline_comes_first (void)
{
  gsize top[N_LISTED];
  g_autoptr (AttnProfile) both = read_profile (values, before, 4, names);
  g_autoptr (AttnProfile) alone = read_profile (values, NULL, 4, names);
  const AttnProfilePlan plan = make_plan (both, top);
  g_autoptr (AttnScene) scene = lay_out (&plan, both);
  g_autoptr (AttnScene) other = lay_out (&plan, alone);

  for (gsize line = 0; line < 2; line++)
    {
      const AttnMark *first = find_mark (scene, "value", 2 * line);
      const AttnMark *second = find_mark (scene, "value", 2 * line + 1);
      const AttnMark *only = find_mark (other, "value", line);
      g_autofree char *old = g_strdup_printf ("%.3f", before[top[line]]);
      g_autofree char *now = g_strdup_printf ("%.3f", values[top[line]]);

      g_assert_cmpstr (first->markup, ==, old);
      g_assert_cmpstr (second->markup, ==, now);
      g_assert_cmpfloat (first->rectangle.x, <, second->rectangle.x);
      g_assert_cmpfloat (second->rectangle.x, ==, plan.width);
      g_assert_cmpstr (only->markup, ==, now);
      g_assert_cmpfloat (only->rectangle.x, ==, plan.width);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reading/profile-scene/bars-are-where-their-values-are",
                   test_bars_are_where_their_values_are);
  g_test_add_func ("/reading/profile-scene/large-value-stays-visible",
                   test_large_value_stays_visible);
  g_test_add_func ("/reading/profile-scene/place-tells-its-value", test_place_tells_its_value);
  g_test_add_func ("/reading/profile-scene/cut-names-keep-their-end",
                   test_cut_names_keep_their_end);
  g_test_add_func ("/reading/profile-scene/baseline-comes-first", test_baseline_comes_first);
  return g_test_run ();
}
