import { useText } from '../i18n/text'

/** The title of a page, and a button that loads its data again. */
export function PageHead({ title, reload }: { title: string; reload: () => void }) {
  const { t } = useText()
  return (
    <div className="page-head">
      <h1>{title}</h1>
      <button type="button" className="button push" onClick={reload}>
        {t.common.refresh}
      </button>
    </div>
  )
}
