//! Fetching against a small server on 127.0.0.1 that misbehaves on demand.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::*;

/// A request as the server saw it: path, `Range`, `If-Range`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Request {
    path: String,
    range: Option<String>,
    if_range: Option<String>,
}

impl Request {
    fn start(&self) -> usize {
        self.range.as_ref().map_or(0, |range| range[6..range.len() - 1].parse().unwrap())
    }
}

struct Server {
    base: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Serves each connection with what `answer` makes of the request and its number.
    fn start(answer: impl Fn(usize, &Request) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let Ok(mut stream) = stream else { continue };
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let Some(first) = lines.next() else { continue };
                let mut request = Request {
                    path: first.split(' ').nth(1).unwrap_or("").into(),
                    range: None,
                    if_range: None,
                };
                for line in lines.take_while(|line| !line.is_empty()) {
                    match line.to_lowercase().split_once(": ") {
                        Some(("range", _)) => request.range = Some(line[7..].into()),
                        Some(("if-range", _)) => request.if_range = Some(line[10..].into()),
                        _ => {}
                    }
                }
                log.lock().unwrap().push(request.clone());
                let _ = stream.write_all(&answer(number, &request));
            }
        });
        Self { base, seen }
    }

    fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A whole or partial answer that announces everything and sends at most `most` bytes of it.
fn file_response(content: &[u8], start: usize, most: usize) -> Vec<u8> {
    let rest = &content[start..];
    let sent = &rest[..rest.len().min(most)];
    let length = format!("Content-Length: {}\r\nETag: \"one\"\r\n", rest.len());
    if start == 0 {
        return response("200 OK", &length, sent);
    }
    let range = format!("Content-Range: bytes {start}-{}/{}\r\n", content.len() - 1, content.len());
    response("206 Partial Content", &(length + &range), sent)
}

