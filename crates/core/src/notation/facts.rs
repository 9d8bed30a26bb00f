//! What an expression says of an unknown holds wherever the unknown stands: in `(M{div=8},N):(1,M)` 8 divides both M.
//!
//! Law: afterwards each name has one divisor, the least common multiple of all that were written with it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::ast::{Expr, ExprKind};
use crate::int::gcd;

/// The tree with the facts of each unknown at every place where it stands.
///
/// ```
/// use bitstride::notation::{Ints, parse, shared_facts};
/// let tree = parse("(M{div=8},N):(1,M)", Ints::Plain).map_err(bitstride::Error::from)?;
/// assert_eq!(shared_facts(&tree).to_string(), "(M{div=8},N):(1,M{div=8})");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn shared_facts(tree: &Expr) -> Cow<'_, Expr> {
    let mut facts = Facts { divisors: BTreeMap::new(), differ: false };
    facts.collect(tree);
    if !facts.differ {
        return Cow::Borrowed(tree);
    }
    let mut shared = tree.clone();
    facts.apply(&mut shared);
    Cow::Owned(shared)
}

struct Facts {
    divisors: BTreeMap<String, i64>,
    /// Whether a name was written with several divisors.
    differ: bool,
}

impl Facts {
    fn collect(&mut self, tree: &Expr) {
        match &tree.kind {
            ExprKind::Unknown { name: Some(name), div } => match self.divisors.get_mut(name) {
                Some(known) if *known != *div => {
                    self.differ = true;
                    // A smaller divisor is still one.
                    let common = known.checked_div(gcd(*known, *div)).and_then(|rest| rest.checked_mul(*div));
                    *known = common.unwrap_or(*known);
                }
                Some(_) => {}
                None => {
                    self.divisors.insert(name.clone(), *div);
                }
            },
            _ => tree.parts().for_each(|part| self.collect(part)),
        }
    }

    fn apply(&self, tree: &mut Expr) {
        match &mut tree.kind {
            ExprKind::Unknown { name: Some(name), div } => {
                if let Some(known) = self.divisors.get(name) {
                    *div = *known;
                }
            }
            _ => tree.parts_mut().for_each(|part| self.apply(part)),
        }
    }
}
