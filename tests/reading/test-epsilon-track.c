/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The track of ε: places and factors, detents, and numbers that do not lie on each other. */

#include "config.h"

#include <math.h>

#include "attn-epsilon-track.h"
#include "attn-text.h"

static const double few[] = { 0.5 };
static const double many[] = { 0.5, 1e-3, 1e-10 };

/* pow() and log10() are good to a few units in the last place, times the slope of 10^x. */
#define TOLERANCE 1e-10

static void
check_there_and_back (const AttnEpsilonTrack *track)
{
  double before = -1;

  for (double exponent = track->low; exponent <= track->high; exponent += 0.25)
    {
      double x = attn_epsilon_track_get_x (track, pow (10, exponent));

      g_assert_cmpfloat (x, >, before);
      g_assert_cmpfloat (x, <=, track->width + TOLERANCE);
      g_assert_cmpfloat_with_epsilon (
          attn_epsilon_track_get_epsilon (track, x) / pow (10, exponent), 1, TOLERANCE);
      before = x;
    }
  g_assert_cmpfloat (attn_epsilon_track_get_x (track, 1e-300), ==, 0);
  g_assert_cmpfloat (attn_epsilon_track_get_x (track, 1e300), ==, track->width);
}

/* From 10 to 1e-3 at first, to 1e-12 where a value needs it, and beyond 10 where one is. */
static void
test_range_grows (void)
{
  static const double large[] = { 20 };
  static const double at_the_end[] = { 1e-3 };
  AttnEpsilonTrack track = attn_epsilon_track_fit (few, 1, 800);

  g_assert_cmpfloat (track.low, ==, -3);
  g_assert_cmpfloat (track.high, ==, 1);
  check_there_and_back (&track);
  track = attn_epsilon_track_fit (many, 3, 800);
  g_assert_cmpfloat (track.low, ==, -12);
  check_there_and_back (&track);
  g_assert_cmpfloat (attn_epsilon_track_fit (at_the_end, 1, 800).low, ==, -12);
  g_assert_cmpfloat (attn_epsilon_track_fit (large, 1, 800).high, ==, 2);
}

/* 60 pixels a power of ten: everywhere, or where there is no room for that, above 1e-3. */
static void
test_decades_have_room (void)
{
  AttnEpsilonTrack wide = attn_epsilon_track_fit (many, 3, 13 * 60);
  AttnEpsilonTrack narrow = attn_epsilon_track_fit (many, 3, 440);

  for (int exponent = -12; exponent < 1; exponent++)
    {
      double left = pow (10, exponent), right = pow (10, exponent + 1);
      double room =
          attn_epsilon_track_get_x (&narrow, right) - attn_epsilon_track_get_x (&narrow, left);

      g_assert_cmpfloat_with_epsilon (attn_epsilon_track_get_x (&wide, right) -
                                          attn_epsilon_track_get_x (&wide, left),
                                      60, 1e-9);
      g_assert_cmpfloat (room, >, exponent >= -3 ? 60 - 1e-9 : 20);
    }
  check_there_and_back (&narrow);
}

/* A sign stands where the scale changes, and only there, left of a handle at that place. */
static void
test_break_is_where_the_scale_changes (void)
{
  AttnEpsilonTrack wide = attn_epsilon_track_fit (many, 3, 13 * 60);
  AttnEpsilonTrack narrow = attn_epsilon_track_fit (many, 3, 440);
  AttnEpsilonTrack short_one = attn_epsilon_track_fit (few, 1, 200);
  double x = 0, share = 0;

  g_assert_false (attn_epsilon_track_get_break (&wide, &x, &share));
  g_assert_false (attn_epsilon_track_get_break (&short_one, &x, &share));
  g_assert_true (attn_epsilon_track_get_break (&narrow, &x, &share));
  g_assert_cmpfloat (x, <, attn_epsilon_track_get_x (&narrow, 1e-3) - 8);
  g_assert_cmpfloat (x, >, attn_epsilon_track_get_x (&narrow, 1e-3) - 16);
  /* 240 of 440 pixels are for the four powers of ten above 1e-3, the rest for nine. */
  g_assert_cmpfloat_with_epsilon (share, (200 / 9.0) / 60, TOLERANCE);
}

/* 10 pixels at 0.5 change ε by less than half; a hand that moves finely by a tenth of that. */
static void
test_hand_is_fine (void)
{
  AttnEpsilonTrack track = attn_epsilon_track_fit (few, 1, 4 * 60);
  double x = attn_epsilon_track_get_x (&track, 0.5);

  g_assert_cmpfloat (attn_epsilon_track_get_epsilon (&track, x + 10), <, 0.75);
  g_assert_cmpfloat (attn_epsilon_track_get_epsilon (&track, x - 10), >, 0.25);
  g_assert_cmpfloat (
      attn_epsilon_track_get_epsilon (&track, x + 10 * ATTN_EPSILON_TRACK_FINE), <, 0.52);
}

