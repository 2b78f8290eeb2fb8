/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What ggml makes of the blocks of test-quant.c; by make-quant-fixtures.py. */

#pragma once

static const struct
{
  AttnDtype dtype;
  int scale; /* where it stands in a block, -1 for scales of a byte in front */
  const char *sha256; /* of the values */
} expected_hashes[] = {
  { ATTN_DTYPE_IQ4_XS, 0,
    "201a6590fdbabfbf208520cb2010102540bff6fbebe14790c2d966ea826b07ec" },
  { ATTN_DTYPE_IQ3_XXS, 0,
    "abde089fa936f7d85cb4eb8f602aac1b3d9af66fd6e6306eb4f9dda5be43ec01" },
  { ATTN_DTYPE_IQ3_S, 0,
    "ec50411e2ed7c131021d360787826ff2bb952d035be4a6d108e09ac8a7af7226" },
  { ATTN_DTYPE_IQ2_XXS, 0,
    "d0e26b58b0608bcf29faa2897696c809fda4c88faacd1fb69ef19dc82a46a5bb" },
  { ATTN_DTYPE_IQ2_XS, 0,
    "bee7b3d70ad2c9c4d0b0e3547c8ccb0f5023841f14ee711fa9f5bf37b77fb006" },
  { ATTN_DTYPE_IQ2_S, 0,
    "671236d8faa05c9b4f3ad700bfa3b3d2a66e6c21c53184441c1a88dca0c14004" },
  { ATTN_DTYPE_IQ1_S, 0,
    "2f3cddb466c8efc41b5dd01f184de7755b9cca7af243f4a7390da37ee75554fe" },
  { ATTN_DTYPE_IQ1_M, 54,
    "629996480394d3a9b16397e5e42dd1224673f617e25b68b3f9b510e401149c39" },
  { ATTN_DTYPE_TQ1_0, 52,
    "3d88971b658608af502552549815fbc21a7551b82f08fbdb74abc0766567a1bc" },
  { ATTN_DTYPE_TQ2_0, 64,
    "143b6e2b30373764ae03379cdf08f40e631a93a8d773fb440e40cb771d47f71c" },
  { ATTN_DTYPE_Q1_0, 0,
    "0bbe2490c912404e2c9aeed1edcaffdb8734342dcf3bf56e3de90a81d01abe26" },
  { ATTN_DTYPE_Q2_0, 0,
    "2496949c14bf5945a7f24b43259daa4cabcc169aacaad91b774f11d9d329235f" },
  { ATTN_DTYPE_NVFP4, -1,
    "0afb78c0ce9972894af389c40767c17cee9158f5c8915bc6668ccee6eeff10e7" },
};
