//! CuTe DSL: classes of instructions, by CuTe's names of them.
//!
//! | text | reads as |
//! |---|---|
//! | `warp.MmaF16BF16Op(Float16, Float32, (16,8,16))`, `MmaTF32Op`, `MmaFP8Op` | `SM80_16x8x16_F32F16F16F32_TN` |
//! | `warp.MmaMXF4Op(Float4E2M1FN, Float32, Float8E8M0FNU)`, `MmaMXF4NVF4Op`, `MmaMXF8Op`, `MmaMXF8F6F4Op` | `SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,32>` |
//! | `warpgroup.MmaF16BF16Op(Float16, Float32, (64,128,16), OperandSource.SMEM, …)`, `MmaF8Op`, `MmaI8Op` | `SM90_64x128x16_F32F16F16_SS` |
//! | `tcgen05.MmaF16BF16Op(Float16, Float32, (128,256,16), CtaGroup.ONE, OperandSource.SMEM, …)`, `MmaTF32Op`, `MmaI8Op`, `MmaFP8Op`, `MmaF8F6F4Op` | `SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>` |
//! | `tcgen05.MmaMXF8Op(Float8E4M3FN, (128,256,32), CtaGroup.ONE, OperandSource.SMEM, …)`, `MmaMXF8F6F4Op`, `MmaMXF4Op`, `MmaMXF4NVF4Op` | `SM100_MMA_MXF8F6F4_SS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,128,256>` |
//! | `tcgen05.SM103MmaMXF4Op((128,256,96), CtaGroup.ONE, OperandSource.SMEM)`, `SM103MmaMXF4NVF4Op` | `SM103_MXF4_ULTRA_SS_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,256,32>` |
//! | `tcgen05.Ld32x32bOp(Repetition.x16)`, `St16x64bOp` | `SM100_TMEM_LOAD_32dp32b16x` |
//! | `tcgen05.copy.LdRed32x32bOp(Repetition.x16)` | `SM100_TMEM_LOAD_STAT_32dp32b16x` |
//! | `tcgen05.Cp4x32x128bOp(CtaGroup.ONE)`, `Cp128x256bOp` | `SM100_UTCCP_4x32dp128bit_1cta` |
//!
//! A class of one name may be in several modules, each with parameters of its own, and what is given says which it is. In which order A
//! and B are stored is kept of `tcgen05`, `SM100_MMA_F16BF16_SS<…,UMMA::Major::K,UMMA::Major::K>`: the layouts of shared memory
//! follow from it. Those of a warp group are made without the instruction, and its own do not depend on it.

use super::arguments::{Argument, Given};
use super::type_names;
use crate::notation::{Expr, ExprKind, Span};

// The parameters of classes: of a warp, of a warp group, and of one CTA or two. Mixed are types of A and of B, of one is a type of both,
// and with scales the type of the sums is known.
const WARP: &[&str] = &["ab_dtype", "acc_dtype", "shape_mnk"];
const WARP_SCALED: &[&str] = &["ab_dtype", "acc_dtype", "sf_type"];
const GROUP: &[&str] = &["ab_dtype", "acc_dtype", "instruction_shape", "a_src", "a_major_mode", "b_major_mode"];
const GROUP_MIXED: &[&str] =
    &["a_dtype", "b_dtype", "acc_dtype", "instruction_shape", "a_src", "a_major_mode", "b_major_mode"];
const CTAS: &[&str] =
    &["ab_dtype", "acc_dtype", "instruction_shape", "cta_group", "a_src", "a_major_mode", "b_major_mode"];
const CTAS_OF_ONE: &[&str] = &["ab_dtype", "instruction_shape", "cta_group", "a_src", "a_major_mode", "b_major_mode"];
const CTAS_MIXED: &[&str] =
    &["a_dtype", "b_dtype", "acc_dtype", "instruction_shape", "cta_group", "a_src", "a_major_mode", "b_major_mode"];
const CTAS_SCALED: &[&str] =
    &["a_dtype", "b_dtype", "instruction_shape", "cta_group", "a_src", "a_major_mode", "b_major_mode"];
