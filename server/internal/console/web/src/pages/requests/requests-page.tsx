import { type ReactNode, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { stream, withQuery } from '../../api/http'
import { loadRequests, type RequestFilter, type RequestRecord, RequestLine } from '../../api/rules'
import { useText } from '../../i18n/text'
import { useLoad } from '../../lib/use-load'
import { pagePath } from '../../lib/scope'
import { useScope } from '../../session'
import { Moment } from '../../ui/moment'
import { SearchBox } from '../../ui/search-box'
import { Empty, Loaded } from '../../ui/states'
import { Table } from '../../ui/table'
import { RequestDialog } from './request-dialog'

const OUTCOMES = ['allow', 'deny', 'error', 'admin'] as const
const METHODS = ['get', 'list', 'create', 'update', 'delete'] as const
const MAX_SHOWN = 1000
const TONES = { allow: 'good', deny: 'bad', error: 'bad', admin: '' } as const

/** The decisions of the rules, live, of the selected database or of all. The address contains the filter and the open request. */
export default function RequestsPage() {
  const { t } = useText()
  const [params, setParams] = useSearchParams()
  const scope = useScope()
  const everywhere = params.get('of') === 'all'
  const filter: RequestFilter = {
    project: everywhere ? '' : scope.project,
    database: everywhere ? '' : scope.database,
    outcome: params.get('outcome') ?? '',
    method: params.get('method') ?? '',
    path: params.get('path') ?? '',
    user: params.get('user') ?? '',
  }
  const open = params.get('request')
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    setParams(next, { replace: name !== 'request' })
  }
  const { state, reload } = useLoad(JSON.stringify(filter), (signal) => loadRequests(filter, '', signal))
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.requests}</h1>
        <select value={everywhere ? 'all' : ''} aria-label={t.requests.of} onChange={(event) => set('of', event.target.value)}>
          <option value="">{t.requests.ofThis}</option>
          <option value="all">{t.requests.ofAll}</option>
        </select>
        <Choice label={t.requests.outcome} value={filter.outcome} options={OUTCOMES} set={(value) => set('outcome', value)} />
        <Choice label={t.requests.method} value={filter.method} options={METHODS} set={(value) => set('method', value)} />
        <SearchBox label={t.requests.path} text={filter.path} set={(value) => set('path', value)} mono />
        <SearchBox label={t.requests.user} hint={t.requests.userHint} text={filter.user} set={(value) => set('user', value)} mono />
      </div>
      <Loaded state={state} reload={reload} rows={10}>
        {({ requests, kept, limit }) => (
          <>
            <RequestTable key={JSON.stringify(filter)} first={requests} filter={filter} open={(id) => set('request', id)}>
              <p>{t.requests.none}</p>
              {!everywhere && kept > 0 && (
                <button type="button" className="button" onClick={() => set('of', 'all')}>
                  {t.requests.showAll}
                </button>
              )}
            </RequestTable>
            <p className="soft small">{t.requests.kept(kept, limit)}</p>
          </>
        )}
      </Loaded>
      {open && (
        <RequestDialog
          key={open}
          id={open}
          address={`${pagePath('requests', scope)}?${new URLSearchParams({ ...(everywhere && { of: 'all' }), request: open })}`}
          close={() => set('request', '')}
        />
      )}
    </div>
  )
}

function Choice({
  label,
  value,
  options,
  set,
}: {
  label: string
  value: string
  options: readonly string[]
  set: (value: string) => void
}) {
  const { t } = useText()
  return (
    <select value={value} aria-label={label} onChange={(event) => set(event.target.value)}>
      <option value="">
        {label}: {t.common.all}
      </option>
      {options.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}

/** Reports whether a record passes a filter, in the same way as the server. */
export function passes(record: RequestRecord, { project, database, outcome, method, path, user }: RequestFilter): boolean {
  if (project && record.project !== project) return false
  if (database && record.database !== database) return false
  if (outcome && record.outcome !== outcome) return false
  if (method && record.method !== method) return false
  if (path && !record.path.includes(path)) return false
  return !user || (user === 'anonymous' ? record.uid === null && record.outcome !== 'admin' : record.uid === user)
}

type TableProps = { first: RequestRecord[]; filter: RequestFilter; open: (id: string) => void; children: ReactNode }

/** The loaded decisions with those that follow; the children if there are none. */
function RequestTable({ first, filter, open, children }: TableProps) {
  const { t } = useText()
  const [fresh, setFresh] = useState<RequestRecord[]>([])
  const after = first[0]?.id ?? '0'
  useEffect(() => {
    const control = new AbortController()
    const follow = async () => {
      for await (const line of stream(RequestLine, withQuery('/api/requests/stream', { after }), {
        signal: control.signal,
      })) {
        if ('id' in line) setFresh((now) => (now.some((one) => one.id === line.id) ? now : [line, ...now].slice(0, MAX_SHOWN)))
      }
    }
    // After the end of the stream, the shown decisions remain. The next load reports the error.
    follow().catch(() => {})
    return () => control.abort()
  }, [after])
  const known = new Set(first.map((one) => one.id))
  const all = [...fresh.filter((one) => !known.has(one.id) && passes(one, filter)), ...first]
  if (all.length === 0) return <Empty icon="requests">{children}</Empty>
  return (
    <Table label={t.pages.requests}>
      <thead>
        <tr>
          <th scope="col">{t.audit.time}</th>
          <th scope="col">{t.requests.outcome}</th>
          <th scope="col">{t.requests.method}</th>
          <th scope="col">{t.requests.path}</th>
          <th scope="col">{t.requests.user}</th>
          <th scope="col">{t.requests.lines}</th>
          {!filter.project && <th scope="col">{t.requests.of}</th>}
        </tr>
      </thead>
      <tbody>
        {all.map((record) => (
          <tr key={record.id}>
            <td className="tight">
              <Moment iso={record.time} />
            </td>
            <td className="tight">
              <span className={`tag ${TONES[record.outcome]}`}>{record.outcome}</span>
            </td>
            <td className="tight">{record.method}</td>
            <td className="mono clip">
              <button type="button" className="link" onClick={() => open(record.id)}>
                {record.path}
              </button>
            </td>
            <td className="mono clip">
              {record.uid ?? <span className="soft">{record.outcome === 'admin' ? t.requests.server : t.users.anonymous}</span>}
            </td>
            <td className="mono tight" data-head={t.requests.lines}>
              {record.lines.map((line) => line.line).join(', ')}
            </td>
            {!filter.project && (
              <td className="mono clip">
                {record.project}/{record.database}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
