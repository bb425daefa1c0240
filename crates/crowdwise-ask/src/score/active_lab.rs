//! ActiveLab without a classifier (Goh and Mueller, 2023): how good the consensus of an item is, annotators weighted by agreement.

use crate::answers::Answers;

/// Quality of the consensus of every item; the lowest are asked. With fewer than five items that have two labels, the number of labels.
pub fn active_lab(answers: &Answers) -> Vec<f64> {
    let (n, m, k) = (answers.n_items(), answers.n_annotators(), answers.k());
    let mut votes = vec![0.0; n * k];
    votes.chunks_exact_mut(k).enumerate().for_each(|(i, v)| answers.votes(i, v));
    let many: Vec<usize> = (0..n).filter(|&i| answers.degree(i) > 1).collect();
    if many.len() < 5 {
        return (0..n).map(|i| answers.degree(i) as f64).collect();
    }
    let mut class: Vec<usize> = votes.chunks_exact(k).map(|v| super::two_best(v)[0]).collect();
    let mut quality = vec![0.0; n];
    for _ in 0..2 {
        // how often a label agrees with the consensus; how often that is not the commonest class
        let agree: f64 = many.iter().map(|&i| votes[i * k + class[i]] / answers.degree(i) as f64).sum();
        let p = agree / many.len() as f64;
        let other = (1.0 - p) / (k.max(2) - 1) as f64;
        let mut of_class = vec![0usize; k];
        many.iter().for_each(|&i| of_class[class[i]] += 1);
        let commonest = of_class.iter().max().copied().unwrap_or(0);
        let base = (1.0 - commonest as f64 / many.len() as f64).max(1e-6);
        // agreement of each annotator with the others on the same items
        let (mut same, mut all) = (vec![0.0; m], vec![0.0; m]);
        for l in answers.iter() {
            let (i, j) = (l.item as usize, l.annotator as usize);
            same[j] += votes[i * k + l.class as usize] - 1.0;
            all[j] += answers.degree(i) as f64 - 1.0;
        }
        let mean = same.iter().sum::<f64>() / all.iter().sum::<f64>().max(1e-300);
        let weight: Vec<f64> = (0..m)
            .map(|j| if all[j] > 0.0 { same[j] / all[j] } else { mean })
            .map(|s| (1.0 - (1.0 - s) / base).max(1e-6))
            .collect();
        let typical = weight.iter().sum::<f64>() / m.max(1) as f64;
        for i in 0..n {
            let mut q = vec![0.0; k];
            let mut total = 1e-9;
            let (who, what) = answers.of(i);
            for (&j, &l) in who.iter().zip(what) {
                q[l as usize] += weight[j as usize] * (p - other);
                total += weight[j as usize];
            }
            q.iter_mut().for_each(|x| *x = other + *x / total);
            class[i] = super::two_best(&q)[0];
            quality[i] = (total * q[class[i]] + typical / k as f64) / (total + typical);
        }
    }
    quality
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Label;

    #[test]
    fn split_items_come_before_agreed_ones() {
        // items 0 to 5: three annotators agree; item 6: two against one; item 7: a single label
        let mut labels = Vec::new();
        for item in 0..7u32 {
            for annotator in 0..3u32 {
                let class = if item == 6 && annotator == 2 { 1 } else { (item % 2) as u16 };
                labels.push(Label { item, annotator, class });
            }
        }
        labels.push(Label { item: 7, annotator: 0, class: 0 });
        let quality = active_lab(&Answers::from_labels(8, 3, 2, &labels));
        assert!(quality[6] < quality[7] && quality[7] < quality[0], "{quality:?}");
        assert!(quality[..6].iter().all(|q| (0.5..=1.0).contains(q)));
    }
}
