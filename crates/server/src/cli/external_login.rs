//! Providers of external logins in the file and the environment.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use siskin_outbound::openid::ProviderConfig;
use siskin_policy::external_login::MAX_PROVIDERS;

use crate::Secret;

/// Variable with the ids of all providers, separated by commas.
const IDS: &str = "SISKIN_EXTERNAL_LOGINS";
/// Beginning of the variables of one provider. Its id and the name of the value follow.
const PREFIX: &str = "SISKIN_EXTERNAL_LOGIN_";
/// Scopes of the claims that a sign-up needs.
const SCOPES: [&str; 2] = ["profile", "email"];

/// A table `[[external_login]]` of the file. The variables of the same id override its values.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExternalLogin {
    id: String,
    name: Option<String>,
    issuer: Option<String>,
    client_id: Option<String>,
    client_secret: Option<Secret>,
    scopes: Option<Vec<String>>,
    trust_emails: Option<bool>,
}

/// Variables that were not read yet.
type Variables = BTreeMap<String, String>;

/// Merges the providers of the file with those of the environment. If the environment lists
/// providers, those of the file that it does not list are left out.
///
/// # Errors
/// The message names the provider, or the variable, that is wrong. It contains no secret.
pub(super) fn merge(
    filed: Vec<ExternalLogin>,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<Vec<ProviderConfig>> {
    let mut variables: Variables = environment
        .filter(|(name, value)| (name == IDS || name.starts_with(PREFIX)) && !value.is_empty())
        .collect();
    let listed = match variables.remove(IDS) {
        Some(list) => listed(&list, &filed),
        None => filed,
    };
    let merged = listed.into_iter().map(|provider| provider.overridden(&mut variables));
    let providers: Vec<ProviderConfig> = merged.collect::<Result<_>>()?;
    if let Some(unused) = variables.keys().next() {
        bail!("{unused} belongs to no provider: {IDS} must list its id");
    }
    require_different(&providers)?;
    Ok(providers)
}

/// Returns the providers with these ids, with the values of the file.
fn listed(list: &str, filed: &[ExternalLogin]) -> Vec<ExternalLogin> {
    let ids = list.split(',').map(str::trim).filter(|id| !id.is_empty());
    ids.map(|id| {
        let known = filed.iter().find(|provider| provider.id == id).cloned();
        known.unwrap_or_else(|| ExternalLogin { id: id.to_owned(), ..ExternalLogin::default() })
    })
    .collect()
}

fn require_different(providers: &[ProviderConfig]) -> Result<()> {
    ensure!(providers.len() <= MAX_PROVIDERS, "there are more than {MAX_PROVIDERS} providers");
    let mut ids = BTreeSet::new();
    let mut issuers = BTreeSet::new();
    for ProviderConfig { id, issuer, .. } in providers {
        ensure!(ids.insert(id), "there are two providers with the id {id:?}");
        // Their people could not be distinguished.
        ensure!(issuers.insert(issuer), "there are two providers with the issuer {issuer}");
    }
    Ok(())
}

impl ExternalLogin {
    /// Returns the provider with the values of its variables, which it removes.
    fn overridden(self, variables: &mut Variables) -> Result<ProviderConfig> {
        let variable = |value: &str| {
            format!("{PREFIX}{}_{value}", self.id.replace('-', "_").to_ascii_uppercase())
        };
        let mut take = |value: &str| variables.remove(&variable(value));
        let missing = |value: &str| format!("the provider {:?} lacks {}", self.id, variable(value));
        let secret = take("CLIENT_SECRET").or(self.client_secret.clone().map(Secret::into_text));
        let scopes = take("SCOPES").map(|list| words(&list)).or(self.scopes.clone());
        let provider = ProviderConfig {
            name: take("NAME").or(self.name.clone()).unwrap_or_else(|| self.id.clone()),
            issuer: take("ISSUER").or(self.issuer.clone()).with_context(|| missing("ISSUER"))?,
            client_id: take("CLIENT_ID")
                .or(self.client_id.clone())
                .with_context(|| missing("CLIENT_ID"))?,
            client_secret: secret.filter(|secret| !secret.is_empty()),
            scopes: scopes.unwrap_or_else(|| SCOPES.map(str::to_owned).into()),
            trusts_emails: match take("TRUST_EMAILS") {
                Some(text) => is_true(&text).with_context(|| {
                    format!("{} must be true or false", variable("TRUST_EMAILS"))
                })?,
                None => self.trust_emails.unwrap_or_default(),
            },
            id: self.id.clone(),
        };
        provider.validate().with_context(|| format!("the provider {:?}", self.id))?;
        Ok(provider)
    }
}

/// Returns the entries of a list that are separated by spaces or commas.
fn words(list: &str) -> Vec<String> {
    let words = list.split([' ', ',']).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn is_true(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Some(true),
        "false" | "off" | "no" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct File {
        external_login: Vec<ExternalLogin>,
    }

    fn filed(text: &str) -> Vec<ExternalLogin> {
        toml::from_str::<File>(text).unwrap().external_login
    }

    fn merged(file: &str, variables: &[(&str, &str)]) -> Result<Vec<ProviderConfig>> {
        let filed = if file.is_empty() { Vec::new() } else { filed(file) };
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        merge(filed, variables)
    }

    const FILE: &str = "[[external_login]]\nid = \"main\"\nissuer = \"https://id.example\"\n\
                        client_id = \"siskin\"\nclient_secret = \"hidden\"\n";

    #[test]
    fn without_values_there_are_no_providers() {
        assert!(merged("", &[("SISKIN_EXTERNAL_ONLY", "false")]).unwrap().is_empty());
        assert!(merged("", &[(IDS, "")]).unwrap().is_empty());
    }

    #[test]
    fn a_provider_of_the_file_has_defaults() {
        let [provider] = &*merged(FILE, &[]).unwrap() else { panic!("not one") };
        assert_eq!((&*provider.id, &*provider.name), ("main", "main"));
        assert_eq!(provider.client_secret.as_deref(), Some("hidden"));
        assert_eq!(provider.scopes, SCOPES);
        assert!(!provider.trusts_emails);
    }

    #[test]
    fn variables_define_one_or_several_providers() {
        let providers = merged(
            "",
            &[
                (IDS, "main, at-work"),
                ("SISKIN_EXTERNAL_LOGIN_MAIN_ISSUER", "https://id.example"),
                ("SISKIN_EXTERNAL_LOGIN_MAIN_CLIENT_ID", "siskin"),
                ("SISKIN_EXTERNAL_LOGIN_AT_WORK_ISSUER", "https://work.example/"),
                ("SISKIN_EXTERNAL_LOGIN_AT_WORK_CLIENT_ID", "a"),
                ("SISKIN_EXTERNAL_LOGIN_AT_WORK_CLIENT_SECRET", "b"),
                ("SISKIN_EXTERNAL_LOGIN_AT_WORK_NAME", "Work"),
                ("SISKIN_EXTERNAL_LOGIN_AT_WORK_SCOPES", "email"),
                ("SISKIN_EXTERNAL_LOGIN_AT_WORK_TRUST_EMAILS", "true"),
            ],
        );
        let [main, work] = &*providers.unwrap() else { panic!("not two") };
        assert_eq!(
            (&*main.id, &*main.issuer, &main.client_secret),
            ("main", "https://id.example", &None)
        );
        assert_eq!(
            (&*work.id, &*work.name, &*work.issuer),
            ("at-work", "Work", "https://work.example/")
        );
        assert_eq!((work.client_secret.as_deref(), work.trusts_emails), (Some("b"), true));
        assert_eq!(work.scopes, ["email"]);
    }

    #[test]
    fn variables_override_the_file() {
        let secret = ("SISKIN_EXTERNAL_LOGIN_MAIN_CLIENT_SECRET", "other");
        let [provider] = &*merged(FILE, &[secret]).unwrap() else { panic!("not one") };
        assert_eq!(provider.client_secret.as_deref(), Some("other"));
        let [provider] = &*merged(FILE, &[(IDS, "main")]).unwrap() else { panic!("not one") };
        assert_eq!(provider.client_id, "siskin");
    }

    #[test]
    fn errors_name_what_is_wrong_and_no_secret() {
        let other = format!("{FILE}{}", FILE.replace("main", "other"));
        for (file, variables, expected) in [
            ("", vec![(IDS, "main")], "SISKIN_EXTERNAL_LOGIN_MAIN_ISSUER"),
            (
                FILE,
                vec![("SISKIN_EXTERNAL_LOGIN_MIAN_NAME", "x")],
                "SISKIN_EXTERNAL_LOGIN_MIAN_NAME",
            ),
            (FILE, vec![("SISKIN_EXTERNAL_LOGIN_MAIN_ISSUER", "http://id.example")], "https://"),
            (FILE, vec![("SISKIN_EXTERNAL_LOGIN_MAIN_TRUST_EMAILS", "maybe")], "true or false"),
            (FILE, vec![(IDS, "main,main")], "two providers"),
            (FILE, vec![("SISKIN_EXTERNAL_LOGIN_MAIN_CLIENT_SECRET", "hid den")], "client secret"),
            (&other, vec![], "the issuer"),
        ] {
            let error = format!("{:#}", merged(file, &variables).unwrap_err());
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains("hid"), "{error}");
        }
    }

    #[test]
    fn unknown_keys_of_the_file_are_refused() {
        assert!(toml::from_str::<ExternalLogin>("id = \"a\"\nissuers = \"b\"").is_err());
        assert!(toml::from_str::<ExternalLogin>("issuer = \"b\"").is_err());
    }
}
