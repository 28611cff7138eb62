//! Tries inputs, until the time is over or one of them breaks a promise.

use std::{
    collections::HashSet,
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::{mutate::mutate, random::Random, shrink::shrink};

/// How many inputs are tried where no time is given.
const SHORT_RUN: usize = 1_500;

/// How many interesting inputs are kept.
const MOST_KEPT: usize = 4_000;

/// How long an input of at most 100 kB may take, with everything that is checked of it, in an
/// unoptimised build on a busy machine (some 10 s); work that grows faster than its input takes many
/// minutes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What takes long is timed so often again: a machine is not always as busy as at its busiest.
const TIMINGS: usize = 3;

/// What is mistreated.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// What inputs are put together from.
    pub fragments: &'static [&'static [u8]],
    /// Panics where a promise is broken; returns what was seen, as numbers of any meaning.
    pub check: fn(&[u8]) -> Vec<u64>,
}

/// Tries the inputs of the corpus, then others, for as long as was asked.
///
/// # Panics
/// With the smallest input found that breaks a promise of the target.
pub fn run(target: &Target) {
    let mut kept = corpus(target.name);
    let mut seen = HashSet::new();
    for input in &kept {
        seen.extend(attempt(target, input));
    }
    kept.extend(target.fragments.iter().map(|fragment| fragment.to_vec()));
    let (mut random, until) = (Random::new(seed()), deadline());
    let mut tried = 0_usize;
    while until.map_or(tried < SHORT_RUN, |until| Instant::now() < until) {
        let parent = &kept[random.below(kept.len())];
        let other = &kept[random.below(kept.len())];
        let input = mutate(&mut random, parent, other, target.fragments);
        let mut is_new = false;
        for feature in attempt(target, &input) {
            is_new |= seen.insert(feature);
        }
        if is_new && kept.len() < MOST_KEPT {
            kept.push(input);
        }
        tried += 1;
    }
    log(&format!("{}: {tried} inputs, {} kept, {} seen", target.name, kept.len(), seen.len()));
}

#[expect(clippy::print_stderr, reason = "the runner of the tests shows it where it is wanted")]
fn log(line: &str) {
    eprintln!("{line}");
}

/// What broke something once, by name.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let entries = fs::read_dir(&folder).map(|entries| entries.flatten().collect::<Vec<_>>());
    let mut files: Vec<PathBuf> =
        entries.unwrap_or_default().into_iter().map(|entry| entry.path()).collect();
    files.sort();
    files.iter().filter_map(|file| fs::read(file).ok()).collect()
}

fn deadline() -> Option<Instant> {
    let seconds = env::var("SISKIN_FUZZ_SECONDS").ok()?.parse().ok()?;
    Some(Instant::now() + Duration::from_secs(seconds))
}

/// Another one at each run that has time to look for something new.
fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    deadline().map_or(1, |_| now.as_secs())
}

fn attempt(target: &Target, input: &[u8]) -> Vec<u64> {
    let watch = Stopwatch::start();
    let Ok(features) = catch_unwind(AssertUnwindSafe(|| (target.check)(input))) else {
        let fails = |input: &[u8]| catch_unwind(|| (target.check)(input)).is_err();
        report(target, &shrink(input, fails))
    };
    let is_slow = watch.elapsed() > PATIENCE && (0..TIMINGS).all(|_| takes_long(target, input));
    assert!(!is_slow, "{}", described(target, input, "takes very long"));
    features
}

fn takes_long(target: &Target, input: &[u8]) -> bool {
    let watch = Stopwatch::start();
    (target.check)(input);
    watch.elapsed() > PATIENCE
}

/// Measures the processor time of this thread where the system tells it: what else the machine does
/// makes no input slow. Elsewhere it goes by the clock.
struct Stopwatch {
    started: Instant,
    used: Option<Duration>,
}

impl Stopwatch {
    fn start() -> Self {
        Self { started: Instant::now(), used: Self::used() }
    }

    fn elapsed(&self) -> Duration {
        let used = || Self::used()?.checked_sub(self.used?);
        used().unwrap_or_else(|| self.started.elapsed())
    }

    /// On Linux, the first of three numbers: nanoseconds on a processor so far.
    fn used() -> Option<Duration> {
        let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        told.split_whitespace().next()?.parse().map(Duration::from_nanos).ok()
    }
}

fn report(target: &Target, input: &[u8]) -> ! {
    log(&described(target, input, "breaks a promise"));
    // Once more, for the words that say which.
    (target.check)(input);
    panic!("{}", described(target, input, "breaks a promise only sometimes"));
}

fn described(target: &Target, input: &[u8], what: &str) -> String {
    let (name, length) = (target.name, input.len());
    let file = env::temp_dir().join(format!("siskin-fuzz-{name}"));
    let kept = fs::write(&file, input).map(|()| format!("copy {} to", file.display()));
    let kept = kept.unwrap_or_else(|_| "keep it in".to_owned());
    let start = input[..length.min(2000)].escape_ascii();
    format!("{name}: an input of {length} bytes {what}; {kept} fuzz/corpus/{name}: {start}")
}
