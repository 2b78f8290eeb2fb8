/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The head-groups figure: groups as a mask inside the attention, and groups from attention. */

#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../save-arrays.h"
#include "attn-array.h"
#include "attn-error.h"
#include "attn-head-groups-private.h"
#include "attn-head-groups.h"
#include "study-fixture.h"

/* A dot product of 16 float32 numbers and a softmax of at most 6, held against doubles: the error
 * of the scores, of size 10, is a few 1e-6, and that of a weight is at most the same. */
#define TOLERANCE 1e-5

static const char * const five[] = { "It", "I", "is", "am", "the" };

static AttnStudy *
load (void)
{
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load ("head-groups", &error);

  g_assert_no_error (error);
  return study;
}

static void
set_group (AttnStudy  *study,
           gsize       head,
           const char *tokens)
{
  g_auto (GStrv) parts = g_strsplit (tokens, "|", -1);

  g_ptr_array_add (study->groups.assigned, attn_group_new (head, (const char * const *) parts));
}

static void
assert_labels (AttnPanel          *panel,
               const char * const *expected,
               gsize               n)
{
  g_assert_cmpuint (attn_panel_get_n_rows (panel), ==, n);
  g_assert_cmpuint (attn_panel_get_n_columns (panel), ==, n);
  for (gsize i = 0; i < n; i++)
    {
      g_assert_cmpstr (attn_panel_get_row_labels (panel)[i], ==, expected[i]);
      g_assert_cmpstr (attn_panel_get_column_labels (panel)[i], ==, expected[i]);
    }
}

/* A 2 x 2 and a 3 x 3 block and nothing else; the first <s> is in no group. */
static void
test_blocks (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  for (int layer = -1; layer < 3; layer++)
    {
      study->layer = layer;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);
      const AttnDiagram *diagram = result->grid->diagram;

      assert_labels (panel, five, 5);
      for (gsize row = 0; row < 5; row++)
        for (gsize column = 0; column < 5; column++)
          g_assert_cmpfloat (attn_panel_get_value (panel, row, column), ==,
                             (row < 2) == (column < 2));
      g_assert_true (result->grid->is_binary);
      /* The groups are a mask themselves: it is the causal one that there is none of. */
      g_assert_true (g_str_has_suffix (result->grid->caption, ", No Causal Mask)"));
      g_assert_cmpuint (diagram->n_heads, ==, 3);
      g_assert_cmpuint (diagram->n_tokens, ==, 5);
      g_assert_cmpuint (diagram->n_links, ==, 2 + 3 + 3);
      g_assert_cmpstr (diagram->heads[2].name, ==, "Head 2");
    }
}

/* The model's own mask is causal, so both give the lower half of the blocks. */
static void
test_causal_blocks (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  for (guint i = 0; i < 2; i++)
    {
      study->groups.has_mask = i == 0;
      study->groups.mask = ATTN_MASK_CAUSAL;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);

      g_assert_cmpint (attn_panel_get_mask (panel), ==, ATTN_MASK_CAUSAL);
      /* They are a choice, not a finding. */
      g_assert_true (g_str_has_prefix (result->grid->caption,
                                       "Groups Assigned by Hand as a Mask: "));
      g_assert_true (g_str_has_suffix (result->grid->caption, ", Causal Mask)"));
      for (gsize row = 0; row < 5; row++)
        for (gsize column = 0; column < 5; column++)
          g_assert_cmpfloat (attn_panel_get_value (panel, row, column), ==,
                             (row < 2) == (column < 2) && column <= row);
    }
}

/* The largest over heads 0 to 2 of softmax over the group of q k / sqrt (d), from the queries and
 * keys of the layer. */
