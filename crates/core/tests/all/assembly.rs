//! Instructions by the names that assembly has for them: every one of the catalogue that has such a name, and what no name decides.

use bitstride::cute::atom_families;
use bitstride::notation::{Dialect, Ints, read};

/// What a text reads as, and in whose spelling; the refusal where it is refused.
fn reads(text: &str) -> Result<String, String> {
    let reading = read(text, Ints::Plain).map_err(|error| format!("{}: {}", error.code, error.message))?;
    assert!(reading.dialects.contains(&Dialect::Assembly), "{text}");
    Ok(reading.tree.to_string())
}

/// `F32F16F16F32` cut into its types.
fn types(text: &str) -> Vec<String> {
    const ALL: [&str; 12] = ["TF32", "BF16", "E4M3", "E5M2", "F16", "F32", "F64", "S32", "S8", "U8", "S4", "U4"];
    let mut rest = text;
    let mut found = Vec::new();
    while let Some(own) = ALL.iter().chain(&["U1"]).find(|own| rest.starts_with(**own)) {
        found.push(if *own == "U1" { "b1".to_owned() } else { own.to_lowercase() });
        rest = &rest[own.len()..];
    }
    if rest.is_empty() { found } else { Vec::new() }
}

/// The line of PTX that an instruction of the catalogue stands for; none for those without one of their own.
fn ptx(name: &str) -> Option<String> {
    let plain = name.replace("SM90::GMMA::SPARSE::GMMA_", "SP_");
    let parts: Vec<&str> = plain.split('_').collect();
    let extents = |text: &str| {
        let all: Vec<&str> = text.split('x').collect();
        let [m, n, k] = all.as_slice() else { return None };
        Some(format!("m{m}n{n}k{k}"))
    };
    let saturates = if parts.contains(&"SATURATE") { ".satfinite" } else { "" };
    match parts.as_slice() {
        ["SM80" | "SM89" | "SM90", shape, kinds, "TN", after @ ..] if types(kinds).len() == 4 => {
            let counts = match after.first() {
                Some(&"XORPOPC") => ".xor.popc",
                Some(&"ANDPOPC") => ".and.popc",
                _ => "",
            };
            let kinds = types(kinds).join(".");
            Some(format!("mma.sync.aligned.{}.row.col{saturates}.{kinds}{counts}", extents(shape)?))
        }
        ["SM80" | "SM89", "SPARSE", shape, kinds, "TN", ..] => {
            let kinds = types(kinds).join(".");
            Some(format!("mma.sp::ordered_metadata.sync.aligned.{}.row.col{saturates}.{kinds}", extents(shape)?))
        }
        ["SM70", shape, kinds, orders] => {
            let order = |letter: char| if letter == 'T' { "row" } else { "col" };
            let orders: Vec<&str> = orders.chars().map(order).collect();
            Some(format!("mma.sync.aligned.{}.{}.{}", extents(shape)?, orders.join("."), types(kinds).join(".")))
        }
        [first @ ("SM90" | "SP"), shape, kinds, memory @ ("SS" | "RS"), ..] => {
            let sparse = if *first == "SP" { ".sp" } else { "" };
            let a = if *memory == "SS" { "%rd1" } else { "{%r1, %r2, %r3, %r4}" };
            let kinds = types(kinds).join(".");
            let shape = extents(shape)?;
            Some(format!("wgmma.mma_async{sparse}.sync.aligned.{shape}.{kinds}{saturates} {{%f0, %f1}}, {a}, %rd2, p;"))
        }
        ["SM75" | "SM90", matrices, way @ ("LDSM" | "STSM"), order] => {
            let count: usize = matrices.split_once('x')?.1.parse().ok()?;
            let (count, order) = if *order == "T" { (count / 2, ".trans") } else { (count, "") };
            let way = if *way == "LDSM" { "ldmatrix" } else { "stmatrix" };
            Some(format!("{way}.sync.aligned.m8n8.x{count}{order}.shared.b16"))
        }
        ["SM100", "TMEM", way @ ("LOAD" | "STORE"), shape, packed @ ..] => {
            let (paths, rest) = shape.split_once("dp")?;
            let (bits, count) = rest.trim_end_matches('x').split_once('b')?;
            let halves = if (paths, bits) == ("16", "32") { "x2" } else { "" };
            let way = if *way == "LOAD" { "ld" } else { "st" };
            let packed = match (packed, way) {
                ([], _) => "",
                (_, "ld") => ".pack::16b",
                _ => ".unpack::16b",
            };
            Some(format!("tcgen05.{way}.sync.aligned.{paths}x{bits}b{halves}.x{count}{packed}.b32"))
        }
        ["GFX9", "MFMA", shape, kinds] if !shape.starts_with('4') && !shape.starts_with("64x4") => {
            let kinds = types(kinds);
            let [c, a, b, _] = kinds.as_slice() else { return None };
            let old = |kind: &str| match kind {
                "tf32" => "xf32".to_owned(),
                "s8" => "i8".to_owned(),
                "s32" => "i32".to_owned(),
                "e4m3" => "fp8".to_owned(),
                "e5m2" => "bf8".to_owned(),
                kind => kind.to_owned(),
            };
            let of_bytes = a.starts_with('e');
            let operands = if of_bytes { format!("{}_{}", old(a), old(b)) } else { old(a) };
            Some(format!("v_mfma_{}_{shape}_{operands}", old(c)))
        }
        _ => None,
    }
}

