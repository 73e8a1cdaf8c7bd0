//! Decoding of content codings, with size limits: a small body cannot expand without bound.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use freshcontext_contract::{ErrorCode, SourceError};

/// The codings that requests accept. The decoder supports more.
pub(crate) const ACCEPT_ENCODING: &str = "gzip, br";
/// Maximum number of stacked codings. One is normal, two occur by mistake.
const LAYERS: usize = 2;
/// Output size in bytes from which the expansion ratio is limited. In a smaller output, a long run of blanks is
/// normal.
const RATIO_FROM: usize = 1 << 20;
/// Maximum number of gzip members or zstd frames in a body. Each part costs the setup of a decoder, and an empty part
/// takes only 20 bytes. Files compressed for random access have one part per 64 KiB.
const PARTS: usize = 1_000;
/// Maximum window of a zstd frame, in bytes. RFC 9659 allows 8 MiB, which a decoder holds in addition to its output.
/// This client never asks for zstd, and a page does not need a larger window.
const ZSTD_WINDOW: u64 = 1 << 20;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) decoded: usize,
    pub(crate) ratio: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Parses `Content-Encoding`, in the order in which the codings were applied.
pub(crate) fn codings(header: Option<&str>) -> Result<Vec<Coding>, SourceError> {
    let mut found = Vec::new();
    for name in header.unwrap_or_default().split(',').map(str::trim) {
        found.push(match name.to_ascii_lowercase().as_str() {
            "" | "identity" => continue,
            "gzip" | "x-gzip" => Coding::Gzip,
            "deflate" => Coding::Deflate,
            "br" => Coding::Brotli,
            "zstd" => Coding::Zstd,
            _ => {
                return Err(
                    SourceError::malformed("the answer is packed in an unknown way").detail("encoding")
                );
            }
        });
    }
    if found.len() > LAYERS {
        return Err(SourceError::malformed("the answer is packed too many times over").detail("encoding"));
    }
    Ok(found)
}

/// Decodes a body.
pub(crate) fn decode(body: &[u8], codings: &[Coding], bounds: Bounds) -> Result<Vec<u8>, SourceError> {
    let wire = body.len();
    let mut current: Option<Vec<u8>> = None;
    for coding in codings.iter().rev() {
        let input = current.as_deref().unwrap_or(body);
        let mut out = Bounded {
            out: Vec::new(),
            wire,
            bounds,
        };
        let result = match coding {
            Coding::Gzip => gzip(input, &mut out),
            Coding::Deflate => deflate(input, &mut out),
            Coding::Brotli => out.fill(&mut brotli_decompressor::Decompressor::new(input, 16 << 10)),
            Coding::Zstd => zstd(input, &mut out),
        };
        result.map_err(|problem| match problem {
            Problem::TooLarge => too_large(bounds.decoded),
            Problem::TooManyParts => {
                SourceError::malformed(format!("the answer is packed in more than {PARTS} parts"))
                    .detail("encoding")
            }
            Problem::Broken(error) => SourceError::malformed("the answer's packing is damaged")
                .detail("encoding")
                .with("cause", error.to_string()),
        })?;
        current = Some(out.out);
    }
    Ok(current.unwrap_or_else(|| body.to_vec()))
}

pub(crate) fn too_large(limit: usize) -> SourceError {
    SourceError::new(
        ErrorCode::TooLarge,
        format!("the answer is larger than {} KiB", limit >> 10),
    )
}

