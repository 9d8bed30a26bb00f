//! `minimal_cvt(A, B)`: where each place of B finds its element in A, and the dims along which nothing moves.

use super::{call, elimination};
use crate::Value;
use crate::explain::steps::Steps;
use bitstride::Error;

/// The conversion before dims come off, and each dim that comes off.
pub(super) fn minimal(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [source, destination] = values else { return Ok(()) };
    elimination::solved("invert_and_compose", &[destination.clone(), source.clone()], steps)?;
    let (source, destination) = (source.as_linear()?, destination.as_linear()?);
    let rule = "From each place of the destination to the place of the source that has its element:";
    let mut moved = steps.add(rule, format!("invert_and_compose({destination}, {source})"))?.as_linear()?;
    let slowest = source.ins().iter().rev().zip(destination.ins().iter().rev());
    for (dim, _) in slowest.take_while(|(here, there)| here.name == there.name) {
        let trivial = moved.is_trivial_over(&[dim.name]);
        let rule = match trivial {
            true => format!("Along {} nothing moves: its bits stay, and no other bit touches it.", dim.name),
            false => format!("Along {} data moves, so it stays, and so do the dims before it.", dim.name),
        };
        steps.add(rule, format!("is_trivial_over({moved}, {})", dim.name))?;
        if !trivial {
            break;
        }
        moved = steps.add(format!("Without {}:", dim.name), format!("quotient({moved}, {})", dim.name))?.as_linear()?;
    }
    steps.add("What is left says between which places data has to move:", call("minimal_cvt", values))?;
    Ok(())
}
