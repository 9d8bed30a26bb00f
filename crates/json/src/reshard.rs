//! What has to move from one sharding to another, as JSON: the bound, and the moves that reach it.

use bitstride::Error;
use bitstride::sharding::{Moves, Segment, Sharding};
use serde_json::{Map, Value as Json, json};

use crate::refusal;

/// The object of a reshard:
/// `{"movement", "devices", "received": […], "total", "collective": […], "groups": {"count", "size", "first": […]}?, "moves"}`.
///
/// `received` and `collective` are in bytes by device. `moves` is `{"element_bits", "before", "after", "segments", "pieces",
/// "send", "receive", "reduction"?}`: the extents of each local tensor (`null` where a device holds nothing); lists of segments
/// `[source, target, length, count, source_stride, target_stride]` of positions along a dim; the pieces
/// `[sender, receiver, segments of dim 0, …]`; and the bytes that each device sends to others and receives from them; and the operation that combines the pieces that come to one
/// place, with their number (`group`). Where nothing makes the moves, `moves` is the refusal.
///
/// # Errors
/// As [`Sharding::reshard`].
///
/// ```
/// let [before, after] = ["[Shard(0)]", "[Shard(1)]"].map(|to| format!("shard(f32[4,4], {to}, mesh(2))").parse());
/// let object = bitstride_json::reshard(&before?, &after?)?;
/// assert_eq!(object["moves"]["pieces"][1], serde_json::json!([1, 0, 1, 2]));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn reshard(source: &Sharding, target: &Sharding) -> Result<Map<String, Json>, Error> {
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
    let moved = source.moves(target);
    object.insert(
        "moves".into(),
        moved.and_then(|moves| listed(source, &moves)).unwrap_or_else(|error| refusal(&error)).into(),
    );
    Ok(object)
}

fn listed(source: &Sharding, moves: &Moves) -> Result<Map<String, Json>, Error> {
    let bits = source.array().element_bits();
    let (mut send, mut receive) = (vec![0i64; moves.after.len()], vec![0i64; moves.after.len()]);
    let pieces = moves.pieces.iter().map(|piece| {
        if piece.source != piece.target {
            let bytes = i64::try_from(i128::from(moves.size(piece)) * i128::from(bits) / 8).ok();
            for (all, device) in [(&mut send, piece.source), (&mut receive, piece.target)] {
                if let Some(own) = usize::try_from(device).ok().and_then(|device| all.get_mut(device)) {
                    let sum = bytes.and_then(|bytes| own.checked_add(bytes));
                    *own = sum.ok_or_else(|| Error::overflow("the bytes that a device sends or receives"))?;
                }
            }
        }
        let mut row = vec![json!(piece.source), json!(piece.target)];
        row.extend(piece.dims.iter().map(|dim| json!(dim)));
        Ok(Json::Array(row))
    });
    let pieces = pieces.collect::<Result<Vec<Json>, Error>>()?;
    let segment =
        |own: &Segment| json!([own.source, own.target, own.length, own.count, own.source_stride, own.target_stride]);
    let segments: Vec<Json> = moves.segments.iter().map(|all| all.iter().map(segment).collect()).collect();
    let mut object = Map::new();
    object.insert("element_bits".into(), json!(bits));
    object.insert("before".into(), json!(moves.before));
    object.insert("after".into(), json!(moves.after));
    object.insert("segments".into(), segments.into());
    object.insert("pieces".into(), pieces.into());
    object.insert("send".into(), json!(send));
    object.insert("receive".into(), json!(receive));
    if let Some(operation) = moves.reduction {
        object.insert("reduction".into(), json!({"operation": operation, "group": moves.summands}));
    }
    Ok(object)
}
