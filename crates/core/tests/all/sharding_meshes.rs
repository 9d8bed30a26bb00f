//! Meshes as programs of JAX and PyTorch make them, beside the same meshes written out.

use bitstride::sharding::{Mesh, MeshAxis, Order, Sharding};
use bitstride::{Code, Error};
use proptest::prelude::*;

fn of_jax(mesh: &str) -> Result<String, Error> {
    format!("shard(f32[8,8], P('x', 'y'), {mesh})").parse::<Sharding>().map(|sharding| sharding.to_string())
}

#[test]
fn programs_of_jax() {
    for mesh in [
        "jax.make_mesh((2,4), ('x','y'))",
        "make_mesh((2, 4), axis_names=(\"x\", \"y\"), axis_types=(AxisType.Auto,)*2)",
        "jax.make_mesh(axis_shapes=(2,4), axis_names=('x','y'), devices=jax.devices())",
        "jax.make_mesh((2,4), ('x','y'), devices=jax.devices()[:16])",
        "Mesh(np.array(jax.devices()).reshape(2,4), ('x','y'))",
        "Mesh(np.asarray(jax.devices('tpu')[:8]).reshape((2, -1)), axis_names=('x', 'y',))",
        "jax.sharding.Mesh(np.arange(8).reshape(-1, 4), ('x','y'))",
        "Mesh(mesh_utils.create_device_mesh((2,4)), ('x','y'))",
        "Mesh(mesh_utils.create_device_mesh(mesh_shape=(2,4), devices=jax.devices()), ('x','y'))",
        "Mesh(devices=[[0,1,2,3],[4,5,6,7]], axis_names=('x','y'))",
        "AbstractMesh((2,4), ('x','y'))",
        "AbstractMesh((('x', 2), ('y', 4)))",
        "AbstractMesh('x': 2, 'y': 4, axis_types=(Auto, Auto))",
    ] {
        assert_eq!(of_jax(mesh).as_deref(), Ok("shard(f32[8,8], P('x', 'y'), mesh(x=2,y=4))"), "{mesh}");
    }
    for mesh in [
        "Mesh(array([[CpuDevice(id=0), CpuDevice(id=2)], [CpuDevice(id=1), CpuDevice(id=3)]], dtype=object), ('x','y'))",
        "Mesh([[TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0), TpuDevice(id=2, process_index=0)], \
         [1, 3]], ('x','y'))",
        "jax.make_mesh((2,2), ('x','y'), devices=[0,2,1,3])",
        "Mesh(np.array([0,2,1,3,4])[:4].reshape(2,2), ('x','y'))",
    ] {
        let wanted = "shard(f32[8,8], P('x', 'y'), mesh(x=2,y=2,device_ids=[0,2,1,3]))";
        assert_eq!(of_jax(mesh).as_deref(), Ok(wanted), "{mesh}");
    }
    let one = "shard(f32[8], NamedSharding(Mesh(jax.devices()[:4], 'x'), jax.sharding.PartitionSpec('x')))";
    assert_eq!(one.parse::<Sharding>().map(|one| one.to_string()).as_deref(), Ok("shard(f32[8], P('x',), mesh(x=4))"));
    let compiled = "shard(f32[8], GSPMDSharding({devices=[2]<=[2]}, memory_kind=device))";
    assert_eq!(
        compiled.parse::<Sharding>().map(|one| one.to_string()).as_deref(),
        Ok("shard(f32[8], '{devices=[2]<=[2]}')")
    );
}

/// Only devices that are not listed are said to be in order.
#[test]
fn order_is_said_where_it_is_assumed() {
    for (mesh, is_said) in [
        ("jax.make_mesh((2,2), ('x','y'))", true),
        ("Mesh(np.array(jax.devices()).reshape(2,2), ('x','y'))", true),
        ("jax.make_mesh((2,2), ('x','y'), devices=[3,2,1,0])", false),
        ("Mesh(np.array([[0,1],[2,3]]), ('x','y'))", false),
    ] {
        let text = format!("shard(f32[8,8], NamedSharding({mesh}, P('x', 'y')))");
        let notes = bitstride_lang::evaluate(&text).map(|answer| answer.notes).unwrap_or_default();
        assert_eq!(notes.iter().any(|note| note.contains("in order here")), is_said, "{mesh}: {notes:?}");
    }
}

