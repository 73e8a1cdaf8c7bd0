#![no_main]
use freshcontext_fetch::fuzzing::unpack;
use freshcontext_parse::charset::decode_bytes;

const CODINGS: [&str; 8] = ["gzip", "deflate", "br", "zstd", "gzip, gzip", "br, gzip", "zstd, deflate", "deflate, br"];
const CHARSETS: [Option<&str>; 8] = [
    None,
    Some("utf-8"),
    Some("iso-8859-1"),
    Some("shift_jis"),
    Some("utf-16le"),
    Some("iso-2022-jp"),
    Some("gb18030"),
    Some("no such charset"),
];
const MOST: usize = 1 << 20;

// The first byte selects the content coding and the charset label of the rest.
freshcontext_fuzz::target!(|data| {
    let Some((choice, body)) = data.split_first() else { return };
    let coding = CODINGS[usize::from(choice & 7)];
    let label = CHARSETS[usize::from(choice >> 3 & 7)];
    let unpacked = unpack(coding, body, MOST);
    for bytes in [Some(body), unpacked.as_deref()].into_iter().flatten() {
        assert!(bytes.len() <= MOST.max(body.len()), "{coding}: {} bytes", bytes.len());
        let decoded = decode_bytes(bytes, label);
        let marks = decoded.text.matches('\u{fffd}').count();
        assert!(decoded.replaced <= marks, "{} replaced, {marks} marks", decoded.replaced);
    }
});
