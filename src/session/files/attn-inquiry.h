/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Questions to a disk, which may not answer: a thread asks, and whoever wants to know takes the
 * answer if they are still there. Several may be under way at a time. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AttnInquiry:
 * @run: asks, in a thread; writes the answer into @data
 * @take: gives @owner the answer, in the thread that asked for it
 * @free: frees @data, in any thread
 */
typedef struct
{
  void (*run) (gpointer data);
  void (*take) (gpointer owner,
                gpointer data);
  GDestroyNotify free;
} AttnInquiry;

void attn_inquiry_start (const AttnInquiry *inquiry,
                         gpointer owner,
                         gpointer data);

G_END_DECLS
