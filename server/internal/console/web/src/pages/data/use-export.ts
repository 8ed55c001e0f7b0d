import { type Format, startExport } from '../../api/exports'
import { type Doc, getDocuments } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { writeCsv } from '../../lib/csv'
import { download } from '../../lib/download'
import { writeJson } from '../../lib/json-file'
import { documentsRoot } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useFileExport } from '../../lib/use-file-export'
import { type Place, sourceOf } from './use-rows'

/** The number of documents that are read at a time. */
const READ = 50

/** Exports documents to a file. The server writes all documents of a collection or query; the page writes selected ones. */
export function useExport(place: Place) {
  const { t } = useText()
  const { note, start, cancel } = useFileExport({ written: t.data.exporting, done: t.data.exported })
  const nameOf = (format: Format) => `${place.collection.replaceAll('/', '-')}.${format}`
  const { error, run } = useAction()
  const save = (format: Format, paths: readonly string[]) =>
    void run(async () => {
      const docs: Doc[] = []
      // The rows of a table are shortened, so that the documents are read again.
      for (let i = 0; i < paths.length; i += READ) docs.push(...(await getDocuments(place.scope, paths.slice(i, i + READ))).values())
      const named = docs.map((doc) => ({ id: place.group ? doc.path : doc.id, fields: doc.fields }))
      const root = `${documentsRoot(place.scope)}/`
      if (format === 'json') download(nameOf(format), 'application/json', writeJson(named, root))
      else download(nameOf(format), 'text/csv', writeCsv(named, root))
    })
  const startAll = (format: Format) =>
    start(() => startExport(place.scope, { query: place.query, source: sourceOf(place), format, name: nameOf(format) }))
  return { note, start: startAll, save, error, cancel }
}
