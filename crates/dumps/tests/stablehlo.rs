//! What is read of a program of StableHLO.

use bitstride::sharding::Sharding;
use bitstride_dumps::stablehlo::{Dump, Sharded};
use bitstride_dumps::{Condition, Field, read};

const PROGRAM: &str = include_str!("../../../docs/sharding.in/step.mlir");

fn dump(text: &str) -> Dump {
    Dump::read(text.as_bytes(), None).expect("a text is read to its end")
}

/// Names, types and shardings as they are listed, with their counts.
fn listed<'d>(dump: &'d Dump) -> Vec<(&'d str, &'d str, &'d str, u64)> {
    let short = |text: &'d str| str::strip_prefix(text, "#sdy.sharding").unwrap_or(text);
    let of = |one: &'d Sharded| (one.name.as_str(), one.tensor.as_str(), short(one.text.as_str()), one.count);
    dump.shardings.iter().map(of).collect()
}

#[test]
fn a_program_is_read_whole() {
    let dump = dump(PROGRAM);
    assert_eq!((dump.module.as_str(), dump.meshes.len(), dump.unread_count), ("jit_step", 1, 0));
    assert_eq!(
        listed(&dump),
        [
            ("%arg0", "tensor<32x64xbf16>", r#"<@mesh, [{"data"}, {}]>"#, 1),
            ("%arg1", "tensor<64x255xbf16>", r#"<@mesh, [{}, {"model"}]>"#, 1),
            ("result 0", "tensor<32x255xbf16>", r#"<@mesh, [{"data"}, {}]>"#, 2),
            ("%0", "tensor<32x255xbf16>", r#"<@mesh, [{"data"}, {"model"}]>"#, 2),
        ]
    );
    let mesh = r#"mesh(data=2,model=4)"#;
    for one in &dump.shardings {
        let text = format!("shard({}, {}, {mesh})", one.tensor, one.text);
        assert_eq!(Ok(&one.sharding), text.parse::<Sharding>().as_ref(), "{text}");
    }
    let report = dump.report(None);
    for section in &report.sections {
        for item in &section.items {
            for (field, _) in &item.fields {
                let condition = format!("{} {field}", section.kind).parse::<Condition>();
                assert!(condition.is_ok(), "{} has a field {field} that no condition may name", section.kind);
            }
        }
    }
    let reshard = report.sections.iter().find(|section| section.kind == "reshard").map(|section| &section.items);
    let item = reshard.and_then(|items| items.first()).expect("one change of sharding");
    // Four devices hold 64 columns of 16 rows, the last one 63; each gets what the other three hold.
    assert_eq!(item.field("bytes"), Some(&Field::Number(2 * 2 * 16 * 3 * 255)));
    assert_eq!(item.field("bytes_of_device"), Some(&Field::Number(2 * 16 * 192)));
}

#[test]
fn functions_do_not_know_the_values_of_others() {
    let dump = dump(
        r#"sdy.mesh @m = <["x"=2]>
func.func @f(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
}
func.func @g(%a: tensor<4xf32>) {
  %0 = sdy.reshard %a <@m, [{}]> : tensor<4xf32>
  %1 = sdy.reshard %0 <@m, [{"x"}]> : tensor<4xf32>
}
"#,
    );
    let changes: Vec<(&str, u64)> = dump.reshards.iter().map(|one| (one.name.as_str(), one.line)).collect();
    assert_eq!(changes, [("%1", 6)]);
}

#[test]
fn results_have_their_types_behind_the_region() {
    let dump = dump(
        r#"sdy.mesh @m = <["x"=2, "y"=2]>
func.func @f(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}]>, <@m, [{}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x8xf32>) {
    %1 = "stablehlo.reduce"(%b) ({
    }) : (tensor<2x8xf32>) -> tensor<2xf32>
    sdy.return %1, %b : tensor<2xf32>, tensor<2x8xf32>
  } : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<2x16xf32>)
}
"#,
    );
    assert_eq!(dump.unread_count, 0);
    let of = |name: &str| dump.shardings.iter().find(|one| one.name == name).map(|one| one.tensor.as_str());
    assert_eq!((of("%0#0"), of("%0#1")), (Some("tensor<4xf32>"), Some("tensor<2x16xf32>")));
    assert_eq!(dump.reshards.len(), 1, "the operand is cut along x");
}

/// An operation with regions, two results of several names, and a loop.
fn regions(one: impl Fn(&[&str]) -> String, argument: &str, copy: &str) -> String {
    format!(
        r#"func.func @f(%a: tensor<4xf32> {{{argument}}}, %i: tensor<i32>) {{
  %0 = "stablehlo.case"(%i) ({{
    %1 = stablehlo.negate %a {cut} : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }}, {{
    stablehlo.return %a : tensor<4xf32>
  }}) {cut} : (tensor<i32>) -> tensor<4xf32>
  %v, %w = mhlo.topk(%0, k = 2) {whole} : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %2:2 = stablehlo.while(%b = %i, %c = %0) : tensor<i32>, tensor<4xf32> attributes {both}
   cond {{
    stablehlo.return %k : tensor<i1>
  }} do {{
    stablehlo.return %b, %c : tensor<i32>, tensor<4xf32>
  }}
  %3 = {copy} : tensor<4xf32>
}}
"#,
        cut = one(&["x"]),
        whole = one(&["", ""]),
        both = one(&["scalar", "x"]),
    )
}

