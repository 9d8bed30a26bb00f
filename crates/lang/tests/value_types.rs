//! Every public value is owned and can be compared, hashed, cloned and sent to another thread.
//!
//! The compiler checks each type of the list; a test checks that the list has every public type of the sources.

use std::collections::BTreeSet;
use std::fs;
use std::hash::Hash;
use std::path::Path;

/// What the compiler checks of a type.
trait IsValue: Eq + Hash + Clone + Send + Sync + std::fmt::Debug + 'static {}
impl<T: Eq + Hash + Clone + Send + Sync + std::fmt::Debug + 'static> IsValue for T {}

macro_rules! values {
    ($($type:ty,)*) => {
        const fn is_value<T: IsValue>() {}
        const _: () = { $(is_value::<$type>();)* };
        const LISTED: &[&str] = &[$(stringify!($type)),*];
    };
}

values![
    bitstride::AnyLayout,
    bitstride::Class,
    bitstride::Code,
    bitstride::Error,
    bitstride::Fact,
    bitstride::Int,
    bitstride::Profile,
    bitstride::Refusal,
    bitstride::Small<i64, 8>,
    bitstride::Stride,
    bitstride::Symbol,
    bitstride::Tuple<i64>,
    bitstride::Witness,
    bitstride::cute::AtomFamily,
    bitstride::cute::ByteSwizzle,
    bitstride::cute::ChainLink<bitstride::Int>,
    bitstride::cute::CoalesceStep<bitstride::Int>,
    bitstride::cute::ComplementStep<bitstride::Int>,
    bitstride::cute::Composed,
    bitstride::cute::CopyAtom,
    bitstride::cute::Function,
    bitstride::cute::Layout,
    bitstride::cute::MmaAtom,
    bitstride::cute::Offset<bitstride::Int, bitstride::Stride>,
    bitstride::cute::Operand,
    bitstride::cute::RecastStep<bitstride::Int>,
    bitstride::cute::Side,
    bitstride::cute::StaticLayout,
    bitstride::cute::Swizzle,
    bitstride::cute::TiledCopy,
    bitstride::cute::TiledMma,
    bitstride::cute::Tiler,
    bitstride::cute::TilingStep,
    bitstride::cute::UndoStep<bitstride::Int>,
    bitstride::cute::WalkStep<bitstride::Int, bitstride::Stride>,
    bitstride::linear::Bruhat,
    bitstride::linear::ColumnAction,
    bitstride::linear::Dim,
    bitstride::linear::Division,
    bitstride::linear::Elimination,
    bitstride::linear::LinearLayout,
    bitstride::linear::Name,
    bitstride::linear::Places,
    bitstride::linear::Reduction,
    bitstride::map::Affine,
    bitstride::map::AffineExpr,
    bitstride::map::Axis,
    bitstride::map::Break,
    bitstride::map::Certificate,
    bitstride::map::Comparison,
    bitstride::map::Contiguity,
    bitstride::map::Cycles,
    bitstride::map::Difference,
    bitstride::map::Differences,
    bitstride::map::Digit,
    bitstride::map::Direction,
    bitstride::map::Expression,
    bitstride::map::OffsetExpression,
    bitstride::map::Offsets,
    bitstride::map::Family,
    bitstride::map::Fit,
    bitstride::map::Form,
    bitstride::map::Image,
    bitstride::map::Injectivity,
    bitstride::map::Map,
    bitstride::map::Mismatch,
    bitstride::map::Mixed,
    bitstride::map::MixedLeaf,
    bitstride::map::Order,
    bitstride::map::Padded,
    bitstride::map::Stage,
    bitstride::map::Table,
    bitstride::map::Unit,
    bitstride::map::Verdict,
    bitstride::memory::Accesses,
    bitstride::memory::Alternative,
    bitstride::memory::BitMap,
    bitstride::memory::Collision,
    bitstride::memory::Conversion,
    bitstride::memory::CoordinateStep,
    bitstride::memory::Cost,
    bitstride::memory::Descriptor,
    bitstride::memory::DescriptorStep,
    bitstride::memory::Fill,
    bitstride::memory::Found<bitstride::cute::Swizzle>,
    bitstride::memory::Generation,
    bitstride::memory::InstructionDescriptor,
    bitstride::memory::Interleave,
    bitstride::memory::LaneExchange,
    bitstride::memory::LaneTile,
    bitstride::memory::LinearAccess,
    bitstride::memory::Major,
    bitstride::memory::Matrices,
    bitstride::memory::MmaKind,
    bitstride::memory::MoveCost,
    bitstride::memory::Options,
    bitstride::memory::Padding,
    bitstride::memory::Passes,
    bitstride::memory::Phase,
    bitstride::memory::Rotating,
    bitstride::memory::Vectors,
    bitstride::memory::Scratch,
    bitstride::memory::SharedMemory,
    bitstride::memory::SwizzleMode,
    bitstride::memory::SwizzleSearch,
    bitstride::memory::TensorMap,
    bitstride::memory::TmaCopy,
    bitstride::memory::Transfer,
    bitstride::memory::WarpShuffles,
    bitstride::memory::Way,
    bitstride::notation::Argument,
    bitstride::notation::Attribute,
    bitstride::notation::Basis,
    bitstride::notation::Datum,
    bitstride::notation::DatumKind,
    bitstride::notation::Dialect,
    bitstride::notation::Expr,
    bitstride::notation::ExprKind,
    bitstride::notation::Ints,
    bitstride::notation::LinearText,
    bitstride::notation::Name,
    bitstride::notation::Pattern,
    bitstride::notation::Reading,
    bitstride::notation::ShapedKind,
    bitstride::notation::ShapedType,
    bitstride::notation::Span,
    bitstride::notation::Steps,
    bitstride::notation::SyntaxError,
    bitstride::notation::XlaText,
    bitstride::sharding::Comparison,
    bitstride::sharding::Digits,
    bitstride::sharding::DimRule,
    bitstride::sharding::ElementDifference,
    bitstride::sharding::Evidence,
    bitstride::sharding::Exchange,
    bitstride::sharding::Flat,
    bitstride::sharding::FlatPiece,
    bitstride::sharding::Group,
    bitstride::sharding::Groups,
    bitstride::sharding::HloKind,
    bitstride::sharding::HloSharding,
    bitstride::sharding::HloText,
    bitstride::sharding::IndexDigit,
    bitstride::sharding::Indices,
    bitstride::sharding::Mesh,
    bitstride::sharding::MeshAxis,
    bitstride::sharding::MovedDigit,
    bitstride::sharding::Movement,
    bitstride::sharding::Moves,
    bitstride::sharding::Notation,
    bitstride::sharding::Order,
    bitstride::sharding::OtherDigit,
    bitstride::sharding::Part,
    bitstride::sharding::Piece,
    bitstride::sharding::Pieces,
    bitstride::sharding::PlaceDigit,
    bitstride::sharding::Placement,
    bitstride::sharding::Reduction,
    bitstride::sharding::Reshard,
    bitstride::sharding::Role,
    bitstride::sharding::Rule,
    bitstride::sharding::Run,
    bitstride::sharding::Segment,
    bitstride::sharding::Sharding,
    bitstride::sharding::Spread,
    bitstride::triton::AmdMfma,
    bitstride::triton::AmdWmma,
    bitstride::triton::Blocked,
    bitstride::triton::Cga,
    bitstride::triton::CopiedOperand,
    bitstride::triton::Distributed,
    bitstride::triton::DotOperand,
    bitstride::triton::Encoding,
    bitstride::triton::EncodingStep,
    bitstride::triton::Linear,
    bitstride::triton::MemDesc,
    bitstride::triton::NvidiaMma,
    bitstride::triton::NvmmaShared,
    bitstride::triton::PaddedShared,
    bitstride::triton::PartitionedShared,
    bitstride::triton::Phase,
    bitstride::triton::Repetition,
    bitstride::triton::SharedLinear,
    bitstride::triton::Slice,
    bitstride::triton::Split,
    bitstride::triton::SwizzledShared,
    bitstride::triton::TensorMemory,
    bitstride::triton::TensorMemoryLoad,
    bitstride::triton::TensorMemoryScales,
    bitstride::xla::Array,
    bitstride::xla::BareLayout,
    bitstride::xla::Bitcast,
    bitstride::xla::CommonDigits,
    bitstride::xla::Cut,
    bitstride::xla::Difference,
    bitstride::xla::Digit,
    bitstride::xla::Dim,
    bitstride::xla::ElementType,
    bitstride::xla::Image,
    bitstride::xla::IndexType,
    bitstride::xla::JaxLayout,
    bitstride::xla::Layout,
    bitstride::xla::MemoryStep,
    bitstride::xla::Padding,
    bitstride::xla::Place,
    bitstride::xla::Sameness,
    bitstride::xla::Shape,
    bitstride::xla::Split,
    bitstride::xla::Step,
    bitstride::xla::Tile,
    bitstride::xla::TileDim,
    bitstride::xla::TransposeStep,
    bitstride::xla::mosaic::Filling,
    bitstride::xla::mosaic::MemRef,
    bitstride::xla::mosaic::TiledAttribute,
    bitstride::xla::mosaic::VectorLayout,
    bitstride_lang::Answer,
    bitstride_lang::Entry,
    bitstride_lang::Group,
    bitstride_lang::Kind,
    bitstride_lang::Line,
    bitstride_lang::Mapped,
    bitstride_lang::Parameter,
    bitstride_lang::Presence,
    bitstride_lang::Spelling,
    bitstride_lang::Value,
    bitstride_lang::explain::Explanation,
    bitstride_lang::explain::Property,
    bitstride_lang::explain::Section,
    bitstride_lang::explain::Step,
    bitstride_lang::Instruction,
];