/* A number of one digit needs no exact pixel, and between two of them there are others. */
static void
test_round_numbers_are_near (void)
{
  AttnEpsilonTrack track = attn_epsilon_track_fit (few, 1, 4 * 60);

  for (int i = 1; i <= 9; i++)
    for (double aside = -1.2; aside < 1.5; aside += 1.2)
      g_assert_cmpfloat (
          attn_epsilon_track_get_round (&track,
                                        attn_epsilon_track_get_x (&track, i / 10.0) + aside),
          ==, i / 10.0);
  g_assert_cmpfloat (
      attn_epsilon_track_get_round (&track, attn_epsilon_track_get_x (&track, 0.15)), ==, 0.15);
  g_assert_cmpfloat (
      attn_epsilon_track_get_round (&track, attn_epsilon_track_get_x (&track, 0.024)), ==, 0.024);
}

static void
test_detents_hold (void)
{
  static const double detents[] = { 1, 0.03, 0.031 };
  AttnEpsilonTrack track = attn_epsilon_track_fit (few, 1, 800);
  double x = attn_epsilon_track_get_x (&track, 1);

  g_assert_cmpfloat (attn_epsilon_track_snap (&track, x - 3, detents, 3), ==, 1);
  g_assert_cmpfloat (attn_epsilon_track_snap (&track, x + 5, detents, 3), ==, 0);
  x = attn_epsilon_track_get_x (&track, 0.031);
  g_assert_cmpfloat (attn_epsilon_track_snap (&track, x + 1, detents, 3), ==, 0.031);
}

static void
test_round_is_within (void)
{
  g_assert_cmpfloat (attn_epsilon_round (0.12345, 2), ==, 0.12);
  g_assert_cmpfloat (attn_epsilon_round (0.12345, 3), ==, 0.123);
  g_assert_cmpfloat (attn_epsilon_round (1e-20, 2), ==, 1e-12);
  g_assert_cmpfloat (attn_epsilon_round (1e20, 2), ==, 1e3);
}

static void
test_numbers_are_spread (void)
{
  static const double wanted[] = { 100, 5, 110, 199 };
  double places[4];

  attn_epsilon_track_spread (wanted, 4, 40, 200, places);
  g_assert_cmpfloat (places[1], ==, 20);
  g_assert_cmpfloat (places[3], ==, 180);
  g_assert_cmpfloat (places[2] - places[0], >=, 40);
  g_assert_cmpfloat (places[3] - places[2], >=, 40);
  /* Where there is no room for all they share what there is. */
  attn_epsilon_track_spread (wanted, 4, 40, 100, places);
  g_assert_cmpfloat_with_epsilon (places[1], 20, 1e-9);
  g_assert_cmpfloat_with_epsilon (places[3], 80, 1e-9);
  g_assert_cmpfloat_with_epsilon (places[2] - places[0], 20, 1e-9);
}

/* The shorter of the two ways to write it; of two as short the one without an exponent. */
static void
test_factor_on_screen (void)
{
  static const struct
  {
    double factor;
    const char *text;
  } factors[] = {
    { 0.5, "0.5" },
    { 1.1, "1.1" },
    { 1, "1" },
    { 10, "10" },
    { 1000, "1e3" },
    { 0.01, "0.01" },
    { 1e-3, "1e-3" },
    { 1e-6, "1e-6" },
    { 1.5e-4, "1.5e-4" },
    { 1e-12, "1e-12" },
    { 0.0123, "0.0123" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      g_autofree char *text = attn_text_format_epsilon (factors[i].factor);

      g_assert_cmpstr (text, ==, factors[i].text);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reading/epsilon-track/range-grows", test_range_grows);
  g_test_add_func ("/reading/epsilon-track/decades-have-room", test_decades_have_room);
  g_test_add_func ("/reading/epsilon-track/break-is-where-the-scale-changes",
                   test_break_is_where_the_scale_changes);
  g_test_add_func ("/reading/epsilon-track/hand-is-fine", test_hand_is_fine);
  g_test_add_func ("/reading/epsilon-track/round-numbers-are-near", test_round_numbers_are_near);
  g_test_add_func ("/reading/epsilon-track/detents-hold", test_detents_hold);
  g_test_add_func ("/reading/epsilon-track/round-is-within", test_round_is_within);
  g_test_add_func ("/reading/epsilon-track/numbers-are-spread", test_numbers_are_spread);
  g_test_add_func ("/reading/epsilon-track/factor-on-screen", test_factor_on_screen);
  return g_test_run ();
}
