//! Random pairs of layouts, from a fixed seed: the same ones in every run.

use super::cases::{Case, Class};

/// How many pairs there are of each kind.
const PAIRS: usize = 20;

/// Random numbers, by SplitMix64.
pub(super) struct Random(u64);

impl Random {
    /// The numbers that begin with a seed.
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A number below so many.
    pub(super) fn below(&mut self, count: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        i64::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap_or(0) % count
    }

    fn pick<T: Copy>(&mut self, list: &[T], default: T) -> T {
        let count = i64::try_from(list.len()).unwrap_or(1);
        usize::try_from(self.below(count)).ok().and_then(|at| list.get(at)).copied().unwrap_or(default)
    }

    fn shuffled<T>(&mut self, mut list: Vec<T>) -> Vec<T> {
        let mut shuffled = Vec::new();
        while !list.is_empty() {
            let at = self.below(i64::try_from(list.len()).unwrap_or(1));
            shuffled.push(list.swap_remove(usize::try_from(at).unwrap_or(0)));
        }
        shuffled
    }
}

/// Permutations and tilings of 16 to 64 MiB, of elements of 1, 2, 4 and 8 bytes; half of them of powers of two only.
pub(super) fn pairs() -> Vec<Case> {
    let mut random = Random::new(20);
    (0..PAIRS).map(|at| pair(&mut random, format!("random_{at:02}"))).collect()
}

fn pair(random: &mut Random, name: String) -> Case {
    let bits = random.pick(&[8, 16, 32, 64], 32);
    let bytes = i64::from(bits / 8);
    let (least, most) = ((16 << 20) / bytes, (64 << 20) / bytes);
    let factors: &[i64] = if random.below(2) == 0 { &[2] } else { &[2, 3, 5, 7] };
    let parts = if random.below(2) == 0 { 1 } else { 3 };
    let rank = 2 + random.below(3);
    let mut digits: Vec<(i64, i64)> = Vec::new();
    for axis in 0..rank {
        digits.extend((0..1 + random.below(parts)).map(|_| (axis, 1)));
    }
    let mut elements = 1;
    while elements < least {
        let factor = random.pick(factors, 2);
        let factor = if elements * factor > most { 2 } else { factor };
        let at = usize::try_from(random.below(i64::try_from(digits.len()).unwrap_or(1))).unwrap_or(0);
        if let Some((_, extent)) = digits.get_mut(at) {
            *extent *= factor;
            elements *= factor;
        }
    }
    let row_major = by_axis(&digits);
    let places: Vec<usize> = (0..digits.len()).collect();
    let from = if random.below(2) == 0 { row_major } else { random.shuffled(places.clone()) };
    let mut to = random.shuffled(places.clone());
    while to == from {
        to = random.shuffled(places.clone());
    }
    let extent = |at: &usize| digits.get(*at).map_or(1, |(_, extent)| *extent);
    let long = |order: &[usize]| order.iter().copied().filter(|at| extent(at) > 1).collect::<Vec<_>>();
    let common = long(&from).into_iter().zip(long(&to)).take_while(|(one, other)| one == other);
    let run = common.map(|(at, _)| extent(&at)).product::<i64>() * bytes;
    let class = match (run, bytes) {
        (512.., _) => Class::Runs,
        (_, 4 | 8) if factors.len() == 1 => Class::Scattered,
        _ => Class::Small,
    };
    Case { name, from: text(&digits, &from), to: text(&digits, &to), bits, class }
}

/// The order of a row-major array: the last axis the fastest, and of an axis its first digit.
fn by_axis(digits: &[(i64, i64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..digits.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(digits.get(*at).map_or(0, |(axis, _)| *axis)));
    order
}

/// The layout that holds digits in an order, the fastest first.
fn text(digits: &[(i64, i64)], order: &[usize]) -> String {
    let mut strides = vec![0; digits.len()];
    let mut next = 1;
    for at in order {
        if let (Some(stride), Some((_, extent))) = (strides.get_mut(*at), digits.get(*at)) {
            (*stride, next) = (next, next * extent);
        }
    }
    let modes = |values: Vec<i64>| {
        let rank = digits.last().map_or(0, |(axis, _)| axis + 1);
        let mode = |axis: i64| {
            let own = digits.iter().zip(&values).filter(|((own, _), _)| *own == axis);
            let own: Vec<String> = own.map(|(_, value)| value.to_string()).collect();
            if own.len() == 1 { own.concat() } else { format!("({})", own.join(",")) }
        };
        format!("({})", (0..rank).map(mode).collect::<Vec<_>>().join(","))
    };
    format!("{}:{}", modes(digits.iter().map(|(_, extent)| *extent).collect()), modes(strides))
}

/// Pairs of 12 digits in random orders, elements of 2 to 128 bits: a third of 2 and 3, the others of 2 and 4, of which half are
/// swizzled.
pub(super) fn digits() -> Vec<Case> {
    const KINDS: usize = 3;
    let mut random = Random::new(12);
    (0..KINDS * PAIRS)
        .map(|at| {
            let (odd, swizzled) = (at % KINDS == 0, at % KINDS == 1);
            let digit = |random: &mut Random| if odd { 2 + random.below(2) } else { 2 << random.below(2) };
            let digits: Vec<(i64, i64)> = (0..12).map(|place| (place / 4, digit(&mut random))).collect();
            let [from, to] = [0; 2].map(|_| {
                let order = random.shuffled((0..digits.len()).collect());
                let (bits, base, further) = (1 + random.below(3), random.below(5), random.below(3));
                let swizzle = format!("Sw<{bits},{base},{}> o 0 o ", bits + further);
                format!("{}{}", if swizzled { swizzle.as_str() } else { "" }, text(&digits, &order))
            });
            let bits = random.pick(&[2, 4, 8, 16, 32, 64, 128], 32);
            Case { name: format!("digits_{at:02}"), from, to, bits, class: Class::Small }
        })
        .collect()
}
