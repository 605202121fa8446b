//! One HTTPS transfer: the request with its range, redirects, and the body on its way to disk.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use ureq::http::{HeaderMap, Response, header};
use ureq::{Agent, Body};

use super::lock::at;
use super::status::{Expected, file_size};
use super::{FetchError, Fetcher, ModelFile, Progress, Stage};
use crate::models::Cancel;

const BLOCK: usize = 1 << 16;
const MAX_REDIRECTS: usize = 10;
/// The header in which the public hub names the commit a file was served from.
const REVISION_HEADER: &str = "x-repo-commit";

/// What a half-done download needs to be taken up again; stored beside it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Resume {
    pub(super) source: String,
    pub(super) etag: Option<String>,
}

/// A response's body with what its headers say.
pub(super) struct Transfer {
    pub(super) body: Response<Body>,
    /// Where in the file the body begins.
    pub(super) offset: u64,
    pub(super) total: Option<u64>,
    pub(super) etag: Option<String>,
    pub(super) revision: Option<String>,
}

/// One file on its way: the names and expectations that every step needs.
pub(super) struct Job<'a> {
    pub(super) model: &'a ModelFile,
    pub(super) expected: Expected,
    pub(super) part: PathBuf,
    pub(super) note: PathBuf,
}

impl Fetcher {
    /// Asks for the file, or for the rest of it. `None`: the part file has it all already.
    pub(super) fn open(
        &self,
        job: &Job<'_>,
        source: &str,
        agent: &Agent,
    ) -> Result<Option<Transfer>, FetchError> {
        let begun = file_size(&job.part).unwrap_or(0);
        let note = read_note(&job.note);
        // Half a file is only of use if the rest is surely of the same one: a strong entity tag
        // says so beforehand (RFC 9110, 13.1.5), a known digest afterwards.
        let strong = note.etag.as_ref().filter(|tag| !tag.starts_with("W/"));
        let resumable =
            begun > 0 && note.source == source && (strong.is_some() || job.expected.sha256.is_some());
        let offset = if resumable { begun } else { 0 };
        if offset > 0 && job.expected.size == Some(offset) {
            return Ok(None);
        }
        let (response, revision) = self.request(source, agent, offset, strong)?;
        let headers = response.headers();
        let etag = text(headers, header::ETAG.as_str());
        let transfer = |offset, total, body| Some(Transfer { body, offset, total, etag, revision });
        match response.status().as_u16() {
            206 => match content_range(headers) {
                Some((start, total)) if start == offset => Ok(transfer(offset, total, response)),
                _ => Err(FetchError::Unreachable {
                    url: source.into(),
                    reason: "the server sent another range than was asked for".into(),
                }),
            },
            200 => {
                let total =
                    text(headers, header::CONTENT_LENGTH.as_str()).and_then(|value| value.parse().ok());
                Ok(transfer(0, total, response))
            }
            416 if offset > 0 => {
                // What is there is not the beginning of what the server has: begin anew.
                remove(&job.part)?;
                remove(&job.note)?;
                self.open(job, source, agent)
            }
            status => Err(FetchError::Status { url: source.into(), status }),
        }
    }

    /// Follows redirects by hand. Returns the last response, and the revision any of them named.
    fn request(
        &self,
        source: &str,
        agent: &Agent,
        offset: u64,
        etag: Option<&String>,
    ) -> Result<(Response<Body>, Option<String>), FetchError> {
        let unreachable = |url: &str, reason: String| FetchError::Unreachable { url: url.into(), reason };
        let (mut url, mut revision) = (source.to_owned(), None);
        for _ in 0..=MAX_REDIRECTS {
            if !(url.starts_with("https://") || self.plain_http && url.starts_with("http://127.0.0.1:")) {
                return Err(FetchError::NotHttps { url });
            }
            let mut request = agent.get(&url);
            if offset > 0 {
                request = request.header(header::RANGE, format!("bytes={offset}-"));
                if let Some(etag) = etag {
                    request = request.header(header::IF_RANGE, etag);
                }
            }
            let response = request.call().map_err(|error| unreachable(&url, error.to_string()))?;
            revision = revision.or_else(|| text(response.headers(), REVISION_HEADER));
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok((response, revision));
            }
            let place = text(response.headers(), header::LOCATION.as_str())
                .ok_or_else(|| unreachable(&url, "a redirect to nowhere".into()))?;
            url = join(&url, &place);
        }
        Err(unreachable(source, format!("more than {MAX_REDIRECTS} redirects")))
    }
}

