use super::*;
use rand::RngExt;

fn random(rows: usize, cols: usize, index: u64) -> Matrix {
    let mut rng = stream(3, "network", index);
    Matrix::new(rows, cols, (0..rows * cols).map(|_| rng.random_range(-1.0..1.0)).collect())
}

fn image(height: usize, width: usize) -> Shape {
    Shape { channels: 2, height, width }
}

fn chains() -> Vec<(&'static str, Architecture)> {
    use LayerSpec::*;
    let chain =
        |input, layers: &[LayerSpec]| Architecture { input, layers: layers.to_vec(), ..Architecture::linear(1, 1) };
    vec![
        ("linear", Architecture::linear(5, 3)),
        ("mlp", Architecture::mlp(5, &[7, 6], 3, 0.0, false)),
        ("dropout", Architecture::mlp(5, &[20], 3, 0.5, false)),
        ("batch norm", Architecture::mlp(5, &[7], 3, 0.0, true)),
        ("convolution", chain(image(5, 4), &[Conv { filters: 3 }, Relu, Conv { filters: 2 }, Dense { outputs: 3 }])),
        ("pool", chain(image(5, 6), &[Conv { filters: 3 }, MaxPool, Dense { outputs: 3 }])),
        ("one pixel wide", chain(image(3, 1), &[Conv { filters: 3 }, MaxPool, Dense { outputs: 3 }])),
        ("image norm", chain(image(4, 4), &[Conv { filters: 3 }, BatchNorm, Relu, Dense { outputs: 3 }])),
    ]
}

/// A smooth loss of the scores and its derivative.
fn loss(z: &Matrix, c: &Matrix) -> f64 {
    z.values.iter().zip(&c.values).map(|(z, c)| f64::from(*z) * f64::from(*c) + 0.5 * f64::from(*z).powi(2)).sum()
}

fn derivative(z: &Matrix, c: &Matrix) -> Matrix {
    Matrix::new(z.rows, z.cols, z.values.iter().zip(&c.values).map(|(z, c)| z + c).collect())
}

/// Scores of a training pass with the same dropout every time.
fn scores(net: &mut Network, x: &Matrix) -> Matrix {
    net.passes = 0;
    net.forward(x, Mode::Train).unwrap()
}

/// Adds to one of all weights.
fn shift(net: &mut Network, mut at: usize, by: f32) {
    for p in net.layers.iter_mut().flat_map(|l| l.params()) {
        if at < p.w.len() {
            p.w[at] += by;
            return;
        }
        at -= p.w.len();
    }
}

#[test]
fn gradients_are_those_of_finite_differences() {
    for (name, architecture) in chains() {
        let mut net = Network::new(architecture, Optimiser::new(OptimiserKind::Sgd, 0.0, 0.0), 5);
        let (x, c) = (random(6, net.width(), 0), random(6, 3, 1));
        let z = scores(&mut net, &x);
        let by_input = net.input_gradient(&derivative(&z, &c)).unwrap();
        let gradient: Vec<f32> = net.layers.iter_mut().flat_map(|l| l.params()).flat_map(|p| p.g.clone()).collect();
        let h = 2e-3f32;
        // single weights; ReLU and pooling have kinks, where a difference says nothing: few may disagree
        let n = gradient.len();
        let mut rng = stream(4, "pick", 0);
        let mut wrong = 0;
        for _ in 0..60 {
            let at = rng.random_range(0..n);
            shift(&mut net, at, h);
            let up = loss(&scores(&mut net, &x), &c);
            shift(&mut net, at, -2.0 * h);
            let down = loss(&scores(&mut net, &x), &c);
            shift(&mut net, at, h);
            let slope = (up - down) / f64::from(2.0 * h);
            wrong += u32::from((slope - f64::from(gradient[at])).abs() > 3e-3 * slope.abs().max(1.0));
        }
        assert!(wrong <= 2, "{name}: {wrong} of 60 weights");
        let mut wrong = 0;
        for _ in 0..30 {
            let at = rng.random_range(0..x.values.len());
            let at_shift = |by: f32| {
                let mut x = x.clone();
                x.values[at] += by;
                x
            };
            let up = loss(&scores(&mut net, &at_shift(h)), &c);
            let down = loss(&scores(&mut net, &at_shift(-h)), &c);
            let slope = (up - down) / f64::from(2.0 * h);
            wrong += u32::from((slope - f64::from(by_input.values[at])).abs() > 3e-3 * slope.abs().max(1.0));
        }
        assert!(wrong <= 2, "{name}: {wrong} of 30 features");
    }
}

