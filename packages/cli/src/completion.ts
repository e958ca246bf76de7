/**
 * Completions for bash, zsh and fish, from the command tree itself.
 */
import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

type Words = { readonly name: string; readonly about: string; readonly words: readonly string[] };

export function completionScript(program: Command, shell: Shell): string {
  const commands = visible(program).map(
    (command): Words => ({
      name: command.name(),
      about: command.description(),
      words: [
        ...visible(command).map((each) => each.name()),
        ...optionsOf(command),
        ...visible(command).flatMap(optionsOf),
      ],
    }),
  );
  if (shell === 'bash') return bash(commands);
  return shell === 'zsh' ? zsh(commands) : fish(commands);
}

function visible(command: Command): Command[] {
  return command.commands.filter((each) => !each.name().startsWith('__'));
}

function optionsOf(command: Command): string[] {
  return command.options.flatMap((option) => (option.long === undefined ? [] : [option.long]));
}

function bash(commands: readonly Words[]): string {
  const cases = commands.map(
    ({ name, words }) => `    ${name}) words="${[...new Set(words)].join(' ')}" ;;`,
  );
  return [
    '_quipu() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" words',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${commands.map((command) => command.name).join(' ')}"`,
    '  else',
    '    case "${COMP_WORDS[1]}" in',
    ...cases,
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _quipu quipu',
    '',
  ].join('\n');
}

const quoteZsh = (text: string): string => text.replace(/'/g, "'\\''").replace(/:/g, '\\:');

function zsh(commands: readonly Words[]): string {
  const named = commands.map(({ name, about }) => `    '${name}:${quoteZsh(about)}'`);
  const cases = commands.map(
    ({ name, words }) => `    ${name}) compadd -- ${[...new Set(words)].join(' ')}; _files ;;`,
  );
  return [
    '#compdef quipu',
    '_quipu() {',
    '  local -a commands',
    '  commands=(',
    ...named,
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  case "$words[2]" in',
    ...cases,
    '  esac',
    '}',
    'compdef _quipu quipu',
    '',
  ].join('\n');
}

function fish(commands: readonly Words[]): string {
  const lines = commands.flatMap(({ name, about, words }) => {
    const quoted = about.replace(/'/g, "\\'");
    const options = [...new Set(words)].map((word) =>
      word.startsWith('--')
        ? `complete -c quipu -n '__fish_seen_subcommand_from ${name}' -l ${word.slice(2)}`
        : `complete -c quipu -n '__fish_seen_subcommand_from ${name}' -a ${word}`,
    );
    return [`complete -c quipu -n __fish_use_subcommand -a ${name} -d '${quoted}'`, ...options];
  });
  return [...lines, ''].join('\n');
}
