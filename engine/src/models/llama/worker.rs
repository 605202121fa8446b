//! A thread that owns a llama.cpp context: created, used and dropped there.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::models::ModelError;

/// The caller's end of a worker thread that takes jobs of type `J`, in order.
pub(super) struct Worker<J> {
    role: &'static str,
    jobs: Option<Sender<J>>,
    thread: Option<JoinHandle<()>>,
    dead: Arc<Mutex<Option<String>>>,
}

impl<J: Send + 'static> Worker<J> {
    /// Starts a thread that runs `body` with the job queue and a way to report that it is ready,
    /// and waits for that report.
    ///
    /// `body` reports through the [`Ready`] it gets, exactly once; it then serves jobs until the
    /// queue closes. A panic outside a job ends the thread and is told to every later caller.
    pub(super) fn start<R, F>(role: &'static str, body: F) -> Result<(Self, R), ModelError>
    where
        R: Send + 'static,
        F: FnOnce(Ready<R>, Receiver<J>) + Send + 'static,
    {
        let (jobs, queue) = channel();
        let (ready, started) = channel();
        let dead: Arc<Mutex<Option<String>>> = Arc::default();
        let epitaph = Arc::clone(&dead);
        let thread = std::thread::Builder::new()
            .name(format!("polyrag-{role}"))
            .stack_size(16 << 20)
            .spawn(move || {
                let run = AssertUnwindSafe(|| body(Ready(ready), queue));
                if let Err(panic) = catch_unwind(run) {
                    let reason = format!("its thread ended: {}", panic_text(panic.as_ref()));
                    *epitaph.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
                }
            })
            .map_err(|error| ModelError::Runtime { role, reason: format!("no thread: {error}") })?;
        let mut worker = Self { role, jobs: Some(jobs), thread: Some(thread), dead };
        if let Ok(result) = started.recv() {
            return Ok((worker, result?));
        }
        worker.close();
        Err(worker.gone())
    }

    /// Puts a job into the queue.
    pub(super) fn send(&self, job: J) -> Result<(), ModelError> {
        self.jobs.as_ref().ok_or_else(|| self.gone())?.send(job).map_err(|_| self.gone())
    }

    /// The error for a worker that answers no more.
    pub(super) fn gone(&self) -> ModelError {
        let reason = self.dead.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let reason = reason.unwrap_or_else(|| "its thread has ended".into());
        ModelError::Runtime { role: self.role, reason }
    }
}

impl<J> Worker<J> {
    fn close(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // An error here is a panic that was already kept.
            let _ = thread.join();
        }
    }
}

impl<J> Drop for Worker<J> {
    /// Closes the queue and waits, so that the context is gone before the process ends.
    fn drop(&mut self) {
        self.close();
    }
}

/// Reports once whether a worker started.
pub(super) struct Ready<R>(Sender<Result<R, ModelError>>);

impl<R> Ready<R> {
    pub(super) fn report(self, result: Result<R, ModelError>) {
        // The receiver waits for this message; if it is gone nobody wants to know.
        let _ = self.0.send(result);
    }
}

/// Runs one job; a panic becomes a [`ModelError::Runtime`].
pub(super) fn guarded<T>(
    role: &'static str,
    work: impl FnOnce() -> Result<T, ModelError>,
) -> Result<T, ModelError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(ModelError::Runtime { role, reason: format!("panic: {}", panic_text(panic.as_ref())) })
    })
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<&str>() {
        text
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text
    } else {
        "unknown panic"
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_a_job_is_an_error_and_the_worker_lives_on() {
        let (worker, ready) = Worker::start("embed", |ready, queue: Receiver<(u32, Sender<_>)>| {
            ready.report(Ok("up"));
            for (number, reply) in queue {
                let result = guarded("embed", || if number == 13 { panic!("unlucky") } else { Ok(number) });
                reply.send(result).unwrap();
            }
        })
        .unwrap();
        assert_eq!(ready, "up");
        let ask = |number| {
            let (reply, answer) = channel();
            worker.send((number, reply)).unwrap();
            answer.recv().unwrap()
        };
        assert!(ask(13).unwrap_err().to_string().contains("unlucky"));
        assert_eq!(ask(7).unwrap(), 7);
    }

    #[test]
    fn a_dead_worker_says_why() {
        let (worker, ()) = Worker::start("embed", |ready, queue: Receiver<u32>| {
            ready.report(Ok(()));
            let _ = queue.recv();
            panic!("out of luck");
        })
        .unwrap();
        worker.send(1).unwrap();
        let error = loop {
            if let Err(error) = worker.send(2) {
                break error;
            }
            std::thread::yield_now();
        };
        // The reason is written just after the queue closes.
        while !worker.gone().to_string().contains("out of luck") {
            std::thread::yield_now();
        }
        assert!(error.to_string().contains("ended"));
        let failed = Worker::<u32>::start("embed", |ready: Ready<()>, _| {
            ready.report(Err(ModelError::NoRuntime));
        });
        assert!(matches!(failed.err().unwrap(), ModelError::NoRuntime));
        let silent = Worker::<u32>::start("embed", |_: Ready<()>, _| panic!("at once"));
        assert!(matches!(silent.err().unwrap(), ModelError::Runtime { .. }));
    }
}
