//! A thread of its own for a PDF: it can be given up when a hostile file never ends.
//!
//! A panic inside the parser ends one page, not the process; a deep file meets a large stack; a
//! loop that draws nothing is left behind when its time is up.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use hayro::hayro_interpret::{Context, InterpreterCache, InterpreterSettings, TransformExt, interpret_page};
use hayro::hayro_syntax::page::Page;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro::kurbo::{Affine, Rect};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};

use super::device::{Collector, Drawn, Expired};
use crate::decide::layout::Bounds;
use crate::read::Picture;

/// Stack of the thread: nested objects and forms are read recursively.
const STACK: usize = 64 << 20;
/// Time beyond the deadline that a page gets to notice it by itself.
const GRACE: Duration = Duration::from_secs(3);

/// What the thread is asked to draw.
struct Request {
    page: usize,
    region: Bounds,
    scale: f32,
}

/// What the file is, before its pages.
#[derive(Debug)]
pub(super) enum Opened {
    /// It opened: number of pages, and what it says about itself.
    Pages(usize, Vec<(&'static str, Vec<u8>)>),
    /// It needs a password, or another one.
    Locked,
    /// It does not parse.
    Broken(String),
}

/// Why a page gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PageError {
    /// Its time was up.
    Expired,
    /// The parser failed on it.
    Failed(String),
}

/// The other end of the thread.
pub(super) struct Worker {
    opened: Receiver<Opened>,
    pages: Receiver<Result<Drawn, PageError>>,
    requests: Sender<Request>,
    pictures: Receiver<Result<Picture, PageError>>,
    deadline: Instant,
    /// It did not answer in time, and is not asked again.
    hung: Cell<bool>,
}

impl Worker {
    /// Starts reading `bytes`; the pages up to `most` follow in order, until `deadline`.
    pub(super) fn start(
        bytes: Arc<Vec<u8>>,
        password: String,
        most: usize,
        deadline: Instant,
    ) -> std::io::Result<Self> {
        let (opened_sender, opened) = sync_channel(1);
        let (page_sender, pages) = sync_channel(4);
        let (requests, request_receiver) = channel();
        let (picture_sender, pictures) = sync_channel(1);
        std::thread::Builder::new().name("pdf".into()).stack_size(STACK).spawn(move || {
            serve(
                &bytes,
                &password,
                most,
                deadline,
                &opened_sender,
                &page_sender,
                &request_receiver,
                &picture_sender,
            );
        })?;
        Ok(Self { opened, pages, requests, pictures, deadline, hung: Cell::new(false) })
    }

    /// Waits for the file to open.
    pub(super) fn opened(&self) -> Result<Opened, PageError> {
        self.receive(&self.opened, self.deadline)
    }

    /// Waits for the next page.
    pub(super) fn page(&self) -> Result<Drawn, PageError> {
        self.receive(&self.pages, self.deadline)?
    }

    /// Draws a part of a page, `scale` pixels per point, on white.
    pub(super) fn draw(
        &self,
        page: usize,
        region: Bounds,
        scale: f32,
        deadline: Instant,
    ) -> Result<Picture, PageError> {
        let request = Request { page, region, scale };
        self.requests
            .send(request)
            .map_err(|_| PageError::Failed("the reader of the file has ended".into()))?;
        self.receive(&self.pictures, deadline)?
    }

    fn receive<T>(&self, from: &Receiver<T>, deadline: Instant) -> Result<T, PageError> {
        if self.hung.get() {
            return Err(PageError::Expired);
        }
        let left = deadline.saturating_duration_since(Instant::now()) + GRACE;
        from.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                self.hung.set(true);
                PageError::Expired
            }
            RecvTimeoutError::Disconnected => PageError::Failed("the reader of the file has ended".into()),
        })
    }
}

