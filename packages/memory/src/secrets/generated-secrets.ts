/**
 * Test support: secrets of many kinds from a seed, each in the surroundings where people and
 * programs leave them. Nothing here was ever valid anywhere.
 *
 * `text` goes into a transcript; `secret` is the value; `marks` are the pieces of which no 12
 * characters may be found anywhere afterwards (the random part, and its encoded form).
 */
import { type Random, seededRandom } from '@quipu/base';

export type GeneratedSecret = {
  readonly kind: string;
  readonly surroundings: string;
  readonly secret: string;
  readonly text: string;
  readonly marks: readonly string[];
};

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALNUM = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const HEX = '0123456789abcdef';
const BASE64 = `${ALNUM}+/`;
const URL_SAFE = `${ALNUM}-_`;
const UPPER32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const chars = (random: Random, alphabet: string, count: number): string =>
  Array.from({ length: count }, () => alphabet[random.below(alphabet.length)]).join('');

/** `#a36`: 36 letters and digits; `#h` hex, `#b` base64, `#u` URL-safe, `#U` base 32, `#d` 1–9. */
function fill(random: Random, form: string): string {
  const alphabets: Record<string, string> = {
    a: ALNUM,
    h: HEX,
    b: BASE64,
    u: URL_SAFE,
    U: UPPER32,
    d: '123456789',
  };
  return form.replace(/#([ahbuUd])(\d+)/g, (_, name: string, count: string) =>
    chars(random, alphabets[name] ?? ALNUM, Number(count)),
  );
}

/** Kinds that are known by their own form. */
const TOKENS: Readonly<Record<string, string>> = {
  'github-classic': 'ghp_#a36',
  'github-fine': 'github_pat_#a22_#a59',
  'github-app': 'ghs_#a36',
  gitlab: 'glpat-#a20',
  'slack-bot': 'xoxb-#d12-#d12-#a24',
  'slack-webhook': 'https://hooks.slack.com/services/T#U8/B#U8/#a24',
  npm: 'npm_#a36',
  pypi: 'pypi-AgEIcHlwaS5vcmc#u80',
  openai: 'sk-proj-#a48',
  'openai-old': 'sk-#a48',
  anthropic: 'sk-ant-api03-#u93AA',
  huggingface: 'hf_#a34',
  'aws-key-id': 'AKIA#U16',
  google: 'AIza#u35',
  stripe: 'sk_live_#a24',
  square: 'sq0atp-#a22',
  shopify: 'shpat_#h32',
  sendgrid: 'SG.#a22.#a43',
  twilio: 'SK#h32',
  mailgun: 'key-#h32',
  telegram: '#d10:AA#a33',
  discord: 'M#a25.#a6.#a38',
  digitalocean: 'dop_v1_#h64',
  databricks: 'dapi#h32',
  heroku: 'HRKU-#a40',
  onepassword: 'ops_eyJ#a120',
  vault: 'hvs.#a24',
  jwt: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ#a60.#u43',
  azure: 'AccountKey=#b86==',
  age: 'AGE-SECRET-KEY-1#U58',
};

/** How a token stands in a transcript. `@` is the token. */
const TOKEN_SURROUNDINGS: Readonly<Record<string, (token: string, random: Random) => string>> = {
  prompt: (t) => `please use ${t} when you call it, thanks`,
  'tool result': (t) => `> curl https://api.example.com/v1\n{"ok":true,"credential":"${t}"}\n`,
  'environment dump': (t) => `HOME=/home/dev\nSERVICE_TOKEN=${t}\nSHELL=/bin/bash\nLANG=C.UTF-8`,
  'json escape': (t) => JSON.stringify({ command: `cat .env\nVALUE=1\n${t}\nexit` }),
  colour: (t) => `\u001b[32m${t}\u001b[0m copied`,
  base64: (t) => `data: ${Buffer.from(`value=${t};`).toString('base64')}\n`,
  'base64 twice': (t) =>
    Buffer.from(Buffer.from(`the key: ${t}`).toString('base64')).toString('base64'),
  'query string': (t) => `GET /hook?name=x&credential=${t}&y=1 HTTP/1.1`,
  'continued line': (t, random) => {
    const at = t.length - 8 - random.below(6);
    return `export KEY=${t.slice(0, at)}\\\n${t.slice(at)}\necho done`;
  },
  'wrapped line': (t, random) => {
    const at = t.length - 9 - random.below(6);
    return `the value is ${t.slice(0, at)}\n${t.slice(at)}\nand that is all`;
  },
  'joined quotes': (t, random) => {
    const at = t.length - 8 - random.below(6);
    return `const key = "${t.slice(0, at)}" +\n    "${t.slice(at)}";`;
  },
};

