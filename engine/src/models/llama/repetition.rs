//! Whether a text goes round in circles, which greedy decoding of a small model does.

/// Periods from which two rounds in a row count as a loop, and shorter ones from which three do.
const TWICE: usize = 32;
const THRICE: usize = 16;

/// Says whether `before` with `newest` ends in the same tokens over and over.
///
/// Two rounds of 32 tokens or more, or three of 16 or more: long enough that no list, table or
/// query repeats itself so by right within an answer.
pub(super) fn goes_round<T: PartialEq>(before: &[T], newest: T) -> bool {
    let length = before.len() + 1;
    let at = |index: usize| before.get(index).unwrap_or(&newest);
    let same = |period: usize, rounds: usize| {
        let span = period * (rounds - 1);
        length >= span + period && (length - span..length).rev().all(|index| at(index) == at(index - period))
    };
    (THRICE..=length / 2).any(|period| same(period, if period >= TWICE { 2 } else { 3 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tokens: &[u32], expected: bool) {
        let (newest, before) = tokens.split_last().expect("tokens");
        assert_eq!(goes_round(before, *newest), expected, "{} tokens", tokens.len());
    }

    #[test]
    fn only_long_rounds_are_loops() {
        let round = |period: u32, times: usize| (0..period).collect::<Vec<u32>>().repeat(times);
        check(&[1], false);
        check(&[7; 40], false);
        check(&[7; 48], true);
        check(&round(15, 2), false);
        check(&round(20, 2), false);
        check(&round(20, 3), true);
        check(&round(40, 2), true);
        check(&[vec![99; 5], round(40, 2)].concat(), true);
        check(&[round(40, 2), vec![99]].concat(), false);
        check(&(0..200).collect::<Vec<u32>>(), false);
    }
}
