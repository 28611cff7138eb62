//! Servers that send mail.

use siskin_server::Config;
use siskin_test_support::{MailSink, Received, TestDatabase};

use super::{TestApp, run};

/// Runs `test` with a server that hands its mail to the sink.
pub fn with_mail(database: &TestDatabase, test: impl AsyncFnOnce(&TestApp, &MailSink)) {
    with_mail_and(database, |_| (), test);
}

/// The same, with a server that is started with what `configure` makes of it.
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
    /// The mails to this address so far, after everything that waits was done.
    pub async fn mails(&self, sink: &MailSink, to: &str) -> Vec<Received> {
        self.app().drain_jobs().await.unwrap();
        sink.mails().into_iter().filter(|mail| mail.to == [to]).collect()
    }

    /// The path and query of the link in the last mail to this address.
    pub async fn mailed_link(&self, sink: &MailSink, to: &str) -> String {
        let mails = self.mails(sink, to).await;
        let mail = mails.last().unwrap_or_else(|| panic!("no mail to {to}: {:?}", sink.mails()));
        let link = mail.link(self.base_url()).unwrap();
        link.strip_prefix(self.base_url()).unwrap().to_owned()
    }
}
