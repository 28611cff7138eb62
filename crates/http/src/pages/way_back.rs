//! The page to which an error page leads back.

use std::cell::Cell;

tokio::task_local! {
    static CURRENT: Cell<Option<WayBack>>;
}

/// The first page of the area in which an error happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WayBack {
    pub(crate) path: &'static str,
    pub(crate) name: &'static str,
}

impl WayBack {
    /// Lets an error page of the current request lead here. The person must be allowed to open the
    /// page: for all others an error looks as if the area did not exist.
    pub(crate) fn remember(self) {
        // Outside of a request there is no error page.
        let _ = CURRENT.try_with(|current| current.set(Some(self)));
    }

    /// Returns where an error page of the current request leads back, besides the front page.
    pub(super) fn current() -> Option<Self> {
        CURRENT.try_with(Cell::get).ok().flatten()
    }

    /// Runs `future`, which may remember a way back for itself.
    pub(crate) fn during<F: Future>(future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(Cell::new(None), future)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORTS: WayBack = WayBack { path: "/admin/reports", name: "Reports" };

    #[actix_web::test]
    async fn each_request_has_its_own_way_back() {
        REPORTS.remember();
        assert_eq!(WayBack::current(), None);
        let inside = WayBack::during(async {
            assert_eq!(WayBack::current(), None);
            REPORTS.remember();
            WayBack::current()
        });
        assert_eq!(inside.await, Some(REPORTS));
        assert_eq!(WayBack::current(), None);
    }
}
