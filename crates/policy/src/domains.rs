//! Rules of domain blocks: which block rules a domain, which new block conflicts with another, and
//! what others see of them.
//!
//! Domains are in their stored form: lower-case ASCII, with a port if they have one. A block of
//! `b.example` covers `a.b.example`, and also `b.example:3000`. If several blocks cover a domain,
//! the longest one rules.

use siskin_entities::{
    DomainLimits, DomainSeverity, InstanceDomainBlock, ShownDomainBlock, settings::ShownTo,
};
use siskin_ids::AccountId;

/// Returns the domains with blocks that cover this domain, the longest first.
///
/// ```
/// use siskin_policy::domains::covering;
///
/// assert_eq!(covering("a.b.example"), ["a.b.example", "b.example", "example"]);
/// assert_eq!(covering("b.test:80"), ["b.test:80", "b.test", "test:80", "test"]);
/// ```
#[must_use]
pub fn covering(domain: &str) -> Vec<&str> {
    let port_length = domain.find(':').map_or(0, |colon| domain.len() - colon);
    let after_dots = domain.match_indices('.').map(|(dot, _)| dot + 1);
    let suffixes = std::iter::once(0).chain(after_dots).filter_map(|start| domain.get(start..));
    let mut covering = Vec::new();
    for suffix in suffixes {
        covering.push(suffix);
        if port_length > 0 {
            let host_length = suffix.len().saturating_sub(port_length);
            covering.extend(suffix.get(..host_length));
        }
    }
    covering
}

/// Returns `true` if a block of `blocked` covers this domain.
#[must_use]
pub fn covers(blocked: &str, domain: &str) -> bool {
    covering(domain).contains(&blocked)
}

/// Returns the block that rules a domain, out of any blocks. Returns `None` if none covers it.
#[must_use]
pub fn rule_for<'b>(
    domain: &str,
    blocks: impl IntoIterator<Item = &'b InstanceDomainBlock>,
) -> Option<&'b InstanceDomainBlock> {
    let covering = covering(domain);
    let place = |block: &InstanceDomainBlock| covering.iter().position(|it| *it == block.domain);
    let covering_blocks =
        blocks.into_iter().filter_map(|block| place(block).map(|place| (place, block)));
    covering_blocks.min_by_key(|(place, _)| *place).map(|(_, block)| block)
}

/// Returns `true` if `limits` limit something more than `others`, and nothing less. A suspension
/// includes the rejection of media and reports.
#[must_use]
pub fn are_stricter(limits: DomainLimits, others: DomainLimits) -> bool {
    let (limits, others) = (effective(limits), effective(others));
    limits != others
        && limits.severity >= others.severity
        && limits.reject_media >= others.reject_media
        && limits.reject_reports >= others.reject_reports
}

/// Returns the limits with all that they include.
const fn effective(limits: DomainLimits) -> DomainLimits {
    match limits.severity {
        DomainSeverity::Suspend => {
            DomainLimits { reject_media: true, reject_reports: true, ..limits }
        }
        DomainSeverity::Noop | DomainSeverity::Silence => limits,
    }
}

/// Returns the block with which a new one conflicts, out of any blocks: one of the same domain, or
/// the one that rules the domain now, unless the new one is stricter. Blocks of subdomains do not
/// matter: they stay exceptions.
#[must_use]
pub fn conflict<'b>(
    domain: &str,
    limits: DomainLimits,
    blocks: impl IntoIterator<Item = &'b InstanceDomainBlock>,
) -> Option<&'b InstanceDomainBlock> {
    let rule = rule_for(domain, blocks)?;
    (rule.domain == domain || !are_stricter(limits, rule.limits)).then_some(rule)
}

/// Returns the domain as others see it if it is obfuscated: characters in the middle are stars.
/// About a quarter stays visible at each end, and so do all dots.
///
/// ```
/// use siskin_policy::domains::obfuscated;
///
/// assert_eq!(obfuscated("bad.example"), "bad.*****le");
/// ```
#[must_use]
pub fn obfuscated(domain: &str) -> String {
    let length = domain.chars().count();
    let visible = length / 4;
    let shown = |(position, c): (usize, char)| {
        let is_hidden = position > visible && position < length - visible && c != '.';
        if is_hidden { '*' } else { c }
    };
    domain.chars().enumerate().map(shown).collect()
}

/// Returns the blocks that others may see, in the order of display: those that suspend before those
/// that silence, and then by domain. Others see no block without effect on accounts.
#[must_use]
pub fn shown(mut blocks: Vec<InstanceDomainBlock>) -> Vec<ShownDomainBlock> {
    blocks.retain(|block| block.limits.severity > DomainSeverity::Noop);
    blocks.sort_by(|a, b| {
        b.limits.severity.cmp(&a.limits.severity).then_with(|| a.domain.cmp(&b.domain))
    });
    let show = |block: InstanceDomainBlock| ShownDomainBlock {
        domain: if block.obfuscate { obfuscated(&block.domain) } else { block.domain },
        digest: block.digest,
        severity: block.limits.severity,
        comment: block.public_comment,
    };
    blocks.into_iter().map(show).collect()
}

