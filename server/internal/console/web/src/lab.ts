import { createContext, useContext } from 'react'
import type { LabState } from './api/operations'
import type { Load } from './lib/use-load'

/** The state of the lab, shown on all pages while it is active. */
export const LabContext = createContext<{ state: Load<LabState>; reload: () => void } | null>(null)

export function useLab() {
  const lab = useContext(LabContext)
  if (!lab) throw new Error('useLab outside the shell')
  return lab
}
