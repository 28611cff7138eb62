//! Load generation with `wrk`, and measurement of the server process.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
    process::Command,
};

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
    /// Index of the first request of the scenario; a larger number continues from the beginning.
    pub first: u64,
}

/// Result of one measurement.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub connections: u32,
    /// Number of responses.
    pub requests: u64,
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
        let mut requests = NamedTempFile::new()?;
        write_requests(&mut BufWriter::new(requests.as_file_mut()), scenario)?;
        let mut script = NamedTempFile::with_suffix(".lua")?;
        script.write_all(self.script(requests.path()).as_bytes())?;
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
        let summary = summary.with_context(|| {
            format!("wrk printed no summary: {}", String::from_utf8_lossy(&output.stderr))
        })?;
        let summary: Value = serde_json::from_str(summary)?;
        let number = |name: &str| summary[name].as_f64().unwrap_or(f64::NAN);
        let count = summary["requests"].as_u64().unwrap_or(0);
        let requests = number("requests");
        ensure!(number("failed") == 0.0 && requests > 0.0, "some requests failed: {summary}");
        Ok(Measured {
            connections: self.connections,
            requests: count,
            processor: used * 1000.0 / requests,
            requests_per_second: requests * 1e6 / number("micros"),
            p50: number("p50") / 1000.0,
            p95: number("p95") / 1000.0,
            p99: number("p99") / 1000.0,
        })
    }

    /// Returns the `wrk` script that sends the requests of a file in turn.
    fn script(self, requests: &Path) -> String {
        // The unique numbers of each run differ from those of other runs.
        let send = r#"
math.randomseed(os.clock() * 1000000)
local all = {}
for line in io.lines(file) do
  local path, token, form = line:match('^(.-)\t(.-)\t(.*)$')
  local one = { method = 'GET', path = path, headers = {} }
  if token ~= '' then one.headers['Authorization'] = 'Bearer ' .. token end
  if form ~= '-' then
    one.method, one.body = 'POST', form
    one.headers['Content-Type'] = 'application/x-www-form-urlencoded'
  end
  all[#all + 1] = one
end
local run = os.time() .. '-' .. math.random(1000000)
request = function()
  n = n + 1
  local one = all[(n - 1) % #all + 1]
  local body = one.body and one.body:gsub('{}', run .. '-' .. n)
  return wrk.format(one.method, one.path, one.headers, body)
end
"#;
        let file = requests.display();
        format!("local file, n = '{file}', {}\n{send}{SUMMARY}", self.first)
    }
}

/// Writes one line for each request: path, token and form, separated by tabs. A script with many
/// requests would exceed the limits of Lua.
fn write_requests(out: &mut impl Write, scenario: &Scenario) -> io::Result<()> {
    for Request { path, token, form } in &scenario.requests {
        let token = token.as_deref().unwrap_or_default();
        writeln!(out, "{path}\t{token}\t{}", form.as_deref().unwrap_or("-"))?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_without_a_form_differs_from_one_with_an_empty_form() {
        let request = |token: Option<&str>, form: Option<&str>| Request {
            path: "/a".to_owned(),
            token: token.map(str::to_owned),
            form: form.map(str::to_owned),
        };
        let requests = vec![request(None, None), request(Some("t"), Some(""))];
        let scenario = Scenario { name: "some", detail: None, requests };
        let mut written = Vec::new();
        write_requests(&mut written, &scenario).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "/a\t\t-\n/a\tt\t\n");
    }
}
