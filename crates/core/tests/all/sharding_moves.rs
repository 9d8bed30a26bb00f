//! What moves between two shardings, against the elements that each device holds, and the rule against the list of all pieces.

use std::collections::{BTreeMap, BTreeSet};

use bitstride::Code;
use bitstride::sharding::{DimRule, Movement, Moves, Piece, Role, Segment, Sharding, Spread};
use bitstride_oracle::reference::sharding::givers;

use crate::sharding::{listed, read, samples};

/// The positions of a piece, before and after.
pub(crate) fn positions(moves: &Moves, piece: &Piece) -> Vec<[Vec<i64>; 2]> {
    let along = |segment: &Segment| {
        let Segment { source, target, length, count, source_stride, target_stride } = *segment;
        let block =
            move |at| (0..length).map(move |i| [source + at * source_stride + i, target + at * target_stride + i]);
        (0..count).flat_map(block).collect::<Vec<_>>()
    };
    piece.dims.iter().fold(vec![[vec![], vec![]]], |all, dim| {
        let dim: Vec<_> = moves.segments[*dim].iter().flat_map(along).collect();
        let longer = |[before, after]: &[Vec<i64>; 2]| {
            let with = |[one, two]: &[i64; 2]| [[&before[..], &[*one]].concat(), [&after[..], &[*two]].concat()];
            dim.iter().map(with).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

/// Holds the moves against the elements: each is given where it is, and comes to where it shall be, once; returns what devices receive.
fn moved(source: &Sharding, target: &Sharding, moves: &Moves) -> Vec<i64> {
    let dims = |sharding: &Sharding, device| {
        let held = sharding.shard(device).expect("a shard");
        held.map(|dims| dims.iter().map(listed).collect::<Vec<_>>())
    };
    let mut received = vec![0; moves.after.len()];
    let mut filled = vec![BTreeSet::new(); moves.after.len()];
    for piece in &moves.pieces {
        let (from, to) = (dims(source, piece.source).expect("held"), dims(target, piece.target).expect("held"));
        let all = positions(moves, piece);
        assert_eq!(moves.size(piece), i64::try_from(all.len()).expect("a size"));
        let device = usize::try_from(piece.target).expect("a device");
        received[device] += if piece.source == piece.target { 0 } else { moves.size(piece) };
        for [before, after] in all {
            let index = |dims: &[Vec<i64>], at: &[i64]| -> Vec<i64> {
                dims.iter().zip(at).map(|(dim, at)| dim[usize::try_from(*at).expect("a position")]).collect()
            };
            assert_eq!(index(&from, &before), index(&to, &after), "{source} to {target}: {piece:?}");
            assert!(filled[device].insert((moves.reduction.map_or(0, |_| piece.source), after)));
        }
    }
    for (device, filled) in filled.iter().enumerate() {
        let held = dims(target, i64::try_from(device).expect("a number"));
        let extents = held.map(|dims| dims.iter().map(|dim| i64::try_from(dim.len()).expect("a size")).collect());
        assert_eq!(moves.after[device], extents);
        let size: i64 = moves.after[device].as_ref().map_or(0, |extents| extents.iter().product());
        let givers = usize::try_from(moves.summands).expect("a number");
        assert_eq!(filled.len(), usize::try_from(size).expect("a size") * givers, "{source} to {target}: {device}");
    }
    received
}

/// What pieces are, whatever the numbers of their segments.
type Named = Vec<(i64, i64, Vec<Vec<Segment>>)>;

fn named(segments: &[Vec<Segment>], pieces: &[Piece]) -> Named {
    let dims = |piece: &Piece| piece.dims.iter().map(|dim| segments[*dim].clone()).collect();
    pieces.iter().map(|piece| (piece.source, piece.target, dims(piece))).collect()
}

/// The tile of each dim of a device, and its number among those that hold the same.
fn standing(sharding: &Sharding, device: i64) -> Option<(Vec<i64>, i64)> {
    let placement = sharding.placement();
    if let Spread::Only(holder) = placement.spread {
        return (device == holder).then(|| (vec![0; sharding.shape().len()], 0));
    }
    let at = placement.coordinates(device).ok()?;
    let number = |digits: Vec<usize>| digits.iter().fold(0, |all, digit| all * placement.radix(*digit) + at[*digit]);
    let copies = (0..at.len()).filter(|digit| placement.digits[*digit].role == Role::Copies);
    Some((placement.rules.iter().map(|rule| number(rule.digits())).collect(), number(copies.collect())))
}

/// Holds the rule against the moves, which list all pieces, and where there are no summands against the twin that enumerates all.
pub(crate) fn check_rule(source: &Sharding, target: &Sharding, moves: &Moves) {
    let exchange = source.exchange(target).expect("an exchange");
    let all = named(&moves.segments, &moves.pieces);
    assert_eq!(exchange.count(), Ok(i64::try_from(all.len()).expect("a number")), "{source} to {target}");
    let devices = exchange.devices();
    let (mut sent, mut received) = (vec![0; moves.after.len()], vec![0; moves.after.len()]);
    for piece in moves.pieces.iter().filter(|piece| piece.source != piece.target) {
        sent[usize::try_from(piece.source).expect("a device")] += moves.size(piece);
        received[usize::try_from(piece.target).expect("a device")] += moves.size(piece);
    }
    assert_eq!((exchange.sent(), exchange.received()), (Ok(sent), Ok(received)), "{source} to {target}");
    for device in 0..devices {
        let own = exchange.pieces_of(device).expect("pieces");
        let gets = all.iter().filter(|piece| piece.1 == device).cloned();
        let mut gives: Named = all.iter().filter(|piece| piece.0 == device && piece.1 != device).cloned().collect();
        gives.sort_by_key(|piece| piece.1);
        let mut found = named(&own.segments, &own.pieces);
        let rest = found.split_off(gets.clone().count());
        assert!(found.into_iter().eq(gets), "{source} to {target}: {device}");
        assert_eq!(rest, gives, "{source} to {target}: {device}");
        for other in 0..devices {
            let piece = exchange.piece(device, other).expect("a piece");
            let listed = all.iter().find(|own| (own.0, own.1) == (device, other)).map(|own| own.2.clone());
            assert_eq!(piece, listed, "{source} to {target}: {device} to {other}");
        }
    }
    if moves.reduction.is_some() || source.placement().pending().any(|digit| digit.part.size > 1) {
        return;
    }
    let both = [source, target].map(|own| own.on(devices).unwrap_or_else(|_| own.clone()));
    let [source, target] = &both;
    let count = |sharding: &Sharding| sharding.devices().expect("a number");
    let mut cells: BTreeMap<Vec<i64>, Vec<(i64, i64)>> = BTreeMap::new();
    for device in 0..count(source) {
        if let Some((tiles, copy)) = standing(source, device) {
            cells.entry(tiles).or_default().push((copy, device));
        }
    }
    let mut pairs = Vec::new();
    for mut holders in cells.into_values() {
        holders.sort_unstable();
        let holders: Vec<i64> = holders.into_iter().map(|(_, device)| device).collect();
        let held: Vec<_> = source.shard(holders[0]).expect("a shard").expect("a part").iter().map(listed).collect();
        let mut receivers: Vec<_> =
            (0..count(target)).filter_map(|device| Some((standing(target, device)?, device))).collect();
        receivers.retain(|(_, device)| {
            let dims = target.shard(*device).expect("a shard").expect("a part");
            dims.iter().zip(&held).all(|(dim, held)| held.iter().any(|index| dim.holds(*index)))
        });
        receivers.sort();
        let receivers: Vec<i64> = receivers.into_iter().map(|(_, device)| device).collect();
        pairs.extend(givers(&holders, &receivers));
    }
    let mut found: Vec<_> = all.iter().map(|piece| (piece.0, piece.1)).collect();
    pairs.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, pairs, "{source} to {target}");
}

#[test]
fn moves_bring_each_element_once_and_no_byte_more_than_the_bound() {
    let mut samples = samples();
    for extent in [7, 12] {
        for placements in
            ["Partial(), Shard(0)", "Partial(), Replicate()", "Partial(), Shard(1)", "Shard(0), Partial()"]
        {
            samples.push(read(&format!("shard(f32[{extent},8], [{placements}], mesh(2,4))")));
        }
    }
    let (mut plain, mut summed, mut refused) = (0, 0, 0);
    for source in &samples {
        for target in samples.iter().filter(|target| source.shape() == target.shape()) {
            let Ok(plan) = source.reshard(target) else { continue };
            let Ok(moves) = source.moves(target) else {
                refused += 1;
                continue;
            };
            let received: Vec<i64> = moved(source, target, &moves).iter().map(|elements| 4 * elements).collect();
            check_rule(source, target, &moves);
            match moves.reduction {
                // One stream of summands is the bound, and each device gives one, its own not counted.
                Some(operation) => {
                    assert_eq!(operation, "sum", "{source} to {target}");
                    let (all, others) = (moves.summands, moves.summands - 1);
                    let has_own = matches!(plan.movement, Movement::AllReduce | Movement::ReduceScatter);
                    for (received, least) in received.iter().zip(&plan.received) {
                        assert!((others * least..=all * least).contains(received), "{source} to {target}: {plan:?}");
                        assert!(!has_own || *received == others * least, "{source} to {target}: {plan:?}");
                    }
                    summed += 1;
                }
                None => {
                    assert_eq!(received, plan.received, "{source} to {target}");
                    plain += 1;
                }
            }
        }
    }
    assert!(plain > 1000 && summed > 100 && refused > 10, "{plain} {summed} {refused}");
}

#[test]
fn replicas_share_the_sending() {
    // Each half is on four devices, and four devices lack it.
    let source = read("shard(f32[64,8], [Shard(0), Replicate()], mesh(2,4))");
    let moves = source.moves(&read("shard(f32[64,8], [Replicate(), Replicate()], mesh(2,4))")).expect("moves");
    let mut sent = vec![0; 8];
    for piece in moves.pieces.iter().filter(|piece| piece.source != piece.target) {
        sent[usize::try_from(piece.source).expect("a device")] += moves.size(piece);
    }
    assert_eq!(sent, [256; 8]);
}

#[test]
fn moves_that_no_exchange_or_reduction_makes_are_refused() {
    let code = |source: &str, target: &str| read(source).moves(&read(target)).map_err(|error| error.code());
    for (source, target) in [
        ("[Replicate()], mesh(2)", "[Partial()], mesh(2)"),
        ("[Partial('sum'), Partial('max')], mesh(2,2)", "[Replicate(), Replicate()], mesh(2,2)"),
    ] {
        let both = [source, target].map(|text| format!("shard(f32[8], {text})"));
        assert_eq!(code(&both[0], &both[1]), Err(Code::NotALayout), "{source} to {target}");
    }
    let blocks = |extent: i64, placement: &str| format!("shard(s8[{extent}], [{placement}], mesh(2))");
    let strided = "_StridedShard(0, split_factor=274877906944)";
    assert_eq!(code(&blocks((1 << 40) - 1, strided), &blocks((1 << 40) - 1, "Shard(0)")), Err(Code::TooLarge));
    // Half a tera of blocks is one segment.
    let even = read(&blocks(1 << 40, strided)).moves(&read(&blocks(1 << 40, "Shard(0)"))).expect("moves");
    assert_eq!((even.pieces.len(), even.segments[0][0].count, even.segments[0].len()), (4, 1 << 37, 1));
    let many = |axes: &str| format!("shard(s8[4194304], P(({axes})), mesh(a=2048,b=2048))");
    assert_eq!(code(&many("'a','b'"), &many("'b','a'")), Err(Code::TooLarge));
}

#[test]
fn sizes_that_nothing_enumerates() {
    let even = read("shard(f32[1099511627776,1048576], P('a', 'b'), mesh(a=1024,b=1024))");
    let other = read("shard(f32[1099511627776,1048576], [Shard(0), Shard(1)], mesh(1024,1024))");
    assert!(even.compare(&other).expect("compared").holds());
    let transposed = read("shard(f32[1099511627776,1048576], '{devices=[1024,1024]<=[1024,1024]T(1,0)}')");
    assert_eq!(even.compare(&transposed).expect("compared").elements.map(|found| found.device), Some(1));
    let huge = read("shard(s8[1099511627776], [Shard(0), Shard(0)], mesh(1048576,1048576))");
    let same = read("shard(s8[1099511627776], P(('a','b')), mesh(a=1048576,b=1048576))");
    assert!(huge.compare(&same).expect("compared").holds());
    let swapped = read("shard(s8[1099511627776], P(('b','a')), mesh(a=1048576,b=1048576))");
    assert!(!huge.compare(&swapped).expect("compared").holds());
    assert_eq!(huge.reshard(&swapped).map_err(|error| error.code()), Err(Code::TooLarge));
    // Half a tera of runs of two indices each.
    let gaps = read("shard(s8[1099511627776], [_StridedShard(0, split_factor=274877906944)], mesh(2))");
    let held = gaps.shard(1).expect("a shard").expect("a part");
    assert_eq!((held[0].size(), held[0].at(2), held[0].first()), (549755813888, Some(6), Some(2)));
    assert_eq!(held[0].common(&gaps.shard(0).expect("a shard").expect("a part")[0]), Ok(0));
    // Gaps in gaps that fit no digits are refused, and do not hang.
    let ragged = read(
        "shard(s8[1099511627775], [_StridedShard(0, split_factor=1000003), _StridedShard(0, split_factor=999983)], mesh(3,5))",
    );
    assert_eq!(ragged.shard(1).map_err(|error| error.code()), Err(Code::TooLarge));
    for text in [
        "shard(s8[9223372036854775807], '{devices=[3]<=[3]}')",
        "shard(s8[9223372036854775807], [Shard(0), _StridedShard(0, split_factor=3)], mesh(3,2))",
        "shard(s8[9223372036854775807], [_StridedShard(0, split_factor=9223372036854775807)], mesh(2))",
        "shard(s8[5], [_StridedShard(0, split_factor=9223372036854775807)], mesh(2))",
        "shard(s8[5], '{devices=[4611686018427387904]<=[4611686018427387904]}')",
    ] {
        let sharding = read(text);
        let last = sharding.devices().expect("a number") - 1;
        let all = [0, last].map(|device| sharding.shard(device).expect("a shard").map_or(0, |dims| dims[0].size()));
        assert!(all.iter().all(|size| *size >= 0), "{text}");
        assert!(sharding.compare(&sharding).is_ok(), "{text}");
    }
}

#[test]
fn a_thousand_devices_are_planned_at_once() {
    let source = read("shard(bf16[16384,16384], P(('a','b'), None), mesh(a=32,b=32))");
    let target = read("shard(bf16[16384,16384], P(None, ('b','a')), mesh(a=32,b=32))");
    let plan = source.reshard(&target).expect("planned");
    assert_eq!((plan.movement, plan.devices, plan.total()), (Movement::AllToAll, 1024, 1024 * 16 * (16384 - 16) * 2));
}

/// More pieces than anything lists.
#[test]
fn exchanges_between_all_pairs_are_rules() {
    for (before, after, pieces) in [
        // A row of the mesh a dim, in another order.
        (
            "f32[1048576,1048576], P(('a','b'), None), mesh(a=128,b=128)",
            "P(None, ('b','a')), mesh(a=128,b=128)",
            1 << 28,
        ),
        // Blocks become every 16384th index.
        ("f32[268435456], [Shard(0)], mesh(16384)", "[_StridedShard(0, split_factor=16384)], mesh(16384)", 1 << 28),
        ("f32[16384,8], [Shard(0)], mesh(16384)", "[Replicate()], mesh(16384)", 1 << 28),
    ] {
        let shape = before.split_once(' ').expect("a shape").0;
        let source = read(&format!("shard({before})"));
        let target = read(&format!("shard({shape} {after})"));
        let exchange = source.exchange(&target).expect("a rule");
        assert_eq!(exchange.count(), Ok(pieces), "{source}");
        let plan = source.reshard(&target).expect("planned");
        let bytes = |elements: Vec<i64>| elements.into_iter().map(|own| 4 * own).collect::<Vec<i64>>();
        assert_eq!(exchange.received().map(bytes), Ok(plan.received.clone()), "{source}");
        assert_eq!(exchange.sent().map(bytes), Ok(plan.received), "{source}");
        let own = exchange.pieces_of(77).expect("pieces").pieces;
        assert_eq!((own.len(), own[16383].source, own[16384].target), (2 * 16384 - 1, 16383, 0), "{source}");
        assert_eq!(source.moves(&target).map_err(|error| error.code()).map(|_| ()), Err(Code::TooLarge));
    }
    // Uneven tiles are cut at both sides' ends.
    let source = read("shard(f32[1000003,7], '{devices=[1024,1]<=[1024]}')");
    let target = read("shard(f32[1000003,7], '{devices=[1000,1]<=[1000]}')");
    let exchange = source.exchange(&target).expect("a rule");
    let rule = exchange.rule();
    assert!(
        matches!(&rule[..], [Some(DimRule::Cuts(cuts)), Some(DimRule::Digits(_))] if cuts.len() < 2030),
        "{rule:?}"
    );
    assert!(exchange.count().is_ok_and(|count| count < 2030));
    let total: i64 = exchange.sent().expect("elements").iter().sum();
    assert_eq!(i128::from(total) * 4, source.reshard(&target).expect("planned").total());
}

#[test]
fn summands_move_only_where_the_bound_is_known() {
    let moved = |source: &str, target: &str| read(source).reshard(&read(target));
    for (source, target) in [
        // Zeros do where a device has nothing, so that the values that it lacks are no bound.
        ("shard(f32[8], [Shard(0)], mesh(2))", "shard(f32[8], [Partial()], mesh(2))"),
        // Other devices have summands of one value.
        ("shard(f32[8], [Partial(), Replicate()], mesh(2,4))", "shard(f32[8], [Replicate(), Partial()], mesh(2,4))"),
        ("shard(f32[8], [Partial(), Shard(0)], mesh(2,2))", "shard(f32[8], [Shard(0), Partial()], mesh(2,2))"),
        ("shard(f32[8], [Partial('sum')], mesh(2))", "shard(f32[8], [Partial('max')], mesh(2))"),
        // Devices 0 and 2 are copies before, and 0 and 3 after: one of them would keep the other summand.
        (
            "shard(f32[8], '{devices=[1,2,2]<=[4] last_tile_dims={replicated, unreduced}}')",
            "shard(f32[8], '{devices=[1,2,2]0,1,3,2 last_tile_dims={replicated, unreduced}}')",
        ),
    ] {
        assert!(!read(source).compare(&read(target)).expect("compared").holds(), "{source} and {target}");
        let code = moved(source, target).map_err(|error| error.code());
        assert_eq!(code.map(|plan| plan.received), Err(bitstride::Code::NotALayout), "{source} to {target}");
    }
    let same = moved("shard(f32[8], [Replicate()], mesh(2))", "shard(f32[8], [Partial()], mesh(2))").expect("no bytes");
    assert_eq!((same.movement, same.total()), (Movement::LocalSlice, 0));
    let kept =
        moved("shard(f32[8], [Partial(), Shard(0)], mesh(2,2))", "shard(f32[8], [Partial(), Replicate()], mesh(2,2))");
    assert_eq!(kept.expect("a gather").movement, Movement::AllGather);
    // Without copies the numbers of summands are free, and the groups that add them with copies.
    for (one, other) in [
        ("[Partial()], mesh(4)", "[Partial()], mesh(a=4,device_ids=[3,1,0,2])"),
        ("[Partial(), Replicate()], mesh(2,2)", "[Partial(), Replicate()], mesh(a=2,b=2,device_ids=[0,1,3,2])"),
    ] {
        let [one, other] = [one, other].map(|own| read(&format!("shard(f32[8], {own})")));
        assert!(one.compare(&other).expect("compared").holds(), "{one} and {other}");
        assert_eq!(one.reshard(&other).map(|plan| plan.total()), Ok(0), "{one} to {other}");
        assert_eq!(one.moves(&other).map(|moves| moves.pieces.len()), Ok(4), "{one} to {other}");
    }
}

#[test]
fn bytes_at_the_end_of_64_bits_are_counted_or_refused() {
    let moved = |all: i64| {
        let text = |placement: &str| read(&format!("shard(s8[{all}], [{placement}], mesh(2))"));
        text("Partial()").reshard(&text("Replicate()"))
    };
    // An all-reduce would receive 2^63 bytes.
    assert_eq!(moved(i64::MAX).map_err(|error| error.code().as_str()).map(|_| ()), Err("overflow"));
    let halves = moved(1 << 62).expect("half as many bytes");
    assert_eq!((halves.received[0], halves.collective[0]), (1 << 62, 1 << 62));
    // One device sends as many elements to each of seven.
    let [one, all] =
        ["maximal device=0", "replicated"].map(|own| format!("shard(s8[{}], '{{{own}}}', 8)", i64::MAX / 7 + 1));
    let (one, all) = (read(&one), read(&all));
    assert!(one.reshard(&all).is_ok());
    assert_eq!(one.moves(&all).err().map(|error| error.code().as_str()), Some("overflow"));
}