static double
compute_plain (const AttnTensor *query,
               const AttnTensor *key,
               gsize             row,
               gsize             column,
               gboolean          is_causal)
{
  static const gsize groups[3][2] = { { 1, 2 }, { 3, 5 }, { 3, 5 } }; /* positions, inclusive */
  gsize n = query->shape[1];
  gsize d = query->shape[2];
  double largest = 0;

  for (gsize head = 0; head < 3; head++)
    {
      double sum = 0;
      double asked = 0;

      if (row < groups[head][0] || row > groups[head][1])
        continue;
      for (gsize k = groups[head][0]; k <= groups[head][1] && (!is_causal || k <= row); k++)
        {
          double score = 0;

          for (gsize i = 0; i < d; i++)
            score += (double) query->data[(head * n + row) * d + i] *
                     key->data[(head * n + k) * d + i];
          sum += exp (score / sqrt (d));
          if (k == column)
            asked = exp (score / sqrt (d));
        }
      largest = MAX (largest, asked / sum);
    }
  return largest;
}

static void
test_graded_against_plain (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  double worst = 0;

  study->groups.is_graded = TRUE;
  for (int i = 0; i < 6; i++)
    {
      study->layer = i / 2;
      study->groups.mask = i % 2 == 0 ? ATTN_MASK_NONE : ATTN_MASK_CAUSAL;
      g_autoptr (AttnResult) result = fixture_run (study, workspace);
      guint32 ids[6];
      for (gsize k = 0; k < 6; k++)
        ids[k] = result->inputs[0]->tokens[k].id;
      AttnTraceRequest request = {
        .ids = ids,
        .n_ids = 6,
        .keep = ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY,
      };
      g_autoptr (AttnTrace) trace =
          attn_trace_compute (result->model, &request, NULL, NULL, NULL, NULL);
      g_autoptr (AttnTensor) query = attn_trace_get (trace, ATTN_QUANTITY_QUERY, i / 2);
      g_autoptr (AttnTensor) key = attn_trace_get (trace, ATTN_QUANTITY_KEY, i / 2);
      AttnPanel *panel = fixture_get_panel (result, 0, 0);

      g_assert_false (result->grid->is_binary);
      for (gsize row = 0; row < 5; row++)
        for (gsize column = 0; column < 5; column++)
          {
            double plain = compute_plain (query, key, row + 1, column + 1, i % 2 == 1);

            worst = MAX (worst, fabs (plain - attn_panel_get_value (panel, row, column)));
          }
    }
  g_test_message ("largest difference to the plain computation: %g", worst);
  g_assert_cmpfloat (worst, <, TOLERANCE);
}

/* Masked scores stay masked, a query that sees no key has a row of zeros, and the others have
 * nothing. */
static void
test_attend (void)
{
  const float log2 = (float) M_LN2;
  const float none = -INFINITY;
  const float scores[] = {
    0, 9, 0, 0,       /* */
    9, 9, 9, 9,       /* */
    0, 9, log2, none, /* */
    0, 9, 0, log2,    /* */
  };
  const gboolean members[] = { TRUE, FALSE, TRUE, TRUE };
  const gboolean alone[] = { FALSE, FALSE, FALSE, TRUE };
  const double third = 1.0 / 3;
  const double full[] = {
    third, 0, third, third, /* */
    0, 0, 0, 0,             /* */
    third, 0, 2 * third, 0, /* */
    0.25, 0, 0.25, 0.5,     /* */
  };
  float weights[16];

  attn_groups_attend (scores, 4, members, FALSE, weights);
  for (gsize i = 0; i < 16; i++)
    g_assert_cmpfloat_with_epsilon (weights[i], full[i], 1e-6); /* a few bits of float32 */
  attn_groups_attend (scores, 4, members, TRUE, weights);
  g_assert_cmpfloat (weights[0], ==, 1);
  g_assert_cmpfloat (weights[2], ==, 0);
  g_assert_cmpfloat_with_epsilon (weights[8], third, 1e-6);
  attn_groups_attend (scores, 4, alone, FALSE, weights);
  for (gsize i = 0; i < 16; i++)
    g_assert_cmpfloat (weights[i], ==, i == 15);
}

