import type { CompletedCommand } from './words.ts'

/** Returns the words that may follow a command. */
const wordsOf = ({ flags, subcommands, choices }: CompletedCommand): string =>
  [...subcommands.map(({ name }) => name), ...choices, ...flags].join(' ')

/** Returns text as one word of a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Returns the branches of a `case` over `command subcommand`, the longer ones first. */
const branches = (commands: readonly CompletedCommand[], set: (words: string) => string): string =>
  commands
    .flatMap((command) => [
      ...command.subcommands.map(
        (sub) => `    ${quote(`${command.name} ${sub.name}`)}) ${set(wordsOf(sub))} ;;\n`,
      ),
      `    ${quote(command.name)}|${quote(`${command.name} `)}*) ${set(wordsOf(command))} ;;\n`,
    ])
    .join('')

const bash = (
  commands: readonly CompletedCommand[],
): string => `# perihelion completion for bash: eval "$(perihelion completion bash)"
_perihelion() {
  local current="\${COMP_WORDS[COMP_CWORD]}" given="" words=""
  if [ "$COMP_CWORD" -gt 1 ]; then given="\${COMP_WORDS[1]}"; fi
  if [ "$COMP_CWORD" -gt 2 ]; then given="$given \${COMP_WORDS[2]}"; fi
  case "$given" in
    '') words=${quote(commands.map(({ name }) => name).join(' '))} ;;
${branches(commands, (words) => `words=${quote(words)}`)}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _perihelion perihelion
`

const zsh = (commands: readonly CompletedCommand[]): string => `#compdef perihelion
# perihelion completion for zsh: eval "$(perihelion completion zsh)", after compinit
_perihelion() {
  local given=""
  local -a candidates
  if (( CURRENT > 2 )); then given="$words[2]"; fi
  if (( CURRENT > 3 )); then given="$given $words[3]"; fi
  case "$given" in
    '')
      candidates=(
${commands.map(({ name, about }) => `        ${quote(`${name}:${about.replaceAll(':', '\\:')}`)}\n`).join('')}      )
      _describe 'command' candidates
      return ;;
${branches(commands, (words) => `candidates=(${words})`)}  esac
  compadd -a candidates || _files
}
compdef _perihelion perihelion
`

const fish = (commands: readonly CompletedCommand[]): string => {
  const lines = ['# perihelion completion for fish: perihelion completion fish | source']
  for (const { name, about, subcommands, flags, choices } of commands) {
    lines.push(`complete -c perihelion -n __fish_use_subcommand -f -a ${name} -d ${quote(about)}`)
    const isSeen = quote(`__fish_seen_subcommand_from ${name}`)
    for (const sub of subcommands)
      lines.push(`complete -c perihelion -n ${isSeen} -f -a ${sub.name} -d ${quote(sub.about)}`)
    for (const choice of choices) lines.push(`complete -c perihelion -n ${isSeen} -f -a ${choice}`)
    const all = new Set([...flags, ...subcommands.flatMap((sub) => sub.flags)])
    for (const flag of all) lines.push(`complete -c perihelion -n ${isSeen} -l ${flag.slice(2)}`)
  }
  return `${lines.join('\n')}\n`
}

/** The script of each shell, from the commands. */
export const scripts = { bash, zsh, fish } as const
