//! Several methods by name, with parameters for each.

use crate::options::check_repeated;
use crowdwise::{AnyMethod, Dataset, Entry, Error, LabelKind, Needs, Situation};
use serde_json::Value;

/// Parameters by method.
#[derive(Debug)]
pub struct Params(Vec<(&'static str, String, Value)>);

impl Params {
    pub fn parse(given: &[String]) -> Result<Params, Error> {
        let mut out = Vec::new();
        let mut problems = Vec::new();
        for text in given {
            match text.split_once('=').and_then(|(name, value)| Some((name.split_once('.')?, value))) {
                Some(((method, key), value)) => match crowdwise::find(method.trim()) {
                    Ok(entry) => out.push((entry.info.id, key.trim().to_owned(), Value::from(value.trim()))),
                    Err(e) => problems.push(e),
                },
                None => problems.push(Error::Usage {
                    what: format!("`{text}` is not a parameter of one of the methods"),
                    hint: Some("it should look like dawid-skene.tol=1e-6".into()),
                }),
            }
        }
        let full: Vec<String> = out.iter().map(|(id, key, _)| format!("{id}.{key}")).collect();
        problems.extend(check_repeated("parameter", full.iter().map(String::as_str)).err());
        Error::all(problems)?;
        Ok(Params(out))
    }

    fn of(&self, id: &str) -> Vec<(String, Value)> {
        self.0.iter().filter(|p| p.0 == id).map(|p| (p.1.clone(), p.2.clone())).collect()
    }
}

/// Every unknown or repeated name at once.
pub fn check_names(names: &[String]) -> Result<(), Error> {
    let mut problems = Vec::new();
    let mut ids = Vec::new();
    for name in names {
        match crowdwise::find(name) {
            _ if name == "all" => ids.push("all"),
            Ok(entry) => ids.push(entry.info.id),
            Err(e) => problems.push(e),
        }
    }
    if ids.len() > 1 && ids.contains(&"all") {
        problems.push(Error::Usage { what: "`all` goes with no other method".into(), hint: None });
    }
    problems.extend(check_repeated("method", ids).err());
    Error::all(problems)
}

/// The methods asked for, with their parameters.
///
/// Without data, those for classes of independent items.
pub fn chosen(names: &[String], data: Option<&Dataset>, params: &Params) -> Result<Vec<Box<dyn AnyMethod>>, Error> {
    let plain = || crowdwise::methods().filter(|e| e.info.needs == Needs::NOTHING);
    let entries: Vec<&Entry> = match data {
        _ if !names.is_empty() && names.iter().all(|n| n != "all") => {
            names.iter().map(|n| crowdwise::find(n)).collect::<Result<_, _>>()?
        }
        Some(data) if names.is_empty() => crowdwise::compared(data),
        Some(data) => crowdwise::methods_for(data),
        None if names.is_empty() => plain().filter(|e| e.info.compared.contains(&Situation::Classes)).collect(),
        None => plain().filter(|e| e.info.accepts.contains(&LabelKind::Categorical)).collect(),
    };
    let mut methods = Vec::new();
    let mut problems = Vec::new();
    for (id, key, _) in params.0.iter().filter(|p| entries.iter().all(|e| e.info.id != p.0)) {
        problems.push(Error::Usage {
            what: format!("the parameter `{id}.{key}` is given, but {id} is not compared"),
            hint: Some(format!("add {id} to --method, or leave the parameter out")),
        });
    }
    for e in entries {
        match e.with(&params.of(e.info.id)) {
            Ok(m) => methods.push(m),
            Err(e) => problems.push(e),
        }
    }
    Error::all(problems)?;
    Ok(methods)
}
