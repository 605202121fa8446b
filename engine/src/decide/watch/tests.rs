//! A folder that exists only as a map, a clock that is a number.

use super::*;

/// Plays the caller: a disk, and what was taken in from it.
struct Play {
    state: Watching,
    now: u64,
    disk: BTreeMap<String, Stamp>,
    stored: BTreeMap<String, Stamp>,
    broken: BTreeSet<String>,
    log: Vec<String>,
}

impl Play {
    fn new() -> Self {
        Self {
            state: Watching::new(WatchConfig::default(), 0),
            now: 0,
            disk: BTreeMap::new(),
            stored: BTreeMap::new(),
            broken: BTreeSet::new(),
            log: Vec::new(),
        }
    }

    fn started() -> Self {
        let mut play = Self::new();
        play.run(10);
        play.log.clear();
        play
    }

    fn write(&mut self, path: &str, bytes: u64, happened: Happened) {
        self.disk.insert(path.to_owned(), Stamp { bytes, modified: u128::from(self.now) });
        self.state.event(path, happened, self.now);
    }

    fn remove(&mut self, path: &str) {
        self.disk.remove(path);
        self.state.event(path, Happened::Touched, self.now);
    }

    fn rename(&mut self, from: &str, to: &str) {
        if let Some(stamp) = self.disk.remove(from) {
            self.disk.insert(to.to_owned(), stamp);
        }
        self.state.event(from, Happened::Touched, self.now);
        self.state.event(to, Happened::Touched, self.now);
    }

    fn look(&self, path: &str) -> Entry {
        if let Some(stamp) = self.disk.get(path) {
            return Entry::File(*stamp);
        }
        let below = format!("{path}/");
        if self.disk.keys().any(|known| known.starts_with(&below)) { Entry::Folder } else { Entry::Absent }
    }

    /// Lets time pass in steps of 50 ms.
    fn run(&mut self, ms: u64) {
        let end = self.now + ms;
        loop {
            while let Some(action) = self.state.next(self.now) {
                self.perform(action);
            }
            if self.now >= end {
                return;
            }
            self.now = (self.now + 50).min(end);
        }
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Rescan(reason) => {
                self.log.push(format!("rescan {reason}"));
                let list: Vec<_> = self.disk.iter().map(|(path, stamp)| (path.clone(), *stamp)).collect();
                let known: Vec<String> = self.stored.keys().cloned().collect();
                self.state.listed(&list, &known, self.now);
            }
            Action::Look(paths) => {
                for path in paths {
                    let entry = self.look(&path);
                    self.state.observed(&path, entry, self.now);
                }
            }
            Action::Expand(folders) => {
                for path in self.disk.keys().cloned().collect::<Vec<_>>() {
                    if folders.iter().any(|folder| path.starts_with(&format!("{folder}/"))) {
                        self.state.event(&path, Happened::Touched, self.now);
                    }
                }
            }
            Action::Waiting(path) => self.log.push(format!("waiting {path}")),
            Action::Round { present, absent } => {
                let mut failed = BTreeSet::new();
                for path in &present {
                    match self.disk.get(path) {
                        Some(stamp) if !self.broken.contains(path) => {
                            self.stored.insert(path.clone(), *stamp);
                        }
                        _ => {
                            failed.insert(path.clone());
                        }
                    }
                }
                self.stored.retain(|path, _| {
                    !absent.iter().any(|gone| path == gone || path.starts_with(&format!("{gone}/")))
                });
                self.log.push(format!("+{} -{}", present.join(","), absent.join(",")));
                for (path, seconds) in self.state.finished(&failed, self.now) {
                    self.log.push(format!("failed {path} {seconds}"));
                }
            }
        }
    }

    fn expect(&mut self, log: &[&str]) {
        assert_eq!(self.log, log, "at {} ms", self.now);
        self.log.clear();
    }

    fn equals_disk(&self) {
        assert_eq!(self.stored, self.disk);
        assert!(self.state.is_calm());
    }
}

#[test]
fn what_is_there_at_the_start_is_one_round() {
    let mut play = Play::new();
    for name in ["a.md", "b.md"] {
        play.disk.insert(name.into(), Stamp { bytes: 1, modified: 1 });
    }
    play.stored.insert("gone.md".into(), Stamp::default());
    play.run(900);
    play.expect(&["rescan start"]);
    play.run(200);
    play.expect(&["+a.md,b.md -gone.md"]);
    play.equals_disk();
}

#[test]
fn a_slow_writer_is_waited_for_and_read_once() {
    let mut play = Play::started();
    for step in 1..=8 {
        play.write("big.csv", step * 100, Happened::Written);
        // Longer than the time that settles a closed file: it is open.
        play.run(1500);
    }
    play.expect(&["waiting big.csv"]);
    play.state.event("big.csv", Happened::Closed, play.now);
    play.run(1100);
    play.expect(&["+big.csv -"]);
    play.equals_disk();
}

