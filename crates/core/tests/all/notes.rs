//! What answers are said with: where a layout goes on beyond its size, what is dropped, what is only a part.

use bitstride::Code;
use bitstride_lang::evaluate;

#[track_caller]
fn notes(expression: &str, wanted: &[&str]) {
    let answer = evaluate(expression).map_err(|error| error.to_string());
    assert_eq!(
        answer.map(|answer| answer.notes),
        Ok(wanted.iter().map(|note| (*note).to_owned()).collect()),
        "{expression}"
    );
}

#[test]
fn beyond_the_size() {
    let beyond = "uses 6:10 beyond its size: 8:1 reaches index 7 of 6, where the last mode goes on";
    notes("composition(6:10, 8:1)", &[beyond]);
    notes("composition((4,6):(1,10), <4,8>)", &[beyond]);
    notes("composition(Sw<1,0,2> o (4,6):(1,10), <_,8>)", &[beyond]);
    notes("composition((4,6):(1,10), <4,6>)", &[]);
    notes("logical_divide((4,6):(1,10), <4,4>)", &["covers 32 of 24"]);
    notes("tile_to_shape(((32,4),(16,4)):((16,4),(0,1)), (200,256), (1,0))", &["covers 256 of 200 along mode 0"]);
    notes("tile_to_shape((4,2):(1,4), (8,6))", &[]);
    notes("tile_to_shape((128,4):(1,128), (M,4))", &["covers 128*ceil_div(M,128) of M along mode 0"]);
    notes("tile_to_shape((128,4):(1,128), (M{div=128},4))", &[]);
    notes("crd2idx((5,1), (4,8):(8,1))", &["5 is beyond the 4 elements of 4, whose last mode goes on"]);
    notes("crd2idx(40, (4,8):(8,1))", &["40 is beyond the 32 elements of (4,8), whose last mode goes on"]);
    notes("crd2idx(-1, (4,8):(8,1))", &["-1 is below 0, where offsets mirror those above"]);
    notes("crd2idx((3,7), (4,8))", &[]);
    notes("idx2crd(32, (4,8))", &["32 is beyond the 32 elements of (4,8), whose last mode goes on"]);
    notes("crd2crd(7, (2,4), (2,3))", &["7 is beyond the 6 elements of (2,3), whose last mode goes on"]);
    notes("crd2idx((M,1), (4,8))", &[]);
    notes("slice((4,8):(8,1), (5,_))", &["5 is beyond the 4 elements of 4, whose last mode goes on"]);
    notes("(4,8):(8,1)(_,9)", &["9 is beyond the 8 elements of 8, whose last mode goes on"]);
    notes("slice((4,0):(8,1), (3,_))", &[]);
    notes("domain_offset((2,9), (8,8):(8,1))", &["9 is beyond the 8 elements of 8, whose last mode goes on"]);
    notes("domain_offset((2,4), (8,8):(8,1))", &[]);
    let tile = "7 is beyond the 4 elements of 4, whose last mode goes on";
    notes("local_tile((128,64):(64,1), (32,32), (7,_))", &[tile]);
    notes("local_tile((128,64):(64,1), (32,32), (3,1))", &[]);
}

#[test]
fn dropped_parts_and_overlaps() {
    let dropped = "<4> has no entry for the last modes, which are dropped: 6:10, 3:2";
    notes("composition((4,6,3):(1,10,2), <4>)", &[dropped]);
    notes("right_inverse((4,8):(1,5))", &["a part: it reaches 4 of 39 places"]);
    notes("right_inverse((4,8):(8,1))", &[]);
    notes("right_inverse((4,8):(1,0))", &[]);
    let repeated = "places are reached several times: it comes back to one element of each";
    notes("left_inverse((4,2):(1,2))", &[repeated]);
    notes("left_inverse((4,8):(1,5))", &[]);
    notes("logical_product((32,8), (4,1))", &["copies overlap: (32,0) and (0,1) are both at 32"]);
    notes("logical_product((32,8), make_layout((4,1)))", &[]);
}

/// CuTe means a tiler by a tuple of layouts and prints one so.
#[test]
fn layouts_in_round_brackets_are_one_layout() {
    let said = |layout: &str, tiler: &str| {
        format!(
            "the layouts in round brackets are one layout, {layout}; the tiler that has one for each mode is {tiler}"
        )
    };
    let one = said("(4,8):(1,4)", "<4:1, 8:4>");
    notes("logical_divide((16,32):(32,1), (4:1, 8:4))", &[&one]);
    notes("logical_product((2,2), (4:1, 8:4))", &[&one]);
    notes("logical_divide((16,32):(32,1), <4:1, 8:4>)", &[]);
    notes("logical_divide((16,32):(32,1), (4,8):(1,4))", &[]);
    let refused = evaluate("zipped_divide((16,32):(32,1), (4:1, 8:1))").expect_err("the modes overlap");
    assert!(refused.help().is_some_and(|help| help.contains("<4:1, 8:1>")), "{refused:?}");
}

#[test]
fn a_complement_takes_its_layout_first() {
    for (expression, help) in
        [("complement(24, 4:2)", "complement(4:2, 24)"), ("complement((3,4), 4:2)", "complement(4:2, (3,4))")]
    {
        let error = evaluate(expression).expect_err(expression);
        assert_eq!((error.code(), error.help()), (Code::Kind, Some(help)));
    }
    assert_eq!(evaluate("complement(4, 24)").map(|answer| answer.value.to_string()), Ok("6:4".into()));
}
