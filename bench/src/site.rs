//! Website and push service on loopback, to which the servers under load connect.

use siskin_test_support::site::{ReceivedRequest, Site};

/// Path of the addresses that get push messages.
pub const PUSH: &str = "/push/";

/// Starts the site. It has an article at each address that is read, and accepts all push messages.
/// It keeps connections open, as push services do.
pub fn start() -> Site {
    Site::start(|request| match request.method.as_str() {
        "POST" => b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n".to_vec(),
        _ => article(request),
    })
}

fn article(request: &ReceivedRequest) -> Vec<u8> {
    let page = format!(
        "<!DOCTYPE html><html><head><title>About {path}</title>\
         <meta property=\"og:type\" content=\"article\">\
         <meta property=\"og:title\" content=\"About {path}\">\
         <meta property=\"og:description\" content=\"A walk along the river.\">\
         </head><body>Text</body></html>",
        path = request.path
    );
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8";
    format!("{head}\r\ncontent-length: {}\r\n\r\n{page}", page.len()).into_bytes()
}

/// Returns the number of push messages so far.
pub fn messages(site: &Site) -> usize {
    site.received().iter().filter(|request| request.path.starts_with(PUSH)).count()
}
