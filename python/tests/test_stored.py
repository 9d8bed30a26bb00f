"""Stored layouts: formats, checks, repacks of arrays and files, probes, and emitted source."""

import threading

import bitstride
import numpy as np
import pytest
from bitstride import check, emit, formats, probe, repack


def gptq(k, n, group, seed=0):
    """A layer as GPTQ's published rule stores it: 4 bits, zeros as they are (v2), channels in order."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 16, (k, n)).astype("u4")
    zeros = random.integers(0, 16, (k // group, n)).astype("u4")
    shifts = np.arange(0, 32, 4, dtype="u4")
    return codes, {
        "qweight": np.bitwise_or.reduce(codes.reshape(k // 8, 8, n) << shifts[None, :, None], axis=1).view("i4"),
        "qzeros": np.bitwise_or.reduce(zeros.reshape(-1, n // 8, 8) << shifts[None, None, :], axis=2).view("i4"),
        "scales": random.standard_normal((k // group, n)).astype("f2"),
        "g_idx": (np.arange(k) // group).astype("i4"),
    }


def test_formats_are_listed_and_explained():
    names = [own.name for own in formats()]
    assert {"gptq", "awq:gemm", "marlin", "gguf:q4_0"} <= set(names)
    one = formats("gptq:v1", {"k": 64, "n": 32})
    assert [tensor.name for tensor in one.tensors] == ["qweight", "qzeros", "scales", "g_idx"]
    assert [own.stored for own in one.fields if own.name == "zeros"] == [("-1",)]
    assert formats("gptq:v1").tensors == () and formats("gptq:v1").parameters["k"] is None
    with pytest.raises(bitstride.Error, match="gptq"):
        formats("gtpq")
    own = "\n".join(
        f"format mine:{name}\nparam n\ntensor t u8 [n]\nfield x [n] 8 uint\nplace = {layout}"
        for name, layout in [("there", "{n}:1"), ("back", "{n}:-1 + {n - 1}")]
    )
    assert formats("mine:back,n=4", definitions=own).fields[0].axes == {"n": 4}
    assert not check("mine:there", "mine:back", (4,), definitions=own)
    assert repack(np.arange(4, dtype="u1"), "mine:there", "mine:back", definitions=own).tolist() == [3, 2, 1, 0]


def test_a_check_has_its_verdict_as_data():
    answer = check("gptq:v1", "gptq:v2", {"k": 128, "n": 256})
    assert not answer and answer.holds is False
    assert {name: own.verdict for name, own in answer.fields.items()} == {
        "codes": "same",
        "zeros": "same places",
        "scales": "same",
        "g_idx": "same",
    }
    zeros = answer.fields["zeros"]
    assert zeros.mapped == ("+1",) and zeros.passes_shape_checks and zeros.differing == 0 and not zeros
    assert "cures it" in answer.cure and str(answer).startswith("codes: same bytes")
    # The other way round, the map is the other way round.
    assert check("gptq:v2", "gptq:v1", {"k": 128, "n": 256}).fields["zeros"].mapped == ("-1",)
    codes = check("awq:gemm", "gptq:v1", (128, 256), fields="codes").fields["codes"]
    assert (codes.verdict, codes.elements, codes.differing) == ("different", 32768, 32736)
    assert codes.first.element == (0, 1) and codes.first_column_major.element == (1, 0)
    assert codes.tensors == ("i32[128,32]", "i32[16,256]") and not codes.passes_shape_checks
    exponent = check("dense:f32", "deepgemm:ue8m0", (4, 8))
    assert "f32 to E8M0" in exponent.fields["scales"].reason
    assert "E8M0 to f32" in check("deepgemm:ue8m0", "dense:f32", (4, 8)).fields["scales"].reason
    assert check("exl2:stored", "gptq:v1", "k=128,n=256", fields=["codes"])
    missing = check("trtllm:shuffle", "trtllm:shuffle,tile=64", (128, 8))
    assert missing.holds is None and missing.cure is None
    with pytest.raises(bitstride.Error, match="neither format has a field"):
        check("gptq:v1", "gptq:v2", (64, 64), fields="weights")


def test_a_layer_goes_to_marlin_and_back():
    codes, layer = gptq(128, 128, 32)
    marlin = repack(layer, "gptq:v2,group=32", "marlin")
    assert set(marlin) == {"qweight", "zeros", "scales"}
    back = repack(marlin, "marlin:group=32", "gptq:v2")
    assert all(back[name].dtype == own.dtype and (back[name] == own).all() for name, own in layer.items())
    # Element by element, by the layout that the format names.
    places = bitstride.Layout("((2,4,2,8),(8,2,4,2)):((4,32,1,2048),(128,2,8,1024))")
    words = marlin["qweight"].reshape(-1).view("u4")
    for k, n in [(0, 0), (1, 0), (0, 1), (77, 93), (127, 127)]:
        place = places(k, n)
        assert words[place // 8] >> (4 * (place % 8)) & 15 == codes[k, n]


def test_names_behind_a_prefix_and_other_tensors_are_kept():
    _, layer = gptq(64, 64, 64)
    whole = {f"model.0.{name}": array for name, array in layer.items()} | {"norm": np.ones(3, "f4")}
    made = repack(whole, "gptq:v2,group=64", "gptq:v1", fields=["codes", "scales", "g_idx"])
    assert made["norm"] is whole["norm"] and (made["model.0.qweight"] == layer["qweight"]).all()


def test_what_would_lose_a_value_is_refused():
    _, layer = gptq(64, 64, 64)
    layer["qzeros"][0, 0] = 0
    with pytest.raises(bitstride.Error, match="0 would be stored as -1"):
        repack(layer, "gptq:v2,group=64", "gptq:v1")
    with pytest.raises(bitstride.Error, match="e2m1"):
        repack(np.zeros((1, 2, 16), "u1"), "hf:mxfp4", "gguf:q4_0", fields="codes")
    with pytest.raises(bitstride.Error, match="bytes"):
        repack(layer | {"scales": np.ones((1, 32), "f2")}, "gptq:v2,group=64", "marlin")
    with pytest.raises(TypeError):
        repack("a.safetensors", "gptq:v2", "marlin")


def test_one_array_of_a_format_of_several():
    _, layer = gptq(64, 64, 64)
    whole = repack({"qweight": layer["qweight"]}, "gptq:v2", "marlin", fields="codes")["qweight"]
    alone = repack(layer["qweight"], "gptq:v2", "marlin", fields="codes")
    assert alone.dtype == "i4" and (alone == whole).all()
    # Elements count where they are read, not how they lie in memory.
    turned = repack(np.asfortranarray(layer["qweight"]), "gptq:v2", "marlin", fields="codes")
    assert (turned == whole).all()


def test_the_type_of_a_scale_is_kept_or_refused():
    torch = pytest.importorskip("torch")
    _, layer = gptq(64, 64, 64)
    layer = {name: torch.from_numpy(array.copy()) for name, array in layer.items()}
    layer["scales"] = layer["scales"].to(torch.bfloat16)
    made = repack(layer, "gptq:v2,group=64", "marlin")
    assert made["scales"].dtype == torch.bfloat16 and made["qweight"].dtype == torch.int32
    back = repack(made, "marlin:group=64", "gptq:v2")
    assert all(torch.equal(back[name], own) for name, own in layer.items())


def test_a_layer_is_repacked_into_memory_that_is_there():
    layer = {"qweight": np.arange(16 * 64, dtype="i4").reshape(16, 64), "scales": np.ones((1, 64), "f2")}
    expected = repack(layer, "gptq:v2", "marlin", fields=["codes", "scales"])
    into = {name: np.full_like(array, 7) for name, array in expected.items()}
    made = repack(layer, "gptq:v2", "marlin", into, fields=["codes", "scales"])
    for name, array in expected.items():
        assert made[name] is into[name]
        assert np.array_equal(into[name], array)
    raw = np.empty(expected["qweight"].nbytes, "u1")
    assert repack(layer["qweight"], "gptq:v2", "marlin", raw, fields="codes") is raw
    assert raw.tobytes() == expected["qweight"].tobytes()

    def refused(out, code, fields=("codes", "scales")):
        with pytest.raises(bitstride.RefusedError) as caught:
            repack(layer, "gptq:v2", "marlin", out, fields=list(fields))
        assert caught.value.code == code

    refused(raw, "dim-names-mismatch")
    refused({"qweight": into["qweight"]}, "dim-names-mismatch")
    refused({**into, "zeros": raw}, "dim-names-mismatch")
    refused({**into, "qweight": into["qweight"].T}, "kind")
    refused({**into, "qweight": raw[1:]}, "kind")
    refused({**into, "qweight": np.zeros((8, 256), "i4")[:, ::2]}, "kind")
    refused({**into, "qweight": layer["qweight"].reshape(8, 128)}, "overlap")
    shared = np.empty(expected["qweight"].nbytes, "u1")
    refused({"qweight": shared, "scales": shared[: into["scales"].nbytes]}, "overlap")
    fixed = into["qweight"].copy()
    fixed.flags.writeable = False
    refused({**into, "qweight": fixed}, "overlap")
    with pytest.raises(TypeError):
        repack(layer, "gptq:v2", "marlin", {**into, "scales": [0.0] * 64}, fields=["codes", "scales"])
    with pytest.raises(TypeError):
        repack(layer, "gptq:v2", "marlin", "layer.safetensors", fields=["codes", "scales"])


def test_files_are_repacked_as_arrays_are(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    _, layer = gptq(128, 64, 64, seed=3)
    there, back = tmp_path / "there.safetensors", tmp_path / "back.safetensors"
    safetensors.save_file(layer, tmp_path / "in.safetensors", metadata={"made": "here"})
    done = repack(tmp_path / "in.safetensors", "gptq:v2,group=64", "marlin", there)
    assert {own["name"] for own in done["tensors"]} == {"qweight", "zeros", "scales"}
    in_memory = repack(layer, "gptq:v2,group=64", "marlin")
    assert all((safetensors.load_file(there)[name] == array).all() for name, array in in_memory.items())
    repack(str(there), "marlin:group=64", "gptq:v2", out=str(back))
    assert all((safetensors.load_file(back)[name] == array).all() for name, array in layer.items())
    with pytest.raises(bitstride.Error, match="contract"):
        repack(there, "gptq:v2,k=128,n=64", "awq:gemm", tmp_path / "no.safetensors")
    assert not (tmp_path / "no.safetensors").exists()
    with pytest.raises(bitstride.Error, match="cannot read"):
        repack(tmp_path / "none.safetensors", "gptq:v2", "marlin", tmp_path / "no.safetensors")


def test_blocks_of_gguf_there_and_back(tmp_path):
    """A checkpoint of the real library in blocks, as tensors of codes and scales, and as the same blocks again."""
    gguf = pytest.importorskip("gguf")
    random = np.random.default_rng(5)
    writer = gguf.GGUFWriter(tmp_path / "in.gguf", "llama")
    writer.add_array("tokenizer.ggml.tokens", ["a", "b"])
    writer.add_custom_alignment(64)
    weights = {f"blk.{number}.attn_q.weight": random.standard_normal((32, 64)).astype("f4") for number in range(2)}
    kinds = {name: gguf.GGMLQuantizationType.Q4_0 for name in weights}
    weights["blk.0.ffn_up.weight"] = random.standard_normal((16, 96)).astype("f4")
    kinds["blk.0.ffn_up.weight"] = gguf.GGMLQuantizationType.Q8_0
    packed = {name: gguf.quantize(array, kinds[name]) for name, array in weights.items()}
    for name, array in packed.items():
        writer.add_tensor(name, array, raw_dtype=kinds[name])
    writer.add_tensor("norm.weight", np.ones(64, "f4"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    done = repack(tmp_path / "in.gguf", "gguf:q4_0", "ggml:q4_0,rows=4,interleave=8", tmp_path / "there.safetensors")
    assert len(done["tensors"]) == 2 and done["left_out"] == ["blk.0.ffn_up.weight"]
    repack(tmp_path / "there.safetensors", "ggml:q4_0,rows=4,interleave=8", "gguf:q4_0", tmp_path / "back.gguf",
           shape={"n": 32, "k": 64}, tensors=[name for name in packed if "attn" in name])
    read = {tensor.name: tensor for tensor in gguf.GGUFReader(tmp_path / "back.gguf").tensors}
    for name, array in packed.items():
        if "attn" in name:
            assert read[name].tensor_type == kinds[name] and list(read[name].shape) == [64, 32]
            assert read[name].data.tobytes() == array.tobytes()
    assert read["norm.weight"].data.tolist() == [1] * 64
    # A GGUF file as a GGUF file has all its keys and tensors again.
    repack(tmp_path / "in.gguf", "gguf:q4_0", "gguf:q4_0", tmp_path / "same.gguf")
    same, first = gguf.GGUFReader(tmp_path / "same.gguf"), gguf.GGUFReader(tmp_path / "in.gguf")
    kept = {key: own for key, own in same.fields.items() if not key.startswith(("bitstride", "GGUF."))}
    assert kept.keys() == {key for key in first.fields if not key.startswith("GGUF.")}
    assert all(kept[key].contents() == first.fields[key].contents() for key in kept)
    assert same.alignment == 64 and all(tensor.data_offset % 64 == 0 for tensor in same.tensors)
    contents = {tensor.name: (tensor.tensor_type, tensor.data.tobytes()) for tensor in same.tensors}
    assert contents == {tensor.name: (tensor.tensor_type, tensor.data.tobytes()) for tensor in first.tensors}


def test_a_packer_is_probed():
    def awq(codes):
        order = [0, 2, 4, 6, 1, 3, 5, 7]
        words = codes.astype("u4").reshape(codes.shape[0], -1, 8)[:, :, order]
        return np.bitwise_or.reduce(words << np.arange(0, 32, 4, dtype="u4"), axis=2)

    found = probe(awq, (16, 32))
    assert "awq:gemm,bits=4,k=16,n=32,group=128" in found.formats and found.xor == 0
    assert found.output_bits == 16 * 32 * 4
    with pytest.raises(bitstride.RefusedError, match="not written|depends|spells"):
        probe(lambda codes: codes & 7, (4, 4))
    with pytest.raises(ZeroDivisionError):
        probe(lambda codes: 1 // 0, (4, 4))
    with pytest.raises(bitstride.Error):
        probe(lambda codes: codes, (1 << 20, 1 << 20))


def test_source_is_that_of_the_command():
    names = {}
    exec(emit("index", bitstride.Layout("(4,8):(8,1)"), lang="python"), names)
    assert [names["layout_offset"](i, j) for i in range(2) for j in range(2)] == [0, 1, 8, 9]
    assert "__global__" in emit("relayout", "(64,64):(64,1)", "(64,64):(1,64)", bits=16, lang="cuda")
    assert "__device__" in emit("tv", "tv((32,4):(4,1), (128))", "128:1", bits=16, lang="cuda")
    for wrong in [("index", "4:1", "4:1"), ("relayout", "4:1"), ("kernel", "4:1")]:
        with pytest.raises(bitstride.Error):
            emit(*wrong, bits=8)
    with pytest.raises(bitstride.Error, match="pascal"):
        emit("index", "4:1", lang="pascal")
    with pytest.raises(bitstride.UndecidedError, match="large"):
        emit("relayout", "4:1", "4:1")


def test_other_threads_run_meanwhile():
    _, layer = gptq(1024, 1024, 128)
    done, answers = threading.Event(), []

    def work():
        answers.append(repack(layer, "gptq:v2", "marlin"))
        done.set()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.is_set() and all((answers[0][name] == answers[1][name]).all() for name in answers[0])