const CTAS_TF32: &[&str] = &["instruction_shape", "cta_group", "a_src", "a_major_mode", "b_major_mode"];
const CTAS_FP4: &[&str] = &["instruction_shape", "cta_group", "a_src"];
const CTAS_SCALES: &[&str] = &["sf_dtype", "instruction_shape", "cta_group", "a_src"];
const LOADED: &[&str] = &["[repeat]", "[pack]"];
const REDUCED: &[&str] = &["repeat", "[pack]", "[redOp]", "[nan]", "[half_split_off]"];
const STAGED: &[&str] = &["cta_group"];
const STORED: &[&str] = &["repeat", "[unpack]"];

/// The classes of matrix instructions, each with its parameters in one module.
const CLASSES: &[(&str, &[&str])] = &[
    ("MmaF16BF16Op", WARP),
    ("MmaF16BF16Op", GROUP),
    ("MmaF16BF16Op", CTAS),
    ("MmaTF32Op", &["shape_mnk"]),
    ("MmaTF32Op", CTAS_TF32),
    ("MmaFP8Op", WARP),
    ("MmaFP8Op", CTAS),
    ("MmaF8Op", GROUP_MIXED),
    ("MmaF8F6F4Op", CTAS_MIXED),
    ("MmaI8Op", CTAS_OF_ONE),
    ("MmaI8Op", GROUP_MIXED),
    ("MmaMXF8Op", WARP_SCALED),
    ("MmaMXF8Op", CTAS_OF_ONE),
    ("MmaMXF8F6F4Op", &["a_dtype", "b_dtype", "acc_dtype", "sf_type"]),
    ("MmaMXF8F6F4Op", CTAS_SCALED),
    ("MmaMXF4Op", WARP_SCALED),
    ("MmaMXF4Op", CTAS_FP4),
    ("MmaMXF4NVF4Op", WARP_SCALED),
    ("MmaMXF4NVF4Op", CTAS_SCALES),
    ("SM103MmaMXF4Op", CTAS_FP4),
    ("SM103MmaMXF4NVF4Op", CTAS_SCALES),
];

/// The names of the classes of matrix instructions.
pub(super) fn class_names() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|(class, _)| *class)
}

/// Whether a word is a class of matrix instructions, or of copies of tensor memory.
pub(super) fn is_class(word: &str) -> bool {
    class_names().any(|class| class == word) || copied(word).is_some()
}

/// The parameters of a class in the module whose class takes these arguments, else in one that takes as many, else in the last one; none
/// where it is no class.
pub(super) fn parameters(class: &str, arguments: &[Argument]) -> Option<&'static [&'static str]> {
    let is_shape = |argument: &Argument| {
        matches!(argument, Argument { given: Given::Value(Expr { kind: ExprKind::Tuple(_), .. }), .. })
    };
    let takes = |parameters: &&[&str]| {
        let is_own = |(at, argument): (usize, &Argument)| match &argument.keyword {
            Some(keyword) => parameters.contains(&keyword.text.as_str()),
            None => parameters.get(at).is_some_and(|own| own.contains("shape")) == is_shape(argument),
        };
        arguments.len() == parameters.len() && arguments.iter().enumerate().all(is_own)
    };
    let own = || CLASSES.iter().filter(|(name, _)| *name == class).map(|(_, parameters)| *parameters);
    let as_many = || own().find(|parameters| parameters.len() == arguments.len());
    own().find(takes).or_else(as_many).or_else(|| own().next_back()).or_else(|| copied(class))
}

/// The classes of copies from shared into tensor memory, and CuTe's word for what each copies.
const INTO_TENSOR_MEMORY: [(&str, &str); 6] = [
    ("Cp128x256bOp", "128dp256bit"),
    ("Cp128x128bOp", "128dp128bit"),
    ("Cp4x256bOp", "4dp256bit"),
    ("Cp4x32x128bOp", "4x32dp128bit"),
    ("Cp2x64x128b0213Op", "2x64dp128bitlw0213"),
    ("Cp2x64x128b0123Op", "2x64dp128bitlw0123"),
];

/// What a class copies from shared into tensor memory.
fn staged(class: &str) -> Option<&'static str> {
    INTO_TENSOR_MEMORY.iter().find(|(known, _)| *known == class).map(|(_, what)| *what)
}

