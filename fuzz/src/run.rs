//! Fuzzing loop: tries inputs until the time is over or one of them violates a property.

use std::{
    collections::HashSet,
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::{mutate::mutate, random::Random, shrink::shrink};

/// Number of inputs if no duration is set.
const SHORT_RUN: usize = 1_500;

/// Maximum number of interesting inputs that are kept.
const MAX_INPUTS: usize = 4_000;

/// Time limit for an input of at most 100 kB with all its checks, in an unoptimised build on a busy
/// machine (about 10 s). Work that grows faster than its input takes many minutes.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Number of repeated measurements of a slow input, because the machine may be busy only for a
/// moment.
const TIMINGS: usize = 3;

/// Code under test.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// Fragments from which inputs are built.
    pub fragments: &'static [&'static [u8]],
    /// Panics if a property is violated; otherwise returns the observed features as arbitrary
    /// numbers.
    pub check: fn(&[u8]) -> Vec<u64>,
}

/// Tries the inputs of the corpus, then mutations, for the configured duration.
///
/// # Panics
/// Panics with the smallest input found that violates a property of the target.
pub fn run(target: &Target) {
    let mut inputs = corpus(target.name);
    let mut known_features = HashSet::new();
    for input in &inputs {
        known_features.extend(attempt(target, input));
    }
    inputs.extend(target.fragments.iter().map(|fragment| fragment.to_vec()));
    let (mut random, until) = (Random::new(seed()), deadline());
    let mut tried = 0_usize;
    while until.map_or(tried < SHORT_RUN, |until| Instant::now() < until) {
        let parent = &inputs[random.below(inputs.len())];
        let other = &inputs[random.below(inputs.len())];
        let input = mutate(&mut random, parent, other, target.fragments);
        let mut is_new = false;
        for feature in attempt(target, &input) {
            is_new |= known_features.insert(feature);
        }
        if is_new && inputs.len() < MAX_INPUTS {
            inputs.push(input);
        }
        tried += 1;
    }
    log(&format!(
        "{}: {tried} inputs, {} kept, {} seen",
        target.name,
        inputs.len(),
        known_features.len()
    ));
}

#[expect(clippy::print_stderr, reason = "the test runner shows this output on request")]
fn log(line: &str) {
    eprintln!("{line}");
}

/// Returns the stored inputs of the corpus, sorted by name.
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

/// Returns the seed: a new one for each run with a duration, otherwise a constant.
fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    deadline().map_or(1, |_| now.as_secs())
}

fn attempt(target: &Target, input: &[u8]) -> Vec<u64> {
    let stopwatch = Stopwatch::start();
    let Ok(features) = catch_unwind(AssertUnwindSafe(|| (target.check)(input))) else {
        let fails = |input: &[u8]| catch_unwind(|| (target.check)(input)).is_err();
        report(target, &shrink(input, fails))
    };
    let is_slow = stopwatch.elapsed() > MAX_TIME && (0..TIMINGS).all(|_| takes_long(target, input));
    assert!(!is_slow, "{}", describe(target, input, "exceeds the time limit"));
    features
}

fn takes_long(target: &Target, input: &[u8]) -> bool {
    let stopwatch = Stopwatch::start();
    (target.check)(input);
    stopwatch.elapsed() > MAX_TIME
}

/// Measures the processor time of this thread if the system provides it, so that other load does
/// not make an input slow. Otherwise it measures wall-clock time.
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

    /// Returns the first of three numbers on Linux: nanoseconds on a processor so far.
    fn used() -> Option<Duration> {
        let schedstat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        schedstat.split_whitespace().next()?.parse().map(Duration::from_nanos).ok()
    }
}

fn report(target: &Target, input: &[u8]) -> ! {
    log(&describe(target, input, "violates a property"));
    // Repeats the check for its panic message.
    (target.check)(input);
    panic!("{}", describe(target, input, "violates a property only sometimes"));
}

fn describe(target: &Target, input: &[u8], what: &str) -> String {
    let (name, length) = (target.name, input.len());
    let file = env::temp_dir().join(format!("siskin-fuzz-{name}"));
    let inputs = fs::write(&file, input).map(|()| format!("copy {} to", file.display()));
    let inputs = inputs.unwrap_or_else(|_| "keep it in".to_owned());
    let start = input[..length.min(2000)].escape_ascii();
    format!("{name}: an input of {length} bytes {what}; {inputs} fuzz/corpus/{name}: {start}")
}
