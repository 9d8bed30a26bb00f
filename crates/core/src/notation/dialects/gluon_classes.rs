//! The classes of Gluon that make layouts, and the attribute of Triton that each makes of its arguments.

use super::gluon_bases::{in_elements, numbers, part, walk};
use super::type_names;
use crate::notation::attribute::{Argument, Datum, DatumKind};
use crate::notation::cursor::Result;
use crate::notation::{Name, Span, SyntaxError, code};

/// What an argument is given as.
pub(super) type Given = Option<Datum>;

/// A class of Gluon.
pub(super) struct Class {
    pub(super) name: &'static str,
    /// The attribute that it makes.
    pub(super) attribute: &'static str,
    /// Its parameters in order, each with the field of the attribute; one in brackets may be left out. A field in brackets is
    /// made of the parameter in a way of its own.
    pub(super) parameters: &'static [(&'static str, &'static str)],
}

const CGA: (&str, &str) = ("[cga_layout]", "CGALayout");

pub(super) const CLASSES: [Class; 18] = [
    Class {
        name: "BlockedLayout",
        attribute: "ttg.blocked",
        parameters: &[
            ("size_per_thread", "sizePerThread"),
            ("threads_per_warp", "threadsPerWarp"),
            ("warps_per_cta", "warpsPerCTA"),
            ("order", "order"),
            CGA,
            // Before the blocks of a cluster were bases.
            ("[ctas_per_cga]", "CTAsPerCGA"),
            ("[cta_split_num]", "CTASplitNum"),
            ("[cta_order]", "CTAOrder"),
        ],
    },
    Class { name: "SliceLayout", attribute: "ttg.slice", parameters: &[("dim", "dim"), ("parent", "parent")] },
    Class {
        name: "DotOperandLayout",
        attribute: "ttg.dot_op",
        parameters: &[("operand_index", "opIdx"), ("parent", "parent"), ("k_width", "kWidth")],
    },
    Class {
        name: "DistributedLinearLayout",
        attribute: "ttg.linear",
        parameters: &[
            ("reg_bases", "register"),
            ("lane_bases", "lane"),
            ("warp_bases", "warp"),
            ("block_bases", "block"),
            ("shape", "(rank)"),
        ],
    },
    Class {
        name: "NVMMADistributedLayout",
        attribute: "ttg.nvidia_mma",
        parameters: &[("version", "(version)"), ("warps_per_cta", "warpsPerCTA"), ("instr_shape", "instrShape"), CGA],
    },
    Class {
        name: "NVMMASharedLayout",
        attribute: "ttg.nvmma_shared",
        parameters: &[
            ("swizzle_byte_width", "swizzlingByteWidth"),
            ("element_bitwidth", "elementBitWidth"),
            ("[rank]", "rank"),
            ("[transposed]", "transposed"),
            ("[fp4_padded]", "fp4Padded"),
            CGA,
        ],
    },
    Class {
        name: "NVMMASharedLayout.get_default_for",
        attribute: "ttg.nvmma_shared",
        parameters: &[
            ("block_shape", "(shape)"),
            ("dtype", "(element)"),
            ("[transposed]", "transposed"),
            ("[fp4_padded]", "fp4Padded"),
            CGA,
        ],
    },
    Class {
        name: "SwizzledSharedLayout",
        attribute: "ttg.swizzled_shared",
        parameters: &[("vec", "vec"), ("per_phase", "perPhase"), ("max_phase", "maxPhase"), ("order", "order"), CGA],
    },
    Class {
        name: "PaddedSharedLayout",
        attribute: "ttg.padded_shared",
        parameters: &[
            ("interval_padding_pairs", "(pairs)"),
            ("offset_bases", "offset"),
            ("cga_layout", "(cluster)"),
            ("shape", "(rank)"),
        ],
    },
    Class {
        name: "PaddedSharedLayout.with_identity_for",
        attribute: "ttg.padded_shared",
        parameters: &[
            ("interval_padding_pairs", "(pairs)"),
            ("shape", "shape"),
            ("order", "order"),
            ("[cga_layout]", "(cluster)"),
        ],
    },
    Class {
        name: "SharedLinearLayout",
        attribute: "ttg.shared_linear",
        parameters: &[("offset_bases", "offset"), ("[block_bases]", "block"), ("[alignment]", "alignment")],
    },
    Class {
        name: "AMDMFMALayout",
        attribute: "ttg.amd_mfma",
        parameters: &[
            ("version", "version"),
            ("instr_shape", "instrShape"),
            ("transposed", "isTransposed"),
            ("warps_per_cta", "warpsPerCTA"),
            ("[element_bitwidth]", "elementBitWidth"),
            ("[tiles_per_warp]", "tilesPerWarp"),
            CGA,
        ],
    },
    Class {
        name: "AMDWMMALayout",
        attribute: "ttg.amd_wmma",
        parameters: &[
            ("version", "version"),
            ("transposed", "isTranspose"),
            ("warp_bases", "(warp)"),
            ("[reg_bases]", "(register)"),
            ("[instr_shape]", "instrShape"),
            CGA,
            ("[rank]", "rank"),
        ],
    },
    Class {
        name: "PartitionedSharedLayout",
        attribute: "ttg.partitioned_shared",
        parameters: &[
            ("num_partitions", "numPartitions"),
            ("num_groups", "numGroups"),
            ("partition_dim", "partitionDim"),
            ("partition_layout", "partitionLayout"),
        ],
    },
    Class {
        name: "TensorMemoryLayout",
        attribute: "ttng.tensor_memory_encoding",
        parameters: &[
            ("block", "(block)"),
            ("col_stride", "colStride"),
            CGA,
            ("[two_ctas]", "twoCTAs"),
            ("[fp4_padded]", "fp4Padded"),
        ],
    },
    Class {
        name: "TensorMemoryScalesLayout",
        attribute: "ttng.tensor_memory_scales_encoding",
        parameters: &[CGA, ("[block_rep_order]", "blockRepOrder")],
    },
    Class { name: "AutoLayout", attribute: "gluon.auto_encoding", parameters: &[] },
    Class { name: "CoalescedLayout", attribute: "gluon.coalesced_encoding", parameters: &[] },
];

