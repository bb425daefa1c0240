//! Methods of a comparison whose findings are kept, which the comparison itself does not do.

use crowdwise::{AnyMethod, Context, Dataset, Error, Finding, Fit, MethodInfo, Severity};
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// What the fit to all labels gave: its findings, or why there is none.
pub type Told = Arc<Mutex<Option<Result<Vec<Finding>, Error>>>>;

struct Watched {
    method: Box<dyn AnyMethod>,
    told: Told,
}

impl AnyMethod for Watched {
    fn info(&self) -> &'static MethodInfo {
        self.method.info()
    }

    fn params(&self) -> Value {
        self.method.params()
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Fit, Error> {
        let fit = self.method.fit(data, cx);
        // the first fit is that to all labels; those that follow are without a fold
        let mut told = self.told.lock().expect("nobody panicked with it");
        told.get_or_insert_with(|| fit.as_ref().map(|f| f.findings.clone()).map_err(Clone::clone));
        drop(told);
        fit
    }
}

/// The methods, and for each the place where what it found will be.
pub fn watch(methods: Vec<Box<dyn AnyMethod>>) -> (Vec<Box<dyn AnyMethod>>, Vec<Told>) {
    let each = methods.into_iter().map(|method| {
        let told = Told::default();
        (Box::new(Watched { method, told: Arc::clone(&told) }) as Box<dyn AnyMethod>, told)
    });
    each.unzip()
}

/// The findings of every method (none where it failed), and every failure.
pub fn findings(told: &[Told]) -> (Vec<Vec<Finding>>, Vec<Error>) {
    let mut failures = Vec::new();
    let of = |t: &Told| match t.lock().expect("nobody panicked with it").take() {
        Some(Ok(findings)) => findings,
        Some(Err(e)) => {
            failures.push(e);
            Vec::new()
        }
        None => Vec::new(),
    };
    (told.iter().map(of).collect(), failures)
}

/// The codes of the problems, each once.
pub fn problems(findings: &[Finding]) -> Vec<&str> {
    let mut codes: Vec<&str> = Vec::new();
    for f in findings.iter().filter(|f| f.severity == Severity::Problem) {
        if !codes.contains(&f.code.as_str()) {
            codes.push(&f.code);
        }
    }
    codes
}
