//! Who may sign up: how email addresses are compared with blocks, and what registrations, invites
//! and IP blocks allow.

use siskin_entities::{IpBlockSeverity, settings::Registrations};

/// Returns the canonical form of a normalised email address: one form for all spellings that reach
/// the same mailbox at large providers. In the local part, dots do not count, and neither does
/// everything from the first plus sign on. This holds for every domain, because the rule of an
/// unknown provider cannot be known.
///
/// ```
/// use siskin_policy::sign_up::canonical_email;
///
/// assert_eq!(canonical_email("f.o.o+x@gmail.com"), "foo@gmail.com");
/// ```
#[must_use]
pub fn canonical_email(normalised: &str) -> String {
    let (local, domain) = match normalised.rsplit_once('@') {
        Some((local, domain)) => (local, Some(domain)),
        None => (normalised, None),
    };
    let without_tag = local.split('+').next().unwrap_or_default();
    let mut canonical = without_tag.replace('.', "");
    if let Some(domain) = domain {
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
    let domain = normalised.rsplit_once('@').map(|(_, domain)| domain);
    let host = domain.map(|domain| domain.split_once(':').map_or(domain, |(host, _)| host));
    std::iter::successors(host, |host| host.split_once('.').map(|(_, parent)| parent))
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
    /// Accounts are created by the external sign-in provider.
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
            ("foo@a.b.example:25", "foo@a.b.example:25"),
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
