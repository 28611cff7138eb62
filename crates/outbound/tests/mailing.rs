//! Tests of email with a real SMTP server on loopback.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use siskin_outbound::{Mail, MailError, Mailer};
use siskin_test_support::MailSink;

fn mail(text: &str) -> Mail {
    Mail {
        to: "ann@example.com".to_owned(),
        subject: "Grüße".to_owned(),
        text: text.to_owned(),
        html: format!("<p>{text}</p>"),
        unsubscribe: None,
    }
}

fn mailer(url: &str) -> Mailer {
    Mailer::new(url, "Siskin <siskin@example.org>").unwrap()
}

#[tokio::test]
async fn a_mail_arrives_as_it_was_written() {
    let sink = MailSink::start();
    let text = "Grüße\n\n.a line with a dot\nhttps://example.org/auth/confirmation?token=a-b_c\n";
    mailer(&sink.url()).send(&mail(text)).await.unwrap();
    let received = &sink.mails()[0];
    assert_eq!(
        (received.from.as_str(), &received.to),
        ("siskin@example.org", &vec!["ann@example.com".to_owned()])
    );
    assert_eq!(received.text().replace("\r\n", "\n").trim_end(), text.trim_end());
    assert_eq!(received.header("from").as_deref(), Some("Siskin <siskin@example.org>"));
    let html = received.html().replace("\r\n", "\n");
    assert_eq!(html.trim_end(), format!("<p>{text}</p>"));
    let link = received.link("/auth/confirmation").unwrap();
    assert_eq!(link, "https://example.org/auth/confirmation?token=a-b_c");
}

#[tokio::test]
async fn permanent_and_temporary_refusals_differ() {
    let sink = MailSink::start();
    let mailer = mailer(&sink.url());
    sink.refuse(Some("550 no such user"));
    assert!(matches!(mailer.send(&mail("x")).await, Err(MailError::Refused(_))));
    sink.refuse(Some("451 come back later"));
    assert!(matches!(mailer.send(&mail("x")).await, Err(MailError::Temporary(_))));
    sink.refuse(None);
    mailer.send(&mail("x")).await.unwrap();
    assert_eq!(sink.mails().len(), 1);
}

#[tokio::test]
async fn a_login_is_sent_and_an_unreachable_server_is_temporary() {
    let sink = MailSink::start();
    mailer(&sink.url_with_login("me", "secret")).send(&mail("x")).await.unwrap();
    assert_eq!(sink.logins().len(), 1);
    let nobody = mailer("smtp://127.0.0.1:9").send(&mail("x")).await;
    assert!(matches!(nobody, Err(MailError::Temporary(_))), "{nobody:?}");
}

#[tokio::test]
async fn a_server_without_required_encryption_gets_no_mail() {
    let sink = MailSink::start();
    let outcome = mailer(&format!("{}?tls=required", sink.url())).send(&mail("x")).await;
    assert!(outcome.is_err());
    assert_eq!(sink.mails(), []);
}
