/** The room of three cards while they are on their way. */
export function HuesosEventos() {
  return (
    <div aria-hidden="true" className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
      {['uno', 'dos', 'tres'].map((hueso, i) => (
        <div key={hueso} className={`hueso h-[27rem] ${i ? 'max-sm:hidden' : ''} ${i === 2 ? 'max-lg:hidden' : ''}`} />
      ))}
    </div>
  )
}
