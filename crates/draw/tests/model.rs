//! The three renderers agree on every cell, over the pictures of all operations' examples in every view that fits.

use bitstride_draw::scene::Room;
use bitstride_draw::{
    Asked, Drawing, Fill, Model, PanelModel, Picture, Request, TextOptions, Window, model, palette, svg, text,
};
use bitstride_lang::{Spelling, operations};

/// What `show` draws beside the examples of operations: a layout of each family, and what only pictures have.
const MORE: [&str; 14] = [
    "(4,8):(8,1)",
    "((2,4),(2,2)):((1,4),(2,16))",
    "(4,8):(-8,1)",
    "(3,5,2):(1,3,15)",
    "Sw<2,0,3> o (8,8):(8,1)",
    "(4,8):(1@0,1@1)",
    "f32[3,5]{1,0:T(2,2)}",
    "bf16[2,16,16]{2,1,0:T(8,8)(2,1)}",
    "tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>>",
    "!ttg.memdesc<8x8xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory>",
    "!ttg.memdesc<4x8xf16, #ttg.padded_shared<[8:+2] {order=[1,0], shape=[4,8]}>, #ttg.shared_memory>",
    "inverse((8,4):(1,9))",
    "(4,8):(8,1) == Sw<1,0,3> o (4,8):(8,1)",
    "<3:3, (2,4):(1,8)>",
];

/// The views, with what each needs besides.
fn views() -> Vec<Asked> {
    use Asked::{Banks, Bits, Codomain, Hardware, Memory, Tensor, TwoLine, Usual};
    let tile = Asked::ThreadValue("(8,8)".to_owned());
    vec![Usual, Memory, Codomain, TwoLine, Tensor, Hardware, Bits, Banks, tile]
}

/// Every picture that the expressions have.
fn drawings() -> Vec<(String, Drawing)> {
    let expressions = operations().map(|operation| operation.example).chain(MORE);
    let requests = expressions.flat_map(|expression| {
        views().into_iter().map(move |asked| {
            let named = format!("{expression} {asked:?}");
            (named, Request { expressions: vec![expression.to_owned()], asked, ..Request::default() })
        })
    });
    requests.filter_map(|(named, request)| Some((named, Drawing::new(&request, Spelling::Plain).ok()?))).collect()
}

/// The grids of panels that are drawn, each with its cells' numbers.
fn grids(model: &Model) -> impl Iterator<Item = (&PanelModel, std::ops::Range<usize>)> {
    let panels = model.rows.iter().flatten().filter(|panel| !panel.is_hidden);
    panels.flat_map(|panel| {
        panel
            .grids
            .iter()
            .map(move |grid| (panel, grid.start..grid.start + grid.row_numbers.len() * grid.col_numbers.len()))
    })
}

/// Whether all cells of all grids are here, and no grid is so tall that SVG cuts it into pieces.
fn is_whole(model: &Model) -> bool {
    let grids = model.rows.iter().flatten().flat_map(|panel| &panel.grids);
    grids.into_iter().all(|grid| {
        usize::try_from(grid.rows) == Ok(grid.row_numbers.len())
            && usize::try_from(grid.cols) == Ok(grid.col_numbers.len())
            && grid.rows <= 64
    })
}

/// The value of an attribute.
fn attribute<'t>(element: &'t str, name: &str) -> &'t str {
    let (_, after) = element.split_once(&format!(" {name}=\"")).expect(element);
    after.split_once('"').expect(element).0
}

/// The texts of the cells of an SVG, each with the colour under it.
fn written(svg: &str) -> Vec<(String, String)> {
    let (mut found, mut rectangles, mut inside) = (Vec::new(), Vec::new(), false);
    for element in svg.lines() {
        if element.starts_with("<g ") {
            inside = element.contains(" font-size=\"13\"");
        } else if element.starts_with("</g>") {
            // The next grid has rectangles of its own.
            if inside {
                rectangles.clear();
            }
            inside = false;
        } else if element.starts_with("<rect ") && element.contains(" fill=") && !element.contains("stroke=") {
            let side = |name| {
                element.contains(&format!(" {name}=")).then(|| attribute(element, name).parse::<f64>().expect(name))
            };
            let sides = ["x", "y", "width", "height"].map(|name| side(name).unwrap_or(0.0));
            rectangles.push((sides, attribute(element, "fill").to_owned()));
        } else if inside && element.starts_with("<text ") {
            let [x, y] = ["x", "y"].map(|name| attribute(element, name).parse::<f64>().expect(name));
            let under = rectangles.iter().rev().find(|([left, top, width, height], _)| {
                (*left..left + width).contains(&x) && (*top..top + height).contains(&y)
            });
            let (_, text) = element.split_once('>').expect(element);
            let text = text.strip_suffix("</text>").expect(element);
            let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
            found.push((text, under.map_or("#ffffff", |(_, colour)| colour).to_owned()));
        }
    }
    found
}

