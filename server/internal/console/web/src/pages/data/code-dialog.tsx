import { useState } from 'react'
import { useText } from '../../i18n/text'
import { type Dialect, snippet } from '../../lib/snippets'
import { useSession } from '../../session'
import { CopyButton } from '../../ui/copy-button'
import { Dialog } from '../../ui/dialog'
import { Tabs } from '../../ui/tabs'
import { type Place, sourceOf } from './use-rows'

const DIALECTS: { id: Dialect; label: string }[] = [
  { id: 'js', label: 'JS' },
  { id: 'node', label: 'Node' },
  { id: 'go', label: 'Go' },
  { id: 'curl', label: 'curl' },
]

/** A query as code to copy. */
export default function CodeDialog({ place, close }: { place: Place; close: () => void }) {
  const { t } = useText()
  const { addresses } = useSession()
  const [dialect, setDialect] = useState<Dialect>('js')
  const origin = addresses['firestore'] ? `http://${addresses['firestore']}` : location.origin
  const code = snippet(dialect, { scope: place.scope, query: place.query, source: sourceOf(place), origin })
  return (
    <Dialog title={t.query.codeTitle} close={close} wide>
      <Tabs label={t.query.codeTitle} tabs={DIALECTS} chosen={dialect} choose={setDialect} />
      <pre className="code" tabIndex={0} role="region" aria-label={t.query.codeTitle}>
        {code}
      </pre>
      <div className="dialog-foot">
        <CopyButton text={code} />
      </div>
    </Dialog>
  )
}
