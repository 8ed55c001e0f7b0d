import type { User, UserOrder } from '../../api/users'
import { useText } from '../../i18n/text'
import { Moment } from '../../ui/moment'
import { Table } from '../../ui/table'

const iso = (ms: string): string => (ms ? new Date(Number(ms)).toISOString() : '')

/** The ways in which a user signs in, by id. */
const providersOf = (user: User): string => user.providerUserInfo.map((one) => one.providerId).join(', ')

type Props = { users: User[]; order: UserOrder; setOrder: ((order: UserOrder) => void) | null; open: (localId: string) => void }

/** The order after a press on a column: ascending, descending, none. */
function nextOrder(order: UserOrder, by: NonNullable<UserOrder>['by']): UserOrder {
  if (order?.by !== by) return { by, down: false }
  return order.down ? null : { by, down: true }
}

type HeadProps = { label: string; down: boolean | null; sort: (() => void) | null }

/** The head of a column by which users can be ordered, unless sort is null. */
function Head({ label, down, sort }: HeadProps) {
  return (
    <th scope="col" aria-sort={down === null ? undefined : down ? 'descending' : 'ascending'}>
      {sort ? (
        <button type="button" className="head-button" onClick={sort}>
          {label} {down === null ? '' : down ? '↓' : '↑'}
        </button>
      ) : (
        label
      )}
    </th>
  )
}

export function UsersTable({ users, order, setOrder, open }: Props) {
  const { t } = useText()
  const head = (by: NonNullable<UserOrder>['by'], label: string) => (
    <Head label={label} down={order?.by === by ? order.down : null} sort={setOrder && (() => setOrder(nextOrder(order, by)))} />
  )
  return (
    <Table label={t.pages.users}>
      <thead>
        <tr>
          {head('USER_EMAIL', t.users.profile)}
          <th scope="col">{t.users.state}</th>
          {head('USER_ID', t.users.id)}
          <th scope="col">{t.users.providers}</th>
          {head('CREATED_AT', t.data.created)}
          {head('LAST_LOGIN_AT', t.users.lastSignIn)}
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.localId}>
            <td className="clip account">
              <button type="button" className="link" onClick={() => open(user.localId)}>
                {user.email || user.phoneNumber || user.displayName || user.localId}
              </button>
              {user.displayName && (user.email || user.phoneNumber) && <span className="soft small"> {user.displayName}</span>}
            </td>
            <td className="tight">
              {user.disabled && <span className="tag bad">{t.users.disabled}</span>}{' '}
              {user.mfaInfo.length > 0 && <span className="tag">MFA</span>}{' '}
              {user.customAttributes && user.customAttributes !== '{}' && <span className="tag">{t.users.claims}</span>}
            </td>
            <td className="mono id">{user.localId}</td>
            <td className="providers">
              {providersOf(user) || <span className="soft">{user.email || user.phoneNumber ? '—' : t.users.anonymous}</span>}
            </td>
            <td className="tight" data-head={t.data.created}>
              <Moment iso={iso(user.createdAt)} />
            </td>
            <td className="tight" data-head={t.users.lastSignIn}>
              {user.lastLoginAt && user.lastLoginAt !== '0' ? (
                <Moment iso={iso(user.lastLoginAt)} />
              ) : (
                <span className="soft">{t.users.never}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
