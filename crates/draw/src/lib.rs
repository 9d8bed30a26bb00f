//! Pictures of tensor layouts.
//!
//! A [`Picture`] says what is to be seen: [`Panel`]s in rows, each with one or more [`Grid`]s of [`Cell`]s, a legend,
//! a title and a footnote. Four renderers draw it: [`text`] for terminals and logs, [`svg`] for pages, [`tikz`] for papers, `png` (a
//! feature) for all else. Nothing is read or written, and equal pictures give equal strings and bytes.
//! [`scene`] makes the pictures of layouts.
//!
//! ```
//! use bitstride_draw::{Cell, Fill, Grid, Panel, Picture, TextOptions};
//!
//! // The layout (2,4):(4,1), whose second tile of two columns is the one we speak of.
//! let grid = Grid::from_fn(2, 4, |i, j| {
//!     Cell::new(4 * i + j).fill(if j < 2 { Fill::Plain } else { Fill::Group(0) })
//! })
//! .row_heads(|i| i)
//! .col_heads(|j| j)
//! .col_levels(|line| u8::from(line.is_multiple_of(2)));
//! let picture = Picture::new("(2,4):(4,1)").row([Panel::new(grid)]);
//!
//! let drawn = bitstride_draw::text(&picture, &TextOptions::default());
//! assert_eq!(drawn, "\
//! (2,4):(4,1)
//!
//!     0   1   2   3
//!   ┎───┬───┰───┬───┒
//! 0 ┃ 0 │ 1 ┃ 2 │ 3 ┃
//!   ┠───┼───╂───┼───┨
//! 1 ┃ 4 │ 5 ┃ 6 │ 7 ┃
//!   ┖───┴───┸───┴───┚
//! ");
//! assert!(bitstride_draw::svg(&picture).starts_with("<svg "));
//! ```

mod block;
mod brush;
mod cell;
mod grid;
mod junction;
mod lettering;
mod model;
mod palette;
mod pen;
mod picture;
#[cfg(feature = "png")]
mod png;
mod request;
pub mod scene;
mod shape;
mod sheet;
mod svg;
mod text;
mod tikz;
mod words;
mod xml;

pub use cell::{Cell, Fill};
pub use grid::{Grid, Window};
pub use model::{GridModel, Model, PanelModel, model};
pub use palette::palette;
pub use picture::{Panel, Picture};
#[cfg(feature = "png")]
pub use png::png;
pub use request::{Asked, Drawing, Request, Wrong};
pub use svg::svg;
pub use text::{TextOptions, text};
pub use tikz::tikz;