#[test]
fn each_instruction_of_the_catalogue_is_found_by_its_name_in_assembly() {
    let mut seen = 0;
    for name in atom_families().iter().flat_map(|family| family.names()) {
        // Complex numbers are several instructions.
        let Some(text) = ptx(&name).filter(|_| !name.contains("C64")) else { continue };
        assert_eq!(reads(&text), Ok(format!("atom({name})")), "{text}");
        seen += 1;
        // LLVM has dots, and no `_` before the type.
        if let Some(rest) = text.strip_prefix("v_mfma_") {
            let (extents, types) = rest.split_at(rest.rfind('x').unwrap_or(0));
            let types = types.replacen('_', "", 1).replace('_', ".");
            let is_joined = !types.contains('.');
            let other = format!("llvm.amdgcn.mfma.{}{types}", extents.replace('_', "."));
            if is_joined && !rest.contains("xf32") {
                assert_eq!(reads(&other), Ok(format!("atom({name})")), "{other}");
            }
        }
    }
    assert!(seen > 2300, "{seen}");
}

#[test]
fn listings_of_sass_and_of_amd_are_read_with_their_operands() {
    for (text, name) in [
        ("HMMA.16816.F32", "SM80_16x8x16_F32F16F16F32_TN"),
        ("HMMA.16816.F32.BF16 R4, R8, R12, R4 ;", "SM80_16x8x16_F32BF16BF16F32_TN"),
        ("HMMA.1688.F16", "SM80_16x8x8_F16F16F16F16_TN"),
        ("HMMA.1684.F32.TF32", "SM80_16x8x4_F32TF32TF32F32_TN"),
        ("IMMA.16832.S8.U8.SAT", "SM80_16x8x32_S32S8U8S32_TN_SATURATE"),
        ("IMMA.8832.S4.S4", "SM80_8x8x32_S32S4S4S32_TN"),
        ("QMMA.16832.F16.E5M2.E4M3", "SM89_16x8x32_F16E5M2E4M3F16_TN"),
        ("DMMA.884", "SM80_8x8x4_F64F64F64F64_TN"),
        ("DMMA.8x8x4", "SM80_8x8x4_F64F64F64F64_TN"),
        ("DMMA.16x8x16", "SM90_16x8x16_F64F64F64F64_TN"),
        ("BMMA.168256.XOR.POPC R4, R8, R12, R4", "SM80_16x8x256_S32U1U1S32_TN_XORPOPC"),
        ("BMMA.88128.AND.POPC", "SM80_8x8x128_S32U1U1S32_TN_ANDPOPC"),
        ("LDSM.16.M88", "SM75_U32x1_LDSM_N"),
        ("LDSM.16.MT88.4 R8, [R2+0x400]", "SM75_U16x8_LDSM_T"),
        ("STSM.16.MT88.2", "SM90_U16x4_STSM_T"),
        ("v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]", "GFX9_MFMA_32x32x8_F32F16F16F32"),
        ("v_mfma_f32_16x16x16bf16_1k", "GFX9_MFMA_16x16x16_F32BF16BF16F32"),
        ("rocdl.mfma.f32.16x16x8xf32", "GFX9_MFMA_16x16x8_F32TF32TF32F32"),
        ("__builtin_amdgcn_mfma_f64_16x16x4f64", "GFX9_MFMA_16x16x4_F64F64F64F64"),
        ("v_wmma_f32_16x16x16_bf8_fp8", "GFX12_WMMA_16x16x16_F32E5M2E4M3F32"),
        ("v_wmma_f32_16x16x32_bf16", "GFX1250_WMMA_16x16x32_F32BF16BF16F32"),
        ("cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16;", "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>"),
        ("cp.async.ca.shared.global [%r1], [%rd1], 4;", "SM80_CP_ASYNC_CACHEALWAYS<uint32_t>"),
        ("cp.async.ca.shared.global [%r1+16], [%rd1+4], 16, 8;", "SM80_CP_ASYNC_CACHEALWAYS<uint128_t>"),
        ("tcgen05.cp.cta_group::2.64x128b.warpx2::01_23", "SM100_UTCCP_2x64dp128bitlw0123_2cta"),
        ("tcgen05.cp.cta_group::1.4x256b", "SM100_UTCCP_4dp256bit_1cta"),
        ("ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32", "SM100_SU6_DU8x16_x2_LDSM_N"),
        (
            "mma.sync.aligned.kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0",
            "SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,32>",
        ),
    ] {
        assert_eq!(reads(text), Ok(format!("atom({name})")), "{text}");
    }
    assert_eq!(reads("HMMA.16816.F32.A"), Ok("part(atom(SM80_16x8x16_F32F16F16F32_TN), A)".to_owned()));
    assert_eq!(reads("part(HMMA.16816.F32, A)"), Ok("part(atom(SM80_16x8x16_F32F16F16F32_TN), A)".to_owned()));
}