/// The classes that are read.
pub(super) fn gluon_classes() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|class| class.name)
}

/// A path from a module to a class is at most as long.
const MAX_PATH_BYTES: usize = 200;

/// Whether a text behind a module is the path to a class and its arguments: `.amd.AMDMFMALayout(`.
pub(super) fn is_within(path: &str) -> bool {
    let Some(end) = path.bytes().take(MAX_PATH_BYTES).position(|byte| byte == b'(') else { return false };
    let path = path.get(..end).unwrap_or_default();
    let parts: Vec<&str> = path.split('.').skip(1).collect();
    let is_word = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let ends_with = |class: &str| class.split('.').rev().eq(parts.iter().rev().take(class.split('.').count()).copied());
    parts.iter().all(is_word) && gluon_classes().any(ends_with)
}

impl Class {
    /// How it is called: `SliceLayout(dim, parent)`.
    pub(super) fn signature(&self) -> String {
        let names: Vec<&str> = self.parameters.iter().map(|(name, _)| *name).collect();
        format!("{}({})", self.name, names.join(", "))
    }

    /// The fields of the attribute.
    pub(super) fn body(&self, given: Vec<Given>, span: Span) -> Result<Option<Vec<Argument>>> {
        // The first name among the arguments may be all that is wrong with one.
        let unknown = given.iter().flatten().find_map(|datum| name_in(&datum.kind)).map(str::to_owned);
        let wrong = |of: &str, wanted: &str, at: Span| {
            let error = SyntaxError::new(code::UNEXPECTED_TOKEN, at, format!("{of} of {} is {wanted}", self.name));
            match &unknown {
                Some(name) => error.with_help(valued(name)),
                None => error,
            }
        };
        let mut body = Vec::new();
        let mut fields: Vec<(Name, Datum)> = Vec::new();
        let mut tiles: Vec<(Name, Datum)> = Vec::new();
        let (mut default, mut cluster) = ((Vec::new(), 0), None);
        let named = |name: &str| Name { text: name.to_owned(), span };
        for ((parameter, field), datum) in self.parameters.iter().zip(given) {
            let Some(datum) = datum else { continue };
            let at = datum.span;
            match (*field, datum.kind) {
                ("(version)", DatumKind::Array(parts)) => match parts.as_slice() {
                    [major, minor] => {
                        fields.push((named("versionMajor"), major.clone()));
                        fields.push((named("versionMinor"), minor.clone()));
                    }
                    _ => return Err(wrong(parameter, "a list such as [3, 0]", at)),
                },
                ("(block)", DatumKind::Array(parts)) => match parts.as_slice() {
                    [rows, columns] => {
                        fields.push((named("blockM"), rows.clone()));
                        fields.push((named("blockN"), columns.clone()));
                    }
                    _ => return Err(wrong(parameter, "a pair such as (128, 64)", at)),
                },
                ("(pairs)", DatumKind::Array(pairs)) => {
                    let intervals = pairs.iter().map(interval).collect::<Option<Vec<_>>>();
                    let Some(intervals) = intervals else {
                        return Err(wrong(parameter, "a list of pairs such as [[512, 16]]", at));
                    };
                    body.push(Argument { name: None, datum: Datum { kind: DatumKind::Array(intervals), span: at } });
                }
                ("(rank)", DatumKind::Array(sizes)) => {
                    // Where no basis says it.
                    let is_empty = |(_, datum): &(Name, Datum)| datum.kind == DatumKind::Array(Vec::new());
                    let all_empty = fields.iter().all(is_empty);
                    let rank = i64::try_from(sizes.len()).unwrap_or(i64::MAX);
                    if all_empty && self.attribute == "ttg.linear" {
                        fields.push((named("rank"), Datum { kind: DatumKind::Integer(rank), span: at }));
                    } else if all_empty
                        && cluster.as_ref().is_none_or(|one: &Datum| is_empty(&(named(""), one.clone())))
                    {
                        // One element, over which offsets walk.
                        let list = |entries: Vec<i64>| {
                            let entry = |value| Datum { kind: DatumKind::Integer(value), span: at };
                            let kind = DatumKind::Array(entries.into_iter().map(entry).collect());
                            Datum { kind, span: at }
                        };
                        fields = vec![
                            (named("order"), list((0..rank).rev().collect())),
                            (named("shape"), list((0..rank).map(|_| 1).collect())),
                        ];
                    }
                }
                ("(shape)", DatumKind::Array(sizes)) => {
                    let sizes = Datum { kind: DatumKind::Array(sizes), span: at };
                    default.0 = numbers(&sizes).unwrap_or_default();
                    if default.0.is_empty() {
                        return Err(wrong(parameter, "a list of sizes such as [128, 64]", at));
                    }
                }
                ("(element)", DatumKind::Word(name)) => {
                    let Some(bits) = type_names::bits(&name, type_names::TRITON) else {
                        return Err(wrong(parameter, "a type such as gl.float16", at));
                    };
                    default.1 = bits;
                }
                ("(element)", _) => return Err(wrong(parameter, "a type such as gl.float16", at)),
                ("(cluster)", kind) => cluster = Some(Datum { kind, span: at }),
                ("(warp)", kind) => tiles.push((named("warp"), Datum { kind, span: at })),
                ("(register)", kind) => tiles.push((named("register"), Datum { kind, span: at })),
                (field, _) if field.starts_with('(') => return Err(wrong(parameter, "a list", at)),
                (field, kind) => fields.push((named(field), Datum { kind, span: at })),
            }
        }
        if let Some(cluster) = &cluster {
            self.place_blocks(&mut fields, cluster).ok_or_else(|| {
                wrong(
                    "cga_layout",
                    "a list of bases, each with as many values as the shape, whose blocks divide it",
                    span,
                )
            })?;
        }
        if let (sizes, bits @ 1..) = &default {
            let blocks = fields.iter().find(|(name, _)| name.text == CGA.1).map(|(_, datum)| datum);
            let sizes = &blocks.map_or_else(|| Some(sizes.clone()), |blocks| part(sizes, blocks)).ok_or_else(|| {
                wrong(
                    "cga_layout",
                    "a list of bases, each with as many values as block_shape, whose blocks divide it",
                    span,
                )
            })?;
            let is_true = |name: &str| {
                fields.iter().any(|(field, datum)| field.text == name && datum.kind == DatumKind::Bool(true))
            };
            let swizzle = default_swizzle(sizes, *bits, is_true("transposed"), is_true("fp4Padded"))
                .ok_or_else(|| wrong("block_shape", "a list of sizes of at least 1", span))?;
            let rank = i64::try_from(sizes.len()).unwrap_or(i64::MAX);
            let numbers = [("swizzlingByteWidth", swizzle), ("elementBitWidth", *bits), ("rank", rank)];
            // As `NVMMASharedLayout` writes them.
            for (at, (name, number)) in numbers.into_iter().enumerate() {
                if name != "rank" || rank != 2 {
                    fields.insert(at, (named(name), Datum { kind: DatumKind::Integer(number), span }));
                }
            }
        }
        if self.attribute == "ttg.shared_linear" {
            for (name, kind) in [("block", DatumKind::Array(Vec::new())), ("alignment", DatumKind::Integer(16))] {
                if !fields.iter().any(|(field, _)| field.text == name) {
                    fields.push((named(name), Datum { kind, span }));
                }
            }
        }
        if !tiles.is_empty() {
            fields.push((named("ctaLayout"), Datum { kind: DatumKind::Dictionary(tiles), span }));
        }
        if !(fields.is_empty() && body.is_empty()) || self.attribute.starts_with("ttng.") {
            body.push(Argument { name: None, datum: Datum { kind: DatumKind::Dictionary(fields), span } });
        }
        Ok((!body.is_empty()).then_some(body))
    }
}

