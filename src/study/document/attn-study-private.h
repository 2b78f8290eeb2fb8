/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of src/study share about the document. */

#pragma once

#include <json-glib/json-glib.h>

#include "attn-json-writer.h"
#include "attn-study.h"

G_BEGIN_DECLS

/* The parsers have enumerations of their own; this gives them the signature of AttnParseFunc. */
#define ATTN_DEFINE_PARSE(name, Type)                \
  static gboolean                                    \
      parse_##name (const char *text,                \
                    int *value,                      \
                    GError **error)                  \
  {                                                  \
    Type choice;                                     \
                                                     \
    if (!attn_##name##_parse (text, &choice, error)) \
      return FALSE;                                  \
    *value = choice;                                 \
    return TRUE;                                     \
  }

gboolean    attn_input_equal        (const AttnInput  *a,
                                     const AttnInput  *b);
gboolean    attn_study_views_equal  (const GArray     *a,
                                     const GArray     *b);
gboolean    attn_study_varies       (const AttnStudy  *study,
                                     AttnDimension     dimension);
void        attn_study_write        (const AttnStudy  *study,
                                     AttnJsonWriter   *writer,
                                     const char       *member);
gboolean    attn_names_parse        (const char * const *names,
                                     const char       *text,
                                     int              *value,
                                     GError          **error);

gboolean    attn_model_reference_equal (const AttnModelReference *a,
                                     const AttnModelReference *b);
gboolean    attn_study_region_equal (const AttnStudyRegion *a,
                                     const AttnStudyRegion *b);
gboolean    attn_group_equal        (const AttnGroup  *a,
                                     const AttnGroup  *b);

AttnStudy  *attn_study_read         (JsonObject       *root,
                                     const char       *where,
                                     GError          **error);

/* Parts of the document: attn-study-figures.c and attn-study-look.c. */
gboolean    attn_study_read_groups (AttnStudy        *study,
                                     JsonObject       *root,
                                     const char       *where,
                                     GError          **error);
void        attn_study_write_groups (const AttnStudy  *study,
                                     AttnJsonWriter   *writer);
gboolean    attn_study_read_roles (AttnStudy        *study,
                                     JsonObject       *root,
                                     const char       *where,
                                     GError          **error);
void        attn_study_write_roles (const AttnStudy  *study,
                                     AttnJsonWriter   *writer);
gboolean    attn_study_read_regions (AttnStudy        *study,
                                     JsonObject       *root,
                                     const char       *where,
                                     GError          **error);
void        attn_study_write_regions (const AttnStudy  *study,
                                     AttnJsonWriter   *writer);
gboolean    attn_study_read_style (AttnStudy        *study,
                                     JsonObject       *root,
                                     const char       *where,
                                     GError          **error);
void        attn_study_write_style (const AttnStudy  *study,
                                     AttnJsonWriter   *writer);
gboolean    attn_study_read_view (AttnStudy        *study,
                                     JsonObject       *root,
                                     const char       *where,
                                     GError          **error);
void        attn_study_write_view (const AttnStudy  *study,
                                     AttnJsonWriter   *writer);
gboolean    attn_study_read_page (AttnStudy        *study,
                                     JsonObject       *root,
                                     const char       *where,
                                     GError          **error);
void        attn_study_write_page (const AttnStudy  *study,
                                     AttnJsonWriter   *writer);

G_END_DECLS