/// A type of JAX says the array, too.
#[test]
fn types_with_a_sharding() {
    let wanted = Ok("shard(bf16[8,6], P('x', None), mesh(x=2,y=4))");
    for text in [
        "ShapeDtypeStruct(shape=(8, 6), dtype=bfloat16, sharding=NamedSharding(mesh=Mesh('x': 2, 'y': 4), spec=P('x',), \
         memory_kind=device))",
        "jax.ShapeDtypeStruct((8, 6), jnp.bfloat16, sharding=jax.sharding.NamedSharding(jax.make_mesh((2,4), ('x','y')), P('x')))",
        "ShapeDtypeStruct((8, 6), jnp.dtype('bfloat16'), weak_type=False, sharding=NamedSharding(AbstractMesh((2,4), ('x','y')), \
         P('x')))",
        "shard(bf16[8,6], ShapeDtypeStruct((8, 6), bfloat16, sharding=NamedSharding(mesh, P('x'))), mesh(x=2,y=4))",
    ] {
        let answer = bitstride_lang::evaluate(text).map(|answer| answer.value.to_string());
        assert_eq!(answer.as_deref().map_err(|error| error.code()), wanted, "{text}");
    }
    for (text, code) in [
        ("ShapeDtypeStruct((8, 6), bfloat16, sharding=NamedSharding(mesh, P('x')))", "no-layout"),
        ("ShapeDtypeStruct((8, 6), q7, sharding=NamedSharding(Mesh('x': 2), P('x')))", "unknown-name"),
        ("ShapeDtypeStruct((8, 6), bfloat16, sharding=sharding)", "unexpected-token"),
    ] {
        let refused = bitstride_lang::evaluate(text).expect_err(text);
        assert_eq!(refused.code().as_str(), code, "{text}");
    }
}

