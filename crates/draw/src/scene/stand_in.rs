//! Layouts that are drawn for values without a shape of their own: a swizzle on its smallest period, and a tiler as the
//! coordinates that it selects.

use bitstride::cute::{Function, Swizzle, Tiler};
use bitstride::{Code, Error, Int, Integer, Layout, Path, Stride, Tuple, error};
use bitstride_lang::Value;

/// The layout that is drawn for a value; none where the value itself is drawn.
///
/// # Errors
/// [`Code::Kind`] for `_` in a tiler, whose extent is that of the layout it is used on.
pub(super) fn of(value: &Value) -> Result<Option<Value>, Error> {
    match value {
        Value::Function(swizzle @ Function::Swizzle(bits)) => period(*bits, 0, swizzle).map(Some),
        Value::Function(swizzle @ Function::Bytes(bytes)) => {
            // Of elements of a power of two of bytes that the swizzle moves whole.
            let bytes_log = bytes.bits().checked_ilog2().filter(|_| bytes.bits().count_ones() == 1);
            match bytes_log.and_then(|log| log.checked_sub(3)).filter(|log| *log <= bytes.swizzle().base()) {
                Some(log) => period(bytes.swizzle(), log, swizzle).map(Some),
                None => Ok(None),
            }
        }
        Value::Tiler(tiler) => selected(tiler, &mut Path::new()).map(|layout| Some(Value::Layout(layout))),
        _ => Ok(None),
    }
}

/// A swizzle on the offsets below its highest bit, in units of its lowest: the higher bits down, the lower across.
fn period(swizzle: Swizzle, element_log: u32, function: &Function) -> Result<Value, Error> {
    let (base, shift) = (swizzle.base().saturating_sub(element_log), swizzle.shift().unsigned_abs());
    let power = |bits: u32| {
        let power = 1_i64.checked_shl(bits).filter(|power| *power > 0);
        power.map(Int::from).ok_or_else(|| Error::overflow("the period of the swizzle"))
    };
    let shape = [power(swizzle.bits())?, power(shift)?];
    let stride = [power(base.saturating_add(shift))?, power(base)?].map(Stride::from);
    let layout = Layout::new(Tuple::flat(&shape), Tuple::flat(&stride))?;
    Ok(Value::from(Function::compose(function.clone(), Int::from(0), Function::Layout(layout))))
}

/// The coordinates that a tiler selects: mode i of the layout steps along coordinate i.
fn selected(tiler: &Tiler, path: &mut Path) -> Result<Layout, Error> {
    let step = |stride: &Stride, path: &Path| match stride {
        Stride::Int(n) => Ok(Stride::basis(n.clone(), path.clone())),
        _ => Err(error!(Code::Kind, "{stride} is no number of elements, so that no picture shows the tile", [stride])),
    };
    match tiler {
        Tiler::Keep => {
            let message = "`_` keeps a mode of the layout that the tiler is used on, and has no extent of its own";
            Err(Error::new(Code::Kind, message).with_help("show that layout with `--mark` or `--by` and the tiler"))
        }
        Tiler::Extent(n) => {
            let one = step(&Stride::Int(Int::from(1)), path)?;
            Layout::new(Tuple::leaf(n.clone()), Tuple::leaf(if n.is(1) { Stride::default() } else { one }))
        }
        Tiler::Layout(layout) => Layout::new(layout.shape(), layout.stride().try_map(|stride| step(stride, path))?),
        Tiler::Modes(modes) => {
            let (mut shapes, mut strides) = (Vec::new(), Vec::new());
            for (mode, tiler) in modes.iter().enumerate() {
                path.push(mode);
                let layout = selected(tiler, path)?;
                path.pop();
                shapes.push(layout.shape());
                strides.push(layout.stride());
            }
            Layout::new(Tuple::of(&shapes), Tuple::of(&strides))
        }
    }
}
