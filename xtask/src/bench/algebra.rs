//! The cases of the algebra bench: the operands of the peers' published measurements.

use std::hint::black_box;

use bitstride::cute::{self, Tiler};
use bitstride::{Error, Layout, StaticLayout, Tuple};

use super::peer::{Peer, measured, python};
use super::suite::{Case, Suite};

/// CuTe's operations beside pycute, tensor-layouts and cutegen.
pub(super) const SUITE: Suite = Suite { name: "algebra", cases, peers };

fn cases() -> Result<Vec<Case>, Error> {
    let a2: StaticLayout = "(10,2):(16,4)".parse()?;
    let b2: StaticLayout = "(5,4):(1,5)".parse()?;
    let a4: StaticLayout = "(4,2,3,8):(2,1,8,24)".parse()?;
    let b3: StaticLayout = "(4,6,2):(1,4,24)".parse()?;
    let gaps2: StaticLayout = "(2,4):(1,6)".parse()?;
    let gaps4: StaticLayout = "(2,4,3,2):(1,6,24,144)".parse()?;
    let nested: StaticLayout = "(2,(1,6),(4,2)):(1,(6,2),(12,48))".parse()?;
    let three: StaticLayout = "(4,2,3):(2,1,8)".parse()?;
    let four_by_two: Tiler<i64, i64> = Tiler::Layout("4:2".parse()?);
    let wide: StaticLayout = "(9,(4,8)):(59,(13,1))".parse()?;
    let tiles: Tiler<i64, i64> =
        Tiler::Modes(vec![Tiler::Layout("3:3".parse()?), Tiler::Layout("(2,4):(1,8)".parse()?)]);
    let square: StaticLayout = "(2,2):(4,1)".parse()?;
    let repeat: Tiler<i64, i64> = Tiler::Layout("(4,2):(2,1)".parse()?);
    let plain: StaticLayout = "(2048,2048):(1,2048)".parse()?;
    let split: StaticLayout = "((32,64),(64,32)):((1,32),(2048,131072))".parse()?;
    let general_a: Layout = "(10,2):(16,4)".parse()?;
    let general_b: Layout = "(5,4):(1,5)".parse()?;
    let beyond: (Tuple<i64>, Tuple<i64>) = (Tuple::leaf(24), Tuple::leaf(576));
    let divided = three.clone();
    let inverted = three.clone();
    Ok(vec![
        Case::new("composition_2x2", "(10,2):(16,4) o (5,4):(1,5)", move || cute::composition(&a2, &b2)),
        Case::new("composition_4x3", "(4,2,3,8):(2,1,8,24) o (4,6,2):(1,4,24)", move || cute::composition(&a4, &b3)),
        Case::new("complement_2", "complement((2,4):(1,6), 24)", move || cute::complement(&gaps2, &beyond.0)),
        Case::new("complement_4", "complement((2,4,3,2):(1,6,24,144), 576)", move || {
            cute::complement(&gaps4, &beyond.1)
        }),
        Case::new("coalesce", "(2,(1,6),(4,2)):(1,(6,2),(12,48))", move || cute::coalesce(&nested)),
        Case::new("logical_divide", "(4,2,3):(2,1,8) by 4:2", move || cute::logical_divide(&divided, &four_by_two)),
        Case::new("zipped_divide", "(9,(4,8)):(59,(13,1)) by <3:3, (2,4):(1,8)>", move || {
            cute::zipped_divide(&wide, &tiles)
        }),
        Case::new("logical_product", "(2,2):(4,1) by (4,2):(2,1)", move || cute::logical_product(&square, &repeat)),
        Case::new("right_inverse", "(4,2,3):(2,1,8)", move || cute::right_inverse(&inverted)),
        Case::new("evaluate", "(4,2,3):(2,1,8) at 17", move || three.offset(&black_box(17))),
        Case::new("equality_2048", "(2048,2048):(1,2048) = ((32,64),(64,32)):((1,32),(2048,131072))", move || {
            cute::same_function(&plain, &split)
        }),
        Case::new("composition_2x2_general", "the first case on leaves that may be dynamic", move || {
            cute::composition(&general_a, &general_b)
        }),
    ])
}

/// The two Python packages come with a script (`pip install --no-deps nvidia-cutlass tensor-layouts`); cutegen, the C++
/// algebra inside the public CUTLASS repository, is built outside this tree, and `BITSTRIDE_CUTEGEN` names the program.
fn peers() -> Vec<Peer> {
    let mut peers = Vec::new();
    for name in ["pycute", "tensor_layouts"] {
        peers.extend(measured(name, &mut python("algebra.py", &[name])));
    }
    match std::env::var("BITSTRIDE_CUTEGEN") {
        Ok(program) => peers.extend(measured("cutegen", &mut std::process::Command::new(program))),
        Err(_) => eprintln!("skipped cutegen: BITSTRIDE_CUTEGEN names no program"),
    }
    peers
}
