import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { startUsersExport } from '../../api/exports'
import { type Directory, findUsers, listUsers, orderUsers, type User, USER_ORDERS, type UserOrder, type UserPage } from '../../api/users'
import { useText } from '../../i18n/text'
import { readPath } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useFileExport } from '../../lib/use-file-export'
import { useLoad } from '../../lib/use-load'
import { useScope, useSession } from '../../session'
import { ExportProgress } from '../../ui/export-progress'
import { Icon } from '../../ui/icons'
import { Menu } from '../../ui/menu'
import { SearchBox } from '../../ui/search-box'
import { Empty, Loaded, Problem } from '../../ui/states'
import { TenantSelect } from '../../ui/tenant-select'
import { ImportUsersDialog } from './import-users-dialog'
import { NewUserDialog } from './new-user-dialog'
import { UserDialog } from './user-dialog'
import { UsersTable } from './users-table'

const PAGE = 100

type First = UserPage & { text: string }

/** The preloaded users, with their project and tenant. The first rendering uses them. */
let early: { key: string; first: First } | null = null

/** Set after users have been rendered. Preloaded users that arrive later are not used. */
let shown = false

const keyOf = ({ project, tenant }: Directory, text: string) => JSON.stringify([project, tenant, text])

function pageOf(directory: Directory, text: string, order: UserOrder, after: string, signal?: AbortSignal): Promise<UserPage> {
  if (text) return findUsers(directory, text, PAGE, after, signal)
  return order ? orderUsers(directory, order, PAGE, after, signal) : listUsers(directory, PAGE, after, signal)
}

/** The order in an address: the name of a field, with a minus for the descending order. */
function readOrder(text: string | null): UserOrder {
  const by = USER_ORDERS.find((one) => one === text?.replace('-', ''))
  return by ? { by, down: text?.startsWith('-') ?? false } : null
}

const writeOrder = (order: UserOrder): string => (order ? `${order.down ? '-' : ''}${order.by}` : '')

/** Loads the first users of an address before the first rendering. The component that shows the users reports a failure. */
export async function preload({ pathname, search }: Location): Promise<void> {
  const { project } = readPath(pathname).scope
  const params = new URLSearchParams(search)
  const text = params.get('find') ?? ''
  const directory = { project, tenant: params.get('tenant') ?? '' }
  const page = project && !text && !params.has('sort') ? await pageOf(directory, text, null, '').catch(() => null) : null
  if (page && !shown) early = { key: keyOf(directory, text), first: { ...page, text } }
}

/** Returns the preloaded users once. */
function takeEarly(directory: Directory, text: string): First | null {
  const first = early?.key === keyOf(directory, text) ? early.first : null
  early = null
  shown = true
  return first
}

/** The users of a project or a tenant. The address contains the tenant, the search and the open user. */
export default function UsersPage() {
  const { t } = useText()
  const { project } = useScope()
  const { write } = useSession()
  const [params, setParams] = useSearchParams()
  const tenant = params.get('tenant') ?? ''
  const text = params.get('find') ?? ''
  const open = params.get('user')
  const order = text ? null : readOrder(params.get('sort'))
  const tab = params.get('tab')
  const directory: Directory = { project, tenant }
  const [asked, setAsked] = useState<'new' | 'import' | null>(null)
  const [version, setVersion] = useState(0)
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    if (name === 'user') next.delete('tab')
    setParams(next, { replace: name === 'find' })
  }
  const reload = () => setVersion((n) => n + 1)
  const exporting = useFileExport({ written: t.users.exporting, done: t.users.exported })
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.users}</h1>
        <SearchBox label={t.users.search} text={text} set={(next) => set('find', next.trim())} wide />
        <TenantSelect project={project} tenant={tenant} choose={(id) => set('tenant', id)} />
        <div className="row push">
          <ExportProgress note={exporting.note} cancel={exporting.cancel} />
          {write && (
            <button type="button" className="button primary" onClick={() => setAsked('new')}>
              <Icon name="plus" />
              {t.users.user}
            </button>
          )}
          <Menu
            label={t.data.actions}
            items={[
              { label: t.data.import, act: () => setAsked('import'), disabled: !write },
              { label: t.data.exportJson, act: () => exporting.start(() => startUsersExport(directory, 'users.json')) },
              { label: t.common.refresh, act: reload },
            ]}
          />
        </div>
      </div>
      <UserList
        key={`${project} ${tenant}`}
        directory={directory}
        text={text}
        order={order}
        setOrder={text ? null : (next) => set('sort', writeOrder(next))}
        version={version}
        open={(id) => set('user', id)}
      />
      {open && (
        <UserDialog
          key={`${open} ${tab ?? ''}`}
          directory={directory}
          localId={open}
          first={tab}
          close={() => set('user', '')}
          changed={reload}
        />
      )}
      {asked === 'new' && <NewUserDialog directory={directory} close={() => setAsked(null)} done={reload} />}
      {asked === 'import' && <ImportUsersDialog directory={directory} close={() => setAsked(null)} done={reload} />}
    </div>
  )
}

type ListProps = {
  directory: Directory
  text: string
  order: UserOrder
  /** Null while users are searched, whose results have their own order. */
  setOrder: ((order: UserOrder) => void) | null
  version: number
  open: (localId: string) => void
}

function UserList({ directory, text, order, setOrder, version, open }: ListProps) {
  const { t } = useText()
  // The pages after the first one, and the first page that they follow.
  const [more, setMore] = useState<{ of: UserPage | null; users: User[]; token: string }>({ of: null, users: [], token: '' })
  const { busy, error, run } = useAction()
  const [first] = useState(() => (order ? null : takeEarly(directory, text)))
  const load = async (signal: AbortSignal): Promise<First> => ({ ...(await pageOf(directory, text, order, '', signal)), text })
  const { state, reload } = useLoad('users', load, `${version} ${writeOrder(order)} ${text}`, first)
  return (
    <Loaded state={state} reload={reload} rows={10}>
      {(first) => {
        const follows = more.of === first ? more : { users: [], token: first.nextPageToken }
        const { token } = follows
        const users = [...first.users, ...follows.users]
        if (users.length === 0) return <Empty icon="users">{first.text ? t.users.notFound(first.text) : t.users.none}</Empty>
        const next = () =>
          run(async () => {
            const another = await pageOf(directory, text, order, token)
            setMore({ of: first, users: [...follows.users, ...another.users], token: another.nextPageToken })
          })
        return (
          <>
            <UsersTable users={users} order={order} setOrder={setOrder} open={open} />
            {error !== null && <Problem error={error} />}
            {token && (
              <div>
                <button type="button" className="button" disabled={busy} onClick={() => void next()}>
                  {t.users.loadMore}
                </button>
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
