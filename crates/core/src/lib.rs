//! One exact algebra for tensor layouts.
