import type { Scope } from './scope'
import { readSetting, writeSetting } from './settings'

const nameOf = ({ project, database }: Scope): string => `collection.${project}/${database}`

/** The collection of a database that this browser opened last; '' if there is none. */
export const lastCollection = (scope: Scope): string => readSetting(nameOf(scope)) ?? ''

export function rememberCollection(scope: Scope, collection: string): void {
  writeSetting(nameOf(scope), collection)
}
