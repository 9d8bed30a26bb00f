//! The layout in braces, field by field. A field that breaks off says why and where; that is an error only when the next
//! field does not start there either, see the module of the reader.

use super::lexer::TokenKind;
use super::tokens::{Tokens, TypeName};
use super::{IndexType, Layout, Split, Tile, TileDim};
use crate::error::{Code, Error};
use crate::text::{Span, code};

type Field = Result<(), Error>;

/// A layout from `{` to `}`.
pub(super) fn read_layout(reader: &mut Tokens<'_>) -> Result<Layout, Error> {
    reader.require('{', "`{` and a layout")?;
    let mut fields = Fields { reader, layout: Layout::ordered(Vec::new()), broken: None, fault: None };
    if matches!(fields.reader.token.kind, TokenKind::Int(_)) {
        fields.minor_to_major()?;
    }
    if fields.reader.eat(TokenKind::Sign(':')) {
        fields.read();
    }
    fields.close()
}

struct Fields<'r, 't> {
    reader: &'r mut Tokens<'t>,
    layout: Layout,
    /// Why the last field that broke off did so.
    broken: Option<Error>,
    /// What was read whole and cannot be.
    fault: Option<Error>,
}

impl Fields<'_, '_> {
    fn minor_to_major(&mut self) -> Field {
        loop {
            let dim = self.reader.int("the number of a dim")?;
            self.layout.minor_to_major.push(dim);
            if !self.reader.eat(TokenKind::Sign(',')) {
                return Ok(());
            }
        }
    }

    /// All fields, in the only order in which they may stand.
    fn read(&mut self) {
        if self.word("D") {
            let field = self.dim_levels();
            self.note(field);
        }
        if self.word("T") {
            let field = self.tiles();
            self.note(field);
        }
        if self.word("L") {
            let field = self.number(|layout| &mut layout.tail_padding);
            self.note(field);
        }
        if self.reader.eat(TokenKind::Sign('#')) {
            self.layout.index_type = self.index_type();
        }
        if self.reader.eat(TokenKind::Sign('*')) {
            self.layout.pointer_type = self.index_type();
        }
        if self.word("E") {
            let field = self.number(|layout| &mut layout.element_bits);
            self.note(field);
        }
        if self.word("S") {
            let field = self.number(|layout| &mut layout.memory_space);
            self.note(field);
        }
        if self.word("SC") {
            let field = self.splits();
            self.note(field);
        }
        if self.word("P") {
            let field = self.physical();
            self.note(field);
        }
        if self.word("M") {
            let field = self.number(|layout| &mut layout.metadata_prefix);
            self.note(field);
        }
    }

