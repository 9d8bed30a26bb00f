//! [`Moves`]: which elements go from which device to which, so that one sharding becomes another, piece by piece.
//!
//! A piece is what a device gets of what others hold alike: a product of runs of positions, in the local tensor of the sender and in that of
//! the receiver. Law: each element that a device holds afterwards comes in one piece, from the device itself where it held it before; so
//! what a device receives from others is the bound of [`Reshard`](super::Reshard). Summands come in one piece for each of them, in one order
//! on all devices, and are combined.

use super::indices::Segment;
use super::pieces::{Piece, Pieces};
use super::tensor::Sharding;
use crate::error::Error;

/// Which elements go where. Local tensors have just the elements that a device holds, without padding, in the order of the indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moves {
    /// The extents of the local tensor of each device before; `None` where it holds nothing.
    pub before: Vec<Option<Vec<i64>>>,
    /// The same afterwards.
    pub after: Vec<Option<Vec<i64>>>,
    /// Positions along one dim that the pieces name: the product over the dims is the piece.
    pub segments: Vec<Vec<Segment>>,
    /// The pieces, by receiver.
    pub pieces: Vec<Piece>,
    /// The operation by which the pieces that come to one place are combined, as PyTorch names it: `sum`.
    pub reduction: Option<&'static str>,
    /// How many pieces are combined at each place: how many summands a value has; 1 where there are none.
    pub summands: i64,
}

impl Moves {
    /// How many elements a piece has.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let before: Sharding = "shard(f32[8,8], P('a', None), mesh(a=2))".parse()?;
    /// let after: Sharding = "shard(f32[8,8], P(None, 'a'), mesh(a=2))".parse()?;
    /// let moves = before.moves(&after)?;
    /// let sizes = moves.pieces.iter().map(|piece| (piece.source, piece.target, moves.size(piece)));
    /// assert!(sizes.eq([(0, 0, 16), (1, 0, 16), (0, 1, 16), (1, 1, 16)]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn size(&self, piece: &Piece) -> i64 {
        let along = |dim: &usize| self.segments.get(*dim).map_or(0, |segments| segments.iter().map(|s| s.size()).sum());
        piece.dims.iter().map(along).product::<i64>()
    }
}

impl Sharding {
    /// Which elements go where, so that this sharding becomes another one of the same tensor; [`Sharding::exchange`] is the rule.
    ///
    /// # Errors
    /// As [`Sharding::exchange`]; [`Code::TooLarge`](crate::Code::TooLarge) for too many pieces or runs;
    /// [`Code::Overflow`](crate::Code::Overflow) where a device sends more than 2^63 - 1 elements.
    ///
    /// ```
    /// use bitstride::sharding::Sharding;
    /// let before: Sharding = "shard(f32[9], [Shard(0)], mesh(2))".parse()?;
    /// let after: Sharding = "shard(f32[9], [Replicate()], mesh(2))".parse()?;
    /// let moves = before.moves(&after)?;
    /// assert_eq!((moves.before, moves.pieces.len()), (vec![Some(vec![5]), Some(vec![4])], 4));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn moves(&self, target: &Sharding) -> Result<Moves, Error> {
        let exchange = self.exchange(target)?;
        exchange.sent()?;
        let Pieces { segments, pieces } = exchange.pieces()?;
        let devices = || 0..exchange.devices();
        Ok(Moves {
            before: devices().map(|device| exchange.before(device)).collect::<Result<_, _>>()?,
            after: devices().map(|device| exchange.after(device)).collect::<Result<_, _>>()?,
            segments,
            pieces,
            reduction: exchange.reduction(),
            summands: exchange.summands(),
        })
    }
}