#[test]
fn threads_do_not_change_the_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let shape = Shape { channels: 1, height: 9, width: 9 };
            let architecture = Architecture::convolutional(shape, &[32], 4, 0.5);
            let mut net = Network::new(architecture, Optimiser::new(OptimiserKind::Adam, 1e-3, 1e-4), 1);
            let x = random(50, 81, 2);
            for _ in 0..3 {
                let z = net.forward(&x, Mode::Train).unwrap();
                net.backward(&z).unwrap();
            }
            net.snapshot().unwrap().0
        })
    };
    let one = run(1);
    assert!(run(3).iter().zip(&one).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn a_snapshot_brings_everything_back() {
    for (name, architecture) in chains() {
        let optimiser = Optimiser::new(OptimiserKind::Adam, 1e-2, 1e-4);
        let mut net = Network::new(architecture.clone(), optimiser.clone(), 1);
        let x = random(8, net.width(), 3);
        for _ in 0..3 {
            let z = net.forward(&x, Mode::Train).unwrap();
            net.backward(&z).unwrap();
        }
        let (kept, before) = (net.snapshot().unwrap(), net.forward(&x, Mode::Eval).unwrap());
        let z = net.forward(&x, Mode::Train).unwrap();
        net.backward(&z).unwrap();
        assert_ne!(net.forward(&x, Mode::Eval).unwrap(), before, "{name}");
        net.restore(&kept).unwrap();
        assert_eq!(net.forward(&x, Mode::Eval).unwrap(), before, "{name}");
        let mut other = Network::new(architecture, optimiser, 9);
        other.restore(&kept).unwrap();
        assert_eq!(other.forward(&x, Mode::Eval).unwrap(), before, "{name}");
        assert!(other.restore(&Weights(vec![0.0; 3])).is_err());
    }
}

#[test]
fn samples_differ_with_dropout_only() {
    let net = |rate| {
        Network::new(Architecture::mlp(5, &[30], 3, rate, false), Optimiser::new(OptimiserKind::Adam, 1e-3, 0.0), 1)
    };
    let x = random(4, 5, 4);
    let (mut plain, mut dropping) = (net(0.0), net(0.3));
    let eval = plain.forward(&x, Mode::Eval).unwrap();
    assert_eq!(plain.forward(&x, Mode::Sample(1)).unwrap(), eval);
    let (a, b) = (dropping.forward(&x, Mode::Sample(1)).unwrap(), dropping.forward(&x, Mode::Sample(2)).unwrap());
    assert_ne!(a, b);
    assert_eq!(dropping.forward(&x, Mode::Sample(1)).unwrap(), a);
    assert_eq!(dropping.forward(&x, Mode::Eval).unwrap(), eval);
}

#[test]
fn dropout_keeps_the_mean() {
    let mut layer = dropout::Dropout::new(0.3);
    let x = Matrix::new(100, 1000, vec![1.0; 100_000]);
    let mut y = Matrix::default();
    layer.forward(&x, &mut y, &mut Pass { training: true, draws: Some(stream(1, "t", 0)) });
    let zeros = y.values.iter().filter(|v| **v == 0.0).count() as f64 / 1e5;
    let mean = y.values.iter().map(|v| f64::from(*v)).sum::<f64>() / 1e5;
    assert!((zeros - 0.3).abs() < 0.01 && (mean - 1.0).abs() < 0.01, "{zeros} {mean}");
}

#[test]
fn shapes_follow_the_layers() {
    let digits = Shape { channels: 1, height: 28, width: 28 };
    let net = Architecture::convolutional(digits, &[128], 10, 0.5);
    assert_eq!((net.outputs(), net.has_dropout()), (10, true));
    // 28, 14, 7, 3, 1 pixels: the hidden layer sees 64 numbers; an 8 x 8 image runs out of pixels and still works
    let small = Architecture::convolutional(Shape { channels: 1, height: 8, width: 8 }, &[], 3, 0.0);
    let mut net = Network::new(small, Optimiser::new(OptimiserKind::Adam, 1e-3, 0.0), 1);
    assert_eq!(net.forward(&random(2, 64, 5), Mode::Eval).unwrap().cols, 3);
    let e = net.forward(&random(2, 60, 5), Mode::Eval).unwrap_err().to_string();
    assert!(e.contains("60") && e.contains("64"), "{e}");
}

#[test]
fn small_weights_stay_within_their_bound() {
    let made = |weights| {
        let architecture = Architecture { weights, ..Architecture::mlp(400, &[25], 3, 0.0, false) };
        Network::new(architecture, Optimiser::new(OptimiserKind::Adam, 1e-3, 0.0), 1).snapshot().unwrap().0
    };
    let (small, full) = (made(StartWeights::Small), made(StartWeights::Full));
    let (first, last) = small.split_at(401 * 25);
    assert!(first.iter().all(|w| w.abs() <= 0.05) && last.iter().all(|w| w.abs() <= 0.2));
    // offsets too, and weights of deviation 1 / √(3 inputs)
    assert!(first[400 * 25..].iter().all(|b| *b != 0.0));
    let sd = |w: &[f32]| (w.iter().map(|w| w * w).sum::<f32>() / w.len() as f32).sqrt();
    assert!((sd(&first[..400 * 25]) - 0.05 / 3f32.sqrt()).abs() < 1e-3);
    assert!((sd(&full[..400 * 25]) - (2.0f32 / 400.0).sqrt()).abs() < 2e-3 && full[400 * 25] == 0.0);
}