#[test]
fn a_name_that_several_instructions_have_is_refused_with_them() {
    let both = |text: &str, names: [&str; 2]| {
        let error = read(text, Ints::Plain).expect_err(text);
        let help = error.help.unwrap_or_default();
        assert!(names.iter().all(|name| help.contains(name)), "{text}: {help}");
    };
    let group = ["atom(SM90_64x128x16_F32F16F16_SS)", "atom(SM90_64x128x16_F32F16F16_RS)"];
    both("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", group);
    both("HGMMA.64x128x16.F32", group);
    let waves = ["atom(GFX11_WMMA_16x16x16_F32F16F16F32)", "atom(GFX12_WMMA_16x16x16_F32F16F16F32)"];
    both("v_wmma_f32_16x16x16_f16", waves);
    both("llvm.amdgcn.wmma.f32.16x16x16.f16", waves);
    both("v_wmma_i32_16x16x16_iu8", ["write it", "atom(GFX12_WMMA_16x16x16_S32S8S8S32)"]);
    both("cp.async.ca.shared.global", ["[%rd1], 8;", "CACHEALWAYS<uint64_t>"]);
    both("tcgen05.mma.cta_group::1.kind::f16", ["decode_instruction_descriptor", "SM100_MMA_F16BF16_SS"]);
    for text in [
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16",
        "mma.sync.aligned.m16n8k16.row.col.new.f32.f16.f16.f32",
        "HMMA.16816.F32.D",
        "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.row.f32.e2m1.e2m1.f32",
        "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e2m1.f16",
        "HMMA.SP.16832.F32",
        "LDSM.16.M88.3",
        "BMMA.168256",
        "BMMA.168256.OR.POPC",
        "IMMA.16816.XOR.POPC",
        "LDSM.16.M88.4.NEW",
        "ldmatrix.sync.aligned.m8n8.x8.shared.b16",
        // Two and four blocks at once.
        "v_mfma_f32_32x32x4bf16_1k",
        "v_mfma_f32_32x32x4_2b_f16",
        "v_mfma_f32_16x16x",
        "v_mfma_",
        "tcgen05.ld.red.sync.aligned.32x32b.x32.max.f32",
    ] {
        assert!(reads(text).is_err_and(|error| error.starts_with("unknown-name")), "{text}: {:?}", reads(text));
    }
}

#[test]
fn sparse_products_are_told_from_dense_ones() {
    for (text, name) in [
        ("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "SM80_SPARSE_16x8x16_F16F16F16F16_TN"),
        (
            "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32 {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7,%r8}, {%r1,%r2,%r3,%r4}, %r9, 0x0;",
            "SM80_SPARSE_16x8x64_S32S8U8S32_TN",
        ),
        (
            "mma.sync.aligned.kind::f8f6f4.sp::ordered_metadata.m16n8k64.row.col.f32.e4m3.e2m1.f32",
            "SM120_SPARSE_16x8x64_TN<float_e4m3_t,float_e2m1_t,float>",
        ),
        (
            "mma.sp::ordered_metadata.sync.aligned.m16n8k64.kind::f8f6f4.row.col.f32.e4m3.e4m3.f32",
            "SM120_SPARSE_16x8x64_TN<float_e4m3_t,float_e4m3_t,float>",
        ),
    ] {
        assert_eq!(reads(text), Ok(format!("atom({name})")), "{text}");
    }
    let scaled = "mma.sync.aligned.kind::mxf4.sp::ordered_metadata.block_scale.scale_vec::2X.m16n8k128.row.col.f32.e2m1.e2m1.f32.ue8m0";
    assert!(reads(scaled).is_err_and(|error| error.contains("no instruction of assembly")), "{:?}", reads(scaled));
}
