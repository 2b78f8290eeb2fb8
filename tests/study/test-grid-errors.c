/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Grids that cannot be: each is refused in a sentence that names what is wrong. */

#include "config.h"

#include "attn-error.h"
#include "attn-memory.h"
#include "study-fixture.h"

static void
break_layers (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_LAYER;
  study->layers = attn_index_set_new_range (1, 3);
}

static void
break_heads (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_HEAD;
  study->heads = attn_index_set_new_range (9, 9);
}

static void
break_sites (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_SITE;
}

static void
use_missing_site (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_SITE;
  study->sites[ATTN_SITE_ROTATED] = TRUE;
}

static void
compare_one_input (AttnStudy *study)
{
  study->compared = ATTN_DIMENSION_INPUT;
}

static void
compare_lengths (AttnStudy *study)
{
  fixture_set_inputs (study, "A rose is a rose.", "It is I.");
  study->compared = ATTN_DIMENSION_INPUT;
}

static void
compare_what_changes (AttnStudy *study)
{
  study->rows = ATTN_DIMENSION_LAYER;
  study->compared = ATTN_DIMENSION_LAYER;
}

static void
compare_axes (AttnStudy *study)
{
  study->compared = ATTN_DIMENSION_AXIS;
}

static void
compare_no_model (AttnStudy *study)
{
  study->compared = ATTN_DIMENSION_MODEL;
}

static void
hide_all (AttnStudy *study)
{
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, 14);
}

static void
hide_missing (AttnStudy *study)
{
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (99, 99);
}

static void
show_missing_query (AttnStudy *study)
{
  study->queries = attn_index_set_new_range (3, 77);
}

static void
patch_missing_input (AttnStudy *study)
{
  study->operation = ATTN_OPERATION_PATCH;
  study->patch_input = 4;
}

static void
patch_lengths (AttnStudy *study)
{
  fixture_set_inputs (study, "A rose is a rose.", "It is I.");
  study->operation = ATTN_OPERATION_PATCH;
}

static void
patch_behind_the_end (AttnStudy *study)
{
  patch_lengths (study);
  study->patch_input = 1;
  study->patch_pairs = attn_pairs_parse ("2=60", NULL);
}

static void
cut_by_component (AttnStudy *study)
{
  study->operation = ATTN_OPERATION_CUT;
  study->cut_keys = attn_index_set_new_range (0, 0);
  study->rows = ATTN_DIMENSION_COMPONENT;
}

static void
cut_all (AttnStudy *study)
{
  study->operation = ATTN_OPERATION_CUT;
}

/* Each is refused in a sentence that names what is wrong, and the workspace goes on. */
static void
test_errors (void)
{
  static const FixtureBadEdit edits[] = {
    { break_layers, ATTN_ERROR_ARGUMENT, "layers", "1-3" },
    { break_heads, ATTN_ERROR_ARGUMENT, "heads", "9" },
    { break_sites, ATTN_ERROR_ARGUMENT, "site", "at least one" },
    { use_missing_site, ATTN_ERROR_ARGUMENT, "rotated", "" },
    { compare_one_input, ATTN_ERROR_ARGUMENT, "input", "two" },
    { compare_lengths, ATTN_ERROR_ARGUMENT, "7 tokens", "5 in input 2" },
    { compare_what_changes, ATTN_ERROR_ARGUMENT, "layer", "rows or columns" },
    { compare_axes, ATTN_ERROR_ARGUMENT, "axis", "intervention" },
    { compare_no_model, ATTN_ERROR_ARGUMENT, "one model", "two" },
    { hide_all, ATTN_ERROR_ARGUMENT, "15 keys", "shown" },
    { hide_missing, ATTN_ERROR_ARGUMENT, "hidden keys", "99" },
    { patch_missing_input, ATTN_ERROR_ARGUMENT, "no input 5", "another input" },
    { patch_lengths, ATTN_ERROR_ARGUMENT, "7 tokens", "5 in input 2" },
    { patch_behind_the_end, ATTN_ERROR_ARGUMENT, "input 1: patch: 2=60", "0 to 6 here" },
    { cut_by_component, ATTN_ERROR_ARGUMENT, "cut", "component along rows" },
    { cut_all, ATTN_ERROR_ARGUMENT, "without a key", "at least one" },
    { show_missing_query, ATTN_ERROR_ARGUMENT, "queries", "77" },
  };
  g_autoptr (AttnStudy) study = fixture_load ("compare");

  if (fixture_has_model ())
    fixture_check_refused (study, edits, G_N_ELEMENTS (edits));
}

static void
test_memory (void)
{
  g_autoptr (AttnStudy) study = fixture_load ("head-atlas");
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  gsize limit = attn_memory_get_limit ();

  if (!fixture_has_model ())
    return;
  /* Opens the model with all the memory there is. */
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  attn_memory_set_limit (12 * 15 * 15 * sizeof (float) - 1);
  fixture_assert_fails (study, workspace, ATTN_ERROR_MEMORY, "panels", "");
  attn_memory_set_limit (limit);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/grid/errors", test_errors);
  g_test_add_func ("/study/grid/memory", test_memory);
  return g_test_run ();
}
