import { useState } from 'react'
import { type Doc, listDocuments, runQuery } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { writeCsv } from '../../lib/csv'
import { download } from '../../lib/download'
import { writeJson } from '../../lib/json-file'
import { cursorAfter } from '../../lib/order'
import { writeQuery } from '../../lib/query'
import { useToast } from '../../ui/toasts'
import { errorText } from '../../ui/states'
import { type Place, sourceOf } from './use-rows'

const PAGE = 300

/** All documents of a place, page by page. */
async function* allDocuments({ scope, collection, group, query }: Place): AsyncGenerator<Doc[]> {
  if (!group && writeQuery(query) === '') {
    for (let token = ''; ; ) {
      const page = await listDocuments(scope, collection, PAGE, token)
      yield page.docs.filter((doc) => !doc.missing)
      token = page.next
      if (!token) return
    }
  }
  const source = sourceOf({ collection, group })
  let left = query.limit ?? Number.POSITIVE_INFINITY
  for (let last: Doc | undefined; left > 0; ) {
    const docs = await runQuery(scope, { query, source, after: last ? cursorAfter(last, query, scope) : null, size: Math.min(PAGE, left) })
    yield docs
    last = docs.at(-1)
    left -= docs.length
    if (docs.length < PAGE) return
  }
}

/** Exports documents to a file and reports the progress. */
export function useExport(place: Place) {
  const { t } = useText()
  const [note, setNote] = useState('')
  const toast = useToast()
  const save = (format: 'json' | 'csv', docs: Doc[]) => {
    const named = docs.map((doc) => ({ id: place.group ? doc.path : doc.id, fields: doc.fields }))
    const name = `${place.collection.replaceAll('/', '-')}.${format}`
    if (format === 'json') download(name, 'application/json', writeJson(named))
    else download(name, 'text/csv', writeCsv(named))
  }
  const start = (format: 'json' | 'csv') => {
    const run = async () => {
      const docs: Doc[] = []
      for await (const page of allDocuments(place)) {
        docs.push(...page)
        setNote(t.data.exporting(docs.length))
      }
      save(format, docs)
    }
    run()
      .catch((error: unknown) => toast(errorText(error, t.common.unavailable)))
      .finally(() => setNote(''))
  }
  return { note, start, save }
}
