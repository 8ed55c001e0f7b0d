import { Search } from 'lucide-react'

/** The search field. Its label is its placeholder. */
export function SearchBox({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  return (
    <div className="relative w-full sm:w-72">
      <Search aria-hidden size={15} className="panel-lupa" />
      <input
        type="search"
        className="casilla pl-8"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}
