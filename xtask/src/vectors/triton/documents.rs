//! What documents state about linear layouts: every field of a row that is no question is answered.

use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};
use bitstride::triton::{AmdMfma, Cga, Distributed, Sizes, Split};
use serde_json::{Map, Value, json};

use super::Answer;
use super::encodings::{alignment, asked, encoding};
use super::json::{bases, layout, names, numbers, rows, shown};
use crate::vectors::row::Row;

/// The fields that are answers; `matches` and `oracle_note` speak about others.
pub(super) const STATED: [&str; 18] = [
    "out",
    "table",
    "stated",
    "stated_inferred_sizes",
    "oracle_surjective",
    "surjective",
    "values",
    "block_bases",
    "linear_id",
    "grid",
    "owners",
    "banks_col0",
    "printed_grid",
    "oracle_grid_logical_at_physical",
    "thread_grid_cta0_row0",
    "squeezed",
    "m32",
    "m16",
];

/// Our answer: an object of the same fields.
pub(super) fn answer(row: &Row) -> Answer {
    let mut answers = Map::new();
    for (name, stated) in row.fields.iter().filter(|(name, _)| STATED.contains(&name.as_str())) {
        match field(&row.fields, name, stated)? {
            Ok(value) => answers.insert(name.clone(), value),
            Err(error) => return Some(Err(error)),
        };
    }
    Some(Ok(Value::Object(answers)))
}

/// The layout that a row is about.
fn subject(fields: &Map<String, Value>) -> Option<Result<LinearLayout, Error>> {
    let of_encoding = |value: &Value| {
        let shape = numbers(fields.get("tensor_shape")?)?;
        Some(encoding(value, shape.len())?.to_linear(&shape))
    };
    if let Some((encoding, shape)) = asked(fields) {
        return Some(encoding.to_linear(&shape));
    }
    if let Some(value) = fields.get("as_blocked").or(fields.get("as_enc")) {
        return of_encoding(value);
    }
    if let (Some(a), Some(b)) = (fields.get("a"), fields.get("b")) {
        let (a, b) = (layout(a)?, layout(b)?);
        return Some(a.and_then(|a| a.product(&b?)));
    }
    if let Some(value) = fields.get("layout") {
        return layout(value);
    }
    if let (Some(values), Some(outs)) = (fields.get("bases"), fields.get("out_names")) {
        return Some(LinearLayout::from_bases_inferred(&bases(values)?.ok()?, &names(outs)?.ok()?));
    }
    let (shape, order) = (numbers(fields.get("shape")?)?, numbers(fields.get("order")?)?);
    let order: Option<Vec<usize>> = order.into_iter().map(|at| usize::try_from(at).ok()).collect();
    let name = fields.get("dim").and_then(Value::as_str).and_then(|dim| Name::new(dim).ok()).unwrap_or(Name::LANE);
    Some(LinearLayout::identity_standard_nd(name, &shape, &order?))
}

/// The bases of a cluster that is given in its older form.
fn cluster(fields: &Map<String, Value>) -> Option<Result<Cga, Error>> {
    let sizes = |name: &str| numbers(fields.get(name)?).map(|sizes| Sizes::from_slice(&sizes));
    let split = Split { ctas: sizes("ctas_per_cga")?, parts: sizes("cta_split_num")?, order: sizes("cta_order")? };
    Some(Cga::from_split(&split))
}

/// The matrix of threads of a row: from an order, explicit, or a parent that is squeezed.
fn matrix(fields: &Map<String, Value>) -> Option<Result<Distributed, Error>> {
    if let (Some(shape), Some(order)) = (fields.get("shape"), fields.get("order")) {
        return Some(Distributed::from_order(&numbers(shape)?, &numbers(order)?));
    }
    let threads = rows(fields.get("L").or(fields.get("parent"))?)?;
    let extents = [threads.len(), threads.first()?.len()].map(|extent| i64::try_from(extent).unwrap_or(i64::MAX));
    let whole = Distributed::new(&extents, &threads.concat());
    Some(match fields.get("dim").and_then(Value::as_i64) {
        Some(dim) => whole.and_then(|whole| whole.squeeze(dim)),
        None => whole,
    })
}