/// Returns `true` if a viewer sees something that is shown to these.
#[must_use]
pub const fn sees(viewer: Option<AccountId>, shown_to: ShownTo) -> bool {
    match shown_to {
        ShownTo::All => true,
        ShownTo::Users => viewer.is_some(),
        ShownTo::Staff => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use siskin_entities::Timestamp;
    use siskin_ids::InstanceDomainBlockId;

    use super::*;

    const NOOP: DomainSeverity = DomainSeverity::Noop;
    const SILENCE: DomainSeverity = DomainSeverity::Silence;
    const SUSPEND: DomainSeverity = DomainSeverity::Suspend;

    const fn limits(severity: DomainSeverity, media: bool, reports: bool) -> DomainLimits {
        DomainLimits { severity, reject_media: media, reject_reports: reports }
    }

    fn block(domain: &str, severity: DomainSeverity) -> InstanceDomainBlock {
        InstanceDomainBlock {
            id: InstanceDomainBlockId::new(1),
            domain: domain.to_owned(),
            digest: String::new(),
            limits: limits(severity, false, false),
            private_comment: None,
            public_comment: None,
            obfuscate: false,
            created_at: Timestamp::from_unix_ms(0),
        }
    }

    fn ruling<'b>(domain: &str, blocks: &'b [InstanceDomainBlock]) -> Option<&'b str> {
        rule_for(domain, blocks).map(|block| block.domain.as_str())
    }

    #[test]
    fn the_longest_covering_block_rules() {
        let blocks =
            ["example", "b.example", "a.b.example:80", "b.example:80"].map(|it| block(it, SILENCE));
        for (domain, rule) in [
            ("a.b.example", Some("b.example")),
            ("a.b.example:80", Some("a.b.example:80")),
            ("x.a.b.example:80", Some("a.b.example:80")),
            ("b.example", Some("b.example")),
            ("b.example:80", Some("b.example:80")),
            ("b.example:81", Some("b.example")),
            ("ab.example", Some("example")),
            ("example", Some("example")),
            ("b.example.org", None),
            ("bexample", None),
            ("", None),
        ] {
            assert_eq!(ruling(domain, &blocks), rule, "{domain}");
        }
    }

    #[test]
    fn stricter_limits_are_more_in_something_and_less_in_nothing() {
        for (new, old, is_stricter) in [
            (limits(SILENCE, false, false), limits(NOOP, false, false), true),
            (limits(SUSPEND, false, false), limits(SILENCE, true, true), true),
            (limits(SILENCE, true, false), limits(SILENCE, false, false), true),
            (limits(NOOP, true, true), limits(NOOP, false, true), true),
            (limits(SILENCE, false, false), limits(SILENCE, false, false), false),
            (limits(SILENCE, false, false), limits(NOOP, true, false), false),
            (limits(SILENCE, true, false), limits(SILENCE, false, true), false),
            (limits(SUSPEND, true, true), limits(SUSPEND, false, false), false),
            (limits(SILENCE, true, true), limits(SUSPEND, false, false), false),
        ] {
            assert_eq!(are_stricter(new, old), is_stricter, "{new:?} {old:?}");
        }
    }

    #[test]
    fn a_block_conflicts_with_the_same_domain_and_with_a_parent_that_is_not_weaker() {
        let blocks = [block("p.example", SILENCE), block("q.example", SUSPEND)];
        for (domain, severity, conflicting) in [
            ("p.example", SUSPEND, Some("p.example")),
            ("test.p.example", SUSPEND, None),
            ("test.p.example", SILENCE, Some("p.example")),
            ("sub.q.example", SILENCE, Some("q.example")),
            ("sub.q.example", SUSPEND, Some("q.example")),
            ("a.sub.q.example", NOOP, Some("q.example")),
            ("example", NOOP, None),
            ("other.example", NOOP, None),
        ] {
            let found = conflict(domain, limits(severity, false, false), &blocks);
            assert_eq!(found.map(|block| block.domain.as_str()), conflicting, "{domain}");
        }
    }

    #[test]
    fn obfuscated_domains_show_their_ends_and_their_dots() {
        for (domain, shown) in [
            ("a.b", "a.*"),
            ("bad.example", "bad.*****le"),
            ("social.bad.example", "socia*.***.***mple"),
            ("", ""),
        ] {
            assert_eq!(obfuscated(domain), shown);
        }
    }

    #[test]
    fn others_see_suspended_domains_first_and_none_without_effect() {
        let mut hidden = block("c.example", SILENCE);
        (hidden.obfuscate, hidden.public_comment) = (true, Some("Spam".to_owned()));
        let blocks = vec![
            hidden,
            block("b.example", NOOP),
            block("z.example", SUSPEND),
            block("a.example", SILENCE),
            block("d.example", SUSPEND),
        ];
        let shown = shown(blocks);
        let names: Vec<&str> = shown.iter().map(|it| it.domain.as_str()).collect();
        assert_eq!(names, ["d.example", "z.example", "a.example", "c.e****le"]);
        assert_eq!(shown.last().and_then(|it| it.comment.as_deref()), Some("Spam"));
    }

    #[test]
    fn the_list_is_shown_to_those_that_the_setting_names() {
        let user = Some(AccountId::new(1));
        for (shown_to, viewer, is_seen) in [
            (ShownTo::All, None, true),
            (ShownTo::All, user, true),
            (ShownTo::Users, None, false),
            (ShownTo::Users, user, true),
            (ShownTo::Staff, user, false),
        ] {
            assert_eq!(sees(viewer, shown_to), is_seen, "{shown_to:?} {viewer:?}");
        }
    }

    /// Domains over few labels, so that many cover each other.
    fn domains() -> impl Strategy<Value = String> {
        ("[ab](\\.[ab]){0,4}", proptest::option::of(1..3_u16)).prop_map(|(host, port)| match port {
            Some(port) => format!("{host}:{port}"),
            None => host,
        })
    }

    fn any_limits() -> impl Strategy<Value = DomainLimits> {
        (0..3_i16, any::<bool>(), any::<bool>()).prop_map(|(severity, media, reports)| {
            limits(DomainSeverity::from_number(severity), media, reports)
        })
    }

    fn any_blocks() -> impl Strategy<Value = Vec<InstanceDomainBlock>> {
        let one = (domains(), any_limits())
            .prop_map(|(domain, limits)| InstanceDomainBlock { limits, ..block(&domain, NOOP) });
        prop::collection::vec(one, 0..8)
    }

    proptest! {
        #[test]
        fn a_domain_covers_itself_and_all_its_subdomains(domain in domains(), label in "[a-z]{1,5}") {
            prop_assert!(covers(&domain, &domain));
            let subdomain = format!("{label}.{domain}");
            prop_assert!(covers(&domain, &subdomain));
            prop_assert!(!covers(&subdomain, &domain));
            let glued = format!("{label}{domain}");
            prop_assert!(!covers(&domain, &glued));
        }

        #[test]
        fn covering_domains_are_distinct_and_cover_each_other(domain in domains()) {
            let all = covering(&domain);
            for (place, one) in all.iter().enumerate() {
                prop_assert!(!all[..place].contains(one));
                prop_assert!(covers(one, &domain));
                prop_assert!(covering(one).iter().all(|more| all.contains(more)));
            }
        }

        #[test]
        fn the_rule_covers_the_domain_and_no_longer_one_does(domain in domains(), blocks in any_blocks()) {
            let is_blocked = |it: &&str| blocks.iter().any(|block| block.domain == *it);
            let longest = covering(&domain).into_iter().find(is_blocked);
            prop_assert_eq!(ruling(&domain, &blocks), longest);
            prop_assert_eq!(longest.is_some(), blocks.iter().any(|it| covers(&it.domain, &domain)));
        }

        #[test]
        fn the_order_of_the_blocks_does_not_matter(domain in domains(), blocks in any_blocks()) {
            let mut other = blocks.clone();
            other.reverse();
            let name = |found: Option<&InstanceDomainBlock>| found.map(|block| block.domain.clone());
            prop_assert_eq!(name(rule_for(&domain, &blocks)), name(rule_for(&domain, &other)));
        }

        #[test]
        fn being_stricter_is_a_strict_order(a in any_limits(), b in any_limits(), c in any_limits()) {
            prop_assert!(!are_stricter(a, a));
            prop_assert!(!(are_stricter(a, b) && are_stricter(b, a)));
            if are_stricter(a, b) && are_stricter(b, c) {
                prop_assert!(are_stricter(a, c));
            }
        }

        #[test]
        fn an_accepted_block_is_stricter_than_what_ruled_before(
            domain in domains(), new in any_limits(), blocks in any_blocks(),
        ) {
            let before = rule_for(&domain, &blocks);
            match conflict(&domain, new, &blocks) {
                Some(found) => prop_assert_eq!(Some(found), before),
                None => prop_assert!(before.is_none_or(|it| are_stricter(new, it.limits) && it.domain != domain)),
            }
        }

        #[test]
        fn obfuscation_keeps_the_length_and_the_dots(domain in domains()) {
            let shown = obfuscated(&domain);
            prop_assert_eq!(shown.chars().count(), domain.chars().count());
            for (a, b) in shown.chars().zip(domain.chars()) {
                prop_assert!(a == b || (a == '*' && b != '.'));
            }
        }
    }
}
