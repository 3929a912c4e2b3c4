// The steps of deploy/Dockerfile, read from the file, run in chroots that debootstrap makes, where no container can be built: each
// stage as the image would have it, and then what the image starts, its health check and its end. It needs root, debootstrap, npm and Go.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root as project, readDeployFile } from '../files.ts'
import { copyPaths } from './copy.ts'
import { parseDockerfile, parseEnv, readIgnored, type Stage } from './dockerfile.ts'
import { copyTree, Roots, runIn } from './roots.ts'
import { type Image, startImage, withHome } from './startImage.ts'

const folder = mkdtempSync(join(tmpdir(), 'perihelion-image-'))
const roots = new Roots(folder)
const isIgnored = readIgnored(readDeployFile('Dockerfile.dockerignore'))
const images = new Map<string, Image>()
const timings: string[] = []
const mounted: string[] = []
let passed = 0

const say = (text: string): void => console.log(text)

/** Says what is done, does it, and counts it. */
const check = async (what: string, run: () => void | Promise<void>): Promise<void> => {
  say(`-- ${what}`)
  const started = performance.now()
  await run()
  timings.push(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${what}`)
  passed++
}

const begin = ({ from, name }: Stage): Image => {
  const before = images.get(from)
  if (before === undefined)
    return {
      ...roots.create(from, name),
      workFolder: '/',
      user: 'root',
      entrypoint: [],
      command: [],
      check: [],
    }
  const root = join(folder, name)
  copyTree(before.root, root)
  return { ...before, root, env: { ...before.env } }
}

const listOf = (text: string): readonly string[] => JSON.parse(text) as string[]

/** Runs one step; returns the image after it. */
const take = (image: Image, name: string, text: string): Image => {
  const inRoot = (path: string) =>
    join(image.root, path.startsWith('/') ? path : join(image.workFolder, path))
  switch (name) {
    case 'WORKDIR':
      mkdirSync(inRoot(text), { recursive: true })
      return { ...image, workFolder: text }
    case 'COPY': {
      const [, stage, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(text) ?? []
      const words = paths.split(/ +/)
      const to = inRoot(words.at(-1) as string) + (/\/$/.test(paths) ? '/' : '')
      const from = words.slice(0, -1)
      if (stage !== undefined) copyPaths((images.get(stage) as Image).root, from, to)
      else copyPaths(project, from, to, isIgnored)
      return image
    }
    case 'RUN': {
      const inFolder = `cd '${image.workFolder}' && ${text}`
      runIn('chroot', [`--userspec=${image.user}`, image.root, '/bin/sh', '-c', inFolder], {
        env: withHome(image),
      })
      return image
    }
    case 'USER':
      return { ...image, user: text }
    case 'ENV':
      return { ...image, env: { ...image.env, ...parseEnv(text) } }
    case 'ENTRYPOINT':
      return { ...image, entrypoint: listOf(text) }
    case 'CMD':
      return { ...image, command: listOf(text) }
    case 'HEALTHCHECK':
      return { ...image, check: listOf(text.slice(text.indexOf('['))) }
    default:
      // VOLUME, EXPOSE and STOPSIGNAL are for whoever runs the image.
      return image
  }
}

try {
  for (const stage of parseDockerfile(readDeployFile('Dockerfile'))) {
    let image: Image | undefined
    await check(`${stage.name}: from ${stage.from}`, () => {
      image = begin(stage)
      runIn('mount', ['-t', 'proc', 'proc', join(image.root, 'proc')])
      mounted.push(join(image.root, 'proc'))
    })
    for (const { name, text } of stage.steps)
      await check(`${stage.name}: ${name} ${text}`, () => {
        image = take(image as Image, name, text)
      })
    images.set(stage.name, image as Image)
  }
  await check('node: what it starts serves, is healthy, and ends on a signal', () =>
    startImage(images.get('node') as Image, []),
  )
  await check('validator: the same under CometBFT', () =>
    startImage(images.get('validator') as Image, ['start', '--engine', 'cometbft', '--dev']),
  )
  runIn('du', [
    '-sh',
    ...['opt/perihelion', 'usr/local/bin/node'].map((path) => join((images.get('node') as Image).root, path)),
  ])
  say(`\n${timings.join('\n')}`)
  say(`${passed} passed, 0 failed`)
} catch (error) {
  say(`\n${timings.join('\n')}`)
  say(`${(error as Error).message}`)
  say(`${passed} passed, 1 failed`)
  process.exitCode = 1
} finally {
  for (const path of mounted) runIn('umount', [path])
  runIn('rm', ['-rf', '--one-file-system', folder])
}
