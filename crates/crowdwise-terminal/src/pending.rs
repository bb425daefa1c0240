//! A file that appears only when it is complete.

use crate::interrupt;
use crate::output::unwritable;
use crowdwise::Error;
use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files that are being written. Two results in one file would be one result lost.
static CLAIMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Links that are followed to where a file lies, at most.
const MOST_LINKS: usize = 40;
/// Names that are tried for a temporary file.
const TRIES: usize = 16;

/// A file written under another name beside its own, so that a failure leaves what was there untouched.
#[derive(Debug)]
pub struct Pending {
    /// As it was called.
    path: PathBuf,
    /// Where it lies: a link is followed, so that its target is replaced and not the link.
    place: PathBuf,
    temporary: Option<PathBuf>,
    file: Option<BufWriter<File>>,
}

impl Pending {
    pub fn create(path: &Path) -> Result<Pending, Error> {
        let shown = path.display().to_string();
        let refuse = |what: &str| Error::Unwritable { file: shown.clone(), what: what.into() };
        let fail = |e: &io::Error| unwritable(&shown, e);
        let place = follow(path).ok_or_else(|| refuse("it is a link that goes round in a circle"))?;
        let folder = folder_of(&place);
        if !folder.exists() {
            return Err(refuse(&format!("there is no folder `{}`; make it first", folder.display())));
        }
        let old = std::fs::metadata(&place).ok();
        if old.as_ref().is_some_and(Metadata::is_dir) {
            return Err(refuse("it is a directory"));
        }
        if old.as_ref().is_some_and(|m| !m.is_file()) {
            // a device or a named pipe cannot be replaced
            let file = OpenOptions::new().write(true).open(&place).map_err(|e| fail(&e))?;
            return Ok(Pending::of(path, place, None, file));
        }
        let place = folder.canonicalize().map_err(|e| fail(&e))?.join(place.file_name().unwrap_or_default());
        claim(&place, &shown)?;
        let made = temporary(&place, old.as_ref());
        if made.is_err() {
            release(&place);
        }
        let (temporary, file) = made.map_err(|e| fail(&e))?;
        interrupt::unfinished(&temporary);
        Ok(Pending::of(path, place, Some(temporary), file))
    }

    fn of(path: &Path, place: PathBuf, temporary: Option<PathBuf>, file: File) -> Pending {
        let file = BufWriter::with_capacity(1 << 18, file);
        Pending { path: path.into(), place, temporary, file: Some(file) }
    }

    /// As it was called.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn writer(&mut self) -> &mut BufWriter<File> {
        self.file.as_mut().expect("only finish takes the file")
    }

    /// The content reaches the disk before the name does: after a power cut there is the old file or the new one.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        file.flush()?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        file.get_ref().sync_all()?;
        drop(file);
        std::fs::rename(temporary, &self.place)?;
        interrupt::settled(temporary);
        self.temporary = None;
        // not every file system can do it for a folder, and the file is complete in any case
        #[cfg(unix)]
        let _ = File::open(folder_of(&self.place)).and_then(|folder| folder.sync_all());
        release(&self.place);
        Ok(())
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = std::fs::remove_file(temporary);
            interrupt::settled(temporary);
            release(&self.place);
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where a path leads to, whether there is something yet or not.
fn follow(path: &Path) -> Option<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(to) = std::fs::read_link(&place) else { return Some(place) };
        place = folder_of(&place).join(to);
    }
    None
}

fn claim(place: &Path, shown: &str) -> Result<(), Error> {
    let Ok(mut all) = CLAIMED.lock() else { return Ok(()) };
    if all.iter().any(|p| p == place) {
        return Err(Error::Usage {
            what: format!("two results are to be written to `{shown}`, of which one would be lost"),
            hint: Some("give each a file of its own".into()),
        });
    }
    all.push(place.to_owned());
    Ok(())
}

fn release(place: &Path) {
    if let Ok(mut all) = CLAIMED.lock() {
        all.retain(|p| p != place);
    }
}

/// A new file beside `place` that nobody could have put there before, as private as the one that it is to replace.
fn temporary(place: &Path, old: Option<&Metadata>) -> io::Result<(PathBuf, File)> {
    let name = place.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TRIES {
        let random = RandomState::new().build_hasher().finish();
        let path = place.with_file_name(format!(".{name}.{random:016x}.part"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if let Some(old) = old {
            use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
            options.mode(old.mode() & 0o777);
        }
        match options.open(&path) {
            Ok(file) => {
                if let Some(old) = old {
                    keep_rights(&file, old);
                }
                return Ok((path, file));
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => last = e,
            Err(e) => return Err(e),
        }
    }
    Err(last)
}

/// Owner and mode of the file that is replaced; what the system does not allow stays as it is.
fn keep_rights(file: &File, old: &Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let differs = file.metadata().is_ok_and(|new| (new.uid(), new.gid()) != (old.uid(), old.gid()));
        if differs {
            let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    if !old.permissions().readonly() {
        let _ = file.set_permissions(old.permissions());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_takes_one_result() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.csv");
        let mut first = Pending::create(&path).unwrap();
        let again = Pending::create(&dir.path().join(".").join("out.csv"));
        assert_eq!(again.err().unwrap().code(), "usage");
        first.write_all(b"one").unwrap();
        first.finish().unwrap();
        let second = Pending::create(&path).unwrap();
        drop(second); // given up: what was there stays
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_and_rights_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("kept")).unwrap();
        std::fs::write(at("kept/real.csv"), "old").unwrap();
        std::fs::set_permissions(at("kept/real.csv"), PermissionsExt::from_mode(0o640)).unwrap();
        symlink("kept/real.csv", at("link.csv")).unwrap();
        let mut out = Pending::create(&at("link.csv")).unwrap();
        out.write_all(b"new").unwrap();
        out.finish().unwrap();
        assert!(at("link.csv").is_symlink());
        assert_eq!(std::fs::read(at("kept/real.csv")).unwrap(), b"new");
        assert_eq!(std::fs::metadata(at("kept/real.csv")).unwrap().permissions().mode() & 0o777, 0o640);
        // a link to what is not there yet, and one to itself
        symlink("kept/later.csv", at("dangling.csv")).unwrap();
        Pending::create(&at("dangling.csv")).unwrap().finish().unwrap();
        assert!(at("kept/later.csv").is_file() && at("dangling.csv").is_symlink());
        symlink("round.csv", at("round.csv")).unwrap();
        assert!(Pending::create(&at("round.csv")).err().unwrap().to_string().contains("circle"));
    }

    #[test]
    fn nobody_can_foretell_the_temporary_name() {
        let dir = tempfile::tempdir().unwrap();
        let names: Vec<PathBuf> = (0..3).map(|_| temporary(&dir.path().join("x.csv"), None).unwrap().0).collect();
        assert!(names[0] != names[1] && names[1] != names[2]);
        assert!(names.iter().all(|n| !n.to_string_lossy().contains(&format!(".{}.part", std::process::id()))));
    }
}
