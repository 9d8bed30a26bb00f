//! What layouts look like in each view, and what is refused.

use bitstride::notation::Ints;
use bitstride::{Code, Error};
use bitstride_draw::scene::{By, Image, Look, Paint, Shown, Subject, View, owners, picture};
use bitstride_draw::{TextOptions, svg, text};
use bitstride_lang::{Outermost, Value, evaluate};

fn value(expression: &str) -> Value {
    evaluate(expression).expect(expression).value
}

fn subject(expression: &str) -> Result<Subject, Error> {
    Subject::new(expression, &value(expression))
}

fn by(what: &str) -> By {
    By::word(what).unwrap_or_else(|| By::value(&value(what)).expect("a mode or a tiler"))
}

fn tile(shape: &str) -> View {
    View::ThreadValue(value(shape).as_shape().expect("a shape"))
}

fn draw(expressions: &[&str], view: &View, look: &Look, columns: usize) -> Result<String, Error> {
    let shown = |expression: &&str| {
        let call = Outermost::of(expression, Ints::Plain);
        Shown::new(expression, &value(expression), call.as_ref())
    };
    let shown: Result<Vec<Shown>, Error> = expressions.iter().map(shown).collect();
    let options = TextOptions { max_width: columns, max_cells: 64, ..TextOptions::default() };
    Ok(text(&picture(&shown?, view, look, Some(columns))?, &options))
}

/// Checks a picture against the text below the opening quote.
fn check(expression: &str, view: &View, look: &Look, expected: &str) {
    let drawn = draw(&[expression], view, look, 80).expect(expression);
    assert_eq!(drawn, expected.trim_start_matches('\n'), "drawn:\n{drawn}");
}

fn refused(expression: &str, view: &View, look: &Look, code: Code) {
    let drawn = draw(&[expression], view, look, 80);
    assert_eq!(drawn.map_err(|error| error.code()), Err(code), "{expression}");
}

#[test]
fn rank_1_is_a_strip_folded_when_long() {
    check(
        "((2,2,6)):((1,2,4))",
        &View::Grid,
        &Look::default(),
        "
((2,2,6)):((1,2,4))

      0    1    2    3    4    5    6    7    8    9   10   11
   ╔════╤════╤════╤════╦════╤════╤════╤════╦════╤════╤════╤════╗
 0 ║  0 │  1 ┃  2 │  3 ║  4 │  5 ┃  6 │  7 ║  8 │  9 ┃ 10 │ 11 ║
   ╠════╪════╪════╪════╬════╪════╪════╪════╬════╪════╪════╪════╣
12 ║ 12 │ 13 ┃ 14 │ 15 ║ 16 │ 17 ┃ 18 │ 19 ║ 20 │ 21 ┃ 22 │ 23 ║
   ╚════╧════╧════╧════╩════╧════╧════╧════╩════╧════╧════╧════╝
",
    );
    let rest = draw(&["19:-1"], &View::Grid, &Look::default(), 60).expect("a strip");
    assert!(rest.contains("│ -16 │ -17 │ -18 │     │"), "{rest}");
}

#[test]
fn nested_modes_have_nested_borders() {
    check(
        "(2,(2,2)):(4,(1,2)) + 100",
        &View::Grid,
        &Look::default().colouring(by("tile")),
        "
(2,(2,2)):(4,(1,2)) + 100
coloured by tile

       0      1      2      3
  ┏━━━━━━┯━━━━━━┳━━━━━━┯━━━━━━┓
0 ┃a 100 │a 101 ┃b 102 │b 103 ┃
  ┠──────┼──────╂──────┼──────┨
1 ┃a 104 │a 105 ┃b 106 │b 107 ┃
  ┗━━━━━━┷━━━━━━┻━━━━━━┷━━━━━━┛

 a  tile 0    b  tile 1
",
    );
}

#[test]
fn the_edges_of_a_tile_are_equally_heavy() {
    let drawn = draw(&["((2,2),((2,2),2)):((1,2),((4,8),16))"], &View::Grid, &Look::default(), 80).expect("a grid");
    let expected = "
     0    1    2    3    4    5    6    7
  ╔════╤════╤════╤════╦════╤════╤════╤════╗
0 ║  0 │  4 ┃  8 │ 12 ║ 16 │ 20 ┃ 24 │ 28 ║
  ╟────┼────╂────┼────╫────┼────╂────┼────╢
1 ║  1 │  5 ┃  9 │ 13 ║ 17 │ 21 ┃ 25 │ 29 ║
  ╠════╪════╪════╪════╬════╪════╪════╪════╣
";
    assert!(drawn.contains(expected), "{drawn}");
}