impl Class {
    /// Puts the blocks of a cluster, which Gluon counts in parts of a padded tensor, into the fields of the attribute, which counts
    /// elements.
    fn place_blocks(&self, fields: &mut Vec<(Name, Datum)>, cluster: &Datum) -> Option<()> {
        let is_one = cluster.kind == DatumKind::Array(Vec::new());
        let find = |fields: &[(Name, Datum)], name: &str| fields.iter().position(|(field, _)| field.text == name);
        let span = cluster.span;
        let named = |name: &str, bases: Vec<Vec<i64>>| {
            let entry = |value: i64| Datum { kind: DatumKind::Integer(value), span };
            let basis =
                |basis: Vec<i64>| Datum { kind: DatumKind::Array(basis.into_iter().map(entry).collect()), span };
            let kind = DatumKind::Array(bases.into_iter().map(basis).collect());
            (Name { text: name.to_owned(), span }, Datum { kind, span })
        };
        if let (Some(shape), Some(order)) = (find(fields, "shape"), find(fields, "order")) {
            if is_one {
                return Some(());
            }
            let get = |at: usize| fields.get(at).and_then(|(_, datum)| numbers(datum));
            let offsets = walk(&get(order)?, &part(&get(shape)?, cluster)?)?;
            fields.retain(|(name, _)| !matches!(name.text.as_str(), "shape" | "order"));
            fields.push(named("offset", offsets));
        }
        let offsets = find(fields, "offset").and_then(|at| fields.get(at)).map(|(_, datum)| datum)?;
        let blocks = if is_one { Vec::new() } else { in_elements(offsets, cluster)? };
        let block = named("block", blocks);
        fields.push(block);
        Some(())
    }
}

