//! Types of arrays as JAX prints them: what they read as, and what is refused.

use bitstride::notation::{Dialect, Ints, read};

#[test]
fn types_of_jax_are_arrays_of_xla() {
    for (text, array) in [
        ("float32[4,8]", "f32[4,8]"),
        ("bool[3]", "pred[3]"),
        ("i32[4,8]", "s32[4,8]"),
        ("i1[4,8]{0,1}", "pred[4,8]{0,1}"),
        ("int4[]", "s4[]"),
        ("float8_e4m3fn[16,16]", "f8e4m3fn[16,16]"),
        ("int8[4,8]{0,1}", "s8[4,8]{0,1}"),
        ("bfloat16[16,256]{1,0:T(8,128)(2,1)}", "bf16[16,256]{1,0:T(8,128)(2,1)}"),
        ("ShapedArray(float32[4,8])", "f32[4,8]"),
        ("ShapedArray(float32[4,8], weak_type=True)", "f32[4,8]"),
        ("jax.ShapeDtypeStruct((4,8), jnp.float32)", "f32[4,8]"),
        ("ShapeDtypeStruct(shape=(4, 8), dtype=bfloat16, sharding=None)", "bf16[4,8]"),
        ("jax.ShapeDtypeStruct((8,), 'int4')", "s4[8]"),
        ("jax.ShapeDtypeStruct((), jnp.complex64)", "c64[]"),
    ] {
        let reading = read(text, Ints::Plain).expect(text);
        let plain = read(array, Ints::Plain).expect(array);
        assert_eq!(reading.tree.kind, plain.tree.kind, "{text}");
        assert!(reading.dialects.contains(&Dialect::Jax), "{text}");
        assert_eq!((reading.tree.span.start, reading.tree.span.end), (0, text.len()), "{text}");
    }
}

#[test]
fn what_is_no_type_of_one_array_is_refused_where_it_stands() {
    for (text, code, place) in [
        ("float32[4@x,8]", "unexpected-token", "float32[4@x,8]"),
        ("ShapedArray(bf16[4,8@(y,z)])", "unexpected-token", "bf16[4,8@(y,z)]"),
        ("float32[4@,8]", "unexpected-token", "@"),
        ("float32[4,-8]", "bad-size", "-8"),
        ("jax.ShapeDtypeStruct((4,n), jnp.float32)", "unexpected-token", "ShapeDtypeStruct((4,n), jnp.float32)"),
        ("ShapeDtypeStruct((4,8), float31)", "unexpected-token", "ShapeDtypeStruct((4,8), float31)"),
    ] {
        let error = read(text, Ints::Plain).expect_err(text);
        assert_eq!((error.code, error.span.of(text)), (code, place), "{text}: {}", error.message);
    }
}

#[test]
fn a_type_with_axes_is_read_beside_its_mesh() {
    for (text, plain) in [
        ("shard(float32[4@x,8], mesh(x=2))", "shard(f32[4,8], P('x', None), mesh(x=2))"),
        ("shard(f32[4,8@(y,z)], mesh(x=2,y=2,z=2))", "shard(f32[4,8], P(None, ('y', 'z')), mesh(x=2,y=2,z=2))"),
        (
            "shard(bfloat16[16@(a, b),8@c], mesh(a=2,b=2,c=4))",
            "shard(bf16[16,8], P(('a', 'b'), 'c'), mesh(a=2,b=2,c=4))",
        ),
    ] {
        let reading = read(text, Ints::Plain).expect(text);
        assert_eq!(reading.tree.kind, read(plain, Ints::Plain).expect(plain).tree.kind, "{text}");
        assert!(reading.dialects.contains(&Dialect::Jax), "{text}");
    }
    for (text, plain) in [
        ("shard(ShapedArray(float32[8@x,4@y]), mesh(x=2,y=2))", "shard(f32[8,4], P('x', 'y'), mesh(x=2,y=2))"),
        ("shard(ShapedArray(float32[8@x,4], weak_type=True), mesh(x=2))", "shard(f32[8,4], P('x', None), mesh(x=2))"),
        ("shard(float32[8,8]{U:x}, mesh(x=2))", "shard(f32[8,8], P(None, None, unreduced={'x'}), mesh(x=2))"),
        (
            "shard(float32[8@z,8]{U:(x,y), R:w}, mesh(x=2,y=2,z=2,w=2))",
            "shard(f32[8,8], P('z', None, unreduced={'x', 'y'}, reduced={'w'}), mesh(x=2,y=2,z=2,w=2))",
        ),
    ] {
        let reading = read(text, Ints::Plain).expect(text);
        assert_eq!(reading.tree.kind, read(plain, Ints::Plain).expect(plain).tree.kind, "{text}");
        assert!(bitstride_lang::evaluate(text).is_ok(), "{text}");
    }
    // What each device has by itself is no array over devices, unless the mesh says so.
    for text in [
        "float32[4,4]{V:x}",
        "float32[4,4@y]{V:x}",
        "ShapedArray(float32[4,4]{V:x})",
        "shard(float32[4,4@y]{V:x}, mesh(x=2,y=2))",
    ] {
        let error = read(text, Ints::Plain).expect_err(text);
        assert!(error.message.contains("`V:`") && error.message.contains("`Manual`"), "{text}: {}", error.message);
    }
    let varying = read("float32[4,4@y]{V:x}", Ints::Plain).expect_err("an axis that is varying");
    let help = varying.help.unwrap_or_default();
    assert!(
        help.contains("shard(f32[4,4], P(None, 'y'), Mesh('x': 2, 'other': 2, axis_types=(Manual, Auto)))"),
        "{help}"
    );
    let summed = read("float32[8,8]{U:x}", Ints::Plain).expect_err("no mesh");
    assert!(
        summed.help.is_some_and(|help| help.contains("shard(f32[8,8], P(None, None, unreduced={'x'}), mesh(x=2))"))
    );
    let alone = read("float32[4@x,8@(y,z)]", Ints::Plain).expect_err("no mesh");
    assert!(
        alone
            .help
            .as_deref()
            .is_some_and(|help| help.contains("shard(f32[4,8], P('x', ('y', 'z')), mesh(x=2,y=2,z=2))"))
    );
}
