//! Tests of the whole middleware around a few routes.

use actix_web::{
    App, HttpResponse,
    body::to_bytes,
    dev::Service as _,
    http::{Method, StatusCode, header::HeaderMap},
    middleware::from_fn,
    test::{TestRequest, init_service},
    web,
};

use super::apply_middleware;

async fn send(request: TestRequest) -> (StatusCode, HeaderMap, String) {
    let app = init_service(
        App::new()
            .wrap(from_fn(apply_middleware))
            .route(
                "/echo",
                web::get().to(|path: actix_web::HttpRequest| async move {
                    format!("{} {}", path.method(), path.uri())
                }),
            )
            .route(
                "/panic",
                web::get().to(|| async {
                    if true {
                        panic!("out of cheese")
                    }
                    HttpResponse::Ok().finish()
                }),
            ),
    )
    .await;
    match app.call(request.to_request()).await {
        Ok(response) => {
            let (status, headers) = (response.status(), response.headers().clone());
            let body = to_bytes(response.into_body()).await.unwrap();
            (status, headers, String::from_utf8(body.to_vec()).unwrap())
        }
        Err(error) => {
            let response = error.error_response();
            let (status, headers) = (response.status(), response.headers().clone());
            let body = to_bytes(response.into_body()).await.unwrap();
            (status, headers, String::from_utf8(body.to_vec()).unwrap())
        }
    }
}

#[actix_web::test]
async fn a_trailing_slash_is_ignored() {
    for (requested, routed) in [
        ("/echo/", "GET /echo"),
        ("/echo//?a=%2F/", "GET /echo?a=%2F/"),
        ("/echo?a=/", "GET /echo?a=/"),
        ("http://a.example/echo/", "GET http://a.example/echo"),
    ] {
        assert_eq!(send(TestRequest::with_uri(requested)).await.2, routed);
    }
    assert_eq!(send(TestRequest::with_uri("/nothing/")).await.0, StatusCode::NOT_FOUND);
}

#[actix_web::test]
async fn head_is_routed_like_get() {
    let (status, _, body) = send(TestRequest::with_uri("/echo").method(Method::HEAD)).await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "GET /echo"));
}

#[actix_web::test]
async fn a_panic_response_reveals_nothing() {
    let (status, headers, body) = send(TestRequest::with_uri("/panic")).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(headers.get("content-type").unwrap(), "application/json");
    assert_eq!(headers.get("x-content-type-options").unwrap(), "nosniff");
    let id = headers.get("x-request-id").unwrap().to_str().unwrap();
    assert!(body.contains(id) && !body.contains("cheese"), "{body}");
}

#[actix_web::test]
async fn every_response_has_security_headers() {
    for path in ["/echo", "/nothing"] {
        let (_, headers, _) = send(TestRequest::with_uri(path)).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "same-origin"),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ] {
            assert_eq!(headers.get(name).unwrap(), value, "{path}");
        }
        assert!(!headers.contains_key("strict-transport-security"));
        assert!(!headers.contains_key("access-control-allow-origin"));
    }
}
