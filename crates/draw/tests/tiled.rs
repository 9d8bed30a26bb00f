//! What tiled arrays look like, and what is refused.

use bitstride::xla::{Array, Image, Place};
use bitstride::{Code, Error};
use bitstride_draw::scene::{TiledBy, TiledLook, TiledSubject, TiledView, tiled_picture};
use bitstride_draw::{Picture, TextOptions, svg, text};

fn picture(array: &str, view: TiledView, look: &TiledLook, columns: Option<usize>) -> Result<Picture, Error> {
    let array: Array = array.parse()?;
    tiled_picture(&[TiledSubject::new("", &array)?], view, look, columns)
}

fn draw(array: &str, view: TiledView, look: &TiledLook) -> Result<String, Error> {
    let options = TextOptions { max_width: 90, max_cells: 64, ..TextOptions::default() };
    Ok(text(&picture(array, view, look, Some(90))?, &options))
}

/// Checks a picture against the text below the opening quote.
fn check(array: &str, view: TiledView, look: &TiledLook, expected: &str) {
    let drawn = draw(array, view, look).expect(array);
    assert_eq!(drawn, expected.trim_start_matches('\n'), "drawn:\n{drawn}");
}

fn slice(pattern: &[Option<i64>]) -> TiledLook {
    TiledLook { slice: Some(pattern.to_vec()), ..TiledLook::default() }
}

#[test]
fn the_first_figure_of_the_tiled_layout_page() {
    let figure = "f32[3,5]{1,0:T(2,2)}";
    check(
        figure,
        TiledView::Index,
        &TiledLook::default(),
        "
f32[3,5]{1,0:T(2,2)}

     0    1    2    3    4    5
  ┏━━━━┯━━━━┳━━━━┯━━━━┳━━━━┯━━━━┓
0 ┃  0 │  1 ┃  4 │  5 ┃  8 │░░░░┃
  ┠────┼────╂────┼────╂────┼────┨
1 ┃  2 │  3 ┃  6 │  7 ┃ 10 │░░░░┃
  ┣━━━━┿━━━━╋━━━━┿━━━━╋━━━━┿━━━━┫
2 ┃ 12 │ 13 ┃ 16 │ 17 ┃ 20 │░░░░┃
  ┠────┼────╂────┼────╂────┼────┨
3 ┃░░░░│░░░░┃░░░░│░░░░┃░░░░│░░░░┃
  ┗━━━━┷━━━━┻━━━━┷━━━━┻━━━━┷━━━━┛
dim 0 down, dim 1 across, each
element with its offset
15 elements in 24 places of 32
bits (96 bytes), 9 of them
padding

░░░ padding
",
    );
    check(
        figure,
        TiledView::Memory,
        &TiledLook::default(),
        "
f32[3,5]{1,0:T(2,2)}

      0     1     2     3     4     5     6     7     8     9     10    11
   ╔═════╤═════╤═════╤═════╦═════╤═════╤═════╤═════╦═════╤═════╤═════╤═════╗
 0 ║ 0,0 │ 0,1 ┃ 1,0 │ 1,1 ║ 0,2 │ 0,3 ┃ 1,2 │ 1,3 ║ 0,4 │░░░░░┃ 1,4 │░░░░░║
   ╠═════╪═════╪═════╪═════╬═════╪═════╪═════╪═════╬═════╪═════╪═════╪═════╣
12 ║ 2,0 │ 2,1 ┃░░░░░│░░░░░║ 2,2 │ 2,3 ┃░░░░░│░░░░░║ 2,4 │░░░░░┃░░░░░│░░░░░║
   ╚═════╧═════╧═════╧═════╩═════╧═════╧═════╧═════╩═════╧═════╧═════╧═════╝
each offset with the index of the element that lies there
15 elements in 24 places of 32 bits (96 bytes), 9 of them padding

░░░ padding
",
    );
}

