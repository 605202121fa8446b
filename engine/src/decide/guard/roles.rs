//! Whether equal words stand in other roles: `A to B` and `B to A`.

use std::collections::{BTreeMap, BTreeSet};

use super::Vocabulary;
use super::normal::{Normal, Word};

/// Tells whether equal words stand in other roles.
pub(super) fn roles_differ(a: &Normal, b: &Normal, vocabulary: &dyn Vocabulary) -> bool {
    let of_b = b.classes();
    let turned = a.words.iter().any(|w| {
        of_b.get(w.class.as_str()).is_some_and(|o| {
            w.negated != o.negated || matches!((w.direction, o.direction), (Some(x), Some(y)) if x != y)
        })
    });
    let name = |w: &Word| w.capital || vocabulary.is_name(&w.written);
    // `invoice 7 of 2024` and `invoice 2024 of 7` have equal words and numbers.
    let moved = a.sequence != b.sequence || order(a, &|_| true) != order(b, &|_| true);
    let permuted = a.frame == b.frame && moved;
    turned || permuted || names_permuted(a, b, &name) || reversed(a, b) || turned_around(a, b)
}

/// Tells whether the names that both sides mark stand in another order.
fn names_permuted(a: &Normal, b: &Normal, name: &dyn Fn(&Word) -> bool) -> bool {
    let marked = |n: &Normal| -> BTreeSet<String> {
        n.words.iter().filter(|w| name(w)).map(|w| w.class.clone()).collect()
    };
    let both: BTreeSet<String> = marked(a).intersection(&marked(b)).cloned().collect();
    order(a, &|w| both.contains(&w.class)) != order(b, &|w| both.contains(&w.class))
}

/// Returns the classes of the words that `keep` takes, in order; those that `and` or `or` joins are
/// sorted, since their order says nothing.
fn order(normal: &Normal, keep: &dyn Fn(&Word) -> bool) -> Vec<String> {
    groups(normal, keep).concat()
}

fn groups(normal: &Normal, keep: &dyn Fn(&Word) -> bool) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut slots = normal.words.iter();
    let mut joined = false;
    for item in &normal.frame {
        match item.as_str() {
            "_" => {
                let Some(word) = slots.next() else { break };
                let class = if keep(word) { vec![word.class.clone()] } else { Vec::new() };
                match groups.last_mut() {
                    Some(group) if joined => group.extend(class),
                    _ => groups.push(class),
                }
                joined = false;
            }
            "and" | "or" | "e" | "ou" | "y" => joined = true,
            _ => joined = false,
        }
    }
    groups.iter_mut().for_each(|g| g.sort());
    groups
}

/// `the boy watches the family`, `the family watches the boy`: two words have changed sides around a third.
fn turned_around(a: &Normal, b: &Normal) -> bool {
    let places = |n: &Normal| -> BTreeMap<String, usize> {
        let groups = groups(n, &|w| n.count(&w.class) == 1).into_iter().enumerate();
        groups.flat_map(|(at, group)| group.into_iter().map(move |class| (class, at))).collect()
    };
    let (of_a, of_b) = (places(a), places(b));
    let shared: Vec<(usize, usize)> =
        of_a.iter().filter_map(|(class, at)| of_b.get(class).map(|other| (*at, *other))).collect();
    shared.iter().any(|pivot| {
        let crosses = |w: &(usize, usize)| w.0 < pivot.0 && w.1 > pivot.1;
        let returns = |w: &(usize, usize)| w.0 > pivot.0 && w.1 < pivot.1;
        shared.iter().any(crosses) && shared.iter().any(returns)
    })
}

/// `time travel`, `travel time`: neighbours in the other order.
fn reversed(a: &Normal, b: &Normal) -> bool {
    let pairs = |n: &Normal| -> BTreeSet<(String, String)> {
        let mut slots = n.words.iter();
        let slot = |f: &String| if f == "_" { slots.next().map(|w| w.class.clone()) } else { None };
        let classes: Vec<Option<String>> = n.frame.iter().map(slot).collect();
        classes.windows(2).filter_map(|w| Some((w[0].clone()?, w[1].clone()?))).collect()
    };
    let (of_a, of_b) = (pairs(a), pairs(b));
    of_a.iter().any(|(x, y)| {
        let turned = (y.clone(), x.clone());
        of_b.contains(&turned) && !of_a.contains(&turned)
    })
}
