//! Shardings against their definitions, index by index: on all small ones, on random ones, and at extents that nothing enumerates.

use std::collections::BTreeSet;

use bitstride::Code;
use bitstride::map::Map;
use bitstride::sharding::{Indices, Movement, Notation, Order, Sharding};
use bitstride_oracle::reference::sharding::{devices, strided, tile};
use proptest::prelude::*;

pub(crate) fn read(text: &str) -> Sharding {
    text.parse().expect(text)
}

pub(crate) fn listed(indices: &Indices) -> Vec<i64> {
    (0..indices.size()).map(|at| indices.at(at).expect("an index")).collect()
}

/// The elements of each device, enumerated.
fn elements(sharding: &Sharding) -> Vec<BTreeSet<Vec<i64>>> {
    let of = |device| {
        let Some(dims) = sharding.shard(device).expect("a shard") else { return BTreeSet::new() };
        dims.iter().fold(BTreeSet::from([vec![]]), |all, dim| {
            let dim = listed(dim);
            all.iter().flat_map(|at| dim.iter().map(move |index| [at.clone(), vec![*index]].concat())).collect()
        })
    };
    (0..sharding.devices().expect("a number")).map(of).collect()
}

const NOTATIONS: [Notation; 5] = [Notation::Hlo, Notation::HloMesh, Notation::Jax, Notation::Shardy, Notation::DTensor];