/* Two heads over six tokens: 0 and 2 attend to each other, 3 to 4; 1 and 5 to themselves. */
static const float first_head[36] = {
  0.5f, 0, 0.5f, 0, 0, 0,       /* */
  0, 1, 0, 0, 0, 0,             /* */
  0.6f, 0.1f, 0.3f, 0, 0, 0,    /* */
  0.1f, 0.1f, 0, 0.8f, 0, 0,    /* */
  0.1f, 0.1f, 0.1f, 0, 0.7f, 0, /* */
  0, 0.1f, 0, 0, 0, 0.9f,       /* */
};
static const float second_head[36] = {
  1, 0, 0, 0, 0, 0,          /* */
  0, 1, 0, 0, 0, 0,          /* */
  0.1f, 0, 0.9f, 0, 0, 0,    /* */
  0, 0, 0, 1, 0, 0,          /* */
  0.1f, 0, 0, 0.6f, 0.3f, 0, /* */
  0, 0, 0, 0.2f, 0, 0.8f,    /* */
};

static void
check_detection (AttnGroupRule  rule,
                 double         level,
                 const gsize   *expected,
                 gsize          n_expected)
{
  g_auto (AttnConnections) connections = { 0 };
  gsize groups[6];

  g_assert_true (attn_connections_init (&connections, 6, NULL));
  attn_connections_add (&connections, first_head, rule, level);
  attn_connections_add (&connections, second_head, rule, level);
  g_assert_cmpuint (attn_connections_get_groups (&connections, groups), ==, n_expected);
  for (gsize i = 0; i < 6; i++)
    g_assert_cmpuint (groups[i], ==, expected[i]);
}

static void
test_detected_groups (void)
{
  const gsize none = ATTN_NO_GROUP;
  const gsize pairs[] = { 0, none, 0, 1, 1, none };
  const gsize nothing[] = { none, none, none, none, none, none };
  const gsize more[] = { 0, none, 0, 1, 1, 1 };
  const gsize all[] = { 0, 0, 0, 0, 0, 0 };

  check_detection (ATTN_GROUP_RULE_THRESHOLD, 0.5, pairs, 2);
  check_detection (ATTN_GROUP_RULE_THRESHOLD, 0.61, nothing, 0);
  check_detection (ATTN_GROUP_RULE_THRESHOLD, 0.15, more, 2);
  check_detection (ATTN_GROUP_RULE_THRESHOLD, 0.05, all, 1);
  /* A share that is reached exactly needs no further key; 0.7 of row 4 of the first head is. */
  check_detection (ATTN_GROUP_RULE_SHARE, 0.7, pairs, 2);
  check_detection (ATTN_GROUP_RULE_SHARE, 0.5, pairs, 2);
  check_detection (ATTN_GROUP_RULE_SHARE, 1, all, 1);
}

