//! Hostile compressed bodies: very large output from little input, and very many empty parts.

use std::io::Write as _;

use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::{Compress, Compression, FlushCompress};

use super::{Coding, Shape};

/// A stored deflate block without content (RFC 1951, 3.2.4), and a last one.
const STORED: [u8; 5] = [0, 0, 0, 0xff, 0xff];
const LAST_STORED: [u8; 5] = [1, 0, 0, 0xff, 0xff];
/// Header of a gzip member without options (RFC 1952, 2.3).
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// Header of a zlib stream (RFC 1950).
const ZLIB_HEAD: [u8; 2] = [0x78, 0x9c];
/// The magic number of a zstd frame (RFC 8878, 3.1.1).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

pub(super) fn shapes(coding: Coding) -> Vec<Shape> {
    let mut out = match coding {
        Coding::Gzip => gzip(),
        Coding::Deflate => deflate(),
        Coding::Brotli => brotli(),
        Coding::Zstd => zstd(),
    };
    out.push(Shape::same("text", "", "hello ", ""));
    out.push(Shape::same("ones", "", [0xff], ""));
    for shape in &mut out {
        shape.often = true;
    }
    out
}

fn gzip() -> Vec<Shape> {
    let member = |data: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to a vector cannot fail. If it did, the shape would still be hostile.
        let _ = encoder.write_all(data);
        encoder.finish().unwrap_or_default()
    };
    let crc_of_nothing = [0; 8];
    vec![
        Shape::same("empty members", "", member(b""), ""),
        Shape::same("members of a letter", "", member(b"a"), ""),
        Shape::same("members of 64 KiB of blanks", "", member(&[b' '; 64 << 10]), ""),
        Shape::same("blanks", GZIP_HEAD, flushed_blanks(), LAST_STORED),
        Shape::same(
            "empty blocks",
            GZIP_HEAD,
            STORED,
            [&LAST_STORED[..], &crc_of_nothing].concat(),
        ),
        // The flag for a file name, which ends at a zero byte.
        Shape::same("a long name", [0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0xff], "a", [0]),
        Shape::same("trailing zeros", member(b"a"), [0], ""),
    ]
}

fn deflate() -> Vec<Shape> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let _ = encoder.write_all(b"a");
    vec![
        Shape::same(
            "streams of a letter",
            "",
            encoder.finish().unwrap_or_default(),
            "",
        ),
        Shape::same("blanks", ZLIB_HEAD, flushed_blanks(), LAST_STORED),
        Shape::same("blanks, raw", "", flushed_blanks(), LAST_STORED),
        Shape::same(
            "empty blocks",
            ZLIB_HEAD,
            STORED,
            [&LAST_STORED[..], &[0, 0, 0, 1]].concat(),
        ),
        Shape::same("empty blocks, raw", "", STORED, LAST_STORED),
    ]
}

/// Returns 64 KiB of blanks as whole bytes of deflate that do not refer to earlier output.
fn flushed_blanks() -> Vec<u8> {
    let mut out = Vec::with_capacity(4 << 10);
    let mut state = Compress::new(Compression::best(), false);
    let _ = state.compress_vec(&vec![b' '; 64 << 10], &mut out, FlushCompress::Full);
    out
}

fn brotli() -> Vec<Shape> {
    // RFC 7932: a 64 KiB window and an empty metadata block; an empty metadata block; the end.
    let (first, empty, end) = ([0x0c], [0x06], [0x03]);
    vec![
        Shape::same("empty blocks of metadata", first, empty, end),
        Shape::same("64 KiB of a letter", first, repeated_letter(16), end),
        Shape::same("8 MiB of a letter", [0x0f, 0x03], repeated_letter(23), end),
        Shape::same("blocks of a letter", first, uncompressed_letter(), end),
    ]
}

/// Returns a brotli block of 2^`log` equal letters, padded to whole bytes by an empty metadata block.
fn repeated_letter(log: u32) -> Vec<u8> {
    let length: u64 = 1 << log;
    let mut bits = Bits::default();
    bits.put(0, 1); // not the last
    // MLEN minus one, in 4 or 6 nibbles.
    let nibbles: u32 = if log > 16 { 6 } else { 4 };
    bits.put(u64::from(nibbles - 4), 2);
    bits.put(length - 1, nibbles * 4);
    bits.put(0, 1); // compressed
    bits.put(0, 3); // one type of block for literals, commands, distances
    bits.put(0, 6); // no postfix, no direct distances
    bits.put(0, 2); // context mode
    bits.put(0, 2); // one tree for literals, one for distances
    for (symbol, width) in [(u64::from(b'a'), 8), (399, 10), (16, 6)] {
        bits.put(1, 2); // a simple code
        bits.put(0, 2); // of one symbol, which then takes no bits
        bits.put(symbol, width);
    }
    // Command 399 inserts one literal and copies 2118 bytes plus the extra bits below; distance code 16 is the
    // distance 1 or 2.
    bits.put(length - 1 - 2118, 24);
    bits.put(0, 1);
    bits.put(0b00_0110, 6); // the empty block of metadata
    bits.bytes
}