/// JAX's text of XLA for the same mesh and spec; nothing is said of devices along axes that are `Manual`.
#[test]
fn manual_axes_are_not_copies() {
    let wanted = Ok("shard(f32[8,4], {mesh[\"x\"=2,\"y\"=4], [{\"x\"}, {}], manual={\"y\"}})");
    let hlo = "shard(f32[8,4], '{devices=[2,1,4]<=[8] last_tile_dims={manual}}')";
    for mesh in [
        "Mesh('x': 2, 'y': 4, axis_types=(Auto, Manual))",
        "Mesh(axis_sizes=(2, 4), axis_names=('x', 'y'), axis_types=(Explicit, Manual))",
        "AbstractMesh('x': 2, 'y': 4, axis_types=(Auto, Manual), device_kind=cpu, num_cores=None, platform=cpu)",
        "AbstractMesh((2, 4), ('x', 'y'), (jax.sharding.AxisType.Auto, jax.sharding.AxisType.Manual))",
        "jax.make_mesh((2,4),('x','y'),axis_types=(AxisType.Auto,AxisType.Manual))",
        "AbstractMesh((2, 4), ('x', 'y'), axis_types={AxisType.Auto: 'x', AxisType.Manual: ('y',)})",
        "Mesh('x': 2, 'y': 4, axis_types=(Auto: ('x',), Manual: ('y',)))",
    ] {
        for text in [
            format!("shard(f32[8,4], NamedSharding(mesh={mesh}, spec=P('x', None), memory_kind=device))"),
            format!("shard(f32[8,4], P('x',), {mesh})"),
            format!("ShapeDtypeStruct(shape=(8, 4), dtype=float32, sharding=NamedSharding({mesh}, P('x')))"),
            format!("shard(f32[8,4], SdyArray([{{'x'}}, {{}}]), {mesh})"),
            format!("shard(f32[8,4], #sdy.sharding<@mesh, [{{\"x\"}}, {{}}]>, {mesh})"),
        ] {
            let sharding = text.parse::<Sharding>();
            assert_eq!(sharding.as_ref().map(Sharding::to_string).as_deref(), wanted, "{text}");
            let again = sharding.map(|sharding| sharding.to_string()).unwrap_or_default();
            assert_eq!(again.parse::<Sharding>().map(|again| again.to_string()), Ok(again.clone()), "{text}");
            let same =
                bitstride_lang::evaluate(&format!("convert({text}, hlo)")).map(|answer| answer.value.to_string());
            assert_eq!(same.as_deref(), Ok(hlo), "{text}");
        }
        for text in [
            format!("shard(f32[8,4], P('y', None), {mesh})"),
            format!("shard(f32[8,4], P(('x','y'), None), {mesh})"),
            format!("shard(f32[8,4], P('x', None, unreduced={{'y'}}), {mesh})"),
            format!("shard(f32[8,4], P('x', None, reduced={{'y'}}), {mesh})"),
            format!("shard(f32[8,4], SdyArray([{{'x'}}, {{'y'}}]), {mesh})"),
        ] {
            assert_eq!(text.parse::<Sharding>().map_err(|error| error.code()), Err(Code::Overlap), "{text}");
        }
        let placements = format!("shard(f32[8,4], [Shard(0), Replicate()], {mesh})");
        assert_eq!(placements.parse::<Sharding>().map_err(|error| error.code()), Err(Code::NotALayout), "{placements}");
    }
    for types in ["(Auto,)", "(AxisType.Manual,) * 3", "(Auto, Auto, Manual)"] {
        let mesh = format!("Mesh('x': 2, 'y': 4, axis_types={types})");
        assert_eq!(of_jax(&mesh).map_err(|error| error.code()), Err(Code::RankMismatch), "{types}");
    }
    for types in ["(AxisType.Manual,) * len(names)", "(Manual, Manual)", "(AxisType.Manual,)*2"] {
        let text = format!("shard(f32[8,4], P(), Mesh('x': 2, 'y': 4, axis_types={types}))");
        assert_eq!(text.parse::<Sharding>().map_err(|error| error.code()), Err(Code::Unplaced), "{types}");
    }
    // Along an axis of one device there is nothing that is not said: JAX gives `{replicated}` to XLA.
    for (mesh, wanted) in
        [("'x': 1, axis_types=(Manual,)", "x=1"), ("'x': 2, 'y': 1, axis_types=(Auto, Manual)", "x=2,y=1")]
    {
        let read =
            format!("shard(f32[8,4], P(), Mesh({mesh}))").parse::<Sharding>().map(|sharding| sharding.to_string());
        assert_eq!(read, Ok(format!("shard(f32[8,4], P(None, None), mesh({wanted}))")), "{mesh}");
    }
    // What a name holds is not here.
    assert!(of_jax("Mesh('x': 2, 'y': 4, axis_types=types)").is_err());
    for types in ["(AxisType.Auto,) * len(names)", "None", "(Explicit, Auto)"] {
        let mesh = format!("Mesh('x': 2, 'y': 4, axis_types={types})");
        assert_eq!(of_jax(&mesh).as_deref(), Ok("shard(f32[8,8], P('x', 'y'), mesh(x=2,y=4))"), "{types}");
    }
}

/// An abstract mesh in a program that runs says its devices, too.
#[test]
fn abstract_meshes_with_their_devices() {
    let mesh = "AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto), device_kind=cpu, num_cores=None, platform=cpu)";
    assert_eq!(of_jax(mesh).as_deref(), Ok("shard(f32[8,8], P('x', 'y'), mesh(x=4,y=2))"));
}

