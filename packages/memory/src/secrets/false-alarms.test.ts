/** Claims about what is left alone: ordinary text of development that only resembles secrets. */
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redactor.ts';

const ORDINARY: readonly string[] = [
  // digests and ids
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'HEAD is now at 9fceb02 Fix the token parser',
  'id: 550e8400-e29b-41d4-a716-446655440000',
  'sessionId":"01a2302b-d480-7793-886b-3497e11cbe1e","cwd":"/home/dev"',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  archive.tar.gz',
  '"integrity": "sha512-' +
    'Xn5oCzXHtUZ3vsgIYuYsVmZ5Y6kYVt5Cx6pqN2HU9xkWmHBcIGU7Zbf9Pw5m5Xl5yQ0s3Y1u2i3o4p5a6s7d8f9g=="',
  '"resolved": "https://registry.example.org/@types/node/-/node-20.19.43.tgz"',
  'GIT_COMMIT=9fceb02d0ae598e95dc970b74767f19372d61af8',
  'BUILD_HASH=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"',
  'toolu_01A09q90qw90lq917835lq9',
  'call_abc123DEF456ghi789JKL012',
  'msg_01XFDUDYJgAACzvnptvVoYEL',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUl' +
    'EQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'docker pull node@sha256:2c5e1a1e0e0a5f5a6f1a6b0a2c5e1a1e0e0a5f5a6f1a6b0a2c5e1a1e0e0a5f5a',
  // stand-ins
  'api_key: your-api-key',
  'API_KEY=your_api_key_here',
  'export OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'TOKEN=xxxxxxxxxxxxxxxx',
  'GITHUB_TOKEN=$GITHUB_TOKEN',
  'GITHUB_TOKEN=${GITHUB_TOKEN:-}',
  'token: ${{ secrets.GITHUB_TOKEN }}',
  'password: {{ vault_password }}',
  'password: <password>',
  'DB_PASSWORD=changeme',
  'SECRET_KEY=replace-me-with-a-secret',
  'password = "********"',
  'apiKey: "..."',
  'PASSWORD=%DB_PASSWORD%',
  'curl -H "Authorization: Bearer $TOKEN" https://api.example.com',
  'Authorization: Bearer <token>',
  'Authorization: Bearer YOUR_TOKEN',
  'curl -u "$USER:$PASS" https://example.com',
  'postgres://user:password@localhost:5432/app',
  'postgres://${DB_USER}:${DB_PASS}@${DB_HOST}/app',
  'https://<user>:<password>@example.com',
  'DB_PASSWORD=op://vault1/database/password9',
  'APP_PASSWORD=$APP_PASS9',
  'MAIL_PASSWORD=mail_password',
  'const apiKey1 = config.defaultApiKey1',
  // code
  'const token = getToken();',
  'const token = await auth.getAccessToken({ scope });',
  'apiKey: process.env.API_KEY,',
  'api_key=os.environ["API_KEY"]',
  'password = input("Password: ")',
  'this.accessToken = response.data.accessToken;',
  'interface Login { user: string; password: string; token?: string | undefined }',
  'function login(user: string, password: string): Promise<Token> {',
  'def connect(host, password=None, token="")',
  'if (password !== confirmPassword) throw new Error("Passwords do not match");',
  'updated.exclamationToken = original.exclamationToken;',
  'const secret = deriveSecret2(masterKey, salt);',
  'password: userPass[2]',
  'exports.startAuthorization = prepareAuthorizationCodeRequest;',
  'tokenType: "Bearer",',
  '{ "max_tokens": 4096, "input_tokens": 12045, "output_tokens": 310 }',
  'nextPageToken: "CAUQAA5kZWZhdWx0MTIz"',
  'const PASSWORD_MIN_LENGTH = 12;',
  '<input type="password" name="password" placeholder="Password" />',
  'label: "Forgot password?", token: "punctuation"',
  'export class SecretManager extends TokenStore { private secretKey: SecretKey }',
  'key: value-with-dashes-and-words-1',
  'primaryKey: "user_account_id_123"',
  'public_key: "BPubKeyNotASecret0123456789abcdef"',
  'secretName: my-app-tls-secret',
  'PASSWORD_FILE=/run/secrets/db_password',
  'TOKEN_PATH=/var/run/secrets/kubernetes.io/serviceaccount/token',
  'private_key_path: ~/.ssh/id_ed25519',
  'AUTH_URL=https://auth.example.com/realms/main',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
  'The token is passed to the parser, which decides: keyword, name or number.',
  'password: the password of the user, at least 8 characters',
  'Error: invalid token: unexpected end of JSON input',
  'Basic authentication is described in the documentation',
  'use --password to set it, or --token-file for the token',
  '-----BEGIN PRIVATE KEY----- is how a block starts, -----END PRIVATE KEY----- how it ends',
  '-----BEGIN PUBLIC KEY-----\n' +
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEabcdefghijklmnopqrstuvwxyz0123\n-----END PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----\n' +
    'MIIBszCCAVmgAwIBAgIUabcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH\n-----END CERTIFICATE-----',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5h3uQ0mN4nJ8kq2x1v7c6b5a4s3d2f1g0h9j8k7l6m dev@box',
  'packages/memory/src/secrets/redactor.test.ts:42:13',
  'https://github.com/owner/repo/commit/9fceb02d0ae598e95dc970b74767f19372d61af8',
  'git@github.com:owner/repo.git',
  'ssh://git@github.com/owner/repo.git',
  'npm i @scope/package@1.2.3',
  'mail dev@example.com or https://example.com/@user/profile',
  'http://localhost:3000/path@2x.png',
  'aGVsbG8gd29ybGQsIHRoaXMgaXMganVzdCBhIHRleHQ=',
  'sk-learn and sk_buff are names; eyJ is how base64 of {" begins',
  'Cookie: theme=dark; lang=en-GB',
  'Set-Cookie: sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
  'AccountKey= is the part of a connection string that must be kept secret',
  'type AKIA followed by sixteen characters',
];

const redactor = createRedactor();

describe('ordinary text stays as it is', () => {
  it.each(ORDINARY)('%s', (text) => {
    expect(redactor.redact(text)).toEqual({ text, counts: {} });
  });

  it('in one long text too, where each line is next to others', () => {
    const text = ORDINARY.join('\n');
    expect(redactor.redact(text)).toEqual({ text, counts: {} });
  });

  it('has at least sixty cases', () => {
    expect(new Set(ORDINARY).size).toBeGreaterThanOrEqual(60);
  });
});
