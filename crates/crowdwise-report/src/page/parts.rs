//! Pieces that several sections share: names, classes, badges, tables.

use crate::number::short;
use maud::{Markup, html};

/// Longest name that is written in full.
const NAME_CHARS: usize = 48;
/// Longest name that is kept for the tip that the browser shows.
const TIP_CHARS: usize = 300;

/// A name from the data. Isolated, so that its direction of writing does not turn the text around it.
pub fn name(text: &str) -> Markup {
    name_of(text, NAME_CHARS)
}

/// A name of at most `most` characters.
pub fn name_of(text: &str, most: usize) -> Markup {
    let cut = short(text, most);
    if text.is_empty() {
        return html! { span.soft { "(empty)" } };
    }
    let tip = (cut != text).then(|| short(text, TIP_CHARS));
    html! { bdi title=[tip] { (cut) } }
}

/// A class: its name beside a mark whose colour and shape tell it from the others.
pub fn class(index: usize, text: &str) -> Markup {
    let shape = ["", " o", " h"][(index / 8) % 3];
    html! { span.chip { i class={ "k" (index % 8) (shape) } {} (name_of(text, 32)) } }
}

/// A section with its heading.
pub fn section(id: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (title) }
            (body)
        }
    }
}

/// A chart with the sentence that explains it.
pub fn figure(caption: &Markup, chart: &Markup) -> Markup {
    html! { figure { figcaption { (caption) } (chart) } }
}

/// A number cell, with the number itself for sorting.
pub fn number_cell(value: Option<f64>, text: impl Fn(f64) -> String) -> Markup {
    let value = value.filter(|v| !v.is_nan());
    html! { td.r data-v=[value.map(sortable)] { (value.map_or_else(|| "–".into(), text)) } }
}

/// A number as scripts read it; six digits are enough to sort by.
pub fn sortable(v: f64) -> String {
    if v.is_infinite() {
        return if v > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    let text = format!("{v:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An interval: `0.81–0.93`, or `−0.2 to 0.3` where a dash would be read as a minus.
pub fn interval(of: [f64; 2], text: impl Fn(f64) -> String) -> String {
    let between = if of[0] < 0.0 { " to " } else { "–" };
    format!("{}{between}{}", text(of[0]), text(of[1]))
}

/// A list in words, cut after `most`.
pub fn listed(items: &[Markup], most: usize) -> Markup {
    html! {
        @for (i, item) in items.iter().take(most).enumerate() {
            @if i > 0 { ", " }
            (item)
        }
        @if items.len() > most { " and " (crate::number::count(items.len() - most)) " more" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_isolated_and_cut() {
        assert_eq!(name("a<b>&\"").into_string(), "<bdi>a&lt;b&gt;&amp;&quot;</bdi>");
        assert_eq!(name("").into_string(), r#"<span class="soft">(empty)</span>"#);
        let long = name(&"x".repeat(5000)).into_string();
        assert!(long.starts_with("<bdi title=\"xxx") && long.len() < 500, "{long}");
    }

    #[test]
    fn twenty_four_classes_look_different() {
        let mut looks: Vec<String> = (0..24).map(|i| class(i, "c").into_string()).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 24);
    }

    #[test]
    fn lists_say_what_they_leave_out() {
        let items: Vec<Markup> = ["a", "b", "c"].iter().map(|s| html! { (s) }).collect();
        assert_eq!(listed(&items, 3).into_string(), "a, b, c");
        assert_eq!(listed(&items, 1).into_string(), "a and 2 more");
    }
}
