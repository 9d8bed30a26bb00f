//! Laws of all ordered pairs of formats: a shape means the same however it is typed, and `check` says what `repack` does.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

use bitstride_formats::{Definition, Format, Outcome, Repack, Spec, Verdict, Zoo};

/// The names of the zoo, each variant of a family as its own, with what they leave open besides extents.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for definition in Zoo::builtin().definitions().iter().filter(|own| own.refused.is_none()) {
        let own = definition.name.as_str();
        names.extend(match own {
            "onednn" => vec!["onednn:OIhw8i16o2i".to_owned(), "onednn:OIhw16i16o4i".to_owned()],
            _ if words(definition, "variant") => vec![format!("{own}:v1"), format!("{own}:v2")],
            "ct:pack" => vec!["ct:pack@0.19".to_owned(), "ct:pack@0.20".to_owned()],
            _ => vec![own.to_owned()],
        });
    }
    names
}

fn words(definition: &Definition, name: &str) -> bool {
    definition.parameters.iter().any(|own| own.name == name && own.default_text.is_none())
}

/// The axes that a shape of a format gives, in order.
fn axes(name: &str) -> Option<(usize, Vec<(String, String)>)> {
    let zoo = Zoo::builtin();
    let extents = ["512", "128", "64", "32"];
    (1..=4).find_map(|rank| {
        let spec = zoo.specs(&[name], Some(&extents[..rank].join(","))).ok()?;
        let before = Spec::read(name).unwrap().parameters.len();
        let given = spec[0].parameters[before..].iter().map(|(name, value)| (name.clone(), value.to_string()));
        Some((rank, given.collect()))
    })
}

#[test]
fn a_shape_is_the_same_with_and_without_names() {
    let (zoo, names) = (Zoo::builtin(), names());
    let mut compared = 0;
    for first in &names {
        let Some((rank, given)) = axes(first) else { continue };
        // A list of extents has as many as a tag says.
        let given: Vec<String> = given.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if rank == 1 {
            continue;
        }
        let positional = ["512", "128", "64", "32"][..rank].join(",");
        for second in &names {
            let by_name = zoo.specs(&[first, second], Some(&given.join(",")));
            let by_place = zoo.specs(&[first, second], Some(&positional));
            let (Ok(by_name), Ok(by_place)) = (by_name, by_place) else { continue };
            assert_eq!(by_name[0], by_place[0], "{first} {second}");
            // Formats of other axes take the extents by their own order, and then more than the names give.
            for own in &by_name[1].parameters {
                assert!(by_place[1].parameters.contains(own), "{first} {second}: {} {}", by_name[1], by_place[1]);
            }
            let own = Spec::read(second).unwrap();
            assert_eq!(by_place[1].name, own.name, "{first} {second}");
            let variant = |spec: &Spec| spec.parameters.iter().find(|own| own.0 == "variant").cloned();
            assert_eq!(variant(&by_place[1]), variant(&own), "{first} {second}");
            compared += 1;
        }
    }
    assert!(compared > 5000, "{compared}");
}

/// Two formats of one tensor, the second with what it leaves open from the first.
fn pair(first: &str, second: &str) -> Option<(Format, Format)> {
    let zoo = Zoo::builtin();
    let extents = "k=128,n=64,m=64,s=8,b=16,t=32,g=16,h=2,d=32,rows=8,experts=2";
    let known: Vec<&str> = extents
        .split(',')
        .filter(|part| {
            let name = part.split('=').next().unwrap();
            [first, second].iter().any(|own| {
                let definition = zoo.definition(&Spec::read(own).unwrap()).unwrap().0;
                definition.parameters.iter().any(|own| own.name == name && own.default_text.is_none())
            })
        })
        .collect();
    let specs = zoo.specs(&[first, second], Some(known.join(",")).as_deref().filter(|known| !known.is_empty()));
    let specs = specs.ok()?;
    zoo.pair(&specs[0], &specs[1]).ok()
}

