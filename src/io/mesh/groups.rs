use std::collections::HashMap;

use crate::model::VertexGroup;

/// Most names of a file: each takes far more memory than the letters that it has there.
const MOST_NAMES: usize = 1 << 16;

/// Vertices under names, as a reader comes across them.
#[derive(Default)]
pub(super) struct Groups {
    numbers: HashMap<String, usize>,
    groups: Vec<Group>,
    /// The groups that vertices are put into, and how often they have been chosen.
    chosen: Vec<usize>,
    choice: u32,
    /// The choice that was last made when a vertex came. Shape \[vertex_count\].
    stamps: Vec<u32>,
}

#[derive(Default)]
struct Group {
    name: String,
    /// The first `settled` are in order and each once; what has come since is not.
    vertices: Vec<u32>,
    settled: usize,
}

impl Groups {
    /// The number of the group of a name, which is new where there was none.
    ///
    /// # Errors
    /// Where there are too many.
    pub(super) fn number(&mut self, name: &str) -> Result<usize, String> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if self.groups.len() == MOST_NAMES {
            return Err(format!("the file has more than {MOST_NAMES} names of groups; put faces into fewer"));
        }
        self.numbers.insert(name.into(), self.groups.len());
        self.groups.push(Group { name: name.into(), ..Group::default() });
        Ok(self.groups.len() - 1)
    }

    /// From here on vertices are put into the groups of these numbers.
    pub(super) fn choose(&mut self, numbers: impl IntoIterator<Item = usize>) {
        self.chosen.clear();
        self.chosen.extend(numbers);
        self.choice += 1;
    }

    /// Puts vertices into the chosen groups. So far the mesh has `vertex_count`.
    pub(super) fn add(&mut self, vertices: &[u32], vertex_count: usize) {
        if self.chosen.is_empty() {
            return;
        }
        self.stamps.resize(vertex_count, 0);
        for &vertex in vertices {
            // A vertex comes with each of its faces, most of which are in the same groups.
            let is_known = self
                .stamps
                .get_mut(vertex as usize)
                .is_some_and(|stamp| std::mem::replace(stamp, self.choice) == self.choice);
            if !is_known {
                self.chosen.iter().for_each(|&number| self.groups[number].add(vertex));
            }
        }
    }

    /// Those that have vertices, in the order in which their names came.
    pub(super) fn finish(self) -> Vec<VertexGroup> {
        let finished = |mut group: Group| {
            group.settle();
            VertexGroup { name: group.name, vertices: group.vertices }
        };
        self.groups.into_iter().map(finished).filter(|group| !group.vertices.is_empty()).collect()
    }
}

impl Group {
    fn add(&mut self, vertex: u32) {
        self.vertices.push(vertex);
        // Settled now and then, it stays as small as what it holds.
        if self.vertices.len() > 2 * self.settled + 4096 {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.vertices.sort_unstable();
        self.vertices.dedup();
        self.settled = self.vertices.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_each_vertex_once_however_often_it_comes() {
        let mut groups = Groups::default();
        let [many, none, few] = ["many", "none", "few"].map(|name| groups.number(name).expect("a few"));
        assert_eq!(groups.number("none"), Ok(none));
        for face in 0..50_000 {
            // Chosen anew each time, it knows of no vertex that it has it, nor of those that are ahead.
            groups.choose([many]);
            groups.add(&[face % 300, (face + 1) % 300, (face + 2) % 300], 200);
        }
        assert!(groups.groups[many].vertices.len() < 10_000, "it stays small");
        groups.choose([few, many]);
        (0..10).for_each(|_| groups.add(&[7, 3, 7], 300));
        assert_eq!(groups.groups[few].vertices, [7, 3]);
        groups.choose([]);
        groups.add(&[5], 300);
        let group = |name: &str, vertices| VertexGroup { name: name.into(), vertices };
        assert_eq!(groups.finish(), [group("many", (0..300).collect()), group("few", vec![3, 7])]);
    }

    #[test]
    fn names_are_bounded() {
        let mut groups = Groups::default();
        (0..MOST_NAMES).for_each(|name| assert_eq!(groups.number(&name.to_string()), Ok(name)));
        assert_eq!(groups.number("7"), Ok(7));
        let error = groups.number("another").expect_err("one too many");
        assert_eq!(error, "the file has more than 65536 names of groups; put faces into fewer");
    }
}
