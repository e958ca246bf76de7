/**
 * Search, with explanations.
 */
import type { Hit, ProjectView, RecallResponse, WhyTerm } from '@quipu/memory';
import { useEffect } from 'preact/hooks';
import { listProjects, recall } from './api.ts';
import { count, safeText, timeOf } from './format.ts';
import { load, loadable } from './load.ts';
import { Failure, Loading, Marked } from './pieces.tsx';
import { go, hrefOf, route } from './route.ts';

const answer = loadable<RecallResponse>();
const projects = loadable<{ projects: readonly ProjectView[] }>();

const KINDS = ['text', 'reasoning', 'tool_call', 'tool_result', 'memory'];

export function SearchView() {
  const { query } = route.value;
  const key = JSON.stringify(query);
  const search = (): void => {
    if ((query['q'] ?? '').trim() === '') answer.value = { state: 'idle' };
    else void load(answer, () => recall({ limit: '20', ...query }));
  };
  useEffect(search, [key]);
  useEffect(() => {
    if (projects.value.state === 'idle') void load(projects, listProjects);
  }, []);
  return (
    <>
      <h1 class="hidden">Search</h1>
      <SearchForm query={query} />
      <Results retry={search} />
    </>
  );
}

function SearchForm({ query }: { query: Readonly<Record<string, string>> }) {
  const known = projects.value.state === 'ready' ? projects.value.value.projects : [];
  const submit = (event: Event): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const next = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
    go(hrefOf('search', '', next));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: Safari gives <search> no role yet
    <form class="search" role="search" onSubmit={submit} key={JSON.stringify(query)}>
      <label class="hidden" for="query">
        What to look for
      </label>
      <input
        id="query"
        name="q"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder="What was decided, done, found …"
        defaultValue={query['q'] ?? ''}
      />
      <button type="submit">Search</button>
      <details class="filters" open={hasFilters(query)}>
        <summary>Filters</summary>
        <div class="fields">
          <label>
            Project
            <select name="project" defaultValue={query['project'] ?? ''}>
              <option value="">All</option>
              {known.map((each) => (
                <option key={each.id} value={each.id} selected={each.id === query['project']}>
                  {safeText(each.name)}
                </option>
              ))}
            </select>
          </label>
          <label>
            Kind
            <select name="kind">
              <option value="">All</option>
              {KINDS.map((kind) => (
                <option key={kind} value={kind} selected={kind === query['kind']}>
                  {kind.replace('_', ' ')}
                </option>
              ))}
            </select>
          </label>
          <label>
            Agent
            <input name="agent" defaultValue={query['agent'] ?? ''} autocomplete="off" />
          </label>
          <label>
            From
            <input name="after" type="date" defaultValue={query['after'] ?? ''} />
          </label>
          <label>
            Before
            <input name="before" type="date" defaultValue={query['before'] ?? ''} />
          </label>
        </div>
      </details>
    </form>
  );
}

const hasFilters = (query: Readonly<Record<string, string>>): boolean =>
  ['project', 'kind', 'agent', 'after', 'before'].some((name) => (query[name] ?? '') !== '');

function Results({ retry }: { retry: () => void }) {
  const now = answer.value;
  switch (now.state) {
    case 'idle':
      return <Teach />;
    case 'failed':
      return <Failure error={now.error} retry={retry} />;
    case 'loading':
      return now.previous === undefined ? (
        <Loading what="Searching" />
      ) : (
        <Hits response={now.previous} />
      );
    case 'ready':
      return <Hits response={now.value} />;
  }
}

function Teach() {
  return (
    <section class="teach">
      <h2>Ask what your agents already know</h2>
      <p>
        Plain words work best: <i>why do we not retry 403</i>. Put a phrase that must occur in
        “quotes”. Names of functions, files and errors are found as they are written.
      </p>
      <p class="quiet">
        Press <kbd>/</kbd> to search from anywhere, <kbd>?</kbd> for all keys.
      </p>
    </section>
  );
}

function Hits({ response }: { response: RecallResponse }) {
  return (
    <section aria-label="Results">
      <p class="quiet" role="status">
        {count(response.hits.length, 'result')} in {response.tookMs.toFixed(0)} ms · {response.mode}
      </p>
      {response.notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {response.hits.length === 0 ? (
        <p class="notice">Nothing found. Fewer or other words may help, or fewer filters.</p>
      ) : (
        <ol class="hits">
          {response.hits.map((hit) => (
            <HitItem key={hit.id} hit={hit} />
          ))}
        </ol>
      )}
    </section>
  );
}

function HitItem({ hit }: { hit: Hit }) {
  const who = hit.kind === 'text' ? hit.role : `${hit.role}, ${hit.kind.replace('_', ' ')}`;
  return (
    <li class="hit" data-item tabIndex={-1}>
      <h2>
        <a href={hrefOf('session', hit.sessionId, { at: hit.id })}>
          {safeText(hit.project ?? 'Unattributed')}
        </a>
        <span class="facts">
          {hit.agent} · {who} · {timeOf(hit.at)}
        </span>
      </h2>
      <div class="prose clip">
        <Marked text={hit.text} stems={hit.why.matched} />
      </div>
      {hit.copies.length > 0 ? <p class="quiet">{count(hit.copies.length, 'near-copy')}</p> : null}
      <details class="why">
        <summary>Why this · {hit.score.toFixed(2)}</summary>
        <WhyTable terms={hit.why.terms} />
      </details>
    </li>
  );
}

function WhyTable({ terms }: { terms: readonly WhyTerm[] }) {
  const most = Math.max(...terms.map((term) => Math.abs(term.value)), 0.0001);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Signal</th>
          <th scope="col">Adds</th>
          <th scope="col">Measured</th>
          <th scope="col">Rank</th>
        </tr>
      </thead>
      <tbody>
        {terms.map((term) => (
          <tr key={term.signal}>
            <th scope="row">{term.signal}</th>
            <td>
              <meter min={0} max={most} value={Math.abs(term.value)}>
                {term.value.toFixed(2)}
              </meter>{' '}
              {term.value.toFixed(2)}
            </td>
            <td>{term.raw.toFixed(3)}</td>
            <td>{term.rank ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
