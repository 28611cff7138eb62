//! Knows whether the present thread is inside a write. A write inside a write would wait for
//! itself on `SQLite`, and for its own row locks on PostgreSQL; a read inside a write would not
//! see what the write has done.

use std::cell::Cell;

thread_local! {
    static WRITING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs the code of a write.
pub(super) fn already() -> bool {
    WRITING.get()
}

/// Runs the code of a write; unwinding out of it ends the mark too.
pub(super) fn during<R>(body: impl FnOnce() -> R) -> R {
    struct Mark;
    impl Drop for Mark {
        fn drop(&mut self) {
            WRITING.set(false);
        }
    }
    WRITING.set(true);
    let _mark = Mark;
    body()
}