/// PyTorch prints the stride of an axis of one device as `()`.
#[test]
fn axes_of_one_device_have_no_stride() {
    for (mesh, wanted) in [
        ("DeviceMesh((1, 2), 'cpu', stride=((), 1))", "mesh(1,2)"),
        ("DeviceMesh((2, 1), 'cpu', stride=(1, ()))", "mesh(2,1)"),
        ("DeviceMesh((a=1, b=1), 'cpu', stride=((), ()))", "mesh(a=1,b=1)"),
    ] {
        let text = format!("shard(f32[8,8], [Shard(0), Shard(1)], {mesh})");
        let read = text.parse::<Sharding>().map(|sharding| sharding.to_string());
        assert_eq!(read, Ok(format!("shard(f32[8,8], [Shard(0), Shard(1)], {wanted})")), "{mesh}");
    }
    let one = "shard(f32[8], [Shard(0)], DeviceMesh((1,), 'cpu', stride=((),)))".parse::<Sharding>();
    assert_eq!(one.map(|one| one.to_string()).as_deref(), Ok("shard(f32[8], [Shard(0)], mesh(1))"));
    let open = "shard(f32[8,8], [Shard(0), Shard(1)], DeviceMesh((2, 2), 'cpu', stride=((), 1)))".parse::<Sharding>();
    assert_eq!(open.map_err(|error| error.code()), Err(Code::NotALayout));
}

/// Where a dim is cut several times, PyTorch prints the place of each cut.
#[test]
fn cuts_of_one_dim_are_numbered() {
    let text = "Spec(f32[16, 8](S(0)[0]S(0)[1])) on DeviceMesh((2, 4), 'cpu', stride=(4, 1))";
    let read = text.parse::<Sharding>().map(|sharding| sharding.to_string());
    assert_eq!(read.as_deref(), Ok("shard(f32[16,8], [Shard(0), Shard(0)], mesh(2,4))"));
    let read = "shard(f32[16,8], Spec(f32[16, 8](S(0)[0]S(1)S(0)[1])), mesh(2,2,2))".parse::<Sharding>();
    let wanted = "shard(f32[16,8], [Shard(0), Shard(1), Shard(0)], mesh(2,2,2))";
    assert_eq!(read.map(|sharding| sharding.to_string()).as_deref(), Ok(wanted));
    for cuts in ["S(0)[1]S(0)[0]", "S(0)[0]S(0)[0]", "S(0)[0]S(0)[2]"] {
        let text = format!("shard(f32[16], Spec(f32[16]({cuts})), mesh(2,4))");
        let refused = text.parse::<Sharding>().expect_err(cuts);
        assert_eq!(refused.code(), Code::NotALayout, "{cuts}");
        assert!(refused.message().contains("not in the order of the mesh"), "{cuts}: {refused}");
    }
}

/// Shardings of Shardy as JAX prints them, and beside a type of MLIR.
#[test]
fn shardings_of_shardy_as_jax_prints_them() {
    let wanted = "shard(f32[8,16], #sdy.sharding<mesh<[\"x\"=2, \"y\"=4]>, [{\"x\"}, {}]>)";
    for text in [
        "shard(f32[8,16], SdyArray([{'x'}, {}]), mesh(x=2,y=4))",
        "shard(f32[8,16], SdyArray([{'x', ?}, {?}]), Mesh('x': 2, 'y': 4, axis_types=(Auto, Auto)))",
        "shard(tensor<8x16xf32>, #sdy.sharding<@mesh, [{\"x\"}, {}]>, mesh(x=2,y=4))",
        "shard(tensor<8x16xf32>, #sdy.sharding<mesh<[\"x\"=2, \"y\"=4]>, [{\"x\"}, {}]>)",
    ] {
        let answer = bitstride_lang::evaluate(text).map(|answer| answer.value.to_string());
        assert_eq!(answer.as_deref(), Ok(wanted), "{text}");
    }
    let said = bitstride_lang::evaluate("shard(f32[8], SdyArray([{'x'}]), mesh(x=2,y=4))").map(|answer| answer.notes);
    assert!(said.is_ok_and(|notes| notes.iter().any(|note| note.contains("`unreduced`"))));
    for text in [
        "shard(f32[8], SdyArray([{'x'}], device_ids=(1, 0)), mesh(x=2))",
        "shard(f32[8], SdyArray([{'x'}]))",
        "shard(tensor<8x?xf32>, #sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}, {}]>)",
        "shard(tensor<8xf31>, #sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}]>)",
    ] {
        assert!(bitstride_lang::evaluate(text).is_err(), "{text}");
    }
}

