//! What is read of a TTGIR file, and that every type in it is what the calculator answers.

use bitstride_dumps::ttgir::{Distance, Dump};
use bitstride_dumps::{Condition, Report};
use bitstride_lang::evaluate;

const KERNEL: &str = include_str!("../../../docs/files.in/kernel.ttgir");

fn dump(text: &str) -> Dump {
    Dump::read(text.as_bytes(), None).expect("a text is read to its end")
}

#[test]
fn a_kernel_is_read_whole() {
    let dump = dump(KERNEL);
    let names: Vec<(&str, u64)> = dump.aliases.iter().map(|alias| (alias.name.as_str(), alias.line)).collect();
    assert_eq!(names, [("#blocked", 1), ("#rows", 2), ("#mma", 3), ("#shared", 4), ("#smem", 5)]);
    assert_eq!((dump.lines, dump.types.len(), dump.unread_count), (20, 8, 0));
    assert_eq!(dump.allocations.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["%a", "%ring"]);
    // 8 KiB and three buffers of it, until the ring is freed.
    assert_eq!((dump.peak.bytes, dump.peak.scratch, dump.peak.line), (32 << 10, 0, 11));
    assert!(dump.uncounted_scratch.is_empty());
    let conversion = dump.conversions.first().expect("a conversion");
    assert_eq!((conversion.line, conversion.movement.distance, conversion.bytes), (17, Distance::Warps, 8192));
    let first = conversion.movement.first.as_ref().expect("an element that moves");
    assert_eq!(first.element, [0, 2]);
    let vectors: Vec<_> = dump.accesses.iter().map(|one| (one.line, one.vector.clone().map(|v| v.elements))).collect();
    assert_eq!(vectors, [(10, Ok(8)), (12, Ok(2)), (13, Ok(1))]);
}

/// The types of a file with its aliases written out by hand, so that nothing is shared with the reader.
#[test]
fn a_type_is_what_the_calculator_answers_to_it() {
    let blocked = |per: &str, lanes: &str, order: &str| {
        format!(
            "#ttg.blocked<{{sizePerThread = {per}, threadsPerWarp = {lanes}, warpsPerCTA = [2, 2], order = {order}}}>"
        )
    };
    let mut attributes: Vec<(String, String, bool)> = Vec::new();
    for (at, (per, lanes, order)) in
        [("[1, 4]", "[8, 4]", "[1, 0]"), ("[4, 1]", "[4, 8]", "[0, 1]"), ("[2, 2]", "[32, 1]", "[1, 0]")]
            .into_iter()
            .enumerate()
    {
        attributes.push((format!("#b{at}"), blocked(per, lanes, order), false));
    }
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
    attributes.push(("#m".into(), mma.into(), false));
    attributes.push(("#a".into(), "#ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 2}>".into(), false));
    attributes.push(("#b".into(), "#ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 4}>".into(), false));
    attributes.push((
        "#s".into(),
        "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>".into(),
        true,
    ));
    attributes.push(("#p".into(), "#ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>".into(), true));
    let mut file = String::new();
    for (name, attribute, _) in &attributes {
        file += &format!("{name} = {attribute}\n");
    }
    let mut wanted = Vec::new();
    let whole = |attribute: &str| {
        let (inner, outer) = (" = #m,", format!(" = {mma},"));
        attribute.replace(inner, &outer)
    };
    for (name, attribute, is_memory) in &attributes {
        for (shape, part) in [("64x64", ""), ("128x32", ""), ("16x16", ", 64x64"), ("2x64x64", "")] {
            for element in ["f16", "i1", "f32", "!tt.ptr<f16>"] {
                let (open, rest) = match is_memory {
                    true => ("!ttg.memdesc", format!(", #ttg.shared_memory, mutable{part}")),
                    false => ("tensor", String::new()),
                };
                file += &format!("  %0 = x.y %1 : {open}<{shape}x{element}, {name}{rest}> loc(#loc)\n");
                wanted.push(format!("{open}<{shape}x{element}, {}{rest}>", whole(attribute)));
            }
        }
    }
    let dump = dump(&file);
    let mut answered = 0;
    for text in &wanted {
        let known = dump.types.iter().find(|known| known.facts.inlined == *text);
        match evaluate(text) {
            Ok(answer) => {
                assert_eq!(known.map(|known| &known.facts.value), Some(&answer.value), "{text}");
                answered += 1;
            }
            Err(_) => assert!(known.is_none(), "{text}"),
        }
    }
    assert!(answered >= 70, "{answered}");
    // What the calculator refuses is listed, and once.
    assert!(dump.unread_count > 0 && dump.unread.iter().all(|one| one.what == "type"), "{:?}", dump.unread);
}