#[test]
fn the_second_figure_has_tiles_in_tiles() {
    check(
        "f32[4,8]{1,0:T(2,4)(2,1)}",
        TiledView::Index,
        &TiledLook::default(),
        "
f32[4,8]{1,0:T(2,4)(2,1)}

     0    1    2    3    4    5    6    7
  ╔════╤════╤════╤════╦════╤════╤════╤════╗
0 ║  0 ┃  2 ┃  4 ┃  6 ║  8 ┃ 10 ┃ 12 ┃ 14 ║
  ╟────╂────╂────╂────╫────╂────╂────╂────╢
1 ║  1 ┃  3 ┃  5 ┃  7 ║  9 ┃ 11 ┃ 13 ┃ 15 ║
  ╠════╪════╪════╪════╬════╪════╪════╪════╣
2 ║ 16 ┃ 18 ┃ 20 ┃ 22 ║ 24 ┃ 26 ┃ 28 ┃ 30 ║
  ╟────╂────╂────╂────╫────╂────╂────╂────╢
3 ║ 17 ┃ 19 ┃ 21 ┃ 23 ║ 25 ┃ 27 ┃ 29 ┃ 31 ║
  ╚════╧════╧════╧════╩════╧════╧════╧════╝
dim 0 down, dim 1 across, each element with
its offset
32 elements in 32 places of 32 bits (128
bytes), no padding
",
    );
}

#[test]
fn tiles_of_merged_dims_have_letters_where_they_have_no_borders() {
    check(
        "f32[2,2,5]{2,1,0:T(2,*,3)}",
        TiledView::Index,
        &TiledLook::default(),
        "
f32[2,2,5]{2,1,0:T(2,*,3)}

(0,_,_)                             (1,_,_)
      0     1     2     3     4           0     1     2     3     4
  ┌─────┬─────┬─────┬─────┬─────┐     ┌─────┬─────┬─────┬─────┬─────┐
0 │a  0 │a  1 │a  2 │b  6 │b  7 │   0 │a  3 │a  4 │a  5 │b  9 │b 10 │
  ├─────┼─────┼─────┼─────┼─────┤     ├─────┼─────┼─────┼─────┼─────┤
1 │b  8 │c 12 │c 13 │c 14 │d 18 │   1 │b 11 │c 15 │c 16 │c 17 │d 21 │
  └─────┴─────┴─────┴─────┴─────┘     └─────┴─────┴─────┴─────┴─────┘
dim 1 down, dim 2 across, each
element with its offset
20 elements in 24 places of 32
bits (96 bytes), 4 of them
padding
dims 1, 2 are merged before they
are cut: tiles run on from one
row into the next
not drawn: 4 places of padding
beyond the end of no single dim

 a  tile 0    b  tile 1    c  tile 2    d  tile 3
",
    );
}

#[test]
fn a_line_shows_the_padding_inside_tiles_in_its_memory() {
    let line = draw("f32[12]{0:T(6)(4)}", TiledView::Index, &TiledLook::default()).expect("a strip");
    assert!(line.contains("║  0 │  1 │  2 │  3 ┃  4 │  5 ║  8 │  9 │ 10 │ 11 ┃ 12 │ 13 ║"), "{line}");
    assert!(line.contains("not drawn: 4 places"), "{line}");
    let memory = draw("f32[12]{0:T(6)(4)}", TiledView::Memory, &TiledLook::default()).expect("a strip");
    assert!(memory.contains("┃  4 │  5 │░░░░│░░░░║  6 │"), "{memory}");
    let tail = draw("f32[3]{0:L(4)}", TiledView::Memory, &TiledLook::default()).expect("a strip");
    assert!(tail.contains("│ 0 │ 1 │ 2 │░░░│"), "{tail}");
}

#[test]
fn a_tile_of_tiles_is_padded_as_far_as_its_dims_go() {
    let drawn = draw("s32[5,3]{1,0:T(2,3)(2,1,1,1)}", TiledView::Index, &TiledLook::default()).expect("a grid");
    // Two tiles of two rows lie interleaved, so that three tiles are padded to four.
    assert!(drawn.contains("0 ║  0 │  2 │  4 ║") && drawn.contains("2 ║  1 │  3 │  5 ║"), "{drawn}");
    assert!(drawn.contains("7 ║░░░░│░░░░│░░░░║") && !drawn.contains("not drawn"), "{drawn}");
    assert!(drawn.contains("╟━━━━┿━━━━┿━━━━╢\n2 ║") && drawn.contains("╠════╪════╪════╣\n4 ║"), "{drawn}");
}

