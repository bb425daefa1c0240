//! A file of annotators who belong together, as the parameter of the methods that weigh groups.

use crate::options::KeyValue;
use crate::talk::Talk;
use crowdwise::io::{self, Source};
use crowdwise::{Dataset, Error};

/// What these methods call it.
const PARAMETER: &str = "members";

/// The method that is used where groups are given and no method is.
pub const DEFAULT: &str = "group-aware-em";

/// Whether a method knows groups of annotators.
pub fn check(method: Option<&str>) -> Result<(), Error> {
    let Some(name) = method else { return Ok(()) };
    if crowdwise::find(name)?.defaults().get(PARAMETER).is_some() {
        return Ok(());
    }
    Err(Error::Usage {
        what: format!("--groups is for methods that weigh groups of annotators, which {name} does not"),
        hint: Some("`-m group-aware-em` or `-m group-aware-vote`".into()),
    })
}

/// The groups of a file.
pub fn read(file: &str, data: &Dataset, talk: Talk) -> Result<KeyValue, Error> {
    let read = io::read_groups(&Source::from_arg(file), &data.table)?;
    read.notes.iter().for_each(|note| talk.note(note));
    let text = serde_json::to_string(&read.value).unwrap_or_default();
    Ok(KeyValue::new(PARAMETER, &text))
}
