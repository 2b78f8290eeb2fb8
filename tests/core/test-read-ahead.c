/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is read ahead of its use: always what the file has, whatever the order, and given back. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../bus-error.h"
#include "../resident.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-read-ahead.h"

/* Not whole pages, so that spans share some. */
#define N_SPANS      10
#define N_SPAN_BYTES (((gsize) 4 << 20) + 12345)
#define N_BYTES      (N_SPANS * N_SPAN_BYTES)
#define LARGE_PAGE   ((gsize) 2 << 20)
#define FOREVER      (60 * G_USEC_PER_SEC)

typedef struct
{
  char *path;
  guint8 *content;
  GBytes *bytes;
  GBytes *spans[N_SPANS];
} Fixture;

static void
set_up (Fixture       *fixture,
        gconstpointer  data)
{
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("attn-read-ahead-XXXXXX", &fixture->path, &error);

  g_assert_no_error (error);
  close (fd);
  fixture->content = g_malloc (N_BYTES);
  for (gsize i = 0; i < N_BYTES; i++)
    fixture->content[i] = (guint8) (i * 7 + i / 4096);
  g_assert_true (g_file_set_contents (fixture->path, (char *) fixture->content, N_BYTES, NULL));
  fixture->bytes = attn_file_map (fixture->path, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < N_SPANS; i++)
    fixture->spans[i] = g_bytes_new_from_bytes (fixture->bytes, i * N_SPAN_BYTES, N_SPAN_BYTES);
}

static void
tear_down (Fixture       *fixture,
           gconstpointer  data)
{
  for (gsize i = 0; i < N_SPANS; i++)
    g_bytes_unref (fixture->spans[i]);
  g_bytes_unref (fixture->bytes);
  g_unlink (fixture->path);
  g_free (fixture->path);
  g_free (fixture->content);
}

static void
take (Fixture       *fixture,
      AttnReadAhead *ahead,
      gsize          index)
{
  const guint8 *expected = fixture->content + index * N_SPAN_BYTES;
  GBytes *span = fixture->spans[index];

  g_assert_true (attn_read_ahead_take (ahead, span, FOREVER));
  g_assert_cmpmem (g_bytes_get_data (span, NULL), g_bytes_get_size (span), expected, N_SPAN_BYTES);
}

/* The system maps large pages as a whole, and takes them from a mapping as a whole. */
static void
assert_resident (Fixture  *fixture,
                 gsize     n_spans,
                 gboolean  is_at_most)
{
  const gsize n_bytes = n_spans * N_SPAN_BYTES;
  gsize found = get_resident (g_bytes_get_data (fixture->bytes, NULL), n_bytes);

  if (is_at_most)
    g_assert_cmpuint (found, <=, n_bytes + N_BYTES / 20 + LARGE_PAGE);
  else
    g_assert_cmpuint (found + LARGE_PAGE, >=, n_bytes);
}

static void
test_in_order (Fixture       *fixture,
               gconstpointer  data)
{
  AttnReadAhead *ahead = attn_read_ahead_new ();

  for (gsize i = 0; i < N_SPANS; i++)
    attn_read_ahead_add (ahead, fixture->spans[i], i, i < 3, FALSE);
  for (gsize i = 0; i < N_SPANS; i++)
    take (fixture, ahead, i);
  attn_read_ahead_free (ahead);
  wait_for_end_of_thread ("read-ahead");
  assert_resident (fixture, 3, FALSE);
  assert_resident (fixture, 3, TRUE);
  /* What was given back is there when it is asked for. */
  g_assert_cmpmem (g_bytes_get_data (fixture->bytes, NULL), N_BYTES, fixture->content, N_BYTES);
}

static void
test_in_any_order (Fixture       *fixture,
                   gconstpointer  data)
{
  AttnReadAhead *ahead = attn_read_ahead_new ();

  for (gsize i = 0; i < 6; i++)
    attn_read_ahead_add (ahead, fixture->spans[i], 0, FALSE, FALSE);
  take (fixture, ahead, 4);
  /* Before those that are still to be read; added twice. */
  for (gsize i = 6; i < N_SPANS; i++)
    attn_read_ahead_add (ahead, fixture->spans[i], 0, FALSE, TRUE);
  attn_read_ahead_add (ahead, fixture->spans[7], 0, FALSE, TRUE);
  for (gsize i = N_SPANS; i > 0; i--)
    take (fixture, ahead, i - 1);
  take (fixture, ahead, 4);
  take (fixture, ahead, 4);
  attn_read_ahead_free (ahead);
}

/* Those of earlier steps are left behind although they were never taken. */
static void
test_steps (Fixture       *fixture,
            gconstpointer  data)
{
  AttnReadAhead *ahead = attn_read_ahead_new ();

  for (gsize i = 0; i < N_SPANS; i++)
    attn_read_ahead_add (ahead, fixture->spans[i], i / 5, FALSE, FALSE);
  take (fixture, ahead, N_SPANS - 1);
  attn_read_ahead_free (ahead);
  assert_resident (fixture, 0, TRUE);
}

static void
test_stops (Fixture       *fixture,
            gconstpointer  data)
{
  for (int i = 0; i < 20; i++)
    {
      AttnReadAhead *ahead = attn_read_ahead_new ();

      for (gsize k = 0; k < N_SPANS; k++)
        attn_read_ahead_add (ahead, fixture->spans[k], k, FALSE, FALSE);
      if (i % 2 > 0)
        attn_read_ahead_take (ahead, fixture->spans[5], 0);
      attn_read_ahead_free (ahead);
      wait_for_end_of_thread ("read-ahead");
      assert_resident (fixture, 0, TRUE);
    }
}

static void
test_cut_short (Fixture       *fixture,
                gconstpointer  data)
{
  if (skip_without_bus_error_addresses ())
    return;
  AttnReadAhead *ahead = attn_read_ahead_new ();
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (truncate (fixture->path, N_SPAN_BYTES), ==, 0);
  for (gsize i = 0; i < N_SPANS; i++)
    attn_read_ahead_add (ahead, fixture->spans[i], i, FALSE, FALSE);
  take (fixture, ahead, 0);
  for (gsize i = 1; i < N_SPANS; i++)
    {
      g_assert_true (attn_read_ahead_take (ahead, fixture->spans[i], FOREVER));
      const guint8 *data_of_span = g_bytes_get_data (fixture->spans[i], NULL);
      g_assert_cmpuint (data_of_span[N_SPAN_BYTES - 1], ==, 0);
    }
  attn_read_ahead_free (ahead);
  g_assert_false (attn_file_check (fixture->bytes, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
}

/* What is in no file would be lost. */
static void
test_memory_is_left_alone (Fixture       *fixture,
                           gconstpointer  data)
{
  g_autoptr (GBytes) bytes = g_bytes_new (fixture->content, N_BYTES);
  AttnReadAhead *ahead = attn_read_ahead_new ();

  attn_read_ahead_add (ahead, bytes, 0, FALSE, FALSE);
  g_assert_true (attn_read_ahead_take (ahead, bytes, 0));
  attn_read_ahead_free (ahead);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), N_BYTES, fixture->content, N_BYTES);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function) \
  g_test_add ("/read-ahead/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("in-order", test_in_order);
  ADD ("in-any-order", test_in_any_order);
  ADD ("steps", test_steps);
  ADD ("stops", test_stops);
  ADD ("cut-short", test_cut_short);
  ADD ("memory-is-left-alone", test_memory_is_left_alone);
#undef ADD

  return g_test_run ();
}