/// What the article states of a matrix of threads.
fn of_matrix(fields: &Map<String, Value>, name: &str) -> Answer {
    let matrix = match matrix(fields)? {
        Ok(matrix) => matrix,
        Err(error) => return Some(Err(error)),
    };
    let tensor = || numbers(fields.get("tensor_shape")?);
    Some(Ok(match name {
        "grid" => {
            each_element(matrix.shape(), &|at| json!(matrix.owners(matrix.shape(), at).unwrap_or_default().first()))
        }
        "squeezed" => json!(matrix.cells()),
        _ => {
            each_element(&tensor()?, &|at| json!(matrix.owners(&tensor().unwrap_or_default(), at).unwrap_or_default()))
        }
    }))
}

/// One field of the answer.
fn field(question: &Map<String, Value>, name: &str, stated: &Value) -> Answer {
    if let Some(cluster) = cluster(question) {
        return clustered(question, &cluster.ok()?, name);
    }
    if matches!(name, "grid" | "owners" | "squeezed") {
        return of_matrix(question, name);
    }
    if let Some(side) = match name {
        "m32" => Some(32),
        "m16" => Some(16),
        _ => None,
    } {
        return Some(mfma(side));
    }
    let layout = match subject(question)? {
        Ok(layout) => layout,
        Err(error) => return Some(Err(error)),
    };
    Some(Ok(match name {
        "out" => {
            let mut out = shown(&layout, None);
            if let Some((fields, _)) = out.as_object_mut().zip(stated.get("alignment")) {
                let alignment = asked(question).map(|(encoding, _)| alignment(&encoding));
                fields.insert("alignment".to_owned(), json!(alignment));
            }
            out
        }
        "surjective" | "oracle_surjective" => json!(layout.is_surjective()),
        "stated_inferred_sizes" => layout.outs().iter().map(|dim| json!(dim.size())).collect(),
        "table" => {
            let (first, second) = (layout.ins().first()?.bits, layout.ins().get(1)?.bits);
            let pairs = (0..1u64 << first).flat_map(|t| (0..1u64 << second).map(move |w| (t, w)));
            pairs.map(|(t, w)| json!([t, w, image(&layout, t | w << first)])).collect()
        }
        "stated" => {
            let at = |call: &String| {
                let (t, w) = call.strip_prefix("L(")?.strip_suffix(')')?.split_once(',')?;
                let place = t.parse::<u64>().ok()? | w.parse::<u64>().ok()? << layout.ins().first()?.bits;
                Some((call.clone(), image(&layout, place)))
            };
            Value::Object(stated.as_object()?.keys().map(at).collect::<Option<_>>()?)
        }
        "values" => (0..1u64 << layout.in_bits()).map(|place| json!([place, image(&layout, place)])).collect(),
        "banks_col0" => {
            const BANKS: u64 = 32;
            let column = numbers(question.get("shape")?)?.into_iter().next()?;
            let bank = |row| held(&layout, &[row, 0], &|place| place % BANKS).into_iter().next();
            (0..column).map(|row| json!(bank(row))).collect()
        }
        "printed_grid" | "oracle_grid_logical_at_physical" => {
            let columns = *numbers(question.get("shape")?)?.get(1)?;
            each_element(&numbers(question.get("shape")?)?, &|at| {
                let place = at.first().zip(at.get(1)).map(|(row, column)| row * columns + column);
                let element = layout.unpack(layout.apply_packed(place.and_then(|at| at.try_into().ok()).unwrap_or(0)));
                json!(element.first().zip(element.get(1)).map(|(row, column)| row * columns + column))
            })
        }
        "thread_grid_cta0_row0" => {
            let of = |column| held(&layout, &[0, column], &|place| thread(&layout, place)).into_iter().next();
            (0..).zip(stated.as_array()?).map(|(column, _)| json!(of(column))).collect()
        }
        _ => return None,
    }))
}

