/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-wire.h"

/* Seven bits a byte, the lowest first; the topmost bit says that more follow. */
static gboolean
read_varint (AttnWire *wire,
             guint64  *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && wire->next < wire->end; shift += 7)
    {
      guint8 byte = *wire->next++;

      *value |= (guint64) (byte & 0x7F) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

static gboolean
read_fixed (AttnWire *wire,
            guint     n_bytes,
            guint64  *value)
{
  if ((gsize) (wire->end - wire->next) < n_bytes)
    return FALSE;
  *value = 0;
  for (guint i = 0; i < n_bytes; i++)
    *value |= (guint64) wire->next[i] << 8 * i;
  wire->next += n_bytes;
  return TRUE;
}

static gboolean
read_value (AttnWire      *wire,
            AttnWireField *field)
{
  switch (field->type)
    {
    case ATTN_WIRE_VARINT:
      return read_varint (wire, &field->value);
    case ATTN_WIRE_FIXED64:
      return read_fixed (wire, 8, &field->value);
    case ATTN_WIRE_FIXED32:
      return read_fixed (wire, 4, &field->value);
    case ATTN_WIRE_BYTES:
      if (!read_varint (wire, &field->value) ||
          field->value > (gsize) (wire->end - wire->next))
        return FALSE;
      field->bytes = (AttnWire) { wire->next, wire->next + field->value };
      wire->next += field->value;
      return TRUE;
    default:
      return FALSE;
    }
}

/**
 * attn_wire_read:
 * @wire: a message; what was read is taken off its beginning
 * @field: (out): the next field
 *
 * Protocol Buffers' documentation, "Encoding". Groups, which are no longer used, are not read.
 */
AttnWireStatus
attn_wire_read (AttnWire      *wire,
                AttnWireField *field)
{
  guint64 tag;

  *field = (AttnWireField) { 0 };
  if (wire->next == wire->end)
    return ATTN_WIRE_END;
  if (!read_varint (wire, &tag) || tag >> 3 == 0)
    return ATTN_WIRE_BROKEN;
  field->number = tag >> 3;
  field->type = tag & 7;
  return read_value (wire, field) ? ATTN_WIRE_FIELD : ATTN_WIRE_BROKEN;
}
