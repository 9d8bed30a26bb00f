//! Pictures as TikZ, for papers set with LaTeX.
//!
//! Law: it is the drawing that [`svg`](crate::svg()) makes, element by element, so that both show the same cells, colours and
//! words at the same places. One unit is one big point (`bp`), as a pixel is at 72 to the inch. The packages needed are `tikz`
//! alone; signs beyond ASCII that have no command here need XeLaTeX or LuaLaTeX.

use std::fmt::Write;

use crate::picture::Picture;
use crate::shape::{Shape, Step, Style, shapes};

/// Draws a picture as a `tikzpicture` environment: the same bytes for equal pictures.
///
/// ```
/// use bitstride_draw::{Cell, Grid, Panel, Picture, tikz};
/// let strip = Grid::strip("8:2", 8, |i| Cell::new(2 * i));
/// let drawn = tikz(&Picture::new("8:2").row([Panel::new(strip)]));
/// assert!(drawn.starts_with("% \\usepackage{tikz}\n\\begin{tikzpicture}"));
/// assert!(drawn.ends_with("\\end{tikzpicture}\n"));
/// ```
pub fn tikz(picture: &Picture) -> String {
    let mut out =
        "% \\usepackage{tikz}\n\\begin{tikzpicture}[x=1bp, y=-1bp, every node/.style={inner sep=0pt, outer sep=0pt}]\n"
            .to_owned();
    shapes(picture, |shape, style| match shape {
        None => {}
        Some(Shape::Rectangle) => rectangle(style, &mut out),
        Some(Shape::Path(steps)) => path(style, &steps, &mut out),
        Some(Shape::Text(text)) => node(style, text, &mut out),
    });
    out += "\\end{tikzpicture}\n";
    out
}

/// A colour as TikZ takes it, where there is one.
fn colour(style: Style<'_>, key: &str) -> Option<String> {
    style.colour(key).map(|[red, green, blue]| format!("{{rgb,255:red,{red};green,{green};blue,{blue}}}"))
}

/// The options of a path: its fill and its line.
fn options(style: Style<'_>) -> String {
    let fill = colour(style, "fill").map(|colour| format!("fill={colour}"));
    let draw =
        colour(style, "stroke").map(|colour| format!("draw={colour}, line width={}bp", style.number("stroke-width")));
    let cap = style.get("stroke-linecap").map(|_| "line cap=rect".to_owned());
    fill.into_iter().chain(draw).chain(cap).collect::<Vec<_>>().join(", ")
}

fn rectangle(style: Style<'_>, out: &mut String) {
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|key| style.number(key));
    let _ = writeln!(out, "\\path[{}] ({x},{y}) rectangle ++({width},{height});", options(style));
}

fn path(style: Style<'_>, steps: &[Step<'_>], out: &mut String) {
    let mut line = format!("\\path[{}]", options(style));
    for step in steps {
        let _ = match step {
            Step::Move([x, y]) => write!(line, " ({x},{y})"),
            Step::Line([x, y]) => write!(line, " -- ({x},{y})"),
            Step::Curve([[first_x, first_y], [second_x, second_y], [x, y]]) => {
                write!(line, " .. controls ({first_x},{first_y}) and ({second_x},{second_y}) .. ({x},{y})")
            }
        };
    }
    let _ = writeln!(out, "{line};");
}

fn node(style: Style<'_>, text: &str, out: &mut String) {
    let anchor = match style.get("text-anchor") {
        Some("middle") => "base",
        Some("end") => "base east",
        _ => "base west",
    };
    let (x, y, size) = (style.number("x"), style.number("y"), style.number("font-size"));
    let weight = if style.get("font-weight") == Some("bold") { "\\bfseries" } else { "" };
    let colour = colour(style, "fill").map(|colour| format!(", text={colour}")).unwrap_or_default();
    let font = format!("font=\\ttfamily{weight}\\fontsize{{{size}bp}}{{{size}bp}}\\selectfont");
    let _ = writeln!(out, "\\node[anchor={anchor}{colour}, {font}] at ({x},{y}) {{{}}};", escaped(text));
}

