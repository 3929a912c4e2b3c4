import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'deploy')

/** The parser of YAML that knip brings with it: the program itself reads none. */
const requireFromKnip = createRequire(createRequire(import.meta.url).resolve('knip'))
const yaml = requireFromKnip('yaml') as {
  parseAllDocuments(text: string, options: object): readonly { errors: readonly Error[]; toJS(): unknown }[]
}

export type Json = Readonly<Record<string, unknown>>

export const deployFiles: readonly string[] = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

export const readDeployFile = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** The documents of a YAML file; throws where it is not valid, or has a key twice. */
export const readYaml = (name: string): readonly Json[] =>
  yaml.parseAllDocuments(readDeployFile(name), { merge: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Json // checked where it is used
  })

/** Our containers of a file of compose or Kubernetes, in one form. */
export interface Container {
  readonly name: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const isOurs = (image: unknown): boolean => /^perihelion(?::|$)/.test(String(image))

export const composeServices = (name: string): Readonly<Record<string, Json>> =>
  readYaml(name)[0]?.services as Readonly<Record<string, Json>>

export const composeContainers = (name: string): readonly Container[] =>
  Object.entries(composeServices(name))
    .filter(([, { image, command }]) => isOurs(image) && command !== undefined)
    .map(([service, { command, environment = {} }]) => ({
      name: service,
      args: command as readonly string[],
      env: environment as Readonly<Record<string, string>>,
    }))

interface ContainerSpec extends Json {
  readonly name: string
  readonly image: string
  readonly args: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
}

export interface PodSpec {
  readonly enableServiceLinks?: boolean
  readonly containers: readonly ContainerSpec[]
  readonly initContainers?: readonly ContainerSpec[]
}

export const podsOf = (name: string): readonly PodSpec[] =>
  readYaml(name)
    .filter(({ kind }) => kind === 'StatefulSet')
    .map(({ spec }) => (spec as { template: { spec: PodSpec } }).template.spec)

export const kubernetesContainers = (name: string): readonly Container[] =>
  podsOf(name).flatMap(({ containers }) =>
    containers.map(({ name: container, args, env = [] }) => ({
      name: container,
      args,
      // Others come from a secret.
      env: Object.fromEntries(env.map((variable) => [variable.name, variable.value ?? 'a secret'])),
    })),
  )

/** The variables that the image sets, from its file. */
export const imageEnv = (): Readonly<Record<string, string>> => {
  const [, text = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(readDeployFile('Dockerfile')) ?? []
  return Object.fromEntries(
    [...text.matchAll(/(PERIHELION_\w+)=(\S*)/g)].map(([, name, value]) => [name, value]),
  )
}

/** Makes a folder for the path, with our program and others as scripts; returns it. */
export const makePrograms = (folder: string, scripts: Readonly<Record<string, string>> = {}): string => {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const perihelion = `exec '${process.execPath}' '${join(root, 'dist/cli/main.js')}' "$@"`
  for (const [name, script] of Object.entries({ perihelion, ...scripts })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}