    fn close(self) -> Result<Layout, Error> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let here = self.reader.token.span;
        let help = self.help();
        match self.broken.filter(|broken| broken.span() == Some(here)) {
            Some(broken) if !self.reader.at(TokenKind::Sign('}')) => Err(broken),
            _ if self.reader.eat(TokenKind::Sign('}')) => Ok(self.layout),
            _ => {
                let error = self.reader.expected("the next field or the `}` of the layout");
                Err(error.with_help(help))
            }
        }
    }

    /// What to write instead of what stands where a field or the end has to.
    fn help(&self) -> &'static str {
        match self.reader.token.kind {
            _ if self.reader.at_word("T") && !self.layout.tiles.is_empty() => {
                "all tiles stand behind one `T`, side by side: `T(8,128)(2,1)`"
            }
            TokenKind::Sign('(') | TokenKind::Stray | TokenKind::Int(_) if self.layout.tiles.is_empty() => {
                "dims have commas between them, and tiles a `T` before them: `{1,0:T(8,128)}`"
            }
            _ => "after `:` the fields D, T, L, #, *, E, S, SC, P, M stand in this order, each once",
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.reader.at_word(word);
        if found {
            self.reader.advance();
        }
        found
    }

    fn note(&mut self, field: Field) {
        if let Err(broken) = field {
            self.broken = Some(broken);
        }
    }

    /// `D(C+,S~)`, which says nothing any more.
    fn dim_levels(&mut self) -> Field {
        self.reader.require('(', "`(` and the levels of the dims")?;
        if !self.reader.at(TokenKind::Sign(')')) {
            self.dim_level()?;
            while self.reader.eat(TokenKind::Sign(',')) {
                self.dim_level()?;
            }
        }
        self.reader.require(')', "`,` or the `)` of `D`")
    }

    fn dim_level(&mut self) -> Field {
        if !["D", "C", "S", "H"].iter().any(|level| self.word(level)) {
            return Err(self.reader.expected("the level of a dim: D, C, S or H"));
        }
        self.reader.eat(TokenKind::Sign('+'));
        self.reader.eat(TokenKind::Sign('~'));
        Ok(())
    }

    /// `T(8,128)(2,1)`
    fn tiles(&mut self) -> Field {
        loop {
            let mut tile = Tile::default();
            let read = self.tile(&mut tile);
            self.layout.tiles.push(tile);
            read?;
            if !self.reader.at(TokenKind::Sign('(')) {
                return Ok(());
            }
        }
    }

    fn tile(&mut self, tile: &mut Tile) -> Field {
        self.reader.require('(', "`(` and the extents of a tile")?;
        if !self.reader.at(TokenKind::Sign(')')) {
            tile.0.push(self.tile_dim()?);
            while self.reader.eat(TokenKind::Sign(',')) {
                tile.0.push(self.tile_dim()?);
            }
        }
        self.reader.require(')', "`,` or the `)` of the tile")
    }

    fn tile_dim(&mut self) -> Result<TileDim, Error> {
        if self.reader.eat(TokenKind::Sign('*')) {
            return Ok(TileDim::Combine);
        }
        let at = self.reader.token.span;
        match self.reader.int("the extent of a tile, an integer or `*`")? {
            // XLA keeps `*` as this number.
            i64::MIN => Ok(TileDim::Combine),
            extent => {
                if extent < 0 {
                    let error = error!(
                        Code::Syntax(code::BAD_SIZE),
                        "the extent of a tile is not negative, this is {extent}",
                        [extent]
                    );
                    self.blame(at, error.with_help("write `*` to merge the dim into the next more minor one"));
                }
                Ok(TileDim::Size(extent))
            }
        }
    }

    /// `(8)`, for the fields that are one number.
    fn number(&mut self, field: impl FnOnce(&mut Layout) -> &mut i64) -> Field {
        self.reader.require('(', "`(` and an integer")?;
        let at = self.reader.token.span;
        *field(&mut self.layout) = self.reader.int("an integer")?;
        let padding = self.layout.tail_padding;
        if padding < 1 {
            let error = error!(
                Code::Syntax(code::BAD_SIZE),
                "`L` rounds the buffer up to a multiple of {unit} element or more, this is {padding}",
                [unit = 1, padding]
            );
            self.blame(at, error.with_help("leave `L` away to round up to whole elements"));
        }
        self.reader.require(')', "`)` after the integer")
    }

    fn blame(&mut self, at: Span, error: Error) {
        self.fault.get_or_insert_with(|| error.with_span(at));
    }

    /// `(u32)`, of which XLA misses nothing that is left away.
    fn index_type(&mut self) -> Option<IndexType> {
        let field = self.reader.require('(', "`(` and an unsigned integer type");
        self.note(field);
        let name = self.reader.type_name();
        match name {
            Some(_) => self.reader.advance(),
            None => self.broken = Some(self.reader.expected("an unsigned integer type such as `u32`")),
        }
        let field = self.reader.require(')', "`)` after the type");
        if name.is_some() {
            self.note(field);
        }
        name.map(|name| match name {
            TypeName::Element(element) if element.is_unsigned() => IndexType::Unsigned(element),
            _ => IndexType::Invalid,
        })
    }

    /// `SC(0:1,2)(1:3)`
    fn splits(&mut self) -> Field {
        loop {
            self.reader.require('(', "`(` and the dim to cut")?;
            let dim = self.reader.int("the number of the dim to cut")?;
            let mut split = Split { dim, indices: Vec::new() };
            let read = self.split(&mut split.indices);
            self.layout.splits.push(split);
            read?;
            if !self.reader.at(TokenKind::Sign('(')) {
                return Ok(());
            }
        }
    }

    fn split(&mut self, indices: &mut Vec<i64>) -> Field {
        const INDEX: &str = "an index to cut at";
        self.reader.require(':', "`:` and the indices to cut at")?;
        if !self.reader.at(TokenKind::Sign(')')) {
            indices.push(self.reader.int(INDEX)?);
            while self.reader.eat(TokenKind::Sign(',')) {
                indices.push(self.reader.int(INDEX)?);
            }
        }
        self.reader.require(')', "`,` or the `)` of the split")
    }

    /// `P(f32[8]{0})`. A shape that cannot be read is refused here, for nothing could be kept of it.
    fn physical(&mut self) -> Field {
        let open = self.reader.require('(', "`(` and the physical shape");
        match open.and_then(|()| self.reader.shape()) {
            Ok(shape) => self.layout.physical = Some(Box::new(shape)),
            Err(unread) => {
                self.fault.get_or_insert(unread);
                return Ok(());
            }
        }
        self.reader.require(')', "the `)` of the physical shape")
    }
}
