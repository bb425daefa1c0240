//! The version that wrote a file.

/// Refuses files of a later version than this one: what their numbers mean may have changed. The error goes on after "it".
pub fn check_version(wrote: &str) -> Result<(), String> {
    let ours = env!("CARGO_PKG_VERSION");
    match (numbers(wrote), numbers(ours)) {
        (Some(theirs), Some(own)) if theirs > own => {
            Err(format!("was written by version {wrote} of this program, which is newer than this one ({ours})"))
        }
        (None, _) => Err(format!("names `{wrote}` as the version that wrote it, which is none")),
        _ => Ok(()),
    }
}

/// The three numbers of a version; what follows them (`-beta`) is left out.
fn numbers(text: &str) -> Option<[u64; 3]> {
    let plain = text.split(['-', '+']).next()?;
    let mut parts = plain.split('.').map(str::parse);
    let out = [parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?];
    parts.next().is_none().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_versions_are_refused() {
        for fine in [env!("CARGO_PKG_VERSION"), "0.0.1", "0.0.9-beta"] {
            assert_eq!(check_version(fine), Ok(()), "{fine}");
        }
        assert!(check_version("9.9.9").unwrap_err().contains("newer than this one"));
        assert!(check_version("0.99.0").unwrap_err().contains("newer"));
        for none in ["", "soon", "1.2", "1.2.3.4", "1.x.3"] {
            assert!(check_version(none).unwrap_err().contains("which is none"), "{none}");
        }
    }
}
