!copy_ldsm_4 = !cute.tiled_copy<!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, layout_copy_tv = <"((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))">, tiler_mn = <"[32:1;16:1]">>
!memref_gmem_f16 = !cute.memref<f16, gmem, align<16>, "(?{div=64},?{div=64}):(?{i64 div=64},1)">
!memref_gmem_f16_1 = !cute.memref<f16, gmem, align<16>, "((64,64),(?,?)):((?{i64 div=64},1),(?{i64 div=4096},64))">
!memref_smem_f16 = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,8),(64,1)):((64,512),(1,0))">
!memref_smem_f16_1 = !cute.memref<f16, smem, align<16>, S<3,4,3>, "((8,1),2,4):((1,0),2048,16)">
!memref_smem_i8 = !cute.memref<i8, smem, align<1024>, "8192:1">
!mma_f16_f16_f32_16x8x16 = !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(2,2,1):(1,2,0)">, permutation_MNK = <"[_;_;_]">>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @kernel_cutlass_load_tensorptrf16gmemalign16odiv64div64i64div641_0(%arg0: !memref_gmem_f16) attributes {cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin, non_portable_cluster_size_allowed = 1 : i32}, cute.kernel, cutlass_launch_facts = {cluster_launch = false, cooperative_launch = false, exact_block_dim = array<i64: 128, 1, 1>, exact_grid_dim = array<i64: 1, 1, 1>, schema_version = 1 : i64}, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, smem.hint_smem_base_uniform, smem.partition_num = 2 : i32} {
      %iter = cute.get_iter(%arg0) : !memref_gmem_f16
      %iter_0 = cute.get_iter(%arg0) : !memref_gmem_f16
      %lay = cute.get_layout(%arg0) : !memref_gmem_f16
      %0 = nvvm.read.ptx.sreg.tid.x : i32
      %1 = nvvm.read.ptx.sreg.tid.y : i32
      %2 = nvvm.read.ptx.sreg.tid.z : i32
      %3 = cute.static : !cute.swizzle<"S<3,3,3>">
      %shape = cute.make_shape() : () -> !cute.shape<"(8,64)">
      %stride = cute.make_stride() : () -> !cute.stride<"(64,1)">
      %lay_1 = cute.make_layout(%shape, %stride) : !cute.layout<"(8,64):(64,1)">
      %4 = cute.get_stride(%lay_1) : (!cute.layout<"(8,64):(64,1)">) -> !cute.stride<"(64,1)">
      %e0, %e1 = cute.get_leaves(%4) : !cute.stride<"(64,1)">
      %int_tuple = cute.make_int_tuple() : () -> !cute.int_tuple<"0">
      %lay_2 = cute.make_composed_layout(%3, %int_tuple, %lay_1) : !cute.composed_layout<"S<3,3,3> o 0 o (8,64):(64,1)">
      %shape_3 = cute.make_shape() : () -> !cute.shape<"(64,64)">
      %int_tuple_4 = cute.make_int_tuple() : () -> !cute.int_tuple<"(0,1)">
      %tile_to_shape = cute.tile_to_shape(%lay_2, %shape_3, %int_tuple_4) : (!cute.composed_layout<"S<3,3,3> o 0 o (8,64):(64,1)">, !cute.shape<"(64,64)">, !cute.int_tuple<"(0,1)">) -> !cute.composed_layout<"S<3,3,3> o 0 o ((8,8),(64,1)):((64,512),(1,0))">
      %5 = cute.composed_get_outer(%tile_to_shape) : (!cute.composed_layout<"S<3,3,3> o 0 o ((8,8),(64,1)):((64,512),(1,0))">) -> !cute.layout<"((8,8),(64,1)):((64,512),(1,0))">
      %6 = cute.static : !cute.swizzle<"S<3,4,3>">
      %coord = cute.make_coord() : () -> !cute.coord<"0">
      %idx = cute.crd2idx(%coord, %5) : (!cute.coord<"0">, !cute.layout<"((8,8),(64,1)):((64,512),(1,0))">) -> !cute.int_tuple<"0">
      %e0_5 = cute.get_leaves(%idx) : !cute.int_tuple<"0">
      %cosz = cute.cosize(%5) : (!cute.layout<"((8,8),(64,1)):((64,512),(1,0))">) -> !cute.int_tuple<"4096">
      %e0_6 = cute.get_leaves(%cosz) : !cute.int_tuple<"4096">
      %shape_7 = cute.make_shape() : () -> !cute.shape<"8192">
      %lay_8 = cute.make_layout(%shape_7) : !cute.layout<"8192:1">
      %smem = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8
      %iter_9 = cute.get_iter(%smem) : !memref_smem_i8
      %iter_10 = cute.get_iter(%smem) : !memref_smem_i8
      %iter_11 = cute.recast_iter(%iter_10) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f16, smem, align<1024>, S<3,4,3>>
      %view = cute.make_view(%iter_11, %5) : !memref_smem_f16
      %iter_12 = cute.get_iter(%view) : !memref_smem_f16
      %iter_13 = cute.get_iter(%view) : !memref_smem_f16
      %shape_14 = cute.make_shape() : () -> !cute.shape<"(16,8,16)">
      %atom = cute.make_atom() : () -> !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
      %shape_15 = cute.make_shape() : () -> !cute.shape<"(2,2,1)">
      %lay_16 = cute.make_layout(%shape_15) : !cute.layout<"(2,2,1):(1,2,0)">
      %7 = cute.get_shape(%lay_16) : (!cute.layout<"(2,2,1):(1,2,0)">) -> !cute.shape<"(2,2,1)">
      %e0_17, %e1_18, %e2 = cute.get_leaves(%7) : !cute.shape<"(2,2,1)">
      %8 = cute.make_tiled_mma(%atom) : !mma_f16_f16_f32_16x8x16
      %shape_19 = cute.make_shape() : () -> !cute.shape<"(8,8)">
      %atom_20 = cute.make_atom() : () -> !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>
      %9 = cute.static : !cute.layout<"((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))">
      %10 = cute.static : !cute.tile<"[_;_;_]">
      %e0_21, %e1_22, %e2_23 = cute.get_leaves(%10) : !cute.tile<"[_;_;_]">
      %11 = cute.static : !cute.layout<"(32,2,2,1):(1,32,64,0)">
      %12 = cute.static : !cute.shape<"(16,8,16)">
      %e0_24, %e1_25, %e2_26 = cute.get_leaves(%12) : !cute.shape<"(16,8,16)">
      %int_tuple_27 = cute.make_int_tuple() : () -> !cute.int_tuple<"(16,8,16)">
      %sz = cute.size(%int_tuple_27) <{mode = [0]}> : (!cute.int_tuple<"(16,8,16)">) -> !cute.int_tuple<"16">
      %e0_28 = cute.get_leaves(%sz) : !cute.int_tuple<"16">
      %sz_29 = cute.size(%11) <{mode = [1]}> : (!cute.layout<"(32,2,2,1):(1,32,64,0)">) -> !cute.int_tuple<"2">
      %e0_30 = cute.get_leaves(%sz_29) : !cute.int_tuple<"2">
      %13 = cute.static : !cute.tile<"[_;_;_]">
      %e0_31, %e1_32, %e2_33 = cute.get_leaves(%13) : !cute.tile<"[_;_;_]">
      %14 = cute.static : !cute.layout<"(32,2,2,1):(1,32,64,0)">
      %15 = cute.static : !cute.shape<"(16,8,16)">
      %e0_34, %e1_35, %e2_36 = cute.get_leaves(%15) : !cute.shape<"(16,8,16)">
      %int_tuple_37 = cute.make_int_tuple() : () -> !cute.int_tuple<"(16,8,16)">
      %sz_38 = cute.size(%int_tuple_37) <{mode = [2]}> : (!cute.int_tuple<"(16,8,16)">) -> !cute.int_tuple<"16">
      %e0_39 = cute.get_leaves(%sz_38) : !cute.int_tuple<"16">
      %sz_40 = cute.size(%14) <{mode = [3]}> : (!cute.layout<"(32,2,2,1):(1,32,64,0)">) -> !cute.int_tuple<"1">
      %e0_41 = cute.get_leaves(%sz_40) : !cute.int_tuple<"1">
      %tile = cute.make_tile() : () -> !cute.tile<"[32:1;16:1]">
      %16 = cute.make_tiled_copy(%atom_20) : !copy_ldsm_4
      %coord_42 = cute.make_coord(%0) : (i32) -> !cute.coord<"?">
      %src_partitioned = cute.tiled.copy.partition_S(%16, %view, %coord_42) : (!copy_ldsm_4, !memref_smem_f16, !cute.coord<"?">) -> !memref_smem_f16_1
      %iter_43 = cute.get_iter(%src_partitioned) : !memref_smem_f16_1
      %17 = cute.get_shape(%lay) : (!cute.layout<"(?{div=64},?{div=64}):(?{i64 div=64},1)">) -> !cute.shape<"(?{div=64},?{div=64})">
      %e0_44, %e1_45 = cute.get_leaves(%17) : !cute.shape<"(?{div=64},?{div=64})">
      %itup = cute.to_int_tuple(%e0_44) : !cute.shape<"?{div=64}"> to !cute.int_tuple<"?{div=64}">
      %18 = cute.get_scalars(%itup) : !cute.int_tuple<"?{div=64}">
      %itup_46 = cute.to_int_tuple(%e1_45) : !cute.shape<"?{div=64}"> to !cute.int_tuple<"?{div=64}">
      %19 = cute.get_scalars(%itup_46) : !cute.int_tuple<"?{div=64}">
      %tile_47 = cute.make_tile() : () -> !cute.tile<"[64:1;64:1]">
      %div = cute.zipped_divide(%arg0, %tile_47) : !memref_gmem_f16, !cute.tile<"[64:1;64:1]">
      %iter_48 = cute.get_iter(%div) : !memref_gmem_f16_1
      %iter_49 = cute.get_iter(%div) : !memref_gmem_f16_1
      return
    }
  }
  func.func @cutlass_run_FakeTensorFloat16div64div64i64div641(%arg0: !memref_gmem_f16) -> i32 attributes {llvm.emit_c_interface} {
    %iter = cute.get_iter(%arg0) : !memref_gmem_f16
    %iter_0 = cute.get_iter(%arg0) : !memref_gmem_f16
    %lay = cute.get_layout(%arg0) : !memref_gmem_f16
    %0 = cute.kernel_smem_size @kernels::@kernel_cutlass_load_tensorptrf16gmemalign16odiv64div64i64div641_0 : i64
    %c232448_i64 = arith.constant 232448 : i64
    %1 = arith.cmpi sgt, %0, %c232448_i64 : i64
    scf.if %1 {
      cute.print("\0AError: kernel '@kernels::@kernel_cutlass_load_tensorptrf16gmemalign16odiv64div64i64div641_0' launch shared memory exceeds current GPU arch sm_90a allowed. Allocated: {} bytes. Max: 232448 bytes.\0A\0A", %0) : i64
    }
    %c0_i64 = arith.constant 0 : i64
    %2 = cuda.cast %c0_i64 : i64 -> !cuda.stream
    %c128_i32 = arith.constant 128 : i32
    %c1_i32 = arith.constant 1 : i32
    %3 = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%c128_i32, %c1_i32, %c1_i32), dynamicSmemBytes = %0, gridDim = (%c1_i32, %c1_i32, %c1_i32), stream = %2) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
    %c0_i32 = arith.constant 0 : i32
    cuda.launch_cfg.programmatic_stream_serialization_allowed[%3] %c0_i32 : !cuda.launch_cfg<max_attrs = 17>, i32
    %c0_i32_1 = arith.constant 0 : i32
    cuda.launch_cfg.cooperative[%3] %c0_i32_1 : !cuda.launch_cfg<max_attrs = 17>, i32
    %4 = cuda.launch_ex @kernels::@kernel_cutlass_load_tensorptrf16gmemalign16odiv64div64i64div641_0<%3> (%arg0) {assume_kernel_attr = #cuda.assume_kernel_attr<true>} : !cuda.launch_cfg<max_attrs = 17>, (!memref_gmem_f16) -> !cuda.result
    %5 = cuda.cast %4 : !cuda.result -> i32
    cuda.return_if_error %5 : i32
    %c0_i32_2 = arith.constant 0 : i32
    return %c0_i32_2 : i32
  }
}

