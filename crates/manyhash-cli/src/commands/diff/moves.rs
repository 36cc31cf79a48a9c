//! Which removed file became which added one, among files of one content.

use std::collections::HashMap;

/// Pairs files of one content by their names, which are sorted. Those with the longest common end
/// (`b/x.jpg` of `2020/b/x.jpg` and `old/b/x.jpg`) belong together, whole parts of paths counting,
/// and among equals the first ones. All of the shorter side get a partner. Returns indices into
/// `removed` and `added`.
pub(super) fn pairs(removed: &[Vec<u8>], added: &[Vec<u8>]) -> Vec<(usize, usize)> {
    if let ([_], [_]) = (removed, added) {
        return vec![(0, 0)];
    }
    let mut pairs = Vec::new();
    let (mut from, mut to): (Vec<usize>, Vec<usize>) = ((0..removed.len()).collect(), (0..added.len()).collect());
    let depth = |names: &[Vec<u8>]| names.iter().map(|name| parts(name)).max().unwrap_or(0);
    for count in (0..=depth(removed).min(depth(added))).rev() {
        if from.is_empty() || to.is_empty() {
            break;
        }
        let mut by_end: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for &index in to.iter().rev() {
            if let Some(end) = added.get(index).and_then(|name| end(name, count)) {
                by_end.entry(end).or_default().push(index);
            }
        }
        let before = pairs.len();
        from.retain(|&index| {
            let partners = removed.get(index).and_then(|name| end(name, count)).and_then(|end| by_end.get_mut(end));
            let Some(partner) = partners.and_then(Vec::pop) else { return true };
            pairs.push((index, partner));
            false
        });
        let mut taken: Vec<usize> = pairs.iter().skip(before).map(|&(_, partner)| partner).collect();
        taken.sort_unstable();
        to.retain(|index| taken.binary_search(index).is_err());
    }
    pairs
}

fn parts(name: &[u8]) -> usize {
    name.split(|&byte| byte == b'/').count()
}

/// Returns the last `count` parts of a path, if it has as many.
fn end(name: &[u8], count: usize) -> Option<&[u8]> {
    match count {
        0 => Some(b""),
        _ if count == parts(name) => Some(name),
        _ => {
            let separator = name.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/').nth(count - 1)?.0;
            name.get(separator + 1..)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired<'a>(removed: &[&'a str], added: &[&'a str]) -> Vec<(&'a str, &'a str)> {
        let bytes = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect::<Vec<_>>();
        let mut found: Vec<_> = pairs(&bytes(removed), &bytes(added)).into_iter().map(|(from, to)| (removed[from], added[to])).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn what_ends_alike_belongs_together() {
        assert_eq!(paired(&["a"], &["b"]), [("a", "b")]);
        assert_eq!(paired(&["2020/a/x", "2020/b/x"], &["old/b/x"]), [("2020/b/x", "old/b/x")]);
        assert_eq!(paired(&["a/x", "b/x"], &["c/a/x", "c/b/x"]), [("a/x", "c/a/x"), ("b/x", "c/b/x")]);
        assert_eq!(paired(&["a/x", "a/y"], &["b/y", "b/z", "x"]), [("a/x", "x"), ("a/y", "b/y")]);
    }

    #[test]
    fn among_equals_the_first_ones_and_as_many_as_there_are() {
        assert_eq!(paired(&["1", "2", "3"], &["x", "y"]), [("1", "x"), ("2", "y")]);
        assert_eq!(paired(&["a/f", "b/f"], &["c/f", "d/f", "e/f"]), [("a/f", "c/f"), ("b/f", "d/f")]);
        assert_eq!(paired(&["/a", "b"], &["a"]), [("/a", "a")]);
        assert!(paired(&[], &["a"]).is_empty() && paired(&["a"], &[]).is_empty());
    }
}