/// What JAX and PyTorch printed in programs and messages of their users, and the sharding that it is.
#[test]
fn prints_are_the_shardings_of_their_parts() {
    for (text, canonical) in [
        (
            "shard(f32[8,6], NamedSharding(mesh=Mesh('x': 4, 'y': 2), spec=PartitionSpec('x', None), memory_kind=device))",
            "shard(f32[8,6], P('x', None), mesh(x=4,y=2))",
        ),
        (
            "shard(f32[8], NamedSharding(mesh=Mesh('data': 1, axis_types=(Auto,)), spec=P('data',)))",
            "shard(f32[8], P('data',), mesh(data=1))",
        ),
        (
            "shard(f32[8], NamedSharding(mesh=Mesh('a': 2, 'b': 2, axis_types=(Auto: ('a',), Explicit: ('b',))), spec=P()))",
            "shard(f32[8], P(None,), mesh(a=2,b=2))",
        ),
        (
            "shard(f32[8,6], NamedSharding(Mesh(device_ids=array([[0, 2], [1, 3]]), axis_names=('x', 'y')), P('x', 'y')))",
            "shard(f32[8,6], P('x', 'y'), mesh(x=2,y=2,device_ids=[0,2,1,3]))",
        ),
        (
            "shard(f32[8,6], NamedSharding(AbstractMesh(axis_sizes=(4, 2), axis_names=('x', 'y')), P('y',)))",
            "shard(f32[8,6], P('y', None), mesh(x=4,y=2))",
        ),
        ("shard(f32[8,6], NamedSharding(mesh, P('x')), mesh(x=4))", "shard(f32[8,6], P('x', None), mesh(x=4))"),
        (
            "DTensorSpec(mesh=DeviceMesh('cuda', [0, 1]), placements=(Shard(dim=0),), \
             tensor_meta=TensorMeta(shape=(16, 16), stride=(16, 1), dtype=torch.float32))",
            "shard(f32[16,16], [Shard(0)], mesh(2))",
        ),
        (
            "DTensorSpec(mesh=DeviceMesh('cuda', [[3, 1], [2, 0]], mesh_dim_names=('dp', 'tp')), placements=(Replicate(), \
             _StridedShard(dim=1, sf=2)), tensor_meta=TensorMeta(shape=torch.Size([8, 4]), stride=(1, 8), dtype=torch.bfloat16), \
             shard_order=(ShardOrderEntry(tensor_dim=1, mesh_dims=(1,)),), use_strided_shard_as_shard_order=False)",
            "shard(bf16[8,4]{0,1}, [Replicate(), _StridedShard(1, split_factor=2)], mesh(dp=2,tp=2,device_ids=[3,1,2,0]))",
        ),
        (
            "shard(f32[8,4], DTensor(local_tensor=tensor([[1., 2.], [3., 4.]]), device_mesh=DeviceMesh((dp=2, tp=4), 'cuda', \
             stride=(4, 1)), placements=(Shard(dim=0), Partial(sum))))",
            "shard(f32[8,4], [Shard(0), Partial()], mesh(dp=2,tp=4))",
        ),
        ("shard(f32[8,4], Spec(S(0) on (8, 4)), mesh(4))", "shard(f32[8,4], [Shard(0)], mesh(4))"),
        (
            "shard(f32[8,4], Spec((Shard(dim=0), Replicate()) on (8, 4)) @ mesh: (2, 4))",
            "shard(f32[8,4], [Shard(0), Replicate()], mesh(2,4))",
        ),
        (
            "Spec(i64[16, 2048](S(0)R)) on DeviceMesh((dp=2, tp=2), device: 'cuda', stride: (2, 1))",
            "shard(s64[16,2048], [Shard(0), Replicate()], mesh(dp=2,tp=2))",
        ),
        (
            "Spec(f32[8](_S(0, 2)P)) on DeviceMesh((2, 3), 'cuda', stride=(3, 1))",
            "shard(f32[8], [_StridedShard(0, split_factor=2), Partial()], mesh(2,3))",
        ),
    ] {
        assert_eq!(read(text).to_string(), read(canonical).to_string(), "{text}");
        assert_eq!(read(text).shard(0), read(canonical).shard(0), "{text}");
    }
    for (text, code) in [
        ("NamedSharding(mesh=Mesh('x': 4), spec=P('x'))", Code::NoLayout),
        ("DTensor(local_tensor=5, device_mesh=DeviceMesh([0, 1]), placements=(Shard(dim=0),))", Code::NoLayout),
        ("Spec(S(0) on (4, 8))", Code::NoLayout),
        ("Spec(f32[4, 8](S(0)))", Code::NoLayout),
        ("Spec(S(0) on unknown shape)", Code::NoLayout),
        ("shard(f32[8,4], Spec(S(0) on (4, 8)), mesh(4))", Code::RankMismatch),
        ("shard(f32[8], Spec(f32[8](S(0)R)), mesh(4))", Code::RankMismatch),
        ("Spec(f32[8](S(0)S(0))) on DeviceMesh((2, 2), 'cuda', stride=(1, 2))", Code::NotALayout),
        ("Spec(q9[8](S(0))) on DeviceMesh((2,), 'cuda', stride=(1,))", Code::UnknownName),
        (
            "DTensorSpec(mesh=DeviceMesh([0, 1]), placements=(Shard(dim=0),), tensor_meta=TensorMeta(shape=(4, 4), stride=(8, 1), \
             dtype=torch.float32))",
            Code::NotALayout,
        ),
        (
            "DTensorSpec(mesh=DeviceMesh([[0, 1]]), placements=(Shard(0), Shard(0)), tensor_meta=TensorMeta(shape=(4,), stride=(1,), \
             dtype=torch.float32), shard_order=(ShardOrderEntry(tensor_dim=0, mesh_dims=(1, 0)),))",
            Code::NotALayout,
        ),
        (
            "shard(f32[8], NamedSharding(mesh=Mesh(device_ids=array([[0, 1], [2]]), axis_names=('x', 'y')), spec=P('x')))",
            Code::Syntax(bitstride::notation::code::UNEXPECTED_TOKEN),
        ),
        (
            "shard(f32[8], NamedSharding(mesh=Mesh('x': 2), spec=P('x'), logical_device_ids=(1, 0)))",
            Code::Syntax(bitstride::notation::code::UNEXPECTED_TOKEN),
        ),
    ] {
        let error = text.parse::<Sharding>().expect_err(text);
        assert_eq!(error.code(), code, "{text}: {error}");
    }
}

#[test]
fn tiles_are_those_of_the_padded_tensor() {
    for extent in 0..30 {
        for tiles in 1..9 {
            let sharding = read(&format!("shard(f32[{extent}], '{{devices=[{tiles}]<=[{tiles}]}}')"));
            for device in 0..tiles {
                let held = sharding.shard(device).expect("a shard").expect("a part");
                assert_eq!(listed(&held[0]), tile(extent, tiles, device), "{sharding} {device}");
            }
        }
    }
}