#[test]
fn aliases_hold_in_their_section() {
    let one = "#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>\n";
    let other = one.replace("[4]", "[2]");
    let line = "%0 = x.y : tensor<128xf32, #b>\n";
    let parted = dump(&format!("{one}{line}// -----\n{other}{line}// -----\n{line}"));
    assert_eq!((parted.types.len(), parted.sections, parted.unread_count), (2, 2, 1));
    // Within a section the later one holds from there on.
    let again = dump(&format!("{one}{line}{other}{line}"));
    assert_eq!(again.types.iter().map(|known| known.line).collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn an_allocation_is_in_use_up_to_its_last_line() {
    let file = "
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func @f() {
  %a = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #s, #ttg.shared_memory, mutable>
  scf.if %c {
    ttg.local_dealloc %a : !ttg.memdesc<64xf32, #s, #ttg.shared_memory, mutable>
  } else {
    %b = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #s, #ttg.shared_memory, mutable>
    ttg.local_dealloc %b : !ttg.memdesc<64xf32, #s, #ttg.shared_memory, mutable>
  }
  %d = ttg.local_alloc {x = 1 : i32} : () -> !ttg.memdesc<32xf32, #s, #ttg.shared_memory, mutable>
}
tt.func @g() {
  %a = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #s, #ttg.shared_memory, mutable>
  ttg.local_dealloc %a : !ttg.memdesc<64xf32, #s, #ttg.shared_memory, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #s, #ttg.shared_memory, mutable>
}
";
    // As Triton allocates it: what is freed in one branch is not in use in the other.
    let peak = dump(file).peak;
    assert_eq!((peak.bytes, peak.line), (256, 4));
}

/// The numbers are `ttg.shared` of Triton 3.9.
#[test]
fn scratch_of_conversions_counts_where_the_gpu_is_known() {
    let file = |target: &str| {
        format!(
            "
#a = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}}>
#b = #ttg.blocked<{{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}}>
#s = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}}>
module attributes {{{target}\"ttg.num-warps\" = 4 : i32}} {{
tt.func @f(%x: tensor<64x64xf32, #a>) {{
  %m = ttg.local_alloc %x : (tensor<64x64xf32, #a>) -> !ttg.memdesc<64x64xf32, #s, #ttg.shared_memory>
  %y = ttg.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
  %z = ttg.local_load %m : !ttg.memdesc<64x64xf32, #s, #ttg.shared_memory> -> tensor<64x64xf32, #a>
  %r = \"tt.reduce\"(%z) <{{axis = 1 : i32}}> ({{
  ^bb0(%p: f32, %q: f32):
    tt.reduce.return %p : f32
  }}) : (tensor<64x64xf32, #a>) -> tensor<64xf32, #ttg.slice<{{dim = 1, parent = #a}}>>
  tt.return
}}
}}
"
        )
    };
    let known = dump(&file("ttg.target = \"cuda:80\", "));
    let names = |dump: &Dump| dump.uncounted_scratch.iter().cloned().collect::<Vec<_>>();
    assert_eq!((known.peak.bytes, known.peak.scratch, known.peak.line), (32768, 16384, 8));
    assert_eq!(names(&known), ["tt.reduce"]);
    let unknown = dump(&file(""));
    assert_eq!((unknown.peak.bytes, unknown.peak.line), (16384, 7));
    assert_eq!(names(&unknown), ["tt.reduce", "ttg.convert_layout"]);
}

