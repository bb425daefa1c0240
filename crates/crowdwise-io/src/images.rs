//! A folder of images as rows of numbers: PNG and JPEG, all of one size, each called by its file name.

use crate::collect::{brief, count};
use crate::features::Loaded;
use crate::npy::Matrix;
use crate::source::unreadable;
use crowdwise_core::{Error, Names, Table, memory};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

/// Files that are named in an error.
const SHOWN: usize = 5;

/// Pixels of one image, 0 to 255; the channel runs fastest: one (grey) or three (red, green, blue).
struct Picture {
    height: usize,
    width: usize,
    channels: usize,
    pixels: Vec<u8>,
}

/// Reads all images below a folder, in the order of their names. Grey ones among coloured ones are made coloured.
pub(crate) fn load_folder(folder: &Path) -> Result<Loaded, Error> {
    let shown = folder.display().to_string();
    let mut files = Vec::new();
    let mut others = 0u64;
    walk(folder, &mut files, &mut others).map_err(|e| unreadable(&shown, &e))?;
    files.sort();
    if files.is_empty() {
        let what = if others == 0 { "is an empty folder" } else { "is a folder without PNG or JPEG images" };
        return Err(Error::NoData { file: shown, what: what.into(), hint: None });
    }
    let taken = AtomicU64::new(0);
    let read: Vec<Result<Picture, String>> = files.par_iter().map(|f| picture(f, &taken)).collect();
    let names: Vec<String> = files.iter().map(|f| called(folder, f)).collect();
    let broken: Vec<String> = read
        .iter()
        .zip(&names)
        .filter_map(|(p, name)| p.as_ref().err().map(|why| format!("`{}`: {why}", brief(name))))
        .collect();
    if !broken.is_empty() {
        return Err(Error::BadData {
            file: shown,
            what: format!("{} cannot be read: {}", count(broken.len() as u64, "image"), listed(&broken)),
            hint: Some("save them again as PNG or JPEG, or take them out of the folder".into()),
        });
    }
    let pictures: Vec<Picture> = read.into_iter().filter_map(Result::ok).collect();
    let [height, width] = one_size(&pictures, &names, &shown)?;
    let channels = pictures.iter().map(|p| p.channels).max().unwrap_or(1);
    let columns = height * width * channels;
    let mut values = vec![0f32; pictures.len() * columns];
    values.par_chunks_mut(columns).zip(&pictures).for_each(|(row, p)| {
        let repeat = channels / p.channels;
        for (to, &x) in row.chunks_exact_mut(repeat).zip(&p.pixels) {
            to.fill(f32::from(x));
        }
    });
    let kind = if channels == 1 { "grey" } else { "coloured" };
    let mut notes = vec![format!("{} of {height} x {width} pixels, {kind}", count(pictures.len() as u64, "image"))];
    if others > 0 {
        notes.push(format!("{} left out: PNG and JPEG images are read", count(others, "other file")));
    }
    let matrix = Matrix { rows: pictures.len(), columns, values, image: Some([height, width, channels]) };
    Ok(Loaded { matrix, items: Some(names), columns: None, notes })
}

/// Items of a table may be called like the files below the folder, or without the ending, the folders, or both: the form that
/// most items know.
pub(crate) fn as_items(names: Vec<String>, table: &Table) -> Vec<String> {
    let mut known: Names = table.items().clone();
    known.thaw();
    let file = |n: &str| n.rsplit('/').next().unwrap_or(n).to_owned();
    let stem = |n: &str| n.rsplit_once('.').map_or(n, |(stem, _)| stem).to_owned();
    let forms = [
        names.iter().map(|n| stem(n)).collect(),
        names.iter().map(|n| file(n)).collect(),
        names.iter().map(|n| stem(&file(n))).collect(),
        names,
    ];
    let met = |form: &Vec<String>| form.iter().filter(|n| known.get(n).is_some()).count();
    // of equals the last, which is the whole name
    forms.into_iter().max_by_key(met).unwrap_or_default()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>, others: &mut u64) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            walk(&path, files, others)?;
        } else if is_image(&path) {
            files.push(path);
        } else {
            *others += 1;
        }
    }
    Ok(())
}

