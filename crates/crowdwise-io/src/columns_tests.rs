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
fn what_rows_are_is_told_by_any_of_the_usual_names() {
    let form = |list: &str| super::form(&names(list), &ReadOptions::default());
    for (left, right) in Role::Left.usual().iter().zip(Role::Right.usual()) {
        for winner in Role::Winner.usual() {
            let list = format!("{left},{right},judge,{winner}");
            assert_eq!(form(&list), Form::Comparisons, "{list}");
            let l = plainly(&list).unwrap();
            assert_eq!((l.kind, l.used()), (LabelKind::Preference, vec![0, 1, 2, 3]), "{list}");
        }
        assert_eq!(form(&format!("{left},{right},rater_id,similar")), Form::Similarities);
    }
    for sequence in Role::Sequence.usual() {
        for position in Role::Position.usual() {
            assert_eq!(form(&format!("{sequence}_id,{position},worker_id,tag")), Form::Tokens);
        }
    }
    for place in Role::Place.usual() {
        assert_eq!(form(&format!("session,user_id,item_id,{place}")), Form::Rankings, "{place}");
    }
    assert_eq!(form("worker_id,options,best"), Form::Rankings);
    assert_eq!(form("task_id,worker_id,label"), Form::Labels);
    assert_eq!(form(""), Form::Labels);
}

#[test]
fn models_that_were_compared_on_a_question_are_sides() {
    let l = plainly("question_id,model_a,model_b,winner,judge,turn").unwrap();
    assert_eq!(l.shape, Shape::Pairs { left: 1, right: 2, annotator: Some(4), outcome: 3 });
    // without an outcome they may be annotators of a wide table, and single letters may be anything beside items
    for list in ["item,model_a,model_b,worker,label", "task,a,b,worker,winner"] {
        assert!(matches!(plainly(list).unwrap().shape, Shape::Labels { item: 0, .. }), "{list}");
    }
    let e = plainly("model_a,model_b,winner").unwrap_err();
    assert_eq!(e.to_string(), "no column `annotator` in votes.csv (found: `model_a`, `model_b`, `winner`)");
}

#[test]
fn options_say_what_names_do_not() {
    let form = |list: &str, options: ReadOptions| super::form(&names(list), &options);
    let kind = |kind| ReadOptions { kind: Some(kind), ..Default::default() };
    assert_eq!(form("x,y,worker,label", kind(LabelKind::Similarity)), Form::Similarities);
    assert_eq!(form("left,right,worker,same", kind(LabelKind::Preference)), Form::Comparisons);
    assert_eq!(form("left,right,worker,label", kind(LabelKind::Categorical)), Form::Labels);
    let item = ReadOptions { item: Some("left".into()), ..Default::default() };
    assert_eq!(form("left,right,worker,label", item), Form::Labels);
    let label = ReadOptions { label: Some("order".into()), ..Default::default() };
    assert_eq!(form("worker,order", label), Form::Labels);
}

#[test]
fn the_name_of_a_ranking_is_looked_for_among_the_columns_that_are_left() {
    let l = plainly("task_id,worker_id,rank,session").unwrap();
    assert_eq!(l.shape, Shape::Places { ranking: Some(3), annotator: 1, item: 0, position: 2 });
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