#[test]
fn deeper_ranks_are_several_grids() {
    check(
        "(2,2,2):(1,2,4)",
        &View::Grid,
        &Look::default(),
        "
(2,2,2):(1,2,4)

(_,_,0)       (_,_,1)
    0   1         0   1
  ┌───┬───┐     ┌───┬───┐
0 │ 0 │ 2 │   0 │ 4 │ 6 │
  ├───┼───┤     ├───┼───┤
1 │ 1 │ 3 │   1 │ 5 │ 7 │
  └───┴───┘     └───┴───┘
",
    );
    let many = draw(&["(1,1,40):(0,0,1)"], &View::Grid, &Look::default(), 80).expect("some grids");
    assert!(many.contains("the first 16 of 40 grids") && many.contains("(_,_,15)"), "{many}");
}

#[test]
fn cells_hold_what_the_algebra_gives() {
    for (expression, cells) in [
        ("Sw<1,0,1> o (2,2):(2,1)", ["0", "1", "3", "2"]),
        ("(2,2):(-1,4)", ["0", "4", "-1", "3"]),
        ("(2,2):(1@0,2@1)", ["(0,0)", "(0,2)", "(1,0)", "(1,2)"]),
        ("slice((2,2,2):(1,2,4), (_,1,_))", ["2", "6", "3", "7"]),
        ("(2,2?):(3?,1)", ["0", "1", "3", "4"]),
    ] {
        let subject = subject(expression).expect("a layout");
        let places = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|at| subject.at(&at).expect("a place").to_string());
        assert_eq!(places, cells.map(str::to_owned), "{expression}");
        let drawn = draw(&[expression], &View::Grid, &Look::default(), 80).expect("a grid");
        let row = |cells: &[String]| drawn.lines().any(|line| cells.iter().all(|cell| line.contains(cell.as_str())));
        assert!(row(&places[..2]) && row(&places[2..]), "{drawn}");
    }
    assert!(draw(&["():()"], &View::Grid, &Look::default(), 80).expect("one cell").contains("│ 0 │"));
}