fn noise(bytes: i64) -> Vec<u8> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u8::try_from(state >> 56).unwrap()
    };
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn what_check_says_is_what_repack_does() {
    let names = names();
    let (mut same, mut different, mut cures) = (0, 0, 0);
    for (row, first) in names.iter().enumerate() {
        for (column, second) in names.iter().enumerate() {
            // Each format is compared with those that it is confused with, and with a part of the others.
            let like = &Zoo::builtin().definition(&Spec::read(first).unwrap()).unwrap().0.confused;
            let is_like = like.iter().any(|own| second.starts_with(own.as_str()));
            if !is_like && (row + 3 * column) % 29 != 0 {
                continue;
            }
            let Some((from, to)) = pair(first, second) else { continue };
            let outcome = Outcome::new(from.clone(), to.clone(), &[]).unwrap();
            for finding in &outcome.findings {
                let fields = [finding.field.as_str()];
                let Ok(report) = &finding.report else { continue };
                if report.elements > 1 << 14 {
                    continue;
                }
                let repack = Repack::new(&from, &to, Some(&fields));
                assert_eq!(
                    repack.is_ok(),
                    report.same_kind,
                    "{} {} {fields:?}: {:?}",
                    from.name,
                    to.name,
                    repack.err()
                );
                let Ok(repack) = repack else { continue };
                let (source, target) = repack.tensors_of(0).unwrap();
                let (Some(source), Some(target)) = (source, target) else { continue };
                if report.verdict != Verdict::Same && report.differing == Some(0) {
                    continue;
                }
                let bytes = noise(from.tensors[source].bytes().unwrap());
                let sources: Vec<&[u8]> =
                    (0..from.tensors.len()).map(|at| if at == source { bytes.as_slice() } else { &[] }).collect();
                // A value outside of the domain of a step is refused.
                let Ok(made) = repack.run(&sources) else { continue };
                let length = bytes.len().min(made[target].len());
                // Whether the codes of the reader are at the same bits: other fields of a tensor are not moved here.
                let field = to.field(fields[0]).unwrap();
                let mut is_same = true;
                let shape = field.places.shape().unwrap();
                let mut point = vec![0; shape.len()];
                'all: loop {
                    for bit in 0..field.places.element_bits() {
                        let place = field.places.at(&point, bit).unwrap();
                        let byte = usize::try_from(place / 8).unwrap();
                        is_same &= byte < length && (bytes[byte] ^ made[target][byte]) >> (place % 8) & 1 == 0;
                    }
                    let mut axis = 0;
                    loop {
                        let Some(x) = point.get_mut(axis) else { break 'all };
                        *x += 1;
                        if *x < shape[axis] {
                            break;
                        }
                        *x = 0;
                        axis += 1;
                    }
                }
                assert_eq!(is_same, report.verdict == Verdict::Same, "{} {} {fields:?}", from.name, to.name);
                if is_same { same += 1 } else { different += 1 }
            }
            // A repack that is said to cure loses no field and leaves none unmade.
            let Some(cure) = outcome.cure() else { continue };
            if !cure.ends_with(" cures it") {
                continue;
            }
            let repack = Repack::new(&from, &to, None).unwrap();
            let has = |format: &Format, name: &str| format.fields.iter().any(|own| own.name == name);
            for name in from.fields.iter().chain(&to.fields).map(|own| own.name.as_str()) {
                let group = from.field(name).or(to.field(name)).unwrap().kind == "group";
                assert!(group || has(&from, name) && has(&to, name), "{cure}: {name}");
            }
            assert!(repack.fields() >= to.fields.len());
            cures += 1;
        }
    }
    assert!(same > 20 && different > 40 && cures > 20, "{same} {different} {cures}");
}

/// Of data that a format cannot hold with its bits, the reason is that, and not the usual bits.
#[test]
fn extents_that_a_format_cannot_hold_are_named() {
    let zoo = Zoo::builtin();
    let known = zoo.format("ct:pack@0.20,bits=3,n=40,k=64,group=32,symmetric=0").unwrap();
    let error = zoo.holding(&Spec::read("gptq:v2").unwrap(), &known).unwrap_err();
    assert_eq!(error.code().as_str(), "not-divisible", "{error}");
    assert!(error.message().contains("120"), "{error}");
    let known = zoo.format("ct:pack@0.20,bits=3,n=64,k=64,group=32,symmetric=0").unwrap();
    assert_eq!(zoo.holding(&Spec::read("gptq:v2").unwrap(), &known).unwrap().number("bits"), Some(3));
}