enum Problem {
    TooLarge,
    TooManyParts,
    Broken(io::Error),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// Output buffer that refuses to grow beyond the limits.
struct Bounded {
    out: Vec<u8>,
    wire: usize,
    bounds: Bounds,
}

impl Bounded {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let total = self.out.len() + bytes.len();
        let stretched = total > RATIO_FROM && total > self.wire.saturating_mul(self.bounds.ratio);
        if total > self.bounds.decoded || stretched {
            return Err(Problem::TooLarge);
        }
        if total > self.out.capacity() {
            // Growing a buffer holds the old and the new copy at once. A large buffer therefore grows only once, to
            // its maximum size. Memory that is never written is not used.
            let most = self.wire.saturating_mul(self.bounds.ratio).max(total);
            let room = if total > RATIO_FROM {
                most
            } else {
                total + total / 2
            };
            self.out
                .reserve_exact(room.min(self.bounds.decoded) - self.out.len());
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn fill(&mut self, reader: &mut impl Read) -> Result<(), Problem> {
        let mut buffer = vec![0; 16 << 10];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => self.push(buffer.get(..count).unwrap_or_default())?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Decodes consecutive members (RFC 1952). Ignores trailing data after the last one, as browsers do.
fn gzip(mut input: &[u8], out: &mut Bounded) -> Result<(), Problem> {
    for _ in 0..PARTS {
        let mut member = GzDecoder::new(input);
        out.fill(&mut member)?;
        input = member.into_inner();
        if !input.starts_with(&[0x1f, 0x8b]) {
            return Ok(());
        }
    }
    Err(Problem::TooManyParts)
}

/// Decodes zlib, which `deflate` means (RFC 9110), or the raw deflate that some servers send.
fn deflate(input: &[u8], out: &mut Bounded) -> Result<(), Problem> {
    let zlib = match input {
        [first, second, ..] => first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0,
        _ => false,
    };
    let mut state = Decompress::new(zlib);
    let mut buffer = vec![0; 16 << 10];
    let mut rest = input;
    loop {
        let (read, written) = (state.total_in(), state.total_out());
        let status = state
            .decompress(rest, &mut buffer, FlushDecompress::None)
            .map_err(|error| Problem::Broken(io::Error::other(error)))?;
        let consumed = usize::try_from(state.total_in() - read).unwrap_or(usize::MAX);
        let produced = usize::try_from(state.total_out() - written).unwrap_or(usize::MAX);
        out.push(buffer.get(..produced).unwrap_or_default())?;
        rest = rest.get(consumed..).unwrap_or_default();
        match status {
            Status::StreamEnd => return Ok(()),
            _ if consumed == 0 && produced == 0 => {
                return Err(Problem::Broken(io::ErrorKind::UnexpectedEof.into()));
            }
            _ => {}
        }
    }
}

/// Decodes consecutive frames and skips skippable ones (RFC 8878).
fn zstd(mut input: &[u8], out: &mut Bounded) -> Result<(), Problem> {
    use ruzstd::decoding::StreamingDecoder;
    let broken = || Problem::Broken(io::ErrorKind::InvalidData.into());
    if input.is_empty() {
        return Err(broken());
    }
    let mut frames = 0;
    while !input.is_empty() {
        if let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, rest @ ..] = input {
            let length = usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).map_err(|_| broken())?;
            input = rest.get(length..).ok_or_else(broken)?;
            continue;
        }
        frames += 1;
        if frames > PARTS {
            return Err(Problem::TooManyParts);
        }
        let mut frame = StreamingDecoder::new_with_max_window_size(&mut input, ZSTD_WINDOW)
            .map_err(|error| Problem::Broken(io::Error::other(error.to_string())))?;
        out.fill(&mut frame)?;
        drop(frame);
        let _ = input.fill_buf()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Instant;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: Bounds = Bounds {
        decoded: 8 << 20,
        ratio: 100,
    };

    /// 64 MiB of zeros.
    const BROTLI: [u8; 53] = [
        0xcf, 0xff, 0xff, 0x7f, 0xf8, 0x27, 0x00, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x9f, 0xff, 0xff, 0xff,
        0xf0, 0x4f, 0x00, 0xc4, 0x61, 0x01, 0x80, 0xee, 0xfd, 0x3f, 0xff, 0xff, 0xff, 0xe1, 0x9f, 0x00, 0x88,
        0xc3, 0x22, 0x00, 0xdd, 0xfb, 0xff, 0xfc, 0xff, 0xff, 0xc7, 0x3f, 0x01, 0x10, 0x87, 0x05, 0x00, 0xba,
        0xf7, 0xff,
    ];

    fn gz(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn code(body: &[u8], header: &str) -> Result<Vec<u8>, ErrorCode> {
        let codings = codings(Some(header)).map_err(|failure| failure.code)?;
        decode(body, &codings, BOUNDS).map_err(|failure| failure.code)
    }

    #[test]
    fn every_coding_is_undone() {
        let text = b"hello hello hello hello".repeat(50);
        assert_eq!(code(&gz(&text), "gzip"), Ok(text.clone()));
        assert_eq!(code(&gz(&text), " X-GZIP "), Ok(text.clone()));
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        assert_eq!(code(&zlib.finish().unwrap(), "deflate"), Ok(text.clone()));
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
        raw.write_all(&text).unwrap();
        assert_eq!(code(&raw.finish().unwrap(), "deflate"), Ok(text.clone()));
        let zstd = ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
        assert_eq!(code(&zstd, "zstd"), Ok(text.clone()));
        // "hi" as one uncompressed brotli block (RFC 7932, section 9.2).
        assert_eq!(
            code(&[0x8b, 0x00, 0x80, b'h', b'i', 0x03], "br"),
            Ok(b"hi".to_vec())
        );
        assert_eq!(code(&gz(&gz(&text)), "gzip, gzip"), Ok(text.clone()));
        assert_eq!(code(&text, "identity"), Ok(text.clone()));
        assert_eq!(code(&text, ""), Ok(text));
    }

    #[test]
    fn gzip_members_are_joined_and_trailing_garbage_is_ignored() {
        let mut two = gz(b"one ");
        two.extend(gz(b"two"));
        assert_eq!(code(&two, "gzip"), Ok(b"one two".to_vec()));
        two.extend(b"\0\0\0\0");
        assert_eq!(code(&two, "gzip"), Ok(b"one two".to_vec()));
    }

    /// 4 MiB of them took 0.9 s of processor time.
    #[test]
    fn very_many_parts_with_nothing_in_them_are_refused() {
        let zstd = ruzstd::encoding::compress_to_vec(&b""[..], ruzstd::encoding::CompressionLevel::Fastest);
        for (part, header) in [(gz(b""), "gzip"), (gz(b"a"), "gzip"), (zstd, "zstd")] {
            assert!(code(&part.repeat(PARTS), header).is_ok(), "{header}");
            let many = part.repeat(PARTS + 1);
            assert_eq!(code(&many, header), Err(ErrorCode::Malformed), "{header}");
            // Also inside another coding, where they cost next to nothing on the wire.
            assert_eq!(
                code(&gz(&many), &format!("{header}, gzip")),
                Err(ErrorCode::Malformed),
                "{header}"
            );
        }
    }

    #[test]
    fn b07_bombs_are_too_large_at_once() {
        let gib = gz(&vec![0; 64 << 20]);
        assert!(gib.len() < 80 << 10);
        let begin = Instant::now();
        assert_eq!(code(&gib, "gzip"), Err(ErrorCode::TooLarge));
        assert_eq!(code(&gz(&gib), "gzip, gzip"), Err(ErrorCode::TooLarge));
        assert_eq!(code(&gib.repeat(20), "gzip"), Err(ErrorCode::TooLarge));
        let mut raw = ZlibEncoder::new(Vec::new(), Compression::best());
        raw.write_all(&vec![0; 32 << 20]).unwrap();
        assert_eq!(code(&raw.finish().unwrap(), "deflate"), Err(ErrorCode::TooLarge));
        let zstd = ruzstd::encoding::compress_to_vec(
            &vec![0; 16 << 20][..],
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        assert_eq!(code(&zstd, "zstd"), Err(ErrorCode::TooLarge));
        assert_eq!(code(&BROTLI, "br"), Err(ErrorCode::TooLarge));
        assert!(
            begin.elapsed().as_secs() < 20,
            "unoptimised, and still far from the whole gibibyte"
        );
    }

    #[test]
    fn the_ratio_does_not_count_below_a_mebibyte() {
        let blanks = vec![b' '; 1 << 20];
        assert_eq!(code(&gz(&blanks), "gzip").map(|out| out.len()), Ok(1 << 20));
    }

    #[test]
    fn b08_damage_is_malformed() {
        let text = b"some text, long enough to be cut in the middle of it".repeat(9);
        let whole = gz(&text);
        for header in ["gzip", "deflate", "br", "zstd"] {
            assert_eq!(
                code(b"<html>plain text</html>", header),
                Err(ErrorCode::Malformed),
                "{header}"
            );
        }
        assert_eq!(code(&whole[..whole.len() / 2], "gzip"), Err(ErrorCode::Malformed));
        assert_eq!(code(&whole[..whole.len() - 4], "gzip"), Err(ErrorCode::Malformed));
        assert_eq!(code(b"", "gzip"), Err(ErrorCode::Malformed));
        assert_eq!(code(b"", "zstd"), Err(ErrorCode::Malformed));
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        let zlib = zlib.finish().unwrap();
        assert_eq!(
            code(&zlib[..zlib.len() - 6], "deflate"),
            Err(ErrorCode::Malformed)
        );
        let zstd = ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
        assert_eq!(code(&zstd[..zstd.len() - 3], "zstd"), Err(ErrorCode::Malformed));
        assert_eq!(code(&text, "rot13"), Err(ErrorCode::Malformed));
        assert_eq!(code(&whole, "gzip, gzip, gzip"), Err(ErrorCode::Malformed));
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_bytes_or_a_typed_failure(body: Vec<u8>, which in 0_usize..4) {
            let header = ["gzip", "deflate", "br", "zstd"][which];
            if let Err(code) = code(&body, header) {
                prop_assert!(matches!(code, ErrorCode::Malformed | ErrorCode::TooLarge));
            }
        }

        #[test]
        fn a_cut_gzip_never_passes_as_whole(cut in 1_usize..40) {
            let whole = gz(b"the quick brown fox jumps over the lazy dog");
            let cut = cut.min(whole.len());
            prop_assert!(code(&whole[..whole.len() - cut], "gzip").is_err());
        }
    }
}
