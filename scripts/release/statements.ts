import { createHash } from 'node:crypto'
import type { Material } from './materials.ts'

export interface Artefact {
  readonly file: string
  readonly sha256: string
}

export interface Release {
  readonly version: string
  readonly commit: string
  /** When it was made, in ISO 8601. */
  readonly date: string
  readonly materials: readonly Material[]
}

/** The name of a package at a version as software bills of materials write it (package-url). */
const packageUrl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** Returns an integrity value of npm (`sha512-<base64>`) as CycloneDX writes hashes. */
const hashOf = (integrity: string): { readonly alg: string; readonly content: string } => {
  const [algorithm = '', digest = ''] = integrity.split('-', 2)
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  }
}

/** Returns the bill of materials in the form of CycloneDX 1.6. */
export const billOfMaterials = ({ version, date, materials }: Release) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    timestamp: date,
    component: {
      type: 'application',
      'bom-ref': packageUrl('perihelion', version),
      name: 'perihelion',
      version,
      purl: packageUrl('perihelion', version),
      licenses: [{ license: { id: 'Apache-2.0' } }],
    },
  },
  components: materials.map(({ name, version: ofPackage, license, isBundled, integrity }) => ({
    type: 'library',
    'bom-ref': packageUrl(name, ofPackage),
    name,
    version: ofPackage,
    purl: packageUrl(name, ofPackage),
    scope: 'required',
    licenses: [{ expression: license.replace(/^\((.*)\)$/, '$1') }],
    ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
    properties: [{ name: 'perihelion:bundled', value: String(isBundled) }],
  })),
  dependencies: [
    {
      ref: packageUrl('perihelion', version),
      dependsOn: materials.map((material) => packageUrl(material.name, material.version)),
    },
  ],
})

/** Returns what the artefacts were made from, as an in-toto statement with a predicate of SLSA. Nobody has signed it. */
export const provenance = (
  { version, commit, date, materials }: Release,
  artefacts: readonly Artefact[],
  lockFile: Uint8Array,
) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: artefacts.map(({ file, sha256 }) => ({ name: file, digest: { sha256 } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'npm run release',
      externalParameters: { version },
      internalParameters: { node: process.versions.node, platform: `${process.platform}-${process.arch}` },
      resolvedDependencies: [
        { name: 'source', digest: { gitCommit: commit } },
        {
          name: 'package-lock.json',
          digest: { sha256: createHash('sha256').update(lockFile).digest('hex') },
        },
        ...materials.map((material) => ({
          uri: packageUrl(material.name, material.version),
          ...(material.integrity === undefined
            ? {}
            : { digest: { sha512: hashOf(material.integrity).content } }),
        })),
      ],
    },
    runDetails: { builder: { id: 'unsigned, on a developer’s machine' }, metadata: { finishedOn: date } },
  },
})
