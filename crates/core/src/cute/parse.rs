//! Layouts from text: `"((2,2),3):((24,2),8)".parse()`.
//!
//! Any expression whose value is a layout is read; a bare shape is its compact layout. Law: `parse(display(L)) == L`.

use std::str::FromStr;

use super::layout::{Layout, StaticLayout};
use crate::calc::evaluate;
use crate::error::{Code, Error};

impl FromStr for Layout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        evaluate(text)?.value.as_layout()
    }
}

impl FromStr for StaticLayout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let layout: Layout = text.parse()?;
        layout.to_static().ok_or_else(|| {
            Error::new(Code::Kind, format!("{layout} is not static: it has dynamic, unknown or coordinate leaves"))
        })
    }
}
