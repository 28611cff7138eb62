//! A provider: the requests and checks of a sign-in.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use openidconnect::{
    AccessToken, AccessTokenHash, AuthType, AuthorizationCode, ClaimsVerificationError, ClientId,
    ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet, IssuerUrl, Nonce,
    OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope,
    SignatureVerificationError, TokenResponse as _,
    core::{
        CoreAuthPrompt, CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreIdToken,
        CoreIdTokenClaims, CoreIdTokenVerifier, CoreJwsSigningAlgorithm, CoreProviderMetadata,
        CoreUserInfoClaims,
    },
};
use serde::{Deserialize, Serialize};
use siskin_entities::{ExternalPerson, ExternalProvider, Timestamp};
use siskin_policy::external_login::{CLOCK_TOLERANCE, PROOF_PERIOD};

use super::{
    InvalidProvider, OpenIdError, ProviderConfig, client::ProviderClient, metadata::MetadataCache,
};
use crate::HttpClient;

/// Accepted signatures: those with a public key. With the others, everyone who knows the secret of
/// the client could sign.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];
/// Maximum length of the identifier of a person, in bytes (OpenID Connect Core 1.0, section 2).
const MAX_SUBJECT_BYTES: usize = 255;
/// Maximum length of other claims, in bytes. Longer ones count as absent, and so do those with
/// control characters.
const MAX_CLAIM_BYTES: usize = 320;

/// Client of the protocol library for one sign-in.
type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Secrets of one sign-in, which only the browser of the person may carry.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowSecrets {
    /// Comes back with the code.
    pub state: String,
    /// Comes back in the ID token.
    nonce: String,
    /// Proves that the code is exchanged by the server that asked for it.
    verifier: String,
}

impl fmt::Debug for FlowSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FlowSecrets")
    }
}

/// A sign-in that begins.
#[derive(Debug, Clone)]
pub struct StartedFlow {
    /// Address of the provider to which the browser goes.
    pub url: String,
    pub secrets: FlowSecrets,
}

/// A provider by which people sign in.
pub struct OpenIdProvider {
    shown: ExternalProvider,
    config: ProviderConfig,
    issuer: IssuerUrl,
    client: ProviderClient,
    metadata: MetadataCache,
}

impl fmt::Debug for OpenIdProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenIdProvider").field("config", &self.config).finish_non_exhaustive()
    }
}

impl OpenIdProvider {
    /// Checks the configuration of a provider. Sends no request.
    ///
    /// # Errors
    /// [`InvalidProvider`] names the first wrong value.
    pub fn new(http: &HttpClient, config: ProviderConfig) -> Result<Self, InvalidProvider> {
        let url = config.check()?;
        let client = ProviderClient::new(http, url).map_err(|_| InvalidProvider::Issuer)?;
        let issuer = IssuerUrl::new(config.issuer.clone()).map_err(|_| InvalidProvider::Issuer)?;
        let shown = ExternalProvider {
            id: config.id.clone(),
            name: config.name.clone(),
            issuer: config.issuer.clone(),
        };
        Ok(Self { shown, config, issuer, client, metadata: MetadataCache::default() })
    }

    /// Returns the provider as pages name it.
    #[must_use]
    pub const fn shown(&self) -> &ExternalProvider {
        &self.shown
    }

    /// Begins a sign-in that leads back to `redirect_uri`. `asks_again` makes the person sign in at
    /// the provider even if they are signed in there.
    ///
    /// # Errors
    /// [`OpenIdError`] if the provider is not known yet and does not answer properly.
    pub async fn begin(
        &self,
        redirect_uri: &str,
        asks_again: bool,
        now: Timestamp,
    ) -> Result<StartedFlow, OpenIdError> {
        let metadata = self.metadata.get(&self.client, &self.issuer, now).await?;
        let client = self.client_for(&metadata, redirect_uri)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let scopes = self.config.scopes.iter().filter(|scope| *scope != "openid");
        let mut request = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .add_scopes(scopes.cloned().map(Scope::new))
            .set_pkce_challenge(challenge);
        if asks_again {
            // The second makes the provider tell when the person signed in there.
            request = request.add_prompt(CoreAuthPrompt::Login).set_max_age(PROOF_PERIOD);
        }
        let (url, state, nonce) = request.url();
        let secrets = FlowSecrets {
            state: state.secret().clone(),
            nonce: nonce.secret().clone(),
            verifier: verifier.secret().clone(),
        };
        Ok(StartedFlow { url: url.into(), secrets })
    }

