import { useText } from '../i18n/text'

/** The progress of an export with a button that cancels it; nothing while none runs. */
export function ExportProgress({ note, cancel }: { note: string; cancel: () => void }) {
  const { t } = useText()
  if (!note) return null
  return (
    <>
      <span role="status">{note}</span>
      <button type="button" className="button" onClick={cancel}>
        {t.common.cancel}
      </button>
    </>
  )
}