#[test]
fn all_results_have_the_shardings_behind_their_regions() {
    let shardy = |axes: &[&str]| {
        let of = |axis: &&str| match *axis {
            "x" => r#"<@m, [{"x"}]>"#,
            "scalar" => "<@m, []>",
            _ => "<@m, [{}]>",
        };
        let each = axes.iter().map(of).collect::<Vec<_>>();
        format!("{{sdy.sharding = #sdy.sharding_per_value<[{}]>}}", each.join(", "))
    };
    let xla = |axes: &[&str]| {
        let of = |axis: &&str| if *axis == "x" { "{devices=[2]<=[2]}" } else { "{replicated}" };
        let each = axes.iter().map(of).collect::<Vec<_>>().join(", ");
        format!("{{mhlo.sharding = \"{}\"}}", if axes.len() > 1 { format!("{{{each}}}") } else { each })
    };
    let of_shardy = r#"sdy.sharding = #sdy.sharding<@m, [{"x"}]>"#;
    let of_xla = r#"mhlo.sharding = "{devices=[2]<=[2]}""#;
    for text in [
        "sdy.mesh @m = <[\"x\"=2]>\n".to_owned() + &regions(shardy, of_shardy, "sdy.reshard %2#1 <@m, [{}]>"),
        "module @f attributes {mhlo.num_partitions = 2 : i32} {\n".to_owned()
            + &regions(xla, of_xla, r#"mhlo.copy %2#1 {mhlo.sharding = "{replicated}"}"#),
    ] {
        let dump = dump(&text);
        assert_eq!(dump.unread_count, 0, "{text}\n{:?}", dump.unread);
        assert_eq!(dump.shardings.iter().map(|one| one.count).sum::<u64>(), 8, "{text}");
        let changes: Vec<&str> = dump.reshards.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(changes, ["%3"], "{text}");
    }
}

/// A sharding of no value, of a value whose type is not known, and one within another text.
#[test]
fn no_sharding_is_passed_over() {
    let dump = dump(
        r##"sdy.mesh @m = <["x"=2]>
func.func @f(%a: tensor<4xf32>) {
  stablehlo.custom_call @g(%a) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> ()
  %0 = sdy.manual_computation(%b) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"} (%c: tensor<2xf32>) {
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @h(%a) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[]>"}} : (tensor<4xf32>) -> tensor<2xf32>
  %2:2 = stablehlo.recv(%t) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>, <@m, []>]>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
}
"##,
    );
    let unread: Vec<(u64, &str)> = dump.unread.iter().map(|one| (one.line, one.error.code().as_str())).collect();
    assert_eq!(unread, [(3, "rank-mismatch"), (4, "missing-fact"), (7, "missing-dim")]);
    assert_eq!(dump.shardings.len(), 1);
}

