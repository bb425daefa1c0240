//! Which columns are found, and what is said when one is not.

use super::*;

fn names(list: &str) -> Vec<String> {
    list.split(',').map(String::from).collect()
}

fn with(list: &str, options: &ReadOptions) -> Result<Layout, Error> {
    resolve(&names(list), options, Purpose::Answers, "votes.csv")
}

fn plainly(list: &str) -> Result<Layout, Error> {
    with(list, &ReadOptions::default())
}

#[test]
fn usual_names_are_found_in_any_case_and_order() {
    for list in ["task,worker,label", "Item,Annotator,Answer", "example_id,rater_id,rating", "Question,USER,response"] {
        let l = plainly(list).unwrap();
        assert_eq!(l.shape, Shape::Labels { item: 0, annotator: Some(1), label: 2 }, "{list}");
        assert_eq!((l.kind, l.by_values), (LabelKind::Categorical, false));
    }
    let l = plainly("label,judge,note,unit").unwrap();
    assert_eq!(l.shape, Shape::Labels { item: 3, annotator: Some(1), label: 0 });
    assert_eq!(l.note, "columns: item = unit, annotator = judge, label = label");
    assert!(plainly("item,worker,value").unwrap().by_values);
}

#[test]
fn comparisons_similarities_and_sequences_are_known_by_their_columns() {
    let l = plainly("left,right,worker,winner").unwrap();
    assert_eq!((l.kind, l.used()), (LabelKind::Preference, vec![0, 1, 2, 3]));
    assert_eq!(plainly("left,right,worker,same").unwrap().kind, LabelKind::Similarity);
    let l = plainly("sequence,position,worker,label").unwrap();
    assert!(matches!(l.shape, Shape::Sequence { sequence: 0, position: 1, annotator: Some(2), label: 3 }));
}

#[test]
fn all_missing_columns_come_at_once_with_the_flag_to_use() {
    let e = plainly("thing,who,label").unwrap_err();
    let Error::Several(all) = &e else { panic!("{e}") };
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].hint().unwrap(), "name it with `--item COLUMN`");
    let e = plainly("task,anotator,label").unwrap_err();
    assert_eq!(e.to_string(), "no column `annotator` in votes.csv (found: `task`, `anotator`, `label`)");
    assert_eq!(e.hint().unwrap(), "--annotator anotator");
    // The only column that is left, whatever its name.
    assert_eq!(plainly("task,label,who said it").unwrap_err().hint().unwrap(), "--annotator 'who said it'");
    let o = ReadOptions { annotator: Some("worker".into()), ..Default::default() };
    let e = with("task,rater,label", &o).unwrap_err();
    assert_eq!(e.to_string(), "no column `worker` in votes.csv (found: `task`, `rater`, `label`)");
    assert_eq!(e.hint().unwrap(), "--annotator rater");
}

#[test]
fn columns_that_occur_twice_or_serve_twice_are_errors() {
    assert!(plainly("item,worker,label,label").unwrap_err().to_string().contains("more than once"));
    let o = ReadOptions { label: Some("item".into()), ..Default::default() };
    assert!(with("item,worker", &o).unwrap_err().to_string().contains("both item and label"));
    assert!(plainly("item;worker;label").unwrap_err().to_string().contains("only one column"));
}

#[test]
fn mechanical_turk_needs_one_answer_column() {
    let l = plainly("HITId,WorkerId,Input.url,Answer.sentiment").unwrap();
    assert_eq!(l.shape, Shape::Labels { item: 2, annotator: Some(1), label: 3 });
    let l = plainly("HITId,WorkerId,Input.a,Input.b,Answer.x").unwrap();
    assert_eq!(l.shape, Shape::Labels { item: 0, annotator: Some(1), label: 4 });
    let e = plainly("HITId,WorkerId,Answer.a,Answer.b").unwrap_err();
    assert!(e.to_string().contains("`Answer.a`, `Answer.b`") && e.hint().unwrap().contains("--label Answer.a"));
    let o = ReadOptions { label: Some("Answer.b".into()), ..Default::default() };
    assert_eq!(with("HITId,WorkerId,Answer.a,Answer.b", &o).unwrap().shape.label(), Some(3));
}
