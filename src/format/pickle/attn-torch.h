/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Metadata that a file of torch.save() can have in addition to its tensors. */

#pragma once

/* The key of the metadata with the sizes of a nanoGPT model, such as its number of layers, as a
 * JSON object. */
#define ATTN_TORCH_MODEL_ARGS "model_args"