static void
test_counted_cells (void)
{
  const float row[] = { 0.3f, 0.3f, 0.3f, 0.1f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
  g_auto (AttnConnections) connections = { 0 };

  /* Of equal keys the first ones; never one without weight. */
  g_assert_true (attn_connections_init (&connections, 4, NULL));
  attn_connections_add (&connections, row, ATTN_GROUP_RULE_SHARE, 0.55);
  g_assert_true (connections.cells[0] && connections.cells[1]);
  for (gsize i = 2; i < 16; i++)
    g_assert_false (connections.cells[i]);
}

static void
test_home (void)
{
  const gsize groups[] = { 0, ATTN_NO_GROUP, 0, 1, 1, ATTN_NO_GROUP };
  const gsize lone[] = { ATTN_NO_GROUP, 0, ATTN_NO_GROUP, ATTN_NO_GROUP, ATTN_NO_GROUP, 0 };
  const float nowhere[36] = { 0 };

  /* 1.9 of the first head's weight lies in group 0, 1.5 in group 1; of the second 2.0 and 1.9. */
  g_assert_cmpuint (attn_groups_find_home (first_head, 6, groups, 2), ==, 0);
  g_assert_cmpuint (attn_groups_find_home (second_head, 6, groups, 2), ==, 0);
  g_assert_cmpuint (attn_groups_find_home (nowhere, 6, groups, 2), ==, ATTN_NO_GROUP);
  g_assert_cmpuint (attn_groups_find_home (second_head, 6, lone, 1), ==, 0);
}

/* The binary matrix of detected groups is the rule, cell by cell. */
static void
test_detected_figure (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  fixture_set_inputs (study, "A rose is a rose in the garden.", NULL);
  study->layer = 2;
  study->groups.has_mask = FALSE;
  study->groups.rule = ATTN_GROUP_RULE_THRESHOLD;
  study->groups.level = 0.4;
  g_autoptr (AttnResult) binary = fixture_run (study, workspace);
  study->groups.is_graded = TRUE;
  g_autoptr (AttnResult) graded = fixture_run (study, workspace);
  AttnPanel *on = fixture_get_panel (binary, 0, 0);
  AttnPanel *weights = fixture_get_panel (graded, 0, 0);
  gsize n_on = 0;

  for (gsize row = 0; row < attn_panel_get_n_rows (on); row++)
    for (gsize column = 0; column < attn_panel_get_n_columns (on); column++)
      {
        gboolean is_on = attn_panel_get_value (on, row, column) != 0;

        g_assert_cmpint (is_on, ==, attn_panel_get_value (weights, row, column) >= 0.4f);
        n_on += is_on;
      }
  g_assert_cmpuint (n_on, >, 0);
  g_assert_nonnull (strstr (binary->grid->caption, "at Least 0.4"));
  g_assert_cmpuint (binary->grid->diagram->n_heads, ==, 4);
}

/* Hidden keys take no part in what is detected, and are not shown. */
static void
test_hidden_keys (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  study->groups.rule = ATTN_GROUP_RULE_SHARE;
  study->groups.has_mask = FALSE;
  g_autoptr (AttnResult) whole = fixture_run (study, workspace);
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, 0);
  g_autoptr (AttnResult) hidden = fixture_run (study, workspace);

  g_assert_cmpstr (whole->grid->diagram->tokens[0], ==, "<s>");
  assert_labels (fixture_get_panel (hidden, 0, 0), five, 5);
  g_assert_nonnull (strstr (hidden->grid->caption, "0.7"));
}

static AttnTokens *
make_tokens (const char         *text,
             const char * const *pieces)
{
  gsize n = g_strv_length ((char **) pieces);
  g_autofree guint32 *ids = g_new0 (guint32, n);
  AttnTokens *tokens = attn_tokens_new_from_ids (ids, n, (char **) pieces);
  gsize begin = 0;

  for (gsize i = 0; text != NULL && i < n; i++)
    {
      g_auto (GStrv) parts = g_strsplit (pieces[i], "␣", -1);
      g_autofree char *spaced = g_strjoinv (" ", parts);

      if (!g_str_has_prefix (text + begin, spaced))
        continue; /* a token that the tokenizer added */
      tokens->tokens[i].begin = begin;
      tokens->tokens[i].end = begin += strlen (spaced);
    }
  return tokens;
}

/* "01100": which tokens belong to the group, or what the message says. */
static void
check_match (const char         *text,
             const char * const *pieces,
             const char         *group,
             const char         *expected)
{
  g_autoptr (AttnTokens) tokens = make_tokens (text, pieces);
  g_auto (GStrv) parts = g_strsplit (group, "|", -1);
  g_autoptr (AttnGroup) asked = attn_group_new (3, (const char * const *) parts);
  g_autofree gboolean *members = g_new0 (gboolean, tokens->n_tokens);
  g_autoptr (GError) error = NULL;

  if (!attn_groups_match (tokens, text, asked, members, &error))
    {
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_assert_cmpstr (error->message, ==, expected);
      return;
    }
  g_autoptr (GString) found = g_string_new (NULL);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    g_string_append_c (found, members[i] ? '1' : '0');
  g_assert_cmpstr (found->str, ==, expected);
}

