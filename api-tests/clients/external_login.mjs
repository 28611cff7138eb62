// Starts oidc-provider, a certified OpenID provider from npm, on loopback.
//
// node external_login.mjs PACKAGES PORT KIND REDIRECT_URI
//
// PACKAGES is the folder with node_modules. The provider knows everyone: its page takes any name.
// KIND is `usual`, with claims at the userinfo endpoint, signatures by RSA and the secret in a
// header, or `full`, with everything in the ID token, signatures by a curve and the secret in the
// body. Each start has new keys. Prints `ready` when it listens.
import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const PEM = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
};
const KINDS = {
  usual: {
    algorithm: 'RS256',
    generate: () => generateKeyPairSync('rsa', { modulusLength: 2048, ...PEM }),
    authentication: 'client_secret_basic',
    conformIdTokenClaims: true,
  },
  full: {
    algorithm: 'ES256',
    generate: () => generateKeyPairSync('ec', { namedCurve: 'P-256', ...PEM }),
    authentication: 'client_secret_post',
    conformIdTokenClaims: false,
  },
};

// Returns a new private key as a JWK. It goes through PEM, because Node.js waits for ever if it frees
// the job that generated a key while it exports that key.
function newKey(kind) {
  return createPrivateKey(KINDS[kind].generate().privateKey).export({ format: 'jwk' });
}

// Returns a provider with this address and one client, which returns to `redirectUri`.
export async function build(packages, issuer, kind, redirectUri) {
  const module = pathToFileURL(`${packages}/node_modules/oidc-provider/lib/index.js`);
  const { default: Provider } = await import(module);
  const { algorithm, authentication, conformIdTokenClaims } = KINDS[kind];
  const key = { ...newKey(kind), alg: algorithm, use: 'sig' };
  const keys = [{ ...key, kid: randomUUID() }];
  // The provider demands an RSA key, because RS256 is the default of clients.
  if (algorithm !== 'RS256') {
    keys.push({ ...newKey('usual'), alg: 'RS256', use: 'sig', kid: randomUUID() });
  }
  return new Provider(issuer, {
    clients: [
      {
        client_id: 'siskin',
        client_secret: 'secret-of-the-tests',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: authentication,
        id_token_signed_response_alg: algorithm,
      },
    ],
    clientAuthMethods: [authentication],
    conformIdTokenClaims,
    claims: { email: ['email', 'email_verified'], profile: ['preferred_username'] },
    cookies: { keys: [randomUUID()] },
    findAccount: (_, name) => ({ accountId: name, claims: () => claimsOf(name) }),
    features: { devInteractions: { enabled: true } },
    jwks: { keys },
    pkce: { required: () => true },
  });
}

// People with names of this form have no verified address.
function claimsOf(name) {
  const email_verified = !name.startsWith('unverified');
  return { sub: name, preferred_username: name, email: `${name}@people.example`, email_verified };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [packages, port, kind, redirectUri] = process.argv.slice(2);
  const provider = await build(packages, `http://127.0.0.1:${port}`, kind, redirectUri);
  createServer(provider.callback()).listen(Number(port), '127.0.0.1', () => console.log('ready'));
}
