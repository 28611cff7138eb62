//! Who may sign up: how email addresses are compared with blocks, and what registrations, invites
//! and IP blocks allow.

use std::net::IpAddr;

use siskin_entities::{IpBlockSeverity, settings::Registrations};

/// Returns the canonical form of a normalised email address: one form for all spellings that reach
/// the same mailbox at large providers. In the local part, dots do not count, and neither does
/// everything from the first plus sign on. This holds for every domain, because the rule of an
/// unknown provider cannot be known. A port does not count either.
///
/// ```
/// use siskin_policy::sign_up::canonical_email;
///
/// assert_eq!(canonical_email("f.o.o+x@gmail.com"), "foo@gmail.com");
/// ```
#[must_use]
pub fn canonical_email(normalised: &str) -> String {
    let local = normalised.rsplit_once('@').map_or(normalised, |(local, _)| local);
    let without_tag = local.split('+').next().unwrap_or_default();
    let mut canonical = without_tag.replace('.', "");
    if let Some(domain) = email_domain(normalised) {
        canonical.push('@');
        canonical.push_str(domain);
    }
    canonical
}

/// Returns the domain of a normalised email address, without its port, and all its parent domains.
/// A block of any of them applies to the address.
///
/// ```
/// use siskin_policy::sign_up::email_domains;
///
/// let domains: Vec<&str> = email_domains("ann@mail.a.example:25").collect();
/// assert_eq!(domains, ["mail.a.example", "a.example", "example"]);
/// ```
pub fn email_domains(normalised: &str) -> impl Iterator<Item = &str> {
    email_domain(normalised).into_iter().flat_map(with_parents)
}

/// Returns the domain of a normalised email address, without its port.
#[must_use]
pub fn email_domain(normalised: &str) -> Option<&str> {
    let (_, domain) = normalised.rsplit_once('@')?;
    Some(domain.split_once(':').map_or(domain, |(host, _)| host))
}

/// Returns the domains of a mail server, which is a name in lower-case ASCII or an IP address. A
/// block of any of them applies to all email addresses that the server gets email for. A name has
/// parent domains, an address has none.
///
/// ```
/// use siskin_policy::sign_up::mail_server_domains;
///
/// let domains: Vec<&str> = mail_server_domains("mx.a.example").collect();
/// assert_eq!(domains, ["mx.a.example", "a.example", "example"]);
/// assert_eq!(mail_server_domains("192.0.2.1").count(), 1);
/// ```
pub fn mail_server_domains(host: &str) -> impl Iterator<Item = &str> {
    let is_address = host.parse::<IpAddr>().is_ok();
    with_parents(host).take(if is_address { 1 } else { usize::MAX })
}

fn with_parents(domain: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(domain), |domain| domain.split_once('.').map(|(_, parent)| parent))
}

/// How a person signs up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// With an email address and a password, on a page or in a client.
    Form,
    /// After a sign-in at an external provider.
    Provider,
}

/// Returns what `registrations` means for people who sign up in this way. `external_only` says
/// whether people sign in only through external providers.
///
/// [`Registrations::External`] lets in everyone who comes from a provider. With `external_only`, the
/// provider decides who can have an account, so closed registrations do not keep its people out.
#[must_use]
pub const fn registrations_for(
    way: Way,
    registrations: Registrations,
    external_only: bool,
) -> Registrations {
    match (way, registrations) {
        (Way::Form, _) if external_only => Registrations::External,
        (Way::Provider, Registrations::None) if external_only => Registrations::Open,
        (Way::Provider, Registrations::External) => Registrations::Open,
        (Way::Form | Way::Provider, registrations) => registrations,
    }
}

/// What an invite adds to a sign-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invitation {
    /// There is no valid invite.
    None,
    /// An account invited the person.
    Plain,
    /// An account that may approve sign-ups invited the person.
    ByStaff,
}

/// Decision about a sign-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignUpDecision {
    /// The account is approved at once.
    Approved,
    /// The account waits for the approval of the staff.
    NeedsApproval,
    /// Registrations are closed.
    Closed,
    /// Only people of an external provider can sign up.
    External,
    /// The network of the client is blocked.
    Blocked,
}

