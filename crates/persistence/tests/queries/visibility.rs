//! The visibility rule exists twice, as a pure function over loaded facts and as a query. This test
//! compares both with a naive rule, for every status, every viewer and every parent in random
//! worlds. Inserts and deletions in these worlds must leave all counters correct.

use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestRunner},
};
use siskin_entities::{AccountState, StatusDraft, Visibility};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Result, Tx, doctor,
    relationships::viewer_relations,
    statuses::{
        self, Entry, NewReblog, NewStatus, find_target, find_visible, load_candidates, visible_ids,
    },
};
use siskin_policy::timelines::may_see;
use siskin_test_support::{both_engines, builders, standing};

use crate::world::World;

/// Accounts and their relationships. Indexes are taken modulo the length of the list to which they
/// refer.
#[derive(Debug, Clone)]
struct Plan {
    states: Vec<AccountState>,
    follows: Vec<(usize, usize)>,
    blocks: Vec<(usize, usize)>,
    writings: Vec<Writing>,
    removals: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Writing {
    Status { author: usize, visibility: Visibility, mentioned: Vec<usize>, reply_to: Option<usize> },
    Reblog { author: usize, of: usize, visibility: Visibility },
}

fn plan() -> impl Strategy<Value = Plan> {
    let state = (prop::bool::weighted(0.15), prop::bool::weighted(0.15)).prop_map(
        |(suspended, unreachable)| AccountState {
            suspended,
            silenced: false,
            reachable: !unreachable,
        },
    );
    let pair = || (0..4_usize, 0..4_usize);
    (
        vec(state, 4),
        vec(pair(), 0..8),
        vec(pair(), 0..3),
        vec(writing(), 1..12),
        vec(0..12_usize, 0..4),
    )
        .prop_map(|(states, follows, blocks, writings, removals)| Plan {
            states,
            follows,
            blocks,
            writings,
            removals,
        })
}

fn writing() -> impl Strategy<Value = Writing> {
    let visibility = || prop::sample::select(Visibility::ALL.to_vec());
    let account = || 0..4_usize;
    prop_oneof![
        3 => (account(), visibility(), vec(account(), 0..3), prop::option::of(0..12_usize))
            .prop_map(|(author, visibility, mentioned, reply_to)| Writing::Status {
                author,
                visibility,
                mentioned,
                reply_to,
            }),
        1 => (account(), 0..12_usize, visibility())
            .prop_map(|(author, of, visibility)| Writing::Reblog { author, of, visibility }),
    ]
}

/// A status as it was written.
#[derive(Debug, Clone)]
struct Written {
    id: StatusId,
    author: usize,
    visibility: Visibility,
    mentioned: Vec<usize>,
    /// The parent.
    parent: Option<StatusId>,
    /// Index of the reblogged status in the list.
    reblog_of: Option<usize>,
}

impl Written {
    fn entry(&self, outcome: &Outcome) -> Entry {
        Entry { id: self.id, reblog_of: self.reblog_of.map(|at| outcome.written[at].id) }
    }
}

/// A plan after it was carried out.
#[derive(Debug)]
struct Outcome {
    accounts: Vec<AccountId>,
    written: Vec<Written>,
}

fn distinct(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<_> = pairs.iter().copied().filter(|(from, to)| from != to).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn carry_out(tx: &mut Tx<'_>, plan: &Plan) -> Result<Outcome> {
    let mut accounts = Vec::new();
    for state in &plan.states {
        let name = format!("a{}", tx.next_id());
        let account = builders::local_account(tx, &name, "http://siskin.test")?;
        standing::set_state(tx, account, *state)?;
        accounts.push(account);
    }
    for (from, to) in distinct(&plan.follows) {
        standing::follow(tx, accounts[from], accounts[to])?;
    }
    for (from, to) in distinct(&plan.blocks) {
        builders::block(tx, accounts[from], accounts[to])?;
    }
    let mut written: Vec<Written> = Vec::new();
    for writing in &plan.writings {
        match writing {
            Writing::Status { author, visibility, mentioned, reply_to } => {
                let parent = reply_to.filter(|_| !written.is_empty());
                let parent = parent.map(|at| written[at % written.len()].clone());
                written.push(write(tx, &accounts, *author, *visibility, mentioned, parent)?);
            }
            Writing::Reblog { author, of, visibility } if !written.is_empty() => {
                let of = of % written.len();
                if written[of].reblog_of.is_none() {
                    written.extend(reblog(tx, &accounts, *author, of, &written[of], *visibility)?);
                }
            }
            Writing::Reblog { .. } => {}
        }
    }
    Ok(Outcome { accounts, written })
}

fn write(
    tx: &mut Tx<'_>,
    accounts: &[AccountId],
    author: usize,
    visibility: Visibility,
    mentioned: &[usize],
    parent: Option<Written>,
) -> Result<Written> {
    let id = StatusId::new(tx.next_id());
    let mut mentioned = mentioned.to_vec();
    mentioned.sort_unstable();
    mentioned.dedup();
    let mentions: Vec<AccountId> = mentioned.iter().map(|at| accounts[*at]).collect();
    let in_reply_to = parent.as_ref().map(|parent| statuses::Parent {
        id: parent.id,
        account: accounts[parent.author],
        conversation: parent.id,
    });
    let new = NewStatus {
        id,
        account: accounts[author],
        uri: &id.to_string(),
        draft: &StatusDraft { visibility, ..StatusDraft::default() },
        content: "",
        in_reply_to,
        quote: None,
        application: None,
        mentions: &mentions,
        tags: &[],
    };
    statuses::insert(tx, &new)?;
    let parent = parent.map(|parent| parent.id);
    Ok(Written { id, author, visibility, mentioned, parent, reblog_of: None })
}

fn reblog(
    tx: &mut Tx<'_>,
    accounts: &[AccountId],
    author: usize,
    at: usize,
    of: &Written,
    visibility: Visibility,
) -> Result<Option<Written>> {
    let id = StatusId::new(tx.next_id());
    let new = NewReblog {
        id,
        account: accounts[author],
        uri: &id.to_string(),
        of: of.id,
        visibility,
        application: None,
    };
    let made = statuses::insert_reblog(tx, &new)?;
    let (mentioned, parent) = (Vec::new(), None);
    Ok(made.then_some(Written { id, author, visibility, mentioned, parent, reblog_of: Some(at) }))
}

/// Returns the result of the naive rule.
fn expected(
    plan: &Plan,
    outcome: &Outcome,
    written: &Written,
    viewer_index: Option<usize>,
) -> bool {
    let author = written.author;
    let has = |pairs: &[(usize, usize)], from: Option<usize>, to: Option<usize>| {
        pairs.iter().any(|(a, b)| a != b && Some(*a) == from && Some(*b) == to)
    };
    let state = plan.states[author];
    let is_own = viewer_index == Some(author);
    let is_active = !state.suspended && state.reachable;
    let is_blocked = has(&plan.blocks, Some(author), viewer_index);
    let is_mentioned =
        viewer_index.is_some_and(|viewer_index| written.mentioned.contains(&viewer_index));
    let is_included = match written.visibility {
        Visibility::Public | Visibility::Unlisted => true,
        Visibility::Private => has(&plan.follows, viewer_index, Some(author)) || is_mentioned,
        Visibility::Direct => is_mentioned,
    };
    let itself = is_own || is_active && !is_blocked && is_included;
    let inner = written.reblog_of.map(|at| &outcome.written[at]);
    itself && inner.is_none_or(|inner| expected(plan, outcome, inner, viewer_index))
}

fn check_plan(world: &World, plan: &Plan) -> Result<(), TestCaseError> {
    let plan_copy = plan.clone();
    let outcome = world.write(move |tx| carry_out(tx, &plan_copy));
    let ids: Vec<StatusId> = outcome.written.iter().map(|written| written.id).collect();
    for viewer_index in [None, Some(0), Some(1), Some(2), Some(3)] {
        let viewer = viewer_index.map(|at: usize| outcome.accounts[at]);
        let mut seen = world.read(|conn| visible_ids(conn, &ids, viewer));
        seen.sort_unstable();
        let rule = outcome.written.iter().filter(|w| expected(plan, &outcome, w, viewer_index));
        prop_assert_eq!(
            &seen,
            &rule.map(|w| w.id).collect::<Vec<_>>(),
            "reader {:?}",
            viewer_index
        );
        let entries: Vec<Entry> = outcome.written.iter().map(|one| one.entry(&outcome)).collect();
        let mut by_rule = world.read(|conn| {
            let relations = viewer_relations(conn, viewer)?;
            let loaded = load_candidates(conn, &entries, viewer)?;
            let seen = loaded.iter().filter(|loaded| may_see(&relations, &loaded.facts()));
            Ok(seen.map(|loaded| loaded.status.body.id).collect::<Vec<_>>())
        });
        by_rule.sort_unstable();
        prop_assert_eq!(&seen, &by_rule, "pure rule for {:?}", viewer_index);
        for written in &outcome.written {
            let (id, is_seen) = (written.id, seen.contains(&written.id));
            let target = world.read(|conn| find_target(conn, id, viewer));
            prop_assert_eq!(target.is_some(), is_seen);
            let found = world.read(|conn| find_visible(conn, id, viewer));
            prop_assert_eq!(found.is_some(), is_seen);
            let parent = written.parent.filter(|parent| seen.contains(parent));
            let loaded = world.read(|conn| statuses::load(conn, &[id], viewer));
            for loaded_status in found.iter().chain(&loaded) {
                prop_assert_eq!(
                    loaded_status.body.in_reply_to_id,
                    parent,
                    "{:?} {:?}",
                    viewer_index,
                    written
                );
            }
        }
    }
    let removals = plan.removals.clone();
    world.write(move |tx| {
        for at in &removals {
            if let Some(id) = ids.get(*at) {
                statuses::remove(tx, *id)?;
            }
        }
        Ok(())
    });
    prop_assert_eq!(world.read(doctor::wrong_counters), vec![]);
    Ok(())
}

both_engines! {
    fn the_visibility_query_agrees_with_the_rule_and_counters_are_correct(database: &TestDatabase) {
        let world = World::on(database);
        let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
        let result = TestRunner::new(config).run(&plan(), |plan| check_plan(&world, &plan));
        result.unwrap();
    }
}
