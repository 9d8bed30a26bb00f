//! What has to move from one sharding to another, as JSON: the bound, and the rule and the moves that reach it.

use bitstride::Error;
use bitstride::sharding::{DimRule, Exchange, MovedDigit, Pieces, Segment, Sharding};
use serde_json::{Map, Value as Json, json};

use crate::refusal;

/// More pieces, or more cuts of a dim, are listed only where those of one device are wanted.
const MAX_LISTED: i64 = 4096;

/// The object of a reshard:
/// `{"movement", "devices", "received": […], "total", "collective": […], "groups": {"count", "size", "first": […]}?, "moves"}`.
///
/// `received` and `collective` are in bytes by device. `moves` is `{"element_bits", "before", "after", "count", "rule", "segments",
/// "pieces", "send", "receive", "reduction"?}`: the extents of each local tensor (`null` where a device holds nothing); the number of
/// pieces; the rule of each dim; lists of segments
/// `[source, target, length, count, source_stride, target_stride]` of positions along a dim; the pieces
/// `[sender, receiver, segments of dim 0, …]`; the bytes that each device sends to others and receives from them; and the operation that
/// combines the pieces that come to one place, with their number (`group`). Where nothing makes the moves, `moves` is the refusal.
///
/// A rule is `{"digits": [[weight, radix, before, after], …]}`, where a digit of the index moves the number of the device by `before` and
/// `after` (`null` where it is local); or `{"cuts": […]}`, the indices between which all goes together, of which more than 4096 are only
/// counted, as `{"count"}`; or `null` where the devices stand in no regular order. Of more than 4096 pieces, `segments` and
/// `pieces` are left out, unless a `device` is given: then they are those that it gets, and those that it gives to others.
///
/// # Errors
/// As [`Sharding::reshard`]; of a device that is not there [`bitstride::Code::Range`].
///
/// ```
/// let [before, after] = ["[Shard(0)]", "[Shard(1)]"].map(|to| format!("shard(f32[4,4], {to}, mesh(2))").parse());
/// let object = bitstride_json::reshard(&before?, &after?, None)?;
/// assert_eq!(object["moves"]["pieces"][1], serde_json::json!([1, 0, 2, 1]));
/// assert_eq!(object["moves"]["rule"][0]["digits"], serde_json::json!([[2, 2, 1, null], [1, 2, null, null]]));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn reshard(source: &Sharding, target: &Sharding, device: Option<i64>) -> Result<Map<String, Json>, Error> {
    let plan = source.reshard(target)?;
    let mut object = Map::new();
    object.insert("movement".into(), json!(plan.movement.to_string()));
    object.insert("devices".into(), json!(plan.devices));
    object.insert("received".into(), json!(plan.received));
    object.insert("total".into(), json!(plan.total().to_string()));
    object.insert("collective".into(), json!(plan.collective));
    if let Some(groups) = &plan.groups {
        let first = groups.members(0);
        object.insert("groups".into(), json!({"count": groups.count, "size": groups.size, "first": first}));
    }
    let listed = source.exchange(target).and_then(|exchange| {
        let pieces = match (device, exchange.count()?) {
            (Some(device), _) => Some(exchange.pieces_of(device)?),
            (None, count) if count <= MAX_LISTED => Some(exchange.pieces()?),
            (None, _) => None,
        };
        moves(source.array().element_bits(), &exchange, pieces)
    });
    let moves = match listed {
        Ok(moves) => moves,
        Err(error) if device.is_some() => return Err(error),
        Err(error) => refusal(&error),
    };
    object.insert("moves".into(), moves.into());
    Ok(object)
}

/// The pieces of one device, or all: `{"segments", "pieces"}` as in [`reshard`].
///
/// # Errors
/// As [`Exchange::pieces_of`] and [`Exchange::pieces`].
///
/// ```
/// let [before, after] = ["[Shard(0)]", "[Shard(1)]"].map(|to| format!("shard(f32[4,4], {to}, mesh(2))").parse());
/// let object = bitstride_json::pieces(&before?, &after?, Some(0))?;
/// assert_eq!(object["pieces"], serde_json::json!([[0, 0, 0, 1], [1, 0, 2, 1], [0, 1, 0, 3]]));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn pieces(source: &Sharding, target: &Sharding, device: Option<i64>) -> Result<Map<String, Json>, Error> {
    let exchange = source.exchange(target)?;
    let pieces = match device {
        Some(device) => exchange.pieces_of(device)?,
        None => exchange.pieces()?,
    };
    Ok(listed(&pieces))
}

fn moves(bits: i64, exchange: &Exchange, pieces: Option<Pieces>) -> Result<Map<String, Json>, Error> {
    let devices = 0..exchange.devices();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for device in devices {
        before.push(exchange.before(device)?);
        after.push(exchange.after(device)?);
    }
    let bytes = |elements: Vec<i64>| -> Result<Vec<i64>, Error> {
        let bytes = elements.into_iter().map(|own| i64::try_from(i128::from(own) * i128::from(bits) / 8));
        let all = bytes.collect::<Result<_, _>>();
        all.map_err(|_| Error::overflow("the bytes that a device sends or receives"))
    };
    let mut object = Map::new();
    object.insert("element_bits".into(), json!(bits));
    object.insert("before".into(), json!(before));
    object.insert("after".into(), json!(after));
    object.insert("count".into(), json!(exchange.count()?));
    object.insert("rule".into(), exchange.rule().iter().map(rule).collect::<Vec<_>>().into());
    if let Some(pieces) = pieces {
        object.append(&mut listed(&pieces));
    }
    object.insert("send".into(), json!(bytes(exchange.sent()?)?));
    object.insert("receive".into(), json!(bytes(exchange.received()?)?));
    if let Some(operation) = exchange.reduction() {
        let members = exchange.summand_groups()?;
        let reduction = json!({"operation": operation, "group": exchange.summands(), "members": members});
        object.insert("reduction".into(), reduction);
    }
    Ok(object)
}

fn rule(rule: &Option<DimRule>) -> Json {
    let digit = |own: &MovedDigit| json!([own.weight, own.radix, own.before, own.after]);
    match rule {
        Some(DimRule::Digits(digits)) => json!({"digits": digits.iter().map(digit).collect::<Vec<_>>()}),
        Some(DimRule::Cuts(cuts)) => match i64::try_from(cuts.len()) {
            Ok(count) if count <= MAX_LISTED => json!({"cuts": cuts}),
            _ => json!({"count": cuts.len()}),
        },
        _ => Json::Null,
    }
}

fn listed(pieces: &Pieces) -> Map<String, Json> {
    let segment =
        |own: &Segment| json!([own.source, own.target, own.length, own.count, own.source_stride, own.target_stride]);
    let segments: Vec<Json> = pieces.segments.iter().map(|all| all.iter().map(segment).collect()).collect();
    let row = |piece: &bitstride::sharding::Piece| {
        let mut row = vec![json!(piece.source), json!(piece.target)];
        row.extend(piece.dims.iter().map(|dim| json!(dim)));
        Json::Array(row)
    };
    let rows: Vec<Json> = pieces.pieces.iter().map(row).collect();
    Map::from_iter([("segments".to_owned(), segments.into()), ("pieces".to_owned(), rows.into())])
}
