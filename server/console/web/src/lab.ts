import { createContext, useContext } from 'react'
import type { LabState } from './api/operations'
import type { Load } from './lib/use-load'

/** What development is put to, which all pages show while it lasts. */
export const LabContext = createContext<{ state: Load<LabState>; reload: () => void } | null>(null)

export function useLab() {
  const lab = useContext(LabContext)
  if (!lab) throw new Error('useLab outside the shell')
  return lab
}