#[test]
fn other_writings_of_the_same_are_read() {
    let file = "
#blocked = #triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#shared = #triton_gpu.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], hasLeadingOffset = false}>
!t = tensor<16x16xf32, #blocked>
\"builtin.module\"() ({
  %0 = \"x.y\"() : () -> !t // tensor<99x99xf32, #nothing>
  %1 = triton_gpu.convert_layout %0 : (tensor<16x16xf32, #blocked>) -> !t
  %2 = triton_gpu.local_alloc : () -> !tt.memdesc<16x16xf32, #shared, mutable>
  %3 = \"ttg.local_load\"(%2) : (!tt.memdesc<16x16xf32, #shared, mutable>) -> !t
  %4 = tt.print \"tensor<1x1xf32, #text>\"
  %5 = ttng.copy %d : !tt.tensordesc<16x16xf32, #shared> -> <16x16xf32, #shared, mutable>
})
";
    let dump = dump(file);
    assert_eq!(dump.unread.iter().map(|one| one.error.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!(dump.conversions.iter().map(|one| one.movement.distance).collect::<Vec<_>>(), [Distance::Nothing]);
    assert_eq!((dump.allocations.len(), dump.accesses.len(), dump.types.len()), (1, 1, 3));
    assert!(dump.aliases.iter().all(|alias| alias.notes.iter().any(|note| note.contains("older name"))));
}

#[test]
fn conditions_name_the_fields_that_reports_have() {
    let broken = "%0 = x.y : tensor<4x4xf32, #none>\n";
    let padded = "#p = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>\n\
                  %p = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #p, #smem, mutable>\n";
    let report: Report = dump(&format!("{KERNEL}{broken}{padded}")).report(None);
    let mut seen = 0;
    for section in &report.sections {
        for item in &section.items {
            for (field, _) in &item.fields {
                let condition = format!("{} {field}", section.kind).parse::<Condition>();
                assert!(condition.is_ok(), "{} has no field {field}", section.kind);
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn an_alias_may_take_several_lines_or_share_one() {
    let file = "
#linear=#ttg.linear<{register = [[0, 1]], // eight rows
                     lane = [[1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>#b = #ttg.slice<{dim = 0, parent = #linear}>
#broken = #ttg.blocked<{sizePerThread = [1],
tt.func @f(%x: tensor<8x2xf32, #linear>, %y: tensor<32xf32, #a>, %z: tensor<2xf32, #b>) {
";
    let dump = dump(file);
    assert_eq!(dump.types.len(), 3);
    assert_eq!(dump.unread.iter().map(|one| (one.line, one.what)).collect::<Vec<_>>(), [(5, "alias")]);
}

/// Results that follow from their operands say nothing; one that does not is said with what follows, both ways.
#[test]
fn a_declared_type_follows_from_its_operand_or_is_a_conflict() {
    let file = "
#p = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#j = #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
  %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<16x64xf32, #p> -> tensor<64x16xf32, #t>
  %1 = tt.trans %a {order = array<i32: 1, 0>} : tensor<16x64xf32, #p> -> tensor<64x16xf32, #p>
  %2 = tt.join %a, %a : tensor<16x64xf32, #p> -> tensor<16x64x2xf32, #j>
  %3, %4 = tt.split %2 : tensor<16x64x2xf32, #j> -> tensor<16x64xf32, #t>
  %5 = \"tt.reduce\"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<16x64xf32, #p>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #p}>>
  %6 = tt.expand_dims %5 {axis = 0 : i32} : tensor<16xf32, #ttg.slice<{dim = 1, parent = #p}>> -> tensor<1x16xf32, #p>
";
    let dump = dump(file);
    let conflicts: Vec<(u64, &str)> = dump.conflicts.iter().map(|one| (one.line, one.operation.as_str())).collect();
    assert_eq!(conflicts, [(6, "tt.trans"), (8, "tt.split"), (13, "tt.expand_dims")]);
    let first = dump.conflicts.first().map(|one| &one.conflict).expect("a conflict");
    assert_eq!(first.difference, "register 1 holds (1, 0) by inference and (0, 1) as declared");
    let transposed = "sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]";
    assert!(first.forward.as_ref().is_ok_and(|encoding| encoding.contains(transposed)));
    assert!(first.backward.as_ref().is_some_and(|encoding| encoding.contains(transposed)));
    let report = bitstride_dumps::read(file.as_bytes(), Some(bitstride_dumps::Dialect::Ttgir), None);
    let conflicts = report.expect("a text").sections.into_iter().find(|section| section.kind == "conflict");
    let said =
        conflicts.map(|section| section.items.iter().map(|item| item.text.join("\n")).collect::<Vec<_>>().join("\n"));
    assert!(said.is_some_and(|said| said.contains("the declared result would follow from: #ttg.blocked")));
}

/// Triton's verifier compares both encodings on the shape before the broadcast: registers, lanes and warps may go on in any way
/// along a dim that is repeated.
#[test]
fn a_broadcast_is_compared_before_it() {
    let file = "
#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [1, 4], order = [1, 0]}>
  %1 = tt.broadcast %x : tensor<4x1xi32, #a> -> tensor<4x1024xi32, #b>
  %2 = tt.broadcast %x : tensor<4x1xi32, #a> -> tensor<4x1024xi32, #c>
  %3 = tt.broadcast %x : tensor<4x1xi32, #a> -> tensor<4x1024xi32, #a>
  %4 = tt.broadcast %x : tensor<2x1xi32, #a> -> tensor<4x1024xi32, #a>
";
    let dump = dump(file);
    let conflicts: Vec<(u64, &str)> =
        dump.conflicts.iter().map(|one| (one.line, one.conflict.difference.as_str())).collect();
    let extents = "range: dim 0 has 2 elements before the broadcast and 4 after it";
    assert_eq!(conflicts, [(6, "register 1 holds (1, 0) by inference and (2, 0) as declared"), (8, extents)]);
}

/// What is gathered lies as its indices do, two tensors one after the other have twice the registers, and a byte becomes two
/// neighbours in a thread.
#[test]
fn gathers_concatenations_and_pairs_of_floats_are_checked() {
    let file = "
#p = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#w = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
  %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<64x32xf32, #t>, tensor<16x32xi32, #p>) -> tensor<16x32xf32, #p>
  %1 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<64x32xf32, #t>, tensor<16x32xi32, #p>) -> tensor<16x32xf32, #t>
  %2 = tt.gather %a[%i] {axis = 1 : i32} : (tensor<64x32xf32, #t>, tensor<16x32xi32, #p>) -> tensor<16x32xf32, #p>
  %3 = tt.cat %a, %b : tensor<16x32xf32, #p> -> tensor<16x64xf32, #w>
  %4 = tt.cat %a, %b : tensor<16x32xf32, #p> -> tensor<16x32xf32, #p>
  %5 = ttg.fp4_to_fp %a {axis = 1 : i32} : tensor<16x32xi8, #p> -> tensor<16x64xbf16, #w>
  %6 = ttg.fp4_to_fp %a {axis = 1 : i32} : tensor<16x32xi8, #p> -> tensor<16x64xbf16, #p>
  %7 = ttg.fp4_to_fp %a {axis = 0 : i32} : tensor<16x32xi8, #p> -> tensor<32x32xbf16, #w>
";
    let dump = dump(file);
    assert!(dump.unread.is_empty(), "{:?}", dump.unread);
    let conflicts: Vec<(u64, &str)> =
        dump.conflicts.iter().map(|one| (one.line, one.conflict.difference.as_str())).collect();
    assert_eq!(
        conflicts,
        [
            (6, "the encoding is not that of the indices"),
            (7, "range: the indices have 16 elements along dim 0, the source has 64"),
            (9, "a thread of the result has not twice the registers of an operand, copies left out"),
            (11, "register 2 holds (0, 16) by inference and (0, 2) as declared"),
            (
                12,
                "no-layout: a thread does not hold an element with an even index along dim 0 and the next one in two registers"
            ),
        ]
    );
}

/// The passes of an access are what the calculator answers to its two types, and a condition finds those with conflicts.
#[test]
fn an_access_has_the_wavefronts_of_its_types() {
    let blocked =
        "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>";
    let shared =
        |max: i64| format!("#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = {max}, order = [1, 0]}}>");
    let tensor = format!("tensor<128x32xf32, {blocked}>");
    let memory = |max: i64| format!("!ttg.memdesc<128x32xf32, {}, #ttg.shared_memory, mutable>", shared(max));
    let body = format!(
        "ttg.local_store %x, %m : {tensor} -> {}\n%y = ttg.local_load %n : {} -> {tensor}\n\
         %z = ttg.local_load %m : {} -> {tensor}\n",
        memory(32),
        memory(32),
        memory(1)
    );
    let of = |target: &str| dump(&format!("module attributes {{ttg.target = \"{target}\"}} {{\n{body}}}\n"));
    for (target, machine) in [("cuda:90", "nvidia"), ("hip:gfx950", "amd")] {
        let read = of(target);
        for access in &read.accesses {
            let text = |at: usize| read.types[at].facts.inlined.clone();
            let word = if access.is_load() { "ld" } else { "st" };
            let ask = format!("wavefronts({}, {}, 32, {word}, {machine})", text(access.memory), text(access.tensor));
            let answer = evaluate(&ask).expect(&ask).value.to_string();
            let known = access.cost.map(|cost| cost.wavefronts.to_string());
            assert_eq!(known, Some(answer), "{target} line {}", access.line);
        }
        let conflicts: Vec<Option<i64>> = read.accesses.iter().map(|access| access.conflicts()).collect();
        assert_eq!(conflicts.len(), 3, "{target}");
        if machine == "nvidia" {
            assert_eq!(conflicts, [Some(0), Some(0), Some(896)]);
            // The one with conflicts comes first.
            let report = read.report(None);
            let found = |condition: &str| {
                let condition: Condition = condition.parse().expect("a condition");
                let items =
                    report.sections.iter().flat_map(|section| section.items.iter().map(|item| (section.kind, item)));
                items.filter(|(kind, item)| condition.holds(kind, item)).count()
            };
            assert_eq!((found("load conflicts > 0"), found("store conflicts > 0"), found("load")), (1, 0, 2));
        }
    }
    assert!(of("hip:gfx942").accesses.iter().all(|access| access.cost.is_none()));
}
