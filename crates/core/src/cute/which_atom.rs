//! [`atoms_holding`]: the instructions of the catalogue of which a layout is an operand.
//!
//! Law: each line names an instruction whose layout has, at every thread and value, the element that the given one has there.

use super::atom::MmaAtom;
use super::catalogue::atom_families;
use super::coalesce::{coalesce, coalesce_by};
use super::copy_atom::CopyAtom;
use super::layout::Layout;
use crate::error::{Code, Error};
use crate::tuple::Tuple;

/// The instructions of which this is the thread-value layout of an operand, or of what a copy reads or writes: lines such as
/// `C of SM80_16x8x16_F32F16F16F32_TN`, one for each family of names.
///
/// Modes may be nested otherwise: threads and values are compared as numbers.
///
/// # Errors
/// [`Code::RankMismatch`] unless the layout has the modes (thread, value); what [`coalesce_by`] refuses.
///
/// ```
/// use bitstride::cute::atoms_holding;
/// let found = atoms_holding(&"((4,8),(2,2,2)):((32,1),(16,8,128))".parse()?)?;
/// assert!(found.contains(&"A of SM80_16x8x16_F32F16F16F32_TN".to_owned()));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn atoms_holding(layout: &Layout) -> Result<Vec<String>, Error> {
    if layout.rank() != 2 {
        return Err(error!(
            Code::RankMismatch,
            "what an instruction holds has the modes (thread, value); {layout} has another rank",
            [layout]
        ));
    }
    let profile = Tuple::flat(&[1_i64, 1]);
    let plain = |layout: &Layout| coalesce_by(layout, &profile);
    let (wanted, size) = (plain(layout)?, layout.size()?);
    let mut found = Vec::new();
    for family in atom_families() {
        let names = family.names();
        let mut held: Vec<(&str, Vec<usize>)> = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let parts = match CopyAtom::named(name) {
                Ok(copy) => vec![("Src", copy.source), ("Dst", copy.target)],
                Err(_) => {
                    let mma = MmaAtom::named(name)?;
                    vec![("A", mma.a), ("B", mma.b), ("C", mma.c)]
                }
            };
            for (part, layout) in parts {
                if layout.size()? != size || plain(&layout)? != wanted {
                    continue;
                }
                match held.iter_mut().find(|(known, _)| *known == part) {
                    Some((_, places)) => places.push(at),
                    None => held.push((part, vec![at])),
                }
            }
        }
        for (part, places) in held {
            found.push(match (places.as_slice(), family.numbers()) {
                ([only], _) => format!("{part} of {}", names.get(*only).map_or("", String::as_str)),
                (places, Some((letter, all))) if places.len() == all.len() => {
                    format!("{part} of {} for every {letter}", family.title())
                }
                (places, numbers) => {
                    let (letter, all) = numbers.unwrap_or_default();
                    let some: Vec<String> = places.iter().filter_map(|at| Some(all.get(*at)?.to_string())).collect();
                    format!("{part} of {} for {letter} = {}", family.title(), some.join(", "))
                }
            });
        }
    }
    Ok(found)
}

/// The names of the matrix instructions with these extents and layouts: of the threads, of A, of B and of C, by (thread, value). They
/// differ in the types of elements, or in where A is.
///
/// # Errors
/// What [`coalesce_by`] refuses.
///
/// ```
/// use bitstride::cute::{MmaAtom, mma_atoms_with};
/// let atom = MmaAtom::named("SM80_16x8x16_F32BF16BF16F32_TN")?;
/// let names = mma_atoms_with(atom.shape, &atom.threads, [&atom.a, &atom.b, &atom.c])?;
/// assert_eq!(names.first().map(String::as_str), Some("SM80_16x8x16_F16F16F16F16_TN"));
/// assert!(names.contains(&"SM80_16x8x16_F32BF16BF16F32_TN".to_owned()));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn mma_atoms_with(shape: [i64; 3], threads: &Layout, held: [&Layout; 3]) -> Result<Vec<String>, Error> {
    let profile = Tuple::flat(&[1_i64, 1]);
    let plain = |layout: &Layout| match layout.rank() {
        2 => coalesce_by(layout, &profile),
        _ => coalesce(layout),
    };
    let wanted = [plain(threads)?, plain(held[0])?, plain(held[1])?, plain(held[2])?];
    let mut found = Vec::new();
    for name in atom_families().iter().flat_map(super::AtomFamily::names) {
        let Ok(atom) = MmaAtom::named(&name) else { continue };
        if atom.shape != shape {
            continue;
        }
        let own = [&atom.threads, &atom.a, &atom.b, &atom.c];
        let mut is_same = true;
        for (own, wanted) in own.into_iter().zip(&wanted) {
            is_same = is_same && plain(own)? == *wanted;
        }
        if is_same {
            found.push(name);
        }
    }
    Ok(found)
}