/// What the article states of a cluster.
fn clustered(fields: &Map<String, Value>, cga: &Cga, name: &str) -> Answer {
    let rank = numbers(fields.get("ctas_per_cga")?)?.len();
    let layout = match cga.to_linear(rank) {
        Ok(layout) => layout,
        Err(error) => return Some(Err(error)),
    };
    Some(Ok(match name {
        "block_bases" => cga.bases.iter().map(|basis| json!(basis.to_vec())).collect(),
        "values" => (0..1u64 << layout.in_bits()).map(|block| image(&layout, block)).collect(),
        "linear_id" => json!(held(&layout, &numbers(fields.get("cta_coord")?)?, &|block| block).first()),
        _ => return None,
    }))
}

/// The tile of one matrix instruction, `dim1` first.
fn mfma(side: i64) -> Result<Value, Error> {
    let one = Sizes::from_slice(&[1, 1]);
    let encoding = AmdMfma {
        version: 3,
        warps_per_cta: one.clone(),
        instr_shape: Sizes::from_slice(&[side, side, 256 / side]),
        transposed: false,
        tiles_per_warp: one,
        element_bits: 32,
        cga: Cga::default(),
    };
    let layout = encoding.to_linear(&[side, side])?.transpose_outs(&[Name::dim(1), Name::dim(0)])?;
    let bases = |name| -> Value {
        let columns = layout.in_dim(name).map(|(_, columns)| columns.to_vec()).unwrap_or_default();
        columns.into_iter().map(|column| json!(layout.unpack(column).to_vec())).collect()
    };
    Ok(json!({"register": bases(Name::REGISTER), "lane": bases(Name::LANE)}))
}

/// The element at a place: its coordinates in the order of the names of the dims, or its one number.
fn image(layout: &LinearLayout, place: u64) -> Value {
    let element = layout.unpack(layout.apply_packed(place));
    let mut named: Vec<_> = layout.outs().iter().map(|dim| dim.name).zip(element.iter().copied()).collect();
    named.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
    match named.as_slice() {
        [(_, only)] => json!(only),
        all => all.iter().map(|(_, value)| json!(value)).collect(),
    }
}

/// What holds an element, each once and in order; the element is named by its coordinates `dim0`, `dim1`, ….
fn held(layout: &LinearLayout, element: &[i64], numbered: &dyn Fn(u64) -> u64) -> Vec<u64> {
    let wanted: Value = match element {
        [only] => json!(only),
        all => json!(all),
    };
    let holds = (0..1u64 << layout.in_bits()).filter(|place| image(layout, *place) == wanted);
    holds.map(numbered).collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// The thread of a place, counted through the warps.
fn thread(layout: &LinearLayout, place: u64) -> u64 {
    let (mut rest, mut lane, mut warp, mut lanes) = (place, 0, 0, 0);
    for dim in layout.ins() {
        let own = rest & ((1 << dim.bits) - 1);
        rest >>= dim.bits;
        match dim.name {
            Name::LANE => (lane, lanes) = (own, dim.bits),
            Name::WARP => warp = own,
            _ => {}
        }
    }
    lane | warp << lanes
}

/// A value for each element of a shape of one or two dims, nested like it.
fn each_element(shape: &[i64], value: &dyn Fn(&[i64]) -> Value) -> Value {
    match shape {
        [size] => (0..*size).map(|at| value(&[at])).collect(),
        [rows, columns] => {
            (0..*rows).map(|row| (0..*columns).map(|column| value(&[row, column])).collect::<Value>()).collect()
        }
        _ => Value::Null,
    }
}