    /// Exchanges the code that the person brought back, and checks the answer: signature, issuer,
    /// audience, expiry and nonce of the ID token. Claims that it lacks come from the userinfo
    /// endpoint.
    ///
    /// # Errors
    /// [`OpenIdError`].
    pub async fn finish(
        &self,
        redirect_uri: &str,
        secrets: &FlowSecrets,
        code: String,
        now: Timestamp,
    ) -> Result<ExternalPerson, OpenIdError> {
        let metadata = self.metadata.get(&self.client, &self.issuer, now).await?;
        let client = self.client_for(&metadata, redirect_uri)?;
        let send = |request| self.client.send(request);
        let response = client
            .exchange_code(AuthorizationCode::new(code))?
            .set_pkce_verifier(PkceCodeVerifier::new(secrets.verifier.clone()))
            .request_async(&send)
            .await?;
        let missing = || OpenIdError::Invalid("there is no ID token".to_owned());
        let token = response.id_token().ok_or_else(missing)?;
        let access_token = response.access_token();
        let claims = match self.check(token, access_token, &client, secrets, now) {
            Err(ClaimsVerificationError::SignatureVerification(
                SignatureVerificationError::NoMatchingKey,
            )) => {
                // The provider may have changed its keys.
                let metadata =
                    self.metadata.newer_than(metadata, &self.client, &self.issuer, now).await?;
                let client = self.client_for(&metadata, redirect_uri)?;
                self.check(token, access_token, &client, secrets, now)?
            }
            checked => checked?,
        };
        let person = self.person_of(claims)?;
        if person.email.is_some() && person.username.is_some() {
            return Ok(person);
        }
        self.completed(person, claims, &client, access_token).await
    }

    fn client_for(
        &self,
        metadata: &Arc<CoreProviderMetadata>,
        redirect_uri: &str,
    ) -> Result<Client, OpenIdError> {
        let redirect_uri = RedirectUrl::new(redirect_uri.to_owned());
        let redirect_uri = redirect_uri.map_err(|error| OpenIdError::invalid(&error))?;
        let secret = self.config.client_secret.clone().map(ClientSecret::new);
        let client_id = ClientId::new(self.config.client_id.clone());
        let client = Client::from_provider_metadata(
            CoreProviderMetadata::clone(metadata),
            client_id,
            secret,
        );
        Ok(client.set_auth_type(auth_type(metadata)).set_redirect_uri(redirect_uri))
    }