/// Decides whether a person may sign up. `severity` is that of the most severe IP block of the
/// client.
///
/// An invite opens closed registrations. It replaces the approval only if its creator may approve
/// accounts. It has no effect against blocks.
#[must_use]
pub fn decide(
    registrations: Registrations,
    invitation: Invitation,
    severity: Option<IpBlockSeverity>,
) -> SignUpDecision {
    let decision = match (registrations, invitation) {
        (Registrations::External, _) => SignUpDecision::External,
        (Registrations::None, Invitation::None) => SignUpDecision::Closed,
        (Registrations::Open, _)
        | (Registrations::Approval | Registrations::None, Invitation::ByStaff) => {
            SignUpDecision::Approved
        }
        (Registrations::Approval, Invitation::None | Invitation::Plain)
        | (Registrations::None, Invitation::Plain) => SignUpDecision::NeedsApproval,
    };
    match (decision, severity) {
        (SignUpDecision::Closed | SignUpDecision::External, _) => decision,
        (_, Some(IpBlockSeverity::SignUpBlock | IpBlockSeverity::NoAccess)) => {
            SignUpDecision::Blocked
        }
        (_, Some(IpBlockSeverity::SignUpRequiresApproval)) => SignUpDecision::NeedsApproval,
        (_, None) => decision,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_a_mailbox_have_one_canonical_form() {
        for (normalised, canonical) in [
            ("foo@gmail.com", "foo@gmail.com"),
            ("f.o.o@gmail.com", "foo@gmail.com"),
            ("foo+x.y+z@gmail.com", "foo@gmail.com"),
            ("f.oo+@mail.example", "foo@mail.example"),
            ("+x@mail.example", "@mail.example"),
            ("foo@a.b.example:25", "foo@a.b.example"),
            ("f.oo", "foo"),
        ] {
            assert_eq!(canonical_email(normalised), canonical, "{normalised}");
        }
    }

    #[test]
    fn an_address_belongs_to_its_domain_and_all_parents() {
        let domains = |email| email_domains(email).collect::<Vec<_>>();
        assert_eq!(domains("a@b@c.example"), ["c.example", "example"]);
        assert_eq!(domains("a@localhost"), ["localhost"]);
        assert!(domains("a").is_empty());
        assert_eq!(email_domain("a@b@c.example:25"), Some("c.example"));
        assert_eq!(email_domain("a"), None);
    }

    #[test]
    fn only_the_names_of_mail_servers_have_parents() {
        let domains = |host| mail_server_domains(host).collect::<Vec<_>>();
        assert_eq!(domains("mx.a.example"), ["mx.a.example", "a.example", "example"]);
        assert_eq!(domains("localhost"), ["localhost"]);
        assert_eq!(domains("192.0.2.1"), ["192.0.2.1"]);
        assert_eq!(domains("2001:db8::1.2.3.4"), ["2001:db8::1.2.3.4"]);
        assert_eq!(domains("1.192.0.2.1").len(), 5);
    }

    #[test]
    fn invites_open_registrations_but_not_blocks() {
        use Registrations::{Approval, External, None as Closed, Open};
        use SignUpDecision as To;
        for (registrations, invitation, decision) in [
            (Open, Invitation::None, To::Approved),
            (Open, Invitation::Plain, To::Approved),
            (Open, Invitation::ByStaff, To::Approved),
            (Approval, Invitation::None, To::NeedsApproval),
            (Approval, Invitation::Plain, To::NeedsApproval),
            (Approval, Invitation::ByStaff, To::Approved),
            (Closed, Invitation::None, To::Closed),
            (Closed, Invitation::Plain, To::NeedsApproval),
            (Closed, Invitation::ByStaff, To::Approved),
            (External, Invitation::None, To::External),
            (External, Invitation::ByStaff, To::External),
        ] {
            let with = |severity| decide(registrations, invitation, severity);
            assert_eq!(with(None), decision, "{registrations:?} {invitation:?}");
            let is_shut = matches!(decision, To::Closed | To::External);
            for (severity, under_block) in [
                (IpBlockSeverity::SignUpRequiresApproval, To::NeedsApproval),
                (IpBlockSeverity::SignUpBlock, To::Blocked),
                (IpBlockSeverity::NoAccess, To::Blocked),
            ] {
                let expected = if is_shut { decision } else { under_block };
                assert_eq!(with(Some(severity)), expected, "{registrations:?} {severity:?}");
            }
        }
    }

    #[test]
    fn registrations_differ_for_people_of_a_provider() {
        use Registrations::{Approval, External, None as Closed, Open};
        for (registrations, external_only, by_form, by_provider) in [
            (Open, false, Open, Open),
            (Approval, false, Approval, Approval),
            (Closed, false, Closed, Closed),
            (External, false, External, Open),
            (Open, true, External, Open),
            (Approval, true, External, Approval),
            (Closed, true, External, Open),
            (External, true, External, Open),
        ] {
            let of = |way| registrations_for(way, registrations, external_only);
            assert_eq!(of(Way::Form), by_form, "{registrations:?} {external_only}");
            assert_eq!(of(Way::Provider), by_provider, "{registrations:?} {external_only}");
        }
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_stable(email in "[a-z.+]{0,9}@[a-z.]{1,9}") {
            let canonical = canonical_email(&email);
            prop_assert_eq!(canonical_email(&canonical), canonical);
        }

        #[test]
        fn dots_and_tags_do_not_matter(
            local in "[a-z]{1,9}", at in 0..9_usize, tag in "[a-z.+]{0,5}"
        ) {
            let mut spelled = local.clone();
            spelled.insert(at.min(local.len()), '.');
            let spelled = canonical_email(&format!("{spelled}+{tag}@a.example"));
            prop_assert_eq!(spelled, format!("{local}@a.example"));
        }
    }
}
