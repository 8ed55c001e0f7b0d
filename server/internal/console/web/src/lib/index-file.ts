import type { Index } from '../api/operations'

/** Indexes in the format of firestore.indexes.json. */
export function indexFile(indexes: readonly Index[]): string {
  const all = indexes.map(({ collection, scope, fields }) => ({
    collectionGroup: collection,
    queryScope: scope,
    fields: fields.map(({ path, order, array, vector }) => ({
      fieldPath: path,
      ...(array
        ? { arrayConfig: 'CONTAINS' }
        : vector
          ? { vectorConfig: { dimension: vector, flat: {} } }
          : { order: order ?? 'ASCENDING' }),
    })),
  }))
  return JSON.stringify({ indexes: all, fieldOverrides: [] }, null, 2)
}
