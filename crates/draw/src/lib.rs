//! Pictures of tensor layouts.
