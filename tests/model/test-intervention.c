/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-vectors.h"
#include "model-fixture.h"

static void
test_names (void)
{
  for (AttnComponent i = ATTN_COMPONENT_QUERY; i <= ATTN_COMPONENT_VALUE; i++)
    {
      AttnComponent parsed;
      g_assert_true (attn_text_parse_name (attn_component_names, attn_component_names[i], &parsed,
                                           NULL));
      g_assert_cmpint (parsed, ==, i);
    }
  for (AttnOperation i = ATTN_OPERATION_MEAN; i < ATTN_N_OPERATIONS; i++)
    {
      AttnOperation parsed;
      g_assert_true (attn_text_parse_name (attn_operation_names, attn_operation_names[i], &parsed,
                                           NULL));
      g_assert_cmpint (parsed, ==, i);
    }
  for (AttnAxis i = ATTN_AXIS_FEATURE; i <= ATTN_AXIS_HEAD; i++)
    {
      AttnAxis parsed;
      g_assert_true (attn_text_parse_name (attn_axis_names, attn_axis_names[i], &parsed, NULL));
      g_assert_cmpint (parsed, ==, i);
    }
  for (AttnSite i = ATTN_SITE_PROJECTION; i <= ATTN_SITE_ROTATED; i++)
    {
      AttnSite parsed;
      g_assert_true (attn_text_parse_name (attn_site_names, attn_site_names[i], &parsed, NULL));
      g_assert_cmpint (parsed, ==, i);
    }
}