#[test]
fn chunks_of_chunks_are_those_of_torch() {
    for extent in 0..40 {
        for [first, second] in [[1, 1], [2, 1], [1, 3], [4, 2], [3, 3], [2, 5]] {
            let text = |factor| format!("_StridedShard(0, split_factor={factor})");
            let sharding = read(&format!("shard(f32[{extent}], [{}, {}], mesh(3,4))", text(first), text(second)));
            for device in 0..12 {
                let all: Vec<i64> = (0..extent).collect();
                let twin = strided(&strided(&all, first, 3, device / 4), second, 4, device % 4);
                let held = sharding.shard(device).expect("a shard").expect("a part");
                assert_eq!(listed(&held[0]), twin, "{sharding} {device}");
                assert!((0..extent).all(|index| held[0].holds(index) == twin.contains(&index)));
            }
        }
    }
}

#[test]
fn orders_are_transposes_of_what_is_counted() {
    let cases: [(&[i64], &[usize]); 6] = [
        (&[8], &[0]),
        (&[2, 4], &[1, 0]),
        (&[2, 3, 4], &[2, 0, 1]),
        (&[2, 3, 4], &[1, 2, 0]),
        (&[1, 4, 1, 2], &[3, 0, 1, 2]),
        (&[5, 1], &[1, 0]),
    ];
    for (sizes, dims) in cases {
        let order = Order::transposed(sizes, dims).expect("an order");
        let twin = devices(sizes, dims);
        let own: Vec<i64> = (0..order.devices()).map(|at| order.device(at).expect("a device")).collect();
        assert_eq!(own, twin, "{sizes:?} {dims:?}");
        for (position, device) in twin.iter().enumerate() {
            assert_eq!(order.position(*device).ok(), i64::try_from(position).ok());
        }
        assert_eq!(Order::listed(&twin).map(|listed| listed.position(0)), Ok(order.position(0)));
    }
}