static void
test_match (void)
{
  const char * const plain[] = { "<s>", "It", "␣is", "␣I", ",", "␣is", "␣", NULL };
  const char * const pieces[] = { "<s>", "Za", "u", "ber", "␣He", "llo", "␣au", NULL };
  const char * const script[] = { "東", "京", "都", "庁", NULL };

  check_match ("It is I, is ", plain, "It", "0100000");
  /* Every occurrence, with and without the space. */
  check_match ("It is I, is ", plain, "is", "0010010");
  check_match ("It is I, is ", plain, "␣I", "0001000");
  check_match ("It is I, is ", plain, ",|<s>", "1000100");
  check_match ("It is I, is ", plain, "␣", "0000001");
  check_match ("It is I, is ", plain, "#5", "0000010");
  /* A word of several pieces, whole words first, but no part of a piece. */
  check_match ("Zauber Hello au", pieces, "Zauber", "0111000");
  check_match ("Zauber Hello au", pieces, "Hello", "0000110");
  check_match ("Zauber Hello au", pieces, "au", "0000001");
  check_match (NULL, pieces, "Hello", "0000110");
  check_match ("東京都庁", script, "京都", "0110");
  check_match ("Zauber Hello au", pieces, "auber",
               "groups: “auber” of head 3 is not in the input, expected some of its tokens: "
               "<s> Za u ber He llo au");
  check_match ("It is I, is ", plain, "it",
               "groups: “it” of head 3 is not in the input, expected some of its tokens: "
               "<s> It is I , is ␣");
  check_match ("It is I, is ", plain, "#7", "groups: #7 of head 3 found, expected #0 to #6");
}

static void
assert_refused (AttnStudy  *study,
                const char *message)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_refused (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  set_group (study, 1, "the");
  assert_refused (study, "groups: head 1 found twice, expected once");
  g_ptr_array_set_size (study->groups.assigned, 0);
  assert_refused (study, "groups: none found, expected a head with tokens, such as 0=It,I");
  set_group (study, 4, "It");
  assert_refused (study, "groups: head 4 found, expected 0 to 3");
  g_ptr_array_set_size (study->groups.assigned, 0);
  set_group (study, 2, "rose");
  assert_refused (study, "groups: “rose” of head 2 is not in the input, expected some of its "
                         "tokens: <s> It I is am the");
  study->layer = 3;
  g_ptr_array_set_size (study->groups.assigned, 0);
  set_group (study, 2, "It");
  assert_refused (study, "layer: 3 found, expected 0 to 2");
  study->layer = 0;
  study->groups.rule = ATTN_GROUP_RULE_THRESHOLD;
  study->groups.level = 1;
  assert_refused (study, "groups: no two tokens with a weight of 1 between them found, expected a "
                         "lower threshold");
  /* No level connects a token that is alone. */
  study->adds_special_tokens = FALSE;
  fixture_set_inputs (study, "It", NULL);
  assert_refused (study, "groups: fewer than two tokens found, expected at least two to connect");
  study->groups.rule = ATTN_GROUP_RULE_SHARE;
  assert_refused (study, "groups: fewer than two tokens found, expected at least two to connect");
}

static void
assert_group (const AttnStudy *study,
              gsize            index,
              const char      *expected)
{
  const AttnGroup *group = g_ptr_array_index (study->groups.assigned, index);
  g_autofree char *found = g_strjoinv ("|", group->tokens);

  g_assert_cmpstr (found, ==, expected);
}

/* A click in the figure: tokens that read the same go together, pieces of a word and positions one
 * by one, and detected groups become assigned ones. */
