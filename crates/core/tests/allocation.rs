//! Static layouts of up to eight leaves are computed without touching the heap.

use allocation_counter::measure;
use bitstride::cute::{self, Tiler};
use bitstride::{StaticLayout, Tuple};

fn layout(text: &str) -> StaticLayout {
    text.parse().expect(text)
}

fn check<T, E: std::fmt::Debug>(name: &str, operation: impl Fn() -> Result<T, E>) {
    let mut answered = false;
    let info = measure(|| answered = std::hint::black_box(operation()).is_ok());
    assert!(answered, "{name} was refused");
    assert_eq!(info.count_total, 0, "{name} allocated");
}

#[test]
fn the_usual_operations_stay_off_the_heap() {
    let (a, b) = (layout("(10,2):(16,4)"), layout("(5,4):(1,5)"));
    check("composition", || cute::composition(&a, &b));
    let wide = layout("((2,2),(2,2),(2,2),(2,2)):((1,2),(4,8),(16,32),(64,128))");
    let rows = layout("((2,2),(2,2),(2,2),(2,2)):((128,64),(32,16),(8,4),(2,1))");
    check("composition of eight leaves", || cute::composition(&rows, &wide));
    check("coalesce", || cute::coalesce(&wide));
    check("filter", || cute::filter(&wide));
    let target = Tuple::leaf(1 << 20);
    let gaps = layout("(2,4,3,2):(1,6,24,144)");
    check("complement", || cute::complement(&gaps, &target));
    check("right_inverse", || cute::right_inverse(&rows));
    check("left_inverse", || cute::left_inverse(&rows));
    check("evaluation", || rows.offset(&200));
    check("cosize", || cute::cosize(&rows));
    check("equality", || cute::same_function(&wide, &rows));
    let tile = Tiler::Layout(layout("4:2"));
    check("logical_divide", || cute::logical_divide(&layout_of_three(), &tile));
    let tiles = Tiler::Modes(vec![Tiler::Layout(layout("3:3")), Tiler::Layout(layout("(2,4):(1,8)"))]);
    let matrix = layout("(9,(4,8)):(59,(13,1))");
    check("zipped_divide", || cute::zipped_divide(&matrix, &tiles));
    check("tiled_divide", || cute::tiled_divide(&matrix, &tiles));
    let (block, copies) = (layout("(2,2):(4,1)"), layout("(4,2):(2,1)"));
    let repeat = Tiler::Layout(copies.clone());
    check("logical_product", || cute::logical_product(&block, &repeat));
    check("layout_add", || cute::layout_add(&block, &block));
}

fn layout_of_three() -> StaticLayout {
    // Built without the parser, which allocates.
    let (shape, stride) = (Tuple::flat(&[4, 2, 3]), Tuple::flat(&[2, 1, 8]));
    StaticLayout::new(shape, stride).expect("congruent")
}
