//! Running a fit so that Ctrl-C stops it and other Python threads go on.

use crate::data::Data;
use crate::error::raised;
use crate::fit::Fit;
use crowdwise::{Context, Event};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a Ctrl-C may go unnoticed.
const LOOK: Duration = Duration::from_millis(50);

pub fn threads(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

pub fn parameters(text: &str) -> PyResult<Vec<(String, Value)>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(o)) => Ok(o.into_iter().collect()),
        _ => Err(PyValueError::new_err("parameters are a JSON object")),
    }
}

/// What a running job tells the thread that waits for it.
enum News<T> {
    Progress(Event),
    Done(T),
}

/// Runs `work` on another thread with the interpreter released. A Ctrl-C sets the flag that `work` gets, and the result of
/// the work is what it has by then. `progress` is called with (iteration, max_iter, change) or (stage).
pub fn interruptible<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&AtomicBool, &mut dyn FnMut(&Event)) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let (send, receive) = mpsc::channel::<News<T>>();
    let mut failed = None;
    let result = std::thread::scope(|s| {
        let stop = &stop;
        let wanted = progress.is_some();
        s.spawn(move || {
            let tell = send.clone();
            let mut sink = |e: &Event| {
                if wanted {
                    drop(tell.send(News::Progress(e.clone())));
                }
            };
            let result = work(stop, &mut sink);
            drop(send.send(News::Done(result)));
        });
        loop {
            // the receiver stays with this thread: only the waiting is done without the interpreter
            let waiting = Waiting(&receive);
            match py.detach(move || waiting.look()) {
                Ok(News::Done(result)) => return Some(result),
                Ok(News::Progress(event)) => {
                    if let Some(p) = progress
                        && failed.is_none()
                        && let Err(e) = say(p, &event)
                    {
                        stop.store(true, Relaxed);
                        // a Ctrl-C that comes while the line is drawn is a Ctrl-C all the same
                        if !e.is_instance_of::<PyKeyboardInterrupt>(py) {
                            failed = Some(e);
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
            // a KeyboardInterrupt asks for what there is; nothing is thrown away
            if py.check_signals().is_err() {
                stop.store(true, Relaxed);
            }
        }
    });
    match (failed, result) {
        (Some(e), _) => Err(e),
        (None, Some(r)) => Ok(r),
        (None, None) => {
            Err(pyo3::exceptions::PyRuntimeError::new_err("the fit ended without a result; please report this"))
        }
    }
}

struct Waiting<'a, T>(&'a mpsc::Receiver<News<T>>);
// SAFETY: the closure that takes it runs on the thread that made it; `detach` only asks for Send.
unsafe impl<T: Send> Send for Waiting<'_, T> {}

impl<T> Waiting<'_, T> {
    fn look(self) -> Result<News<T>, RecvTimeoutError> {
        self.0.recv_timeout(LOOK)
    }
}

fn say(progress: &Bound<'_, PyAny>, event: &Event) -> PyResult<()> {
    match event {
        Event::Iteration { iteration, max_iter, objective, change, tol } => {
            progress.call1((*iteration, *max_iter, *objective, *change, *tol, None::<&str>))?;
        }
        Event::Epoch { epoch, epochs, loss, held_out } => {
            let objective = Some(held_out.unwrap_or(-*loss));
            progress.call1((*epoch, *epochs, objective, f64::NAN, f64::NAN, None::<&str>))?;
        }
        Event::Stage { name } => {
            progress.call1((0usize, 0usize, None::<f64>, f64::NAN, f64::NAN, Some(name)))?;
        }
        _ => {}
    }
    Ok(())
}

/// Fits a method. `params` is a JSON object.
#[pyfunction]
#[pyo3(signature = (data, method, params, seed=0, threads=None, warm=None, progress=None, count_copies=false))]
#[expect(clippy::too_many_arguments, reason = "called from Python only")]
pub fn fit(
    py: Python<'_>,
    data: &Data,
    method: &str,
    params: &str,
    seed: u64,
    threads: Option<usize>,
    warm: Option<Py<Fit>>,
    progress: Option<&Bound<'_, PyAny>>,
    count_copies: bool,
) -> PyResult<Fit> {
    let made = crowdwise::find(method).and_then(|e| e.with(&parameters(params).unwrap_or_default()));
    let made = made.map_err(|e| raised(py, &e))?;
    parameters(params)?;
    let data = data.data.clone();
    let warm = warm.map(|w| w.get().fit.clone());
    let threads = self::threads(threads);
    // what the caller and the making of the data left
    crate::codes::give_back(data.table.n_labels());
    let begun = Instant::now();
    let fitted = interruptible(py, progress, |stop, sink| {
        let mut cx = Context::new(seed, threads).with_sink(sink).with_cancel(stop).with_count_copies(count_copies);
        if let Some(w) = &warm {
            cx = cx.with_warm_start(w);
        }
        crowdwise::questions::reviewed(&*made, &data, &mut cx)
    })?;
    let fitted = fitted.map_err(|e| raised(py, &e))?;
    crate::codes::give_back(data.table.n_labels());
    Ok(Fit { fit: fitted.into(), elapsed: begun.elapsed().as_secs_f64() })
}

/// The `crowdwise` command.
#[pyfunction]
pub fn command(py: Python<'_>, args: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| crowdwise_cli::run(args))
}
