//! Tests of `siskin mail …`.

use siskin_test_support::{MailSink, both_engines};

use crate::program::Program;

both_engines! {
    fn a_test_mail_is_sent_as_the_server_sends_mail(database: &TestDatabase) {
        let sink = MailSink::start();
        let program = Program::on(database).with("SISKIN_MAIL_FROM", "Example <me@example.org>");
        let test = ["mail", "test", "alice@example.com", "--smtp-url", &sink.url()];
        let printed = program.run(&test);
        assert_eq!(printed, "The mail server accepted the email to alice@example.com\n");
        let received = sink.mails();
        assert_eq!(received[0].to, ["alice@example.com"]);
        assert_eq!(received[0].from, "me@example.org");
        assert!(received[0].text().contains("http://127.0.0.1:3000"));
    }

    fn mail_test_reports_why_sending_fails(database: &TestDatabase) {
        let program = Program::on(database);
        let refused = program.refused(&["mail", "test", "alice@example.com"]);
        assert!(refused.contains("SISKIN_SMTP_URL"), "{refused}");
        let nobody = ["--smtp-url", "smtp://me:secret@127.0.0.1:9"];
        let refused = program.refused(&[&["mail", "test", "alice@example.com"], &nobody[..]].concat());
        assert!(refused.contains("cannot be delivered now"), "{refused}");
        assert!(!refused.contains("secret"), "{refused}");
        let refused = program.refused(&[&["mail", "test", "nobody"], &nobody[..]].concat());
        assert!(refused.contains("the address is invalid"), "{refused}");
        let printed = program.output(&["settings", "set", "email_confirmation", "true"]);
        assert!(String::from_utf8(printed.stderr).unwrap().contains("--smtp-url"));
    }
}
