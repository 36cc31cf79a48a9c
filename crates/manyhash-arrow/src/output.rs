//! How digests become a column: their text and the column's layout.

use crate::Error;
use crate::column::{INLINE_BYTES, VIEW_BYTES};
use crate::room::Room;
use arrow_array::{ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, StringArray, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;

/// How a digest is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// The bytes of the digest.
    #[default]
    Binary,
    /// Two lower-case hexadecimal digits a byte.
    Hex,
    /// Base64 with padding (RFC 4648, section 4).
    Base64,
}

/// How the resulting column is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// FixedSizeBinary. There is no such layout of text, which is laid out as
    /// [`Offsets`](Self::Offsets) says.
    #[default]
    Fixed,
    /// Binary or Utf8, with offsets of 32 bits.
    Offsets,
    /// BinaryView or Utf8View.
    Views,
}

impl Output {
    fn is_text(self) -> bool {
        self != Self::Binary
    }

    /// The bytes of a row that `digest_bytes` bytes of a digest become.
    pub(crate) fn row_bytes(self, digest_bytes: usize) -> usize {
        match self {
            Self::Binary => digest_bytes,
            Self::Hex => 2 * digest_bytes,
            Self::Base64 => 4 * digest_bytes.div_ceil(3),
        }
    }

    /// Writes a digest to its row, which must have [`row_bytes`](Self::row_bytes) bytes.
    #[inline]
    pub(crate) fn write(self, digest: &[u8], row: &mut [u8]) {
        match self {
            Self::Binary => row.copy_from_slice(digest),
            Self::Hex => const_hex::encode_to_slice(digest, row).expect("two digits a byte"),
            Self::Base64 => {
                STANDARD.encode_slice(digest, row).expect("four digits for three bytes");
            }
        }
    }
}

/// The shape of a column of digests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) output: Output,
    pub(crate) layout: Layout,
    /// Bytes of each digest as it is written.
    pub(crate) row_bytes: usize,
}

impl Shape {
    pub(crate) fn data_type(self) -> DataType {
        match (self.layout, self.output.is_text()) {
            (Layout::Fixed, false) => DataType::FixedSizeBinary(to_i32(self.row_bytes)),
            (Layout::Offsets, false) => DataType::Binary,
            (Layout::Fixed | Layout::Offsets, true) => DataType::Utf8,
            (Layout::Views, false) => DataType::BinaryView,
            (Layout::Views, true) => DataType::Utf8View,
        }
    }

    /// Whether null rows take room among the values.
    pub(crate) fn has_room_for_nulls(self) -> bool {
        self.layout == Layout::Fixed && !self.output.is_text()
    }

    /// The most rows that one array can have.
    pub(crate) fn most_rows(self) -> usize {
        match self.data_type() {
            DataType::Binary | DataType::Utf8 => i32::MAX as usize / self.row_bytes,
            _ => usize::MAX,
        }
    }

    /// The column of `rows` rows with these values.
    ///
    /// # Errors
    /// If memory is short, or Arrow refuses the values.
    pub(crate) fn array(self, rows: usize, values: Room, nulls: Option<NullBuffer>) -> Result<ArrayRef, Error> {
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        let values = Buffer::from(values);
        Ok(match self.data_type() {
            DataType::FixedSizeBinary(bytes) => Arc::new(FixedSizeBinaryArray::try_new_with_len(bytes, values, nulls, rows)?),
            DataType::Binary => Arc::new(BinaryArray::try_new(self.offsets(rows, nulls.as_ref()), values, nulls)?),
            DataType::Utf8 => Arc::new(StringArray::try_new(self.offsets(rows, nulls.as_ref()), values, nulls)?),
            DataType::BinaryView => {
                let (views, buffers) = self.views(rows, values, nulls.as_ref())?;
                Arc::new(BinaryViewArray::try_new(views, buffers, nulls)?)
            }
            _ => {
                let (views, buffers) = self.views(rows, values, nulls.as_ref())?;
                Arc::new(StringViewArray::try_new(views, buffers, nulls)?)
            }
        })
    }

    fn offsets(self, rows: usize, nulls: Option<&NullBuffer>) -> OffsetBuffer<i32> {
        match nulls {
            None => OffsetBuffer::from_repeated_length(self.row_bytes, rows),
            Some(nulls) => OffsetBuffer::from_lengths(nulls.iter().map(|is_valid| if is_valid { self.row_bytes } else { 0 })),
        }
    }

    /// Views of the values, and the values in buffers that offsets of 32 bits can point into.
    fn views(self, rows: usize, values: Buffer, nulls: Option<&NullBuffer>) -> Result<(ScalarBuffer<u128>, Vec<Buffer>), Error> {
        let row_bytes = self.row_bytes;
        let buffer_rows = i32::MAX as usize / row_bytes;
        let mut views = Room::new(rows, VIEW_BYTES)?;
        let is_valid = |row: &(usize, _)| nulls.is_none_or(|nulls| nulls.is_valid(row.0));
        let valid = views.chunks_exact_mut(VIEW_BYTES).enumerate().filter(is_valid);
        for (place, ((_, view), value)) in valid.zip(values.chunks_exact(row_bytes)).enumerate() {
            view[..4].copy_from_slice(&(row_bytes as u32).to_le_bytes());
            if row_bytes <= INLINE_BYTES {
                view[4..4 + row_bytes].copy_from_slice(value);
            } else {
                view[4..8].copy_from_slice(&value[..4]);
                view[8..12].copy_from_slice(&((place / buffer_rows) as u32).to_le_bytes());
                view[12..].copy_from_slice(&((place % buffer_rows * row_bytes) as u32).to_le_bytes());
            }
        }
        let views = ScalarBuffer::new(views.into(), 0, rows);
        if row_bytes <= INLINE_BYTES {
            return Ok((views, Vec::new()));
        }
        let buffer_bytes = buffer_rows * row_bytes;
        let starts = (0..values.len()).step_by(buffer_bytes);
        let buffers = starts.map(|start| values.slice_with_length(start, buffer_bytes.min(values.len() - start))).collect();
        Ok((views, buffers))
    }
}

fn to_i32(bytes: usize) -> i32 {
    i32::try_from(bytes).expect("a digest has few bytes")
}