/// What is no value: a builder, a token of what runs, names of a session, where an answer came from, and an entry of a table with
/// its function.
const NO_VALUES: [&str; 6] = [
    "bitstride::ProfileBuilder",
    "bitstride::cancel::CancelToken",
    "bitstride_lang::Bindings",
    "bitstride_lang::Outermost",
    "bitstride_lang::Operation",
    "bitstride_lang::Sheet",
];

#[test]
fn every_public_type_is_listed() {
    let plain = |text: &str| text.split('<').next().unwrap_or_default().trim().to_owned();
    let listed: BTreeSet<String> = LISTED.iter().copied().chain(NO_VALUES).map(plain).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    let mut count = 0;
    for (name, source) in [("bitstride", "../core/src"), ("bitstride_lang", "src")] {
        let source = root.join(source);
        let declared = fs::read_to_string(source.join("lib.rs")).expect("the root of the crate");
        each_file(&source, &mut |path, text| {
            let module = path.strip_prefix(&source).expect("a file of the source").iter().next().expect("a name");
            let module = module.to_string_lossy().replace(".rs", "");
            // What a private module has is public by the name of another.
            let family = match declared.contains(&format!("pub mod {module};")) {
                true => format!("{name}::{module}"),
                false => name.to_owned(),
            };
            for line in text.lines() {
                let Some(rest) = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum ")) else {
                    continue;
                };
                // A view that borrows is no value.
                if rest.contains("<'") {
                    continue;
                }
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let ty = &rest[..end];
                count += 1;
                let of_family = |path: &String| path.starts_with(&family) && path.ends_with(&format!("::{ty}"));
                let known = listed.iter().any(of_family);
                if !known {
                    missing.push(format!("{name}::{module}::{ty}"));
                }
            }
        });
    }
    assert!(missing.is_empty(), "not in the list of values: {missing:?}");
    assert!(count > 100, "only {count} types were found");
}

fn each_file(folder: &Path, visit: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => each_file(&path, visit),
            false => visit(&path, &fs::read_to_string(&path).expect("a source")),
        }
    }
}