/** Kinds that are known by where they stand. */
const PLACED: Readonly<Record<string, (random: Random) => readonly [string, string]>> = {
  'url-password': (r) => {
    const p = chars(r, ALNUM, 16);
    return [p, `DATABASE at postgres://app:${p}@db.internal:5432/app?sslmode=require`];
  },
  'http-user': (r) => {
    const p = chars(r, ALNUM, 20);
    return [p, `git clone https://bot:${p}@git.example.com/team/repo.git`];
  },
  'redis-password': (r) => {
    const p = chars(r, URL_SAFE, 18);
    return [p, `"cache": "redis://:${p}@10.0.0.5:6379/0"`];
  },
  'env-password': (r) => {
    const p = `${chars(r, ALNUM, 14)}7x`;
    return [p, `USER=dev\nDB_PASSWORD=${p}\nPWD=/srv/app\nTERM=xterm`];
  },
  'yaml-password': (r) => {
    const p = `${chars(r, ALNUM, 13)}3k`;
    return [p, `database:\n  user: app\n  password: ${p}\n  port: 5432\n`];
  },
  'json-api-key': (r) => {
    const p = chars(r, ALNUM, 32);
    return [p, `{\n  "apiKey": "${p}",\n  "region": "eu"\n}`];
  },
  'escaped-json': (r) => {
    const p = chars(r, ALNUM, 28);
    return [p, JSON.stringify({ output: JSON.stringify({ client_secret: p, n: 1 }) })];
  },
  dotenv: (r) => {
    const p = chars(r, ALNUM, 40);
    return [p, `# .env\nPORT=3000\nSESSION_SECRET="${p}"\n`];
  },
  flag: (r) => {
    const p = chars(r, ALNUM, 18);
    return [p, `$ deploy --user app --password ${p} --region eu-1`];
  },
  'curl-user': (r) => {
    const p = chars(r, ALNUM, 18);
    return [p, `curl -s -u admin:${p} https://registry.example.com/v2/`];
  },
  bearer: (r) => {
    const p = chars(r, ALNUM, 40);
    return [p, `curl -H "Authorization: Bearer ${p}" https://api.example.com`];
  },
  basic: (r) => {
    const p = chars(r, ALNUM, 16);
    return [p, `Authorization: Basic ${Buffer.from(`admin:${p}`).toString('base64')}`];
  },
  cookie: (r) => {
    const p = chars(r, ALNUM, 32);
    return [p, `Cookie: theme=dark; session=${p}; lang=en`];
  },
  'aws-pair': (r) => {
    const p = chars(r, BASE64, 40);
    return [
      p,
      `[default]\naws_access_key_id = AKIA${chars(r, UPPER32, 16)}\naws_secret_access_key = ${p}\n`,
    ];
  },
  'aws-pair, unnamed': (r) => {
    const p = chars(r, BASE64, 40);
    return [p, `User,Id,Value\ndev,AKIA${chars(r, UPPER32, 16)},${p}\n`];
  },
  'azure-sas': (r) => {
    const p = `${chars(r, ALNUM, 43)}%3D`;
    return [p, `https://acct.blob.core.windows.net/c?sv=2023&sp=r&sig=${p}&se=2027`];
  },
  'high-entropy': (r) => {
    const p = `${chars(r, ALNUM, 40)}4aB9`;
    return [p, `PATH=/usr/bin\nBLOB=${p}\nEDITOR=vi`];
  },
  netrc: (r) => {
    const p = chars(r, ALNUM, 20);
    return [p, `machine api.example.com\n  login dev\n  password ${p}\n`];
  },
};

