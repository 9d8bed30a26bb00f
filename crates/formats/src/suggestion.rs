//! [`meant`]: what a name that no format has probably means.
//!
//! The first of these that finds something is the answer: the same name in other letters; a type of GGUF that is no block; variants of the
//! family that begin so; formats with this family or variant, or one that the name continues (`Q4_K_M`); a near variant of the
//! family; the variants of the family; formats whose programs have the name; a near name.
//!
//! Law: every format that is named is one of those that are given.

use bitstride::names::did_you_mean;

use crate::definition::Definition;
use crate::gguf;

/// The most formats that are named.
const MAX_NAMED: usize = 12;

/// The fewest letters of a name that is looked for among programs.
const MIN_PROGRAM_LETTERS: usize = 3;

/// A help for a name that none of the formats has.
pub(crate) fn meant(name: &str, definitions: &[Definition]) -> String {
    const LIST: &str = "`bitstride formats` lists the formats";
    let names = || definitions.iter().map(|own| own.name.as_str());
    if let Some(own) = names().find(|own| own.eq_ignore_ascii_case(name)) {
        return format!("is {own} meant?");
    }
    let (family, variant) = name.split_once(':').unwrap_or(("", name));
    if family == "gguf"
        && let Some(bits) = gguf::plain_bits(variant)
    {
        return format!("{variant} is a type of numbers, not of blocks; dense:row,bits={bits} has them row by row");
    }
    let parts = |own: &str| own.split(':').map(str::to_ascii_lowercase).collect::<Vec<_>>();
    let word = variant.to_ascii_lowercase();
    let in_family = |own: &&str| own.split(':').next().is_some_and(|own| own.eq_ignore_ascii_case(family));
    let of_family: Vec<&str> = names().filter(in_family).collect();
    let begins =
        |own: &&&str| own.split_once(':').is_some_and(|(_, part)| part.to_ascii_lowercase().starts_with(&word));
    let begun: Vec<&str> = of_family.iter().filter(begins).copied().collect();
    if !word.is_empty() && !begun.is_empty() {
        return one_of(&begun);
    }
    let of_this_name: Vec<&str> = names().filter(|own| parts(own).contains(&word)).collect();
    if !of_this_name.is_empty() {
        return one_of(&of_this_name);
    }
    let is_continued = |own: &&str| {
        own.split_once(':').is_some_and(|(_, part)| {
            word.strip_prefix(&part.to_ascii_lowercase()).is_some_and(|rest| rest.starts_with(['_', '-', '.']))
        })
    };
    let continued: Vec<&str> = names().filter(is_continued).collect();
    if !continued.is_empty() {
        return one_of(&continued);
    }
    if !of_family.is_empty() {
        let variants = of_family.iter().filter_map(|own| Some(own.split_once(':')?.1));
        return match did_you_mean(variant, variants) {
            Some(near) => format!("is {family}:{near} meant?"),
            None => format!("the family has {}", of_family.join(", ")),
        };
    }
    let asked = name.to_ascii_lowercase();
    let is_of_program = |own: &&Definition| {
        let texts = [&own.writers, &own.readers, &own.about];
        texts.into_iter().any(|text| text.to_ascii_lowercase().contains(&asked))
    };
    let of_program: Vec<&str> = definitions.iter().filter(is_of_program).map(|own| own.name.as_str()).collect();
    if name.len() >= MIN_PROGRAM_LETTERS && !of_program.is_empty() {
        let more = if of_program.len() > MAX_NAMED { ", …" } else { "" };
        let named: Vec<&str> = of_program.into_iter().take(MAX_NAMED).collect();
        return format!("{name} stands in the descriptions of {}{more}", named.join(", "));
    }
    did_you_mean(name, names()).map_or_else(|| LIST.to_owned(), |near| format!("is {near} meant?"))
}

fn one_of(names: &[&str]) -> String {
    match names {
        [only] => format!("is {only} meant?"),
        several => format!("is one of {} meant?", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::meant;
    use crate::zoo::Zoo;

    #[test]
    fn wrong_names_lead_to_formats() {
        for (name, wanted) in [
            ("mxfp4", "is one of ct:mxfp4, marlin:mxfp4, gguf:mxfp4, ggml:mxfp4, hf:mxfp4, mlx:mxfp4 meant?"),
            ("hf:mxfp8", "is mlx:mxfp8 meant?"),
            ("GPTQ", "is gptq meant?"),
            ("gguf:Q4_K", "is gguf:q4_K meant?"),
            ("Q4_K_M", "is one of gguf:q4_K, ggml:q4_K meant?"),
            ("gguf:q4_0_4_4", "is one of gguf:q4_0, ggml:q4_0 meant?"),
            ("gguf:f32", "f32 is a type of numbers, not of blocks; dense:row,bits=32 has them row by row"),
            ("gguf:bf16", "bf16 is a type of numbers, not of blocks; dense:row,bits=16 has them row by row"),
            ("awq:gem", "is one of awq:gemm, awq:gemv, awq:gemvfast meant?"),
            ("awq:gmm", "is awq:gemm meant?"),
            ("torch:int4", "is one of torch:int4pack, torch:int4tiles meant?"),
            ("awq", "is one of awq:gemm, awq:gemv, awq:gemvfast meant?"),
            ("marlin:v2", "the family has marlin, marlin:mxfp4, marlin:24"),
            ("awk:gemm", "is awq:gemm meant?"),
            ("bitsandbytes", "bitsandbytes stands in the descriptions of bnb:nf4, bnb:fp4, bnb:cpu"),
            ("gptqq", "is gptq meant?"),
            ("nothing at all", "`bitstride formats` lists the formats"),
            ("", "`bitstride formats` lists the formats"),
        ] {
            assert_eq!(meant(name, Zoo::builtin().definitions()), wanted, "{name}");
        }
    }
}