static void
test_toggle_shown (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  fixture_set_inputs (study, "a rose is a Zaubern", NULL);
  g_ptr_array_set_size (study->groups.assigned, 0);
  set_group (study, 1, "a|rose|#3");
  set_group (study, 2, "Zaubern|#1");
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  const AttnDiagram *diagram = result->grid->diagram;

  g_assert_cmpstr (diagram->tokens[2], ==, "is");
  g_assert_cmpuint (attn_panel_get_row_position (fixture_get_panel (result, 0, 0), 0), ==, 1);
  attn_groups_toggle_shown (study, result, 0, 3);
  assert_group (study, 0, "rose|#3");
  attn_groups_toggle_shown (study, result, 0, 2);
  assert_group (study, 0, "rose");
  attn_groups_toggle_shown (study, result, 0, 2);
  assert_group (study, 0, "rose|is");
  attn_groups_toggle_shown (study, result, 1, 0);
  assert_group (study, 1, "Zaubern");
  /* "Z" leaves the other pieces. */
  g_assert_cmpstr (diagram->tokens[4], ==, "Z");
  attn_groups_toggle_shown (study, result, 1, 4);
  assert_group (study, 1, "#7|#8|#9|#10");
  attn_groups_toggle_shown (study, result, 0, 1);
  attn_groups_toggle_shown (study, result, 0, 2);
  g_assert_cmpuint (study->groups.assigned->len, ==, 1);

  study->groups.rule = ATTN_GROUP_RULE_SHARE;
  study->groups.level = 1;
  study->joins_words = TRUE;
  g_autoptr (AttnResult) detected = fixture_run (study, workspace);
  g_assert_cmpstr (detected->grid->diagram->tokens[5], ==, "Zaubern");
  attn_groups_toggle_shown (study, detected, 3, 5);
  g_assert_cmpint (study->groups.rule, ==, ATTN_GROUP_RULE_ASSIGNED);
  g_assert_cmpuint (study->groups.assigned->len, ==, 4);
  assert_group (study, 3, "<s>|a|rose|is");
}

/* Tokens of no group and heads that are not in the figure can be chosen as well. */
static void
test_toggle_unit (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  fixture_set_inputs (study, "a rose is a rose", NULL);
  g_ptr_array_set_size (study->groups.assigned, 0);
  set_group (study, 1, "a|is");
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  g_autofree gboolean *members = NULL;
  g_auto (GStrv) units = attn_groups_list_units (study, result, 1, &members);
  static const gboolean expected[] = { FALSE, TRUE, FALSE, TRUE, TRUE, FALSE };

  g_assert_cmpuint (g_strv_length (units), ==, G_N_ELEMENTS (expected));
  g_assert_cmpstr (units[0], ==, "<s>");
  g_assert_cmpstr (units[2], ==, "rose");
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpint (members[i], ==, expected[i]);

  attn_groups_toggle_unit (study, result, 1, 0);
  assert_group (study, 0, "a|is|<s>");
  attn_groups_toggle_unit (study, result, 1, 1);
  assert_group (study, 0, "is|<s>");
  attn_groups_toggle_unit (study, result, 3, 2);
  g_assert_cmpuint (study->groups.assigned->len, ==, 2);
  assert_group (study, 1, "rose");

  g_autofree gboolean *changed = NULL;
  g_strfreev (attn_groups_list_units (study, result, 3, &changed));
  g_assert_true (changed[2] && changed[5] && !changed[1]);
}

/* The path of recorded weights, [1, 2, n_rows, 4], causal where they are square. */
static char *
save_recording (const char *directory,
                gsize       n_rows)
{
  const gsize shape[] = { 1, 2, n_rows, 4 };
  const float row[] = { 0.1f, 0.2f, 0.3f, 0.4f };
  g_autoptr (AttnTensor) weights = attn_tensor_new (4, shape, NULL);
  char *path = g_strdup_printf ("%s/%zu.npy", directory, n_rows);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (path);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < 2 * n_rows; i++)
    for (gsize column = 0; column <= i % n_rows; column++)
      {
        gsize n = i % n_rows + 1;

        /* 1 : 2 : 3 : 4 as far as the query sees. */
        weights->data[i * 4 + column] = row[column] / (0.05f * n * (n + 1));
      }
  attn_array_file_add (file, attn_array_new_from_tensor ("", weights), &error);
  g_assert_no_error (error);
  save_arrays (file, path, &error);
  g_assert_no_error (error);
  return path;
}

