/** Texts of other programs, pasted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromDump } from "../src/sheet/paste.js";

test("operations of MLIR become names and types", () => {
  const dump = `#blocked = #ttg.blocked<{sizePerThread = [1, 4]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %31 = ttg.convert_layout %30 : tensor<16x32xf16, #blocked> -> tensor<16x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma}>>
}`;
  assert.equal(
    fromDump(dump),
    "#blocked = #ttg.blocked<{sizePerThread = [1, 4]}>\nv31 = tensor<16x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma}>>",
  );
});

test("instructions of HLO become names and shapes", () => {
  assert.equal(
    fromDump("  %fusion.1 = bf16[16,256]{1,0:T(8,128)(2,1)} fusion(%p), kind=kLoop\n  ROOT tuple-1 = f32[3] copy(x)"),
    "fusion_1 = bf16[16,256]{1,0:T(8,128)(2,1)}\ntuple_1 = f32[3]",
  );
});

test("lines of Windows end as all others", () => {
  assert.equal(fromDump("a = 4:1\r\nb = a"), "a = 4:1\nb = a");
});

test("other texts stay as they are", () => {
  for (const text of ["a = (4,8):(8,1)\nb = a", "(_4,_8):(_8,_1)", "tensor<8xf32, #b>", "", "}"]) {
    assert.equal(fromDump(text), text);
  }
});
