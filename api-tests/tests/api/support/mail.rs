//! Test servers that send email.

use siskin_entities::EmailTopic;
use siskin_persistence::Tx;
use siskin_server::Config;
use siskin_services::emails;
use siskin_test_support::{MailSink, Received, TestDatabase};

use super::{TestApp, User, run};

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
    /// Lets an account get emails about all topics.
    pub async fn mail_everything(&self, user: &User) {
        let account = user.id.parse().unwrap();
        let names: Vec<String> = EmailTopic::all().map(|topic| topic.as_str().to_owned()).collect();
        let choose = move |tx: &mut Tx<'_>| emails::set_topics(tx, account, &names);
        self.app().write(choose).await.unwrap();
    }

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