/* Weights that were recorded say as much as scores do, but nothing of keys that were masked. */
static void
test_recording (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-groups-XXXXXX", NULL);
  g_autofree char *square = save_recording (directory, 4);
  g_autofree char *last = save_recording (directory, 2);
  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (GError) error = NULL;

  study->model.path = g_strdup (square);
  study->layer = 0;
  study->groups.has_mask = FALSE;
  study->groups.is_graded = TRUE;
  g_ptr_array_set_size (study->groups.assigned, 0);
  set_group (study, 0, "#0|#2");
  set_group (study, 1, "#1|#3");
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);
  const double expected[] = {
    1, 0, 0, 0,             /* */
    0, 1, 0, 0,             /* */
    0.25, 0, 0.75, 0,       /* 1 : 3 */
    0, 1.0 / 3, 0, 2.0 / 3, /* 2 : 4 */
  };
  for (gsize i = 0; i < 16; i++)
    g_assert_cmpfloat_with_epsilon (attn_panel_get_value (panel, i / 4, i % 4), expected[i], 1e-6);

  study->groups.has_mask = TRUE;
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
  g_clear_error (&error);

  g_free (study->model.path);
  study->model.path = g_strdup (last);
  study->groups.has_mask = FALSE;
  g_ptr_array_set_size (study->groups.assigned, 0);
  set_group (study, 0, "#0");
  g_assert_null (attn_job_run (study, workspace, NULL, NULL, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE);
  g_remove (square);
  g_remove (last);
  g_rmdir (directory);
}

/* The mask acts on the pieces, the figure shows the words: weights are summed over the keys of a
 * word and averaged over its queries, so that the rows of a head keep their sum. */
static void
test_words (void)
{
  static const char * const words[] = { "Zaubern", "rose" };

  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  fixture_set_inputs (study, "the Zaubern is a rose", NULL);
  g_ptr_array_set_size (study->groups.assigned, 0);
  set_group (study, 1, "Zaubern|rose");
  study->groups.is_graded = TRUE;
  g_autoptr (AttnResult) pieces = fixture_run (study, workspace);
  study->joins_words = TRUE;
  g_autoptr (AttnResult) joined = fixture_run (study, workspace);
  AttnPanel *whole = fixture_get_panel (joined, 0, 0);
  AttnPanel *parts = fixture_get_panel (pieces, 0, 0);
  gsize n = attn_panel_get_n_rows (parts);
  double sum = 0;

  assert_labels (whole, words, 2);
  g_assert_cmpuint (n, >, 2);
  for (gsize row = 0; row + 1 < n; row++)
    sum += attn_panel_get_value (parts, row, n - 1);
  /* Means of float32 weights. */
  g_assert_cmpfloat_with_epsilon (attn_panel_get_value (whole, 0, 1), sum / (n - 1), 1e-6);
  for (gsize row = 0; row < 2; row++)
    g_assert_cmpfloat_with_epsilon (attn_panel_get_value (whole, row, 0) +
                                        attn_panel_get_value (whole, row, 1),
                                    1, 1e-6);
  g_assert_cmpuint (joined->grid->diagram->n_links, ==, 2);
  /* <s> the Z a ...: positions are those of tokens; a word is hidden with its last piece. */
  g_assert_cmpuint (attn_panel_get_row_position (whole, 0), ==, 2);
  g_assert_cmpuint (attn_panel_get_row_position (whole, 1), >, 3 + n - 1);
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (3, 3);
  g_autoptr (AttnResult) piece = fixture_run (study, workspace);
  assert_labels (fixture_get_panel (piece, 0, 0), words, 2);
  g_assert_cmpfloat (attn_panel_get_value (fixture_get_panel (piece, 0, 0), 1, 0), <,
                     attn_panel_get_value (whole, 1, 0));
  g_clear_pointer (&study->hidden_keys, attn_index_set_unref);
  study->hidden_keys = attn_index_set_new_range (2, attn_panel_get_row_position (whole, 1) - 3);
  g_autoptr (AttnResult) hidden = fixture_run (study, workspace);
  assert_labels (fixture_get_panel (hidden, 0, 0), words + 1, 1);
  study->hides_keys = FALSE;
  g_clear_pointer (&study->hidden_keys, attn_index_set_unref);

  study->groups.rule = ATTN_GROUP_RULE_SHARE;
  study->groups.level = 1;
  g_autoptr (AttnResult) detected = fixture_run (study, workspace);
  g_assert_cmpuint (detected->grid->diagram->n_tokens, ==, 6);
}

