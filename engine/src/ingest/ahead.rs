//! Work on several items ahead of the one that consumes the results in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// How far the workers may run ahead.
#[derive(Debug, Clone, Copy)]
pub struct Lead {
    /// Threads that work; 1 works in the caller's thread, item by item.
    pub jobs: usize,
    /// Most items begun and not consumed.
    pub items: usize,
    /// Most weight (bytes) begun and not consumed; a single heavier item still goes through alone.
    pub weight: u64,
}

struct State<R> {
    next: usize,
    consumed: usize,
    weight: u64,
    done: BTreeMap<usize, R>,
    stopped: bool,
}

struct Shared<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<R>>) -> MutexGuard<'a, State<R>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls `work` on every item, several at a time, and `each` on every result, in the items' order.
///
/// `work` must not panic: its result would be waited for. The first error of `each` stops it all.
///
/// # Errors
/// What `each` returns.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    lead: Lead,
    weight: impl Fn(&T) -> u64 + Sync,
    work: impl Fn(&T) -> R + Sync,
    mut each: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    if lead.jobs <= 1 || items.len() <= 1 {
        return items.iter().try_for_each(|item| each(item, work(item)));
    }
    let state = State { next: 0, consumed: 0, weight: 0, done: BTreeMap::new(), stopped: false };
    let shared = Shared { state: Mutex::new(state), changed: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..lead.jobs.min(items.len()) {
            scope.spawn(|| worker(&shared, items, lead, &weight, &work));
        }
        let outcome = consume(&shared, items, &weight, &mut each);
        shared.lock().stopped = true;
        shared.changed.notify_all();
        outcome
    })
}

fn worker<T, R>(
    shared: &Shared<R>,
    items: &[T],
    lead: Lead,
    weight: &impl Fn(&T) -> u64,
    work: &impl Fn(&T) -> R,
) {
    loop {
        let at = {
            let mut state = shared.lock();
            loop {
                if state.stopped || state.next >= items.len() {
                    return;
                }
                let ahead = state.next - state.consumed;
                let fits = state.weight.saturating_add(weight(&items[state.next])) <= lead.weight;
                if ahead == 0 || (ahead < lead.items.max(lead.jobs) && fits) {
                    break;
                }
                state = shared.wait(state);
            }
            let at = state.next;
            state.next += 1;
            state.weight = state.weight.saturating_add(weight(&items[at]));
            at
        };
        let result = work(&items[at]);
        shared.lock().done.insert(at, result);
        shared.changed.notify_all();
    }
}

fn consume<T, R>(
    shared: &Shared<R>,
    items: &[T],
    weight: &impl Fn(&T) -> u64,
    each: &mut impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    for (at, item) in items.iter().enumerate() {
        let result = {
            let mut state = shared.lock();
            loop {
                match state.done.remove(&at) {
                    Some(result) => break result,
                    None => state = shared.wait(state),
                }
            }
        };
        each(item, result)?;
        let mut state = shared.lock();
        state.consumed = at + 1;
        state.weight = state.weight.saturating_sub(weight(item));
        drop(state);
        shared.changed.notify_all();
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::Error;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_and_no_further_ahead_than_allowed() {
        let items: Vec<usize> = (0..60).collect();
        for (jobs, ahead, weight) in [(1, 1, 0), (2, 4, u64::MAX), (3, 8, 10), (4, 3, 0)] {
            let (begun, mut seen, worst) = (AtomicUsize::new(0), Vec::new(), AtomicUsize::new(0));
            let lead = Lead { jobs, items: ahead, weight };
            let work = |item: &usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                // Later items finish sooner.
                std::thread::sleep(Duration::from_micros(((60 - item) % 7 * 100) as u64));
                item * 2
            };
            in_order(
                &items,
                lead,
                |_| 5,
                work,
                |item, result| {
                    worst.fetch_max(begun.load(Ordering::SeqCst) - seen.len(), Ordering::SeqCst);
                    assert_eq!(result, item * 2);
                    seen.push(*item);
                    Ok(())
                },
            )
            .unwrap();
            assert_eq!(seen, items);
            // Weight 10 has room for two items of 5, weight 0 for the one in turn.
            let allowed = if weight == 0 { 1 } else { ahead.max(jobs).min((weight / 5).min(60) as usize) };
            assert!(worst.load(Ordering::SeqCst) <= allowed.max(1), "{jobs} jobs: {worst:?} over {allowed}");
        }
    }

    #[test]
    fn the_first_error_stops_the_workers() {
        let items: Vec<usize> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let lead = Lead { jobs: 3, items: 6, weight: u64::MAX };
        let work = |item: &usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            *item
        };
        let outcome = in_order(
            &items,
            lead,
            |_| 1,
            work,
            |_, result| {
                if result == 5 { Err(Error::Cancelled) } else { Ok(()) }
            },
        );
        assert!(matches!(outcome, Err(Error::Cancelled)));
        assert!(begun.load(Ordering::SeqCst) < 20, "{begun:?}");
    }
}
