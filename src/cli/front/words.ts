/** The command lines that say what the program is, and need nothing of it. */
const answered = ['version', '--version', '-V', 'help', '--help', '-h']

/** Whether a command line is answered by a bundle of its own, because the program takes longer to load than to answer it. */
export const isAnsweredByFront = (words: readonly string[]): boolean =>
  words.length === 1 && answered.includes(words[0] as string) // it is there