fn content() -> Vec<u8> {
    (0..200_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn fetcher() -> Fetcher {
    Fetcher {
        free_space: |_| Ok(u64::MAX),
        plain_http: true,
        retries: 2,
        pause: Duration::from_millis(1),
        patience: Duration::from_secs(5),
    }
}

/// A manifest of one starter embedder, pinned when `pin` is given.
fn manifest(url: &str, pin: Option<&[u8]>) -> Manifest {
    let pins = pin
        .map(|bytes| format!("size = {}\nsha256 = \"{}\"\n", bytes.len(), digest(bytes)))
        .unwrap_or_default();
    Manifest::parse(&format!(
        "version = 1\n[[model]]\nprofile = \"starter\"\nrole = \"embed\"\nname = \"E\"\n\
         file = \"e.gguf\"\n{pins}licence = \"MIT\"\nsource = [\"{url}\"]\n"
    ))
    .unwrap()
}

struct Case {
    dir: TempDir,
    manifest: Manifest,
    fetcher: Fetcher,
}

impl Case {
    fn new(url: &str, pin: Option<&[u8]>) -> Self {
        Self { dir: tempfile::tempdir().unwrap(), manifest: manifest(url, pin), fetcher: fetcher() }
    }

    fn run(&self) -> Result<FetchOutcome, FetchError> {
        let report = self.fetcher.run(
            self.dir.path(),
            &self.manifest,
            Profile::Starter,
            &mut |_| {},
            &Cancel::default(),
        )?;
        Ok(report.files.into_iter().next().unwrap().outcome)
    }

    fn failure(&self) -> FetchError {
        match self.run().unwrap() {
            FetchOutcome::Failed(error) => error,
            other => panic!("{other:?}"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(self.dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".fetch.lock")
            .collect();
        names.sort();
        names
    }
}

#[test]
fn downloads_verifies_and_pins() {
    let server = Server::start(|_, _| file_response(&content(), 0, usize::MAX));
    let case = Case::new(&format!("{}/e", server.base), Some(&content()));
    let mut seen = Vec::new();
    let mut progress = |step: Progress<'_>| seen.push((step.stage, step.done, step.total));
    let report = case
        .fetcher
        .run(case.dir.path(), &case.manifest, Profile::Starter, &mut progress, &Cancel::default())
        .unwrap();
    assert!(report.is_complete());
    assert_eq!(std::fs::read(case.path("e.gguf")).unwrap(), content());
    assert_eq!(case.names(), ["e.gguf", LOCK_FILE]);
    let all = content().len() as u64;
    assert!(
        seen.contains(&(Stage::Download, all, Some(all))) && seen.contains(&(Stage::Verify, all, Some(all)))
    );
    let locked = Lock::read(case.dir.path()).unwrap().get("e.gguf").cloned().unwrap();
    assert_eq!((locked.size, locked.sha256, locked.etag), (all, digest(&content()), Some("\"one\"".into())));
    assert!(matches!(case.run().unwrap(), FetchOutcome::Present));
    assert_eq!(server.requests().len(), 1, "what is there is not asked for again");
}

#[test]
fn takes_up_a_cut_transfer_where_it_stopped() {
    let server = Server::start(|_, request| file_response(&content(), request.start(), 70_000));
    let case = Case::new(&format!("{}/e", server.base), Some(&content()));
    assert!(matches!(case.run().unwrap(), FetchOutcome::Downloaded));
    assert_eq!(std::fs::read(case.path("e.gguf")).unwrap(), content());
    let requests = server.requests();
    assert_eq!(requests.iter().map(Request::start).collect::<Vec<_>>(), [0, 70_000, 140_000]);
    assert_eq!(requests[1].if_range.as_deref(), Some("\"one\""));
}

#[test]
fn takes_up_what_an_earlier_run_left() {
    let server = Server::start(|_, request| file_response(&content(), request.start(), usize::MAX));
    let url = format!("{}/e", server.base);
    let case = Case::new(&url, None);
    std::fs::write(case.path("e.gguf.part"), &content()[..1000]).unwrap();
    std::fs::write(case.path("e.gguf.part.toml"), format!("source = \"{url}\"\netag = '\"one\"'\n")).unwrap();
    assert!(matches!(case.run().unwrap(), FetchOutcome::Downloaded));
    assert_eq!(server.requests()[0].start(), 1000);
    assert_eq!(std::fs::read(case.path("e.gguf")).unwrap(), content());
}

#[test]
fn begins_anew_when_nothing_vouches_for_the_beginning() {
    let server = Server::start(|_, request| file_response(&content(), request.start(), usize::MAX));
    let case = Case::new(&format!("{}/e", server.base), None);
    std::fs::write(case.path("e.gguf.part"), b"of unknown origin").unwrap();
    assert!(matches!(case.run().unwrap(), FetchOutcome::Downloaded));
    assert_eq!(server.requests()[0].range, None);
    assert_eq!(std::fs::read(case.path("e.gguf")).unwrap(), content());
}

#[test]
fn begins_anew_when_the_server_ignores_the_range() {
    let server = Server::start(|number, _| {
        let most = if number == 0 { 50_000 } else { usize::MAX };
        file_response(&content(), 0, most)
    });
    let case = Case::new(&format!("{}/e", server.base), Some(&content()));
    assert!(matches!(case.run().unwrap(), FetchOutcome::Downloaded));
    assert_eq!(server.requests()[1].start(), 50_000);
    assert_eq!(std::fs::read(case.path("e.gguf")).unwrap(), content());
}

#[test]
fn begins_anew_when_the_range_is_not_satisfiable() {
    let server = Server::start(|_, request| match request.start() {
        0 => file_response(&content(), 0, usize::MAX),
        _ => response("416 Range Not Satisfiable", "Content-Length: 0\r\n", b""),
    });
    let url = format!("{}/e", server.base);
    let case = Case::new(&url, None);
    std::fs::write(case.path("e.gguf.part"), vec![0; 300_000]).unwrap();
    std::fs::write(case.path("e.gguf.part.toml"), format!("source = \"{url}\"\netag = '\"old\"'\n")).unwrap();
    assert!(matches!(case.run().unwrap(), FetchOutcome::Downloaded));
    assert_eq!(std::fs::read(case.path("e.gguf")).unwrap(), content());
}

#[test]
fn refuses_another_content_and_leaves_nothing_behind() {
    let mut other = content();
    other[100_000] ^= 1;
    let server = Server::start(move |_, _| file_response(&other, 0, usize::MAX));
    let case = Case::new(&format!("{}/e", server.base), Some(&content()));
    let error = case.failure();
    assert!(
        matches!(&error, FetchError::WrongHash { expected, .. } if *expected == digest(&content())),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("./setup.sh models"));
    assert_eq!(case.names(), [""; 0]);
}

#[test]
fn refuses_another_size_before_downloading() {
    let server = Server::start(|_, _| file_response(&content(), 0, 10));
    let case = Case::new(&format!("{}/e", server.base), Some(&content()[..999]));
    let error = case.failure();
    assert!(matches!(error, FetchError::WrongSize { found: 200_000, expected: 999, .. }), "{error}");
    assert_eq!(case.names(), [""; 0]);
}

#[test]
fn a_file_pinned_by_the_first_fetch_is_held_to_it() {
    let server = Server::start(|number, _| {
        let mut bytes = content();
        bytes[0] ^= u8::from(number > 0);
        file_response(&bytes, 0, usize::MAX)
    });
    let case = Case::new(&format!("{}/e", server.base), None);
    assert!(matches!(case.run().unwrap(), FetchOutcome::Downloaded));
    std::fs::remove_file(case.path("e.gguf")).unwrap();
    assert!(matches!(case.failure(), FetchError::WrongHash { .. }));
}

#[test]
fn a_body_that_always_ends_early_is_kept_for_later() {
    let server = Server::start(|_, _| file_response(&content(), 0, 30_000));
    let case = Case::new(&format!("{}/e", server.base), Some(&content()));
    let error = case.failure();
    assert!(matches!(error, FetchError::Truncated { found: 30_000, expected: 200_000, .. }), "{error}");
    assert_eq!(case.names(), ["e.gguf.part", "e.gguf.part.toml"]);
}

#[test]
fn refuses_to_begin_without_room() {
    let server = Server::start(|_, _| file_response(&content(), 0, usize::MAX));
    let mut case = Case::new(&format!("{}/e", server.base), Some(&content()));
    case.fetcher.free_space = |_| Ok(199_999);
    let error = case.run().unwrap_err();
    assert!(matches!(error, FetchError::NoSpace { needed: 200_000, free: 199_999, .. }), "{error}");
    assert_eq!(server.requests(), []);

    case.manifest = manifest(&format!("{}/e", server.base), None);
    let error = case.run().unwrap_err();
    assert!(
        matches!(error, FetchError::NoSpace { needed: 200_000, .. }),
        "size known from the answer: {error}"
    );
}

#[test]
fn says_the_status_of_a_refusal() {
    let server = Server::start(|_, _| response("404 Not Found", "Content-Length: 4\r\n", b"gone"));
    let case = Case::new(&format!("{}/e", server.base), None);
    assert!(matches!(case.failure(), FetchError::Status { status: 404, .. }));
    assert_eq!(case.names(), [""; 0]);
}

#[test]
fn follows_redirects_and_keeps_the_revision() {
    let server = Server::start(|_, request| match request.path.as_str() {
        "/hub/e" => response(
            "302 Found",
            "Location: ../store?k=1\r\nX-Repo-Commit: abc\r\nContent-Length: 0\r\n",
            b"",
        ),
        "/hub/../store?k=1" => {
            response("307 Temporary Redirect", "Location: /e\r\nContent-Length: 0\r\n", b"")
        }
        "/e" => file_response(&content(), 0, usize::MAX),
        other => panic!("{other}"),
    });
    let case = Case::new(&format!("{}/hub/e", server.base), Some(&content()));
    assert!(matches!(case.run().unwrap(), FetchOutcome::Downloaded));
    let lock = Lock::read(case.dir.path()).unwrap();
    assert_eq!(lock.get("e.gguf").unwrap().revision.as_deref(), Some("abc"));
}

#[test]
fn refuses_a_redirect_loop_and_an_address_without_tls() {
    let server = Server::start(|_, _| response("302 Found", "Location: /e\r\nContent-Length: 0\r\n", b""));
    let case = Case::new(&format!("{}/e", server.base), None);
    assert!(matches!(case.failure(), FetchError::Unreachable { reason, .. } if reason.contains("redirects")));

    let server = Server::start(|_, _| {
        response("302 Found", "Location: http://models.example/e\r\nContent-Length: 0\r\n", b"")
    });
    let mut case = Case::new(&format!("{}/e", server.base), None);
    assert!(matches!(case.failure(), FetchError::NotHttps { url } if url == "http://models.example/e"));
    case.fetcher.plain_http = false;
    assert!(matches!(case.failure(), FetchError::NotHttps { .. }));
    assert_eq!(server.requests().len(), 1, "refused before connecting");
}

#[test]
fn an_unreachable_hub_names_the_way_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = Case::new(&format!("http://{address}/e"), None).failure();
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error}");
    assert!(error.hint().unwrap().contains("./setup.sh models"));
}

#[test]
fn the_second_source_is_tried_when_the_first_fails() {
    let server = Server::start(|_, request| match request.path.as_str() {
        "/a" => response("404 Not Found", "Content-Length: 0\r\n", b""),
        _ => file_response(&content(), 0, usize::MAX),
    });
    let base = &server.base;
    let case = Case::new(&format!("{base}/a\", \"{base}/b"), None);
    assert!(matches!(case.run().unwrap(), FetchOutcome::Downloaded));
    assert_eq!(Lock::read(case.dir.path()).unwrap().get("e.gguf").unwrap().source, format!("{base}/b"));
}

#[test]
fn cancelling_keeps_what_came() {
    let server = Server::start(|_, _| file_response(&content(), 0, usize::MAX));
    let case = Case::new(&format!("{}/e", server.base), None);
    let cancel = Cancel::default();
    let mut stop = |step: Progress<'_>| {
        if step.done > 0 {
            cancel.cancel();
        }
    };
    let result = case.fetcher.run(case.dir.path(), &case.manifest, Profile::Starter, &mut stop, &cancel);
    assert!(matches!(result, Err(FetchError::Cancelled)));
    let kept = std::fs::metadata(case.path("e.gguf.part")).unwrap().len();
    assert!(kept > 0 && kept < 200_000, "{kept}");
}

#[test]
fn one_fetch_at_a_time() {
    let case = Case::new("https://models.example/e", None);
    let guard = lock::Guard::take(case.dir.path()).unwrap();
    assert!(matches!(case.run(), Err(FetchError::Busy { .. })));
    drop(guard);
    assert!(!matches!(lock::Guard::take(case.dir.path()), Err(FetchError::Busy { .. })));
}

#[test]
fn a_damaged_lock_file_is_named() {
    let case = Case::new("https://models.example/e", None);
    std::fs::write(case.path(LOCK_FILE), "not toml at all [").unwrap();
    let error = case.run().unwrap_err();
    assert!(matches!(&error, FetchError::Lock { path, .. } if path.ends_with(LOCK_FILE)), "{error}");
}
