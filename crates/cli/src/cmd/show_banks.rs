//! The JSON of `bitstride show --banks` of layouts of any family in shared memory.

use bitstride_draw::scene::{Banks, Shared};
use bitstride_lang::Answer;
use serde_json::json;

use super::cells::{self, Object};

/// `{"kind", "value", "dims", "shape", "cells"}`: the bank of each element.
pub(super) fn object(answer: &Answer, memory: &Shared, banks: &Banks) -> Object {
    let sides = memory.sides();
    let sizes: Vec<u64> = sides.iter().map(|(_, size)| *size).collect();
    cells::check_listed(sizes.iter().try_fold(1u64, |count, size| count.checked_mul(*size)), "elements")?;
    cells::object(answer, &answer.value.to_string(), |object| {
        object.insert("dims".into(), sides.iter().map(|(name, _)| name.as_str()).collect());
        object.insert("shape".into(), json!(sizes));
        let bank = |at: &[u64]| Ok(json!(memory.offset(at).map(|offset| banks.bank(offset))));
        object.insert("cells".into(), cells::nested(&sizes, &bank)?);
        Ok(())
    })
}
