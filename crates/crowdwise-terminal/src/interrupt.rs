//! Ctrl-C: once stops and gives the best so far, twice leaves at once. Being told to end (SIGTERM, SIGHUP) leaves at once,
//! and no unfinished file behind.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the first Ctrl-C; methods look at it after every iteration.
pub static CANCEL: AtomicBool = AtomicBool::new(false);
/// Whether stopping early would give a result. Before and after the fit there is nothing to rescue.
static RESCUABLE: AtomicBool = AtomicBool::new(false);
/// Unfinished files, to be removed when leaving at once.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Watches for Ctrl-C from here on.
pub fn install() {
    #[cfg(unix)]
    watch_endings();
    // a second handler (as under a test harness) or a platform without signals: Ctrl-C then just ends the process
    let _ = ctrlc::set_handler(|| {
        let again = CANCEL.swap(true, Ordering::SeqCst);
        if again || !RESCUABLE.load(Ordering::SeqCst) {
            remove_unfinished();
            #[expect(clippy::exit, reason = "the user asked to leave at once, and this is the signal thread")]
            std::process::exit(130);
        }
        let _ = writeln!(
            std::io::stderr(),
            "\ncrowdwise: stopping at the next iteration; press Ctrl-C again to leave at once"
        );
    });
}

/// Waits in a thread of its own for the signals that end a process, so that it can tidy up first. All threads that are
/// started after this one leave them to it.
#[cfg(unix)]
fn watch_endings() {
    use nix::sys::signal::{SigSet, Signal, raise};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let mut endings = SigSet::empty();
        // whoever started us with `nohup` wants us to go on
        [Signal::SIGTERM, Signal::SIGHUP].into_iter().filter(|s| !ignored(*s)).for_each(|s| endings.add(s));
        if endings.thread_block().is_err() {
            return;
        }
        std::thread::spawn(move || {
            if let Ok(signal) = endings.wait() {
                remove_unfinished();
                // and then end as it would have without us, so that the caller sees the signal
                let _ = endings.thread_unblock();
                let _ = raise(signal);
            }
        });
    });
}

/// Whether a signal was ignored when we were started. Where the system does not tell, SIGHUP is left alone.
#[cfg(unix)]
fn ignored(signal: nix::sys::signal::Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| u64::from_str_radix(l.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.map_or(signal == nix::sys::signal::Signal::SIGHUP, |m| (m >> (signal as i32 - 1)) & 1 == 1)
}

/// Runs `work` as the part that can be stopped early with a result.
pub fn rescuable<T>(work: impl FnOnce() -> T) -> T {
    RESCUABLE.store(true, Ordering::SeqCst);
    let out = work();
    RESCUABLE.store(false, Ordering::SeqCst);
    out
}

pub fn cancelled() -> bool {
    CANCEL.load(Ordering::SeqCst)
}

/// Remembers a file that is of no use until it is complete.
pub fn unfinished(path: &Path) {
    if let Ok(mut all) = UNFINISHED.lock() {
        all.push(path.to_owned());
    }
}

/// The file is complete, or removed by its owner.
pub fn settled(path: &Path) {
    if let Ok(mut all) = UNFINISHED.lock() {
        all.retain(|p| p != path);
    }
}

fn remove_unfinished() {
    if let Ok(all) = UNFINISHED.lock() {
        for path in all.iter() {
            let _ = std::fs::remove_file(path);
        }
    }
}
