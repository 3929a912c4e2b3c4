/** Reads what of a Dockerfile can be run without a container: its stages, with their steps in order. */

export interface Step {
  /** `RUN`, `COPY` … */
  readonly name: string
  /** What follows, with lines that were continued as one. */
  readonly text: string
}

export interface Stage {
  readonly name: string
  /** The stage before it, or the image that it begins with. */
  readonly from: string
  readonly steps: readonly Step[]
}

const stepsOf = (text: string): readonly Step[] =>
  text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, name, rest] = /^([A-Z]+) +(.*)$/.exec(line.trim()) ?? []
      return name === undefined || rest === undefined ? [] : [{ name, text: rest }]
    })

/** Returns the stages. Arguments before the first of them have their defaults. */
export const parseDockerfile = (text: string): readonly Stage[] => {
  const defaults = new Map<string, string>()
  const stages: { name: string; from: string; steps: Step[] }[] = []
  for (const step of stepsOf(text)) {
    const stage = stages.at(-1)
    if (step.name === 'FROM') {
      const [from = '', , name = ''] = step.text.split(/ +/)
      stages.push({
        name,
        from: from.replace(/\$\{(\w+)\}/g, (_, argument) => defaults.get(argument) ?? ''),
        steps: [],
      })
    } else if (stage !== undefined) stage.steps.push(step)
    else if (step.name === 'ARG') {
      const [, argument = '', value = ''] = /^(\w+)=(.*)$/.exec(step.text) ?? []
      defaults.set(argument, value)
    }
  }
  return stages
}

/** Returns the variables of an `ENV` step. */
export const parseEnv = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S*)/g)].map(([, name, value]) => [name, value]))

/** Returns whether a path of the context is left out: the last pattern of the file that fits decides. */
export const readIgnored = (text: string): ((path: string) => boolean) => {
  const rules = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const isIgnored = !line.startsWith('!')
      const pattern = line.replace(/^!/, '').replace(/[.+^$()|[\]{}]/g, '\\$&')
      const expression = pattern.replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
      return { isIgnored, expression: new RegExp(`^${expression}(?:/|$)`) }
    })
  return (path) => rules.findLast(({ expression }) => expression.test(path))?.isIgnored ?? false
}