#[test]
fn one_device_that_holds_all_is_said() {
    let report = dump(r#"func.func @f(%a: tensor<4xf32> {mhlo.sharding = "{maximal device=1}"}) {"#).report(None);
    let text: Vec<&str> = report
        .sections
        .iter()
        .flat_map(|section| &section.items)
        .flat_map(|item| &item.text)
        .map(String::as_str)
        .collect();
    assert_eq!(text.last(), Some(&"device 1 holds all of it, and the others nothing"));
}

#[test]
fn sums_are_combined_along_the_axes_that_are_named() {
    let dump = dump(
        r#"sdy.mesh @m = <["x"=2, "y"=2]>
func.func @f(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_reduce max {"y"} %a out_sharding=<@m, [{"x"}, {}]> : tensor<4x8xf32>
  %1 = sdy.reduce_scatter [{"y"}, {}] %a out_sharding=<@m, [{"x", "y"}, {}]> : tensor<4x8xf32>
  %2 = sdy.all_slice [{}, {"y"}] %0 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<4x8xf32>
  %3 = sdy.all_to_all [{"y"}: 1->0] %2 out_sharding=<@m, [{"x", "y"}, {}]> : tensor<4x8xf32>
  %4 = sdy.collective_permute %3 out_sharding=<@m, [{"y", "x"}, {}]> : tensor<4x8xf32>
  %5 = sdy.all_reduce {"z"} %a out_sharding=<@m, [{"x"}, {}]> : tensor<4x8xf32>
}
"#,
    );
    assert_eq!(dump.reshards[0].from, r#"#sdy.sharding<@m, [{"x"}, {}], unreduced=max{"y"}>"#);
    let report = dump.report(None);
    let section = report.sections.iter().find(|section| section.kind == "reshard").expect("changes");
    let judged: Vec<(&Field, &Field)> = section
        .items
        .iter()
        .filter_map(|item| Some((item.field("movement")?, item.field("bytes_of_device")?)))
        .collect();
    let of = |movement: &str, bytes: i64| (Field::Text(movement.to_owned()), Field::Number(bytes));
    let expected =
        [of("all-reduce", 64), of("reduce-scatter", 32), of("local slice", 0), of("all-to-all", 16), of("permute", 32)];
    assert_eq!(judged, expected.iter().map(|(movement, bytes)| (movement, bytes)).collect::<Vec<_>>());
    let unread: Vec<(u64, &str)> = dump.unread.iter().map(|one| (one.line, one.error.code().as_str())).collect();
    assert_eq!(unread, [(8, "missing-dim")]);
}

#[test]
fn types_of_jax_programs_are_read() {
    let dump = dump(
        r##"module @f attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{m = #sdy.mesh<[\22x\22=2]>}"}, mhlo.num_partitions = 2 : i32} {
func.func public @main(%arg0: tensor<2xui32> {sdy.sharding = #sdy.sharding<@m, [{}]>} loc("key"), %arg1: !stablehlo.token) -> (!stablehlo.token, tensor<4xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0, %1 = stablehlo.rng_bit_generator %arg0 {mhlo.sharding = "{replicated}"} : (tensor<2xui32>) -> (tensor<2xui32>, tensor<4x2xui32>)
  %2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%1) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@m, [{\22x\22}, {}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<4x2xui32>) -> tensor<2x2xui32>
  %3 = stablehlo.reduce(%2 init: %c) : (tensor<2x2xui32>, tensor<ui32>) -> tensor<?xui32>
  %4 = sdy.sharding_constraint %3 <@m, [{"x"}]> : tensor<?xui32>
"##,
    );
    let of = |one: &Sharded| format!("{} {} {} {}", one.name, one.tensor, one.text, one.count);
    assert_eq!(
        dump.shardings.iter().map(of).collect::<Vec<_>>(),
        [
            "%arg0 tensor<2xui32> #sdy.sharding<@m, [{}]> 1",
            r#"result 1 tensor<4xcomplex<f32>> #sdy.sharding<@m, [{"x"}]> 1"#,
            "%0 tensor<2xui32> {replicated} 1",
            "%1 tensor<4x2xui32> {replicated} 1",
            r#"%1 tensor<4x2xui32> #sdy.sharding<@m, [{"x"}, {}]> 1"#,
        ]
    );
    let unread: Vec<(u64, &str)> = dump.unread.iter().map(|one| (one.line, one.error.code().as_str())).collect();
    assert_eq!(unread, [(6, "missing-fact")], "{:?}", dump.unread);
}

#[test]
fn another_section_may_have_another_mesh_of_the_name() {
    let section = |size: i64| {
        format!(
            r#"sdy.mesh @m = <["x"={size}]>
func.func @f(%a: tensor<4xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"x"}}]>}}) {{
}}
"#
        )
    };
    let dump = dump(&format!("{}// -----\n{}", section(2), section(4)));
    let devices: Vec<_> = dump.shardings.iter().map(|one| one.sharding.devices()).collect();
    assert_eq!(devices, [Ok(2), Ok(4)]);
}

#[test]
fn what_is_not_read_is_listed() {
    let dump = dump(
        r#"module @m attributes {mhlo.num_partitions = 4 : i32} {
func.func @f(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@other, [{"x"}]>}, %b: tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
  %0 = mhlo.copy %b {mhlo.sharding = "{devices=[3]<=[4]}"} : tensor<4xf32>
"#,
    );
    let unread: Vec<(u64, &str)> = dump.unread.iter().map(|one| (one.line, one.error.code().as_str())).collect();
    assert_eq!(unread, [(2, "missing-fact"), (3, "rank-mismatch")]);
    assert_eq!(dump.shardings.first().map(|one| one.sharding.devices()), Some(Ok(4)), "the module says it");
}

#[test]
fn the_beginning_says_what_an_mlir_file_is() {
    let kinds = |text: &str| read(text.as_bytes(), Some(bitstride_dumps::Dialect::Ttgir), None).expect("text").dialect;
    assert_eq!(kinds(PROGRAM).words(), "StableHLO");
    assert_eq!(kinds("module { tt.func @f() }").words(), "TTGIR of Triton");
}
