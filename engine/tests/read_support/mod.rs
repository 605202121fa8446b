//! Files made part by part, and what reading them gave.
#![allow(clippy::unwrap_used, dead_code, missing_docs)]

use std::io::{Cursor, Write};
use std::path::Path;

use polyrag::decide::table::Table;
use polyrag::read::{
    Picture, PictureLine, PictureReader, ReadError, ReadLimits, Reader, Reading, Source, TextDocument, read,
};
use zip::write::SimpleFileOptions;

pub fn packed(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub fn try_read(name: &str, bytes: Vec<u8>) -> Result<Reading, ReadError> {
    read(Path::new(name), bytes, &Reader::new(&ReadLimits::default()))
}

pub fn with_limits(name: &str, bytes: Vec<u8>, limits: &ReadLimits) -> Result<Reading, ReadError> {
    read(Path::new(name), bytes, &Reader::new(limits))
}

pub fn document(name: &str, bytes: Vec<u8>) -> TextDocument {
    only(try_read(name, bytes).unwrap())
}

pub fn only(reading: Reading) -> TextDocument {
    assert_eq!(reading.sources.len(), 1, "{:?}", reading.sources);
    match reading.sources.into_iter().next().unwrap() {
        Source::Text(document) => document,
        Source::Tables(tables) => panic!("not a text: {tables:?}"),
    }
}

pub fn tables(name: &str, bytes: Vec<u8>) -> Vec<Table> {
    match try_read(name, bytes).unwrap().sources.remove(0) {
        Source::Tables(tables) => tables,
        Source::Text(document) => document.tables,
    }
}

pub fn names(table: &Table) -> Vec<&str> {
    table.info.columns.iter().map(|column| column.name.as_str()).collect()
}

/// Cells of a table as text, row by row; NULL is empty.
pub fn cells(table: &Table) -> Vec<Vec<String>> {
    let rows = table.batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    rows.map(|(batch, row)| polyrag::store::tables::row_texts(batch, &table.info, row)).collect()
}

pub const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A relations part; each relation is `id kind target`, and `!` before the target is outside.
pub fn relations(list: &[&str]) -> String {
    let mut xml = String::from(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
    );
    for relation in list {
        let [id, kind, target] = relation.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{relation}")
        };
        let (mode, target) =
            target.strip_prefix('!').map_or(("", target), |target| (r#" TargetMode="External""#, target));
        xml += &format!(r#"<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"{mode}/>"#);
    }
    xml + "</Relationships>"
}

/// A Word document of a body and further parts; `links` are the relations of the body.
pub fn docx(body: &str, links: &[&str], parts: &[(&str, &str)]) -> Vec<u8> {
    let document = word("document", &format!("<w:body>{body}</w:body>"));
    let (package, own) = (relations(&["r1 officeDocument word/document.xml"]), relations(links));
    let mut all = vec![
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", package.as_str()),
        ("word/document.xml", document.as_str()),
        ("word/_rels/document.xml.rels", own.as_str()),
    ];
    all.extend_from_slice(parts);
    packed(&all)
}

/// A part of WordprocessingML.
pub fn word(root: &str, inner: &str) -> String {
    format!(
        r#"<?xml version="1.0"?><w:{root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="{OFFICE}" xmlns:wp="urn:wp" xmlns:a="urn:a" xmlns:m="urn:m" xmlns:mc="urn:mc" xmlns:wps="urn:wps" xmlns:v="urn:v" xmlns:c="urn:c" xmlns:dgm="urn:dgm">{inner}</w:{root}>"#
    )
}

/// A paragraph, with a style before `:` if there is one.
pub fn p(words: &str) -> String {
    let (style, words) = match words.split_once(':') {
        Some((style, words)) if !style.is_empty() && style.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            (format!(r#"<w:pPr><w:pStyle w:val="{style}"/></w:pPr>"#), words)
        }
        _ => (String::new(), words),
    };
    format!(r#"<w:p>{style}<w:r><w:t xml:space="preserve">{words}</w:t></w:r></w:p>"#)
}

pub const STYLES: &str = r#"<w:styles xmlns:w="urn:w">
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Ttulo1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Ttulo2"><w:name w:val="heading 2"/><w:basedOn w:val="Ttulo1"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Minha"><w:name w:val="Minha seção"/><w:basedOn w:val="Ttulo2"/></w:style>
<w:style w:type="paragraph" w:styleId="Legenda"><w:name w:val="caption"/></w:style>
<w:style w:type="paragraph" w:styleId="Sumrio1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Oculto"><w:name w:val="Oculto"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Lista"><w:name w:val="List Paragraph"/></w:style>
</w:styles>"#;

/// A presentation of slides; each is its shapes' XML, its relations and whether it is shown.
pub fn pptx(slides: &[(&str, &[&str], bool)], parts: &[(&str, &str)]) -> Vec<u8> {
    let spaces = format!(
        r#"xmlns:p="urn:p" xmlns:a="urn:a" xmlns:r="{OFFICE}" xmlns:c="urn:c" xmlns:mc="urn:mc" xmlns:a14="urn:a14" xmlns:m="urn:m""#
    );
    let mut all: Vec<(String, String)> = vec![
        ("[Content_Types].xml".into(), "<Types/>".into()),
        ("_rels/.rels".into(), relations(&["r1 officeDocument ppt/presentation.xml"])),
    ];
    let (mut list, mut links) = (String::new(), Vec::new());
    for (index, (shapes, own, shown)) in slides.iter().enumerate() {
        // Names in another order than the presentation's.
        let name = format!("slide{}", slides.len() - index);
        list += &format!(r#"<p:sldId id="{}" r:id="s{index}"/>"#, 256 + index);
        links.push(format!("s{index} slide slides/{name}.xml"));
        let show = if *shown { "" } else { r#" show="0""# };
        all.push((
            format!("ppt/slides/{name}.xml"),
            format!("<p:sld {spaces}{show}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"),
        ));
        all.push((format!("ppt/slides/_rels/{name}.xml.rels"), relations(own)));
    }
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    all.push((
        "ppt/presentation.xml".into(),
        format!("<p:presentation {spaces}><p:sldIdLst>{list}</p:sldIdLst></p:presentation>"),
    ));
    all.push(("ppt/_rels/presentation.xml.rels".into(), relations(&links)));
    all.extend(parts.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())));
    let all: Vec<(&str, &str)> =
        all.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect();
    packed(&all)
}

/// A shape: placeholder type (empty for none) and its paragraphs.
pub fn shape(kind: &str, paragraphs: &[&str]) -> String {
    let placeholder = if kind.is_empty() { String::new() } else { format!(r#"<p:ph type="{kind}"/>"#) };
    let words: String =
        paragraphs.iter().map(|words| format!("<a:p><a:r><a:t>{words}</a:t></a:r></a:p>")).collect();
    format!(
        r#"<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:txBody>{words}</p:txBody></p:sp>"#
    )
}

/// An OpenDocument text.
pub fn odt(styles: &str, body: &str, page_styles: &str) -> Vec<u8> {
    let spaces = r#"xmlns:office="urn:o" xmlns:text="urn:t" xmlns:table="urn:tb" xmlns:style="urn:s" xmlns:draw="urn:d" xmlns:xlink="urn:x""#;
    let content = format!(
        "<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    let pages = format!(
        "<office:document-styles {spaces}><office:master-styles>{page_styles}</office:master-styles></office:document-styles>"
    );
    packed(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &content),
        ("styles.xml", &pages),
        ("meta.xml", r#"<m xmlns:dc="urn:dc"><dc:creator>Ana Lima</dc:creator></m>"#),
    ])
}

/// Reads every picture as the same words.
pub struct Fixed(pub &'static str);

impl PictureReader for Fixed {
    fn read(&self, _picture: &Picture) -> Result<Vec<PictureLine>, String> {
        Ok(vec![PictureLine { text: self.0.into(), confidence: 1.0, bounds: [0.0; 4] }])
    }
}
