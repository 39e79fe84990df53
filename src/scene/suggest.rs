//! Which name somebody may have meant.

/// A question that names the candidate most like `asked`, to follow it in a sentence; empty where none is like it.
pub(super) fn did_you_mean<'a>(asked: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    // A part of a name ("mass" of "particle_mass") is nearer than any name with other letters.
    let rank = |candidate: &&str| (asked.is_empty() || !candidate.contains(asked), distance(asked, candidate));
    let closest = candidates.into_iter().min_by_key(rank);
    let is_alike = |candidate: &&str| {
        candidate.contains(asked) || 2 * distance(asked, candidate) <= asked.chars().count().max(candidate.len())
    };
    closest.filter(is_alike).map_or_else(String::new, |closest| format!(" (did you mean `{closest}`?)"))
}

/// How many letters have to be inserted, removed or replaced to make `right` of `left` (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    // Distances from what was read of `left` so far to each beginning of `right`.
    let mut distances: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut distances[0], row + 1);
        for (column, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = distances[column + 1];
            distances[column + 1] = replaced.min(diagonal + 1).min(distances[column] + 1);
        }
    }
    distances[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (left, right, expected) in [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3)] {
            assert_eq!(distance(left, right), expected);
            assert_eq!(distance(right, left), expected);
        }
    }

    #[test]
    fn the_nearest_name_is_suggested_and_none_that_is_far() {
        let names = ["mesh", "particle_mass", "gravity"];
        assert_eq!(did_you_mean("gravty", names), " (did you mean `gravity`?)");
        assert_eq!(did_you_mean("mass", names), " (did you mean `particle_mass`?)");
        assert_eq!(did_you_mean("frobnicate", names), "");
        assert_eq!(did_you_mean("anything", []), "");
    }
}
