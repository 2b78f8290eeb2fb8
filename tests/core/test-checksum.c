/* SPDX-License-Identifier: GPL-3.0-or-later */

/* SHA-256: the digits of the standard, and those of GLib for every length around a block. */

#include "config.h"

#include <string.h>

#include "attn-checksum.h"

/* Examples of FIPS 180-4, as NIST publishes them. */
static void
test_standard (void)
{
  static const struct
  {
    const char *text, *digits;
  } examples[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
  };
  g_autoptr (AttnChecksum) checksum = attn_checksum_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      attn_checksum_update (checksum, examples[i].text, strlen (examples[i].text));
      /* It begins anew each time. */
      g_autofree char *found = attn_checksum_finish_hex (checksum);
      g_assert_cmpstr (found, ==, examples[i].digits);
    }
}

/* Blocks have 64 bytes, of which the last eight hold the length. */
static void
test_lengths (void)
{
  guint8 bytes[300];

  for (gsize i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) (i * 7 + 3);
  for (gsize n = 0; n <= sizeof bytes; n++)
    {
      g_autoptr (AttnChecksum) checksum = attn_checksum_new ();
      g_autofree char *expected = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, n);
      guint8 digest[ATTN_CHECKSUM_BYTES];
      g_autoptr (GString) found = g_string_new (NULL);

      attn_checksum_update (checksum, bytes, n / 3);
      attn_checksum_update (checksum, bytes + n / 3, n - n / 3);
      g_autofree char *in_pieces = attn_checksum_finish_hex (checksum);
      g_assert_cmpstr (in_pieces, ==, expected);
      attn_checksum_compute (bytes, n, digest);
      for (gsize i = 0; i < sizeof digest; i++)
        g_string_append_printf (found, "%02x", digest[i]);
      g_assert_cmpstr (found->str, ==, expected);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/checksum/standard", test_standard);
  g_test_add_func ("/core/checksum/lengths", test_lengths);
  return g_test_run ();
}
