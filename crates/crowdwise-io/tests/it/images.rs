//! Folders of images as features.

use crowdwise_core::{LabelKind, Table, TableBuilder};
use crowdwise_io::{read_feature_rows, read_features};
use std::path::Path;
use tempfile::{TempDir, tempdir};

/// 8 x 8, grey: the left half about 40, the right half about 200.
const GREY_JPEG: &str = "ffd8ffe000104a46494600010100000100010000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f13201513121213271c1e17202e2931302e292d2c333a4a3e333646372c2d405741464c4e525352323e5a615a50604a51524fffc0000b080008000801011100ffc40014000100000000000000000000000000000003ffc40018100002030000000000000000000000000000074583c2ffda0008010100003f0025fc857a3fffd9";
/// 8 x 8, all about (199, 30, 59).
const RED_JPEG: &str = "ffd8ffe000104a46494600010100000100010000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f13201513121213271c1e17202e2931302e292d2c333a4a3e333646372c2d405741464c4e525352323e5a615a50604a51524fffdb0043010e0e0e131113261515264f352d354f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4fffc00011080008000803011100021101031101ffc40014000100000000000000000000000000000005ffc40014100100000000000000000000000000000000ffc4001501010100000000000000000000000000000406ffc40014110100000000000000000000000000000000ffda000c03010002110311003f0010757bffd9";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn png(path: &Path, width: u32, height: u32, color: png::ColorType, pixels: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut encoder = png::Encoder::new(std::fs::File::create(path).unwrap(), width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(pixels).unwrap();
}

fn table(items: &[&str]) -> Table {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (n, i) in items.iter().enumerate() {
        b.label(i, "ann", if n % 2 == 0 { "x" } else { "y" }).unwrap();
    }
    b.finish().unwrap()
}

/// Two grey images of 1 x 2 pixels.
fn grey() -> TempDir {
    let dir = tempdir().unwrap();
    png(&dir.path().join("b.png"), 2, 1, png::ColorType::Grayscale, &[3, 4]);
    png(&dir.path().join("a.png"), 2, 1, png::ColorType::Grayscale, &[1, 2]);
    dir
}

#[test]
fn items_are_found_by_name_with_and_without_ending() {
    let dir = grey();
    for items in [["b", "a"], ["b.png", "a.png"]] {
        let f = read_features(dir.path(), None, &table(&items)).unwrap();
        assert_eq!((f.value.dim, f.value.image, &f.value.values[..]), (2, Some([1, 2, 1]), &[3.0, 4.0, 1.0, 2.0][..]));
        assert!(f.notes[0].contains("2 images of 1 x 2 pixels, grey"), "{:?}", f.notes);
    }
    let (rows, names) = read_feature_rows(dir.path()).unwrap();
    assert_eq!((rows.values, names.unwrap()), (vec![1.0, 2.0, 3.0, 4.0], vec!["a.png".to_owned(), "b.png".into()]));
}

#[test]
fn folders_below_and_files_that_are_no_images() {
    let dir = grey();
    png(&dir.path().join("more/c.PNG"), 2, 1, png::ColorType::GrayscaleAlpha, &[5, 0, 6, 255]);
    std::fs::write(dir.path().join("notes.txt"), "two cats").unwrap();
    std::fs::write(dir.path().join(".hidden.png"), "nothing").unwrap();
    for items in [["a", "c"], ["a.png", "c.PNG"]] {
        let f = read_features(dir.path(), None, &table(&items)).unwrap();
        assert_eq!(f.value.values, [1.0, 2.0, 5.0, 6.0]);
        assert!(f.notes.iter().any(|n| n.contains("1 other file left out")), "{:?}", f.notes);
    }
    let f = read_features(dir.path(), None, &table(&["a", "more/c"])).unwrap();
    assert_eq!(f.value.values, [1.0, 2.0, 5.0, 6.0]);
}

#[test]
fn grey_among_coloured_becomes_coloured_and_jpeg_is_read() {
    let dir = tempdir().unwrap();
    std::fs::write(dir.path().join("half.jpg"), bytes(GREY_JPEG)).unwrap();
    let f = read_features(dir.path(), None, &table(&["half"])).unwrap().value;
    assert_eq!(f.image, Some([8, 8, 1]));
    assert!(
        f.values
            .chunks(8)
            .all(|r| r[..4].iter().all(|x| (x - 40.0).abs() < 8.0) && r[4..].iter().all(|x| (x - 200.0).abs() < 8.0))
    );
    // a JPEG whose name says PNG is read all the same
    std::fs::write(dir.path().join("red.png"), bytes(RED_JPEG)).unwrap();
    let f = read_features(dir.path(), None, &table(&["half", "red"])).unwrap().value;
    assert_eq!((f.dim, f.image), (192, Some([8, 8, 3])));
    let pixel = |i: usize, n: usize| &f.values[i * 192 + 3 * n..][..3];
    assert!(pixel(0, 0).iter().all(|x| *x == pixel(0, 0)[0]));
    let near = pixel(1, 30).iter().zip([199.0, 30.0, 59.0]).all(|(x, y)| (x - y).abs() < 4.0);
    assert!(near, "{:?}", pixel(1, 30));
}

#[test]
fn what_is_wrong_is_said_of_all_images_at_once() {
    let said = |dir: &Path, items: &[&str]| read_features(dir, None, &table(items)).unwrap_err().to_string();
    let dir = grey();
    png(&dir.path().join("c.png"), 3, 1, png::ColorType::Grayscale, &[1, 2, 3]);
    png(&dir.path().join("d.png"), 1, 1, png::ColorType::Grayscale, &[1]);
    let e = said(dir.path(), &["a"]);
    assert!(e.contains("2 images not 1 x 2 pixels") && e.contains("`c.png` (1 x 3), `d.png` (1 x 1)"), "{e}");
    let dir = grey();
    std::fs::write(dir.path().join("e.png"), "<html>").unwrap();
    std::fs::write(dir.path().join("f.jpg"), &bytes(RED_JPEG)[..90]).unwrap();
    let e = said(dir.path(), &["a"]);
    assert!(e.contains("2 images cannot be read") && e.contains("`e.png`") && e.contains("`f.jpg`"), "{e}");
    let dir = grey();
    let e = said(dir.path(), &["a", "z"]);
    assert!(e.contains("no features for 1 of 2 items: `z`"), "{e}");
    let empty = tempdir().unwrap();
    assert!(said(empty.path(), &["a"]).contains("empty folder"));
}
