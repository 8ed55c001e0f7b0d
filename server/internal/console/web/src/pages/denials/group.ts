import type { Denial } from '../../api/denials'

/** Denials of one method, path, caller and rule. */
export type Group = { denial: Denial; times: number; first: string }

/** Puts equal denials together. The list is ordered from new to old, and each group stands where its newest one is. */
export function groups(denials: readonly Denial[]): Group[] {
  const all = new Map<string, Group>()
  for (const denial of denials) {
    const key = JSON.stringify([denial.method, denial.path, denial.lines, denial.uid])
    const group = all.get(key)
    if (group) {
      group.times++
      group.first = denial.time
    } else all.set(key, { denial, times: 1, first: denial.time })
  }
  return [...all.values()]
}
