//! Words for the outcome of a comparison.

use crowdwise_core::Preference;

/// Who won: the id of a side, or a word for a side or a tie.
pub fn winner(text: &str, left: &str, right: &str) -> Option<Preference> {
    if text == left {
        return Some(Preference::Left);
    }
    if text == right {
        return Some(Preference::Right);
    }
    match text.trim().to_ascii_lowercase().as_str() {
        "left" | "model_a" => Some(Preference::Left),
        "right" | "model_b" => Some(Preference::Right),
        "tie" | "draw" | "equal" | "both" | "tie (bothbad)" => Some(Preference::Tie),
        _ => None,
    }
}

/// Whether two items are the same.
pub fn same_or_not(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "1.0" | "true" | "t" | "yes" | "y" | "same" => Some(true),
        "0" | "0.0" | "false" | "f" | "no" | "n" | "different" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_before_words() {
        assert_eq!(winner("tie", "tie", "win"), Some(Preference::Left));
        assert_eq!(winner("Both", "x", "y"), Some(Preference::Tie));
        assert_eq!(winner("model_b", "gpt", "llama"), Some(Preference::Right));
        assert_eq!(winner("z", "x", "y"), None);
        assert_eq!((same_or_not(" Yes"), same_or_not("0.0"), same_or_not("2")), (Some(true), Some(false), None));
    }
}
