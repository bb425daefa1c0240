//! A classifier learned from features and what the crowd said. `cargo run --release -p crowdwise --example classifier`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use crowdwise::Context;
use crowdwise::learn::Model;
use crowdwise::questions::evaluate;
use crowdwise::simulate::{Simulation, Simulator};

fn main() -> Result<(), crowdwise::Error> {
    // 400 items with 5 features each and 3 labels each; one annotator in five guesses
    let crowd = Simulation { items: 400, features: 5, per_item: 3, spammers: 0.2, ..Simulation::default() };
    let (data, truth) = Simulator::new(&crowd, 1)?.dataset()?;

    // EM with a network: the classifier and the annotators' confusion matrices improve each other
    let learner = crowdwise::learner("aggnet")?.with(&[("epochs".into(), 30.into())])?;
    let (fit, model) = learner.learn(&data, &mut Context::new(0, 2))?;
    println!("labels: accuracy {:.3}", evaluate(&fit, &data, &truth).accuracy.unwrap_or(f64::NAN));

    // the model can be kept in a file, and says what it thinks of items that nobody labelled
    let model = Model::from_bytes(&model.to_bytes(), "memory")?;
    let features = data.features.as_ref().expect("the simulation has features");
    let believed = model.predict(features)?;
    println!("first item, by its features alone: {:.2?}", &believed.rows[..believed.k]);
    Ok(())
}
