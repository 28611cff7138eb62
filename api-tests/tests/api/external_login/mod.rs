//! Sign-in through external providers.

mod invites;
mod lies;
mod links;
mod only;
mod proof;
mod sign_in;
mod sign_up;

use siskin_entities::ExternalIdentity;
use siskin_persistence::{Conn, external_identities, users};
use siskin_test_support::{MailSink, TestDatabase, builders::PASSWORD};

use crate::{
    oauth::sign_in,
    support::{
        Client, Response, TestApp, User,
        providers::{Provider, with_provider_and},
    },
};

/// Runs `test` with a server that has one provider and sends email.
fn with_provider_and_mail(
    database: &TestDatabase,
    test: impl AsyncFnOnce(&TestApp, &Provider, &MailSink),
) {
    let sink = MailSink::start();
    with_provider_and(
        database,
        |config, _| {
            config.smtp_url = Some(sink.url());
            config.mail_from = Some("Siskin <siskin@example.org>".to_owned());
        },
        async |app, provider| test(app, provider, &sink).await,
    );
}

impl TestApp {
    /// Creates an account with a password, and links the login with this name at the provider.
    async fn linked(&self, provider: &Provider, name: &str) -> User {
        let user = self.user(name).await;
        provider.sign_in_as(name);
        let browser = self.browser();
        assert_eq!(sign_in(&browser, name, PASSWORD).await.status, 302);
        let linked = browser.link(provider, PASSWORD).await;
        assert_eq!(linked.status, 302, "{linked:?}");
        user
    }

    /// Creates an account without a password, by a sign-in at the provider, and returns the browser
    /// with its session.
    async fn joined(&self, provider: &Provider, name: &str) -> Client {
        self.store_setting("registrations", "open").await;
        provider.sign_in_as(name);
        let browser = self.browser();
        browser.sign_in_at(provider).await;
        let created = browser.finish_sign_up(&[("username", name)]).await;
        assert_eq!(created.status, 302, "{created:?}");
        browser
    }

    /// Chooses a new password by the link in an email to this address.
    async fn reset_password(&self, sink: &MailSink, email: &str, password: &str) {
        let (browser, forgotten) = (self.browser(), "/auth/password/new");
        let page = browser.get(forgotten).await.text();
        assert_eq!(browser.send_form(&page, forgotten, &[("email", email)]).await.status, 200);
        let mails = self.mails(sink, email).await;
        let mail = mails.last().unwrap().text();
        assert!(mail.contains("removes the logins at external providers"), "{mail}");
        let page = browser.get(&self.mailed_link(sink, email).await).await.text();
        assert!(page.contains("Logins at external providers are removed"), "{page}");
        let values = [("password", password)];
        assert_eq!(browser.send_form(&page, "/auth/password/edit", &values).await.status, 200);
    }

    /// Returns the logins of the account with this name.
    async fn logins(&self, name: &str) -> Vec<ExternalIdentity> {
        let account = self.id_of(name).await.parse().unwrap();
        let load = move |conn: &mut Conn| Ok(external_identities::of_account(conn, account)?);
        self.app().read(load).await.unwrap()
    }

    /// Returns `true` if an account in any state has the login with this name at the provider.
    async fn is_linked(&self, provider: &Provider, name: &str) -> bool {
        let (issuer, subject) = (provider.issuer(), format!("id-of-{name}"));
        let load = move |conn: &mut Conn| Ok(external_identities::find(conn, &issuer, &subject)?);
        self.app().read(load).await.unwrap().is_some()
    }

    /// Returns `true` if a user in any state has this name.
    async fn has_user(&self, name: &str) -> bool {
        let name = name.to_owned();
        let load =
            move |conn: &mut Conn| Ok(users::find_by_login(conn, users::Login::Username(&name))?);
        self.app().read(load).await.unwrap().is_some()
    }
}

/// Checks that the response is a plain page with this status and these words, which is not stored.
fn assert_page(page: &Response, status: u16, words: &str) {
    assert_eq!(page.status, status, "{page:?}");
    assert_eq!(page.header("cache-control"), Some("private, no-store"), "{page:?}");
    let text = page.text();
    assert!(text.contains(words) && text.contains("<h1>") && !text.contains("<script"), "{text}");
}