fn is_image(path: &Path) -> bool {
    let end = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    matches!(end.as_deref(), Some("png" | "jpg" | "jpeg"))
}

/// The path below the folder, with `/` on every system.
fn called(folder: &Path, file: &Path) -> String {
    let below = file.strip_prefix(folder).unwrap_or(file);
    below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Room for an image of so many pixels beside those before it: a byte and a number of four for each.
fn room(pixels: usize, taken: &AtomicU64) -> Result<(), String> {
    let own = (pixels as u64).saturating_mul(5);
    let all = taken.fetch_add(own, Ordering::Relaxed).saturating_add(own);
    memory::check(Some(all), || "this image beside the others".into()).map_err(|e| e.to_string())
}

fn picture(file: &Path, taken: &AtomicU64) -> Result<Picture, String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    // by what is in it, whatever it is called
    if bytes.starts_with(b"\x89PNG") {
        png_picture(&bytes, taken)
    } else if bytes.starts_with(b"\xff\xd8") {
        jpeg_picture(&bytes, taken)
    } else if bytes.is_empty() {
        Err("it is empty".into())
    } else {
        Err("it is neither PNG nor JPEG, despite its name".into())
    }
}

fn png_picture(bytes: &[u8], taken: &AtomicU64) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // palettes and few bits become eight bits a channel, sixteen too
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = reader.output_buffer_size().ok_or("it has more pixels than fit into memory")?;
    room(size, taken)?;
    let mut buffer = vec![0; size];
    let frame = reader.next_frame(&mut buffer).map_err(|e| e.to_string())?;
    buffer.truncate(frame.buffer_size());
    let given = frame.color_type.samples();
    // what is transparent is dropped: grey + alpha, colours + alpha
    let channels = if given >= 3 { 3 } else { 1 };
    let pixels = if given == channels {
        buffer
    } else {
        buffer.chunks_exact(given).flat_map(|p| p[..channels].iter().copied()).collect()
    };
    Ok(Picture { height: frame.height as usize, width: frame.width as usize, channels, pixels })
}

fn jpeg_picture(bytes: &[u8], taken: &AtomicU64) -> Result<Picture, String> {
    let mut decoder = JpegDecoder::new(ZCursor::new(bytes));
    decoder.decode_headers().map_err(|e| e.to_string())?;
    let grey = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let channels = if grey { 1 } else { 3 };
    let wanted = if grey { ColorSpace::Luma } else { ColorSpace::RGB };
    let (width, height) = decoder.dimensions().unwrap_or_default();
    room(width.saturating_mul(height).saturating_mul(channels), taken)?;
    let options = DecoderOptions::default().jpeg_set_out_colorspace(wanted);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let pixels = decoder.decode().map_err(|e| e.to_string())?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    Ok(Picture { height, width, channels, pixels })
}

/// The size that all have, or an error that names those which have another than most.
fn one_size(pictures: &[Picture], names: &[String], folder: &str) -> Result<[usize; 2], Error> {
    let mut sizes: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    pictures.iter().for_each(|p| *sizes.entry([p.height, p.width]).or_default() += 1);
    let [height, width] = sizes.iter().max_by_key(|(_, n)| **n).map_or([0, 0], |(size, _)| *size);
    if sizes.len() <= 1 {
        return Ok([height, width]);
    }
    let odd: Vec<String> = (pictures.iter().zip(names))
        .filter(|(p, _)| [p.height, p.width] != [height, width])
        .map(|(p, name)| format!("`{}` ({} x {})", brief(name), p.height, p.width))
        .collect();
    Err(Error::BadData {
        file: folder.into(),
        what: format!(
            "{} not {height} x {width} pixels as most are: {}",
            count(odd.len() as u64, "image"),
            listed(&odd)
        ),
        hint: Some("bring all images to one size first: a network has one number of inputs".into()),
    })
}

fn listed(all: &[String]) -> String {
    let more = if all.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", all[..all.len().min(SHOWN)].join(", "))
}