static void
test_unknown_name (void)
{
  g_autoptr (GError) error = NULL;
  AttnSite site;

  g_assert_false (attn_text_parse_name (attn_site_names, "output", &site, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_cmpstr (error->message, ==,
                   "“output” found, expected one of projection, normed, rotated");
}

static void
test_to_string (void)
{
  const struct
  {
    const char *text;
    const char *expected;
  } cases[] = {
    { "query/mean-feature/all/all/all", "query mean feature at projection" },
    { "value/scale=0.5/1/0,2-3/4",
      "value scale 5e-1 at projection, layers 1, heads 0,2-3, tokens 4" },
    { "key/zero/all/all/0", "key zero at projection, tokens 0" },
    { "inner/zero/1/all/all", "inner zero, layers 1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnIntervention) intervention = intervention_from_text (cases[i].text);
      g_autofree char *found = attn_intervention_to_string (intervention);

      g_assert_cmpstr (found, ==, cases[i].expected);
    }
}

/* The file of a survey says by such a line what was done. */
static void
test_parse (void)
{
  static const char * const lines[] = {
    "query mean feature at projection",
    "value scale 5e-1 at rotated, layers 1, heads 0,2-3, tokens 4",
    "key zero at projection, tokens 0",
    "inner zero, layers 1",
    "scores cut, keys 0",
    "scores cut, layers 0-2, queries 5-9,11, keys 0,3",
    "key patch from input 1 at normed",
    "residual patch from input 2, positions 4=3,0-2=6-8, layers 0",
    "key patch from input 3, positions 2=3 at projection, heads 1",
  };
  static const char * const wrong[] = {
    "",
    "baseline",
    "key",
    "key zero",
    "key scale at projection",
    "key scale 0 at projection",
    "key zero 1 at projection",
    "key zero at projection, keys 1",
    "scores cut, tokens 1",
    "key patch from input 0 at projection",
    "key patch from input 1, positions x at projection",
    "key patch at projection",
    "key zero at projection, layers 1, layers 2",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (AttnIntervention) intervention = attn_intervention_parse (lines[i]);

      g_assert_nonnull (intervention);
      g_autofree char *found = attn_intervention_to_string (intervention);
      g_assert_cmpstr (found, ==, lines[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_null (attn_intervention_parse (wrong[i]));
}

static void
test_equal_and_copy (void)
{
  static const char * const texts[] = {
    "query/mean-feature/all/all/all",
    "key/mean-feature/all/all/all",
    "query/mean-token/all/all/all",
    "query/scale=0.5/all/all/all",
    "query/scale=0.25/all/all/all",
    "query/zero/all/all/all",
    "query/scale=0.5/1/all/all",
    "query/scale=0.5/all/1/all",
    "query/scale=0.5/all/all/1",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (texts); j++)
      {
        g_autoptr (AttnIntervention) a = intervention_from_text (texts[i]);
        g_autoptr (AttnIntervention) b = intervention_from_text (texts[j]);
        g_autoptr (AttnIntervention) copy = attn_intervention_copy (b);

        g_assert_cmpint (attn_intervention_equal (a, b), ==, i == j);
        g_assert_cmpint (attn_intervention_equal (a, copy), ==, i == j);
      }
}

static void
assert_refused (const AttnModel        *model,
                const AttnIntervention *intervention,
                const char             *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (attn_intervention_check (intervention, model, 10, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  if (strstr (error->message, part) == NULL)
    g_test_message ("“%s” lacks “%s”", error->message, part);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_check (void)
{
  g_autoptr (GError) error = NULL;
  char *directory = write_checkpoint (&plain_recipe);
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_assert_no_error (error);
  const struct
  {
    const char *text;
    const char *part; /* of the message; %NULL for one that is fine */
  } cases[] = {
    { "query/scale=1e-12/1/3/9", NULL },
    { "query/scale=1000/0-1/0-3/0-9", NULL },
    { "query/scale=1e-13/all/all/all", "expected 1e-12 to 1e3" },
    { "query/scale=1001/all/all/all", "expected 1e-12 to 1e3" },
    { "query/scale=0/all/all/all", "expected 1e-12" },
    { "query/scale=-1/all/all/all", "expected 1e-12" },
    { "query/scale=nan/all/all/all", "expected 1e-12" },
    { "query/scale=inf/all/all/all", "expected 1e-12" },
    { "key/mean-token/2/all/all", "expected 0 to 1" },
    { "key/mean-token/all/2-4/all", "expected 0 to 3" },
    { "key/mean-token/all/all/10", "expected 0 to 9" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnIntervention) intervention = intervention_from_text (cases[i].text);

      if (cases[i].part != NULL)
        assert_refused (model, intervention, cases[i].part);
      else
        g_assert_true (attn_intervention_check (intervention, model, 10, NULL));
    }

  g_autoptr (AttnIntervention) normed =
      attn_intervention_new_scale (ATTN_COMPONENT_KEY, 0.5, ATTN_SITE_NORMED);
  g_autoptr (AttnIntervention) rotated =
      attn_intervention_new_mean (ATTN_COMPONENT_KEY, ATTN_AXIS_TOKEN, ATTN_SITE_ROTATED);
  assert_refused (model, normed, "site normed: a gpt2 model");
  assert_refused (model, rotated, "site rotated: a gpt2 model");
  remove_checkpoint (directory);
}

/* Two key heads that serve two query heads each, three tokens, vectors of two numbers: worked out
 * by hand. */
static void
test_vectors (void)
{
  static const float before[] = { 1, 3, 5, 7, 9, 11, /**/ 2, 4, 6, 8, 10, 12 };
  const struct
  {
    const char *text;
    float after[12];
  } cases[] = {
    { "key/mean-feature/all/all/all", { 2, 2, 6, 6, 10, 10, 3, 3, 7, 7, 11, 11 } },
    { "key/mean-token/all/all/all", { 5, 7, 5, 7, 5, 7, 6, 8, 6, 8, 6, 8 } },
    { "key/mean-head/all/all/all",
      { 1.5f, 3.5f, 5.5f, 7.5f, 9.5f, 11.5f, 1.5f, 3.5f, 5.5f, 7.5f, 9.5f, 11.5f } },
    { "key/scale=0.5/all/all/all", { 0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 1, 2, 3, 4, 5, 6 } },
    /* The scope says where the mean is put, not what it is of; query head 3 is served by key head
     * 1. */
    { "key/mean-token/all/3/1", { 1, 3, 5, 7, 9, 11, 2, 4, 6, 8, 10, 12 } },
    { "key/mean-token/all/3/0,2", { 1, 3, 5, 7, 9, 11, 6, 8, 6, 8, 6, 8 } },
    { "key/mean-head/all/0/1", { 1, 3, 5.5f, 7.5f, 9, 11, 2, 4, 6, 8, 10, 12 } },
    { "key/zero/all/0/1-2", { 1, 3, 0, 0, 0, 0, 2, 4, 6, 8, 10, 12 } },
    { "key/scale=2/all/2/0", { 1, 3, 5, 7, 9, 11, 4, 8, 6, 8, 10, 12 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnIntervention) intervention = intervention_from_text (cases[i].text);
      float data[12];
      float interleaved[3 * 7] = { 0 };
      const AttnVectors plain = { data, 2, 3, 2, 6, 2, 2 };
      const AttnVectors strided = { interleaved, 2, 3, 2, 2, 7, 2 };

      memcpy (data, before, sizeof before);
      for (gsize cell = 0; cell < 12; cell++)
        interleaved[cell / 2 % 3 * 7 + cell / 6 * 2 + cell % 2] = before[cell];
      attn_vectors_intervene (&plain, intervention, 0, NULL);
      g_assert_cmpmem (data, sizeof data, cases[i].after, sizeof data);

      /* The same where heads lie side by side in a token's row, as they do after the projection. */
      attn_vectors_intervene (&strided, intervention, 0, NULL);
      for (gsize head = 0; head < 2; head++)
        attn_vectors_copy_head (&strided, head, data + head * 6);
      g_assert_cmpmem (data, sizeof data, cases[i].after, sizeof data);
      for (gsize token = 0; token < 3; token++)
        g_assert_cmpfloat (interleaved[token * 7 + 4], ==, 0.0f);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/intervention/names", test_names);
  g_test_add_func ("/model/intervention/unknown-name", test_unknown_name);
  g_test_add_func ("/model/intervention/to-string", test_to_string);
  g_test_add_func ("/model/intervention/parse", test_parse);
  g_test_add_func ("/model/intervention/equal-and-copy", test_equal_and_copy);
  g_test_add_func ("/model/intervention/check", test_check);
  g_test_add_func ("/model/intervention/vectors", test_vectors);
  return g_test_run ();
}