#[test]
fn svg_and_model_agree_on_every_cell() {
    let (mut pictures, mut cells) = (0, 0);
    for (named, drawing) in drawings() {
        let Ok(picture) = drawing.picture(None) else { continue };
        let model = model(&picture);
        // Looking for the colour under a text takes as long as there are rectangles.
        if !is_whole(&model) || model.texts.len() > 1024 {
            continue;
        }
        let expected: Vec<(String, String)> = grids(&model)
            .flat_map(|(_, cells)| cells)
            .flat_map(|cell| {
                let colour = palette(model.fills[cell])[0].clone();
                let lines: Vec<String> = model.text(cell).lines().map(str::to_owned).collect();
                lines.into_iter().map(move |line| (line, colour.clone()))
            })
            .collect();
        assert_eq!(written(&svg(&picture)), expected, "{named}");
        pictures += 1;
        cells += model.texts.len();
    }
    assert!(pictures > 300 && cells > 20_000, "{pictures} pictures, {cells} cells");
}

/// The cells of a picture in text, a row of them for each line that has any.
fn typed(drawn: &str) -> Vec<Vec<String>> {
    let is_bar = |letter: char| matches!(letter, '│' | '┃' | '║' | '╎');
    let rows = drawn.lines().filter(|line| line.chars().any(is_bar));
    rows.map(|line| line.split(is_bar).skip(1).map(str::to_owned).collect::<Vec<_>>())
        .map(|mut cells| {
            cells.pop();
            cells
        })
        .collect()
}

#[test]
fn text_and_model_agree_on_every_cell() {
    let mut pictures = 0;
    for (named, drawing) in drawings() {
        let Ok(picture) = drawing.picture(Some(100_000)) else { continue };
        let model = model(&picture);
        let panels: Vec<&PanelModel> = model.rows.iter().flatten().collect();
        // Of panels beside one another the lines are joined, and cells of several lines are several lines.
        let one_line = model.strings.iter().all(|text| text.lines().count() <= 1 && !text.contains('│'));
        let ([panel], true, true) = (panels.as_slice(), one_line, is_whole(&model)) else { continue };
        if panel.grids.iter().any(|grid| grid.has_parentheses || grid.row_numbers.is_empty()) {
            continue;
        }
        let options = TextOptions { max_width: 100_000, max_cells: 1 << 20, colour: false, ascii: false };
        let drawn = text(&picture, &options);
        let mut rows = typed(&drawn).into_iter();
        for grid in &panel.grids {
            for row in 0..grid.row_numbers.len() {
                let cells = rows.next().unwrap_or_default();
                assert_eq!(cells.len(), grid.col_numbers.len(), "{named}\n{drawn}");
                for (col, drawn) in cells.iter().enumerate() {
                    let cell = grid.start + row * grid.col_numbers.len() + col;
                    assert!(drawn.contains(model.text(cell)), "{named}: {drawn:?} is not {:?}", model.text(cell));
                    if model.fills[cell] == Fill::Empty && model.text(cell).is_empty() {
                        assert!(drawn.contains('░'), "{named}: {drawn:?} is not empty");
                    }
                }
            }
        }
        assert_eq!(rows.next(), None, "{named}\n{drawn}");
        pictures += 1;
    }
    assert!(pictures > 100, "{pictures} pictures");
}

fn through(expression: &str, window: Window) -> Result<Model, bitstride::Error> {
    let request = Request { expressions: vec![expression.to_owned()], ..Request::default() };
    let drawing = Drawing::new(&request, Spelling::Plain).map_err(|(_, error)| error)?;
    drawing.picture(Room::from(window)).map(|picture: Picture| model(&picture))
}

