//! What is read of an HLO file.

use bitstride_dumps::hlo::Dump;
use bitstride_dumps::{Condition, Field};

const MODULE: &str = include_str!("../../../docs/files.in/module.hlo");

fn dump(text: &str) -> Dump {
    Dump::read(text.as_bytes(), None).expect("a text is read to its end")
}

#[test]
fn a_module_is_read_whole() {
    let dump = dump(MODULE);
    assert_eq!((dump.module.as_str(), dump.computations, dump.instructions), ("jit_step", 2, 10));
    assert_eq!(dump.unread_count, 0);
    let said: Vec<(&str, bool, &str)> =
        dump.moves.iter().map(|one| (one.opcode.as_str(), one.effect.free, one.effect.is.as_str())).collect();
    assert_eq!(
        said,
        [
            ("transpose", true, "the transpose (1,0)"),
            ("copy", false, "a relayout"),
            ("bitcast", true, "the transpose (1,0)"),
            ("copy", false, "a move from memory 0 to memory 1"),
            ("reshape", false, "a reshape"),
        ]
    );
    let parameters: Vec<(&str, Option<i64>)> =
        dump.parameters.iter().map(|one| (one.name.as_str(), one.number)).collect();
    assert_eq!(parameters, [("%x", Some(0))]);
    let shardings: Vec<(&str, u64)> = dump.shardings.iter().map(|one| (one.text.as_str(), one.count)).collect();
    assert_eq!(shardings, [("{devices=[2,1]<=[2]}", 1)]);
    let report = dump.report(None);
    let padded = report.sections.iter().find(|section| section.kind == "buffer").expect("buffers");
    let times: Vec<Option<&Field>> = padded.items.iter().map(|item| item.field("times")).collect();
    assert_eq!(times, [Some(&Field::Hundredths(1600)), Some(&Field::Hundredths(400))]);
    for section in &report.sections {
        for item in &section.items {
            for (field, _) in &item.fields {
                let condition = format!("{} {field}", section.kind).parse::<Condition>();
                assert!(condition.is_ok(), "{} has no field {field}", section.kind);
            }
        }
    }
}

#[test]
fn names_hold_in_their_computation() {
    let file = "HloModule m\n\
                %f (a: f32[2,3]) -> f32[2,3] {\n  %a = f32[2,3]{1,0} parameter(0)\n  %b = f32[2,3]{0,1} copy(%a)\n}\n\
                ENTRY %g (a: f32[4,5]) -> f32[4,5] {\n  %a = f32[4,5]{1,0} parameter(0)\n  %c = f32[4,5]{0,1} copy(%a)\n  \
                %d = f32[2,3]{0,1} copy(%b)\n}\n";
    let dump = dump(file);
    let bytes: Vec<i64> = dump.moves.iter().map(|one| one.effect.bytes).collect();
    assert_eq!(bytes, [24, 80]);
    let unread: Vec<(u64, &str)> = dump.unread.iter().map(|one| (one.line, one.what)).collect();
    assert_eq!(unread, [(9, "operand")]);
}

#[test]
fn other_writings_of_the_same_are_read() {
    let file = "HloModule m\n\nENTRY main {\n  x = f32[4,8]{1,0} parameter(0)\n  u = (f32[<=4,8]{1,0}, s32[]) custom-call(x)\n  \
                s = (f32[4,8]{0,1:S(1)}, f32[4,8]{1,0}, u32[]{:S(2)}) copy-start(x), async=1\n  \
                d = f32[4,8]{0,1:S(1)} copy-done(s)\n  \
                ROOT t = f32[8,4]{1,0} transpose(f32[4,8]{0,1:S(1)} d), dimensions={1,0}\n}\n";
    let dump = dump(file);
    assert_eq!(dump.unread.iter().map(|one| one.error.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    let said: Vec<&str> = dump.moves.iter().map(|one| one.effect.is.as_str()).collect();
    assert_eq!(said, ["a relayout and a move from memory 0 to memory 1", "the transpose (1,0)"]);
}

#[test]
fn attributes_of_several_lines_and_copies_of_tuples_are_read() {
    let file = "HloModule m\n\n  ENTRY main {\n    %x= f32[4,8]{1,0}parameter(0)\n    a = u32[] custom-call(x),\n      \
                target=\"t\",\n      attributes={\n        b=\"{0:1}\"\n      }\n    t = (f32[4,8]{1,0}, (u32[])) tuple(x, a)\n    \
                c = (f32[4,8]{0,1}, (u32[])) copy(t)\n    d = u32[] copy(a)\n  }\n";
    let dump = dump(file);
    assert_eq!(dump.unread.iter().map(|one| one.error.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    let said: Vec<(&str, i64, u64)> =
        dump.moves.iter().map(|one| (one.effect.is.as_str(), one.effect.bytes, one.count)).collect();
    assert_eq!(said, [("a relayout", 128, 1), ("a copy of the same layout", 4, 2)]);
}

#[test]
fn what_is_broken_is_listed_with_its_line() {
    let file = "HloModule m\n\nENTRY main {\n  %x = f32[4,8]{1,0} parameter(0)\n  %y = f33[4]{0} copy(%x)\n  \
                %z = f32[4,8]{0,1:T(0)} copy(%x)\n  %w = f32[4,8]{0,1} copy(\n  %v = f32[8,4]{0,1} copy(%x)\n";
    let dump = dump(file);
    let unread: Vec<(u64, &str)> = dump.unread.iter().map(|one| (one.line, one.what)).collect();
    assert_eq!(unread, [(5, "shape"), (6, "shape"), (7, "line"), (8, "shape"), (8, "line")]);
}

#[test]
fn an_instruction_may_take_several_lines_and_leave_its_shape_out() {
    let file = "HloModule m // of a test\n\nENTRY main {\n  %x = f32[4, 8]{1,0} parameter(0)\n  ROOT %t = (f32[4, 8]{1,0},\n    \
                /*index=1*/f32[4,8]{1,0}) tuple(x,\n    %x)\n  %u = tuple(%x)\n  %y = f32[4,8]{0,1} copy(x)\n} // main\n";
    let dump = dump(file);
    assert_eq!(dump.unread.iter().map(|one| one.error.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!((dump.instructions, dump.moves.len()), (4, 1));
}