/// The parameters of a class of copies of tensor memory.
fn copied(class: &str) -> Option<&'static [&'static str]> {
    match class {
        "LdRed32x32bOp" => Some(REDUCED),
        _ if staged(class).is_some() => Some(STAGED),
        _ => {
            let loaded = shape_of_paths(class, "Ld").map(|_| LOADED);
            loaded.or_else(|| shape_of_paths(class, "St").map(|_| STORED))
        }
    }
}

/// What is given for the parameters of a class.
struct Call<'c> {
    class: &'c str,
    parameters: &'static [&'static str],
    given: &'c [Option<Expr>],
}

/// CuTe's name of a matrix instruction or of a copy of tensor memory; none where no instruction has these arguments.
pub(super) fn instruction(class: &str, parameters: &'static [&'static str], given: &[Option<Expr>]) -> Option<String> {
    let call = Call { class, parameters, given };
    match copied(class) {
        Some(_) => call.tensor_memory(),
        None if call.has("cta_group") => call.of_ctas(),
        None if call.has("a_src") => call.of_warp_group(),
        None if call.has("sf_type") => call.of_warp_scaled(),
        None => call.of_warp(),
    }
}

impl Call<'_> {
    fn has(&self, parameter: &str) -> bool {
        self.parameters.contains(&parameter)
    }

    fn value(&self, parameter: &str) -> Option<&Expr> {
        let at = self.parameters.iter().position(|own| *own == parameter)?;
        self.given.get(at)?.as_ref()
    }

    fn word(&self, parameter: &str) -> Option<&str> {
        self.value(parameter).and_then(word_of)
    }

    /// The types of A, of B and of the sums.
    fn types(&self) -> Option<[&str; 3]> {
        let operand = |own| self.word(own).or_else(|| self.word("ab_dtype"));
        let sum = |otherwise| if self.has("acc_dtype") { self.word("acc_dtype") } else { Some(otherwise) };
        let types = match self.class {
            "MmaTF32Op" => ["TFloat32", "TFloat32", "Float32"],
            "MmaMXF4Op" | "MmaMXF4NVF4Op" | "SM103MmaMXF4Op" | "SM103MmaMXF4NVF4Op" if !self.has("ab_dtype") => {
                ["Float4E2M1FN", "Float4E2M1FN", "Float32"]
            }
            "MmaI8Op" => [operand("a_dtype")?, operand("b_dtype")?, sum("Int32")?],
            _ => [operand("a_dtype")?, operand("b_dtype")?, sum("Float32")?],
        };
        let [a, b, _] = types;
        let bytes = ["Float8E4M3FN", "Float8E5M2"];
        let small = ["Float8E4M3FN", "Float8E5M2", "Float6E3M2FN", "Float6E2M3FN", "Float4E2M1FN"];
        let (operands, sums): (&[&str], &[&str]) = match self.class {
            "MmaF16BF16Op" if a == "BFloat16" => (&["BFloat16"], &["Float32"]),
            "MmaF16BF16Op" => (&["Float16"], &["Float16", "Float32"]),
            "MmaTF32Op" => (&["TFloat32"], &["Float32"]),
            "MmaFP8Op" | "MmaF8Op" => (&bytes, &["Float16", "Float32"]),
            "MmaF8F6F4Op" => (&small, &["Float16", "Float32"]),
            "MmaI8Op" => (&["Int8", "Uint8"], &["Int32"]),
            "MmaMXF8Op" => (&bytes, &["Float32"]),
            "MmaMXF8F6F4Op" => (&small, &["Float32"]),
            _ => (&["Float4E2M1FN"], &["Float32"]),
        };
        let is_taken = operands.contains(&a) && operands.contains(&b) && sums.contains(&types[2]);
        is_taken.then_some(types)
    }

    /// The type of the scales in C++, and how many elements have one.
    fn scales(&self) -> Option<(&'static str, i64)> {
        let given = self.word("sf_dtype").or_else(|| self.word("sf_type"));
        let elements = if self.class.ends_with("NVF4Op") { 16 } else { 32 };
        match (given, elements) {
            (None, 32) if !self.has("sf_type") => Some(("float_ue8m0_t", 32)),
            // In a warp such a scale is of 32 elements.
            (Some("Float8E8M0FNU"), _) if elements == 32 || self.has("sf_dtype") => Some(("float_ue8m0_t", elements)),
            (Some("Float8E4M3FN"), 16) => Some(("float_ue4m3_t", 16)),
            _ => None,
        }
    }

    fn of_warp(&self) -> Option<String> {
        let [a, b, c] = self.types()?.map(type_names::short);
        let (a, b, c) = (a?, b?, c?);
        let [m, n, k] = extents(self.value("shape_mnk")?, None)?;
        let (generation, most) = match self.class {
            "MmaTF32Op" => ("SM80", 8),
            "MmaFP8Op" => ("SM89", 32),
            _ => ("SM80", 16),
        };
        let is_there = [m, n] == [16, 8] && [most / 2, most].contains(&k);
        is_there.then(|| format!("{generation}_{m}x{n}x{k}_{c}{a}{b}{c}_TN"))
    }

    fn of_warp_scaled(&self) -> Option<String> {
        let [a, b, c] = self.types()?;
        let k = if [a, b] == ["Float4E2M1FN"; 2] { 64 } else { 32 };
        // What two other classes multiply is not of the one for mixed types; types of six bits are of none.
        let is_four = |own: &str| own == "Float4E2M1FN";
        if self.class == "MmaMXF8F6F4Op"
            && (is_four(a) == is_four(b) || [a, b].iter().any(|own| own.contains("Float6")))
        {
            return None;
        }
        let (scale, elements) = self.scales()?;
        let [a, b, c] = [a, b, c].map(type_names::cpp);
        Some(format!("SM120_16x8x{k}_TN_VS<{},{},{},{scale},{elements}>", a?, b?, c?))
    }

    fn of_warp_group(&self) -> Option<String> {
        let [a, b, c] = self.types()?.map(type_names::short);
        let k = if self.class == "MmaF16BF16Op" { 16 } else { 32 };
        let [m, n, k] = extents(self.value("instruction_shape")?, Some(k))?;
        let fixed = if k == 16 { "" } else { "_TN" };
        Some(format!("SM90_{m}x{n}x{k}_{}{}{}_{}{fixed}", c?, a?, b?, self.memory("RMEM")?))
    }

    fn of_ctas(&self) -> Option<String> {
        let [a, b, c] = self.types()?.map(type_names::cpp);
        let (a, b, c) = (a?, b?, c?);
        let (family, k) = match self.class {
            "MmaF16BF16Op" => ("SM100_MMA_F16BF16", 16),
            "MmaTF32Op" => ("SM100_MMA_TF32", 8),
            "MmaI8Op" => ("SM100_MMA_S8", 32),
            "MmaFP8Op" | "MmaF8F6F4Op" => ("SM100_MMA_F8F6F4", 32),
            "MmaMXF8Op" | "MmaMXF8F6F4Op" => ("SM100_MMA_MXF8F6F4", 32),
            "MmaMXF4Op" | "MmaMXF4NVF4Op" => ("SM100_MMA_MXF4", 64),
            _ => ("SM103_MXF4_ULTRA", 96),
        };
        let [m, n, _] = extents(self.value("instruction_shape")?, Some(k))?;
        let pair = match self.word("cta_group")? {
            "ONE" => "",
            "TWO" => "_2x1SM",
            _ => return None,
        };
        let memory = self.memory("TMEM")?;
        if !self.class.contains("MX") {
            return Some(format!("{family}{pair}_{memory}<{a},{b},{c},{m},{n}{}>", self.majors()?));
        }
        let (scale, elements) = self.scales()?;
        let (vector, elements) = match k {
            32 => ("", String::new()),
            64 => ("", format!(",{elements}")),
            _ => ("_VS", format!(",{elements}")),
        };
        Some(format!("{family}{pair}_{memory}{vector}<{a},{b},{c},{scale},{m},{n}{elements}{}>", self.majors()?))
    }

    /// In which order A and B are stored, as template arguments; nothing where the class leaves no choice.
    fn majors(&self) -> Option<String> {
        let mut text = String::new();
        for operand in ["a_major_mode", "b_major_mode"].into_iter().filter(|operand| self.has(operand)) {
            let major = self.word(operand).filter(|major| matches!(*major, "K" | "MN"))?;
            text.push_str(&format!(",UMMA::Major::{major}"));
        }
        Some(text)
    }

    /// Where A and B are: both in shared memory, or A elsewhere.
    fn memory(&self, elsewhere: &str) -> Option<&'static str> {
        match self.word("a_src")? {
            "SMEM" => Some("SS"),
            other if other == elsewhere => Some(if other == "TMEM" { "TS" } else { "RS" }),
            _ => None,
        }
    }

    fn tensor_memory(&self) -> Option<String> {
        if let Some(what) = staged(self.class) {
            let count = match self.word("cta_group")? {
                "ONE" => 1,
                "TWO" => 2,
                _ => return None,
            };
            return Some(format!("SM100_UTCCP_{what}_{count}cta"));
        }
        let way = match self.class {
            "LdRed32x32bOp" => "LOAD_STAT",
            loaded if loaded.starts_with("Ld") => "LOAD",
            _ => "STORE",
        };
        let (paths, bits) =
            if way == "LOAD_STAT" { ("32", "32") } else { shape_of_paths(self.class, self.class.get(..2)?)? };
        let count = self.given.first().and_then(Option::as_ref).map_or(Some(1), repetitions)?;
        let packed = match self.given.get(1).and_then(Option::as_ref).map(word_of) {
            None | Some(Some("NONE")) => "",
            Some(Some("PACK_16b_IN_32b" | "UNPACK_32b_IN_16b")) => "_16b",
            Some(_) => return None,
        };
        Some(format!("SM100_TMEM_{way}_{paths}dp{bits}b{count}x{packed}"))
    }
}