/* An intervention changes what the heads attend to within their groups. */
static void
test_intervention (void)
{
  if (!fixture_has_model ())
    return;

  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  study->groups.is_graded = TRUE;
  study->layer = 1;
  g_ptr_array_add (study->extra_interventions,
                   attn_intervention_new_scale (ATTN_COMPONENT_KEY, 1e-10, ATTN_SITE_PROJECTION));
  g_autoptr (AttnResult) result = fixture_run (study, workspace);
  AttnPanel *panel = fixture_get_panel (result, 0, 0);

  /* Scores of 1e-9 leave each query uniform over its group. */
  for (gsize row = 0; row < 5; row++)
    for (gsize column = 0; column < 5; column++)
      g_assert_cmpfloat_with_epsilon (attn_panel_get_value (panel, row, column),
                                      (row < 2) != (column < 2) ? 0 : row < 2 ? 0.5
                                                                              : 1.0 / 3,
                                      1e-6);
}

/* Maps that are too many to stay with the input are computed for the figure alone. */
static void
test_maps_that_are_not_kept (void)
{
  g_autoptr (AttnStudy) study = load ();
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnWorkspace) small = attn_workspace_new ();

  if (!fixture_has_model ())
    return;
  study->groups.rule = ATTN_GROUP_RULE_SHARE;
  study->groups.level = 0.5;
  study->groups.has_mask = FALSE;
  g_autoptr (AttnResult) expected = fixture_run (study, workspace);
  attn_panel_set_max_cells (10);
  g_autoptr (AttnResult) result = fixture_run (study, small);
  attn_panel_set_max_cells (0);

  AttnPanel *a = fixture_get_panel (expected, 0, 0);
  AttnPanel *b = fixture_get_panel (result, 0, 0);
  g_assert_cmpuint (attn_panel_get_n_rows (a), ==, attn_panel_get_n_rows (b));
  for (gsize row = 0; row < attn_panel_get_n_rows (a); row++)
    for (gsize column = 0; column < attn_panel_get_n_columns (a); column++)
      g_assert_cmpfloat (attn_panel_get_value (a, row, column), ==,
                         attn_panel_get_value (b, row, column));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/head-groups/blocks", test_blocks);
  g_test_add_func ("/head-groups/causal-blocks", test_causal_blocks);
  g_test_add_func ("/head-groups/graded-against-plain", test_graded_against_plain);
  g_test_add_func ("/head-groups/attend", test_attend);
  g_test_add_func ("/head-groups/detected-groups", test_detected_groups);
  g_test_add_func ("/head-groups/counted-cells", test_counted_cells);
  g_test_add_func ("/head-groups/home", test_home);
  g_test_add_func ("/head-groups/detected-figure", test_detected_figure);
  g_test_add_func ("/head-groups/hidden-keys", test_hidden_keys);
  g_test_add_func ("/head-groups/match", test_match);
  g_test_add_func ("/head-groups/refused", test_refused);
  g_test_add_func ("/head-groups/toggle-shown", test_toggle_shown);
  g_test_add_func ("/head-groups/toggle-unit", test_toggle_unit);
  g_test_add_func ("/head-groups/recording", test_recording);
  g_test_add_func ("/head-groups/maps-that-are-not-kept", test_maps_that_are_not_kept);
  g_test_add_func ("/head-groups/words", test_words);
  g_test_add_func ("/head-groups/intervention", test_intervention);
  return g_test_run ();
}
