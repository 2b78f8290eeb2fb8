/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes a scene as a web page: one file that needs neither network nor the program. */

#pragma once

#include "attn-scene.h"
#include "attn-svg.h"

G_BEGIN_DECLS

/* The id of the script element that holds the metadata as JSON, and the tag that begins it. */
#define ATTN_PAGE_STUDY_ID  "study"
#define ATTN_PAGE_STUDY_TAG "<script type=\"application/json\" id=\"" ATTN_PAGE_STUDY_ID "\">"

GBytes *attn_page_write (const AttnScene *scene,
                         const AttnSvgOptions *options,
                         const char *title,
                         const char *metadata,
                         GError **error);

G_END_DECLS
