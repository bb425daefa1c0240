//! How much memory the process may take for what a file or a parameter asks for.
//!
//! A packed file of one megabyte can unpack to gigabytes, and forty thousand annotators of one item make 800 million pairs.
//! Whoever is about to make room for something that large asks here first, so that it ends in a message and not in a process
//! that the system kills. The limit belongs to the process, as its memory does.

use crate::Error;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// What is taken where the system does not tell how much memory there is.
const UNKNOWN_MACHINE: u64 = 8 * GIB;

/// 0: as the machine has it.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Sets the limit in bytes; 0 takes it back to that of the machine.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The limit in bytes: what was set, or three quarters of the memory that the machine, its container or the shell's
/// `ulimit -v` gives this process.
pub fn limit() -> u64 {
    static MACHINE: OnceLock<u64> = OnceLock::new();
    match LIMIT.load(Ordering::Relaxed) {
        0 => *MACHINE.get_or_init(|| machine().map_or(UNKNOWN_MACHINE, |total| total / 4 * 3)),
        set => set,
    }
}

/// The smallest of what the system says of this process' memory.
fn machine() -> Option<u64> {
    let text = |file: &str| std::fs::read_to_string(file).ok();
    let total = text("/proc/meminfo").and_then(|t| after(&t, "MemTotal:").map(|kib| kib.saturating_mul(1024)));
    let container = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .iter()
        .find_map(|file| text(file)?.trim().parse().ok());
    let shell = text("/proc/self/limits").and_then(|t| after(&t, "Max address space"));
    [total, container, shell].into_iter().flatten().filter(|&bytes| bytes > 0).min()
}

/// The whole number that follows a word; `None` where there is none, as in `unlimited`.
fn after(text: &str, word: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(word))?.split_whitespace().next()?.parse().ok()
}

/// Refuses what would need more than the limit; `None` is a number of bytes that no machine can count. `what` completes
/// "too large: …".
pub fn check(bytes: Option<u64>, what: impl FnOnce() -> String) -> Result<(), Error> {
    match bytes {
        Some(bytes) if bytes <= limit() => Ok(()),
        bytes => Err(too_large(bytes, &what())),
    }
}

/// The refusal of [`check`].
pub fn too_large(bytes: Option<u64>, what: &str) -> Error {
    let need = bytes.map_or_else(|| "more memory than any machine has".into(), |b| format!("about {}", text(b)));
    Error::TooLarge { what: format!("{what}: that takes {need}, and {} are allowed", text(limit())) }
}

/// Bytes of so many numbers of `width` bytes, where that can be counted.
pub fn bytes_of(counts: &[usize], width: usize) -> Option<u64> {
    counts.iter().try_fold(width as u64, |n, &c| n.checked_mul(c as u64))
}

/// "512 MiB", "5.3 GiB".
pub fn text(bytes: u64) -> String {
    if bytes >= GIB { format!("{:.1} GiB", bytes as f64 / GIB as f64) } else { format!("{} MiB", bytes.div_ceil(MIB)) }
}

/// Reads a size such as `4GiB`, `512MiB` or `1.5G`.
pub fn parse(text: &str) -> Result<u64, String> {
    let refuse = || "it takes a size with its unit, such as 4GiB or 512MiB".to_string();
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(refuse)?;
    let (number, unit) = (text[..split].trim(), text[split..].to_ascii_lowercase());
    let factor = match unit.as_str() {
        "k" | "kib" => 1 << 10,
        "m" | "mib" => MIB,
        "g" | "gib" => GIB,
        "t" | "tib" => GIB << 10,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(refuse()),
    };
    let number: f64 = number.parse().map_err(|_| refuse())?;
    let bytes = number * factor as f64;
    if !bytes.is_finite() || bytes < MIB as f64 || bytes > 2f64.powi(62) {
        return Err("it takes a size of at least 1MiB, such as 4GiB".into());
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_unit_and_nothing_else() {
        assert_eq!(parse("4GiB"), Ok(4 << 30));
        assert_eq!((parse("512 MiB"), parse("1.5g")), (Ok(512 << 20), Ok(3 << 29)));
        assert_eq!(parse("2GB"), Ok(2_000_000_000));
        for bad in ["", "4", "GiB", "-1GiB", "1e400G", "nan G", "4 elephants", "1k", "9999999999T"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert_eq!((text(5 << 29), text(3 << 20), text(1)), ("2.5 GiB".into(), "3 MiB".into(), "1 MiB".into()));
    }

    #[test]
    fn what_is_too_much_or_cannot_be_counted_is_refused() {
        assert!(limit() >= MIB);
        assert_eq!(check(Some(1), || unreachable!()), Ok(()));
        let e = check(bytes_of(&[usize::MAX, 4], 8), || "numbers".into()).unwrap_err();
        assert_eq!(e.code(), "too-large");
        assert!(
            e.to_string().contains("more memory than any machine has") && e.hint().unwrap().contains("--max-memory")
        );
        assert!(check(Some(u64::MAX), || "numbers".into()).is_err());
        assert_eq!(bytes_of(&[3, 5], 8), Some(120));
    }

    #[test]
    fn what_the_system_says_is_read() {
        let limits = "Limit   Soft Limit  Hard Limit  Units\nMax address space         8192  unlimited  bytes\n";
        assert_eq!(after(limits, "Max address space"), Some(8192));
        assert_eq!(after(&limits.replace("8192", "unlimited"), "Max address space"), None);
        assert_eq!(after("MemTotal:       32614528 kB\n", "MemTotal:"), Some(32_614_528));
    }
}