/// Texts of small tensors in all notations, even and uneven.
pub(crate) fn samples() -> Vec<Sharding> {
    let mut texts = Vec::new();
    for extent in [7, 8, 12] {
        for spec in ["P('a', 'b')", "P(('b','a'), None)", "P(None, 'a')", "P(None, None)", "P(('a','b'),)"] {
            texts.push(format!("shard(f32[{extent},8], {spec}, mesh(a=2,b=4))"));
            texts.push(format!("shard(f32[{extent},8], {spec}, mesh(a=2,b=4,device_ids=[3,1,7,6,0,2,5,4]))"));
        }
        for dims in ["{\"b\":(1)2}, {\"a\"}", "{\"b\":(2)2, \"a\"}, {\"b\":(1)2}", "{}, {\"a\", \"b\":(1)2}"] {
            texts.push(format!("shard(f32[{extent},8], #sdy.sharding<mesh<[\"a\"=2, \"b\"=4]>, [{dims}]>)"));
        }
        for placements in [
            "Shard(0), Shard(1)",
            "Shard(0), Shard(0)",
            "_StridedShard(0, split_factor=4), Shard(0)",
            "Replicate(), _StridedShard(0, split_factor=2)",
            "Shard(1), Replicate()",
            "Replicate(), Replicate()",
        ] {
            texts.push(format!("shard(f32[{extent},8], [{placements}], mesh(2,4))"));
        }
        for text in [
            "{devices=[4,2]<=[2,4]T(1,0)}",
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
            "{devices=[4,2]7,1,0,5,2,6,3,4}",
            "{devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}",
        ] {
            texts.push(format!("shard(f32[{extent},8], '{text}')"));
        }
        texts.push(format!("shard(f32[{extent},8], '{{replicated}}', 8)"));
        texts.push(format!("shard(f32[{extent},8], '{{maximal device=3}}', 8)"));
    }
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

#[test]
fn another_notation_holds_the_same_and_reads_as_it_prints() {
    let samples = samples();
    let mut converted = 0;
    for sharding in &samples {
        let held = elements(sharding);
        assert_eq!(elements(&read(&sharding.to_string())), held, "{sharding}");
        for notation in NOTATIONS {
            let Ok(other) = sharding.to(notation) else { continue };
            assert_eq!(elements(&other), held, "{sharding} as {other}");
            let text = other.to_string();
            assert_eq!(read(&text).to_string(), text);
            assert_eq!(elements(&read(&text)), held, "{text}");
            converted += 1;
        }
    }
    assert!(converted > 150, "{converted} of {}", samples.len());
}

#[test]
fn sameness_and_movement_are_those_of_the_elements() {
    let samples = samples();
    let held: Vec<_> = samples.iter().map(elements).collect();
    for (source, before) in samples.iter().zip(&held) {
        for (target, after) in samples.iter().zip(&held) {
            if source.shape() != target.shape() {
                continue;
            }
            let comparison = source.compare(target).expect("compared");
            assert_eq!(comparison.holds(), before == after, "{source} and {target}: {comparison}");
            if let Some(difference) = &comparison.elements {
                let device = usize::try_from(difference.device).expect("a device");
                let (one, two) = (&before[device], &after[device]);
                let first = one.symmetric_difference(two).min().expect("an element");
                assert_eq!(
                    (device, first),
                    (
                        before.iter().zip(after).position(|(one, two)| one != two).expect("a device"),
                        &difference.element
                    )
                );
                assert!([one, two][difference.holder].contains(first));
            }
            let plan = source.reshard(target).expect("planned");
            let missing: Vec<i64> = before
                .iter()
                .zip(after)
                .map(|(before, after)| 4 * i64::try_from(after.difference(before).count()).unwrap_or(0))
                .collect();
            assert_eq!(plan.received, missing, "{source} to {target}");
            match plan.movement {
                Movement::Nothing => assert_eq!(before, after),
                Movement::LocalSlice => assert!(missing.iter().all(|bytes| *bytes == 0)),
                Movement::Permute => assert!(after.iter().all(|set| before.contains(set)), "{source} to {target}"),
                Movement::AllGather => assert!(before.iter().zip(after).all(|(before, after)| before.is_subset(after))),
                _ => {}
            }
            assert!(
                plan.collective.iter().zip(&plan.received).all(|(collective, least)| collective >= least),
                "{source} to {target}: {plan:?}"
            );
            if let Some(groups) = &plan.groups {
                let mut all: Vec<i64> = (0..groups.count).flat_map(|group| groups.members(group)).collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..plan.devices), "{groups:?}");
            }
        }
    }
}

#[test]
fn what_has_no_meaning_is_refused_with_its_reason() {
    let cases = [
        ("shard(f32[8,6], '{devices=[2,4]0,1,2}')", "rank-mismatch"),
        ("shard(f32[8,6], '{devices=[2,4]0,1,2,3,4,5,6,6}')", "order-not-permutation"),
        ("shard(f32[8,6], '{devices=[4,2]<=[2,3]T(1,0)}')", "rank-mismatch"),
        ("shard(f32[8,6], '{devices=[4,2]<=[2,4]}')", "unexpected-token"),
        ("shard(f32[8,6], '{devices=[4,2]<=[2,4]T(1,1)}')", "order-not-permutation"),
        ("shard(f32[8,6], '{devices=[0,8]<=[8]}')", "range"),
        ("shard(f32[8,6], '{maximal device=-1}')", "range"),
        ("shard(f32[8,6], '{manual}')", "unplaced"),
        ("shard(f32[8], '{devices=[4,2]<=[8]}')", "rank-mismatch"),
        ("shard(f32[8], P('c'), mesh(a=2))", "missing-dim"),
        ("shard(f32[8], P(\"a'b\"), mesh(\"a'b\"=2))", "unexpected-token"),
        ("shard(f32[8], #sdy.sharding<mesh<[\"a>\"=2]>, [{\"a>\"}]>)", "unexpected-token"),
        ("shard(f32[8,8], P('a','a'), mesh(a=2))", "overlap"),
        ("shard(f32[7], P('a'), mesh(a=2))", "not-divisible"),
        ("shard(f32[8], P('a','b'), mesh(a=2,b=2))", "rank-mismatch"),
        ("shard(f32[8], #sdy.sharding<mesh<[\"b\"=6]>, [{\"b\":(1)2}]>)", ""),
        ("shard(f32[8,8], #sdy.sharding<mesh<[\"b\"=6]>, [{\"b\":(1)2}, {\"b\":(3)2}]>)", "not-divisible"),
        ("shard(f32[8,8], #sdy.sharding<mesh<[\"b\"=4]>, [{\"b\":(1)2,\"b\":(2)2}, {}]>)", "overlap"),
        ("shard(f32[8], #sdy.sharding<@mesh, [{\"b\"}]>)", "missing-fact"),
        ("shard(f32[8], [Shard(1)], mesh(2))", "range"),
        ("shard(f32[8], [Shard(0)], mesh(2,2))", "rank-mismatch"),
        ("shard(f32[8], [_StridedShard(0, split_factor=0)], mesh(2))", "range"),
        ("shard(f32[8], [Partial('mean')], mesh(2))", "unknown-name"),
        ("shard(f32[?], [Shard(0)], mesh(2))", "missing-fact"),
        ("shard((f32[8]), [Shard(0)], mesh(2))", "kind"),
    ];
    for (text, code) in cases {
        let said = text.parse::<Sharding>().map_or_else(|error| error.code().as_str(), |_| "");
        assert_eq!(said, code, "{text}");
    }
}

