//! Names that grades usually have.

/// Well-known scales: grades from one end to the other, each with the words for it. Classes belong to a scale if each is
/// another grade of it.
const SCALES: &[&[&[&str]]] = &[
    &[
        &["very poor", "very bad", "terrible", "awful"],
        &["poor", "bad"],
        &["fair", "average", "acceptable", "ok", "okay"],
        &["good"],
        &["very good"],
        &["excellent", "outstanding", "perfect"],
    ],
    &[&["none"], &["very low"], &["low"], &["medium", "moderate", "mid"], &["high"], &["very high"]],
    &[&["tiny", "very small"], &["small"], &["medium"], &["large", "big"], &["huge", "very large"]],
    &[
        &["strongly disagree", "totally disagree", "completely disagree"],
        &["disagree"],
        &["slightly disagree", "somewhat disagree"],
        &["neutral", "neither", "neither agree nor disagree", "undecided"],
        &["slightly agree", "somewhat agree"],
        &["agree"],
        &["strongly agree", "totally agree", "completely agree"],
    ],
    &[
        &["never"],
        &["almost never", "hardly ever"],
        &["rarely", "seldom"],
        &["sometimes", "occasionally"],
        &["often", "frequently", "usually"],
        &["almost always", "very often"],
        &["always"],
    ],
    &[&["none", "absent"], &["minimal"], &["mild"], &["moderate"], &["severe"], &["very severe", "critical"]],
    &[
        &["very negative", "strongly negative"],
        &["negative"],
        &["slightly negative", "somewhat negative"],
        &["neutral"],
        &["slightly positive", "somewhat positive"],
        &["positive"],
        &["very positive", "strongly positive"],
    ],
    &[
        &["very unlikely", "extremely unlikely"],
        &["unlikely"],
        &["neutral", "possible", "maybe"],
        &["likely"],
        &["very likely", "extremely likely"],
    ],
    &[
        &["very dissatisfied", "very unsatisfied"],
        &["dissatisfied", "unsatisfied"],
        &["neutral"],
        &["satisfied"],
        &["very satisfied"],
    ],
    &[
        &["irrelevant", "not relevant"],
        &["slightly relevant", "marginally relevant", "somewhat relevant", "partially relevant"],
        &["relevant", "fairly relevant"],
        &["highly relevant", "very relevant"],
        &["perfectly relevant"],
    ],
    &[
        &["not at all"],
        &["slightly", "a little"],
        &["somewhat", "moderately"],
        &["very", "mostly", "quite a bit"],
        &["extremely", "completely"],
    ],
    &[&["very easy"], &["easy"], &["medium", "moderate"], &["hard", "difficult"], &["very hard", "very difficult"]],
];

/// Fewer classes than these have nothing between them.
const LEAST: usize = 3;

/// The numbers of the classes in the order of a well-known scale.
pub fn natural(names: &[&str]) -> Option<Vec<u32>> {
    if names.len() < LEAST {
        return None;
    }
    let plain: Vec<String> = names.iter().map(|n| words(n)).collect();
    let places = SCALES.iter().find_map(|scale| {
        let grade = |name: &String| scale.iter().position(|level| level.contains(&name.as_str()));
        plain.iter().map(grade).collect::<Option<Vec<usize>>>().filter(|p| all_differ(p))
    });
    let places = places.or_else(|| signed_letters(names))?;
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by_key(|&c| places[c as usize]);
    Some(order)
}

fn all_differ(places: &[usize]) -> bool {
    (1..places.len()).all(|n| !places[..n].contains(&places[n]))
}

/// Small letters and single spaces: `Strongly_Disagree` is `strongly disagree`.
fn words(name: &str) -> String {
    let parts = name.split(|c: char| c.is_whitespace() || c == '_' || c == '-').filter(|p| !p.is_empty());
    parts.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// School grades A to F, with + or - behind some: those stand before and after the letter, not behind it in the alphabet.
fn signed_letters(names: &[&str]) -> Option<Vec<usize>> {
    let place = |name: &&str| {
        let (letter, rest) = name.trim().split_at_checked(1)?;
        let letter = letter.bytes().next().map(|b| b.to_ascii_uppercase()).filter(|b| (b'A'..=b'F').contains(b))?;
        let sign = ["+", "", "-"].iter().position(|s| *s == rest)?;
        Some(3 * usize::from(letter - b'A') + sign)
    };
    let places: Vec<usize> = names.iter().map(place).collect::<Option<_>>()?;
    (all_differ(&places) && places.iter().any(|p| p % 3 != 1)).then_some(places)
}

/// A name that is a number.
pub fn number(name: &str) -> Option<f64> {
    name.trim().parse::<f64>().ok().filter(|x| x.is_finite())
}

/// Classes, sorted, that may be numbered or lettered grades, if the labels bear it out: whole numbers from 1 on, from 0 on or on
/// both sides of 0, or letters from A on, without gaps. Three numbers from 0 on, and the ten digits, are too often mere names.
pub fn steps(names: &[&str]) -> bool {
    let k = names.len();
    if !(LEAST..=11).contains(&k) {
        return false;
    }
    let whole = |name: &&str| number(name).filter(|x| x.fract() == 0.0 && x.abs() < 1e3).map(|x| x as i64);
    if let Some(x) = names.iter().map(whole).collect::<Option<Vec<i64>>>() {
        let (low, high) = (x[0], x[k - 1]);
        let start = low == 1 || low == -high || low == 0 && k != 3 && k != 10;
        return start && x.windows(2).all(|w| w[1] == w[0] + 1);
    }
    // school grades may leave out E
    let letters: String = names.iter().map(|n| n.trim().to_ascii_uppercase()).collect();
    names.iter().all(|n| n.trim().len() == 1) && k > LEAST && ("ABCDEF".starts_with(&letters) || letters == "ABCDF")
}
