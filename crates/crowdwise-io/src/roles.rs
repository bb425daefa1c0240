//! What columns are usually called: the one list of names, for files, for frames, and for what stands beside the answers.

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Item,
    Annotator,
    /// Which annotators belong together.
    Group,
    Label,
    /// Known truth.
    Truth,
    /// The two sides of a comparison, and its outcome.
    Left,
    Right,
    Winner,
    /// Whether two items are the same.
    Same,
    Sequence,
    Position,
    /// The name of a ranking, and the place of an item in it.
    Ranking,
    Place,
    /// A whole ranking in one field, and what was shown where only the best of it is named.
    Ranked,
    Shown,
}

impl Role {
    pub const ALL: [Role; 15] = [
        Role::Item,
        Role::Annotator,
        Role::Group,
        Role::Label,
        Role::Truth,
        Role::Left,
        Role::Right,
        Role::Winner,
        Role::Same,
        Role::Sequence,
        Role::Position,
        Role::Ranking,
        Role::Place,
        Role::Ranked,
        Role::Shown,
    ];

    /// The role in one word.
    pub fn name(self) -> &'static str {
        match self {
            Role::Item => "item",
            Role::Annotator => "annotator",
            Role::Group => "group",
            Role::Label => "label",
            Role::Truth => "truth",
            Role::Left => "left",
            Role::Right => "right",
            Role::Winner => "winner",
            Role::Same => "same",
            Role::Sequence => "sequence",
            Role::Position => "position",
            Role::Ranking => "ranking",
            Role::Place => "place",
            Role::Ranked => "ranked",
            Role::Shown => "shown",
        }
    }

    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|r| r.name() == name)
    }

    /// Usual names of its column as [`recognise`] compares them, the most usual first.
    pub fn usual(self) -> &'static [&'static str] {
        match self {
            Role::Item => &["item", "task", "unit", "example", "question", "object", "id"],
            Role::Annotator => &["annotator", "worker", "rater", "user", "judge", "performer", "labeler", "labeller"],
            Role::Group => &["group", "family", "team", "cluster", "source", "company"],
            Role::Label => &[
                "label",
                "value",
                "answer",
                "rating",
                "response",
                "score",
                "class",
                "category",
                "judgment",
                "judgement",
                "choice",
                "tag",
                "winner",
            ],
            // what a label may be called comes after the words for truth, those that are rarely truth last
            Role::Truth => &[
                "truth",
                "gold",
                "label",
                "value",
                "score",
                "answer",
                "class",
                "category",
                "rating",
                "text",
                "tag",
                "agglabel",
                "response",
                "judgment",
                "judgement",
                "choice",
                "winner",
            ],
            Role::Left => &["left", "leftitem", "itema", "item1", "modela", "a", "first"],
            Role::Right => &["right", "rightitem", "itemb", "item2", "modelb", "b", "second"],
            Role::Winner => &["winner", "preferred", "preference", "better", "label", "answer", "choice"],
            Role::Same => &["same", "similar", "similarity", "label", "answer"],
            Role::Sequence => &["sequence", "sentence", "seq", "chain"],
            Role::Position => &["position", "pos", "token", "index"],
            Role::Ranking => &["ranking", "ballot", "list", "question", "task", "session"],
            Role::Place => &["position", "rank", "place", "pos"],
            Role::Ranked => &["ranking", "order", "ballot", "ranked", "choice", "chosen", "winner", "best"],
            Role::Shown => &["shown", "options", "candidates", "alternatives", "choices", "set"],
        }
    }

    /// Those of the usual names that are hardly used for anything else.
    pub(crate) fn sure(self) -> &'static [&'static str] {
        let all = self.usual();
        match self {
            Role::Item => &all[..5],
            Role::Left | Role::Right | Role::Winner | Role::Ranked => &all[..4],
            Role::Same => &all[..3],
            _ => all,
        }
    }
}

/// The column that holds this, by its name: the most usual name first.
pub fn recognise<S: AsRef<str>>(names: &[S], wanted: Role) -> Option<usize> {
    one_of(names, wanted.usual())
}

/// The column with one of these names, the first of them first.
pub(crate) fn one_of<S: AsRef<str>>(names: &[S], usual: &[&str]) -> Option<usize> {
    let names: Vec<String> = names.iter().map(|n| plain(n.as_ref())).collect();
    usual.iter().find_map(|u| names.iter().position(|n| n == u))
}

/// Whether a column of this name is recognised as anything in a file of answers or truth.
pub(crate) fn is_usual(name: &str) -> bool {
    let plain = plain(name);
    // groups stand in files of their own
    Role::ALL.into_iter().filter(|&r| r != Role::Group).any(|r| r.usual().contains(&plain.as_str()))
}

/// A column name as it is compared: lower case, without separators, without a trailing "id" or "name".
pub(crate) fn plain(name: &str) -> String {
    let mut s: String =
        name.trim().chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).collect::<String>().to_lowercase();
    for end in ["id", "name"] {
        if s.len() > end.len() && s.ends_with(end) {
            s.truncate(s.len() - end.len());
        }
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_name_is_found_however_it_is_written() {
        for role in Role::ALL {
            assert_eq!(Role::from_name(role.name()), Some(role));
            for &usual in role.usual() {
                // a name that the rule would change could never be found
                assert_eq!(plain(usual), usual, "{role:?}");
                for name in [usual.to_uppercase(), format!(" {usual}_id"), format!("{usual} Name"), format!("{usual}.")]
                {
                    assert_eq!(recognise(&["other", &name], role), Some(1), "{role:?}: {name}");
                }
            }
        }
        assert_eq!(recognise(&["other", "things", ""], Role::Item), None);
    }

    #[test]
    fn the_most_usual_name_comes_first() {
        assert_eq!(recognise(&["id", "question", "task_id"], Role::Item), Some(2));
        assert_eq!(recognise(&["label", "gold"], Role::Truth), Some(1));
        assert_eq!(recognise(&["answer", "label", "winner"], Role::Winner), Some(2));
        assert_eq!(recognise(&["model_a", "item_1"], Role::Left), Some(1));
    }

    #[test]
    fn whatever_is_a_label_may_be_truth() {
        for name in Role::Label.usual() {
            assert!(Role::Truth.usual().contains(name), "{name}");
        }
    }
}