#[test]
fn a_writer_without_events_is_seen_by_its_size() {
    let mut play = Play::started();
    play.write("net.md", 1, Happened::Touched);
    for step in 2..=6 {
        play.run(800);
        play.disk.insert("net.md".into(), Stamp { bytes: step, modified: u128::from(play.now) });
    }
    play.expect(&[]);
    play.run(2500);
    play.expect(&["waiting net.md", "+net.md -"]);
    play.equals_disk();
}

#[test]
fn a_save_through_a_temporary_file_is_one_round_without_a_deletion() {
    let mut play = Play::started();
    play.write("a.md", 1, Happened::Closed);
    play.run(2000);
    play.log.clear();
    // The old file is moved away, the new one into its place: for a moment nothing is there.
    play.rename("a.md", "a.md.bak");
    play.run(300);
    play.write("a.md", 2, Happened::Closed);
    play.remove("a.md.bak");
    play.run(2000);
    play.expect(&["+a.md -a.md.bak"]);
    play.equals_disk();
}

#[test]
fn h08_a_rename_is_one_round_so_that_its_bytes_are_found_again() {
    let mut play = Play::started();
    play.write("dir/a.md", 1, Happened::Closed);
    play.write("dir/b.md", 1, Happened::Closed);
    play.run(2000);
    play.log.clear();
    play.rename("dir/a.md", "dir/c.md");
    play.run(2000);
    play.expect(&["+dir/c.md -dir/a.md"]);
    // A whole folder: only its own name is in the events.
    for name in ["b.md", "c.md"] {
        let stamp = play.disk.remove(&format!("dir/{name}")).unwrap_or_default();
        play.disk.insert(format!("new/{name}"), stamp);
    }
    play.state.event("dir", Happened::Touched, play.now);
    play.state.event("new", Happened::Touched, play.now);
    play.run(4000);
    play.expect(&["+new/b.md,new/c.md -dir"]);
    play.equals_disk();
}

#[test]
fn a_burst_is_one_round_and_one_busy_file_does_not_hold_the_others_up() {
    let mut play = Play::started();
    for number in 0..200 {
        play.write(&format!("{number:03}.md"), 1, Happened::Closed);
        play.run(if number % 20 == 0 { 50 } else { 0 });
    }
    play.run(2000);
    assert_eq!(play.log.len(), 1, "{:?}", play.log);
    play.equals_disk();
    play.log.clear();
    play.write("done.md", 1, Happened::Closed);
    for step in 0..20 {
        play.write("log.txt", step, Happened::Written);
        play.run(400);
    }
    play.expect(&["waiting log.txt", "+done.md -"]);
}

#[test]
fn a_failed_file_comes_back_later_and_later_and_at_once_when_it_changes() {
    let mut play = Play::started();
    play.broken.insert("locked.xlsx".into());
    play.write("locked.xlsx", 1, Happened::Closed);
    play.run(2000);
    play.expect(&["+locked.xlsx -", "failed locked.xlsx 5"]);
    play.run(20_000);
    play.expect(&["+locked.xlsx -", "failed locked.xlsx 10", "+locked.xlsx -", "failed locked.xlsx 20"]);
    assert_eq!(play.state.failing(), 1);
    play.broken.clear();
    play.write("locked.xlsx", 2, Happened::Closed);
    play.run(2000);
    play.expect(&["+locked.xlsx -"]);
    play.equals_disk();
    assert_eq!(play.state.failing(), 0);
}

#[test]
fn a_failed_file_that_is_deleted_is_forgotten_and_delays_are_bounded() {
    let mut play = Play::started();
    play.broken.insert("bad.pdf".into());
    play.write("bad.pdf", 1, Happened::Closed);
    play.run(2000);
    play.remove("bad.pdf");
    play.run(2000);
    assert_eq!(play.state.failing(), 0);
    let mut state = Watching::new(WatchConfig::default(), 0);
    let delays: Vec<u64> = (0..40).map(|_| state.fail("x", 0)).collect();
    assert_eq!(delays[..4], [5, 10, 20, 40]);
    assert_eq!(delays[39], 900);
}

#[test]
fn lost_events_are_found_by_comparing_and_after_an_overflow_all_is_read() {
    let mut play = Play::started();
    play.write("a.md", 1, Happened::Closed);
    play.write("b.md", 1, Happened::Closed);
    play.run(2000);
    play.log.clear();
    // No event: found by size and time at the next interval; what did not change is left alone.
    play.disk.insert("a.md".into(), Stamp { bytes: 2, modified: 9 });
    play.disk.remove("b.md");
    play.disk.insert("c.md".into(), Stamp { bytes: 3, modified: 9 });
    play.run(62_000);
    play.expect(&["rescan interval", "+a.md,c.md -b.md"]);
    play.equals_disk();
    play.state.lost("overflow", play.now);
    play.run(2000);
    play.expect(&["rescan overflow", "+a.md,c.md -"]);
}

#[test]
fn nothing_happens_when_nothing_happens() {
    let mut play = Play::started();
    play.write("a.md", 1, Happened::Closed);
    play.run(2000);
    play.log.clear();
    assert!(play.state.wake_at() > play.now + 50_000);
    play.run(50_000);
    play.expect(&[]);
}