#[test]
fn a_window_is_the_same_part_of_the_whole() {
    for (named, drawing) in drawings() {
        let Ok(picture) = drawing.picture(None) else { continue };
        let whole = model(&picture);
        if !is_whole(&whole) {
            continue;
        }
        let window = Window { rows: 1..3, cols: 2..5 };
        let part = model(&drawing.picture(Room::from(window)).expect(&named));
        let grids =
            |model: &Model| model.rows.iter().flatten().flat_map(|panel| panel.grids.clone()).collect::<Vec<_>>();
        for (whole_grid, part_grid) in grids(&whole).iter().zip(grids(&part)) {
            assert_eq!((whole_grid.rows, whole_grid.cols), (part_grid.rows, part_grid.cols), "{named}");
            let at = |grid: &bitstride_draw::GridModel, row: usize, col: usize| {
                let row =
                    grid.row_numbers.iter().position(|number| *number == part_grid.row_numbers[row]).expect("a row");
                let col =
                    grid.col_numbers.iter().position(|number| *number == part_grid.col_numbers[col]).expect("a column");
                grid.start + row * grid.col_numbers.len() + col
            };
            for row in 0..part_grid.row_numbers.len() {
                for col in 0..part_grid.col_numbers.len() {
                    let (a, b) = (at(whole_grid, row, col), at(&part_grid, row, col));
                    let cell = |model: &Model, cell: usize| {
                        (model.text(cell).to_owned(), model.fills[cell], model.elements[cell], model.places[cell])
                    };
                    assert_eq!(cell(&whole, a), cell(&part, b), "{named}");
                }
                if let Some(head) = part_grid.row_heads.get(row) {
                    let number = usize::try_from(part_grid.row_numbers[row]).expect("a small number");
                    assert_eq!(Some(head), whole_grid.row_heads.get(number), "{named}");
                    assert_eq!(part_grid.row_levels[row], whole_grid.row_levels[number], "{named}");
                }
            }
        }
    }
}

#[test]
fn a_window_of_a_vast_picture_shows_what_lies_there() -> Result<(), bitstride::Error> {
    let window = || Window { rows: (1 << 19)..(1 << 19) + 40, cols: (1 << 20) - 60..1 << 20 };
    let (row, col) = (1_i64 << 19, (1_i64 << 20) - 60);
    let flat = (row << 20) + col;
    for (expression, place) in [
        ("(1048576,1048576):(1048576,1)", flat),
        ("Sw<3,4,3> o (1048576,1048576):(1048576,1)", flat ^ (0b111_0000 & (flat >> 3))),
        ("f32[1048576,1048576]{1,0:T(8,128)}", (row / 8 * 8192 + col / 128) * 1024 + col % 128),
    ] {
        let seen = through(expression, window())?;
        assert_eq!(seen.texts.len(), 40 * 60, "{expression}");
        assert_eq!(seen.elements[0], Some(row + (col << 20)), "{expression}");
        assert_eq!(seen.places[0], Some(place), "{expression}");
        assert_eq!(seen.text(0), place.to_string(), "{expression}");
    }
    let linear = "tensor<1048576x1048576xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>>";
    assert_eq!(through(linear, window())?.elements[61], Some(row + 1 + ((col + 1) << 20)));
    // The largest windows are bounded, and those beyond the end are empty.
    let all = Window { rows: 0..u64::MAX, cols: 0..u64::MAX };
    assert_eq!(through("(1048576,1048576):(1048576,1)", all)?.texts.len(), 1 << 16);
    let [start, end] = [5, 2];
    let beyond = Window { rows: u64::MAX - 1..u64::MAX, cols: start..end };
    assert_eq!(through("(1048576,1048576):(1048576,1)", beyond)?.texts.len(), 0);
    Ok(())
}

#[test]
fn elements_and_places_link_families() -> Result<(), bitstride::Error> {
    let all = || Window { rows: 0..64, cols: 0..64 };
    type Links = Vec<(Option<i64>, Option<i64>)>;
    let numbers = |expression: &str| -> Result<Links, bitstride::Error> {
        let model = through(expression, all())?;
        let mut numbers: Vec<_> = model.elements.into_iter().zip(model.places).collect();
        numbers.sort();
        Ok(numbers)
    };
    // The same memory in three notations, and one with padding from both sides.
    let cute = numbers("(8,16):(16,1)")?;
    assert_eq!(numbers("f32[8,16]{1,0}")?, cute);
    assert_eq!(numbers("convert((8,16):(16,1), linear)")?, cute);
    let mut padded = numbers("inverse((8,16):(17,1))")?;
    padded.retain(|(element, _)| element.is_some());
    assert_eq!(padded, numbers("(8,16):(17,1)")?);
    // The place of B is the element of A.
    let [a, b, r] = ["(6,2):(8,2)", "(4,3):(3,1)", "composition((6,2):(8,2), (4,3):(3,1))"].map(numbers);
    let (a, b, r) = (a?, b?, r?);
    let lookup = |list: &[(Option<i64>, Option<i64>)], element: Option<i64>| {
        list.iter().find(|(e, _)| *e == element).and_then(|(_, p)| *p)
    };
    for (element, place) in &r {
        assert_eq!(lookup(&a, lookup(&b, *element)), *place);
    }
    Ok(())
}
