//! Office documents: the bytes are the main part of DOCX, PPTX and ODT, and a whole RTF.
#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    common::check("a.docx", &common::packed(&[("word/document.xml", data), ("word/styles.xml", data)]));
    common::check("a.pptx", &common::packed(&[
        ("ppt/presentation.xml", br#"<p xmlns:r="urn:r"><sldIdLst><sldId id="1" r:id="s"/></sldIdLst></p>"#),
        ("ppt/_rels/presentation.xml.rels", br#"<r><Relationship Id="s" Type="x/slide" Target="slides/s.xml"/></r>"#),
        ("ppt/slides/s.xml", data),
    ]));
    common::check("a.odt", &common::packed(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("content.xml", data),
    ]));
    common::check("a.rtf", data);
});