/// A name in a datum that has no value.
fn name_in(kind: &DatumKind) -> Option<&str> {
    match kind {
        DatumKind::Word(name) => Some(name),
        DatumKind::Array(items) => items.iter().find_map(|item| name_in(&item.kind)),
        _ => None,
    }
}

/// The bytes of the widest swizzle whose rows divide those of a block, as Gluon chooses it.
fn default_swizzle(sizes: &[i64], bits: i64, transposed: bool, padded: bool) -> Option<i64> {
    let mut sizes = sizes.to_vec();
    if transposed {
        sizes.rotate_left(1);
    }
    let (row, outer) = sizes.split_last()?;
    let rows = outer.iter().try_fold(1_i64, |rows, size| rows.checked_mul(*size))?;
    let bytes = row.checked_mul(if padded { 2 } else { 1 })?.checked_mul(bits)?.checked_div(8)?;
    if row.min(&rows) < &1 {
        return None;
    }
    let widest = [128, 64, 32].into_iter().find(|width| bytes.checked_rem(*width) == Some(0) && bytes >= *width);
    Some(widest.filter(|_| sizes.len() > 1 && rows >= 8).unwrap_or(0))
}

/// `512:+16` of `[512, 16]`.
fn interval(pair: &Datum) -> Option<Datum> {
    let DatumKind::Array(parts) = &pair.kind else { return None };
    match parts.as_slice() {
        [Datum { kind: DatumKind::Integer(interval), .. }, Datum { kind: DatumKind::Integer(padding), .. }] => {
            Some(Datum { kind: DatumKind::Interval { interval: *interval, padding: *padding }, span: pair.span })
        }
        _ => None,
    }
}

/// How a name gets a value.
pub(super) fn valued(name: &str) -> String {
    format!("a name gets a value on a line before: `{name} = …`")
}
