import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { useText } from '../i18n/text'
import { useToast } from '../ui/toasts'
import { draftName } from './draft-name'
import { dropDraft, keepDraft, keptDraft } from './drafts'

/** How long the notice is shown. The menu lists the draft afterwards. */
const NOTICE_S = 10

/**
 * Keeps unsaved work, whichever way its page is left: by a link, by the browser's Back, by a reload. write returns the work
 * as text; it is null if there is none. The address names the page that shows the work again. A notice says that it was kept.
 */
export function useKept(address: string, write: (() => string) | null): void {
  const { t } = useText()
  const toast = useToast()
  const navigate = useNavigate()
  const leave = () => {
    if (keptDraft(address) === null) return
    toast(t.drafts.kept(draftName(address, t)), { action: { label: t.drafts.back, act: () => void navigate(address) }, seconds: NOTICE_S })
  }
  const latest = useRef(leave)
  latest.current = leave
  useEffect(() => {
    if (write) keepDraft(address, write)
    else dropDraft(address)
  }, [address, write])
  useEffect(() => () => latest.current(), [address])
}
