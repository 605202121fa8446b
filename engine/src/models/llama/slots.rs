//! Which cached prompt a new one continues: the bookkeeping of the KV cache.

/// Shared tokens from which a slot counts as holding the same kind of prompt.
const SAME_KIND: usize = 32;

/// One sequence of the KV cache.
#[derive(Debug, Clone)]
pub(super) struct Slot<T> {
    /// Tokens whose keys and values are in the cache.
    pub(super) tokens: Vec<T>,
    /// Tokens promised to a running request, prompt and answer; 0 when idle.
    reserved: usize,
    /// Tokens of the beginning that an earlier request already used again.
    proven: usize,
    used: u64,
}

/// All sequences of one context.
#[derive(Debug)]
pub(super) struct Slots<T> {
    slots: Vec<Slot<T>>,
    capacity: usize,
    /// A beginning can be kept in multiples of this; `None` when the cache can neither forget
    /// the end of a sequence nor copy a part of it, as with recurrent models.
    aligned: Option<usize>,
    clock: u64,
}

/// What to do to the cache before a request's prompt is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Admission {
    /// The sequence to use.
    pub(super) slot: usize,
    /// Tokens that are already there; the rest of the sequence is to be removed first.
    pub(super) cached: usize,
    /// Copy those tokens from this sequence first.
    pub(super) copy_from: Option<usize>,
    /// Sequences to be emptied to make room.
    pub(super) evict: Vec<usize>,
}

impl<T: PartialEq + Clone> Slots<T> {
    pub(super) fn new(count: usize, capacity: usize, aligned: Option<usize>) -> Self {
        let slot = Slot { tokens: Vec::new(), reserved: 0, proven: 0, used: 0 };
        Self { slots: vec![slot; count.max(1)], capacity, aligned, clock: 0 }
    }

    /// The tokens cached in a slot.
    pub(super) fn tokens(&self, slot: usize) -> &[T] {
        &self.slots[slot].tokens
    }

    /// Notes tokens computed into a slot.
    pub(super) fn extend(&mut self, slot: usize, tokens: &[T]) {
        self.slots[slot].tokens.extend_from_slice(tokens);
    }

    /// Marks the end of a request; its tokens stay.
    pub(super) fn release(&mut self, slot: usize) {
        self.clock += 1;
        self.slots[slot].reserved = 0;
        self.slots[slot].used = self.clock;
    }

    /// Forgets everything, after the context was replaced.
    pub(super) fn clear(&mut self) {
        for slot in &mut self.slots {
            slot.tokens.clear();
            slot.proven = 0;
        }
    }

    /// Forgets what a slot holds, when the cache could not keep the promised part.
    pub(super) fn forget(&mut self, slot: usize) {
        self.slots[slot].tokens.clear();
        self.slots[slot].proven = 0;
    }

    /// Finds a place for `prompt` plus `answer` tokens; `None` while running requests need it.
    ///
    /// The slot with the longest common beginning is continued, unless that would destroy a
    /// longer beginning which already served twice: then the least recently used slot is taken
    /// and the common part copied. At least the prompt's last token is always left to compute.
    pub(super) fn admit(&mut self, prompt: &[T], answer: usize) -> Option<Admission> {
        let shared: Vec<usize> = self.slots.iter().map(|slot| self.shared(slot, prompt)).collect();
        let idle: Vec<usize> = (0..self.slots.len()).filter(|&i| self.slots[i].reserved == 0).collect();
        let oldest = *idle.iter().min_by_key(|&&i| (!self.slots[i].tokens.is_empty(), self.slots[i].used))?;
        let same_kind = |i: usize| {
            let slot = &self.slots[i];
            shared[i] >= slot.proven && (shared[i] >= SAME_KIND || shared[i] == slot.tokens.len())
        };
        let continued =
            idle.iter().copied().filter(|&i| shared[i] > 0 && same_kind(i)).max_by_key(|&i| shared[i]);
        let target = continued.unwrap_or(oldest);
        let source = (0..self.slots.len()).max_by_key(|&i| shared[i]).unwrap_or(target);
        let copied = self.aligned.is_some() && shared[source] > shared[target];
        let mut admission = Admission {
            slot: target,
            cached: if copied { shared[source] } else { shared[target] },
            copy_from: copied.then_some(source),
            evict: Vec::new(),
        };
        self.make_room(&mut admission, shared[target], prompt.len() + answer)?;
        self.commit(&admission, prompt, prompt.len() + answer);
        Some(admission)
    }

    fn shared(&self, slot: &Slot<T>, prompt: &[T]) -> usize {
        let most = prompt.len().saturating_sub(1);
        let common = slot.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count().min(most);
        match self.aligned {
            Some(step) => common - common % step,
            None if common == slot.tokens.len() => common,
            None => 0,
        }
    }

    /// Adds evictions until the request fits; the source of a copy goes last.
    fn make_room(&self, admission: &mut Admission, in_place: usize, need: usize) -> Option<()> {
        loop {
            let others = (0..self.slots.len())
                .filter(|i| *i != admission.slot && !admission.evict.contains(i))
                .map(|i| self.slots[i].reserved.max(self.slots[i].tokens.len()));
            if others.sum::<usize>() + need <= self.capacity {
                return Some(());
            }
            let victim = (0..self.slots.len())
                .filter(|i| *i != admission.slot && !admission.evict.contains(i))
                .filter(|&i| self.slots[i].reserved == 0 && !self.slots[i].tokens.is_empty())
                .min_by_key(|&i| (Some(i) == admission.copy_from, self.slots[i].used))?;
            if Some(victim) == admission.copy_from {
                admission.copy_from = None;
                admission.cached = in_place;
            }
            admission.evict.push(victim);
        }
    }

