//! Test servers that send email.

use siskin_server::Config;
use siskin_test_support::{MailSink, Received, TestDatabase};

use super::{TestApp, run};

/// Runs `test` with a server that sends its email to the sink.
pub fn with_mail(database: &TestDatabase, test: impl AsyncFnOnce(&TestApp, &MailSink)) {
    with_mail_and(database, |_| (), test);
}

/// Does the same with a server that `configure` may change.
pub fn with_mail_and(
    database: &TestDatabase,
    configure: impl FnOnce(&mut Config),
    test: impl AsyncFnOnce(&TestApp, &MailSink),
) {
    let sink = MailSink::start();
    let send_there = |config: &mut Config| {
        config.smtp_url = Some(sink.url());
        config.mail_from = Some("Siskin <siskin@example.org>".to_owned());
        configure(config);
    };
    run(database, send_there, async |app| test(app, &sink).await);
}

impl TestApp {
    /// Runs all jobs and returns the emails to this address so far.
    pub async fn mails(&self, sink: &MailSink, to: &str) -> Vec<Received> {
        self.app().drain_jobs().await.unwrap();
        sink.mails().into_iter().filter(|mail| mail.to == [to]).collect()
    }

    /// Returns path and query of the link in the last email to this address.
    pub async fn mailed_link(&self, sink: &MailSink, to: &str) -> String {
        let mails = self.mails(sink, to).await;
        let mail = mails.last().unwrap_or_else(|| panic!("no email to {to}: {:?}", sink.mails()));
        let link = mail.link(self.base_url()).unwrap();
        link.strip_prefix(self.base_url()).unwrap().to_owned()
    }
}
