//! Load generation with `wrk`, and measurement of the server process.

use std::{fmt::Write as _, io::Write as _, process::Command};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::{
    process::Process,
    scenarios::{Request, Scenario},
};

/// Duration and strength of the load.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    pub seconds: u32,
    pub connections: u32,
}

/// Result of one measurement.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub connections: u32,
    /// Processor time of the process per request, in milliseconds.
    pub processor: f64,
    pub requests_per_second: f64,
    /// Percentiles of the response time in milliseconds: 50 %, 95 % and 99 % of the requests are
    /// faster.
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
}

/// Script with which `wrk` prints its summary as JSON.
const SUMMARY: &str = r#"
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\nSUMMARY {"requests":%d,"micros":%d,"p50":%d,"p95":%d,"p99":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(95),
    latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
"#;

impl Load {
    /// Runs the load.
    ///
    /// # Errors
    /// Returns an error if `wrk` is not installed or a response was an error.
    pub fn run(self, process: &Process, scenario: &Scenario) -> Result<Measured> {
        let mut script = NamedTempFile::with_suffix(".lua")?;
        script.write_all(self.script(scenario).as_bytes())?;
        let before = process.processor_seconds()?;
        let output = Command::new("wrk")
            .args(["--threads", "1", "--latency"])
            .arg(format!("--connections={}", self.connections))
            .arg(format!("--duration={}s", self.seconds))
            .arg("--script")
            .arg(script.path())
            .arg(process.base())
            .output()
            .context("wrk is required: apt-get install wrk")?;
        let used = process.processor_seconds()? - before;
        let output_text = String::from_utf8_lossy(&output.stdout);
        let summary = output_text.lines().find_map(|line| line.strip_prefix("SUMMARY "));
        let summary: Value = serde_json::from_str(summary.context("wrk printed no summary")?)?;
        let number = |name: &str| summary[name].as_f64().unwrap_or(f64::NAN);
        let requests = number("requests");
        ensure!(number("failed") == 0.0 && requests > 0.0, "some requests failed: {summary}");
        Ok(Measured {
            connections: self.connections,
            processor: used * 1000.0 / requests,
            requests_per_second: requests * 1e6 / number("micros"),
            p50: number("p50") / 1000.0,
            p95: number("p95") / 1000.0,
            p99: number("p99") / 1000.0,
        })
    }

    /// Returns the `wrk` script that sends the requests of a scenario in turn.
    fn script(self, scenario: &Scenario) -> String {
        let mut script = "local all = {}\n".to_owned();
        for request in &scenario.requests {
            let _ = writeln!(script, "all[#all + 1] = {}", lua(request));
        }
        // The unique numbers of each run differ from those of other runs.
        script.push_str(
            "local n, run = 0, os.time() .. '-' .. math.random(1000000)\n\
             request = function()\n\
               n = n + 1\n\
               local one = all[n % #all + 1]\n\
               local body = one.body and one.body:gsub('{}', run .. '-' .. n)\n\
               return wrk.format(one.method, one.path, one.headers, body)\n\
             end\n",
        );
        script.insert_str(0, "math.randomseed(os.clock() * 1000000)\n");
        script + SUMMARY
    }
}

fn lua(request: &Request) -> String {
    let mut headers = String::new();
    if let Some(token) = &request.token {
        let _ = write!(headers, "['Authorization'] = 'Bearer {token}',");
    }
    let (method, body) = match &request.form {
        None => ("GET", String::new()),
        Some(form) => {
            headers.push_str("['Content-Type'] = 'application/x-www-form-urlencoded',");
            ("POST", format!("body = '{form}',"))
        }
    };
    let path = &request.path;
    format!("{{ method = '{method}', path = '{path}', {body} headers = {{ {headers} }} }}")
}
