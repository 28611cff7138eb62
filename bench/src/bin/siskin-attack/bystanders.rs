//! Regular users, who measure the effects of an attack.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use futures_util::{FutureExt as _, future::BoxFuture};
use reqwest::{Client, multipart};
use serde_json::Value;
use tokio::{task::JoinHandle, time::sleep};

use super::server::{PEOPLE, Server, client};

/// Small PNG image.
const PICTURE: &[u8] = include_bytes!("../../../../crates/http/assets/avatar.png");

/// Worst results that regular users measured.
#[derive(Debug, Default, Clone)]
pub struct Observations {
    health: Worst,
    home: Worst,
    post: Worst,
    picture: Worst,
    stream: Worst,
    memory: u64,
    failures: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Worst {
    count: u32,
    time: Duration,
}

impl fmt::Display for Worst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x {} ms", self.count, self.time.as_millis())
    }
}

impl fmt::Display for Observations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { health, home, post, picture, stream, memory, .. } = self;
        write!(
            f,
            "worst /health {health}, home {home}, post {post}, picture {picture}, event {stream}; \
             peak memory {memory} MB"
        )
    }
}

impl Observations {
    /// Returns all exceeded limits.
    pub fn faults(&self, latency: Duration, memory: u64) -> Vec<String> {
        let mut faults = self.failures.clone();
        let kinds = [("/health", self.health), ("home", self.home)];
        for (name, worst) in kinds {
            if worst.time > latency {
                faults.push(format!("{name} took {} ms", worst.time.as_millis()));
            }
        }
        let all = [("home", self.home), ("post", self.post), ("event", self.stream)];
        for (name, worst) in all.into_iter().chain([("picture", self.picture)]) {
            if worst.count == 0 {
                faults.push(format!("{name} never succeeded"));
            }
        }
        if self.memory > memory {
            faults.push(format!("{} MB of memory", self.memory));
        }
        faults
    }
}

