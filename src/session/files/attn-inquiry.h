/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inquiries are questions to the disk, which can be slow. A thread finds the answer, and the object
 * that asked gets it, if it still exists. Several inquiries can run at a time. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AttnInquiry:
 * @run: finds the answer, in a thread, and writes it into @data
 * @take: hands @data with the answer to @owner, in the thread that started the inquiry
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
