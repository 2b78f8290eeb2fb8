/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Metadata that a file of torch.save contains in addition to its tensors. */

#pragma once

/* The key of the metadata with nanoGPT's model sizes, a JSON object. */
#define ATTN_TORCH_MODEL_ARGS "model_args"