#[test]
fn deep_ranks_are_panels_and_slices() {
    let array = "f32[3,2,3,5]{3,2,1,0:T(2,2)}";
    let all = draw(array, TiledView::Index, &TiledLook::default()).expect("panels");
    assert!(all.contains("(0,0,_,_)") && all.contains("(2,1,_,_)"), "{all}");
    let one = draw(array, TiledView::Index, &slice(&[None, Some(1), Some(2), None])).expect("a grid");
    // Element (1,1,2,3) lies in the fourth plane of 24 places.
    assert!(one.contains("(_,1,2,_)") && one.contains("1 ┃  84 │  85 ┃  88 │  89 ┃  92 │░░░░░┃"), "{one}");
    let line = draw(array, TiledView::Index, &slice(&[Some(0), Some(0), None, Some(4)])).expect("a strip");
    assert!(line.contains("┃  8 │ 10 ┃ 20 │"), "{line}");
    let point = draw(array, TiledView::Index, &slice(&[Some(0), Some(0), Some(2), Some(4)])).expect("a cell");
    assert!(point.contains("│ 20 │"), "{point}");
    let outer = draw("f32[3,2,4]{0,1,2:T(2,2)}", TiledView::Index, &TiledLook::default()).expect("panels");
    assert!(outer.contains("not drawn: dim 0 from 3 to 3"), "{outer}");
}

#[test]
fn marks_and_colours() {
    let figure = "f32[3,5]{1,0:T(2,2)}";
    let marked = TiledLook { at: vec![vec![Some(2), Some(3)]], ..TiledLook::default() };
    let drawn = draw(figure, TiledView::Index, &marked).expect("a grid");
    assert!(drawn.contains("│[17]┃") && drawn.contains("(2,3) is at offset 17"), "{drawn}");
    let row = TiledLook { at: vec![vec![Some(2), None]], ..TiledLook::default() };
    assert_eq!(draw(figure, TiledView::Memory, &row).expect("a strip").matches('[').count(), 6, "the title has one");
    let by_dim = TiledLook { by: TiledBy::Dim(0), ..TiledLook::default() };
    let drawn = draw(figure, TiledView::Memory, &by_dim).expect("a strip");
    assert!(drawn.contains("║a 0,0 │a 0,1 ┃b 1,0 │b 1,1 ║") && drawn.contains("c  dim 0 = 2"), "{drawn}");
    let by_padding = TiledLook { by: TiledBy::Padding, ..TiledLook::default() };
    let drawn = draw(figure, TiledView::Index, &by_padding).expect("a grid");
    assert!(drawn.contains("a 17") && drawn.contains("a  element"), "{drawn}");
}

#[test]
fn neighbouring_tiles_have_different_colours() {
    let drawn = svg(&picture("u8[24,24]{1,0:T(2,2)}", TiledView::Index, &TiledLook::default(), None).expect("a grid"));
    let fills = |y: &str| -> Vec<String> {
        let rows = drawn.lines().filter(|line| line.starts_with("<rect") && line.contains(&format!(" y=\"{y}\"")));
        rows.filter_map(|line| line.split("fill=\"").nth(1)).map(|fill| fill[..7].to_owned()).collect()
    };
    // A row of cells is 26 high, the first at 78; runs of one colour are one rectangle.
    let (above, below) = (fills("78"), fills("130"));
    assert_eq!((above.len(), below.len()), (12, 12), "no two neighbours in a row are alike");
    assert!(above.iter().zip(&below).all(|(a, b)| a != b), "{above:?} {below:?}");
    assert!(above.iter().zip(&below[1..]).all(|(a, b)| a != b), "{above:?} {below:?}");
}

#[test]
fn padding_has_its_offset_on_paper() {
    let drawn = svg(&picture("f32[3,5]{1,0:T(2,2)}", TiledView::Index, &TiledLook::default(), None).expect("a grid"));
    assert!(drawn.contains("font-size=\"11\">23</text>") && drawn.contains(">20</text>"), "{drawn}");
    assert!(!drawn.contains("font-size=\"11\">20</text>"));
}

