import type { User } from '../../api/users'
import { useText } from '../../i18n/text'
import { Table } from '../../ui/table'

const iso = (ms: string): string => (ms ? new Date(Number(ms)).toISOString() : '')

/** The ways in which a user signs in, by id. */
const providersOf = (user: User): string => user.providerUserInfo.map((one) => one.providerId).join(', ')

export function UsersTable({ users, open }: { users: User[]; open: (localId: string) => void }) {
  const { t, time } = useText()
  return (
    <Table label={t.pages.users}>
      <thead>
        <tr>
          <th scope="col">{t.users.user}</th>
          <th scope="col">{t.users.id}</th>
          <th scope="col">{t.users.providers}</th>
          <th scope="col">{t.data.created}</th>
          <th scope="col">{t.users.lastSignIn}</th>
          <th scope="col">{t.users.state}</th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.localId}>
            <td className="clip">
              <button type="button" className="link" onClick={() => open(user.localId)}>
                {user.email || user.phoneNumber || user.displayName || user.localId}
              </button>
              {user.displayName && (user.email || user.phoneNumber) && <span className="soft small"> {user.displayName}</span>}
            </td>
            <td className="mono clip">{user.localId}</td>
            <td className="clip">
              {providersOf(user) || <span className="soft">{user.email || user.phoneNumber ? '—' : t.users.anonymous}</span>}
            </td>
            <td className="clip">{time(iso(user.createdAt))}</td>
            <td className="clip">
              {user.lastLoginAt && user.lastLoginAt !== '0' ? time(iso(user.lastLoginAt)) : <span className="soft">{t.users.never}</span>}
            </td>
            <td className="tight">
              {user.disabled && <span className="tag bad">{t.users.disabled}</span>}{' '}
              {user.mfaInfo.length > 0 && <span className="tag">MFA</span>}{' '}
              {user.customAttributes && user.customAttributes !== '{}' && <span className="tag">{t.users.claims}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