#[test]
fn obstructions_are_said() {
    let gaps = read("shard(f32[16], [_StridedShard(0, split_factor=2)], mesh(4))");
    let error = gaps.to(Notation::Hlo).expect_err("gaps");
    assert_eq!(
        (error.code(), error.message().contains("dim 0 has a local digit of 2 above the device digit of 4")),
        (Code::NotALayout, true),
        "{error}"
    );
    let parts = read("shard(f32[16], #sdy.sharding<mesh<[\"b\"=4]>, [{\"b\":(1)2}]>)");
    let error = parts.to(Notation::Jax).expect_err("a part");
    assert!(error.help().is_some_and(|help| help.contains("P('b_1',), mesh(b_1=2,b_2=2)")), "{error:?}");
    let uneven = read("shard(f32[9], [Shard(0), Shard(0)], mesh(2,4))");
    let error = uneven.to(Notation::Hlo).expect_err("uneven");
    assert!(error.message().contains("device 2"), "{error}");
    let averaged = read("shard(f32[8], [Partial('avg')], mesh(4))");
    assert_eq!(averaged.to(Notation::Hlo).map_err(|error| error.code()), Err(Code::NotALayout));
}

proptest! {
    #[test]
    fn sets_behave_as_lists(extent in 0..60_i64, other in 0..60_i64, steps in prop::collection::vec((1..5_i64, 1..5_i64, 0..5_i64), 0..4), more in prop::collection::vec((1..5_i64, 1..5_i64, 0..5_i64), 0..4)) {
        let make = |extent: i64, steps: &[(i64, i64, i64)]| {
            let sizes: Vec<String> = steps.iter().map(|(_, pieces, _)| pieces.to_string()).collect();
            let placements: Vec<String> = steps.iter().map(|(factor, ..)| format!("_StridedShard(0, split_factor={factor})")).collect();
            let device = steps.iter().fold(0, |device, (_, pieces, at)| device * pieces + at % pieces);
            let (sizes, placements) = (sizes.join(","), placements.join(", "));
            let text = if steps.is_empty() { format!("shard(f32[{extent}], [Replicate()], mesh(1))") } else { format!("shard(f32[{extent}], [{placements}], mesh({sizes}))") };
            let all: Vec<i64> = (0..extent).collect();
            let twin = steps.iter().fold(all, |held, (factor, pieces, at)| strided(&held, *factor, *pieces, at % pieces));
            (read(&text).shard(device).expect("a shard").expect("a part").swap_remove(0), twin)
        };
        let ((one, first), (two, second)) = (make(extent, &steps), make(other, &more));
        prop_assert_eq!(&listed(&one), &first);
        let common = first.iter().filter(|index| second.contains(index)).count();
        prop_assert_eq!(one.common(&two), Ok(i64::try_from(common).unwrap_or(0)));
        prop_assert_eq!(one.first_outside(&two), Ok(first.iter().copied().find(|index| !second.contains(index))));
        let blocks = one.blocks(1000).expect("few");
        let spread: Vec<i64> = blocks.iter().flat_map(|(start, end)| *start..*end).collect();
        prop_assert_eq!(spread, first);
    }

    #[test]
    fn no_text_panics(text in "shard\\((f32|s8)\\[[0-9]{1,2}(,[0-9]{1,19})?\\], ('?\\{(devices=\\[[0-9,]{1,6}\\](<=\\[[0-9,]{1,4}\\])?(T\\([0-9,]{1,4}\\))?[0-9, a-z_=]{0,12}|replicated|mesh\\[\"a\"=[0-9]{1,2}\\], \\[\\{\"a\"(:\\([0-9]\\)[0-9])?\\}\\])\\}'?|P\\('a'\\), mesh\\(a=[0-9]{1,19}\\)|\\[(Shard\\(-?[0-9]\\)|_StridedShard\\(0, sf=[0-9]{1,19}\\))\\], mesh\\([0-9]{1,3}\\))\\)?") {
        if let Ok(sharding) = text.parse::<Sharding>() {
            let shown = sharding.to_string();
            prop_assert_eq!(shown.parse::<Sharding>().map(|again| again.to_string()), Ok(shown));
            let _ = (sharding.shard(0), sharding.compare(&sharding), sharding.to(Notation::Hlo), sharding.to(Notation::DTensor));
        }
    }
}