/// Returns an uncompressed brotli block with one letter.
fn uncompressed_letter() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(0, 1); // not the last
    bits.put(0, 2); // MLEN in four nibbles
    bits.put(0, 16); // one byte
    bits.put(1, 1); // uncompressed; pads to a whole byte
    bits.bytes.push(b'a');
    bits.bytes
}

/// Bit writer, least significant bit first, as in RFC 7932, 1.4.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn put(&mut self, value: u64, count: u32) {
        for bit in 0..count {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if value >> bit & 1 == 1
                && let Some(last) = self.bytes.last_mut()
            {
                *last |= 1 << (self.used % 8);
            }
            self.used += 1;
        }
    }
}

fn zstd() -> Vec<Shape> {
    // A last raw block with zero bytes (RFC 8878, 3.1.1.2).
    let nothing = [1, 0, 0];
    let frame = |descriptor: &[u8], blocks: &[u8]| [&ZSTD, descriptor, blocks].concat();
    // Window descriptor: 2^(10 + 10) bytes.
    let wide: [u8; 2] = [0, 10 << 3];
    // 128 KiB of the same byte: size, type 1, not the last block.
    let rle = ((128_u32 << 10) << 3 | 1 << 1).to_le_bytes();
    let run = [rle[0], rle[1], rle[2], b' '];
    vec![
        Shape::same("empty frames", "", frame(&[0x20, 0], &nothing), ""),
        Shape::same("empty frames with wide windows", "", frame(&wide, &nothing), ""),
        Shape::same("frames of a letter", "", frame(&[0x20, 1], &[9, 0, 0, b'a']), ""),
        Shape::same("empty blocks", frame(&wide, &[]), [0, 0, 0], nothing),
        Shape::same("runs of 128 KiB", frame(&wide, &[]), run, nothing),
        Shape::same(
            "frames of runs",
            "",
            frame(&wide, &[&run[..], &nothing].concat()),
            "",
        ),
        Shape::same(
            "skipped frames",
            "",
            [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0],
            frame(&[0x20, 0], &nothing),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verifies that a hostile body is valid: otherwise a reader would refuse it at its first byte.
    #[test]
    fn packings_are_read_up_to_the_bounds() {
        let unpack = |name: &str, shape: &Shape, size| {
            freshcontext_fetch::fuzzing::unpack(name, &shape.body(size), 8 << 20)
        };
        let by =
            |shapes: Vec<Shape>, name: &str| shapes.into_iter().find(|shape| shape.name == name).unwrap();
        let out = unpack("br", &by(brotli(), "64 KiB of a letter"), 40).unwrap();
        assert!(
            out.len() >= 64 << 10 && out.iter().all(|byte| *byte == b'a'),
            "{}",
            out.len()
        );
        assert_eq!(unpack("br", &by(brotli(), "8 MiB of a letter"), 1), None);
        let letters = unpack("br", &by(brotli(), "blocks of a letter"), 20).unwrap();
        assert!(letters.len() >= 4 && letters.iter().all(|byte| *byte == b'a'));
        assert_eq!(
            unpack("br", &by(brotli(), "empty blocks of metadata"), 900).unwrap(),
            b""
        );
        assert_eq!(
            unpack("deflate", &by(deflate(), "empty blocks"), 900).unwrap(),
            b""
        );
        assert_eq!(
            unpack("deflate", &by(deflate(), "blanks, raw"), 200)
                .unwrap()
                .len()
                % (64 << 10),
            0
        );
        assert_eq!(unpack("gzip", &by(gzip(), "empty members"), 900).unwrap(), b"");
        assert_eq!(unpack("gzip", &by(gzip(), "empty blocks"), 900).unwrap(), b"");
        for name in [
            "empty frames",
            "empty frames with wide windows",
            "empty blocks",
            "skipped frames",
        ] {
            assert_eq!(unpack("zstd", &by(zstd(), name), 900).unwrap(), b"", "{name}");
        }
        assert_eq!(
            unpack("zstd", &by(zstd(), "frames of a letter"), 20).unwrap(),
            b"aa"
        );
        assert_eq!(
            unpack("zstd", &by(zstd(), "runs of 128 KiB"), 10).unwrap().len(),
            128 << 10
        );
    }
}