/// Appends a body to the part file, or begins it anew when the body is the whole file.
pub(super) fn store(
    job: &Job<'_>,
    source: &str,
    transfer: Transfer,
    progress: &mut dyn FnMut(Progress<'_>),
    cancel: &Cancel,
) -> Result<(), FetchError> {
    let path = &job.part;
    let mut file = open_part(path, transfer.offset).map_err(at(path))?;
    let limit = transfer.total.or(job.expected.size).unwrap_or(u64::MAX);
    let mut body = transfer.body.into_body().into_with_config().limit(u64::MAX).reader();
    let (mut done, mut block) = (transfer.offset, vec![0; BLOCK]);
    let mut broken = None;
    while done < limit {
        if cancel.is_cancelled() {
            file.sync_all().map_err(at(path))?;
            return Err(FetchError::Cancelled);
        }
        match body.read(&mut block) {
            Ok(0) => break,
            Ok(read) => {
                file.write_all(&block[..read]).map_err(at(path))?;
                done += read as u64;
                progress(Progress {
                    file: &job.model.file,
                    stage: Stage::Download,
                    done,
                    total: transfer.total,
                });
            }
            Err(error) => {
                broken = Some(error.to_string());
                break;
            }
        }
    }
    file.sync_all().map_err(at(path))?;
    match (transfer.total.or(job.expected.size), broken) {
        (Some(expected), _) if done < expected => {
            Err(FetchError::Truncated { url: source.into(), found: done, expected })
        }
        (None, Some(reason)) => Err(FetchError::Unreachable { url: source.into(), reason }),
        _ => Ok(()),
    }
}

fn open_part(path: &Path, offset: u64) -> std::io::Result<File> {
    if offset > 0 {
        return OpenOptions::new().append(true).open(path);
    }
    File::create(path)
}

pub(super) fn note_path(part: &Path) -> PathBuf {
    let mut name = part.as_os_str().to_owned();
    name.push(".toml");
    name.into()
}

/// Reads what is known of a part file; an unusable note makes it unusable too, no more.
pub(super) fn read_note(path: &Path) -> Resume {
    std::fs::read_to_string(path).ok().and_then(|text| toml::from_str(&text).ok()).unwrap_or_default()
}

pub(super) fn write_note(path: &Path, note: &Resume) -> Result<(), FetchError> {
    let text = toml::to_string(note)
        .map_err(|error| FetchError::Lock { path: path.to_owned(), reason: error.to_string() })?;
    std::fs::write(path, text).map_err(at(path))
}

pub(super) fn remove(path: &Path) -> Result<(), FetchError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// Reads `Content-Range: bytes START-END/TOTAL`.
fn content_range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let value = text(headers, header::CONTENT_RANGE.as_str())?;
    let (range, total) = value.strip_prefix("bytes ")?.split_once('/')?;
    let (start, _) = range.split_once('-')?;
    Some((start.parse().ok()?, total.parse().ok()))
}

/// Resolves a redirect's target against the address that gave it.
fn join(base: &str, place: &str) -> String {
    if place.contains("://") {
        return place.to_owned();
    }
    let scheme = base.find("://").map_or(0, |at| at + 3);
    if let Some(host) = place.strip_prefix("//") {
        return format!("{}{host}", &base[..scheme]);
    }
    let host_end = base[scheme..].find('/').map_or(base.len(), |at| scheme + at);
    if place.starts_with('/') {
        return format!("{}{place}", &base[..host_end]);
    }
    let folder_end = base.rfind('/').filter(|at| *at >= host_end).unwrap_or(host_end);
    format!("{}/{place}", &base[..folder_end])
}