    fn commit(&mut self, admission: &Admission, prompt: &[T], need: usize) {
        for &victim in &admission.evict {
            self.forget(victim);
        }
        self.clock += 1;
        let slot = &mut self.slots[admission.slot];
        slot.tokens.clear();
        slot.tokens.extend_from_slice(&prompt[..admission.cached]);
        slot.proven = admission.cached;
        slot.reserved = need;
        slot.used = self.clock;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// `count` tokens of a kind, then the given ones.
    fn prompt(kind: u32, count: usize, rest: &[u32]) -> Vec<u32> {
        let mut tokens: Vec<u32> = (0..count as u32).map(|i| kind * 1000 + i).collect();
        tokens.extend(rest);
        tokens
    }

    fn serve(slots: &mut Slots<u32>, prompt: &[u32], answer: usize) -> Admission {
        let admission = slots.admit(prompt, answer).unwrap();
        slots.extend(admission.slot, &prompt[admission.cached..]);
        slots.extend(admission.slot, &vec![9; answer]);
        slots.release(admission.slot);
        admission
    }

    #[test]
    fn the_same_prompt_leaves_one_token_to_compute() {
        let mut slots = Slots::new(2, 1000, Some(1));
        let sql = prompt(1, 100, &[]);
        assert_eq!(serve(&mut slots, &sql, 5).cached, 0);
        assert_eq!(
            serve(&mut slots, &sql, 5),
            Admission { slot: 0, cached: 99, copy_from: None, evict: vec![] }
        );
    }

    #[test]
    fn reuse_keeps_to_the_alignment() {
        let mut slots = Slots::new(2, 1000, Some(16));
        serve(&mut slots, &prompt(1, 100, &[]), 5);
        assert_eq!(serve(&mut slots, &prompt(1, 100, &[]), 5).cached, 96);
        assert_eq!(serve(&mut slots, &prompt(1, 15, &[]), 5).cached, 0);
    }

    #[test]
    fn alternating_prompts_keep_their_prefixes() {
        let mut slots = Slots::new(4, 10_000, Some(1));
        for round in 0..3 {
            for kind in 1..=3 {
                let admission = serve(&mut slots, &prompt(kind, 100, &[round, round, round]), 20);
                assert_eq!(admission.cached, if round == 0 { 0 } else { 100 }, "{kind} {round}");
            }
        }
    }

    #[test]
    fn a_proven_prefix_is_copied_from_not_destroyed() {
        let mut slots = Slots::new(3, 10_000, Some(1));
        let schema = |n: u32, question: u32| {
            let mut tokens = prompt(1, 60, &[]);
            tokens.extend(prompt(n, 200, &[question]));
            tokens
        };
        serve(&mut slots, &schema(2, 1), 5);
        assert_eq!(serve(&mut slots, &schema(2, 2), 5).cached, 260);
        let other = serve(&mut slots, &schema(3, 1), 5);
        assert_eq!((other.slot, other.cached, other.copy_from), (1, 60, Some(0)));
        assert_eq!(serve(&mut slots, &schema(2, 3), 5).cached, 260);
        assert_eq!(serve(&mut slots, &schema(3, 2), 5).cached, 260);
    }

    #[test]
    fn the_least_recently_used_gives_way() {
        let mut slots = Slots::new(2, 10_000, Some(1));
        serve(&mut slots, &prompt(1, 50, &[]), 1);
        serve(&mut slots, &prompt(2, 50, &[]), 1);
        serve(&mut slots, &prompt(1, 50, &[7]), 1);
        assert_eq!(serve(&mut slots, &prompt(3, 50, &[]), 1).slot, 1);
        assert_eq!(serve(&mut slots, &prompt(1, 50, &[8]), 1).cached, 50);
    }

    #[test]
    fn cached_prompts_are_evicted_when_one_request_needs_the_room() {
        let mut slots = Slots::new(3, 300, Some(1));
        serve(&mut slots, &prompt(1, 90, &[]), 5);
        serve(&mut slots, &prompt(2, 90, &[]), 5);
        let large = serve(&mut slots, &prompt(3, 200, &[]), 60);
        assert_eq!((large.cached, large.evict), (0, vec![0, 1]));
        // Copying helps nobody when the source has to go.
        let mut slots = Slots::new(2, 300, Some(1));
        let both = [prompt(1, 60, &[]), prompt(2, 60, &[])].concat();
        serve(&mut slots, &both, 5);
        serve(&mut slots, &[both.as_slice(), &[1]].concat(), 5);
        let next = serve(&mut slots, &[prompt(1, 60, &[]), prompt(3, 100, &[])].concat(), 100);
        assert_eq!((next.cached, next.copy_from, next.evict), (0, None, vec![0]));
    }

    #[test]
    fn a_running_request_is_waited_for() {
        let mut slots = Slots::new(2, 100, Some(1));
        let running = slots.admit(&prompt(1, 40, &[]), 20).unwrap();
        assert!(slots.admit(&prompt(2, 40, &[]), 20).is_none());
        assert!(slots.admit(&prompt(2, 20, &[]), 20).is_some());
        assert!(slots.admit(&prompt(3, 1, &[]), 1).is_none());
        slots.release(running.slot);
        assert!(slots.admit(&prompt(3, 1, &[]), 1).is_some());
    }

    #[test]
    fn recurrent_models_continue_whole_sequences_only() {
        let mut slots = Slots::new(2, 1000, None);
        serve(&mut slots, &prompt(1, 50, &[]), 0);
        assert_eq!(serve(&mut slots, &prompt(1, 50, &[1, 2]), 0).cached, 50);
        let other = serve(&mut slots, &prompt(1, 50, &[3]), 0);
        assert_eq!((other.cached, other.copy_from), (0, None));
    }
}