const PEM_NAMES = ['RSA PRIVATE KEY', 'PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY'];

const PEM_SURROUNDINGS: Readonly<Record<string, (pem: string) => string>> = {
  file: (pem) => `$ cat key.pem\n${pem}\n$ ls`,
  escaped: (pem) => JSON.stringify({ type: 'service_account', private_key: `${pem}\n`, n: 1 }),
  'line numbers': (pem) =>
    pem
      .split('\n')
      .map((line, i) => `${String(i + 1).padStart(6)}→${line}`)
      .join('\n'),
  quoted: (pem) =>
    pem
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n'),
  truncated: (pem) => `head -5 key.pem\n${pem.split('\n').slice(0, 5).join('\n')}\n$ echo ok`,
  tail: (pem) => `tail -4 key.pem\n${pem.split('\n').slice(-4).join('\n')}\n$ echo ok`,
  base64: (pem) => `kubectl: tls.key: ${Buffer.from(pem).toString('base64')}`,
};

function generatePem(random: Random, surroundings: string): GeneratedSecret {
  const name = random.pick(PEM_NAMES);
  const lines = Array.from({ length: 8 }, () => chars(random, BASE64, 64));
  const body = [...lines, `${chars(random, BASE64, 22)}==`].join('\n');
  const pem = `-----BEGIN ${name}-----\n${body}\n-----END ${name}-----`;
  const text = (PEM_SURROUNDINGS[surroundings] ?? ((p: string) => p))(pem);
  const marks = lines.filter((line) => text.includes(line));
  return { kind: 'private-key', surroundings, secret: pem, text, marks };
}

/** `perKind` of each kind (57 kinds of them), in an order that the seed decides. */
export function generateSecrets(seed: number, perKind = 20): GeneratedSecret[] {
  const random = seededRandom(seed);
  const all: GeneratedSecret[] = [];
  const around = Object.entries(TOKEN_SURROUNDINGS);
  for (const [kind, form] of Object.entries(TOKENS)) {
    for (let i = 0; i < perKind; i += 1) {
      const secret = fill(random, form);
      const [surroundings, place] = around[i % around.length] ?? ['bare', (t: string) => t];
      const text = place(secret, random);
      all.push({ kind, surroundings, secret, text, marks: marksOf(secret, text) });
    }
  }
  for (const [kind, make] of Object.entries(PLACED)) {
    for (let i = 0; i < perKind; i += 1) {
      const [secret, text] = make(random);
      all.push({ kind, surroundings: 'its own', secret, text, marks: marksOf(secret, text) });
    }
  }
  const pems = Object.keys(PEM_SURROUNDINGS);
  for (let i = 0; i < perKind; i += 1) all.push(generatePem(random, pems[i % pems.length] ?? ''));
  return all;
}

function marksOf(secret: string, text: string): string[] {
  const body = secret.replace(/^(?:https:\/\/hooks\.slack\.com\/services\/|[A-Za-z]+Key=)/, '');
  const runs = text.match(/[A-Za-z0-9+/]{24,}={0,2}/g) ?? [];
  return [
    body,
    ...runs.filter((run) => !text.includes(secret) && !secret.includes(run) && isEncoded(run)),
  ];
}

function isEncoded(run: string): boolean {
  return /^[\x20-\x7e]+$/.test(Buffer.from(run, 'base64').toString('latin1'));
}

/** What every token of a kind begins with is no secret. */
const FIXED_STARTS = [
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\\.',
  'pypi-AgEIcHlwaS5vcmc',
  'AGE-SECRET-KEY-1',
  'sk-ant-api03-',
  'github_pat_',
];

/** Every 12-character piece of the marks that `haystack` holds; empty when all is gone. */
export function survivors(secret: GeneratedSecret, haystack: string): string[] {
  const found: string[] = [];
  for (const mark of secret.marks) {
    const literal = mark.replace(new RegExp(`^(?:${FIXED_STARTS.join('|')})`), '');
    for (let at = 0; at + 12 <= literal.length; at += 1) {
      const piece = literal.slice(at, at + 12);
      if (haystack.includes(piece)) found.push(piece);
    }
  }
  return found;
}