/// The helpers that choose an instruction by the types of its operands.
pub(super) const CHOOSING: [&str; 2] = ["make_trivial_tiled_mma", "make_blockscaled_trivial_tiled_mma"];

/// The parameters of such a helper, by what is given: types of A and B or one of both; by which mode of it each is contiguous; the
/// type of the sums, or that of the scales and of how many elements one is; the CTAs of Blackwell or the atoms of Hopper; M and N.
pub(super) fn choosing_parameters(word: &str, arguments: &[Argument]) -> Vec<&'static str> {
    let has = |names: [&str; 2]| {
        arguments.iter().any(|given| given.keyword.as_ref().is_some_and(|name| names.contains(&name.text.as_str())))
    };
    let value = |at: usize| match arguments.get(at) {
        Some(Argument { keyword: None, given: Given::Value(value) }) => Some(value),
        _ => None,
    };
    let is_type = |tree: &Expr| word_of(tree).is_some_and(|name| type_names::cpp(name).is_some());
    let of_both = !has(["a_dtype", "b_dtype"]) && !value(1).is_some_and(is_type);
    let mut names = if of_both { vec!["ab_dtype"] } else { vec!["a_dtype", "b_dtype"] };
    names.extend(["a_major_mode", "b_major_mode"]);
    names.extend(if word == CHOOSING[1] { &["sf_dtype", "sf_vec_size"][..] } else { &["acc_dtype"][..] });
    let is_hopper = has(["atom_layout_mnk", "tiler_mn"])
        || matches!(value(names.len()), Some(Expr { kind: ExprKind::Tuple(_), .. }));
    names.push(if is_hopper { "atom_layout_mnk" } else { "cta_group" });
    names.extend(["instruction_shape", "[a_src]"]);
    names
}

