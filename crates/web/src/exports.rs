//! The module's memory, through which requests come and answers go.
//!
//! The page asks [`request`] for room, writes a request of that many bytes there, calls [`call`], and reads as many bytes as that
//! gives at [`answer`].

use std::cell::RefCell;

use crate::Page;

#[derive(Default)]
struct Exchange {
    page: Page,
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    // A module of WebAssembly without threads has one.
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

/// Where a request of a given number of bytes is to be written.
#[allow(unsafe_code, reason = "the name is exported by this module alone")]
#[unsafe(no_mangle)]
extern "C" fn request(bytes: usize) -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        exchange.request = vec![0; bytes];
        exchange.request.as_ptr().addr()
    })
}

/// Answers the request; the number of bytes of the answer.
#[allow(unsafe_code, reason = "the name is exported by this module alone")]
#[unsafe(no_mangle)]
extern "C" fn call() -> usize {
    EXCHANGE.with_borrow_mut(|exchange| {
        let request = String::from_utf8_lossy(&exchange.request).into_owned();
        exchange.answer = exchange.page.call(&request);
        exchange.answer.len()
    })
}

/// Where the answer is.
#[allow(unsafe_code, reason = "the name is exported by this module alone")]
#[unsafe(no_mangle)]
extern "C" fn answer() -> usize {
    EXCHANGE.with_borrow(|exchange| exchange.answer.as_ptr().addr())
}