    /// Checks an ID token (OpenID Connect Core 1.0, 3.1.3.7), and that the access token belongs to
    /// it.
    fn check<'t>(
        &self,
        token: &'t CoreIdToken,
        access_token: &AccessToken,
        client: &Client,
        secrets: &FlowSecrets,
        now: Timestamp,
    ) -> Result<&'t CoreIdTokenClaims, ClaimsVerificationError> {
        let clock = system_time(now.before(CLOCK_TOLERANCE));
        let verifier = client.id_token_verifier();
        let verifier = verifier.set_allowed_algs(ALGORITHMS).set_time_fn(move || clock.into());
        let claims = token.claims(&verifier, &Nonce::new(secrets.nonce.clone()))?;
        let is_for_us = |party: &ClientId| party.as_str() == self.config.client_id;
        if !claims.authorized_party().is_none_or(is_for_us) {
            return Err(ClaimsVerificationError::InvalidAudience("another azp".to_owned()));
        }
        check_access_token(token, claims, access_token, &verifier)?;
        Ok(claims)
    }

    fn person_of(&self, claims: &CoreIdTokenClaims) -> Result<ExternalPerson, OpenIdError> {
        let subject = claims.subject().as_str();
        if subject.is_empty() || subject.len() > MAX_SUBJECT_BYTES {
            return Err(OpenIdError::Invalid("the subject has a wrong length".to_owned()));
        }
        // PostgreSQL cannot store all of them.
        if subject.contains(char::is_control) {
            return Err(OpenIdError::Invalid("the subject has control characters".to_owned()));
        }
        let person = ExternalPerson {
            issuer: self.config.issuer.clone(),
            subject: subject.to_owned(),
            email: None,
            email_is_verified: false,
            username: claims.preferred_username().and_then(|name| claim(name.as_str())),
            authenticated_at: claims
                .auth_time()
                .map(|time| Timestamp::from_unix_ms(time.timestamp_millis())),
        };
        let email = claims.email().map(|email| email.as_str());
        Ok(self.with_email(person, email, claims.email_verified()))
    }

    /// Adds the claims that the ID token lacks. They must be about the same person.
    async fn completed(
        &self,
        person: ExternalPerson,
        claims: &CoreIdTokenClaims,
        client: &Client,
        access_token: &AccessToken,
    ) -> Result<ExternalPerson, OpenIdError> {
        if client.user_info_url().is_none() {
            return Ok(person);
        }
        // The library puts it into a header.
        if !access_token.secret().bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(OpenIdError::Invalid("the access token is malformed".to_owned()));
        }
        let send = |request| self.client.send(request);
        let subject = Some(claims.subject().clone());
        let request = client.user_info(access_token.clone(), subject)?;
        let found: CoreUserInfoClaims = request.request_async(&send).await?;
        let username = found.preferred_username().and_then(|name| claim(name.as_str()));
        let person = ExternalPerson { username: person.username.or(username), ..person };
        if person.email.is_some() {
            return Ok(person);
        }
        let email = found.email().map(|email| email.as_str());
        Ok(self.with_email(person, email, found.email_verified()))
    }

    fn with_email(
        &self,
        person: ExternalPerson,
        email: Option<&str>,
        verified: Option<bool>,
    ) -> ExternalPerson {
        let email = email.and_then(claim);
        let is_verified = verified == Some(true) && self.config.trusts_emails;
        ExternalPerson { email_is_verified: email.is_some() && is_verified, email, ..person }
    }
}

/// Checks that the access token was issued with the ID token, if the ID token tells that.
fn check_access_token(
    token: &CoreIdToken,
    claims: &CoreIdTokenClaims,
    access_token: &AccessToken,
    verifier: &CoreIdTokenVerifier<'_>,
) -> Result<(), ClaimsVerificationError> {
    let Some(expected) = claims.access_token_hash() else { return Ok(()) };
    let algorithm = token.signing_alg().map_err(ClaimsVerificationError::SignatureVerification)?;
    let key =
        token.signing_key(verifier).map_err(ClaimsVerificationError::SignatureVerification)?;
    match AccessTokenHash::from_token(access_token, algorithm, key) {
        Ok(actual) if actual == *expected => Ok(()),
        _ => Err(ClaimsVerificationError::Other("another access token".to_owned())),
    }
}

/// Returns a claim that is neither blank nor too long, and has no control characters.
fn claim(text: &str) -> Option<String> {
    let text = text.trim();
    let is_usable =
        !text.is_empty() && text.len() <= MAX_CLAIM_BYTES && !text.contains(char::is_control);
    is_usable.then(|| text.to_owned())
}

/// Returns how the client proves its identity: in a header, unless the provider accepts that only
/// in the body.
fn auth_type(metadata: &CoreProviderMetadata) -> AuthType {
    match metadata.token_endpoint_auth_methods_supported() {
        Some(methods)
            if !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
                && methods.contains(&CoreClientAuthMethod::ClientSecretPost) =>
        {
            AuthType::RequestBody
        }
        _ => AuthType::BasicAuth,
    }
}

fn system_time(time: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(time.unix_ms()).unwrap_or_default())
}
