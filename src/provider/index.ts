// `perihelion/light`: everything that another program may rely on is named here, and nothing else is.
export {
  createLightProvider,
  type LightHead,
  type LightMessage,
  type LightProvider,
  type LightProviderOptions,
  provenMethods,
  type UnprovenAnswer,
} from './createLightProvider.ts'
export type { Fetch } from './endpoints/endpoint.ts'
export { ForkError, type Lie, LieError } from './endpoints/endpoints.ts'
export { LightError } from './lightError.ts'
export type { LightStore } from './proving/head.ts'