#[test]
fn programs_of_pytorch() {
    for (mesh, wanted) in [
        ("init_device_mesh('cuda', (2, 4))", "mesh(2,4)"),
        ("dist.device_mesh.init_device_mesh(device_type='cuda', mesh_shape=(2, 4))", "mesh(2,4)"),
        ("init_device_mesh(\"cuda\", (2, 4), mesh_dim_names=(\"dp\", \"tp\"))", "mesh(dp=2,tp=4)"),
        ("DeviceMesh('cuda', torch.arange(8).view(2, 4))", "mesh(2,4)"),
        ("DeviceMesh('cuda', mesh=torch.arange(8).reshape(2, 4), mesh_dim_names=('dp', 'tp'))", "mesh(dp=2,tp=4)"),
        ("DeviceMesh('cuda', torch.tensor([[0, 2], [1, 3]]))", "mesh(2,2,device_ids=[0,2,1,3])"),
    ] {
        let text = format!("shard(f32[8,8], [Shard(0), Shard(1)], {mesh})");
        let read = text.parse::<Sharding>().map(|sharding| sharding.to_string());
        assert_eq!(read, Ok(format!("shard(f32[8,8], [Shard(0), Shard(1)], {wanted})")), "{mesh}");
    }
}

#[test]
fn meshes_that_are_not_said() {
    for (mesh, code) in [
        ("Mesh(jax.devices(), ('x','y'))", Code::NeedsShape),
        ("Mesh(np.array(jax.devices()).reshape(2,-1), ('x','y'))", Code::NeedsShape),
        ("Mesh(np.arange(8).reshape(2,3), ('x','y'))", Code::RankMismatch),
        ("Mesh(np.arange(8), ('x','y'))", Code::RankMismatch),
        ("Mesh(np.arange(8)[:9].reshape(3,3), ('x','y'))", Code::RankMismatch),
        ("jax.make_mesh((2,4), ('x','y'), devices=[0,1])", Code::RankMismatch),
        ("jax.make_mesh((2,4), ('x','y'), devices=jax.devices()[:4])", Code::RankMismatch),
        ("jax.make_mesh((2,4))", Code::MissingDim),
        ("Mesh(np.arange(-8).reshape(2,-4), ('x','y'))", Code::Range),
        ("Mesh(np.arange(8).reshape(4611686018427387904,4), ('x','y'))", Code::Overflow),
        // What the name of a program holds is not here.
        ("Mesh(devices, ('x','y'))", Code::Syntax(bitstride::notation::code::UNEXPECTED_TOKEN)),
        ("Mesh(np.arange(0, 8).reshape(2,4), ('x','y'))", Code::Syntax(bitstride::notation::code::UNEXPECTED_TOKEN)),
        ("Mesh(np.arange(8).reshape(2,4).T, ('x','y'))", Code::Syntax(bitstride::notation::code::UNEXPECTED_TOKEN)),
    ] {
        assert_eq!(of_jax(mesh).map_err(|error| error.code()), Err(code), "{mesh}");
    }
}

proptest! {
    /// A permutation of devices, in a list of any number of axes, is the mesh with these devices.
    #[test]
    fn devices_lie_row_major(sizes in prop::collection::vec(1_i64..4, 1..4), seed in any::<prop::sample::Index>()) {
        let count: i64 = sizes.iter().product();
        let step = (1..=count).filter(|step| (2..=count).all(|of| step % of != 0 || count % of != 0)).collect::<Vec<_>>();
        let step = step[seed.index(step.len())];
        let devices: Vec<i64> = (0..count).map(|at| at * step % count).collect();
        let axes: Vec<MeshAxis> = sizes.iter().enumerate().map(|(at, size)| MeshAxis { name: format!("a{at}"), size: *size }).collect();
        let names = axes.iter().map(|axis| format!("'{}',", axis.name)).collect::<String>();
        let mesh = Mesh::ordered(axes, Order::listed(&devices)?)?;
        let texts = sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let listed = devices.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let written = format!("shard(f32[9], P(), Mesh(np.array([{listed}]).reshape({texts}), ({names})))");
        let wanted = format!("shard(f32[9], P(None,), {})", mesh.text()?);
        prop_assert_eq!(written.parse::<Sharding>().map(|sharding| sharding.to_string()), Ok(wanted));
    }

    #[test]
    fn no_mesh_panics(text in "(jax\\.make_mesh|Mesh|DeviceMesh|init_device_mesh)\\((np\\.array\\(|'cuda', |\\(|\\[){0,3}(jax\\.devices\\(\\)|np\\.arange\\(-?[0-9]{1,19}\\)|\\[[0-9, \\[\\]]{0,8}\\]|[0-9, ]{1,8})[\\)\\]]{0,2}(\\.reshape\\(-?[0-9]{1,19}(, -?[0-9]{1,19})?\\)|\\[:-?[0-9]{1,19}\\]){0,2}(, \\('x','y'\\))?\\)?") {
        let text = format!("shard(f32[8,8], P(), {text})");
        if let Ok(sharding) = text.parse::<Sharding>() {
            let shown = sharding.to_string();
            prop_assert_eq!(shown.parse::<Sharding>().map(|again| again.to_string()), Ok(shown));
        }
    }
}

