//! The cases of the linear bench: 14-bit layouts and the usual encodings, beside the Triton wheel.

use std::hint::black_box;

use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};
use bitstride::triton::Encoding;

use super::peer::{Peer, measured, python};
use super::suite::{Case, Suite};

/// The operations and encodings beside Triton's own, through its Python binding.
pub(super) const SUITE: Suite = Suite { name: "linear", cases, peers };

fn cases() -> Result<Vec<Case>, Error> {
    let tensor = [(Name::dim(0), 128), (Name::dim(1), 128)];
    let source = LinearLayout::from_bases(
        &[
            (Name::REGISTER, bases(&[[0, 1], [0, 2], [0, 4], [0, 64], [32, 0]])),
            (Name::LANE, bases(&[[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]])),
            (Name::WARP, bases(&[[4, 0], [8, 0]])),
            (Name::BLOCK, bases(&[[16, 0], [64, 0]])),
        ],
        &tensor,
    )?;
    let columns = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]];
    let rows = [[1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]];
    let swizzled = LinearLayout::from_bases(&[(Name::OFFSET, bases(&[columns, rows].concat()))], &tensor)?;
    let row_major: Vec<Vec<i64>> = (7..14).map(|bit| vec![1 << bit]).collect();
    let within_row: Vec<Vec<i64>> = (0..7).map(|bit| vec![1 << bit]).collect();
    let flat =
        LinearLayout::from_bases(&[(Name::dim(0), row_major), (Name::dim(1), within_row)], &[(Name::OFFSET, 16384)])?;
    let minor = LinearLayout::from_bases(
        &[
            (Name::REGISTER, bases(&[[0, 1], [0, 2], [0, 4]])),
            (Name::LANE, bases(&[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]])),
        ],
        &[(Name::dim(0), 32), (Name::dim(1), 8)],
    )?;
    let major = LinearLayout::from_bases(
        &[(Name::REGISTER, bases(&[[0, 1], [0, 2]])), (Name::WARP, bases(&[[1, 0], [2, 0]]))],
        &[(Name::dim(0), 4), (Name::dim(1), 4)],
    )?;
    let whole = minor.product(&major)?;
    let (divisor, from, to) = (minor.clone(), source.clone(), swizzled.clone());
    let encoding = |name, operands, text: &str, shape: [i64; 2]| {
        let encoding: Encoding = text.parse()?;
        Ok::<Case, Error>(Case::new(name, operands, move || encoding.to_linear(black_box(&shape))))
    };
    Ok(vec![
        Case::new("product", "8 bits * 4 bits", move || black_box(&minor).product(black_box(&major))),
        Case::new("compose", "14 bits: registers to offsets", move || black_box(&source).compose(black_box(&flat))),
        Case::new("invert", "14 bits, swizzled", move || black_box(&swizzled).invert()),
        Case::new("invert_and_compose", "14 bits: registers to swizzled offsets", move || {
            black_box(&from).invert_and_compose(black_box(&to))
        }),
        Case::new("divide_left", "12 bits by 8 bits", move || black_box(&whole).divide_left(black_box(&divisor))),
        encoding(
            "blocked",
            "sizePerThread [1,8], threadsPerWarp [4,8], warpsPerCTA [4,1] on 128x128",
            "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>",
            [128, 128],
        )?,
        encoding("mma_v2", "warpsPerCTA [2,2], instrShape [16,8] on 128x128", MMA, [128, 128])?,
        encoding(
            "dot_operand",
            "operand A of that, kWidth 2, on 128x64",
            &format!("#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 2}}>"),
            [128, 64],
        )?,
        encoding(
            "nvmma_shared",
            "128-byte swizzle, 16-bit elements, 128x64",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
            [128, 64],
        )?,
    ])
}

const MMA: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";

fn bases(rows: &[[i64; 2]]) -> Vec<Vec<i64>> {
    rows.iter().map(|row| row.to_vec()).collect()
}

/// `pip install triton`; its build has assertions on.
fn peers() -> Vec<Peer> {
    measured("triton", &mut python("linear.py", &[])).into_iter().collect()
}
