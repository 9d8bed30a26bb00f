//! Matrix instructions by name, known ones and their neighbours: threads together hold every element of A, B and C equally often.

use bitstride::Code;
use bitstride::cute::{MmaAtom, atom_families};
use bitstride_oracle::laws;
use bitstride_oracle::reference::Layout;

use super::super::Case;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::{parsed, said};

pub(super) fn draw(source: &mut Source) -> Case {
    let families = atom_families();
    let at = source.count(0, families.len().saturating_sub(1));
    let names = families.get(at).map_or_else(Vec::new, |family| family.names());
    let Some(name) = names.get(source.count(0, names.len().saturating_sub(1))).cloned() else { return Case::none() };
    let is_whole = !source.once_in(3);
    let name = if is_whole { name } else { changed(source, &name) };
    let operand = source.of(&["A", "B", "C"]);
    let text = format!("atom({name}, {operand})");
    Case::new(text.clone(), move || judged(&text, &name, operand, is_whole))
}

/// A name with one number changed.
fn changed(source: &mut Source, name: &str) -> String {
    let starts: Vec<usize> = name
        .char_indices()
        .filter(|(at, c)| c.is_ascii_digit() && !name[..*at].ends_with(|before: char| before.is_ascii_digit()))
        .map(|(at, _)| at)
        .collect();
    let Some(start) = starts.get(source.count(0, starts.len().saturating_sub(1))).copied() else {
        return name.to_owned();
    };
    let rest = &name[start..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = source.of(&["8", "16", "0", "4", "32", "64", "1", "128", "3", "256", "65536", "9223372036854775807"]);
    format!("{}{number}{}", &name[..start], &rest[end..])
}

fn judged(text: &str, name: &str, operand: &str, is_whole: bool) -> Outcome {
    let atom = match MmaAtom::named(name) {
        Ok(atom) => atom,
        Err(error) if is_whole && said(&format!("atom({name}, Src)")).is_err() => {
            return Outcome::FalselyRefused(format!("{error}; but the catalogue has it"));
        }
        Err(_) => return Outcome::Refused,
    };
    let value = match said(text) {
        Ok(value) => value,
        Err(error) if error.code() == Code::UnknownName && !is_whole => return Outcome::Refused,
        Err(error) => return Outcome::of_known(&error, Some("the atom has this operand".to_owned())),
    };
    let Some(layout) = parsed::<Layout>(&value.to_string()) else {
        return Outcome::Wrong(format!("{value} is no layout"));
    };
    let [m, n, k] = atom.shape;
    let size = match operand {
        "A" => m * k,
        "B" => n * k,
        _ => m * n,
    };
    let modes = layout.modes();
    let sides: Option<Vec<Vec<i64>>> = modes.iter().map(|mode| mode.int_values().ok()).collect();
    let Some([threads, values]) = sides.as_deref() else {
        return Outcome::Unjudged(format!("{value} is not of threads and values"));
    };
    let held: Vec<Vec<i64>> =
        threads.iter().map(|thread| values.iter().map(|value| thread + value).collect()).collect();
    Outcome::of_answer(laws::covers_evenly(usize::try_from(size).unwrap_or(0), &held))
}