/// What the programs of JAX and XLA say of summands, devices and types, beside the same written out.
#[test]
fn newer_texts_of_jax_and_xla() {
    for (text, wanted) in [
        (
            "shard(f32[8,8], SdyArray([{'x'}, {}], unreduced_axes=frozenset({'z', 'y'}), reduction_op=ReductionOp.MAX), mesh(x=2,y=2,z=2))",
            r#"shard(f32[8,8], #sdy.sharding<mesh<["x"=2, "y"=2, "z"=2]>, [{"x"}, {}], unreduced=max{"y", "z"}>)"#,
        ),
        (
            r#"shard(f32[8,8], #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}, {}], unreduced=sum{"y"}>)"#,
            r#"shard(f32[8,8], #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}, {}], unreduced={"y"}>)"#,
        ),
        (
            "shard(f32[8,8], P('x', unreduced={'y'}, unreduced_kind=jax.sharding.UnreducedKind.min), mesh(x=2,y=2))",
            "shard(f32[8,8], P('x', None, unreduced={'y'}, unreduced_kind=min), mesh(x=2,y=2))",
        ),
        ("shard(f32[8], {maximal_mesh[device_id=5]})", "shard(f32[8], {maximal_mesh[device_id=5]})"),
        (
            r#"shard(f32[4,4], {devices=[2,2]<=[4] metadata={op_name="a{b\"c"}})"#,
            "shard(f32[4,4], '{devices=[2,2]<=[4]}')",
        ),
        (
            r#"shard(tensor<2xui32>, #sdy.sharding<mesh<["x"=2]>, [{"x"}]>)"#,
            r#"shard(u32[2], #sdy.sharding<mesh<["x"=2]>, [{"x"}]>)"#,
        ),
        (
            r#"shard(tensor<8x2xcomplex<f64>>, #sdy.sharding<mesh<["x"=2]>, [{"x"}, {}]>)"#,
            r#"shard(c128[8,2], #sdy.sharding<mesh<["x"=2]>, [{"x"}, {}]>)"#,
        ),
    ] {
        let read = bitstride_lang::evaluate(text).map(|answer| answer.value.to_string());
        assert_eq!(read.as_deref(), Ok(wanted), "{text}");
        assert_eq!(bitstride_lang::evaluate(wanted).map(|answer| answer.value.to_string()).as_deref(), Ok(wanted));
    }
    let to = |notation: &str, placements: &str| {
        let text = format!("convert(shard(f32[8,8], {placements}, mesh(2,2)), {notation})");
        bitstride_lang::evaluate(&text)
            .map(|answer| answer.value.to_string())
            .map_err(|error| error.message().to_owned())
    };
    assert_eq!(
        to("sdy", "[Shard(0), Partial('max')]").as_deref(),
        Ok(r#"shard(f32[8,8], #sdy.sharding<mesh<["d0"=2, "d1"=2]>, [{"d0"}, {}], unreduced=max{"d1"}>)"#)
    );
    assert_eq!(
        to("jax", "[Shard(0), Partial('max')]").as_deref(),
        Ok("shard(f32[8,8], P('d0', None, unreduced={'d1'}, unreduced_kind=max), mesh(d0=2,d1=2))")
    );
    for (notation, placements, message) in [
        ("sdy", "[Partial('min'), Partial('max')]", "summands by min and by max at once have no word in Shardy"),
        ("hlo_mesh", "[Shard(0), Partial('min')]", "summands by min have no word in the text of XLA"),
        ("sdy", "[Shard(0), Partial('avg')]", "summands by avg have no word in Shardy"),
    ] {
        assert_eq!(to(notation, placements), Err(message.to_owned()));
    }
}

/// A line of a program has the sharding that its type and its attribute have in `shard(…)`.
#[test]
fn lines_of_programs_are_shardings_of_their_types() {
    let mesh = "sdy.mesh @mesh = <[\"a\"=2, \"b\"=2]>";
    let wanted = r#"shard(f32[8,6], #sdy.sharding<mesh<["a"=2, "b"=2]>, [{"a"}, {}]>)"#;
    for line in [
        r#"%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}"#,
        r#"tensor<8x6xf32> {jax.result_info = "a<b", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>} loc("x"),"#,
        r#"%28 = sdy.sharding_constraint %27 <@mesh, [{"a"}, {}]> : tensor<8x6xf32> loc(#loc3)"#,
        r#"%0 = sdy.all_gather [{}, {"b"}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<8x6xf32>"#,
        r#"%1 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x2xf32>, tensor<2x6xf32>) -> tensor<8x6xf32>"#,
    ] {
        let read = bitstride_lang::evaluate(&format!("{mesh} {{stablehlo.mesh = {{axes = []}}}}\n  {line}"));
        assert_eq!(read.map(|answer| answer.value.to_string()).as_deref(), Ok(wanted), "{line}");
        let alone = bitstride_lang::evaluate(line).map_err(|error| error.message().to_owned());
        assert_eq!(alone.map(|answer| answer.value.to_string()), Err("the mesh @mesh is not written".to_owned()));
    }
    let read = bitstride_lang::evaluate(
        r#"%2 = stablehlo.add %0, %1 {mhlo.sharding = "{devices=[2,1]<=[2]}"} : tensor<8x6xf32>"#,
    );
    assert_eq!(read.map(|answer| answer.value.to_string()).as_deref(), Ok("shard(f32[8,6], '{devices=[2,1]<=[2]}')"));
    let several = r#"func.func @f(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>})"#;
    assert!(bitstride_lang::evaluate(several).is_err_and(|error| error.message().contains("2 shardings")));
}

/// What is written alone is refused with its own text beside an array, which is then read.
#[test]
fn shardings_alone_say_how_they_are_written() {
    for text in [
        "{devices=[4,2]<=[2,4]T(1,0)}",
        "{replicated}",
        "{mesh['a'=2,'b'=4], [{'b':(1)2}, {?}]}",
        "{maximal_mesh[device_id=3]}",
        "sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}",
        r#"#sdy.sharding<@mesh, [{"x"}, {}]>"#,
        r#"#sdy.sharding<mesh<["a"=2]>, [{"a"}, {}]>"#,
        "P(('y', 'x'), None)",
        "[Shard(0), Replicate()]",
        "Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))",
        "DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('dp', 'tp'))",
        "GSPMDSharding({devices=[4,2]<=[8]})",
        "SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)",
    ] {
        let error = bitstride_lang::evaluate(text).expect_err(text);
        assert!(error.message().contains("holds which part of an array"), "{text}: {error}");
        let help = error.help().unwrap_or_default();
        let example =
            help.split_once('`').and_then(|(_, rest)| rest.rsplit_once('`')).map_or("", |(example, _)| example);
        assert!(example.parse::<Sharding>().is_ok(), "{text}: {help}");
    }
    let tuple = "shard((f32[8], s32[], f32[4,4]), {{replicated}, {maximal device=1}, /*index=2*/{devices=[2,2]<=[4]}})";
    let error = bitstride_lang::evaluate(tuple).expect_err("a tuple has a sharding for each array");
    let help = error.help().unwrap_or_default().to_owned();
    assert!(help.contains("`shard(f32[4,4]{1,0}, {devices=[2,2]<=[4]})`"), "{help}");
}
