//! Detects nested transactions: records whether the current thread is inside a write. A nested
//! write would wait for itself on `SQLite`, and for its own row locks on PostgreSQL. A nested read
//! would not see the changes of the write.
//!
//! The mark belongs to the thread, because nothing else connects the two: the inner call has only
//! its own handle of the store, which other threads may use at the same time.

use std::cell::Cell;

thread_local! {
    static WRITING: Cell<bool> = const { Cell::new(false) };
}

/// Returns `true` if this thread is inside a write.
pub(super) fn is_active() -> bool {
    WRITING.get()
}

/// Runs the body of a write. Unwinding clears the mark too.
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