/// What such helpers call a parameter of the classes.
pub(super) const CHOOSING_NAMES: [(&str, &str); 5] = [
    ("a_leading_mode", "a_major_mode"),
    ("b_leading_mode", "b_major_mode"),
    ("mma_tiler_mn", "instruction_shape"),
    ("tiler_mn", "instruction_shape"),
    ("a_source", "a_src"),
];

/// The instruction that such a helper chooses; none where there is none for the types.
pub(super) fn chosen(parameters: &[&'static str], given: &[Option<Expr>]) -> Option<String> {
    let at = |name: &str| given.get(parameters.iter().position(|own| own.trim_matches(['[', ']']) == name)?)?.clone();
    let word = |tree: Option<Expr>| tree.as_ref().and_then(word_of).map(str::to_owned);
    let own = |operand: &str| word(at(operand).or_else(|| at("ab_dtype")));
    let (a, b) = (own("a_dtype")?, own("b_dtype")?);
    let is_hopper = parameters.contains(&"atom_layout_mnk");
    let is_scaled = parameters.contains(&"sf_dtype");
    let elements = at("sf_vec_size").map(|elements| elements.kind);
    let class = match (a.as_str(), b.as_str(), is_scaled) {
        ("Float4E2M1FN", "Float4E2M1FN", true) => match elements {
            Some(ExprKind::Static(32)) => "MmaMXF4Op",
            Some(ExprKind::Static(16)) => "MmaMXF4NVF4Op",
            _ => return None,
        },
        (_, _, true) => "MmaMXF8F6F4Op",
        ("Float16" | "BFloat16", ..) if a == b => "MmaF16BF16Op",
        ("TFloat32" | "Float32", ..) if a == b && !is_hopper => "MmaTF32Op",
        ("Int8" | "Uint8", ..) if a == b || is_hopper => "MmaI8Op",
        _ if is_hopper => "MmaF8Op",
        _ => "MmaF8F6F4Op",
    };
    let group = if is_hopper { "a_src" } else { "cta_group" };
    let (_, own) = CLASSES
        .iter()
        .find(|(name, own)| *name == class && own.contains(&group) && own.contains(&"cta_group") != is_hopper)?;
    let memory = || Expr::new(ExprKind::Unknown { name: Some("SMEM".to_owned()), div: 1 }, Span::default());
    let both =
        |name: &str| at(name).or_else(|| at("ab_dtype")).or_else(|| at("a_dtype").filter(|_| name == "ab_dtype"));
    let arguments: Vec<Option<Expr>> = own
        .iter()
        .map(|parameter| match *parameter {
            "a_src" => at("a_src").or_else(|| Some(memory())),
            "ab_dtype" | "a_dtype" | "b_dtype" => both(parameter),
            name => at(name),
        })
        .collect();
    instruction(class, own, &arguments)
}

/// The data paths and the bits of a class such as `Ld16x64bOp`.
fn shape_of_paths<'c>(class: &'c str, way: &str) -> Option<(&'c str, &'c str)> {
    let (paths, bits) = class.strip_prefix(way)?.strip_suffix("Op")?.split_once('x')?;
    let bits = bits.strip_suffix("x2").filter(|_| bits == "32bx2").unwrap_or(bits).strip_suffix('b')?;
    let is_known = matches!((paths, bits), ("16", "32" | "64" | "128" | "256") | ("32", "32"));
    is_known.then_some((paths, bits))
}