/// The commands for characters that mean something to TeX, or that its fonts lack.
const COMMANDS: [(char, &str); 20] = [
    ('\\', "\\textbackslash{}"),
    ('{', "\\{"),
    ('}', "\\}"),
    ('$', "\\$"),
    ('&', "\\&"),
    ('#', "\\#"),
    ('%', "\\%"),
    ('_', "\\_"),
    ('^', "\\textasciicircum{}"),
    ('~', "\\textasciitilde{}"),
    ('<', "\\textless{}"),
    ('>', "\\textgreater{}"),
    ('"', "\\textquotedbl{}"),
    ('|', "\\textbar{}"),
    ('…', "\\ldots{}"),
    ('⋮', "$\\vdots$"),
    ('⋱', "$\\ddots$"),
    ('×', "$\\times$"),
    ('→', "$\\to$"),
    ('·', "$\\cdot$"),
];

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match COMMANDS.iter().find(|(own, _)| *own == c) {
            Some((_, command)) => out.push_str(command),
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Cell, Fill};
    use crate::grid::Grid;
    use crate::picture::Panel;
    use crate::{TextOptions, svg, text};

    #[test]
    fn a_small_picture_in_full() {
        let grid = Grid::from_fn(1, 2, |_, j| Cell::new(j).fill(Fill::Group(0))).row_levels(|_| 1);
        let expected = "% \\usepackage{tikz}
\\begin{tikzpicture}[x=1bp, y=-1bp, every node/.style={inner sep=0pt, outer sep=0pt}]
\\path[fill={rgb,255:red,255;green,255;blue,255}] (0,0) rectangle ++(92,66);
\\path[fill={rgb,255:red,143;green,183;blue,255}] (20,20) rectangle ++(52,26);
\\path[draw={rgb,255:red,148;green,148;blue,148}, line width=1bp, line cap=rect] (20,20) -- (20,46) (46,20) -- (46,46) (72,20) -- (72,46);
\\path[draw={rgb,255:red,34;green,34;blue,34}, line width=2bp, line cap=rect] (20,20) -- (72,20) (20,46) -- (72,46);
\\node[anchor=base, text={rgb,255:red,0;green,0;blue,0}, font=\\ttfamily\\fontsize{13bp}{13bp}\\selectfont] at (33,37.68) {0};
\\node[anchor=base, text={rgb,255:red,0;green,0;blue,0}, font=\\ttfamily\\fontsize{13bp}{13bp}\\selectfont] at (59,37.68) {1};
\\end{tikzpicture}
";
        assert_eq!(tikz(&Picture::default().row([Panel::new(grid)])), expected);
    }

    /// What stands at which place, as a drawing in TikZ says it.
    fn nodes(drawn: &str) -> Vec<(String, String)> {
        let nodes =
            drawn.lines().filter_map(|line| line.strip_prefix("\\node")?.split_once("at (")?.1.split_once(") {"));
        let plain = |text: &str| {
            let mut text = text.trim_end_matches("};").to_owned();
            // A backslash comes last: the other commands begin with one.
            for (character, command) in COMMANDS.iter().rev() {
                text = text.replace(command, &character.to_string());
            }
            text
        };
        nodes.map(|(place, text)| (place.to_owned(), plain(text))).collect()
    }

    /// The same, as SVG says it.
    fn texts(drawn: &str) -> Vec<(String, String)> {
        let value =
            |line: &str, key: &str| line.split_once(&format!(" {key}=\""))?.1.split_once('"').map(|v| v.0.to_owned());
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
        let text = |line: &str| {
            let text = line.split_once('>')?.1.strip_suffix("</text>")?.to_owned();
            Some(entities.iter().fold(text, |text, (entity, character)| text.replace(entity, character)))
        };
        let lines = drawn.lines().filter(|line| line.starts_with("<text "));
        let read = |line: &str| Some((format!("{},{}", value(line, "x")?, value(line, "y")?), text(line)?));
        lines.filter_map(read).collect()
    }

    #[test]
    fn svg_text_and_tikz_agree_on_every_cell() {
        let fills = [Fill::Plain, Fill::Muted, Fill::Marked, Fill::Empty, Fill::Group(3)];
        let cell = |i: u64, j: u64| {
            let fill = fills.get(usize::try_from((i + j) % 5).expect("small")).copied().unwrap_or_default();
            Cell::new(format!("r{i}_{j}%&<^~{{#")).fill(fill)
        };
        let grid = Grid::from_fn(5, 4, cell).row_heads(|i| i).col_heads(|j| format!("${j}"));
        let pairs = Grid::two_line([(Cell::new("a"), Cell::new("b")), (Cell::new("c"), Cell::new("\\d"))]);
        let picture = Picture::new("Sw<3,4,3> & \"x\"")
            .row([Panel::new(grid).title("tile|<2,8>").caption("c & d"), Panel::stack([pairs])])
            .legend(Fill::Empty, "a hole")
            .footnote("1 < 2");
        let (in_svg, in_tikz) = (texts(&svg(&picture)), nodes(&tikz(&picture)));
        assert_eq!(in_svg, in_tikz);
        assert!(in_svg.len() > 30, "{}", in_svg.len());
        let written = text(&picture, &TextOptions { max_width: 400, ..TextOptions::default() });
        for (_, word) in &in_tikz {
            assert!(written.contains(word.as_str()), "{word} is missing in\n{written}");
        }
        // Backgrounds and lines, one for one.
        let count = |drawn: &str, sign: &str| drawn.matches(sign).count();
        let (svg, tikz) = (svg(&picture), tikz(&picture));
        assert_eq!(count(&svg, "<rect "), count(&tikz, " rectangle ++("));
        assert_eq!(count(&svg, "<path ") + count(&svg, "<rect "), count(&tikz, "\\path["));
    }
}
