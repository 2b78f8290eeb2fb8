/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a file that torch.save wrote says besides its tensors. */

#pragma once

/* The metadata that hold nanoGPT's sizes, a JSON object. */
#define ATTN_TORCH_MODEL_ARGS "model_args"
