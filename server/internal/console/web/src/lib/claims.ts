/** The maximum length of claims as JSON. */
export const MAX_CLAIMS = 1000

/** Reserved names of claims. */
const RESERVED = [
  'acr',
  'amr',
  'at_hash',
  'aud',
  'auth_time',
  'azp',
  'cnf',
  'c_hash',
  'exp',
  'firebase',
  'iat',
  'iss',
  'jti',
  'nbf',
  'nonce',
  'sub',
  'user_id',
]

export type ClaimsProblem = { kind: 'syntax' | 'shape' | 'size' | 'reserved'; at: number; name?: string }

/** The first error in a text of custom claims; null if there is none. */
export function claimsProblem(text: string): ClaimsProblem | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const at = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
    return { kind: 'syntax', at: Number(at ?? 0) }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'shape', at: 0 }
  const reserved = Object.keys(value).find((name) => RESERVED.includes(name))
  if (reserved) return { kind: 'reserved', at: Math.max(0, text.indexOf(`"${reserved}"`)), name: reserved }
  return JSON.stringify(value).length > MAX_CLAIMS ? { kind: 'size', at: 0 } : null
}
