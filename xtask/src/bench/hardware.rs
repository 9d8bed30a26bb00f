//! The cases of the bench of what hardware does: an access to shared memory, a conversion between register layouts, and the search
//! for a swizzle.

use std::hint::black_box;

use bitstride::Error;
use bitstride::map::Map;
use bitstride::memory::{Conversion, LinearAccess, Matrices, Scratch, SharedMemory, SwizzleSearch, Transfer, Vectors};
use bitstride::triton::Encoding;
use bitstride_lang::evaluate;

use super::peer::{Peer, measured, python};
use super::suite::{Case, Suite};

pub(super) const SUITE: Suite = Suite { name: "hardware", cases, peers };

/// Python packages: the first counts conflicts of one warp, the second has the map of a conversion. No package has a plan, or
/// searches for a swizzle.
fn peers() -> Vec<Peer> {
    ["tensor-layouts", "triton"]
        .into_iter()
        .filter_map(|name| measured(name, &mut python("hardware.py", &[name])))
        .collect()
}

/// 128 rows of 64 halves.
const TILE: &str = "(128,64):(64,1)";
/// A block of four warps that stores it, 16 bytes a lane.
const WRITE: &str = "((8,16),(8,8)):((1024,1),(128,16))";
/// The rows of a matrix.
const LDMATRIX: &str = "(8,8):(1,128)";
const SWIZZLED: &str = "Sw<3,3,3> o (128,64):(64,1)";
const MACHINE: SharedMemory = SharedMemory::NVIDIA;

fn cases() -> Result<Vec<Case>, Error> {
    let map = |text: &str| evaluate(text)?.value.as_map();
    let (tile, swizzled, write, rows) = (map(TILE)?, map(SWIZZLED)?, map(WRITE)?, map(LDMATRIX)?);
    let column = (map("32:1")?, Transfer::Load);
    let two = [(write.clone(), Transfer::Store), (rows, Transfer::LoadMatrix)];
    let three = [two[0].clone(), two[1].clone(), column];
    let of = |text: &str| text.parse::<Encoding>()?.to_linear(&[128, 64]);
    let blocked =
        of("#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>")?;
    let columns =
        of("#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>")?;
    let search = |name, operands, tile: &Map, accesses: &[(Map, Transfer)]| {
        let (tile, accesses) = (tile.clone(), accesses.to_vec());
        Case::new(name, operands, move || {
            let search = SwizzleSearch::new(MACHINE, black_box(&tile), 16, &accesses, 16)?;
            search.swizzle()
        })
    };
    let (matrix, rotated, lanes) = (map("(64,64):(64,1)")?, map("Sw<3,3,3> o (64,64):(64,1)")?, map("32:1")?);
    let column_of = |name, operands, memory: Map| {
        let lanes = lanes.clone();
        Case::new(name, operands, move || {
            let access = LinearAccess::of(&MACHINE, black_box(&memory), &lanes, 16, Transfer::Load);
            access.map(|access| access.and_then(|access| access.cost(&MACHINE, |offset| offset)))
        })
    };
    let (source, target) = (blocked.clone(), columns.clone());
    let (from, to) = (blocked.clone(), columns.clone());
    let (plain, all) = (tile.clone(), three.to_vec());
    Ok(vec![
        column_of("access_column", "32 lanes read a column of 64x64 halves: 32 wavefronts", matrix),
        column_of("access_swizzled", "the same, swizzled: 4", rotated),
        Case::new("access", "4 warps store 128x64 halves, swizzled: 256 wavefronts", move || {
            let access = LinearAccess::of(&MACHINE, black_box(&swizzled), &write, 16, Transfer::Store);
            access.map(|access| access.and_then(|access| access.cost(&MACHINE, |offset| offset)))
        }),
        Case::new(
            "conversion_map",
            "blocked to blocked, 128x64: where each place of the target comes from",
            move || black_box(&to).invert_and_compose(black_box(&from)),
        ),
        Case::new("plan", "blocked to blocked, 128x64 of 16 bits, shared memory", move || {
            Conversion::new(black_box(&blocked), black_box(&columns), 16, Matrices::of_capability(90))
        }),
        Case::new("optimal_swizzle", "the same by plain loads and stores", move || {
            Scratch::optimal(black_box(&source), black_box(&target), 16, 32)
        }),
        search("swizzle_2", "all Sw<B,M,S> of 13 bits, for a store and ldmatrix", &tile, &two),
        search("swizzle_3", "all Sw<B,M,S> of 13 bits, for these and a column", &tile, &three),
        Case::new("bit_map_3", "all subspaces of rows of banks, for the same three", move || {
            SwizzleSearch::new(MACHINE, black_box(&plain), 16, &all, 16)?.bit_map(Vectors::InOrder)
        }),
    ])
}