/// Regular users of the server during an attack.
pub struct Bystanders {
    observations: Arc<Mutex<Observations>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Bystanders {
    pub async fn begin(server: &Server) -> Result<Self> {
        let observations = Arc::<Mutex<Observations>>::default();
        let (poster, reader) =
            (client(PEOPLE, Some(&server.poster))?, client(PEOPLE, Some(&server.reader))?);
        follow(server, &reader).await?;
        let posted = Arc::<Mutex<Option<(String, Instant)>>>::default();
        let tasks = vec![
            sample_memory(server, &observations),
            repeat(
                Duration::from_millis(200),
                &observations,
                health(server, client(PEOPLE, None)?),
            ),
            repeat(Duration::from_secs(1), &observations, home(server, reader.clone())),
            repeat(Duration::from_secs(2), &observations, post(server, poster.clone(), &posted)),
            repeat(Duration::from_secs(4), &observations, picture(server, poster)),
            listen(server, reader, &observations, posted).await?,
        ];
        Ok(Self { observations, tasks })
    }

    pub async fn end(self) -> Observations {
        // Give requests in progress time to finish.
        sleep(Duration::from_secs(1)).await;
        self.tasks.iter().for_each(JoinHandle::abort);
        record(&self.observations, |observations| observations.clone())
    }
}

fn record<T>(observations: &Mutex<Observations>, with: impl FnOnce(&mut Observations) -> T) -> T {
    with(&mut observations.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Selects the result that a measurement belongs to.
type Slot = fn(&mut Observations) -> &mut Worst;

/// Action that regular users repeat.
struct Activity {
    name: &'static str,
    slot: Slot,
    act: Box<dyn Fn() -> BoxFuture<'static, Result<()>> + Send>,
}

fn repeat(
    pause: Duration,
    observations: &Arc<Mutex<Observations>>,
    activity: Activity,
) -> JoinHandle<()> {
    let observations = Arc::clone(observations);
    tokio::spawn(async move {
        loop {
            let begun = Instant::now();
            let doing = (activity.act)();
            let outcome = doing.await;
            let time = begun.elapsed();
            record(&observations, |observations| match outcome {
                Ok(()) => {
                    let worst = (activity.slot)(observations);
                    worst.count += 1;
                    worst.time = worst.time.max(time);
                }
                Err(error) => {
                    observations
                        .failures
                        .push(format!("{} after {time:?}: {error:#}", activity.name));
                }
            });
            sleep(pause.saturating_sub(begun.elapsed())).await;
        }
    })
}

async fn send(request: reqwest::RequestBuilder) -> Result<Value> {
    let response = request.send().await?;
    let (status, body) = (response.status(), response.bytes().await?);
    ensure!(status.is_success(), "{status} {}", String::from_utf8_lossy(&body));
    Ok(serde_json::from_slice(&body).unwrap_or_default())
}

fn health(server: &Server, client: Client) -> Activity {
    let url = server.url("/health");
    let act = move || {
        let request = client.get(&url);
        async move { send(request).await.map(drop) }.boxed()
    };
    Activity { name: "/health", slot: |observations| &mut observations.health, act: Box::new(act) }
}

fn home(server: &Server, client: Client) -> Activity {
    let url = server.url("/api/v1/timelines/home");
    let act = move || {
        let request = client.get(&url);
        async move { send(request).await.map(drop) }.boxed()
    };
    Activity { name: "home", slot: |observations| &mut observations.home, act: Box::new(act) }
}

fn post(
    server: &Server,
    client: Client,
    posted: &Arc<Mutex<Option<(String, Instant)>>>,
) -> Activity {
    let (url, posted) = (server.url("/api/v1/statuses"), Arc::clone(posted));
    let act = move || {
        let request = client.post(&url).form(&[("status", "Life goes on")]);
        let posted = Arc::clone(&posted);
        async move {
            let status = send(request).await?;
            let id = status["id"].as_str().context("a status without an id")?.to_owned();
            let mut posted = posted.lock().unwrap_or_else(PoisonError::into_inner);
            *posted = Some((id, Instant::now()));
            Ok(())
        }
        .boxed()
    };
    Activity { name: "post", slot: |observations| &mut observations.post, act: Box::new(act) }
}

fn picture(server: &Server, client: Client) -> Activity {
    let url = server.url("/api/v1/media");
    let act = move || {
        let part = multipart::Part::bytes(PICTURE).file_name("a.png");
        let request = client.post(&url).multipart(multipart::Form::new().part("file", part));
        async move {
            let media = send(request).await?;
            ensure!(media["url"].is_string(), "still processing: {media}");
            Ok(())
        }
        .boxed()
    };
    Activity { name: "picture", slot: |observations| &mut observations.picture, act: Box::new(act) }
}

async fn follow(server: &Server, reader: &Client) -> Result<()> {
    let found = send(reader.get(server.url("/api/v1/accounts/lookup?acct=poster"))).await?;
    let id = found["id"].as_str().context("there is no account named poster")?;
    send(reader.post(server.url(&format!("/api/v1/accounts/{id}/follow")))).await?;
    Ok(())
}

/// Follows the reader's stream: every post must arrive.
async fn listen(
    server: &Server,
    reader: Client,
    observations: &Arc<Mutex<Observations>>,
    posted: Arc<Mutex<Option<(String, Instant)>>>,
) -> Result<JoinHandle<()>> {
    // Streams do not end, so the usual timeout does not apply.
    let request =
        reader.get(server.url("/api/v1/streaming/user")).timeout(Duration::from_secs(3600));
    let mut response = request.send().await?.error_for_status()?;
    let observations = Arc::clone(observations);
    Ok(tokio::spawn(async move {
        let mut text = String::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => text.push_str(&String::from_utf8_lossy(&chunk)),
                end => {
                    record(&observations, |observations| {
                        observations.failures.push(format!("the stream ended: {end:?}"));
                    });
                    return;
                }
            }
            let arrived = Instant::now();
            while let Some((block, rest)) = text.split_once("\n\n") {
                if block.starts_with("event: update") {
                    let posted = posted.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    // An event may arrive before the response to the post.
                    let time = match posted {
                        Some((id, at)) if block.contains(&id) => {
                            arrived.saturating_duration_since(at)
                        }
                        _ => Duration::ZERO,
                    };
                    record(&observations, |observations| {
                        observations.stream.count += 1;
                        observations.stream.time = observations.stream.time.max(time);
                    });
                }
                text = rest.to_owned();
            }
        }
    }))
}

fn sample_memory(server: &Server, observations: &Arc<Mutex<Observations>>) -> JoinHandle<()> {
    let (observations, memory) = (Arc::clone(observations), server.memory());
    tokio::spawn(async move {
        loop {
            match memory.megabytes() {
                Ok(megabytes) => record(&observations, |observations| {
                    observations.memory = observations.memory.max(megabytes);
                }),
                Err(error) => {
                    record(&observations, |observations| {
                        observations.failures.push(format!("the server has stopped: {error:#}"));
                    });
                    return;
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
    })
}
