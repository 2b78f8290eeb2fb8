/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The wire format of Protocol Buffers, as far as SentencePiece's models need it. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AttnWire:
 * @next: first byte that has not been read
 * @end: one past the last
 */
typedef struct
{
  const guint8 *next;
  const guint8 *end;
} AttnWire;

typedef enum
{
  ATTN_WIRE_VARINT = 0,
  ATTN_WIRE_FIXED64 = 1,
  ATTN_WIRE_BYTES = 2,
  ATTN_WIRE_FIXED32 = 5,
} AttnWireType;

/**
 * AttnWireField:
 * @number: of the field in the message
 * @type: how it is written
 * @value: of a number
 * @bytes: of a string, bytes or a message
 */
typedef struct
{
  guint64 number;
  AttnWireType type;
  guint64 value;
  AttnWire bytes;
} AttnWireField;

/**
 * AttnWireStatus:
 * @ATTN_WIRE_FIELD: there is a field
 * @ATTN_WIRE_END: the message is at its end
 * @ATTN_WIRE_BROKEN: the bytes are not a field
 */
typedef enum
{
  ATTN_WIRE_FIELD,
  ATTN_WIRE_END,
  ATTN_WIRE_BROKEN,
} AttnWireStatus;

AttnWireStatus attn_wire_read (AttnWire       *wire,
                               AttnWireField  *field);

G_END_DECLS
