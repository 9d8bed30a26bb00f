//! Static layouts of up to eight leaves stay off the heap, in every operation of a kernel's inner loop; so do linear layouts of
//! up to 32 bases.

use std::hint::black_box;

use bitstride::cute::{self, Tiler};
use bitstride::linear::{LinearLayout, Name};
use bitstride::{Error, StaticLayout, Tuple};

fn layout(text: &str) -> StaticLayout {
    text.parse().expect("a layout")
}

/// Asserts that an operation answers, and how without asking for memory.
#[track_caller]
fn free<T>(name: &str, operation: impl Fn() -> Result<T, Error>) {
    assert!(operation().is_ok(), "{name} is answered");
    let used = allocation_counter::measure(|| {
        let _ = black_box(operation());
    });
    assert_eq!(used.count_total, 0, "{name} asked for memory {} times", used.count_total);
}

#[test]
fn the_counter_counts() {
    let used = allocation_counter::measure(|| {
        let _ = black_box(vec![1_u8; 100]);
    });
    assert_eq!(used.count_total, 1);
}

#[test]
fn two_modes_and_four() {
    for (a, b) in [
        ("(10,2):(16,4)", "(5,4):(1,5)"),
        ("(4,2,3,8):(2,1,8,24)", "(4,6,2):(1,4,24)"),
        ("((2,2),(4,8)):((1,4),(2,8))", "(2,4):(1,2)"),
        ("(2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128)", "(2,2,2,2):(1,2,4,8)"),
        ("(2,2,2,2,2,2,2,2):(128,1,64,2,32,4,16,8)", "4:1"),
        ("(4,(2,2)):(0,(1,8))", "2:4"),
        ("(8,4):(-1,-8)", "(4,2):(1,8)"),
    ] {
        let (a, b) = (layout(a), layout(b));
        free("coalesce", || cute::coalesce(&a));
        free("composition", || cute::composition(&a, &b));
        free("right_inverse", || cute::right_inverse(&a));
        free("evaluation", || a.offset(&7));
        free("size", || a.size());
        free("cosize", || cute::cosize(&a));
        free("same_function", || cute::same_function(&a, &b));
        free("filter", || cute::filter(&a));
        let coordinate = Tuple::flat(&vec![1; a.rank()]);
        free("crd2idx", || cute::crd2idx(&coordinate, &a));
        free("idx2crd", || cute::idx2crd(&5, &a.shape()));
    }
}

#[test]
fn complements_divides_and_products() {
    for (a, tiler, target) in [
        ("(4,2,3):(2,1,8)", "4:2", 96),
        ("(4,4):(1,4)", "(2,2):(1,4)", 64),
        ("((2,2),4):((1,8),2)", "(2,2):(1,2)", 128),
        ("16:1", "(2,2,2):(1,4,8)", 32),
    ] {
        let (a, tile) = (layout(a), layout(tiler));
        let tiler = Tiler::from(tile.clone());
        let target = Tuple::leaf(target);
        free("complement", || cute::complement(&a, &target));
        free("complement_within", || cute::complement_within(&a));
        free("logical_divide", || cute::logical_divide(&a, &tiler));
        free("zipped_divide", || cute::zipped_divide(&a, &tiler));
        free("tiled_divide", || cute::tiled_divide(&a, &tiler));
        free("flat_divide", || cute::flat_divide(&a, &tiler));
        free("logical_product", || cute::logical_product(&a, &tiler));
        free("zipped_product", || cute::zipped_product(&a, &tiler));
    }
    let (a, tiles) =
        (layout("(8,(4,8)):(64,(8,1))"), Tiler::Modes(vec![Tiler::Extent(4), layout("(2,4):(1,8)").into()]));
    free("logical_divide by modes", || cute::logical_divide(&a, &tiles));
    free("zipped_divide by modes", || cute::zipped_divide(&a, &tiles));
    free("composition by modes", || cute::compose_tiler(&a, &tiles));
}

#[test]
fn usual_linear_layouts_stay_off_the_heap() -> Result<(), Error> {
    let (register, lane, warp) = (Name::REGISTER, Name::LANE, Name::WARP);
    let part = |size, from, to| LinearLayout::identity(size, from, Name::dim(to));
    let tile = part(4, register, 1)?.product(&part(8, lane, 1)?)?.product(&part(4, lane, 0)?)?;
    let rest = part(8, register, 0)?.product(&part(4, warp, 0)?)?;
    let whole = tile.product(&rest)?;
    let used = allocation_counter::measure(|| {
        assert!(tile.product(&rest).is_ok());
        assert!(whole.divide_left(&tile).is_some() && whole.divide_right(&rest).is_some());
        assert!(whole.invert().and_then(|inverse| whole.compose(&inverse)).is_ok());
        assert!(whole.pseudoinvert().is_ok() && whole.lstsq(&whole).is_ok());
        assert!(whole.minimal_cvt(&whole).is_ok_and(|rest| rest.ins().is_empty()));
        assert!(whole.transpose_outs(&[Name::dim(0), Name::dim(1)]).is_ok() && whole.flatten_ins().is_ok());
        assert!(whole.sublayout(&[register, lane], &[Name::dim(1)]).is_ok());
        assert!(whole.kernel().is_ok() && whole.image().is_ok() && whole.bruhat().is_ok());
        assert!(whole.resize_in_dim(lane, 8).is_ok() && whole.remove_zero_bases_along_dim(lane).is_ok());
        assert!(whole.num_consecutive_in_out() == 4 && !whole.free_variable_masks().is_empty());
        assert!(whole.reg_perm_for_divide(&tile, true).is_some() && whole.get_reps(&tile).is_some());
    });
    assert_eq!(used.count_total, 0);
    Ok(())
}