#[test]
fn the_map_leads_where_shards_say() {
    let mut mapped = 0;
    for sharding in samples() {
        let Ok(map) = Map::of_sharding(&sharding) else { continue };
        mapped += 1;
        let values = map.domain()[1].extent;
        for (device, held) in elements(&sharding).into_iter().enumerate() {
            let device = i64::try_from(device).expect("a device");
            let points: Vec<Vec<i64>> =
                (0..values).filter_map(|value| map.at(&[device, value]).expect("a point")).collect();
            assert_eq!(points.iter().cloned().collect::<BTreeSet<_>>(), held, "{sharding} {device}");
            assert_eq!(points.len(), held.len(), "{sharding} {device}");
            // The first dim is the fastest.
            let sorted = |point: &Vec<i64>| point.iter().rev().copied().collect::<Vec<_>>();
            assert!(points.is_sorted_by_key(sorted), "{sharding} {device}");
        }
    }
    assert!(mapped > 30, "{mapped}");
}

#[test]
fn local_memory_is_compared_on_every_kind_of_device() {
    let order = |one: &str, two: &str| read(one).compare(&read(two)).expect("compared").order.is_some();
    // The one device that holds anything is not the first.
    assert!(order("shard(f32[8,6]{1,0}, '{maximal device=3}', 8)", "shard(f32[8,6]{0,1}, '{maximal device=3}', 8)"));
    // The first device has one row, where all orders are one; the second has two.
    assert!(order(
        "shard(f32[3,2]{1,0:T(1,2)}, '{devices=[2,1]1,0}')",
        "shard(f32[3,2]{0,1:T(1,2)}, '{devices=[2,1]1,0}')"
    ));
    assert!(order(
        "shard(f32[3,2]{1,0}, [Shard(0), Replicate()], mesh(2,1))",
        "shard(f32[3,2]{0,1}, [Shard(0), Replicate()], mesh(2,1))"
    ));
    assert!(!order("shard(f32[8,1]{1,0}, [Shard(0)], mesh(3))", "shard(f32[8,1]{0,1}, [Shard(0)], mesh(3))"));
    // DTensor: 3 rows over devices in another order, of which the first has the short chunk.
    assert!(order(
        "shard(f32[3,2]{1,0}, [Shard(0)], mesh(a=2,device_ids=[1,0]))",
        "shard(f32[3,2]{0,1}, [Shard(0)], mesh(a=2,device_ids=[1,0]))"
    ));
}
