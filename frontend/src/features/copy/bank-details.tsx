import { donar } from '../../content/donar'
import { CopyButton } from './copy-button'

/** A bank detail with its button. */
function Detail({ name, value }: { name: string; value: string }) {
  return (
    <div className="pt-1.5 pb-2.5">
      <dt className="text-suave text-sm">{name}</dt>
      <dd className="-mt-1 flex items-center justify-between gap-4">
        <span className="min-w-0 font-semibold wrap-anywhere select-all">{value}</span>
        <CopyButton name={/^[A-Z]{2}/.test(name) ? name : name.toLowerCase()} value={value} />
      </dd>
    </div>
  )
}

/** The four details of a transfer (F-171), which can be selected without scripts. */
export function BankDetails({ bank }: { bank: { name: string; rnc: string; holder: string; account: string } }) {
  const { bankTransfer } = donar
  return (
    <dl className="divide-linea mt-4 divide-y">
      <Detail name={bankTransfer.bank} value={bank.name} />
      <Detail name={bankTransfer.rnc} value={bank.rnc} />
      <Detail name={bankTransfer.holder} value={bank.holder} />
      <Detail name={bankTransfer.account} value={bank.account} />
    </dl>
  )
}