#[test]
fn what_a_layout_of_indices_does_not_select_is_greyed() {
    check(
        "(2,3):(1,2)",
        &View::Grid,
        &Look::default().marking(value("3:2")).pointing(value("(1,2)")),
        "
(2,3):(1,2)
what 3:2 does not select is grey; marked: (1,2)

    0   1   2
  ┌───┬───┬───┐
0 │ 0 │ 2 │ 4 │
  ├───┼───┼───┤
1 │·1·│·3·│[5]│
  └───┴───┴───┘
3:2 selects 3 of 6 elements
(1,2) = 5 is at offset 5
",
    );
    let subject = subject("(4,6):(1,4)").expect("a layout");
    let selected = |marker: &str| -> Vec<i64> {
        let look = Look::default().marking(value(marker));
        let paint = Paint::new(&look, &subject).expect("a marker that fits");
        let at = subject.elements().expect("few elements");
        let held = at.filter(|at| paint.selected(at) == Ok(Some(true)));
        held.map(|at| subject.index(&at).expect("an index")).collect()
    };
    assert_eq!(selected("<2:2, 6:1>"), [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
    assert_eq!(selected("(2,2)"), [0, 1, 4, 5]);
    assert_eq!(selected("<_, 1>"), [0, 1, 2, 3]);
    assert_eq!(selected("5"), [0, 1, 2, 3, 4]);
    assert_eq!(selected("(2,2):(1@0,3@1)"), [0, 1, 12, 13]);
    assert_eq!(selected("Sw<1,0,2> o 4:2"), [0, 2, 5, 7]);
}

#[test]
fn elements_of_a_tile_form_a_group() {
    let groups = |expression: &str, what: &[&str]| -> Vec<i64> {
        let subject = subject(expression).expect("a layout");
        let look = what.iter().fold(Look::default(), |look, what| look.colouring(by(what)));
        let paint = Paint::new(&look, &subject).expect("groups");
        let at = subject.elements().expect("few elements");
        at.map(|at| paint.group(&at).expect("a number").expect("a group")).collect()
    };
    assert_eq!(groups("((4,2,3)):((2,1,8))", &["4:2"])[..9], [0, 1, 0, 1, 0, 1, 0, 1, 2]);
    assert_eq!(groups("(2,4):(1,2)", &["<_, 3>"]), [0, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(groups("(2,(2,2)):(1,(2,4))", &["tile"]), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(groups("(2,(2,2)):(1,(2,4))", &["(1,0)"]), [0, 0, 1, 1, 0, 0, 1, 1]);
    assert_eq!(groups("(2,2):(1,2)", &["row", "column"]), [0, 1, 2, 3]);
    assert_eq!(groups("(2,2):(1,2)", &["thread"]), groups("(2,2):(1,2)", &["0"]));
    assert_eq!(groups("(2,2):(1,2)", &["repetition"]), groups("(2,2):(1,2)", &["value"]));
}

#[test]
fn memory_shows_numbers_offsets_and_places() {
    check(
        "2:3",
        &View::Memory,
        &Look::default(),
        "
2:3

         ┌───┬───┐
 logical │ 0 │ 1 │
         └───┴───┘
         ┌───┬───┐
  offset │ 0 │ 3 │
         └───┴───┘
           0   1   2   3
         ┌───┬───┬───┬───┐
physical │ 0 │░░░│░░░│ 1 │
         └───┴───┴───┴───┘

░░░ no element
",
    );
    check(
        "(2,2):(2,1)",
        &View::Memory,
        &Look::default(),
        "
(2,2):(2,1)

logical         offset
     0    1          0    1
  ┌────┬────┐     ┌────┬────┐
0 │a 0 │a 2 │   0 │a 0 │a 1 │
  ├────┼────┤     ├────┼────┤
1 │b 1 │b 3 │   1 │b 2 │b 3 │
  └────┴────┘     └────┴────┘

physical
   0    1    2    3
┌────┬────┬────┬────┐
│a 0 │a 2 │b 1 │b 3 │
└────┴────┴────┴────┘

 a  row 0    b  row 1
",
    );
    let image = Image::new(&subject("(2,2):(-1,-2)").expect("a layout")).expect("an image");
    assert_eq!((image.low(), image.span()), (-3, 4));
    assert_eq!(image.owners(-2), [vec![0, 1]]);
}

#[test]
fn the_codomain_is_coloured_by_repetition() {
    check(
        "(2:1, 3:4)",
        &View::Codomain,
        &Look::default(),
        "
(2:1, 3:4) =
(2,3):(1,4)

┌────┬────┬────┬────┬────┬────┬────┬────┬────┬────┐
│a 0 │a 1 │░░░░│░░░░│b 4 │b 5 │░░░░│░░░░│c 8 │c 9 │
└────┴────┴────┴────┴────┴────┴────┴────┴────┴────┘

 a  repetition 0    b  repetition 1    c  repetition 2   ░░░ no element
",
    );
    let clash = draw(&["(2:1, 2:1)"], &View::Codomain, &Look::default(), 80).expect("a strip");
    assert!(clash.contains("│a 0 │ [1]│b 2 │") && clash.contains("[ ] elements of several colours"), "{clash}");
}

#[test]
fn cells_of_a_tile_name_their_owners() {
    check(
        "(2,(2,2)):(1,(1,2))",
        &tile("(3,2)"),
        &Look::default(),
        "
(2,(2,2)):(1,(1,2))

      0       1
  ┌───────┬───────┐
0 │ T0 V0 │[T1 V2]│
  │       │[T0 V3]│
  ├───────┼───────┤
1 │[T1 V0]│ T1 V3 │
  │[T0 V1]│       │
  ├───────┼───────┤
2 │[T1 V1]│░░░░░░░│
  │[T0 V2]│░░░░░░░│
  └───────┴───────┘
the owner of each element of the
tile (3,2)

[ ] several owners   ░░░ no owner
",
    );
    let owned = owners(&subject("(2,2):(1@1,1@0)").expect("a layout"), &value("(2,2)").as_shape().expect("a shape"));
    let owned = owned.expect("owners").into_iter().map(|(n, all)| (n, all[0].thread, all[0].value));
    assert_eq!(owned.collect::<Vec<_>>(), [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1)]);
}

#[test]
fn permutations_in_two_lines() {
    check(
        "right_inverse((2,3):(3,1))",
        &View::TwoLine,
        &Look::default(),
        "
right_inverse((2,3):(3,1)) =
(3,2):(2,1)

   i ⎛ 0  1  2  3  4  5 ⎞
L(i) ⎝ 0  2  4  1  3  5 ⎠
",
    );
    let long = draw(&["1099511627776:1"], &View::TwoLine, &Look::default(), 80).expect("its ends");
    assert!(long.ends_with("L(i) ⎝            12             13              …  1099511627775 ⎠\n"), "{long}");
}

#[test]
fn several_layouts_stand_below_one_another() {
    let drawn = draw(&["2:1", "2:5"], &View::TwoLine, &Look::default(), 80).expect("two");
    assert_eq!(
        drawn,
        "\
2:1
   i ⎛ 0  1 ⎞
L(i) ⎝ 0  1 ⎠

2:5
   i ⎛ 0  1 ⎞
L(i) ⎝ 0  5 ⎠
"
    );
}

#[test]
fn refusals_say_what_is_missing() {
    let plain = Look::default();
    for unknown in ["(M,4):(1,8)", "?:1", "4:M", "4:?{div=8}", "(4,4):(1@0,M@1)", "Sw<2,0,2> o (4,M):(1,4)"] {
        assert_eq!(subject(unknown).map_err(|error| error.code()).err(), Some(Code::MissingFact), "{unknown}");
    }
    for unfit in ["<2, _>", "compatible(2,2)", "-3", "1@0"] {
        let code = subject(unfit).map_err(|error| error.code()).err();
        assert!(matches!(code, Some(Code::Kind | Code::Range)), "{unfit}: {code:?}");
    }
    refused("(4,4):(1@0,1@1)", &View::Memory, &plain, Code::Kind);
    refused("(4,4):(1@0,1@1)", &View::Codomain, &plain, Code::Kind);
    for view in [View::Memory, View::Codomain, tile("(4,4)")] {
        refused("(1099511627776,2):(1,2)", &view, &plain, Code::TooLarge);
    }
    refused("(4,4):(4,1)", &tile("(2,2)"), &plain, Code::Range);
    refused("(4,4):(1@0,1@1)", &tile("(4,2)"), &plain, Code::Range);
    refused("(4,4):(4,1)", &tile("(2,2,4)"), &plain, Code::Profile);
    refused("16:1", &tile("(4,4)"), &plain, Code::Profile);
    refused("(4,4):(4,1)", &View::Grid, &plain.clone().pointing(value("(4,0)")), Code::Range);
    refused("(4,4):(4,1)", &View::Grid, &plain.clone().pointing(value("(1,(0,1))")), Code::Profile);
    refused("(4,4):(4,1)", &View::Grid, &plain.clone().pointing(value("4:1")), Code::Kind);
    refused("(4,4):(4,1)", &View::Grid, &plain.clone().colouring(by("2")), Code::NoMode);
    refused("(4,4):(4,1)", &View::Grid, &plain.clone().colouring(by("<0>")), Code::Range);
    refused("(4,4):(4,1)", &View::Grid, &plain.clone().marking(value("<1,2,3>")), Code::NoMode);
    refused("(4,4):(4,1)", &View::Grid, &plain.clone().marking(value("1099511627776:1")), Code::TooLarge);
    refused("(1099511627776,2):(9223372036854775807,1)", &View::Grid, &plain, Code::Overflow);
}

/// Every view of every odd layout under every look is drawn or refused, both as text and as SVG.
#[test]
fn nothing_panics() {
    let layouts = [
        "0:1",
        "(0,4):(1,2)",
        "(4,0,3):(1,2,3)",
        "():()",
        "((),4):((),1)",
        "1:0",
        "(1,1):(0,0)",
        "8:0",
        "8:-9223372036854775807",
        "2:9223372036854775807",
        "(2,2):(-9223372036854775807,9223372036854775807)",
        "4:1 + 9223372036854775800",
        "9223372036854775807:1",
        "(1099511627776,1099511627776):(1,2)",
        "(2,3,9223372036854775807):(1,2,0)",
        "((2,1,2),(1,3)):((1,7,2),(9,4))",
        "(2,2):(1@0,1@0@1)",
        "(4,4):(1@0,1@1) + (3,3)",
        "Sw<2,0,2> o 5 o (4,4):(4,1)",
        "(5?,2):(2?,1)",
        "(100,70):(1,100)",
    ];
    let looks = [
        Look::default(),
        Look::default().colouring(By::Tile).marking(value("(2,2)")),
        Look::default().colouring(by("column")).pointing(value("0")),
        Look::default().colouring(by("3:2")).marking(value("<2:3>")),
        Look::default().pointing(value("(_,1)")).marking(value("5:-1")),
    ];
    let views = [View::Grid, View::Memory, View::Codomain, View::TwoLine, tile("(4,4)")];
    let mut drawn = 0;
    for layout in layouts {
        for (look, view) in looks.iter().flat_map(|look| views.iter().map(move |view| (look, view))) {
            let subject = subject(layout).expect("a layout");
            let small = subject.size().is_ok_and(|size| size < 1000);
            for columns in if small { &[None, Some(1)][..] } else { &[Some(80)] } {
                let columns = *columns;
                if let Ok(picture) = picture(&[Shown::Layout(Box::new(subject.clone()))], view, look, columns) {
                    let max_width = columns.unwrap_or(40);
                    let text = text(&picture, &TextOptions { max_width, max_cells: 16, ..TextOptions::default() });
                    assert!(!text.is_empty(), "{layout}");
                    if columns.is_none() && picture.largest() < 1000 {
                        assert!(svg(&picture).ends_with("</svg>\n"), "{layout}");
                    }
                    drawn += 1;
                }
            }
        }
    }
    assert!(drawn > 400, "only {drawn} pictures");
}

#[test]
fn a_product_stands_below_its_factors_in_their_colours() {
    check(
        "raked_product(2:1, 3:1)",
        &View::Grid,
        &Look::default(),
        "
raked_product(2:1, 3:1) =
((3,2)):((2,1))

A = 2:1     B = 3:1
  0   1        0    1    2
┌───┬───┐   ┌────┬────┬────┐
│ 0 │ 1 │   │a 0 │b 1 │c 2 │
└───┴───┘   └────┴────┴────┘

   0    1    2    3    4    5
┏━━━━┯━━━━┯━━━━┳━━━━┯━━━━┯━━━━┓
┃a 0 │b 2 │c 4 ┃a 1 │b 3 │c 5 ┃
┗━━━━┷━━━━┷━━━━┻━━━━┷━━━━┷━━━━┛

 a  copy 0    b  copy 1    c  copy 2
",
    );
}

#[test]
fn every_copy_of_a_product_has_the_colour_of_the_element_that_puts_it_there() {
    for (a, b) in
        [("(2,5):(5,1)", "(3,4):(1,3)"), ("(2,2):(1,2)", "(2,3):(3,1)"), ("((2,2),3):((1,2),4)", "(2,(2,2)):(1,(2,4))")]
    {
        let (block, order) = (subject(a).expect(a), subject(b).expect(b));
        for name in
            ["logical_product", "zipped_product", "tiled_product", "flat_product", "blocked_product", "raked_product"]
        {
            let typed = format!("{name}({a}, {b})");
            let call = Outermost::of(&typed, Ints::Plain).expect("a call");
            let product = subject(&typed).expect("a product").made_by(&call);
            let copies = product.copies().expect("the copies of a product");
            // The copy that element n of B puts somewhere holds all elements of A, each moved as far as the others.
            for (n, at) in (0..).zip(order.elements().expect("few")) {
                let mut held: Vec<i64> = Vec::new();
                for element in product.elements().expect("few") {
                    if copies.group(&element) == Ok(Some(n)) {
                        held.push(product.offset(&element).expect("an offset"));
                    }
                }
                held.sort_unstable();
                let step = order.offset(&at).expect("an offset");
                let moved = |offset: i64| offset + step * block.size().expect("a size");
                let mut wanted: Vec<i64> =
                    block.elements().expect("few").map(|at| moved(block.offset(&at).expect("an offset"))).collect();
                wanted.sort_unstable();
                assert_eq!(held, wanted, "{typed}: copy {n}");
            }
        }
    }
}

#[test]
fn what_a_comparison_finds_is_marked_in_both() {
    check(
        "same((2,2):(2,1), (2,2):(2,4))",
        &View::Grid,
        &Look::default(),
        "
same((2,2):(2,1), (2,2):(2,4)) =
different: dim0=0, dim1=1 is at offset=1 in the first, at offset=4 in the second

(2,2):(2,1)   (2,2):(2,4)
    0   1         0   1
  ┌───┬───┐     ┌───┬───┐
0 │ 0 │[1]│   0 │ 0 │[4]│
  ├───┼───┤     ├───┼───┤
1 │ 2 │[3]│   1 │ 2 │[6]│
  └───┴───┘     └───┴───┘

[ ] at another place in the other
",
    );
}

#[test]
fn values_without_a_shape_are_drawn_as_what_they_do() {
    check(
        "Sw<1,0,1>",
        &View::Grid,
        &Look::default(),
        "
Sw<1,0,1>
drawn as Sw<1,0,1> o 0 o (2,2):(2,1)

    0   1
  ┌───┬───┐
0 │ 0 │ 1 │
  ├───┼───┤
1 │ 3 │ 2 │
  └───┴───┘
",
    );
    check(
        "<2:3, 2>",
        &View::Grid,
        &Look::default(),
        "
<2:3, 2>
drawn as (2,2):(3@0,1@1)

      0       1
  ┌───────┬───────┐
0 │ (0,0) │ (0,1) │
  ├───────┼───────┤
1 │ (3,0) │ (3,1) │
  └───────┴───────┘
",
    );
    check("compatible(2, 2)", &View::Grid, &Look::default(), "compatible(2, 2) =\ntrue\n");
}

#[test]
fn a_tall_grid_stands_in_pieces_and_loses_nothing() {
    let shown = |columns| {
        let call = Shown::new("", &value("(100,2):(2,1)"), None).expect("a layout");
        picture(&[call], &View::Grid, &Look::default(), columns).expect("a grid")
    };
    let drawn = text(&shown(Some(100)), &TextOptions::default());
    assert!(drawn.lines().count() < 150, "{drawn}");
    for number in 0..200 {
        assert!(drawn.contains(&format!(" {number} │")), "{number} is missing:\n{drawn}");
    }
    // What is too wide for two stands as it is.
    let narrow = text(&shown(Some(30)), &TextOptions { max_width: 30, ..TextOptions::default() });
    assert!(narrow.lines().count() > 200, "{narrow}");
    let drawn = svg(&shown(None));
    assert_eq!((0..200).filter(|number| drawn.contains(&format!(">{number}</text>"))).count(), 200);
}

#[test]
fn the_legend_has_the_colours_that_occur() {
    let look = Look::default().colouring(by("column")).marking(value("<_, 2>"));
    let drawn = draw(&["(2,4):(4,1)"], &View::Grid, &look, 80).expect("a grid");
    assert!(drawn.contains("column 1") && !drawn.contains("column 2"), "{drawn}");
}

#[test]
fn c_stands_below_b_and_beside_a() {
    let drawn = draw(&["atom(SM80_8x8x4_F64F64F64F64_TN)"], &View::Grid, &Look::default(), 100).unwrap_or_default();
    let lines: Vec<Vec<char>> = drawn.lines().map(|line| line.chars().collect()).collect();
    let find = |text: &str| {
        let wanted: Vec<char> = text.chars().collect();
        lines.iter().enumerate().find_map(|(row, line)| {
            line.windows(wanted.len()).position(|window| window == wanted).map(|column| (row, column))
        })
    };
    let [(a, left), (b, above), (c, inside)] = ["A (M,K)", "B (K,N)", "C (M,N)"].map(|title| find(title).expect(title));
    assert!(b < a && a == c && left < inside && inside == above, "{drawn}");
    // Each operand has a cell for each of its elements.
    let cells = drawn.matches("│ T").count();
    assert_eq!(cells, 8 * 4 + 8 * 4 + 8 * 8, "{drawn}");
    // Where the row is too wide, B stands at the left, and nothing is lost.
    let narrow = draw(&["atom(SM80_8x8x4_F64F64F64F64_TN)"], &View::Grid, &Look::default(), 60).unwrap_or_default();
    assert_eq!(narrow.matches("│ T").count(), cells, "{narrow}");
    assert!(narrow.contains("\nB (K,N)\n"), "{narrow}");
}

#[test]
fn operands_in_memory_are_drawn_and_too_large_ones_refused() {
    let drawn = draw(&["atom(SM90_64x8x16_F32F16F16_RS)"], &View::Grid, &Look::default(), 100).unwrap_or_default();
    assert!(drawn.contains("128 threads hold each element; the first is named"), "{drawn}");
    let large = "tiled_mma(SM90_64x256x16_F32F16F16_SS, (8,2))";
    refused(large, &View::Grid, &Look::default(), Code::TooLarge);
}