#[allow(clippy::too_many_arguments)] // The ends of four channels.
fn serve(
    bytes: &Arc<Vec<u8>>,
    password: &str,
    most: usize,
    deadline: Instant,
    opened: &SyncSender<Opened>,
    pages: &SyncSender<Result<Drawn, PageError>>,
    requests: &Receiver<Request>,
    pictures: &SyncSender<Result<Picture, PageError>>,
) {
    // Channels whose other end is gone mean that nobody waits any more.
    let loaded = catch_unwind(AssertUnwindSafe(|| load(bytes, password)));
    let pdf = match loaded {
        Ok(Ok(pdf)) => pdf,
        Ok(Err(error)) => {
            let _ = opened.send(refusal(error));
            return;
        }
        Err(payload) => {
            let _ = opened.send(Opened::Broken(words_of(payload.as_ref())));
            return;
        }
    };
    let counted = catch_unwind(AssertUnwindSafe(|| pdf.pages().len()));
    let Ok(count) = counted else {
        let _ = opened.send(Opened::Broken("its page tree cannot be read".into()));
        return;
    };
    if opened.send(Opened::Pages(count, about(&pdf))).is_err() {
        return;
    }
    let cache = InterpreterCache::new();
    for index in 0..count.min(most) {
        let drawn = guarded(|| collect(&pdf.pages()[index], &cache, deadline));
        let expired = matches!(drawn, Err(PageError::Expired));
        if pages.send(drawn).is_err() {
            return;
        }
        // No time is left for further pages; those that were read may still be drawn.
        if expired {
            break;
        }
    }
    let render_cache = RenderCache::new();
    while let Ok(request) = requests.recv() {
        let drawn = guarded(|| render(&pdf.pages()[request.page], &render_cache, &request));
        if pictures.send(drawn).is_err() {
            return;
        }
    }
}

/// Opens the file; a password that it does not need does no harm.
fn load(bytes: &Arc<Vec<u8>>, password: &str) -> Result<Pdf, LoadPdfError> {
    let locked = LoadPdfError::Decryption(DecryptionError::PasswordProtected);
    match Pdf::new_with_password(Arc::clone(bytes), password) {
        Err(error) if error == locked && !password.is_empty() => Pdf::new(Arc::clone(bytes)),
        outcome => outcome,
    }
}

/// Runs a step of the parser and turns what it throws into an error.
fn guarded<T>(step: impl FnOnce() -> T) -> Result<T, PageError> {
    catch_unwind(AssertUnwindSafe(step)).map_err(|payload| {
        if payload.is::<Expired>() {
            PageError::Expired
        } else {
            PageError::Failed(words_of(payload.as_ref()))
        }
    })
}

fn words_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    format!("the parser failed: {}", text.unwrap_or_else(|| "no reason given".into()))
}

fn refusal(error: LoadPdfError) -> Opened {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Opened::Locked,
        LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => {
            Opened::Broken("it is encrypted by a method that is not known here".into())
        }
        LoadPdfError::Decryption(_) => Opened::Broken("its encryption is damaged".into()),
        LoadPdfError::Invalid => Opened::Broken("no pages can be found in it".into()),
    }
}

/// What the file says about itself, undecoded.
fn about(pdf: &Pdf) -> Vec<(&'static str, Vec<u8>)> {
    let metadata = pdf.metadata();
    [
        ("title", &metadata.title),
        ("author", &metadata.author),
        ("subject", &metadata.subject),
        ("keywords", &metadata.keywords),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.as_ref().map(|value| (name, value.to_vec())))
    .collect()
}

fn collect<'a>(page: &'a Page<'a>, cache: &InterpreterCache<'a>, deadline: Instant) -> Drawn {
    let (width, height) = page.render_dimensions();
    let target = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let transform = page.initial_transform(true).to_kurbo();
    let mut context = Context::new(transform, target, cache, page.xref(), InterpreterSettings::default());
    let mut collector = Collector::new(width, height, deadline);
    interpret_page(page, &mut context, &mut collector);
    collector.drawn
}

fn render<'a>(page: &'a Page<'a>, cache: &RenderCache<'a>, request: &Request) -> Picture {
    let side = |length: f32| (length * request.scale).round().clamp(1.0, f32::from(u16::MAX)) as u16;
    let (width, height) = (side(request.region.width()), side(request.region.height()));
    let scale = f64::from(request.scale);
    let transform = Affine::scale(scale)
        * Affine::translate((-f64::from(request.region.left), -f64::from(request.region.top)))
        * page.initial_transform(true).to_kurbo();
    let mut context = RenderContext::new(width, height);
    render_into(
        page,
        cache,
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &mut context,
        transform,
    );
    context.flush();
    let mut pixmap = Pixmap::new(width, height);
    let settings =
        RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
    context.render_with(&mut pixmap, &mut Resources::default(), settings);
    let rgb =
        pixmap.data_as_u8_slice().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    Picture { width: usize::from(width), height: usize::from(height), rgb }
}
