import { expect, test } from 'vitest'
import { readDeployFile } from '../files.ts'
import { parseDockerfile, parseEnv, readIgnored } from './dockerfile.ts'

test('stages have their steps, with continued lines as one and arguments filled in', () => {
  const text = `# first
ARG IMAGE=some:1@sha256:00
FROM \${IMAGE} AS build
# not a step
RUN one \\
  && two
ENV A=1 \\
    B=
FROM build AS end
COPY --from=build /a /b`
  expect(parseDockerfile(text)).toEqual([
    {
      name: 'build',
      from: 'some:1@sha256:00',
      steps: [
        { name: 'RUN', text: 'one    && two' },
        { name: 'ENV', text: 'A=1      B=' },
      ],
    },
    { name: 'end', from: 'build', steps: [{ name: 'COPY', text: '--from=build /a /b' }] },
  ])
  expect(parseEnv('A=1      B=')).toEqual({ A: '1', B: '' })
})

test('our own file has no step that the suite does not know', () => {
  const names = parseDockerfile(readDeployFile('Dockerfile')).flatMap(({ steps }) =>
    steps.map(({ name }) => name),
  )
  const known = [
    ...['RUN', 'COPY', 'WORKDIR', 'USER', 'ENV'],
    ...['VOLUME', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
  ]
  expect(names.filter((name) => !known.includes(name))).toEqual([])
})

test('the last pattern that fits decides what is left out', () => {
  const isIgnored = readIgnored(readDeployFile('Dockerfile.dockerignore'))
  const paths = ['node_modules/a', 'explorer/node_modules/a', 'docs/start.md', '.git/HEAD', 'test/a.ts']
  expect(paths.filter((path) => !isIgnored(path))).toEqual([])
  expect(['docs/openrpc.json', 'src/a.ts', 'docsx', '.github/a'].filter(isIgnored)).toEqual([])
})
