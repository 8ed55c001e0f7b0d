import { useState } from 'react'
import { usePanelData } from '../../admin/data/panel-data'
import type { Status } from '../../admin/data/rows'
import { useNotify } from '../../admin/ui/toasts'
import { es } from '../../i18n/es-admin'

/** Changes the status of forms. Success is reported in a notice, failure to the caller. */
export function useStatus() {
  const { me } = usePanelData()
  const notify = useNotify()
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  const change = async (paths: readonly string[], status: Status) => {
    setState('busy')
    try {
      const { setStatus } = await import('../../firebase/panel-writes')
      await setStatus(paths, status, me)
      notify({ text: es.table.statusChanged })
      setState('idle')
      return true
    } catch {
      setState('failed')
      return false
    }
  }
  return { busy: state === 'busy', failed: state === 'failed', change }
}