#[test]
fn no_elements_and_very_many() {
    for array in ["f32[0,5]{1,0:T(2,2)}", "f32[0,2,5]{2,1,0:T(2,2)}", "f32[2,0]{1,0:T(*,2)}"] {
        for view in [TiledView::Index, TiledView::Memory] {
            let drawn = draw(array, view, &TiledLook::default()).expect(array);
            assert!(drawn.contains("no cells") && drawn.contains("0 elements in 0 places"), "{drawn}");
            assert!(!drawn.contains('░'), "{drawn}");
        }
    }
    for view in [TiledView::Index, TiledView::Memory] {
        let drawn = draw("f32[]", view, &TiledLook::default()).expect("a scalar");
        assert!(drawn.contains("│ 0 │") && drawn.contains("1 element in 1 place "), "{drawn}");
    }
    let huge = "u8[1073741824,1073741823]{1,0:T(8,128)(4,1)}";
    let drawn = draw(huge, TiledView::Index, &TiledLook::default()).expect("corners");
    assert!(drawn.contains("1152921504606846970 ┃░") && drawn.contains("left out: rows"), "{drawn}");
    let drawn = draw(huge, TiledView::Memory, &TiledLook::default()).expect("ends");
    assert!(drawn.contains("1073741823,1073741822") && drawn.contains("left out: rows"), "{drawn}");
    let panels = draw("u8[2097152,2097152,1024]", TiledView::Index, &TiledLook::default()).expect("panels");
    assert!(panels.contains("the first 16 of 2097152 grids"), "{panels}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let figure = "f32[3,5]{1,0:T(2,2)}";
    let refused = |look: &TiledLook| draw(figure, TiledView::Index, look).map_err(|error| error.code());
    assert_eq!(refused(&slice(&[None])), Err(Code::RankMismatch));
    assert_eq!(refused(&slice(&[None, Some(5)])), Err(Code::Range));
    assert_eq!(refused(&TiledLook { at: vec![vec![Some(3), None]], ..TiledLook::default() }), Err(Code::Range));
    assert_eq!(refused(&TiledLook { by: TiledBy::Dim(2), ..TiledLook::default() }), Err(Code::MissingDim));
    let unbounded = draw("f32[?,5]{1,0}", TiledView::Index, &TiledLook::default());
    assert_eq!(unbounded.map_err(|error| error.code()), Err(Code::MissingFact));
}

/// Every offset that a grid shows is that of the element, and every other place of the padded array is padding; what is
/// left of the padding has no cell.
#[test]
fn the_padded_array_fills_the_places_of_padding() {
    for (text, hidden) in [
        ("f32[3,5]{1,0:T(2,2)}", 0),
        ("f32[3,5]{0,1:T(4,3)(2,2)}", 8),
        ("f32[5,3]{1,0:T(2,3)(2,1,1,1)}", 0),
        ("f32[7]{0:T(2,3)}", 9),
        ("f32[1,3]{1,0:T(2,2)}", 0),
        ("f32[1,1]{1,0:T(*,4)}", 0),
        ("f32[5,1]{1,0:T(*,4)}", 0),
        ("f32[1,5]{1,0:T(*,4)}", 0),
        ("f32[3,2,5]{2,1,0:T(2,*,3)}", 8),
        ("f32[12]{0:T(6)(4)}", 4),
        ("f32[3,3,3]{0,2,1:T(2,2,2)(3,1)}", 32),
        ("f32[5,7]{1,0:T(2,2)(*,2,1)}", 0),
    ] {
        let array: Array = text.parse().expect(text);
        let (image, subject) = (Image::of(&array).expect(text), TiledSubject::new(text, &array).expect(text));
        let padded = subject.padded();
        let mut at = 0;
        while let Some(index) = padded.numbered(at) {
            let offset = padded.offset(&index).expect(text);
            match image.offset(&index) {
                Ok(own) => assert_eq!(own, offset, "{text} {index:?}"),
                Err(_) => assert_eq!(image.place(offset), Ok(Place::Padding), "{text} {index:?}"),
            }
            at += 1;
        }
        assert_eq!(at, padded.elements());
        assert_eq!(image.size() - padded.elements(), hidden, "{text}");
        assert_eq!(padded.tiled_dims(), image.tiled_dims(), "{text}");
    }
}