/// `Repetition.x16` or `Repetition(16)`.
fn repetitions(tree: &Expr) -> Option<i64> {
    match &tree.kind {
        ExprKind::Call { name, arguments, modes: None } if name.text == "Repetition" => match arguments.as_slice() {
            [Expr { kind: ExprKind::Static(count), .. }] => Some(*count),
            // As its brackets stand: `Repetition((16))`.
            [Expr { kind: ExprKind::Tuple(only), .. }] => match only.as_slice() {
                [Expr { kind: ExprKind::Static(count), .. }] => Some(*count),
                _ => None,
            },
            _ => None,
        },
        _ => word_of(tree)?.strip_prefix('x')?.parse().ok(),
    }
}

/// `(64, 128, 16)`; where K is known it may be left out.
fn extents(shape: &Expr, k: Option<i64>) -> Option<[i64; 3]> {
    let ExprKind::Tuple(entries) = &shape.kind else { return None };
    let number = |entry: &Expr| match entry.kind {
        ExprKind::Static(extent) => Some(extent),
        _ => None,
    };
    match entries.iter().map(number).collect::<Option<Vec<_>>>()?.as_slice() {
        [m, n] => Some([*m, *n, k?]),
        [m, n, own] if k.is_none_or(|k| k == *own) => Some([*m, *n, *own]),
        _ => None,
    }
}

/// A name that is an argument: `cutlass.Float16`, `True`.
pub(super) fn word_of(tree: &Expr) -> Option<&str> {
    match &tree.kind {
        ExprKind::Unknown { name: Some(name), .. } => Some(name),
        ExprKind::Name(name) | ExprKind::Quoted(name) => Some(&name.text),
        _ => None,
    }
}
